"""The procedures that the forms `trace` and `untrace` call. Their names begin with %: they are not for programs."""

from collections.abc import Callable
from types import FunctionType
from typing import Protocol

from minischeme.data import values
from minischeme.data.errors import SchemeError
from minischeme.data.values import UNSPECIFIED, Procedure, Symbol, Value, list_of
from minischeme.primitives.registry import primitive


class CallTracing(Protocol):
    """The session's tracer."""

    collector: Callable[[str, Procedure], Procedure] | None

    def wrapper(self, name: str, procedure: Procedure) -> Procedure: ...
    def names(self) -> list[Value]: ...
    def untrace_all(self) -> None: ...
    def trace_inner(self, inner: str, outer: str) -> None: ...
    def untrace_inner(self, inner: str, outer: str) -> None: ...


@primitive("%traced")
def traced(name: Symbol, procedure: Value, *, tracer: CallTracing) -> Value:
    """The wrapper that `trace` puts in the place of a procedure."""
    return tracer.wrapper(name.name, procedure)


@primitive("%collected")
def collected(name: Symbol, procedure: Value, *, tracer: CallTracing) -> Value:
    """What stands in the place of a procedure inside another while a tree of calls is made."""
    collector = tracer.collector if type(procedure) is FunctionType else None
    return procedure if collector is None else collector(name.name, procedure)


@primitive("%untraced")
def untraced(name: Symbol, procedure: Value) -> Value:
    """The procedure behind the wrapper that `trace` put in its place."""
    found = values.untraced(procedure)
    if found is procedure:
        raise SchemeError(f"untrace: {name.name} is not traced")
    return found


@primitive("%restored")
def restored(name: Symbol, *, restore: Callable[[str], None]) -> Value:
    """Forget the program's binding of a name if it is the library's own again."""
    restore(name.name)
    return UNSPECIFIED


@primitive("%trace-all")
def traced_names(*, tracer: CallTracing) -> Value:
    """The names that are traced."""
    return list_of(tracer.names())


@primitive("%untrace-all")
def untrace_all(*, tracer: CallTracing) -> Value:
    """End all tracing."""
    tracer.untrace_all()
    return UNSPECIFIED


@primitive("%trace-inner")
def trace_inner(inner: Symbol, outer: Symbol, *, tracer: CallTracing) -> Value:
    """Trace a procedure that is defined inside another."""
    tracer.trace_inner(inner.name, outer.name)
    return UNSPECIFIED


@primitive("%untrace-inner")
def untrace_inner(inner: Symbol, outer: Symbol, *, tracer: CallTracing) -> Value:
    """End the tracing of a procedure that is defined inside another."""
    tracer.untrace_inner(inner.name, outer.name)
    return UNSPECIFIED
