"""Python names for the bindings of a top-level form."""

from collections.abc import Collection
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from minischeme.compiler.tail_inlining import globals_of
from minischeme.expansion import core
from minischeme.expansion.core import Bind, Lambda, Node, Variable
from minischeme.runtime.names import python_name

if TYPE_CHECKING:
    from minischeme.compiler.assembly import Unit


class Names:
    """Unique Python names for a form's variables and lambdas, distinct from the globals that it mentions.

    They depend on nothing but the form, so that recompiled code fits the closures of the code before.
    """

    TOPLEVEL = "'toplevel"
    RESUME = "'resume"
    TEMPORARY = "'t"
    JUMP = "'jump"

    def __init__(self, root: Node, globals_: AbstractSet[str], inlined: Collection[Lambda] = ()) -> None:
        self.variables: dict[Variable, str] = {}
        self.lambdas: dict[Lambda, str] = {}
        self._taken = {python_name(name) for name in globals_}
        self._numbers: dict[str, int] = {}
        self._declare_all(root)
        self._taken.update(python_name(name) for procedure in inlined for name in globals_of(procedure))
        for procedure in inlined:
            self._declare_all(procedure)
        self._locals = set(self.variables.values())

    def _declare_all(self, root: Node) -> None:
        waiting = [root]
        while waiting:
            node = waiting.pop()
            if type(node) is Lambda:
                self.lambdas[node] = self._fresh(node.name or "lambda")
                for parameter in node.all_parameters:
                    self._declare(parameter)
            elif type(node) is Bind:
                self._declare(node.variable)
            waiting += reversed(core.children(node))

    @classmethod
    def of_unit(cls, unit: "Unit") -> "Names":
        """The names in a unit of compilation; in that of a resume function, those of the form as it was written."""
        resumes = unit.resumes
        if resumes is not None:
            return resumes.function.form.names
        return cls(unit.root, unit.summary.globals, unit.inlined.values())

    def never_changes(self, name: str) -> bool:
        """Whether a Python name is a local that keeps its value once it has one."""
        return name.startswith(self.TEMPORARY) or name in self._locals

    def _declare(self, variable: Variable) -> None:
        if variable not in self.variables:
            self.variables[variable] = self._fresh(variable.name)

    def _fresh(self, base: str) -> str:
        base = python_name(base)
        name, number = base, self._numbers.get(base, 1)
        while name in self._taken:
            number += 1
            name = f"{base}'{number}"
        self._numbers[base] = number
        self._taken.add(name)
        return name
