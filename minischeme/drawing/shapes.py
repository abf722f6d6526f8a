"""The parts of a picture: shapes with slots, and arrows from slots to shapes. Coordinates are columns and lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from minischeme.data.source import columns

Point = tuple[int, int]
Ray = tuple[int, int, int, int]
"""A point, and the direction of an arrow in it: the columns and lines to its next point."""

EMPTY = "╱"  # the empty list, in a row


@dataclass(eq=False, slots=True)
class Slot:
    """A place in a shape for a value: a text at `x` and `y`, with a label before it unless the shape is a row."""

    text: str
    label: str = ""
    x: int = 0
    y: int = 0


@dataclass(eq=False, slots=True, kw_only=True)
class Arrow(Slot):
    """A slot without a text: an arrow begins with a dot there, and leads to a shape. A text replaces the arrow.

    `path` has the points that it passes, from the dot to the border of its target.
    """

    shape: Shape
    target: Shape
    path: list[Point] = field(default_factory=list)

    @property
    def is_to_child(self) -> bool:
        return self in self.shape.children

    def exits(self) -> Iterator[tuple[Ray, int]]:
        """The first points outside the shape, each with what it costs to choose it."""
        shape, is_last = self.shape, self is self.shape.slots[-1]
        if not shape.is_row or is_last:
            yield (shape.right + 1, self.y, 1, 0), 0
        if shape.is_row:
            yield (self.x, shape.bottom + 1, 0, 1), 14 * is_last
            if not shape.title:
                yield (self.x, shape.y - 1, 0, -1), 14


@dataclass(eq=False, slots=True)
class Shape:
    """A shape of a picture.

    `kind` is ``row`` (slots side by side: a pair, a promise), ``vector`` (the same, but the last slot does not lead to
    the right), ``procedure`` (a row drawn as two circles), ``column`` (labelled slots below one another: a frame, a
    record), ``words`` (lines without a border) or ``roots`` (a column without a border). `children` are the arrows to
    the shapes that are laid out with this one, and `least_width` is the width of the widest of all these.
    """

    kind: str
    title: str = ""
    slots: list[Slot] = field(default_factory=list)
    children: list[Arrow] = field(default_factory=list)
    x: int = 0
    y: int = 0
    width: int = 0
    height: int = 0
    least_width: int = 0

    @property
    def is_row(self) -> bool:
        return self.kind in ("row", "vector", "procedure")

    @property
    def has_border(self) -> bool:
        return self.kind not in ("words", "roots")

    @property
    def right(self) -> int:
        return self.x + self.width - 1

    @property
    def bottom(self) -> int:
        return self.y + self.height - 1

    def measure(self) -> None:
        """Set the size, with the upper left corner at the origin, and the places of the slots."""
        self.x = self.y = 0
        widths = [max(1, columns(slot.text)) for slot in self.slots]
        width_of_title = columns(self.title) + 4 if self.title else 0
        if self.is_row:
            x = 0
            for slot, width in zip(self.slots, widths, strict=True):
                slot.x, slot.y = x + 2, 1
                x += width + 3
            self.width, self.height = max(x + 1, width_of_title), 3
            return
        margin = 2 if self.has_border else 0
        labels = max((columns(slot.label) for slot in self.slots), default=0)
        start = margin + (labels + 2 if labels else 0)
        self.width = max(start + max(widths, default=1) + margin, width_of_title)
        self.height = len(self.slots) + margin
        for line, slot in enumerate(self.slots):
            slot.x = start if slot.text else self.width - margin - 1
            slot.y = margin // 2 + line

    def move(self, columns: int, lines: int) -> None:
        self.x, self.y = self.x + columns, self.y + lines
        for slot in self.slots:
            slot.x, slot.y = slot.x + columns, slot.y + lines

    def dividers(self) -> list[int]:
        """The columns of the lines between slots that are side by side."""
        return [slot.x - 2 for slot in self.slots[1:]] if self.is_row else []

    def texts(self) -> Iterator[tuple[Point, str]]:
        """The texts in the shape, and where they begin."""
        for slot in self.slots:
            if slot.label and not self.is_row:
                yield (self.x + 2 * self.has_border, slot.y), slot.label
            if slot.text:
                yield (slot.x, slot.y), slot.text

    def entries(self) -> Iterator[Ray]:
        """The last points of arrows to the shape, before its border."""
        dots = {slot.y for slot in self.slots if not slot.text}
        for line in range(self.y + self.has_border, self.bottom + 1 - self.has_border):
            yield self.x - 1, line, 1, 0
            if not self.is_row and line not in dots:
                yield self.right + 1, line, -1, 0
        yield self.x + 2, self.y - 1, 0, 1
        last = self.slots[-1] if self.is_row and not self.slots[0].text else None
        yield last.x if last is not None else self.x + 2, self.bottom + 1, 0, -1


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
    right, down = (to_x > x) - (to_x < x), (to_y > y) - (to_y < y)
    return [(x + right * step, y + down * step) for step in range(abs(to_x - x) + abs(to_y - y) + 1)]
