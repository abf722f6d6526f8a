"""More ways to make and call procedures: case-lambda, named-lambda, parameterize, fluid-let, while, time.

The forms for multiple values are in `multiple_values`.
"""

from __future__ import annotations

from minischeme.data.source import Span
from minischeme.data.values import NIL, UNSPECIFIED, Pair, Symbol
from minischeme.expansion import core
from minischeme.expansion.expander import Expander, Scope, cells, is_proper, keyword, special_form


@special_form(
    "case-lambda",
    "(case-lambda ((parameter …) body …) …)",
    example="((case-lambda ((a) (list 'one a)) ((a b) (list 'two a b))) 1 2) → (two 1 2)",
)
def expand_case_lambda(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """A procedure that takes the first clause with as many parameters as it is given arguments."""
    clauses: list[core.Node] = []
    for cell in cells(form.cdr):
        clause, place = cell.car, expander.span_at(cell, span)
        if type(clause) is not Pair or clause.cdr is NIL:
            expander.bad(form, place)
        clauses.append(expander.procedure(None, clause.car, clause.cdr, scope, place, form))
    return core.Call(span, core.Standard(span, "%case-lambda"), tuple(clauses))


@special_form("named-lambda", "(named-lambda (name parameter …) body …)")
def expand_named_lambda(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """A procedure with a name that error messages show; the name is not bound."""
    if type(form.cdr) is not Pair or type(form.cdr.car) is not Pair:
        expander.bad(form, span)
    name = form.cdr.car.car
    if type(name) is not Symbol:
        expander.bad(form, expander.span_at(form.cdr.car, span), culprit=name)
    return expander.procedure(name.name, form.cdr.car.cdr, form.cdr.cdr, scope, span, form)


@special_form("let/cc", "(let/cc name body …)", example="(let/cc return (+ 1 (return 5))) → 5")
def expand_let_cc(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """The body's value, or what the name, a procedure, is called with meanwhile: call/cc of a lambda."""
    if type(form.cdr) is not Pair:
        expander.bad(form, span)
    name = form.cdr.car
    if type(name) is not Symbol:
        expander.bad(form, expander.span_at(form.cdr, span), culprit=name)
    receiver = expander.procedure(keyword(form), Pair(name, NIL), form.cdr.cdr, scope, span, form)
    return core.Call(span, core.Standard(span, "call/cc"), (receiver,))


def _bindings(expander: Expander, form: Pair, span: Span) -> list[Pair]:
    """The cells of the ``(what value)`` clauses of a form, each checked."""
    if type(form.cdr) is not Pair or form.cdr.cdr is NIL or not is_proper(form.cdr.car):
        expander.bad(form, span)
    found = cells(form.cdr.car)
    for cell in found:
        if not is_proper(cell.car) or len(cells(cell.car)) != 2:
            expander.bad_binding(form, cell, span)
    return found


@special_form(
    "parameterize",
    "(parameterize ((parameter value) …) body …)",
    example="(let ((depth (make-parameter 1))) (list (parameterize ((depth 2)) (depth)) (depth))) → (2 1)",
)
def expand_parameterize(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """Give parameters other values while the body runs."""
    settings: list[core.Node] = []
    for cell in _bindings(expander, form, span):
        place = expander.span_at(cell, span)
        settings += [expander.at(cell.car, scope, place), expander.at(cell.car.cdr, scope, place)]
    body = core.Lambda(span, keyword(form), (), None, expander.body(form.cdr.cdr, scope, span))
    return core.Call(span, core.Standard(span, "%parameterize"), (body, *settings))


@special_form(
    "fluid-let",
    "(fluid-let ((name value) …) body …)",
    example="(begin (define x 1) (define (get-x) x) (list (fluid-let ((x 2)) (get-x)) x)) → (2 1)",
)
def expand_fluid_let(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """Give variables that exist other values while the body runs."""
    nodes: list[core.Node] = []
    reads: list[core.Node] = []  # all of them before any assignment: one of the variables may not exist
    assignments: list[core.Node] = []
    for cell in _bindings(expander, form, span):
        place = expander.span_at(cell, span)
        symbol = cell.car.car
        if type(symbol) is not Symbol:
            expander.bad(form, expander.span_at(cell.car, place), culprit=symbol)
        other, kept = core.Variable(symbol.name), core.Variable("kept")
        other.assigned = True
        nodes.append(core.Bind(place, other, expander.at(cell.car.cdr, scope, place)))
        reads.append(core.Bind(place, kept, expander.reference(symbol, scope, expander.span_at(cell.car, place))))
        assignments += [
            expander.assignment(symbol, core.Local(place, other), scope, place),
            core.SetLocal(place, other, core.Local(place, kept)),
        ]
    body = core.Lambda(span, keyword(form), (), None, expander.body(form.cdr.cdr, scope, span))
    # Two lambdas of their own with the same contents: a core tree has no shared parts.
    into, out = (core.Lambda(span, keyword(form), (), None, _swap([*reads, *assignments], span)) for _ in range(2))
    winding = core.Call(span, core.Standard(span, "dynamic-wind"), (into, body, out))
    return core.sequence(span, [*nodes, winding])


def _swap(swaps: list[core.Node], span: Span) -> core.Node:
    """A copy of the exchange of values, with variables of its own for what is kept meanwhile."""
    own: dict[core.Variable, core.Variable] = {}

    def change(node: core.Node) -> core.Node | None:
        if isinstance(node, core.Bind):
            own[node.variable] = core.Variable(node.variable.name)
            return core.Bind(node.span, own[node.variable], core.rewritten(node.value, change))
        if isinstance(node, core.Local) and node.variable in own:
            return core.Local(node.span, own[node.variable])
        return None

    return core.sequence(span, [core.rewritten(node, change) for node in [*swaps, core.Constant(span, UNSPECIFIED)]])


@special_form("while", "(while test expression …)", example="(let ((i 0)) (while (< i 5) (set! i (+ i 1))) i) → 5")
def expand_while(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """Evaluate the expressions again and again, as long as the test is true."""
    if type(form.cdr) is not Pair:
        expander.bad(form, span)
    loop = core.Variable("while")
    again = core.Call(span, core.Local(span, loop), ())
    test = expander.at(form.cdr, scope, span)
    commands = [expander.at(cell, scope, span) for cell in cells(form.cdr.cdr)]
    body = core.If(span, test, core.sequence(span, [*commands, again]), core.Constant(span, UNSPECIFIED))
    bind = core.Bind(span, loop, core.Lambda(span, "while", (), None, body))
    return core.sequence(span, [bind, core.Call(span, core.Local(span, loop), ())])


@special_form("time", "(time expression …)")
def expand_time(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """The value of the last expression; prints how much processor time the evaluation took."""
    body = core.Lambda(span, keyword(form), (), None, expander.sequence(form.cdr, scope, span))
    return core.Call(span, core.Standard(span, "%time"), (body,))
