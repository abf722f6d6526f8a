"""Inline templates: Python texts that calls of standard procedures compile to, for operands of certain types.

For operands of other types the library's procedure is called, which also reports what is wrong with them.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from minischeme.compiler.inlining import TABLE, InlineRule, Natural, Operand, use_twice
from minischeme.data.cpython import CONSTANTS
from minischeme.data.values import (
    CHARACTERS,
    FALSE,
    SYMBOLS,
    UNSPECIFIED,
    Char,
    HashTable,
    Pair,
    Record,
    String,
    Symbol,
    Value,
    Vector,
)
from minischeme.expansion import core
from minischeme.primitives.hash_tables import words_key

if TYPE_CHECKING:
    from minischeme.compiler.expressions import ExpressionGenerator as Context

_CONSTANTS = {"CHARACTERS": CHARACTERS, "SYMBOLS": SYMBOLS, "String": String, "Symbol": Symbol, "words_key": words_key}
_CONSTANTS |= {function.__name__: function for function in (chr, len, ord, type)}

_NOT_NEGATIVE = "b >= 0"
_LEAVES = core.Local, core.Global, core.Standard, core.Constant


def _template(names: str, text: str, *types: type, when: str = "", limit: str = "", **kind: bool) -> None:
    """Declare the Python text of a call: an expression, or an assignment where the value is unspecified.

    The operands are called ``a``, ``b`` and ``c``, and ``t`` is a temporary.

    Args:
        types: one for each operand, `object` for any type.
        when: a condition that is tested after the types.
        limit: another one, for an index: not tested if error reports find the values of the first two operands.
        kind: as of `InlineRule`.
    """

    def make(context: Context, operands: list[Operand]) -> ast.expr:
        tested = "" if limit and _are_found(context, operands) else limit
        conditions = [condition for condition in (when, tested) if condition]
        expansion = _Expansion(context, operands, _CONSTANTS)
        return expansion.code(context.standard(names.split()[0]), text, types, conditions, **kind)

    for name in names.split():
        TABLE[name] = InlineRule(make, range(len(types), len(types) + 1), **{"is_test": False, **kind})


_test = partial(_template, is_test=True)


def _are_found(context: Context, operands: list[Operand]) -> bool:
    """Whether error reports find the values of the first two operands: variables that no operand may change."""
    nodes = [operand.node for operand in operands]
    if not all(isinstance(node, _LEAVES) for node in nodes[:2]):
        return False
    if not any(
        isinstance(node, core.Global) or (isinstance(node, core.Local) and node.variable in context.facts.boxed)
        for node in nodes[:2]
    ):
        return True
    return all(
        isinstance(part, _LEAVES) or (isinstance(part, core.Call) and context.calls.inline_rule(part) is not None)
        for node in nodes
        for part in core.nodes(node)
    )


def record_rule(procedure: Value) -> InlineRule:
    """The rule for calls of a procedure of a record type, by the template that it has."""
    record_type, text, count, conditions = procedure.inline
    is_test = not conditions

    def make(context: Context, operands: list[Operand]) -> ast.expr:
        expansion = _Expansion(context, operands, {"RECORD_TYPE": record_type})
        return expansion.code(procedure, text, (Record, object)[:count], conditions, is_test=is_test)

    return InlineRule(make, range(count, count + 1), is_test)


@cache
def _parsed(text: str) -> ast.expr | ast.stmt:
    (statement,) = ast.parse(text).body
    return statement.value if isinstance(statement, ast.Expr) else statement


class _Expansion:
    """The expansion of a template for the operands of a call; `constants` are the values of other names in it."""

    def __init__(self, context: Context, operands: list[Operand], constants: Mapping[str, Value]) -> None:
        self._context = context
        self._build = context.build
        codes = [operand.code for operand in operands]
        if all(map(context.never_changes, codes[1:])):
            self._tested = list(codes)
            self._tested[0], codes[0] = use_twice(context, codes[0])
        else:
            self._tested = codes = [code if context.never_changes(code) else context.in_local(code) for code in codes]
        self._operands = operands
        self._codes = codes
        self._names: dict[str, ast.expr] = dict(zip("abc", codes, strict=False))
        self._constants = constants

    def code(
        self, procedure: Value, text: str, types: tuple[type, ...], conditions: Sequence[str], **kind: bool
    ) -> ast.expr:
        """The code of a call of a procedure; statements are emitted for an assignment."""
        build = self._build
        tests = [
            build.has_type(tested, type_)
            for operand, tested, type_ in zip(self._operands, self._tested, types, strict=True)
            if type_ is not object and not (self._is_read(tested) and self._context.calls.has_type(operand.node, type_))
        ]
        is_natural = len(self._operands) > 1 and self._context.calls.has_type(self._operands[1].node, Natural)
        tests += [self._filled(_parsed(each)) for each in conditions if not (is_natural and each == _NOT_NEGATIVE)]
        fast, general = self._filled(_parsed(text)), build.call_constant(procedure, *self._codes)
        if isinstance(fast, ast.stmt):
            self._context.either_statement(tests, fast, build.expression(general))
            return build.constant(UNSPECIFIED)
        if kind.get("is_test"):
            general = build.is_not(general, FALSE)
        return build.conditional(build.both(*tests), fast, general) if tests else fast

    def _is_read(self, code: ast.expr) -> bool:
        """Whether code only reads a value that is computed already, so that it may be left out."""
        return isinstance(code, (ast.Name, *CONSTANTS))

    def _filled(self, part: Any) -> Any:
        """A part of a template with the operands and constants for their names."""
        return self._build.filled(part, self._named)

    def _named(self, name: str) -> ast.expr:
        if name == "t" and "t" not in self._names:
            self._names["t"] = self._build.name(self._context.temporary())
        found = self._names.get(name)
        return self._build.constant(self._constants[name]) if found is None else found


# ── characters ───────────────────────────────────────────────────────────────────────────────────────────────────────
_template("char->integer", "ord(a.char)", Char, is_number=True)
_template("integer->char", "CHARACTERS[chr(a)]", int, when="0 <= a < 0xD800")
_template("char-upcase", "CHARACTERS[t] if len((t := a.char.upper())) == 1 else a", Char)
_template("char-downcase", "CHARACTERS[t] if len((t := a.char.lower())) == 1 else a", Char)
_test("char-alphabetic?", "a.char.isalpha()", Char)
_test("char-numeric?", "a.char.isdecimal()", Char)
_test("char-whitespace?", "a.char.isspace() and not 28 <= ord(a.char) < 32", Char)
_test("char-upper-case?", "a.char.isupper()", Char)
_test("char-lower-case?", "a.char.islower()", Char)
_test("char=?", "a is b", Char, Char)

# ── strings ──────────────────────────────────────────────────────────────────────────────────────────────────────────
_template("string-length", "len(a.text)", String, is_number=True)
_template("string-ref", "CHARACTERS[a.text[b]]", String, int, when="0 <= b < len(a.text)")
_template("string-append", "String(a.text + b.text)", String, String)
_template("substring", "String(a.text[b:c])", String, int, int, when="0 <= b <= c <= len(a.text)")
_template("symbol->string", "String(a.name)", Symbol)
_template("string->symbol", "SYMBOLS[a.text]", String)
_test("string=?", "a.text == b.text", String, String)

# ── pairs and vectors ────────────────────────────────────────────────────────────────────────────────────────────────
_template("set-car!", "a.car = b", Pair, object)
_template("set-cdr!", "a.cdr = b", Pair, object)
_template("vector-length", "len(a)", Vector, is_number=True)
_template("vector-ref", "a[b]", Vector, int, when=_NOT_NEGATIVE, limit="b < len(a)")
_template("vector-set!", "a[b] = c", Vector, int, object, when=_NOT_NEGATIVE, limit="b < len(a)")

# ── hash tables ──────────────────────────────────────────────────────────────────────────────────────────────────────
_ENTRIES = "a.entries{0}b.folded if type(b) is Symbol and a.key_of is words_key else a.key_of(b){1}"
_FOUND = _ENTRIES.format(".get(", ")")
_template("hash-table-ref/default hash-table/get", f"c if (t := {_FOUND}) is None else t[1]", HashTable, object, object)
_STORED = _ENTRIES.format("[", "]")
_template("hash-table-set! hash-table/put! hash-table-put!", f"{_STORED} = b, c", HashTable, object, object)

for _suffix, _operator in (("<?", "<"), (">?", ">"), ("<=?", "<="), (">=?", ">=")):
    _test(f"char{_suffix}", f"a.char {_operator} b.char", Char, Char)
    _test(f"string{_suffix}", f"a.text {_operator} b.text", String, String)

RULES = TABLE
"""All inline rules by the names of procedures: these templates, and the rules of `inlining`."""
