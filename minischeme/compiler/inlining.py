"""Inlined primitives: calls of standard procedures compiled to plain Python operators and attribute reads.

Each rule is one decorated function from the code of the operands to the code of the call, whose value is a Python truth
value if the rule is for tests. A rule holds only while the program does not rebind the name
(`CallFacts`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial, reduce
from itertools import product
from typing import TYPE_CHECKING

import msgspec

from minischeme.data import values
from minischeme.data.cpython import CONSTANTS
from minischeme.data.rationals import NUMBER_TYPES
from minischeme.expansion import core
from minischeme.expansion.core import Node
from minischeme.primitives.kinds import WORD_TYPES

if TYPE_CHECKING:
    from minischeme.compiler.builder import Builder
    from minischeme.compiler.expressions import ExpressionGenerator as Context


class Operand(msgspec.Struct, frozen=True, eq=False):
    """An operand as core and as code."""

    node: Node
    code: ast.expr


class Natural:
    """The exact integers that are not negative, as a type of values."""


Maker = Callable[["Context", list[Operand]], ast.expr]


class InlineRule(msgspec.Struct, frozen=True, eq=False):
    """A rule that compiles calls inline.

    `make` makes the code from the operands, `counts` are the numbers of operands that it applies to, `is_test` tells
    whether the code is a Python truth value, and `is_number` whether the value, if there is one, is always a number.
    """

    make: Maker
    counts: range
    is_test: bool
    is_number: bool = False


TABLE: dict[str, InlineRule] = {}


def _value(*names: str, counts: range, is_test: bool = False, is_number: bool = False) -> Callable[[Maker], Maker]:
    def register(make: Maker) -> Maker:
        TABLE.update(dict.fromkeys(names, InlineRule(make, counts, is_test, is_number)))
        return make

    return register


_test = partial(_value, is_test=True)


ONE = range(1, 2)
TWO = range(2, 3)


_EXACT_IN_FLOATS = 1 << 53


def use_twice(context: Context, code: ast.expr) -> tuple[ast.expr, ast.expr]:
    """Code for the first and for a second use of a value that is computed once."""
    if isinstance(code, (ast.Name, *CONSTANTS)):
        return code, code
    code, name = context.stored(code)
    return code, context.build.name(name)


def general_test(context: Context, name: str, *operands: ast.expr) -> ast.expr:
    """Code for a test by the library's procedure."""
    return context.build.is_not(context.standard_call(name, *operands), values.FALSE)


def _for_type(
    name: str,
    kind: type,
    fast: Callable[[Builder, ast.expr], ast.expr],
    general: Callable[[Context, str, ast.expr], ast.expr] | None = None,
) -> Maker:
    """A rule for one operand: code for values of a type, and the library's procedure for any other."""

    def make(context: Context, operands: list[Operand]) -> ast.expr:
        if context.calls.has_type(operands[0].node, kind):
            return fast(context.build, operands[0].code)
        first, second = use_twice(context, operands[0].code)
        build, is_of_type = context.build, context.build.has_type(first, kind)
        other = context.standard_call(name, second) if general is None else general(context, name, second)
        return build.conditional(is_of_type, fast(build, second), other)

    return make


# ── arithmetic ───────────────────────────────────────────────────────────────────────────────────────────────────────


def _fold(operator: ast.operator, *last: int) -> Maker:
    """A rule for an operator between all operands, and a constant behind them."""

    def make(context: Context, operands: list[Operand]) -> ast.expr:
        codes = [*(operand.code for operand in operands), *map(context.build.constant, last)]
        return reduce(lambda result, code: context.build.binary(result, operator, code), codes)

    return make


for _name, _operator in (("+", ast.Add()), ("*", ast.Mult())):
    _value(_name, counts=range(2, 9), is_number=True)(_fold(_operator))


@_value("-", counts=range(1, 9), is_number=True)
def _difference(context: Context, operands: list[Operand]) -> ast.expr:
    if len(operands) > 1:
        return _fold(ast.Sub())(context, operands)
    negate = _for_type("-", int, lambda build, code: build.binary(build.constant(0), ast.Sub(), code))
    return negate(context, operands)


_value("1+", counts=ONE, is_number=True)(_fold(ast.Add(), 1))
_value("-1+", "1-", counts=ONE, is_number=True)(_fold(ast.Sub(), 1))


