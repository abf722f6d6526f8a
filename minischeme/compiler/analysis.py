"""Loop analysis: the facts about a core tree that the code generator needs, found before it runs.

An inner procedure with a single entry call, which calls itself only in tail position, needs no procedure: its body is
compiled as a loop where it is entered. A procedure that calls itself in tail position repeats its own body. Neither may
happen where a closure could observe a change of a variable that Scheme binds anew in each turn (ARCHITECTURE.md section
4).
"""

from collections.abc import Iterable, Iterator
from operator import attrgetter

import msgspec

from minischeme.compiler.higher_order import ElementRule
from minischeme.compiler.survey import CallSite, Survey, called_name
from minischeme.expansion.core import Call, Constant, Global, Lambda, Local, Node, Standard, Variable

DEEPEST_LOOPS = 12
"""CPython allows 20 blocks inside one another; deeper loops stay procedures."""


class LoopedLambda(msgspec.Struct, frozen=True, eq=False):
    """The rule for a lambda whose body is that of a loop over elements.

    The nodes of `state` stand for the values that a turn leaves for the next ones, as if they were operands of the
    call: the elements after its own, its own, the result so far, and what the elements come from.
    """

    rule: ElementRule
    state: tuple[Node, Node, Node, Node]


Following = dict[Lambda | None, list[Lambda | None]]


