"""The basic forms: quote, lambda, named-lambda, case-lambda, define, set!, if, begin."""

from minischeme.data.values import NIL, UNSPECIFIED, Pair, Symbol, Value
from minischeme.expansion.core import If, Lambda, Node
from minischeme.expansion.lists import defined_name, name_cell
from minischeme.expansion.scopes import plain, standard
from minischeme.expansion.special_form import Use, special_form


@special_form("quote", "(quote datum)", example="'(a b) → (a b)")
def expand_quote(use: Use) -> Node:
    """The datum itself, not evaluated; 'datum is short for it."""
    return use.constant(plain(use.operands[0]))


@special_form("lambda", "(lambda (parameter …) body …)", example="((lambda (x) (* x x)) 5) → 25")
def expand_lambda(use: Use) -> Node:
    """A procedure without a name."""
    return use.procedure(None, use.form.cdr.car, use.form.cdr.cdr)


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


@special_form(
    "define",
    "(define name value) or (define (name parameter …) body …)",
    defines=lambda form: [defined_name(form)],
    counts_operands=False,
    example="(define (double x) (* 2 x)) → double",
)
def expand_define(use: Use) -> Node:
    """Give a name a value; (define ((f a) b) …) defines a procedure that returns a procedure."""
    if not use.cells:
        use.bad()
    symbol = use.name_in(name_cell(use.form))
    return use.define(symbol, lambda: _defined_value(use, symbol))


def _defined_value(use: Use, symbol: Symbol) -> Node:
    target, rest = use.form.cdr.car, use.form.cdr.cdr
    if type(target) is Symbol:
        if rest is NIL:
            return use.constant(UNSPECIFIED)
        if rest.cdr is not NIL:
            use.bad()
        return named(symbol.name, use.at(rest))
    body: Value = rest
    while type(target.car) is Pair:  # (define ((f a) b) body) is (define (f a) (lambda (b) body))
        body = Pair(Pair(standard("lambda"), Pair(target.cdr, body)), NIL)
        target = target.car
    return use.procedure(symbol.name, target.cdr, body)


def named(name: str, value: Node) -> Node:
    """The value of a variable: a lambda without a name gets that of the variable."""
    if type(value) is Lambda and value.name is None:
        return Lambda(value.span, name, value.parameters, value.rest, value.body)
    return value


@special_form("set!", "(set! name value)", example="(begin (define x 1) (set! x 5) x) → 5")
def expand_set(use: Use) -> Node:
    """Change the value of a variable that exists."""
    symbol = use.name_in(use.cells[0])
    return use.expander.assignment(symbol, use.at(use.cells[1]), use.scope, use.span)


@special_form("if", "(if test consequent [alternative])", example="(if (> 3 2) 'yes 'no) → yes")
def expand_if(use: Use) -> Node:
    """The consequent if the test is true (anything but #f), else the alternative."""
    test, consequent, *alternative = [use.at(cell) for cell in use.cells]
    return If(use.span, test, consequent, alternative[0] if alternative else use.constant(UNSPECIFIED))


@special_form("begin", "(begin expression …)", example="(begin (define x 1) (+ x 1)) → 2")
def expand_begin(use: Use) -> Node:
    """Evaluate in order; the value is that of the last expression."""
    return use.sequence(use.form.cdr)