def _comparison(operator: ast.cmpop, *last: int) -> Maker:
    """A rule for a comparison of two operands, or of one with a constant."""

    def make(context: Context, operands: list[Operand]) -> ast.expr:
        left, right = [*(operand.code for operand in operands), *map(context.build.constant, last)]
        return context.build.compare(left, operator, right)

    return make


for _name, _comparator in (("<", ast.Lt()), (">", ast.Gt()), ("<=", ast.LtE()), (">=", ast.GtE())):
    _test(_name, counts=TWO)(_comparison(_comparator))
_test("positive?", counts=ONE)(_comparison(ast.Gt(), 0))
_test("negative?", counts=ONE)(_comparison(ast.Lt(), 0))


@_test("=", counts=TWO)
def _equals(context: Context, operands: list[Operand]) -> ast.expr:
    """Code for numeric equality. Python's ``==`` raises no error, so unless both are numbers, their order is tested
    both ways, the one that usually fails first: a variable counts down to zero or a difference, and up to the rest.
    What usually needs no second look is read again, not stored: a part of a local's pair, if no call can change it."""
    build = context.build
    left, right = operands
    if context.calls.is_number(left.node) and context.calls.is_number(right.node):
        return build.compare(left.code, ast.Eq(), right.code)
    first_right, second_right = use_twice(context, right.code)
    is_read = isinstance(left.code, ast.Attribute) and isinstance(left.code.value, ast.Name)
    if is_read and not any(isinstance(part, ast.Call) for part in ast.walk(right.code)):
        first_left, second_left = left.code, left.code
    else:
        first_left, second_left = use_twice(context, left.code)
    is_difference = isinstance(right.code, ast.BinOp) and isinstance(right.code.op, ast.Sub)
    down = is_difference or (isinstance(right.node, core.Constant) and right.node.value == 0)
    first, second = (ast.LtE(), ast.GtE()) if down else (ast.GtE(), ast.LtE())
    before = build.where  # `rationals.asks_for_equality` recognizes a text that seems to end on the next line
    build.where = {**before, "end_lineno": before["lineno"] + 1}
    code = build.both(build.compare(first_left, first, first_right), build.compare(second_left, second, second_right))
    build.where = before
    return code


@_test("zero?", counts=ONE)
def _is_zero(context: Context, operands: list[Operand]) -> ast.expr:
    zero = context.build.constant(0)
    return _equals(context, [operands[0], Operand(core.Constant(None, 0), zero)])


@_value("abs", counts=ONE, is_number=True)
def _absolute(context: Context, operands: list[Operand]) -> ast.expr:
    build = context.build
    if context.calls.is_number(operands[0].node):
        return build.call_constant(abs, operands[0].code)
    return _for_type("abs", int, lambda build, code: build.call_constant(abs, code))(context, operands)


def _parity(build: Builder, code: ast.expr) -> ast.expr:
    return build.binary(code, ast.BitAnd(), build.constant(1))


_test("odd?", counts=ONE)(_for_type("odd?", int, _parity, general_test))
_test("even?", counts=ONE)(_for_type("even?", int, lambda *of: of[0].negation(_parity(*of)), general_test))


def _division(name: str, operator: ast.operator, *, needs_positive: bool) -> Maker:
    """A rule for the division of ints by a positive constant or variable; the library divides anything else."""

    def make(context: Context, operands: list[Operand]) -> ast.expr:
        build = context.build
        dividend, divisor = (operand.code for operand in operands)
        is_literal = isinstance(divisor, ast.Constant) and type(divisor.value) is int and divisor.value > 0
        if is_literal and context.calls.has_type(operands[0].node, Natural if needs_positive else int):
            return build.binary(dividend, operator, divisor)
        if not (is_literal or isinstance(divisor, ast.Name)):
            return context.standard_call(name, dividend, divisor)
        first, second = use_twice(context, dividend)
        tests = [build.has_type(first, int)]
        if needs_positive:
            tests.append(build.compare(second, ast.GtE(), build.constant(0)))
        if not is_literal:
            tests += build.has_type(divisor, int), build.compare(divisor, ast.Gt(), build.constant(0))
        fast = build.binary(second, operator, divisor)
        return build.conditional(build.both(*tests), fast, context.standard_call(name, second, divisor))

    return make


