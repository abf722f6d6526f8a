"""The inline rules: templates, one line each, and functions where the text depends on the operands.

A function goes from the operands of a call to its code.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from itertools import product
from typing import TYPE_CHECKING

from minischeme.compiler.inlining import (
    DIVISOR,
    NATURAL,
    OPERANDS,
    POSITIVE,
    REAL,
    InlineRule,
    Maker,
    Operand,
    OperandType,
    Template,
    use_twice,
)
from minischeme.compiler.survey import called_name
from minischeme.data import values
from minischeme.data.rationals import NUMBER_TYPES
from minischeme.data.values import CHARACTERS, NIL, SYMBOLS, Char, HashTable, Pair, String, Symbol, Vector
from minischeme.expansion import core
from minischeme.primitives.hash_tables import words_key
from minischeme.primitives.kinds import WORD_TYPES

if TYPE_CHECKING:
    from minischeme.compiler.expressions import ExpressionGenerator as Context

TABLE: dict[str, dict[int, InlineRule]] = {}
"""The rules by the names of procedures and the numbers of operands."""

UNIQUE_TYPES = (Symbol, values.Boolean, values.EmptyList, Char, values.Unspecified)
"""The types whose values are equal to nothing but themselves."""

_CONSTANTS = {
    "CHARACTERS": CHARACTERS,
    "EOF": values.EOF,
    "FALSE": values.FALSE,
    "FLOAT_OR_STRING": frozenset({float, String}),
    "INT_OR_STRING": frozenset({int, String}),
    "NIL": NIL,
    "NUMBER_OR_STRING": NUMBER_TYPES | {String},
    "NUMBER_TYPES": NUMBER_TYPES,
    "Procedure": values.Procedure,
    "SYMBOLS": SYMBOLS,
    "WORD_TYPES": WORD_TYPES,
    "words_key": words_key,
}
_CONSTANTS |= {each.__name__: each for each in (values.Boolean, Char, Pair, String, Symbol, Vector)}
_CONSTANTS |= {each.__name__: each for each in (abs, chr, float, int, len, ord, type)}


def _rule(names: str, count: int, **kind: bool) -> Callable[[Maker], Maker]:
    """Make a function the rule for calls with so many operands; `kind` as of `InlineRule`."""

    def register(make: Maker) -> Maker:
        for name in names.split():
            TABLE.setdefault(name, {})[count] = InlineRule(make, **kind)
        return make

    return register


def _template(
    names: str, text: str, *types: OperandType, count: int = 1, when: str = "", limit: str = "", **kind: bool
) -> None:
    """Make a text the rule for calls.

    Args:
        types: one for each operand, `object` for any type.
        count: the number of operands of a text without types.
        when: a condition that is tested after the types.
        limit: another one, for an index: not tested if error reports find the values of the first two operands.
        kind: as of `InlineRule`.
    """
    short = Template(text, types, [when] if when else [], _CONSTANTS, kind.get("is_test", False))
    limited = Template(text, types, [*short.conditions, limit], _CONSTANTS) if limit else short

    def make(context: Context, operands: list[Operand]) -> ast.expr:
        template = short if limit and _are_found(context, operands) else limited
        return template.code(context, operands, context.standard(names.split()[0]))

    _rule(names, len(types) or count, **kind)(make)


_number = partial(_template, is_number=True)
_test = partial(_template, is_test=True)

_LEAVES = core.Local, core.Global, core.Standard, core.Constant


def _are_found(context: Context, operands: list[Operand]) -> bool:
    """Whether error reports find the values of the first two operands, which no operand may change."""
    nodes = [operand.node for operand in operands]
    if not all(_is_found(context, node) for node in nodes[:2]):
        return False
    if not any(_may_change(context, node) for node in nodes[:2]):
        return True
    return all(isinstance(part, _LEAVES) or _is_read(context, part) for node in nodes for part in core.nodes(node))


def _is_found(context: Context, node: core.Node) -> bool:
    """Whether an expression is a variable, or a number or an element of a vector that is computed of such."""
    if not isinstance(node, core.Call):
        return isinstance(node, _LEAVES)
    rule = context.calls.inline_rule(node)
    is_pure = rule is not None and (rule.is_number or called_name(node.operator) == "vector-ref")
    return is_pure and all(_is_found(context, operand) for operand in node.operands)


def _may_change(context: Context, node: core.Node) -> bool:
    if isinstance(node, core.Call):
        is_element = called_name(node.operator) == "vector-ref"
        return is_element or any(_may_change(context, operand) for operand in node.operands)
    return isinstance(node, core.Global) or (isinstance(node, core.Local) and node.variable in context.facts.boxed)


def _is_read(context: Context, node: core.Node) -> bool:
    """Whether an expression is an inline call that changes nothing."""
    if not isinstance(node, core.Call) or context.calls.inline_rule(node) is None:
        return False
    return not str(called_name(node.operator)).endswith("!")


# ── arithmetic ───────────────────────────────────────────────────────────────────────────────────────────────────────
for _count in range(2, 9):
    for _operator in "+-*":
        _number(_operator, f" {_operator} ".join(OPERANDS[:_count]), count=_count)
_number("-", "0 - a", int)
_number("1+", "a + 1")
_number("-1+ 1-", "a - 1")
_number("abs", "abs(a)", REAL)
_number("modulo", "a % b", int, POSITIVE)
_number("remainder", "a % b", NATURAL, POSITIVE)
_number("quotient", "a // b", NATURAL, POSITIVE)
_number("/", "a / b", float, DIVISOR)  # the library makes exact ratios
_test("odd?", "a & 1", int)
_test("even?", "not a & 1", int)
_test("positive?", "a > 0")
_test("negative?", "a < 0")
for _operator in ("<", ">", "<=", ">="):
    _test(_operator, f"a {_operator} b", count=2)
    _test(f"char{_operator}?", f"a.char {_operator} b.char", Char, Char)
    _test(f"string{_operator}?", f"a.text {_operator} b.text", String, String)


@_rule("=", 2, is_test=True)
def _equals(context: Context, operands: list[Operand]) -> ast.expr:
    """Code for numeric equality. Python's ``==`` raises no error, so unless both are numbers, their order is tested
    both ways, the one that usually fails first: a variable counts down to zero or a difference, and up to the rest.
    What usually needs no second look is read again, not stored: a part of a local's pair, if no call can change it."""
    build = context.build
    left, right = operands
    if context.calls.has_type(left.node, REAL) and context.calls.has_type(right.node, REAL):
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


