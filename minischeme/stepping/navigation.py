"""The ways from one step of a recorded run to another: each gives the number of a step, that of the end included."""

from collections.abc import Callable, Hashable

from minischeme.data.cpython import last_constant
from minischeme.data.values import untraced
from minischeme.expansion import core
from minischeme.primitives.registry import primitive_of
from minischeme.stepping.recording import RecordedRun, Step, Waiting, called


def over(run: RecordedRun, number: int) -> int:
    """The step after a call has returned; after any other step, the next one."""
    is_call = number < len(run.steps) and run.steps[number].kind == "call"
    return _return(run, number, run.steps[number].waiting) if is_call else number + 1


def out(run: RecordedRun, number: int) -> int:
    """The step after the procedure has returned that is running."""
    call = run.steps[number].frame.call if number < len(run.steps) else None
    return _return(run, number, call.waiting if call is not None else None)


def _return(run: RecordedRun, number: int, waiting: Waiting | None) -> int:
    returns = waiting.returns if waiting is not None else ()
    return next((found for found in returns if found > number), len(run.steps))


def next_calls(run: RecordedRun) -> list[int | None]:
    """For each step the next call of the procedure that it calls, or else is running; None where there is none."""
    return _next_of_each(run, _procedure, lambda step: step.kind == "call")


def next_changes(run: RecordedRun, name: str = "") -> list[int | None]:
    """For each step the next one that changes a variable of that name, or any variable or datum."""
    return _next_of_each(run, lambda _: None, lambda step: _changes(step, name))


def _next_of_each(
    run: RecordedRun, key: Callable[[Step], Hashable], matches: Callable[[Step], bool]
) -> list[int | None]:
    """For each step, and for the end, the next one that matches and has the same key."""
    found: list[int | None] = [None]
    known: dict[Hashable, int] = {}
    for number in reversed(range(len(run.steps))):
        step = run.steps[number]
        found.append(known.get(key(step)))
        if matches(step):
            known[key(step)] = number
    return found[::-1]


def _procedure(step: Step) -> Hashable:
    """The lambda of a procedure, which all closures made of it have; of a standard procedure, that itself."""
    if step.kind != "call":
        return id(step.frame.call.procedure) if step.frame.call is not None else None
    procedure = untraced(called(step.node, step.values)[0])
    code = getattr(procedure, "__code__", None)
    return id(getattr(last_constant(code), "procedure", None) or procedure) if code is not None else id(procedure)


def _changes(step: Step, name: str) -> bool:
    node = step.node
    if isinstance(node, core.SetLocal):
        return name in ("", node.variable.name)
    if isinstance(node, core.SetGlobal | core.Define):
        return name in ("", node.name)
    known = primitive_of(called(step.node, step.values)[0]) if step.kind == "call" and not name else None
    return known is not None and known.names[0].endswith("!")


def next_found(run: RecordedRun, number: int, matches: Callable[[int], bool]) -> int | None:
    """The next step whose number matches, from the first one on after the last; None if there is none."""
    return next(filter(matches, [*range(number + 1, len(run.steps)), *range(min(number + 1, len(run.steps)))]), None)
