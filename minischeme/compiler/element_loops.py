"""Generation of loops over elements: calls with a `lambda` that `higher_order` has rules for and `analysis` chose."""

import ast
from collections import ChainMap

import msgspec

from minischeme.compiler import higher_order
from minischeme.compiler.higher_order import ElementRule, Step
from minischeme.compiler.loops import LoopGenerator
from minischeme.compiler.state import IGNORE, Destination
from minischeme.data.values import FALSE, NIL, Pair
from minischeme.expansion.core import Call, Constant, Lambda, Node
from minischeme.primitives.kinds import WORD_TYPES
from minischeme.runtime.names import standard_value
from minischeme.runtime.resumption import copied


class ElementLoop(msgspec.Struct, frozen=True, eq=False):
    """A loop under construction: the call, the lambda, and the locals for the state of the loop (`LoopedLambda`).

    `is_first` is the local that is None until the rest of a turn that has begun is run.
    """

    call: Call
    procedure: Lambda
    rule: ElementRule
    elements: str
    element: str
    result: str
    source: str
    is_first: str


class ElementLoopGenerator(LoopGenerator):
    """A generator of code for calls that are loops over elements."""

    def element_loop(self, node: Call, procedure: Lambda, destination: Destination) -> None:
        """Emit the loop that a call with a lambda is, or the rest of it, if a turn has begun."""
        build, looped = self.build, self.facts.element_loops[procedure]
        rule, names = looped.rule, self._locals(procedure, looped.rule.step)
        loop = ElementLoop(node, procedure, rule, *names, self.temporary())
        is_begun = self._rest is not None and node in self._rest.turns
        if is_begun:
            self._go_on(loop, *map(self.expression, node.operands[1:]))
        else:
            self._begin(loop)
        self._function.spilled.update(zip(looped.state, names, strict=True))
        elements = build.name(loop.elements)
        with self._block() as statements:
            if rule.walks:
                self._emit(build.assign(loop.element, build.attribute(elements, "car")))
                self._emit(build.assign(loop.elements, build.attribute(elements, "cdr")))
            self._turn(loop, node.operands[0] if is_begun else None)
        if rule.walks:
            self._emit(build.while_(build.has_type(elements, Pair), statements))
            self._emit(build.if_(build.is_not(elements, NIL), self._failure(loop, [build.name(loop.source)])))
        else:
            self._emit(build.for_(loop.element, elements, statements))
        self._end(loop, destination)

    def _locals(self, procedure: Lambda, step: Step) -> tuple[str, str, str, str]:
        """The names for the state of a loop: those of parameters where these never change."""
        elements, element, result, source = (self.temporary() for _ in range(4))
        names = ["" if each in self.facts.boxed else self.names.variables[each] for each in procedure.parameters]
        if step.folds:
            result = names.pop(step.position) or result
        if len(names) == 1:
            element = names[0] or element
        return elements, element, result, source

    def _begin(self, loop: ElementLoop) -> None:
        """Emit what comes before the first turn."""
        build, step = self.build, loop.rule.step
        codes = self.operands(loop.call.operands[1:])
        kept = [self._kept(code) for code in codes]
        elements = build.name(loop.elements)
        self._emit(build.assign(loop.elements, build.call_constant(loop.rule.elements, *kept)))
        if loop.rule.walks:
            self._emit(build.assign(loop.source, kept[0]))
        else:
            self._emit(build.if_(build.is_none(elements), self._failure(loop, kept)))
        self._forget([own.id for code, own in zip(codes, kept, strict=True) if code is not own])
        initial = build.list_of([]) if step.initial is None else build.constant(step.initial)
        self._emit(build.assign(loop.result, build.call_constant(next, elements) if step.folds else initial))

    def _go_on(self, loop: ElementLoop, *state: ast.expr) -> None:
        """Emit what comes before the rest of a turn that has begun: the elements are those from its own on again."""
        elements, element, result, source = state
        elements = self.build.call_constant(higher_order.with_element, element, elements)
        self._emit(self.build.assign(loop.elements, elements))
        self._emit(self.build.assign(loop.result, self.build.call_constant(copied, result)))
        self._emit(self.build.assign(loop.source, source))
        self._emit(self.build.assign(loop.is_first, self.build.literal(None)))

    def _turn(self, loop: ElementLoop, begun: Node | None) -> None:
        """Emit a turn; `begun` is what is left of the first one if that has begun."""
        build, step = self.build, loop.rule.step
        if begun is not None:
            with self._block() as first:
                self._emit(build.assign(loop.is_first, build.constant(FALSE)))
                self._body(loop, begun)
            kept, self._function.spilled = self._function.spilled, ChainMap({}, self._function.spilled)
            with self._block() as others:
                self._turn(loop, None)
            self._function.spilled = kept
            self._emit(build.if_(build.is_none(build.name(loop.is_first)), first, others))
            return
        names = [self.names.variables[parameter] for parameter in loop.procedure.parameters]
        if step.folds and (so_far := names.pop(step.position)) != loop.result:
            self._emit(build.assign(so_far, build.name(loop.result)))
        if len(names) > 1:
            self._emit(build.unpack(map(build.target, names), build.name(loop.element)))
        elif names[0] != loop.element:
            self._emit(build.assign(names[0], build.name(loop.element)))
        self._put_in_boxes(loop.procedure.parameters)
        self._body(loop, loop.procedure.body)

    def _body(self, loop: ElementLoop, body: Node) -> None:
        """Emit the body of a turn, or what is left of it, and the use of its value."""
        build, step, result = self.build, loop.rule.step, self.build.name(loop.result)
        if step is Step.IGNORE:
            self.generate(body, IGNORE)
        elif step.tests:
            test = self.test(body)
            if step is Step.FIND_ELEMENT:
                found = [build.assign(loop.result, build.name(loop.element)), build.break_()]
            else:
                found = [self._appended(loop, build.name(loop.element))]
            self._emit(build.if_(build.negation(test) if step is Step.KEEP_IF_FALSE else test, found))
        elif step is Step.COLLECT:
            self._emit(self._appended(loop, self.expression(body, is_operand=True)))
        elif step is Step.ADD_WORDS:
            self._add_words(loop, self._kept(self.expression(body, is_operand=True)))
        else:
            self._emit(build.assign(loop.result, self.expression(body, is_operand=True)))
            if step is Step.FIND_VALUE:
                self._emit(build.if_(build.is_not(result, FALSE), [build.break_()]))
            elif step is Step.UNTIL_FALSE:
                self._emit(build.if_(build.is_(result, FALSE), [build.break_()]))

    def _appended(self, loop: ElementLoop, code: ast.expr) -> ast.stmt:
        append = self.build.attribute(self.build.name(loop.result), "append")
        return self.build.expression(self.build.call(append, [code]))

    def _add_words(self, loop: ElementLoop, value: ast.expr) -> None:
        """Emit the addition of a word or a sentence to the result."""
        build = self.build
        is_word = build.has_type_among(value, WORD_TYPES)
        is_added = build.call_constant(higher_order.words_added, build.name(loop.result), value)
        giving = build.call_constant(higher_order.giving, value)
        failing = self._failing_call(loop, [giving, build.constant(Pair(NIL, NIL))])
        others = build.if_(build.negation(is_added), [failing])
        self._emit(build.if_(is_word, [self._appended(loop, value)], [others]))

    def _failure(self, loop: ElementLoop, arguments: list[ast.expr]) -> list[ast.stmt]:
        """Statements that have the procedure itself report that it can't take these arguments. The procedure that it
        gets is never called, but may be shown."""
        shown = msgspec.structs.replace(loop.procedure, body=Constant(loop.procedure.span, NIL))
        self.names.lambdas[shown] = name = self.temporary()
        with self._block() as statements:
            self.define_function(shown, name)
            self._emit(self._failing_call(loop, [self.build.name(name), *arguments]))
        return statements

    def _failing_call(self, loop: ElementLoop, arguments: list[ast.expr]) -> ast.stmt:
        operator = loop.call.operator
        procedure = operator.value if isinstance(operator, Constant) else standard_value(self._library, operator.name)
        return self.build.expression(self.build.call_constant(procedure, *arguments))

    def _end(self, loop: ElementLoop, destination: Destination) -> None:
        """Emit the delivery of the value."""
        build, rule = self.build, loop.rule
        value = build.name(loop.result)
        if rule.finish is not None:
            value = build.call_constant(rule.finish, *([build.name(loop.source)] if rule.walks else []), value)
        if destination.returns:
            self._deliver(value, destination)
            return
        if rule.finish is not None:
            self._emit(build.assign(loop.result, value))
        self._forget([loop.elements, loop.source] if rule.walks else [loop.elements] if rule.step.ends_early else [])
        self._deliver(build.name(loop.result), destination)

    def _kept(self, code: ast.expr) -> ast.expr:
        return code if self.never_changes(code) else self.in_local(code)

    def _forget(self, names: list[str]) -> None:
        """Emit the end of the use of locals, whose values are kept no longer than needed."""
        for name in names:
            self._emit(self.build.assign(name, self.build.literal(None)))
