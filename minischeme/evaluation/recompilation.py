"""`Recompiler`: invalidates a namespace's code before an assumption of it ends (`minischeme.compiler.assumptions`).

Invalidated procedures are given entry stubs, which compile them again when they are next called. A frame that is
executing continues with its old code: inlined primitives keep the meaning that they had when its call began.
"""

import sys
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet

from minischeme.compiler import assumptions as kinds
from minischeme.compiler.assembly import Unit
from minischeme.compiler.assumptions import Assumption, DirectCalls, GlobalFacts
from minischeme.compiler.entry_stubs import invalidate
from minischeme.data.values import Value

_WHILE_NOTHING_IS_BOUND = frozenset({kinds.DIRECT, kinds.INLINED, kinds.RECORD})


class Recompiler:
    """The keeper of the facts about a namespace and of the validity of its code.

    Code is invalidated before facts change: after an interrupt in between, it assumes less than it could.
    """

    def __init__(
        self, library: dict[str, Value], value_of: Callable[[str], Value | None], direct_calls: DirectCalls
    ) -> None:
        self.facts = GlobalFacts(library, value_of, direct_calls)
        self._executing: set[Unit] = set()

    def prepare(self, unit: Unit) -> None:
        """Invalidate all code that depends on what a unit is about to change."""
        if self._executing:
            self._invalidate(set())
        summary = unit.summary
        if summary.defines is not None:
            self.facts.bound_later |= summary.rebinds - {summary.defines}
        self.rebind(summary.rebinds, summary.assigns, summary.defines, summary.records)
        if self.facts.direct_calls.allowed and unit.uses_otherwise(kinds.EVALUATING - self.facts.rebound):
            self.forbid_direct_calls()

    def note_definition(self, unit: Unit, name: str) -> None:
        """Record that a name is bound to the procedure that a unit defines: an interrupt could come before."""
        other = self.facts.other
        self.facts.plain_tail_calls.pop(name, None)
        if not other.get(name, True):
            del other[name]
        if name not in other:
            self.facts.definitions[name] = unit

    def rebind(
        self,
        names: AbstractSet[str],
        assigned: Mapping[str, bool],
        defined: str | None = None,
        records: AbstractSet[str] = frozenset(),
    ) -> None:
        """Prepare for new bindings of names, all but the following ones to a wrapper of `trace` or what it wraps.

        Args:
            assigned: those bound to anything but a defined procedure, with whether that may happen again.
            defined: the one bound to a defined procedure.
            records: those bound to procedures of record types.
        """
        rebound = (names & self.facts.library.keys()) - self.facts.rebound
        changed = assigned.keys() | ({defined} if defined is not None else set())
        if self.facts.dependents.keys() & (names | changed):
            ended = {(kinds.STANDARD, name) for name in rebound} | {(kinds.DIRECT, name) for name in changed}
            ended |= {(kind, name) for kind in (kinds.OWN, kinds.INLINED, kinds.RECORD) for name in names | changed}
            self._end(ended | {(kinds.PLAIN, name) for name in assigned})
        self.facts.rebound |= rebound
        self.facts.traced = (self.facts.traced | names) - changed
        self.facts.assigned |= changed - records
        for name in changed:
            self.facts.definitions.pop(name, None)
        for name, again in assigned.items():
            self.facts.plain_tail_calls.pop(name, None)
            self.facts.other[name] = again or self.facts.other.get(name, False)

    def restore(self, name: str, *, is_standard: bool) -> None:
        """Restore the meaning of a name before it was traced, which may be the library's."""
        self._end({(kinds.REBOUND, name)})
        self.facts.traced.discard(name)
        if is_standard:
            self.facts.rebound.discard(name)

    def forbid_direct_calls(self) -> None:
        """Make every call test for a pending tail call, since from now on names may be bound while procedures run."""
        for facts in list(self.facts.direct_calls.namespaces):
            found = facts.dependents.values()
            ended = [by_kind[kind] for by_kind in found for kind in by_kind.keys() & _WHILE_NOTHING_IS_BOUND]
            invalidate({unit for units in ended for unit in units})
        self.facts.direct_calls.allowed = False

    def _end(self, assumptions: set[Assumption]) -> None:
        """Invalidate code that depends on these assumptions; whether its procedures return directly is open again."""
        dependents = self.facts.dependents
        ended, units = list(assumptions), set[Unit]()
        for kind, name in ended:  # The list grows meanwhile.
            if name in dependents:
                for unit in dependents[name].get(kind, set()) - units:
                    units.add(unit)
                    ended.append((kinds.DIRECT, unit.summary.defines or ""))
        if units:
            self._invalidate(units)
        for kind, name in ended:
            if name in dependents:
                dependents[name].pop(kind, None)

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
