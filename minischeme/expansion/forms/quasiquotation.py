"""quasiquote: a template for data (R7RS 4.2.8)."""

from minischeme.data.errors import ScmSyntaxError
from minischeme.data.printer import is_circular
from minischeme.data.values import NIL, Pair, Value, Vector, intern, list_of
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
    return _expand(use, use.operands[0], 1)


def _expand(use: Use, template: Value, level: int) -> Node:
    """The core that makes the datum of a template; `level` is the number of quasiquotations around it."""
    if type(template) is Vector:
        listed = list_of(template)
        items = _expand(use, listed, level)
        if type(items) is Constant and items.value is listed:
            return use.constant(template)
        return use.call("list->vector", items)
    if type(template) is not Pair:
        return use.constant(plain(template))
    if use.is_word(template.car, UNQUOTE):
        if level == 1:
            return use.at(_only_operand(use, template))
        return _tail(use, template, level - 1)
    if use.is_word(template.car, UNQUOTE_SPLICING) and level == 1:
        hint = "there is no list around it whose elements it could add"
        raise ScmSyntaxError("unquote-splicing: bad syntax:", template, span=use.span, hint=hint)
    if use.is_word(template.car, QUASIQUOTE):
        return _tail(use, template, level + 1)
    return _list(use, template, level)


def _tail(use: Use, template: Pair, level: int) -> Node:
    """A form like ``(unquote x)`` that remains in the result: its keyword, and its operands at another level."""
    return _cons(use, template, use.constant(plain(template.car)), _list(use, template.cdr, level))


def _list(use: Use, template: Value, level: int) -> Node:
    elements: list[Pair] = []
    rest = template
    while type(rest) is Pair and not use.is_word(rest.car, UNQUOTE):
        if elements and use.is_word(rest.car, QUASIQUOTE):
            break
        elements.append(rest)
        rest = rest.cdr
    result = _expand(use, rest, level)
    for cell in reversed(elements):
        result = _element(use, cell, result, level)
    return result


def _element(use: Use, cell: Pair, rest: Node, level: int) -> Node:
    """The list of the element in `cell` followed by `rest`."""
    element = cell.car
    if type(element) is Pair and use.is_word(element.car, UNQUOTE_SPLICING):
        if level == 1:
            spliced = use.at(_only_operand(use, element))
            if type(rest) is Constant and rest.value is NIL:
                return spliced
            return use.within(cell).call("%splice", spliced, rest)
        return _cons(use, cell, _tail(use, element, level - 1), rest)
    return _cons(use, cell, _expand(use, element, level), rest)


def _cons(use: Use, template: Pair, first: Node, rest: Node) -> Node:
    """A pair of two parts; a constant where both are."""
    if type(first) is Constant and type(rest) is Constant:
        if first.value is template.car and rest.value is template.cdr:
            return use.constant(template)
        return use.constant(Pair(first.value, rest.value))
    return use.call("cons", first, rest)


def _only_operand(use: Use, form: Pair) -> Pair:
    operand = form.cdr
    if type(operand) is not Pair or operand.cdr is not NIL:
        use.bad()
    return operand
