"""Where a failed run was: the frames of a traceback, the source that each was at, and the values at hand there.

Leaves what went wrong to `diagnosis`.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import CodeType, FrameType, FunctionType, TracebackType
from typing import Any, NamedTuple

from minischeme.compiler.assembly import CodeInfo, Unit, info_of
from minischeme.compiler.names import Names
from minischeme.data.abbreviate import abbreviated, beginning
from minischeme.data.cpython import position_at
from minischeme.data.errors import Activation
from minischeme.data.printer import write
from minischeme.data.source import Span
from minischeme.data.values import Value, intern
from minischeme.evaluation.procedures import naming_expression
from minischeme.expansion import core
from minischeme.modules.files import library_file
from minischeme.primitives.parameters import at_most
from minischeme.primitives.registry import Primitive, primitive_of
from minischeme.runtime.boxes import Box, UnassignedCheckBox
from minischeme.runtime.names import python_name, standard_value
from minischeme.runtime.tail_calls import TailCall

INNERMOST = 2_000
"""So many of the innermost frames are looked at, repeated ones counted once; a runaway recursion has millions."""

MOST_RUNS = 50 * INNERMOST
"""So many are read, of which some prove to have been left."""

MOST_SEARCHED = 200
"""So many procedures are searched for a tail call."""

_ENTERS_OTHER_TEXT = re.compile(
    r"\((environment-(?:assign!|define|lookup)|eval|import|include|include-ci|load|read)(?=[ )])"
)
"""The forms and procedures by which one text has another one evaluated."""

UNKNOWN = object()
"""In the place of a value that can't be had without evaluating something again."""


class Run(NamedTuple):
    """A frame that was active.

    Args: frame: the innermost, of several at the same place. instruction: the bytecode's offset. times: how many.
    """

    frame: FrameType
    instruction: int
    times: int

    @property
    def origin(self) -> CodeInfo | None:
        """Where the frame's code comes from; None for Python's own."""
        return info_of(self.frame.f_code)


class TailCallPlace(NamedTuple):
    """A call in tail position that a procedure left its frame by.

    Args: call: the call. procedure: the lambda that it stands in, or in a loop of.
    """

    call: core.Call
    procedure: core.Lambda


