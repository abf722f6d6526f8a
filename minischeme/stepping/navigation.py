"""The ways from one step of a recorded run to another: each gives the number of a step, that of the end included."""

from collections.abc import Callable, Hashable

from minischeme.compiler.assembly import info_of
from minischeme.data.values import untraced
from minischeme.expansion import core
from minischeme.primitives.registry import primitive_of
from minischeme.stepping.recording import RecordedRun, State


def over(run: RecordedRun, number: int) -> int:
    """The step after a call has returned; after any other step, the next one."""
    is_call = number < len(run.steps) and run.steps[number].kind == "call"
    return _return(run, number, run.steps[number].outer) if is_call else number + 1


def out(run: RecordedRun, number: int) -> int:
    """The step after the procedure has returned that is running."""
    call = run.steps[number].frame.call if number < len(run.steps) else None
    return _return(run, number, call.caller if call is not None else None)


def _return(run: RecordedRun, number: int, caller: State | None) -> int:
    returns = caller.returns if caller is not None else ()
    return next((found for found in returns if found > number), len(run.steps))


def next_calls(run: RecordedRun) -> list[int | None]:
    """For each step the next call of the procedure that it calls, or else is running; None where there is none."""
    return _next_of_each(run, _procedure, lambda step: step.kind == "call")


def next_changes(run: RecordedRun, name: str = "") -> list[int | None]:
    """For each step the next one that changes a variable of that name, or any variable or datum."""
    return _next_of_each(run, lambda _: None, lambda step: _changes(step, name))


def _next_of_each(
    run: RecordedRun, key: Callable[[State], Hashable], matches: Callable[[State], bool]
) -> list[int | None]:
    """For each step, and for the end, the next one that matches and has the same key."""
    found: list[int | None] = [None]
    known: dict[Hashable, int] = {}
    for number, step in reversed([*enumerate(run.steps)]):
        found.append(known.get(key(step)))
        if matches(step):
            known[key(step)] = number
    return found[::-1]


def _procedure(step: State) -> Hashable:
    """The lambda of a procedure, which all closures made of it have; of a standard procedure, that itself."""
    if step.kind != "call":
        return id(step.frame.call.procedure) if step.frame.call is not None else None
    procedure = untraced(step.procedure)
    info = info_of(procedure.__code__) if hasattr(procedure, "__code__") else None
    return id(procedure if info is None else info.procedure)


def _changes(step: State, name: str) -> bool:
    node = step.node
    if isinstance(node, core.SetLocal | core.SetGlobal | core.Define):
        return name in ("", node.variable.name if isinstance(node, core.SetLocal) else node.name)
    known = primitive_of(step.procedure) if step.kind == "call" and not name else None
    return known is not None and known.names[0].endswith("!")


def next_found(run: RecordedRun, number: int, matches: Callable[[int], bool]) -> int | None:
    """The next step whose number matches, from the first one on after the last; None if there is none."""
    return next(filter(matches, [*range(number + 1, len(run.steps)), *range(min(number + 1, len(run.steps)))]), None)
