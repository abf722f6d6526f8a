"""The parts of a core tree that stand in the text as the program's author wrote them.

The expander gives a node that a form or macro makes the span of its use; so a node has text of its own if a part of it
stands strictly inside its span.
"""

from typing import TypeGuard

from minischeme.data.source import Span
from minischeme.expansion import core
from minischeme.expansion.core import Lambda, Node, Variable


def is_inside(inner: Span | None, outer: Span | None) -> TypeGuard[Span]:
    """Whether a span is a proper part of another one."""
    if inner is None or outer is None or inner.source is not outer.source:
        return False
    return outer.start <= inner.start < inner.end <= outer.end and inner.end - inner.start < outer.end - outer.start


def has_own_part(node: Node) -> bool:
    """Whether the text of an expression shows a part that is evaluated for it."""
    if isinstance(node, core.Call):
        return any(is_inside(part.span, node.span) for part in core.children(node))
    if isinstance(node, core.Sequence):
        binds = [part for part in node.parts if isinstance(part, core.Bind) and not part.variable.is_recursive]
        if any(isinstance(bind.value, core.Call) and bind.value.operator.span == bind.value.span for bind in binds):
            return False  # several values are unpacked
        return any(is_inside(bind.value.span, node.span) for bind in binds)
    part = core.children(node)[0]
    is_hidden = isinstance(part, core.Local) and not spells(part.span, part.variable.name)
    return not is_hidden and is_inside(part.span, node.span)


def spells(span: Span | None, name: str) -> bool:
    """Whether a span is a name, as its author wrote it."""
    return span is not None and span.text.strip("|").lower() == name.lower()


def written_name(procedure: Lambda) -> str | None:
    """The name that the text of a procedure gives it, that of the form for a loop such as `do`; None if it has none."""
    name, span = procedure.name, procedure.span
    if name is None or span is None:
        return None
    return name if span.mentions(name) or span.text[1:].startswith(f"{name} ") else None


def written_variables(root: Node) -> set[Variable]:
    """The variables of a form whose names its author wrote: those of forms and macros are left out."""
    used = [node for node in core.nodes(root) if isinstance(node, core.Local)]
    unused = set(core.bound_variables(root)).difference(node.variable for node in used)
    spelt = {node.variable for node in used if spells(node.span, node.variable.name)}
    return spelt | {each for each in unused if root.span is not None and root.span.mentions(each.name)}


def written_locals(node: Node) -> list[tuple[Variable, Span]]:
    """The mentions of variables in the text of an expression that it neither binds nor assigns."""
    bound = set(core.bound_variables(node))
    bound |= {each.variable for each in core.nodes(node) if isinstance(each, core.SetLocal)}
    found = [each for each in core.nodes(node) if isinstance(each, core.Local) and each.variable not in bound]
    return [(each.variable, each.span) for each in found if each.span and spells(each.span, each.variable.name)]


def loop_values(root: Node) -> dict[Span | None, list[tuple[Variable, Node]]]:
    """The variables of loops such as `do`, which are procedures with the span of the form, with their first values."""
    found: dict[Span | None, list[tuple[Variable, Node]]] = {}
    for node in core.nodes(root):
        if isinstance(node, core.Sequence) and isinstance(node.parts[0], core.Bind):
            procedure, call = node.parts[0].value, node.parts[1]
            if isinstance(procedure, Lambda) and procedure.span == node.span and isinstance(call, core.Call):
                found[node.span] = list(zip(procedure.parameters, call.operands, strict=False))
    return found
