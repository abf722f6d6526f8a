"""What the forms `trace` and `untrace` call. The names begin with %: they are not for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from minischeme.data.errors import SchemeError
from minischeme.data.values import UNSPECIFIED, Symbol, Value, list_of
from minischeme.primitives.registry import primitive

if TYPE_CHECKING:
    from minischeme.session.session import Session


@primitive("%traced")
def traced(name: Symbol, procedure: Value, *, session: Session) -> Value:
    """The wrapper that `trace` puts in the place of a procedure."""
    return session.tracer.wrapper(name.name, procedure)


@primitive("%collected")
def collected(name: Symbol, procedure: Value, *, session: Session) -> Value:
    """What stands in the place of a procedure inside another while a tree of calls is made."""
    collector = session.tracer.collector
    return procedure if collector is None else collector(name.name, procedure)


@primitive("%untraced")
def untraced(name: Symbol, procedure: Value) -> Value:
    """The procedure behind the wrapper that `trace` put in its place."""
    found = getattr(procedure, "__dict__", {}).get("traced")
    if found is None:
        raise SchemeError(f"untrace: {name.name} is not traced")
    return found


@primitive("%restored")
def restored(name: Symbol, *, session: Session) -> Value:
    """Forget the program's binding of a name if it is the library's own again."""
    session.restore(name.name)
    return UNSPECIFIED


@primitive("%trace-all")
def traced_names(*, session: Session) -> Value:
    """The names that are traced."""
    return list_of(session.tracer.names())


@primitive("%untrace-all")
def untrace_all(*, session: Session) -> Value:
    """End all tracing."""
    session.tracer.untrace_all()
    return UNSPECIFIED


@primitive("%trace-inner")
def trace_inner(inner: Symbol, outer: Symbol, *, session: Session) -> Value:
    """Trace a procedure that is defined inside another."""
    session.tracer.trace_inner(inner.name, outer.name)
    return UNSPECIFIED


@primitive("%untrace-inner")
def untrace_inner(inner: Symbol, outer: Symbol, *, session: Session) -> Value:
    """End the tracing of a procedure that is defined inside another."""
    session.tracer.untrace_inner(inner.name, outer.name)
    return UNSPECIFIED
