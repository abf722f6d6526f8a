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
from minischeme.expansion.core import Bind, Lambda, Node, Variable, bound_lambdas, children
from minischeme.runtime.boxes import Box, UnassignedCheckBox


@dataclass(eq=False, slots=True)
class EnvironmentFrame:
    """A frame: the variables of one call of a procedure. The last frame around all is that of the globals."""

    name: str | None = None
    order: list[str] = field(default_factory=list)  # the names of all its variables as they stand in the program
    values: dict[str, Value] = field(default_factory=dict)  # those that are known
    enclosing: "EnvironmentFrame | None" = None
    globals: dict[str, Value] | None = None  # in the global frame, all globals by their Python names

    def variables(self) -> list[tuple[str, Value]]:
        return [(name, self.values[name]) for name in dict.fromkeys(self.order) if name in self.values]


class Frames:
    """The frames of a picture: the same ones for procedures that share variables."""

    def __init__(self) -> None:
        self._by_cell: dict[int, EnvironmentFrame] = {}
        self._global: dict[int, EnvironmentFrame] = {}
        self._kept: list[object] = []  # what the frames are known by

    def of_globals(self, bindings: dict[str, Value]) -> EnvironmentFrame:
        return self._global.setdefault(id(bindings), EnvironmentFrame(globals=bindings))

    def around(self, procedure: Procedure) -> EnvironmentFrame:
        """The frame that encloses a compiled procedure."""
        return self._around(procedure, {})

    def _around(self, procedure: Procedure, known: dict[Lambda | None, EnvironmentFrame]) -> EnvironmentFrame:
        frame = self.of_globals(procedure.__globals__)
        info = info_of(procedure.__code__)
        if info is None or info.procedure is None or info.definition is not None:
            return frame
        self._kept.append(procedure.__closure__)
        binders = {variable: owner for node, owner in _inside(info.unit.root) for variable in _bound(node)}
        captured = list(_captured(procedure, info))
        for owner in reversed(list(_owners(info))):
            cells = [cell for cell in captured if binders[cell[0]] is owner]
            if not cells:
                continue
            found = known.get(owner) or next((self._by_cell[key] for *_, key in cells if key in self._by_cell), None)
            if found is None:
                name = _written_name(owner.name, info) if owner is not None else None
                found = EnvironmentFrame(name, [each.name for each in binders if binders[each] is owner], {}, frame)
            frame = found
            for variable, value, key in cells:
                self._by_cell[key] = frame
                if variable.name not in frame.values:
                    frame.values[variable.name] = value
                    self._join(variable, value, info, {**known, owner: frame})
        for variable, bound in bound_lambdas(info.unit.root).items():
            if bound is info.procedure and variable.name in frame.order:  # it is itself defined in this frame
                frame.values.setdefault(variable.name, procedure)
        return frame

    def _join(
        self, variable: Variable, value: Value, info: CodeInfo, known: dict[Lambda | None, EnvironmentFrame]
    ) -> None:
        """Put what a procedure that is defined in a frame keeps of that frame into it, too."""
        inner = info_of(value.__code__) if type(value) is FunctionType else None
        if inner is not None and inner.procedure is bound_lambdas(info.unit.root).get(variable):
            self._around(value, known)


def _captured(procedure: Procedure, info: CodeInfo) -> Iterator[tuple[Variable, Value, int]]:
    """The variables that a procedure keeps, each with its value and the identity of its cell."""
    variables = {name: variable for variable, name in Names.of_unit(info.unit).variables.items()}
    for name, cell in zip(procedure.__code__.co_freevars, procedure.__closure__ or (), strict=True):
        variable = variables.get(name)
        if variable is None or _written_name(variable.name, info) is None:
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


def _inside(root: Node) -> Iterator[tuple[Node, Lambda | None]]:
    """The parts of an expression in order, each with the innermost lambda around it, or the lambda that it is."""
    waiting: list[tuple[Node, Lambda | None]] = [(root, None)]
    while waiting:
        node, owner = waiting.pop()
        owner = node if isinstance(node, Lambda) else owner
        yield node, owner
        waiting += [(part, owner) for part in reversed(children(node))]


def _bound(node: Node) -> tuple[Variable, ...]:
    return node.all_parameters if isinstance(node, Lambda) else (node.variable,) if isinstance(node, Bind) else ()


def _owners(info: CodeInfo) -> Iterator[Lambda | None]:
    """The lambdas around a procedure, innermost first, then None for the form itself."""
    around = {part: owner for node, owner in _inside(info.unit.root) for part in children(node)}
    node: Node | None = info.procedure
    while node is not None:
        owner = node = around.get(node)
        yield owner


def _written_name(name: str | None, info: CodeInfo) -> str | None:
    """A name, unless it does not stand in the text of the program: an expansion has made it."""
    span = info.unit.root.span
    if name is None or span is None:
        return None
    return name if span.mentions(name) or (name.startswith("my-") and span.mentions(name[3:])) else None
