"""`ValueWriter`: values as they were at a step, as pieces of code."""

import re
from collections.abc import Sequence
from types import FunctionType

from minischeme.data.cpython import last_constant
from minischeme.data.printer import write
from minischeme.data.values import NIL, MultipleValues, Pair, Promise, Record, Symbol, Value, Vector, intern, untraced
from minischeme.expansion.core import Lambda
from minischeme.primitives.registry import primitive_of
from minischeme.stepping.recording import RecordedRun
from minischeme.stepping.written import mentions

_DEEPEST = 8
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

    def text(self, value: Value, number: int) -> str:
        """A value at a step, as `write` shows it; a procedure by the name that the program has for it."""
        pieces: list[str] = []
        self._add(value, number, pieces, _DEEPEST)
        return "".join(pieces)

    def _add(self, value: Value, number: int, pieces: list[str], depth: int) -> None:
        kind = type(value)
        if kind is Pair:
            items: list[Value] = []
            while type(value) is Pair and len(items) < _LONGEST:
                item, value = self._run.contents(number, value)
                items.append(item)
            self._add_items("(", items, value, number, pieces, depth)
        elif kind is Vector or kind is Record:
            start = "#(" if kind is Vector else f"#[{value.kind.name} "
            self._add_items(start, self._run.contents(number, value), NIL, number, pieces, depth)
        elif kind is MultipleValues:
            self._add_items("(values ", value.items, NIL, number, pieces, depth)
        elif kind is FunctionType:
            is_continuation = value.__code__.co_name == "continuation"
            other = "#[continuation]" if is_continuation else "#[procedure]"
            pieces.append(self.procedure_name(value, number) or other)
        else:
            pieces.append("#[promise]" if kind is Promise else _ADDRESS.sub("", write(value)))

    def _add_items(
        self, start: str, items: Sequence[Value], rest: Value, number: int, pieces: list[str], depth: int
    ) -> None:
        pieces.append(start)
        for index, item in enumerate(items):
            pieces.append(" " if index else "")
            if not depth or sum(map(len, pieces)) > _LONGEST:
                pieces.append("…")
                break
            self._add(item, number, pieces, depth - 1)
        else:
            if rest is not NIL:
                pieces.append(" . ")
                self._add(intern("…") if type(rest) is Pair else rest, number, pieces, depth - 1)
        pieces.append("]" if start.startswith("#[") else ")")

    def procedure_name(self, procedure: Value, number: int) -> str | None:
        """The name that the program's text has for a procedure, as far as it is known at a step."""
        known, name, since = self._run.spellings.get(id(procedure), (None, None, 0))
        spelt = name if known is procedure and since <= number else None
        procedure = untraced(procedure)
        primitive = primitive_of(procedure)
        if primitive is not None:
            return spelt or (None if primitive.names[0].startswith("%") else primitive.names[0])
        lambda_ = getattr(last_constant(procedure.__code__), "procedure", None)
        if isinstance(lambda_, Lambda) and lambda_.name is not None and mentions(lambda_.span, lambda_.name):
            return lambda_.name
        return spelt
