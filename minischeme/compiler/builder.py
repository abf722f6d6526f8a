"""Building Python's ``ast``: every node is stamped with the span of the Scheme that it comes from.

A Scheme constant that Python has no literal for stands in the tree as a placeholder, which `assembly` replaces in the
finished code object.
"""

from __future__ import annotations

import ast
from types import CodeType
from typing import Any

from minischeme.data.cpython import Position, instructions_at, placeholder, position_at
from minischeme.data.source import Span
from minischeme.data.values import Value

TRANSPARENT = -1
"""In the place of the number of a call site: of a call whose value its procedure does nothing with but return it."""


def site_number(code: CodeType, instruction: int) -> int | None:
    """The number of the call site that an instruction belongs to.

    Args: instruction: its offset in bytes.
    """
    line, end_line, column, end_column = position_at(code, instruction)
    if column is None or end_column is None or end_line != line:
        return None
    return end_column - column - 1


def transparent_calls(code: CodeType) -> frozenset[int]:
    """The offsets of the instructions that belong to calls marked as `TRANSPARENT`."""

    def is_marked(line: int | None, end_line: int | None, column: int | None, end_column: int | None) -> bool:
        return column is not None and column == end_column and line == end_line

    return frozenset(instructions_at(code, is_marked))


class Builder:
    """Makes Python nodes at the current position.

    `constants` holds the Scheme constants, each at the index that its placeholder names.
    """

    def __init__(self) -> None:
        self.constants: list[Value] = []
        self._index: dict[int, int] = {}
        self._positions: dict[tuple[int, int], Position] = {}
        self.where: Position = {"lineno": 1, "col_offset": 0, "end_lineno": 1, "end_col_offset": 0}

    def move_to(self, span: Span | None) -> Position:
        """Stamp what follows with `span`; returns the position before, to be put back into `where`."""
        before = self.where
        if span is not None:
            key = span.start, span.end
            where = self._positions.get(key)
            if where is None:
                # CPython moves the start of an attribute read that ends on a later line; the start is what we go by.
                line, column = span.source.position(span.start)
                end_line, end_column = span.source.position(span.end)
                if end_line != line:
                    end_column = column
                where = {"lineno": line, "col_offset": column, "end_lineno": line, "end_col_offset": end_column}
                self._positions[key] = where
            self.where = where
        return before

    def move_to_node(self, node: ast.expr) -> Position:
        """Stamp what follows with the position of another node; returns the position before."""
        before = self.where
        self.where = {key: getattr(node, key) for key in before}
        return before

    def move_to_site(self, number: int) -> Position:
        """Mark what follows as the call site of that number, by where its text seems to end; `site_number` is the
        inverse. Returns the position before."""
        before = self.where
        self.where = {**before, "end_col_offset": before["col_offset"] + 1 + number}
        return before

    def mark_equality(self) -> Position:
        """Mark what follows as part of a test for equality, by a text that seems to end on the next line;
        `numeric.asks_for_equality` is the inverse. Returns the position before."""
        before = self.where
        self.where = {**before, "end_lineno": before["lineno"] + 1}
        return before

    # ── expressions ──────────────────────────────────────────────────────────────────────────────────────────────

    def constant(self, value: Value) -> ast.expr:
        """A Scheme constant: a Python literal for a number, else a placeholder."""
        if type(value) is int or type(value) is float:
            return ast.Constant(value, **self.where)
        index = self._index.get(id(value))
        if index is None:
            index = self._index[id(value)] = len(self.constants)
            self.constants.append(value)
        return placeholder(index, self.where)

    def none(self) -> ast.expr:
        return ast.Constant(None, **self.where)

    def name(self, identifier: str) -> ast.expr:
        return ast.Name(identifier, _LOAD, **self.where)

    def call(self, function: ast.expr, arguments: list[ast.expr]) -> ast.expr:
        return ast.Call(function, arguments, [], **self.where)

    def call_constant(self, function: object, *arguments: ast.expr) -> ast.expr:
        """A call of a Python object that is known now."""
        return self.call(self.constant(function), list(arguments))

    def attribute(self, value: ast.expr, name: str) -> ast.expr:
        return ast.Attribute(value, name, _LOAD, **self.where)

    def binary(self, left: ast.expr, operator: ast.operator, right: ast.expr) -> ast.expr:
        return ast.BinOp(left, operator, right, **self.where)

    def compare(self, left: ast.expr, operator: ast.cmpop, right: ast.expr) -> ast.expr:
        return ast.Compare(left, [operator], [right], **self.where)

    def is_(self, left: ast.expr, value: Value) -> ast.expr:
        """Whether an expression gives this very object."""
        return self.compare(left, _IS, self.constant(value))

    def is_not(self, left: ast.expr, value: Value) -> ast.expr:
        return self.compare(left, _IS_NOT, self.constant(value))

    def is_none(self, left: ast.expr) -> ast.expr:
        return self.compare(left, _IS, self.none())

    def has_type(self, value: ast.expr, kind: type) -> ast.expr:
        return self.is_(self.call_constant(type, value), kind)

    def both(self, *tests: ast.expr) -> ast.expr:
        return self._chain(_AND, tests)

    def either(self, *tests: ast.expr) -> ast.expr:
        return self._chain(_OR, tests)

    def _chain(self, operator: ast.boolop, tests: tuple[ast.expr, ...]) -> ast.expr:
        """Tests in a row; a row at the end is taken in, since CPython compiles a long row but no deep nest."""
        *values, last = tests
        values += last.values if isinstance(last, ast.BoolOp) and last.op is operator else [last]
        return ast.BoolOp(operator, values, **self.where)

    def negation(self, test: ast.expr) -> ast.expr:
        return ast.UnaryOp(_NOT, test, **self.where)

    def conditional(self, test: ast.expr, consequent: ast.expr, alternative: ast.expr) -> ast.expr:
        return ast.IfExp(test, consequent, alternative, **self.where)

    def walrus(self, target: str, value: ast.expr) -> ast.expr:
        """Store a value in a local and give it."""
        return ast.NamedExpr(ast.Name(target, _STORE, **self.where), value, **self.where)

    def subscript(self, value: ast.expr, index: ast.expr) -> ast.expr:
        return ast.Subscript(value, index, _LOAD, **self.where)

    def tuple_of(self, items: list[ast.expr]) -> ast.expr:
        return ast.Tuple(items, _LOAD, **self.where)

    # ── statements ───────────────────────────────────────────────────────────────────────────────────────────────

    def assign(self, target: str, value: ast.expr) -> ast.stmt:
        return ast.Assign([ast.Name(target, _STORE, **self.where)], value, **self.where)

    def assign_all(self, targets: list[str], values: list[ast.expr]) -> ast.stmt:
        """All at once: every value is computed before the first store."""
        names: list[ast.expr] = [ast.Name(target, _STORE, **self.where) for target in targets]
        return ast.Assign([ast.Tuple(names, _STORE, **self.where)], self.tuple_of(values), **self.where)

    def store_attribute(self, value: ast.expr, name: str, stored: ast.expr) -> ast.stmt:
        return ast.Assign([ast.Attribute(value, name, _STORE, **self.where)], stored, **self.where)

    def store_attributes(self, value: object, names: tuple[str, ...], values: list[ast.expr]) -> ast.stmt:
        """Store into attributes of a known object, all at once."""
        targets: list[ast.expr] = [ast.Attribute(self.constant(value), name, _STORE, **self.where) for name in names]
        return ast.Assign([ast.Tuple(targets, _STORE, **self.where)], self.tuple_of(values), **self.where)

    def expression(self, value: ast.expr) -> ast.stmt:
        return ast.Expr(value, **self.where)

    def return_(self, value: ast.expr) -> ast.stmt:
        return ast.Return(value, **self.where)

    def if_(self, test: ast.expr, consequent: list[ast.stmt], alternative: list[ast.stmt]) -> ast.stmt:
        return ast.If(test, consequent or [self.pass_()], alternative, **self.where)

    def forever(self, body: list[ast.stmt]) -> ast.stmt:
        return ast.While(ast.Constant(True, **self.where), body or [self.pass_()], [], **self.where)

    def pass_(self) -> ast.stmt:
        return ast.Pass(**self.where)

    def continue_(self) -> ast.stmt:
        return ast.Continue(**self.where)

    def break_(self) -> ast.stmt:
        return ast.Break(**self.where)

    def global_(self, names: list[str]) -> ast.stmt:
        return ast.Global(names, **self.where)

    def function(self, name: str, parameters: list[str], rest: str | None, body: list[ast.stmt]) -> ast.stmt:
        arguments = ast.arguments(
            posonlyargs=[],
            args=[ast.arg(parameter, **self.where) for parameter in parameters],
            vararg=None if rest is None else ast.arg(rest, **self.where),
            kwonlyargs=[],
            kw_defaults=[],
            kwarg=None,
            defaults=[],
        )
        extra: dict[str, Any] = {"type_params": []} if "type_params" in ast.FunctionDef._fields else {}
        return ast.FunctionDef(name, arguments, body, [], None, **extra, **self.where)


_LOAD = ast.Load()
_STORE = ast.Store()
_IS = ast.Is()
_IS_NOT = ast.IsNot()
_AND = ast.And()
_OR = ast.Or()
_NOT = ast.Not()
