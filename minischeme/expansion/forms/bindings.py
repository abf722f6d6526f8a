"""The forms that bind variables: let in all its kinds, letrec, do."""

from collections.abc import Sequence

from minischeme.data.values import UNSPECIFIED, Pair, Symbol, Value
from minischeme.expansion import core
from minischeme.expansion.core import Bind, Lambda, Node, Variable
from minischeme.expansion.forms.primitive_forms import named
from minischeme.expansion.lists import cells, is_proper
from minischeme.expansion.scopes import Scope
from minischeme.expansion.special_form import Use, special_form


def _bindings(use: Use, clauses: Value, *, distinct: bool = True) -> list[Pair]:
    """The cells of a list of ``(variable init)`` clauses, after a check of each."""
    found = use.clauses(clauses, 2)
    seen: set[Symbol] = set()
    for cell in found:
        symbol = use.name_in(cell.car)
        if distinct and symbol in seen:
            raise use.within(cell).error("duplicate binding:", clauses)
        seen.add(symbol)
    return found


def _bind(use: Use, variable: Variable, cell: Pair) -> Bind:
    """The binding of a checked clause; a lambda takes the name of its variable."""
    span = use.expander.span_at(cell, use.span)
    return Bind(span, variable, named(variable.name, use.expander.at(cell.car.cdr, use.scope, span)))


def loop(use: Use, name: Variable, parameters: Sequence[Variable], body: Node, inits: Sequence[Node]) -> Node:
    """The call of a procedure that calls itself by its name."""
    procedure = Lambda(use.span, name.name, tuple(parameters), None, body)
    call = core.Call(use.span, use.local(name), tuple(inits))
    return core.sequence(use.span, [Bind(use.span, name, procedure), call])


@special_form(
    "let",
    "(let ((name value) …) body …) or (let loop ((name value) …) body …)",
    example="(let ((x 2) (y 3)) (* x y)) → 6",
)
def expand_let(use: Use) -> Node:
    """Bind variables to values for the body; with a name, the body is a procedure of that name, called at once."""
    clauses, body = use.form.cdr.car, use.form.cdr.cdr
    if type(clauses) is Symbol:
        return _named_let(use, clauses, body)
    inner = Scope(use.scope)
    binds: list[Node] = []
    for cell in _bindings(use, clauses):
        variable = Variable(cell.car.car.name)
        binds.append(_bind(use, variable, cell))
        inner.bind(cell.car.car, variable)
    return core.sequence(use.span, [*binds, use.body(body, inner)])


def _named_let(use: Use, name: Symbol, rest: Value) -> Node:
    if type(rest.cdr) is not Pair:
        use.bad()
    clauses = _bindings(use, rest.car)
    inits = [use.at(cell.car.cdr) for cell in clauses]
    variable = Variable(name.name)
    parameters = Scope(Scope(use.scope, {name: variable}))
    variables = [parameters.declare(cell.car.car) for cell in clauses]
    return loop(use, variable, variables, use.body(rest.cdr, parameters), inits)


@special_form("let*", "(let* ((name value) …) body …)", example="(let* ((x 2) (y (* x x))) (+ x y)) → 6")
def expand_let_star(use: Use) -> Node:
    """Bind variables one after the other, each seen by the next."""
    binds: list[Node] = []
    inner = use
    for cell in _bindings(use, use.operands[0], distinct=False):
        variable = Variable(cell.car.car.name)
        binds.append(_bind(inner, variable, cell))
        inner = use.inside(Scope(inner.scope, {cell.car.car: variable}))
    return core.sequence(use.span, [*binds, inner.body(use.form.cdr.cdr)])


@special_form("letrec*", "(letrec* ((name value) …) body …)")
@special_form(
    "letrec",
    "(letrec ((name value) …) body …)",
    example="(letrec ((f (lambda (n) (if (= n 0) 1 (* n (f (- n 1))))))) (f 5)) → 120",
)
def expand_letrec(use: Use) -> Node:
    """Bind variables that see each other, such as procedures that call one another; letrec* evaluates in order."""
    found = _bindings(use, use.operands[0])
    inner = use.inside(Scope(use.scope))
    variables = [inner.scope.declare(cell.car.car) for cell in found]
    for variable in variables:
        variable.is_recursive = True
    binds = [_bind(inner, variable, cell) for variable, cell in zip(variables, found, strict=True)]
    body = inner.body(use.form.cdr.cdr)
    computed = {bind: Variable(bind.variable.name) for bind in binds if not isinstance(bind.value, Lambda)}
    if len(computed) < 2 or use.keyword == "letrec*":
        return core.sequence(use.span, [*binds, body])
    values = [Bind(bind.span, variable, bind.value) for bind, variable in computed.items()]
    for index, bind in enumerate(binds):
        if bind in computed:  # no variable has its value before all values are there
            binds[index] = Bind(bind.span, bind.variable, core.Local(bind.span, computed[bind]))
    return core.sequence(use.span, [*values, *binds, body])


@special_form(
    "do",
    "(do ((name init [step]) …) (test expression …) command …)",
    example="(do ((i 0 (+ i 1)) (sum 0 (+ sum i))) ((= i 4) sum)) → 6",
)
def expand_do(use: Use) -> Node:
    """Loop: run the commands and step the variables until the test is true."""
    (clauses, end), commands = use.operands[:2], use.cells[2:]
    if type(end) is not Pair or not is_proper(end):
        use.bad()
    inner = use.inside(Scope(use.scope))
    inits: list[Node] = []
    steps: dict[Variable, Pair | None] = {}
    for cell in use.clauses(clauses, 2, 3):
        name, init, *step = cells(cell.car)
        if type(name.car) is not Symbol:
            use.bad_binding(cell)
        inits.append(use.at(init))
        steps[inner.scope.declare(name.car)] = step[0] if step else None
    if len(steps) != len(inits):
        raise use.error("duplicate binding:", clauses)
    repeat = Variable("do")
    values = [use.local(variable) if step is None else inner.at(step) for variable, step in steps.items()]
    turn = [*[inner.at(command) for command in commands], core.Call(use.span, use.local(repeat), tuple(values))]
    body = core.If(use.span, inner.at(use.cells[1].car), inner.sequence(end.cdr), core.sequence(use.span, turn))
    return loop(use, repeat, list(steps), body, inits)


@special_form("while", "(while test expression …)", example="(let ((i 0)) (while (< i 5) (set! i (+ i 1))) i) → 5")
def expand_while(use: Use) -> Node:
    """Evaluate the expressions again and again, as long as the test is true."""
    repeat = Variable("while")
    test, *commands = [use.at(cell) for cell in use.cells]
    turn = core.sequence(use.span, [*commands, core.Call(use.span, use.local(repeat), ())])
    return loop(use, repeat, (), core.If(use.span, test, turn, use.constant(UNSPECIFIED)), ())
