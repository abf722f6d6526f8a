"""quasiquote: a template for data (R7RS 4.2.8)."""

from __future__ import annotations

from minischeme.data.errors import ScmSyntaxError
from minischeme.data.printer import is_circular
from minischeme.data.source import Span
from minischeme.data.values import NIL, Pair, Symbol, Value, Vector, intern, list_of
from minischeme.expansion import core
from minischeme.expansion.expander import Expander, Scope, cells, special_form

QUASIQUOTE = intern("quasiquote")
UNQUOTE = intern("unquote")
UNQUOTE_SPLICING = intern("unquote-splicing")


@special_form(
    "quasiquote",
    "`template, with ,expression and ,@expression inside",
    example="`(1 ,(+ 1 1) ,@(list 3 4)) → (1 2 3 4)",
)
def expand_quasiquote(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """The template as data, with the value of each ,expression in its place and the elements of each ,@expression."""
    operands = cells(form.cdr)
    if len(operands) != 1 or is_circular(form):
        expander.bad(form, span)
    return _Template(expander, form, scope, span).expand(operands[0], 1)


class _Template:
    def __init__(self, expander: Expander, form: Pair, scope: Scope, span: Span) -> None:
        self.expander = expander
        self.form = form
        self.scope = scope
        self.span = span

    def expand(self, cell: Pair, level: int) -> core.Node:
        """The node for the template in a pair's car."""
        return self._template(cell.car, level, cell)

    def _is(self, datum: Value, word: Symbol) -> bool:
        return self.expander.is_word(datum, word, self.scope)

    def _template(self, template: Value, level: int, holder: Pair | None) -> core.Node:
        if type(template) is Vector:
            listed = list_of(template)
            items = self._template(listed, level, None)
            if type(items) is core.Constant and items.value is listed:
                return core.Constant(self.span, template)
            return self._call("list->vector", items)
        if type(template) is not Pair:
            return core.Constant(self.span, self.expander.plain(template))
        if self._is(template.car, UNQUOTE):
            if level == 1:
                return self.expander.at(self._only_operand(template), self.scope, self.span)
            return self._tail(template, level - 1)
        if self._is(template.car, UNQUOTE_SPLICING) and level == 1:
            hint = "there is no list around it whose elements it could add"
            raise ScmSyntaxError("unquote-splicing: bad syntax:", template, span=self.span, hint=hint)
        if self._is(template.car, QUASIQUOTE):
            return self._tail(template, level + 1)
        return self._list(template, level)

    def _tail(self, template: Pair, level: int) -> core.Node:
        """A form like ``(unquote x)`` that stays in the result: its keyword, and its operands at another level."""
        return self._cons(
            template, core.Constant(self.span, self.expander.plain(template.car)), self._list(template.cdr, level)
        )

    def _list(self, template: Value, level: int) -> core.Node:
        elements: list[Pair] = []
        rest = template
        while (
            type(rest) is Pair and not self._is(rest.car, UNQUOTE) and not (elements and self._is(rest.car, QUASIQUOTE))
        ):
            elements.append(rest)
            rest = rest.cdr
        if type(rest) is Pair and rest is template:
            return self._template(rest, level, None)
        result = self._template(rest, level, None)
        for cell in reversed(elements):
            result = self._element(cell, result, level)
        return result

    def _element(self, cell: Pair, rest: core.Node, level: int) -> core.Node:
        """The list of the element in `cell` in front of the rest."""
        element = cell.car
        if type(element) is Pair and self._is(element.car, UNQUOTE_SPLICING):
            if level == 1:
                spliced = self.expander.at(self._only_operand(element), self.scope, self.span)
                if type(rest) is core.Constant and rest.value is NIL:
                    return spliced
                span = self.expander.span_at(cell, self.span)
                return core.Call(span, core.Standard(span, "%splice"), (spliced, rest))
            return self._cons(cell, self._tail(element, level - 1), rest)
        return self._cons(cell, self._template(element, level, cell), rest)

    def _cons(self, template: Pair, first: core.Node, rest: core.Node) -> core.Node:
        """A pair of two parts; a constant where both are."""
        if type(first) is core.Constant and type(rest) is core.Constant:
            if first.value is template.car and rest.value is template.cdr:
                return core.Constant(self.span, template)
            return core.Constant(self.span, Pair(first.value, rest.value))
        return self._call("cons", first, rest)

    def _call(self, name: str, *operands: core.Node) -> core.Node:
        return core.Call(self.span, core.Standard(self.span, name), operands)

    def _only_operand(self, form: Pair) -> Pair:
        operand = form.cdr
        if type(operand) is not Pair or operand.cdr is not NIL:
            self.expander.bad(self.form, self.span)
        return operand
