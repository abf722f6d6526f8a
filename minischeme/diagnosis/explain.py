"""The explanation of a Python exception in a run by a `SchemeError`: culprit, span, hint, and active procedures."""

from typing import Any

from minischeme.data import errors
from minischeme.data.errors import Activation, SchemeError
from minischeme.diagnosis.call_hints import for_arguments
from minischeme.diagnosis.hints import UNKNOWN, ProgramNames, text_of
from minischeme.diagnosis.rules import Failure, explanation
from minischeme.diagnosis.site import Site, find_site, with_failed
from minischeme.diagnosis.stack import FailedStack


def diagnose(exception: BaseException, program: ProgramNames, called: Site | None = None) -> SchemeError:
    """An exception as a Scheme error, with its span and the procedures that were active.

    The exception itself is raised if it is none that a Scheme program can cause. `called` is the call that led to it,
    if no compiled code has called another since.
    """
    stack = FailedStack(exception.__traceback__, program)
    if called is None or any(group.origin is not None for group in stack.groups):
        site = find_site(stack)
    else:
        site = with_failed(called, stack)
    failure = Failure(exception, stack, site)
    error = exception if isinstance(exception, SchemeError) else explanation(failure)
    if error is None:
        raise exception
    if error.span is None:
        _name_procedure(error, site)
        culprit = _culprit(error)
        operand = site.operand(culprit, program)
        error.span = operand if operand is not None else site.span
        is_own = site.name is None or not site.is_direct or site.name in program.bindings
        if error.hint is None and not isinstance(error, errors.UserError) and not is_own:
            error.hint = for_arguments(site, culprit, text_of(operand))
    if not error.activations or (site.failed is not None and site.failed.names[0] == "load"):
        if site.lost is not None:
            error.activations += (Activation(site.lost.procedure.name or "lambda", site.lost.call.span),)
        error.activations += tuple(stack.activations(error.span))
    return error


def _name_procedure(error: SchemeError, site: Site) -> None:
    """Have the message of a standard procedure begin with the name that it was called by."""
    if site.failed is None:
        return
    name, own = site.name_of(site.failed), f"{site.failed.names[0]}:"
    if isinstance(error, errors.ArgumentError):
        error.message = f"{name}: {error.message}"
    elif error.message.startswith(own):
        error.message = f"{name}:{error.message.removeprefix(own)}"


def _culprit(error: SchemeError) -> Any:
    """The value to blame; `UNKNOWN` if there is none, or more than one."""
    named = errors.UserError | errors.RaisedObject | errors.ReadError | errors.ScmSyntaxError
    if isinstance(error, named) or not error.irritants:
        return UNKNOWN
    if error.message.startswith("Bad number in a comparison"):
        (listed,) = error.irritants
        return next(iter(listed), UNKNOWN)
    if error.message.startswith("eval: bad function") or len(error.irritants) != 1:
        return UNKNOWN
    return UNKNOWN if error.message.endswith("bad bounds:") else error.irritants[0]  # a pair that nobody wrote
