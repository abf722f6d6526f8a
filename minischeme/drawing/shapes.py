"""The parts of a picture: shapes with slots, and arrows from slots to shapes. Coordinates are columns and lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from minischeme.data.source import columns

Point = tuple[int, int]
Ray = tuple[int, int, int, int]
"""A point, and the direction of an arrow in it: the columns and lines to its next point."""


@dataclass(eq=False, slots=True)
class Slot:
    """A place in a shape for a value: a text or, without one, the beginning of an arrow to another shape.

    `x` and `y` are those of the text's first column, or of the dot that the arrow begins with.
    """

    text: str = ""
    target: Shape | None = None
    label: str = ""
    x: int = 0
    y: int = 0


@dataclass(eq=False, slots=True)
class Shape:
    """A shape of a picture.

    `kind` is ``row`` (slots side by side: a pair, a promise), ``vector`` (the same, but the last slot does not lead to
    the right), ``procedure`` (a row drawn as two circles), ``column`` (labelled slots below one another: a frame, a
    record), ``words`` (lines without a border) or ``roots`` (a column without a border). `children` are the slots whose
    targets are laid out with this shape.
    """

    kind: str
    slots: list[Slot] = field(default_factory=list)
    title: str = ""
    x: int = 0
    y: int = 0
    width: int = 0
    height: int = 0
    children: list[Slot] = field(default_factory=list)

    @property
    def is_row(self) -> bool:
        return self.kind in ("row", "vector", "procedure")

    @property
    def has_border(self) -> bool:
        return self.kind not in ("words", "roots")

    def measure(self) -> None:
        """Set the size, with the upper left corner at the origin, and the places of the slots."""
        self.x = self.y = 0
        if self.is_row:
            x = 0
            for slot in self.slots:
                slot.x, slot.y = x + 2, 1
                x += 3 + max(1, columns(slot.text))
            self.width, self.height = max(x + 1, columns(self.title) + 4 if self.title else 0), 3
            return
        margin = 2 if self.has_border else 0
        labels = max((columns(slot.label) for slot in self.slots), default=0)
        texts = max((columns(slot.text) for slot in self.slots), default=0)
        start = margin + labels + (2 if labels else 0)
        self.width = max(start + max(texts, 1) + margin, columns(self.title) + 2 * margin)
        self.height = len(self.slots) + margin
        for line, slot in enumerate(self.slots):
            slot.y = margin // 2 + line
            slot.x = start if slot.text else self.width - margin - 1

    def move(self, columns: int, lines: int) -> None:
        self.x, self.y = self.x + columns, self.y + lines
        for slot in self.slots:
            slot.x, slot.y = slot.x + columns, slot.y + lines

    def exits(self, slot: Slot) -> Iterator[tuple[Ray, int]]:
        """The first points outside the shape of an arrow from a slot, each with what it costs to choose it."""
        is_last = slot is self.slots[-1]
        if not self.is_row or is_last:
            yield (self.x + self.width, slot.y, 1, 0), 0
        if self.is_row:
            yield (slot.x, self.y + 3, 0, 1), 14 * is_last
            if not self.title:
                yield (slot.x, self.y - 1, 0, -1), 14

    def entries(self) -> Iterator[Ray]:
        """The last points of arrows to the shape, before its border."""
        right, bottom = self.x + self.width, self.y + self.height
        if self.is_row:
            yield self.x - 1, self.y + 1, 1, 0
            first = self.slots[0]
            yield first.x, self.y - 1, 0, 1
            yield (first if first.text else self.slots[-1]).x, bottom, 0, -1
        else:
            for line in range(self.y + (self.height > 2), max(bottom - 1, self.y + 1)):
                yield self.x - 1, line, 1, 0
            free = {self.y + (self.height > 2), *(slot.y for slot in self.slots)}
            for line in sorted(free - {slot.y for slot in self.slots if not slot.text}):
                yield right, line, -1, 0
            for x in {self.x + min(2, self.width - 1), self.x + self.width // 2}:
                yield x, self.y - 1, 0, 1
                yield x, bottom, 0, -1


@dataclass(eq=False, slots=True)
class Arrow:
    """An arrow, with the points that it passes, from the dot to the border of its target."""

    shape: Shape
    slot: Slot
    target: Shape
    path: list[Point] = field(default_factory=list)


@dataclass(slots=True)
class Picture:
    """A picture whose shapes have their places."""

    title: str
    shapes: list[Shape]
    arrows: list[Arrow]
    width: int
    height: int


def points_between(start: Point, end: Point) -> list[Point]:
    """The points of a horizontal or vertical line, both ends included."""
    (x, y), (to_x, to_y) = start, end
    steps = max(abs(to_x - x), abs(to_y - y), 1)
    return [(x + (to_x - x) * step // steps, y + (to_y - y) * step // steps) for step in range(steps + 1)]
