"""Facts found from a procedure alone: its name, its signature and its definition."""

from collections.abc import Mapping
from types import FunctionType

from minischeme.compiler.assembly import info_of
from minischeme.data.cpython import last_constant
from minischeme.data.source import Span
from minischeme.data.values import Procedure, Symbol, Value, intern, list_of, untraced
from minischeme.expansion.core import Define, Lambda, bound_lambdas
from minischeme.primitives.registry import primitive_of
from minischeme.runtime.boxes import Box
from minischeme.runtime.names import scheme_name


def procedure_name(procedure: Value) -> Value:
    """A procedure's name as a symbol, for a message; the procedure itself if it has none."""
    if type(procedure) is not FunctionType:
        return procedure
    known = primitive_of(untraced(procedure))
    if known is not None:
        return intern(known.names[0])
    info = info_of(untraced(procedure).__code__)
    return intern(info.name) if info is not None and info.name is not None else procedure


def naming_expression(value: Value, bindings: Mapping[str, Value]) -> Value:
    """An expression that names a value: a procedure's global name, or the call that made it, such as ``(stop-at 17)``.

    An argument of that call that the procedure does not capture is ``…``, and a procedure of unknown origin ``lambda``.
    `bindings` are the program's globals by their Python names.
    """
    if type(value) is not FunctionType:
        return value
    for python_name, bound in bindings.items():
        if bound is value:
            return intern(scheme_name(python_name))
    procedure = untraced(value)
    info = info_of(procedure.__code__)
    root = info.unit.root if info is not None else None
    if info is None or info.definition is not None or not isinstance(root, Define):
        name = procedure_name(procedure)
        return name if type(name) is Symbol else intern("lambda")
    if not isinstance(root.value, Lambda):
        return intern(root.name)
    known = _captured(procedure)
    parameters = [variable.name for variable in root.value.parameters]
    arguments = [naming_expression(known[name], bindings) if name in known else intern("…") for name in parameters]
    return list_of([intern(root.name), *arguments])


def _captured(procedure: Procedure) -> dict[str, Value]:
    """The variables of the enclosing procedure that a procedure captures, itself or by captured inner procedures."""
    found: dict[str, Value] = {}
    waiting, unit = [procedure], last_constant(procedure.__code__).unit
    while waiting:
        inner = waiting.pop()
        for name, cell in zip(inner.__code__.co_freevars, inner.__closure__ or (), strict=True):
            try:
                value = cell.cell_contents
            except ValueError:  # not defined yet
                continue
            if name in found or type(value) is Box:  # a Box may no longer hold the argument of the call
                continue
            found[name] = value
            info = info_of(value.__code__) if type(value) is FunctionType else None
            if info is not None and info.unit is unit:
                waiting.append(value)
    return found


def signature(procedure: Procedure, called: str | None = None) -> str | None:
    """The signature of a procedure, such as ``(f x . rest)``; None if it is neither compiled nor a primitive.

    `called` is the name to show if the procedure has several or none.
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
    info = info_of(procedure.__code__)
    if info is None or info.procedure is None:
        return None
    rest = [] if info.rest is None else [".", info.rest]
    return f"({' '.join([info.name or called or 'lambda', *info.parameters, *rest])})"


def inner_procedures(value: Value) -> list[str]:
    """The names of the procedures defined inside a procedure that a top-level ``define`` defines."""
    info = info_of(untraced(value).__code__) if type(value) is FunctionType else None
    if info is None or info.definition is None:
        return []
    names = (variable.name for variable in bound_lambdas(info.definition))
    return [name for name in names if name != "do"]  # a loop without a name in the program


def definition_span(procedure: Procedure) -> Span | None:
    """The source of a procedure: its ``define``, or the inner lambda; None for a primitive."""
    info = info_of(untraced(procedure).__code__)
    return None if info is None else (info.definition or info).span
