"""Assumptions of compiled code about global names, and the facts about a namespace that grant them.

- STANDARD: the name means the library's procedure, whose calls may be inlined.
- DIRECT: the name's procedure never returns with a tail call pending, so that calls of it need no test.
- PLAIN: a tail call of the name may be a plain call, which uses the stack. Only procedure definitions bind the name,
  and no chain of plain tail calls is a cycle, so that tail calls stay proper.
- OWN: the name means the procedure that this very unit defines.
- INLINED: the name means a small procedure, whose body may be compiled in place of a tail call (`tail_inlining`).
- RECORD: the name's procedure is one of a record type, whose calls may be inlined.
- REBOUND: the name has another meaning than one of these assumptions would need, for the time being.
- APPLIED: the lambdas that a unit gives to standard procedures may become parts of loops (`Unit.recompile`).

Before an assumption ends, `minischeme.evaluation.recompilation` invalidates the units of code that depend on it. Frames
that are executing can't be replaced. This could only break DIRECT, INLINED and RECORD, which are therefore granted only
while nothing can bind names while procedures run (`DirectCalls`).
"""

from collections import defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING
from weakref import WeakSet, WeakValueDictionary

from minischeme.compiler.tail_inlining import small_procedure
from minischeme.data.values import Value
from minischeme.expansion.core import Global, Node
from minischeme.primitives.registry import Primitive, primitive_of
from minischeme.runtime.names import python_name

if TYPE_CHECKING:
    from minischeme.compiler.assembly import Unit

STANDARD = "standard"
DIRECT = "direct"
PLAIN = "plain"
OWN = "own"
INLINED = "inlined"
RECORD = "record"
REBOUND = "rebound"
APPLIED = "applied"

Assumption = tuple[str, str]
"""One of the kinds above, and a global name, which is empty for APPLIED."""

Assumptions = frozenset[Assumption]

EVALUATING = frozenset({"eval", "load", "environment-assign!", "environment-define"})
"""The standard procedures that can bind any name of a program while its procedures run."""


class DirectCalls:
    """Whether compiled procedures of a session may call others directly, with the facts about its namespaces."""

    def __init__(self) -> None:
        self.allowed = True
        self.namespaces: WeakSet[GlobalFacts] = WeakSet()


class GlobalFacts:
    """The facts about the global names of a namespace, in front of the bindings of the `library`.

    `rebound` are the library's names that the program has bound. `other` are the names bound to anything but a defined
    procedure, each with whether that may happen again at any time; `definitions` are the units that define the
    others. `traced` are those bound to a wrapper of `trace`, `assigned` those bound to anything but the procedures of
    record types, and `value_of` gives the value of any. `plain_tail_calls` maps the name of a procedure to the names
    that it calls by plain tail calls. `dependents` has, by name and kind, the units that rely on each assumption, and
    `largest_frame` is the size of the largest frame of compiled code, in values.
    """

    def __init__(
        self, library: dict[str, Value], value_of: Callable[[str], Value | None], direct_calls: DirectCalls
    ) -> None:
        self.value_of = value_of
        self.assigned: set[str] = set()
        self.rebound: set[str] = set()
        self.other: dict[str, bool] = {}
        self.definitions: WeakValueDictionary[str, Unit] = WeakValueDictionary()
        self.traced: set[str] = set()
        self.plain_tail_calls: defaultdict[str, set[str]] = defaultdict(set)
        self.dependents: defaultdict[str, defaultdict[str, WeakSet[Unit]]] = defaultdict(lambda: defaultdict(WeakSet))
        self.largest_frame = 0
        self.library = library
        self.direct_calls = direct_calls
        direct_calls.namespaces.add(self)

    def grant(self, kind: str, name: str, unit: "Unit") -> bool:
        """Whether a unit may make an assumption."""
        own = unit.summary.defines
        if kind == STANDARD:
            return python_name(name) in self.library and name not in self.rebound
        if kind == REBOUND:
            return name in self.rebound or name in self.traced
        if kind == DIRECT:
            definition = self.definitions.get(name)
            return self.direct_calls.allowed and definition is not None and definition.is_direct
        if kind == OWN:
            return self.definitions.get(name) is unit and name not in self.traced
        if kind == INLINED:
            definition = self.definitions.get(name)
            if definition is None or definition is unit or name in self.traced or not self.direct_calls.allowed:
                return False
            small = small_procedure(definition.root, self._standard)
            return small is not None and unit.inlines(name, small)
        if kind == RECORD:
            is_known = self.direct_calls.allowed and name not in self.assigned
            return is_known and hasattr(self.value_of(name), "inline")
        if kind == APPLIED:
            return unit.applies_lambdas
        if name in self.other or (own is not None and self._leads(name, own)):
            return False
        if own is not None:
            self.plain_tail_calls[own].add(name)
        return True

    def _standard(self, operator: Node) -> Primitive | None:
        """The standard procedure that an operator means."""
        if not isinstance(operator, Global) or operator.name in self.rebound:
            return None
        return primitive_of(self.library.get(python_name(operator.name)))

    def _leads(self, start: str, end: str) -> bool:
        """Whether a chain of plain tail calls may connect two names; True also if the search would take too long."""
        seen, waiting = {start}, [start]
        while waiting:
            name = waiting.pop()
            if name == end or len(seen) > _MOST_SEARCHED:
                return True
            new = self.plain_tail_calls.get(name, set()) - seen
            seen |= new
            waiting += new
        return False


_MOST_SEARCHED = 50