@_rule("zero?", 1, is_test=True)
def _is_zero(context: Context, operands: list[Operand]) -> ast.expr:
    return _equals(context, [*operands, Operand(core.Constant(None, 0), context.build.constant(0))])


# ── predicates ───────────────────────────────────────────────────────────────────────────────────────────────────────
_test("null?", "a is NIL")
_test("not", "a is FALSE")
_test("eof-object?", "a is EOF")
for _type in ("Pair", "Symbol", "String", "Vector", "Char", "Boolean", "Procedure"):
    _test(f"{_type.lower()}?", f"type(a) is {_type}")
_test("word?", "type(a) in WORD_TYPES")
_test("number?", "type(a) in NUMBER_TYPES or type(a) is String and general")
_test("integer?", "type(a) is int or type(a) in FLOAT_OR_STRING and general")
_test("list?", "a is NIL or type(a) is Pair and general")
_test("sentence?", "a is NIL or type(a) is Pair and general")
_test("empty?", "a is NIL or type(a) is String and not a.text")


def _is_constant(operand: Operand, *types: type) -> bool:
    return isinstance(operand.node, core.Constant) and isinstance(operand.node.value, types)


def _identity(name: str, kinds: str) -> None:
    """Rules for `eq?` and `eqv?`: the library compares only objects of kinds that have equal ones."""

    @_rule(name, 2, is_test=True)
    def make(context: Context, operands: list[Operand]) -> ast.expr:
        text = f"a is b or type(a) in {kinds} and general"
        if any(_is_constant(operand, *UNIQUE_TYPES) for operand in operands):
            text = "a is b"
        elif _is_constant(operands[1], int):
            text = "type(a) is int and a == b"
        return Template(text, (), (), _CONSTANTS, True).code(context, operands, context.standard(name))


_identity("eq?", "INT_OR_STRING")
_identity("eqv?", "NUMBER_OR_STRING")


