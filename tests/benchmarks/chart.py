"""A bar chart of the speeds as SVG: for each workload a bar for each Scheme, on a logarithmic scale.

Nothing depends on colours, fonts or scripts: each bar has its name and number beside it, and a title for readers of
screens.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from html import escape

from .measuring import Measurement, PeerMeasurement

COLOURS = ("#8a4b08", "#1f5f99", "#2e7d4f", "#9c2f4f", "#5b4a99", "#666600", "#006b6b", "#7a3f7a")
BAR, GAP = 16, 18
"""The height of a bar and the room between two workloads, in pixels."""
LEFT, MIDDLE, RIGHT, TOP = 150, 480, 230, 74
"""Room for the names of the workloads, for the bars, and for what stands beside them; and for the title."""

Speed = tuple[str, float]
"""The name of a Scheme, or of Python, and its speed as a multiple of minischeme's."""

Place = Callable[[float], float]
"""Where on the scale a speed is, in pixels from the left."""


def chart(measurements: Sequence[Measurement]) -> str:
    """The chart of measurements that have somebody to compare with, as the text of an SVG file."""
    groups = [(measurement.name, speeds(measurement)) for measurement in measurements]
    groups = [(name, bars) for name, bars in groups if bars]
    names = list(dict.fromkeys(who for _, bars in groups for who, _ in bars))
    ratios = [speed for _, bars in groups for _, speed in bars] or [1.0]
    low = min(-1, math.floor(math.log10(min(ratios))))
    high = max(1, math.ceil(math.log10(max(ratios))))

    def place(speed: float) -> float:
        return LEFT + MIDDLE * (math.log10(speed) - low) / (high - low)

    height = TOP + sum(len(bars) * BAR + GAP for _, bars in groups) + GAP
    width = LEFT + MIDDLE + RIGHT
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'role="img" aria-labelledby="title description" font-family="sans-serif" font-size="12">',
        '<title id="title">How fast others are beside minischeme</title>',
        f'<desc id="description">{escape(description(groups))}</desc>',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{LEFT}" y="22" font-size="16" font-weight="bold">How fast others are beside minischeme</text>',
        f'<text x="{LEFT}" y="42">Work per CPU second; minischeme\'s is 1, the dark line. Logarithmic scale.</text>',
        *_scale(low, high, place, height),
        *_bars(groups, names, place),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def speeds(measurement: Measurement) -> list[Speed]:
    """Who did the work of a measurement, and how fast, minischeme's own speed being 1."""
    found: list[Speed] = []
    if measurement.ratio is not None:
        found.append(("Python by hand", measurement.ratio))
    for name, peer in measurement.peers.items():
        if isinstance(peer, PeerMeasurement):
            found.append((name, peer.ratio))
    return found


def description(groups: Sequence[tuple[str, Sequence[Speed]]]) -> str:
    """All that the chart shows, in words."""
    return " ".join(f"{name}: {', '.join(f'{who} {_times(speed)}' for who, speed in bars)}." for name, bars in groups)


def _times(speed: float) -> str:
    return f"{speed:.3g} ×" if speed < 1000 else f"{speed:.0f} ×"


def _scale(low: int, high: int, place: Place, height: int) -> Iterator[str]:
    for power in range(low, high + 1):
        x = place(10.0**power)
        colour, label = "#333" if power == 0 else "#ccc", f"{10.0**power:g} ×"
        yield f'<line x1="{x:.1f}" y1="{TOP - 8}" x2="{x:.1f}" y2="{height - GAP}" stroke="{colour}"/>'
        yield f'<text x="{x:.1f}" y="{TOP - 14}" text-anchor="middle">{label}</text>'


def _bars(groups: Sequence[tuple[str, Sequence[Speed]]], names: Sequence[str], place: Place) -> Iterator[str]:
    """The bars of each workload, from minischeme's line to the left if slower and to the right if faster."""
    y = TOP
    for workload, bars in groups:
        yield "<g>"
        yield (
            f'<text x="{LEFT - 10}" y="{y + BAR - 4}" text-anchor="end" font-weight="bold">{escape(workload)}</text>'
        )
        for who, speed in bars:
            start, end = sorted((place(1.0), place(speed)))
            colour = COLOURS[names.index(who) % len(COLOURS)]
            label = f"{escape(who)} {_times(speed)}"
            yield (
                f'<rect x="{start:.1f}" y="{y + 2}" width="{max(end - start, 1):.1f}" height="{BAR - 4}" '
                f'fill="{colour}"><title>{escape(workload)}: {label}</title></rect>'
            )
            yield f'<text x="{end + 6:.1f}" y="{y + BAR - 4}">{label}</text>'
            y += BAR
        yield "</g>"
        y += GAP
