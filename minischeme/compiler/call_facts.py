"""Facts about calls: inlined ones, those of known procedures, and those that may leave a tail call pending."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

import msgspec

from minischeme.compiler import assumptions as kinds
from minischeme.compiler.analysis import Facts
from minischeme.compiler.assumptions import Assumption, Assumptions
from minischeme.compiler.higher_order import TABLE as ELEMENT_RULES
from minischeme.compiler.higher_order import ElementRule
from minischeme.compiler.inlining import NATURAL, REAL, InlineRule, OperandType, Subtype, record_rule
from minischeme.compiler.survey import Survey
from minischeme.compiler.tail_inlining import MOST_INLINED
from minischeme.compiler.templates import TABLE as INLINE_RULES
from minischeme.compiler.templates import UNIQUE_TYPES
from minischeme.data.values import String, Value, Vector
from minischeme.expansion import core
from minischeme.expansion.core import Call, Constant, Global, If, Lambda, Local, Node, Standard, Variable
from minischeme.primitives.kinds import is_list
from minischeme.primitives.registry import Primitive, primitive_of
from minischeme.runtime.names import standard_value

if TYPE_CHECKING:
    from minischeme.compiler.assembly import Unit


_MAY_BE_NEGATIVE = frozenset({"-", "-1+", "1-"})
_CLOSED = _MAY_BE_NEGATIVE | {"+", "*", "1+", "abs", "quotient", "remainder", "modulo", "min", "max"}
"""The procedures whose value is an int if their operands are."""

_RESULTS: dict[str, OperandType] = dict.fromkeys(("vector-length", "string-length", "length", "char->integer"), NATURAL)
_RESULTS |= dict.fromkeys(("make-vector", "vector"), Vector) | dict.fromkeys(("string-append", "make-string"), String)
"""The types of the values of some procedures."""


class FrameLayout(msgspec.Struct, frozen=True):
    """The decisions that recompiled code must keep, since calls, closures and continuations rely on them:
    `CallFacts.direct` and `Facts.needs_letrec_check`."""

    direct: frozenset[Lambda]
    needs_letrec_check: frozenset[Variable]


class CallFacts:
    """The facts about the calls of a form.

    `own` is the procedure that the form defines, `direct` are the inner ones that never return with a tail call
    pending, and `loops` are the facts about loops. `own_is_direct` tells whether `own` is direct too. `inlined` maps
    the tail calls of `own` that are inlined to the procedures called. `grant` tells whether an assumption may be made.
    """

    def __init__(self, unit: "Unit", grant: Callable[[str, str], bool]) -> None:
        self._library = unit.facts.library
        self._value_of = unit.facts.value_of
        self._grant = grant
        self._answers: dict[Assumption, bool] = {}
        # A call by the form itself may end any assumption, and code that is executing can't be replaced.
        self._assumes_nothing = any(grant(kinds.STANDARD, name) for name in kinds.EVALUATING & unit.summary.globals)
        self._own_name = unit.summary.defines
        self.own: Lambda | None = None
        self.own_is_direct = False
        self.inlined: dict[Call, Lambda] = {}
        self._inlined_ends: dict[Node, None] = {}
        if unit.resumes is not None:
            form = unit.resumes.function.form
            self.loops, self.direct = form.facts, form.direct
            return
        layout = unit.layout
        known = None if layout is None else layout.needs_letrec_check
        self.loops = Facts(Survey(unit.root, self.may_return_twice, self.element_rule, known))
        self.direct = self._find_direct() if layout is None else layout.direct
        self.own = core.defined_procedure(unit.root)
        if self.own is not None:
            self.inlined = dict(islice(self._inlined_calls(self.own, unit.inlined), MOST_INLINED))
            ends = (end for found in self.inlined.values() for end in core.tail_expressions(found.body))
            self._inlined_ends = dict.fromkeys(ends)
            if self._is_called_back(self.own) and (unit.summary.captures_itself or self.means_itself(self.own)):
                self.loops.repeat(self.own)
            self.own_is_direct = self._is_own_direct(self.own)

    @property
    def assumptions(self) -> Assumptions:
        """The assumptions made so far."""
        return frozenset(assumption for assumption, is_granted in self._answers.items() if is_granted)

    def _assume(self, kind: str, name: str) -> bool:
        """Make an assumption if it is granted; returns whether it is."""
        found = self._answers.get((kind, name))
        if found is None:
            found = self._answers[kind, name] = not self._assumes_nothing and self._grant(kind, name)
            if kind in (kinds.STANDARD, kinds.OWN, kinds.INLINED) and not found:
                self._assume(kinds.REBOUND, name)
        return found

    def may_return_twice(self, call: Call) -> bool:
        """Whether a call may return more than once: not that of a standard procedure that calls no other."""
        if self.inline_rule(call) is not None:
            return False
        known = self._primitive(call)
        return known is None or known.calls_others

    def is_direct(self, operator: Node) -> bool:
        """Whether an operator is a procedure that never returns with a tail call pending."""
        if isinstance(operator, Global):
            if operator.name == self._own_name and not self.own_is_direct:
                return False
            return self._assume(kinds.DIRECT, operator.name)
        return isinstance(operator, Local) and self.loops.procedure_of(operator.variable) in self.direct

    def _is_own_direct(self, own: Lambda) -> bool:
        """Whether nothing in tail position of the form's own procedure leaves a tail call pending."""
        for node in [*self._ends(own.body), *self._inlined_ends]:
            if node not in self.inlined and self._may_leave_pending(node, own):
                assert isinstance(node, Call)
                if not (self.is_plain(node) and self.is_direct(node.operator)):
                    return False
        return True

    def _inlined_calls(self, own: Lambda, known: Mapping[str, Lambda]) -> Iterator[tuple[Call, Lambda]]:
        """The tail calls of the form's own procedure that are inlined, with the procedures called."""
        for call in self._ends(own.body):
            if isinstance(call, Call) and isinstance(call.operator, Global):
                if self._assume(kinds.INLINED, call.operator.name):
                    yield call, known[call.operator.name]

    def _is_called_back(self, own: Lambda) -> bool:
        """Whether a procedure that is inlined in the form's own calls that in tail position."""
        return any(isinstance(end, Call) and self.loops.is_self_call(end, own) for end in self._inlined_ends)

    def means_itself(self, procedure: Lambda) -> bool:
        """Whether a procedure's own name means it in each turn of its loop: nothing in a turn can bind the name."""
        if procedure is not self.own or not self._assume(kinds.OWN, self._own_name or ""):
            return False
        ends = set(core.tail_expressions(procedure.body))
        return not any(
            isinstance(node, Lambda) or (isinstance(node, Call) and node not in ends and self.may_return_twice(node))
            for node in core.nodes(procedure.body)
        )

    def is_plain(self, node: Call) -> bool:
        """Whether a call in tail position is compiled to a plain call, which may leave a tail call pending."""
        operator = node.operator
        if self.inline_rule(node) is not None:
            return False
        known = self.known_procedure(operator)
        if known is not None:
            primitive = primitive_of(known)
            return primitive is not None and primitive.tail_calls
        return isinstance(operator, Global) and self._assume(kinds.PLAIN, operator.name)

    def _find_direct(self) -> frozenset[Lambda]:
        """The inner procedures, only ever called, that leave nothing pending in their tail positions."""
        return frozenset(
            procedure
            for procedure in self.loops.known_functions
            if not any(self._may_leave_pending(node, procedure) for node in self._ends(procedure.body))
        )

    def _ends(self, node: Node) -> Iterator[Node]:
        """The expressions in tail position of an expression, including those of loops in tail position."""
        loops = self.loops.loops
        for end in core.tail_expressions(node):
            if not (isinstance(end, Call) and isinstance(end.operator, Local) and end.operator.variable in loops):
                yield end
            elif end is self.loops.entry_into(loops[end.operator.variable]):
                yield from self._ends(loops[end.operator.variable].body)

    def _may_leave_pending(self, node: Node, procedure: Lambda) -> bool:
        """Whether an expression in tail position of a procedure is a call that may be left pending for the caller."""
        if not isinstance(node, Call) or self.inline_rule(node) is not None or self.loops.applied_by(node) is not None:
            return False
        if procedure in self.loops.self_looping and self.loops.is_self_call(node, procedure):
            return False
        known = self._primitive(node)
        return known is None or known.tail_calls or known.stays

    def stays_itself(self, node: Call) -> bool:
        """Whether a call is of a standard procedure whose frame stays while the procedure that it tail-calls runs."""
        known = self._primitive(node) if self.inline_rule(node) is None else None
        return known is not None and known.stays

    def _primitive(self, call: Call) -> Primitive | None:
        """The standard procedure that a call is of."""
        return primitive_of(self.known_procedure(call.operator))

    def known_procedure(self, operator: Node) -> Value | None:
        """The procedure that an operator evaluates to, if it is the library's or a constant that can be called."""
        if type(operator) is Standard:
            return standard_value(self._library, operator.name)
        if type(operator) is Global and self._assume(kinds.STANDARD, operator.name):
            found = self._library[operator.name]
            return found if callable(found) else None
        if type(operator) is Constant and callable(operator.value):
            return operator.value
        return None

    def inline_rule(self, node: Call) -> InlineRule | None:
        operator = node.operator
        if type(operator) is not Global and type(operator) is not Standard:
            return None
        found = INLINE_RULES.get(operator.name)
        if found is None and type(operator) is Global and self._assume(kinds.RECORD, operator.name):
            procedure = self._value_of(operator.name)
            return record_rule(procedure, len(node.operands)) if hasattr(procedure, "inline") else None
        rule = None if found is None else found.get(len(node.operands))
        return rule if type(operator) is Standard or (rule and self._assume(kinds.STANDARD, operator.name)) else None

    def element_rule(self, call: Call) -> ElementRule | None:
        """The rule by which a call of a standard procedure, one of whose operands is a lambda, may be a loop."""
        known = self._primitive(call)
        found = None if known is None else ELEMENT_RULES.get(known.function)
        if found is None or found.procedure_in(call.operands) is None or not self._assume(kinds.APPLIED, ""):
            return None
        return found

    def has_type(self, node: Node, kind: OperandType) -> bool:
        """Whether the value of an expression is certainly of a type: that of all expressions that variables in it may
        have the value of is."""
        waiting, seen = [node], set[Variable]()
        found: Sequence[Node] | None
        for part in waiting:  # The list grows meanwhile.
            if isinstance(part, Local):
                found = self.loops.values_of(part.variable) if part.variable not in seen else []
                seen.add(part.variable)
            elif isinstance(part, If):
                found = [part.consequent, part.alternative]
            elif isinstance(part, Constant):
                holds = kind.holds(part.value) if isinstance(kind, Subtype) else type(part.value) is kind
                found = [] if holds else None
            else:
                found = self._operands_of_type(part, kind) if isinstance(part, Call) else None
            if found is None:
                return False
            waiting += found
        return True

    def _operands_of_type(self, call: Call, kind: OperandType) -> Sequence[Node] | None:
        """The operands that must be of a type for the value of a call to be; None if it may be of another anyway."""
        if kind is REAL:
            rule = self.inline_rule(call)
            return () if rule is not None and rule.is_number else None
        if not isinstance(call.operator, Global | Standard) or self.known_procedure(call.operator) is None:
            return None
        name = call.operator.name
        if name in _CLOSED and (kind is int or (kind is NATURAL and name not in _MAY_BE_NEGATIVE)):
            return call.operands
        result = _RESULTS.get(name)
        return () if result is kind or (result is NATURAL and kind is int) else None

    def sought_constants(self, node: Call) -> frozenset[Value] | None:
        """The elements of the constant list that a call searches, if nothing is equal to any of them but itself."""
        if len(node.operands) != 2 or not isinstance(list_ := node.operands[1], Constant) or not is_list(list_.value):
            return None
        known = self._primitive(node)
        if known is None or known.names[0] not in ("memq", "memv", "member"):
            return None
        return frozenset(list_.value) if all(isinstance(item, UNIQUE_TYPES) for item in list_.value) else None

    def is_boolean(self, node: Node) -> bool:
        """Whether an expression is a call whose value is certainly a boolean, for which Python's own test will do."""
        found = self.inline_rule(node) if isinstance(node, Call) else None
        return found is not None and found.is_test
