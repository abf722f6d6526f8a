"""Resume functions: the rest of a procedure after a call in it returns, run when a continuation is re-entered.

A resume function is the procedure itself, entered in the middle (ARCHITECTURE.md section 6): it is made from the same
core, has the same variables under the same names, and the loops around the call are open in it, each in the middle of a
turn. Therefore its frames can be captured and resumed like those of the procedure. Frames and their values are handled
by `minischeme.evaluation.continuations`.
"""

from collections.abc import Set as AbstractSet

import msgspec

from minischeme.compiler.analysis import Facts
from minischeme.compiler.names import Names
from minischeme.compiler.state import SpilledValue
from minischeme.data.values import intern
from minischeme.expansion import core


class CompiledForm(msgspec.Struct, frozen=True, eq=False):
    """A compiled top-level form, with the expression around each part of it."""

    facts: Facts
    names: Names
    direct: frozenset[core.Lambda]
    parents: dict[core.Node, core.Node]


class ResumeFunction:
    """The function that executes the rest of a procedure after the call `site` in it returns.

    `procedure` is the lambda of the Python function that contains the call, None for the form itself. `body` is the
    rest: the value of the call is `SpilledValue` number 0, followed by those of the `operands` that were computed
    before the call. `whole` is all that may be evaluated, and `variables` are those in it that the frame may have.
    `turns` are the calls in it that represent the loops around the site, with the lambda of each loop: the first
    operand is the rest of the turn, and those of a loop over elements are followed by what it leaves behind.
    `original_calls` and `original_operands` map new parts to those that they replace.
    """

    def __init__(self, form: CompiledForm, site: core.Call) -> None:
        self.form = form
        self.operands: list[core.Node] = []
        self.turns: dict[core.Call, core.Lambda] = {}
        self.original_calls: dict[core.Call, core.Call] = {}
        self.original_operands: dict[core.Node, core.Node] = {}
        self.procedure: core.Lambda | None = None
        self.body = self._after(site)
        # Whether the procedure may repeat its own body: a global one is called instead.
        self.is_self_looping = self.procedure is not None and form.facts.loops_by_variable(self.procedure)
        parts = self._parts()
        self.whole = core.Sequence(None, tuple(parts))
        self.variables = _free_variables(parts, form.facts.loops.keys())

    def _parts(self) -> list[core.Node]:
        """The body, the loops bound earlier that it enters, and the procedure if its body may be repeated."""
        loops = self.form.facts.loops
        parts: list[core.Node] = [self.body, *self.turns.values()]
        if self.procedure is not None and self.is_self_looping:
            parts.append(self.procedure)
        for part in parts:  # The list grows meanwhile.
            for variable in _free_variables([part], frozenset()):
                if variable in loops and loops[variable] not in parts:
                    parts.append(loops[variable])
        return parts

    def _after(self, site: core.Call) -> core.Node:
        """The rest of the evaluation after a call returns; sets `procedure`."""
        facts = self.form.facts
        child: core.Node = site
        rest: core.Node = SpilledValue(site.span, 0)
        while True:
            parent = self.form.parents.get(child)
            if parent is None:
                return rest
            if not isinstance(parent, core.Lambda):
                rest = self._around(parent, child, rest)
                child = parent
                continue
            entry = facts.entry_into(parent)
            if entry is None:
                self.procedure = parent
                return rest
            child = entry  # The end of a loop continues where the loop was entered.
            if parent in facts.repeating:
                loop = facts.element_loops.get(parent)
                state = [] if loop is None else [self._spilled(node) for node in loop.state]
                rest = core.Call(entry.span, entry.operator, (rest, *state))
                self.turns[rest] = parent

    def _around(self, parent: core.Node, child: core.Node, rest: core.Node) -> core.Node:
        """The rest of the evaluation of `parent`, given `rest`, that of its part `child`."""
        if isinstance(parent, core.Call):
            return self._call_around(parent, child, rest)
        if isinstance(parent, core.If):
            return core.If(parent.span, rest, parent.consequent, parent.alternative) if child is parent.test else rest
        if isinstance(parent, core.Or):
            return core.Or(parent.span, rest, parent.second) if child is parent.first else rest
        if isinstance(parent, core.Sequence):
            after = parent.parts[parent.parts.index(child) + 1 :]
            return core.sequence(parent.span, [rest, *map(self._begun, after)])
        return self._begun(msgspec.structs.replace(parent, value=rest))

    def _begun(self, part: core.Node) -> core.Node:
        """A part of a body whose evaluation has begun: its unassigned-checked variables are declared already."""
        if not isinstance(part, core.Bind) or part.variable not in self.form.facts.needs_letrec_check:
            return part
        symbol = core.Constant(part.span, intern(part.variable.name))
        return core.Sequence(part.span, (core.SetLocal(part.span, part.variable, part.value), symbol))

    def _spilled(self, operand: core.Node) -> SpilledValue:
        self.operands.append(operand)
        value = SpilledValue(operand.span, len(self.operands))
        self.original_operands[value] = operand
        return value

    def _call_around(self, parent: core.Call, child: core.Node, rest: core.Node) -> core.Node:
        parts = list(core.children(parent))
        position = parts.index(child)
        for index, part in enumerate(parts[:position]):
            if not self.form.facts.may_be_repeated(part, parent.operator):
                parts[index] = self._spilled(part)
        parts[position] = rest
        self.original_operands[rest] = child
        call = core.Call(parent.span, parts[0], tuple(parts[1:]))
        self.original_calls[call] = parent
        return call


def _free_variables(parts: list[core.Node], loops: AbstractSet[core.Variable]) -> list[core.Variable]:
    """The variables that some part uses and does not bind itself, without the names of loops."""
    found: dict[core.Variable, None] = {}
    for part in parts:
        used: dict[core.Variable, None] = {}
        bound = loops | set(core.bound_variables(part))
        for node in core.nodes(part):
            if isinstance(node, core.Local | core.SetLocal):
                used[node.variable] = None
        found |= {variable: None for variable in used if variable not in bound}
    return list(found)
