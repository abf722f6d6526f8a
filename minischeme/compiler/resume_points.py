"""Resume functions: what a procedure has still to do when a call in it returns.

A continuation that is entered again runs these (ARCHITECTURE.md section 6). A resume function is the procedure itself,
entered in the middle: it is made of the same core, has the same variables under the same names, and the loops around
the call are open in it, each in the middle of a turn. So a frame of it is resumed just as one of the procedure. Frames,
and the values in them, are the business of `minischeme.evaluation.continuations`.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet

import msgspec

from minischeme.compiler.analysis import Facts
from minischeme.compiler.names import Names
from minischeme.compiler.state import SpilledValue
from minischeme.data.values import intern
from minischeme.expansion import core
from minischeme.expansion.core import (
    Bind,
    Call,
    Constant,
    Global,
    If,
    Lambda,
    Local,
    Node,
    Or,
    Sequence,
    SetLocal,
    Variable,
)


class ParentMap:
    """A top-level form as it was compiled, to be walked upwards.

    Args: root: its core. facts, names, direct: as the generator of its code has them.
    """

    def __init__(self, root: Node, facts: Facts, names: Names, direct: frozenset[Lambda]) -> None:
        self.root = root
        self.facts = facts
        self.names = names
        self.direct = direct
        self._parents: dict[Node, Node] = {part: node for node in core.nodes(root) for part in core.children(node)}

    def parent(self, node: Node) -> Node | None:
        return self._parents.get(node)


class ResumeFunction:
    """The function that does what remains of a procedure when a call in it returns.

    Args: tree: the form that the procedure is in. site: the call.

    `procedure` is the lambda of the Python function that the call stands in, None for the form itself. `body` is what
    remains: the value of the call is `SpilledValue` number 0, and those of the `operands` that were computed before the
    call come next. `whole` is all that may be evaluated, `variables` are those in it that the frame may have. `turns`
    are the calls in it that stand for the loops around the site: the operand of each is what remains of the turn.
    `original_calls` and `original_operands` lead from the parts that are new to those that they replace.
    """

    def __init__(self, tree: ParentMap, site: Call) -> None:
        self.tree = tree
        self.operands: list[Node] = []
        self.turns: set[Call] = set()
        self.original_calls: dict[Call, Call] = {}
        self.original_operands: dict[Node, Node] = {}
        self.procedure: Lambda | None = None
        self.body = self._after(site)
        parts = self._parts()
        self.whole = core.sequence(None, parts)
        self.variables = _free_variables(parts, tree.facts.loops.keys())

    @property
    def is_self_looping(self) -> bool:
        """Whether the procedure may go on with its own body: one that is global is called instead."""
        return self.procedure is not None and self.tree.facts.loops_by_variable(self.procedure)

    def _parts(self) -> list[Node]:
        """The body, the loops that were bound before and are entered in it, and the procedure if it may be repeated."""
        loops = self.tree.facts.loops
        parts: list[Node] = [self.body]
        if self.procedure is not None and self.is_self_looping:
            parts.append(self.procedure)
        for part in parts:  # which grow meanwhile
            bound = {node.variable for node in core.nodes(part) if isinstance(node, Bind)}
            for node in core.nodes(part):
                if isinstance(node, Local) and node.variable in loops and node.variable not in bound:
                    if loops[node.variable] not in parts:
                        parts.append(loops[node.variable])
        return parts

    # ── from the inside out ──────────────────────────────────────────────────────────────────────────────────────

    def _after(self, site: Call) -> Node:
        """What remains when a call has its value; sets `procedure`."""
        facts = self.tree.facts
        child: Node = site
        rest: Node = SpilledValue(site.span, 0)
        while True:
            parent = self.tree.parent(child)
            if parent is None:
                return rest
            if not isinstance(parent, Lambda):
                rest = self._around(parent, child, rest)
                child = parent
                continue
            entry = facts.entry_into(parent)
            if entry is None:
                self.procedure = parent
                return rest
            child = entry  # a loop: what ends it goes on where it was entered
            assert isinstance(entry.operator, Local)
            if entry.operator.variable in facts.recursive:
                rest = Call(entry.span, entry.operator, (rest,))
                self.turns.add(rest)

    def _around(self, parent: Node, child: Node, rest: Node) -> Node:
        """What remains of an expression when the rest of a part of it is `rest`."""
        if isinstance(parent, Call):
            return self._call_around(parent, child, rest)
        if isinstance(parent, If):
            return If(parent.span, rest, parent.consequent, parent.alternative) if child is parent.test else rest
        if isinstance(parent, Or):
            return Or(parent.span, rest, parent.second) if child is parent.first else rest
        if isinstance(parent, Sequence):
            index = next(index for index, part in enumerate(parent.parts) if part is child)
            return core.sequence(parent.span, [rest, *map(self._begun, parent.parts[index + 1 :])])
        return self._begun(msgspec.structs.replace(parent, value=rest))

    def _begun(self, part: Node) -> Node:
        """A part of a body that is being evaluated: the places of its late variables are there already."""
        if not isinstance(part, Bind) or part.variable not in self.tree.facts.needs_letrec_check:
            return part
        symbol = Constant(part.span, intern(part.variable.name))
        return Sequence(part.span, (SetLocal(part.span, part.variable, part.value), symbol))

    def _call_around(self, parent: Call, child: Node, rest: Node) -> Node:
        parts: list[Node] = []
        is_before = True
        for part in core.children(parent):
            if part is child:
                is_before = False
                parts.append(rest)
                self.original_operands[rest] = part
            elif is_before and not self.tree.facts.has_fixed_value(part) and not _is_global_operator(part, parent):
                self.operands.append(part)
                parts.append(SpilledValue(part.span, len(self.operands)))
                self.original_operands[parts[-1]] = part
            else:
                parts.append(part)
        call = Call(parent.span, parts[0], tuple(parts[1:]))
        self.original_calls[call] = parent
        return call


def _free_variables(parts: list[Node], loops: AbstractSet[Variable]) -> list[Variable]:
    """The variables that some part uses and does not bind itself, but for the names of loops."""
    found: dict[Variable, None] = {}
    for part in parts:
        used: dict[Variable, None] = {}
        bound = set(loops)
        for node in core.nodes(part):
            if isinstance(node, Local | SetLocal):
                used[node.variable] = None
            elif isinstance(node, Bind):
                bound.add(node.variable)
            elif isinstance(node, Lambda):
                bound.update(node.parameters if node.rest is None else (*node.parameters, node.rest))
        found |= {variable: None for variable in used if variable not in bound}
    return list(found)


def _is_global_operator(part: Node, call: Call) -> bool:
    """Whether a part of a call is a global operator, which may be looked up again."""
    return part is call.operator and isinstance(part, Global)
