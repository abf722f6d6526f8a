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
from minischeme.stepping.opening import opened
from minischeme.stepping.recording import Entry, RecordedRun, RunFrame, Step, Waiting, evaluated_parts
from minischeme.stepping.written import has_own_part, spells

if TYPE_CHECKING:
    from minischeme.session.session import Session

_MOST_CALLS = 20  # for each step that may be taken: so a loop without steps that can be seen ends, too

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
    """An evaluator for a session's forms; it records in `run_record`."""

    def __init__(self, session: "Session", run_record: RecordedRun) -> None:
        # Code refers to the machine, where the collector can't see it.
        self.session: Session = weakref.proxy(session)
        self.run_record = run_record
        self._tail = session._tail_call
        self._library = session.library
        self._codes: weakref.WeakValueDictionary[int, CodeType] = weakref.WeakValueDictionary()
        self._opened: dict[int, tuple[Procedure, tuple[Lambda, RunFrame] | None]] = {}
        self._own: dict[int, Procedure] = {}
        self._bodies: dict[Node, tuple[core.Variable, ...]] = {}
        self._calls_left = run_record.limit * _MOST_CALLS
        self._calling: Waiting | None = None  # the call of a standard procedure that is running

    def begin(self) -> None:
        """Prepare for the next form."""
        self._calling = None

    @transparent
    def execute(self, unit: Unit, globals_: dict[str, Value]) -> Value:
        """The value of a form; None if it leaves a tail call pending.

        What a standard procedure has evaluated is compiled.
        """
        if self._calling is not None or unit.resumes is not None:
            return self.session.main.run_compiled(unit)
        frame = RunFrame({}, None, unit, globals_)
        return self.run(unit.root, frame, Entry(None, frame, None))

    def run(self, node: Node | None, frame: RunFrame, waiting: Waiting, value: Any = None) -> Value:
        """The value that arrives at the innermost `Entry` of a continuation; None for a pending tail call."""
        while True:
            if node is not None:
                node, frame, waiting, value = _EVALUATE[type(node)](self, node, frame, waiting)
            elif type(value) is not Application:
                waiting.returns += (len(self.run_record.steps),)
                if type(waiting) is Entry:
                    self._calling = waiting.outer
                    return value
                node, frame, waiting, value = self._continue(waiting, value)
            else:
                call: Application = value
                entered = self._entered(self._parts_of(call.procedure), call.arguments, waiting)
                if entered is not None:
                    node, frame = entered
                    continue
                known, calling, error = primitive_of(call.procedure), self._calling, None
                if type(waiting) is Entry and known is not None and known.stays:
                    return self._tail.leave(call.procedure, *call.arguments)
                arguments, before = self._before_call(call, waiting)
                try:
                    invoke = self._tail.call if _is_pending_tail_call(call, waiting) else _invoke
                    value = invoke(call.procedure, arguments)
                except Exception as exception:
                    error = failures.explained(self.session, exception, call)
                if error is not None:
                    raise error
                self._calling = calling
                self.run_record.note_mutations(before)
                if value is None:
                    value = Application(call.node, call.frame, self._tail.procedure, self._tail.arguments)

    def _entered(
        self, parts: tuple[Lambda, RunFrame] | None, arguments: tuple[Value, ...], waiting: Waiting
    ) -> tuple[Node, RunFrame] | None:
        """The body of a lambda, and the frame of its call; None where there is no lambda, or the call fails."""
        if parts is None:
            return None
        procedure, outer = parts
        count, rest = len(procedure.parameters), procedure.rest
        if len(arguments) != count and (rest is None or len(arguments) < count):
            return None
        variables = dict(zip(procedure.parameters, arguments, strict=False))
        if rest is not None:
            variables[rest] = list_of(arguments[count:])
        for variable in variables:
            if variable.assigned:
                variables[variable] = Box(variables[variable])
        self._calls_left -= 1
        if not self._calls_left:
            raise LimitReached
        frame = self._numbered(outer.inside(variables))
        frame.procedure, frame.waiting = procedure, waiting
        return procedure.body, frame

    def _numbered(self, frame: RunFrame) -> RunFrame:
        self.run_record.frames += 1
        frame.number = self.run_record.frames
        return frame

    def _before_call(self, call: Application, waiting: Waiting) -> tuple[tuple[Value, ...], list[Any]]:
        """The arguments for a procedure that is called as it is, which gets the program's own procedures as closures of
        this machine; and the data that it may change, with what they hold."""
        known, arguments = primitive_of(call.procedure), call.arguments
        if known is None or known.calls_others:
            self._calling = Entry(call.node, call.frame, waiting, (call.procedure, *arguments))
            if known is None or not known.names[0].startswith("raise"):
                arguments = tuple([self._own_version(argument) for argument in arguments])
        name = known.names[0] if known is not None else getattr(call.procedure, "__name__", "")
        return arguments, self.run_record.mutable_data(arguments) if name.endswith("!") else []

    def _record(self, kind: str, node: Node, frame: RunFrame, waiting: Waiting, *values: Value) -> None:
        run = self.run_record
        if not run.text or not (kind == "variable" or has_own_part(node) or self._is_macro_use(node, frame)):
            return
        if len(run.steps) >= run.limit:
            raise LimitReached
        run.steps.append(Step(kind, node, frame, waiting, values, run.tape.tell()))

    def _is_macro_use(self, node: Node, frame: RunFrame) -> bool:
        """Whether an expression is an assignment made by a macro whose use no step has shown yet."""
        steps, call = self.run_record.steps, frame.call
        if not isinstance(node, core.SetLocal | core.SetGlobal) or (steps and steps[-1].node.span == node.span):
            return False
        return call is None or call.procedure is None or call.procedure.span != node.span

    # ── procedures ───────────────────────────────────────────────────────────────────────────────────────────────

    def _parts_of(self, procedure: Value) -> tuple[Lambda, RunFrame] | None:
        """The lambda of a procedure of the program, and the frame that it captures; None for anything else."""
        if type(procedure) is not FunctionType:
            return None
        if procedure.__code__.co_freevars == _OWN_FRAME:
            return last_constant(procedure.__code__).procedure, procedure.__closure__[0].cell_contents  # type: ignore[index]
        if id(procedure) not in self._opened:
            parts = opened(procedure)
            if parts is not None and parts[1].procedure is not None:
                self._numbered(parts[1])
            self._opened[id(procedure)] = procedure, parts
        return self._opened[id(procedure)][1]

    def _own_version(self, value: Value) -> Value:
        """A closure of this machine in place of a compiled procedure of the program; any other value itself."""
        parts = self._parts_of(value)
        if parts is None or value.__code__.co_freevars == _OWN_FRAME:
            return value
        return self._own.setdefault(id(value), self._closure(*parts))

    def _closure(self, procedure: Lambda, frame: RunFrame) -> Procedure:
        """A procedure that this machine runs, also when compiled code calls it."""
        code = self._codes.get(id(procedure))
        if code is None or last_constant(code).procedure is not procedure:
            info = CodeInfo(frame.unit, procedure, frozenset())
            names = tuple(python_name(variable.name) for variable in procedure.all_parameters)
            code = stub_code(info, names, len(procedure.parameters), _OWN_FRAME, self._runner(procedure))
            self._codes[id(procedure)] = code
        return FunctionType(code, frame.globals, code.co_name, None, (CellType(frame),))

    def _runner(self, procedure: Lambda) -> Callable[[FunctionType], Any]:
        def with_frame(captures: FunctionType) -> Any:
            frame: RunFrame = captures.__closure__[0].cell_contents  # type: ignore[index]

            @transparent
            def run_called(*arguments: Value) -> Value:
                waiting = Entry(None, frame, self._calling, (procedure,))
                entered = self._entered((procedure, frame), arguments, waiting)
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
            place = frame.place(node.variable)
            if type(place) is not Box and type(place) is not UnassignedCheckBox:
                return place
            value = getattr(place, "value", None)
            if value is None:
                raise failures.valueless(self.session, node, frame)
            return value
        if kind is core.Lambda:
            return self._closure(node, frame)
        if kind is core.Standard:
            return standard_value(self._library, node.name)
        if kind is core.Global:
            value = self._global(node, frame)
            return value if type(value) is FunctionType or not self._is_variable(node, frame) else None
        return None

    def _global(self, node: core.Global, frame: RunFrame) -> Value:
        value = self._global_value(node, frame)
        if value is None:
            raise failures.valueless(self.session, node, frame)
        if type(value) is FunctionType and spells(node.span, node.name):
            self.run_record.spellings.setdefault(id(value), (value, node.name, len(self.run_record.steps)))
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
            self.run_record.globals_seen[node.name] = frame.globals
            self._record("variable", node, frame, waiting, value)
        return None, frame, waiting, value

    def _first_part(self, node: Node, frame: RunFrame, waiting: Waiting) -> State:
        part, inner = core.children(node)[0], Waiting(node, frame, waiting)
        value = self._known(part, frame)
        return (part, frame, inner, None) if value is None else self._continue(inner, value)

    def _continue(self, waiting: Waiting, value: Value) -> State:
        """The state after the value has arrived that an expression waits for."""
        return _CONTINUE[type(waiting.node)](self, waiting.node, waiting, waiting.outer, value)

    def _call(self, node: core.Call, frame: RunFrame, waiting: Waiting) -> State:
        operator = node.operator
        if type(operator) is core.Global and self._global_value(operator, frame) is None:
            if not any(map(self._calls_procedures, node.operands)):
                raise failures.valueless(self.session, operator, frame)  # before the operands are evaluated
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
        for part in evaluated_parts(node)[len(values) :]:
            value = self._known(part, frame)
            if value is None:
                return part, frame, Waiting(node, frame, waiting, tuple(values)), None
            values.append(value)
        if isinstance(node.operator, core.Global):
            values.insert(0, self._global(node.operator, frame))
        if not self._is_next_turn(node, frame):
            self._record("call", node, frame, waiting, *values)
        return None, frame, waiting, Application(node, frame, values[0], tuple(values[1:]))

    def _is_next_turn(self, node: core.Call, frame: RunFrame) -> bool:
        """Whether a call is that by which a loop such as `do` goes on."""
        call = frame.call if type(node.operator) is core.Local and node.operator.span == node.span else None
        return call is not None and call.procedure is not None and call.procedure.span == node.span

    def _tested(self, node: core.If | core.Or, waiting: Waiting, outer: Waiting, value: Value) -> State:
        self._record("test", node, waiting.frame, outer, value)
        if type(node) is core.If:
            return (node.alternative if value is FALSE else node.consequent), waiting.frame, outer, None
        return (node.second if value is FALSE else None), waiting.frame, outer, value  # type: ignore[union-attr]

    # ── sequences and bindings ───────────────────────────────────────────────────────────────────────────────────

    def _sequence(self, node: core.Sequence, frame: RunFrame, waiting: Waiting) -> State:
        recursive = self._recursive_variables(node)
        if recursive:
            frame = frame.inside({variable: UnassignedCheckBox(intern(variable.name)) for variable in recursive})
        return self._sequence_from(node, 0, frame, waiting)

    def _sequence_from(self, node: core.Sequence, index: int, frame: RunFrame, waiting: Waiting) -> State:
        parts = node.parts
        while index < len(parts):
            part = parts[index]
            if type(part) is not core.Bind:
                if index and type(parts[index - 1]) is core.Bind:
                    self._record("bind", node, frame, waiting)
                inner = waiting if index == len(parts) - 1 else Waiting(node, frame, waiting, (), index)
                return part, frame, inner, None
            value = part.value if type(part.value) is Lambda else self._known(part.value, frame)
            if value is None:
                return part.value, frame, Waiting(node, frame, waiting, (), index), None
            frame = self._bound(part, value, frame)
            index += 1
        return None, frame, waiting, intern(parts[-1].variable.name)  # type: ignore[attr-defined]

    def _next_in_sequence(self, node: core.Sequence, waiting: Waiting, outer: Waiting, value: Value) -> State:
        part, frame = node.parts[waiting.index], waiting.frame
        frame = self._bound(part, value, frame) if type(part) is core.Bind else frame
        return self._sequence_from(node, waiting.index + 1, frame, outer)

    def _recursive_variables(self, body: Node) -> tuple[core.Variable, ...]:
        """The variables of a body whose definitions see each other; those of a sequence in it belong to the body."""
        if body not in self._bodies:
            inner, variables = [body], []
            for node in inner:  # the list grows meanwhile
                if type(node) is core.Sequence:
                    self._bodies[node] = ()
                    inner += node.parts
                elif type(node) is core.Bind and node.variable.is_recursive:
                    variables.append(node.variable)
            self._bodies[body] = tuple(variables)
        return self._bodies[body]

    def _bound(self, bind: core.Bind, value: Any, frame: RunFrame) -> RunFrame:
        """The frame in which a variable has its first value; for a lambda, a procedure that sees itself."""
        variable = bind.variable
        inner = frame if variable.is_recursive else frame.inside({})
        if type(value) is Lambda:
            value = self._closure(value, inner)
        if variable.is_recursive:
            place = frame.place(variable)
            self.run_record.note_change(id(place), place, getattr(place, "value", None))
            place.value = value
        elif value is core.UNASSIGNED and type(bind.value) is core.Constant:
            inner.variables[variable] = UnassignedCheckBox(intern(variable.name))
        else:
            inner.variables[variable] = Box(value) if variable.assigned else value
        return inner

    def _bind(self, node: core.Bind, frame: RunFrame, waiting: Waiting) -> State:
        return self._sequence(core.Sequence(node.span, (node,)), frame, waiting)

    # ── assignments and definitions ──────────────────────────────────────────────────────────────────────────────

    def _assigned(
        self, node: core.SetLocal | core.SetGlobal | core.Define, waiting: Waiting, outer: Waiting, value: Value
    ) -> State:
        run, frame = self.run_record, waiting.frame
        if isinstance(node, core.SetGlobal) and self._global_value(node, frame) is None:
            raise failures.valueless(self.session, node, frame)
        self._record("define" if isinstance(node, core.Define) else "assign", node, frame, outer, value)
        if run.first_assignment is None and not isinstance(node, core.Define):
            run.first_assignment = len(run.steps) - (bool(run.steps) and run.steps[-1].node is node)
        if isinstance(node, core.SetLocal):
            place = frame.place(node.variable)
            run.note_change(id(place), place, getattr(place, "value", None))
            place.value = value
        else:
            key = python_name(node.name)
            run.note_change((id(frame.globals), key), frame.globals, frame.globals.get(key))
            run.globals_seen[node.name] = frame.globals
            frame.globals[key] = value
        return None, frame, outer, intern(node.name) if isinstance(node, core.Define) else UNSPECIFIED


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
    if count == 4:
        return procedure(arguments[0], arguments[1], arguments[2], arguments[3])
    return procedure(*arguments) if arguments else procedure()


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


@resumed_by(Machine.run)
def _resume_run(frame: Locals) -> Resume:
    machine, inner, waiting = frame["self"], frame["frame"], frame["waiting"]
    return lambda value: machine.run(None, inner, waiting, value)


_EVALUATE: dict[type, Callable[..., State]] = {
    **dict.fromkeys((core.Constant, core.Local, core.Standard, core.Lambda), Machine._constant),
    **dict.fromkeys((core.If, core.Or, core.SetLocal, core.SetGlobal, core.Define), Machine._first_part),
    core.Global: Machine._variable,
    core.Call: Machine._call,
    core.Sequence: Machine._sequence,
    core.Bind: Machine._bind,
}
_CONTINUE: dict[type, Callable[..., State]] = {
    **dict.fromkeys((core.If, core.Or), Machine._tested),
    **dict.fromkeys((core.SetLocal, core.SetGlobal, core.Define), Machine._assigned),
    core.Call: Machine._next_operand,
    core.Sequence: Machine._next_in_sequence,
}
