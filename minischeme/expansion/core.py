"""The core language: the few forms that every program is expanded to, as immutable trees.

Scopes are resolved: a variable is an object, not a name, so that no pass below has to think about shadowing.
"""

from collections.abc import Callable, Iterator, Mapping
from operator import attrgetter
from typing import Any

import msgspec

from minischeme.data.source import Span
from minischeme.data.values import UNSPECIFIED, Symbol, Value

UNASSIGNED = Symbol("unassigned")
"""The value of a `Bind` whose variable has no value yet."""


class Variable(msgspec.Struct, eq=False):
    """A local variable, with its name as the program spells it."""

    name: str
    assigned: bool = False  # whether any ``set!`` names it
    is_recursive: bool = False  # whether its definition is in its own scope

    def __repr__(self) -> str:
        return self.name


class Node(msgspec.Struct, frozen=True, eq=False):
    """Any core expression; `span` is its source text, None only for text of minischeme itself."""

    span: Span | None


class Constant(Node, frozen=True, eq=False):
    value: Value


class Local(Node, frozen=True, eq=False):
    """The value of a local variable."""

    variable: Variable


class Global(Node, frozen=True, eq=False):
    """The value of a global: the program's own, or else the library's."""

    name: str


class Standard(Node, frozen=True, eq=False):
    """The library's procedure of that name, regardless of the program's bindings."""

    name: str


class SetLocal(Node, frozen=True, eq=False):
    variable: Variable
    value: Node


class SetGlobal(Node, frozen=True, eq=False):
    name: str
    value: Node


class Define(Node, frozen=True, eq=False):
    """Bind a global; the value is its symbol."""

    name: str
    value: Node


class Bind(Node, frozen=True, eq=False):
    """Give a local variable its first value: ``let``, ``letrec`` and internal definitions are sequences of these.

    The value is the variable's symbol, since an internal definition may end a body.
    """

    variable: Variable
    value: Node


class If(Node, frozen=True, eq=False):
    test: Node
    consequent: Node
    alternative: Node


class Or(Node, frozen=True, eq=False):
    """The first value if it is true, else the second; `and` is an `If`."""

    first: Node
    second: Node


class Lambda(Node, frozen=True, eq=False):
    """A procedure. `name` is for people: error trails, `trace`, help."""

    name: str | None
    parameters: tuple[Variable, ...]
    rest: Variable | None
    body: Node

    @property
    def all_parameters(self) -> tuple[Variable, ...]:
        return self.parameters if self.rest is None else (*self.parameters, self.rest)


class Call(Node, frozen=True, eq=False):
    operator: Node
    operands: tuple[Node, ...]


class Sequence(Node, frozen=True, eq=False):
    """At least two expressions in order; the value is that of the last."""

    parts: tuple[Node, ...]


_PARTS: dict[type[Node], Callable[[Any], tuple[Node, ...]]] = {
    SetLocal: lambda node: (node.value,),
    SetGlobal: lambda node: (node.value,),
    Define: lambda node: (node.value,),
    Bind: lambda node: (node.value,),
    If: attrgetter("test", "consequent", "alternative"),
    Or: attrgetter("first", "second"),
    Lambda: lambda node: (node.body,),
    Call: lambda node: (node.operator, *node.operands),
    Sequence: attrgetter("parts"),
}


def children(node: Node) -> tuple[Node, ...]:
    """The immediate subexpressions, in the order of evaluation."""
    parts = _PARTS.get(type(node))
    return () if parts is None else parts(node)


def nodes(root: Node) -> Iterator[Node]:
    """An expression and all its subexpressions."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        if type(node) in _PARTS:
            waiting += _PARTS[type(node)](node)


def parents(root: Node) -> dict[Node, Node]:
    """The expression around each part of an expression."""
    return {part: node for node in nodes(root) for part in children(node)}


def lambda_around(node: Node | None, parents: Mapping[Node, Node]) -> Lambda | None:
    """The innermost lambda that contains an expression; None if there is none."""
    while node is not None:
        node = parents.get(node)
        if type(node) is Lambda:
            return node
    return None


def bound_lambdas(root: Node) -> dict[Variable, Lambda]:
    """The procedures that variables in an expression are bound to."""
    binds = (node for node in nodes(root) if isinstance(node, Bind))
    return {bind.variable: bind.value for bind in binds if isinstance(bind.value, Lambda)}


def bound_variables(root: Node) -> Iterator[Variable]:
    """The variables that are bound in an expression."""
    for node in nodes(root):
        if isinstance(node, Bind):
            yield node.variable
        elif isinstance(node, Lambda):
            yield from node.all_parameters


def tail_parts(node: Node) -> tuple[Node, ...]:
    """The immediate subexpressions that are in tail position if the expression is."""
    if type(node) is If:
        return node.consequent, node.alternative
    if type(node) is Or:
        return (node.second,)
    return node.parts[-1:] if type(node) is Sequence else ()


def tail_expressions(node: Node) -> Iterator[Node]:
    """The expressions in tail position of an expression that are not composed of others in tail position."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        parts = tail_parts(node)
        waiting += reversed(parts)
        if not parts:
            yield node


def defined_procedure(node: Node) -> Lambda | None:
    """The lambda of the definition of a global; None for any other expression."""
    return node.value if type(node) is Define and type(node.value) is Lambda else None


def rewritten(node: Node, change: Callable[[Node], Node | None]) -> Node:
    """A copy of an expression with parts replaced: `change` gives the replacement of a part, None to look inside."""
    replacement = change(node)
    if replacement is not None:
        return replacement
    parts: dict[str, Any] = {}
    for field in type(node).__struct_fields__:
        part = getattr(node, field)
        if isinstance(part, Node):
            parts[field] = rewritten(part, change)
        elif type(part) is tuple:
            parts[field] = tuple(rewritten(item, change) if isinstance(item, Node) else item for item in part)
    return msgspec.structs.replace(node, **parts)


def sequence(span: Span | None, parts: list[Node]) -> Node:
    """The parts in order: a `Sequence`, or the only part itself; the unspecified value for none."""
    if len(parts) < 2:
        return parts[0] if parts else Constant(span, UNSPECIFIED)
    return Sequence(span, tuple(parts))
