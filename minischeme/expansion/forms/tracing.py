"""trace and untrace: assignments of a wrapper, or of what is behind it, to the name of a procedure."""

from __future__ import annotations

from minischeme.data.source import Span
from minischeme.data.values import NIL, UNSPECIFIED, Pair, Symbol, Value, intern
from minischeme.expansion import core
from minischeme.expansion.expander import Expander, Scope, cells, special_form


@special_form("trace", "(trace name …), (trace (inner outer)), (trace)")
def expand_trace(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """Show each call of the procedures and its value; alone, list what is traced."""
    return _expand(expander, form, scope, span, "trace", "%traced")


@special_form("untrace", "(untrace name …), (untrace)")
def expand_untrace(expander: Expander, form: Pair, scope: Scope, span: Span) -> core.Node:
    """End the tracing of the procedures; alone, of all."""
    return _expand(expander, form, scope, span, "untrace", "%untraced")


def _expand(expander: Expander, form: Pair, scope: Scope, span: Span, name: str, converter: str) -> core.Node:
    parts: list[core.Node] = []
    for cell in cells(form.cdr):
        place = expander.span_at(cell, span)
        inner = _inner_names(cell.car)
        if inner is not None:
            names = tuple(core.Constant(place, symbol) for symbol in inner)
            parts.append(core.Call(place, core.Standard(place, f"%{name}-inner"), names))
            continue
        if type(cell.car) is not Symbol:
            expander.bad(form, place, culprit=cell.car)
        value = core.Call(
            place,
            core.Standard(place, converter),
            (core.Constant(place, cell.car), expander.reference(cell.car, scope, place)),
        )
        parts.append(expander.assignment(cell.car, value, scope, span))
        if name == "untrace" and isinstance(expander.resolve(cell.car, scope), Symbol):
            parts.append(core.Call(place, core.Standard(place, "%restored"), (core.Constant(place, cell.car),)))
    if not parts:
        return core.Call(span, core.Standard(span, f"%{name}-all"), ())
    return core.sequence(span, [*parts, core.Constant(span, UNSPECIFIED)])


def _inner_names(datum: Value) -> tuple[Symbol, Symbol] | None:
    """The names in ``(inner outer)``, a procedure and the one that it is defined in."""
    if type(datum) is Pair and type(datum.cdr) is Pair and datum.cdr.cdr is NIL:
        inner, outer = datum.car, datum.cdr.car
        if type(inner) is Symbol and type(outer) is Symbol and inner is not intern("quote"):
            return inner, outer
    return None
