"""`Form`: a datum that was read, and `Spans`: the positions of its parts in the text."""

from typing import TypeAlias

import msgspec

from minischeme.data.source import Source, Span
from minischeme.data.values import Pair, Value

Part: TypeAlias = tuple[Value, int, int]
"""A datum with the offsets of its first character and of the one after its last."""


class Spans:
    """The spans of data that were read, found by the identity of the data, which stay plain."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._wholes: dict[int, Part] = {}
        self._elements: dict[int, Part] = {}  # with the pair, so that no other object takes its identity
        self._new: list[Part] = []  # elements to be added when a span is asked for: most data need none

    def of(self, datum: Value) -> Span | None:
        """The span of a list (given its first pair), vector or bytevector; None for an atom or an unknown datum."""
        part = self._wholes.get(id(datum))
        return None if part is None else Span(self.source, part[1], part[2])

    def of_car(self, pair: Pair) -> Span | None:
        """The span of the element in the car of a pair, atom or not; None if the reader did not make the pair.

        The first element of the list ``(quote x)`` that is written ``'x`` is the quote mark.
        """
        if self._new:
            self._elements |= {id(part[0]): part for part in self._new}
            self._new.clear()
        part = self._elements.get(id(pair))
        return None if part is None else Span(self.source, part[1], part[2])

    def add_whole(self, part: Part) -> Part:
        """Record the span of a compound datum."""
        self._wholes[id(part[0])] = part
        return part

    def add_list(self, parts: list[Part], tail: Value, start: int, end: int) -> Part:
        """A fresh list of the parts' data with the given tail, recording its span and that of each element."""
        add = self._new.append
        for datum, first, last in reversed(parts):
            tail = Pair(datum, tail)
            add((tail, first, last))
        return self.add_whole((tail, start, end)) if parts else (tail, start, end)

    def starts(self) -> list[int]:
        """The offsets at which compound data begin."""
        return [start for _, start, _ in self._wholes.values()]


class Form(msgspec.Struct, frozen=True):
    """A datum at the top level of a text."""

    datum: Value
    span: Span
    spans: Spans  # the spans of its parts, shared by the forms of a text

    @property
    def is_deferred(self) -> bool:
        """Whether it is a definition without its body, which is to be read later."""
        return self.span.start in self.span.source.deferred
