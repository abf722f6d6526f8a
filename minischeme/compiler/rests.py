"""The rest of a procedure after a call: the core of a procedure that goes on where a suspended frame of it waits.

A continuation that is entered again runs these (design section 6). Leaves frames, and the values in them, to
`minischeme.continuations`.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from minischeme import core
from minischeme.compiler.analysis import Facts
from minischeme.compiler.integration import constant_truth
from minischeme.core import (
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
from minischeme.values import intern


class Point(NamedTuple):
    """A place in a form where a call has just been returned from.

    Args: procedure: the lambda of the Python function, None for the form itself. entries: the calls that entered the
    loops around the place, outermost first. site: the call.
    """

    procedure: Lambda | None
    entries: tuple[Call, ...]
    site: Call


class Tree:
    """A form as it was compiled, to be walked upwards.

    Args: root: the form. facts: by which its loops were chosen.
    """

    def __init__(self, root: Node, facts: Facts) -> None:
        self.facts = facts
        self._parents: dict[Node, Node] = {part: node for node in core.nodes(root) for part in core.children(node)}

    def parent(self, node: Node) -> Node | None:
        return self._parents.get(node)

    def enclosing(self, node: Node) -> Lambda | None:
        """The innermost lambda around an expression, None for the form itself."""
        parent = self._parents.get(node)
        while parent is not None and not isinstance(parent, Lambda):
            parent = self._parents.get(parent)
        return parent

    def lambdas_around(self, procedure: Lambda | None) -> list[Lambda | None]:
        """A lambda and those around it in the text, innermost first; None, the form itself, is the last."""
        found = [procedure]
        while procedure is not None:
            procedure = self.enclosing(procedure)
            found.append(procedure)
        return found

    def path(self, site: Call) -> tuple[list[Call], Lambda | None]:
        """The calls that entered the loops around a call, outermost first, and the procedure that all this is in."""
        entries: list[Call] = []
        node: Call = site
        while True:
            procedure = self.enclosing(node)
            entry = None if procedure is None else self.facts.entry_into(procedure)
            if entry is None:
                return entries, procedure
            entries.insert(0, entry)
            node = entry

    def entered_by(self, entry: Call) -> Lambda:
        """The lambda that is called by a call of a local procedure."""
        assert isinstance(entry.operator, Local)
        procedure = self.facts.lambda_of(entry.operator.variable)
        assert procedure is not None
        return procedure


class Copied(NamedTuple):
    """A call in a rest: the call that it is a copy of, and the entries of the loops around that one."""

    call: Call
    entries: tuple[Call, ...]


class Rest:
    """The procedure that goes on after a point.

    Args: tree: the form as it was written. point: a point in it.

    `procedure` takes the value that is waited for, then the values of `variables`, then those of the `operands` that
    were computed before; the variables in `given` come in their boxes, those in `late` are copies of late ones.
    `own_parameters` hold what the parameters of the point's procedure did. `copied` and `lambdas` lead from its parts
    to those of the form that they are copies of, `variable_copies` back.
    """

    def __init__(self, tree: Tree, point: Point) -> None:
        self.copied: dict[Call, Copied] = {}
        self.variable_copies: dict[Variable, list[Variable]] = {}
        self.lambdas: dict[Lambda, Lambda | None] = {}
        self.operands: list[Node] = []
        self._operand_copies: list[Variable] = []
        self._tree = tree
        self._facts = tree.facts
        self._entries = point.entries
        self._bound: set[Variable] = set()
        self._own_name = None if point.procedure is None else tree.facts.name_it_repeats_by(point.procedure)
        around = {point.procedure, *(tree.entered_by(entry) for entry in point.entries)}
        self._root = self._level = _Level(frozenset(around), None)
        value = Variable("value")
        body = self._with_procedures(self._after(point, value))
        self.variables = [
            variable
            for variable in self._root.copies
            if variable not in self._bound and not self._is_own_procedure(variable)
        ]
        copies = [self._root.copies[variable] for variable in self.variables]
        self.given = frozenset(
            copy for variable, copy in zip(self.variables, copies, strict=True) if variable in self._facts.boxed
        )
        self.late = frozenset(copy for variable in self._facts.late for copy in self.variable_copies.get(variable, ()))
        home = point.procedure
        own = () if home is None else (*home.parameters, home.rest)
        self.own_parameters = tuple(
            copy for variable, copy in zip(self.variables, copies, strict=True) if variable in own
        )
        name, span = (None, point.site.span) if home is None else (home.name, home.span)
        self.procedure = Lambda(span, name, (value, *copies, *self._operand_copies), None, body)
        self.lambdas[self.procedure] = point.procedure

    # ── from the inside out ──────────────────────────────────────────────────────────────────────────────────────

    def _after(self, point: Point, value: Variable) -> Node:
        """The body of a procedure from where a call in it has its value."""
        child: Node = point.site
        rest: Node = Local(point.site.span, value)
        while True:
            parent = self._tree.parent(child)
            if parent is None or parent is point.procedure:
                return rest
            if isinstance(parent, Lambda):  # a loop: what ends it goes on where it was entered
                child = self._entries[-1]
                self._entries = self._entries[:-1]
                continue
            rest = self._around(parent, child, rest)
            child = parent

    def _around(self, parent: Node, child: Node, rest: Node) -> Node:
        """What remains of an expression when the rest of a part of it is `rest`."""
        if isinstance(parent, Call):
            return self._call_around(parent, child, rest)
        if isinstance(parent, If):
            if child is not parent.test:
                return rest
            return If(parent.span, rest, self._copy(parent.consequent), self._copy(parent.alternative))
        if isinstance(parent, Or):
            return Or(parent.span, rest, self._copy(parent.second)) if child is parent.first else rest
        if isinstance(parent, Sequence):
            index = next(index for index, part in enumerate(parent.parts) if part is child)
            return core.sequence(parent.span, [rest, *map(self._copy_of_part, parent.parts[index + 1 :])])
        if isinstance(parent, Bind):
            return self._bind(parent, rest, is_started=True)
        if isinstance(parent, SetLocal):
            return SetLocal(parent.span, self._variable(parent.variable), rest)
        return msgspec.structs.replace(parent, value=rest)

    def _call_around(self, parent: Call, child: Node, rest: Node) -> Node:
        parts: list[Node] = []
        is_before = True
        for part in core.children(parent):
            if part is child:
                is_before = False
                parts.append(rest)
            elif is_before and not self._stays(part, parent.operator):
                kept = Variable("operand")
                self.operands.append(part)
                self._operand_copies.append(kept)
                parts.append(Local(part.span, kept))
            else:
                parts.append(self._copy(part))
        call = Call(parent.span, parts[0], tuple(parts[1:]))
        self.copied[call] = Copied(parent, self._entries)
        return call

    def _stays(self, part: Node, operator: Node) -> bool:
        """Whether an operand, or the operator, can be had again."""
        return self._facts.has_fixed_value(part) or (part is operator and isinstance(part, Global))

    def _is_own_procedure(self, variable: Variable) -> bool:
        """Whether a variable names a known procedure of this one, or this one itself, and is only called: it may be a
        loop, and have no value to be kept."""
        procedure = self._facts.procedure_of(variable)
        if procedure is not None and self._facts.home_of(variable) in self._root.lambdas:
            return True
        return variable is self._own_name

    def _with_procedures(self, body: Node) -> Node:
        """A body with the known procedures that it calls."""
        binds: list[Node] = []
        done: set[Variable] = set()
        while True:
            missing = [
                variable for variable in self._root.copies if variable not in self._bound and variable not in done
            ]
            missing = [variable for variable in missing if self._is_own_procedure(variable)]
            if not missing:
                return core.sequence(body.span, [*binds, body])
            for variable in missing:
                procedure = self._facts.lambda_of(variable)
                assert procedure is not None
                done.add(variable)
                binds.append(Bind(procedure.span, self._variable(variable), self._copy(procedure)))

    # ── copies ───────────────────────────────────────────────────────────────────────────────────────────────────

    def _copy_of_part(self, part: Node) -> Node:
        """A copy of a part of a body that is being evaluated: the places of its late variables are there already."""
        return self._bind(part, self._copy(part.value), is_started=True) if isinstance(part, Bind) else self._copy(part)

    def _bind(self, node: Bind, value: Node, *, is_started: bool) -> Node:
        copy = self._variable(node.variable)
        if is_started and node.variable in self._facts.late:
            symbol = Constant(node.span, intern(node.variable.name))
            return Sequence(node.span, (SetLocal(node.span, copy, value), symbol))
        if self._level is self._root:
            self._bound.add(node.variable)
        return Bind(node.span, copy, value)

    def _copy(self, node: Node) -> Node:
        """A copy of an expression with variables of its own."""
        if isinstance(node, Local):
            return Local(node.span, self._variable(node.variable))
        if isinstance(node, SetLocal):
            return SetLocal(node.span, self._variable(node.variable), self._copy(node.value))
        if isinstance(node, Bind):
            return self._bind(node, self._copy(node.value), is_started=False)
        if isinstance(node, Lambda):
            return self._copy_of_lambda(node)
        if isinstance(node, Call):
            call = Call(node.span, self._copy(node.operator), tuple([self._copy(part) for part in node.operands]))
            self.copied[call] = Copied(node, self._entries if self._level is self._root else ())
            return call
        if isinstance(node, If):
            truth = constant_truth(node.test)
            if truth is not None:  # the other branch has no code, and its variables may have no values
                return self._copy(node.consequent if truth else node.alternative)
            return If(node.span, self._copy(node.test), self._copy(node.consequent), self._copy(node.alternative))
        if isinstance(node, Or):
            return Or(node.span, self._copy(node.first), self._copy(node.second))
        if isinstance(node, Sequence):
            return Sequence(node.span, tuple([self._copy(part) for part in node.parts]))
        if isinstance(node, core.Define | core.SetGlobal):
            return msgspec.structs.replace(node, value=self._copy(node.value))
        return msgspec.structs.replace(node)

    def _copy_of_lambda(self, node: Lambda) -> Lambda:
        outer = self._level
        self._level = _Level(frozenset([node]), outer)
        parameters = tuple([self._variable(parameter) for parameter in node.parameters])
        rest = None if node.rest is None else self._variable(node.rest)
        copy = Lambda(node.span, node.name, parameters, rest, self._copy(node.body))
        self._level = outer
        self.lambdas[copy] = node
        return copy

    def _variable(self, variable: Variable) -> Variable:
        """The copy of a variable, in the innermost copy of the lambda that binds it."""
        level = self._level
        while level.outer is not None and self._facts.home_of(variable) not in level.lambdas:
            level = level.outer
        copy = level.copies.get(variable)
        if copy is None:
            copy = level.copies[variable] = Variable(variable.name)
            copy.assigned = variable in self._facts.boxed
            self.variable_copies.setdefault(variable, []).append(copy)
        return copy


class _Level:
    """The copies of variables in the copy of a lambda, or in the rest itself.

    Args: lambdas: those whose variables it has. outer: the level around it.
    """

    def __init__(self, lambdas: frozenset[Lambda | None], outer: _Level | None) -> None:
        self.lambdas = lambdas
        self.outer = outer
        self.copies: dict[Variable, Variable] = {}
