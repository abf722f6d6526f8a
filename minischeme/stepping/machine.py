"""`Machine`: an evaluator of core trees that takes one step after the other, and records them.

The state of a run is data: an expression, its environment, and its continuation. So calls of the program's own
procedures use no stack. Standard procedures and those of the library are called as they are; what they call in turn,
such as the argument of `map`, is a run of its own on Python's stack, whose frames continuations resume as they do those
of any standard procedure (ARCHITECTURE.md section 6).
"""

import weakref
from collections.abc import Callable
from functools import partial
from types import CellType, CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from minischeme.compiler.assembly import CodeInfo, Unit
from minischeme.compiler.entry_stubs import stub_code
from minischeme.data.values import FALSE, UNSPECIFIED, Procedure, Value, intern, list_of
from minischeme.expansion import core
from minischeme.expansion.core import Lambda, Node
from minischeme.primitives.registry import primitive_of
from minischeme.runtime.boxes import Box, UnassignedCheckBox
from minischeme.runtime.names import python_name, standard_value
from minischeme.runtime.resumption import Locals, Resume, resumed_by, transparent
from minischeme.stepping import failures
from minischeme.stepping.opening import OWN_FRAME, opened, own_parts
from minischeme.stepping.recording import Entry, RecordedRun, RunFrame, State
from minischeme.stepping.written import has_own_part, spells

if TYPE_CHECKING:
    from minischeme.session.session import Session


