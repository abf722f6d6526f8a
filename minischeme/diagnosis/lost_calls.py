"""The search for a tail call whose own frame is gone, though what it called has failed."""

from collections import deque
from collections.abc import Iterable, Iterator
from types import FunctionType
from typing import Any, NamedTuple

from minischeme.compiler.assembly import info_of
from minischeme.data.values import Value
from minischeme.diagnosis.program import UNKNOWN
from minischeme.diagnosis.stack import FailedStack, FrameGroup
from minischeme.expansion import core
from minischeme.primitives.registry import primitive_of

MOST_SEARCHED = 200  # procedures


class LostCall(NamedTuple):
    """A call in tail position, which ended the frame of the procedure that made it."""

    call: core.Call
    procedure: core.Lambda  # that it stands in, or in a loop of


def lost_call(stack: FailedStack, index: int) -> LostCall | None:
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
    return len(operands) == len(arguments) and all(map(_may_be, operands, arguments))


def _may_be(value: Any, argument: Value) -> bool:
    return value is UNKNOWN or value is argument or (type(value) is int and value == argument)


def _bodies(procedures: Iterable[Any]) -> Iterator[tuple[core.Lambda, dict[core.Variable, core.Lambda]]]:
    """The lambdas of compiled procedures, each with the procedures bound to variables around and inside it."""
    for procedure in procedures:
        origin = info_of(procedure.__code__) if type(procedure) is FunctionType else None
        if origin is not None and origin.procedure is not None:
            binds = [node for node in core.nodes(origin.unit.root) if isinstance(node, core.Bind)]
            yield origin.procedure, {node.variable: node.value for node in binds if isinstance(node.value, core.Lambda)}
