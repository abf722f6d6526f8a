"""Scopes: the local variables, macros and special forms that the identifiers of a text name."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol
from weakref import WeakKeyDictionary

import msgspec

from minischeme.data.source import Span
from minischeme.data.values import NIL, Pair, Symbol, Value, Vector, is_interned
from minischeme.expansion.core import Node, Variable
from minischeme.reading.forms import Form


class GlobalScope(Protocol):
    """The namespace of the globals in a text."""

    libraries: Any

    def alias_for_foreign_macro(self, other: Any, symbol: Symbol) -> Symbol:
        """The name here for the meaning of a symbol in a macro of another global scope."""

    def notification_after_set(self, name: str, span: Span) -> Node | None:
        """The notification after an assignment of a global, if another global scope shares it."""

    def has_own(self, name: str) -> bool:
        """Whether the program binds the name."""

    def run(self, form: Form) -> Value:
        """Evaluate a form."""

    def run_core(self, root: Node, *, leaves_pending: bool = False) -> Value:
        """Evaluate a core expression, optionally with a call in its tail position left pending."""


class Macro(msgspec.Struct, frozen=True, eq=False):
    """A macro of the program; `expand` gives the expansion of a use, from the use, its scope and its span."""

    expand: "Callable[[Pair, Scope, Span], Value]"


class SpecialForm(msgspec.Struct, frozen=True):
    """A special form: a keyword, and the function that expands its uses, given the expander, the use, its scope and its
    span.

    `stands_for` gives the datum that a form abbreviates, which may contain definitions.
    """

    name: str
    grammar: str  # its shape, for help and for the number of operands
    doc: str  # one line of help
    expand: "Callable[[Any, Pair, Scope, Span], Node]"
    defines: Callable[[Pair], list[Value]] | None = None  # the names that a use defines, if it is a definition
    example: str | None = None  # a use and its value
    stands_for: "Callable[[Any, Pair, Scope, Span], Value] | None" = None
    is_weak: bool = False  # whether its name may be meant as a variable that the program has yet to define


class Scope:
    """The local variables of a region of text, and the scope around it; the outermost has no names of its own.

    Args:
        global_scope: the namespace whose globals the text means; None for that of the expander.
        environment: gives its first-class environment, if that exists already.

    `is_body` tells whether it is a body's, whose `finish`, if set, changes the body at the end; `definition` is the one
    of its definitions that is being expanded, `nested` are the names that definitions inside other expressions of it
    define.
    """

    __slots__ = (
        "_bound",
        "definition",
        "environment",
        "finish",
        "global_scope",
        "is_body",
        "nested",
        "parent",
        "variables",
    )

    def __init__(
        self,
        parent: "Scope | None" = None,
        variables: Mapping[Symbol, Variable] | None = None,
        global_scope: GlobalScope | None = None,
        environment: Node | None = None,
    ) -> None:
        self.parent = parent
        self.environment = environment
        self.is_body = False
        self.definition: Pair | None = None
        self.nested: tuple[Symbol, ...] = ()
        self.finish: Callable[[Node], Node] | None = None
        self.global_scope: GlobalScope | None = global_scope if parent is None else parent.global_scope
        self.variables: dict[Symbol, Variable | Macro] = {}
        # All names bound in any scope of this top-level form: the others need no search, however deep the nesting.
        self._bound: set[Symbol] = set() if parent is None else parent._bound
        for symbol, variable in (variables or {}).items():
            self.bind(symbol, variable)

    def bind(self, symbol: Symbol, meaning: Variable | Macro) -> None:
        self.variables[symbol] = meaning
        self._bound.add(symbol)

    def declare(self, symbol: Symbol) -> Variable:
        """The local variable of that name in this scope, a new one if there is none."""
        found = self.variables.get(symbol)
        if not isinstance(found, Variable):
            found = Variable(symbol.name)
            self.bind(symbol, found)
        return found

    def lookup(self, symbol: Symbol) -> Variable | Macro | None:
        """The local variable or macro that `symbol` names here, if any."""
        if symbol not in self._bound:
            return None
        scope: Scope | None = self
        while scope is not None:
            found = scope.variables.get(symbol)
            if found is not None:
                return found
            scope = scope.parent
        return None

    @property
    def is_toplevel(self) -> bool:
        return self.parent is None


Aliases = WeakKeyDictionary[Symbol, tuple[Symbol, Scope]]
"""The meanings of aliases: for each the symbol that it stands for, and the scope of that."""


class Identifiers:
    """The meanings of identifiers, including those that macros and special forms introduce.

    Args:
        aliases: the meanings of fresh symbols, shared with the expanders whose macros may be used here.
        global_scope: the namespace whose globals the text means.
    """

    def __init__(self, aliases: Aliases | None, global_scope: GlobalScope | None) -> None:
        self._aliases: Aliases = WeakKeyDictionary() if aliases is None else aliases
        self._standards: WeakKeyDictionary[Symbol, str] = WeakKeyDictionary()
        self._global_scope = global_scope

    def resolve(self, symbol: Symbol, scope: Scope) -> Variable | Macro | Symbol:
        """The meaning of an identifier: a local variable or macro, or else the symbol that names it globally."""
        other = self._global_scope
        while True:
            found = scope.lookup(symbol)
            if found is not None:
                return found
            alias = None if is_interned(symbol) else self._aliases.get(symbol)
            if alias is None:
                if self._global_scope is None or other is None or other is self._global_scope:
                    return symbol
                return self._global_scope.alias_for_foreign_macro(other, symbol)
            symbol, scope = alias
            other = scope.global_scope

    def alias(self, symbol: Symbol, scope: Scope) -> Symbol:
        """A fresh symbol with the meaning of `symbol` in `scope`, unless something binds it."""
        fresh = Symbol(symbol.name)
        self._aliases[fresh] = symbol, scope
        return fresh

    def standard(self, name: str) -> Symbol:
        """A fresh symbol that means the library's procedure, or the special form, of that name, regardless of the
        program's bindings."""
        fresh = Symbol(name)
        self._standards[fresh] = name
        return fresh

    def standard_name(self, symbol: Symbol) -> str | None:
        """The name of a symbol made by `standard`; None for any other symbol."""
        return self._standards.get(symbol)

    def plain(self, datum: Value) -> Value:
        """A datum with its aliases replaced by the symbols that they stand for, as a quotation shows it.

        Shared and circular parts remain so.
        """
        if not self._aliases:
            return datum
        copies: dict[int, Value] = {}
        pending: list[tuple[Value, Value]] = []
        has_aliases = False

        def copy(part: Value) -> Value:
            nonlocal has_aliases
            if type(part) is Symbol:
                while part in self._aliases:
                    has_aliases, part = True, self._aliases[part][0]
                return part
            if type(part) is not Pair and type(part) is not Vector:
                return part
            if id(part) not in copies:
                copies[id(part)] = Pair(NIL, NIL) if type(part) is Pair else Vector(part)
                pending.append((part, copies[id(part)]))
            return copies[id(part)]

        result = copy(datum)
        while pending:
            part, fresh = pending.pop()
            if type(part) is Pair:
                fresh.car, fresh.cdr = copy(part.car), copy(part.cdr)
            else:
                fresh[:] = map(copy, part)
        return result if has_aliases else datum
