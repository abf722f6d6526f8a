"""Generation of loops over elements: calls with a `lambda` that `higher_order` has rules for and `analysis` chose."""

import ast
from collections import ChainMap
from collections.abc import Callable
from functools import cache, partial
from itertools import repeat
from typing import Any, NoReturn

import msgspec

from minischeme.compiler import higher_order
from minischeme.compiler.higher_order import ElementRule
from minischeme.compiler.loops import LoopGenerator
from minischeme.compiler.state import IGNORE
from minischeme.data.values import FALSE, NIL, Pair, Value
from minischeme.expansion.core import Call, Constant, Global, Lambda, Node, Standard
from minischeme.primitives.registry import primitive_of
from minischeme.runtime.resumption import copied


class ElementLoop(msgspec.Struct, frozen=True, eq=False):
    """A loop under construction: the call, the lambda, the locals for the state of the loop (`LoopedLambda`), and the
    local that is None until the rest of a turn that has begun is run."""

    call: Call
    procedure: Lambda
    rule: ElementRule
    elements: str
    element: str
    result: str
    source: str
    is_first: str


@cache
def _parsed(text: str) -> list[ast.stmt]:
    return ast.parse(text).body


class ElementLoopGenerator(LoopGenerator):
    """A generator of code for calls that are loops over elements."""

    def element_loop(self, node: Call, procedure: Lambda, *, is_last: bool) -> ast.expr:
        """Emit the loop that a call with a lambda is, or what is left if a turn has begun; returns code for its value.

        Unless that `is_last` in the function, nothing that the loop has held is kept.
        """
        build, looped = self.build, self.facts.element_loops[procedure]
        rule, names = looped.rule, self._locals(procedure, looped.rule)
        loop = ElementLoop(node, procedure, rule, *names, self.temporary())
        begun = node.operands[0] if self._rest is not None and node in self._rest.turns else None
        if begun is None:
            self._begin(loop)
        else:
            self._go_on(loop, *map(self.expression, node.operands[1:]))
        self._function.has_element_loops = True
        self._function.spilled.update(zip(looped.state, names, strict=True))
        elements = build.name(loop.elements)
        with self._block() as statements:
            self._turn(loop, begun)
            if rule.rows is None:
                self.emit(build.assign(loop.elements, build.attribute(elements, "cdr")))
        if rule.rows is None:
            self.emit(build.while_(build.has_type(elements, Pair), statements))
            refused = build.call_constant(self._refusal(loop), build.name(loop.source))
            self.emit(build.if_(build.is_not(elements, NIL), [build.expression(refused)]))
        else:
            self.emit(build.for_(loop.element, elements, statements))
        result = build.name(loop.result)
        value = result if rule.value == "result" else self._filled(loop, rule.value)[0].value
        if is_last:
            return value
        if value is not result:
            self.emit(build.assign(loop.result, value))
        for name in [loop.elements] if rule.rows else [loop.elements, loop.source]:
            self.emit(build.assign(name, build.literal(None)))
        return result

    def repetition(self, node: Call) -> ast.expr | None:
        """Emit a loop for ``((repeated bf n) thing)`` or the same with `cdr`; returns code for its value.

        None for any other call.
        """
        build, made = self.build, node.operator
        if type(made) is not Call or len(made.operands) != 2 or len(node.operands) != 1:
            return None
        repeated, step = [self.calls.known_procedure(each) for each in (made.operator, made.operands[0])]
        names = [known.names[0] for known in map(primitive_of, (repeated, step)) if known is not None]
        operands = made.operands[1], node.operands[0]
        if names not in (["repeated", "butfirst"], ["repeated", "cdr"]) or any(map(self._has_site, operands)):
            return None
        times, value = [self.in_local(code) for code in self.operands(operands)]
        assert isinstance(value, ast.Name)
        other = build.call_constant(step, value)
        rest = build.conditional(build.has_type(value, Pair), build.attribute(value, "cdr"), other)
        count = build.call_constant(repeat, build.literal(None), times)
        turns = build.for_(self.temporary(), count, [build.assign(value.id, rest)])
        before = build.move_to(made.span)
        procedure = build.call_constant(repeated, build.constant(step), times)
        build.where = before
        is_count = build.both(build.has_type(times, int), build.compare(times, ast.GtE(), build.constant(0)))
        self.emit(build.if_(is_count, [turns], [build.assign(value.id, build.call(procedure, [value]))]))
        return value

    def _locals(self, procedure: Lambda, rule: ElementRule) -> tuple[str, str, str, str]:
        """The names for the state of a loop: those of parameters where these never change."""
        elements, element, result, source = (self.temporary() for _ in range(4))
        names = ["" if each in self.facts.boxed else self.names.variables[each] for each in procedure.parameters]
        if rule.position is not None:
            result = names.pop(rule.position) or result
        if len(names) == 1 and not rule.is_search:
            element = names[0] or element
        return elements, element, result, source

    def _begin(self, loop: ElementLoop) -> None:
        """Emit what comes before the first turn."""
        build, rows = self.build, loop.rule.rows
        codes = self.operands(tuple(operand for operand in loop.call.operands if operand is not loop.procedure))
        if rows is None:
            self.emit(build.assign(loop.source, codes[0]))
            elements = build.call_constant(higher_order.sentence_of, build.name(loop.source))
            self.emit(build.assign(loop.elements, elements))
        else:
            iterator = higher_order.iterator(rows, self._refusal(loop))
            self.emit(build.assign(loop.elements, build.call_constant(iterator, *codes)))
        self._function.out += self._filled(loop, f"result = {loop.rule.first}")

    def _go_on(self, loop: ElementLoop, *state: ast.expr) -> None:
        """Emit what comes before the rest of a turn that has begun: its element is the first one again."""
        build = self.build
        rest, element, result, source = state
        self.emit(build.assign(loop.elements, build.call_constant(higher_order.from_turn, element, rest)))
        self.emit(build.assign(loop.element, element))
        self.emit(build.assign(loop.result, build.call_constant(copied, result)))
        self.emit(build.assign(loop.source, source))
        self.emit(build.assign(loop.is_first, build.literal(None)))

    def _turn(self, loop: ElementLoop, begun: Node | None) -> None:
        """Emit a turn, of which only the rest is left in the first one if that has `begun`."""
        build, position = self.build, loop.rule.position
        if begun is not None:
            with self._block() as first:
                self.emit(build.assign(loop.is_first, build.constant(FALSE)))
                self._step(loop, begun)
            kept, self._function.spilled = self._function.spilled, ChainMap({}, self._function.spilled)
            with self._block() as others:
                self._turn(loop, None)
            self._function.spilled = kept
            self.emit(build.if_(build.is_none(build.name(loop.is_first)), first, others))
            return
        if loop.rule.rows is None:
            self.emit(build.assign(loop.element, build.attribute(build.name(loop.elements), "car")))
        names = [self.names.variables[parameter] for parameter in loop.procedure.parameters]
        if position is not None and (so_far := names.pop(position)) != loop.result:
            self.emit(build.assign(so_far, build.name(loop.result)))
        if loop.rule.is_search:
            names.append(self.temporary())
        if len(names) > 1:
            self.emit(build.unpack(map(build.target, names), build.name(loop.element)))
        elif names[0] != loop.element:
            self.emit(build.assign(names[0], build.name(loop.element)))
        self._put_in_boxes(loop.procedure.parameters)
        self._step(loop, loop.procedure.body)

    def _step(self, loop: ElementLoop, body: Node) -> None:
        """Emit the body of a turn, or what is left of it, and the use of its value."""
        text = loop.rule.step
        if not text:
            self.generate(body, IGNORE)
        elif "test" in text:
            self._function.out += self._filled(loop, text, self.test(body))
        else:
            value = self.expression(body, is_operand=True)
            is_repeated = text.count("value") > 1 and not self.never_changes(value)
            self._function.out += self._filled(loop, text, self.in_local(value) if is_repeated else value)

    def _applied(self, loop: ElementLoop) -> Value:
        operator = loop.call.operator
        assert isinstance(operator, Global | Standard | Constant)
        return operator.value if isinstance(operator, Constant) else self.standard(operator.name)

    def _refusal(self, loop: ElementLoop) -> Callable[..., NoReturn]:
        shown = partial(self._unit.shown_procedure, loop.procedure)
        return higher_order.refusal(self._applied(loop), shown, loop.rule.at)

    def _filled(self, loop: ElementLoop, text: str, value: ast.expr | None = None) -> list[Any]:
        """The statements of a text with the names of a rule."""

        def code_of(name: str) -> ast.expr:
            if name in ("value", "test") and value is not None:
                return value
            if name in ("elements", "element", "result", "source"):
                return self.build.name(getattr(loop, name))
            return self.build.constant(self._applied(loop) if name == "procedure" else higher_order.CONSTANTS[name])

        statements: list[Any] = self.build.filled(_parsed(text), code_of)
        return statements
