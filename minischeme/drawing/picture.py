"""Pictures of values, from the values to their text or SVG."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from minischeme.data.abbreviate import beginning, one_line
from minischeme.data.printer import write
from minischeme.data.values import Value
from minischeme.drawing.contents import Contents
from minischeme.drawing.layout import place, reachable
from minischeme.drawing.routing import MARGIN, Router
from minischeme.drawing.shapes import Arrow, Picture, Shape
from minischeme.drawing.svg import picture_svg
from minischeme.drawing.text import picture_text
from minischeme.runtime.ports import OutputPort

USUAL_WIDTH = 80
SVG_WIDTH = 100
_LONGEST_TEXT = 24
_LONGEST_TITLE = 100
_LARGEST_GAP = 3
_MOST_ROUTED = 24  # arrows between shapes that do not stand beside one another; others are numbered, as in `write`
_FEW = 8  # arrows that a gap of one has room for


def draw(port: OutputPort, values: Sequence[Value], texts: Sequence[str] = (), **more: Any) -> None:
    """Show a picture of values on a port, `more` as for `picture_of`: lines for the width of its terminal, or SVG."""
    picture = picture_of(values, texts, **{"width": port.width or USUAL_WIDTH} | more)
    is_plain = port.is_terminal and os.environ.get("TERM") in ("dumb", "vt52", "vt100")
    text = picture_text(picture, ascii_only=is_plain or not port.can_show("┼•▶"))
    port.fresh_line()
    port.write_picture(lambda: picture_svg(picture), text)


def picture_of(
    values: Sequence[Value],
    texts: Sequence[str] = (),
    *,
    width: int = USUAL_WIDTH,
    bindings: dict[str, Value] | None = None,
) -> Picture:
    """The picture of values.

    Args:
        texts: the expressions that have given them, which are shown where there are several, or one is a name.
        bindings: the globals that an environment of the program means, by their Python names.
    """
    contents = Contents(bindings, max(6, min(_LONGEST_TEXT, width // 2 - 8)))
    has_labels = len(texts) > 1 or "".join(texts)[:1] not in ("", "(", "'", '"')
    root = contents.explore(values, texts if has_labels else [""] * len(values))
    title = " ".join(texts) or " ".join(write(beginning(value, _LONGEST_TITLE)) for value in values)
    if isinstance(root.slots[0], Arrow) and len(values) == 1 and not has_labels:
        root = root.slots[0].target
    shapes, arrows = reachable(root)
    others = [arrow for arrow in arrows if not arrow.is_to_child]
    gap, lost = 1 + min(len(others), _MOST_ROUTED) // _FEW, others[_MOST_ROUTED:]
    while True:
        _number(lost, shapes)
        place(shapes, width - MARGIN, gap)
        arrows = sorted((arrow for arrow in arrows if not arrow.text), key=_order)
        router = Router(shapes, width)
        lost = [arrow for arrow in arrows if not router.route(arrow)]
        if not lost:
            return _moved(one_line(title, _LONGEST_TITLE), shapes, arrows)
        if gap < _LARGEST_GAP:
            gap, lost = gap + 1, []


def _order(arrow: Arrow) -> tuple[bool, int]:
    """The key for sorting arrows as they are routed: those to children first, and short ones before long ones."""
    return not arrow.is_to_child, abs(arrow.target.x - arrow.x) + abs(arrow.target.y - arrow.y)


def _number(arrows: Sequence[Arrow], shapes: Sequence[Shape]) -> None:
    """Replace arrows by labels, such as ``#1#``, of their targets, which get titles such as ``#1=``."""
    for arrow in arrows:
        target = arrow.target
        if not target.title.startswith("#"):
            number = 1 + sum(shape.title.startswith("#") for shape in shapes)
            target.title = f"#{number}= {target.title}".rstrip()
        arrow.text = f"{target.title.partition('=')[0]}#"


def _moved(title: str, shapes: list[Shape], arrows: list[Arrow]) -> Picture:
    """A picture whose leftmost and uppermost parts are at the edge."""
    points = [point for arrow in arrows for point in arrow.path]
    points += [point for shape in shapes for point in ((shape.x, shape.y), (shape.right, shape.bottom))]
    (left, *_, right), (top, *_, bottom) = map(sorted, zip(*points, strict=True))
    for shape in shapes:
        shape.move(-left, -top)
    for arrow in arrows:
        arrow.path = [(x - left, y - top) for x, y in arrow.path]
    return Picture(title, shapes, arrows, right - left + 1, bottom - top + 1)