class Places:
    """What can be found out about the place of a failure.

    Args: traceback: of the exception. library, user_globals: the bindings of the session. primitives: those of the
    library by the identity of their code.

    `runs` are the frames, outermost first.
    """

    def __init__(
        self,
        traceback: TracebackType | None,
        library: dict[str, Value],
        user_globals: dict[str, Value],
        primitives: Mapping[int, Primitive],
    ) -> None:
        self.runs = list(deque(_active(_begun(_runs(traceback))), maxlen=INNERMOST))
        self._library = library
        self._user_globals = user_globals
        self._primitives = primitives
        self._spans: dict[Unit, dict[int, Span]] = {}
        self._names: dict[Unit, Names] = {}

    # ── source ───────────────────────────────────────────────────────────────────────────────────────────────────

    def activations(self, place: Span | None) -> Iterator[Activation]:
        """The compiled procedures that were active, innermost first, and what led from one file's text into another's.

        Args: place: where the innermost of them, or what it entered, failed.
        """
        shown = 0
        source = place.source if place is not None else None
        for run in reversed(self.runs):
            origin = run.origin
            if origin is None:
                continue
            span = self.span_of(run)
            parameters = _parameters(origin.procedure)
            if parameters is not None:
                is_detailed = shown < MOST_ARGUMENTS
                arguments = self._arguments(run, parameters) if is_detailed else ""
                variables = _variables(run, origin.unit) if is_detailed else None
                shown += 1
                file = library_file(span.source.name) if span is not None else None
                yield Activation(origin.name or "lambda", span, run.times, arguments, file, variables)
            elif span is not None and span.source is not source and not span.source.is_interactive:
                entered = _ENTERS_OTHER_TEXT.match(span.text)
                if entered is not None:
                    yield Activation(entered[1], span)
            source = span.source if span is not None else source

    def _arguments(self, run: Run, variables: tuple[core.Variable, ...]) -> str:
        """The parameters of an active procedure with the values that they have now."""
        values = [(variable.name, self.value(core.Local(None, variable), run)) for variable in variables]
        known = self._user_globals
        return ", ".join(f"{name} = {_shown(value, known)}" for name, value in values if value is not UNKNOWN)

    def span_of(self, run: Run) -> Span | None:
        """The text that a frame of compiled code was at: the start of an instruction's position tells which."""
        origin = run.origin
        if origin is None:
            return None
        line, _, column, _ = position_at(run.frame.f_code, run.instruction)
        root = origin.unit.root
        if root.span is None or line is None or column is None:
            return origin.span
        spans = self._spans.get(origin.unit)
        if spans is None:
            spans = {node.span.start: node.span for node in core.nodes(root) if node.span is not None}
            self._spans[origin.unit] = spans
        return spans.get(root.span.source.offset(line, column), origin.span)

    def nodes_of(self, run: Run) -> list[core.Node]:
        """The core expressions that stand where a frame of compiled code was."""
        span = self.span_of(run)
        return [node for node in core.nodes(run.origin.unit.root) if node.span == span] if run.origin else []

    # ── values ───────────────────────────────────────────────────────────────────────────────────────────────────

    def value(self, node: core.Node, run: Run | None) -> Any:
        """The value of a constant or variable, `UNKNOWN` for other expressions.

        Args: run: the frame that has the local variables, None if it is gone.
        """
        if isinstance(node, core.Constant):
            return node.value
        if isinstance(node, core.Local) and run is not None and run.origin is not None:
            unit = run.origin.unit
            if unit not in self._names:
                self._names[unit] = unit.generate()[0].names
            return _unboxed(run.frame.f_locals.get(self._names[unit].of(node.variable), UNKNOWN))
        if isinstance(node, core.Standard):
            return standard_value(self._library, node.name)
        if isinstance(node, core.Global):
            return self.global_value(node.name)
        return UNKNOWN

    def global_value(self, name: str) -> Any:
        """The value of a global variable, `UNKNOWN` if it is not bound."""
        return self._user_globals.get(python_name(name), self._library.get(python_name(name), UNKNOWN))

    def primitive_of(self, code: CodeType) -> Primitive | None:
        """The primitive that a frame's code is of."""
        return self._primitives.get(id(code))

    # ── tail calls ───────────────────────────────────────────────────────────────────────────────────────────────

    def lost_tail_call(self, index: int) -> TailCallPlace | None:
        """The tail call that led to what failed, whose own frame is gone; None if it can't be told.

        The procedure that was entered is searched for the only tail call that fits, and so are those that it may have
        been left for.

        Args: index: of the frame that ran the pending tail call.
        """
        register = self.runs[index].frame.f_locals
        if "arguments" not in register:
            return None  # interrupted before it took up the pending call
        callee, arguments = register["procedure"], register["arguments"]
        entered, passed = self._entered(self.runs[index - 1])
        if any(procedure is callee for procedure in passed):
            return None  # called by `apply` or the like, not from compiled code
        found = list(_TailCalls(self, callee, arguments).search(entered + passed))
        return found[0] if len(found) == 1 else None

    def _entered(self, run: Run) -> tuple[list[Any], list[Any]]:
        """The procedures that a frame may have entered: by a call of its own, and by passing them on."""
        if run.origin is None:
            return [], [value for value in run.frame.f_locals.values() if type(value) is FunctionType]
        called: list[Any] = []
        passed: list[Any] = []
        for node in self.nodes_of(run):
            if isinstance(node, core.Call):
                operator = self.value(node.operator, run)
                known = primitive_of(operator)
                if known is None:
                    called.append(operator)
                elif known.tail_calls:
                    passed += [self.value(operand, run) for operand in node.operands]
        return called, passed


class _TailCalls:
    """The search for the tail calls by which a procedure can have been called.

    Args: callee: that procedure, or what stood in the place of one. arguments: what it was called with.
    """

    def __init__(self, places: Places, callee: Value, arguments: tuple[Value, ...]) -> None:
        self._places = places
        self._callee = callee
        self._arguments = arguments

    def search(self, entered: list[Any]) -> Iterator[TailCallPlace]:
        """The calls that fit, in the bodies of these procedures and of those that they end with a call of."""
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
                if self._fits(call):
                    yield TailCallPlace(call, procedure)
                if isinstance(call.operator, core.Local):
                    bound = inner.get(call.operator.variable)
                    if bound is not None:
                        waiting.append((bound, inner))
                else:
                    waiting += _bodies([self._places.value(call.operator, None)])

    def _fits(self, call: core.Call) -> bool:
        operator = self._places.value(call.operator, None)
        known = primitive_of(operator)
        if known is not None and known.tail_calls:
            values = [self._places.value(operand, None) for operand in call.operands]
            return any(value is UNKNOWN or value is self._callee for value in values)
        if operator is not UNKNOWN and operator is not self._callee:
            return False
        if len(call.operands) != len(self._arguments):
            return False
        for operand, argument in zip(call.operands, self._arguments, strict=True):
            value = self._places.value(operand, None)
            if value is not UNKNOWN and value is not argument and not (type(value) is int and value == argument):
                return False
        return True


