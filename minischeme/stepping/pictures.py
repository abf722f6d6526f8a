"""`Pictures`: each step of a recorded run as code, the expression as it stands then, and as frames of variables.

The code is the text that the program's author wrote, with the values of what is evaluated in place of it. While
nothing was assigned, variables are replaced by their values, too, as in SICP 1.1.5; from the first assignment on the
frames show them, as in SICP 3.2.
"""

from types import FunctionType
from typing import NamedTuple

from minischeme.data.cpython import last_constant
from minischeme.data.source import Span
from minischeme.data.values import NIL, Pair, Value, intern, list_of
from minischeme.expansion import core
from minischeme.expansion.core import Lambda, Node, Variable
from minischeme.reading.forms import Form, Spans
from minischeme.reading.reader import read_part
from minischeme.runtime.names import python_name
from minischeme.stepping.code import flat, laid_out, marked, piece
from minischeme.stepping.recording import Entry, RecordedRun, RunFrame, Step, Waiting, evaluated_parts
from minischeme.stepping.values import ValueWriter
from minischeme.stepping.written import first_tests, is_inside, loop_values, written_locals, written_variables

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
    span: Span | None  # of the marked part in the source
    kind: str
    frames: list[FramePicture]


class _Form(NamedTuple):
    """The facts about the core of a form that its pictures need."""

    first_tests: dict[Node, Span]
    loops: dict[Lambda, tuple[Node, ...]]
    written: frozenset[Variable]


