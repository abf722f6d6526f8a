"""Environments of compiled procedures, as frames (SICP 3.2): which variables they hold, and what encloses them.

A compiled procedure keeps a cell for each variable that it uses. The procedures of one call share these cells, so a
cell tells the frame. A frame shows no more of its variables than some procedure keeps.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from types import FunctionType

from minischeme.compiler.assembly import CodeInfo, info_of
from minischeme.compiler.names import Names
from minischeme.data.values import Procedure, Value
from minischeme.expansion import core
from minischeme.expansion.core import Bind, Lambda, Variable
from minischeme.runtime.boxes import Box, UnassignedCheckBox


@dataclass(eq=False, slots=True)
class EnvironmentFrame:
    """A frame: the variables of one call of a procedure. The last frame around all is that of the globals."""

    name: str | None = None
    variables: dict[str, Value | None] = field(default_factory=dict)  # in the program's order; None if not known
    enclosing: "EnvironmentFrame | None" = None
    globals: dict[str, Value] | None = None  # in the global frame, all globals by their Python names

    def known_variables(self) -> list[tuple[str, Value]]:
        return [(name, value) for name, value in self.variables.items() if value is not None]


class Frames:
    """The frames of a picture: the same ones for procedures that share variables."""

    def __init__(self) -> None:
        self._by_cell: dict[int, EnvironmentFrame] = {}
        self._global: dict[int, EnvironmentFrame] = {}
        self._kept: list[object] = []  # what the frames are known by

    def of_globals(self, bindings: dict[str, Value]) -> EnvironmentFrame:
        return self._global.setdefault(id(bindings), EnvironmentFrame(globals=bindings))

    def around(
        self, procedure: Procedure, known: dict[Lambda | None, EnvironmentFrame] | None = None
    ) -> EnvironmentFrame:
        """The frame that encloses a compiled procedure, inside those that are known for the lambdas around it."""
        frame, info = self.of_globals(procedure.__globals__), info_of(procedure.__code__)
        if info is None or info.procedure is None or info.definition is not None:
            return frame
        self._kept.append(procedure.__closure__)
        frames, lambdas, owners = dict(known or {}), core.bound_lambdas(info.unit.root), _owners(info)
        captured = list(_captured(procedure, info))
        for owner in _lambdas_around(info):
            cells = [cell for cell in captured if owners[cell[0]] is owner]
            if not cells:
                continue
            found = frames.get(owner) or next((self._by_cell[key] for *_, key in cells if key in self._by_cell), None)
            if found is None:
                name = owner.name if owner is not None and _is_written(owner.name, info) else None
                own = (variable.name for variable, each in owners.items() if each is owner)
                found = EnvironmentFrame(name, dict.fromkeys(own), frame)
            frame = frames[owner] = found
            for variable, value, key in cells:
                self._by_cell[key] = frame
                if frame.variables.get(variable.name) is None:
                    frame.variables[variable.name] = value
                    inner = info_of(value.__code__) if type(value) is FunctionType else None
                    if inner is not None and inner.procedure is lambdas.get(variable):
                        self.around(value, frames)  # it may keep other variables of this frame
        for variable, procedure_there in lambdas.items():
            if procedure_there is info.procedure and frame.variables.get(variable.name, frame) is None:
                frame.variables[variable.name] = procedure
        return frame


def _captured(procedure: Procedure, info: CodeInfo) -> Iterator[tuple[Variable, Value, int]]:
    """The variables that a procedure keeps, each with its value and the identity of its cell."""
    variables = {name: variable for variable, name in Names.of_unit(info.unit).variables.items()}
    for name, cell in zip(procedure.__code__.co_freevars, procedure.__closure__ or (), strict=True):
        variable = variables.get(name)
        if variable is None or not _is_written(variable.name, info):
            continue
        try:
            value = cell.cell_contents
        except ValueError:  # not defined yet
            continue
        identity = id(cell)
        if type(value) in (Box, UnassignedCheckBox):
            identity, value = id(value), getattr(value, "value", None)
        if value is not None:
            yield variable, value, identity


def _owners(info: CodeInfo) -> dict[Variable, Lambda | None]:
    """The lambdas that bind the variables in a procedure's form, in the order of the program; None for the form."""
    parents, owners = core.parents(info.unit.root), dict.fromkeys(Names.of_unit(info.unit).variables, None)
    for node in core.nodes(info.unit.root):
        if isinstance(node, Lambda):
            owners |= dict.fromkeys(node.all_parameters, node)
        elif isinstance(node, Bind):
            owners[node.variable] = core.lambda_around(node, parents)
    return owners


def _lambdas_around(info: CodeInfo) -> list[Lambda | None]:
    """The form of a procedure, as None, and the lambdas around it, innermost last."""
    parents = core.parents(info.unit.root)
    node, found = info.procedure, []
    while node is not None:
        node = core.lambda_around(node, parents)
        found.append(node)
    return found[::-1]


def _is_written(name: str | None, info: CodeInfo) -> bool:
    """Whether a name stands in the text of the program, and was not made by an expansion."""
    span = info.unit.root.span
    if name is None or span is None:
        return False
    return span.mentions(name) or (name.startswith("my-") and span.mentions(name[3:]))
