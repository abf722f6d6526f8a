"""The replay of a transcript: its interactions are run in a session and their output is compared with it."""

import io
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from minischeme.data.abbreviate import one_line
from minischeme.data.errors import SchemeError, SchemeExit
from minischeme.data.values import Pair, String, intern
from minischeme.modules.files import find_by_tail, find_library, resolve
from minischeme.reading.forms import Form
from minischeme.session.session import Session
from minischeme.session.typed_text import Item
from minischeme.transcripts.comparison import Comparison, Match, Output
from minischeme.transcripts.console import ReplayConsole
from minischeme.transcripts.document import Document, LineKind, PromptInput, TranscriptError
from minischeme.transcripts.outcomes import Outcome, Verdict, difference, edit_of
from minischeme.transcripts.time_limit import TimeLimit

DEFAULT_SEED = 61
DEFAULT_LIMIT = 10.0
DEFAULT_FILE_LIMIT = 300.0
_LOAD = intern("load")
_INTERRUPTED = "*** Error:\n    interrupted\n"
_STARTS = frozenset({"fresh", "berkeley", "r7rs"})  # the directives that begin a new session


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings for running the interactions of files."""

    seed: int | None = None  # of the random numbers
    limit: float = DEFAULT_LIMIT  # seconds for each interaction
    file_limit: float = DEFAULT_FILE_LIMIT  # seconds for each transcript
    folders: Sequence[Path] = ()  # searched for files that a transcript of another machine loads
    options: tuple[str, str] = ("--limit", "--file-limit")  # the names of the two limits, for messages


class Replay:
    """A transcript to run. `found` are the substitutes for files of another machine, by the names that were loaded."""

    def __init__(self, document: Document, settings: Settings | None = None) -> None:
        self._settings = settings = settings or Settings()
        self.document = document
        self.text = document.text
        self.found: dict[str, Path] = {}
        self._failed_loads: dict[str, int] = {}
        self._is_seeded = settings.seed is not None
        self._is_random = False
        self._seed = DEFAULT_SEED if settings.seed is None else settings.seed
        self._used = 0.0
        self._time_limit = TimeLimit()
        self._console = ReplayConsole()

    def interactions(self) -> Iterator[tuple[int, str]]:
        """The lines of the interactions, from 1, with their input, as far as it can be told without running."""
        return ((typed.line + 1, typed.text) for typed in self.document.interactions())

    def run(self) -> Iterator[Outcome]:
        """Run the interactions lazily, in order; a `TranscriptError` if a directive can't be followed."""
        self._session = self._fresh_session("berkeley")
        document = self.document
        self._line = 0
        mode = ""
        while (line := self._line) < len(document.lines):
            if document.kinds[line] is LineKind.DIRECTIVE:
                name = document.directives[line].name
                if name in ("random", "skip"):
                    mode = name
                else:
                    self._follow(line)
            if document.kinds[line] is not LineKind.PROMPT:
                self._line += 1
                continue
            if document.lines[line][len(document.prompts[line]) :].startswith("*** Error"):
                # This is no input, but one more result of the last line, which had none.
                typed = PromptInput(line, line, "", document.lines[line], ())
                match = Match(self._paragraph_end(line + 1), 0, ())
                yield self._outcome(typed, Verdict.DIFFERENT, match, "nothing that was typed gives this")
                continue
            typed = document.typed_at(line, fold_case=self._session.dialect == "berkeley")
            if not typed.items:
                self._line = typed.end
                continue
            yield self._run(typed, mode)
            mode = ""

    def _fresh_session(self, dialect: str) -> Session:
        session = Session(dialect=dialect, seed=self._seed)
        session.context.console.output = self._console.output
        session.context.console.input = self._console.input
        # A transcript that mentions (transcript-on …) must not overwrite files, least of all itself.
        session.prompt.recording.open_file = lambda name: io.StringIO()  # keeps it in memory
        session.loader.folder = self.document.path.parent
        session.loader.find_elsewhere = self._find
        session.prompt.name_values()
        self._failed_loads.clear()
        self._ended = ""
        return session

    def _find(self, name: str) -> Path | None:
        beside = self.document.path.absolute().parent
        path = find_by_tail(name, [beside, *self._settings.folders, *beside.parents, find_library()])
        if path is not None:
            self.found[name] = path
        return path

    def _follow(self, line: int) -> None:
        directive = self.document.directives[line]
        match directive.name:
            case "seed":
                self._seed = int(directive.argument)
                self._is_seeded = True
                self._session.context.chance.random.seed(self._seed)
            case "fresh":
                self._session = self._fresh_session(self._session.dialect)
            case "berkeley" | "r7rs":
                self._session = self._fresh_session(directive.name)
            case "load":
                self._load(directive.argument, f"{self.document.name}:{line + 1}")

    def _load(self, name: str, place: str) -> None:
        if resolve(name, loading=self.document.path) is None and self._find(name) is None:
            raise TranscriptError(f"{place}: cannot open file: {name}")
        try:
            with self._timed(self._settings.file_limit):
                self._session.load(name)
        except (SchemeError, SchemeExit) as error:
            raise TranscriptError(f"{place}: {name}: {error}") from error
        except KeyboardInterrupt:
            if not self._time_limit.is_over:
                raise
            raise TranscriptError(f"{place}: {name}: interrupted {self._time_limit.reason}") from None
        finally:
            self._console.output.take()

    @contextmanager
    def _timed(self, limit: float) -> Iterator[None]:
        """Limit the time of the ``with`` block, also by what is left for the file."""
        file_limit = self._settings.file_limit
        left = file_limit - self._used
        option, file_option = self._settings.options
        if limit < left:
            reason = f"after {limit:g} s, the limit for an interaction ({option})"
        else:
            reason = f"after {left:.3g} s, since the limit of the file is {file_limit:g} s ({file_option})"
        began = time.monotonic()
        try:
            with self._time_limit.of(min(limit, left), reason):
                yield
        finally:
            self._used += time.monotonic() - began

    def _run(self, typed: PromptInput, mode: str) -> Outcome:
        document, settings = self.document, self._settings
        start = typed.end
        if mode == "skip" or self._ended:
            return self._unchanged(typed, Verdict.NOT_RUN, self._ended)
        if self._used >= settings.file_limit:
            self._ended = f"the limit of the file, {settings.file_limit:g} s, is over ({settings.options[1]})"
            return self._unchanged(typed, Verdict.ENDLESS, self._ended)
        boundary = document.boundary(start)
        if _INTERRUPTED in ("\n".join(document.lines[start:boundary]) + "\n"):
            return self._unchanged(typed, Verdict.NOT_RUN, "somebody has interrupted it")
        self._console.begin(
            document.lines[start:boundary],
            self._from_prompt_to_prompt(boundary),
            shows_every_value=self._session.dialect == "berkeley",
        )
        outputs = self._perform(typed)
        if mode == "random":
            return self._unchanged(typed, Verdict.NOT_COMPARED)
        comparison = Comparison(document, start, self._console.typed_early)
        if self._time_limit.is_over:
            note = f"endless loop? stopped {self._time_limit.reason}"
            return self._outcome(typed, Verdict.ENDLESS, comparison.match_of_one_block(outputs), note)
        match = comparison.match(outputs)
        if match.cost and start == comparison.without_blank_end(start, boundary) and self._closes(typed):
            match = Match(start, 0, ())
        shown = document.lines[start : match.end]
        fails_to_load = self._fails_to_load(typed, outputs, as_shown=not match.cost)
        if not match.cost:
            return self._outcome(typed, Verdict.SAME, replace(match, lines=tuple(shown)))
        verdict = Verdict.DIFFERENT if fails_to_load else self._kind_of_difference(shown, outputs)
        if verdict is not Verdict.FOLLOWING:
            return self._outcome(typed, verdict, match)
        cause = max(self._failed_loads.values())
        return self._outcome(typed, verdict, match, f"this follows from the load in line {cause}, which failed", cause)

    def _kind_of_difference(self, shown: Sequence[str], outputs: list[Output]) -> Verdict:
        has_failed = any(output.error is not None for output in outputs)
        if has_failed and self._failed_loads:
            return Verdict.FOLLOWING
        expected_failure = any("*** Error" in line for line in shown)
        # Other random numbers do not explain a missing result or a new error.
        if self._is_random and any(line.strip() for line in shown) and (expected_failure or not has_failed):
            return Verdict.RANDOM
        return Verdict.DIFFERENT

    def _fails_to_load(self, typed: PromptInput, outputs: list[Output], *, as_shown: bool) -> bool:
        """Whether a file could not be loaded, unlike in the transcript. Its name is kept until it loads."""
        failed = False
        for item, output in zip(typed.items, outputs, strict=False):
            name = _loaded_by(item)
            if name is not None and not as_shown and output.error is not None:
                self._failed_loads[name] = typed.line + 1
                failed = True
            elif name is not None:
                self._failed_loads.pop(name, None)
        return failed

    def _from_prompt_to_prompt(self, start: int) -> Iterator[Sequence[str]]:
        while start < len(self.document.lines):
            end = self.document.boundary(start + 1)
            yield self.document.lines[start:end]
            start = end

    def _unchanged(self, typed: PromptInput, verdict: Verdict, note: str = "") -> Outcome:
        end = self._paragraph_end(typed.end)
        return self._outcome(typed, verdict, Match(end, 0, tuple(self.document.lines[typed.end : end])), note)

    def _outcome(self, typed: PromptInput, verdict: Verdict, match: Match, note: str = "", cause: int = 0) -> Outcome:
        self._line = match.end
        document = self.document
        shown = ""
        if verdict.fails:
            more = f"\n  {note}" if note else ""
            diff = difference(document, typed.line, typed.end, match.end, match.lines)
            shown = f"{document.name}:{typed.line + 1}: {one_line(typed.text)}{more}\n{diff}".rstrip("\n")
        edit = edit_of(document, typed.end, match.end, match.lines) if verdict.is_renewed else None
        return Outcome(document.name, typed.line + 1, typed.text, verdict, match.lines, shown, edit, note, cause)

    def _paragraph_end(self, start: int) -> int:
        boundary = self.document.boundary(start)
        return next((i for i in range(start, boundary) if not self.document.lines[i].strip()), boundary)

    def _perform(self, typed: PromptInput) -> list[Output]:
        outputs: list[Output] = []
        session = self._session
        session.context.console.prompt = typed.prompt
        chance = session.context.chance.random.getstate()
        error: SchemeError | None = None
        try:
            with self._timed(self._settings.limit):
                for item in typed.items:
                    error = self._show(item)
                    outputs.append(Output(self._console.output.take(is_endless=self._time_limit.is_over), error))
                    if self._time_limit.is_over:
                        break
        except SchemeExit:
            self._ended = "the session has ended"
        except KeyboardInterrupt:
            if not self._time_limit.is_over:
                raise
        self._is_random = not self._is_seeded and session.context.chance.random.getstate() != chance
        left = self._console.output.take(is_endless=self._time_limit.is_over)
        if left or not outputs:
            outputs.append(Output(left, error))
        return outputs

    def _show(self, item: Item) -> SchemeError | None:
        """Evaluate and print; an internal error is output like another, and the rest goes on."""
        try:
            return self._session.prompt.show(item)
        except OSError:
            raise
        except Exception as error:
            self._console.output.fresh_line()
            self._console.output.write(f"minischeme: internal error: {type(error).__name__}: {error}\n")
            return None

    def _closes(self, typed: PromptInput) -> bool:
        """Whether no output is shown because the transcript or the session ends here."""
        document = self.document
        line = next((line for line in range(typed.end, len(document.lines)) if document.lines[line].strip()), None)
        last = line is None or (line in document.directives and document.directives[line].name in _STARTS)
        return last and (typed.text.strip().lower().startswith("(transcript-o") or bool(self._ended))


def _loaded_by(item: Item) -> str | None:
    """The name, without folders, of the file that a form loads; None for any other form."""
    datum = item.datum if isinstance(item, Form) else None
    if type(datum) is not Pair or datum.car is not _LOAD or type(datum.cdr) is not Pair:
        return None
    name = datum.cdr.car
    return Path(name.text).name.casefold() if type(name) is String else None
