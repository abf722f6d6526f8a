"""Core to Python's ``ast``: the code of one top-level form.

Scheme's expressions become Python expressions where they can (`expressions`), and statements with a destination where
they must. Leaves the choice of loops to `analysis`, and the code object to `assembly`.
"""

from __future__ import annotations

import ast
from collections import ChainMap
from collections.abc import Callable

from minischeme.compiler.expressions import ExpressionGenerator
from minischeme.compiler.inlining import constant_truth
from minischeme.compiler.names import Names
from minischeme.compiler.resume_points import ResumeFunction
from minischeme.compiler.state import IGNORE, RETURN, Destination, FunctionState, Loop
from minischeme.data.cpython import CONSTANTS
from minischeme.data.values import FALSE, TRUE, UNSPECIFIED, Value, intern, list_of
from minischeme.expansion.core import (
    UNASSIGNED,
    Bind,
    Call,
    Constant,
    Define,
    Global,
    If,
    Lambda,
    Local,
    Node,
    Or,
    Sequence,
    SetGlobal,
    SetLocal,
    Variable,
)
from minischeme.runtime.boxes import Box
from minischeme.runtime.names import python_name


class Generator(ExpressionGenerator):
    """Compiles one top-level form to the ``def`` of a Python function without parameters.

    `lambdas` maps each ``def``'s name to its lambda, once `toplevel` has been called. `leaves_pending` tells whether
    the form, which stands for a procedure then, leaves calls in tail position pending.
    """

    leaves_pending = False

    def toplevel(self) -> ast.stmt:
        self.lambdas: dict[str, Lambda] = {}
        self.build.move_to(self._root.span)
        if self._rest is None:
            self.generate(self._root, RETURN)
        else:
            self._define_resume_function(self._rest)
        return self.build.function(Names.TOPLEVEL, [], None, self._with_declarations(self._function))

    # ── statements ───────────────────────────────────────────────────────────────────────────────────────────────

    def generate(self, node: Node, destination: Destination) -> None:
        """Emit statements that bring the value of `node` to its destination."""
        before = self.build.move_to(node.span)
        handler = _STATEMENTS.get(type(node))
        if handler is not None:
            handler(self, node, destination)
        else:
            self._deliver(self.expression(node), destination)
        self.build.where = before

    def _deliver(self, code: ast.expr, destination: Destination) -> None:
        """Bring a computed value to its destination."""
        if destination.returns:
            self._emit(self.build.return_(code))
            return
        if destination.target is not None:
            self._emit(self.build.assign(destination.target, code))
        elif not isinstance(code, CONSTANTS):
            self._emit(self.build.expression(code))
        self._finish(destination)

    def _deliver_constant(self, value: Value, destination: Destination) -> None:
        self._deliver(self.build.constant(value), destination)

    def _finish(self, destination: Destination) -> None:
        """Leave the loop that the value ends."""
        if destination.exits_loop is not None:
            flag = self.build.assign(Names.JUMP, self.build.constant(0))
            destination.exits_loop.normal_exits.append((self._function.out, flag))
            self._emit(flag)
            self._emit(self.build.break_())

    def _sequence(self, node: Sequence, destination: Destination) -> None:
        self.declare_unassigned_variables(node)
        for part in node.parts[:-1]:
            self.generate(part, IGNORE)
        self.generate(node.parts[-1], destination)

    def _if(self, node: If, destination: Destination) -> None:
        truth = constant_truth(node.test)
        if truth is not None:
            self.generate(node.consequent if truth else node.alternative, destination)
            return
        test = self.test(node.test)
        with self._block() as consequent:
            self.generate(node.consequent, destination)
        if consequent and isinstance(consequent[-1], ast.Return | ast.Continue | ast.Break):
            self._emit(self.build.if_(test, consequent, []))  # no else: long conds stay flat
            self.generate(node.alternative, destination)
            return
        with self._block() as alternative:
            self.generate(node.alternative, destination)
        self._emit(self.build.if_(test, consequent, alternative))

    def _or(self, node: Or, destination: Destination) -> None:
        if destination.target is None and not destination.returns:
            self._if(If(node.span, node.first, Constant(node.span, UNSPECIFIED), node.second), destination)
            return
        if self._is_boolean(node.first):
            self._if(If(node.span, node.first, Constant(node.span, TRUE), node.second), destination)
            return
        value = self.temporary()
        self.generate(node.first, Destination(value))
        with self._block() as found:
            self._deliver(self.build.name(value), destination)
        test = self.build.is_not(self.build.name(value), FALSE)
        if isinstance(found[-1], ast.Return | ast.Continue | ast.Break):
            self._emit(self.build.if_(test, found, []))
            self.generate(node.second, destination)
            return
        with self._block() as otherwise:
            self.generate(node.second, destination)
        self._emit(self.build.if_(test, found, otherwise))

    def _bind(self, node: Bind, destination: Destination) -> None:
        if node.variable not in self.facts.loops:
            name = self.names.of(node.variable)
            if isinstance(node.value, Constant) and node.value.value is UNASSIGNED:
                self.declare_unassigned(node.variable)
            elif node.variable in self.facts.needs_letrec_check:
                self._emit(self.build.store_attribute(self.build.name(name), "value", self.expression(node.value)))
            elif node.variable in self.facts.boxed:
                self._emit(self.build.assign(name, self.build.call_constant(Box, self.expression(node.value))))
            elif isinstance(node.value, Lambda):
                self.define_function(node.value, name)
            else:
                self.generate(node.value, Destination(name))
        self._deliver_constant(intern(node.variable.name), destination)

    def _define(self, node: Define, destination: Destination) -> None:
        value = self.expression(node.value)
        self._store_global(node.name, value)
        self._deliver_constant(intern(node.name), destination)

    def _set_global(self, node: SetGlobal, destination: Destination) -> None:
        value = self.expression(node.value)
        if not isinstance(value, CONSTANTS):
            temporary = self.temporary()
            self._emit(self.build.assign(temporary, value))
            value = self.build.name(temporary)
        self._emit(self.build.expression(self.build.name(python_name(node.name))))  # an error unless it is bound
        self._store_global(node.name, value)
        self._deliver_constant(UNSPECIFIED, destination)

    def _store_global(self, name: str, value: ast.expr) -> None:
        self._function.globals.add(python_name(name))
        self._emit(self.build.assign(python_name(name), value))

    def _set_local(self, node: SetLocal, destination: Destination) -> None:
        place = self.build.name(self.names.of(node.variable))
        self._emit(self.build.store_attribute(place, "value", self.expression(node.value)))
        self._deliver_constant(UNSPECIFIED, destination)

    # ── calls as statements ──────────────────────────────────────────────────────────────────────────────────────

    def _call(self, node: Call, destination: Destination) -> None:
        if self.loop_call(node, destination):
            return
        procedure = self._function.procedure
        if destination.returns and (not self.leaves_pending if procedure is None else procedure in self.direct):
            # Nothing repeats at top level, and an ordinary call keeps the place for an error report.
            self._deliver(self._call_expression(node), destination)
            return
        if destination.returns and procedure is not None and self.is_plain(node):
            self._emit(self.build.return_(self.plain_tail_call(node)))
            return
        code, may_be_pending = self._call_code(node)
        if destination.returns:
            if may_be_pending or self._stays_itself(node):
                self._tail_call_statement(code)
            else:
                self._emit(self.build.return_(code))
        elif not may_be_pending:
            self._deliver(code, destination)
        elif destination.target is None:
            self._emit(self.build.if_(self.build.is_none(code), [self.build.expression(self.resume(code))], []))
            self._finish(destination)
        else:
            name = self.build.name(destination.target)
            self._emit(self.build.assign(destination.target, code))
            resume = self.build.assign(destination.target, self.resume(code))
            self._emit(self.build.if_(self.build.is_none(name), [resume], []))
            self._finish(destination)

    def _tail_call_statement(self, code: ast.expr) -> None:
        """Leave callee and arguments in the register and tell the caller by None."""
        assert isinstance(code, ast.Call)
        arguments = self.build.tuple_of(code.args)
        names = ("procedure", "arguments")
        self._emit(self.build.store_attributes(self._tail_call, names, [code.func, arguments]))
        self._emit(self.build.return_(self.build.none()))

    def _return_value_of(self, call: ast.expr) -> None:
        """Return what a call gives, also if it leaves a tail call pending."""
        temporary = self.temporary()
        value = self.build.name(temporary)
        self._emit(self.build.assign(temporary, call))
        resume = self.build.assign(temporary, self.resume(call))
        self._emit(self.build.if_(self.build.is_none(value), [resume], []))
        self._emit(self.build.return_(value))

    def loop_call(self, node: Call, destination: Destination) -> bool:
        """Emit a call that enters, or goes on with, a loop; False if it is no such call."""
        operator = node.operator
        if isinstance(operator, Local) and operator.variable in self.facts.loops:
            open_loop = self._function.loops.get(operator.variable)
            if open_loop is not None:
                self._set_parameters(open_loop, node)
                self._go_on_with(open_loop)
            else:
                self._enter_loop(operator.variable, node, destination)
            return True
        own = self._function.own_loop
        procedure = self._function.procedure
        if not destination.returns or own is None or procedure is None or not self.facts.is_self_call(node, procedure):
            return False
        self._set_parameters(own, node)
        if isinstance(operator, Global):
            # Redefinition and `trace` must see every turn: go on only while the global holds this very procedure.
            current = self.build.name(python_name(operator.name))
            itself = self.build.name(self.names.of_lambda(procedure))
            with self._block() as leaving:
                arguments = [self._local(Local(None, parameter)) for parameter in procedure.parameters]
                if procedure is self.own and self.assumptions.own_is_direct:
                    self._return_value_of(self.transparent_call(current, arguments))
                else:
                    self._tail_call_statement(self.build.call(current, arguments))
            self._emit(self.build.if_(self.build.compare(current, ast.IsNot(), itself), leaving, []))
        self._go_on_with(own)
        return True

    def _set_parameters(self, loop: Loop, node: Call) -> None:
        """Give a loop's parameters their values for the next turn, all at once where one needs another's old value."""
        values = self.operands(node.operands)
        changes = [
            (name, self.build.call_constant(Box, code) if name in loop.boxed else code, operand)
            for name, code, operand in zip(loop.parameters, values, node.operands, strict=True)
            if not (isinstance(code, ast.Name) and code.id == name)
        ]
        stored: set[str] = set()
        in_order = True
        for name, _, operand in changes:
            in_order = in_order and (not stored or not self.names.may_mention(operand, stored))
            stored.add(name)
        if in_order:
            for name, code, _ in changes:
                self._emit(self.build.assign(name, code))
        else:
            self._emit(self.build.assign_all([change[0] for change in changes], [change[1] for change in changes]))

    def _go_on_with(self, loop: Loop) -> None:
        """Start the next turn of an open loop, out of the loops inside it."""
        inner = self._function.loop
        if inner is loop:
            self._emit(self.build.continue_())
            return
        while inner is not None and inner is not loop:
            if loop not in inner.jumps:
                inner.jumps.append(loop)
            inner = inner.parent
        number = self._loop_number(loop)
        self._emit(self.build.assign(Names.JUMP, self.build.constant(number)))
        self._emit(self.build.break_())

    def _loop_number(self, loop: Loop) -> int:
        """A number for a jump target that differs among the open loops; 0 means no jump."""
        number = 1
        while loop.parent is not None:
            loop = loop.parent
            number += 1
        return number

    def _enter_loop(self, variable: Variable, node: Call, destination: Destination) -> None:
        """The body of a loop at its only entry, or in the middle of a turn."""
        procedure = self.facts.loops[variable]
        turn = node.operands[0] if self._rest is not None and node in self._rest.turns else None
        if turn is None:
            parameters = [self.names.of(parameter) for parameter in procedure.parameters]
            for name, operand in zip(parameters, node.operands, strict=True):
                self.generate(operand, Destination(name))
                self._function.spilled[operand] = name
            self._put_in_boxes(procedure.parameters)
        if variable not in self.facts.recursive:
            self.generate(procedure.body, destination)
            return
        function = self._function
        loop = self._loop(procedure.parameters, function.loop)
        inner = destination if destination.returns else Destination(destination.target, False, loop)
        function.loops[variable] = function.loop = loop
        self._repeat(procedure.body, inner, turn)
        function.loop = loop.parent
        del function.loops[variable]
        self._after_loop(loop, destination)

    def _repeat(self, body: Node, destination: Destination, turn: Node | None = None) -> None:
        """Emit a loop. Args: turn: what remains of its first turn, None for a whole one."""
        if turn is None:
            with self._block() as statements:
                self.generate(body, destination)
            self._emit(self.build.forever(statements))
            return
        is_first = self.temporary()
        self._emit(self.build.assign(is_first, self.build.none()))
        with self._block() as statements:
            with self._block() as first:
                self._emit(self.build.assign(is_first, self.build.constant(FALSE)))
                self.generate(turn, destination)
            self._emit(self.build.if_(self.build.is_none(self.build.name(is_first)), first, []))
            kept, self._function.spilled = self._function.spilled, ChainMap({}, self._function.spilled)
            self.generate(body, destination)
            self._function.spilled = kept
        self._emit(self.build.forever(statements))

    def _loop(self, parameters: tuple[Variable, ...], parent: Loop | None) -> Loop:
        names = [self.names.of(parameter) for parameter in parameters]
        boxed = {self.names.of(parameter) for parameter in parameters if parameter in self.facts.boxed}
        return Loop(names, boxed, parent)

    def _after_loop(self, loop: Loop, destination: Destination) -> None:
        """What follows a loop: its normal end, or the next turn of a loop around it."""
        if not loop.jumps:
            for statements, flag in loop.normal_exits:
                statements.remove(flag)
            self._finish(destination)
            return
        for target in loop.jumps[1:] if destination.returns else loop.jumps:
            test = self.build.compare(
                self.build.name(Names.JUMP), ast.Eq(), self.build.constant(self._loop_number(target))
            )
            self._emit(self.build.if_(test, [self._jump_out(target)], []))
        if destination.returns:
            self._emit(self._jump_out(loop.jumps[0]))
        else:
            self._finish(destination)

    def _jump_out(self, target: Loop) -> ast.stmt:
        return self.build.continue_() if self._function.loop is target else self.build.break_()

    # ── procedures ───────────────────────────────────────────────────────────────────────────────────────────────

    def define_function(self, procedure: Lambda, name: str) -> None:
        """Emit the ``def`` of a lambda, bound to the local `name`."""
        before = self.build.move_to(procedure.span)
        outer, depth = self._function, self._depth
        self._function, self._depth = FunctionState(procedure), 0
        self.functions[procedure] = self._function
        parameters = [self.names.of(parameter) for parameter in procedure.parameters]
        rest = None if procedure.rest is None else self.names.of(procedure.rest)
        if rest is not None:
            self._emit(self.build.assign(rest, self.build.call_constant(list_of, self.build.name(rest))))
        own = procedure.parameters if procedure.rest is None else (*procedure.parameters, procedure.rest)
        self._put_in_boxes(own)
        if procedure in self.facts.self_looping:
            self._function.loop = self._function.own_loop = self._loop(procedure.parameters, None)
            self._repeat(procedure.body, RETURN)
        else:
            self.generate(procedure.body, RETURN)
        body = self._with_declarations(self._function)
        self._function, self._depth = outer, depth
        # The def has the lambda's own name, by which `assembly` knows its code; a variable may have another.
        own_name = self.names.of_lambda(procedure)
        self.lambdas[own_name] = procedure
        self._emit(self.build.function(own_name, parameters, rest, body))
        if name != own_name:
            self._emit(self.build.assign(name, self.build.name(own_name)))
        self.build.where = before

    def _define_resume_function(self, rest: ResumeFunction) -> None:
        """Emit the ``def`` of the rest of a procedure, whose parameters are what it needs to go on, and return it."""
        outer = self._function
        function = self._function = self.functions[rest.procedure] = FunctionState(rest.procedure)
        function.temporaries = len(rest.operands)
        if rest.procedure is not None and rest.is_self_looping:
            function.loop = function.own_loop = self._loop(rest.procedure.parameters, None)
            self._repeat(rest.procedure.body, RETURN, rest.body)
        else:
            self.generate(rest.body, RETURN)
        body = self._with_declarations(function)
        self._function = outer
        if rest.procedure is not None:
            self.lambdas[Names.RESUME] = rest.procedure
        kept = [Names.spilled(index) for index in range(len(rest.operands) + 1)]
        parameters = [self.names.of(variable) for variable in rest.variables]
        self._emit(self.build.function(Names.RESUME, kept + parameters, None, body))
        self._emit(self.build.return_(self.build.name(Names.RESUME)))

    def _put_in_boxes(self, parameters: tuple[Variable, ...]) -> None:
        """Let the parameters that are assigned stand in boxes of their own."""
        for parameter in parameters:
            if parameter in self.facts.boxed:
                name = self.names.of(parameter)
                self._emit(self.build.assign(name, self.build.call_constant(Box, self.build.name(name))))

    def _with_declarations(self, function: FunctionState) -> list[ast.stmt]:
        declarations: list[ast.stmt] = []
        if function.globals:
            declarations.append(self.build.global_(sorted(function.globals)))
        return [*declarations, *function.out]


_STATEMENTS: dict[type, Callable[..., None]] = {
    Sequence: Generator._sequence,
    If: Generator._if,
    Or: Generator._or,
    Bind: Generator._bind,
    Define: Generator._define,
    SetGlobal: Generator._set_global,
    SetLocal: Generator._set_local,
    Call: Generator._call,
}
