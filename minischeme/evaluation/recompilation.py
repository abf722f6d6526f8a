"""`Recompiler`: invalidates a namespace's code before an assumption of it ends (`minischeme.compiler.assumptions`).

Invalidated procedures are given entry stubs, which recompile them when they are next called. A frame that is executing
continues with its old code: inlined primitives keep the meaning that they had when its call began.
"""

import sys
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from types import CodeType

from minischeme.compiler import assumptions as kinds
from minischeme.compiler.assembly import Unit
from minischeme.compiler.assumptions import DIRECT, Assumption, DirectCalls, GlobalFacts
from minischeme.compiler.entry_stubs import invalidate
from minischeme.data.values import Value


class Recompiler:
    """The keeper of the facts about a namespace and of the validity of its code.

    Code is invalidated before facts change: after an interrupt in between, it assumes less than it could.
    """

    def __init__(self, library: dict[str, Value], direct_calls: DirectCalls) -> None:
        self.facts = GlobalFacts(library, direct_calls)
        self._executing: set[Unit] = set()

    def compile(self, unit: Unit) -> CodeType:
        """The code of a unit that is about to run, after invalidating all that depends on what the unit changes."""
        own = unit.summary.defines
        if self._executing:
            self._invalidate(set())
        self.rebind(unit.summary.rebinds, unit.summary.assigns)
        if self.facts.direct_calls.allowed and unit.uses_otherwise(kinds.EVALUATING - self.facts.rebound):
            self.forbid_direct_calls()
        code = unit.compile()
        if own is not None and not unit.is_direct:
            ended = self._end({Assumption(DIRECT, own)})
            if not ended.isdisjoint(unit.assumptions):
                code = unit.compile()
        return code

    def learn(self, unit: Unit) -> None:
        """Record the bindings of a definition after it has run: it could be interrupted before."""
        own, other = unit.summary.defines, self.facts.other
        if own is not None:
            self.facts.plain_tail_calls[own] = unit.plain_tail_calls
            if not other.get(own, True):
                del other[own]
            if unit.is_direct and own not in other:
                self.facts.direct.add(own)

    def rebind(self, names: AbstractSet[str], assigned: Mapping[str, bool]) -> None:
        """Prepare for new bindings of names.

        `assigned` are those bound to anything but a defined procedure, with whether that may happen again.
        """
        rebound = (names & self.facts.library.keys()) - self.facts.rebound
        ended = {Assumption(kinds.STANDARD, name) for name in rebound}
        self._end(ended | {Assumption(kind, name) for name in assigned for kind in (DIRECT, kinds.PLAIN)})
        self.facts.rebound |= rebound
        for name, again in assigned.items():
            self.facts.plain_tail_calls.pop(name, None)
            self.facts.other[name] = again or self.facts.other.get(name, False)

    def restore(self, name: str) -> None:
        """Restore the library's meaning of a name."""
        self._end({Assumption(kinds.REBOUND, name)})
        self.facts.rebound.discard(name)

    def forbid_direct_calls(self) -> None:
        """Make every call test for a pending tail call, since from now on names may be bound while procedures run."""
        for facts in list(self.facts.direct_calls.namespaces):
            direct = [assumption for assumption in facts.dependents if assumption.kind == DIRECT]
            invalidate({unit for assumption in direct for unit in facts.dependents[assumption]})
        self.facts.direct_calls.allowed = False

    def _end(self, assumptions: set[Assumption]) -> set[Assumption]:
        """Invalidate code that depends on these assumptions, or on others that follow; returns all of them."""
        dependents = self.facts.dependents
        ended, waiting, units = set(assumptions), list(assumptions), set[Unit]()
        while waiting:
            assumption = waiting.pop()
            for unit in dependents.get(assumption, ()):
                units.add(unit)
                resting = Assumption(DIRECT, unit.summary.defines or "")
                if assumption.kind == DIRECT and assumption.name in unit.own_ends_with and resting not in ended:
                    ended.add(resting)
                    waiting.append(resting)
        if units:
            self._invalidate(units)
        for assumption in ended:
            dependents.pop(assumption, None)
        self.facts.direct -= {each.name for each in ended if each.kind == DIRECT}
        return ended

    def _invalidate(self, units: set[Unit]) -> None:
        units |= self._executing  # frames of old code may have made procedures with it since
        invalidate(units)
        old = {id(code): unit for unit in units for code in unit.invalid_code()}
        self._executing.clear()
        frame = sys._getframe() if old else None
        while frame is not None:
            if id(frame.f_code) in old:
                self._executing.add(old[id(frame.f_code)])
            frame = frame.f_back
