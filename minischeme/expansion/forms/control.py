"""The forms that put evaluation off, leave it, catch what is raised, or change the dynamic environment.

delay, delay-force, cons-stream, let/cc, guard (R7RS 4.2.7), catch, parameterize, fluid-let, time
"""

from minischeme.data.values import FALSE, NIL, TRUE, UNSPECIFIED, Pair, Promise
from minischeme.expansion import core
from minischeme.expansion.core import Bind, Lambda, Node, SetLocal, Variable
from minischeme.expansion.forms.conditionals import choice
from minischeme.expansion.lists import cells, is_proper
from minischeme.expansion.scopes import Scope
from minischeme.expansion.special_form import Use, special_form
from minischeme.primitives.control import delayed_force


@special_form("delay", "(delay expression)", example="(force (delay (+ 1 2))) → 3")
def expand_delay(use: Use) -> Node:
    """A promise: the expression is evaluated once, when it is first forced."""
    return use.call(Promise, use.thunk(use.at(use.cells[0])))


@special_form("delay-force", "(delay-force expression)", example="(force (delay-force (delay (+ 1 2)))) → 3")
def expand_delay_force(use: Use) -> Node:
    """A promise that goes on with the promise that the expression gives; a chain of them needs no space."""
    return use.call(delayed_force, use.thunk(use.at(use.cells[0])))


@special_form("stream-cons", "(stream-cons first rest)")
@special_form(
    "cons-stream", "(cons-stream first rest)", example="(show-stream (cons-stream 1 (cons-stream 2 '()))) → (1 2)"
)
def expand_cons_stream(use: Use) -> Node:
    """A stream: a pair whose rest is a promise."""
    head, rest = [use.at(cell) for cell in use.cells]
    return use.call("cons", head, use.call(Promise, use.thunk(rest)))


@special_form("let/cc", "(let/cc name body …)", example="(let/cc return (+ 1 (return 5))) → 5")
def expand_let_cc(use: Use) -> Node:
    """The body's value, or what the name, a procedure, is called with meanwhile: call/cc of a lambda."""
    name = use.name_in(use.cells[0])
    return use.call("call/cc", use.procedure(use.keyword, Pair(name, NIL), use.form.cdr.cdr))


@special_form(
    "guard",
    "(guard (name clause …) body …), with clauses as in cond",
    example="(guard (problem ((symbol? problem) (list 'caught problem))) (raise 'oops)) → (caught oops)",
)
def expand_guard(use: Use) -> Node:
    """The body's value; of what is raised meanwhile, the first clause whose test is true, with the name bound to it."""
    head = use.operands[0]
    if type(head) is not Pair or not is_proper(head):
        use.bad()
    inner = use.inside(Scope(use.scope))
    problem = inner.scope.declare(use.name_in(head))
    # A procedure of no arguments that runs the clause; #f if there is none.
    chosen = choice(inner, cells(head.cdr), use.constant(FALSE), Use.thunk)
    choose = Lambda(use.span, "guard", (problem,), None, chosen)
    return use.call("%guard", use.thunk(use.body(use.form.cdr.cdr), use.keyword), choose)


@special_form(
    "catch", "(catch expression …)", is_weak=True, example="(list (catch (car 5)) (catch (car '(1)))) → (#t #f)"
)
def expand_catch(use: Use) -> Node:
    """Whether an error stops the evaluation of the expressions, or something else that is raised."""
    if not use.cells:
        use.bad()
    body = core.sequence(use.span, [use.sequence(use.form.cdr), use.constant(FALSE)])
    choose = Lambda(use.span, "catch", (core.Variable("problem"),), None, use.thunk(use.constant(TRUE)))
    return use.call("%guard", use.thunk(body, "catch"), choose)


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