def _variables(run: Run, unit: Unit) -> Callable[[], dict[str, Value]]:
    """What gives the variables of an active procedure, and of those around it that it knows, as they are now."""
    values = dict(run.frame.f_locals)  # without the frame, which keeps all those around it

    def named() -> dict[str, Value]:
        names = unit.generate()[0].names
        found = {variable.name: _unboxed(values.get(names.of(variable), UNKNOWN)) for variable in names.variables()}
        return {name: value for name, value in found.items() if value is not UNKNOWN and value is not None}

    return named


def _unboxed(value: Any) -> Any:
    """The value of a local, `UNKNOWN` for one in a box that has none yet."""
    return getattr(value, "value", UNKNOWN) if type(value) in (Box, UnassignedCheckBox) else value


def _parameters(procedure: core.Lambda | None) -> tuple[core.Variable, ...] | None:
    """The variables that hold the parameters of a procedure; None for a form's own code."""
    if procedure is None or procedure.rest is None:
        return None if procedure is None else procedure.parameters
    return (*procedure.parameters, procedure.rest)


def info_of_procedure(procedure: Any) -> CodeInfo | None:
    """Where a compiled procedure comes from; None for anything else."""
    return info_of(procedure.__code__) if type(procedure) is FunctionType else None


def _bodies(procedures: list[Any]) -> list[tuple[core.Lambda, dict[core.Variable, core.Lambda]]]:
    """The lambdas of compiled procedures, each with the procedures bound to variables around and inside it."""
    found = []
    for procedure in procedures:
        origin = info_of_procedure(procedure)
        if origin is not None and origin.procedure is not None:
            bound = {
                node.variable: node.value
                for node in core.nodes(origin.unit.root)
                if isinstance(node, core.Bind) and isinstance(node.value, core.Lambda)
            }
            found.append((origin.procedure, bound))
    return found


def is_tail_call_loop(run: Run) -> bool:
    """Whether a frame is that of the loop which runs pending tail calls."""
    return run.frame.f_code is TailCall.run.__code__


def _runs(traceback: TracebackType | None) -> Iterator[Run]:
    """The innermost frames of a traceback, outermost first, each with the instruction that it was at.

    Neighbours at the same place are given once, as the innermost of them, with their number.
    """
    entries: list[TracebackType] = []
    while traceback is not None:
        entries.append(traceback)
        traceback = traceback.tb_next
    runs: list[Run] = []
    code: CodeType | None = None
    instruction = times = 0
    frame: FrameType | None = None
    for entry in reversed(entries):
        outer = entry.tb_frame
        if outer.f_code is code and entry.tb_lasti == instruction:
            times += 1
            continue
        if frame is not None:
            runs.append(Run(frame, instruction, times))
            if len(runs) > MOST_RUNS:
                return reversed(runs)
        frame, code, instruction, times = outer, outer.f_code, entry.tb_lasti, 1
    if frame is not None:
        runs.append(Run(frame, instruction, times))
    return reversed(runs)


def _begun(runs: Iterable[Run]) -> Iterator[Run]:
    """The frames without that of a procedure with optional parameters that did not begin: the call of it failed."""
    last: deque[Run] = deque()
    for run in runs:
        last.append(run)
        if len(last) > 2:
            yield last.popleft()
    if last and last[-1].frame.f_code is not at_most.__code__:
        yield from last


def _active(runs: Iterable[Run]) -> Iterator[Run]:
    """The frames without those of procedures that have called another one in tail position, and so count as left.

    Neighbours at the same place that come of that are given once too.
    """
    before: Run | None = None
    for run in _without_left(runs):
        if before is not None:
            if before.frame.f_code is run.frame.f_code and before.instruction == run.instruction:
                run = run._replace(times=before.times + run.times)
            else:
                yield before
        before = run
    if before is not None:
        yield before


def _without_left(runs: Iterable[Run]) -> Iterator[Run]:
    waiting: list[Run] = []  # the last of compiled code, which may turn out to be left, and Python's own inside it
    for run in runs:
        if run.origin is not None:
            first = waiting[0].origin if waiting else None
            is_left = first is not None and first.is_transparent(waiting[0].frame.f_code, waiting[0].instruction)
            yield from waiting[1:] if is_left else waiting
            waiting.clear()
        waiting.append(run)
    yield from waiting


def _shown(value: Value, bindings: Mapping[str, Value]) -> str:
    """A value as `write` shows it, or the beginning of it; a procedure by its name among the program's bindings."""

    def atom(part: Value) -> Value:
        is_huge = type(part) is int and part.bit_length() > LARGEST_ARGUMENT
        return intern("...") if is_huge else naming_expression(part, bindings)

    return abbreviated(write(beginning(value, LONGEST_ARGUMENT, 3, atom)), LONGEST_ARGUMENT + 1)


MOST_ARGUMENTS = 8
LONGEST_ARGUMENT = 40
LARGEST_ARGUMENT = 10_000
"""Bits of a number: to write one takes time that grows as their square."""
