"""A survey of a core tree: the binders, calls and escapes of its variables."""

from collections.abc import Callable
from typing import cast

import msgspec

from minischeme.compiler.higher_order import ElementRule
from minischeme.expansion import core


class CallSite(msgspec.Struct, frozen=True, eq=False):
    """A call of a known name, with the lambda that contains it (None at top level)."""

    call: core.Call
    procedure: core.Lambda | None
    is_tail: bool


def called_name(operator: core.Node) -> core.Variable | str | None:
    """The variable or the name of the global that an operator is; None for another expression."""
    if type(operator) is core.Local:
        return operator.variable
    return operator.name if type(operator) is core.Global else None


class Survey:
    """A walk over a core tree in evaluation order that collects the binders, calls and escapes of variables.

    `may_return_twice` tells whether a continuation may return from a call more than once, and `element_rule` gives the
    rule by which a call of a lambda's is a loop; an earlier analysis of the form may provide the variables that need a
    check for ``letrec``.
    """

    def __init__(
        self,
        root: core.Node,
        may_return_twice: Callable[[core.Call], bool],
        element_rule: Callable[[core.Call], ElementRule | None],
        needs_letrec_check: frozenset[core.Variable] | None,
    ) -> None:
        self.needs_letrec_check = set(needs_letrec_check or ())
        self.boxed = set(self.needs_letrec_check)
        self._is_known = needs_letrec_check is not None
        self._may_return_twice = may_return_twice
        self._element_rule = element_rule
        self._returns = 0
        self._returns_before: dict[core.Lambda, int] = {}
        self._early: dict[core.Variable, tuple[core.Lambda | None, int]] = {}
        self.with_calls: set[core.Variable] = set()
        self.lambdas: list[core.Lambda] = []
        self.applied: dict[core.Lambda, tuple[core.Call, ElementRule]] = {}
        self.parent: dict[core.Lambda, core.Lambda | None] = {}
        self.bound_lambdas: dict[core.Variable, core.Lambda] = {}
        self.name_of: dict[core.Lambda, core.Variable | str] = {}
        self.calls: dict[core.Variable | str, list[CallSite]] = {}
        self.callees: dict[core.Lambda, set[core.Variable | None]] = {}
        self.escaping: set[core.Variable] = set()
        self.binder_of: dict[core.Variable, core.Lambda | None] = {}
        self.values: dict[core.Variable, list[core.Node]] = {}
        self.uses: dict[core.Lambda | None, set[core.Variable]] = {None: set()}
        self._walk(root, None, True)
        del self._may_return_twice, self._element_rule  # whose object has the survey: no cycle for the collector

    def _walk(self, node: core.Node, procedure: core.Lambda | None, is_tail: bool) -> None:
        if type(node) is core.Local:
            self.escaping.add(node.variable)
            self._use(node.variable, procedure)
        elif type(node) is core.Lambda:
            self._enter(node, procedure)
        elif type(node) is core.Call:
            self._call(node, procedure, is_tail)
        elif type(node) is core.Bind:
            self._bind(node, procedure)
        else:
            if type(node) is core.SetLocal:
                self._use(node.variable, procedure)
            elif type(node) is core.Define and isinstance(node.value, core.Lambda):
                self.name_of[node.value] = node.name
            last = core.tail_parts(node)
            for part in core.children(node):
                self._walk(part, procedure, is_tail and part in last)

    def _use(self, variable: core.Variable, procedure: core.Lambda | None) -> None:
        self.uses[procedure].add(variable)
        if variable.assigned:
            self.boxed.add(variable)
        if variable not in self.binder_of:
            self._early.setdefault(variable, (procedure, self._returns))

    def _bind(self, node: core.Bind, procedure: core.Lambda | None) -> None:
        variable, value = node.variable, node.value
        if variable in self.binder_of:
            first = self.bound_lambdas.pop(variable, None)
            if first is not None:
                del self.name_of[first]
        elif type(value) is core.Lambda:
            self.bound_lambdas[variable] = value
            self.name_of[value] = variable
        if type(value) is core.Lambda:
            self.binder_of[variable] = procedure
        self.values.setdefault(variable, []).append(value)
        returns = self._returns
        self._walk(value, procedure, False)
        self.binder_of[variable] = procedure
        self._bound(node, procedure, self._returns != returns)

    def _bound(self, node: core.Bind, procedure: core.Lambda | None, is_computed: bool) -> None:
        """Box a variable just initialized if closures that use it may see another value of it later."""
        variable = node.variable
        if variable.assigned:
            self.boxed.add(variable)
        if self._is_known:
            return
        if is_computed or (isinstance(node.value, core.Local) and node.value.variable in self.with_calls):
            self.with_calls.add(variable)
        if variable not in self._early:
            return
        if variable.assigned or self._returns_before_use(variable, procedure) != self._returns:
            self.boxed.add(variable)
            self.needs_letrec_check.add(variable)

    def _returns_before_use(self, variable: core.Variable, binder: core.Lambda | None) -> int:
        """The returns counted in `binder` when the expression that first uses a variable of its own was evaluated."""
        user, returns = self._early[variable]
        while user is not None and user is not binder:
            returns = self._returns_before[user]
            user = self.parent[user]
        return returns

    def _enter(self, node: core.Lambda, procedure: core.Lambda | None) -> None:
        self.lambdas.append(node)
        self.parent[node] = procedure
        self.uses[node] = set()
        for parameter in node.all_parameters:
            self.binder_of[parameter] = node
            if parameter.assigned:
                self.boxed.add(parameter)
        self._returns_before[node] = self._returns
        self._walk(node.body, node, True)
        self._returns = self._returns_before[node]

    def _call(self, node: core.Call, procedure: core.Lambda | None, is_tail: bool) -> None:
        operator = node.operator
        called = called_name(operator)
        if called is not None:
            self.calls.setdefault(called, []).append(CallSite(node, procedure, is_tail))
        if type(operator) is core.Local:
            self._use(operator.variable, procedure)
        elif called is None:
            self._walk(operator, procedure, False)
        for operand in node.operands:
            self._walk(operand, procedure, False)
            if type(operand) is core.Lambda and (rule := self._element_rule(node)) is not None:
                self.applied[cast(core.Lambda, node.operands[rule.at])] = node, rule
        if self._may_return_twice(node):
            self._returns += 1
            if procedure is not None:
                callee = operator.variable if type(operator) is core.Local else None
                self.callees.setdefault(procedure, set()).add(callee)
