"""`RecordedRun`: the steps of a run, and the values of every variable and datum at each of them.

Environments and continuations are linked structures that the steps share, so a step costs little and any of them can
be looked at in the same time. What assignments and mutations change is kept in a history by step.
"""

from bisect import bisect_right
from io import StringIO
from typing import Any

import msgspec

from minischeme.compiler.assembly import Unit
from minischeme.data.errors import SchemeError
from minischeme.data.source import Span
from minischeme.data.values import Pair, Record, String, Value, Vector
from minischeme.expansion import core
from minischeme.expansion.core import Lambda, Node, Variable
from minischeme.runtime.boxes import Box, UnassignedCheckBox

DEFAULT_LIMIT = 100_000
"""The number of steps after which a run is ended."""

_MOST_CALLS = 20  # for each step that may be taken: so a loop without steps that can be seen ends, too
_MOST_DATA = 1_000  # inside one another that are looked at for changes


class LimitReached(BaseException):
    """The run has taken as many steps as it may. Not an error: no handler may stop it."""


class RunFrame(msgspec.Struct, eq=False):
    """Variables and the frame around them: those of a call of `procedure`, or of a `let` or a body in it."""

    variables: dict[Variable, Any]  # their values, or boxes of those that may change
    outer: "RunFrame | None"
    unit: Unit  # of the text
    globals: dict[str, Value]
    procedure: Lambda | None = None
    caller: "State | None" = None  # gets the value of the call
    number: int = 0  # of a call

    def inside(self, variables: dict[Variable, Any]) -> "RunFrame":
        """A frame of further variables in this one."""
        return RunFrame(variables, self, self.unit, self.globals)

    def place(self, variable: Variable) -> Any:
        """The value or the box of a variable; None where it is none of the frame and those around it."""
        frame: RunFrame | None = self
        while frame is not None and variable not in frame.variables:
            frame = frame.outer
        return frame.variables[variable] if frame is not None else None

    @property
    def call(self) -> "RunFrame | None":
        """The frame of the call that this one belongs to; None outside of procedures."""
        frame: RunFrame | None = self
        while frame is not None and frame.procedure is None:
            frame = frame.outer
        return frame

    def is_of_procedure_at(self, span: Span | None) -> bool:
        """Whether it belongs to a call of a procedure that is the text of a span, such as a loop that `do` makes."""
        call = self.call
        return call is not None and call.procedure is not None and call.procedure.span == span


class State(msgspec.Struct, eq=False):
    """An expression that is evaluated, the first parts of which have these values, in front of a continuation `outer`.

    It is the continuation of its next part; if there is none, it is a reduction that is about to be made.
    """

    node: Any
    frame: RunFrame
    outer: Any  # a state; None around the whole run
    values: tuple[Value, ...] = ()
    depth: int = 0  # the number of continuations around it
    returns: tuple[int, ...] = ()  # the steps taken when a value arrived, several if the continuation was called again

    def __post_init__(self) -> None:
        self.depth = 0 if self.outer is None else self.outer.depth + 1

    @property
    def part(self) -> Node | None:
        """The expression whose value is waited for; None if it is a call made by a standard procedure."""
        return None if isinstance(self, Entry) else evaluated_parts(self.node)[len(self.values)]

    @property
    def kind(self) -> str:
        """The kind of what is reduced: call, test, bind, assign, define or variable."""
        return _KINDS[type(self.node)]

    @property
    def procedure(self) -> Value:
        """The procedure that a call calls."""
        return self.values[-1 if type(self.node.operator) is core.Global else 0]

    @property
    def arguments(self) -> tuple[Value, ...]:
        """The arguments of a call."""
        return self.values[:-1] if type(self.node.operator) is core.Global else self.values[1:]


class Entry(State, eq=False):
    """The end of the run of a procedure that a standard procedure has called: `values` are the latter and its
    arguments. Without a node, it is the end of the whole run, or of that of the lambda in `values`."""


_KINDS: dict[type[Node], str] = {
    core.Call: "call",
    core.If: "test",
    core.Or: "test",
    core.Sequence: "bind",
    core.SetLocal: "assign",
    core.SetGlobal: "assign",
    core.Define: "define",
    core.Global: "variable",
}


