"""`Pictures`: each step of a recorded run as code, the expression as it stands then, and as frames of variables.

The code is the text that the program's author wrote, with the values of what is evaluated in place of it. While
nothing was assigned, variables are replaced by their values, too, as in SICP 1.1.5; from the first assignment on the
frames show them, as in SICP 3.2.
"""

from functools import cache, partial
from types import FunctionType
from typing import TYPE_CHECKING

import msgspec

from minischeme.data.errors import report
from minischeme.data.source import Span
from minischeme.data.values import Pair, Value, intern, list_of
from minischeme.expansion import core
from minischeme.expansion.core import Lambda, Node
from minischeme.reading.forms import Spans
from minischeme.reading.reader import read_part
from minischeme.runtime.names import python_name
from minischeme.stepping import written
from minischeme.stepping.code import flat, fresh, laid_out, piece
from minischeme.stepping.opening import own_parts
from minischeme.stepping.recording import Entry, RecordedRun, RunFrame, State, evaluated_parts
from minischeme.stepping.values import ValueWriter
from minischeme.stepping.written import is_inside

if TYPE_CHECKING:
    from minischeme.session.session import Session

_MOST_WAITING = 40  # expressions around the present one that are shown
_DEEPEST_PROCEDURE = 2  # procedures inside procedures whose text is shown

_BEGIN = piece("begin", "begin")
_QUOTE = intern("quote")
_WITH_CLAUSES = tuple(map(intern, ("cond", "and", "or")))  # those that do not apply are left out

Holes = dict[Span, Value]
"""Code in place of parts of a text."""


class FramePicture(msgspec.Struct):
    """The variables of a call, or the global ones, whose `name` is ``global``."""

    name: str
    procedure: str  # whose call it is
    variables: list[tuple[str, str]]  # names and values


class StepPicture(msgspec.Struct):
    """The state of a run before a step: the expression, as code in lines with a part marked, and the frames."""

    text: str
    start: int  # of the marked part
    end: int
    frames: list[FramePicture]


