"""Locked tests: results replaced by digests, which the student finds again before the test counts."""

import hashlib
import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import accumulate
from pathlib import Path

from minischeme.transcripts.document import LOCKED, Document
from minischeme.transcripts.expectations import ExpectationFile
from minischeme.transcripts.files import opened_text
from minischeme.transcripts.outcomes import Edit, with_edits
from minischeme.transcripts.replay import Settings

_DIGITS = 16
_NAMED = {
    "function": (r"#\[(closure|subr|continuation|compound-procedure)\b.*", "#[...]"),
    "error": (r"(?is)(\*\*\* )?error\b.*", "*** Error...\n..."),
    "nothing": (r"(okay)?", "okay"),
}
"""The results that have names, as students can't know their text: patterns, and what a transcript shows for any."""


def lock(text: str, name: str) -> str:
    """The text of a file with digests for the results that it states, but for those of definitions."""
    results = [result for result in _results(text, name) if not text.startswith(LOCKED, result[1])]
    return with_edits(text, (Edit(start, end, _digest(source, text[start:end])) for source, start, end in results))


def unlock(text: str, name: str, ask: Callable[[str, Callable[[str], bool]], str | None]) -> str:
    """The text of a file with the results that were found again.

    Args:
        ask: is given an interaction, and a function that tells whether an answer is right; it returns the right
            answer, or None if the student gives up, which leaves the rest locked.
    """

    def found() -> Iterator[Edit]:
        for source, start, end in _results(text, name):
            if not text.startswith(LOCKED, start):
                continue
            answer = ask(source, partial(_is_right, source, text[start:end]))
            if answer is None:
                return
            shown = _NAMED.get(_plain(answer), ("", _plain(answer)))[1]
            yield Edit(start, end, "Error" if name.endswith(".scm") and _plain(answer) == "error" else shown)

    return with_edits(text, found())


def _is_right(source: str, locked: str, answer: str) -> bool:
    return _digest(source, _plain(answer)) == locked


def _plain(answer: str) -> str:
    answer = answer.strip()
    return answer.casefold() if answer.casefold() in _NAMED else answer


def _digest(source: str, shown: str) -> str:
    named = next((name for name, (pattern, _) in _NAMED.items() if re.fullmatch(pattern, shown.strip())), shown.strip())
    return LOCKED + hashlib.sha256(f"{source}\n{named}".encode()).hexdigest()[:_DIGITS]


def _results(text: str, name: str) -> Iterator[tuple[str, int, int]]:
    """The interactions of a file, each with the part of the text that is its result."""
    file = opened_text(text, Path(name), name, Settings())
    return file.expectations() if isinstance(file, ExpectationFile) else _in_transcript(file.document)


def _in_transcript(document: Document) -> Iterator[tuple[str, int, int]]:
    """The lines of output up to a blank one, each by itself; all lines of an error are one."""
    offsets = [0, *accumulate(map(len, document.raw_lines))]
    for typed in document.interactions():
        line, boundary = typed.end, document.boundary(typed.end)
        blank = (document.blank_lines(line, boundary) or [boundary])[0]
        while line < blank and not typed.text.lstrip().startswith("(define"):
            last = blank - 1 if document.lines[line].startswith("*** Error") else line
            yield typed.text, offsets[line], offsets[last] + len(document.lines[last])
            line = last + 1
