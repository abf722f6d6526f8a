"""`Site`: the call at which a run failed."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from types import FunctionType
from typing import Any, NamedTuple

from minischeme.compiler.assembly import info_of
from minischeme.compiler.templates import TABLE
from minischeme.data.source import Span
from minischeme.data.values import String, Value
from minischeme.diagnosis.hints import UNKNOWN, ProgramNames
from minischeme.diagnosis.stack import FailedStack, FrameGroup
from minischeme.expansion import core
from minischeme.primitives.kinds import as_number
from minischeme.primitives.registry import Primitive, primitive_of

MOST_SEARCHED = 200  # procedures


class LostCall(NamedTuple):
    """A call in tail position, which ended the frame of the procedure that made it."""

    call: core.Call
    procedure: core.Lambda  # that it stands in, or in a loop of


@dataclass(frozen=True)
class Site:
    """The innermost call in compiled code that led to a failure."""

    span: Span | None = None
    nodes: Sequence[core.Node] = ()  # the core expressions that stand there
    call: core.Call | None = None  # the call among them, if there is one
    operator: Any = UNKNOWN  # the values, as far as they can be had
    operands: Sequence[Any] = ()
    failed: Primitive | None = None  # the standard procedure that failed, if one did
    is_direct: bool = False  # whether this call failed, not one that a standard procedure made meanwhile
    lost: LostCall | None = None  # the call, if the frame that it was made in is gone

    @property
    def name(self) -> str | None:
        """The name of the global or standard procedure that is called, if it is called by one."""
        operator = self.call.operator if self.call is not None else None
        return operator.name if isinstance(operator, core.Global | core.Standard) else None

    def name_of(self, known: Primitive) -> str:
        """The name by which a standard procedure that failed was called."""
        return self.name if self.is_direct and self.name in known.names else known.names[0]

    def operand(self, culprit: Any, program: ProgramNames) -> Span | None:
        """The operand that a value to blame comes from, if it is certain which."""
        if not self.is_direct or self.call is None or self.span is None or culprit is UNKNOWN:
            return None
        if len(self.operands) != len(self.call.operands):
            return None
        pairs = list(zip(self.operands, self.call.operands, strict=True))
        same = [node for value, node in pairs if _is_same(value, culprit)]
        if not same:
            is_number = as_number(culprit) is not None
            unknown = [node for value, node in pairs if value is UNKNOWN]
            same = [node for node in unknown if is_number or not _gives_number(node, program)]
        span = same[0].span if len(same) == 1 else None
        return span if span is not None and self.span.start <= span.start < span.end <= self.span.end else None


def _is_same(value: Any, culprit: Any) -> bool:
    """Whether a value is the one to blame, or the string that it is a copy of, such as a file's name."""
    is_copy = type(value) is String and type(culprit) is String and value.text == culprit.text
    return value is culprit or is_copy


def _gives_number(node: core.Node, program: ProgramNames) -> bool:
    """Whether an expression is a call of a standard procedure that can only give a number."""
    if not isinstance(node, core.Call) or not isinstance(node.operator, core.Global):
        return False
    found = TABLE.get(node.operator.name, {}).get(len(node.operands))
    return found is not None and found.is_number and node.operator.name not in program.bindings


def find_site(stack: FailedStack) -> Site:
    """The innermost call in compiled code that led to the failure; an empty site if there is none."""
    groups = stack.groups
    index = next((index for index in reversed(range(len(groups))) if groups[index].origin is not None), None)
    if index is None:
        return Site()
    loop = next((at for at in reversed(range(index + 1, len(groups))) if groups[at].is_tail_call_loop), None)
    if loop is not None:
        return _site_of_tail_call(stack, loop, stack.span_of(groups[index]))
    group, inner = groups[index], groups[index + 1 :]
    span, nodes, failed = stack.span_of(group), stack.nodes_of(group), _failed(inner)
    call = next((node for node in nodes if isinstance(node, core.Call)), None)
    if call is None:
        return Site(span, nodes, failed=failed, is_direct=not inner)
    operator = stack.value(call.operator, group)
    known = primitive_of(operator)
    hidden = f"%{known.names[0]}" if known is not None else None  # what compiled code may call instead
    is_direct = failed is None or ((failed is known or failed.names[0] == hidden) and _is_only_primitive(inner))
    operands = [stack.value(operand, group) for operand in call.operands]
    if is_direct and failed is not None:
        passed = arguments_of(inner[0], failed)
        if len(passed) == len(operands):
            both = zip(operands, passed, strict=True)
            operands = [argument if value is UNKNOWN else value for value, argument in both]
    return Site(span, nodes, call, operator, operands, failed, is_direct)


def with_failed(called: Site, stack: FailedStack) -> Site:
    """The site of a call that no compiled code has made, with the standard procedure in which it failed."""
    failed = _failed(stack.groups)
    is_direct = failed is None or (failed is primitive_of(called.operator) and _is_only_primitive(stack.groups))
    return replace(called, failed=failed, is_direct=is_direct)


