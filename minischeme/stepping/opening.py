"""The opening of procedures of the program: their lambda, and their captured variables as a frame."""

from types import FunctionType

from minischeme.compiler.assembly import info_of
from minischeme.compiler.names import Names
from minischeme.data.cpython import last_constant
from minischeme.data.values import Value
from minischeme.expansion import core
from minischeme.expansion.core import Lambda
from minischeme.modules.files import library_file
from minischeme.primitives.registry import primitive_of
from minischeme.stepping.recording import RunFrame

OWN_FRAME = ("'frame",)
"""The captured variables of the procedures that a machine makes: one, whose value is a `RunFrame`."""


def own_parts(procedure: Value) -> tuple[Lambda, RunFrame] | None:
    """The lambda of a procedure that a machine has made, and the frame that it captures; None for any other value."""
    if type(procedure) is not FunctionType or procedure.__code__.co_freevars != OWN_FRAME:
        return None
    return last_constant(procedure.__code__).procedure, procedure.__closure__[0].cell_contents  # type: ignore[index]


def opened(procedure: Value) -> tuple[Lambda, RunFrame] | None:
    """The lambda of a compiled procedure, and the frame that it captures; None for one that is called as it is: of the
    library, traced, or compiled in a way that leaves out a variable."""
    info = info_of(procedure.__code__)
    if info is None or info.procedure is None or info.unit.resumes is not None or primitive_of(procedure) is not None:
        return None
    if info.span is None or library_file(info.span.source.name) is not None:
        return None
    cells = dict(zip(procedure.__code__.co_freevars, procedure.__closure__ or (), strict=True))
    names = Names.of_unit(info.unit).variables if info.definition is None else {}
    frame = RunFrame({}, None, info.unit, procedure.__globals__)
    mentioned = {node.variable for node in core.nodes(info.procedure) if isinstance(node, core.Local | core.SetLocal)}
    for variable in mentioned.difference(core.bound_variables(info.procedure)):
        try:
            frame.variables[variable] = cells[names[variable]].cell_contents
        except (KeyError, ValueError):  # a cell may be empty
            return None
    if frame.variables:  # of the call that has made it, as far as that is known
        around = core.parents(info.unit.root)
        node = around[info.procedure]
        while not isinstance(node, Lambda) and node in around:
            node = around[node]
        frame.procedure = node if isinstance(node, Lambda) else None
    return info.procedure, frame
