"""`FailedStack`: the frames of a traceback, the source text that each was at, and the values at hand there."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import islice
from types import CodeType, FrameType, TracebackType
from typing import Any, NamedTuple

from minischeme.compiler.assembly import CodeInfo, Unit, info_of
from minischeme.compiler.entry_stubs import STUB
from minischeme.compiler.higher_order import HIDDEN
from minischeme.compiler.names import Names
from minischeme.data.abbreviate import abbreviated, beginning
from minischeme.data.cpython import position_at
from minischeme.data.errors import Activation
from minischeme.data.printer import write
from minischeme.data.source import Span
from minischeme.data.values import Value, intern
from minischeme.diagnosis.hints import UNKNOWN, ProgramNames
from minischeme.evaluation.procedures import naming_expression
from minischeme.expansion import core
from minischeme.modules.files import library_file
from minischeme.primitives.parameters import at_most
from minischeme.primitives.registry import Primitive, primitive_of, primitive_of_code
from minischeme.runtime.boxes import Box, UnassignedCheckBox
from minischeme.runtime.names import standard_value
from minischeme.runtime.tail_calls import TailCall

INNERMOST = 2_000  # frames that are looked at, repeated ones counted once; a runaway recursion has millions
MOST_READ = 50 * INNERMOST  # of which some prove to have been left

MOST_ARGUMENTS = 8
LONGEST_ARGUMENT = 40
LARGEST_ARGUMENT = 10_000  # bits of a number: to write one takes time that grows as their square

_ENTERS_OTHER_TEXT = re.compile(
    r"\((environment-(?:assign!|define|lookup)|eval|import|include(?:-ci)?|load|read)(?=[ )])"
)
"""The forms and procedures by which one text has another one evaluated."""


class FrameGroup(NamedTuple):
    """Neighbouring frames at the same instruction of the same code."""

    frame: FrameType  # the innermost of them
    instruction: int  # the offset in the bytecode
    times: int

    @property
    def origin(self) -> CodeInfo | None:
        """The compiler's facts about the frame's code; None for Python's own."""
        return info_of(self.frame.f_code)

    @property
    def primitive(self) -> Primitive | None:
        """The primitive that the frames are of."""
        return primitive_of_code(self.frame.f_code)

    @property
    def is_tail_call_loop(self) -> bool:
        """Whether the code is the loop that runs pending tail calls."""
        return self.frame.f_code is TailCall.run.__code__


class FailedStack:
    """The stack of a failed run. `groups` are its frames, outermost first."""

    def __init__(self, traceback: TracebackType | None, program: ProgramNames) -> None:
        self._nodes = cache(_nodes_by_start)
        self._parents = cache(_parents)
        self.groups = _frame_groups(traceback, self._may_repeat)
        self.program = program
        self._names = cache(Names.of_unit)

    def activations(self, failed: Span | None) -> Iterator[Activation]:
        """The active procedures when an expression failed, innermost first, with the forms that ran other texts."""
        shown = 0
        source = failed.source if failed is not None else None
        for group in reversed(self.groups):
            origin = group.origin
            if origin is None:
                continue
            for procedure, span in self._procedures(group, origin):
                if procedure is not None:
                    is_detailed = shown < MOST_ARGUMENTS
                    arguments = self._arguments(group, procedure) if is_detailed else ""
                    variables = _variables(group, origin.unit, procedure) if is_detailed else None
                    shown += 1
                    file = library_file(span.source.name) if span is not None else None
                    yield Activation(procedure.name or "lambda", span, group.times, arguments, file, variables)
                elif span is not None and span.source is not source and not span.source.is_interactive:
                    entered = _ENTERS_OTHER_TEXT.match(span.text)
                    if entered is not None:
                        yield Activation(entered[1], span)
                source = span.source if span is not None else source

    def _procedures(self, group: FrameGroup, origin: CodeInfo) -> list[tuple[core.Lambda | None, Span | None]]:
        """The lambdas whose bodies a frame of compiled code was evaluating, innermost first, each with the expression
        that it was at: those that loops over elements are made of, and the frame's own, None for the form itself, or
        the one that is inlined there."""
        found: list[tuple[core.Lambda | None, Span | None]] = []
        span = self.span_of(group)
        node = None if span is None else self._nodes(origin.unit).get(span.start)
        while node is not None and node is not origin.procedure:
            if isinstance(node, core.Lambda) and node in origin.unit.inlined.values():
                return [*found, (node, span)]
            parent = self._parents(origin.unit).get(node)
            if isinstance(node, core.Lambda) and isinstance(parent, core.Call) and node is not parent.operator:
                found.append((node, span))
                span = parent.span
            node = parent
        return [*found, (origin.procedure, span)]

    def _may_repeat(self, group: FrameGroup) -> bool:
        """Whether frames at one place are shown as one: not those of several procedures."""
        return group.origin is None or len(self._procedures(group, group.origin)) == 1

    def _arguments(self, group: FrameGroup, procedure: core.Lambda) -> str:
        """The parameters of an active procedure with their current values."""
        values = [(each.name, self.value(core.Local(None, each), group)) for each in procedure.all_parameters]
        known = self.program.bindings
        return ", ".join(f"{name} = {shown_argument(value, known)}" for name, value in values if value is not UNKNOWN)

    def span_of(self, group: FrameGroup) -> Span | None:
        """The span that a frame of compiled code was at: the start of an instruction's position tells which."""
        origin = group.origin
        if origin is None:
            return None
        line, _, column, _ = position_at(group.frame.f_code, group.instruction)
        root = origin.unit.root
        if root.span is None or line is None or column is None:
            return origin.span
        found = self._nodes(origin.unit).get(root.span.source.offset(line, column))
        return origin.span if found is None else found.span

    def nodes_of(self, group: FrameGroup) -> list[core.Node]:
        """The core expressions that a frame of compiled code was at."""
        span = self.span_of(group)
        roots = group.origin.unit.roots if group.origin else []
        return [node for root in roots for node in core.nodes(root) if node.span == span]

    def roots(self) -> list[core.Node]:
        """The top-level forms whose code was active, outermost first."""
        return [group.origin.unit.root for group in self.groups if group.origin is not None]

    def value(self, node: core.Node, group: FrameGroup | None) -> Any:
        """The value of a constant or variable, `UNKNOWN` for other expressions, and for local ones without a frame."""
        if isinstance(node, core.Constant):
            return node.value
        if isinstance(node, core.Local) and group is not None and group.origin is not None:
            name = self._names(group.origin.unit).variables[node.variable]
            return _unboxed(group.frame.f_locals.get(name, UNKNOWN))
        if isinstance(node, core.Standard):
            return standard_value(self.program.library, node.name)
        if isinstance(node, core.Global):
            return self.program.value(node.name)
        return UNKNOWN

    def computed(self, node: core.Node, group: FrameGroup) -> Any:
        """The value of a constant or variable, or of a call of standard procedures with such, made once more."""
        if not isinstance(node, core.Call):
            return self.value(node, group)
        procedure = self.value(node.operator, group)
        if primitive_of(procedure) is None:
            return UNKNOWN
        return procedure(*[self.computed(operand, group) for operand in node.operands])