class Facts:
    """The facts about one top-level form.

    `loops`: the variables of procedures that become loops (or, if not recursive, plain blocks) where their only entry
    call is, with the lambda. `element_loops`: the lambdas whose bodies become those of loops over elements.
    `repeating`: the lambdas of both kinds whose bodies are repeated. `self_looping`: the lambdas that call themselves
    in tail position and repeat their body. `known_functions`: the variable of each procedure that is only ever called.
    `boxed`: the variables whose value may change after initialization, which are therefore kept in a `Box`.
    `needs_letrec_check`: those that may be used before they are initialized, or be initialized twice.
    """

    def __init__(self, survey: Survey) -> None:
        self.loops: dict[Variable, Lambda] = {}
        self.element_loops: dict[Lambda, LoopedLambda] = {}
        self.repeating: set[Lambda] = set()
        self.self_looping: set[Lambda] = set()
        self._entry: dict[Lambda, CallSite] = {}
        self._entered_in: dict[Lambda | None, list[Lambda]] = {}
        self._survey = survey
        self.boxed = survey.boxed
        self.needs_letrec_check = survey.needs_letrec_check
        self.known_functions = {
            procedure: variable
            for variable, procedure in survey.bound_lambdas.items()
            if self._is_known(variable, procedure)
        }
        self._reenterable = self._find_reenterable()
        self._variables: dict[Lambda | None, list[Variable]] = {}
        for variable, binder in survey.binder_of.items():
            self._variables.setdefault(binder, []).append(variable)
        self._users = self._find_users()
        self._find_loops()
        self._find_shared()
        self._find_repeating()

    def _is_known(self, variable: Variable, procedure: Lambda) -> bool:
        """Whether a procedure is bound once, and only ever called, with the right number of arguments."""
        if variable in self.boxed or variable in self._survey.escaping or procedure.rest is not None:
            return False
        sites = self._survey.calls.get(variable, ())
        return all(len(site.call.operands) == len(procedure.parameters) for site in sites)

    def _find_reenterable(self) -> set[Lambda | None]:
        """The known procedures that may run in a later turn than the one that has called them.

        A continuation may enter them again, since a call inside them may be returned from twice, or these call them.
        """
        callers: Following = {}
        callees: Following = {}
        for procedure, variables in self._survey.callees.items():
            callees[procedure] = [self.procedure_of(variable) for variable in variables]
            for callee in callees[procedure]:
                callers.setdefault(callee, []).append(procedure)
        return self._known_from(self._known_from(callers.get(None, ()), callers), callees)

    def _known_from(self, start: Iterable[Lambda | None], following: Following) -> set[Lambda | None]:
        """The known procedures that can be reached from some."""
        found: set[Lambda | None] = set()
        waiting = [*start]
        while waiting:
            procedure = waiting.pop()
            is_known = procedure in self.known_functions or procedure in self._survey.applied
            if is_known and procedure not in found:
                found.add(procedure)
                waiting += following.get(procedure, ())
        return found

    def _find_loops(self) -> None:
        """Decide for inner procedures before outer ones until nothing changes: one decision may allow another."""
        waiting: list[Lambda] = []
        known = self.known_functions.keys() | self._survey.applied.keys()
        left = [procedure for procedure in reversed(self._survey.lambdas) if procedure in known]
        while len(left) != len(waiting):
            waiting, left = left, [procedure for procedure in left if not self._try_loop(procedure)]

    def _try_loop(self, procedure: Lambda) -> bool:
        if procedure in self._survey.applied:
            call, rule = self._survey.applied[procedure]
            if not self._enter(procedure, CallSite(call, self._survey.parent[procedure], False), repeats=True):
                return False
            self.element_loops[procedure] = LoopedLambda(rule, (Node(None), Node(None), Node(None), Node(None)))
            return True
        variable = self.known_functions[procedure]
        inside: list[CallSite] = []
        outside: list[CallSite] = []
        for site in self._survey.calls.get(variable, []):
            (inside if self._is_within(site.procedure, procedure) else outside).append(site)
        if len(outside) != 1:
            return False
        (entry,) = outside
        function = self.enclosing_function(self._survey.parent[procedure])
        if self.enclosing_function(entry.procedure) is not function:
            return False
        if not all(self._is_own_tail(site, procedure) for site in inside):
            return False
        if not self._enter(procedure, entry, repeats=bool(inside)):
            return False
        self.loops[variable] = procedure
        return True

    def _enter(self, procedure: Lambda, entry: CallSite, *, repeats: bool) -> bool:
        """Make a procedure a loop at its entry if nothing is in the way; returns whether it is one."""
        caller = entry.procedure
        around = list(self._loops_around(caller))
        if len(around) + self._height(procedure) >= DEEPEST_LOOPS:
            return False
        if repeats:
            if not self._may_repeat(procedure):
                return False
            self.repeating.add(procedure)
        self._entry[procedure] = entry
        entered = self._entered_in.setdefault(caller, [])
        entered.append(procedure)
        # The enclosing loops may no longer repeat, now that they contain more.
        if not all(self._may_repeat(loop) for loop in around if loop in self.repeating):
            del self._entry[procedure], entered[-1]
            self.repeating.discard(procedure)
            return False
        return True

    def _height(self, procedure: Lambda) -> int:
        """The nesting depth of the loops in a lambda."""
        return max((1 + self._height(loop) for loop in self._entered_in.get(procedure, ())), default=0)

    def _find_shared(self) -> None:
        """Box letrec variables that closures capture and whose initializer contains a call that may return twice."""
        for variable in filter(attrgetter("is_recursive"), self._survey.with_calls):
            function = self.enclosing_function(self._survey.binder_of[variable])
            users = [user for user, uses in self._survey.uses.items() if variable in uses]
            if any(user in self._survey.applied or self.enclosing_function(user) is not function for user in users):
                self.boxed.add(variable)
                self.needs_letrec_check.add(variable)

    def _find_repeating(self) -> None:
        for procedure in self._survey.lambdas:
            if procedure in self._entry or procedure.rest is not None:
                continue
            sites = self._survey.calls.get(self._survey.name_of.get(procedure, ""), ())
            own = [site for site in sites if self._is_own_tail(site, procedure)]
            matching = any(len(site.call.operands) == len(procedure.parameters) for site in own)
            if matching and self._may_repeat(procedure):
                self.self_looping.add(procedure)

    def repeat(self, procedure: Lambda) -> None:
        """Have a procedure repeat its body where it calls itself in tail position, if it may."""
        if procedure.rest is None and self._may_repeat(procedure):
            self.self_looping.add(procedure)

    def is_self_call(self, call: Call, procedure: Lambda) -> bool:
        """Whether a call in tail position of `procedure` calls `procedure` itself, as far as the source tells."""
        name = self._survey.name_of.get(procedure)
        is_own = name is not None and name == called_name(call.operator) and name not in self.boxed
        return is_own and len(call.operands) == len(procedure.parameters)

    def values_of(self, variable: Variable) -> list[Node] | None:
        """All expressions that a variable may have the value of; None if there may be others."""
        bound = self._survey.values.get(variable)
        procedure = self._survey.binder_of.get(variable)
        if variable in self.boxed or (bound is None and procedure not in self.known_functions):
            return None
        if bound is not None or procedure is None:
            return bound
        index = procedure.parameters.index(variable)
        return [site.call.operands[index] for site in self._survey.calls.get(self.known_functions[procedure], ())]

    def procedure_of(self, variable: Variable | None) -> Lambda | None:
        """The inner procedure that a variable always names, or None."""
        procedure = None if variable is None else self._survey.bound_lambdas.get(variable)
        return procedure if procedure in self.known_functions else None

    def loops_by_variable(self, procedure: Lambda) -> bool:
        """Whether a procedure repeats its body where it calls itself by the name of a local variable."""
        return procedure in self.self_looping and isinstance(self._survey.name_of.get(procedure), Variable)

    def applied_by(self, call: Call) -> Lambda | None:
        """The lambda among the operands of a call that is a loop over elements; None for any other call."""
        for operand in call.operands:
            if type(operand) is Lambda and operand in self.element_loops:
                return operand
        return None

    def entry_into(self, procedure: Lambda) -> Call | None:
        """The call that enters a loop; None for a lambda that is a procedure."""
        site = self._entry.get(procedure)
        return None if site is None else site.call

    def may_be_repeated(self, node: Node, operator: Node | None) -> bool:
        """Whether an operand's value never changes, or it is the `operator`, which may be looked up again."""
        if isinstance(node, Local):
            return node.variable not in self.boxed
        if type(node) is Lambda:
            return node in self.element_loops
        return isinstance(node, Constant | Standard) or (node is operator and isinstance(node, Global))

    def _loops_around(self, procedure: Lambda | None) -> Iterator[Lambda]:
        """The loops around the body of a lambda, from the inside out."""
        while procedure is not None and procedure in self._entry:
            yield procedure
            procedure = self._entry[procedure].procedure

    def enclosing_function(self, procedure: Lambda | None) -> Lambda | None:
        """The innermost enclosing lambda that is compiled to a Python function, not to a loop in one."""
        for loop in self._loops_around(procedure):
            procedure = self._entry[loop].procedure
        return procedure

    def _is_within(self, inner: Lambda | None, procedure: Lambda) -> bool:
        """Whether the lambda `inner` lies in the body of `procedure`, in the source or by loops moved there."""
        while inner is not None:
            if inner is procedure:
                return True
            entry = self._entry.get(inner)
            inner = entry.procedure if entry is not None else self._survey.parent[inner]
        return False

    def _is_own_tail(self, site: CallSite, procedure: Lambda) -> bool:
        """Whether a call is in tail position of `procedure` or of a loop in its tail position."""
        caller, is_tail = site.procedure, site.is_tail
        while is_tail and caller is not None and caller is not procedure:
            entry = self._entry.get(caller)
            if entry is None:
                return False
            caller, is_tail = entry.procedure, entry.is_tail
        return is_tail and caller is procedure

    def _may_repeat(self, procedure: Lambda) -> bool:
        """Whether no closure that can outlive a turn captures a variable that each turn binds anew.

        A procedure outlives the turn that called it when a continuation enters it again.
        """
        return not any(
            closure is not procedure and self._outlives_call(closure) and self._is_within(closure, procedure)
            for variable in self._turn_variables(procedure)
            for closure in self._users.get(variable, ())
        )

    def _outlives_call(self, procedure: Lambda) -> bool:
        """Whether a procedure may be entered after the call around it has returned."""
        if procedure in self._entry:
            return False
        return procedure not in self.known_functions or procedure in self._reenterable

    def _turn_variables(self, procedure: Lambda) -> Iterator[Variable]:
        """The variables that each turn of a procedure binds in the same Python function."""
        waiting = [procedure]
        while waiting:
            found = waiting.pop()
            yield from self._variables.get(found, ())
            waiting += self._entered_in.get(found, ())

    def _find_users(self) -> dict[Variable, list[Lambda]]:
        """The procedures that use each variable of an enclosing one and may be entered after that has returned."""
        found: dict[Variable, list[Lambda]] = {}
        used = {procedure: set(uses) for procedure, uses in self._survey.uses.items()}
        for procedure in reversed(self._survey.lambdas):
            free = {variable for variable in used[procedure] if self._survey.binder_of.get(variable) is not procedure}
            used[self._survey.parent[procedure]] |= free
            if procedure not in self.known_functions or procedure in self._reenterable:
                for variable in free:
                    # Each turn makes the same function of what is only called; its own variables are looked at.
                    if procedure not in self.known_functions or self.procedure_of(variable) is None:
                        found.setdefault(variable, []).append(procedure)
        return found
