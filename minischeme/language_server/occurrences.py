"""The identifiers of a program, each with its binding, found in the core tree."""

import re
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from minischeme.checking.program import Program, StaticNames
from minischeme.checking.toplevel import Toplevel
from minischeme.data.source import Span
from minischeme.data.values import Pair, Symbol, Value
from minischeme.expansion import core
from minischeme.expansion.core import Constant, Node, Variable

Binding: TypeAlias = Variable | tuple[StaticNames, str]
"""A local variable, or a global by its namespace and name."""


class Occurrence(NamedTuple):
    """An identifier in a text."""

    span: Span
    binding: Binding
    is_definition: bool


_QUOTED = re.compile(r"['’‘`]|[(\[]\s*quote\b", re.IGNORECASE)
_REST = re.compile(r"\s+\.\s+(?=([^\s()\[\]\"';]+))")


def name_of(binding: Binding) -> str:
    return binding.name if isinstance(binding, Variable) else binding[1]


def occurrences(program: Program) -> list[Occurrence]:
    """The identifiers of a program and of the files that it loads."""
    return [occurrence for toplevel in program.forms for occurrence in _of_form(toplevel)]


def _of_form(toplevel: Toplevel) -> Iterator[Occurrence]:
    """The identifiers of a form. A reference has a node of its own; one that is left over binds or assigns."""
    symbols = dict(_symbols(toplevel))
    binders: list[tuple[Span, Binding, bool]] = []
    quoted: list[Span] = []
    for node in core.nodes(toplevel.root):
        span = node.span
        if span is None or span.source is not toplevel.form.span.source:
            continue
        if isinstance(node, core.Local | core.Global):
            binding: Binding = node.variable if isinstance(node, core.Local) else (toplevel.names, node.name)
            if symbols.get(span) == name_of(binding):
                del symbols[span]
                yield Occurrence(span, binding, is_definition=False)
        elif type(node) is Constant and _QUOTED.match(span.text):
            quoted.append(span)
        else:
            binders += ((span, *bound) for bound in _bound(toplevel, node))
    symbols = {span: name for span, name in symbols.items() if not any(_is_inside(span, each) for each in quoted)}
    # An inner form is smaller, and takes its own before those around it do.
    for outer, binding, is_definition in sorted(binders, key=lambda binder: binder[0].end - binder[0].start):
        inside = [span for span, name in symbols.items() if name == name_of(binding) and _is_inside(span, outer)]
        if inside:
            first = min(inside, key=lambda span: span.start)
            del symbols[first]
            yield Occurrence(first, binding, is_definition)


def _symbols(toplevel: Toplevel) -> Iterator[tuple[Span, str]]:
    """The symbols in the text of a form, with their names."""
    form = toplevel.form
    if type(form.datum) is Symbol:
        yield form.span, form.datum.name
    waiting, seen = [form.datum], set[int]()
    while waiting:
        cell: Value = waiting.pop()
        if type(cell) is not Pair or id(cell) in seen:
            continue
        seen.add(id(cell))
        waiting += cell.car, cell.cdr
        span = form.spans.of_car(cell)
        if type(cell.car) is Symbol and span is not None:
            yield span, cell.car.name
        if type(cell.cdr) is Symbol and span is not None:
            rest = _REST.match(span.source.text, span.end)
            if rest is not None:
                yield Span(span.source, *rest.span(1)), cell.cdr.name


def _bound(toplevel: Toplevel, node: Node) -> Iterator[tuple[Binding, bool]]:
    """The bindings that an expression makes or assigns, each with whether it is made."""
    match node:
        case core.Lambda():
            yield from ((variable, True) for variable in node.all_parameters)
        case core.Bind():
            if node.variable.name != "do":  # a loop without a name in the program
                yield node.variable, True
        case core.SetLocal():
            yield node.variable, False
        case core.Define():
            yield (toplevel.names, node.name), True
        case core.SetGlobal():
            yield (toplevel.names, node.name), False


def _is_inside(inner: Span, outer: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end