class Pictures:
    """The pictures of a recording. Symbols are in lower case if `fold_case` is set."""

    def __init__(self, recording: RecordedRun, *, fold_case: bool = True) -> None:
        self.recording = recording
        self.values = ValueWriter(recording)
        self._fold_case = fold_case
        self._texts: dict[tuple[int, int, int], Form] = {}
        self._locals: dict[Node, tuple[tuple[Variable, Span], ...]] = {}
        self._forms: dict[Node, _Form] = {}

    def __len__(self) -> int:
        return len(self.recording.steps)

    def picture(self, number: int, width: int = 76) -> StepPicture:
        """The picture before the step of that number, in lines of a width."""
        step = self.recording.steps[number]
        texts: list[tuple[str, int, int]] = []
        for datum, called_by in self._stack(step, number):
            text, start, end = laid_out(datum, width - (2 if texts else 0))
            if called_by:
                text, start, end = f"{called_by} calls {text}", *(at + len(called_by) + 7 for at in (start, end))
            texts.append((text, start, end))
        text, start, end = texts[0]
        for outer, _, _ in texts[1:]:
            text, start, end = f"{outer}\n{text}", start + len(outer) + 1, end + len(outer) + 1
        return StepPicture(text, start, end, step.node.span, step.kind, self.frames(number))

    def redex(self, number: int) -> str:
        """The expression that is reduced by a step, on one line."""
        return flat(self._redex(self.recording.steps[number], number))

    def _stack(self, step: Step, number: int) -> list[tuple[Value, str]]:
        """The expression that is evaluated, and those around it that have called it, innermost first; each with the
        name of the standard procedure that has."""
        found: list[tuple[Value, str]] = []
        datum = marked(self._redex(step, number))
        waiting: Waiting | None = step.waiting
        called: Lambda | None = None
        left = _MOST_WAITING
        while waiting is not None and left:
            left -= 1
            if not isinstance(waiting, Entry):
                datum = self._around(waiting, datum, number)
            elif waiting.node is None:
                called = waiting.values[0] if waiting.values else None
            elif called in core.children(waiting.node) and not is_inside(called.span, waiting.node.span):
                datum = self._around_part(waiting, called.body, datum, number)
            else:
                found.append((datum, self._operator_text(waiting, number)))
                datum = self._call(waiting.node, waiting.frame, waiting.values, number)
            waiting = waiting.outer
        if waiting is not None:
            datum = list_of([piece("…"), datum])
        found.append((datum, ""))
        return found

    def _operator_text(self, waiting: Entry, number: int) -> str:
        name = self.values.procedure_name(waiting.values[0], number)
        node = waiting.node
        if isinstance(node, core.Call) and is_inside(node.operator.span, node.span):
            assert node.operator.span is not None
            name = " ".join(node.operator.span.text.split())
        return name or "it"

    # ── expressions with a part that is evaluated ────────────────────────────────────────────────────────────────

    def _redex(self, step: Step, number: int) -> Value:
        node, frame = step.node, step.frame
        if step.kind == "call":
            return self._call(node, frame, step.values, number)
        if step.kind == "variable":
            return self._code(node, frame, number, {})
        if step.kind == "bind":
            assert isinstance(node, core.Sequence)
            return self._with_bindings(node, frame, number, {}, len(node.parts))
        part = core.children(node)[0]
        if not is_inside(part.span, node.span):
            return self._code(node, frame, number, {})
        return self._with_part(node, part, self._value(step.values[0], number), frame, number)

    def _call(self, node: Node, frame: RunFrame, values: tuple[Value, ...], number: int) -> Value:
        """The code of a call with these values of the operator and the operands."""
        assert isinstance(node, core.Call)
        values = values[len(values) - len(evaluated_parts(node)) :]  # without that of a global operator
        return self._code(node, frame, number, self._holes(node, values, number))

    def _holes(self, call: core.Call, values: tuple[Value, ...], number: int) -> Holes:
        holes: Holes = {}
        for part, value in zip(evaluated_parts(call), values, strict=False):
            is_name = isinstance(part, core.Global) and type(value) is FunctionType
            if is_inside(part.span, call.span) and not is_name and not isinstance(part, core.Constant):
                holes |= _hole(part, self._value(value, number))
        return holes

    def _around(self, waiting: Waiting, datum: Value, number: int) -> Value:
        """The code of an expression whose part is evaluated, with code for that part."""
        node, frame = waiting.node, waiting.frame
        assert node is not None
        if isinstance(node, core.Sequence):
            return self._sequence(node, waiting.index, datum, frame, number)
        part = waiting.part
        assert part is not None
        if not isinstance(node, core.Call):
            return self._with_part(node, part, datum, frame, number)
        if not is_inside(part.span, node.span):
            return datum
        holes = self._holes(node, waiting.values, number)
        return self._code(node, frame, number, holes | _hole(part, datum))

    def _around_part(self, waiting: Waiting, part: Node, datum: Value, number: int) -> Value:
        """The code of a form with code for a part that stands in a procedure which the form has made of it."""
        assert waiting.node is not None
        if not is_inside(part.span, waiting.node.span):
            return datum
        return self._code(waiting.node, waiting.frame, number, _hole(part, datum))

    def _with_part(self, node: Node, part: Node, datum: Value, frame: RunFrame, number: int) -> Value:
        """The code of an expression with one part replaced; in later clauses of a `cond`, without those before it."""
        if not is_inside(part.span, node.span):
            return datum
        first = self._form(frame).first_tests.get(node)
        assert part.span is not None
        dropped = (first.start, part.span.start) if first is not None else None
        return self._code(node, frame, number, _hole(part, datum), dropped)

    def _sequence(self, node: core.Sequence, index: int, datum: Value, frame: RunFrame, number: int) -> Value:
        """The code of what remains of a sequence, with code for the part that is evaluated."""
        part = node.parts[index]
        if isinstance(part, core.Bind):
            if not part.variable.is_recursive:
                holes = _hole(part.value, datum) if is_inside(part.value.span, node.span) else None
                return datum if holes is None else self._with_bindings(node, frame, number, holes, index)
            datum = self._with_part(part, part.value, datum, frame, number)
        others = [other for other in node.parts[index + 1 :] if part.span != node.span or other.span != node.span]
        rest = [self._code(other, frame, number, {}) for other in others]
        return list_of([intern("begin"), datum, *rest]) if rest else datum

    def _with_bindings(self, node: core.Sequence, frame: RunFrame, number: int, holes: Holes, count: int) -> Value:
        """The code of a form that binds variables, with the values of the first `count` parts."""
        for part in node.parts[:count]:
            if isinstance(part, core.Bind) and is_inside(part.value.span, node.span):
                value = self.recording.variable(number, frame, part.variable)
                if value is not None:
                    holes |= _hole(part.value, self._value(value, number))
        return self._code(node, frame, number, holes)

    # ── code ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def _code(
        self,
        node: Node,
        frame: RunFrame,
        number: int,
        holes: Holes,
        dropped: tuple[int, int] | None = None,
        depth: int = 0,
    ) -> Value:
        """The text of an expression as data, with code in place of some parts."""
        if node.span is None:
            return piece("…")
        found: Holes = {}
        call = frame.call
        own: tuple[Variable, ...] = ()
        if call is not None and call.procedure is not None and call.procedure.span == node.span:
            firsts = self._form(frame).loops.get(call.procedure, ())
            own = call.procedure.parameters if firsts else ()
            for variable, first in zip(own, firsts, strict=False):  # the loop, as it stands in this turn
                found |= _hole(first, self._value(self.recording.variable(number, frame, variable), number))
        if not self.shows_frames(number):
            for variable, span in self._locals_in(node):
                # The next picture may show another value of a variable that is assigned.
                is_kept = variable in own or (variable.assigned and self.recording.first_assignment is not None)
                value = None if is_kept else self.recording.variable(number, frame, variable)
                if value is not None:
                    found[span.start, span.end] = self._value(value, number, depth)
        found |= holes
        key = node.span.start, node.span.end
        form = self._read(node.span)
        return found[key] if key in found else _filled(form.datum, form.spans, found, dropped)

    def _value(self, value: Value, number: int, depth: int = 0) -> Value:
        """A value as code: for a procedure without a name the text of its lambda."""
        if (
            type(value) is FunctionType
            and self.values.procedure_name(value, number) is None
            and depth < _DEEPEST_PROCEDURE
        ):
            info, closure = last_constant(value.__code__), value.__closure__ or ()
            frame = closure[0].cell_contents if closure else None
            procedure = getattr(info, "procedure", None)
            if isinstance(frame, RunFrame) and isinstance(procedure, Lambda) and _is_lambda(procedure):
                return self._code(procedure, frame, number, {}, depth=depth + 1)
        return piece(self.values.quoted(value, number))

    def _read(self, span: Span) -> Form:
        key = id(span.source), span.start, span.end
        if key not in self._texts:
            self._texts[key] = read_part(span.source, span.start, span.end, fold_case=self._fold_case)
        return self._texts[key]

    def _locals_in(self, node: Node) -> tuple[tuple[Variable, Span], ...]:
        if node not in self._locals:
            self._locals[node] = written_locals(node)
        return self._locals[node]

    def _form(self, frame: RunFrame) -> _Form:
        root = frame.unit.root
        if root not in self._forms:
            self._forms[root] = _Form(first_tests(root), loop_values(root), written_variables(root))
        return self._forms[root]

    # ── frames ───────────────────────────────────────────────────────────────────────────────────────────────────

    def shows_frames(self, number: int) -> bool:
        """Whether variables are shown in frames at a step, since something was assigned."""
        first = self.recording.first_assignment
        return first is not None and number >= first

    def frames(self, number: int) -> list[FramePicture]:
        """The frames in force before a step, the innermost first; none while nothing was assigned."""
        if not self.shows_frames(number) or number >= len(self):
            return []
        found: list[FramePicture] = []
        frame: RunFrame | None = self.recording.steps[number].frame
        variables: dict[Variable, Value] = {}
        while frame is not None:
            written = self._form(frame).written
            for variable in frame.variables:
                value = self.recording.variable(number, frame, variable)
                if variable in written and value is not None:
                    variables[variable] = value
            if frame.procedure is not None or frame.outer is None:
                pairs = [(each.name, self.values.text(value, number)) for each, value in variables.items()]
                variables = {}
                name = self._procedure_text(frame) if frame.procedure is not None else ""
                if pairs:
                    found.append(FramePicture(f"E{frame.number}" if name else "", name, pairs))
            frame = frame.outer
        return [*found, FramePicture("global", "", self._globals(number))]

    def _procedure_text(self, frame: RunFrame) -> str:
        assert frame.procedure is not None
        name, span = frame.procedure.name, frame.procedure.span
        is_named = name is not None and span is not None and name in span.text.lower()
        return name if is_named and name is not None else "lambda"

    def _globals(self, number: int) -> list[tuple[str, str]]:
        found: list[tuple[str, str]] = []
        for name, globals_ in self.recording.globals_seen.items():
            key = python_name(name)
            value = self.recording.at(number, (id(globals_), key), globals_.get(key))
            if value is not None:
                found.append((name, self.values.text(value, number)))
        return found


def _hole(part: Node, datum: Value) -> Holes:
    return {(part.span.start, part.span.end): datum} if part.span is not None else {}


def _is_lambda(procedure: Lambda) -> bool:
    """Whether a procedure is the value of an expression that its author wrote."""
    return procedure.span is not None and procedure.span.text.startswith(("(lambda", "(λ", "[lambda"))


def _filled(datum: Value, spans: Spans, holes: Holes, dropped: tuple[int, int] | None = None) -> Value:
    """Data with parts replaced, without the elements that end between two offsets."""
    if type(datum) is not Pair or not holes or datum.car is _QUOTE:
        return datum
    items: list[Value] = []
    while type(datum) is Pair:
        span = spans.of_car(datum)
        if span is None:
            items.append(_filled(datum.car, spans, holes))
        elif dropped is None or not dropped[0] < span.end <= dropped[1]:
            found = holes.get((span.start, span.end))
            items.append(_filled(datum.car, spans, holes) if found is None else found)
        datum = datum.cdr
    return list_of(items, datum if datum is not NIL else NIL)


_QUOTE = intern("quote")
