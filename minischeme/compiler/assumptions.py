"""Assumptions of compiled code about global names, and the facts about a namespace that grant them.

- STANDARD: the name means the library's procedure, whose calls may be inlined.
- DIRECT: the procedure of the name never returns with a tail call pending, so that a call of it needs no test.
- PLAIN: a tail call of the name may be a plain call, which uses the stack. Only definitions of procedures bind the
  name, and no chain of plain tail calls leads back to where it began: tail calls stay proper.
- REBOUND: the program has bound the name of the library, whose procedure would be inlined otherwise.

Each unit of code is a dependent of what it assumes; `minischeme.evaluation.recompilation` invalidates dependents before
an assumption ends. Only DIRECT must never fail code that is executing, so it is granted only while nothing can bind
names while procedures run (`DirectCalls`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakSet

from minischeme.data.values import Value
from minischeme.runtime.names import python_name

if TYPE_CHECKING:
    from minischeme.compiler.assembly import Unit

STANDARD, DIRECT, PLAIN, REBOUND = "standard", "direct", "plain", "rebound"

EVALUATING = frozenset({"eval", "load", "environment-assign!", "environment-define"})
"""The standard procedures that can bind any name of a program while its procedures run."""


class Assumption(NamedTuple):
    """What code assumes of a global name. Args: kind: one of the above."""

    kind: str
    name: str


Assumptions = frozenset[Assumption]


class DirectCalls:
    """Whether compiled procedures of a session may assume that others return directly, and the facts that say so."""

    def __init__(self) -> None:
        self.allowed = True
        self.namespaces: WeakSet[GlobalFacts] = WeakSet()


class GlobalFacts:
    """What a namespace knows of its global names.

    Args: library: the bindings behind it. direct_calls: the session's.

    `rebound` are the names of the library that the program has bound, `direct` those of procedures that return
    directly, `dependents` the units of code that rely on an assumption.
    """

    def __init__(self, library: dict[str, Value], direct_calls: DirectCalls) -> None:
        self.rebound: set[str] = set()
        self.direct: set[str] = set()
        self.dependents: defaultdict[Assumption, WeakSet[Unit]] = defaultdict(WeakSet)
        self._library = library
        self._direct_calls = direct_calls
        self._bound_to_other_values: dict[str, bool] = {}
        self._plain_tail_calls: dict[str, set[str]] = {}
        direct_calls.namespaces.add(self)

    def grant(self, assumption: Assumption, own: str | None, *, is_defining: bool) -> bool:
        """Whether a unit may rely on an assumption.

        Args: own: the name that the unit defines as a procedure. is_defining: whether it is about to do so.
        """
        kind, name = assumption
        if kind == STANDARD:
            return python_name(name) in self._library and name not in self.rebound
        if kind == REBOUND:
            return name in self.rebound
        if kind == DIRECT:
            is_new = is_defining and name == own and not self._bound_to_other_values.get(name, False)
            return self._direct_calls.allowed and (is_new or name in self.direct)
        return name not in self._bound_to_other_values and (own is None or not self._leads(name, own))

    def _leads(self, start: str, end: str) -> bool:
        """Whether plain tail calls may lead from one name to another: also if that would take long to find out."""
        seen = {start}
        waiting = [start]
        while waiting:
            name = waiting.pop()
            if name == end or len(seen) > _MOST_SEARCHED:
                return True
            new = self._plain_tail_calls.get(name, set()) - seen
            seen |= new
            waiting += new
        return False

    def add_plain_tail_calls(self, name: str, called: Iterable[str]) -> None:
        """Code of the procedure of a name may make these plain tail calls."""
        self._plain_tail_calls.setdefault(name, set()).update(called)

    def bind_procedure(self, name: str, called: Iterable[str], *, is_direct: bool) -> None:
        """A definition has bound a name to a procedure: not before, since that may be interrupted.

        Args: called: its plain tail calls. is_direct: whether it returns directly.
        """
        self._plain_tail_calls[name] = set(called)
        if not self._bound_to_other_values.get(name, True):
            del self._bound_to_other_values[name]
        if is_direct and not self._bound_to_other_values.get(name, False):
            self.direct.add(name)

    def bind_other_value(self, name: str, *, for_good: bool) -> None:
        """A name is about to be bound to something else than a procedure that is defined.

        Args: for_good: whether that may happen again at any time.
        """
        self.direct.discard(name)
        self._plain_tail_calls.pop(name, None)
        self._bound_to_other_values[name] = for_good or self._bound_to_other_values.get(name, False)


_MOST_SEARCHED = 50


class AssumptionRecorder:
    """The assumptions that the code of a unit makes.

    Args: grant: whether an assumption may be made. globals_: the global names that the unit mentions.

    `own_is_direct` is to be set once it is known whether the procedure that the unit defines returns directly, and
    `own_ends_with` are the procedures that it assumes for that to return directly.
    """

    def __init__(self, grant: Callable[[Assumption], bool], globals_: AbstractSet[str]) -> None:
        self._grant = grant
        self._made: dict[Assumption, bool] = {}
        self.own_is_direct = False
        self.own_ends_with: set[str] = set()
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
