"""The errors of a recorded run: those that compiled code would have, with the same words and the same place."""

from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Any

from minischeme.compiler.templates import TABLE
from minischeme.data.errors import Activation, SchemeError
from minischeme.data.source import Span
from minischeme.diagnosis import hints
from minischeme.diagnosis.site import Site
from minischeme.diagnosis.stack import shown_argument
from minischeme.expansion import core
from minischeme.expansion.core import Node
from minischeme.runtime.boxes import Box
from minischeme.stepping.recording import RunFrame, Waiting

if TYPE_CHECKING:
    from minischeme.session.session import Session


def explained(session: "Session", exception: Exception, call: Any) -> SchemeError:
    """The error of a call that has failed; an exception that is not about the call is raised again."""
    if isinstance(exception, OSError | MemoryError | RecursionError):
        raise exception
    node = call.node
    is_inlined = isinstance(node.operator, core.Global | core.Standard) and node.operator.name in TABLE
    operands = call.arguments
    if is_inlined and len(operands) == len(node.operands):  # compiled code does not keep the values of calls
        kept = zip(node.operands, operands, strict=True)
        operands = [value if type(part) in _KEPT else hints.UNKNOWN for part, value in kept]
    site = Site(node.span, (node,), node, call.procedure, operands)
    error = session.diagnose(exception, site).with_traceback(None)
    error.__context__ = None
    return _located(session, error, node, call.frame)


_KEPT = (core.Constant, core.Local, core.Global, core.Standard)


def valueless(session: "Session", node: core.Global | core.Local | core.SetGlobal, frame: RunFrame) -> SchemeError:
    """The error of a variable without a value, which is mentioned, or of a global that can't be set."""
    if isinstance(node, core.Local):
        hint: str | None = "it is used before its definition was evaluated"
        message = f"unassigned variable: {node.variable.name}"
    elif isinstance(node, core.Global):
        hint = next(filter(None, hints.for_unbound(session._program, frame.unit.root, node)), None)
        message = f"unbound variable: {node.name}"
    else:
        hint = session._program.for_misspelt(node.name)
        message = f"set!: variable not defined: {node.name}"
    return _located(session, SchemeError(message, span=node.span, hint=hint), node, frame)


def _located(session: "Session", error: SchemeError, node: Node, frame: RunFrame) -> SchemeError:
    """An error with the procedures of the program that were active where it happened, unless it has them already."""
    if not any(activation.library is None for activation in error.activations):
        groups = groupby(_active(node, frame), key=lambda active: (active[0].procedure, active[1]))
        for (procedure, span), calls in groups:
            found = list(calls)
            assert procedure is not None
            parameters = [(each, found[0][0].place(each)) for each in procedure.all_parameters]
            shown = [(each.name, place.value if type(place) is Box else place) for each, place in parameters]
            arguments = ", ".join(f"{name} = {shown_argument(value, session.globals)}" for name, value in shown)
            error.activations += (Activation(procedure.name or "lambda", span, len(found), arguments),)
    return error


def _active(node: Node | None, frame: RunFrame) -> Iterator[tuple[RunFrame, Span | None]]:
    """The calls that were active in a frame, innermost first, each with the expression that was evaluated in it."""
    while node is not None:
        call, span = frame.call, node.span
        if call is None or call.waiting is None:
            return
        yield call, span
        waiting: Waiting | None = call.waiting
        while waiting is not None and waiting.node is None:
            waiting = waiting.outer
        if waiting is None:
            return
        node, frame = waiting.part if type(waiting) is Waiting else waiting.node, waiting.frame
