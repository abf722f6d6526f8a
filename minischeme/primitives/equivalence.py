"""Equivalence of values: `eq?`, `eqv?`, both dialects' `equal?`, and the booleans.

The Python functions here serve every other module that compares values, and the word procedures above all.
"""

from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from math import copysign
from typing import Any

from minischeme.data.rationals import Complex, Number, Rational
from minischeme.data.values import FALSE, TRUE, Boolean, Bytevector, Pair, String, Symbol, Value, Vector, boolean
from minischeme.primitives.kinds import BooleanArg, SymbolArg, check_type
from minischeme.primitives.registry import predicate, primitive
from minischeme.primitives.symbols import narrow_decimal

CONSTANTS: dict[str, Value] = {"true": TRUE, "false": FALSE}
"""Variables of the berkeley dialect."""

Comparison = Callable[[Value, Value], bool]

_REMEMBERED_WORDS = 1 << 15
_FIRST_STEPS = 10_000
_FORGETFUL_STEPS = 400
_REMEMBERING_STEPS = 40
_COMPOUND = frozenset({Pair, Vector, Bytevector})
_REALS = frozenset({int, float})


def eq(a: Value, b: Value) -> bool:
    """Whether two values are the same object, as far as a program can tell: all equal exact integers are."""
    if a is b:
        return True
    kind = type(a)
    if kind is not type(b):
        return False
    if kind is int:
        return bool(a == b)
    return kind is String and not a.text and not b.text


def eqv(a: Value, b: Value) -> bool:
    """Whether two values are the same object, or numbers of the same value and exactness (R7RS 6.1)."""
    if a is b:
        return True
    kind = type(a)
    if kind is not type(b):
        return False
    if kind is int or kind is Rational:
        return bool(a == b)
    if kind is float:
        # Zeros differ by their sign; a not-a-number is itself.
        if a == b:
            return True if a else copysign(1.0, a) == copysign(1.0, b)
        return bool(a != a and b != b)
    if kind is Complex:
        return eqv(a.real, b.real) and eqv(a.imag, b.imag)
    return kind is String and not a.text and not b.text


@lru_cache(_REMEMBERED_WORDS)
def text_key(text: str) -> int | float | str:
    """The number or, without regard to case, the text that a string is compared by as a word."""
    number = narrow_decimal(text)
    return text.lower() if number is None else number


def word_key(word: Value) -> Number | str | None:
    """The key that a word is compared by: its number, or its text without regard to case; None for what is no word."""
    kind = type(word)
    if kind is Symbol:
        folded: str = word.folded
        return folded
    if kind is String:
        return text_key(word.text)
    if kind is int or kind is float or kind is Rational or kind is Complex:
        number: Number = word
        return number
    return None


def equal(a: Value, b: Value) -> bool:
    """The course's `equal?`: like the standard's, but words, also inside of others, are the same if they are spelt
    alike, whatever the case, or of one value (DIALECT.md section 1.2).

    A string counts as a number only by the narrow rule, so "07" is not 7.
    """
    if a is b:
        return True
    kind = type(a)
    if kind is type(b):
        if kind is Symbol:
            return bool(a.folded == b.folded)
        if kind is String:
            left, right = a.text, b.text
            if left == right:
                return True
            return bool(left.lower() == right.lower() if left.isalpha() else text_key(left) == text_key(right))
        if kind is int or kind is float:
            return bool(a == b)
        if kind in _COMPOUND:
            return _alike(a, b, equal)
    key = word_key(a)
    return eqv(a, b) if key is None else key == word_key(b)


def equal_standard(a: Value, b: Value) -> bool:
    """The `equal?` of R7RS 6.1."""
    if a is b:
        return True
    kind = type(a)
    if kind is String:
        return type(b) is String and bool(a.text == b.text)
    return _alike(a, b, equal_standard) if kind in _COMPOUND else eqv(a, b)


