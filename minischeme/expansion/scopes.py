"""Scopes: the local variables, macros and special forms that the identifiers of a text name."""

from collections.abc import Callable
from typing import Any, ClassVar, Protocol

import msgspec

from minischeme.data.source import Span
from minischeme.data.values import NIL, Pair, Symbol, Value, Vector
from minischeme.expansion.core import Node, Variable
from minischeme.reading.forms import Form


class GlobalScope(Protocol):
    """The namespace of the globals in a text: an `evaluation.namespaces.Namespace`, which says what its methods do."""

    libraries: Any

    def alias_for_foreign_macro(self, other: Any, symbol: Symbol) -> Symbol: ...
    def notification_after_set(self, name: str, span: Span) -> Node | None: ...
    def has_own(self, name: str) -> bool: ...
    def run(self, form: Form) -> Value: ...
    def run_core(self, root: Node, *, leaves_pending: bool = False) -> Value: ...


class Macro(msgspec.Struct, frozen=True, eq=False):
    """A macro of the program: the function that gives the expansion of a use, from the expander, the use, its scope and
    its span."""

    expand: "Callable[[Any, Pair, Scope, Span], Value]"
    is_derived: ClassVar[bool] = True


class SpecialForm(msgspec.Struct, frozen=True):
    """A special form: a keyword, and the function that gives the core of a use, as that of a macro does its expansion.

    That of a derived form gives a datum in a body, and a datum or core elsewhere.
    """

    name: str
    grammar: str  # its shape, for help and for the number of operands
    doc: str  # one line of help
    expand: "Callable[[Any, Pair, Scope, Span], Node | Value]"
    defines: Callable[[Pair], list[Value]] | None = None  # the names that a use defines, if it is a definition
    example: str | None = None  # a use and its value
    is_derived: bool = False
    is_weak: bool = False  # whether its name may be meant as a variable that the program has yet to define


class Scope(msgspec.Struct, eq=False):
    """The local variables of a region of text, and the scope around it; the outermost has no names of its own."""

    parent: "Scope | None" = None
    variables: dict[Symbol, Variable | Macro] = {}
    global_scope: GlobalScope | None = None  # the namespace whose globals the text means; None for the expander's
    environment: Node | None = None  # gives its first-class environment, if that exists already
    is_body: bool = False
    definition: Pair | None = None  # the one of the body's definitions that is being expanded
    nested: tuple[Symbol, ...] = ()  # the names that definitions inside other expressions of the body define
    finish: Callable[[Node], Node] | None = None  # changes the core of the body at the end
    # All names bound in any scope of this top-level form: the others need no search, however deep the nesting.
    bound: set[Symbol] = set()

    has_aliases: ClassVar[bool] = False
    """Whether any symbol is an alias: if not, quotations need no search for them."""

    def __post_init__(self) -> None:
        if self.parent is not None:
            self.global_scope = self.parent.global_scope
            self.bound = self.parent.bound
        self.bound.update(self.variables)

    def bind(self, symbol: Symbol, meaning: Variable | Macro) -> None:
        self.variables[symbol] = meaning
        self.bound.add(symbol)

    def declare(self, symbol: Symbol) -> Variable:
        """The local variable of that name in this scope, a new one if there is none."""
        found = self.variables.get(symbol)
        if not isinstance(found, Variable):
            found = Variable(symbol.name)
            self.bind(symbol, found)
        return found

    @property
    def is_toplevel(self) -> bool:
        return self.parent is None


# ── identifiers that macros and special forms introduce ──────────────────────────────────────────────────────────────


def alias(symbol: Symbol, scope: Scope) -> Symbol:
    """A fresh symbol with the meaning of `symbol` in `scope`, unless something binds it."""
    Scope.has_aliases = True
    return Symbol(symbol.name, (symbol, scope))


def standard(name: str) -> Symbol:
    """A fresh symbol that means the library's procedure, or the special form, of that name, regardless of the program's
    bindings."""
    return Symbol(name, name)


def plain(datum: Value) -> Value:
    """A datum with its aliases replaced by the symbols that they stand for, as a quotation shows it.

    Shared and circular parts remain so.
    """
    if not Scope.has_aliases:
        return datum
    copies: dict[int, Value] = {}
    pending: list[tuple[Value, Value]] = []
    has_aliases = False

    def copy(part: Value) -> Value:
        nonlocal has_aliases
        if type(part) is Symbol:
            while type(part.meaning) is tuple:
                has_aliases, part = True, part.meaning[0]
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
