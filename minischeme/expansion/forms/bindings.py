"""The forms that bind variables: let in all its kinds, letrec, do."""

from __future__ import annotations

from minischeme.data.errors import ScmSyntaxError
from minischeme.data.source import Span
from minischeme.data.values import NIL, UNSPECIFIED, Pair, Symbol, Value
from minischeme.expansion import core
from minischeme.expansion.expander import Expander, Scope, cells, is_proper, keyword, special_form


def _clause_cells(expander: Expander, form: Pair, clauses: Value, span: Span, *, distinct: bool = True) -> list[Pair]:
    """The cells of a list of ``(variable init)`` clauses, each checked."""
    if not is_proper(clauses):
        expander.bad(form, span)
    found = cells(clauses)
    seen: set[Symbol] = set()
    for cell in found:
        clause = cell.car
        if not (type(clause) is Pair and type(clause.cdr) is Pair and clause.cdr.cdr is NIL):
            expander.bad_binding(form, cell, span)
        if type(clause.car) is not Symbol:
            expander.bad(form, expander.span_at(clause, span), culprit=clause.car)
        if distinct and clause.car in seen:
            place = expander.span_at(cell, span)
            raise ScmSyntaxError(f"{keyword(form)}: duplicate binding:", clauses, span=place)
        seen.add(clause.car)
    return found


def _parts(expander: Expander, form: Pair, span: Span) -> tuple[Value, Value]:
    """The clauses and the body of a binding form."""
    if type(form.cdr) is not Pair or type(form.cdr.cdr) is not Pair:
        expander.bad(form, span)
    return form.cdr.car, form.cdr.cdr


