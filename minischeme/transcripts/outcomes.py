"""The outcomes of the interactions of a transcript: texts for people, and edits that update the file."""

import difflib
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import NamedTuple

from minischeme.data.abbreviate import one_line
from minischeme.transcripts.document import Document

_CONTEXT = 3


class Verdict(Enum):
    """The judgement of an interaction."""

    SAME = "same"
    DIFFERENT = "different"
    FOLLOWING = "following from a load that failed"
    RANDOM = "random"
    ENDLESS = "stopped by the time limit"
    NOT_COMPARED = "not compared"
    NOT_RUN = "not run"

    @property
    def fails(self) -> bool:
        return self in (Verdict.DIFFERENT, Verdict.ENDLESS)

    @property
    def is_outdated(self) -> bool:
        """Whether the file shows another result, which an update replaces."""
        return self in (Verdict.DIFFERENT, Verdict.FOLLOWING, Verdict.RANDOM)


class Edit(NamedTuple):
    """A replacement of the text from `start` to `end`."""

    start: int
    end: int
    replacement: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of an interaction."""

    name: str  # the file's
    line: int  # the line that it begins in, from 1
    source: str
    verdict: Verdict
    lines: tuple[str, ...] = ()  # those that a transcript should show below it
    difference: str = ""  # the text of a failure, for people
    edit: Edit | None = None  # the change that updates the file
    note: str = ""  # such as the reason why it was not run
    cause: int = 0  # the line of the failed load that caused it, or 0

    @property
    def location(self) -> str:
        return f"{self.name}:{self.line}: {one_line(self.source)}"


def edited(text: str, outcomes: Iterable[Outcome]) -> str:
    """A text with the changes of its outcomes."""
    return with_edits(text, (outcome.edit for outcome in outcomes if outcome.edit is not None))


def with_edits(text: str, edits: Iterable[Edit]) -> str:
    """A text with some changes; all else stays as it is, byte for byte."""
    parts: list[str] = []
    position = 0
    for start, end, replacement in edits:
        parts += [text[position:start], replacement]
        position = end
    return "".join([*parts, text[position:]])


def counted(verdicts: Counter[Verdict]) -> str:
    """The number of interactions, and the numbers of those that were not the same, by verdict."""
    total = verdicts.total()
    parts = [f"{total} interaction{'' if total == 1 else 's'}"]
    parts += [f"{verdicts[kind]} {kind.value}" for kind in Verdict if kind is not Verdict.SAME and verdicts[kind]]
    return ", ".join(parts)


def found_elsewhere(name: str, path: Path) -> str:
    """The message about a file that was used for one of another machine."""
    here = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
    return f'(load "{name}") is taken to mean {here}'


def difference(document: Document, line: int, start: int, end: int, lines: Iterable[str]) -> str:
    """A unified diff in the file's own line numbers, from `line` on, if `lines` stood from `start` to `end`."""
    last = min(len(document.lines), end + _CONTEXT)
    now = [*document.lines[line:start], *lines, *document.lines[end:last]]
    names = document.name, f"{document.name} (now)"
    diff = difflib.unified_diff(document.lines[line:last], now, *names, n=_CONTEXT, lineterm="")

    def moved(number: re.Match[str]) -> str:
        return str(int(number[0]) + line)

    return "\n".join(re.sub(r"(?<= [-+])\d+", moved, text) if text.startswith("@@ ") else text for text in diff)


def edit_of(document: Document, start: int, end: int, lines: Iterable[str]) -> Edit:
    """The replacement of the lines from `start` to `end`; those that were there already keep their line ends."""
    first = sum(map(len, document.raw_lines[:start]))
    known = dict(zip(document.lines[start:end], document.raw_lines[start:end], strict=True))
    raw = [known.get(line, line) for line in lines]
    line_end = document.newline if first and not document.text[:first].endswith("\n") else ""
    text = line_end + "".join(line if line.endswith("\n") else line + document.newline for line in raw)
    return Edit(first, first + sum(map(len, document.raw_lines[start:end])), text)