@_rule("equal?", 2, is_test=True)
def _is_equal(context: Context, operands: list[Operand]) -> ast.expr:
    """Code that compares ints and symbols, which may be written in another case; the library compares the rest."""
    procedure = context.standard("equal?")
    folds = "berkeley" in procedure.primitive.dialects
    same_symbol = "a.folded == b.folded" if folds else "a is b"
    text = f"{same_symbol} if type(a) is Symbol and type(b) is Symbol else general"
    if _is_constant(operands[1], Symbol):
        text = f"{same_symbol} if type(a) is Symbol else type(a) is String and general" if folds else ""
    else:
        text = f"a == b if type(a) is int and type(b) is int else {text}"
    text = f"a is b or ({text})" if text else "a is b"
    return Template(text, (), (), _CONSTANTS, True).code(context, operands, procedure)


# ── pairs, words, vectors ────────────────────────────────────────────────────────────────────────────────────────────
_template("cons", "Pair(a, b)", count=2)
for _count in range(1, 9):
    _template("list", "".join(f"Pair({letter}, " for letter in OPERANDS[:_count]) + "NIL" + _count * ")", count=_count)
for _length in (1, 2, 3, 4):
    for _path in map("".join, product("ad", repeat=_length)):
        _template(f"c{_path}r", "a" + "".join(f".c{step}r" for step in reversed(_path)))
_template("set-car!", "a.car = b", Pair, object)
_template("set-cdr!", "a.cdr = b", Pair, object)
_template("first", "a.car", Pair)
_template("butfirst bf", "a.cdr", Pair)


@_rule("sentence se", 2)
def _sentence(context: Context, operands: list[Operand]) -> ast.expr:
    """Code that puts a word in front of the sentence that was made last, which it shares; the library does the rest."""
    build = context.build
    codes = [operand.code for operand in operands]
    front, rest = [code if context.never_changes(code) else context.in_local(code) for code in codes]
    procedure = context.standard("%sentence")
    sentences = build.constant(procedure.__kwdefaults__["sentences"])
    is_last = build.compare(rest, ast.Is(), build.attribute(sentences, "last"))
    is_word = build.compare(build.call_constant(type, front), ast.In(), build.constant(WORD_TYPES))
    is_shared = build.both(is_last, is_word)
    general = build.call_constant(procedure, front, rest)
    sharing: list[ast.stmt] = []
    made = context.merge(is_shared, (sharing, build.call_constant(Pair, front, rest)), ([], general))
    sharing.append(build.store_attribute(sentences, "last", made))
    return made


_number("vector-length", "len(a)", Vector)
_template("vector-ref", "a[b]", Vector, NATURAL, limit="b < len(a)")
_template("vector-set!", "a[b] = c", Vector, NATURAL, object, limit="b < len(a)")

# ── characters and strings ───────────────────────────────────────────────────────────────────────────────────────────
_number("char->integer", "ord(a.char)", Char)
_template("integer->char", "CHARACTERS[chr(a)]", int, when="0 <= a < 0xD800")
_template("char-upcase", "CHARACTERS[t] if len((t := a.char.upper())) == 1 else a", Char)
_template("char-downcase", "CHARACTERS[t] if len((t := a.char.lower())) == 1 else a", Char)
_test("char-alphabetic?", "a.char.isalpha()", Char)
_test("char-numeric?", "a.char.isdecimal()", Char)
_test("char-whitespace?", "a.char.isspace() and not 28 <= ord(a.char) < 32", Char)
_test("char-upper-case?", "a.char.isupper()", Char)
_test("char-lower-case?", "a.char.islower()", Char)
_test("char=?", "a is b", Char, Char)
_test("string=?", "a.text == b.text", String, String)
_number("string-length", "len(a.text)", String)
_template("string-ref", "CHARACTERS[a.text[b]]", String, int, when="0 <= b < len(a.text)")
_template("string-append", "String(a.text + b.text)", String, String)
_template("substring", "String(a.text[b:c])", String, int, int, when="0 <= b <= c <= len(a.text)")
_template("symbol->string", "String(a.name)", Symbol)
_template("string->symbol", "SYMBOLS[a.text]", String)

# ── hash tables ──────────────────────────────────────────────────────────────────────────────────────────────────────
_ENTRIES = "a.entries{0}b.folded if type(b) is Symbol and a.key_of is words_key else a.key_of(b){1}"
_FOUND = _ENTRIES.format(".get(", ")")
_template("hash-table-ref/default hash-table/get", f"c if (t := {_FOUND}) is None else t[1]", HashTable, object, object)
_STORED = _ENTRIES.format("[", "]")
_template("hash-table-set! hash-table/put! hash-table-put!", f"{_STORED} = b, c", HashTable, object, object)
