"""The replay of a transcript: its interactions are run in a session and their output is compared with it."""

import os
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from minischeme.data.abbreviate import one_line
from minischeme.data.values import Pair, String, intern
from minischeme.modules.files import find_library
from minischeme.reading.forms import Form
from minischeme.session.typed_text import Item
from minischeme.transcripts.comparison import Comparison, Match
from minischeme.transcripts.console import ReplayConsole
from minischeme.transcripts.document import LOCKED, Document, PromptInput, TranscriptError
from minischeme.transcripts.evaluator import EvaluatorMaker, Limit, LoadError, Output, SessionEvaluator, Typed
from minischeme.transcripts.outcomes import Outcome, Verdict, difference, edit_of
from minischeme.transcripts.questions import Questions

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
    evaluator: EvaluatorMaker = SessionEvaluator


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
        interactions = (typed.line for typed in document.interactions())
        self.questions = Questions(document.name, document.directives, interactions)
        self._console = ReplayConsole()
        self._evaluator = settings.evaluator(self._console, str(document.path.parent), self._find)

    def interactions(self) -> Iterator[tuple[int, str]]:
        """The lines of the interactions, from 1, with their input, as far as it can be told without running."""
        return ((typed.line + 1, typed.text) for typed in self.document.interactions())

    def run(self) -> Iterator[Outcome]:
        """Run the interactions lazily, in order; a `TranscriptError` if a directive can't be followed."""
        for outcome in self._outcomes():
            self.questions.note(outcome)
            yield outcome

    def _outcomes(self) -> Iterator[Outcome]:
        self._begin("berkeley")
        document = self.document
        self._line = 0
        self._mode = ""
        while (line := self._line) < len(document.lines):
            if line in document.directives:
                self._follow(line)
            if line not in document.prompts:
                self._line += 1
            elif document.text_at(line).startswith("*** Error"):
                # This is no input, but one more result of the last line, which had none.
                typed = PromptInput(line, line, "", document.lines[line], ())
                match = Match(self._paragraph_end(line + 1), 0, ())
                yield self._outcome(typed, Verdict.DIFFERENT, match, "nothing that was typed gives this")
            elif (typed := document.input_at(line, fold_case=self._dialect == "berkeley")).items:
                yield self._run(typed)
                self._mode = ""
            else:
                self._line = typed.end

    def _begin(self, dialect: str) -> None:
        self._dialect = dialect
        self._evaluator.begin(dialect, self._seed)
        self._failed_loads.clear()
        self._ended = ""

    def _find(self, name: str) -> str | None:
        beside = self.document.path.absolute().parent
        path = find_by_tail(name, [beside, *self._settings.folders, *beside.parents, Path(find_library())])
        if path is None:
            return None
        self.found[name] = path
        return str(path)

    def _follow(self, line: int) -> None:
        directive = self.document.directives[line]
        match directive.name:
            case "seed":
                self._seed = int(directive.argument)
                self._is_seeded = True
                self._evaluator.reseed(self._seed)
            case "random" | "skip":
                self._mode = directive.name
            case "fresh":
                self._begin(self._dialect)
            case "berkeley" | "r7rs":
                self._begin(directive.name)
            case "load":
                self._load(directive.argument, f"{self.document.name}:{line + 1}")

    def _load(self, name: str, location: str) -> None:
        try:
            with self._timed(self._settings.file_limit) as limit:
                self._evaluator.load(name, limit)
        except LoadError as error:
            raise TranscriptError(f"{location}: {error}") from error

    @contextmanager
    def _timed(self, limit: float) -> Iterator[Limit]:
        """A limit to the time of the ``with`` block, also by what is left for the file."""
        file_limit = self._settings.file_limit
        left = file_limit - self._used
        option, file_option = self._settings.options
        if limit < left:
            reason = f"after {limit:g} s, the limit for an interaction ({option})"
        else:
            reason = f"after {left:.3g} s, since the limit of the file is {file_limit:g} s ({file_option})"
        began = time.monotonic()
        try:
            yield Limit(min(limit, left), reason)
        finally:
            self._used += time.monotonic() - began

    def _run(self, typed: PromptInput) -> Outcome:
        document, settings = self.document, self._settings
        start = typed.end
        obstacle = self._ended or self.questions.obstacle(typed.line + 1)
        if any(line.startswith(LOCKED) for line in document.lines[start : document.boundary(start)]):
            obstacle = "it is locked: minischeme unlock asks for its result"
        if self._mode == "skip" or obstacle:
            return self._unchanged(typed, Verdict.NOT_RUN, obstacle)
        if self._used >= settings.file_limit:
            self._ended = f"the limit of the file, {settings.file_limit:g} s, is over ({settings.options[1]})"
            return self._unchanged(typed, Verdict.ENDLESS, self._ended)
        boundary = document.boundary(start)
        below = document.lines[start:boundary]
        if _INTERRUPTED in ("\n".join(below) + "\n"):
            return self._unchanged(typed, Verdict.NOT_RUN, "somebody has interrupted it")
        further = self._from_prompt_to_prompt(boundary)
        self._console.begin(below, further, shows_every_value=self._dialect == "berkeley")
        own_limit = self.questions.at(typed.line + 1).limit
        with self._timed(settings.limit if own_limit is None else own_limit) as limit:
            evaluation = self._evaluator.evaluate(Typed(typed.text, typed.items), typed.prompt, limit)
        self._is_random = not self._is_seeded and evaluation.is_random
        if evaluation.exited:
            self._ended = "the session has ended"
        outputs = evaluation.outputs
        if self._mode == "random":
            return self._unchanged(typed, Verdict.NOT_COMPARED)
        comparison = Comparison(document, start, self._console.typed_early)
        with self._timed(settings.limit):
            match = comparison.match_of_one_block(outputs) if evaluation.stopped else comparison.match(outputs)
        if evaluation.stopped:
            return self._outcome(typed, Verdict.ENDLESS, match, f"endless loop? stopped {evaluation.stopped}")
        if match.cost and start == document.without_blank_end(start, boundary) and self._closes(typed):
            match = Match(start, 0, ())
        shown = document.lines[start : match.end]
        fails_to_load = self._fails_to_load(typed, outputs, as_shown=not match.cost)
        if not match.cost:
            return self._outcome(typed, Verdict.SAME, match._replace(lines=tuple(shown)))
        verdict = Verdict.DIFFERENT if fails_to_load else self._kind_of_difference(shown, outputs)
        cause = max(self._failed_loads.values()) if verdict is Verdict.FOLLOWING else 0
        note = f"this follows from the load in line {cause}, which failed" if cause else ""
        return self._outcome(typed, verdict, match, note, cause)

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
        edit = edit_of(document, typed.end, match.end, match.lines) if verdict.is_outdated else None
        return Outcome(document.name, typed.line + 1, typed.text, verdict, match.lines, shown, edit, note, cause)

    def _paragraph_end(self, start: int) -> int:
        boundary = self.document.boundary(start)
        return (self.document.blank_lines(start, boundary) or [boundary])[0]

    def _closes(self, typed: PromptInput) -> bool:
        """Whether no output is shown because the transcript or the session ends here."""
        document = self.document
        line = next((line for line in range(typed.end, len(document.lines)) if document.lines[line].strip()), None)
        last = line is None or (line in document.directives and document.directives[line].name in _STARTS)
        return last and (typed.text.strip().lower().startswith("(transcript-o") or bool(self._ended))


def find_by_tail(name: str, folders: Iterable[Path]) -> Path | None:
    """The file in one of the folders that shares the longest end with a path of another machine, ignoring case."""
    parts = [part for part in re.split(r"[/\\]", name) if part not in ("", ".", "..", "~")]
    for start in range(len(parts)):
        for folder in folders:
            for last in (parts[-1], parts[-1] + ".scm"):
                path = _in_any_case(folder, [*parts[start:-1], last])
                if path is not None and path.is_file():
                    return path
    return None


def _in_any_case(folder: Path, parts: Iterable[str]) -> Path | None:
    """The path below a folder, with an exact match preferred to one in another case."""
    for part in parts:
        try:
            names = os.listdir(folder)
        except OSError:
            return None
        same = [name for name in names if name.casefold() == part.casefold()]
        if not same:
            return None
        folder /= part if part in same else min(same)
    return folder


def _loaded_by(item: Item) -> str | None:
    """The name, without folders, of the file that a form loads; None for any other form."""
    datum = item.datum if isinstance(item, Form) else None
    if type(datum) is not Pair or datum.car is not _LOAD or type(datum.cdr) is not Pair:
        return None
    name = datum.cdr.car
    return Path(name.text).name.casefold() if type(name) is String else None
