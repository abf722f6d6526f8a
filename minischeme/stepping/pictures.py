"""`Pictures`: each step of a recorded run as code, the expression as it stands then, and as frames of variables.

The code is the text that the program's author wrote, with the values of what is evaluated in place of it. While
nothing was assigned, variables are replaced by their values, too, as in SICP 1.1.5; from the first assignment on the
frames show them, as in SICP 3.2.
"""

from functools import partial
from types import FunctionType
from typing import TYPE_CHECKING, NamedTuple

from minischeme.data.cpython import last_constant
from minischeme.data.errors import report
from minischeme.data.source import Span
from minischeme.data.values import Pair, Value, intern, list_of
from minischeme.expansion import core
from minischeme.expansion.core import Lambda, Node, Variable
from minischeme.reading.forms import Form, Spans
from minischeme.reading.reader import read_part
from minischeme.runtime.names import python_name
from minischeme.stepping.code import flat, laid_out, marked, piece
from minischeme.stepping.recording import Entry, RecordedRun, RunFrame, Step, Waiting, evaluated_parts
from minischeme.stepping.values import ValueWriter
from minischeme.stepping.written import first_tests, is_inside, loop_values, mentions, written_locals, written_variables

if TYPE_CHECKING:
    from minischeme.session.session import Session

_MOST_WAITING = 40  # expressions around the present one that are shown
_DEEPEST_PROCEDURE = 2  # procedures inside procedures whose text is shown

Holes = dict[tuple[int, int], Value]
"""Code in place of parts of a text, by their offsets."""


class FramePicture(NamedTuple):
    """The variables of a call, or the global ones, whose `name` is ``global``."""

    name: str
    procedure: str
    variables: list[tuple[str, str]]


class StepPicture(NamedTuple):
    """The state of a run before a step: the expression, as code in lines with a part marked, and the frames."""

    text: str
    start: int  # of the marked part
    end: int
    frames: list[FramePicture]


class _Form(NamedTuple):
    """The facts about the core of a form that its pictures need."""

    first_tests: dict[Node, Span]
    loops: dict[Lambda, tuple[Node, ...]]
    written: frozenset[Variable]


