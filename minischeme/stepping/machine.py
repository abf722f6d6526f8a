"""`Machine`: an evaluator of core trees that takes one step after the other, and records them.

The state of a run is data: an expression or a value, its environment, and its continuation. So calls of the program's
own procedures use no stack. Standard procedures and those of the library are called as they are; what they call in
turn, such as the argument of `map`, is a run of its own on Python's stack, whose frames continuations resume as they do
those of any standard procedure (ARCHITECTURE.md section 6).
"""

import weakref
from collections.abc import Callable
from types import CellType, CodeType, FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple

from minischeme.compiler.assembly import CodeInfo, Unit
from minischeme.compiler.entry_stubs import stub_code
from minischeme.data.cpython import last_constant
from minischeme.data.values import FALSE, UNSPECIFIED, Procedure, Value, intern, list_of
from minischeme.expansion import core
from minischeme.expansion.core import Lambda, Node
from minischeme.primitives.registry import primitive_of
from minischeme.runtime.boxes import Box, UnassignedCheckBox
from minischeme.runtime.names import python_name, standard_value
from minischeme.runtime.resumption import Locals, Resume, resumed_by, transparent
from minischeme.stepping import failures
from minischeme.stepping.history import mutable_data, note_mutations
from minischeme.stepping.opening import opened
from minischeme.stepping.recording import Entry, RecordedRun, RunFrame, Step, Waiting, evaluated_parts
from minischeme.stepping.written import has_own_part, spells

if TYPE_CHECKING:
    from minischeme.session.session import Session

_TRANSITIONS = 20  # for each step that may be taken: so a loop without steps that can be seen ends, too

_OWN_FRAME = ("'frame",)
"""The captured variables of the procedures that a machine makes: one, whose value is a `RunFrame`."""


class LimitReached(BaseException):
    """The run has taken as many steps as it may. Not an error: no handler may stop it."""


class Application(NamedTuple):
    """A procedure and its arguments, to be called at `node`."""

    node: Node
    frame: RunFrame
    procedure: Value
    arguments: tuple[Value, ...]


State = tuple[Node | None, RunFrame, Waiting, Any]
"""An expression to be evaluated; or else a value, or an `Application`, for the continuation."""


