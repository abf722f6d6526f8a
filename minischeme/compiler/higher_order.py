"""Higher-order procedures: what the calls of each with a `lambda` do as loops over elements.

A rule holds while the program leaves the name of the procedure alone (`CallFacts`). `analysis` chooses the calls, and
`element_loops` makes the code.
"""

from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import msgspec

from minischeme.data.errors import SchemeError
from minischeme.data.values import FALSE, NIL, TRUE, UNSPECIFIED, Char, Pair, String, Value, Vector, list_of
from minischeme.primitives import mapping, searching, words
from minischeme.primitives.kinds import WORD_TYPES
from minischeme.primitives.loops import Columns, columns_of
from minischeme.primitives.pairs import elements
from minischeme.runtime.resumption import copied

Rows = Callable[..., list[Any]]


class ElementRule(msgspec.Struct, frozen=True, eq=False):
    """A rule for calls whose first argument is a lambda.

    `rows` gives the elements from the other arguments, and fails where the procedure would refuse them. The others are
    Python texts: the `result` at first, its change by the value of the lambda, of which only the truth counts if it is
    called `test`, and the value of the call. `counts` are the numbers of other arguments, and a `position` is that of
    the parameter for the result so far. A rule without `rows` goes along the pairs of a sentence, the `source`, and may
    find only at their end that it is none.
    """

    rows: Rows | None
    first: str
    step: str
    value: str = "result"
    counts: range = range(1, 9)
    position: int | None = None

    def fits(self, arguments: int, parameters: int) -> bool:
        """Whether the rule applies to so many other arguments, and a lambda with so many parameters."""
        return arguments in self.counts and parameters == max(arguments, 1 if self.position is None else 2)


def _together(columns: Columns) -> list[Any]:
    return columns[0] if len(columns) == 1 else list(zip(*columns, strict=False))


def _of_lists(*lists: Value) -> list[Any]:
    return elements(*lists) if len(lists) == 1 else _together(columns_of("", lists))


def _of_kind(kind: type, column: Callable[[Any], list[Value]]) -> Rows:
    def rows(*arguments: Value) -> list[Any]:
        for argument in arguments:
            if type(argument) is not kind:
                raise TypeError("not of the kind")
        return _together([column(argument) for argument in arguments])

    return rows


_OF_VECTORS = _of_kind(Vector, list.copy)
_OF_STRINGS = _of_kind(String, lambda string: [Char.of(letter) for letter in string.text])


def sentence_of(thing: Value) -> Value:
    """The letters of a word; anything else itself, which should be a sentence."""
    return list_of(words.letters(thing)) if type(thing) in WORD_TYPES else thing


def _from_right(*arguments: Value) -> list[Any]:
    """The elements of a list from the right, behind an initial value if there is one."""
    rows = elements(arguments[-1])
    rows += arguments[:-1]
    if not rows:
        raise TypeError("nothing to combine")
    rows.reverse()
    return rows


_ONE = range(1, 2)
_TWO = range(2, 3)
_MORE = range(2, 9)
_COLLECT = "[]", "result.append(value)", "list_of(result)"
_KEEP = "[]", "if test: result.append(element)"
_REMOVE = "[]", "if not test: result.append(element)", "list_of(result)"
_ADD_WORDS = """
if type(value) in WORD_TYPES:
    result.append(value)
else:
    add_words(result, value, procedure)
"""
_FOLD = "next(elements)", "result = value", "result"

