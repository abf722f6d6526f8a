"""`Worker`: the requests of the page, answered in the browser's Python (Pyodide, in a worker)."""

import gc
import io
import json
import os
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO, cast

from minischeme import __version__
from minischeme.data.abbreviate import abbreviated
from minischeme.data.errors import SchemeError, SchemeExit, report_parts
from minischeme.data.printer import write
from minischeme.data.source import Span
from minischeme.data.values import String
from minischeme.playground.questions import answered
from minischeme.repl.evaluation import evaluate_entry, unfinished
from minischeme.session.describe import describe, names
from minischeme.session.recorder import Recorder
from minischeme.session.session import Session
from minischeme.stepping.export import as_data
from minischeme.stepping.recording import RecordedRun
from minischeme.system.collector import collect_seldom
from minischeme.transcripts.document import Document, TranscriptError
from minischeme.transcripts.replay import Replay

FOLDER = "/home/student"
OFTEN = 0.05  # seconds between two messages with output
MOST_NAMES = 60
LONGEST_HELP = 80
LARGEST_FILE = 2_000_000
ROLES = {"title": 1, "message": 2, "excerpt": 3, "caret": 4, "hint": 5, "trail": 6}
"""The parts of an error report as numbers of escape sequences, which the page turns into colours; transcripts leave
escape sequences out."""

Answer = dict[str, object]


class Screen(io.TextIOBase):
    """The text stream of a session's output, shown by `show` piece by piece."""

    def __init__(self, show: Callable[[str], object]) -> None:
        self._show = show
        self._parts: list[str] = []
        self._shown = 0.0

    def write(self, text: str) -> int:
        self._parts.append(text)
        if time.monotonic() - self._shown > OFTEN:
            self.flush()
        return len(text)

    def flush(self) -> None:
        parts, self._parts = self._parts, []
        if parts:
            self._show("".join(parts))
        self._shown = time.monotonic()


class Transcript(io.StringIO):
    """The transcript of the page, which stays open when a program records another one."""

    def close(self) -> None:
        """Do nothing."""


