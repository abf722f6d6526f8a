"""The places of shapes: lists run to the right and go on below, what a car holds hangs below it."""

from __future__ import annotations

from minischeme.drawing.shapes import Arrow, Shape, Slot


class Block:
    """Shapes in their places beside one another, with the upper left corner of all at the origin."""

    def __init__(self, shapes: list[Shape], width: int = 0, height: int = 0) -> None:
        self.shapes = shapes
        self.width = width
        self.height = height

    def add(self, other: Block, x: int, y: int) -> None:
        for shape in other.shapes:
            shape.move(x, y)
        self.shapes += other.shapes
        self.width = max(self.width, x + other.width)
        self.height = max(self.height, y + other.height)


def arrows_from(root: Shape) -> list[Arrow]:
    """All arrows that can be reached from a shape; the first one to lead to a shape makes it a child."""
    found: list[Arrow] = []
    met = {id(root)}
    waiting = [(root, slot) for slot in reversed(root.slots)]
    while waiting:
        shape, slot = waiting.pop()
        if slot.target is None:
            continue
        found.append(Arrow(shape, slot, slot.target))
        if id(slot.target) not in met:
            met.add(id(slot.target))
            shape.children.append(slot)
            waiting += [(slot.target, inner) for inner in reversed(slot.target.slots)]
    return found


def is_to_child(arrow: Arrow) -> bool:
    return any(slot is arrow.slot for slot in arrow.shape.children)


class Arrangement:
    """The places of shapes, with gaps of so many lines between them."""

    def __init__(self, gap: int) -> None:
        self.gap = gap

    def chain(self, first: Shape, width: int) -> Block:
        """A shape and all below it, with those that its last slots lead to beside it, in rows of about this width."""
        whole = Block([])
        x = y = 0
        shape: Shape | None = first
        while shape is not None:
            following = _following(shape)
            part = self._with_children(shape, [slot for slot in shape.children if slot is not following], width)
            if x and x + part.width > width:
                x, y = 0, whole.height + self.gap + 1
            whole.add(part, x, y)
            x += part.width + self.gap + 1
            shape = None if following is None else following.target
        return whole

    def _with_children(self, shape: Shape, children: list[Slot], width: int) -> Block:
        shape.measure()
        block = Block([shape], shape.width, shape.height)
        if shape.is_row:
            self._below(block, shape, children, width)
        elif shape.kind == "roots":
            self._at_roots(block, shape, children, width)
        elif children:
            self._beside(block, shape, children, width)
        return block

    def _below(self, block: Block, shape: Shape, children: list[Slot], width: int) -> None:
        """Add children below a row, each at its slot or to the right of that."""
        shared = [slot for slot in shape.slots if any(slot.target is child.target for child in children)]
        x, y = 0, shape.height + self.gap + max(0, len(shared) - 1)
        for slot in children:
            child = _target(slot)
            part = self.chain(child, width)
            x = max(x, slot.x - (child.slots[0].x if child.is_row else 2))
            if x and x + part.width > width:
                x, y = min(slot.x, 4), block.height + self.gap + 1
            block.add(part, x, y)
            x += part.width + self.gap + 1

    def _beside(self, block: Block, shape: Shape, children: list[Slot], width: int) -> None:
        """Add children to the right of a column, or below it where there is no room."""
        x, y = shape.width + self.gap + 1 + len(children), 0
        for slot in children:
            _target(slot).measure()
        is_beside = x + max(_target(slot).width for slot in children) <= width
        if not is_beside:
            x, y = 4, shape.height + self.gap + 1
        for slot in children:
            part = self.chain(_target(slot), width - x)
            y = max(y, slot.y - 1) if is_beside else y
            block.add(part, x, y)
            y += part.height + self.gap

    def _at_roots(self, block: Block, shape: Shape, children: list[Slot], width: int) -> None:
        """Add the children of roots to the right, and move each root to the line of its child."""
        x, y = shape.width + self.gap + 2, 0
        for slot in shape.slots:
            slot.y = y + (slot in children)
            if slot in children:
                part = self.chain(_target(slot), width - x)
                block.add(part, x, y)
                y += part.height + self.gap
            else:
                y += 1
        shape.height = shape.slots[-1].y + 1
        block.height = max(block.height, shape.height)


def _target(slot: Slot) -> Shape:
    assert slot.target is not None
    return slot.target


def _following(shape: Shape) -> Slot | None:
    """The slot whose target stands to the right of a row."""
    is_list = shape.is_row and shape.kind != "vector" and bool(shape.children)
    return shape.children[-1] if is_list and shape.children[-1] is shape.slots[-1] else None
