"""Locked tests: results replaced by digests, which the student finds again before the test counts."""

import hashlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from minischeme.transcripts.document import LOCKED, Document
from minischeme.transcripts.expectations import ExpectationFile
from minischeme.transcripts.files import opened_text
from minischeme.transcripts.replay import Settings

_DIGITS = 16
_LOCK = re.compile(rf"{LOCKED}([0-9a-f]{{{_DIGITS}}})")
_NAMED = {
    "function": re.compile(r"#\[(closure|subr|continuation|compound-procedure)\b.*"),
    "error": re.compile(r"(\*\*\* )?error\b.*", re.IGNORECASE | re.DOTALL),
    "nothing": re.compile(r"(okay)?"),
}
"""The results that have names, as students can't know their text."""

_TEXTS = {"function": "#[...]", "nothing": "okay"}
_ERROR_LINES = "*** Error...\n..."


class Expected(NamedTuple):
    """A result that a file states: the part of its text from `start` to `end`."""

    start: int
    end: int
    source: str  # the interaction
    in_transcript: bool


def lock(text: str, name: str) -> str:
    """The text of a file with digests for the results that it states, but for those of definitions."""
    return _replaced(text, name, lambda place, shown: None if _LOCK.fullmatch(shown) else _digest(place, shown))


def unlock(text: str, name: str, ask: Callable[[str, Callable[[str], bool]], str | None]) -> str:
    """The text of a file with the results that were found again.

    Args:
        ask: is given an interaction, and a function that tells whether an answer is right; it returns the right
            answer, or None if the student gives up, which leaves the rest locked.
    """
    is_over = False

    def answered(place: Expected, shown: str) -> str | None:
        nonlocal is_over
        found = _LOCK.fullmatch(shown)
        if found is None or is_over:
            return None
        answer = ask(place.source, lambda answer: _digest(place, _plain(answer)) == shown)
        is_over = answer is None
        if answer is None:
            return None
        answer = _plain(answer)
        if answer == "error":
            return _ERROR_LINES if place.in_transcript else "Error"
        return _TEXTS.get(answer, answer)

    return _replaced(text, name, answered)


def _plain(answer: str) -> str:
    answer = answer.strip()
    return answer.casefold() if answer.casefold() in _NAMED else answer


def _digest(place: Expected, shown: str) -> str:
    named = next((name for name, pattern in _NAMED.items() if pattern.fullmatch(shown.strip())), shown.strip())
    return LOCKED + hashlib.sha256(f"{place.source}\n{named}".encode()).hexdigest()[:_DIGITS]


def _replaced(text: str, name: str, new: Callable[[Expected, str], str | None]) -> str:
    parts: list[str] = []
    position = 0
    for place in _expected(text, name):
        replacement = new(place, text[place.start : place.end])
        if replacement is not None:
            parts += [text[position : place.start], replacement]
            position = place.end
    return "".join([*parts, text[position:]])


def _expected(text: str, name: str) -> Iterator[Expected]:
    file = opened_text(text, Path(name), name, Settings())
    if isinstance(file, ExpectationFile):
        for source, start, end in file.expectations():
            yield Expected(start, end, source, in_transcript=False)
    else:
        yield from _in_transcript(file.document)


def _in_transcript(document: Document) -> Iterator[Expected]:
    """The lines of output up to a blank one, each by itself; all lines of an error are one."""
    offsets = [0]
    for raw in document.raw_lines:
        offsets.append(offsets[-1] + len(raw))
    for typed in document.interactions():
        line = typed.end
        boundary = document.boundary(line)
        while not typed.text.lstrip().startswith("(define") and line < boundary and document.lines[line].strip():
            end = line + 1
            if document.lines[line].startswith("*** Error"):
                while end < boundary and document.lines[end].strip():
                    end += 1
            yield Expected(
                offsets[line], offsets[end - 1] + len(document.lines[end - 1]), typed.text, in_transcript=True
            )
            line = end
