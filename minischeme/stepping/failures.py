"""The errors of a recorded run: those that compiled code would have, with the same words and the same place."""

from typing import TYPE_CHECKING, Any

from minischeme.data.errors import SchemeError
from minischeme.diagnosis import hints
from minischeme.diagnosis.site import Site
from minischeme.expansion import core
from minischeme.expansion.core import Node
from minischeme.stepping.recording import EnvironmentFrame, Waiting

if TYPE_CHECKING:
    from minischeme.session.session import Session


def explained(session: "Session", exception: Exception, call: Any, waiting: Waiting) -> SchemeError:
    """The error of a call that has failed; an exception that is not about the call is raised again."""
    if isinstance(exception, OSError | MemoryError | RecursionError):
        raise exception
    node = call.node
    site = Site(node.span, (node,), node, call.procedure, call.arguments)
    error = session.diagnose(exception, site).with_traceback(None)
    error.__context__ = None
    return located(error, node, call.frame, waiting)


def unbound(session: "Session", node: core.Global, frame: EnvironmentFrame) -> SchemeError:
    """The error of a global without a value."""
    found = hints.for_unbound(session._program, frame.unit.root, node)
    return SchemeError(f"unbound variable: {node.name}", span=node.span, hint=next(filter(None, found), None))


def unassigned(_session: "Session", node: core.Local, _frame: EnvironmentFrame) -> SchemeError:
    """The error of a local variable that has no value yet."""
    hint = "it is used before its definition was evaluated"
    return SchemeError(f"unassigned variable: {node.variable.name}", span=node.span, hint=hint)


def undefined(session: "Session", node: core.SetGlobal, _frame: EnvironmentFrame) -> SchemeError:
    """The error of the assignment of a global without a value."""
    hint = session._program.for_misspelt(node.name)
    return SchemeError(f"set!: variable not defined: {node.name}", span=node.span, hint=hint)


def located(error: SchemeError, node: Node, frame: EnvironmentFrame, waiting: Waiting) -> SchemeError:
    """An error with the procedures that were active where it happened."""
    return error
