"""Pictures of values, from the values to their text or SVG."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import count, islice
from typing import Any

from minischeme.data.abbreviate import beginning, one_line
from minischeme.data.printer import write
from minischeme.data.values import Value
from minischeme.drawing.contents import Contents
from minischeme.drawing.layout import Arrangement, arrows_from, is_to_child
from minischeme.drawing.routing import Router
from minischeme.drawing.shapes import Arrow, Picture, Shape
from minischeme.drawing.svg import picture_svg
from minischeme.drawing.text import picture_text
from minischeme.runtime.ports import OutputPort

USUAL_WIDTH = 80
SVG_WIDTH = 100
_LONGEST_TEXT = 24
_LONGEST_TITLE = 100
_MARGIN = 3  # for arrows at the right
_LARGEST_GAP = 3
_MOST_ROUTED = 24  # arrows between shapes that do not stand beside one another; others are numbered, as in `write`
_FEW = 8  # arrows that a gap of one has room for
_MOST_POINTS = 3_000  # that are tried for an arrow


def text_of(value: Value, width: int = USUAL_WIDTH, *, ascii_only: bool = False) -> str:
    """The picture of a value as lines of text, which are at most `width` columns long where that is possible."""
    return picture_text(picture_of([value], width=width), ascii_only=ascii_only)


def svg_of(value: Value) -> str:
    """The picture of a value as an SVG document."""
    return picture_svg(picture_of([value], width=SVG_WIDTH))


def draw(port: OutputPort, values: Sequence[Value], texts: Sequence[str] = (), **more: Any) -> None:
    """Show a picture of values on a port, `more` as for `picture_of`: lines for the width of its terminal, or SVG."""
    picture = picture_of(values, texts, **{"width": port.width or USUAL_WIDTH} | more)
    text = picture_text(picture, ascii_only=_is_plain(port))
    port.fresh_line()
    port.write_picture(lambda: picture_svg(picture), text)


def _is_plain(port: OutputPort) -> bool:
    """Whether a port can't show the characters of boxes."""
    if port.is_terminal and os.environ.get("TERM") in ("dumb", "vt52", "vt100"):
        return True
    try:
        "┼•▶".encode(getattr(port.stream, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return True
    return False


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
    if len(values) == 1 and not has_labels and root.slots[0].target is not None:
        root = root.slots[0].target
    arrows = arrows_from(root)
    others = [arrow for arrow in arrows if not is_to_child(arrow)]
    lost, gap, numbers = others[_MOST_ROUTED:], 1 + min(len(others), _MOST_ROUTED) // _FEW, count(1)
    while True:
        for arrow in lost:
            _number(arrow, numbers)
        arrows = [arrow for arrow in arrows if not arrow.slot.text]
        shapes = Arrangement(gap).chain(root, width - _MARGIN).shapes
        router = Router(shapes, width - 1)
        order = sorted(arrows, key=lambda arrow: not is_to_child(arrow))
        without = (arrow for arrow in order if not router.route(arrow, _MOST_POINTS * (1 + 9 * is_to_child(arrow))))
        lost = list(islice(without, 1 if gap < _LARGEST_GAP else None))
        if not lost:
            return _moved(one_line(title, _LONGEST_TITLE), shapes, arrows)
        if gap < _LARGEST_GAP:
            gap, lost = gap + 1, []


def _number(arrow: Arrow, numbers: Iterator[int]) -> None:
    """Replace an arrow by a label, such as ``#1#``, of its target, which gets the title ``#1=``."""
    target = arrow.target
    if not target.title.startswith("#"):
        target.title = f"#{next(numbers)}= {target.title}".rstrip()
    arrow.slot.text = f"{target.title.partition('=')[0]}#"


def _moved(title: str, shapes: list[Shape], arrows: list[Arrow]) -> Picture:
    """A picture whose leftmost and uppermost parts are at the edge."""
    points = [point for arrow in arrows for point in arrow.path]
    left = min([0, *(x for x, _ in points)])
    top = min([0, *(y for _, y in points)])
    for shape in shapes:
        shape.move(-left, -top)
    for arrow in arrows:
        arrow.path = [(x - left, y - top) for x, y in arrow.path]
    right = max([x - left for x, _ in points] + [shape.x + shape.width - 1 for shape in shapes])
    bottom = max([y - top for _, y in points] + [shape.y + shape.height - 1 for shape in shapes])
    return Picture(title, shapes, arrows, right + 1, bottom + 1)
