"""What is known of a procedure from the procedure alone: its name, how it is called, where it is defined."""

from __future__ import annotations

from types import FunctionType

from minischeme.compiler.assembly import Origin, origin_of
from minischeme.core import Define
from minischeme.primitives.registry import primitive_of
from minischeme.source import Span
from minischeme.values import Procedure, Value, intern


def untraced(procedure: Procedure) -> Procedure:
    """The procedure behind the wrapper of `trace`; any other procedure itself."""
    found: Procedure = procedure.__dict__.get("traced", procedure)
    return found


def procedure_name(procedure: Value) -> Value:
    """A procedure's name as a symbol, for a message; the procedure itself if it has none."""
    if type(procedure) is not FunctionType:
        return procedure
    known = primitive_of(untraced(procedure))
    if known is not None:
        return intern(known.names[0])
    origin = origin_of(untraced(procedure).__code__)
    return intern(origin.name) if origin is not None and origin.name is not None else procedure


def signature(procedure: Procedure, called: str | None = None) -> str | None:
    """How a procedure is called, such as ``(f x . rest)``; None if it is neither compiled nor a primitive.

    Args: called: the name to show, for one that has several or none.
    """
    procedure = untraced(procedure)
    known = primitive_of(procedure)
    if known is not None:
        least, most = known.arity
        required, optional = known.parameters[:least], known.parameters[least:]
        shown = [*required, *(f"[{name}]" for name in (optional if most is not None else optional[:-1]))]
        if most is None:
            shown.append(f"{optional[-1]} …")
        return f"({' '.join([called if called in known.names else known.names[0], *shown])})"
    origin = origin_of(procedure.__code__)
    if origin is None or origin.procedure is None:
        return None
    rest = [] if origin.rest is None else [".", origin.rest]
    return f"({' '.join([origin.name or called or 'lambda', *origin.parameters, *rest])})"


def definition_of(origin: Origin) -> Span | None:
    """The text that a procedure comes from: its ``define``, or the lambda inside another procedure."""
    root = origin.unit.root
    if isinstance(root, Define) and root.value is origin.procedure:
        return root.span
    return origin.span
