"""More ways to make and call procedures: case-lambda, named-lambda, let/cc, parameterize, fluid-let, time."""

from minischeme.data.values import NIL, UNSPECIFIED, Pair
from minischeme.expansion import core
from minischeme.expansion.core import Bind, Node, SetLocal, Variable
from minischeme.expansion.special_form import Use, special_form


@special_form(
    "case-lambda",
    "(case-lambda ((parameter …) body …) …)",
    example="((case-lambda ((a) (list 'one a)) ((a b) (list 'two a b))) 1 2) → (two 1 2)",
)
def expand_case_lambda(use: Use) -> Node:
    """A procedure that takes the first clause with as many parameters as it is given arguments."""
    clauses: list[Node] = []
    for cell in use.cells:
        clause, part = cell.car, use.within(cell)
        if type(clause) is not Pair or clause.cdr is NIL:
            part.bad()
        clauses.append(part.procedure(None, clause.car, clause.cdr))
    return use.call("%case-lambda", *clauses)


@special_form("named-lambda", "(named-lambda (name parameter …) body …)")
def expand_named_lambda(use: Use) -> Node:
    """A procedure with a name that error messages show; the name is not bound."""
    header = use.operands[0]
    if type(header) is not Pair:
        use.bad()
    return use.procedure(use.name_in(header).name, header.cdr, use.form.cdr.cdr)


@special_form("let/cc", "(let/cc name body …)", example="(let/cc return (+ 1 (return 5))) → 5")
def expand_let_cc(use: Use) -> Node:
    """The body's value, or what the name, a procedure, is called with meanwhile: call/cc of a lambda."""
    name = use.name_in(use.cells[0])
    return use.call("call/cc", use.procedure(use.keyword, Pair(name, NIL), use.form.cdr.cdr))


@special_form(
    "parameterize",
    "(parameterize ((parameter value) …) body …)",
    example="(let ((depth (make-parameter 1))) (list (parameterize ((depth 2)) (depth)) (depth))) → (2 1)",
)
def expand_parameterize(use: Use) -> Node:
    """Give parameters other values while the body runs."""
    settings: list[Node] = []
    for cell in use.clauses(use.operands[0], 2):
        part = use.within(cell)
        settings += [part.at(cell.car), part.at(cell.car.cdr)]
    return use.call("%parameterize", use.thunk(use.body(use.form.cdr.cdr), use.keyword), *settings)


@special_form(
    "fluid-let",
    "(fluid-let ((name value) …) body …)",
    example="(begin (define x 1) (define (get-x) x) (list (fluid-let ((x 2)) (get-x)) x)) → (2 1)",
)
def expand_fluid_let(use: Use) -> Node:
    """Give variables that exist other values while the body runs."""
    clauses = use.clauses(use.operands[0], 2)
    others: list[Variable] = []
    binds: list[Node] = []
    for cell in clauses:
        part = use.within(cell)
        others.append(other := Variable(part.name_in(cell.car).name))
        other.assigned = True
        binds.append(Bind(part.span, other, part.at(cell.car.cdr)))

    def exchange() -> Node:
        """A new procedure at each call, since a core tree has no shared parts."""
        reads: list[Node] = []  # all of them before any assignment: one of the variables may not exist
        assignments: list[Node] = []
        for cell, other in zip(clauses, others, strict=True):
            part, kept, symbol = use.within(cell), Variable("kept"), cell.car.car
            reads.append(Bind(part.span, kept, part.at(cell.car)))
            assignments.append(use.expander.assignment(symbol, part.local(other), use.scope, part.span))
            assignments.append(SetLocal(part.span, other, part.local(kept)))
        return use.thunk(core.sequence(use.span, [*reads, *assignments, use.constant(UNSPECIFIED)]), use.keyword)

    body = use.thunk(use.body(use.form.cdr.cdr), use.keyword)
    return core.sequence(use.span, [*binds, use.call("dynamic-wind", exchange(), body, exchange())])


@special_form("time", "(time expression …)")
def expand_time(use: Use) -> Node:
    """The value of the last expression; prints how much processor time the evaluation took."""
    return use.call("%time", use.thunk(use.sequence(use.form.cdr), use.keyword))
