"""Instrumented core: a form with calls of counters, which are standard procedures for the compiler.

Loops stay loops and tail calls stay tail calls, so that an instrumented program runs as it would without, but slower.
"""

from collections.abc import Callable
from typing import NamedTuple

from msgspec.structs import replace

from minischeme.data.source import Span
from minischeme.data.values import FALSE, Value
from minischeme.expansion.core import (
    Bind,
    Call,
    Constant,
    Define,
    Global,
    If,
    Lambda,
    Local,
    Node,
    Or,
    Sequence,
    Standard,
    Variable,
    children,
    nodes,
    rewritten,
)
from minischeme.primitives.registry import Primitive

_HIDDEN = "%profile"  # the name of the counters' own variables


class Counters(NamedTuple):
    """The procedures that instrumented code calls, without times only the first two, and those that number what counts.

    `entered` takes the number of a procedure whose body begins, and gives the depth of its call; `reentered` does so
    for a part of one that is no call. `left` takes and returns the last value that a procedure computes before it
    returns or makes a tail call, `returned` the value of a call that may have been left by an escape, both with the
    depth. `reached` takes the number of a line.
    """

    number: Callable[[Lambda], int | None]  # of a procedure of the program, None for one made by an expansion
    line: Callable[[Span], int]  # the number of the line that a span begins on
    reached: Callable[[int], Value]
    entered: Callable[[int], int]
    reentered: Callable[[int], int] | None
    left: Callable[[Value, int], Value] | None
    returned: Callable[[Value, int], Value] | None


class Instrumenter:
    """The instrumentation of one form: `root` is the instrumented one, `lambdas` maps its procedures to the new ones.

    `standard` tells the standard procedure that an operator is.
    """

    def __init__(self, root: Node, counters: Counters, standard: Callable[[Node], Primitive | None]) -> None:
        self._counters = counters
        self._standard = standard
        self._number = 0
        self._depth = Variable(_HIDDEN)
        self.lambdas: dict[Lambda, Lambda] = {}
        self._lines = _first_on_lines(root)
        if isinstance(root, Define):
            if root in self._lines:  # a definition has no other place for it
                counters.reached(counters.line(self._lines[root]))
            is_procedure = isinstance(root.value, Lambda)
            value = self._part(root.value) if is_procedure else self._body(root.value, None, tail=False)
            self.root: Node = replace(root, value=value)
        else:
            self.root = self._body(root, None, tail=True)

    def _call(self, counter: Callable[..., Value], *operands: Node) -> Call:
        return Call(None, Constant(None, counter), operands)

    def _body(self, body: Node, number: int | None, *, tail: bool) -> Node:
        """The body of a procedure with this number, or of another expression, with the calls at its two ends."""
        begin = self._counters.reentered if number is None else self._counters.entered
        if begin is None:
            return self._part(body)
        begun = self._call(begin, Constant(None, self._number))
        if self._counters.left is None:
            return Sequence(body.span, (begun, self._part(body)))
        ended = self._end(body) if tail else self._left(self._part(body))
        return Sequence(body.span, (Bind(None, self._depth, begun), ended))

    def _left(self, value: Node) -> Node:
        assert self._counters.left is not None
        return self._call(self._counters.left, value, Local(None, self._depth))

    def _part(self, node: Node) -> Node:
        """An expression that is not in tail position."""
        changed: Node
        if isinstance(node, Lambda):
            return self._lambda(node)
        if isinstance(node, Sequence):
            return self._sequence(node, self._part)
        if isinstance(node, Call):
            operands = tuple(map(self._part, node.operands))
            operator = node.operator if _is_name(node.operator) else self._part(node.operator)
            changed = Call(node.span, operator, operands)
            known = self._standard(node.operator)
            if self._counters.returned is not None and known is not None and known.calls_others:
                changed = self._call(self._counters.returned, changed, Local(None, self._depth))
        else:
            changed = _with_parts(node, self._part)
        return self._counted(node, changed)

    def _end(self, node: Node) -> Node:
        """An expression in tail position, in a profile with times."""
        if isinstance(node, Sequence):
            return self._sequence(node, self._end)
        if isinstance(node, If):
            branches = self._end(node.consequent), self._end(node.alternative)
            return self._counted(node, If(node.span, self._part(node.test), *branches))
        if isinstance(node, Or):
            first = self._part(node.first)
            return self._counted(node, Or(node.span, first, self._end(node.second)))
        known = self._standard(node.operator) if isinstance(node, Call) else None
        if not isinstance(node, Call) or (known is not None and not known.tail_calls and not known.stays):
            return self._part(node) if isinstance(node, Bind) else self._left(self._part(node))
        operator = node.operator if _is_name(node.operator) else self._part(node.operator)
        operands = [self._part(operand) for operand in node.operands]
        call = Call(node.span, operator, tuple(operands))
        if all(map(_is_name, [operator, *operands])):  # nothing is computed between the end and the call
            left = self._left(Constant(None, FALSE))
            return self._counted(node, Sequence(node.span, (left, call)))
        if operands:
            call = replace(call, operands=(*operands[:-1], self._left(operands[-1])))
        return self._counted(node, call)

    def _sequence(self, node: Sequence, last: Callable[[Node], Node]) -> Node:
        """A body: definitions stay its immediate parts, with the count of their line before them."""
        parts: list[Node] = []
        for part in node.parts[:-1]:
            changed = self._part(part)
            parts += changed.parts if isinstance(part, Bind) and isinstance(changed, Sequence) else [changed]
        return self._counted(node, Sequence(node.span, (*parts, last(node.parts[-1]))))

    def _counted(self, node: Node, changed: Node) -> Node:
        if node not in self._lines:
            return changed
        line = Constant(None, self._counters.line(self._lines[node]))
        return Sequence(node.span, (self._call(self._counters.reached, line), changed))

    def _lambda(self, node: Lambda) -> Lambda:
        outer = self._number, self._depth
        number = self._counters.number(node)
        self._number, self._depth = self._number if number is None else number, Variable(_HIDDEN)
        changed = replace(node, body=self._body(node.body, number, tail=True))
        self._number, self._depth = outer
        self.lambdas[node] = changed
        return changed


def _is_name(operator: Node) -> bool:
    return isinstance(operator, Global | Local | Standard | Constant)


def _with_parts(node: Node, change: Callable[[Node], Node]) -> Node:
    """A copy of an expression with its immediate parts changed."""
    return rewritten(node, lambda part: None if part is node else change(part))


def _first_on_lines(root: Node) -> dict[Node, Span]:
    """The expression that stands for each line: the first that begins there, a definition only if there is no other."""
    found: dict[int, Node] = {}
    definitions: dict[int, Node] = {}
    bodies = {node.body for node in nodes(root) if isinstance(node, Lambda) and isinstance(node.body, Sequence)}
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.span is not None and root.span is not None and node.span.source is root.span.source:
            line = node.span.source.position(node.span.start)[0]
            is_definition = isinstance(node, Define | Bind) and isinstance(node.value, Lambda)
            if not isinstance(node, Lambda) and node not in bodies:
                (definitions if is_definition else found).setdefault(line, node)
        operator = [node.operator] if isinstance(node, Call) and _is_name(node.operator) else []
        waiting += [part for part in reversed(children(node)) if part not in operator]
    return {node: node.span for node in (definitions | found).values() if node.span is not None}
