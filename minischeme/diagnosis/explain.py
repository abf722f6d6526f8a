"""From a Python exception in a run to the `SchemeError` that explains it: culprit, place, hint, and who was active."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from minischeme.data.errors import (
    Activation,
    ArgumentError,
    RaisedObject,
    ReadError,
    SchemeError,
    ScmSyntaxError,
    UserError,
)
from minischeme.data.source import Span
from minischeme.diagnosis import hints
from minischeme.diagnosis.program import UNKNOWN, Program
from minischeme.diagnosis.rules import Failure, explanation
from minischeme.diagnosis.site import Site, find_site
from minischeme.diagnosis.stack import FailedStack


def diagnose(exception: BaseException, program: Program) -> SchemeError:
    """An exception as a Scheme error, with its place and the procedures that were active.

    Raises:
        BaseException: The exception itself, if it is none that a Scheme program can cause.
    """
    stack = FailedStack(exception.__traceback__, program)
    failure = Failure(exception, stack, find_site(stack))
    site = failure.site
    error = exception if isinstance(exception, SchemeError) else explanation(failure)
    if error is None:
        raise exception
    if error.span is None:
        _name_procedure(error, site)
        culprit = _culprit(error)
        operand = site.operand(culprit, program)
        error.span = operand if operand is not None else site.span
        if error.hint is None and not isinstance(error, UserError):
            error.hint = _hint(site, culprit, operand, program)
    if not error.activations or (site.failed is not None and site.failed.names[0] == "load"):
        error.activations += tuple(_activations(failure, error.span))
    return error


def _activations(failure: Failure, span: Span | None) -> Iterator[Activation]:
    lost = failure.site.lost
    if lost is not None:
        yield Activation(lost.procedure.name or "lambda", lost.call.span)
    yield from failure.stack.activations(span)


def _name_procedure(error: SchemeError, site: Site) -> None:
    """Have the message of a standard procedure begin with the name that it was called by."""
    if site.failed is None:
        return
    name, own = site.name_of(site.failed), f"{site.failed.names[0]}:"
    if isinstance(error, ArgumentError):
        error.message = f"{name}: {error.message}"
    elif error.message.startswith(own):
        error.message = f"{name}:{error.message.removeprefix(own)}"


def _hint(site: Site, culprit: Any, operand: Span | None, program: Program) -> str | None:
    if site.name is None or not site.is_direct or site.name in program.bindings:
        return None
    return hints.for_arguments(
        hints.Arguments(site.name, site.operator, site.operands, culprit, hints.text_of(operand))
    )


def _culprit(error: SchemeError) -> Any:
    """The value to blame; `UNKNOWN` if there is none, or more than one."""
    if isinstance(error, UserError | RaisedObject | ReadError | ScmSyntaxError) or not error.irritants:
        return UNKNOWN
    if error.message.startswith("Bad number in a comparison"):
        (listed,) = error.irritants
        return next(iter(listed), UNKNOWN)
    if error.message.startswith("eval: bad function"):
        return UNKNOWN
    if error.message.endswith("bad bounds:"):
        return UNKNOWN  # a pair that nobody wrote
    return error.irritants[0] if len(error.irritants) == 1 else UNKNOWN
