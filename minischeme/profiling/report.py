"""Profiles as text for people, and as lcov for other programs."""

import os.path
from collections.abc import Iterator

from minischeme.profiling.profile import Profile

MOST_PROCEDURES = 40
_NOTE = """\
Own: time in the procedure itself, with what it calls of the library. Below: in your procedures that it calls.
A turn of a loop is a call. A call in tail position replaces its caller, so it counts for the caller's caller."""


def table(profile: Profile) -> str:
    """The procedures of a profile by their own time, which adds up to the time of all."""
    rows = sorted(range(1, len(profile.names)), key=lambda number: (-profile.own[number], -profile.calls[number]))
    rows = [number for number in rows if profile.calls[number]]
    lines = [f"{'calls':>11}{'own':>11}{'below':>11}  procedure"]
    for number in rows[:MOST_PROCEDURES]:
        lines.append(_row(profile, number, f"{profile.calls[number]:,}", profile.whole[number] - profile.own[number]))
    if len(rows) > MOST_PROCEDURES:
        rest = sum(profile.own[number] for number in rows[MOST_PROCEDURES:])
        lines.append(f"{'':>11}{_time(rest):>11}{'':>11}  {len(rows) - MOST_PROCEDURES} more procedures")
    lines.append(f"{'':>11}{_time(profile.own[0]):>11}{'':>11}  outside your procedures, with reading and compiling")
    lines.append(f"{'':>11}{_time(sum(profile.own)):>11}{'':>11}  in all")
    return "\n".join([*lines, _NOTE])


def _row(profile: Profile, number: int, calls: str, below: int) -> str:
    place = profile.places[number]
    where = f"  {os.path.basename(place[0])}:{place[1]}" if place is not None and not place[0].startswith("<") else ""
    return f"{calls:>11}{_time(profile.own[number]):>11}{_time(below):>11}  {profile.names[number]}{where}"


def _time(nanoseconds: int) -> str:
    return f"{nanoseconds / 1e9:.2f} s" if nanoseconds >= 1e9 else f"{nanoseconds / 1e6:.3f} ms"


def coverage(profile: Profile, *, listed: bool) -> str:
    """How much of each file ran, and the lines that did not; with `listed`, each line with its count."""
    parts = []
    for name, counts in _files(profile):
        ran = sum(count > 0 for count in counts.values())
        never = _ranges([line for line, count in counts.items() if not count], sorted(counts))
        more = f"; never: {never}" if never else ""
        parts.append(f"{name}: {ran} of {len(counts)} lines ran, {100 * ran // len(counts)} %{more}")
        text = profile.sources[name].text.splitlines() if listed else []
        for number, line in enumerate(text, 1):
            count = counts.get(number)
            shown = "" if count is None else f"{count:,}" if count else "never"
            parts.append(f"{shown:>9} │ {line}".rstrip())
    return "\n".join(parts) or "no line of a file ran"


def _files(profile: Profile) -> Iterator[tuple[str, dict[int, int]]]:
    """The files of a profile, each with the counts of its lines."""
    for name in sorted(profile.sources):
        if not name.startswith("<"):
            lines = sorted((line, number) for (file, line), number in profile.lines.items() if file == name)
            yield name, {line: profile.line_counts[number] for line, number in lines}


def _ranges(lines: list[int], all_lines: list[int]) -> str:
    """Lines as text: those between which no other counts as a range."""
    groups: list[list[int]] = []
    for line in lines:
        if groups and all_lines.index(line) == all_lines.index(groups[-1][-1]) + 1:
            groups[-1].append(line)
        else:
            groups.append([line])
    return ", ".join(str(group[0]) if len(group) == 1 else f"{group[0]}–{group[-1]}" for group in groups)


def lcov(profile: Profile) -> str:
    """The counts in the format of lcov's tracefiles."""
    lines: list[str] = []
    for name, counts in _files(profile):
        lines += ["TN:", f"SF:{os.path.abspath(name)}"]
        procedures = [number for number, place in enumerate(profile.places) if place is not None and place[0] == name]
        for number in procedures:
            place = profile.places[number]
            assert place is not None
            lines += [f"FN:{place[1]},{profile.names[number]}", f"FNDA:{profile.calls[number]},{profile.names[number]}"]
        lines += [f"FNF:{len(procedures)}", f"FNH:{sum(profile.calls[number] > 0 for number in procedures)}"]
        lines += [f"DA:{line},{count}" for line, count in counts.items()]
        lines += [f"LF:{len(counts)}", f"LH:{sum(count > 0 for count in counts.values())}", "end_of_record"]
    return "".join(f"{line}\n" for line in lines)
