"""`ValueWriter`: values as they were at a step, as pieces of code."""

import re
from types import FunctionType

from minischeme.data.cpython import last_constant
from minischeme.data.printer import write
from minischeme.data.values import NIL, MultipleValues, Pair, Promise, Record, String, Symbol, Value, Vector, untraced
from minischeme.expansion.core import Lambda
from minischeme.primitives.registry import primitive_of
from minischeme.stepping.recording import RecordedRun
from minischeme.stepping.written import written_name

_LONGEST = 60  # characters of a list, about
_ADDRESS = re.compile(r" [0-9a-f]{6,}(?=\])")


class ValueWriter:
    """Texts of the values of a recorded run."""

    def __init__(self, run: RecordedRun) -> None:
        self._run = run

    def quoted(self, value: Value, number: int) -> str:
        """A value at a step as an expression that gives it."""
        text = self.text(value, number)
        return f"'{text}" if isinstance(value, Symbol | Pair | Vector) or value is NIL else text

    def text(self, value: Value, number: int, room: int = _LONGEST) -> str:
        """A value at a step, as `write` shows it; a procedure by the name that the program has for it."""
        kind = type(value)
        if kind is Pair:
            items: list[Value] = []
            while type(value) is Pair and len(items) < room:
                item, value = self._run.contents(number, value)
                items.append(item)
            return f"({self._texts(items, value, number, room)})"
        if kind is Vector:
            return f"#({self._texts(self._run.contents(number, value), NIL, number, room)})"
        if kind is Record:
            return f"#[{value.kind.name} {self._texts(self._run.contents(number, value), NIL, number, room)}]"
        if kind is MultipleValues:
            return f"(values {self._texts(value.items, NIL, number, room)})"
        if kind is FunctionType:
            is_continuation = value.__code__.co_name == "continuation"
            return self.procedure_name(value, number) or ("#[continuation]" if is_continuation else "#[procedure]")
        if kind is String:
            value = String(*self._run.contents(number, value))
        return "#[promise]" if kind is Promise else _ADDRESS.sub("", write(value))

    def _texts(self, items: list[Value] | tuple[Value, ...], rest: Value, number: int, room: int) -> str:
        """The texts of items, with a rest behind a dot; an ellipsis stands for what has no room."""
        shown: list[str] = []
        for item in items:
            if room <= 0:
                return " ".join([*shown, "…"])
            shown.append(self.text(item, number, room - 1))
            room -= len(shown[-1]) + 1
        return " ".join(shown if rest is NIL else [*shown, ".", self.text(rest, number, room)])

    def procedure_name(self, procedure: Value, number: int) -> str | None:
        """The name that the program's text has for a procedure, as far as it is known at a step."""
        known, name, since = self._run.spellings.get(id(procedure), (None, None, 0))
        spelt = name if known is procedure and since <= number else None
        procedure = untraced(procedure)
        primitive = primitive_of(procedure)
        if primitive is not None:
            return spelt or (None if primitive.names[0].startswith("%") else primitive.names[0])
        made_by = getattr(last_constant(procedure.__code__), "procedure", None)
        return written_name(made_by) or spelt if isinstance(made_by, Lambda) else spelt
