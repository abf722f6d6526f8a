"""The state of code generation: the Python function being made, the loops open in it, and destinations of values."""

import ast
from collections.abc import MutableMapping

import msgspec

from minischeme.expansion.core import Call, Lambda, Node, Variable


class Loop(msgspec.Struct, eq=False):
    """A ``while True:`` under construction, inside the loop `parent`.

    `parameters` are the variables that each turn sets, and `jumps` the outer loops that its body continues.
    """

    parameters: tuple[Variable, ...]
    parent: "Loop | None"
    jumps: "list[Loop]" = []


class Destination(msgspec.Struct, frozen=True, eq=False):
    """The destination of a value.

    `target` is the name of a local, or None if the value is not wanted. `returns` makes it the procedure's value, and
    `ends_loop` tells that it ends a loop.
    """

    target: str | None = None
    returns: bool = False
    ends_loop: bool = False


RETURN = Destination(returns=True)
IGNORE = Destination()


class SpilledValue(Node, frozen=True, eq=False):
    """An operand computed before a resume function began: its parameter with that index."""

    index: int


class FunctionState(msgspec.Struct, eq=False):
    """The Python function being compiled: its names, its statements so far, and the loops that are open in it.

    Continuations use `sites`, the calls that may return more than once with the locals that hold the values of operands
    then, and `spilled`, the locals of operands in use. `is_inlining` tells that an inlined tail call is being compiled.
    """

    procedure: Lambda | None
    out: list[ast.stmt] = []
    temporaries: int = 0
    sites: list[tuple[Call, MutableMapping[Node, str]]] = []
    spilled: MutableMapping[Node, str] = {}
    globals: set[str] = set()
    loop: Loop | None = None
    loops: dict[Variable, Loop] = {}
    own_loop: Loop | None = None
    has_element_loops: bool = False
    is_inlining: bool = False
