"""Pictures as lines of text, with the characters for boxes of Unicode or with those of ASCII."""

from itertools import pairwise

from minischeme.data.source import columns
from minischeme.drawing.shapes import Picture, Point, Shape, points_between

_LINES = " ││││┘┐┤─└┌├─┴┬┼"  # by the sum of the sides that they lead to
_LINES_ASCII = " ||||+++-+++-+++"
_SIDES = {(0, -1): 1, (0, 1): 2, (-1, 0): 4, (1, 0): 8}
_HEADS = {(1, 0): "▶>", (-1, 0): "◀<", (0, 1): "▼v", (0, -1): "▲^"}
_ASCII = str.maketrans({"•": "*", "╱": "/", "…": "~"})


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
    cells = {point: (_LINES_ASCII if ascii_only else _LINES)[side] for point, side in sides.items()}
    for (x, y), text in texts.items():
        for character in text:
            width = columns(character)
            if width:
                cells[x, y] = character
                cells.update({(x + more, y): "" for more in range(1, width)})
            else:
                cells[x - 1, y] = cells.get((x - 1, y), "") + character
            x += width
    rows = ("".join(cells.get((x, y), " ") for x in range(picture.width)) for y in range(picture.height))
    text = "".join(row.rstrip() + "\n" for row in rows)
    return text.translate(_ASCII).encode("ascii", "replace").decode("ascii") if ascii_only else text


def _draw_shape(shape: Shape, sides: dict[Point, int], texts: dict[Point, str], *, rounded: bool) -> None:
    x, y, right, bottom = shape.x, shape.y, shape.right, shape.bottom
    if shape.has_border:
        corners = [(x, y), (right, y), (right, bottom), (x, bottom), (x, y)]
        for line in [*pairwise(corners), *(((divider, y), (divider, bottom)) for divider in shape.dividers())]:
            _draw_line(points_between(*line), sides)
        if shape.kind == "procedure" and rounded:
            texts.update(zip(corners, "╭╮╯╰", strict=False))
        if shape.title:
            texts[x + 1, y] = f" {shape.title} "
    texts.update(shape.texts())


def _draw_line(points: list[Point], sides: dict[Point, int]) -> None:
    for (x, y), (to_x, to_y) in pairwise(points):
        sides[x, y] = sides.get((x, y), 0) | _SIDES[to_x - x, to_y - y]
        sides[to_x, to_y] = sides.get((to_x, to_y), 0) | _SIDES[x - to_x, y - to_y]
