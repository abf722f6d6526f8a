"""Assumptions of compiled code about global names, and the facts about a namespace that grant them.

- STANDARD: the name means the library's procedure, whose calls may be inlined.
- DIRECT: the procedure of the name never returns with a tail call pending, so that a call of it needs no test.
- PLAIN: a tail call of the name may be a plain call, which uses the stack. Only definitions of procedures bind the
  name, and no chain of plain tail calls leads back to where it began: tail calls stay proper.
- REBOUND: the program has bound the name of the library, whose procedure would be inlined otherwise.

`minischeme.evaluation.recompilation` invalidates the units of code that depend on an assumption before it ends. Frames
that are executing can't be replaced: only DIRECT would fail them, and is granted only while nothing can bind names
while procedures run (`DirectCalls`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING
from weakref import WeakSet

import msgspec

from minischeme.data.values import Value
from minischeme.runtime.names import python_name

if TYPE_CHECKING:
    from minischeme.compiler.assembly import Unit

STANDARD, DIRECT, PLAIN, REBOUND = "standard", "direct", "plain", "rebound"

EVALUATING = frozenset({"eval", "load", "environment-assign!", "environment-define"})
"""The standard procedures that can bind any name of a program while its procedures run."""


class Assumption(msgspec.Struct, frozen=True):
    """What code assumes of a global name. Args: kind: one of the above."""

    kind: str
    name: str


Assumptions = frozenset[Assumption]


class DirectCalls:
    """Whether compiled procedures of a session may call others directly, and the facts of its namespaces."""

    def __init__(self) -> None:
        self.allowed = True
        self.namespaces: WeakSet[GlobalFacts] = WeakSet()


class GlobalFacts:
    """What a namespace knows of its global names.

    `rebound` are names of the library that the program has bound; `direct` those of procedures that return directly;
    `other` those bound to something else than a procedure that is defined, each with whether that may happen again at
    any time; `plain_tail_calls` the names that the procedure of a name calls so.
    """

    def __init__(self, library: dict[str, Value], direct_calls: DirectCalls) -> None:
        self.rebound: set[str] = set()
        self.direct: set[str] = set()
        self.other: dict[str, bool] = {}
        self.plain_tail_calls: dict[str, AbstractSet[str]] = {}
        self.dependents: defaultdict[Assumption, WeakSet[Unit]] = defaultdict(WeakSet)
        self.library = library
        self.direct_calls = direct_calls
        direct_calls.namespaces.add(self)

    def grant(self, assumption: Assumption, own: str | None, *, is_defining: bool) -> bool:
        """Whether a unit may rely on an assumption.

        Args: own: the name that the unit defines as a procedure. is_defining: whether it is about to do so.
        """
        kind, name = assumption.kind, assumption.name
        if kind == STANDARD:
            return python_name(name) in self.library and name not in self.rebound
        if kind == REBOUND:
            return name in self.rebound
        if kind == PLAIN:
            return name not in self.other and (own is None or not self._leads(name, own))
        is_new = is_defining and name == own and not self.other.get(name, False)
        return self.direct_calls.allowed and (is_new or name in self.direct)

    def _leads(self, start: str, end: str) -> bool:
        """Whether plain tail calls may lead from one name to another: also if that would take long to find out."""
        seen, waiting = {start}, [start]
        while waiting:
            name = waiting.pop()
            if name == end or len(seen) > _MOST_SEARCHED:
                return True
            new = self.plain_tail_calls.get(name, frozenset()) - seen
            seen |= new
            waiting += new
        return False


_MOST_SEARCHED = 50


class AssumptionRecorder:
    """The assumptions that the code of a unit makes.

    Args: grant: whether an assumption may be made. globals_: the global names that the unit mentions.
    """

    def __init__(self, grant: Callable[[Assumption], bool], globals_: AbstractSet[str]) -> None:
        self._grant = grant
        self._made: dict[Assumption, bool] = {}
        # A call of the unit's own may end any assumption, and code that is executing can't be compiled again.
        self._makes_none = any(grant(Assumption(STANDARD, name)) for name in EVALUATING & globals_)

    def assume(self, kind: str, name: str) -> bool:
        """Rely on an assumption, if it is granted."""
        assumption = Assumption(kind, name)
        found = self._made.get(assumption)
        if found is None:
            found = self._made[assumption] = not self._makes_none and self._grant(assumption)
            if kind == STANDARD and not found:
                self.assume(REBOUND, name)
        return found

    @property
    def assumptions(self) -> Assumptions:
        """Those made by now."""
        return frozenset(assumption for assumption, is_made in self._made.items() if is_made)