class Pictures:
    """The pictures of a run that a session has recorded, to be used with the session's settings."""

    def __init__(self, session: "Session", run: RecordedRun) -> None:
        self._run = run
        self.values = ValueWriter(run)
        self._read = cache(partial(read_part, fold_case=session.dialect == "berkeley"))
        self._written_locals = cache(written.written_locals)
        self._written_variables = cache(written.written_variables)
        self._loop_values = cache(written.loop_values)

    def picture(self, number: int, width: int = 76) -> StepPicture:
        """The picture before the step of that number, in lines of a width."""
        marked = self._redex(number)
        (datum, caller), *others = self._stack(number, marked)
        text, start, end = laid_out(datum, marked, width - len(caller))
        start, end = (at + len(caller) * (1 + text.count("\n", 0, at)) for at in (start, end))
        text = _behind(caller, text)
        for datum, caller in others:
            around = _behind(caller, laid_out(datum, datum, width - len(caller))[0])
            text, start, end = f"{around}\n{text}", start + len(around) + 1, end + len(around) + 1
        return StepPicture(text, start, end, self.frames(number))

    def result(self) -> tuple[str, str]:
        """The end of the run: ``value``, ``error`` or ``ending``, and the text for it."""
        run = self._run
        if run.error is not None:
            return "error", report(run.error)
        return ("ending", run.ending) if run.value is None else ("value", self.values.text(run.value, len(run.steps)))

    def redex(self, number: int) -> str:
        """The expression that is reduced by a step, on one line."""
        return flat(self._redex(number))

    def _redex(self, number: int) -> Value:
        step = self._run.steps[number]
        return fresh(self._code(step.node, step.frame, number, step.values))

    def _stack(self, number: int, datum: Value) -> list[tuple[Value, str]]:
        """The expression that is evaluated, and those around it that have called it, innermost first; each with the
        standard procedure that has."""
        found: list[tuple[Value, str]] = []
        state = self._run.steps[number].outer
        procedure: Lambda | None = None
        for _ in range(_MOST_WAITING):
            if state is None:
                break
            node, frame = state.node, state.frame
            if node is None:
                procedure = state.values[0] if state.values else None
            elif not isinstance(state, Entry):
                datum = self._around(state, datum, number)
            elif procedure in core.children(node) and procedure and not is_inside(procedure.span, node.span):
                datum = self._code(node, frame, number, (), procedure.body, datum)  # a part of a form
            else:
                is_written = is_inside(node.operator.span, node.span)
                found.append((datum, f"{' '.join(node.operator.span.text.split()) if is_written else 'it'} calls "))
                datum = self._code(node, frame, number, state.values)
            state = state.outer
        return [*found, (datum if state is None else list_of([piece("…"), datum]), "")]

    # ── code ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def _around(self, state: State, datum: Value, number: int) -> Value:
        """The code of an expression whose part is evaluated, with code for that part."""
        node, frame, index = state.node, state.frame, len(state.values)
        part = node.parts[index] if isinstance(node, core.Sequence) else None
        if part is None or (isinstance(part, core.Bind) and not part.variable.is_recursive):
            return self._code(node, frame, number, state.values, state.part, datum)
        if isinstance(part, core.Bind):
            datum = self._code(part, frame, number, (), part.value, datum)
        is_hidden = part.span == node.span
        others = [other for other in node.parts[index + 1 :] if not is_hidden or other.span != node.span]
        rest = [self._code(other, frame, number) for other in others]
        first = datum.cdr if type(datum) is Pair and datum.car is _BEGIN else [datum]
        return list_of([_BEGIN, *first, *rest]) if rest else datum

    def _code(
        self,
        node: Node,
        frame: RunFrame,
        number: int,
        values: tuple[Value, ...] = (),
        part: Node | None = None,
        datum: Value = None,
        depth: int = 0,
    ) -> Value:
        """The text of an expression as data, with code in place of some parts, and of variables.

        Args:
            values: those of the first parts.
            part: is shown as `datum`; if it has no text of its own, that is the code.
            depth: the number of procedures around it whose text is shown.
        """
        span, root = node.span, frame.unit.root
        if span is None:
            return piece("…")
        if part is not None and not is_inside(part.span, span):
            return datum
        found: Holes = {}
        firsts = self._loop_values(root).get(span, ()) if frame.is_of_procedure_at(span) else ()
        for variable, first in firsts:  # the loop, as it stands in this turn
            if first.span is not None:
                found[first.span] = self._value(self._run.variable(number, frame, variable), number)
        for variable, place in self._written_locals(node) if not self._shows_frames(number) else ():
            # The next picture may show another value of a variable that is assigned.
            is_kept = variable in dict(firsts) or (variable.assigned and self._run.first_assignment is not None)
            value = None if is_kept else self._run.variable(number, frame, variable)
            if value is not None:
                found[place] = self._value(value, number, depth)
        for known, value in zip(evaluated_parts(node), values, strict=False):
            is_name = isinstance(known, core.Global) and type(value) is FunctionType
            if not is_name and not isinstance(known, core.Constant) and is_inside(known.span, span):
                found[known.span] = self._value(value, number)
        if part is not None and part.span is not None:
            found[part.span] = datum
        if span in found:
            return found[span]
        text = self._read(span.source, span.start, span.end)
        has_clauses = isinstance(node, core.If | core.Or) and text.datum.car in _WITH_CLAUSES
        test = evaluated_parts(node)[0].span if has_clauses else None
        return _filled(text.datum, text.spans, found, test.start if test is not None else 0)

    def _value(self, value: Value, number: int, depth: int = 0) -> Value:
        """A value as code: for a procedure without a name the text of its lambda."""
        own = own_parts(value)
        if own is not None and depth < _DEEPEST_PROCEDURE and self.values.procedure_name(value, number) is None:
            procedure, frame = own
            if procedure.span is not None and procedure.span.text.startswith(("(lambda", "(λ", "[lambda")):
                return self._code(procedure, frame, number, depth=depth + 1)
        return piece(self.values.quoted(value, number))

    # ── frames ───────────────────────────────────────────────────────────────────────────────────────────────────

    def _shows_frames(self, number: int) -> bool:
        """Whether variables are shown in frames at a step, since something was assigned."""
        first = self._run.first_assignment
        return first is not None and number >= first

    def frames(self, number: int) -> list[FramePicture]:
        """The frames in force before a step, the innermost first; none while nothing was assigned."""
        if not self._shows_frames(number) or number >= len(self._run.steps):
            return []
        found: list[FramePicture] = []
        frame: RunFrame | None = self._run.steps[number].frame
        variables: dict[str, str] = {}
        while frame is not None:
            for variable in frame.variables:
                value = self._run.variable(number, frame, variable)
                if variable in self._written_variables(frame.unit.root) and value is not None:
                    variables.setdefault(variable.name, self.values.text(value, number))
            procedure = frame.procedure
            if variables and (procedure is not None or frame.outer is None):
                name = "" if procedure is None else written.written_name(procedure) or "lambda"
                found.append(FramePicture(f"E{frame.number}" if name else "", name, [*variables.items()]))
                variables = {}
            frame = frame.outer
        globals_ = ((name, python_name(name), bindings) for name, bindings in self._run.globals_seen.items())
        values = ((name, self._run.at(number, key, bindings.get(key))) for name, key, bindings in globals_)
        known = [(name, self.values.text(value, number)) for name, value in values if value is not None]
        return [*found, FramePicture("global", "", known)]


def _behind(caller: str, text: str) -> str:
    """Lines behind what has called them."""
    return caller + text.replace("\n", "\n" + " " * len(caller))


def _filled(datum: Value, spans: Spans, holes: Holes, begin: int = 0) -> Value:
    """Data with parts replaced, and of a form's parts those that end after an offset."""
    if type(datum) is not Pair or not holes or datum.car is _QUOTE:
        return datum
    items: list[Value] = []
    while type(datum) is Pair:
        span = spans.of_car(datum)
        if span is None or span.end > begin or not items:
            items.append(holes[span] if span is not None and span in holes else _filled(datum.car, spans, holes))
        datum = datum.cdr
    return list_of(items, datum)