class Machine:
    """An evaluator for a session's forms; it records in `run_record`."""

    def __init__(self, session: "Session", run_record: RecordedRun) -> None:
        # Code refers to the machine, where the collector can't see it.
        self.session: Session = weakref.proxy(session)
        self.run_record = run_record
        self._tail = session._tail_call
        self._library = session.library
        self._codes: weakref.WeakValueDictionary[Lambda, CodeType] = weakref.WeakValueDictionary()
        self._opened: dict[Procedure, tuple[Lambda, RunFrame] | None] = {}
        self._own: dict[Procedure, Procedure] = {}
        self._bodies: dict[Node, tuple[core.Variable, ...]] = {}
        self._calling: State | None = None  # the call of a standard procedure that is running

    def end(self) -> None:
        """Let go of the run: procedures that it has made refer to the machine, where the collector can't see it."""
        self.run_record = RecordedRun()
        self._opened.clear()
        self._own.clear()
        self._calling = None

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
        return self.run(State(unit.root, frame, Entry(None, frame, None)))

    @transparent
    def run(self, state: State) -> Value:
        """The value that arrives at the innermost `Entry` of a continuation; None for a pending tail call."""
        while True:
            found = _RULES[type(state.node)](self, state)
            if type(found) is State:
                state = found
                continue
            if found is None:
                return None
            state = state.outer
            state.returns += (len(self.run_record.steps),)
            if type(state) is Entry:
                self._calling = state.outer
                return found
            state = State(state.node, state.frame, state.outer, (*state.values, found))

    def _record(self, step: State) -> None:
        node = step.node
        if isinstance(node, core.Global) or has_own_part(node) or self._is_macro_use(node, step.frame):
            self.run_record.note_step(step)

    def _is_macro_use(self, node: Node, frame: RunFrame) -> bool:
        """Whether an expression is an assignment made by a macro whose use no step has shown yet."""
        steps = self.run_record.steps
        if not isinstance(node, core.SetLocal | core.SetGlobal) or (steps and steps[-1].node.span == node.span):
            return False
        return not frame.is_of_procedure_at(node.span)

    # ── calls ────────────────────────────────────────────────────────────────────────────────────────────────────

    @transparent
    def _call(self, state: State) -> Any:
        node, frame, values = state.node, state.frame, state.values
        if len(values) <= len(node.operands):
            operator = node.operator
            if not values and type(operator) is core.Global and self._global_value(operator, frame) is None:
                if not any(map(self._calls_procedures, node.operands)):
                    raise failures.valueless(self.session, operator, frame)  # before the operands are evaluated
            return _with_next_part(state)
        is_hidden = type(node.operator) is core.Local and node.operator.span == node.span
        if not (is_hidden and frame.is_of_procedure_at(node.span)):  # by which a loop such as `do` goes on
            self._record(state)
        return self._apply(state, state.procedure, state.arguments)

    def _apply(self, state: State, procedure: Value, arguments: tuple[Value, ...]) -> Any:
        """The state in which a procedure of the program begins; the value of a call of any other procedure."""
        while True:
            entered = self._entered(self._parts_of(procedure), arguments, state.outer)
            if entered is not None:
                return entered
            known, calling, error, value = primitive_of(procedure), self._calling, None, None
            if type(state.outer) is Entry and known is not None and known.stays:
                return self._tail.leave(procedure, *arguments)
            if known is None or known.calls_others:
                self._calling = Entry(state.node, state.frame, state.outer, state.values)
                if known is None or not known.names[0].startswith("raise"):
                    arguments = tuple([self._own_version(argument) for argument in arguments])
            name = known.names[0] if known is not None else getattr(procedure, "__name__", "")
            before = self.run_record.mutable_data(arguments if name.endswith("!") else ())
            try:
                invoke = self._tail.call if _is_pending_tail_call(state, procedure) else _invoke
                value = invoke(procedure, arguments)
            except Exception as exception:
                error = failures.explained(self.session, exception, state, procedure, arguments)
            if error is not None:
                raise error
            self._calling = calling
            self.run_record.note_mutations(before)
            if value is not None:
                return value
            procedure, arguments = self._tail.procedure, self._tail.arguments

    def _entered(
        self, parts: tuple[Lambda, RunFrame] | None, arguments: tuple[Value, ...], caller: State | None
    ) -> State | None:
        """The state in which a lambda begins in its frame; None where there is no lambda, or the call fails."""
        if parts is None:
            return None
        procedure, outer = parts
        count, rest = len(procedure.parameters), procedure.rest
        if len(arguments) != count and (rest is None or len(arguments) < count):
            return None
        variables = dict(zip(procedure.parameters, arguments, strict=False))
        if rest is not None:
            variables[rest] = list_of(arguments[count:])
        frame = outer.inside({each: Box(value) if each.assigned else value for each, value in variables.items()})
        frame.procedure, frame.caller, frame.number = procedure, caller, self.run_record.note_call()
        return State(procedure.body, frame, caller)

    def _calls_procedures(self, node: Node) -> bool:
        """Whether an expression calls others than standard procedures that call no procedure."""
        if type(node) is core.Call:
            operator = node.operator
            name = operator.name if isinstance(operator, core.Global | core.Standard) else ""
            known = primitive_of(self._library.get(python_name(name)))
            if known is None or known.calls_others:
                return True
        return type(node) is not Lambda and any(map(self._calls_procedures, core.children(node)))

    # ── procedures ───────────────────────────────────────────────────────────────────────────────────────────────

    def _parts_of(self, procedure: Value) -> tuple[Lambda, RunFrame] | None:
        """The lambda of a procedure of the program, and the frame that it captures; None for anything else."""
        own = own_parts(procedure)
        if own is not None or type(procedure) is not FunctionType:
            return own
        if procedure not in self._opened:
            self._opened[procedure] = parts = opened(procedure)
            if parts is not None and parts[1].procedure is not None:
                parts[1].number = self.run_record.note_call()
        return self._opened[procedure]

    def _own_version(self, value: Value) -> Value:
        """A closure of this machine in place of a compiled procedure of the program; any other value itself.

        So the machine runs what standard procedures are given to call.
        """
        parts = self._parts_of(value)
        return value if parts is None or own_parts(value) else self._own.setdefault(value, self._closure(*parts))

    def _closure(self, procedure: Lambda, frame: RunFrame) -> Procedure:
        """A procedure that this machine runs, also when compiled code calls it."""
        code = self._codes.get(procedure)
        if code is None:
            info = CodeInfo(frame.unit, procedure, frozenset())
            names = tuple(python_name(variable.name) for variable in procedure.all_parameters)
            code = stub_code(info, names, len(procedure.parameters), OWN_FRAME, partial(self._runner, procedure))
            self._codes[procedure] = code
        return FunctionType(code, frame.globals, code.co_name, None, (CellType(frame),))

    def _runner(self, procedure: Lambda, captures: FunctionType) -> Any:
        """The procedure that runs a lambda in the frame that it captures."""
        frame: RunFrame = captures.__closure__[0].cell_contents  # type: ignore[index]

        @transparent
        def run_called(*arguments: Value) -> Value:
            entered = self._entered((procedure, frame), arguments, Entry(None, frame, self._calling, (procedure,)))
            assert entered is not None
            return self.run(entered)

        return run_called

    # ── variables ────────────────────────────────────────────────────────────────────────────────────────────────

    def _local(self, state: State) -> Value:
        place = state.frame.place(state.node.variable)
        if type(place) is not Box and type(place) is not UnassignedCheckBox:
            return place
        value = getattr(place, "value", None)
        if value is None:
            raise failures.valueless(self.session, state.node, state.frame)
        return value

    def _global(self, state: State) -> Value:
        node, frame = state.node, state.frame
        value, run = self._global_value(node, frame), self.run_record
        if value is None:
            raise failures.valueless(self.session, node, frame)
        if spells(node.span, node.name):
            if type(value) is FunctionType:
                run.spellings.setdefault(id(value), (value, node.name, len(run.steps)))
            elif python_name(node.name) in frame.globals:
                run.globals_seen[node.name] = frame.globals
                if node is not getattr(state.outer.node, "operator", None):
                    self._record(State(node, frame, state.outer, (value,)))
        return value

    def _global_value(self, node: core.Global | core.SetGlobal, frame: RunFrame) -> Any:
        key = python_name(node.name)
        return frame.globals.get(key, self._library.get(key))

    def _assignment(self, state: State) -> Any:
        node, frame, values = state.node, state.frame, state.values
        if not values:
            return _with_next_part(state)
        run, is_definition = self.run_record, type(node) is core.Define
        if type(node) is core.SetGlobal and self._global_value(node, frame) is None:
            raise failures.valueless(self.session, node, frame)
        if run.first_assignment is None and not is_definition:
            run.first_assignment = len(run.steps)
        self._record(state)
        if type(node) is core.SetLocal:
            self._set_box(frame.place(node.variable), values[0])
        else:
            key = python_name(node.name)
            run.note_change(key, None, frame.globals.get(key))
            run.globals_seen[node.name] = frame.globals
            frame.globals[key] = values[0]
        return intern(node.name) if is_definition else UNSPECIFIED

    def _set_box(self, box: Any, value: Value) -> None:
        self.run_record.note_change(id(box), box, getattr(box, "value", None))
        box.value = value

    # ── sequences and tests ──────────────────────────────────────────────────────────────────────────────────────

    def _sequence(self, state: State) -> Any:
        node, frame, values = state.node, state.frame, state.values
        before = node.parts[len(values) - 1] if values else None
        if before is None and (recursive := self._recursive_variables(node)):
            frame = frame.inside({variable: UnassignedCheckBox(intern(variable.name)) for variable in recursive})
        elif type(before) is core.Bind:
            frame = self._bound(before, values[-1], frame)
            if len(values) == len(node.parts):
                return intern(before.variable.name)
        part = node.parts[len(values)]
        if type(part) is core.Bind:
            if type(part.value) is Lambda and not part.variable.is_recursive:
                frame = frame.inside({})  # which a loop's procedure sees itself in
        else:
            if type(before) is core.Bind:
                self._record(State(node, frame, state.outer, values))
            if part is node.parts[-1]:
                return State(part, frame, state.outer)
        return _with_next_part(State(node, frame, state.outer, values))

    def _bound(self, bind: core.Bind, value: Value, frame: RunFrame) -> RunFrame:
        """The frame in which a variable has its first value."""
        variable = bind.variable
        if variable.is_recursive:
            self._set_box(frame.place(variable), value)
            return frame
        inner = frame if type(bind.value) is Lambda else frame.inside({})
        if value is core.UNASSIGNED and type(bind.value) is core.Constant:
            inner.variables[variable] = UnassignedCheckBox(intern(variable.name))
        else:
            inner.variables[variable] = Box(value) if variable.assigned else value
        return inner

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

    def _test(self, state: State) -> Any:
        node, frame = state.node, state.frame
        if not state.values:
            return _with_next_part(state)
        self._record(state)
        is_true = state.values[0] is not FALSE
        if type(node) is core.If:
            return State(node.consequent if is_true else node.alternative, frame, state.outer)
        return state.values[0] if is_true else State(node.second, frame, state.outer)


