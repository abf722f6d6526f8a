"""Texts for people about what a replay found, and the changes that make a file show it."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from minischeme.data.abbreviate import one_line
from minischeme.transcripts.document import Document
from minischeme.transcripts.outcomes import Check, Edit, Outcome, Verdict, edited

_HUNK = re.compile(r"@@ -(\d+)(,\d+)? \+(\d+)(,\d+)? @@")
_CONTEXT = 3


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


def _moved(hunk: re.Match[str], lines: int) -> str:
    old, old_count, new, new_count = hunk.groups()
    return f"@@ -{int(old) + lines}{old_count or ''} +{int(new) + lines}{new_count or ''} @@"


def check_of(document: Document, outcome: Outcome) -> Check:
    """An outcome with its texts for people, and the change that makes the transcript show it."""
    verdict = outcome.verdict
    text = difference(document, outcome) if verdict.fails else ""
    edit = edit_of(document, outcome) if verdict.is_renewed else None
    return Check(document.name, outcome.line, outcome.source, verdict, text, edit, outcome.note, outcome.cause)


def edit_of(document: Document, outcome: Outcome) -> Edit:
    """What makes a transcript show what happened now."""
    start = sum(map(len, document.raw_lines[: outcome.start]))
    end = start + sum(map(len, document.raw_lines[outcome.start : outcome.end]))
    line_end = document.newline if start and not document.text[:start].endswith("\n") else ""
    return Edit(start, end, line_end + "".join(_raw(document, outcome)))


def renewed(document: Document, outcomes: Iterable[Outcome]) -> str:
    """The text of a transcript with what happened now, where that differs."""
    return edited(document.text, (edit_of(document, outcome) for outcome in outcomes if outcome.verdict.is_renewed))


def _raw(document: Document, outcome: Outcome) -> Sequence[str]:
    """The lines of an outcome with their ends; those that were there already keep theirs."""
    known = {document.lines[index]: document.raw_lines[index] for index in range(outcome.start, outcome.end)}
    lines = [known.get(line, line) for line in outcome.lines]
    return [line if line.endswith("\n") else line + document.newline for line in lines]
