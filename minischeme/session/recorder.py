"""`Recorder`: writes down what a session shows, as a transcript that can be run again (DIALECT.md section 3).

Leaves to `session` when to tell it what, and reading transcripts to the package `transcripts`.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TextIO

from minischeme.data.errors import ReadError, SchemeError, UnfinishedInput
from minischeme.data.source import Source, Span
from minischeme.modules.files import find_library
from minischeme.reading.forms import Form
from minischeme.reading.reader import Reading
from minischeme.runtime.ports import OutputPort

END_OF_INPUT = "^D"
"""What stands in a transcript where somebody ended the input."""

KNOWN_PROMPTS = ("> ", "STk> ", "scm> ", "minischeme> ", "1 ]=> ")

Item = Form | Span | SchemeError
"""What is read in a text that was typed: a form, a stray bracket, or an error."""


def read_typed(text: str, name: str = "<prompt>", *, fold_case: bool = True, ended: bool = False) -> list[Item]:
    """All that is read in a text that was typed, in order; only the last item can be an `UnfinishedInput`.

    Args: name: what errors call the text. fold_case: as for `Reading`. ended: whether no more lines will follow: what
    stands behind an unfinished form is read, too.
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
                if not ended or error.next_form is None:
                    return items
                reading.go_on_at(error.next_form)


_CONTROLS = r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])?|[\0-\x08\x0b-\x1f\x7f-\x9f]"
_OF_A_TRANSCRIPT = rf"(?m)^(?:;+ *minischeme:|{'|'.join(map(re.escape, KNOWN_PROMPTS))})"


class PlainPort(OutputPort):
    """An output port whose text is free of what only a terminal understands: colours, and control characters."""

    __slots__ = ()

    def write(self, text: str) -> None:
        """Write the text without escape sequences."""
        super().write(re.sub(_CONTROLS, "", text))


class Recorder:
    """A transcript that is being written.

    Args: stream: where to; it is closed at the end. What it holds already is another session. seed: what the session's
    random numbers start from. dialect: the session's. before: lines that say what was done in the session before.

    `copy` is the port that takes a copy of all that the session prints while it evaluates.
    """

    def __init__(self, stream: TextIO, seed: int, dialect: str = "berkeley", before: Iterable[str] = ()) -> None:
        self._stream = stream
        self._prompt = "> "
        self.copy = PlainPort(stream, "transcript")
        is_added = adds_to(stream)
        if is_added:
            self.copy.end_line()
        if is_added or dialect != "berkeley":
            self._direct(dialect)
        for line in before:
            self.copy.write(f"{line}\n")
        self.seeded(seed)

    def _direct(self, directive: str) -> None:
        self.copy.fresh_line()
        self.copy.write(f"; minischeme: {directive}\n")
        self.flush()

    def seeded(self, seed: int) -> None:
        """Note that random numbers start anew."""
        self._direct(f"seed {seed}")

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
                self._direct(f'prompt "{prompt}"')
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


def read_prompts(
    text: str, name: str = "<prompt>", *, fold_case: bool = True, ended: bool = False
) -> Iterator[tuple[str, list[Item]]]:
    """What would be typed at one prompt each, of a text of several lines, with the items that are read there.

    Line numbers count from that prompt, as they do when a transcript of it is replayed. Lines with nothing but comments
    stand at a prompt of their own.

    Args: as for `read_typed`.
    """
    start = 0
    for lines, items in _prompts_of(text, read_typed(text, name, fold_case=fold_case, ended=ended)):
        is_complete = not any(isinstance(item, UnfinishedInput) for item in items)
        yield lines, read_typed(lines, name, fold_case=fold_case) if start and is_complete else items
        start += len(lines)


def _prompts_of(text: str, items: Iterable[Item]) -> Iterator[tuple[str, list[Item]]]:
    start = end = 0
    inside: list[Item] = []
    for item in (*items, None):
        span = item.span if isinstance(item, Form | SchemeError) else item
        if span is not None or item is None:
            next_line = text.rfind("\n", end, len(text) if span is None else max(span.start, end)) + 1
            comments = _COMMENT_LINES.fullmatch(text, end, next_line) if next_line else None
            if inside and next_line:
                cut = next_line if comments is None else comments.start(1)
                yield text[start:cut], inside
                start, inside = cut, []
            if comments is not None and start < next_line:
                yield text[start:next_line], []
                start = next_line
            end = end if span is None else span.end
        if item is not None:
            inside.append(item)
    if start < len(text) or inside:
        yield text[start:], inside


_COMMENT_LINES = re.compile(r"[ \t]*(?:;[^\n]*)?\n((?:[ \t]*(?:;[^\n]*)?\n)*)")
"""The end of a line, and in the group the lines below it that hold nothing but comments."""


def what_was_loaded(files: Iterable[tuple[Path, bool]], folder: Path) -> Iterator[str]:
    """The lines of a transcript that load files, those of the library by their names there.

    Args: files: each with whether all of it was run, without an error. folder: where the transcript is.
    """
    library = find_library().resolve()
    for file, is_complete in files:
        path = file.resolve()
        name = path.relative_to(library) if path.is_relative_to(library) else os.path.relpath(path, folder.resolve())
        name = str(name).replace(os.sep, "/")
        if is_complete:
            yield f'; minischeme: load "{name}"'
        else:
            yield f'; minischeme: random\n> (load "{name}")'


def open_transcript(name: str, *, folder: Path | None = None) -> TextIO:
    """The file for a transcript: a new one, or one that is there already, to add to.

    Args: name: as in ``(transcript-on name)``. folder: where a relative name begins, None for the current folder.
    Raises: SchemeError, also where the file holds something else than a transcript.
    """
    try:
        path = (folder or Path()).joinpath(Path(name).expanduser())
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        if text.strip() and not re.search(_OF_A_TRANSCRIPT, text):
            raise SchemeError(
                f'transcript-on: "{name}" is no transcript, and is left as it is', hint="choose the name of a new file"
            )
        stream = path.open("a" if text.strip() else "w", encoding="utf-8", errors="backslashreplace")
    except (OSError, RuntimeError, ValueError) as error:
        raise SchemeError(f'transcript-on: cannot open file: "{name}"') from error
    if text.strip() and not text.endswith("\n"):
        stream.write("\n")
    return stream


def adds_to(stream: TextIO) -> bool:
    """Whether a file for a transcript holds another one already."""
    return stream.seekable() and stream.tell() > 0


def open_nothing(_name: str) -> TextIO:
    """What stands for a new transcript in a session that must write no files."""
    return _Nothing()


class _Nothing(io.StringIO):
    """Takes text and forgets it."""

    def write(self, text: str) -> int:
        return len(text)


OpenTranscript = Callable[[str], TextIO]
