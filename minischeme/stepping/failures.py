"""The errors of a recorded run: those that compiled code would have, with the same words and the same place."""

from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING

from minischeme.compiler.templates import TABLE
from minischeme.data.errors import Activation, SchemeError
from minischeme.data.source import Span
from minischeme.data.values import Value
from minischeme.diagnosis import hints
from minischeme.diagnosis.site import Site
from minischeme.diagnosis.stack import shown_argument
from minischeme.expansion import core
from minischeme.expansion.core import Node
from minischeme.runtime.boxes import Box
from minischeme.stepping.recording import RunFrame, State

if TYPE_CHECKING:
    from minischeme.session.session import Session


def explained(
    session: "Session", exception: Exception, call: State, procedure: Value, arguments: tuple[Value, ...]
) -> SchemeError:
    """The error of a call that has failed; an exception that is not about the call is raised again."""
    if isinstance(exception, OSError | MemoryError | RecursionError):
        raise exception
    node, operands = call.node, list(arguments)
    is_inlined = isinstance(node.operator, core.Global | core.Standard) and node.operator.name in TABLE
    if is_inlined and len(operands) == len(node.operands):  # compiled code does not keep the values of calls
        for index, part in enumerate(node.operands):
            if not isinstance(part, core.Constant | core.Local | core.Global | core.Standard):
                operands[index] = hints.UNKNOWN
    error = session.diagnose(exception, Site(node.span, (node,), node, procedure, operands)).with_traceback(None)
    error.__context__ = None
    return _located(session, error, node, call.frame)


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
    if any(activation.library is None for activation in error.activations):
        return error
    for (procedure, span), calls in groupby(_active(node, frame), lambda each: (each[0].procedure, each[1])):
        (call, _), *others = calls
        assert procedure is not None
        values = [(variable.name, call.place(variable)) for variable in procedure.all_parameters]
        shown = [(name, value.value if type(value) is Box else value) for name, value in values]
        arguments = ", ".join(f"{name} = {shown_argument(value, session.globals)}" for name, value in shown)
        error.activations += (Activation(procedure.name or "lambda", span, 1 + len(others), arguments),)
    return error


def _active(node: Node, frame: RunFrame) -> Iterator[tuple[RunFrame, Span | None]]:
    """The calls that were active in a frame, innermost first, each with the expression that was evaluated in it."""
    call = frame.call
    while call is not None and call.caller is not None:
        yield call, node.span
        caller = call.caller
        while caller.node is None:
            if caller.outer is None:
                return
            caller = caller.outer
        node, call = caller.part or caller.node, caller.frame.call
