"""The rules on names: bound nowhere, bound twice, called with a wrong number of arguments."""

from collections.abc import Iterator

from minischeme.checking.registry import Finding, rule
from minischeme.checking.toplevel import Toplevel, count_error, line_of, name_of, shown
from minischeme.diagnosis import hints
from minischeme.expansion import core
from minischeme.expansion.core import Bind, Call, Define, Global, Lambda, Local, Node, Sequence, SetGlobal


@rule("unbound", Global, SetGlobal)
def unbound(form: Toplevel, node: Global | SetGlobal) -> Iterator[Finding]:
    """A name that is defined nowhere, or too late."""
    names, known = form.names, form.names.program.known
    if names.is_bound(node.name):
        if _is_needed_before_its_definition(form, node):
            hint = f"it is defined only later, in line {line_of(names.definitions[node.name][0])}"
            yield node, f"unbound variable: {node.name}", hint
    elif isinstance(node, SetGlobal):
        yield node, f"set!: variable not defined: {node.name}", known.for_misspelt(node.name)
    elif form.is_written(node):
        likeliest = next(filter(None, hints.for_unbound(known, form.root, node)), None)
        yield node, f"unbound variable: {node.name}", likeliest


def _is_needed_before_its_definition(form: Toplevel, node: Global | SetGlobal) -> bool:
    """Whether a form, not only a procedure in it, needs a global that later forms of the text define."""
    names, span = form.names, form.form.span
    first = span.start if isinstance(form.root, Define) else span.end  # another form may have definitions in it
    found = [each.span for each in names.definitions.get(node.name, ()) if each.span is not None]
    is_known = not found or node.name in names.library or node.name in names.program.session.globals
    if is_known or any(each.source is not span.source or each.start < first for each in found):
        return False
    return core.lambda_around(node, form.parents) is None


@rule("defined-twice", Define, Sequence)
def defined_twice(form: Toplevel, node: Define | Sequence) -> Iterator[Finding]:
    """A second definition of the same name."""
    seen: dict[object, Node] = {}
    for part in node.parts if isinstance(node, Sequence) else ():
        if isinstance(part, Bind) and part.span is not None and part.span.text.startswith("(define"):
            if part.variable in seen:
                yield _twice(part, seen[part.variable], part.variable.name)
            seen[part.variable] = part
    if isinstance(node, Define) and node is form.root and node is not form.names.definitions[node.name][0]:
        roots = [each.root for each in form.names.program.own_forms()]
        before = roots[: roots.index(node)]
        while before and isinstance(before[-1], Define) and before[-1].name != node.name:
            before.pop()
        is_used = any(isinstance(part, Global) and part.name == node.name for part in core.nodes(node))
        if before and isinstance(before[-1], Define) and (isinstance(node.value, Lambda) or not is_used):
            yield _twice(node, before[-1], node.name)


def _twice(node: Node, first: Node, name: str) -> Finding:
    return node, f"{name} is defined twice", f"this replaces the definition in line {line_of(first)}"


_GIVEN = dict.fromkeys(["every", "keep", "filter", "remove", "find", "list-index", "stream-filter"], 1)
_GIVEN |= dict.fromkeys(["accumulate", "reduce", "fold-left", "fold-right"], 2)
"""The numbers of arguments that standard procedures give to the procedure that is their first argument."""

_MAPPING = {"map", "for-each", "append-map", "filter-map", "any", "stream-map"}
"""Those that give it one argument from each list."""


@rule("arity", Call)
def arity(form: Toplevel, call: Call) -> Iterator[Finding]:
    """A call with a wrong number of arguments."""
    name, count = name_of(call.operator) or "", len(call.operands)
    yield from count_error(form, call, call.operator, count)
    given = count - 1 if name in _MAPPING else _GIVEN.get(name, 0)
    if form.primitive(call) is not None and given > 0 and count <= (3 if given == 2 else count):
        yield from count_error(form, call.operands[0], call.operands[0], given, f", called by {name}")


@rule("hidden-procedure", Lambda)
def hidden_procedure(form: Toplevel, node: Lambda) -> Iterator[Finding]:
    """A parameter called in place of the procedure it hides."""
    hiding = [each for each in node.parameters if not each.assigned and form.names.procedure(each.name) is not None]
    for call in core.nodes(node.body) if hiding else ():
        variable = call.operator.variable if isinstance(call, Call) and isinstance(call.operator, Local) else None
        if variable in hiding and form.is_written(call) and form.holds_data(variable):
            message = f"{variable.name} is a parameter here, and not the procedure: {shown(call)}"
            yield call, message, "give the parameter another name"
