"""`Form`: a datum that was read, and `Spans`: the positions of its parts in the text."""

from typing import TypeAlias

import msgspec

from minischeme.data.source import Source, Span
from minischeme.data.values import NIL, Pair, Value

Part: TypeAlias = tuple[Value, int, int]
"""A datum with the offsets of its first character and of the one after its last."""


class Spans:
    """The spans of data that were read, found by the identity of the data, which stay plain."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._wholes: list[Part] = []
        self._pairs: list[Pair] = []
        self._elements: list[Part] = []
        self._parts: tuple[dict[int, Part], dict[int, Part]] = {}, {}
        self._indexed = 0

    def of(self, datum: Value) -> Span | None:
        """The span of a list (given its first pair), vector or bytevector; None for an atom or an unknown datum."""
        return self._found(0, datum)

    def of_car(self, pair: Pair) -> Span | None:
        """The span of the element in the car of a pair, atom or not; None if the reader did not make the pair.

        The first element of the list ``(quote x)`` that is written ``'x`` is the quote mark.
        """
        return self._found(1, pair)

    def _found(self, index: int, datum: Value) -> Span | None:
        if self._indexed != len(self._wholes):  # on demand, since most data need no spans
            self._indexed = len(self._wholes)
            of_pair = dict(zip(map(id, self._pairs), self._elements, strict=True))
            self._parts = {id(part[0]): part for part in self._wholes}, of_pair
        part = self._parts[index].get(id(datum))
        return None if part is None else Span(self.source, part[1], part[2])

    def add_whole(self, part: Part) -> Part:
        """Record the span of a compound datum."""
        self._wholes.append(part)
        return part

    def add_list(self, parts: list[Part], tail: Value = NIL) -> Value:
        """A fresh list of the parts' data with the given tail, recording the span of each; reverses `parts`."""
        parts.reverse()
        add = self._pairs.append
        for part in parts:
            tail = Pair(part[0], tail)
            add(tail)
        self._elements += parts
        return tail

    def starts(self) -> list[int]:
        """The offsets at which compound data begin."""
        return [start for _, start, _ in self._wholes]


class Form(msgspec.Struct, frozen=True):
    """A datum at the top level of a text."""

    datum: Value
    span: Span
    spans: Spans  # the spans of its parts, shared by the forms of a text
