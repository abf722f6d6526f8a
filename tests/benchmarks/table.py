"""The table of measurements, as aligned text or Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from .measuring import Measurement

HEADINGS = ("workload", "minischeme", "by hand", "ratio", "at most", "plain ratio", "aim")

LEGEND = """\
ratio: minischeme's CPU time, as a multiple of that of the same algorithm written by hand in Python on the same data,
run with the same room for recursion. plain ratio: of the same as Python runs it by itself."""


def _row(measurement: Measurement) -> tuple[str, ...]:
    def milliseconds(seconds: float | None) -> str:
        return "" if seconds is None else f"{seconds * 1000:.1f} ms"

    def multiple(ratio: float | None, digits: int = 2) -> str:
        return "" if ratio is None else f"{ratio:.{digits}f} ×"

    return (
        measurement.name,
        milliseconds(measurement.seconds),
        milliseconds(measurement.by_hand),
        multiple(measurement.ratio),
        multiple(measurement.target, 1),
        multiple(measurement.plain_ratio),
        multiple(measurement.aim, 1),
    )


def aligned(measurements: Sequence[Measurement]) -> str:
    """The table in columns, numbers to the right."""
    rows = [HEADINGS, *map(_row, measurements)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    return "\n".join(
        "  ".join(cell.rjust(width) if column else cell.ljust(width) for column, (cell, width) in enumerate(pairs))
        for pairs in (list(zip(row, widths, strict=True)) for row in rows)
    )


def markdown(measurements: Sequence[Measurement]) -> str:
    """The table in Markdown."""
    rule = ("---", *("---:" for _ in HEADINGS[1:]))
    return "\n".join("| " + " | ".join(row) + " |" for row in (HEADINGS, rule, *map(_row, measurements)))
