"""The rules on names: bound nowhere, bound twice, called with a wrong number of arguments."""

from collections.abc import Iterator
from types import FunctionType

from minischeme.checking.facts import arity, called_as, holds_data, is_written, name_of, procedure, shown
from minischeme.checking.program import Toplevel
from minischeme.checking.registry import Finding, rule
from minischeme.data.source import Span
from minischeme.diagnosis import hints
from minischeme.expansion.core import (
    Bind,
    Call,
    Define,
    Global,
    Lambda,
    Local,
    Node,
    Sequence,
    SetGlobal,
    defined_procedure,
)
from minischeme.expansion.core import nodes as nodes_of
from minischeme.primitives.registry import primitive_of


@rule("unbound", Global, SetGlobal)
def unbound(toplevel: Toplevel, node: Global | SetGlobal) -> Iterator[Finding]:
    """A name that is defined nowhere, or too late."""
    names, program = toplevel.names, toplevel.names.program
    if names.is_bound(node.name):
        later = _defined_later(toplevel, node)
        if later is not None:
            line = later.source.position(later.start)[0]
            yield Finding(node.span, f"unbound variable: {node.name}", f"it is defined only later, in line {line}")
    elif isinstance(node, SetGlobal):
        hint = program.known.for_misspelt(node.name)
        yield Finding(node.span, f"set!: variable not defined: {node.name}", hint)
    elif is_written(toplevel, node):
        around = toplevel.parents.get(node)
        if type(around) is Call and around.operator is not node and type(around.operator) is Global:
            if not names.is_bound(around.operator.name):
                return  # most likely a list without its quote, which is reported once
        hint = next(filter(None, hints.for_unbound(program.known, toplevel.root, node)), None)
        yield Finding(node.span, f"unbound variable: {node.name}", hint)


def _defined_later(toplevel: Toplevel, node: Global | SetGlobal) -> Span | None:
    """The definition of a global that is needed by a form of the program, not in a procedure, before it is defined."""
    names, form = toplevel.names, toplevel.form.span
    found = [each.span for each in names.definitions.get(node.name, ()) if each.span is not None]
    if not found or node.name in names.library or node.name in names.program.session.globals:
        return None
    if any(span.source is not form.source or span.start < form.start for span in found):
        return None
    if found[0].start < form.end and type(toplevel.root) is not Define:
        return None  # a form with definitions in it
    around: Node | None = node
    while around is not None:
        if type(around) is Lambda:
            return None
        around = toplevel.parents.get(around)
    return found[0]


@rule("defined-twice", Define, Sequence)
def defined_twice(toplevel: Toplevel, node: Define | Sequence) -> Iterator[Finding]:
    """A second definition of the same name."""
    seen: dict[object, Node] = {}
    if isinstance(node, Sequence):
        for part in node.parts:
            if type(part) is Bind and part.span is not None and part.span.text.startswith("(define"):
                if part.variable in seen:
                    yield _twice(part, seen[part.variable], part.variable.name)
                seen[part.variable] = part
    elif toplevel.root is node:
        others = toplevel.names.definitions[node.name]
        earlier = others[others.index(node) - 1] if node in others[1:] else None
        if earlier is not None and not _is_used_between(toplevel, node.name, earlier, node):
            yield _twice(node, earlier, node.name)


def _twice(node: Node, first: Node, name: str) -> Finding:
    line = first.span.source.position(first.span.start)[0] if first.span is not None else "?"
    return Finding(node.span, f"{name} is defined twice", f"this replaces the definition in line {line}")


def _is_used_between(toplevel: Toplevel, name: str, first: Node, second: Node) -> bool:
    """Whether there may be a reason for two definitions of a name: they are in two files, something is evaluated
    between them, or the second uses the first."""
    roots = [form.root for form in toplevel.names.program.own_forms()]
    if first not in roots or second not in roots:
        return True
    between = roots[roots.index(first) : roots.index(second)]
    is_used = any(type(part) is Global and part.name == name for part in nodes_of(second))
    return not all(type(root) is Define for root in between) or (is_used and defined_procedure(second) is None)


# ── calls ────────────────────────────────────────────────────────────────────────────────────────────────────────────

# fmt: off
_TAKERS = dict.fromkeys([
    "every", "keep", "filter", "remove", "find", "list-index", "stream-filter",
], 1) | dict.fromkeys(["accumulate", "reduce", "fold-left", "fold-right"], 2)
# fmt: on
"""The numbers of arguments that standard procedures give to the procedure that is their first argument."""

_MAPPERS = {"map", "for-each", "append-map", "filter-map", "any", "stream-map"}
"""Those that give it one argument from each list."""


@rule("arity", Call)
def wrong_count(toplevel: Toplevel, call: Call) -> Iterator[Finding]:
    """A call with a wrong number of arguments."""
    if not is_written(toplevel, call):
        return
    known, name = procedure(toplevel, call.operator), name_of(call.operator)
    wrong = _complaint(known, len(call.operands))
    if wrong is not None and known is not None:
        yield Finding(call.span, f"{wrong} arguments to: {shown(call)}", called_as(known, name))
    standard = primitive_of(known)
    if standard is None or not call.operands:
        return
    count = len(call.operands) - 1 if name in _MAPPERS else _TAKERS.get(name or "")
    if name in _TAKERS and len(call.operands) > (3 if _TAKERS[name] == 2 else 2):
        return
    taken, first = procedure(toplevel, call.operands[0]), call.operands[0]
    wrong = _complaint(taken, count) if count else None
    if wrong is not None and taken is not None:
        shape = called_as(taken, name_of(first))
        yield Finding(first.span, f"{wrong} arguments to: {shown(first)}, called by {name}", shape)


def _complaint(known: Lambda | FunctionType | None, count: int) -> str | None:
    least, most = (arity(known) if known is not None else None) or (0, None)
    return "too few" if count < least else "too many" if most is not None and count > most else None


@rule("hidden-procedure", Lambda)
def hidden_procedure(toplevel: Toplevel, procedure_node: Lambda) -> Iterator[Finding]:
    """A parameter called in place of the procedure it hides."""
    hiding = {variable for variable in procedure_node.parameters if not variable.assigned}
    hiding = {variable for variable in hiding if procedure(toplevel, Global(None, variable.name)) is not None}
    if not hiding:
        return
    calls = [node for node in nodes_of(procedure_node.body) if type(node) is Call and is_written(toplevel, node)]
    for call in calls:
        variable = call.operator.variable if type(call.operator) is Local else None
        if variable in hiding and holds_data(toplevel, variable, calls):
            message = f"{variable.name} is a parameter here, and not the procedure: {shown(call)}"
            yield Finding(call.span, message, "give the parameter another name")
