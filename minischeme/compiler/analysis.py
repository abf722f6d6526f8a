"""Loop analysis: the facts about a core tree that the code generator needs, found before it runs.

An inner procedure that is entered from one place, and calls itself only in tail position, needs no procedure: its body
is a loop at that place. A procedure that calls itself in tail position repeats its own body. Neither may happen where a
closure could see a variable change under it that Scheme makes anew each turn (ARCHITECTURE.md section 4).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from minischeme.compiler.survey import CallSite, Survey
from minischeme.expansion.core import Call, Constant, Global, Lambda, Local, Node, Standard, Variable

DEEPEST_LOOPS = 12
"""CPython allows 20 blocks inside one another; deeper loops stay procedures."""


class Facts:
    """What is known of one top-level form.

    `loops`: the variables of procedures that become loops (or, not recursive, plain blocks) at the place of their only
    entry, with the lambda. `recursive`: those of them that call themselves. `self_looping`: the lambdas that call
    themselves in tail position and repeat their body. `known_functions`: the variable of each procedure that is only
    ever called. `boxed`: the variables whose value may change once they have one, and so stand in a `Box`;
    `needs_letrec_check`: those that may be used before they have one, or have it a second time.

    Args: root: the form. may_return_twice: whether a call may be returned from more than once, by a continuation.
    needs_letrec_check: what an earlier analysis of the form has found.
    """

    def __init__(
        self,
        root: Node,
        may_return_twice: Callable[[Call], bool],
        needs_letrec_check: frozenset[Variable] | None = None,
    ) -> None:
        self.loops: dict[Variable, Lambda] = {}
        self.recursive: set[Variable] = set()
        self.self_looping: set[Lambda] = set()
        self.known_functions: dict[Lambda, Variable] = {}
        self._entry: dict[Lambda, CallSite] = {}
        self._entered_in: dict[Lambda | None, list[Lambda]] = {}
        self._height: dict[Lambda | None, int] = {}
        survey = Survey(root, may_return_twice, needs_letrec_check)
        self._survey = survey
        self.boxed = survey.boxed
        self.needs_letrec_check = survey.needs_letrec_check
        candidates = self._find_known()
        self._reenterable = self._find_reenterable()
        self._variables = survey.variables_by_binder()
        self._users = self._find_users()
        self._find_loops(candidates)
        self._find_shared()
        self._find_repeating()

    def _find_known(self) -> list[tuple[Variable, Lambda]]:
        """The variables bound once, to a lambda, and only ever called with the right number of arguments."""
        found: list[tuple[Variable, Lambda]] = []
        for variable, procedure in self._survey.bound_lambdas.items():
            sites = self._survey.calls.get(variable, [])
            count = len(procedure.parameters)
            if variable in self.boxed or variable in self._survey.escaping or procedure.rest is not None:
                continue
            if all(len(site.call.operands) == count for site in sites):
                self.known_functions[procedure] = variable
                found.append((variable, procedure))
        return found

    def _find_reenterable(self) -> set[Lambda]:
        """The known procedures that a continuation may enter again: a call inside them may be returned from twice."""
        callers: dict[Lambda, list[Lambda]] = {}
        waiting: list[Lambda] = []
        for procedure, callees in self._survey.callees.items():
            for variable in callees:
                callee = None if variable is None else self.procedure_of(variable)
                if callee is None:
                    waiting.append(procedure)
                else:
                    callers.setdefault(callee, []).append(procedure)
        found: set[Lambda] = set()
        while waiting:
            procedure = waiting.pop()
            if procedure in self.known_functions and procedure not in found:
                found.add(procedure)
                waiting += callers.get(procedure, ())
        return found

    def _find_loops(self, candidates: list[tuple[Variable, Lambda]]) -> None:
        """Decide inner procedures before outer ones, until nothing changes: one decision may allow another."""
        waiting = sorted(candidates, key=lambda candidate: -self._survey.depth[candidate[1]])
        changed = True
        while changed:
            changed = False
            for candidate in list(waiting):
                if self._try_loop(*candidate):
                    waiting.remove(candidate)
                    changed = True

    def _try_loop(self, variable: Variable, procedure: Lambda) -> bool:
        inside: list[CallSite] = []
        outside: list[CallSite] = []
        for site in self._survey.calls.get(variable, []):
            (inside if self._is_within(site.procedure, procedure) else outside).append(site)
        function = self.enclosing_function(self._survey.parent[procedure])
        if len(outside) != 1 or self.enclosing_function(outside[0].procedure) is not function:
            return False
        if self._is_within(outside[0].procedure, procedure):
            return False
        if self._nesting(outside[0].procedure) + self._height.get(procedure, 0) >= DEEPEST_LOOPS:
            return False
        if inside:
            if not all(self._is_own_tail(site, procedure) for site in inside) or not self._may_repeat(procedure):
                return False
            self.recursive.add(variable)
        self._entry[procedure] = outside[0]
        entered = self._entered_in.setdefault(outside[0].procedure, [])
        entered.append(procedure)
        if not self._loops_around_may_repeat(outside[0].procedure):
            del self._entry[procedure], entered[-1]
            self.recursive.discard(variable)
            return False
        self.loops[variable] = procedure
        self._note_height(procedure)
        return True

    def _note_height(self, procedure: Lambda) -> None:
        """Note for each lambda around a new loop how many loops stand inside one another in it."""
        place: Lambda | None = procedure
        while place is not None and place in self._entry:
            height = self._height.get(place, 0) + 1
            place = self._entry[place].procedure
            self._height[place] = max(self._height.get(place, 0), height)

    def _loops_around_may_repeat(self, place: Lambda | None) -> bool:
        """Whether the loops around a place are still sound now that more stands in them."""
        while place is not None and place in self._entry:
            if self.known_functions[place] in self.recursive and not self._may_repeat(place):
                return False
            place = self._entry[place].procedure
        return True

    def _find_shared(self) -> None:
        """Box letrec variables that closures capture and whose initializer contains a call that may return twice."""
        for variable in self._survey.computed:
            function = self.enclosing_function(self._survey.binder_of[variable])
            users = [user for user, uses in self._survey.uses.items() if variable in uses]
            if any(self.enclosing_function(user) is not function for user in users):
                self.boxed.add(variable)
                self.needs_letrec_check.add(variable)

    def _find_repeating(self) -> None:
        for procedure in self._survey.lambdas:
            if procedure in self._entry:
                continue
            variable = self.known_functions.get(procedure) or self._survey.variable_of.get(procedure)
            sites = self._survey.calls.get(variable, []) if variable is not None else []
            if variable is None:
                sites = self._survey.global_calls.get(self._survey.global_of.get(procedure, ""), [])
            if procedure.rest is not None:
                continue
            own = [site for site in sites if self._is_own_tail(site, procedure)]
            if any(len(site.call.operands) == len(procedure.parameters) for site in own) and self._may_repeat(
                procedure
            ):
                self.self_looping.add(procedure)

    def is_self_call(self, call: Call, procedure: Lambda) -> bool:
        """Whether a call in tail position of `procedure` calls `procedure` itself, as far as the text can tell."""
        if len(call.operands) != len(procedure.parameters):
            return False
        operator = call.operator
        if type(operator) is Local:
            return self._survey.variable_of.get(procedure) is operator.variable and operator.variable not in self.boxed
        return type(operator) is Global and self._survey.global_of.get(procedure) == operator.name

    def procedure_of(self, variable: Variable) -> Lambda | None:
        """The inner procedure that a variable always names; None if there is no such one."""
        procedure = self._survey.bound_lambdas.get(variable)
        return procedure if procedure in self.known_functions else None

    def loops_by_variable(self, procedure: Lambda) -> bool:
        """Whether a procedure repeats its body where it calls itself by the name of a local variable."""
        return procedure in self.self_looping and procedure in self._survey.variable_of

    def entry_of(self, variable: Variable) -> Call:
        """The call that enters a loop."""
        return self._entry[self.loops[variable]].call

    def entry_into(self, procedure: Lambda) -> Call | None:
        """The call that enters a loop, None for a lambda that is a procedure."""
        site = self._entry.get(procedure)
        return None if site is None else site.call

    def has_fixed_value(self, node: Node) -> bool:
        """Whether an expression is a variable or a constant that always has the value that it has now."""
        if isinstance(node, Local):
            return node.variable not in self.boxed
        return isinstance(node, Constant | Standard)

    def enclosing_function(self, procedure: Lambda | None) -> Lambda | None:
        """The lambda that really is a procedure around a place: loops belong to the one they stand in."""
        while procedure is not None and procedure in self._entry:
            procedure = self._entry[procedure].procedure
        return procedure

    def _nesting(self, procedure: Lambda | None) -> int:
        """How many loops stand around a place in `procedure`."""
        depth = 0
        while procedure is not None and procedure in self._entry:
            depth += 1
            procedure = self._entry[procedure].procedure
        return depth

    def _is_within(self, place: Lambda | None, procedure: Lambda) -> bool:
        """Whether a place in lambda `place` is in the body of `procedure`, in the text or by loops moved there."""
        while place is not None:
            if place is procedure:
                return True
            entry = self._entry.get(place)
            place = entry.procedure if entry is not None else self._survey.parent[place]
        return False

    def _is_own_tail(self, site: CallSite, procedure: Lambda) -> bool:
        """Whether a call is in tail position of `procedure`, loops inside it counted as part of it."""
        place, is_tail = site.procedure, site.is_tail
        while is_tail and place is not None and place is not procedure:
            entry = self._entry.get(place)
            if entry is None:
                return False
            place, is_tail = entry.procedure, entry.is_tail
        return is_tail and place is procedure

    def _may_repeat(self, procedure: Lambda) -> bool:
        """Whether no closure that can outlive a turn holds a variable that each turn makes anew.

        A procedure outlives the turn that called it when a continuation enters it again.
        """
        return not any(
            closure is not procedure and self._outlives_call(closure) and self._is_within(closure, procedure)
            for variable in self._turn_variables(procedure)
            for closure in self._users.get(variable, ())
        )

    def _outlives_call(self, procedure: Lambda) -> bool:
        """Whether a procedure may be entered after the call around it has ended."""
        if procedure not in self.known_functions:
            return True
        return procedure in self._reenterable and procedure not in self._entry

    def _turn_variables(self, procedure: Lambda) -> Iterator[Variable]:
        """The variables that each turn of a procedure makes in the same Python function."""
        waiting = [procedure]
        while waiting:
            found = waiting.pop()
            yield from self._variables.get(found, ())
            waiting += self._entered_in.get(found, ())

    def _find_users(self) -> dict[Variable, list[Lambda]]:
        """The procedures that use each variable of those around them, and may be entered after these have ended."""
        found: dict[Variable, list[Lambda]] = {}
        for procedure in self._survey.lambdas:
            if procedure not in self.known_functions or procedure in self._reenterable:
                for variable in self._survey.free_variables(procedure):
                    found.setdefault(variable, []).append(procedure)
        return found
