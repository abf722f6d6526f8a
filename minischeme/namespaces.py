"""`Namespace`: global bindings in front of the library, and what compiled code may assume of them.

A session has one for its program, one for each library that a program defines, and one for each `environment`.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from types import CodeType, FrameType, FunctionType
from typing import Any, NamedTuple

from minischeme.compiler.assembly import Continues, Outline, Stored, Translation, Unit, origin_of, replace_code
from minischeme.compiler.assumptions import Knowledge
from minischeme.core import Call, Constant, Node
from minischeme.errors import SchemeError
from minischeme.expander import Aliases, Expander, Macro, Scope, SpecialForm
from minischeme.printer import write
from minischeme.reader import Form, Spans
from minischeme.runtime import TailCall, leave_room_for, python_name
from minischeme.signatures import signature
from minischeme.source import Source, Span
from minischeme.suspension import passes_on
from minischeme.values import UNSPECIFIED, Pair, Symbol, Value, intern


class Follower(NamedTuple):
    """Who shares a variable: a namespace, by what name, and whether it is the one that has defined it."""

    namespace: weakref.ref[Namespace]
    name: str
    is_owner: bool


class Namespace:
    """Global variables and macros.

    Args: library: the bindings behind them. tail_call: the session's register. forms: the special forms by name.
    aliases: what renamed symbols stand for, shared by all namespaces whose macros may meet. on_unit: is shown each unit
    before it is compiled. libraries: the session's `Libraries`, for forms that import.
    """

    def __init__(
        self,
        library: dict[str, Value],
        tail_call: TailCall,
        forms: Mapping[str, SpecialForm],
        aliases: Aliases,
        on_unit: Callable[[Unit], None],
        libraries: Any,
    ) -> None:
        self.libraries = libraries
        self.globals: dict[str, Value] = {"__builtins__": library}
        self.expander = Expander(forms, self.globals, self.run_core, aliases, self)
        self.library = library
        self.tail_call = tail_call
        self._on_unit = on_unit
        self.largest_frame = 0
        self.is_imported = False
        self.earlier: dict[str, str] = {}
        self._knowledge = Knowledge()
        self._dependents: dict[str, weakref.WeakSet[Unit]] = {}
        self._brought_in: dict[tuple[int, str], Symbol] = {}
        self._neighbours: list[Namespace] = []
        self._followers: dict[str, list[Follower]] = {}
        self._imported: set[str] = set()
        self._changed = _changed_in(weakref.ref(self))
        self._relied: set[str] = set()
        self._unfinished: set[str] = set()
        self._settling: set[str] = set()
        self._made_to_settle: weakref.WeakSet[Unit] = weakref.WeakSet()

    # ── evaluating ───────────────────────────────────────────────────────────────────────────────────────────────

    @passes_on
    def run(self, form: Form) -> Value:
        """Evaluate a form that was read: the whole pipeline, from data to value."""
        compiled = form.span.source.compiled
        if compiled is not None:
            return self.run_unit(compiled.unit(form, self))
        return self.run_core(self.expander.toplevel(form))  # data → core

    @passes_on
    def run_core(self, root: Node) -> Value:
        """Evaluate a core expression."""
        return self.run_unit(self.unit(root))

    @passes_on
    def run_unit(self, unit: Unit) -> Value:
        """Compile and run a unit."""
        code = self._compiled(unit)  # core → Python's ast → code object
        value = FunctionType(code, self.globals)()  # code object → value, or a tail call left pending
        if unit.outline.defines is not None:
            self._knowledge.learn(unit.outline.defines, unit.assumptions.near, settles=unit.settles)
        return self.tail_call.run() if value is None else value

    @passes_on
    def run_datum(self, datum: Value) -> Value:
        """The value of an expression that is given as data; its text for error messages is what it prints as."""
        source = Source(write(datum), "<eval>")
        return self.run(Form(datum, Span(source, 0, len(source.text)), Spans(source)))

    def unit(
        self,
        form: Node | Stored,
        continues: Continues | None = None,
        on_translation: Callable[[Unit, Translation], None] | None = None,
    ) -> Unit:
        """A core expression, or what was stored of one, as it would be compiled here."""
        return Unit(form, self.library, self._knowledge, self.tail_call, continues, on_translation)

    def _compiled(self, unit: Unit) -> CodeType:
        """The code of a unit, with its effects on what other code may assume."""
        outline = unit.outline
        self._note_earlier(outline)
        self._relax()
        unit.settling = self._rebind(outline.rebinds, outline.assigns)
        code = unit.compile()
        if outline.defines is not None and not unit.settles:
            code = self._replaced(unit, outline.defines) or code
        self._on_unit(unit)
        if unit.has_procedures:
            if unit.largest_frame > self.largest_frame:
                self.largest_frame = unit.largest_frame
                leave_room_for(unit.largest_frame)
            self._note_reliance(unit)
        return code

    def _replaced(self, unit: Unit, name: str) -> CodeType | None:
        """A procedure does not settle that may take the place of one that did: other code for it, if it must."""
        if self._must_settle(name):
            self._make_settle(unit, name)
            return unit.compile()
        if not self._knowledge.settles(name):
            return None
        self._knowledge.unsettle(name)
        self._compile_again({name})
        return unit.compile() if unit.is_stale else None

    def _note_earlier(self, outline: Outline) -> None:
        """Remember how a procedure was called that is now defined with other parameters."""
        name = outline.defines
        if name is None:
            return
        before = self.globals.get(python_name(name), self.library.get(name))
        shown = signature(before, name) if type(before) is FunctionType else None
        if shown is not None and len(shown.split()) != 1 + len(outline.parameters):
            self.earlier[name] = shown

    # ── bindings ─────────────────────────────────────────────────────────────────────────────────────────────────

    def define(self, name: str, value: Value) -> None:
        """Bind a global, as ``define`` at the prompt does."""
        self._rebind({name}, {name: True})
        self.expander.macros.pop(name, None)
        self._store(name, value)

    def restore(self, name: str) -> None:
        """Forget the program's binding of a library name, if it is the library's own value again."""
        key = python_name(name)
        if name in self.library and self.globals.get(key) is self.library[name]:
            del self.globals[key]
            self._knowledge.rebound.discard(name)
            self._compile_again({name})

    def has_own(self, name: str) -> bool:
        """Whether the name is bound here, not only in the library."""
        return name in self.expander.macros or python_name(name) in self.globals

    def take(self, name: str, other: Namespace | None, other_name: str) -> None:
        """Bind a name to what another namespace, or the library if None, has under a name.

        Raises: SchemeError if it has nothing.
        """
        if other is not None and other_name in other.expander.macros:
            self.expander.macros[name] = other.expander.macros[other_name]
        elif other is not None and python_name(other_name) in other.globals:
            self.define(name, other.globals[python_name(other_name)])
            self._imported.add(name)
            other.lead(other_name, self, name)
        elif name == other_name and not self.has_own(name) and self.is_standard(name):
            return  # the library is behind everything
        elif other_name in self.library:
            self.define(name, self.library[other_name])
        elif other_name in self.expander.forms:
            symbol = intern(other_name)
            self.expander.macros[name] = Macro(
                lambda form, scope, span: Pair(self.expander.alias(symbol, Scope()), form.cdr)
            )
        elif not self.is_standard(other_name):
            raise SchemeError("import: not defined there:", intern(other_name))

    def is_standard(self, name: str) -> bool:
        """Whether the name is the library's, a special form or a word that some of them know."""
        return name in self.library or name in self.expander.forms or name in _WORDS

    def name_for(self, home: Namespace, symbol: Symbol) -> Symbol:
        """The name here for what a macro of another namespace means by a symbol."""
        found = self._brought_in.get((id(home), symbol.name))
        if found is not None:
            return found
        if home.has_own(symbol.name):
            source: Namespace | None = home
        elif self.has_own(symbol.name) and self.is_standard(symbol.name):
            source = None
        else:
            return symbol
        self._neighbours.append(home)  # its identity must stay its own
        found = intern(f"%{symbol.name}'{len(self._neighbours)}")
        self.take(found.name, source, symbol.name)
        if source is not None and found.name in self._imported:
            self.lead(found.name, home, symbol.name, is_owner=True)
        self._brought_in[id(home), symbol.name] = found
        return found

    def lead(self, name: str, follower: Namespace, its_name: str, *, is_owner: bool = False) -> None:
        """From now on another namespace has the value of a variable too, whenever it is assigned here.

        Args: is_owner: whether the variable is the other one's; else it is its own no more when it defines the name.
        """
        self._followers.setdefault(name, []).append(Follower(weakref.ref(follower), its_name, is_owner))
        follower._rebind(set(), {its_name: True})

    def is_shared(self, name: str) -> bool:
        """Whether others share a variable: any one, in a library."""
        return self.is_imported or name in self._followers

    def after_assignment(self, name: str, span: Span) -> Node | None:
        """What has to follow an assignment of a global, if others share the variable."""
        if not self.is_shared(name):
            return None
        return Call(span, Constant(span, self._changed), (Constant(span, intern(name)),))

    def changed(self, name: str) -> None:
        """Give the value of a variable to those who share it, unless they have defined it anew."""
        value = self.globals[python_name(name)]
        for reference, its_name, is_owner in self._followers.get(name, ()):
            follower = reference()
            if follower is None or (not is_owner and its_name not in follower._imported):
                continue
            if follower.globals.get(python_name(its_name)) is not value:
                follower._store(its_name, value)
                follower.changed(its_name)

    def _rebind(self, names: AbstractSet[str], assigned: Mapping[str, bool]) -> frozenset[str]:
        """Names are about to be bound anew: compile again what has relied on them.

        Args: assigned: those that get something else than a procedure that is defined, with whether they may again.
        Returns: those that may only be bound to procedures that settle, since code that is running relies on it.
        """
        self._imported -= names - self._followers.keys()
        settling = frozenset(filter(self._must_settle, assigned))
        self._settling |= settling
        for name, again in assigned.items():
            self._knowledge.forget(name, for_good=again)
        self._knowledge.rebound |= names & self.library.keys()
        self._compile_again(names | assigned.keys())
        return settling

    def _must_settle(self, name: str) -> bool:
        """Whether a frame that is active relies on the procedure of a name to settle: it may since long be known not
        to, and be bound to what was made to settle."""
        if name not in self._relied:
            return False
        frame: FrameType | None = sys._getframe()
        while frame is not None:
            origin = origin_of(frame.f_code)
            if origin is not None and name in origin.assumptions.settled and frame.f_globals is self.globals:
                return True
            frame = frame.f_back
        return False

    def _store(self, name: str, value: Value) -> None:
        """Bind a name to a value from elsewhere."""
        if self._must_settle(name):
            self._settling.add(name)
            value = self.tail_call.settling(value)
        self.globals[python_name(name)] = value

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
                self._knowledge.unsettle(defines)
                unit.must_settle = False
        if names or self._unfinished:
            self._compile_again(names)
            self._made_to_settle = weakref.WeakSet(unit for unit in self._made_to_settle if unit.must_settle)
        for name in over:
            procedure = getattr(self.globals.get(python_name(name)), "__dict__", {}).get("settling")
            if procedure is not None:
                self.globals[python_name(name)] = procedure
            self._settling.discard(name)

    def _note_reliance(self, unit: Unit) -> None:
        for name in unit.standard_names | unit.assumptions.settled | unit.assumptions.near:
            self._dependents.setdefault(name, weakref.WeakSet()).add(unit)
        self._relied |= unit.assumptions.settled

    def _compile_again(self, names: AbstractSet[str]) -> None:
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
                self._note_reliance(unit)
                defines = unit.outline.defines
                if defines is not None and not unit.settles and self._knowledge.settles(defines):
                    names.add(defines)
            self._unfinished |= names
            for name in names:
                self._knowledge.unsettle(name)
        for pairs in reversed(steps):
            replace_code(pairs)
        self._unfinished.clear()


def _changed_in(namespace: weakref.ref[Namespace]) -> Callable[[Symbol], Value]:
    """The procedure that `Namespace.after_assignment` calls: code must not hold the namespace, nor the session."""

    def changed(symbol: Symbol) -> Value:
        home = namespace()
        if home is not None:
            home.changed(symbol.name)
        return UNSPECIFIED

    return changed


_WORDS = frozenset({"else", "=>", "_", "...", "unquote", "unquote-splicing", "syntax-rules"})
