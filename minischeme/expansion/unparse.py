"""Core as readable Scheme, for `,expand`: the expansion of special forms and macros.

Only a few forms remain in it. Different variables of one name get different names.
"""

from itertools import takewhile
from types import FunctionType
from typing import Any

from minischeme.data import values
from minischeme.data.layout import pretty_printed
from minischeme.data.printer import write
from minischeme.data.rationals import Number
from minischeme.data.values import NIL, UNSPECIFIED, Pair, Promise, Symbol, Value, intern, list_of
from minischeme.expansion import core
from minischeme.expansion.lists import cells
from minischeme.primitives.registry import primitive_of

WIDTH = 76
"""The columns that a line should not exceed."""


def core_text(root: core.Node, width: int = WIDTH) -> str:
    """A core expression as Scheme text, in lines."""
    return pretty_printed(_Names(root).datum(root), width, _flat)


class _Names:
    """The translation of nodes to data, with a name for each variable."""

    def __init__(self, root: core.Node) -> None:
        self._taken = {node.name for node in core.nodes(root) if isinstance(node, core.Global | core.Standard)}
        self._symbols: dict[core.Variable, Symbol] = {}

    def datum(self, node: core.Node) -> Value:
        match node:
            case core.Constant(value=value):
                return _constant(value)
            case core.Local(variable=variable):
                return self._symbol(variable)
            case core.Global(name=name) | core.Standard(name=name):
                return intern(name)
            case core.SetLocal(variable=variable, value=value):
                return _form("set!", self._symbol(variable), self.datum(value))
            case core.SetGlobal(name=name, value=value):
                return _form("set!", intern(name), self.datum(value))
            case core.Define(name=name, value=core.Lambda() as procedure):
                return _form("define", Pair(intern(name), self._parameters(procedure)), *self._body(procedure.body))
            case core.Define(name=name, value=value):
                return _form("define", intern(name), self.datum(value))
            case core.If(test=test, consequent=consequent, alternative=alternative):
                parts = [self.datum(test), self.datum(consequent)]
                if not (isinstance(alternative, core.Constant) and alternative.value is UNSPECIFIED):
                    parts.append(self.datum(alternative))
                return _form("if", *parts)
            case core.Or(first=first, second=second):
                rest = self.datum(second)
                more = list(rest.cdr) if isinstance(second, core.Or) else [rest]
                return _form("or", self.datum(first), *more)
            case core.Lambda(body=body):
                return _form("lambda", self._parameters(node), *self._body(body))
            case core.Call(operator=core.Constant(value=value), operands=(core.Lambda() as thunk,)) if value is Promise:
                return _form("delay", *self._body(thunk.body))
            case core.Call(operator=operator, operands=operands):
                # A tuple or error passed to a procedure of minischeme itself is no part of the program.
                shown = [
                    part
                    for part in operands
                    if not (type(part) is core.Constant and isinstance(part.value, tuple | Exception))
                ]
                return list_of([self.datum(part) for part in (operator, *shown)])
        parts = self._body(node)
        return parts[0] if len(parts) == 1 else _form("begin", *parts)

    def _body(self, node: core.Node) -> list[Value]:
        """The expressions of a sequence; a binding contains all that follows it."""
        parts = node.parts if isinstance(node, core.Sequence) else (node,)
        found: list[Value] = []
        for index, part in enumerate(parts):
            if isinstance(part, core.Bind):
                return [*found, self._bindings(parts[index:])]
            found += self._body(part) if isinstance(part, core.Sequence) else [self.datum(part)]
        return found

    def _bindings(self, parts: tuple[core.Node, ...]) -> Value:
        binds: list[Any] = list(takewhile(lambda part: type(part) is core.Bind, parts))
        waiting = {bind.variable for bind in binds}
        keyword = "let*"
        for bind in binds:
            if any(isinstance(node, core.Local) and node.variable in waiting for node in core.nodes(bind.value)):
                keyword = "letrec*"
            waiting.discard(bind.variable)
        clauses = [list_of([self._symbol(bind.variable), self.datum(bind.value)]) for bind in binds]
        rest = parts[len(binds) :]
        body = self._body(core.sequence(None, list(rest))) if rest else [_constant(intern(binds[-1].variable.name))]
        return _form(keyword, list_of(clauses), *body)

    def _parameters(self, procedure: core.Lambda) -> Value:
        end = NIL if procedure.rest is None else self._symbol(procedure.rest)
        return list_of([self._symbol(variable) for variable in procedure.parameters], end)

    def _symbol(self, variable: core.Variable) -> Symbol:
        if variable not in self._symbols:
            name, number = variable.name, 1
            while name in self._taken:
                number += 1
                name = f"{variable.name}.{number}"
            self._taken.add(name)
            self._symbols[variable] = intern(name)
        return self._symbols[variable]


def _form(keyword: str, *parts: Value) -> Value:
    return Pair(intern(keyword), list_of(parts))


def _constant(value: Value) -> Value:
    if isinstance(value, Number | values.String | values.Boolean | values.Char | values.EmptyList):
        return value
    if value is UNSPECIFIED:
        return _form("if", values.FALSE, values.FALSE)
    if type(value) is FunctionType:
        known = primitive_of(value)
        return intern(known.names[0] if known is not None else value.__name__)
    return intern(value.__name__) if isinstance(value, type) else _form("quote", value)


def _flat(datum: Value) -> str:
    """The text on one line, ``'x`` for a quotation."""
    if type(datum) is not Pair:
        return write(datum)
    if datum.car is _QUOTE and type(datum.cdr) is Pair and datum.cdr.cdr is NIL:
        return f"'{write(datum.cdr.car)}"
    parts = cells(datum)
    pieces = [_flat(cell.car) for cell in parts]
    if parts[-1].cdr is not NIL:
        pieces += [".", write(parts[-1].cdr)]
    return f"({' '.join(pieces)})"


_QUOTE = intern("quote")