class Pictures:
    """The pictures of a run that a session has recorded, to be used with the session's settings."""

    def __init__(self, session: "Session", run: RecordedRun) -> None:
        self._run = run
        self._read = partial(read_part, fold_case=session.dialect == "berkeley")
        self.values = ValueWriter(run)
        self._texts: dict[tuple[int, int, int], Form] = {}
        self._locals: dict[Node, tuple[tuple[Variable, Span], ...]] = {}
        self._forms: dict[Node, _Form] = {}

    def picture(self, number: int, width: int = 76) -> StepPicture:
        """The picture before the step of that number, in lines of a width."""
        texts: list[str] = []
        start = end = 0
        for datum, called_by in self._stack(self._run.steps[number], number):
            before = f"{called_by} calls " if called_by else ""
            text, *mark = laid_out(datum, width - len(before))
            if not texts:  # the innermost, which has the mark
                start, end = (at + len(before) * (1 + text.count("\n", 0, at)) for at in mark)
            texts.insert(0, before + text.replace("\n", "\n" + " " * len(before)))
        outer = sum(len(text) + 1 for text in texts[:-1])
        text, start, end = "\n".join(texts), start + outer, end + outer
        return StepPicture(text, start, end, self.frames(number))

    def result(self) -> tuple[str, str]:
        """The end of the run: ``value``, ``error`` or ``ending``, and the text for it."""
        run = self._run
        if run.error is not None:
            return "error", report(run.error)
        return ("ending", run.ending) if run.value is None else ("value", self.values.text(run.value, len(run.steps)))

    def redex(self, number: int) -> str:
        """The expression that is reduced by a step, on one line."""
        return flat(self._redex(self._run.steps[number], number))

    def _stack(self, step: Step, number: int) -> list[tuple[Value, str]]:
        """The expression that is evaluated, and those around it that have called it, innermost first; each with the
        name of the standard procedure that has."""
        found: list[tuple[Value, str]] = []
        datum = marked(self._redex(step, number))
        waiting: Waiting | None = step.waiting
        called: Lambda | None = None
        for _ in range(_MOST_WAITING):
            if waiting is None:
                break
            node = waiting.node
            if node is None:
                called = waiting.values[0] if waiting.values else None
            elif not isinstance(waiting, Entry):
                datum = self._around(waiting, datum, number)
            elif called in core.children(node) and called is not None and not is_inside(called.span, node.span):
                datum = self._code(node, waiting.frame, number, called.body, datum)  # a part of a form
            else:
                found.append((datum, self._operator_text(waiting, number)))
                datum = self._code(node, waiting.frame, number, values=waiting.values)
            waiting = waiting.outer
        return [*found, (datum if waiting is None else list_of([piece("…"), datum]), "")]

    def _operator_text(self, waiting: Entry, number: int) -> str:
        node = waiting.node
        assert isinstance(node, core.Call)
        if node.operator.span is not None and is_inside(node.operator.span, node.span):
            return " ".join(node.operator.span.text.split())
        return self.values.procedure_name(waiting.values[0], number) or "it"

    # ── code ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def _redex(self, step: Step, number: int) -> Value:
        node, frame = step.node, step.frame
        if isinstance(node, core.Sequence):
            return self._with_bindings(node, frame, number, {}, len(node.parts))
        if step.kind == "call":
            return self._code(node, frame, number, values=step.values)
        part = next(iter(core.children(node)), None)
        if part is None or not is_inside(part.span, node.span):
            return self._code(node, frame, number)
        return self._code(node, frame, number, part, self._value(step.values[0], number))

    def _around(self, waiting: Waiting, datum: Value, number: int) -> Value:
        """The code of an expression whose part is evaluated, with code for that part."""
        node, frame = waiting.node, waiting.frame
        assert node is not None
        if not isinstance(node, core.Sequence):
            return self._code(node, frame, number, waiting.part, datum, waiting.values)
        part = node.parts[waiting.index]
        if isinstance(part, core.Bind):
            if not part.variable.is_recursive:
                if not is_inside(part.value.span, node.span):
                    return datum
                return self._with_bindings(node, frame, number, _hole(part.value, datum), waiting.index)
            datum = self._code(part, frame, number, part.value, datum)
        is_hidden = part.span == node.span
        others = [other for other in node.parts[waiting.index + 1 :] if not is_hidden or other.span != node.span]
        rest = [self._code(other, frame, number) for other in others]
        first = datum.cdr if type(datum) is Pair and datum.car is _BEGIN else [datum]
        return list_of([_BEGIN, *first, *rest]) if rest else datum

    def _with_bindings(self, node: core.Sequence, frame: RunFrame, number: int, holes: Holes, count: int) -> Value:
        """The code of a form that binds variables, with the values of the first `count` parts."""
        for part in node.parts[:count]:
            if isinstance(part, core.Bind) and is_inside(part.value.span, node.span):
                value = self._run.variable(number, frame, part.variable)
                holes |= _hole(part.value, self._value(value, number)) if value is not None else {}
        return self._filled_text(node, frame, number, holes)

    def _code(
        self,
        node: Node,
        frame: RunFrame,
        number: int,
        part: Node | None = None,
        datum: Value = None,
        values: tuple[Value, ...] = (),
    ) -> Value:
        """The code of an expression with code for a part, and for a call with the values of its parts so far.

        If the part has no text of its own, it is the code of the part.
        """
        holes: Holes = {}
        if isinstance(node, core.Call):
            parts = evaluated_parts(node)
            for operand, value in zip(parts, values[max(0, len(values) - len(parts)) :], strict=False):
                is_name = isinstance(operand, core.Global) and type(value) is FunctionType
                if not is_name and not isinstance(operand, core.Constant) and is_inside(operand.span, node.span):
                    holes |= _hole(operand, self._value(value, number))
        if part is None:
            return self._filled_text(node, frame, number, holes)
        if not is_inside(part.span, node.span):
            return datum
        first = self._form(frame).first_tests.get(node)
        dropped = (first.start, part.span.start) if first is not None and part.span is not None else None
        return self._filled_text(node, frame, number, holes | _hole(part, datum), dropped)

    def _filled_text(
        self,
        node: Node,
        frame: RunFrame,
        number: int,
        holes: Holes,
        dropped: tuple[int, int] | None = None,
        depth: int = 0,
    ) -> Value:
        """The text of an expression as data, with code in place of some parts, and of variables."""
        span = node.span
        if span is None:
            return piece("…")
        found: Holes = {}
        call = frame.call
        own: tuple[Variable, ...] = ()
        if call is not None and call.procedure is not None and call.procedure.span == span:
            firsts = self._form(frame).loops.get(call.procedure, ())
            own = call.procedure.parameters if firsts else ()
            for variable, first in zip(own, firsts, strict=False):  # the loop, as it stands in this turn
                found |= _hole(first, self._value(self._run.variable(number, frame, variable), number))
        if node not in self._locals:
            self._locals[node] = written_locals(node)
        for variable, place in self._locals[node] if not self._shows_frames(number) else ():
            # The next picture may show another value of a variable that is assigned.
            is_kept = variable in own or (variable.assigned and self._run.first_assignment is not None)
            value = None if is_kept else self._run.variable(number, frame, variable)
            if value is not None:
                found[place.start, place.end] = self._value(value, number, depth)
        found |= holes
        key = id(span.source), span.start, span.end
        if key not in self._texts:
            self._texts[key] = self._read(span.source, span.start, span.end)
        text = self._texts[key]
        return found[key[1:]] if key[1:] in found else _filled(text.datum, text.spans, found, dropped)

    def _value(self, value: Value, number: int, depth: int = 0) -> Value:
        """A value as code: for a procedure without a name the text of its lambda."""
        if type(value) is FunctionType and self.values.procedure_name(value, number) is None:
            procedure = getattr(last_constant(value.__code__), "procedure", None)
            frame = value.__closure__[0].cell_contents if value.__closure__ else None
            if isinstance(frame, RunFrame) and isinstance(procedure, Lambda) and depth < _DEEPEST_PROCEDURE:
                if procedure.span is not None and procedure.span.text.startswith(("(lambda", "(λ", "[lambda")):
                    return self._filled_text(procedure, frame, number, {}, depth=depth + 1)
        return piece(self.values.quoted(value, number))

    def _form(self, frame: RunFrame) -> _Form:
        root = frame.unit.root
        if root not in self._forms:
            self._forms[root] = _Form(first_tests(root), loop_values(root), written_variables(root))
        return self._forms[root]

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
                if variable in self._form(frame).written and value is not None:
                    variables.setdefault(variable.name, self.values.text(value, number))
            procedure = frame.procedure
            if variables and (procedure is not None or frame.outer is None):
                is_named = procedure is not None and mentions(procedure.span, procedure.name or "")
                name = (procedure.name if procedure is not None and is_named else None) or "lambda"
                names = (f"E{frame.number}", name) if procedure is not None else ("", "")
                found.append(FramePicture(*names, [*variables.items()]))
                variables = {}
            frame = frame.outer
        return [*found, FramePicture("global", "", self._globals(number))]

    def _globals(self, number: int) -> list[tuple[str, str]]:
        found: list[tuple[str, str]] = []
        for name, globals_ in self._run.globals_seen.items():
            key = python_name(name)
            value = self._run.at(number, (id(globals_), key), globals_.get(key))
            if value is not None:
                found.append((name, self.values.text(value, number)))
        return found


def _hole(part: Node, datum: Value) -> Holes:
    return {(part.span.start, part.span.end): datum} if part.span is not None else {}


def _filled(datum: Value, spans: Spans, holes: Holes, dropped: tuple[int, int] | None = None) -> Value:
    """Data with parts replaced, without the elements that end between two offsets."""
    if type(datum) is not Pair or not holes or datum.car is _QUOTE:
        return datum
    items: list[Value] = []
    while type(datum) is Pair:
        span = spans.of_car(datum)
        if span is None or dropped is None or not dropped[0] < span.end <= dropped[1]:
            found = holes.get((span.start, span.end)) if span is not None else None
            items.append(_filled(datum.car, spans, holes) if found is None else found)
        datum = datum.cdr
    return list_of(items, datum)


_BEGIN = intern("begin")
_QUOTE = intern("quote")
