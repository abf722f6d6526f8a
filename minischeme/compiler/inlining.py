"""Inline rules: what calls of standard procedures compile to, in place of calls.

Most are templates: Python's text for operands of certain types. For operands of other types the library's procedure is
called, which also reports what is wrong with them. A rule holds only while the program does not rebind the name
(`CallFacts`); `templates` has them all.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from minischeme.data.cpython import CONSTANTS
from minischeme.data.values import FALSE, UNSPECIFIED, Record, Value
from minischeme.expansion.core import Node

if TYPE_CHECKING:
    from minischeme.compiler.expressions import ExpressionGenerator as Context


class Subtype(msgspec.Struct, frozen=True, eq=False):
    """A part of the values of a type: a further condition, a text with ``x`` for the value, and the test of constants,
    which may hold for more."""

    base: type
    condition: str
    holds: Callable[[Value], bool]


NATURAL = Subtype(int, "x >= 0", lambda value: type(value) is int and value >= 0)
POSITIVE = Subtype(int, "x > 0", lambda value: type(value) is int and value > 0)
REAL = Subtype(int, "", lambda value: type(value) is int or type(value) is float)
"""All numbers, where they are known at compile time, and otherwise ints."""
_EXACT_IN_FLOATS = 1 << 53
DIVISOR = Subtype(float, "x", lambda value: REAL.holds(value) and 0 < abs(value) < _EXACT_IN_FLOATS)
"""The numbers that a float can be divided by in floats: constants, and otherwise floats."""

OperandType: TypeAlias = type | Subtype


class Operand(msgspec.Struct, frozen=True, eq=False):
    """An operand as core and as code."""

    node: Node
    code: ast.expr


Maker: TypeAlias = Callable[["Context", list[Operand]], ast.expr]


class InlineRule(msgspec.Struct, frozen=True, eq=False):
    """A rule that compiles calls inline.

    `make` makes the code from the operands. `is_test` tells whether the code is a Python truth value, and `is_number`
    whether the value, if there is one, is always a number.
    """

    make: Maker
    is_test: bool = False
    is_number: bool = False


def use_twice(context: Context, code: ast.expr) -> tuple[ast.expr, ast.expr]:
    """Code for the first and for a second use of a value that is computed once."""
    if isinstance(code, (ast.Name, *CONSTANTS)):
        return code, code
    code, name = context.stored(code)
    return code, context.build.name(name)


# ── templates ────────────────────────────────────────────────────────────────────────────────────────────────────────


class Template(msgspec.Struct, frozen=True, eq=False):
    """Python's text for calls: an expression, or an assignment where the value is unspecified.

    The operands are called ``a``, ``b`` and so on, ``t`` is a temporary, and ``general`` is the library's answer. A
    text without `types` begins with all operands, in their order. The `conditions` are tested after the types, and the
    `constants` are the values of other names.
    """

    text: str
    types: Sequence[OperandType] = ()
    conditions: Sequence[str] = ()
    constants: Mapping[str, Value] = {}
    is_test: bool = False

    def code(self, context: Context, operands: list[Operand], procedure: Value) -> ast.expr:
        """The code of a call of a procedure; statements are emitted for an assignment."""
        tree, is_plain = _parsed(self.text)
        codes = [operand.code for operand in operands]
        if is_plain and not self.conditions and all(map(partial(_is_known, context), operands, self.types)):
            names = dict(zip(OPERANDS, codes, strict=False))
            plain: ast.expr = context.build.filled(tree, lambda name: names.get(name) or self.constant(context, name))
            return plain
        if self.types and not all(map(context.never_changes, codes[1:])):
            codes = [code if context.never_changes(code) else context.in_local(code) for code in codes]
        twice = [use_twice(context, code) for code in codes]
        return _Expansion(self, context, operands, procedure, twice).code()

    def constant(self, context: Context, name: str) -> ast.expr:
        return context.build.constant(self.constants[name])


def _is_known(context: Context, operand: Operand, kind: OperandType) -> bool:
    """Whether the value of an operand is certainly of a type."""
    return kind is object or context.calls.has_type(operand.node, kind)


class _Expansion:
    """The expansion of a template for the operands of a call, each with code for its first use and for others."""

    def __init__(
        self,
        template: Template,
        context: Context,
        operands: list[Operand],
        procedure: Value,
        twice: list[tuple[ast.expr, ast.expr]],
    ) -> None:
        self._template = template
        self._context = context
        self._operands = operands
        self._procedure = procedure
        self._names = dict(zip(OPERANDS, [first for first, _ in twice], strict=False))
        self._later = dict(zip(OPERANDS, [second for _, second in twice], strict=False))

    def code(self) -> ast.expr:
        template, build = self._template, self._context.build
        tests: list[ast.expr] = []
        for letter, operand, kind in zip(OPERANDS, self._operands, template.types, strict=False):
            tests += self._tests(letter, operand, kind)
        tests += map(self._filled, template.conditions)
        fast = self._filled(template.text)
        if isinstance(fast, ast.stmt):
            otherwise = [build.expression(self._general())]
            self._context.emit(build.if_(build.both(*tests), [fast], otherwise) if tests else fast)
            return build.constant(UNSPECIFIED)
        return build.conditional(build.both(*tests), fast, self._general()) if tests else fast

    def _tests(self, letter: str, operand: Operand, kind: OperandType) -> Iterator[ast.expr]:
        """The tests whether an operand is of a type; one that is stored at its first use has its first use here."""
        is_read = self._names[letter] is self._later[letter]
        if kind is object or (is_read and _is_known(self._context, operand, kind)):
            return
        base, condition = (kind.base, kind.condition) if isinstance(kind, Subtype) else (kind, "")
        if not (is_read and _is_known(self._context, operand, base)):
            yield self._context.build.has_type(self._named(letter), base)
        if condition:
            yield self._filled(condition.replace("x", letter))

    def _general(self) -> ast.expr:
        """A call of the library's procedure."""
        build = self._context.build
        call = build.call_constant(self._procedure, *self._later.values())
        return build.is_not(call, FALSE) if self._template.is_test else call

    def _filled(self, text: str) -> Any:
        """The code of a text."""
        return self._context.build.filled(_parsed(text)[0], self._named)

    def _named(self, name: str) -> ast.expr:
        """The code for a name; an operand that is computed at its first use is stored, and read from then on."""
        code = self._names.get(name)
        if name in self._later:
            self._names[name] = self._later[name]
        elif name == "t" and code is None:
            code = self._names[name] = self._context.build.name(self._context.temporary())
        elif name == "general":
            code = self._general()
        return code or self._template.constant(self._context, name)


OPERANDS = "abcdefgh"


@cache
def _parsed(text: str) -> tuple[ast.expr | ast.stmt, bool]:
    """The tree of a text, and whether it is an expression that uses each operand once."""
    (statement,) = ast.parse(text).body
    if not isinstance(statement, ast.Expr):
        return statement, False
    names = [node.id for node in ast.walk(statement) if isinstance(node, ast.Name)]
    return statement.value, "general" not in names and all(names.count(letter) < 2 for letter in OPERANDS)


def record_rule(procedure: Value, count: int) -> InlineRule | None:
    """The rule for calls with so many operands of a procedure of a record type, by the template that it has."""
    record_type, text, arity, conditions = procedure.inline
    if count != arity:
        return None
    types = (Record, object)[:count]
    template = Template(text, types, conditions, {"RECORD_TYPE": record_type}, is_test=not conditions)
    return InlineRule(lambda context, operands: template.code(context, operands, procedure), template.is_test)
