"""The forms that bind variables to multiple values: let-values, let*-values, receive (R7RS 4.2.2, SRFI 8).

The values are unpacked in place, without a procedure: loops around such a form stay loops.
"""

from __future__ import annotations

from typing import NamedTuple

from minischeme.data.errors import SchemeError, ScmSyntaxError
from minischeme.data.source import Span
from minischeme.data.values import NIL, MultipleValues, Pair, Symbol, Value, Vector, list_of
from minischeme.expansion import core
from minischeme.expansion.expander import Expander, Scope, cells, is_proper, keyword, special_form


class Formals(NamedTuple):
    """Names for several values. Args: symbols: the names. has_rest: whether the last one takes a list of the others."""

    symbols: list[Symbol]
    has_rest: bool


def formals_of(expander: Expander, form: Pair, formals: Value, span: Span) -> Formals:
    """The names in ``(a b . rest)``, checked. Args: form: what a complaint shows."""
    parts = cells(formals)
    symbols: list[Value] = [cell.car for cell in parts]
    rest = parts[-1].cdr if parts else formals
    for cell in parts:
        if type(cell.car) is not Symbol:
            expander.bad(form, expander.span_at(cell, span), culprit=cell.car)
    if rest is not NIL:
        if type(rest) is not Symbol:
            expander.bad(form, span, culprit=rest)
        symbols.append(rest)
    if len(set(symbols)) < len(symbols):
        raise ScmSyntaxError(f"{keyword(form)}: duplicate name:", formals, span=span)
    return Formals(symbols, rest is not NIL)


def unpacked(who: str, formals: Formals, node: core.Node, span: Span) -> core.Node:
    """The values of an expression as a vector with an item for each name. Args: who: the form, for a complaint."""
    count = len(formals.symbols) - formals.has_rest
    details = (core.Constant(span, Expected(who, count, formals.has_rest)), node)
    return core.Call(span, core.Constant(span, unpack), details)


def item_of(everything: core.Variable, index: int, span: Span) -> core.Node:
    """The item of what `unpacked` gave."""
    operands = (core.Local(span, everything), core.Constant(span, index))
    return core.Call(span, core.Constant(span, item), operands)


class Expected(NamedTuple):
    """How many values a form takes. Args: who: the form. least: that many. has_rest: whether more may follow."""

    who: str
    least: int
    has_rest: bool


def unpack(expected: Expected, result: Value) -> Vector:
    """The values that a call returned, those beyond the count as a list. Raises: SchemeError if they don't fit."""
    values = result.items if type(result) is MultipleValues else (result,)
    who, count, has_rest = expected
    if len(values) == count and not has_rest:
        return Vector(values)
    if len(values) < count or not has_rest:
        least = "at least " if has_rest else ""
        is_list = type(result) is Pair or result is NIL
        hint = "a list is one value: (values a b) returns two" if is_list else None
        message = f"{who}: expected {least}{count} values, but got {len(values)}:"
        raise SchemeError(message, list_of(values), hint=hint)
    return Vector([*values[:count], list_of(values[count:])])


def item(values: Vector, index: int) -> Value:
    """An item of a vector."""
    return values[index]


def _expand(expander: Expander, form: Pair, scope: Scope, span: Span, *, one_by_one: bool) -> core.Node:
    if type(form.cdr) is not Pair or form.cdr.cdr is NIL or not is_proper(form.cdr.car):
        expander.bad(form, span)
    inner = Scope(scope)
    nodes: list[core.Node] = []
    for cell in cells(form.cdr.car):
        clause, place = cell.car, expander.span_at(cell, span)
        if not is_proper(clause) or len(cells(clause)) != 2:
            expander.bad_binding(form, cell, span)
        formals = formals_of(expander, form, clause.car, place)
        value = expander.at(clause.cdr, scope, place)
        if one_by_one:
            scope = inner = Scope(scope)
        _bind(expander, form, formals, value, inner, nodes, place)
    return core.sequence(span, [*nodes, expander.body(form.cdr.cdr, inner, span)])


def _bind(
    expander: Expander,
    form: Pair,
    formals: Formals,
    value: core.Node,
    scope: Scope,
    nodes: list[core.Node],
    span: Span,
) -> None:
    everything = core.Variable("values")
    nodes.append(core.Bind(span, everything, unpacked(keyword(form), formals, value, span)))
    for index, symbol in enumerate(formals.symbols):
        if symbol in scope.variables:
            raise ScmSyntaxError(f"{keyword(form)}: duplicate name:", symbol, span=span)
        nodes.append(core.Bind(span, scope.declare(symbol), item_of(everything, index, span)))


@special_form(
    "let-values",
    "(let-values (((name …) expression) …) body …)",
    example="(let-values (((q r) (floor/ 17 5))) (list q r)) → (3 2)",
)
def expand_let_values(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """Bind names to the values of expressions that return several."""
    return _expand(expander, form, scope, span, one_by_one=False)


@special_form("let*-values", "(let*-values (((name …) expression) …) body …)")
def expand_let_star_values(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """Like let-values, each expression seeing the names before it."""
    return _expand(expander, form, scope, span, one_by_one=True)


@special_form(
    "receive", "(receive (name …) expression body …)", example="(receive (q . rest) (values 1 2 3) rest) → (2 3)"
)
def expand_receive(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """Bind names to the values of one expression."""
    parts = cells(form.cdr)
    if len(parts) < 3:
        expander.bad(form, span)
    formals = formals_of(expander, form, parts[0].car, span)
    inner = Scope(scope)
    nodes: list[core.Node] = []
    _bind(expander, form, formals, expander.at(parts[1], scope, span), inner, nodes, span)
    return core.sequence(span, [*nodes, expander.body(parts[2], inner, span)])
