"""`Renewal`: compiles code of a namespace again when what it has relied on holds no longer (`compiler.assumptions`).

Code that is running can't be replaced. What it relies on to settle is made to settle, until it has ended.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from types import CodeType, FrameType

from minischeme.compiler.assembly import Unit, origin_of, replace_code
from minischeme.compiler.assumptions import Knowledge
from minischeme.data.values import Value
from minischeme.runtime.names import python_name
from minischeme.runtime.tail_calls import TailCall


class Renewal:
    """A namespace's.

    Args: globals_: its globals. library: the bindings behind them. tail_call: the session's register.

    `knowledge` is what units of the namespace go by.
    """

    def __init__(self, globals_: dict[str, Value], library: dict[str, Value], tail_call: TailCall) -> None:
        self.knowledge = Knowledge()
        self._globals = globals_
        self._library = library
        self._tail_call = tail_call
        self._dependents: dict[str, weakref.WeakSet[Unit]] = {}
        self._relied: set[str] = set()
        self._unfinished: set[str] = set()
        self._settling: set[str] = set()
        self._made_to_settle: weakref.WeakSet[Unit] = weakref.WeakSet()

    def compile(self, unit: Unit) -> CodeType:
        """The code of a unit that is about to be run, once nothing relies on what the unit will change."""
        outline = unit.outline
        self._relax()
        unit.settling = self.rebind(outline.rebinds, outline.assigns)
        code = unit.compile()
        if outline.defines is not None and not unit.settles:
            code = self._replaced(unit, outline.defines) or code
        return code

    def _replaced(self, unit: Unit, name: str) -> CodeType | None:
        """A procedure does not settle that may take the place of one that did: other code for it, if it must."""
        if self._must_settle(name):
            self._make_settle(unit, name)
            return unit.compile()
        if not self.knowledge.settles(name):
            return None
        self.knowledge.unsettle(name)
        self.compile_again({name})
        return unit.compile() if unit.is_stale else None

    def learn(self, unit: Unit) -> None:
        """A unit has been run."""
        if unit.outline.defines is not None:
            self.knowledge.learn(unit.outline.defines, unit.assumptions.near, settles=unit.settles)

    def note_reliance(self, unit: Unit) -> None:
        """A unit with procedures, which may have to be compiled again, relies on what its code does."""
        for name in unit.standard_names | unit.assumptions.settled | unit.assumptions.near:
            self._dependents.setdefault(name, weakref.WeakSet()).add(unit)
        self._relied |= unit.assumptions.settled

    def rebind(self, names: AbstractSet[str], assigned: Mapping[str, bool]) -> frozenset[str]:
        """Names are about to be bound anew: compile again what has relied on them.

        Args: assigned: those that get something else than a procedure that is defined, with whether they may again.
        Returns: those that may only be bound to procedures that settle, since code that is running relies on it.
        """
        settling = frozenset(filter(self._must_settle, assigned))
        self._settling |= settling
        for name, again in assigned.items():
            self.knowledge.forget(name, for_good=again)
        self.knowledge.rebound |= names & self._library.keys()
        self.compile_again(names | assigned.keys())
        return settling

    def restore(self, name: str) -> None:
        """A name of the library means its procedure again."""
        self.knowledge.rebound.discard(name)
        self.compile_again({name})

    def store(self, name: str, value: Value) -> None:
        """Bind a name to a value from elsewhere."""
        if self._must_settle(name):
            self._settling.add(name)
            value = self._tail_call.settling(value)
        self._globals[python_name(name)] = value

    def compile_again(self, names: AbstractSet[str]) -> None:
        """Renew the code that relied on something else of these names, and what relied on that in turn.

        An interrupt may come at any moment: procedures are renewed after those that rely on them, and what is left
        over is done with the next form.
        """
        self._unfinished |= names
        names = set(self._unfinished)
        steps: list[list[tuple[CodeType, CodeType]]] = []
        while names:
            units = {unit for name in names for unit in self._dependents.get(name, ()) if unit.is_stale}
            for unit in units:
                defines = unit.outline.defines
                if defines is not None and self._must_settle(defines):
                    self._make_settle(unit, defines)
            steps.append([pair for unit in units for pair in unit.recompile()])
            names = set()
            for unit in units:
                self.note_reliance(unit)
                defines = unit.outline.defines
                if defines is not None and not unit.settles and self.knowledge.settles(defines):
                    names.add(defines)
            self._unfinished |= names
            for name in names:
                self.knowledge.unsettle(name)
        for pairs in reversed(steps):
            replace_code(pairs)
        self._unfinished.clear()

    # ── running code ─────────────────────────────────────────────────────────────────────────────────────────────

    def _must_settle(self, name: str) -> bool:
        """Whether a frame that is active relies on the procedure of a name to settle: it may since long be known not
        to, and be bound to what was made to settle."""
        if name not in self._relied:
            return False
        frame: FrameType | None = sys._getframe()
        while frame is not None:
            origin = origin_of(frame.f_code)
            if origin is not None and name in origin.assumptions.settled and frame.f_globals is self._globals:
                return True
            frame = frame.f_back
        return False

    def _make_settle(self, unit: Unit, name: str) -> None:
        """Have the procedure settle that a unit defines."""
        self._made_to_settle.add(unit)
        self._dependents.setdefault(name, weakref.WeakSet()).add(unit)  # to be found by `_relax`
        unit.must_settle = True

    def _relax(self) -> None:
        """Let the tail calls of procedures be proper again that were made to settle for calls that have ended."""
        over = {name for name in self._settling if not self._must_settle(name)}
        names = set(over)
        for unit in list(self._made_to_settle):
            defines = unit.outline.defines
            if defines is not None and not self._must_settle(defines):
                names.add(defines)
                self.knowledge.unsettle(defines)
                unit.must_settle = False
        if names or self._unfinished:
            self.compile_again(names)
            self._made_to_settle = weakref.WeakSet(unit for unit in self._made_to_settle if unit.must_settle)
        for name in over:
            procedure = getattr(self._globals.get(python_name(name)), "__dict__", {}).get("settling")
            if procedure is not None:
                self._globals[python_name(name)] = procedure
            self._settling.discard(name)
