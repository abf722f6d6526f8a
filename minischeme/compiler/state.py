"""The state of code generation: the Python function being made, the loops open in it, and where values go."""

from __future__ import annotations

import ast
from collections.abc import MutableMapping

import msgspec

from minischeme.expansion.core import Call, Lambda, Node, Variable


class Loop(msgspec.Struct, eq=False):
    """A ``while True:`` under construction.

    Args: parameters: the variables that each turn sets. parent: the loop around.

    `jumps` are the loops further out that its body goes on with; `normal_exits` the places where it ends with a value.
    """

    parameters: tuple[Variable, ...]
    parent: Loop | None
    jumps: list[Loop] = []
    normal_exits: list[tuple[list[ast.stmt], ast.stmt]] = []


class Destination(msgspec.Struct, frozen=True, eq=False):
    """Where the value of an expression goes.

    Args: target: a local's name, None if the value is not wanted. returns: to the caller, as the procedure's value.
    exits_loop: the loop that the value ends, if any.
    """

    target: str | None = None
    returns: bool = False
    exits_loop: Loop | None = None


RETURN = Destination(returns=True)
IGNORE = Destination()


class SpilledValue(Node, frozen=True, eq=False):
    """An operand that was computed before a resume function began, its parameter with that index."""

    index: int


class FunctionState(msgspec.Struct, eq=False):
    """The Python function being compiled: its names, its statements so far, and the loops that are open in it.

    `sites` and `spilled` are what a continuation needs to go on in the middle of it: the calls that may be returned
    from more than once, with the locals that hold the values of operands then.
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
