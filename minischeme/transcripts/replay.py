"""`Replay`: runs the interactions of a transcript in a session and holds what they show against the transcript."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from minischeme.data.errors import WARNING_END, SchemeError, SchemeExit
from minischeme.data.source import Span
from minischeme.data.values import Pair, String, intern
from minischeme.modules.files import find_by_tail, find_library, resolve
from minischeme.reading.reader import Form
from minischeme.session.earlier_values import EarlierValues
from minischeme.session.recorder import Item, open_nothing
from minischeme.session.session import Session
from minischeme.transcripts.console import Console
from minischeme.transcripts.document import Document, Kind, TranscriptError, Typed
from minischeme.transcripts.matching import SOFT, Piece, align, is_explanation, pieces_of, shown_lines
from minischeme.transcripts.outcomes import Outcome, Verdict
from minischeme.transcripts.time_limit import TimeLimit

DEFAULT_SEED = 61
DEFAULT_LIMIT = 10.0
DEFAULT_FILE_LIMIT = 300.0
_MOST_ENDS = 40
_LOAD = intern("load")
_INTERRUPTED = "*** Error:\n    interrupted\n"
_WARNING = re.compile(rf"(?:^|(?<={SOFT}))\*\*\* Warning(?s:.*?)\n  {WARNING_END}\n", re.MULTILINE)
_STARTS = frozenset({"fresh", "berkeley", "r7rs"})
"""The directives that begin a new session."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How the interactions of files are run.

    Args:
        seed: where random numbers start; None if that is not known.
        limit: seconds for each interaction.
        file_limit: seconds for each transcript.
        folders: where files are looked for that a transcript of another machine loads.
        options: how users set the two limits.
    """

    seed: int | None = None
    limit: float = DEFAULT_LIMIT
    file_limit: float = DEFAULT_FILE_LIMIT
    folders: Sequence[Path] = ()
    options: tuple[str, str] = ("--limit", "--file-limit")


@dataclass(frozen=True, slots=True)
class _Expectation:
    """The lines up to `end`, read as the output of an interaction: how far off, and what they should be."""

    end: int
    cost: int
    lines: tuple[str, ...]


@dataclass(slots=True)
class _Output:
    """What an item of what was typed printed. `error` is the error that it ended with."""

    text: str
    error: SchemeError | None = None


class Replay:
    """A transcript that runs.

    `found` are the files of `folders`, by the names that were loaded.
    """

    def __init__(self, document: Document, settings: Settings | None = None) -> None:
        self._settings = settings = settings or Settings()
        self.document = document
        self.found: dict[str, Path] = {}
        self._failed_loads: dict[str, int] = {}
        self._is_seeded = settings.seed is not None
        self._is_random = False
        self._seed = DEFAULT_SEED if settings.seed is None else settings.seed
        self._used = 0.0
        self._time_limit = TimeLimit()
        self._console = Console()
        self._session = self._fresh_session("berkeley")

    def run(self) -> Iterator[Outcome]:
        """Run the interactions in turn, each when its outcome is asked for.

        Raises: TranscriptError if a directive can't be followed.
        """
        document = self.document
        line = 0
        mode = ""
        while line < len(document.lines):
            if document.kinds[line] is Kind.DIRECTIVE:
                name = document.directives[line].name
                if name in ("random", "skip"):
                    mode = name
                else:
                    self._follow(line)
            if document.kinds[line] is not Kind.PROMPT:
                line += 1
                continue
            if document.lines[line][len(document.prompts[line]) :].startswith("*** Error"):
                # Nobody types this: it is one more result of the last line, and there was none.
                end = self._paragraph_end(line + 1)
                shown = document.lines[line]
                yield Outcome(line + 1, shown, Verdict.DIFFERENT, line, end, (), "nothing that was typed gives this")
                line = end
                continue
            typed = document.typed_at(line, fold_case=self._session.dialect == "berkeley")
            if not typed.items:
                line = typed.end
                continue
            outcome = self._outcome(typed, mode)
            mode = ""
            yield outcome
            line = outcome.end

    # ── directives ───────────────────────────────────────────────────────────────────────────────────────────────

    def _fresh_session(self, dialect: str) -> Session:
        session = Session(dialect=dialect, seed=self._seed)
        session.output = self._console.output
        session.input = self._console.input
        # A transcript that mentions (transcript-on …) must not overwrite files, least of all itself.
        session.open_transcript = open_nothing
        session.folder = self.document.path.parent
        session.find_elsewhere = self._find
        session.value_shown = EarlierValues(session).note
        self._failed_loads.clear()
        self._ended = ""
        return session

    def _find(self, name: str) -> Path | None:
        """The file that a path of another machine means here."""
        beside = self.document.path.absolute().parent
        path = find_by_tail(name, [beside, *self._settings.folders, *beside.parents, find_library()])
        if path is not None:
            self.found[name] = path
        return path

    def _follow(self, line: int) -> None:
        """Do what a directive says."""
        directive = self.document.directives[line]
        match directive.name:
            case "seed":
                self._seed = int(directive.argument)
                self._is_seeded = True
                self._session.random.seed(self._seed)
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
        """Give what runs inside the ``with`` so many seconds, and no more than are left for the file."""
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

    # ── an interaction ───────────────────────────────────────────────────────────────────────────────────────────

    def _outcome(self, typed: Typed, mode: str) -> Outcome:
        document = self.document
        start = typed.end
        if mode == "skip" or self._ended:
            return self._unchanged(typed, Verdict.NOT_RUN, self._ended)
        if self._used >= self._settings.file_limit:
            self._ended = (
                f"the limit of the file, {self._settings.file_limit:g} s, is over ({self._settings.options[1]})"
            )
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
            return self._unchanged(typed, Verdict.NOT_COMPARED, "")
        if self._time_limit.is_over:
            found = self._best(start, outputs)
            note = f"endless loop? stopped {self._time_limit.reason}"
            return Outcome(typed.line + 1, typed.text, Verdict.ENDLESS, start, found.end, found.lines, note)
        found = self._compared(typed, start, boundary, outputs)
        shown = document.lines[start : found.end]
        fails_to_load = self._fails_to_load(typed, outputs, as_shown=not found.cost)
        if not found.cost:
            return Outcome(typed.line + 1, typed.text, Verdict.SAME, start, found.end, tuple(shown))
        verdict = Verdict.DIFFERENT if fails_to_load else self._kind_of_difference(shown, outputs)
        cause, note = 0, ""
        if verdict is Verdict.FOLLOWING:
            cause = max(self._failed_loads.values())
            note = f"this follows from the load in line {cause}, which failed"
        return Outcome(typed.line + 1, typed.text, verdict, start, found.end, found.lines, note, cause)

    def _kind_of_difference(self, shown: Sequence[str], outputs: list[_Output]) -> Verdict:
        """The verdict on an interaction that gives something else than is shown."""
        has_failed = any(output.error is not None for output in outputs)
        if has_failed and self._failed_loads:
            return Verdict.FOLLOWING
        expected_failure = any("*** Error" in line for line in shown)
        # Where nothing is shown yet, or an error is new, other random numbers are no excuse.
        if self._is_random and any(line.strip() for line in shown) and (expected_failure or not has_failed):
            return Verdict.RANDOM
        return Verdict.DIFFERENT

    def _fails_to_load(self, typed: Typed, outputs: list[_Output], *, as_shown: bool) -> bool:
        """Whether a file could not be loaded, against what is shown. It is remembered until it can be."""
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
        """The lines from a prompt up to the next one, and so on."""
        while start < len(self.document.lines):
            end = self.document.boundary(start + 1)
            yield self.document.lines[start:end]
            start = end

    def _unchanged(self, typed: Typed, verdict: Verdict, note: str) -> Outcome:
        """The outcome of an interaction whose output is left as it stands."""
        end = self._paragraph_end(typed.end)
        lines = tuple(self.document.lines[typed.end : end])
        return Outcome(typed.line + 1, typed.text, verdict, typed.end, end, lines, note)

    def _paragraph_end(self, start: int) -> int:
        """The index of the first blank or special line from `start` on."""
        boundary = self.document.boundary(start)
        return next((i for i in range(start, boundary) if not self.document.lines[i].strip()), boundary)

    def _perform(self, typed: Typed) -> list[_Output]:
        """Run what was typed; what each form or stray bracket of it printed."""
        outputs: list[_Output] = []
        session = self._session
        session.console.prompt = typed.prompt
        chance = session.random.getstate()
        error: SchemeError | None = None
        try:
            with self._timed(self._settings.limit):
                for item in typed.items:
                    error = None
                    if isinstance(item, Span):
                        session.note_stray(item)
                    elif isinstance(item, SchemeError):
                        error = item
                        session.show_error(error)
                    else:
                        error = self._show(item)
                    outputs.append(_Output(self._console.output.take(is_endless=self._time_limit.is_over), error))
                    if self._time_limit.is_over:
                        break
        except SchemeExit:
            self._ended = "the session has ended"
        except KeyboardInterrupt:
            if not self._time_limit.is_over:
                raise
        self._is_random = not self._is_seeded and session.random.getstate() != chance
        left = self._console.output.take(is_endless=self._time_limit.is_over)
        if left or not outputs:
            outputs.append(_Output(left, error))
        return outputs

    def _show(self, form: Form) -> SchemeError | None:
        """Evaluate and print; a mistake of minischeme's own is output like another, and the rest goes on."""
        try:
            return self._session.show_value_of(form)
        except OSError:
            raise
        except Exception as error:
            self._console.output.fresh_line()
            self._console.output.write(f"minischeme: internal error: {type(error).__name__}: {error}\n")
            return None

    # ── what the transcript shows ────────────────────────────────────────────────────────────────────────────────

    def _compared(self, typed: Typed, start: int, boundary: int, outputs: list[_Output]) -> _Expectation:
        """The reading of the lines from `start` on that fits the outputs best."""
        lines = self.document.lines
        if not any(line.startswith("*** Warning") for line in lines[start:boundary]):
            # The course's interpreter gives no warnings.
            outputs = [replace(output, text=_WARNING.sub("", output.text)) for output in outputs]
        if len(outputs) == 1 and outputs[0].error is None:
            # By far the most frequent case: the lines up to the next prompt are the output.
            end = self._without_blank_end(start, boundary)
            if "\n".join(lines[start:end]) + "\n" == outputs[0].text:
                return _Expectation(end, 0, ())
        best = self._best(start, outputs)
        if best.cost and len(outputs) > 1:
            as_original = self._with_prompts_between(start, outputs)
            if as_original is not None and (as_original.cost < best.cost or self._is_result(start, boundary)):
                best = as_original
        if best.cost and self._console.typed_early:
            best = _Expectation(best.end, best.cost, self._with_early(start, best.lines))
        if best.cost and start == self._without_blank_end(start, boundary) and self._closes(typed):
            return _Expectation(start, 0, ())
        return best

    def _is_result(self, start: int, line: int) -> bool:
        """Whether what stands at the prompt of a line is one more result of what was typed above `start`.

        That has to show some output already, and the prompt has nothing below it, so that it is no interaction. What
        begins like an expression may be one that waits for its output: it is never taken for a result.
        """
        document = self.document
        if line == len(document.lines) or not document.lines[start].strip():
            return False
        text = document.lines[line][len(document.prompts.get(line, "")) :]
        return document.boundary(line + 1) == line + 1 and not text.startswith(("(", "'"))

    def _closes(self, typed: Typed) -> bool:
        """Whether nothing is shown since the transcript ends here, with the file or before another, or the session."""
        document = self.document
        line = next((line for line in range(typed.end, len(document.lines)) if document.lines[line].strip()), None)
        last = line is None or (line in document.directives and document.directives[line].name in _STARTS)
        return last and (typed.text.strip().lower().startswith("(transcript-o") or bool(self._ended))

    def _best(self, start: int, outputs: list[_Output]) -> _Expectation:
        """The end of the output that leaves the fewest lines over, where all of it stands together."""
        readings = _readings(outputs)
        special = sum(self.document.looks_special(piece.text) for piece in readings[0])
        best: _Expectation | None = None
        swallows = False
        for end in self._ends(start, special):
            lines = self._lines_but_early(start, end)
            shown = shown_lines(lines)
            for pieces in readings if any("*** Error" in line for line in lines) else readings[:1]:
                alignment = align(shown, pieces)
                if best is None or alignment.cost < best.cost or (swallows and alignment.cost == best.cost):
                    swallows = is_explanation(shown, pieces, alignment.cost)
                    best = _Expectation(end, alignment.cost, alignment.lines)
                if not alignment.cost:
                    return best
        assert best is not None
        return best

    def _lines_but_early(self, start: int, end: int) -> list[str]:
        """The lines shown, without what was typed before the question for it."""
        lines = self.document.lines[start:end]
        for index in self._console.typed_early:
            del lines[index : index + 1]
        return lines

    def _with_early(self, start: int, rebuilt: tuple[str, ...]) -> tuple[str, ...]:
        """Lines that should be shown, with what was typed before the question for it back in its place."""
        shown = list(self.document.lines[start : self.document.boundary(start)])
        typed = [(index, shown.pop(index)) for index in self._console.typed_early]
        lines = list(rebuilt)
        for index, line in reversed(typed):
            lines.insert(index, line)
        return tuple(lines)

    def _ends(self, start: int, special: int) -> Iterator[int]:
        """Where the output that begins at `start` may end, the likeliest first.

        Args: special: how many of its lines look like prompts, directives or fences.
        """
        document = self.document
        tried: set[int] = set()
        position = start
        for _ in range(special + 1):
            boundary = document.boundary(position)
            ends = [self._without_blank_end(start, boundary)]
            ends += [index for index in range(position, boundary) if not document.lines[index].strip()][:_MOST_ENDS]
            ends.append(boundary)
            for end in ends:
                if end not in tried:
                    tried.add(end)
                    yield end
            position = boundary + 1
            if boundary >= len(document.lines):
                return

    def _without_blank_end(self, start: int, end: int) -> int:
        while end > start and not self.document.lines[end - 1].strip():
            end -= 1
        return end

    def _with_prompts_between(self, start: int, outputs: list[_Output]) -> _Expectation | None:
        """The lines read as the course's interpreter prints several results: with a prompt before each but the first.

        None if there are not so many prompts.
        """
        document = self.document
        cost = 0
        lines: list[str] = []
        position = start
        for number, output in enumerate(outputs):
            prompt = ""
            if number:
                if position >= len(document.lines) or document.kinds[position] is not Kind.PROMPT:
                    return None
                prompt = document.prompts[position]
                boundary = document.boundary(position + 1)
            else:
                boundary = document.boundary(position)
            last = number == len(outputs) - 1
            ends = [self._without_blank_end(position + bool(number), boundary), boundary]
            if last:
                ends += [
                    index for index in range(position + bool(number), boundary) if not document.lines[index].strip()
                ]
            best: _Expectation | None = None
            for end in ends:
                shown = document.lines[position:end]
                if number:
                    shown[0] = shown[0][len(prompt) :]
                for pieces in _readings([output]):
                    alignment = align(shown_lines(shown), pieces)
                    if best is None or alignment.cost < best.cost:
                        best = _Expectation(end, alignment.cost, alignment.lines)
            assert best is not None
            cost += best.cost
            rebuilt = list(best.lines)
            if number:
                rebuilt[:1] = [prompt + (rebuilt[0] if rebuilt else "")]
            lines += rebuilt
            position = best.end if last else boundary
            if not last and best.end < boundary:
                lines += document.lines[best.end : boundary]
        return _Expectation(position, cost, tuple(lines))


def _loaded_by(item: Item) -> str | None:
    """The name, without folders, of the file that a form loads; None for any other form."""
    datum = item.datum if isinstance(item, Form) else None
    if type(datum) is not Pair or datum.car is not _LOAD or type(datum.cdr) is not Pair:
        return None
    name = datum.cdr.car
    return Path(name.text).name.casefold() if type(name) is String else None


def _readings(outputs: list[_Output]) -> list[list[Piece]]:
    """The pieces of some outputs: with all that our error reports say, and with just what the dialect demands."""
    full: list[Piece] = []
    short: list[Piece] = []
    for output in outputs:
        pieces = pieces_of(output.text)
        if output.error is None:
            full += pieces
            short += pieces
            continue
        message = str(output.error).count("\n") + 1
        head = max((i for i, piece in enumerate(pieces) if "*** Error" in piece.text[:9]), default=len(pieces))
        pieces[head + 1 : head + 1 + message] = [
            piece._replace(message=output.error.message) for piece in pieces[head + 1 : head + 1 + message]
        ]
        full += pieces
        short += pieces[: head + 1 + message]
    return [full, short] if len(short) < len(full) else [full]
