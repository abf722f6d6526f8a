"""Assumptions of compiled code about global names, and the facts about a namespace that grant them.

- STANDARD: the name means the library's procedure, whose calls may be inlined.
- DIRECT: the name's procedure never returns with a tail call pending, so that calls of it need no test.
- PLAIN: a tail call of the name may be a plain call, which uses the stack. Only procedure definitions bind the name,
  and no chain of plain tail calls is a cycle, so that tail calls stay proper.
- REBOUND: the program has bound the name of a library procedure that would otherwise be inlined.

Before an assumption ends, `minischeme.evaluation.recompilation` invalidates the units of code that depend on it. Frames
that are executing can't be replaced. This could only break DIRECT, which is therefore granted only while nothing can
bind names while procedures run (`DirectCalls`).
"""

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
    """An assumption about a global name, of one of the kinds above."""

    kind: str
    name: str


Assumptions = frozenset[Assumption]


class DirectCalls:
    """Whether compiled procedures of a session may call others directly, with the facts about its namespaces."""

    def __init__(self) -> None:
        self.allowed = True
        self.namespaces: WeakSet[GlobalFacts] = WeakSet()


class GlobalFacts:
    """The facts about the global names of a namespace.

    `rebound` are the library's names that the program has bound, and `direct` those of procedures that return directly.
    `other` are the names bound to anything but a defined procedure, each with whether that may happen again at any
    time. `plain_tail_calls` maps the name of a procedure to the names that it calls by plain tail calls.
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
        """Whether a unit may make an assumption.

        `own` is the name that the unit defines as a procedure, and `is_defining` tells whether it is about to do so.
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
        """Whether a chain of plain tail calls may connect two names; True also if the search would take too long."""
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
    """A recorder of the assumptions that the code of a unit makes.

    `grant` tells whether an assumption may be made, and `globals_` are the global names that the unit mentions.
    """

    def __init__(self, grant: Callable[[Assumption], bool], globals_: AbstractSet[str]) -> None:
        self._grant = grant
        self._made: dict[Assumption, bool] = {}
        # A call by the form itself may end any assumption, and code that is executing can't be replaced.
        self._makes_none = any(grant(Assumption(STANDARD, name)) for name in EVALUATING & globals_)

    def assume(self, kind: str, name: str) -> bool:
        """Make an assumption if it is granted; returns whether it is."""
        assumption = Assumption(kind, name)
        found = self._made.get(assumption)
        if found is None:
            found = self._made[assumption] = not self._makes_none and self._grant(assumption)
            if kind == STANDARD and not found:
                self.assume(REBOUND, name)
        return found

    @property
    def assumptions(self) -> Assumptions:
        """The assumptions made so far."""
        return frozenset(assumption for assumption, is_made in self._made.items() if is_made)
