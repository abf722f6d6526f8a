"""Profiles as text for people, and as lcov for other programs."""

import os.path
from collections.abc import Iterator

from minischeme.profiling.profile import Profile

MOST_PROCEDURES = 40
_NEXT = "\n          "
_NOTE = "Each turn of a loop is a call. Calls in tail position count for the caller's caller."


def table(profile: Profile, width: int | None = None) -> str:
    """The procedures of a profile by their own time; the own times add up to that of all."""
    called = [number for number in range(1, len(profile.names)) if profile.calls[number]]
    called.sort(key=lambda number: (-profile.own[number], -profile.calls[number]))
    rows = [("calls", "own", "below", "procedure")]
    for number in called[:MOST_PROCEDURES]:
        own, below = profile.own[number], profile.whole[number] - profile.own[number]
        rows.append((f"{profile.calls[number]:,}", _time(own), _time(below), _named(profile, number)))
    if len(called) > MOST_PROCEDURES:
        others = called[MOST_PROCEDURES:]
        rows.append(("", _time(sum(profile.own[number] for number in others)), "", f"{len(others)} more procedures"))
    rows.append(("", _time(profile.own[0]), "", "outside your procedures, with reading and compiling"))
    rows.append(("", _time(sum(profile.own)), "", "in all"))
    is_narrow = width is not None and width < 60
    lines = (
        f"{calls:>9} {own:>10} {below:>10}{_NEXT if is_narrow else '  '}{name}" for calls, own, below, name in rows
    )
    return "\n".join([*lines, "", _NOTE])


def _named(profile: Profile, number: int) -> str:
    place = profile.places[number]
    is_of_file = place is not None and not place[0].startswith("<")
    return profile.names[number] + (f"  {os.path.basename(place[0])}:{place[1]}" if is_of_file and place else "")


def _time(nanoseconds: int) -> str:
    return f"{nanoseconds / 1e9:.2f} s" if nanoseconds >= 1e9 else f"{nanoseconds / 1e6:.3f} ms"


def coverage(profile: Profile, *, listed: bool) -> str:
    """The part of each file that ran, and the lines that did not; with `listed`, each line with its count."""
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
            lines = sorted((line, number) for (file, line), (number, _) in profile.lines.items() if file == name)
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
            line = (profile.places[number] or ("", 0))[1]
            label = f"{profile.names[number]}:{number}" if profile.names[number] == "lambda" else profile.names[number]
            lines += [f"FN:{line},{label}", f"FNDA:{profile.calls[number]},{label}"]
        lines += [f"FNF:{len(procedures)}", f"FNH:{sum(profile.calls[number] > 0 for number in procedures)}"]
        lines += [f"DA:{line},{count}" for line, count in counts.items()]
        lines += [f"LF:{len(counts)}", f"LH:{sum(count > 0 for count in counts.values())}", "end_of_record"]
    return "".join(f"{line}\n" for line in lines)
