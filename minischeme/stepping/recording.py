"""`RecordedRun`: the steps of a run, and what every variable and every pair held at each of them.

Environments and continuations are linked structures that the steps share, so a step costs little and any of them can
be looked at in the same time. What assignments and mutations change is kept in a history by step.
"""

from bisect import bisect_right
from io import StringIO
from typing import Any

import msgspec

from minischeme.compiler.assembly import Unit
from minischeme.data.errors import SchemeError
from minischeme.data.values import Pair, Record, String, Value, Vector
from minischeme.expansion import core
from minischeme.expansion.core import Lambda, Node, Variable
from minischeme.runtime.boxes import Box, UnassignedCheckBox

DEFAULT_LIMIT = 100_000
"""The number of steps after which a run is ended."""


class RunFrame:
    """Variables and the frame around them: those of a call of `procedure`, or of a `let` or a body in it.

    `variables` has the values, or boxes of variables that may change; `unit` and `globals` are those of the text.
    `waiting` is what gets the value of the call; a frame of a call has a `number` of its own.
    """

    __slots__ = ("globals", "number", "outer", "procedure", "unit", "variables", "waiting")

    def __init__(self, variables: dict[Variable, Value], outer: "RunFrame | None", unit: Unit, globals_: Any) -> None:
        self.variables = variables
        self.outer = outer
        self.unit = unit
        self.globals: dict[str, Value] = globals_
        self.procedure: Lambda | None = None
        self.waiting: Waiting | None = None
        self.number = 0

    def inside(self, variables: dict[Variable, Value]) -> "RunFrame":
        """A frame of further variables in this one."""
        return RunFrame(variables, self, self.unit, self.globals)

    def place(self, variable: Variable) -> Any:
        """The value or the box of a variable; a KeyError where it is none of the frame and those around it."""
        frame: RunFrame | None = self
        while frame is not None:
            if variable in frame.variables:
                return frame.variables[variable]
            frame = frame.outer
        raise KeyError(variable)

    @property
    def call(self) -> "RunFrame | None":
        """The frame of the call that this one belongs to; None outside of procedures."""
        frame: RunFrame | None = self
        while frame is not None and frame.procedure is None:
            frame = frame.outer
        return frame


class Waiting:
    """A continuation: an expression that waits for the value of a part of it, in front of the continuation `outer`;
    `depth` counts those around it.
    `values` are those of the operands so far, `index` is the part of a sequence. `returns` are the numbers of steps
    taken when the value arrived, more than one if a continuation was called again.
    """

    __slots__ = ("depth", "frame", "index", "node", "outer", "returns", "values")

    def __init__(
        self,
        node: Node | None,
        frame: RunFrame,
        outer: "Waiting | None",
        values: tuple[Value, ...] = (),
        index: int = 0,
    ) -> None:
        self.node = node
        self.frame = frame
        self.outer = outer
        self.depth: int = 0 if outer is None else outer.depth + 1
        self.values = values
        self.index = index
        self.returns: tuple[int, ...] = ()

    @property
    def part(self) -> Node | None:
        """The expression whose value is waited for; None if it is a call made by a standard procedure."""
        node = self.node
        if isinstance(self, Entry) or node is None:
            return None
        if isinstance(node, core.Call):
            return evaluated_parts(node)[len(self.values)]
        if isinstance(node, core.Sequence):
            part = node.parts[self.index]
            return part.value if isinstance(part, core.Bind) else part
        return core.children(node)[0]


class Entry(Waiting):
    """The end of the run of a procedure that a standard procedure has called: `values` are the latter and its
    arguments. Without a node, it is the end of the whole run."""

    __slots__ = ()


class Step(msgspec.Struct, frozen=True, eq=False):
    """A reduction that is about to be made."""

    kind: str  # call, test, bind, assign, define or variable
    node: Node
    frame: RunFrame
    waiting: Waiting
    values: tuple[Value, ...]  # of a call, the procedure and its arguments; else the value of the part evaluated
    printed: int  # the number of characters of the output before it


class RecordedRun:
    """The run of some expressions: its steps, and its value or the error that ended it.

    `ending` tells why there is neither: the limit was reached, or the program has called `exit`.
    """

    def __init__(self, text: str, name: str, limit: int = DEFAULT_LIMIT) -> None:
        self.text = text
        self.name = name
        self.limit = limit
        self.steps: list[Step] = []
        self.output = ""
        self.value: Value | None = None
        self.error: SchemeError | None = None
        self.ending = ""
        self.first_assignment: int | None = None
        self.spellings: dict[int, tuple[Value, str, int]] = {}
        """The names by which the program has mentioned procedures, each since which step."""
        self.globals_seen: dict[str, dict[str, Value]] = {}
        """The globals that it has used as variables, each with the dict that it stands in."""
        self.tape: StringIO | None = None  # receives the output while the run is recorded
        self._frames = 0
        self._history: dict[object, list[tuple[int, Any]]] = {}
        self._kept: list[Any] = []

    def next_number(self) -> int:
        """The number of a new frame."""
        self._frames += 1
        return self._frames

    def printed(self) -> int:
        """The number of characters printed so far."""
        return self.tape.tell() if self.tape is not None else len(self.output)

    # ── the state at a step ──────────────────────────────────────────────────────────────────────────────────────

    def note_change(self, key: object, holder: Any, before: Any) -> None:
        """Record what a variable or datum held `before` the change that is being made."""
        history = self._history.setdefault(key, [])
        if not history:
            self._kept.append(holder)  # so that no other object takes its identity
        history.append((len(self.steps), before))

    def at(self, number: int, key: object, now: Any) -> Any:
        """The value that a variable or datum had at a step, given the one that it has `now`."""
        history = self._history.get(key)
        if history is None:
            return now
        index = bisect_right(history, number, key=lambda change: change[0])
        return history[index][1] if index < len(history) else now

    def variable(self, number: int, frame: RunFrame, variable: Variable) -> Any:
        """The value of a local variable at a step; None if it has none yet or is unknown."""
        try:
            place = frame.place(variable)
        except KeyError:
            return None
        if type(place) is Box or type(place) is UnassignedCheckBox:
            return self.at(number, id(place), getattr(place, "value", None))
        return place

    def contents(self, number: int, datum: Value) -> tuple[Any, ...]:
        """The parts of a pair, vector, string or record at a step."""
        found: tuple[Any, ...] = self.at(number, id(datum), contents(datum))
        return found

    def changes(self) -> list[int]:
        """The numbers of the steps that change a variable or datum, in order."""
        return sorted({number - 1 for history in self._history.values() for number, _ in history})


def contents(datum: Value) -> tuple[Any, ...]:
    """The parts of a datum that can be changed."""
    if type(datum) is Pair:
        return datum.car, datum.cdr
    if type(datum) is Vector:
        return tuple(datum)
    if type(datum) is Record:
        return tuple(datum.fields)
    return (datum.text,) if type(datum) is String else ()


def evaluated_parts(call: core.Call) -> tuple[Node, ...]:
    """The parts of a call in the order of evaluation: a global operator is looked up at the end."""
    return call.operands if type(call.operator) is core.Global else (call.operator, *call.operands)
