"""quasiquote: a template for data (R7RS 4.2.8)."""

from minischeme.data.errors import ScmSyntaxError
from minischeme.data.printer import is_circular
from minischeme.data.values import NIL, Pair, Symbol, Value, Vector, intern, list_of
from minischeme.expansion.core import Constant, Node
from minischeme.expansion.scopes import plain
from minischeme.expansion.special_form import Use, special_form

QUASIQUOTE = intern("quasiquote")
UNQUOTE = intern("unquote")
UNQUOTE_SPLICING = intern("unquote-splicing")


@special_form(
    "quasiquote",
    "`template, with ,expression and ,@expression inside",
    example="`(1 ,(+ 1 1) ,@(list 3 4)) → (1 2 3 4)",
)
def expand_quasiquote(use: Use) -> Node:
    """The template as data, with the value of each ,expression in its place and the elements of each ,@expression."""
    if len(use.cells) != 1 or is_circular(use.form):
        use.bad()
    return _Template(use).expand(use.operands[0], 1)


class _Template:
    """A template, whose parts are expanded at a level: the number of quasiquotations around them."""

    def __init__(self, use: Use) -> None:
        self._use = use

    def _is(self, datum: Value, word: Symbol) -> bool:
        return self._use.is_word(datum, word)

    def expand(self, template: Value, level: int) -> Node:
        """The core that makes the datum of a template."""
        if type(template) is Vector:
            listed = list_of(template)
            items = self.expand(listed, level)
            if type(items) is Constant and items.value is listed:
                return self._use.constant(template)
            return self._use.call("list->vector", items)
        if type(template) is not Pair:
            return self._use.constant(plain(template))
        if self._is(template.car, UNQUOTE):
            if level == 1:
                return self._use.at(self._only_operand(template))
            return self._tail(template, level - 1)
        if self._is(template.car, UNQUOTE_SPLICING) and level == 1:
            hint = "there is no list around it whose elements it could add"
            raise ScmSyntaxError("unquote-splicing: bad syntax:", template, span=self._use.span, hint=hint)
        if self._is(template.car, QUASIQUOTE):
            return self._tail(template, level + 1)
        return self._list(template, level)

    def _tail(self, template: Pair, level: int) -> Node:
        """A form like ``(unquote x)`` that remains in the result: its keyword, and its operands at another level."""
        return self._cons(template, self._use.constant(plain(template.car)), self._list(template.cdr, level))

    def _list(self, template: Value, level: int) -> Node:
        elements: list[Pair] = []
        rest = template
        while (
            type(rest) is Pair and not self._is(rest.car, UNQUOTE) and not (elements and self._is(rest.car, QUASIQUOTE))
        ):
            elements.append(rest)
            rest = rest.cdr
        if type(rest) is Pair and rest is template:
            return self.expand(rest, level)
        result = self.expand(rest, level)
        for cell in reversed(elements):
            result = self._element(cell, result, level)
        return result

    def _element(self, cell: Pair, rest: Node, level: int) -> Node:
        """The list of the element in `cell` followed by `rest`."""
        element = cell.car
        if type(element) is Pair and self._is(element.car, UNQUOTE_SPLICING):
            if level == 1:
                spliced = self._use.at(self._only_operand(element))
                if type(rest) is Constant and rest.value is NIL:
                    return spliced
                return self._use.within(cell).call("%splice", spliced, rest)
            return self._cons(cell, self._tail(element, level - 1), rest)
        return self._cons(cell, self.expand(element, level), rest)

    def _cons(self, template: Pair, first: Node, rest: Node) -> Node:
        """A pair of two parts; a constant where both are."""
        if type(first) is Constant and type(rest) is Constant:
            if first.value is template.car and rest.value is template.cdr:
                return self._use.constant(template)
            return self._use.constant(Pair(first.value, rest.value))
        return self._use.call("cons", first, rest)

    def _only_operand(self, form: Pair) -> Pair:
        operand = form.cdr
        if type(operand) is not Pair or operand.cdr is not NIL:
            self._use.bad()
        return operand
