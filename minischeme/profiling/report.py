"""Profiles as text for people, and as lcov for other programs."""

import os.path
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from minischeme.data.wrapping import wrapped
from minischeme.profiling.profile import Count, Profile

MOST_PROCEDURES = 40
_NOTE = "Each turn of a loop is a call. Calls in tail position count for the caller's caller."


def table(profile: Profile, width: int | None = None) -> str:
    """The procedures of a profile by their own time; the own times add up to that of all."""
    called = [count for count in profile.procedures.values() if count.times]
    called.sort(key=lambda count: (-count.own, -count.times))
    rows = [("calls", "own", "below", "procedure")]
    for count in called[:MOST_PROCEDURES]:
        place = "" if count.file.startswith("<") else f"  {os.path.basename(count.file)}:{count.line}"
        rows.append((f"{count.times:,}", _time(count.own), _time(count.whole - count.own), count.name + place))
    others = called[MOST_PROCEDURES:]
    if others:
        rows.append(("", _time(sum(count.own for count in others)), "", f"{len(others)} more procedures"))
    total = sum(count.own for count in called) + profile.outside.own
    rows += [("", _time(profile.outside.own), "", profile.outside.name), ("", _time(total), "", "in all")]
    is_narrow = width is not None and width < 60
    lines = (
        f"{name}\n{numbers}" if is_narrow else f"{numbers}  {name}"
        for numbers, name in ((f"{calls:>9} {own:>10} {below:>10}", name) for calls, own, below, name in rows)
    )
    return "\n".join([*lines, "", _NOTE])


def show_profile(session: Any, text: str) -> None:
    """Evaluate and print the forms of a text, and then the calls and times of the program's procedures."""
    profile = Profile(timed=True)
    with profile.recording(session.main):
        session.prompt.evaluate_and_print(text)
    session.output.fresh_line()
    session.output.write(wrapped(table(profile, session.output.width), session.output.width) + "\n")


def _time(nanoseconds: int) -> str:
    return f"{nanoseconds / 1e9:.2f} s" if nanoseconds >= 1e9 else f"{nanoseconds / 1e6:.3f} ms"


def coverage(profile: Profile, *, listed: bool) -> str:
    """The part of each file that ran, and the lines that did not; with `listed`, each line with its count."""
    parts = []
    for name, lines in _files(profile):
        ran = sum(count.times > 0 for count in lines)
        never = [list(group) for is_missed, group in groupby(lines, lambda count: not count.times) if is_missed]
        ranges = ", ".join("–".join(dict.fromkeys([str(group[0].line), str(group[-1].line)])) for group in never)
        missed = f"; never: {ranges}" if ranges else ""
        parts.append(f"{name}: {ran} of {len(lines)} lines ran, {100 * ran // len(lines)} %{missed}")
        shown = {count.line: f"{count.times:,}" if count.times else "never" for count in lines}
        for number, line in enumerate(profile.sources[name].text.splitlines() if listed else (), 1):
            parts.append(f"{shown.get(number, ''):>9} │ {line}".rstrip())
    return "\n".join(parts) or "no line of a file ran"


def _files(profile: Profile) -> Iterator[tuple[str, list[Count]]]:
    """The files of a profile, each with its lines in order."""
    for name in sorted(profile.sources):
        lines = sorted((each for each in profile.lines.values() if each.file == name), key=lambda each: each.line)
        if lines and not name.startswith("<"):
            yield name, lines


def lcov(profile: Profile) -> str:
    """The counts in the format of lcov's tracefiles."""
    texts: list[str] = []
    for name, lines in _files(profile):
        procedures = {
            f"{each.name}:{offset}" if each.name == "lambda" else each.name: each
            for (file, offset, _), each in profile.procedures.items()
            if file == name
        }
        texts += ["TN:", f"SF:{os.path.abspath(name)}"]
        for label, count in procedures.items():
            texts += [f"FN:{count.line},{label}", f"FNDA:{count.times},{label}"]
        texts += [f"FNF:{len(procedures)}", f"FNH:{sum(count.times > 0 for count in procedures.values())}"]
        texts += [f"DA:{count.line},{count.times}" for count in lines]
        texts += [f"LF:{len(lines)}", f"LH:{sum(count.times > 0 for count in lines)}", "end_of_record"]
    return "".join(f"{text}\n" for text in texts)