EQUAL: dict[str, Comparison] = {"berkeley": equal, "r7rs": equal_standard}
"""The comparisons that `equal?` makes, by dialect: for the keyword-only parameter ``equal`` of primitives."""


def _alike(a: Value, b: Value, leaves_equal: Comparison) -> bool:
    """Whether two values have the same structure, with leaves that `leaves_equal` takes for equal.

    The values still to be compared are kept in a list, so that depth is no problem. Shared and circular data are
    compared by the interleaved algorithm of Adams and Dybvig, "Efficient nondestructive equality checking for trees and
    graphs" (2008): runs of steps that remember nothing alternate with short ones that put the objects compared into
    sets of supposed equals, and these go on for as long as they meet the same objects again.
    """
    waiting = [(a, b)]
    supposed: dict[int, int] = {}
    steps = _FIRST_STEPS
    while waiting:
        a, b = waiting.pop()
        while a is not b:
            kind = type(a)
            if kind is Pair or kind is Vector:
                if type(b) is not kind:
                    return False
                steps -= 1
                if steps < 0:
                    if _already_supposed(supposed, id(a), id(b)):
                        steps = 0
                        break
                    if steps == -_REMEMBERING_STEPS:
                        steps = _FORGETFUL_STEPS
                if kind is Pair:
                    first, second = a.car, b.car
                    if first is not second:
                        kind = type(first)
                        if kind in _COMPOUND:
                            waiting.append((first, second))
                        elif kind is type(second) in _REALS and first == second != 0:  # 0.0 may differ from -0.0
                            pass
                        elif not leaves_equal(first, second):
                            return False
                    a, b = a.cdr, b.cdr
                    continue
                if len(a) != len(b):
                    return False
                waiting += zip(a, b, strict=True)
                break
            if not (_bytes_equal(a, b) if kind is Bytevector else leaves_equal(a, b)):
                return False
            break
    return True


def _bytes_equal(a: Bytevector, b: Value) -> bool:
    return type(b) is Bytevector and bytes(a) == bytes(b)


def _already_supposed(parents: dict[int, int], a: int, b: int) -> bool:
    """Put two objects, known by their `id`, into one set of supposed equals; whether they were in one before."""
    while (parent := parents.get(a, a)) != a:
        parents[a] = a = parents.get(parent, parent)
    while (parent := parents.get(b, b)) != b:
        parents[b] = b = parents.get(parent, parent)
    parents[a] = b
    return a == b


def _equivalence(name: str, same: Comparison, help_: str, example: str | None, dialect: str | None = None) -> None:
    @primitive(name, help_=help_, example=example, dialect=dialect)
    def is_same(a: Value, b: Value) -> Boolean:
        return TRUE if a is b or same(a, b) else FALSE


_equivalence("eq?", eq, "Whether two values are the same object; equal exact integers are.", "(eq? 'a 'a) → #t")
_equivalence(
    "eqv?", eqv, "Whether two values are the same object, or numbers of one value and exactness.", "(eqv? 2 2.0) → #f"
)
_equivalence(
    "equal?",
    equal,
    "Whether two values look the same: words by spelling or number, whatever the case; lists by their elements.",
    "(equal? '(1 2) (list 1 2)) → #t",
    "berkeley",
)
_equivalence("equal?", equal_standard, "Whether two values have the same structure and contents.", None, "r7rs")

predicate("not", lambda obj: obj is FALSE, "#f", example="(not #f) → #t")
predicate("boolean?", Boolean, "#t or #f")


def _sameness(name: str, kind: type, argument: Any, what: str) -> None:
    @primitive(name, help_=f"Whether the {what} are all the same.")
    def same(first: Value, second: Value, *more: Value) -> Boolean:
        check_type(kind, first, second, *more)
        return boolean(all(a is b for a, b in pairwise((first, second, *more))))

    same.__annotations__ |= dict.fromkeys(("first", "second", "more"), argument)


_sameness("boolean=?", Boolean, BooleanArg, "booleans")
_sameness("symbol=?", Symbol, SymbolArg, "symbols")