_value("modulo", counts=TWO, is_number=True)(_division("modulo", ast.Mod(), needs_positive=False))
_value("remainder", counts=TWO, is_number=True)(_division("remainder", ast.Mod(), needs_positive=True))
_value("quotient", counts=TWO, is_number=True)(_division("quotient", ast.FloorDiv(), needs_positive=True))


@_value("/", counts=TWO, is_number=True)
def _ratio(context: Context, operands: list[Operand]) -> ast.expr:
    """Code that divides floats by floats and constants; the library makes exact ratios, and complains."""
    build = context.build
    divisor = operands[1].node
    value = divisor.value if isinstance(divisor, core.Constant) else None
    if isinstance(value, int | float) and 0 < abs(value) < _EXACT_IN_FLOATS:
        first, dividend = use_twice(context, operands[0].code)
        tests, by = [build.has_type(first, float)], operands[1].code
    else:
        codes = [operand.code for operand in operands]
        dividend, by = [code if context.never_changes(code) else context.in_local(code) for code in codes]
        tests = [build.has_type(dividend, float), build.has_type(by, float), by]
    return build.conditional(
        build.both(*tests), build.binary(dividend, ast.Div(), by), context.standard_call("/", dividend, by)
    )


# ── pairs, words, vectors ────────────────────────────────────────────────────────────────────────────────────────────


@_value("cons", counts=TWO)
def _cons(context: Context, operands: list[Operand]) -> ast.expr:
    return context.build.call_constant(values.Pair, operands[0].code, operands[1].code)


@_value("list", counts=range(1, 9))
def _list(context: Context, operands: list[Operand]) -> ast.expr:
    code = context.build.constant(values.NIL)
    for operand in reversed(operands):
        code = context.build.call_constant(values.Pair, operand.code, code)
    return code


def _accessor(path: str) -> Maker:
    def make(context: Context, operands: list[Operand]) -> ast.expr:
        code = operands[0].code
        for step in reversed(path):
            code = context.build.attribute(code, "car" if step == "a" else "cdr")
        return code

    return make


for _length in (1, 2, 3, 4):
    for _path in map("".join, product("ad", repeat=_length)):
        _value(f"c{_path}r", counts=ONE)(_accessor(_path))


# Of a sentence, by the library of a word.
_value("first", counts=ONE)(_for_type("first", values.Pair, lambda build, code: build.attribute(code, "car")))
_value("bf", "butfirst", counts=ONE)(_for_type("bf", values.Pair, lambda build, code: build.attribute(code, "cdr")))


@_value("se", "sentence", counts=TWO)
def _sentence(context: Context, operands: list[Operand]) -> ast.expr:
    """Code that puts a word in front of the sentence that was made last, which it shares; the library does the rest."""
    build = context.build
    codes = [operand.code for operand in operands]
    front, rest = [code if context.never_changes(code) else context.in_local(code) for code in codes]
    sentences = build.constant(context.standard("%sentence").__kwdefaults__["sentences"])
    is_last = build.compare(rest, ast.Is(), build.attribute(sentences, "last"))
    is_shared = build.both(is_last, build.has_type_among(front, WORD_TYPES))
    general = context.standard_call("%sentence", front, rest)
    sharing: list[ast.stmt] = []
    made = context.merge(is_shared, (sharing, build.call_constant(values.Pair, front, rest)), ([], general))
    sharing.append(build.store_attribute(sentences, "last", made))
    return made


@_test("empty?", counts=ONE)
def _is_empty(context: Context, operands: list[Operand]) -> ast.expr:
    build = context.build
    first, second = use_twice(context, operands[0].code)
    is_empty_word = build.negation(build.attribute(second, "text"))
    return build.either(build.is_(first, values.NIL), build.both(build.has_type(second, values.String), is_empty_word))


# ── predicates ───────────────────────────────────────────────────────────────────────────────────────────────────────


def _is_object(value: values.Value) -> Maker:
    return lambda context, operands: context.build.is_(operands[0].code, value)


_test("null?", counts=ONE)(_is_object(values.NIL))
_test("not", counts=ONE)(_is_object(values.FALSE))
_test("eof-object?", counts=ONE)(_is_object(values.EOF))


def _type_test(*kinds: type) -> Maker:
    return lambda context, operands: context.build.has_type_among(operands[0].code, frozenset(kinds))


