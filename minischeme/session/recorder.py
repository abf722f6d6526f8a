"""`Recorder`: the writer of a transcript of a session, which can be run again (DIALECT.md section 3)."""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from minischeme.data.errors import SchemeError
from minischeme.modules.files import library_file
from minischeme.runtime.ports import OutputPort

if TYPE_CHECKING:
    from minischeme.session.session import Session

END_OF_INPUT = "^D"  # as written in a transcript
KNOWN_PROMPTS = ("> ", "STk> ", "scm> ", "minischeme> ", "1 ]=> ")

_CONTROLS = r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])?|[\0-\x08\x0b-\x1f\x7f-\x9f]"
_OF_A_TRANSCRIPT = rf"(?m)^(?:;+ *minischeme:|{'|'.join(map(re.escape, KNOWN_PROMPTS))})"


class PlainPort(OutputPort):
    """An output port whose text is free of what only a terminal understands: colours, and control characters."""

    __slots__ = ()

    def write(self, text: str) -> None:
        super().write(re.sub(_CONTROLS, "", text))


class Recorder:
    """A transcript that is being written to a stream, which may hold another session already.

    Args:
        seed: what the session's random numbers start from.
        before: lines that say what was done in the session before.
    """

    def __init__(self, stream: TextIO, seed: int, dialect: str = "berkeley", before: Iterable[str] = ()) -> None:
        self.stream = stream
        self._prompt = "> "
        self.copy = PlainPort(stream, "transcript")  # takes a copy of all that the session prints while it evaluates
        is_added = adds_to(stream)
        if is_added:
            self.copy.write("\n")
        if is_added or dialect != "berkeley":
            self.direct(dialect)
        for line in before:
            self.copy.write(f"{line}\n")
        self.direct(f"seed {seed}")

    def direct(self, directive: str) -> None:
        """Write a line that tells a replay what to do."""
        self.copy.fresh_line()
        self.copy.write(f"; minischeme: {directive}\n")
        self.stream.flush()

    def typed(self, text: str, prompt: str) -> None:
        """Note what was typed at a prompt."""
        text = text.strip("\n")
        if not text.strip():
            return
        self.copy.fresh_line()
        prompt = prompt if prompt.strip() else "> "
        if prompt != self._prompt:
            self._prompt = prompt
            if prompt not in KNOWN_PROMPTS:
                self.direct(f'prompt "{prompt}"')
        self.copy.write(f"{prompt}{text}\n")

    def read_line(self, line: str) -> None:
        """Note a line that the program was given to read; empty at the end of the input."""
        self.copy.write((line.rstrip("\r\n") if line else END_OF_INPUT) + "\n")


class Recording:
    """The transcript of a session, while one is written: `recorder` writes it, to the file that `open_file` opens."""

    def __init__(self, session: "Session", seed: int) -> None:
        self._session = session
        self._seed = seed
        self._is_evaluating = False
        self.recorder: Recorder | None = None
        self.open_file: Callable[[str], TextIO] = open_transcript

    def start(self, name: str) -> None:
        """Write a transcript from here on to a file, behind one that is there already, and end the one being written.

        It begins with the files that were loaded so far. The random numbers start anew: a replay gets the same.
        A `SchemeError` if the file can't be opened.
        """
        session = self._session
        stream = self.open_file(name)
        self.stop()
        if adds_to(stream):
            session.prompt.note(f"{name} is there already: what follows is added to it")
        random = session.context.chance.random
        seed = random.getrandbits(32)
        random.seed(seed)
        self.recorder = Recorder(stream, seed, session.dialect, self._done_before(name))
        self._connect()

    def _done_before(self, name: str) -> Iterator[str]:
        """The lines of a transcript, in a file of this name, that repeat what was done so far."""
        folder = os.path.dirname(os.path.expanduser(name))
        loader = self._session.loader
        if loader.loaded:  # what random numbers the files took came from here
            yield f"; minischeme: seed {self._seed}"
        for path in loader.loaded:
            yield _load_line(path, folder, is_complete=path not in loader.incomplete)
        typed = loader.typed_names()
        if typed:
            yield f"; Bound at the prompt before this transcript began, and not in it: {', '.join(sorted(typed))}."

    def stop(self) -> None:
        """End the transcript that is being written, if there is one."""
        if self.recorder is not None:
            self.recorder.stream.close()
            self.recorder = None
            self._connect()

    def seed(self, seed: int) -> None:
        """Begin the random numbers from a seed, which the transcript notes."""
        self._session.context.chance.random.seed(seed)
        if self.recorder is not None:
            self.recorder.direct(f"seed {seed}")

    @contextmanager
    def typed(self, text: str) -> Iterator[None]:
        """Let the transcript hold what was typed and what is shown inside the ``with``."""
        if self.recorder is not None:
            self.recorder.typed(text, self._session.context.console.prompt)
        self._is_evaluating = True
        self._connect()
        try:
            yield
        finally:
            self._is_evaluating = False
            self._connect()
            if self.recorder is not None:
                self.recorder.stream.flush()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Keep what is printed inside the ``with`` out of the transcript."""
        output = self._session.output
        copy, output.copy = output.copy, None
        try:
            yield
        finally:
            output.copy = copy

    def _connect(self) -> None:
        recorder = self.recorder if self._is_evaluating else None
        self._session.output.copy = recorder.copy if recorder is not None else None
        self._session.input.listener = recorder.read_line if recorder is not None else None


def _load_line(path: str, folder: str, *, is_complete: bool) -> str:
    """The line of a transcript in a folder that loads a file, which was run to its end if `is_complete`."""
    name = library_file(path) or os.path.relpath(os.path.realpath(path), os.path.realpath(folder))
    name = name.replace(os.sep, "/")
    return f'; minischeme: load "{name}"' if is_complete else f'; minischeme: random\n> (load "{name}")'


def open_transcript(name: str) -> TextIO:
    """The file for a transcript: a new one, or one that is there already, to add to.

    A `SchemeError` if it can't be opened, or holds something else than a transcript.
    """
    from pathlib import Path  # here, since a start needs it for nothing else

    try:
        path = Path(name).expanduser()
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        if text.strip() and not re.search(_OF_A_TRANSCRIPT, text):
            message = f'transcript-on: "{name}" is no transcript, and is left as it is'
            raise SchemeError(message, hint="choose the name of a new file")
        stream = path.open("a" if text.strip() else "w", encoding="utf-8", errors="backslashreplace")
    except (OSError, RuntimeError, ValueError) as error:
        raise SchemeError(f'transcript-on: cannot open file: "{name}"') from error
    if text.strip() and not text.endswith("\n"):
        stream.write("\n")
    return stream


def adds_to(stream: TextIO) -> bool:
    """Whether a file for a transcript holds another one already."""
    return stream.seekable() and stream.tell() > 0
