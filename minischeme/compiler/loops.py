"""Generation of loops: their entry, their turns and their exits. They are chosen by `analysis`."""

import ast
from collections import ChainMap

from minischeme.compiler.builder import TRANSPARENT
from minischeme.compiler.expressions import ExpressionGenerator
from minischeme.compiler.names import Names
from minischeme.compiler.state import Destination, Loop
from minischeme.data.values import FALSE
from minischeme.expansion.core import Call, Global, Local, Node, Variable
from minischeme.runtime.boxes import Box
from minischeme.runtime.names import python_name


class LoopGenerator(ExpressionGenerator):
    """A generator of code for calls that enter or continue a loop."""

    def loop_call(self, node: Call, destination: Destination) -> bool:
        """Emit a call that enters or continues a loop; returns False for any other call."""
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
        if isinstance(operator, Global) and not self.calls.means_itself(procedure):
            # Redefinition and `trace` must affect every turn: continue only while the global holds this very procedure.
            current = self.build.name(python_name(operator.name))
            itself = self.build.name(self.names.lambdas[procedure])
            temporaries = self._function.temporaries
            with self._block() as leaving:
                arguments = [self._local(Local(None, parameter)) for parameter in procedure.parameters]
                if procedure is self.calls.own and self.calls.own_is_direct:
                    value = self.temporary()
                    self.assign_value_of(value, self.build.call(current, arguments, TRANSPARENT))
                    self.emit(self.build.return_(self.build.name(value)))
                else:
                    self._tail_call_statement(self.build.call(current, arguments))
            self._function.temporaries = temporaries  # what follows is the same in either case
            self.emit(self.build.if_(self.build.compare(current, ast.IsNot(), itself), leaving))
        self._go_on_with(own)
        return True

    def _set_parameters(self, loop: Loop, node: Call) -> None:
        """Assign a loop's parameters for the next turn, simultaneously: one value may need another's old value."""
        values = self.operands(node.operands)
        changes: dict[str, ast.expr] = {}
        for parameter, code in zip(loop.parameters, values, strict=True):
            name = self.names.variables[parameter]
            if not (isinstance(code, ast.Name) and code.id == name):
                changes[name] = self.build.call_constant(Box, code) if parameter in self.facts.boxed else code
        if len(changes) == 1:
            self.emit(self.build.assign(*changes.popitem()))
        elif changes:
            self.emit(self.build.assign_all(map(self.build.target, changes), [*changes.values()]))

    def _go_on_with(self, loop: Loop) -> None:
        """Start the next turn of an open loop, leaving the loops inside it."""
        inner = self._function.loop
        while inner is not None and inner is not loop:
            if loop not in inner.jumps:
                inner.jumps.append(loop)
            inner = inner.parent
        if self._function.loop is not loop:
            self.emit(self.build.assign(Names.JUMP, self.build.constant(self._loop_number(loop))))
        self.emit(self._jump_out(loop))

    def _loop_number(self, loop: Loop) -> int:
        """The number of a jump target, unique among the open loops; 0 means no jump."""
        return 1 if loop.parent is None else 1 + self._loop_number(loop.parent)

    def _enter_loop(self, variable: Variable, node: Call, destination: Destination) -> None:
        """Emit the body of a loop at its only entry, or in the middle of a turn."""
        procedure = self.facts.loops[variable]
        turn = node.operands[0] if self._rest is not None and node in self._rest.turns else None
        if turn is None:
            for parameter, operand in zip(procedure.parameters, node.operands, strict=True):
                name = self.names.variables[parameter]
                self.generate(operand, Destination(name))
                self._function.spilled[operand] = name
            self._put_in_boxes(procedure.parameters)
        if procedure not in self.facts.repeating:
            self.generate(procedure.body, destination)
            return
        function = self._function
        loop = Loop(procedure.parameters, function.loop)
        inner = destination if destination.returns else Destination(destination.target, ends_loop=True)
        start = len(function.out)
        function.loops[variable] = function.loop = loop
        self._repeat(procedure.body, inner, turn)
        function.loop = loop.parent
        del function.loops[variable]
        if loop.jumps and not destination.returns:
            function.out.insert(start, self.build.assign(Names.JUMP, self.build.constant(0)))
        self._after_loop(loop, destination)

    def _repeat(self, body: Node, destination: Destination, turn: Node | None = None) -> None:
        """Emit a loop. `turn` is the rest of its first turn, or None for a whole one."""
        if turn is None:
            with self._block() as statements:
                self.generate(body, destination)
            self.emit(self.build.forever(statements))
            return
        is_first = self.temporary()
        self.emit(self.build.assign(is_first, self.build.literal(None)))
        with self._block() as statements:
            with self._block() as first:
                self.emit(self.build.assign(is_first, self.build.constant(FALSE)))
                self.generate(turn, destination)
            self.emit(self.build.if_(self.build.is_none(self.build.name(is_first)), first))
            kept, self._function.spilled = self._function.spilled, ChainMap({}, self._function.spilled)
            self.generate(body, destination)
            self._function.spilled = kept
        self.emit(self.build.forever(statements))

    def _after_loop(self, loop: Loop, destination: Destination) -> None:
        for target in loop.jumps[1:] if destination.returns else loop.jumps:
            number = self.build.constant(self._loop_number(target))
            test = self.build.compare(self.build.name(Names.JUMP), ast.Eq(), number)
            self.emit(self.build.if_(test, [self._jump_out(target)]))
        if destination.returns and loop.jumps:
            self.emit(self._jump_out(loop.jumps[0]))
        else:
            self._finish(destination)

    def _jump_out(self, target: Loop) -> ast.stmt:
        return self.build.continue_() if self._function.loop is target else self.build.break_()

    def _finish(self, destination: Destination) -> None:
        if destination.ends_loop:
            self.emit(self.build.break_())

    def _tail_call_statement(self, code: ast.expr) -> None:
        """Store callee and arguments in the register and return None to the caller."""
        assert isinstance(code, ast.Call)
        arguments = self.build.tuple_of(code.args)
        register = self.build.constant(self._unit.tail_call)
        targets = [self.build.attribute_target(register, name) for name in ("procedure", "arguments")]
        self.emit(self.build.assign_all(targets, [code.func, arguments]))
        self.emit(self.build.return_(self.build.literal(None)))

    def _put_in_boxes(self, parameters: tuple[Variable, ...]) -> None:
        """Put the parameters that are assigned into boxes."""
        for parameter in parameters:
            if parameter in self.facts.boxed:
                name = self.names.variables[parameter]
                self.emit(self.build.assign(name, self.build.call_constant(Box, self.build.name(name))))