def _with_next_part(state: State) -> State:
    return State(state.part, state.frame, state)


@transparent
def _invoke(procedure: Value, arguments: tuple[Value, ...]) -> Any:
    """The result of a call; with up to three arguments it does not use the C stack."""
    match arguments:
        case ():
            return procedure()
        case (a,):
            return procedure(a)
        case (a, b):
            return procedure(a, b)
        case (a, b, c):
            return procedure(a, b, c)
    return procedure(*arguments)


def _is_pending_tail_call(state: State, procedure: Value) -> bool:
    """Whether a call that will fail would be pending in compiled code, which tells in the message."""
    around = state.frame.call
    if around is None or around.caller is not state.outer or primitive_of(procedure) is not None:
        return False
    if type(procedure) is not FunctionType:
        return not isinstance(state.node.operator, core.Constant)
    is_own = own_parts(procedure) is not None or opened(procedure) is not None
    return is_own and not isinstance(state.node.operator, core.Global)


@resumed_by(Machine._apply)
def _resume_apply(frame: Locals) -> Resume:
    machine, state = frame["self"], frame["state"]
    return lambda value: machine.run(State(core.Constant(None, value), state.frame, state.outer))


_RULES: dict[type[Node], Callable[[Machine, State], Any]] = {
    core.Constant: lambda machine, state: state.node.value,
    core.Standard: lambda machine, state: standard_value(machine._library, state.node.name),
    core.Lambda: lambda machine, state: machine._closure(state.node, state.frame),
    core.Local: Machine._local,
    core.Global: Machine._global,
    core.SetLocal: Machine._assignment,
    core.SetGlobal: Machine._assignment,
    core.Define: Machine._assignment,
    core.If: Machine._test,
    core.Or: Machine._test,
    core.Call: Machine._call,
    core.Sequence: Machine._sequence,
    core.Bind: lambda machine, state: State(core.Sequence(state.node.span, (state.node,)), state.frame, state.outer),
}