TABLE: dict[Callable[..., Value], ElementRule] = {
    mapping.map_: ElementRule(_of_lists, *_COLLECT),
    mapping.for_each: ElementRule(_of_lists, "UNSPECIFIED", ""),
    mapping.vector_map: ElementRule(_OF_VECTORS, "[]", "result.append(value)", "Vector(result)"),
    mapping.vector_for_each: ElementRule(_OF_VECTORS, "UNSPECIFIED", ""),
    mapping.string_for_each: ElementRule(_OF_STRINGS, "UNSPECIFIED", ""),
    searching.filter_: ElementRule(elements, *_KEEP, "list_of(result)", _ONE),
    searching.remove: ElementRule(elements, *_REMOVE, _ONE),
    searching.remove_standard: ElementRule(elements, *_REMOVE, _ONE),
    searching.find: ElementRule(elements, "FALSE", "if test:\n result = element\n break", "result", _ONE),
    searching.any_: ElementRule(_of_lists, "FALSE", "result = value\nif result is not FALSE: break"),
    searching.ormap: ElementRule(elements, "FALSE", "result = value\nif result is not FALSE: break", "result", _ONE),
    searching.andmap: ElementRule(elements, "TRUE", "result = value\nif result is FALSE: break", "result", _ONE),
    words.every: ElementRule(None, "[]", _ADD_WORDS, "list_of(result)", _ONE),
    words.keep: ElementRule(None, *_KEEP, "kept_of(source, result)", _ONE),
    words.accumulate: ElementRule(lambda *of: _from_right(*of[:-1], sentence_of(of[-1])), *_FOLD, range(1, 3), -1),
    mapping.reduce_: ElementRule(_from_right, *_FOLD, range(1, 3), -1),
    mapping.reduce_standard: ElementRule(lambda initial, list_: elements(list_) or [initial], *_FOLD, _TWO, -1),
    mapping.reduce_left: ElementRule(lambda initial, list_: elements(list_) or [initial], *_FOLD, _TWO, 0),
    mapping.reduce_right: ElementRule(lambda initial, list_: elements(list_)[::-1] or [initial], *_FOLD, _TWO, -1),
    mapping.fold_left: ElementRule(lambda initial, *lists: [initial, *_of_lists(*lists)], *_FOLD, _MORE, 0),
    mapping.fold_right: ElementRule(lambda initial, *lists: [initial, *_of_lists(*lists)[::-1]], *_FOLD, _MORE, -1),
    mapping.fold: ElementRule(lambda initial, *lists: [initial, *_of_lists(*lists)], *_FOLD, _MORE, -1),
    mapping.foldl: ElementRule(lambda initial, list_: [initial, *elements(list_)], *_FOLD, _TWO, -1),
    mapping.foldr: ElementRule(_from_right, *_FOLD, _TWO, -1),
}
"""The rules by the Python functions of the procedures."""


# ── what the code of loops calls ─────────────────────────────────────────────────────────────────────────────────────
def refusal(procedure: Value, given: Callable[[], Value]) -> Callable[..., NoReturn]:
    """A function that has a procedure refuse arguments, behind one which it may show, and which is made only then."""

    def refuse(*arguments: Value) -> NoReturn:
        procedure(given(), *arguments)
        raise AssertionError("arguments that are not refused")

    return refuse


def iterator(rows: Rows, refuse: Callable[..., NoReturn]) -> Callable[..., Iterator[Any]]:
    """A function that gives the elements in arguments, or refuses them."""

    def elements_in(*arguments: Value) -> Iterator[Any]:
        try:
            return iter(rows(*arguments))
        except (SchemeError, TypeError):
            pass
        refuse(*arguments)

    return elements_in


def add_words(found: list[Value], thing: Value, every: Callable[..., Value]) -> None:
    """Add a word, or the words of a sentence, to others, as `every` does."""
    try:
        words.add_words(found, thing)
    except SchemeError:
        pass
    else:
        return
    refusal(every, lambda: lambda _: thing)(list_of([NIL]))


_REFUSING = add_words, refusal(None, list), iterator(elements, refusal(None, list))
HIDDEN = frozenset(id(function.__code__) for function in _REFUSING)
"""The identities of the codes whose frames are of no interest to anyone."""


def from_turn(element: Value, rest: Value) -> Value:
    """The elements from the one whose turn has begun on."""
    return iter([element, *copied(rest)]) if isinstance(rest, Iterator) else Pair(element, rest)


CONSTANTS: dict[str, Any] = {
    "FALSE": FALSE,
    "TRUE": TRUE,
    "UNSPECIFIED": UNSPECIFIED,
    "Vector": Vector,
    "WORD_TYPES": WORD_TYPES,
    "add_words": add_words,
    "kept_of": words.kept_of,
    "list_of": list_of,
    "next": next,
    "type": type,
}
"""The names in the texts of rules that are not those of a loop's own values."""
