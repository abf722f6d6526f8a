"""Pictures as SVG documents, in dark or light colours as the reader's system has it."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from minischeme.data.source import columns
from minischeme.drawing.shapes import EMPTY, Arrow, Picture, Point, Shape

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
_DOCUMENT = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img"\
 aria-labelledby="title">
<title id="title">{title}</title>
<style>{style}</style>
<defs><marker id="head" markerUnits="userSpaceOnUse" markerWidth="9" markerHeight="9" refX="9" refY="4.5"\
 orient="auto"><path class="head" d="M0,0 L9,4.5 L0,9 z"/></marker></defs>
<g transform="translate({margin} {margin})">
{parts}
</g>
</svg>
"""


def picture_svg(picture: Picture) -> str:
    """The document of a picture."""
    parts = [part for shape in picture.shapes for part in _shape(shape)]
    parts += [part for arrow in picture.arrows for part in _arrow(arrow)]
    return _DOCUMENT.format(
        width=picture.width * _WIDTH + 2 * _MARGIN,
        height=picture.height * _HEIGHT + 2 * _MARGIN,
        title=_text(picture.title),
        style=_STYLE,
        margin=_MARGIN,
        parts="\n".join(parts),
    )


def _shape(shape: Shape) -> Iterator[str]:
    (x, y), (right, bottom) = _at((shape.x, shape.y)), _at((shape.right, shape.bottom))
    if shape.kind == "procedure":
        for slot in shape.slots:
            yield f'<circle class="box" cx="{_at((slot.x, 0))[0]}" cy="{(y + bottom) / 2}" r="{2 * _WIDTH}"/>'
    elif shape.has_border:
        yield f'<rect class="box" x="{x}" y="{y}" width="{right - x}" height="{bottom - y}" rx="3"/>'
        for line, _ in (_at((divider, 0)) for divider in shape.dividers()):
            yield f'<path class="box" d="M{line},{y} V{bottom}"/>'
    if shape.title:
        # at the right of an arrow from above
        yield f'<text x="{x + 3 * _WIDTH}" y="{y - 4}" class="title">{_text(shape.title)}</text>'
    for place, text in shape.texts():
        left, baseline = place[0] * _WIDTH, place[1] * _HEIGHT + 14.5
        if text == EMPTY and shape.is_row:
            yield f'<path class="box" d="M{left - 1.5 * _WIDTH},{bottom} L{left + 2.5 * _WIDTH},{y}"/>'
        else:  # in as many columns as on a terminal, whatever font is found
            yield f'<text x="{left}" y="{baseline}" textLength="{columns(text) * _WIDTH}">{_text(text)}</text>'


def _arrow(arrow: Arrow) -> Iterator[str]:
    path = arrow.path
    corners = [b for a, b, c in zip(path, path[1:], path[2:], strict=False) if a[0] != c[0] and a[1] != c[1]]
    places = [_at(point) for point in (path[0], *corners, path[-1])]
    x, y = places[0]
    if not arrow.target.has_border:
        places[-1] = places[-1][0], places[-1][1] - _HEIGHT / 2
    yield f'<circle class="dot" cx="{x}" cy="{y}" r="3.5"/>'
    yield f'<polyline class="arrow" points="{" ".join(f"{x},{y}" for x, y in places)}"/>'


def _at(point: Point) -> tuple[float, float]:
    """The middle of a character."""
    return (point[0] + 0.5) * _WIDTH, (point[1] + 0.5) * _HEIGHT


def _text(text: str) -> str:
    """A text with what XML does not allow or gives a meaning of its own escaped."""
    return escape("".join(character if character.isprintable() else "\ufffd" for character in text))
