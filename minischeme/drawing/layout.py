"""The places of shapes: lists run to the right and go on below, what a car holds hangs below it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from minischeme.drawing.shapes import Arrow, Shape


def reachable(root: Shape) -> tuple[list[Shape], list[Arrow]]:
    """A shape and all below it, and their arrows; the first arrow that leads to a shape makes it a child."""
    shapes, arrows = [root], list[Arrow]()
    waiting = root.slots[::-1]
    while waiting:
        slot = waiting.pop()
        if isinstance(slot, Arrow):
            arrows.append(slot)
            if slot.target not in shapes:
                shapes.append(slot.target)
                slot.shape.children.append(slot)
                waiting += reversed(slot.target.slots)
    return shapes, arrows


def place(shapes: Sequence[Shape], width: int, gap: int) -> None:
    """Give shapes their places, the first on the upper left, in so many columns unless one of them is wider.

    Args:
        gap: the lines between them; they are a column more apart.
    """
    for shape in reversed(shapes):
        shape.measure()
        shape.least_width = max([shape.width, *(child.target.least_width for child in shape.children)])
    _chain(shapes[0], max(width, shapes[0].least_width), gap)


@dataclass(slots=True)
class _Block:
    """Shapes in their places beside one another, with the upper left corner of all at the origin."""

    shapes: list[Shape]
    width: int = 0
    height: int = 0

    def add(self, other: _Block, x: int, y: int) -> None:
        for shape in other.shapes:
            shape.move(x, y)
        self.shapes += other.shapes
        self.width = max(self.width, x + other.width)
        self.height = max(self.height, y + other.height)


def _chain(first: Shape, width: int, gap: int) -> _Block:
    """A shape and all below it, with those that its last slots lead to beside it, in rows of at most this width."""
    whole = _Block([])
    x = y = 0
    shape: Shape | None = first
    while shape is not None:
        children = shape.children
        is_list = shape.kind in ("row", "procedure") and bool(children) and children[-1] is shape.slots[-1]
        part = _Block([shape], shape.width, shape.height)
        add = _add_below if shape.is_row else _add_beside
        add(part, shape, children[:-1] if is_list else children, width, gap)
        if x and x + part.width > width:
            x, y = 0, whole.height + gap + 1
        whole.add(part, x, y)
        x += part.width + gap + 1
        shape = children[-1].target if is_list else None
    return whole


def _add_below(block: _Block, shape: Shape, children: Sequence[Arrow], width: int, gap: int) -> None:
    """Add the children of a row below it, each at its slot or to the right of that."""
    targets = [child.target for child in children]
    lines = sum(isinstance(slot, Arrow) and slot.target in targets for slot in shape.slots)
    x, y = 0, shape.height + gap + max(0, lines - 1)
    for child in children:
        part = _chain(child.target, width, gap)
        start = max(0, min(child.x - 2, width - part.width))
        x = max(x, start)
        if x + part.width > width:
            x, y = start, block.height + gap + 1
        block.add(part, x, y)
        x += part.width + gap + 1


def _add_beside(block: _Block, shape: Shape, children: Sequence[Arrow], width: int, gap: int) -> None:
    """Add the children of a column at its right, or below it where there is no room; roots move to their child."""
    is_roots = shape.kind == "roots"
    x, y = shape.width + gap + (2 if is_roots else 1 + len(children)), 0
    widest = max((child.target.least_width for child in children), default=0)
    is_beside = x + widest <= width
    if not is_beside:
        x, y = min(4, width - widest), shape.height + gap + 1
    for slot in shape.slots:
        is_child = slot in children
        if is_roots and is_beside:
            slot.y, y = (y + 1, y) if is_child else (y, y + 1)
        if isinstance(slot, Arrow) and is_child:
            part = _chain(slot.target, width - x, gap)
            y = max(y, slot.y - 1) if is_beside else y
            block.add(part, x, y)
            y += part.height + gap
    shape.height = max(shape.height, shape.slots[-1].y + 1) if is_roots else shape.height
    block.height = max(block.height, shape.height)
