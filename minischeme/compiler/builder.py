"""Construction of Python's ``ast``: every node is stamped with the span of the Scheme that it comes from.

A Scheme constant without a Python literal is represented by a placeholder, which `assembly` replaces in the finished
code object.
"""

import ast
from collections.abc import Callable, Iterable
from functools import partialmethod
from types import CodeType
from typing import Any

from minischeme.data.cpython import Position, instructions_at, placeholder, position_at
from minischeme.data.source import Span
from minischeme.data.values import Value

TRANSPARENT = -1
"""The call site number of calls whose value is returned unchanged."""


def site_number(code: CodeType, instruction: int) -> int | None:
    """The number of the call site that the instruction at a byte offset belongs to."""
    line, end_line, column, end_column = position_at(code, instruction)
    if column is None or end_column is None or end_line != line:
        return None
    return end_column - column - 1


def transparent_calls(code: CodeType) -> frozenset[int]:
    """The offsets of the instructions that belong to calls marked as `TRANSPARENT`."""
    return frozenset(
        instructions_at(code, lambda line, end_line, column, end: column == end is not None and line == end_line)
    )


_LOAD = ast.Load()
_STORE = ast.Store()
_IS = ast.Is()
_IS_NOT = ast.IsNot()
_AND = ast.And()
_OR = ast.Or()
_NOT = ast.Not()


def _expression(kind: type[ast.expr], *last: object) -> Callable[..., ast.expr]:
    """A method that makes an expression from its arguments and these constant last ones."""
    return lambda builder, *fields: kind(*fields, *last, **builder.where)


def _statement(kind: type[ast.stmt]) -> Callable[..., ast.stmt]:
    return lambda builder, *fields: kind(*fields, **builder.where)


_WITH_POSITIONS = (ast.expr, ast.stmt)


