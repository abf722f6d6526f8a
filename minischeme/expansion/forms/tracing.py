"""trace and untrace: assignments of a wrapper, or of the wrapped procedure, to the name of a procedure."""

from minischeme.data.values import NIL, UNSPECIFIED, Pair, Symbol, Value, intern
from minischeme.expansion import core
from minischeme.expansion.core import Node
from minischeme.expansion.special_form import Use, special_form


@special_form("untrace", "(untrace name …), (untrace)")
@special_form("trace", "(trace name …), (trace (inner outer)), (trace)")
def expand_trace(use: Use) -> Node:
    """Show each call of the procedures and its value, or end that; alone, list what is traced, or end all."""
    name = use.keyword
    if not use.cells:
        return use.call(f"%{name}-all")
    expander = use.expander
    nodes: list[Node] = []
    for cell in use.cells:
        part = use.within(cell)
        inner = _inner_names(cell.car)
        if inner is not None:
            nodes.append(part.call(f"%{name}-inner", *map(part.constant, inner)))
            continue
        symbol = use.name_in(cell)
        value = part.call(f"%{name}d", part.constant(symbol), expander.reference(symbol, part.scope, part.span))
        nodes.append(expander.assignment(symbol, value, use.scope, use.span))
        if name == "untrace" and isinstance(expander.resolve(symbol, use.scope), Symbol):
            nodes.append(part.call("%restored", part.constant(symbol)))
    return core.sequence(use.span, [*nodes, use.constant(UNSPECIFIED)])


def _inner_names(datum: Value) -> tuple[Symbol, Symbol] | None:
    """The names in ``(inner outer)``, an internal procedure and the one that defines it."""
    if type(datum) is Pair and type(datum.cdr) is Pair and datum.cdr.cdr is NIL:
        inner, outer = datum.car, datum.cdr.car
        if type(inner) is Symbol and type(outer) is Symbol and inner is not intern("quote"):
            return inner, outer
    return None
