"""Data to core: scopes, calls and bodies, and the only place that looks special forms up.

Each special form is a function of its own in `special_forms`, marked by `@special_form`.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from typing import NoReturn

from minischeme import core
from minischeme.errors import ScmSyntaxError
from minischeme.reader import Form, Spans
from minischeme.source import Span
from minischeme.values import NIL, UNSPECIFIED, Pair, Symbol, Value, intern

DEEPEST_NESTING = 5_000
"""So many expressions may stand inside one another; more is a program's mistake, and too much for CPython's compiler."""

BEGIN = intern("begin")
DEFINE = intern("define")


class Scope:
    """The local variables of a region of text, and the scope around it; the outermost has no names of its own."""

    __slots__ = ("parent", "variables")

    def __init__(self, parent: Scope | None = None, variables: Mapping[Symbol, core.Variable] | None = None) -> None:
        self.parent = parent
        self.variables: dict[Symbol, core.Variable] = dict(variables or {})

    def lookup(self, symbol: Symbol) -> core.Variable | None:
        """The local variable that `symbol` names here; None if it is global."""
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


@dataclass(frozen=True, slots=True)
class SpecialForm:
    """A special form.

    Args: name: its keyword. grammar: its shape, for help. doc: one line of help. expand: form to core.
    """

    name: str
    grammar: str
    doc: str
    expand: Callable[[Expander, Pair, Scope, Span], core.Node]


FormExpander = Callable[["Expander", Pair, Scope, Span], core.Node]


def special_form(name: str, grammar: str) -> Callable[[FormExpander], FormExpander]:
    """Make the decorated function the expander of the special form `name`.

    The function takes the expander, the whole form, the scope and the form's span, and gives the core node. Its
    docstring is one line of help.
    """

    def mark(function: FormExpander) -> FormExpander:
        function.__dict__["special_form"] = SpecialForm(name, grammar, function.__doc__ or "", function)
        return function

    return mark


class Expander:
    """Turns top-level forms into core nodes.

    Args: forms: the special forms by name. user_globals: the names that the program has bound itself: they hide a
    special form of the same name.
    """

    def __init__(self, forms: Mapping[str, SpecialForm], user_globals: Container[str]) -> None:
        self.forms = forms
        self._user_globals = user_globals
        self._defined_here: set[str] = set()
        self._spans: Spans | None = None
        self._depth = 0

    def toplevel(self, form: Form) -> core.Node:
        """The core of a form that was read at top level.

        Raises: ScmSyntaxError.
        """
        self._spans = form.spans
        self._depth = 0
        self._defined_here.clear()
        return self.expand(form.datum, Scope(), form.span)

    # ── expressions ──────────────────────────────────────────────────────────────────────────────────────────────

    def expand(self, datum: Value, scope: Scope, span: Span) -> core.Node:
        """The core of one expression: a variable, a special form, a call, or a constant."""
        if type(datum) is Symbol:
            return self.reference(datum, scope, span)
        if type(datum) is not Pair:
            return core.Constant(span, datum)
        if self._depth > DEEPEST_NESTING:
            raise ScmSyntaxError("expressions are nested too deeply", span=span)
        self._depth += 1
        try:
            form = self.special_form_of(datum.car, scope)
            return self.call(datum, scope, span) if form is None else form.expand(self, datum, scope, span)
        finally:
            self._depth -= 1

    def reference(self, symbol: Symbol, scope: Scope, span: Span) -> core.Node:
        """The value of a variable. A keyword such as ``:key`` stands for itself."""
        variable = scope.lookup(symbol)
        if variable is not None:
            return core.Local(span, variable)
        if symbol.name.startswith(":") and not self.is_user_global(symbol.name):
            return core.Constant(span, symbol)
        if self.special_form_of(symbol, scope) is not None:
            hint = "a special form is not a value: it can't be passed, returned or printed"
            raise ScmSyntaxError(f"{symbol.name}: bad syntax: {symbol.name}", span=span, hint=hint)
        return core.Global(span, symbol.name)

    def special_form_of(self, head: Value, scope: Scope) -> SpecialForm | None:
        """The special form that `head` names in this scope, unless the program has bound the name to something else."""
        if type(head) is not Symbol:
            return None
        form = self.forms.get(head.name)
        if form is None or scope.lookup(head) is not None or self.is_user_global(head.name):
            return None
        return form

    def is_user_global(self, name: str) -> bool:
        return name in self._user_globals or name in self._defined_here

    def will_define(self, name: str) -> None:
        """The form that is being expanded defines this global: from here on the name is a variable."""
        self._defined_here.add(name)

    def is_word(self, datum: Value, word: Symbol, scope: Scope) -> bool:
        """Whether `datum` is an auxiliary keyword such as ``else``, not a local variable of that name."""
        return datum is word and scope.lookup(word) is None

    def call(self, form: Pair, scope: Scope, span: Span) -> core.Node:
        """A procedure call. An immediately called lambda is its body with the variables bound."""
        if not is_proper(form):
            raise ScmSyntaxError("eval: malformed list:", form, span=span)
        operator = self.at(form, scope, span)
        operands = tuple(self.at(cell, scope, span) for cell in cells(form.cdr))
        if type(operator) is core.Lambda and operator.rest is None and len(operator.parameters) == len(operands):
            binds = [
                core.Bind(operand.span, variable, operand)
                for variable, operand in zip(operator.parameters, operands, strict=True)
            ]
            return core.sequence(span, [*binds, operator.body])
        return core.Call(span, operator, operands)

    # ── parts of forms ───────────────────────────────────────────────────────────────────────────────────────────

    def at(self, cell: Pair, scope: Scope, span: Span) -> core.Node:
        """The core of the element in a pair's car; `span` is that of the form around it."""
        return self.expand(cell.car, scope, self.span_at(cell, span))

    def span_at(self, cell: Pair, default: Span) -> Span:
        """Where the element in a pair's car stands; `default` for an element that no text shows."""
        found = self._spans.of_car(cell) if self._spans is not None else None
        return default if found is None else found

    def sequence(self, start: Value, scope: Scope, span: Span) -> core.Node:
        """Expressions in order, from a list of them; the unspecified value for none."""
        parts = [self.at(cell, scope, span) for cell in cells(start)]
        return core.sequence(span, parts) if parts else core.Constant(span, UNSPECIFIED)

    def body(self, start: Value, scope: Scope, span: Span) -> core.Node:
        """The body of a lambda or of a binding form, internal definitions (letrec*) included, in a scope of its own."""
        inner = Scope(scope)
        parts = list(self._spliced(start, inner, span))
        for cell in parts:
            if self._is_definition(cell.car, inner):
                symbol = defined_name(cell.car)
                if type(symbol) is Symbol:
                    inner.variables.setdefault(symbol, core.Variable(symbol.name))
        return core.sequence(span, [self.at(cell, inner, span) for cell in parts])

    def _spliced(self, start: Value, scope: Scope, span: Span) -> list[Pair]:
        """The cells of a body, with the contents of each ``begin`` in its place where it holds definitions."""
        found: list[Pair] = []
        for cell in cells(start):
            part = cell.car
            if type(part) is Pair and part.car is BEGIN and self.special_form_of(BEGIN, scope) is not None:
                inside = self._spliced(part.cdr, scope, span)
                if any(self._is_definition(inner.car, scope) for inner in inside):
                    found += inside
                    continue
            found.append(cell)
        return found

    def _is_definition(self, datum: Value, scope: Scope) -> bool:
        return type(datum) is Pair and datum.car is DEFINE and self.special_form_of(DEFINE, scope) is not None

    def procedure(
        self, name: str | None, parameters: Value, body: Value, scope: Scope, span: Span, form: Pair
    ) -> core.Lambda:
        """A lambda of a parameter list and a body; `form` is what a complaint shows."""
        inner = Scope(scope)
        variables: list[core.Variable] = []
        rest: core.Variable | None = None
        while True:
            symbol = parameters.car if type(parameters) is Pair else parameters
            if symbol is NIL and type(parameters) is not Pair:
                break
            if type(symbol) is not Symbol:
                self.bad(form, span, culprit=symbol)
            if symbol in inner.variables:
                raise ScmSyntaxError(f"{keyword(form)}: duplicate parameter:", symbol, span=span)
            variable = inner.variables[symbol] = core.Variable(symbol.name)
            if type(parameters) is not Pair:
                rest = variable
                break
            variables.append(variable)
            parameters = parameters.cdr
        if type(body) is not Pair or not is_proper(body):
            self.bad(form, span)
        return core.Lambda(span, name, tuple(variables), rest, self.body(body, inner, span))

    def bad(self, form: Pair, span: Span, culprit: Value = None) -> NoReturn:
        """Complain that a special form is not formed as its grammar says."""
        name = keyword(form)
        known = self.forms.get(name)
        hint = f"expected {known.grammar}" if known is not None else None
        if culprit is not None:
            raise ScmSyntaxError(f"{name}: bad variable name:", culprit, span=span, hint=hint)
        raise ScmSyntaxError(f"{name}: bad syntax:", form, span=span, hint=hint)


def keyword(form: Pair) -> str:
    """The name at the head of a special form."""
    return form.car.name if type(form.car) is Symbol else "lambda"


def is_proper(datum: Value) -> bool:
    """Whether `datum` is a list that ends in ``()``. Source text can hold a circular one through datum labels."""
    seen: set[int] = set()
    while type(datum) is Pair:
        if id(datum) in seen:
            return False
        seen.add(id(datum))
        datum = datum.cdr
    return datum is NIL


def cells(datum: Value) -> list[Pair]:
    """The pairs of a list, in order."""
    found: list[Pair] = []
    while type(datum) is Pair:
        found.append(datum)
        datum = datum.cdr
    return found


def defined_name(definition: Pair) -> Value:
    """What a ``define`` form defines: the symbol, also of a (curried) procedure; any other value if badly formed."""
    target = definition.cdr.car if type(definition.cdr) is Pair else NIL
    while type(target) is Pair:
        target = target.car
    return target