class Builder:
    """A builder of Python nodes at the current position.

    `constants` holds each Scheme constant at the index that its placeholder names.
    """

    def __init__(self) -> None:
        self.constants: list[Value] = []
        self._index: dict[int, int] = {}
        self._positions: dict[tuple[int, int], Position] = {}
        self.where: Position = {"lineno": 1, "col_offset": 0, "end_lineno": 1, "end_col_offset": 0}

    def move_to(self, span: Span | None) -> Position:
        """Stamp the following nodes with `span`; returns the position before, to be restored in `where`."""
        before = self.where
        if span is not None:
            key = span.start, span.end
            where = self._positions.get(key)
            if where is None:
                # CPython moves the start of an attribute read that ends on a later line, but error reports need it.
                line, column = span.source.position(span.start)
                end_line, end_column = span.source.position(span.end)
                if end_line != line:
                    end_column = column
                where = {"lineno": line, "col_offset": column, "end_lineno": line, "end_col_offset": end_column}
                self._positions[key] = where
            self.where = where
        return before

    name = _expression(ast.Name, _LOAD)
    attribute = _expression(ast.Attribute, _LOAD)
    tuple_of = _expression(ast.Tuple, _LOAD)
    binary = _expression(ast.BinOp)
    conditional = _expression(ast.IfExp)
    literal = _expression(ast.Constant)

    def constant(self, value: Value) -> ast.expr:
        """A Scheme constant: a Python literal for a number, otherwise a placeholder."""
        if type(value) is int or type(value) is float:
            return self.literal(value)
        index = self._index.get(id(value))
        if index is None:
            index = self._index[id(value)] = len(self.constants)
            self.constants.append(value)
        return placeholder(index, self.where)

    def call(self, function: ast.expr, arguments: list[ast.expr], site: int | None = None) -> ast.expr:
        """A call, with the number of its call site encoded as the end of its text; `site_number` decodes it."""
        where = self.where if site is None else {**self.where, "end_col_offset": self.where["col_offset"] + 1 + site}
        return ast.Call(function, arguments, [], **where)

    def call_constant(self, function: object, *arguments: ast.expr) -> ast.expr:
        """A call of a Python object that is a constant."""
        return self.call(self.constant(function), list(arguments))

    def compare(self, left: ast.expr, operator: ast.cmpop, right: ast.expr) -> ast.expr:
        return ast.Compare(left, [operator], [right], **self.where)

    def is_(self, left: ast.expr, value: Value) -> ast.expr:
        """Whether an expression evaluates to this object."""
        return self.compare(left, _IS, self.constant(value))

    def is_not(self, left: ast.expr, value: Value) -> ast.expr:
        return self.compare(left, _IS_NOT, self.constant(value))

    def is_none(self, left: ast.expr) -> ast.expr:
        return self.compare(left, _IS, self.literal(None))

    def has_type(self, value: ast.expr, kind: type) -> ast.expr:
        return self.is_(self.call_constant(type, value), kind)

    def _chain(self, operator: ast.boolop, *tests: ast.expr) -> ast.expr:
        """A chain of tests, merged with a chain at its end: CPython compiles a long chain but no deep nest."""
        *values, last = tests
        values += last.values if isinstance(last, ast.BoolOp) and last.op is operator else [last]
        return ast.BoolOp(operator, values, **self.where) if len(values) > 1 else last

    both = partialmethod(_chain, _AND)
    either = partialmethod(_chain, _OR)

    def negation(self, test: ast.expr) -> ast.expr:
        return ast.UnaryOp(_NOT, test, **self.where)

    def walrus(self, target: str, value: ast.expr) -> ast.expr:
        """An expression that stores a value in a local and returns it."""
        return ast.NamedExpr(ast.Name(target, _STORE, **self.where), value, **self.where)

    expression = _statement(ast.Expr)
    return_ = _statement(ast.Return)
    continue_ = _statement(ast.Continue)
    break_ = _statement(ast.Break)
    global_ = _statement(ast.Global)
    nonlocal_ = _statement(ast.Nonlocal)
    _pass = _statement(ast.Pass)
    target = _expression(ast.Name, _STORE)
    attribute_target = _expression(ast.Attribute, _STORE)

    def assign(self, target: str, value: ast.expr) -> ast.stmt:
        return ast.Assign([self.target(target)], value, **self.where)

    def assign_all(self, targets: Iterable[ast.expr], values: list[ast.expr]) -> ast.stmt:
        """A simultaneous assignment: every value is computed before the first store."""
        return self.unpack(targets, self.tuple_of(values))

    def unpack(self, targets: Iterable[ast.expr], row: ast.expr) -> ast.stmt:
        """An assignment of the parts of a tuple."""
        return ast.Assign([ast.Tuple([*targets], _STORE, **self.where)], row, **self.where)

    def store_attribute(self, value: ast.expr, name: str, stored: ast.expr) -> ast.stmt:
        return ast.Assign([self.attribute_target(value, name)], stored, **self.where)

    def filled(self, part: Any, code_of: Callable[[str], ast.expr]) -> Any:
        """A copy of a part of a tree at the current position, with the code for each of its names."""
        kind = type(part)
        if kind is ast.Name:
            code = code_of(part.id)
            return self.target(code.id) if isinstance(part.ctx, ast.Store) and isinstance(code, ast.Name) else code
        if kind is list:
            return [self.filled(each, code_of) for each in part]
        if not isinstance(part, _WITH_POSITIONS):
            return part
        return kind(*[self.filled(getattr(part, field), code_of) for field in kind._fields], **self.where)

    def if_(self, test: ast.expr, consequent: list[ast.stmt], alternative: list[ast.stmt] | None = None) -> ast.stmt:
        return ast.If(test, consequent or [self._pass()], alternative or [], **self.where)

    def while_(self, test: ast.expr, body: list[ast.stmt]) -> ast.stmt:
        return ast.While(test, body or [self._pass()], [], **self.where)

    def forever(self, body: list[ast.stmt]) -> ast.stmt:
        return self.while_(self.literal(True), body)

    def for_(self, target: str, elements: ast.expr, body: list[ast.stmt]) -> ast.stmt:
        return ast.For(self.target(target), elements, body or [self._pass()], [], None, **self.where)

    def function(self, name: str, parameters: list[str], rest: str | None, body: list[ast.stmt]) -> ast.stmt:
        positional = [ast.arg(parameter, **self.where) for parameter in parameters]
        variadic = None if rest is None else ast.arg(rest, **self.where)
        arguments = ast.arguments([], positional, variadic, [], [], None, [])
        extra: dict[str, Any] = {"type_params": []} if "type_params" in ast.FunctionDef._fields else {}
        return ast.FunctionDef(name, arguments, body, [], None, **extra, **self.where)
