"""The forms that the core knows: quote, lambda, define, set!, if, begin."""

from __future__ import annotations

from minischeme.data.source import Span
from minischeme.data.values import NIL, UNSPECIFIED, Pair, Symbol, Value
from minischeme.expansion import core
from minischeme.expansion.expander import Expander, Scope, cells, defined_name, name_cell, special_form


@special_form("quote", "(quote datum)", example="'(a b) → (a b)")
def expand_quote(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """The datum itself, not evaluated; 'datum is short for it."""
    operands = cells(form.cdr)
    if len(operands) != 1:
        expander.bad(form, span)
    return core.Constant(span, expander.plain(operands[0].car))


@special_form("lambda", "(lambda (parameter …) body …)", example="((lambda (x) (* x x)) 5) → 25")
def expand_lambda(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """A procedure without a name."""
    if type(form.cdr) is not Pair:
        expander.bad(form, span)
    return expander.procedure(None, form.cdr.car, form.cdr.cdr, scope, span, form)


@special_form(
    "define",
    "(define name value) or (define (name parameter …) body …)",
    defines=lambda form: [defined_name(form)],
    example="(define (double x) (* 2 x)) → double",
)
def expand_define(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """Give a name a value; (define ((f a) b) …) defines a procedure that returns a procedure."""
    if type(form.cdr) is not Pair:
        expander.bad(form, span)
    symbol = defined_name(form)
    if type(symbol) is not Symbol:
        expander.bad(form, expander.span_at(name_cell(form), span), culprit=symbol)
    if scope.is_toplevel:
        expander.will_define(symbol.name)
        return core.Define(span, symbol.name, _defined_value(expander, form, symbol, scope, span))
    variable = expander.variable_to_define(form, symbol, scope, span)
    value = _defined_value(expander, form, symbol, scope, span)
    return expander.local_definition(form, variable, value, scope, span)


def _defined_value(expander: Expander, form: Pair, symbol: Symbol, scope: Scope, span: Span) -> core.Node:
    target, rest = form.cdr.car, form.cdr.cdr
    if type(target) is Symbol:
        if rest is NIL:
            return core.Constant(span, UNSPECIFIED)
        if rest.cdr is not NIL:
            expander.bad(form, span)
        value = expander.at(rest, scope, span)
        if type(value) is core.Lambda and value.name is None:
            return core.Lambda(value.span, symbol.name, value.parameters, value.rest, value.body)
        return value
    body: Value = rest
    while type(target.car) is Pair:  # (define ((f a) b) body) is (define (f a) (lambda (b) body))
        body = Pair(Pair(expander.standard("lambda"), Pair(target.cdr, body)), NIL)
        target = target.car
    return expander.procedure(symbol.name, target.cdr, body, scope, span, form)


@special_form("set!", "(set! name value)", example="(begin (define x 1) (set! x 5) x) → 5")
def expand_set(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """Change the value of a variable that exists."""
    operands = cells(form.cdr)
    if len(operands) != 2:
        expander.bad(form, span)
    symbol = operands[0].car
    if type(symbol) is not Symbol:
        expander.bad(form, expander.span_at(operands[0], span), culprit=symbol)
    value = expander.at(operands[1], scope, span)
    return expander.assignment(symbol, value, scope, span)


@special_form("if", "(if test consequent [alternative])", example="(if (> 3 2) 'yes 'no) → yes")
def expand_if(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """The consequent if the test is true (anything but #f), else the alternative."""
    operands = [expander.at(cell, scope, span) for cell in cells(form.cdr)]
    if len(operands) not in (2, 3):
        expander.bad(form, span)
    alternative = operands[2] if len(operands) == 3 else core.Constant(span, UNSPECIFIED)
    return core.If(span, operands[0], operands[1], alternative)


@special_form("begin", "(begin expression …)", example="(begin (define x 1) (+ x 1)) → 2")
def expand_begin(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """Evaluate in order; the value is that of the last expression."""
    return expander.sequence(form.cdr, scope, span)
