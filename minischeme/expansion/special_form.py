"""`special_form`, the decorator that makes a function the expander of a special form, and `Use`, its argument."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import zip_longest
from math import inf
from typing import NoReturn

import msgspec

from minischeme.data.errors import ScmSyntaxError
from minischeme.data.source import Source, Span
from minischeme.data.values import NIL, Pair, Symbol, Value, intern
from minischeme.expansion import core
from minischeme.expansion.core import Node, Variable
from minischeme.expansion.expander import Expander
from minischeme.expansion.lists import cells, is_proper, proper_cells
from minischeme.expansion.scopes import Scope, SpecialForm, alias, plain, standard
from minischeme.primitives.registry import first_line
from minischeme.reading.reader import read

OPTIONAL = intern("#!optional")
"""The marker in a parameter list before the parameters that need no argument, as in MIT Scheme."""


class Use(msgspec.Struct, eq=False):
    """A use of a special form."""

    expander: Expander
    form: Pair
    cells: list[Pair]  # that hold its operands
    scope: Scope
    span: Span  # of the form, or of the current part of it
    keyword: str  # the form's name

    def inside(self, scope: Scope) -> "Use":
        return msgspec.structs.replace(self, scope=scope)

    def within(self, cell: Pair) -> "Use":
        """The same use with the span of a part of it, the element in a pair's car."""
        return msgspec.structs.replace(self, span=self.expander.span_at(cell, self.span))

    @property
    def operands(self) -> list[Value]:
        return [cell.car for cell in self.cells]

    # ── expansion of parts ───────────────────────────────────────────────────────────────────────────────────────

    def at(self, cell: Pair) -> Node:
        return self.expander.at(cell, self.scope, self.span)

    def sequence(self, start: Value) -> Node:
        """Expressions in order, from a list of them; the unspecified value for none."""
        return core.sequence(self.span, [self.at(cell) for cell in cells(start)])

    def body(self, start: Value, scope: Scope | None = None) -> Node:
        """A body, internal definitions included, in a scope of its own."""
        return self.expander.body(start, self.scope if scope is None else scope, self.span)

    def procedure(self, name: str | None, parameters: Value, body: Value) -> core.Lambda:
        """A lambda of a parameter list and a body.

        Parameters after ``#!optional`` need no argument: all arguments from there on arrive as a list.
        """
        inner = Scope(self.scope)
        required: list[Variable] = []
        optional: list[Variable] | None = None
        rest: Variable | None = None
        while parameters is not NIL:
            is_rest = type(parameters) is not Pair
            symbol = parameters if is_rest else parameters.car
            if symbol is OPTIONAL and optional is None and not is_rest:
                optional = []
            elif type(symbol) is not Symbol or symbol is OPTIONAL or symbol in inner.variables:
                part = self if is_rest else self.within(parameters)
                if type(symbol) is Symbol and symbol is not OPTIONAL:
                    raise part.error("duplicate parameter:", symbol)
                part.bad(symbol)
            elif is_rest:
                rest = inner.declare(symbol)
            else:
                (required if optional is None else optional).append(inner.declare(symbol))
            parameters = NIL if is_rest else parameters.cdr
        if type(body) is not Pair or not is_proper(body):
            self.bad()
        state = self.expander.state
        state.procedures += 1
        try:
            node = self.body(body, inner)
        finally:
            state.procedures -= 1
        if optional is not None:
            given = Variable("optional")
            node = core.sequence(self.span, [*self._optional_values(given, optional, rest), node])
            rest = given
        return core.Lambda(self.span, name, tuple(required), rest, node)

    def _optional_values(self, given: Variable, optional: list[Variable], rest: Variable | None) -> Iterator[Node]:
        """The bindings of optional parameters, and the rest parameter after them, to the elements of a list of
        arguments."""

        def take(procedure: str, index: int) -> Node:
            return self.call(procedure, self.local(given), self.constant(index))

        if rest is None:
            yield take("%at-most", len(optional))
        for index, variable in enumerate(optional):
            yield core.Bind(self.span, variable, take("%optional-argument", index))
        if rest is not None:
            yield core.Bind(self.span, rest, take("%arguments-behind", len(optional)))

    def define(self, symbol: Symbol, value: Callable[[], Node]) -> Node:
        """The definition of a name at the position of the form; `value` expands its value.

        A ScmSyntaxError where no definition is allowed.
        """
        if self.scope.is_toplevel:
            self.expander.state.defined.add(symbol.name)
            self.expander.macros.pop(symbol.name, None)
            return core.Define(self.span, symbol.name, value())
        variable = self._variable_to_define(symbol)
        if self.form is self.scope.definition:
            return core.Bind(self.span, variable, value())
        variable.assigned = True
        return core.Sequence(
            self.span, (core.SetLocal(self.span, variable, value()), self.constant(intern(symbol.name)))
        )

    def _variable_to_define(self, symbol: Symbol) -> Variable:
        """The local variable that a definition gives a value: one of the body that contains it, or, as in the course's
        interpreter, of the innermost body around the expression that contains it, parameters included."""
        found = self.scope.variables.get(symbol)
        if self.form is not self.scope.definition:
            inner: Scope | None = self.scope if self.expander.on_malformed is not None else None
            while inner is not None and not inner.is_body and found is None:
                inner = inner.parent
                found = inner.variables.get(symbol) if inner is not None else None
            if inner is not None and found is None:
                assert inner.parent is not None
                found = None if inner.parent.is_body else inner.parent.variables.get(symbol)
                if found is None:
                    found = inner.declare(symbol)
                    inner.nested += (symbol,)
        if not isinstance(found, Variable):
            hint = "inside a procedure, definitions stand directly in the body"
            raise self.error("bad syntax: a definition is not allowed here:", self.form, hint=hint)
        return found

    # ── core nodes ───────────────────────────────────────────────────────────────────────────────────────────────

    def constant(self, value: Value) -> core.Constant:
        return core.Constant(self.span, value)

    def local(self, variable: Variable) -> core.Local:
        return core.Local(self.span, variable)

    def call(self, procedure: str | Callable[..., Value], *operands: Node) -> core.Call:
        """A call of a standard procedure, given by its name, or of a Python function."""
        operator = core.Standard(self.span, procedure) if isinstance(procedure, str) else self.constant(procedure)
        return core.Call(self.span, operator, operands)

    def thunk(self, body: Node, name: str | None = None) -> core.Lambda:
        return core.Lambda(self.span, name, (), None, body)

    # ── identifiers ──────────────────────────────────────────────────────────────────────────────────────────────

    def is_word(self, datum: Value, word: Symbol) -> bool:
        """Whether a datum is an auxiliary keyword such as ``else``, not a local variable of that name."""
        return type(datum) is Symbol and self.expander.resolve(datum, self.scope) is word

    # ── checks and errors ────────────────────────────────────────────────────────────────────────────────────────

    def clauses(self, datum: Value, *lengths: int) -> list[Pair]:
        """The cells of a list of clauses, each a proper list of one of the lengths."""
        found = proper_cells(datum)
        if found is None:
            self.bad()
        for cell in found:
            parts = proper_cells(cell.car)
            if parts is None or len(parts) not in lengths:
                self.bad_binding(cell)
        return found

    def name_in(self, cell: Pair) -> Symbol:
        if type(cell.car) is not Symbol:
            self.within(cell).bad(cell.car)
        return cell.car

    def error(self, message: str, *irritants: Value, hint: str | None = None) -> ScmSyntaxError:
        return ScmSyntaxError(f"{self.keyword}: {message}", *irritants, span=self.span, hint=hint)

    def bad(self, culprit: Value = None, complaint: str = "bad variable name") -> NoReturn:
        """Raise the error of a malformed form, or of the datum that it has in place of a variable."""
        if culprit is None:
            culprit, complaint = self.form, "bad syntax"
        form = self.expander.forms.get(self.keyword)
        raise self.error(f"{complaint}:", plain(culprit), hint=f"expected {form.grammar}" if form else None)

    def bad_binding(self, cell: Pair) -> NoReturn:
        """Raise the error of a malformed binding of a name, in a pair's car."""
        self.within(cell).bad(cell.car, "badly formed binding")