def _site_of_tail_call(stack: FailedStack, index: int, span: Span | None) -> Site:
    """The site of the tail call that the loop at an index ran, which was entered by a call at a span."""
    lost = _lost_call(stack, index)
    after = stack.groups[index + 1 :]
    failed = _failed(after)
    if lost is None:
        return Site(span, failed=failed)
    call = lost.call
    register = stack.groups[index].frame.f_locals
    if len(call.operands) != len(register["arguments"]):  # called through `apply`
        return Site(call.span, (call,), call, failed=failed, lost=lost)
    is_direct = _is_only_primitive(after)
    return Site(call.span, (call,), call, register["procedure"], register["arguments"], failed, is_direct, lost)


def _failed(inner: Sequence[FrameGroup]) -> Primitive | None:
    """The innermost standard procedure among frames."""
    for group in reversed(inner):
        known = group.primitive
        if known is not None or group.is_tail_call_loop:
            return known
    return None


def _is_only_primitive(inner: Sequence[FrameGroup]) -> bool:
    return sum(group.primitive is not None for group in inner) <= 1


def arguments_of(group: FrameGroup, known: Primitive) -> list[Any]:
    """The arguments of the frame of a standard procedure, as far as they were given."""
    code, values = known.function.__code__, group.frame.f_locals
    if group.primitive is not known:
        return []
    least, most = known.arity
    found = [values.get(parameter) for parameter in code.co_varnames[: code.co_argcount]]
    while len(found) > least and found[-1] is None:
        found.pop()
    if most is None:
        rest = values.get(code.co_varnames[code.co_argcount + code.co_kwonlyargcount])
        found += rest if isinstance(rest, tuple) else ()
    return [UNKNOWN if value is None else value for value in found]


# ── the search for a tail call whose own frame is gone, though what it called has failed ──────────────────────────────


def _lost_call(stack: FailedStack, index: int) -> LostCall | None:
    """The tail call that was pending when it failed in the frame at an index; None if it can't be told.

    It is the only one that fits in the procedure that was entered, and in those that it may have been left for.
    """
    register = stack.groups[index].frame.f_locals
    if "arguments" not in register:
        return None  # interrupted before it took up the pending call
    callee, arguments = register["procedure"], register["arguments"]
    entered, passed = _entered(stack, stack.groups[index - 1])
    if any(procedure is callee for procedure in passed):
        return None  # called by `apply` or the like, not from compiled code
    calls = _tail_calls(stack, [*entered, *passed])
    fitting = [found for found in calls if _fits(stack, found.call, callee, arguments)]
    return fitting[0] if len(fitting) == 1 else None


def _entered(stack: FailedStack, group: FrameGroup) -> tuple[list[Any], list[Any]]:
    """The procedures that a frame calls itself, and those that it gives to standard procedures, which may call them."""
    if group.origin is None:
        return [], [value for value in group.frame.f_locals.values() if type(value) is FunctionType]
    called: list[Any] = []
    passed: list[Any] = []
    for node in stack.nodes_of(group):
        if isinstance(node, core.Call):
            operator = stack.value(node.operator, group)
            known = primitive_of(operator)
            if known is None:
                called.append(operator)
            elif known.tail_calls:
                passed += [stack.value(operand, group) for operand in node.operands]
    return called, passed


def _tail_calls(stack: FailedStack, entered: Iterable[Any]) -> Iterator[LostCall]:
    """The tail calls in the bodies of these procedures, and of those that they call in tail position."""
    waiting = deque(_bodies(entered))
    seen: set[core.Lambda] = set()
    while waiting and len(seen) < MOST_SEARCHED:
        procedure, inner = waiting.popleft()
        if procedure in seen:
            continue
        seen.add(procedure)
        for call in core.tail_expressions(procedure.body):
            if not isinstance(call, core.Call):
                continue
            yield LostCall(call, procedure)
            if not isinstance(call.operator, core.Local):
                waiting += _bodies([stack.value(call.operator, None)])
            elif call.operator.variable in inner:
                waiting.append((inner[call.operator.variable], inner))


def _fits(stack: FailedStack, call: core.Call, callee: Value, arguments: tuple[Value, ...]) -> bool:
    operator = stack.value(call.operator, None)
    known = primitive_of(operator)
    operands = [stack.value(operand, None) for operand in call.operands]
    if known is not None and known.tail_calls:
        return any(value is UNKNOWN or value is callee for value in operands)
    if operator is not UNKNOWN and operator is not callee:
        return False
    return len(operands) == len(arguments) and all(
        value is UNKNOWN or value is argument or (type(value) is int and value == argument)
        for value, argument in zip(operands, arguments, strict=True)
    )


def _bodies(procedures: Iterable[Any]) -> Iterator[tuple[core.Lambda, dict[core.Variable, core.Lambda]]]:
    """The lambdas of compiled procedures, each with the procedures bound to variables around and inside it."""
    for procedure in procedures:
        origin = info_of(procedure.__code__) if type(procedure) is FunctionType else None
        if origin is not None and origin.procedure is not None:
            yield origin.procedure, core.bound_lambdas(origin.unit.root)
