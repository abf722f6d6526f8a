"""Core to Python's ``ast``: the code of one top-level form.

Scheme's expressions become Python expressions where they can, and statements with a destination where they must. Leaves
the choice of loops to `analysis`, the primitives' operators to `integration`, and the code object to `assembly`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import msgspec

from minischeme import core
from minischeme.compiler.analysis import Facts
from minischeme.compiler.builder import Builder
from minischeme.compiler.integration import TABLE, Integration, Operand, constant_truth
from minischeme.core import (
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
)
from minischeme.core import Standard, Variable
from minischeme.runtime import TailCall, python_name
from minischeme.values import FALSE, TRUE, UNSPECIFIED, Value, intern, list_of

DEEPEST_EXPRESSION = 40
"""Operands nested deeper than this are computed into locals, to spare CPython's recursive compiler."""


class Loop:
    """A ``while True:`` in the making.

    Args: parameters: the locals that each turn sets. name: the procedure that it was. parent: the loop around it.
    `jumps` are the loops further out that its body goes on with.
    """

    def __init__(self, parameters: list[str], parent: Loop | None) -> None:
        self.parameters = parameters
        self.parent = parent
        self.jumps: list[Loop] = []
        self.normal_exits: list[tuple[list[ast.stmt], ast.stmt]] = []


class Destination(msgspec.Struct, frozen=True, eq=False):
    """Where the value of an expression goes.

    Args: target: a local's name, None if the value is not wanted. returns: to the caller, as the procedure's value.
    leaves: the loop that the value ends, if any.
    """

    target: str | None = None
    returns: bool = False
    leaves: Loop | None = None


RETURN = Destination(returns=True)
IGNORE = Destination()


class Function:
    """The Python function being compiled: its names, its statements so far, and the loops that are open in it."""

    def __init__(self, procedure: Lambda | None) -> None:
        self.procedure = procedure
        self.out: list[ast.stmt] = []
        self.temporaries = 0
        self.nonlocals: set[str] = set()
        self.globals: set[str] = set()
        self.loop: Loop | None = None
        self.loops: dict[Variable, Loop] = {}
        self.own_loop: Loop | None = None