class Worker:
    """A session with its files and its transcript.

    Args:
        show: takes output as it comes.
        ask: gives the line that a person types, with its newline; empty at the end of the input.
        folder: where the files are.
    """

    def __init__(self, show: Callable[[str], object], ask: Callable[[], str], folder: str = FOLDER) -> None:
        self._ask = ask
        self._screen = Screen(show)
        self._transcript = Transcript()
        self._known: dict[str, tuple[int, int]] = {}
        self._errors: list[Answer] = []
        self._pictures: list[str] = []  # SVG documents, for the next answer
        self._run: Answer | None = None  # that ,step has recorded, likewise
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        os.chdir(self.folder)
        collect_seldom()
        gc.freeze()

    def handle(self, request: str) -> str:
        """The answer to a request of the page, both in JSON; `do` names the method."""
        given: dict[str, Any] = json.loads(request)
        action: Callable[..., Answer] = getattr(self, f"do_{given.pop('do')}")
        self._errors = []
        try:
            self._take(given.pop("files", None))
            answer = action(**given)
        except KeyboardInterrupt:
            answer = {"stopped": True}
        self._screen.flush()
        if self._pictures:
            answer["pictures"], self._pictures = self._pictures, []
        if self._run is not None:
            answer["run"], self._run = self._run, None
        return json.dumps({**answer, "errors": self._errors, **self._written()})

    def _take(self, files: Mapping[str, str] | None) -> None:
        """Take the files as the editor has them; others that were there before are deleted."""
        if files is None:
            return
        for name in self._known.keys() - files.keys():
            with suppress(OSError):
                (self.folder / name).unlink()
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.is_file() or path.read_text(encoding="utf-8", errors="replace") != text:
                path.write_text(text, encoding="utf-8", newline="")
        self._known = self._stamps()

    # ── requests ─────────────────────────────────────────────────────────────────────────────────────────────────

    def do_start(self, transcript: str = "", greeting: bool = True) -> Answer:
        """Begin, with the transcript of earlier sessions."""
        self._transcript = Transcript()
        self._transcript.write(transcript)
        self._begin()
        if greeting:
            self._screen.write(
                f"minischeme {__version__}: Berkeley Scheme.\nTry  (first 'hello)  or  (every bf '(have fun now))\n"
                'and then  (load "twenty-one.scm")\n'
            )
        return {}

    def do_prepare(self) -> Answer:
        """Import what the first error needs, so that Stop acts at once."""
        list(Session(output=cast(TextIO, io.StringIO())).interact("(car 5)"))
        return {}

    def do_unfinished(self, text: str) -> Answer:
        """Whether an entry of the prompt needs another line."""
        return {"unfinished": unfinished(text) is not None}

    def do_enter(self, text: str) -> Answer:
        """Evaluate an entry of the prompt."""
        self.session.input.discard()
        try:
            evaluate_entry(self.session, text, ended=True)
        except SchemeExit:
            self.session.output.fresh_line()
            self.session.output.write(";; The session has ended, and a new one begins.\n")
            self._begin()
        self.session.output.fresh_line()
        return {"transcript": self._transcript.getvalue()}

    def do_run(self, name: str) -> Answer:
        """Load a file into a new session."""
        self._begin()
        return self.do_enter(self._loading(name))

    def do_clear(self) -> Answer:
        """Forget the transcript; definitions stay, and its new one says so."""
        self._transcript = transcript = Transcript()
        recording = self.session.prompt.recording
        open_file, recording.open_file = recording.open_file, lambda _: transcript
        recording.start(str(self.folder / "transcript.txt"))
        recording.open_file = open_file
        return {}

    def do_complete(self, word: str) -> Answer:
        """Names that begin with a word, the user's first, with their help."""
        found = [name for name in names(self.session) if name.startswith(word.lower())][:MOST_NAMES]
        described = [(name, describe(self.session, name)) for name in found]
        return {
            "names": [
                {"label": name, "detail": each.signature, "info": abbreviated(each.doc, LONGEST_HELP)}
                for name, each in described
                if each is not None
            ]
        }

    def do_replay(self, name: str, text: str) -> Answer:
        """The outcomes of a transcript's interactions, and how each differs."""
        try:
            replay = Replay(Document(text, name, path=self.folder / name))
            outcomes = list(replay.run())
        except TranscriptError as error:
            return {"failure": str(error)}
        return {
            "outcomes": [
                {
                    "line": each.line,
                    "source": each.source,
                    "verdict": each.verdict.value,
                    "fails": each.verdict.fails,
                    "difference": each.difference,
                    "note": each.note,
                }
                for each in outcomes
            ]
        }

    def do_check(self, text: str, name: str) -> Answer:
        """Answer the questions of a handout by a file."""
        return {"questions": answered(text, self.folder / name)}

    # ── the session ──────────────────────────────────────────────────────────────────────────────────────────────

    def _begin(self) -> None:
        seed = int.from_bytes(os.urandom(4))
        session = self.session = Session(seed=seed, output=cast(TextIO, self._screen))
        session.input.readline = self._answer
        session.input.tied = session.output
        session.input.echoes = True
        session.output.show_picture = self._show_picture
        session.prompt.display.show_run = self._show_run
        session.prompt.display.error_text = self._error_text
        session.prompt.name_values()
        session.prompt.recording.recorder = Recorder(self._transcript, seed)

    def _show_picture(self, svg: str, _text: str) -> None:
        self._pictures.append(svg)

    def _show_run(self, run: RecordedRun) -> None:
        self._run = as_data(self.session, run)

    def _answer(self) -> str:
        self._screen.flush()
        return self._ask()

    @staticmethod
    def _loading(name: str) -> str:
        return f"(load {write(String(name))})"

    def _error_text(self, error: SchemeError, width: int | None) -> str:
        if error.span is not None:
            self._errors.append({**self._place(error.span), "message": str(error), "hint": error.hint or ""})
        parts = [f"\x1b[{ROLES.get(role, 0)}m{text}\x1b[m" for role, text in report_parts(error, width)]
        return "\n".join(parts)

    def _place(self, span: Span) -> Answer:
        """A span by its file, and its ends in JavaScript's units."""
        text = span.source.text
        start = len(text[: span.start].encode("utf-16-le", "surrogatepass")) // 2
        length = len(text[span.start : span.end].encode("utf-16-le", "surrogatepass")) // 2
        name = span.source.name
        return {"file": name.removeprefix(f"{self.folder}/"), "from": start, "to": start + length}

    # ── files ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _stamps(self) -> dict[str, tuple[int, int]]:
        paths = [path for path in self.folder.rglob("*") if path.is_file()]
        return {
            path.relative_to(self.folder).as_posix(): (path.stat().st_mtime_ns, path.stat().st_size) for path in paths
        }

    def _written(self) -> Answer:
        """The files that a program has written since they were last asked for."""
        stamps = self._stamps()
        changed = [name for name, stamp in stamps.items() if self._known.get(name) != stamp]
        self._known = stamps
        texts = {
            name: (self.folder / name).read_text(encoding="utf-8", errors="replace")
            for name in changed
            if stamps[name][1] <= LARGEST_FILE
        }
        return {"written": texts} if texts else {}


def set_alarms(set_alarm: Callable[[float, float], float]) -> None:
    """Give Python the timer that it lacks where there are no threads.

    Args:
        set_alarm: has SIGALRM raised after so many seconds, and then at an interval, or never for 0; returns the
            seconds that were left of the alarm before.
    """

    def setitimer(_which: int, seconds: float, interval: float = 0.0) -> tuple[float, float]:
        return set_alarm(seconds, interval), 0.0

    timer: Any = signal
    timer.ITIMER_REAL = 0
    timer.setitimer = setitimer


def words(session: Session) -> dict[str, Sequence[str]]:
    """The names that the editor colours."""
    described = {name: describe(session, name) for name in names(session)}
    kinds = {name: each.kind.value for name, each in described.items() if each is not None}
    return {
        "forms": sorted(name for name, kind in kinds.items() if kind == "special form"),
        "procedures": sorted(name for name, kind in kinds.items() if kind == "procedure"),
    }