TABLE: dict[str, SpecialForm] = {}
"""The special forms by name."""

Expand = Callable[[Use], Node | Value]


def special_form(
    name: str,
    grammar: str,
    *,
    defines: Callable[[Pair], list[Value]] | None = None,
    is_derived: bool = False,
    counts_operands: bool = True,
    is_weak: bool = False,
    example: str | None = None,
) -> Callable[[Expand], Expand]:
    """Make the decorated function the expander of the special form `name`.

    Its docstring is one line of help. It gets uses with as many operands as the grammar shows, unless
    `counts_operands` is false. The other arguments are those of `SpecialForm`.
    """

    @cache
    def takes(count: int) -> bool:
        return not counts_operands or any(least <= count <= most for least, most in _operand_counts(name, grammar))

    def mark(function: Expand) -> Expand:
        def expand(expander: Expander, form: Pair, scope: Scope, span: Span) -> Node | Value:
            found = proper_cells(form.cdr)
            use = Use(expander, form, found or [], scope, span, name)
            if found is None or not takes(len(found)):
                use.bad()
            return function(use)

        assert name not in TABLE, name
        TABLE[name] = SpecialForm(name, grammar, first_line(function), expand, defines, example, is_derived, is_weak)
        return function

    return mark


def _operand_counts(name: str, grammar: str) -> list[tuple[int, float]]:
    """The least and the most operands of a form, by each of the alternatives in its grammar.

    An element with ``…`` may be left out or repeated, but a body has at least one expression; one in brackets, and a
    clause that begins with ``else``, may be left out.
    """
    counts: list[tuple[int, float]] = []
    for text in grammar.split(f"({name}")[1:]:
        nested = 1
        while nested:
            text, nested = re.subn(r"\((else)?[^()]*\)", lambda part: part[1] or "datum", text)
        shape = text.partition(")")[0]
        elements = re.sub(r"[\[\]]", "", shape).split()
        optional = shape.count("[")
        least = -optional
        for element, following in zip_longest(elements, elements[1:]):
            least += element not in ("…", "else") and (following != "…" or element == "body")
        counts.append((least, inf if "…" in elements else least + optional))
    return counts or [(0, inf)]


# ── templates ────────────────────────────────────────────────────────────────────────────────────────────────────────

_WORDS = frozenset(map(intern, ("else", "=>")))


def filled(text: str, **parts: Value) -> Value:
    """The datum of the text of a derived form with these parts in place of their names.

    Each other symbol means the standard procedure or special form of that name, unless the text binds it: then it is a
    variable that no part can refer to.
    """
    symbols: dict[Symbol, Value] = {intern(name): part for name, part in parts.items()}

    def fill(datum: Value) -> Value:
        if type(datum) is Symbol:
            if datum not in symbols:
                symbols[datum] = alias(datum, Scope()) if datum in _WORDS else standard(datum.name)
            return symbols[datum]
        return Pair(fill(datum.car), fill(datum.cdr)) if type(datum) is Pair else datum

    return fill(_datum(text))


@cache
def _datum(text: str) -> Value:
    return next(read(Source(text, "<template>"))).datum
