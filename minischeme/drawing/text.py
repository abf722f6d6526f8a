"""Pictures as lines of text, with the characters for boxes of Unicode or with those of ASCII."""

from itertools import pairwise

from minischeme.data.source import columns
from minischeme.drawing.shapes import Picture, Point, Shape, points_between

_UP, _DOWN, _LEFT, _RIGHT = 1, 2, 4, 8
_LINES = " ││││┘┐┤─└┌├─┴┬┼"
_LINES_ASCII = " ||||+++-+++-+++"
_HEADS = {(1, 0): "▶>", (-1, 0): "◀<", (0, 1): "▼v", (0, -1): "▲^"}
_CORNERS = ((0, 0, "╭"), (1, 0, "╮"), (0, 1, "╰"), (1, 1, "╯"))
_ASCII = str.maketrans({"•": "*", "╱": "/", "…": "~"})
_SIDES = {(1, 0): (_RIGHT, _LEFT), (-1, 0): (_LEFT, _RIGHT), (0, 1): (_DOWN, _UP), (0, -1): (_UP, _DOWN)}


def picture_text(picture: Picture, *, ascii_only: bool = False) -> str:
    """The lines of a picture, each ended by a newline."""
    sides: dict[Point, int] = {}
    texts: dict[Point, str] = {}
    for shape in picture.shapes:
        _draw_shape(shape, sides, texts, rounded=not ascii_only)
    for arrow in picture.arrows:
        _draw_line(arrow.path[:-1], sides)
        (x, y), (to_x, to_y) = arrow.path[-2:]
        texts[x, y] = _HEADS[to_x - x, to_y - y][ascii_only]
        texts[arrow.path[0]] = "•"
    lines = _LINES_ASCII if ascii_only else _LINES
    cells = {point: lines[side] for point, side in sides.items()}
    for (x, y), text in texts.items():
        for character in text:
            width = columns(character)
            if width:
                cells[x, y] = character
                cells.update({(x + more, y): "" for more in range(1, width)})
            else:
                cells[x - 1, y] = cells.get((x - 1, y), "") + character
            x += width
    rows = (
        "".join(cells.get((x, y), " ") for x in range(picture.width)).rstrip() + "\n" for y in range(picture.height)
    )
    text = "".join(rows)
    return text.translate(_ASCII).encode("ascii", "replace").decode("ascii") if ascii_only else text


def _draw_shape(shape: Shape, sides: dict[Point, int], texts: dict[Point, str], *, rounded: bool) -> None:
    x, y, right, bottom = shape.x, shape.y, shape.x + shape.width - 1, shape.y + shape.height - 1
    if shape.has_border:
        corners = [(x, y), (right, y), (right, bottom), (x, bottom), (x, y)]
        _draw_line([point for a, b in pairwise(corners) for point in points_between(a, b)], sides)
        if shape.is_row:
            for slot in shape.slots[1:]:
                _draw_line(points_between((slot.x - 2, y), (slot.x - 2, bottom)), sides)
        if shape.kind == "procedure" and rounded:
            texts.update({(right if east else x, bottom if south else y): form for east, south, form in _CORNERS})
        if shape.title:
            texts[x + 1, y] = f" {shape.title} "
    for slot in shape.slots:
        if slot.label:
            texts[x + 2 * shape.has_border, slot.y] = slot.label
        if slot.text:
            texts[slot.x, slot.y] = slot.text


def _draw_line(points: list[Point], sides: dict[Point, int]) -> None:
    for (x, y), (to_x, to_y) in pairwise(points):
        if (x, y) != (to_x, to_y):
            out, back = _SIDES[to_x - x, to_y - y]
            sides[x, y] = sides.get((x, y), 0) | out
            sides[to_x, to_y] = sides.get((to_x, to_y), 0) | back