def _nodes_by_start(unit: Unit) -> dict[int, core.Node]:
    return {node.span.start: node for root in unit.roots for node in core.nodes(root) if node.span is not None}


def _parents(unit: Unit) -> dict[core.Node, core.Node]:
    return {node: parent for root in unit.roots for node, parent in core.parents(root).items()}


def _variables(group: FrameGroup, unit: Unit, procedure: core.Lambda) -> Callable[[], dict[str, Value]]:
    """A function that gives the current variables of an active procedure, and of those around it that it knows."""
    values = dict(group.frame.f_locals)  # without the frame, which keeps all those around it
    root = procedure if procedure in unit.inlined.values() else unit.root
    bound = set(core.bound_variables(root))

    def named() -> dict[str, Value]:
        names = Names.of_unit(unit).variables
        found = {each.name: _unboxed(values.get(name, UNKNOWN)) for each, name in names.items() if each in bound}
        return {
            name: value
            for name, value in found.items()
            if value is not UNKNOWN and value is not None and name[:1] != "%"
        }

    return named


def _unboxed(value: Any) -> Any:
    """The value of a local, `UNKNOWN` for one in a box that has none yet."""
    return getattr(value, "value", UNKNOWN) if type(value) in (Box, UnassignedCheckBox) else value


def shown_argument(value: Value, bindings: Mapping[str, Value]) -> str:
    """A value as `write` shows it, or the beginning of it; a procedure by its name among the program's bindings."""

    def atom(part: Value) -> Value:
        is_huge = type(part) is int and part.bit_length() > LARGEST_ARGUMENT
        return intern("...") if is_huge else naming_expression(part, bindings)

    return abbreviated(write(beginning(value, LONGEST_ARGUMENT, 3, atom)), LONGEST_ARGUMENT + 1)


# ── reading a traceback, innermost frame first ───────────────────────────────────────────────────────────────────────


def _frame_groups(traceback: TracebackType | None, may_repeat: Callable[[FrameGroup], bool]) -> list[FrameGroup]:
    """The innermost frames of a traceback that count, outermost first; those that may not repeat stay apart."""
    entries: list[TracebackType] = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if code.co_filename != STUB and id(code) not in HIDDEN:
            entries.append(traceback)
        traceback = traceback.tb_next
    merged = _merge_repeats(((entry.tb_frame, entry.tb_lasti, 1) for entry in reversed(entries)), may_repeat)
    groups = list(islice(merged, MOST_READ))
    if groups and groups[0].frame.f_code is at_most.__code__:
        del groups[:2]  # the call of a procedure with optional parameters failed before its body began
    return list(islice(_merge_repeats(_drop_tail_callers(groups), may_repeat), INNERMOST))[::-1]


def _merge_repeats(
    frames: Iterable[tuple[FrameType, int, int]], may_repeat: Callable[[FrameGroup], bool]
) -> Iterator[FrameGroup]:
    """The frames, and groups of them, with neighbours at the same instruction as one group."""
    code: CodeType | None = None
    innermost: FrameType | None = None
    instruction = count = 0
    for frame, at, times in frames:  # a loop, since a runaway recursion has millions
        if frame.f_code is code and at == instruction:
            count += times
            continue
        if innermost is not None:
            yield FrameGroup(innermost, instruction, count)
        innermost, instruction, count = frame, at, times
        code = frame.f_code if may_repeat(FrameGroup(frame, at, times)) else None
    if innermost is not None:
        yield FrameGroup(innermost, instruction, count)


def _drop_tail_callers(groups: Iterable[FrameGroup]) -> Iterator[FrameGroup]:
    """The frames without those of procedures that have made a tail call, and so are no longer active."""
    has_compiled_inside = False
    for group in groups:
        origin = group.origin
        if origin is None:
            yield group
            continue
        if not has_compiled_inside or not origin.is_transparent(group.frame.f_code, group.instruction):
            yield group
        has_compiled_inside = True
