"""The forms that bind variables to multiple values: let-values, let*-values, receive (R7RS 4.2.2, SRFI 8).

The values are unpacked in place, without a procedure: loops around such a form stay loops.
"""

from collections.abc import Iterator

from minischeme.data.errors import SchemeError
from minischeme.data.values import NIL, MultipleValues, Pair, Symbol, Value, Vector, list_of
from minischeme.expansion import core
from minischeme.expansion.core import Bind, Node
from minischeme.expansion.lists import cells
from minischeme.expansion.scopes import Scope
from minischeme.expansion.special_form import Use, special_form


def names_in(formals: Value) -> list[Value]:
    """The elements of ``(a b . rest)``, including the rest."""
    names: list[Value] = []
    while type(formals) is Pair:
        names.append(formals.car)
        formals = formals.cdr
    return names if formals is NIL else [*names, formals]


def unpacked(use: Use, formals: Value, value: Pair) -> tuple[Bind, Iterator[tuple[Symbol, Node]]]:
    """The evaluation of the expression in the pair `value`, and the names in ``(a b . rest)``, each with its value."""
    parts = cells(formals)
    symbols = [use.name_in(cell) for cell in parts]
    rest = parts[-1].cdr if parts else formals
    if rest is not NIL:
        if type(rest) is not Symbol:
            use.bad(rest)
        symbols.append(rest)
    if len(set(symbols)) < len(symbols):
        raise use.error("duplicate name:", formals)
    everything = core.Variable("values")
    expected = use.constant((use.keyword, len(parts), rest is not NIL))
    bind = Bind(use.span, everything, use.call(unpack, expected, use.at(value)))
    nodes = [use.call(item, use.local(everything), use.constant(index)) for index in range(len(symbols))]
    return bind, zip(symbols, nodes, strict=True)


def unpack(expected: tuple[str, int, bool], result: Value) -> Vector:
    """The values that a call returned; a SchemeError if their number does not fit.

    `expected` are the form's name, the least number of values, and whether a list takes those beyond.
    """
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
    return values[index]


def _bind(use: Use, formals: Value, value: Pair, scope: Scope) -> list[Node]:
    """The bindings of names, in a scope, to the values of the expression in a pair's car."""
    bind, items = unpacked(use, formals, value)
    nodes: list[Node] = [bind]
    for symbol, node in items:
        if symbol in scope.variables:
            raise use.error("duplicate name:", symbol)
        nodes.append(Bind(use.span, scope.declare(symbol), node))
    return nodes


@special_form("let*-values", "(let*-values (((name …) expression) …) body …)")
@special_form(
    "let-values",
    "(let-values (((name …) expression) …) body …)",
    example="(let-values (((q r) (floor/ 17 5))) (list q r)) → (3 2)",
)
def expand_let_values(use: Use) -> Node:
    """Bind names to the values of expressions that return several; those of let*-values see the names before them."""
    inner = use.inside(Scope(use.scope))
    nodes: list[Node] = []
    for cell in use.clauses(use.operands[0], 2):
        part = use.within(cell)
        if use.keyword == "let*-values":
            part = inner.within(cell)
            inner = use.inside(Scope(inner.scope))
        nodes += _bind(part, cell.car.car, cell.car.cdr, inner.scope)
    return core.sequence(use.span, [*nodes, inner.body(use.form.cdr.cdr)])


@special_form(
    "receive", "(receive (name …) expression body …)", example="(receive (q . rest) (values 1 2 3) rest) → (2 3)"
)
def expand_receive(use: Use) -> Node:
    """Bind names to the values of one expression."""
    inner = use.inside(Scope(use.scope))
    nodes = _bind(use, use.operands[0], use.cells[1], inner.scope)
    return core.sequence(use.span, [*nodes, inner.body(use.cells[2])])
