"""Pictures as SVG documents, in dark or light colours as the reader's system has it."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from minischeme.data.source import columns
from minischeme.drawing.shapes import Arrow, Picture, Point, Shape, Slot

_WIDTH, _HEIGHT = 9, 19  # of a character
_MARGIN = 12
_STYLE = """\
svg { background: #fff; color: #1b1b1b; --box: #f2f6fc; --title: #4a5a70; --arrow: #1f5fa8 }
@media (prefers-color-scheme: dark) {
svg { background: #16181d; color: #e6e6e6; --box: #232a35; --title: #9fb0c8; --arrow: #7db4f5 } }
text { font: 15px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: currentColor; white-space: pre }
.box { fill: var(--box); stroke: currentColor; stroke-width: 1.3 }
.title { fill: var(--title); font-size: 12px }
.arrow { fill: none; stroke: var(--arrow); stroke-width: 1.6; stroke-linejoin: round; marker-end: url(#head) }
.head, .dot { fill: var(--arrow) }"""


def picture_svg(picture: Picture) -> str:
    """The document of a picture."""
    width = picture.width * _WIDTH + 2 * _MARGIN
    height = picture.height * _HEIGHT + 2 * _MARGIN
    title = _text(picture.title)
    head = '<path class="head" d="M0,0 L9,4.5 L0,9 z"/>'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
        ' role="img" aria-labelledby="title">',
        f'<title id="title">{title}</title>',
        f"<style>{_STYLE}</style>",
        '<defs><marker id="head" markerUnits="userSpaceOnUse" markerWidth="9" markerHeight="9" refX="9" refY="4.5"'
        f' orient="auto">{head}</marker></defs>',
        f'<g transform="translate({_MARGIN} {_MARGIN})">',
        *(line for shape in picture.shapes for line in _shape(shape)),
        *(line for arrow in picture.arrows for line in _arrow(arrow)),
        "</g>",
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _shape(shape: Shape) -> Iterator[str]:
    x, y = _at((shape.x, shape.y))
    right, bottom = _at((shape.x + shape.width - 1, shape.y + shape.height - 1))
    if shape.kind == "procedure":
        radius = 2 * _WIDTH
        for slot in shape.slots:
            yield f'<circle class="box" cx="{_at((slot.x, 0))[0]}" cy="{(y + bottom) / 2}" r="{radius}"/>'
    elif shape.has_border:
        yield f'<rect class="box" x="{x}" y="{y}" width="{right - x}" height="{bottom - y}" rx="3"/>'
    if shape.kind in ("row", "vector"):
        for slot in shape.slots[1:]:
            line = _at((slot.x - 2, 0))[0]
            yield f'<path class="box" d="M{line},{y} V{bottom}"/>'
    if shape.title:
        yield _label(shape.title, x + 3, y - 4, "title")
    for slot in shape.slots:
        if slot.label:
            yield _label(slot.label, (shape.x + 2 * shape.has_border) * _WIDTH, _baseline(slot))
        if slot.text == "╱" and shape.is_row:
            line = _at((slot.x, 0))[0]
            yield f'<path class="box" d="M{line - 2 * _WIDTH},{bottom} L{line + 2 * _WIDTH},{y}"/>'
        elif slot.text:
            yield _label(slot.text, slot.x * _WIDTH, _baseline(slot))


def _arrow(arrow: Arrow) -> Iterator[str]:
    path = arrow.path
    corners = [b for a, b, c in zip(path, path[1:], path[2:], strict=False) if a[0] != c[0] and a[1] != c[1]]
    corners = [path[0], *corners, path[-1]]
    places = [_at(corner) for corner in corners]
    if not arrow.target.has_border:
        places[-1] = places[-1][0], places[-1][1] - _HEIGHT / 2
    points = " ".join(f"{x},{y}" for x, y in places)
    x, y = places[0]
    yield f'<circle class="dot" cx="{x}" cy="{y}" r="3.5"/>'
    yield f'<polyline class="arrow" points="{points}"/>'


def _at(point: Point) -> tuple[float, float]:
    """The middle of a character."""
    return (point[0] + 0.5) * _WIDTH, (point[1] + 0.5) * _HEIGHT


def _baseline(slot: Slot) -> float:
    return slot.y * _HEIGHT + 14.5


def _label(text: str, x: float, y: float, kind: str | None = None) -> str:
    """A text in as many columns as it has on a terminal, whatever font is found."""
    look = f' class="{kind}"' if kind is not None else f' textLength="{columns(text) * _WIDTH}"'
    return f'<text x="{x}" y="{y}"{look}>{_text(text)}</text>'


def _text(text: str) -> str:
    """A text with what XML does not allow or gives a meaning of its own escaped."""
    return escape("".join(character if character.isprintable() else "\ufffd" for character in text))