def evaluated_parts(node: Node) -> tuple[Node, ...]:
    """The parts of an expression whose values it needs, in the order of evaluation: a global operator is looked up at
    the end, and a sequence has the values of variables among its parts."""
    if isinstance(node, core.Call):
        is_global = type(node.operator) is core.Global
        return (*node.operands, node.operator) if is_global else (node.operator, *node.operands)
    if isinstance(node, core.Sequence):
        return tuple([part.value if isinstance(part, core.Bind) else part for part in node.parts])
    return () if isinstance(node, Lambda) else core.children(node)[:1]


class RecordedRun:
    """The run of a text: its steps, and its value or the error that ended it.

    `ending` tells why there is neither: the limit was reached, or the program has called `exit`. `first_assignment` is
    the step from which on variables may have changed. Without a text, nothing is recorded.
    """

    def __init__(self, text: str = "", limit: int = DEFAULT_LIMIT) -> None:
        self.text = text
        self.limit = limit
        self.steps: list[State] = []
        self.output = ""
        self.printed: list[int] = []  # the number of characters of the output before each step, and at the end
        self.value: Value | None = None
        self.values: list[tuple[int, Value]] = []  # of the forms, each with the number of steps until then
        self.error: SchemeError | None = None
        self.ending = ""
        self.first_assignment: int | None = None
        self.tape = StringIO()  # receives the output while the run is recorded
        self.calls = 0
        self.spellings: dict[int, tuple[Value, str, int]] = {}
        """The names by which the program has mentioned procedures, each since which step."""
        self.globals_seen: dict[str, dict[str, Value]] = {}
        """The globals that it has used as variables, each with the dict that it stands in."""
        self._history: dict[object, list[tuple[int, Any]]] = {}
        self._kept: list[Any] = []

    def note_step(self, step: State) -> None:
        """Record a step."""
        if len(self.steps) >= self.limit:
            raise LimitReached
        if self.text:
            self.steps.append(step)
            self.printed.append(self.tape.tell())

    def note_call(self) -> int:
        """Count a call of the program's procedures, and return its number."""
        self.calls += 1
        if self.text and self.calls > self.limit * _MOST_CALLS:
            raise LimitReached
        return self.calls

    def note_change(self, key: object, holder: Any, before: Any) -> None:
        """Record what a variable or datum held `before` the change that is being made."""
        if self.text:
            self._kept.append(holder)  # so that no other object takes its identity
            self._history.setdefault(key, []).append((len(self.steps), before))

    def mutable_data(self, values: tuple[Value, ...]) -> list[tuple[Value, tuple[Any, ...]]]:
        """The data in values that can be changed, each with its parts."""
        found: dict[int, tuple[Value, tuple[Any, ...]]] = {}
        waiting = list(values) if self.text else []
        while waiting and len(found) < _MOST_DATA:
            datum = waiting.pop()
            if isinstance(datum, Pair | Vector | Record | String) and id(datum) not in found:
                found[id(datum)] = datum, _contents(datum)
                waiting += found[id(datum)][1]
        return list(found.values())

    def note_mutations(self, before: list[tuple[Value, tuple[Any, ...]]]) -> None:
        """Record which data no longer have the parts that they had before."""
        for datum, parts in before:
            if list(map(id, _contents(datum))) != list(map(id, parts)):
                self.note_change(id(datum), datum, parts)

    def at(self, number: int, key: object, now: Any) -> Any:
        """The value that a variable or datum had at a step, given the one that it has `now`."""
        history = self._history.get(key, ())
        index = bisect_right(history, number, key=lambda change: change[0])
        return history[index][1] if index < len(history) else now

    def variable(self, number: int, frame: RunFrame, variable: Variable) -> Any:
        """The value of a local variable at a step; None if it has none yet or is unknown."""
        place = frame.place(variable)
        is_box = isinstance(place, Box | UnassignedCheckBox)
        return self.at(number, id(place), getattr(place, "value", None)) if is_box else place

    def contents(self, number: int, datum: Value) -> tuple[Any, ...]:
        """The parts of a pair, vector, string or record at a step."""
        found: tuple[Any, ...] = self.at(number, id(datum), _contents(datum))
        return found


def _contents(datum: Value) -> tuple[Any, ...]:
    if type(datum) is Pair:
        return datum.car, datum.cdr
    if type(datum) is String:
        return (datum.text,)
    return tuple(datum if type(datum) is Vector else datum.fields)
