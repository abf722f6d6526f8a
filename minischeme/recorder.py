"""`Recorder`: writes down what a session shows, as a transcript that can be run again (dialect section 3).

Leaves to `session` when to tell it what, and reading transcripts to the package `transcripts`.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TextIO

from minischeme.errors import ReadError, SchemeError, UnfinishedInput
from minischeme.ports import OutputPort
from minischeme.reader import Form, Reading
from minischeme.source import Source, Span

END_OF_INPUT = "^D"
"""What stands in a transcript where somebody ended the input."""

KNOWN_PROMPTS = ("> ", "STk> ", "scm> ", "minischeme> ", "1 ]=> ")

Item = Form | Span | SchemeError
"""What is read in a text that was typed: a form, a stray bracket, or an error."""


def read_typed(text: str, name: str = "<prompt>", *, fold_case: bool = True) -> list[Item]:
    """All that is read in a text that was typed, in order; only the last item can be an `UnfinishedInput`.

    Args: name: what errors call the text. fold_case: as for `Reading`.
    """
    items: list[Item] = []
    reading = Reading(Source(text, name), fold_case=fold_case, on_stray=items.append)
    while True:
        try:
            items.extend(reading)
            return items
        except ReadError as error:
            items.append(error)
            if isinstance(error, UnfinishedInput):
                return items


class Recorder:
    """A transcript that is being written.

    Args: stream: where to; it is closed at the end. seed: what the session's random numbers start from. dialect: the
    session's.

    `copy` is the port that takes a copy of all that the session prints while it evaluates.
    """

    def __init__(self, stream: TextIO, seed: int, dialect: str = "berkeley") -> None:
        self._stream = stream
        self._prompt = "> "
        self.copy = OutputPort(stream, "transcript")
        if dialect != "berkeley":
            self.copy.write(f"; minischeme: {dialect}\n")
        self.copy.write(f"; minischeme: seed {seed}\n")

    def typed(self, text: str, prompt: str) -> None:
        """Note what was typed at the prompt.

        Args: text: its lines as typed. prompt: the prompt's text.
        """
        text = text.strip("\n")
        if not text.strip():
            return
        self.copy.fresh_line()
        prompt = prompt if prompt.strip() else "> "
        if prompt != self._prompt:
            self._prompt = prompt
            if prompt not in KNOWN_PROMPTS:
                self.copy.write(f'; minischeme: prompt "{prompt}"\n')
        self.copy.write(f"{prompt}{text}\n")

    def read_line(self, line: str) -> None:
        """Note a line that the program was given to read; empty at the end of the input."""
        self.copy.write((line.rstrip("\r\n") if line else END_OF_INPUT) + "\n")

    def flush(self) -> None:
        """Let the file hold what was noted so far."""
        self._stream.flush()

    def close(self) -> None:
        """End the transcript."""
        self._stream.close()


def prompts_of(text: str, items: Sequence[Item]) -> Iterator[tuple[str, list[Item]]]:
    """What would be typed at one prompt each, of a text of several lines, with the items that were read in it.

    Args: text: all of it. items: its forms, stray brackets and errors, in order.
    """
    start = end = 0
    inside: list[Item] = []
    for item in items:
        span = item if isinstance(item, Span) else item.span
        if span is not None:
            line_end = text.rfind("\n", end, max(span.start, end)) + 1
            if inside and line_end:
                yield text[start:line_end], inside
                start, inside = line_end, []
            end = span.end
        inside.append(item)
    yield text[start:], inside


def open_transcript(name: str, *, folder: Path | None = None) -> TextIO:
    """A new file for a transcript.

    Args: name: as in ``(transcript-on name)``. folder: where a relative name begins, None for the current folder.
    Raises: SchemeError.
    """
    try:
        return (folder or Path()).joinpath(Path(name).expanduser()).open("w", encoding="utf-8")
    except OSError as error:
        raise SchemeError(f'transcript-on: cannot open file: "{name}"') from error


def open_nothing(_name: str) -> TextIO:
    """What stands for a new transcript in a session that must write no files."""
    return _Nothing()


class _Nothing(io.StringIO):
    """Takes text and forgets it."""

    def write(self, text: str) -> int:
        return len(text)


OpenTranscript = Callable[[str], TextIO]