for _name, _kind in (
    ("pair?", values.Pair),
    ("symbol?", values.Symbol),
    ("string?", values.String),
    ("vector?", values.Vector),
    ("char?", values.Char),
    ("boolean?", values.Boolean),
    ("procedure?", values.Procedure),
):
    _test(_name, counts=ONE)(_type_test(_kind))
_test("word?", counts=ONE)(_type_test(*WORD_TYPES))


def _unless_among(name: str, is_sure: Callable[[Builder, ast.expr], ast.expr], kinds: frozenset[type]) -> None:
    """A rule for a test that holds where `is_sure` does; the library decides on other values of some types."""

    def make(context: Context, operands: list[Operand]) -> ast.expr:
        first, second = use_twice(context, operands[0].code)
        may_be = context.build.has_type_among(second, kinds), general_test(context, name, second)
        return context.build.either(is_sure(context.build, first), context.build.both(*may_be))

    _test(name, counts=ONE)(make)


_unless_among("number?", lambda build, code: build.has_type_among(code, NUMBER_TYPES), frozenset({values.String}))
_unless_among("integer?", lambda build, code: build.has_type(code, int), frozenset({values.String, float}))
for _name in ("list?", "sentence?"):
    _unless_among(_name, lambda build, code: build.is_(code, values.NIL), frozenset({values.Pair}))


UNIQUE_TYPES = (values.Symbol, values.Boolean, values.EmptyList, values.Char, values.Unspecified)


def _is_unique(node: Node) -> bool:
    """Whether an expression is a constant that is the only object of its kind equal to it."""
    return isinstance(node, core.Constant) and isinstance(node.value, UNIQUE_TYPES)


def _identity(name: str, kinds: frozenset[type]) -> Maker:
    """A rule for `eq?` and `eqv?`: by type and value for an integer constant, otherwise by identity, and by the library
    if that fails for a value of the kinds that have equal objects."""

    def make(context: Context, operands: list[Operand]) -> ast.expr:
        build = context.build
        left, right = operands
        if _is_unique(left.node) or _is_unique(right.node):
            return build.compare(left.code, ast.Is(), right.code)
        if isinstance(right.node, core.Constant) and type(right.node.value) is int:
            first, second = use_twice(context, left.code)
            return build.both(build.has_type(first, int), build.compare(second, ast.Eq(), right.code))
        first_left, second_left = use_twice(context, left.code)
        first_right, second_right = use_twice(context, right.code)
        is_same = build.compare(first_left, ast.Is(), first_right)
        general = general_test(context, name, second_left, second_right)
        return build.either(is_same, build.both(build.has_type_among(second_left, kinds), general))

    return make


_test("eq?", counts=TWO)(_identity("eq?", frozenset({int, values.String})))
_test("eqv?", counts=TWO)(_identity("eqv?", NUMBER_TYPES | {values.String}))


@_test("equal?", counts=TWO)
def _is_equal(context: Context, operands: list[Operand]) -> ast.expr:
    """Code that compares ints and symbols; the library compares anything else that differs."""
    build = context.build
    left, right = operands
    folds = "berkeley" in context.standard("equal?").primitive.dialects
    first_left, second_left = use_twice(context, left.code)
    first_right, second_right = use_twice(context, right.code)
    is_same = build.compare(first_left, ast.Is(), first_right)
    is_alike = build.literal(False)
    if folds:
        folded = [build.attribute(code, "folded") for code in (second_left, second_right)]
        is_alike = build.compare(folded[0], ast.Eq(), folded[1])
    general = general_test(context, "equal?", second_left, second_right)
    if isinstance(right.node, core.Constant) and type(right.node.value) is values.Symbol:
        if not folds:
            return is_same
        otherwise = build.both(build.has_type(second_left, values.String), general)
        return build.either(is_same, build.conditional(build.has_type(second_left, values.Symbol), is_alike, otherwise))
    for kind, code in ((values.Symbol, is_alike), (int, build.compare(second_left, ast.Eq(), second_right))):
        are_of_kind = build.both(build.has_type(second_left, kind), build.has_type(second_right, kind))
        general = build.conditional(are_of_kind, code, general)
    return build.either(is_same, general)


def constant_truth(node: Node) -> bool | None:
    """The truth of a constant expression; None if the expression is not constant."""
    if isinstance(node, core.Constant):
        return node.value is not values.FALSE
    return None
