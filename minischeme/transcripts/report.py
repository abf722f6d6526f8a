"""What a replay found, for people: differences, the renewed text of a transcript, and a summary of it all."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from minischeme.data.abbreviate import one_line
from minischeme.transcripts.document import Document
from minischeme.transcripts.expectations import Result
from minischeme.transcripts.replay import Outcome, Verdict

_HUNK = re.compile(r"@@ -(\d+)(,\d+)? \+(\d+)(,\d+)? @@")
_CONTEXT = 3


@dataclass(slots=True)
class FileReport:
    """What came of a file.

    Args: name: its path as messages show it. verdicts: how often there was each. differences: the text of each failure.
    renewed: the file's text with what happened now; None where nothing changed. changes: a line for each expectation
    that `renewed` changes. problem: why the file could not be run to its end. following: how many differences follow
    from a load that failed, by its line. found: files that stood for those of another machine, by the names loaded.
    """

    name: str
    verdicts: Counter[Verdict] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)
    renewed: str | None = None
    changes: list[str] = field(default_factory=list)
    problem: str | None = None
    following: Counter[int] = field(default_factory=Counter)
    found: dict[str, Path] = field(default_factory=dict)

    def add(self, document: Document, outcome: Outcome) -> None:
        """Count an outcome, and keep the text of a failure."""
        self.verdicts[outcome.verdict] += 1
        if outcome.verdict.fails:
            self.differences.append(difference(document, outcome))
        if outcome.verdict.is_renewed:
            self.changes.append(f"{document.name}:{outcome.line}: {one_line(outcome.source)}")
        if outcome.cause:
            self.following[outcome.cause] += 1

    def consequences(self) -> Iterator[str]:
        """A line for each load that failed and that other differences follow from."""
        for line, count in self.following.items():
            more = "1 more interaction fails" if count == 1 else f"{count} more interactions fail"
            yield f"{self.name}:{line}: {more} because this load does"

    def summary(self) -> str:
        """One line about the file."""
        return f"{self.name}: {counted(self.verdicts)}"


def counted(verdicts: Counter[Verdict]) -> str:
    """So many interactions, and what came of those that were not the same."""
    total = sum(verdicts.values())
    parts = [f"{total} interaction{'' if total == 1 else 's'}"]
    parts += [f"{verdicts[kind]} {kind.value}" for kind in Verdict if kind is not Verdict.SAME and verdicts[kind]]
    return ", ".join(parts)


def found_elsewhere(name: str, path: Path) -> str:
    """The line that tells which file stood for one of another machine."""
    here = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
    return f'(load "{name}") is taken to mean {here}'


def difference(document: Document, outcome: Outcome) -> str:
    """A failure as text: its place, its expression, and a unified diff in the file's own line numbers."""
    lines = [f"{document.name}:{outcome.line}: {one_line(outcome.source)}"]
    if outcome.note:
        lines.append(f"  {outcome.note}")
    first = max(0, min(outcome.line - 1, outcome.start))
    last = min(len(document.lines), outcome.end + _CONTEXT)
    shown = document.lines[first:last]
    now = [*document.lines[first : outcome.start], *outcome.lines, *document.lines[outcome.end : last]]
    now_name = f"{document.name} (now)"
    diff = difflib.unified_diff(shown, now, document.name, now_name, n=_CONTEXT, lineterm="")
    return "\n".join([*lines, *(_HUNK.sub(lambda found: _moved(found, first), line) for line in diff)])


def unexpected(name: str, result: Result) -> str:
    """A failed expectation of a Scheme file as text: its place, its expression, and what was shown instead."""
    expected = result.expectation
    lines = [f"{name}:{expected.line}: {one_line(expected.source)}"]
    return "\n".join([*lines, *(f"-{line}" for line in expected.shown), *(f"+{line}" for line in result.shown)])


def _moved(hunk: re.Match[str], lines: int) -> str:
    """A hunk's head with line numbers of the whole file."""
    old, old_count, new, new_count = hunk.groups()
    return f"@@ -{int(old) + lines}{old_count or ''} +{int(new) + lines}{new_count or ''} @@"


def renewed(document: Document, outcomes: Iterable[Outcome]) -> str:
    """The text of a transcript with what happened now, where that differs; all else stays as it is, byte for byte."""
    parts: list[str] = []
    position = 0
    for outcome in outcomes:
        if not outcome.verdict.is_renewed:
            continue
        parts += document.raw_lines[position : outcome.start]
        if parts and not parts[-1].endswith("\n"):
            parts[-1] += document.newline
        parts += _raw(document, outcome)
        position = outcome.end
    return "".join([*parts, *document.raw_lines[position:]])


def _raw(document: Document, outcome: Outcome) -> Sequence[str]:
    """The lines of an outcome with their ends; those that were there already keep theirs."""
    known = {document.lines[index]: document.raw_lines[index] for index in range(outcome.start, outcome.end)}
    lines = [known.get(line, line) for line in outcome.lines]
    return [line if line.endswith("\n") else line + document.newline for line in lines]
