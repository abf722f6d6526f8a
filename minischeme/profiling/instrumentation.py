"""Instrumented core: a form with calls of counters, which are standard procedures for the compiler.

Loops stay loops and tail calls stay tail calls, so that an instrumented program runs as it would without, but slower.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from msgspec.structs import replace

from minischeme.data.source import Span
from minischeme.data.values import FALSE, Value
from minischeme.expansion import core
from minischeme.expansion.core import Bind, Call, Constant, Define, Lambda, Local, Node, Sequence
from minischeme.primitives.registry import Primitive


class Counters(NamedTuple):
    """The procedures that instrumented code calls, and those that give it the counts; without times, the last are None.

    `reached` takes the count of a line, `entered` that of a procedure whose body begins, and gives the depth of the
    call. `reentered` does so for a part of a procedure that is no call. The others take and return a value, with the
    depth: `left` the value of a procedure, `replaced` what it computes last before a tail call, and `returned` the
    value of a call that an escape may have ended.
    """

    procedure: Callable[[Lambda], Any]  # its count; None for a procedure that an expansion has made
    line: Callable[[Span], Any]
    reached: Callable[[Any], Value]
    entered: Callable[[Any], int]
    reentered: Callable[[Any], int] | None = None
    left: Callable[[Value, int], Value] | None = None
    replaced: Callable[[Value, int], Value] | None = None
    returned: Callable[[Value, int], Value] | None = None


class Instrumenter:
    """The instrumentation of one form: `root` is the instrumented one, `lambdas` maps its procedures to the new ones.

    `outside` is the count for what is in no procedure, and `standard` tells the standard procedure that a node calls.
    """

    def __init__(
        self, root: Node, counters: Counters, outside: object, standard: Callable[[Node], Primitive | None]
    ) -> None:
        self._counters = counters
        self._standard = standard
        self._count = outside
        self._depth = core.Variable("%depth")
        self.lambdas: dict[Lambda, Lambda] = {}
        self._lines = _first_on_lines(root)
        if isinstance(root, Define):
            if root in self._lines:  # there is no other place to count it
                counters.reached(counters.line(self._lines[root]))
            is_procedure = isinstance(root.value, Lambda)
            value = self._part(root.value) if is_procedure else self._body(root.value, counters.reentered, self._left)
            self.root: Node = replace(root, value=value)
        else:
            self.root = self._body(root, counters.reentered, self._end)

    def _body(self, body: Node, begin: Callable[[Any], int] | None, end: Callable[[Node], Node]) -> Node:
        """A form, or the body of a procedure, with the calls at its beginning and its end."""
        if self._counters.left is None:
            parts = [] if begin is None else [_call(begin, Constant(None, self._count))]
            return core.sequence(body.span, [*parts, self._part(body)])
        assert begin is not None
        enter = Bind(None, self._depth, _call(begin, Constant(None, self._count)))
        return Sequence(body.span, (enter, end(body)))

    def _with_depth(self, counter: Callable[[Value, int], Value] | None, value: Node) -> Node:
        return value if counter is None else _call(counter, value, Local(None, self._depth))

    def _left(self, node: Node) -> Node:
        return self._with_depth(self._counters.left, self._part(node))

    def _part(self, node: Node) -> Node:
        """An expression that is not in tail position."""
        if isinstance(node, Lambda):
            return self._lambda(node)
        if isinstance(node, Sequence):
            return self._sequence(node, self._part)
        changed, known = self._with_parts(node), self._standard(node)
        if known is not None and known.calls_others:
            changed = self._with_depth(self._counters.returned, changed)
        return self._counted(node, changed)

    def _with_parts(self, node: Node) -> Node:
        """A copy of an expression with its immediate parts instrumented."""
        return core.rewritten(node, lambda part: None if part is node else self._part(part))

    def _end(self, node: Node) -> Node:
        """An expression in tail position, in a profile with times."""
        if isinstance(node, Sequence):
            return self._sequence(node, self._end)
        if isinstance(node, core.If):
            branches = self._end(node.consequent), self._end(node.alternative)
            return self._counted(node, core.If(node.span, self._part(node.test), *branches))
        if isinstance(node, core.Or):
            return self._counted(node, core.Or(node.span, self._part(node.first), self._end(node.second)))
        known = self._standard(node)
        if not isinstance(node, Call) or (known is not None and not known.tail_calls and not known.stays):
            return self._part(node) if isinstance(node, Bind) else self._left(node)
        call = self._with_parts(node)
        assert isinstance(call, Call)
        if all(map(_is_simple, core.children(call))):  # nothing is computed in between
            replaced = self._with_depth(self._counters.replaced, Constant(None, FALSE))
            return self._counted(node, Sequence(node.span, (replaced, call)))
        if call.operands:
            last = self._with_depth(self._counters.replaced, call.operands[-1])
            call = replace(call, operands=(*call.operands[:-1], last))
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
        return Sequence(node.span, (_call(self._counters.reached, line), changed))

    def _lambda(self, node: Lambda) -> Lambda:
        outer = self._count, self._depth
        count = self._counters.procedure(node)
        self._count, self._depth = self._count if count is None else count, core.Variable("%depth")
        begin = self._counters.reentered if count is None else self._counters.entered
        changed = self.lambdas[node] = replace(node, body=self._body(node.body, begin, self._end))
        self._count, self._depth = outer
        return changed


def _call(counter: Callable[..., Value], *operands: Node) -> Call:
    return Call(None, Constant(None, counter), operands)


def _is_simple(node: Node) -> bool:
    return isinstance(node, core.Global | Local | core.Standard | Constant)


def _first_on_lines(root: Node) -> dict[Node, Span]:
    """The expression that stands for each line: the first that begins there, a definition only if there is no other."""
    found: dict[int, Node] = {}
    definitions: dict[int, Node] = {}
    waiting = [root]
    while waiting:
        node = waiting.pop()
        parts = core.children(node)
        if node.span is not None and root.span is not None and node.span.source is root.span.source:
            is_definition = isinstance(node, Define | Bind) and isinstance(node.value, Lambda)
            lines = definitions if is_definition else found
            if not isinstance(node, Lambda):
                lines.setdefault(node.span.source.position(node.span.start)[0], node)
        if isinstance(node, Lambda) and isinstance(node.body, Sequence):  # its span is that of the procedure
            parts = node.body.parts
        elif isinstance(node, Call) and _is_simple(node.operator):
            parts = node.operands
        waiting += reversed(parts)
    return {node: node.span for node in (definitions | found).values() if node.span is not None}
