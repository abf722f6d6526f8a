"""The tables of what was measured, as aligned text or Markdown, with what has to be said below them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .measuring import Measurement, PeerMeasurement
from .peers import Peer
from .processes import Memory

LEGEND = """\
All times are CPU seconds, without the start of the process; all figures are medians.
ratio: minischeme's time for the same work, as a multiple of that of the same algorithm written by hand in Python on the
same data, run with the same room for recursion. plain ratio: of the same as Python runs it by itself. The ratios below
a Scheme's name are multiples of its time: below 1 minischeme is faster. Each is the median of the rounds' ratios."""

UNKNOWN = "–"


@dataclass(frozen=True)
class Table:
    """A table: its title, the headings of its columns, and its rows."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def rate(number: float) -> str:
    """A number of things per second in three digits, with M for millions and k for thousands."""
    for unit, symbol in ((1e6, " M"), (1e3, " k")):
        if number >= unit:
            return f"{number / unit:.3g}{symbol}" if number < 1000 * unit else f"{number / unit:.0f}{symbol}"
    return f"{number:.3g}"


def milliseconds(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds * 1000:.1f} ms"


def multiple(ratio: float | None, digits: int = 2) -> str:
    if ratio is None:
        return ""
    return f"{ratio:.2g} ×" if ratio < 0.1 else f"{ratio:.{digits}f} ×"


def speed_table(measurements: Sequence[Measurement], peers: Sequence[str]) -> Table:
    """How much work each does per second.

    Args: peers: the names of the other Schemes.
    """

    def peer_rate(found: PeerMeasurement | str | None) -> str:
        return rate(1 / found.seconds) if isinstance(found, PeerMeasurement) else UNKNOWN

    rows = (
        (
            measurement.name,
            measurement.unit,
            rate(measurement.work / measurement.seconds),
            UNKNOWN if measurement.by_hand is None else rate(measurement.work / measurement.by_hand),
            *(peer_rate(measurement.peers.get(name)) for name in peers),
        )
        for measurement in measurements
    )
    return Table("Work per second", ("workload", "unit", "minischeme", "by hand", *peers), tuple(rows))


def ratio_table(measurements: Sequence[Measurement], peers: Sequence[str]) -> Table:
    """The time that minischeme takes, and what multiple it is of the others'.

    Args: peers: the names of the other Schemes.
    """

    def peer_ratio(found: PeerMeasurement | str | None) -> str:
        return multiple(found.ratio) if isinstance(found, PeerMeasurement) else UNKNOWN

    rows = (
        (
            measurement.name,
            milliseconds(measurement.seconds),
            milliseconds(measurement.by_hand),
            multiple(measurement.ratio),
            multiple(measurement.target, 1),
            multiple(measurement.plain_ratio),
            multiple(measurement.aim, 1),
            *(peer_ratio(measurement.peers.get(name)) for name in peers),
        )
        for measurement in measurements
    )
    headings = ("workload", "minischeme", "by hand", "ratio", "at most", "plain ratio", "aim", *peers)
    return Table("minischeme's time, and as a multiple of others'", headings, tuple(rows))


def memory_table(memories: Sequence[Memory], peers: Sequence[str]) -> Table:
    """How many bytes things take.

    Args: peers: the names of the other Schemes.
    """

    def bytes_of(found: float | str | None) -> str:
        return f"{found:.0f}" if isinstance(found, float) else UNKNOWN

    rows = (
        (memory.name, *map(bytes_of, (memory.ours, memory.by_hand, *(memory.peers.get(name) for name in peers))))
        for memory in memories
    )
    return Table("Bytes of memory for each", ("thing", "minischeme", "by hand", *peers), tuple(rows))


def reasons(results: Sequence[Measurement | Memory]) -> list[str]:
    """Why there are dashes: a line for each reason, with who could not be measured at what."""
    at_what: dict[tuple[str, str], list[str]] = {}
    for result in results:
        for peer, found in result.peers.items():
            if isinstance(found, str):
                at_what.setdefault((peer, found), []).append(result.name)
    who: dict[tuple[str, str], list[str]] = {}
    for (peer, reason), names in at_what.items():
        who.setdefault(("; ".join(names), reason), []).append(peer)
    return [f"{', '.join(peers)}: {names}: {reason}" for (names, reason), peers in who.items()]


def manners(peers: Sequence[Peer]) -> list[str]:
    """What the other Schemes are and how they run programs, a line for each."""
    smaller = "; less at a time, and more often"
    return [f"{peer.name}: {peer.version()}; {peer.manner}{smaller if peer.slow else ''}" for peer in peers]


def aligned(table: Table) -> str:
    """A table in columns, numbers to the right."""
    rows = (table.headings, *table.rows)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (
        "  ".join(cell.rjust(width) if place else cell.ljust(width) for place, (cell, width) in enumerate(cells))
        for cells in (list(zip(row, widths, strict=True)) for row in rows)
    )
    return "\n".join([f"{table.title}\n", *lines])


def markdown(table: Table) -> str:
    """A table in Markdown, below a heading."""
    rule = ("---", *("---:" for _ in table.headings[1:]))
    rows = "\n".join("| " + " | ".join(row) + " |" for row in (table.headings, rule, *table.rows))
    return f"## {table.title}\n\n{rows}"


def report(tables: Sequence[Table], notes: Sequence[Sequence[str]], *, in_markdown: bool) -> str:
    """All tables, and below them the legend and the notes.

    Args: notes: groups of lines.
    """
    parts = [markdown(table) if in_markdown else aligned(table) for table in tables]
    mark = "- " if in_markdown else ""
    groups = ["\n".join(mark + line for line in group) for group in notes if group]
    return "\n\n".join([*parts, LEGEND, *groups]) + "\n"
