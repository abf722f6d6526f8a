"""The form that catches what is raised: guard (R7RS 4.2.7)."""

from __future__ import annotations

from minischeme.data.errors import ScmSyntaxError
from minischeme.data.source import Span
from minischeme.data.values import FALSE, NIL, TRUE, Pair, Symbol
from minischeme.expansion import core
from minischeme.expansion.expander import Expander, Scope, cells, is_proper, keyword, special_form
from minischeme.expansion.forms.conditionals import ARROW, ELSE


@special_form(
    "guard",
    "(guard (name clause …) body …), with clauses as in cond",
    example="(guard (problem ((symbol? problem) (list 'caught problem))) (raise 'oops)) → (caught oops)",
)
def expand_guard(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """The body's value; of what is raised meanwhile, the first clause whose test is true, with the name bound to it."""
    if type(form.cdr) is not Pair or form.cdr.cdr is NIL:
        expander.bad(form, span)
    head = form.cdr.car
    if type(head) is not Pair or not is_proper(head):
        expander.bad(form, span)
    if type(head.car) is not Symbol:
        expander.bad(form, expander.span_at(head, span), culprit=head.car)
    inner = Scope(scope)
    problem = inner.declare(head.car)
    choose = core.Lambda(span, "guard", (problem,), None, _choice(expander, form, cells(head.cdr), inner, span))
    body = core.Lambda(span, keyword(form), (), None, expander.body(form.cdr.cdr, scope, span))
    return core.Call(span, core.Standard(span, "%guard"), (body, choose))


@special_form(
    "catch", "(catch expression …)", is_weak=True, example="(list (catch (car 5)) (catch (car '(1)))) → (#t #f)"
)
def expand_catch(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """Whether an error stops the evaluation of the expressions, or something else that is raised."""
    if form.cdr is NIL:
        expander.bad(form, span)
    no, yes = core.Constant(span, FALSE), core.Constant(span, TRUE)
    body = core.Lambda(span, "catch", (), None, core.sequence(span, [expander.sequence(form.cdr, scope, span), no]))
    choose = core.Lambda(span, "catch", (core.Variable("problem"),), None, _later(yes, span))
    return core.Call(span, core.Standard(span, "%guard"), (body, choose))


def _choice(expander: Expander, form: Pair, clauses: list[Pair], scope: Scope, span: Span) -> core.Node:
    """The first clause whose test is true, as a procedure of no arguments that runs it; #f if there is none."""
    result: core.Node = core.Constant(span, FALSE)
    for cell in reversed(clauses):
        clause = cell.car
        place = expander.span_at(cell, span)
        if type(clause) is not Pair or not is_proper(clause):
            expander.bad(form, place)
        if expander.is_word(clause.car, ELSE, scope):
            if cell is not clauses[-1]:
                raise ScmSyntaxError("guard: else is not in the last clause:", clause, span=place)
            result = _later(expander.sequence(clause.cdr, scope, place), place)
            continue
        test = expander.at(clause, scope, place)
        if clause.cdr is not NIL and not expander.is_word(clause.cdr.car, ARROW, scope):
            result = core.If(place, test, _later(expander.sequence(clause.cdr, scope, place), place), result)
            continue
        found = core.Variable("found")
        value: core.Node = core.Local(test.span, found)
        if clause.cdr is not NIL:
            if type(clause.cdr.cdr) is not Pair or clause.cdr.cdr.cdr is not NIL:
                expander.bad(form, place)
            value = core.Call(place, expander.at(clause.cdr.cdr, scope, place), (value,))
        choice = core.If(place, core.Local(test.span, found), _later(value, place), result)
        result = core.sequence(place, [core.Bind(test.span, found, test), choice])
    return result


def _later(node: core.Node, span: Span) -> core.Node:
    return core.Lambda(span, None, (), None, node)
