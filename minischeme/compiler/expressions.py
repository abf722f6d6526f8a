"""Compilation of core expressions to Python expressions: operands, calls and tests.

Where no Python expression will do, statements are emitted first, by `generator`.
"""

import ast
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from minischeme.compiler.builder import Builder
from minischeme.compiler.call_facts import CallFacts
from minischeme.compiler.inlining import InlineRule, Operand
from minischeme.compiler.names import Names
from minischeme.compiler.state import IGNORE, Destination, FunctionState, SpilledValue
from minischeme.compiler.templates import TABLE
from minischeme.data.cpython import CONSTANTS
from minischeme.data.values import FALSE, TRUE, Value, intern
from minischeme.expansion import core
from minischeme.primitives.registry import positional_call, primitive_of
from minischeme.runtime.boxes import UnassignedCheckBox
from minischeme.runtime.names import python_name, standard_value

if TYPE_CHECKING:
    from minischeme.compiler.assembly import Unit

DEEPEST_EXPRESSION = 40
"""The depth beyond which nested operands are computed into locals, to spare CPython's recursive compiler."""


class ExpressionGenerator(ABC):
    """A generator of code for the values of core expressions.

    `functions` are the Python functions made, by lambda, or None for the form's own.
    """

    def __init__(self, unit: "Unit", calls: CallFacts) -> None:
        self.build = Builder()
        self._unit = unit
        self._library = unit.facts.library
        self._rest = None if unit.resumes is None else unit.resumes.function
        self._with_sites: dict[core.Node, bool] = {}
        self._depth = 0
        self._function = FunctionState(None)
        self.functions: dict[core.Lambda | None, FunctionState] = {None: self._function}
        self.calls = calls
        self.facts = calls.loops
        self.names = Names.of_unit(unit)

    @abstractmethod
    def generate(self, node: core.Node, destination: Destination) -> None:
        """Emit statements that compute `node` into its destination."""

    @abstractmethod
    def define_function(self, procedure: core.Lambda, name: str) -> None:
        """Emit the ``def`` of a lambda, bound to the local `name`."""

    def emit(self, statement: ast.stmt) -> None:
        self._function.out.append(statement)

    @contextmanager
    def _block(self) -> Iterator[list[ast.stmt]]:
        """Collect the statements emitted inside the ``with`` in a list."""
        outer = self._function.out
        inner: list[ast.stmt] = []
        self._function.out = inner
        yield inner
        self._function.out = outer

    def expression(self, node: core.Node, *, is_operand: bool = False) -> ast.expr:
        """Code for the value of `node`; emits statements first where no expression will do."""
        before = self.build.move_to(node.span)
        self._depth += 1
        handler = _EXPRESSIONS.get(type(node))
        if is_operand and isinstance(node, core.Call):
            code = self._call_expression(node, is_operand=True)
        elif handler is not None:
            code = handler(self, node)
        else:
            code = self._by_statements(node)
        self._depth -= 1
        if self._depth and self._depth % DEEPEST_EXPRESSION == 0 and isinstance(code, _DEEP):
            code = self.in_local(code)
        self.build.where = before
        return code

    def temporary(self) -> str:
        self._function.temporaries += 1
        return f"{Names.TEMPORARY}{self._function.temporaries}"

    def _by_statements(self, node: core.Node) -> ast.expr:
        """Emit statements that compute a value into a local; returns code for the local."""
        temporary = self.temporary()
        self.generate(node, Destination(temporary))
        return self.build.name(temporary)

    def in_local(self, code: ast.expr) -> ast.expr:
        """Compute a value now into a local; returns code for the local."""
        temporary = self.temporary()
        self.emit(self.build.assign(temporary, code))
        return self.build.name(temporary)

    def operands(self, nodes: tuple[core.Node, ...], operator: core.Node | None = None) -> list[ast.expr]:
        """Code for several values, evaluated from left to right, each kept in a local while a later one is computed by
        a call that may return more than once. A global `operator` among them may be looked up again instead."""
        codes: list[ast.expr] = []
        last = len(nodes) - 1
        while last > 0 and not self._has_site(nodes[last]):
            last -= 1
        for index, node in enumerate(nodes):
            mark = len(self._function.out)
            code = self.expression(node, is_operand=True)
            if len(self._function.out) > mark:
                self._save(codes, mark, nodes)
            stays = index >= last or self.facts.may_be_repeated(node, operator)
            codes.append(code if stays else self._spill(code, node))
        return codes

    def _save(self, codes: list[ast.expr], mark: int, nodes: tuple[core.Node, ...]) -> None:
        """Compute values before the statements from `mark` on, unless nothing can change them."""
        for index, code in enumerate(codes):
            if self.never_changes(code):
                continue
            temporary = self._function.spilled[nodes[index]] = self.temporary()
            self._function.out.insert(mark, self.build.assign(temporary, code))
            mark += 1
            codes[index] = self.build.name(temporary)

    def _spill(self, code: ast.expr, node: core.Node) -> ast.expr:
        """Store a value in a local for resume functions; returns code for the local."""
        code, name = (code, code.id) if isinstance(code, ast.Name) and self.never_changes(code) else self.stored(code)
        self._function.spilled[node] = name
        return code

    def stored(self, code: ast.expr) -> tuple[ast.expr, str]:
        """Code that stores a value in a local, and the local."""
        if isinstance(code, ast.NamedExpr):
            return code, code.target.id
        name = self.temporary()
        return self.build.walrus(name, code), name

    def _has_site(self, node: core.Node) -> bool:
        """Whether evaluating an expression involves a call that may return more than once."""
        if type(node) in _WITHOUT_SITES:
            return False
        found = self._with_sites.get(node)
        if found is None:
            found = type(node) is core.Call and self.calls.may_return_twice(node)
            if not found:
                for part in core.children(node):
                    if self._has_site(part):
                        found = True
                        break
            self._with_sites[node] = found
        return found

    def never_changes(self, code: ast.expr) -> bool:
        """Whether code has the same value before and after any other expression."""
        if isinstance(code, ast.Name):
            return self.names.never_changes(code.id)
        return isinstance(code, CONSTANTS)

    def _local(self, node: core.Local) -> ast.expr:
        name = self.build.name(self.names.variables[node.variable])
        return self.build.attribute(name, "value") if node.variable in self.facts.boxed else name

    def _lambda(self, node: core.Lambda) -> ast.expr:
        name = self.names.lambdas[node]
        self.define_function(node, name)
        return self.build.name(name)

    def last_part(self, node: core.Sequence) -> core.Node:
        """Emit all parts of a body but the last, which is returned; variables that need it are declared unassigned."""
        for part in node.parts:
            if isinstance(part, core.Bind) and part.variable in self.facts.needs_letrec_check:
                self.declare_unassigned(part.variable)
        for part in node.parts[:-1]:
            self.generate(part, IGNORE)
        return node.parts[-1]

    def declare_unassigned(self, variable: core.Variable) -> None:
        """Emit the declaration of a variable as unassigned."""
        box = self.build.call_constant(UnassignedCheckBox, self.build.constant(intern(variable.name)))
        self.emit(self.build.assign(self.names.variables[variable], box))

    def _if_expression(self, node: core.If) -> ast.expr:
        return self._conditional(node, self.expression)

    def _conditional(self, node: core.If, code_of: Callable[[core.Node], ast.expr]) -> ast.expr:
        test = self.test(node.test)
        # Not partials: to call one takes the C stack.
        return self._choice(test, lambda: code_of(node.consequent), lambda: code_of(node.alternative))

    def _choice(
        self, test: ast.expr, consequent_code: Callable[[], ast.expr], alternative_code: Callable[[], ast.expr]
    ) -> ast.expr:
        """Code for one of two values, each made by a function that may emit statements."""
        with self._block() as first:
            consequent = consequent_code()
        with self._block() as second:
            alternative = alternative_code()
        if first or second:
            return self.merge(test, (first, consequent), (second, alternative))
        return self.build.conditional(test, consequent, alternative)

    def merge(
        self, test: ast.expr, first: tuple[list[ast.stmt], ast.expr], second: tuple[list[ast.stmt], ast.expr]
    ) -> ast.expr:
        """Emit an ``if`` statement that computes the value of the branch taken into a local."""
        temporary = self.temporary()
        for statements, code in (first, second):
            statements.append(self.build.assign(temporary, code))
        self.emit(self.build.if_(test, first[0], second[0]))
        return self.build.name(temporary)

    def _or_expression(self, node: core.Or) -> ast.expr:
        if self.calls.is_boolean(node.first):
            return self._if_expression(core.If(node.span, node.first, core.Constant(node.span, TRUE), node.second))
        first, name = self.stored(self.expression(node.first))
        test = self.build.is_not(first, FALSE)
        return self._choice(test, lambda: self.build.name(name), lambda: self.expression(node.second))

    def _call_expression(self, node: core.Call, *, is_operand: bool = False) -> ast.expr:
        if isinstance(node.operator, core.Local) and node.operator.variable in self.facts.loops:
            return self._by_statements(node)
        if self.looped_lambda(node) is not None or type(node.operator) is core.Call:
            return self._by_statements(node)
        code, may_be_pending = self._call_code(node)
        if not may_be_pending:
            return code
        name = self.temporary()
        value = self.build.name(name)
        if is_operand:  # Statements are faster than an equivalent expression.
            self.assign_value_of(name, code)
            return value
        test = self.build.compare(self.build.walrus(name, code), ast.IsNot(), self.build.literal(None))
        return self.build.conditional(test, value, self.build.walrus(name, self.resume(code)))

    def looped_lambda(self, node: core.Call) -> core.Lambda | None:
        """The lambda that is the body of the loop over elements that a call is; None for any other call."""
        turn = None if self._rest is None else self._rest.turns.get(node)
        found = self.facts.applied_by(node) if turn is None else turn
        return found if found in self.facts.element_loops else None

    def assign_value_of(self, name: str, call: ast.expr) -> None:
        """Assign the value of a call to a local, even if the call leaves a tail call pending."""
        self.emit(self.build.assign(name, call))
        resume = self.build.assign(name, self.resume(call))
        self.emit(self.build.if_(self.build.is_none(self.build.name(name)), [resume]))

    def resume(self, call: ast.expr) -> ast.expr:
        """Run the tail call that `call` has left pending, at the same call site."""
        before = self.build.where
        self.build.where = {key: getattr(call, key) for key in before}
        code = self.build.call(self.build.attribute(self.build.constant(self._unit.tail_call), "run"), [])
        self.build.where = before
        return code

    def _call_code(self, node: core.Call) -> tuple[ast.expr, bool]:
        """Code for a call, and whether it may return None for a pending tail call."""
        found = self.calls.inline_rule(node)
        if found is not None:
            code = self._inlined(found, node)
            if found.is_test:
                code = self.build.conditional(code, self.build.constant(TRUE), self.build.constant(FALSE))
            return code, False
        function, operands = self.call_parts(node)
        known = self.calls.known_procedure(node.operator)
        primitive = primitive_of(known)
        if primitive is not None and not primitive.calls_others:
            return self.build.call(function, operands), False
        code = self.build.call(function, operands, len(self._function.sites))
        self._function.sites.append((node, self._function.spilled))
        if known is not None:
            return code, primitive is not None and primitive.tail_calls
        in_procedure = self._function.procedure is not None  # A form's own code can't be recompiled.
        return code, not (in_procedure and self.calls.is_direct(node.operator))

    def call_parts(self, node: core.Call) -> tuple[ast.expr, list[ast.expr]]:
        """Code for the procedure and the operands of a call."""
        known = self.calls.known_procedure(node.operator)
        if known is None:
            function, *operands = self.operands((node.operator, *node.operands), node.operator)
            return function, operands
        called, others = positional_call(known, len(node.operands))
        return self.build.constant(called), self.operands(node.operands) + list(map(self.build.constant, others))

    def standard(self, name: str) -> Value:
        return standard_value(self._library, name)

    def _inlined(self, found: InlineRule, node: core.Call) -> ast.expr:
        codes = self.operands(node.operands)
        return found.make(self, [Operand(part, code) for part, code in zip(node.operands, codes, strict=True)])

    def test(self, node: core.Node) -> ast.expr:
        """Code for the truth of the value of `node`, as a Python truth value."""
        before = self.build.move_to(node.span)
        code = self._test_code(node)
        self.build.where = before
        return code

    def _test_code(self, node: core.Node) -> ast.expr:
        if isinstance(node, core.Constant):
            return self.build.literal(node.value is not FALSE)
        if isinstance(node, core.Call):
            found = self.calls.inline_rule(node)
            if found is TABLE["not"][1]:
                return self.build.negation(self.test(node.operands[0]))
            if found is not None and found.is_test:
                return self._inlined(found, node)
            sought = self.calls.sought_constants(node)
            if sought is not None:
                return self.build.compare(self.expression(node.operands[0]), ast.In(), self.build.constant(sought))
        elif isinstance(node, core.If):
            code = self._conditional(node, self.test)
            is_and = isinstance(node.alternative, core.Constant) and node.alternative.value is FALSE
            return self.build.both(code.test, code.body) if is_and and isinstance(code, ast.IfExp) else code
        elif isinstance(node, core.Or):
            code = self._choice(self.test(node.first), lambda: self.build.literal(True), lambda: self.test(node.second))
            return self.build.either(code.test, code.orelse) if isinstance(code, ast.IfExp) else code
        return self.build.is_not(self.expression(node), FALSE)


_WITHOUT_SITES = frozenset([core.Constant, core.Local, core.Global, core.Standard, core.Lambda])
_DEEP = (ast.Call, ast.BinOp, ast.IfExp, ast.Attribute)

_EXPRESSIONS: dict[type, Callable[..., ast.expr]] = {
    core.Constant: lambda generator, node: generator.build.constant(node.value),
    core.Local: ExpressionGenerator._local,
    SpilledValue: lambda generator, node: generator.build.name(f"{Names.TEMPORARY}{node.index}"),
    core.Global: lambda generator, node: generator.build.name(python_name(node.name)),
    core.Standard: lambda generator, node: generator.build.constant(standard_value(generator._library, node.name)),
    core.Lambda: ExpressionGenerator._lambda,
    core.Sequence: lambda generator, node: generator.expression(generator.last_part(node)),
    core.If: ExpressionGenerator._if_expression,
    core.Or: ExpressionGenerator._or_expression,
    core.Call: ExpressionGenerator._call_expression,
}