@special_form(
    "let",
    "(let ((name value) …) body …) or (let loop ((name value) …) body …)",
    example="(let ((x 2) (y 3)) (* x y)) → 6",
)
def expand_let(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """Bind variables to values for the body; with a name, the body is a procedure of that name, called at once."""
    clauses, body = _parts(expander, form, span)
    if type(clauses) is Symbol:
        return _named_let(expander, form, clauses, body, scope, span)
    inner = Scope(scope)
    binds: list[core.Node] = []
    for cell in _clause_cells(expander, form, clauses, span):
        variable = core.Variable(cell.car.car.name)
        binds.append(_bind(expander, variable, cell, scope, span))
        inner.bind(cell.car.car, variable)
    return core.sequence(span, [*binds, expander.body(body, inner, span)])


def _bind(expander: Expander, variable: core.Variable, cell: Pair, scope: Scope, span: Span) -> core.Bind:
    """The binding of a checked clause; a lambda takes the name of its variable."""
    place = expander.span_at(cell, span)
    value = expander.at(cell.car.cdr, scope, place)
    if type(value) is core.Lambda and value.name is None:
        value = core.Lambda(value.span, variable.name, value.parameters, value.rest, value.body)
    return core.Bind(place, variable, value)


def _named_let(expander: Expander, form: Pair, name: Symbol, rest: Value, scope: Scope, span: Span) -> core.Node:
    if type(rest.cdr) is not Pair:
        expander.bad(form, span)
    clauses = _clause_cells(expander, form, rest.car, span)
    inits = tuple([expander.at(cell.car.cdr, scope, span) for cell in clauses])
    loop = core.Variable(name.name)
    inner = Scope(scope, {name: loop})
    parameters = Scope(inner)
    variables = tuple(parameters.declare(cell.car.car) for cell in clauses)
    body = expander.body(rest.cdr, parameters, span)
    procedure = core.Lambda(span, name.name, variables, None, body)
    call = core.Call(span, core.Local(span, loop), inits)
    return core.sequence(span, [core.Bind(span, loop, procedure), call])


@special_form("let*", "(let* ((name value) …) body …)", example="(let* ((x 2) (y (* x x))) (+ x y)) → 6")
def expand_let_star(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """Bind variables one after the other, each seen by the next."""
    clauses, body = _parts(expander, form, span)
    binds: list[core.Node] = []
    for cell in _clause_cells(expander, form, clauses, span, distinct=False):
        variable = core.Variable(cell.car.car.name)
        binds.append(_bind(expander, variable, cell, scope, span))
        scope = Scope(scope, {cell.car.car: variable})
    return core.sequence(span, [*binds, expander.body(body, scope, span)])


def _letrec(expander: Expander, form: Pair, scope: Scope, span: Span) -> tuple[list[core.Bind], core.Node]:
    """The variables of a letrec with their values, and its body."""
    clauses, body = _parts(expander, form, span)
    found = _clause_cells(expander, form, clauses, span)
    inner = Scope(scope)
    variables = [inner.declare(cell.car.car) for cell in found]
    for variable in variables:
        variable.is_recursive = True
    binds = [_bind(expander, variable, cell, inner, span) for variable, cell in zip(variables, found, strict=True)]
    return binds, expander.body(body, inner, span)


@special_form(
    "letrec",
    "(letrec ((name value) …) body …)",
    example="(letrec ((f (lambda (n) (if (= n 0) 1 (* n (f (- n 1))))))) (f 5)) → 120",
)
def expand_letrec(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """Bind variables that see each other, such as procedures that call one another."""
    binds, body = _letrec(expander, form, scope, span)
    computed = {bind: core.Variable(bind.variable.name) for bind in binds if not isinstance(bind.value, core.Lambda)}
    if len(computed) < 2:
        return core.sequence(span, [*binds, body])
    values = [core.Bind(bind.span, variable, bind.value) for bind, variable in computed.items()]
    for index, bind in enumerate(binds):
        if bind in computed:  # no variable has its value before all values are there
            binds[index] = core.Bind(bind.span, bind.variable, core.Local(bind.span, computed[bind]))
    return core.sequence(span, [*values, *binds, body])


@special_form("letrec*", "(letrec* ((name value) …) body …)")
def expand_letrec_star(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """Like letrec, with the values evaluated in order."""
    binds, body = _letrec(expander, form, scope, span)
    return core.sequence(span, [*binds, body])


@special_form(
    "do",
    "(do ((name init [step]) …) (test expression …) command …)",
    example="(do ((i 0 (+ i 1)) (sum 0 (+ sum i))) ((= i 4) sum)) → 6",
)
def expand_do(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """Loop: run the commands and step the variables until the test is true."""
    clauses, rest = _parts(expander, form, span)
    if type(rest.car) is not Pair or not is_proper(rest.car) or not is_proper(clauses):
        expander.bad(form, span)
    inner = Scope(scope)
    inits: list[core.Node] = []
    steps: list[Pair | None] = []
    for cell in cells(clauses):
        clause = cell.car
        parts = cells(clause)
        if len(parts) not in (2, 3) or not is_proper(clause) or type(clause.car) is not Symbol:
            expander.bad_binding(form, cell, span)
        inits.append(expander.at(parts[1], scope, span))
        steps.append(parts[2] if len(parts) == 3 else None)
        inner.declare(clause.car)
    variables = tuple(variable for variable in inner.variables.values() if isinstance(variable, core.Variable))
    if len(variables) != len(inits):
        raise ScmSyntaxError("do: duplicate binding:", clauses, span=span)
    loop = core.Variable("do")
    again = core.Call(
        span,
        core.Local(span, loop),
        tuple(
            [
                core.Local(span, variable) if step is None else expander.at(step, inner, span)
                for variable, step in zip(variables, steps, strict=True)
            ]
        ),
    )
    commands = [expander.at(cell, inner, span) for cell in cells(rest.cdr)]
    test = expander.at(rest.car, inner, span)
    result = (
        expander.sequence(rest.car.cdr, inner, span) if rest.car.cdr is not NIL else core.Constant(span, UNSPECIFIED)
    )
    body = core.If(span, test, result, core.sequence(span, [*commands, again]))
    bind = core.Bind(span, loop, core.Lambda(span, "do", variables, None, body))
    return core.sequence(span, [bind, core.Call(span, core.Local(span, loop), tuple(inits))])
