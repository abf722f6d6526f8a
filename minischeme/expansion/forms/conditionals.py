"""The conditionals that expand to `if`: cond, case, and, or, when, unless, assert."""

from __future__ import annotations

from minischeme.data.errors import SchemeError, ScmSyntaxError
from minischeme.data.source import Span
from minischeme.data.values import FALSE, NIL, TRUE, UNSPECIFIED, Pair, Value, intern
from minischeme.expansion import core
from minischeme.expansion.expander import Expander, Scope, cells, is_proper, special_form

ELSE = intern("else")
ARROW = intern("=>")


@special_form(
    "cond",
    "(cond (test expression …) … (else expression …)), also (test => procedure)",
    example="(cond ((< 5 3) 'less) ((= 5 3) 'same) (else 'more)) → more",
)
def expand_cond(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """The expressions of the first clause whose test is true."""
    return _clauses(expander, form, cells(form.cdr), scope, span)


def _clauses(expander: Expander, form: Pair, clauses: list[Pair], scope: Scope, span: Span) -> core.Node:
    for cell in clauses:
        clause, place = cell.car, expander.span_at(cell, span)
        if type(clause) is not Pair or not is_proper(clause) or expander.is_form(clause, "quote", scope):
            expander.bad(form, place)
        if expander.is_word(clause.car, ELSE, scope) and cell is not clauses[-1]:
            raise ScmSyntaxError("cond: else is not in the last clause:", clause, span=place)
    result: core.Node = core.Constant(span, UNSPECIFIED)
    for cell in reversed(clauses):
        clause, place = cell.car, expander.span_at(cell, span)
        if expander.is_word(clause.car, ELSE, scope):
            result = (
                expander.sequence(clause.cdr, scope, place) if clause.cdr is not NIL else core.Constant(place, TRUE)
            )
            continue
        test = expander.at(clause, scope, place)
        if clause.cdr is NIL:
            result = core.Or(place, test, result)
        elif expander.is_word(clause.cdr.car, ARROW, scope):
            result = _arrow(expander, form, clause, test, result, scope, place)
        else:
            result = core.If(place, test, expander.sequence(clause.cdr, scope, place), result)
    return result


def _arrow(
    expander: Expander, form: Pair, clause: Pair, test: core.Node, otherwise: core.Node, scope: Scope, span: Span
) -> core.Node:
    if type(clause.cdr.cdr) is not Pair or clause.cdr.cdr.cdr is not NIL:
        expander.bad(form, span)
    found = core.Variable("found")
    receiver = expander.at(clause.cdr.cdr, scope, span)
    call = core.Call(span, receiver, (core.Local(test.span, found),))
    return core.sequence(
        span, [core.Bind(test.span, found, test), core.If(span, core.Local(test.span, found), call, otherwise)]
    )


@special_form(
    "case", "(case key ((datum …) expression …) … (else expression …))", example="(case 'k ((j q k) 10) (else 0)) → 10"
)
def expand_case(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """The expressions of the first clause that lists a datum eqv? to the key."""
    if type(form.cdr) is not Pair:
        expander.bad(form, span)
    key = core.Variable("key")
    key_node = expander.at(form.cdr, scope, span)
    result: core.Node = core.Constant(span, UNSPECIFIED)
    clauses = cells(form.cdr.cdr)
    for cell in reversed(clauses):
        clause = cell.car
        place = expander.span_at(cell, span)
        if type(clause) is not Pair or not is_proper(clause):
            expander.bad(form, place)
        consequent = _case_consequent(expander, form, clause, key, scope, place)
        if expander.is_word(clause.car, ELSE, scope):
            if cell is not clauses[-1]:
                raise ScmSyntaxError("case: else is not in the last clause:", clause, span=place)
            result = consequent
            continue
        if not is_proper(clause.car):
            expander.bad(form, place)
        result = core.If(place, _is_one_of(expander, key, clause.car, place), consequent, result)
    return core.sequence(span, [core.Bind(key_node.span, key, key_node), result])


def _case_consequent(
    expander: Expander, form: Pair, clause: Pair, key: core.Variable, scope: Scope, span: Span
) -> core.Node:
    if type(clause.cdr) is Pair and expander.is_word(clause.cdr.car, ARROW, scope):
        if type(clause.cdr.cdr) is not Pair or clause.cdr.cdr.cdr is not NIL:
            expander.bad(form, span)
        return core.Call(span, expander.at(clause.cdr.cdr, scope, span), (core.Local(span, key),))
    return expander.sequence(clause.cdr, scope, span)


def _is_one_of(expander: Expander, key: core.Variable, data: Value, span: Span) -> core.Node:
    result: core.Node = core.Constant(span, FALSE)
    for cell in reversed(cells(data)):
        test = core.Call(
            span, core.Standard(span, "eqv?"), (core.Local(span, key), core.Constant(span, expander.plain(cell.car)))
        )
        result = test if type(result) is core.Constant else core.Or(span, test, result)
    return result


@special_form("and", "(and expression …)", example="(and (> 3 2) (> 3 1)) → #t")
def expand_and(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """#f as soon as an expression is false, else the value of the last; #t for none."""
    parts = [expander.at(cell, scope, span) for cell in cells(form.cdr)]
    if not parts:
        return core.Constant(span, TRUE)
    result = parts[-1]
    for part in reversed(parts[:-1]):
        result = core.If(span, part, result, core.Constant(span, FALSE))
    return result


@special_form("or", "(or expression …)", example="(or (< 3 2) (> 3 1)) → #t")
def expand_or(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """The first value that is true, without evaluating the rest; #f for none."""
    parts = [expander.at(cell, scope, span) for cell in cells(form.cdr)]
    if not parts:
        return core.Constant(span, FALSE)
    result = parts[-1]
    for part in reversed(parts[:-1]):
        result = core.Or(span, part, result)
    return result


def _guarded_body(expander: Expander, form: Pair, scope: Scope, span: Span) -> tuple[core.Node, core.Node]:
    if type(form.cdr) is not Pair:
        expander.bad(form, span)
    return expander.at(form.cdr, scope, span), expander.sequence(form.cdr.cdr, scope, span)


@special_form("when", "(when test expression …)", example="(when (> 3 2) 'yes) → yes")
def expand_when(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """Evaluate the expressions if the test is true."""
    test, body = _guarded_body(expander, form, scope, span)
    return core.If(span, test, body, core.Constant(span, UNSPECIFIED))


@special_form("unless", "(unless test expression …)", example="(unless (> 3 2) 'no) → okay")
def expand_unless(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """Evaluate the expressions if the test is false."""
    test, body = _guarded_body(expander, form, scope, span)
    return core.If(span, test, core.Constant(span, UNSPECIFIED), body)


@special_form("assert", "(assert expression [message])")
def expand_assert(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """An error that shows the expression, unless its value is true."""
    operands = cells(form.cdr)
    if len(operands) not in (1, 2):
        expander.bad(form, span)
    details = [expander.at(cell, scope, span) for cell in operands[1:]]
    complaint = core.Call(
        span, core.Constant(span, assertion_failed), (core.Constant(span, expander.plain(operands[0].car)), *details)
    )
    return core.If(span, expander.at(operands[0], scope, span), core.Constant(span, UNSPECIFIED), complaint)


def assertion_failed(expression: Value, *details: Value) -> Value:
    """Raise the error of a failed assertion."""
    raise SchemeError("Assertion failed:", expression, *details)
