"""Compilation of core to Python's ``ast``: the code of one top-level form.

Scheme's expressions become Python expressions where possible (`expressions`), and otherwise statements with a
destination. The loops are chosen by `analysis`, and the code object is made by `assembly`.
"""

import ast
from collections.abc import Callable

from minischeme.compiler.builder import TRANSPARENT
from minischeme.compiler.element_loops import ElementLoopGenerator
from minischeme.compiler.names import Names
from minischeme.compiler.resume_points import ResumeFunction
from minischeme.compiler.state import RETURN, Destination, FunctionState, Loop
from minischeme.data.cpython import CONSTANTS
from minischeme.data.values import FALSE, TRUE, UNSPECIFIED, intern, list_of
from minischeme.expansion import core
from minischeme.runtime.boxes import Box
from minischeme.runtime.names import python_name


class CodeGenerator(ElementLoopGenerator):
    """A compiler of one top-level form to the ``def`` of a Python function without parameters.

    `lambdas` maps the name of each ``def`` to its lambda, once `toplevel` has been called.
    """

    def toplevel(self) -> ast.stmt:
        self.lambdas: dict[str, core.Lambda] = {}
        self.build.move_to(self._unit.root.span)
        if self._rest is None:
            self.generate(core.defined_procedure(self._unit.root) or self._unit.root, RETURN)
        else:
            self._define_resume_function(self._rest)
        return self.build.function(Names.TOPLEVEL, [], None, self._with_declarations(self._function))

    def generate(self, node: core.Node, destination: Destination) -> None:
        before = self.build.move_to(node.span)
        handler = _STATEMENTS.get(type(node))
        if handler is not None:
            handler(self, node, destination)
        else:
            self._deliver(self.expression(node), destination)
        self.build.where = before

    def _deliver(self, code: ast.expr, destination: Destination) -> None:
        if destination.returns:
            self.emit(self.build.return_(code))
            return
        if destination.target is not None:
            self.emit(self.build.assign(destination.target, code))
        elif not isinstance(code, CONSTANTS):
            self.emit(self.build.expression(code))
        self._finish(destination)

    def _if(self, node: core.If, destination: Destination) -> None:
        test = self.test(node.test)
        with self._block() as consequent:
            self.generate(node.consequent, destination)
        self._branch(test, consequent, node.alternative, destination)

    def _branch(
        self, test: ast.expr, consequent: list[ast.stmt], alternative: core.Node, destination: Destination
    ) -> None:
        """Emit an ``if`` statement whose first branch is already compiled."""
        if consequent and isinstance(consequent[-1], ast.Return | ast.Continue | ast.Break):
            self.emit(self.build.if_(test, consequent))  # no else: long conds stay flat
            self.generate(alternative, destination)
            return
        with self._block() as statements:
            self.generate(alternative, destination)
        self.emit(self.build.if_(test, consequent, statements))

    def _or(self, node: core.Or, destination: Destination) -> None:
        is_ignored = destination.target is None and not destination.returns
        if is_ignored or self.calls.is_boolean(node.first):
            self._if(core.If(node.span, node.first, core.Constant(node.span, TRUE), node.second), destination)
            return
        value = self.temporary()
        self.generate(node.first, Destination(value))
        with self._block() as found:
            self._deliver(self.build.name(value), destination)
        test = self.build.is_not(self.build.name(value), FALSE)
        self._branch(test, found, node.second, destination)

    def _bind(self, node: core.Bind, destination: Destination) -> None:
        if node.variable not in self.facts.loops:
            name = self.names.variables[node.variable]
            if isinstance(node.value, core.Constant) and node.value.value is core.UNASSIGNED:
                self.declare_unassigned(node.variable)
            elif node.variable in self.facts.needs_letrec_check:
                self.emit(self.build.store_attribute(self.build.name(name), "value", self.expression(node.value)))
            elif node.variable in self.facts.boxed:
                self.emit(self.build.assign(name, self.build.call_constant(Box, self.expression(node.value))))
            elif isinstance(node.value, core.Lambda):
                self.define_function(node.value, name)
            else:
                self.generate(node.value, Destination(name))
        self._deliver(self.build.constant(intern(node.variable.name)), destination)

    def _define(self, node: core.Define, destination: Destination) -> None:
        self._store_global(node.name, self.expression(node.value))
        self._deliver(self.build.constant(intern(node.name)), destination)

    def _set_global(self, node: core.SetGlobal, destination: Destination) -> None:
        value = self.expression(node.value)
        if not isinstance(value, CONSTANTS):
            value = self.in_local(value)
        self.emit(self.build.expression(self.build.name(python_name(node.name))))  # an error unless it is bound
        self._store_global(node.name, value)
        self._deliver(self.build.constant(UNSPECIFIED), destination)

    def _store_global(self, name: str, value: ast.expr) -> None:
        self._function.globals.add(python_name(name))
        self.emit(self.build.assign(python_name(name), value))

    def _set_local(self, node: core.SetLocal, destination: Destination) -> None:
        box = self.build.name(self.names.variables[node.variable])
        self.emit(self.build.store_attribute(box, "value", self.expression(node.value)))
        self._deliver(self.build.constant(UNSPECIFIED), destination)

    def _call(self, node: core.Call, destination: Destination) -> None:
        applied = self.looped_lambda(node)
        value = self.element_loop(node, applied, is_last=destination.returns) if applied else self.repetition(node)
        if value is not None:
            self._deliver(value, destination)
            return
        if self.loop_call(node, destination) or self._inlined_call(node, destination):
            return
        procedure = self._function.procedure
        is_direct = not self._unit.leaves_pending if procedure is None else procedure in self.calls.direct
        if destination.returns and is_direct:
            # Nothing repeats at top level, and the frame of an ordinary call is needed by error reports.
            self._deliver(self._call_expression(node), destination)
            return
        if destination.returns and procedure is not None and self.calls.is_plain(node):
            self.emit(self.build.return_(self.build.call(*self.call_parts(node), TRANSPARENT)))
            return
        code, may_be_pending = self._call_code(node)
        if destination.returns:
            stays = self._function.is_inlining and self.calls.may_return_twice(node)
            if may_be_pending or stays or self.calls.stays_itself(node):
                self._tail_call_statement(code)
            else:
                self.emit(self.build.return_(code))
        elif not may_be_pending:
            self._deliver(code, destination)
        elif destination.target is None:
            self.emit(self.build.if_(self.build.is_none(code), [self.build.expression(self.resume(code))]))
            self._finish(destination)
        else:
            self.assign_value_of(destination.target, code)
            self._finish(destination)

    def _inlined_call(self, node: core.Call, destination: Destination) -> bool:
        """Emit the body of the procedure that a tail call is replaced by; returns False for any other call."""
        procedure = self.calls.inlined.get(node)
        if procedure is None:
            return False
        for parameter, code in zip(procedure.parameters, self.operands(node.operands), strict=True):
            self.emit(self.build.assign(self.names.variables[parameter], code))
        function = self._function
        temporaries, sites = function.temporaries, len(function.sites)
        function.is_inlining = True
        self.generate(procedure.body, destination)
        function.is_inlining = False
        function.temporaries = temporaries  # what follows is the same without the body
        del function.sites[sites:]
        return True

    def define_function(self, procedure: core.Lambda, name: str) -> None:
        before = self.build.move_to(procedure.span)
        outer, depth = self._function, self._depth
        self._function, self._depth = FunctionState(procedure), 0
        self.functions[procedure] = self._function
        parameters = [self.names.variables[parameter] for parameter in procedure.parameters]
        rest = None if procedure.rest is None else self.names.variables[procedure.rest]
        if rest is not None:
            self.emit(self.build.assign(rest, self.build.call_constant(list_of, self.build.name(rest))))
        own_name = self.names.lambdas[procedure]
        if procedure is self.calls.own and self._unit.summary.captures_itself:
            self.emit(self.build.nonlocal_([own_name]))  # also if it does not become a loop
        self._put_in_boxes(procedure.all_parameters)
        if procedure in self.facts.self_looping:
            self._function.loop = self._function.own_loop = Loop(procedure.parameters, None)
            self._repeat(procedure.body, RETURN)
        else:
            self.generate(procedure.body, RETURN)
        body = self._with_declarations(self._function)
        self._function, self._depth = outer, depth
        # The def has the lambda's own name, by which `assembly` finds its code; a variable may have another.
        self.lambdas[own_name] = procedure
        self.emit(self.build.function(own_name, parameters, rest, body))
        if name != own_name:
            self.emit(self.build.assign(name, self.build.name(own_name)))
        self.build.where = before

    def _define_resume_function(self, rest: ResumeFunction) -> None:
        """Emit the ``def`` of a resume function, whose parameters are the values that it needs, and return it."""
        outer = self._function
        function = self._function = self.functions[rest.procedure] = FunctionState(rest.procedure)
        function.temporaries = len(rest.operands)
        if rest.procedure is not None and rest.is_self_looping:
            function.loop = function.own_loop = Loop(rest.procedure.parameters, None)
            self._repeat(rest.procedure.body, RETURN, rest.body)
        else:
            self.generate(rest.body, RETURN)
        body = self._with_declarations(function)
        self._function = outer
        if rest.procedure is not None:
            self.lambdas[Names.RESUME] = rest.procedure
        kept = [f"{Names.TEMPORARY}{index}" for index in range(len(rest.operands) + 1)]
        parameters = [self.names.variables[variable] for variable in rest.variables]
        self.emit(self.build.function(Names.RESUME, kept + parameters, None, body))
        self.emit(self.build.return_(self.build.name(Names.RESUME)))

    def _with_declarations(self, function: FunctionState) -> list[ast.stmt]:
        declarations = [self.build.global_(sorted(function.globals))] if function.globals else []
        return [*declarations, *function.out]


_STATEMENTS: dict[type, Callable[..., None]] = {
    core.Sequence: lambda generator, node, to: generator.generate(generator.last_part(node), to),
    core.If: CodeGenerator._if,
    core.Or: CodeGenerator._or,
    core.Bind: CodeGenerator._bind,
    core.Define: CodeGenerator._define,
    core.SetGlobal: CodeGenerator._set_global,
    core.SetLocal: CodeGenerator._set_local,
    core.Call: CodeGenerator._call,
}