class Generator:
    """Compiles one top-level form to the ``def`` of a Python function without parameters.

    Args: root: the form. library: the library's bindings by name. rebound: the names of the library that the program
    has bound to something else; calls of the others may be integrated. tail_call: the session's register.

    `standard_names` are the names of the library that the form mentions; `lambdas` maps each ``def``'s name to its lambda.
    """

    def __init__(self, root: Node, library: dict[str, Value], rebound: set[str], tail_call: TailCall) -> None:
        self.build = Builder()
        self.standard_names: set[str] = set()
        self.lambdas: dict[str, Lambda] = {}
        self._root = root
        self._library = library
        self._rebound = rebound
        self._may_rebind = self._mentions_loading()
        self._tail_call = tail_call
        self._facts = Facts(root)
        self.names = Names(root, self._facts)
        self._depth = 0
        self._function = Function(None)

    def toplevel(self) -> ast.stmt:
        self.build.move_to(self._root.span)
        self.generate(self._root, RETURN)
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

    def _emit(self, statement: ast.stmt) -> None:
        self._function.out.append(statement)

    def _deliver(self, code: ast.expr, destination: Destination) -> None:
        """Bring a computed value to its destination."""
        if destination.returns:
            self._emit(self.build.return_(code))
            return
        if destination.target is not None:
            self._emit(self.build.assign(destination.target, code))
        elif not isinstance(code, ast.Constant | ast.JoinedStr):
            self._emit(self.build.expression(code))
        self._finish(destination)

    def _deliver_constant(self, value: Value, destination: Destination) -> None:
        self._deliver(self.build.constant(value), destination)

    def _finish(self, destination: Destination) -> None:
        """Leave the loop that the value ends."""
        if destination.leaves is not None:
            flag = self.build.assign(Names.JUMP, self.build.constant(0))
            destination.leaves.normal_exits.append((self._function.out, flag))
            self._emit(flag)
            self._emit(self.build.break_())

    @contextmanager
    def _block(self) -> Iterator[list[ast.stmt]]:
        """Collect what is emitted inside the ``with`` in a list of its own."""
        outer = self._function.out
        inner: list[ast.stmt] = []
        self._function.out = inner
        yield inner
        self._function.out = outer

    def _sequence(self, node: Sequence, destination: Destination) -> None:
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
        if node.variable not in self._facts.loops:
            name = self.names.of(node.variable)
            if isinstance(node.value, Lambda):
                self._define_function(node.value, name)
            else:
                self.generate(node.value, Destination(name))
        self._deliver_constant(intern(node.variable.name), destination)

    def _define(self, node: Define, destination: Destination) -> None:
        value = self.expression(node.value)
        self._store_global(node.name, value)
        self._deliver_constant(intern(node.name), destination)

    def _set_global(self, node: SetGlobal, destination: Destination) -> None:
        value = self.expression(node.value)
        if not isinstance(value, ast.Constant | ast.JoinedStr):
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
        name = self.names.of(node.variable)
        value = self.expression(node.value)
        if not self._is_own(node.variable):
            self._function.nonlocals.add(name)
        self._emit(self.build.assign(name, value))
        self._deliver_constant(UNSPECIFIED, destination)

    def _is_own(self, variable: Variable) -> bool:
        return self.names.home.get(variable) is self._function.procedure

    # ── calls as statements ──────────────────────────────────────────────────────────────────────────────────────

    def _call(self, node: Call, destination: Destination) -> None:
        if self._loop_call(node, destination):
            return
        if destination.returns and self._function.procedure is None:
            # Nothing repeats at top level: an ordinary call keeps the place for an error report.
            self._deliver(self._call_expression(node), destination)
            return
        code, may_be_pending = self._call_code(node)
        if destination.returns:
            if may_be_pending:
                self._tail_call_statement(code)
            else:
                self._emit(self.build.return_(code))
        elif not may_be_pending:
            self._deliver(code, destination)
        elif destination.target is None:
            self._emit(self.build.if_(self.build.is_none(code), [self.build.expression(self._resume())], []))
            self._finish(destination)
        else:
            name = self.build.name(destination.target)
            self._emit(self.build.assign(destination.target, code))
            resume = self.build.assign(destination.target, self._resume())
            self._emit(self.build.if_(self.build.is_none(name), [resume], []))
            self._finish(destination)

    def _tail_call_statement(self, code: ast.expr) -> None:
        """Leave callee and arguments in the register and tell the caller by None."""
        assert isinstance(code, ast.Call)
        arguments = self.build.tuple_of(code.args)
        names = ("procedure", "arguments")
        self._emit(self.build.store_attributes(self._tail_call, names, [code.func, arguments]))
        self._emit(self.build.return_(self.build.none()))

    def _loop_call(self, node: Call, destination: Destination) -> bool:
        """Emit a call that enters, or goes on with, a loop; False if it is no such call."""
        operator = node.operator
        if isinstance(operator, Local) and operator.variable in self._facts.loops:
            open_loop = self._function.loops.get(operator.variable)
            if open_loop is not None:
                self._set_parameters(open_loop, node)
                self._go_on_with(open_loop)
            else:
                self._enter_loop(operator.variable, node, destination)
            return True
        own = self._function.own_loop
        procedure = self._function.procedure
        if not destination.returns or own is None or procedure is None or not self._facts.is_self_call(node, procedure):
            return False
        self._set_parameters(own, node)
        if isinstance(operator, Global):
            # Redefinition and `trace` must see every turn: go on only while the global holds this very procedure.
            current = self.build.name(python_name(operator.name))
            itself = self.build.name(self.names.of_lambda(procedure))
            with self._block() as leaving:
                arguments = [self.build.name(name) for name in own.parameters]
                self._tail_call_statement(self.build.call(current, arguments))
            self._emit(self.build.if_(self.build.compare(current, ast.IsNot(), itself), leaving, []))
        self._go_on_with(own)
        return True

    def _set_parameters(self, loop: Loop, node: Call) -> None:
        """Give a loop's parameters their values for the next turn, all at once where one needs another's old value."""
        values = self._operands(node.operands)
        changes = [
            (name, code, operand)
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
        """The body of a loop at its only entry."""
        procedure = self._facts.loops[variable]
        parameters = [self.names.of(parameter) for parameter in procedure.parameters]
        for name, operand in zip(parameters, node.operands, strict=True):
            self.generate(operand, Destination(name))
        if variable not in self._facts.recursive:
            self.generate(procedure.body, destination)
            return
        function = self._function
        loop = Loop(parameters, function.loop)
        inner = destination if destination.returns else Destination(destination.target, False, loop)
        function.loops[variable] = function.loop = loop
        with self._block() as body:
            self.generate(procedure.body, inner)
        function.loop = loop.parent
        del function.loops[variable]
        self._emit(self.build.forever(body))
        self._after_loop(loop, destination)

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

    # ── expressions ──────────────────────────────────────────────────────────────────────────────────────────────

    def expression(self, node: Node) -> ast.expr:
        """Code for the value of `node`; emits statements first where an expression can't say it."""
        before = self.build.move_to(node.span)
        self._depth += 1
        handler = _EXPRESSIONS.get(type(node))
        if handler is not None:
            code = handler(self, node)
        else:
            temporary = self.temporary()
            self.generate(node, Destination(temporary))
            code = self.build.name(temporary)
        self._depth -= 1
        if self._depth and self._depth % DEEPEST_EXPRESSION == 0 and isinstance(code, _DEEP):
            code = self._in_local(code)
        self.build.where = before
        return code

    def temporary(self) -> str:
        self._function.temporaries += 1
        return f"{Names.TEMPORARY}{self._function.temporaries}"

    def _in_local(self, code: ast.expr) -> ast.expr:
        """Compute a value now and keep it in a local."""
        temporary = self.temporary()
        self._emit(self.build.assign(temporary, code))
        return self.build.name(temporary)

    def _operands(self, nodes: tuple[Node, ...]) -> list[ast.expr]:
        """Code for several values, evaluated from left to right."""
        codes: list[ast.expr] = []
        for node in nodes:
            mark = len(self._function.out)
            code = self.expression(node)
            if len(self._function.out) > mark:
                self._save(codes, mark)
            codes.append(code)
        return codes

    def _save(self, codes: list[ast.expr], mark: int) -> None:
        """Compute values before the statements from `mark` on, unless nothing can change them."""
        for index, code in enumerate(codes):
            if self.never_changes(code):
                continue
            temporary = self.temporary()
            self._function.out.insert(mark, self.build.assign(temporary, code))
            mark += 1
            codes[index] = self.build.name(temporary)

    def never_changes(self, code: ast.expr) -> bool:
        """Whether code gives the same value before and after any other expression."""
        if isinstance(code, ast.Name):
            return self.names.never_changes(code.id)
        return isinstance(code, ast.Constant | ast.JoinedStr)

    def _constant(self, node: Constant) -> ast.expr:
        return self.build.constant(node.value)

    def _local(self, node: Local) -> ast.expr:
        return self.build.name(self.names.of(node.variable))

    def _global(self, node: Global) -> ast.expr:
        return self.build.name(python_name(node.name))

    def _standard(self, node: Standard) -> ast.expr:
        return self.build.constant(self._library[node.name])

    def _lambda(self, node: Lambda) -> ast.expr:
        name = self.names.of_lambda(node)
        self._define_function(node, name)
        return self.build.name(name)

    def _sequence_expression(self, node: Sequence) -> ast.expr:
        for part in node.parts[:-1]:
            self.generate(part, IGNORE)
        return self.expression(node.parts[-1])

    def _if_expression(self, node: If) -> ast.expr:
        truth = constant_truth(node.test)
        if truth is not None:
            return self.expression(node.consequent if truth else node.alternative)
        test = self.test(node.test)
        with self._block() as first:
            consequent = self.expression(node.consequent)
        with self._block() as second:
            alternative = self.expression(node.alternative)
        if not first and not second:
            return self.build.conditional(test, consequent, alternative)
        return self._merge(test, (first, consequent), (second, alternative))

    def _merge(
        self, test: ast.expr, first: tuple[list[ast.stmt], ast.expr], second: tuple[list[ast.stmt], ast.expr]
    ) -> ast.expr:
        """An ``if`` statement that leaves the value of the branch taken in a local."""
        temporary = self.temporary()
        for statements, code in (first, second):
            statements.append(self.build.assign(temporary, code))
        self._emit(self.build.if_(test, first[0], second[0]))
        return self.build.name(temporary)

    def _or_expression(self, node: Or) -> ast.expr:
        if self._is_boolean(node.first):
            return self._if_expression(If(node.span, node.first, Constant(node.span, TRUE), node.second))
        value = self.temporary()
        first = self.expression(node.first)
        with self._block() as statements:
            second = self.expression(node.second)
        if not statements:
            test = self.build.is_not(self.build.walrus(value, first), FALSE)
            return self.build.conditional(test, self.build.name(value), second)
        self._emit(self.build.assign(value, first))
        statements.append(self.build.assign(value, second))
        self._emit(self.build.if_(self.build.is_(self.build.name(value), FALSE), statements, []))
        return self.build.name(value)

    def _call_expression(self, node: Call) -> ast.expr:
        if isinstance(node.operator, Local) and node.operator.variable in self._facts.loops:
            temporary = self.temporary()
            self._loop_call(node, Destination(temporary))
            return self.build.name(temporary)
        code, may_be_pending = self._call_code(node)
        if not may_be_pending:
            return code
        name = self.temporary()
        test = self.build.compare(self.build.walrus(name, code), ast.IsNot(), self.build.none())
        return self.build.conditional(test, self.build.name(name), self._resume())

    def _resume(self) -> ast.expr:
        """Run the tail call that is pending."""
        return self.build.call(self.build.attribute(self.build.constant(self._tail_call), "run"), [])

    def _call_code(self, node: Call) -> tuple[ast.expr, bool]:
        """Code for a call, and whether it may give None, for a tail call that is pending."""
        found = self._integration(node)
        if found is not None:
            code = self._integrated(found, node)
            if found.is_test:
                code = self.build.conditional(code, self.build.constant(TRUE), self.build.constant(FALSE))
            return code, False
        operator = node.operator
        known = self._known_procedure(operator)
        if known is not None:
            operands = self._operands(node.operands)
            primitive = getattr(known, "__dict__", {}).get("primitive")
            return self.build.call(self.build.constant(known), operands), getattr(primitive, "tail_calls", False)
        function, *operands = self._operands((operator, *node.operands))
        return self.build.call(function, operands), True

    def _known_procedure(self, operator: Node) -> Value | None:
        """The very procedure that an operator gives, if it is the library's or a constant that can be called."""
        if isinstance(operator, Standard):
            return self._library[operator.name]
        if isinstance(operator, Global) and self._assume(operator.name):
            found = self._library[operator.name]
            return found if callable(found) else None
        if isinstance(operator, Constant) and callable(operator.value):
            return operator.value
        return None

    def _mentions_loading(self) -> bool:
        """Whether the form may find names rebound after a call of its own: a running call can't be compiled again."""
        names = {node.name for node in core.nodes(self._root) if isinstance(node, Global)} & {"eval", "load"}
        return any(name in self._library and name not in self._rebound for name in names)

    def _assume(self, name: str) -> bool:
        """Rely on a global name to mean the library's procedure, if it still does."""
        if name not in self._library:
            return False
        self.standard_names.add(name)
        return name not in self._rebound and not self._may_rebind

    def standard_call(self, name: str, operands: list[ast.expr]) -> ast.expr:
        return self.build.call(self.build.constant(self._library[name]), operands)

    def _integration(self, node: Call) -> Integration | None:
        operator = node.operator
        if not isinstance(operator, Global | Standard):
            return None
        found = TABLE.get(operator.name)
        if found is None or len(node.operands) not in found.counts or operator.name not in self._library:
            return None
        return found if isinstance(operator, Standard) or self._assume(operator.name) else None

    def is_number(self, node: Node) -> bool:
        """Whether the value of an expression is surely a number."""
        if isinstance(node, Constant):
            return isinstance(node.value, int | float)
        found = self._integration(node) if isinstance(node, Call) else None
        return found is not None and found.is_number

    def _is_boolean(self, node: Node) -> bool:
        """Whether an expression is a call whose value is surely a boolean, better said by Python's own test."""
        found = self._integration(node) if isinstance(node, Call) else None
        return found is not None and found.is_test

    def _integrated(self, found: Integration, node: Call) -> ast.expr:
        codes = self._operands(node.operands)
        return found.make(self, [Operand(part, code) for part, code in zip(node.operands, codes, strict=True)])

    # ── tests ────────────────────────────────────────────────────────────────────────────────────────────────────

    def test(self, node: Node) -> ast.expr:
        """Code for whether the value of `node` is true, as a Python truth value."""
        before = self.build.move_to(node.span)
        code = self._test_code(node)
        self.build.where = before
        return code

    def _test_code(self, node: Node) -> ast.expr:
        if isinstance(node, Constant):
            return ast.Constant(node.value is not FALSE, **self.build.where)
        if isinstance(node, Call):
            if _is_negation(node) and self._integration(node) is not None:
                return self.build.negation(self.test(node.operands[0]))
            found = self._integration(node)
            if found is not None and found.is_test:
                return self._integrated(found, node)
        elif isinstance(node, If):
            return self._if_test(node)
        elif isinstance(node, Or):
            first = self.test(node.first)
            with self._block() as statements:
                second = self.test(node.second)
            if not statements:
                return self.build.either(first, second)
            return self._merge(first, ([], ast.Constant(True, **self.build.where)), (statements, second))
        return self.build.is_not(self.expression(node), FALSE)

    def _if_test(self, node: If) -> ast.expr:
        test = self.test(node.test)
        with self._block() as first:
            consequent = self.test(node.consequent)
        with self._block() as second:
            alternative = self.test(node.alternative)
        if first or second:
            return self._merge(test, (first, consequent), (second, alternative))
        if constant_truth(node.alternative) is False:
            return self.build.both(test, consequent)
        return self.build.conditional(test, consequent, alternative)

    # ── procedures ───────────────────────────────────────────────────────────────────────────────────────────────

    def _define_function(self, procedure: Lambda, name: str) -> None:
        """Emit the ``def`` of a lambda, bound to the local `name`."""
        before = self.build.move_to(procedure.span)
        outer, depth = self._function, self._depth
        self._function, self._depth = Function(procedure), 0
        parameters = [self.names.of(parameter) for parameter in procedure.parameters]
        rest = None if procedure.rest is None else self.names.of(procedure.rest)
        if rest is not None:
            self._emit(self.build.assign(rest, self.build.call_constant(list_of, self.build.name(rest))))
        if procedure in self._facts.repeating:
            self._function.loop = self._function.own_loop = Loop(parameters, None)
            with self._block() as body:
                self.generate(procedure.body, RETURN)
            self._emit(self.build.forever(body))
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

    def _with_declarations(self, function: Function) -> list[ast.stmt]:
        declarations: list[ast.stmt] = []
        if function.globals:
            declarations.append(self.build.global_(sorted(function.globals)))
        if function.nonlocals:
            declarations.append(self.build.nonlocal_(sorted(function.nonlocals)))
        return [*declarations, *function.out]


class Names:
    """Python names for a form's variables and lambdas: different from each other and from every global it mentions.

    They depend on nothing but the form, so that code compiled again fits the closures of the code before.
    """

    TOPLEVEL = "'toplevel"
    TEMPORARY = "'t"
    JUMP = "'jump"

    def __init__(self, root: Node, facts: Facts) -> None:
        self.home: dict[Variable, Lambda | None] = {}
        self._variables: dict[Variable, str] = {}
        self._lambdas: dict[Lambda, str] = {}
        self._assigned: set[str] = set()
        self._taken: set[str] = set()
        self._facts = facts
        self._collect_globals(root)
        self._collect(root, None)

    def of(self, variable: Variable) -> str:
        return self._variables[variable]

    def of_lambda(self, procedure: Lambda) -> str:
        return self._lambdas[procedure]

    def never_changes(self, name: str) -> bool:
        """Whether a Python name is a local that keeps its value once it has one."""
        return name.startswith(self.TEMPORARY) or (name in self._locals and name not in self._assigned)

    def may_mention(self, node: Node, names: set[str]) -> bool:
        """Whether an expression may look at one of these locals, by itself or through an inner procedure."""
        waiting = [node]
        while waiting:
            part = waiting.pop()
            if isinstance(part, Local) and self._variables[part.variable] in names:
                return True
            if isinstance(part, Call) and isinstance(part.operator, Local):
                return True
            waiting += core.children(part)
        return False

    def _collect_globals(self, root: Node) -> None:
        waiting = [root]
        while waiting:
            node = waiting.pop()
            if isinstance(node, Global | SetGlobal | Define):
                self._taken.add(python_name(node.name))
            waiting += core.children(node)

    def _collect(self, root: Node, procedure: Lambda | None) -> None:
        waiting: list[tuple[Node, Lambda | None]] = [(root, procedure)]
        while waiting:
            node, home = waiting.pop()
            if isinstance(node, Lambda):
                self._lambdas[node] = self._fresh(node.name or "lambda")
                own = self._facts.home(node)
                for parameter in node.parameters if node.rest is None else (*node.parameters, node.rest):
                    self._declare(parameter, own)
                home = node
            elif isinstance(node, Bind):
                self._declare(node.variable, self._facts.home(home))
            waiting += [(part, home) for part in reversed(core.children(node))]
        self._locals = set(self._variables.values())

    def _declare(self, variable: Variable, home: Lambda | None) -> None:
        if variable not in self._variables:
            self._variables[variable] = self._fresh(variable.name)
            self.home[variable] = home
            if variable.assigned:
                self._assigned.add(self._variables[variable])

    def _fresh(self, base: str) -> str:
        base = python_name(base)
        name, number = base, 1
        while name in self._taken:
            number += 1
            name = f"{base}'{number}"
        self._taken.add(name)
        return name


_DEEP = (ast.Call, ast.BinOp, ast.IfExp, ast.Attribute)


def _is_negation(node: Call) -> bool:
    return isinstance(node.operator, Global | Standard) and node.operator.name == "not" and len(node.operands) == 1


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

_EXPRESSIONS: dict[type, Callable[..., ast.expr]] = {
    Constant: Generator._constant,
    Local: Generator._local,
    Global: Generator._global,
    Standard: Generator._standard,
    Lambda: Generator._lambda,
    Sequence: Generator._sequence_expression,
    If: Generator._if_expression,
    Or: Generator._or_expression,
    Call: Generator._call_expression,
}