class Machine:
    """An evaluator for a session's forms; it records in `recording` as long as there is one."""

    def __init__(self, session: "Session", recording: RecordedRun | None) -> None:
        # Code refers to the machine, where the collector can't see it.
        self.session: Session = weakref.proxy(session)
        self.recording = recording
        self._tail = session._tail_call
        self._library = session.library
        self._codes: weakref.WeakValueDictionary[int, CodeType] = weakref.WeakValueDictionary()
        self._opened: dict[int, tuple[Procedure, tuple[Lambda, RunFrame] | None]] = {}
        self._own: dict[int, Procedure] = {}
        self._bodies: dict[core.Sequence, tuple[core.Variable, ...]] = {}
        self._steps_left = (recording.limit if recording is not None else 0) * _TRANSITIONS
        self._calling: Waiting | None = None  # the call of a standard procedure that is running

    @transparent
    def execute(self, unit: Unit, globals_: dict[str, Value]) -> Value:
        """The value of a form; None if it leaves a tail call pending.

        What a standard procedure has evaluated is compiled.
        """
        if self._calling is not None or unit.resumes is not None:
            return self.session.main.run_compiled(unit)
        frame = RunFrame({}, None, unit, globals_)
        return self.run(unit.root, frame, Entry(None, frame, None))

    def begin(self) -> None:
        """Prepare for the next form."""
        self._calling = None

    # ── the loop ─────────────────────────────────────────────────────────────────────────────────────────────────

    def run(self, node: Node | None, frame: RunFrame, waiting: Waiting, value: Any = None) -> Value:
        """The value that arrives at the innermost `Entry` of a continuation; None for a pending tail call."""
        while True:
            if node is not None:
                node, frame, waiting, value = _EVALUATE[type(node)](self, node, frame, waiting)
            elif type(value) is not Application:
                if self.recording is not None:
                    waiting.returns += (len(self.recording.steps),)
                if type(waiting) is Entry:
                    self._calling = waiting.outer
                    return value
                node, frame, waiting, value = self._continue(waiting, value)
            else:
                call: Application = value
                entered = self._body(call, waiting)
                if entered is not None:
                    node, frame = entered
                    continue
                if type(waiting) is Entry and _stays(call.procedure):
                    return self._tail.leave(call.procedure, *call.arguments)
                calling = self._calling
                arguments, before = self._before_call(call, waiting)
                error = None
                try:
                    invoke = self._tail.call if _is_pending_tail_call(call, waiting) else _invoke
                    value = invoke(call.procedure, arguments)
                except Exception as exception:
                    error = failures.explained(self.session, exception, call)
                if error is not None:
                    raise error
                self._calling = calling
                if before:
                    note_mutations(self.recording, before)
                if value is None:
                    value = Application(call.node, call.frame, self._tail.procedure, self._tail.arguments)

    def _body(self, call: Application, waiting: Waiting) -> tuple[Node, RunFrame] | None:
        """The body of a procedure of the program, and the frame of its call; None for one that is called as it is."""
        if type(call.procedure) is not FunctionType:
            return None
        found = self._parts_of(call.procedure)
        return None if found is None else self._entered(*found, call.arguments, waiting)

    def _entered(
        self, procedure: Lambda, outer: RunFrame, arguments: tuple[Value, ...], waiting: Waiting
    ) -> tuple[Node, RunFrame] | None:
        parameters, rest = procedure.parameters, procedure.rest
        count = len(parameters)
        if len(arguments) != count and (rest is None or len(arguments) < count):
            return None  # a call of it fails
        variables = dict(zip(parameters, arguments, strict=False))
        if rest is not None:
            variables[rest] = list_of(arguments[count:])
        for variable in procedure.all_parameters:
            if variable.assigned:
                variables[variable] = Box(variables[variable])
        frame = outer.inside(variables)
        frame.procedure = procedure
        frame.waiting = waiting
        if self.recording is not None:
            frame.number = self.recording.next_number()
            self._count()
        return procedure.body, frame

    def _before_call(self, call: Application, waiting: Waiting) -> tuple[tuple[Value, ...], list[Any]]:
        """The arguments for a procedure that is called as it is, which gets the program's own procedures as closures of
        this machine; and the data that it may change, with what they hold."""
        known = primitive_of(call.procedure)
        arguments = call.arguments
        if known is None or known.calls_others:
            self._calling = Entry(call.node, call.frame, waiting, (call.procedure, *arguments))
            if known is None or not known.names[0].startswith("raise"):
                arguments = tuple([self._own_version(argument) for argument in arguments])
        name = known.names[0] if known is not None else getattr(call.procedure, "__name__", "")
        is_recorded = self.recording is not None and name.endswith("!")
        return arguments, mutable_data(arguments) if is_recorded else []

    def _count(self) -> None:
        self._steps_left -= 1
        if not self._steps_left:
            raise LimitReached

    def _record(self, kind: str, node: Node, frame: RunFrame, waiting: Waiting, values: tuple[Value, ...]) -> None:
        recording = self.recording
        if recording is None or not (kind == "variable" or has_own_part(node) or self._is_macro_use(node, frame)):
            return
        if len(recording.steps) >= recording.limit:
            raise LimitReached
        recording.steps.append(Step(kind, node, frame, waiting, values, recording.printed()))

    def _is_macro_use(self, node: Node, frame: RunFrame) -> bool:
        """Whether an expression is an assignment made by a macro whose use no step has shown yet."""
        steps, call = self.recording.steps if self.recording is not None else [], frame.call
        if not isinstance(node, core.SetLocal | core.SetGlobal) or (steps and steps[-1].node.span == node.span):
            return False
        return call is None or call.procedure is None or call.procedure.span != node.span

    # ── procedures ───────────────────────────────────────────────────────────────────────────────────────────────

    def _parts_of(self, procedure: Procedure) -> tuple[Lambda, RunFrame] | None:
        """The lambda of a procedure of the program, and the frame that it captures; None for any other procedure."""
        code = procedure.__code__
        if code.co_freevars == _OWN_FRAME:
            assert procedure.__closure__ is not None
            return last_constant(code).procedure, procedure.__closure__[0].cell_contents
        found = self._opened.get(id(procedure))
        if found is None or found[0] is not procedure:
            parts = opened(procedure)
            if parts is not None and parts[1].procedure is not None and self.recording is not None:
                parts[1].number = self.recording.next_number()
            found = self._opened[id(procedure)] = procedure, parts
        return found[1]

    def _own_version(self, value: Value) -> Value:
        """A closure of this machine in place of a compiled procedure of the program; any other value itself."""
        if type(value) is not FunctionType or value.__code__.co_freevars == _OWN_FRAME:
            return value
        parts = self._parts_of(value)
        if parts is None:
            return value
        if id(value) not in self._own:
            self._own[id(value)] = self.closure(*parts)
        return self._own[id(value)]

    def closure(self, procedure: Lambda, frame: RunFrame) -> Procedure:
        """A procedure that this machine runs, also when compiled code calls it."""
        code = self._codes.get(id(procedure))
        if code is None or last_constant(code).procedure is not procedure:
            info = CodeInfo(frame.unit, procedure, frozenset())
            names = tuple(python_name(variable.name) for variable in procedure.all_parameters)
            code = stub_code(info, names, len(procedure.parameters), _OWN_FRAME, self._runner(procedure))
            self._codes[id(procedure)] = code
        return FunctionType(code, frame.globals, code.co_name, None, (CellType(frame),))

    def _runner(self, procedure: Lambda) -> Callable[[FunctionType], FunctionType]:
        def with_frame(captures: FunctionType) -> Any:
            assert captures.__closure__ is not None
            frame = captures.__closure__[0].cell_contents

            @transparent
            def run_called(*arguments: Value) -> Value:
                waiting = Entry(None, frame, self._calling, (procedure,))
                entered = self._entered(procedure, frame, arguments, waiting)
                assert entered is not None
                return self.run(*entered, waiting)

            return run_called

        return with_frame

    # ── expressions ──────────────────────────────────────────────────────────────────────────────────────────────

    def _known(self, node: Any, frame: RunFrame) -> Any:
        """The value of an expression whose evaluation is no step; None for any other expression."""
        kind = type(node)
        if kind is core.Constant:
            return node.value
        if kind is core.Local:
            return self._local(node, frame)
        if kind is core.Lambda:
            return self.closure(node, frame)
        if kind is core.Standard:
            return standard_value(self._library, node.name)
        if kind is core.Global:
            value = self._global(node, frame)
            return value if type(value) is FunctionType or not self._is_variable(node, frame) else None
        return None

    def _local(self, node: core.Local, frame: RunFrame) -> Value:
        place = frame.place(node.variable)
        if type(place) is Box:
            return place.value
        if type(place) is UnassignedCheckBox:
            if not hasattr(place, "value"):
                raise failures.unassigned(self.session, node, frame)
            return place.value
        return place

    def _global(self, node: core.Global, frame: RunFrame) -> Value:
        value = self._global_value(node, frame)
        if value is None:
            raise failures.unbound(self.session, node, frame)
        if self.recording is not None and type(value) is FunctionType and spells(node.span, node.name):
            self.recording.spellings.setdefault(id(value), (value, node.name, len(self.recording.steps)))
        return value

    def _global_value(self, node: core.Global | core.SetGlobal, frame: RunFrame) -> Any:
        key = python_name(node.name)
        return frame.globals.get(key, self._library.get(key))

    def _is_variable(self, node: core.Global, frame: RunFrame) -> bool:
        """Whether the evaluation of a global is a step: it is a variable of the program, named in its text."""
        return python_name(node.name) in frame.globals and spells(node.span, node.name)

    def _constant(self, node: Node, frame: RunFrame, waiting: Waiting) -> State:
        return None, frame, waiting, self._known(node, frame)

    def _variable(self, node: core.Global, frame: RunFrame, waiting: Waiting) -> State:
        value = self._global(node, frame)
        if type(value) is not FunctionType and self._is_variable(node, frame):
            if self.recording is not None:
                self.recording.globals_seen[node.name] = frame.globals
            self._record("variable", node, frame, waiting, (value,))
        return None, frame, waiting, value

    def _part(self, node: Node, part: Node, frame: RunFrame, waiting: Waiting) -> State:
        """The evaluation of the only part of an expression that is evaluated first."""
        inner = Waiting(node, frame, waiting)
        value = self._known(part, frame)
        return (part, frame, inner, None) if value is None else self._continue(inner, value)

    def _continue(self, waiting: Waiting, value: Value) -> State:
        """The state after the value has arrived that an expression waits for."""
        return _CONTINUE[type(waiting.node)](self, waiting.node, waiting, waiting.outer, value)

    def _first_part(self, node: Node, frame: RunFrame, waiting: Waiting) -> State:
        return self._part(node, core.children(node)[0], frame, waiting)

    def _call(self, node: core.Call, frame: RunFrame, waiting: Waiting) -> State:
        operator = node.operator
        if type(operator) is core.Global and self._global_value(operator, frame) is None:
            if not any(map(self._calls_procedures, node.operands)):
                raise failures.unbound(self.session, operator, frame)  # before the operands are evaluated
        return self._operands(node, frame, waiting, [])

    def _calls_procedures(self, node: Node) -> bool:
        """Whether an expression calls others than standard procedures that call no procedure."""
        if type(node) is core.Call:
            operator = node.operator
            name = operator.name if isinstance(operator, core.Global | core.Standard) else ""
            known = primitive_of(self._library.get(python_name(name)))
            if known is None or known.calls_others:
                return True
        return type(node) is not Lambda and any(map(self._calls_procedures, core.children(node)))

    def _next_operand(self, node: core.Call, waiting: Waiting, outer: Waiting, value: Value) -> State:
        return self._operands(node, waiting.frame, outer, [*waiting.values, value])

    def _operands(self, node: core.Call, frame: RunFrame, waiting: Waiting, values: list[Value]) -> State:
        parts = evaluated_parts(node)
        for part in parts[len(values) :]:
            value = self._known(part, frame)
            if value is None:
                return part, frame, Waiting(node, frame, waiting, tuple(values)), None
            values.append(value)
        if len(parts) == len(node.operands):
            assert isinstance(node.operator, core.Global)
            values.insert(0, self._global(node.operator, frame))
        procedure, *arguments = values
        if not self._is_next_turn(node, frame):
            self._record("call", node, frame, waiting, tuple(values))
        return None, frame, waiting, Application(node, frame, procedure, tuple(arguments))

    def _is_next_turn(self, node: core.Call, frame: RunFrame) -> bool:
        """Whether a call is that by which a loop such as `do` goes on."""
        call = frame.call if type(node.operator) is core.Local and node.operator.span == node.span else None
        return call is not None and call.procedure is not None and call.procedure.span == node.span

    def _tested(self, node: core.If, waiting: Waiting, outer: Waiting, value: Value) -> State:
        frame = waiting.frame
        self._record("test", node, frame, outer, (value,))
        return (node.alternative if value is FALSE else node.consequent), frame, outer, None

    def _either(self, node: core.Or, waiting: Waiting, outer: Waiting, value: Value) -> State:
        frame = waiting.frame
        self._record("test", node, frame, outer, (value,))
        return (node.second, frame, outer, None) if value is FALSE else (None, frame, outer, value)

    # ── sequences and bindings ───────────────────────────────────────────────────────────────────────────────────

    def _sequence(self, node: core.Sequence, frame: RunFrame, waiting: Waiting) -> State:
        recursive = self._recursive_variables(node)
        if recursive:
            frame = frame.inside({variable: UnassignedCheckBox(intern(variable.name)) for variable in recursive})
        return self._sequence_from(node, 0, frame, waiting)

    def _sequence_from(self, node: core.Sequence, index: int, frame: RunFrame, waiting: Waiting) -> State:
        parts = node.parts
        while True:
            part = parts[index]
            if type(part) is not core.Bind:
                inner = waiting if index == len(parts) - 1 else Waiting(node, frame, waiting, (), index)
                return part, frame, inner, None
            value = self._known(part.value, frame) if type(part.value) is not Lambda else part.value
            if value is None:
                return part.value, frame, Waiting(node, frame, waiting, (), index), None
            frame = self._bound(part, value, frame)
            index += 1
            if index == len(parts):
                return None, frame, waiting, intern(part.variable.name)
            if type(parts[index]) is not core.Bind:
                self._record("bind", node, frame, waiting, ())

    def _next_in_sequence(self, node: core.Sequence, waiting: Waiting, outer: Waiting, value: Value) -> State:
        index, frame = waiting.index, waiting.frame
        part = node.parts[index]
        if type(part) is core.Bind:
            frame = self._bound(part, value, frame)
            if index == len(node.parts) - 1:
                return None, frame, outer, intern(part.variable.name)
            if type(node.parts[index + 1]) is not core.Bind and not part.variable.is_recursive:
                self._record("bind", node, frame, outer, ())
        return self._sequence_from(node, index + 1, frame, outer)

    def _recursive_variables(self, body: core.Sequence) -> tuple[core.Variable, ...]:
        """The variables of a body whose definitions see each other; those of a sequence in it belong to the body."""
        found = self._bodies.get(body)
        if found is None:
            inner: list[Node] = [body]
            variables: list[core.Variable] = []
            for node in inner:  # the list grows meanwhile
                if type(node) is core.Sequence:
                    self._bodies[node] = ()
                    inner += node.parts
                elif type(node) is core.Bind and node.variable.is_recursive:
                    variables.append(node.variable)
            found = self._bodies[body] = tuple(dict.fromkeys(variables))
        return found

    def _bound(self, bind: core.Bind, value: Any, frame: RunFrame) -> RunFrame:
        """The frame in which a variable has its first value; that of a lambda is the lambda, which sees itself."""
        variable = bind.variable
        if variable.is_recursive:
            place = frame.place(variable)
            if self.recording is not None:
                self.recording.note_change(id(place), place, getattr(place, "value", None))
            place.value = self.closure(value, frame) if type(value) is Lambda else value
            return frame
        inner = frame.inside({})
        if type(value) is Lambda:
            value = self.closure(value, inner)
        if value is core.UNASSIGNED and type(bind.value) is core.Constant:
            inner.variables[variable] = UnassignedCheckBox(intern(variable.name))
        else:
            inner.variables[variable] = Box(value) if variable.assigned else value
        return inner

    def _bind(self, node: core.Bind, frame: RunFrame, waiting: Waiting) -> State:
        return node.value, frame, Waiting(node, frame, waiting), None

    def _only_bound(self, node: core.Bind, waiting: Waiting, outer: Waiting, _: Value) -> State:
        return None, waiting.frame, outer, intern(node.variable.name)

    # ── assignments and definitions ──────────────────────────────────────────────────────────────────────────────

    def _assigned(self, node: core.SetLocal, waiting: Waiting, outer: Waiting, value: Value) -> State:
        frame = waiting.frame
        self._record_assignment(node, frame, outer, value)
        place = frame.place(node.variable)
        if self.recording is not None:
            self.recording.note_change(id(place), place, getattr(place, "value", None))
        place.value = value
        return None, frame, outer, UNSPECIFIED

    def _global_assigned(self, node: core.SetGlobal, waiting: Waiting, outer: Waiting, value: Value) -> State:
        frame = waiting.frame
        if self._global_value(node, frame) is None:
            raise failures.undefined(self.session, node, frame)
        self._record_assignment(node, frame, outer, value)
        self._set_global(node.name, value, frame)
        return None, frame, outer, UNSPECIFIED

    def _record_assignment(self, node: Node, frame: RunFrame, waiting: Waiting, value: Value) -> None:
        self._record("assign", node, frame, waiting, (value,))
        recording = self.recording
        if recording is not None and recording.first_assignment is None:
            is_shown = bool(recording.steps) and recording.steps[-1].node is node
            recording.first_assignment = len(recording.steps) - is_shown

    def _defined(self, node: core.Define, waiting: Waiting, outer: Waiting, value: Value) -> State:
        frame = waiting.frame
        self._record("define", node, frame, outer, (value,))
        self._set_global(node.name, value, frame)
        return None, frame, outer, intern(node.name)

    def _set_global(self, name: str, value: Value, frame: RunFrame) -> None:
        key = python_name(name)
        if self.recording is not None:
            self.recording.note_change((id(frame.globals), key), frame.globals, frame.globals.get(key))
            self.recording.globals_seen[name] = frame.globals
        frame.globals[key] = value


