"""`Namespace`: global bindings in front of the library.

A session has one for its program, one for each library that a program defines, and one for each `environment`. The
assumptions of compiled code about the bindings are kept by `recompilation`.
"""

import weakref
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import contextmanager, suppress
from types import CodeType, FunctionType
from typing import Any, ClassVar

from minischeme.compiler.assembly import ResumesUnit, Unit, info_of
from minischeme.compiler.assumptions import DirectCalls
from minischeme.compiler.entry_stubs import exchange, lazy_procedure, replace_code
from minischeme.data.errors import SchemeError
from minischeme.data.source import Span
from minischeme.data.values import UNSPECIFIED, Symbol, Value, intern, untraced
from minischeme.evaluation.procedures import signature
from minischeme.evaluation.recompilation import Recompiler
from minischeme.expansion.core import Call, Constant, Define, Lambda, Node, Variable, defined_procedure
from minischeme.expansion.expander import Expander, form_of
from minischeme.expansion.scopes import SpecialForm
from minischeme.reading.forms import Form
from minischeme.reading.reader import read_part
from minischeme.runtime.names import hidden_key, python_name, standard_value
from minischeme.runtime.resumption import transparent
from minischeme.runtime.tail_calls import TailCall


class Namespace:
    """Global variables and macros.

    `library` holds the bindings behind them, `forms` the special forms by name, and `hidden_forms` those that must be
    imported. `on_unit` is called with each unit before it is compiled. `tail_call`, `libraries` (for forms that import)
    and `direct_calls` are the session's.
    """

    instrument: "ClassVar[Callable[[Namespace, Node], Node] | None]" = None
    """The change of each form that is read, while a profile is made."""

    def __init__(
        self,
        library: dict[str, Value],
        tail_call: TailCall,
        forms: Mapping[str, SpecialForm],
        hidden_forms: AbstractSet[str],
        on_unit: Callable[[Unit], None],
        libraries: Any,
        direct_calls: DirectCalls,
    ) -> None:
        self.libraries = libraries
        self.globals: dict[str, Value] = {"__builtins__": library}
        self.expander = Expander(forms, self.globals, self, hidden_forms)
        self.library = library
        self.tail_call = tail_call
        self._on_unit = on_unit
        self.execute: Callable[[Unit, dict[str, Value]], Value] | None = None  # runs units in place of compiled code
        self.is_imported = False
        self.is_defining_again = False
        self.earlier: dict[str, str] = {}
        self._recompiler = Recompiler(library, _values_in(weakref.ref(self)), direct_calls)
        self.facts = self._recompiler.facts
        self._brought_in: dict[tuple[int, str], Symbol] = {}
        self._neighbours: list[Namespace] = []
        self._subscribers: dict[str, list[tuple[weakref.ref[Namespace], str, bool]]] = {}
        self._imported: set[str] = set()
        self._texts: weakref.WeakKeyDictionary[Unit, tuple[Span, frozenset[str]]] = weakref.WeakKeyDictionary()
        """The span of each procedure's definition, and the names in it that could have been syntax."""
        self._changed = _changed_in(weakref.ref(self))

    # ── evaluating ───────────────────────────────────────────────────────────────────────────────────────────────

    @transparent
    def run(self, form: Form) -> Value:
        """Evaluate a form that was read: the whole pipeline, from data to value."""
        if form.is_deferred:
            if Namespace.instrument is None:
                return self.run_unit(self._deferred_unit(form))
            form = self.whole(form.span)
        asked: set[str] = set()
        root = self.expander.toplevel(form, asked=asked)  # data → core
        unit = self.unit(root if Namespace.instrument is None else Namespace.instrument(self, root))
        if unit.summary.defines is not None:
            self._texts[unit] = form.span, frozenset(asked)
        return self.run_unit(unit)

    def whole(self, span: Span) -> Form:
        """The form at a span, with all its parts."""
        return read_part(span.source, span.start, span.end, fold_case=self.libraries.fold_case)

    def _deferred_unit(self, form: Form) -> Unit:
        """The unit of a definition whose body is read when its procedure is first needed (`reading.deferred`)."""
        span, (symbol, *parameters) = form.span, form.datum.cdr.car
        self.expander.macros.pop(symbol.name, None)
        variables = tuple(Variable(parameter.name) for parameter in parameters)
        procedure = Lambda(span, symbol.name, variables, None, Constant(span, UNSPECIFIED))
        unit, reference = self.unit(Define(span, symbol.name, procedure)), weakref.ref(self)

        def whole(unit: Unit) -> Lambda:
            namespace, asked = reference(), set[str]()
            if namespace is None:
                raise SchemeError(f"{symbol.name} is no longer there: its session has ended")
            found = defined_procedure(namespace.expander.toplevel(namespace.whole(span), asked=asked))
            assert found is not None
            namespace._texts[unit] = span, frozenset(asked)
            return found

        unit.defer(whole, captures_itself=span.text.lower().count(symbol.name.lower()) > 1)
        return unit

    @transparent
    def run_core(self, root: Node, *, leaves_pending: bool = False) -> Value:
        """Evaluate a core expression; with `leaves_pending`, a call in its tail position may be left pending."""
        unit = self.unit(root)
        unit.leaves_pending = leaves_pending
        return self.run_unit(unit)

    @transparent
    def run_unit(self, unit: Unit) -> Value:
        forms = self.expander.forms
        unbound = [name for name in unit.summary.rebinds if name in forms and python_name(name) not in self.globals]
        self._prepare(unit)
        name = unit.summary.defines
        value = self._run(unit) if name is None else self._define(unit, name)
        if value is None:
            return None if unit.leaves_pending else self.tail_call.run()
        if unbound or self.expander.new_macros:
            self._define_again({name for name in unbound if python_name(name) in self.globals})
        return value

    @transparent
    def _run(self, unit: Unit) -> Value:
        if self.execute is not None:
            return self.execute(unit, self.globals)
        root = unit.root
        if type(root) is Define and type(root.value) is Constant:
            self.globals[python_name(root.name)] = root.value.value
            return intern(root.name)
        return self.run_compiled(unit)

    @transparent
    def run_compiled(self, unit: Unit) -> Value:
        """The value of a unit as compiled code, or None for a tail call left pending."""
        code = unit.compile()  # core → Python's ast → code object
        return FunctionType(code, self.globals)()  # code object → value, or a tail call left pending

    def _define(self, unit: Unit, name: str) -> Symbol:
        self.globals[python_name(name)] = lazy_procedure(unit, self.globals)
        self._recompiler.note_definition(unit, name)
        return intern(name)

    def _define_again(self, names: set[str]) -> None:
        """Compile the procedures again that have used these names, which are now special forms or macros.

        They keep their identity, whether traced or bound to other names too, unless one is no longer a loop.
        """
        names |= self.expander.new_macros
        self.expander.new_macros.clear()
        replaced: list[tuple[CodeType, CodeType]] = []
        with self._again(replaced):
            for unit, (span, asked) in list(self._texts.items()):
                own = unit.summary.defines or ""
                bound = self.globals.get(python_name(own))
                if own in names or names.isdisjoint(asked) or type(bound) is not FunctionType:
                    continue
                code: CodeType = untraced(bound).__code__
                info = info_of(code)
                if info is None or info.unit is not unit:
                    continue
                kept = bound
                try:
                    with suppress(SchemeError):  # what it would be now is no better
                        self.run(self.whole(span))
                        new = self.globals[python_name(own)]
                        if len(new.__code__.co_freevars) == len(code.co_freevars):
                            replaced.append((code, new.__code__))
                        else:  # one is a loop, the other is not
                            kept = new
                finally:
                    self.globals[python_name(own)] = kept

    @contextmanager
    def _again(self, replaced: list[tuple[CodeType, CodeType]]) -> Iterator[None]:
        """A scope in which existing definitions are repeated: no warning about a malformed form is given again.

        On leaving it, procedures with the old code of each pair in `replaced` are given the new code.
        """
        on_malformed = self.expander.on_malformed
        if on_malformed is not None:
            self.expander.on_malformed = lambda error: None
        self.is_defining_again = True
        try:
            yield
        finally:
            self.is_defining_again = False
            self.expander.on_malformed = on_malformed
            replace_code(replaced)

    @transparent
    def run_datum(self, datum: Value, *, leaves_pending: bool = False) -> Value:
        """The value, as by `run_core`, of an expression given as data; error messages show its printed form."""
        return self.run_core(self.expander.toplevel(form_of(datum)), leaves_pending=leaves_pending)

    def exchange(self, units: list[tuple[Unit, Node, Mapping[Lambda, Lambda]]]) -> None:
        """Have the procedures of each unit run code that is compiled from another root, with other lambdas."""
        triples = [(old, self.unit(root), lambdas) for old, root, lambdas in units]
        for old, new, _ in triples:
            name = new.summary.defines
            if name is not None and self.facts.definitions.get(name) is old:
                self._recompiler.rebind(set(), {}, name)
                self._recompiler.note_definition(new, name)
        exchange(triples)

    def unit(self, root: Node, resumes: ResumesUnit | None = None) -> Unit:
        """A unit for compiling a core expression in this namespace."""
        return Unit(root, self.facts, self.tail_call, resumes)

    def _prepare(self, unit: Unit) -> None:
        """Prepare for the evaluation of a unit: its effects on other code, and what it uses."""
        if unit.summary.defines is not None and unit.procedure is not None:
            self._note_earlier(unit.summary.defines, len(unit.procedure.parameters))
        self._imported -= unit.summary.rebinds - self._subscribers.keys()
        self._recompiler.prepare(unit)
        self._on_unit(unit)

    def _note_earlier(self, name: str, count: int) -> None:
        """Record the former signature of a procedure that is redefined with a different number of parameters."""
        before = self.globals.get(python_name(name), self.library.get(python_name(name)))
        shown = signature(before, name) if type(before) is FunctionType else None
        if shown is not None and len(shown.split()) != 1 + count:
            self.earlier[name] = shown

    # ── bindings ─────────────────────────────────────────────────────────────────────────────────────────────────

    def define(self, name: str, value: Value) -> None:
        """Bind a global, as ``define`` at the prompt does."""
        if _is_of_the_host(value):
            self._recompiler.forbid_direct_calls()
        self._rebind({name}, {name: True})
        self.expander.macros.pop(name, None)
        self.globals[python_name(name)] = value

    def wrap(self, names: AbstractSet[str]) -> set[str]:
        """Prepare for binding names to wrappers of their procedures; returns those that were not traced before."""
        new = names - self.facts.traced
        self._recompiler.rebind(new, {})
        return set(new)

    def restore(self, name: str) -> None:
        """Forget that a name was traced, and the program's binding of it if that is the library's own again."""
        key = python_name(name)
        is_standard = name in self.library and self.globals.get(key) is self.library[name]
        if is_standard:
            del self.globals[key]
        self._recompiler.restore(name, is_standard=is_standard)

    def has_own(self, name: str) -> bool:
        """Whether the name is bound here, not only in the library."""
        return name in self.expander.macros or python_name(name) in self.globals

    def import_binding(self, name: str, other: "Namespace | None", other_name: str) -> None:
        """Bind a name to the binding of a name in another namespace, or in the library if that is None.

        A name without a binding there is a `SchemeError`.
        """
        if other is not None and other_name in other.expander.macros:
            self.expander.macros[name] = other.expander.macros[other_name]
        elif other is not None and python_name(other_name) in other.globals:
            self.define(name, other.globals[python_name(other_name)])
            self._imported.add(name)
            other.share(other_name, self, name)
        elif name == other_name and not self.has_own(name) and self.is_standard(name):
            return  # the library is behind every namespace
        elif other_name in self.library or hidden_key(other_name) in self.library:
            self.define(name, standard_value(self.library, other_name))
        elif other_name in self.expander.forms:
            self.expander.macros[name] = self.expander.forms[other_name]
        elif not self.is_standard(other_name):
            raise SchemeError("import: not defined there:", intern(other_name))

    def is_standard(self, name: str) -> bool:
        """Whether the name is the library's, a special form or an auxiliary keyword."""
        return python_name(name) in self.library or self.expander.is_visible_form(name) or name in _WORDS

    def alias_for_foreign_macro(self, foreign: "Namespace", symbol: Symbol) -> Symbol:
        """The name here that refers to the meaning of a symbol in a macro of another namespace."""
        found = self._brought_in.get((id(foreign), symbol.name))
        if found is not None:
            return found
        if foreign.has_own(symbol.name):
            source: Namespace | None = foreign
        elif self.has_own(symbol.name) and self.is_standard(symbol.name):
            source = None
        else:
            return symbol
        self._neighbours.append(foreign)  # kept alive, since its identity is a key
        found = intern(f"%{symbol.name}'{len(self._neighbours)}")
        self.import_binding(found.name, source, symbol.name)
        if source is not None and found.name in self._imported:
            self.share(found.name, foreign, symbol.name, is_owner=True)
            foreign._rebind(set(), {symbol.name: True})
        self._brought_in[id(foreign), symbol.name] = found
        return found

    def share(self, name: str, follower: "Namespace", its_name: str, *, is_owner: bool = False) -> None:
        """Share the value of a variable with another namespace from now on, whenever it is assigned here.

        Unless `is_owner`, the other namespace stops sharing it when it defines the name.
        """
        self._subscribers.setdefault(name, []).append((weakref.ref(follower), its_name, is_owner))

    def notification_after_set(self, name: str, span: Span) -> Node | None:
        """The call that must follow an assignment of a global if the variable is shared."""
        if not self.is_imported and name not in self._subscribers:
            return None
        return Call(span, Constant(span, self._changed), (Constant(span, intern(name)),))

    def publish(self, name: str) -> None:
        """Assign the value of a variable in the namespaces that share it and have not redefined it."""
        value = self.globals[python_name(name)]
        for reference, its_name, is_owner in self._subscribers.get(name, ()):
            follower = reference()
            if follower is None or (not is_owner and its_name not in follower._imported):
                continue
            if follower.globals.get(python_name(its_name)) is not value:
                follower.globals[python_name(its_name)] = value
                follower.publish(its_name)

    def _rebind(self, names: AbstractSet[str], assigned: Mapping[str, bool]) -> None:
        """Prepare for bindings made from outside the program's text."""
        self._imported -= names - self._subscribers.keys()
        self._recompiler.rebind(names, assigned)


def _is_of_the_host(value: Value) -> bool:
    """Whether a value is a procedure of the Python program that embeds this one, which may evaluate anything."""
    if not callable(value) or (type(value) is FunctionType and info_of(value.__code__) is not None):
        return False
    return str(value.__module__).partition(".")[0] != __name__.partition(".")[0]


def _values_in(namespace: weakref.ref[Namespace]) -> Callable[[str], Value | None]:
    """A function from the name of a variable to its value; compiled code refers to it, so the same holds as below."""

    def value_of(name: str) -> Value | None:
        target = namespace()
        return None if target is None else target.globals.get(python_name(name))

    return value_of


def _changed_in(namespace: weakref.ref[Namespace]) -> Callable[[Symbol], Value]:
    """The procedure called after a `set!`: code must refer strongly neither to the namespace nor to the session."""

    def changed(symbol: Symbol) -> Value:
        target = namespace()
        if target is not None:
            target.publish(symbol.name)
        return UNSPECIFIED

    return changed


_WORDS = frozenset({"else", "=>", "_", "...", "unquote", "unquote-splicing", "syntax-rules"})
