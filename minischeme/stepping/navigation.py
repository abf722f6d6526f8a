"""The ways from one step of a recorded run to another: each gives the number of a step, that of the end included."""

from collections.abc import Callable

from minischeme.data.cpython import last_constant
from minischeme.data.values import Value, untraced
from minischeme.expansion import core
from minischeme.primitives.registry import primitive_of
from minischeme.stepping.recording import RecordedRun, Step, Waiting


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


def next_call(run: RecordedRun, number: int) -> int | None:
    """The next call of the procedure that is called, or else of the one that is running; None if there is none."""
    wanted = _procedure(run.steps[number])
    return _first(run, number + 1, lambda step: step.kind == "call" and _procedure(step) is wanted)


def next_of_each(run: RecordedRun) -> tuple[list[int | None], list[int | None]]:
    """The results of `next_call` and of `next_change` for all steps."""
    calls: list[int | None] = []
    changes: list[int | None] = []
    known: dict[object, int] = {}
    change: int | None = None
    for number in reversed(range(len(run.steps))):
        step = run.steps[number]
        calls.append(known.get(_procedure(step)))
        changes.append(change)
        if step.kind == "call":
            known[_procedure(step)] = number
        change = number if _changes(step, "") else change
    return calls[::-1], changes[::-1]


def _procedure(step: Step) -> object:
    if step.kind == "call":
        return procedure_key(step.values[0])
    return step.frame.call.procedure if step.frame.call is not None else None


def procedure_key(procedure: Value) -> object:
    """The lambda of a procedure, which all closures made of it have; any other procedure itself."""
    code = getattr(untraced(procedure), "__code__", None)
    return getattr(last_constant(code), "procedure", None) or procedure if code is not None else procedure


def next_change(run: RecordedRun, number: int, name: str = "") -> int | None:
    """The next step that changes a variable of that name, or any variable or datum; None if there is none."""
    return _first(run, number + 1, lambda step: _changes(step, name))


def _changes(step: Step, name: str) -> bool:
    node = step.node
    if isinstance(node, core.SetLocal):
        return name in ("", node.variable.name)
    if isinstance(node, core.SetGlobal | core.Define):
        return name in ("", node.name)
    known = primitive_of(step.values[0]) if step.kind == "call" and not name else None
    return known is not None and known.names[0].endswith("!")


def next_found(run: RecordedRun, number: int, matches: Callable[[int], bool]) -> int | None:
    """The next step whose number matches, from the first one on after the last; None if there is none."""
    return next(filter(matches, [*range(number + 1, len(run.steps)), *range(number + 1)]), None)


def _first(run: RecordedRun, start: int, matches: Callable[[Step], bool]) -> int | None:
    return next((number for number in range(start, len(run.steps)) if matches(run.steps[number])), None)