@transparent
def _invoke(procedure: Value, arguments: tuple[Value, ...]) -> Any:
    """The result of a call; with up to four arguments it does not use the C stack."""
    count = len(arguments)
    if count == 1:
        return procedure(arguments[0])
    if count == 2:
        return procedure(arguments[0], arguments[1])
    if count == 3:
        return procedure(arguments[0], arguments[1], arguments[2])
    if count == 0:
        return procedure()
    if count == 4:
        return procedure(arguments[0], arguments[1], arguments[2], arguments[3])
    return procedure(*arguments)


def _is_pending_tail_call(call: Application, waiting: Waiting) -> bool:
    """Whether a call that will fail would be pending in compiled code, which tells in the message."""
    around = call.frame.call
    if around is None or around.waiting is not waiting or primitive_of(call.procedure) is not None:
        return False
    assert isinstance(call.node, core.Call)
    if type(call.procedure) is not FunctionType:
        return not isinstance(call.node.operator, core.Constant)
    is_own = call.procedure.__code__.co_freevars == _OWN_FRAME or opened(call.procedure) is not None
    return is_own and not isinstance(call.node.operator, core.Global)


def _stays(procedure: Value) -> bool:
    known = primitive_of(procedure)
    return known is not None and known.stays


@resumed_by(Machine.run)
def _resume_run(frame: Locals) -> Resume:
    machine, inner, waiting = frame["self"], frame["frame"], frame["waiting"]
    return lambda value: machine.run(None, inner, waiting, value)


_EVALUATE: dict[type, Callable[..., State]] = {
    core.Constant: Machine._constant,
    core.Local: Machine._constant,
    core.Standard: Machine._constant,
    core.Lambda: Machine._constant,
    core.Global: Machine._variable,
    core.Call: Machine._call,
    core.If: Machine._first_part,
    core.Or: Machine._first_part,
    core.SetLocal: Machine._first_part,
    core.SetGlobal: Machine._first_part,
    core.Define: Machine._first_part,
    core.Sequence: Machine._sequence,
    core.Bind: Machine._bind,
}
_CONTINUE: dict[type, Callable[..., State]] = {
    core.Call: Machine._next_operand,
    core.If: Machine._tested,
    core.Or: Machine._either,
    core.SetLocal: Machine._assigned,
    core.SetGlobal: Machine._global_assigned,
    core.Define: Machine._defined,
    core.Sequence: Machine._next_in_sequence,
    core.Bind: Machine._only_bound,
}
