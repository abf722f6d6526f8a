"""Inlined tail calls: those of small procedures of the program are compiled as the procedure's body.

The caller's frame would wait for nothing, so that the body can stand in its place, with the parameters as locals of the
caller. A tail call in the body that calls the caller back is its next turn: so mutual tail calls become a loop. The
assumption INLINED (`minischeme.compiler.assumptions`) holds as long as the name means that very procedure.

In such a body nothing waits for a call that could return twice. Hence continuations keep no frame in the middle of it,
and code can be resumed although it was compiled with another body than the procedure has today.
"""

from collections.abc import Callable

from minischeme.compiler.survey import called_name
from minischeme.expansion import core
from minischeme.expansion.core import Bind, Call, Constant, Global, If, Lambda, Local, Node, Or, Sequence
from minischeme.primitives.registry import Primitive

MOST_INLINED = 8
"""The tail calls of a procedure that are inlined, at most."""

_MOST_NODES = 60
_KINDS = frozenset({Bind, Call, Constant, Global, If, Local, Or, Sequence})


def small_procedure(root: Node, standard: Callable[[Node], Primitive | None]) -> Lambda | None:
    """The procedure that a form defines, if it is small, makes neither procedures nor assignments, and waits for no
    call that could return twice; `standard` gives the standard procedure that an operator means."""
    procedure = core.defined_procedure(root)
    if procedure is None or procedure.rest is not None:
        return None
    last = set(core.tail_expressions(procedure.body))
    for count, node in enumerate(core.nodes(procedure.body)):
        if count > _MOST_NODES or type(node) not in _KINDS:
            return None
        if isinstance(node, Call) and not _may_be_inlined(node, standard(node.operator), is_last=node in last):
            return None
        if isinstance(node, Constant) and node.value is core.UNASSIGNED:
            return None
    return procedure


def _may_be_inlined(call: Call, known: Primitive | None, *, is_last: bool) -> bool:
    """Whether no frame waits for a call of a standard procedure, or of another one, that could return twice."""
    if known is None:
        return is_last and type(call.operator) is not Constant
    return not known.calls_others or (is_last and known.tail_calls)


def fits(inlined: Lambda, name: str, root: Node) -> bool:
    """Whether calls of a procedure in another form may be inlined: these have the right number of operands, no variable
    there hides a global that the body mentions, and the two forms have one source, for error reports."""
    if inlined.span is None or root.span is None or inlined.span.source is not root.span.source:
        return False
    if any(variable.name in globals_of(inlined) for variable in core.bound_variables(root)):
        return False
    calls = (node for node in core.nodes(root) if isinstance(node, Call) and called_name(node.operator) == name)
    return all(len(call.operands) == len(inlined.parameters) for call in calls)


def globals_of(procedure: Lambda) -> set[str]:
    """The names of the globals that a procedure mentions."""
    return {node.name for node in core.nodes(procedure) if isinstance(node, Global)}
