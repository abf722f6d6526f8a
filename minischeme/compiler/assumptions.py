"""What compiled code relies on: that names of the library mean its procedures, and how the program's own procedures
return.

A procedure *settles* if it never returns with a tail call pending: calls of it need no test. A tail call of a global is
*near* if it is a plain call, which is faster. No chain of near calls leads back to where it began, so that the stack
grows by no more than there are procedures, and tail calls stay proper.

Leaves to `namespaces` to compile again what has relied on something that holds no longer.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import NamedTuple

from minischeme.data.values import Value
from minischeme.runtime.names import python_name


class Assumptions(NamedTuple):
    """What some code relies on, to be made again as it is.

    Args: rebound: the names of the library that it mentions but could not rely on. settled: the global procedures that
    settle. near: those that tail calls call directly. must_settle: whether the procedure that is defined was made to
    settle.
    """

    rebound: frozenset[str] = frozenset()
    settled: frozenset[str] = frozenset()
    near: frozenset[str] = frozenset()
    must_settle: bool = False

    def is_rebound(self, name: str) -> bool:
        return name in self.rebound

    def settles(self, name: str) -> bool:
        return name in self.settled

    def may_settle(self, name: str) -> bool:
        return name in self.settled

    def may_be_near(self, name: str, caller: str | None) -> bool:
        return name in self.near


NOTHING = Assumptions()


class Knowledge:
    """What a namespace knows of its global names.

    `rebound` are the names of the library that the program has bound to something else.
    """

    def __init__(self) -> None:
        self.rebound: set[str] = set()
        self._settled: set[str] = set()
        self._other: dict[str, bool] = {}
        self._near: dict[str, set[str]] = {}

    def is_rebound(self, name: str) -> bool:
        return name in self.rebound

    def settles(self, name: str) -> bool:
        """Whether the procedure that a name is bound to settles."""
        return name in self._settled

    def may_settle(self, name: str) -> bool:
        """Whether only definitions of procedures bind a name."""
        return not self._other.get(name, False)

    def may_be_near(self, name: str, caller: str | None) -> bool:
        """Whether a tail call of a global may be a plain call.

        Args: caller: the name of the procedure that it stands in; None for one that is never called directly.
        """
        return name not in self._other and (caller is None or not self._leads(name, caller))

    def _leads(self, start: str, end: str) -> bool:
        """Whether near calls may lead from one name to another: also if that would take long to find out."""
        seen = {start}
        waiting = [start]
        while waiting:
            name = waiting.pop()
            if name == end or len(seen) > _MOST_SEARCHED:
                return True
            new = self._near.get(name, set()) - seen
            seen |= new
            waiting += new
        return False

    def learn_calls(self, name: str, near: AbstractSet[str]) -> None:
        """A procedure of a name has these near calls."""
        self._near.setdefault(name, set()).update(near)

    def learn(self, name: str, near: AbstractSet[str], *, settles: bool) -> None:
        """A definition has just bound a name to a procedure: not before, since that may be interrupted.

        Args: near: its near calls. settles: whether it settles.
        """
        self._near[name] = set(near)
        if not self._other.get(name, True):
            del self._other[name]
        if settles and self.may_settle(name):
            self._settled.add(name)

    def forget(self, name: str, *, for_good: bool) -> None:
        """A name is about to be bound to something else than a procedure that is defined.

        Args: for_good: whether that may happen again at any time.
        """
        self._settled.discard(name)
        self._near.pop(name, None)
        self._other[name] = for_good or self._other.get(name, False)

    def unsettle(self, name: str) -> None:
        """The procedure of a name is being replaced by one that does not settle."""
        self._settled.discard(name)


_MOST_SEARCHED = 50


class Reliance:
    """Asks on behalf of one top-level form, and notes what its code relies on.

    Args: knowledge: what to go by: of the namespace, or what earlier code relied on. library: its bindings. globals_:
    the global names that the form mentions. name: the one that it defines as a procedure, if it does. is_new: whether
    that is about to happen; later, the name may be another procedure's.

    `standard_names` are the names of the library that the form mentions. `own_settles` is to be set when it is known
    whether the form's own procedure settles.
    """

    def __init__(
        self,
        knowledge: Knowledge | Assumptions,
        library: dict[str, Value],
        globals_: AbstractSet[str],
        name: str | None,
        is_new: bool,
    ) -> None:
        self._knowledge = knowledge
        self._is_new = is_new
        self._library = library
        self._name = name
        self._settled: set[str] = set()
        self._near: set[str] = set()
        self.own_settles = False
        self.standard_names = {"eval", "load"} & globals_
        # The form may find names bound anew after a call of its own: a running call can't be compiled again.
        self._may_rebind = any(name in library and not knowledge.is_rebound(name) for name in self.standard_names)

    def is_standard(self, name: str) -> bool:
        """Rely on a global name to mean the library's procedure, if it still does."""
        if python_name(name) not in self._library:
            return False
        self.standard_names.add(name)
        return not self._may_rebind and not self._knowledge.is_rebound(name)

    def settles(self, name: str) -> bool:
        """Rely on the procedure of a global name to settle, if it does."""
        if self._may_rebind:
            return False
        is_itself = name == self._name
        if is_itself and not self.own_settles:
            return False
        known = self._knowledge
        found = known.may_settle(name) if is_itself and self._is_new else known.settles(name)
        if found:
            self._settled.add(name)
        return found

    def is_near(self, name: str) -> bool:
        """Rely on a tail call of a global to lead nowhere but out, if it does."""
        if self._may_rebind or not self._knowledge.may_be_near(name, self._name):
            return False
        self._near.add(name)
        return True

    def assumptions(self, must_settle: bool) -> Assumptions:
        """What the code relies on by now."""
        rebound = frozenset(filter(self._knowledge.is_rebound, self.standard_names))
        return Assumptions(rebound, frozenset(self._settled), frozenset(self._near), must_settle)
