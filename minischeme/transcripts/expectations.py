"""Scheme files that state the values of expressions by `; expect VALUE` behind them or on the lines below."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from minischeme.data.errors import SchemeError
from minischeme.data.source import Source
from minischeme.reading.forms import Form
from minischeme.reading.reader import read
from minischeme.transcripts.console import ReplayConsole
from minischeme.transcripts.document import Document
from minischeme.transcripts.evaluator import Limit, Typed
from minischeme.transcripts.matching import SOFT_NEWLINE, align, expected_lines, output_lines
from minischeme.transcripts.outcomes import Edit, Outcome, Verdict
from minischeme.transcripts.questions import Questions
from minischeme.transcripts.replay import DEFAULT_SEED, Settings

_MARKER = re.compile(r";+\s*expect", re.IGNORECASE)
_EXPECT = re.compile(r"(?P<before>.*?);+\s*expect(?:\s(?P<value>.*))?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Expectation:
    """The lines that a form should show, one for each comment behind it; ``Error`` stands for any error."""

    shown: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]  # the spans of the comments, from their semicolon to their end


def has_expectations(text: str) -> bool:
    """Whether a Scheme file may have expectations."""
    return re.search(r";+\s*expect\b", text, re.IGNORECASE) is not None


class ExpectationFile:
    """A Scheme file with expectations; `name` is its path as messages show it."""

    def __init__(self, text: str, path: Path, name: str, settings: Settings) -> None:
        self.text = text
        self.found: dict[str, Path] = {}
        self._path = path
        self._name = name
        reason = f"after {settings.limit:g} s, the limit for an expression ({settings.options[0]})"
        self._limit = Limit(settings.limit, reason)
        self._console = ReplayConsole()
        self._evaluator = settings.evaluator(self._console, str(path.parent), lambda name: None)
        forms = list(read(Source(text, str(path))))
        ends = [form.span.start for form in forms[1:]] + [len(text)]
        document = Document(text, name, path=path)
        self._forms = [(form, _expectation(text, form.span.end, end)) for form, end in zip(forms, ends, strict=True)]

        self.questions = Questions(name, document.directives, (line - 1 for line, _ in self.interactions()))

    def interactions(self) -> Iterator[tuple[int, str]]:
        """The lines, from 1, of the expressions with an expectation, and their text."""
        yield from ((_line(form), form.span.text) for form, expectation in self._forms if expectation is not None)

    def run(self) -> Iterator[Outcome]:
        """Run the file, and compare results with expectations; expressions without may raise SchemeErrors."""
        self._evaluator.begin("berkeley", DEFAULT_SEED)
        for form, expectation in self._forms:
            obstacle = self.questions.obstacle(_line(form)) if expectation is not None else ""
            if obstacle:
                yield Outcome(self._name, _line(form), form.span.text, Verdict.NOT_RUN, note=obstacle)
                continue
            error, printed = self._evaluate(form)
            if expectation is not None:
                outcome = self._check(form, expectation, printed, error)
                self.questions.note(outcome)
                yield outcome
            elif error is not None:
                raise error

    def _check(self, form: Form, expectation: Expectation, printed: str, error: SchemeError | None) -> Outcome:
        check = Outcome(self._name, _line(form), form.span.text, Verdict.SAME)
        holds, lines = _compared(expectation, printed, error)
        if holds:
            return check
        shown = printed.replace(SOFT_NEWLINE, "\n").splitlines()
        difference = [check.location, *(f"-{line}" for line in expectation.shown), *(f"+{line}" for line in shown)]
        edit = self._edit(expectation.spans, lines) if lines else None
        verdict = Verdict.DIFFERENT if lines else Verdict.ENDLESS
        return replace(check, verdict=verdict, difference="\n".join(difference), edit=edit)

    def _edit(self, spans: tuple[tuple[int, int], ...], lines: Sequence[str]) -> Edit:
        text = self.text
        begin = position = spans[0][0]
        updated = ""
        for number, (start, end) in enumerate(spans):
            before, position = text[position:start], end
            if number >= len(lines):
                updated += before.rstrip()
                continue
            marker = _MARKER.match(text, start)
            assert marker is not None
            more = lines[number + 1 :] if number == len(spans) - 1 else ()
            margin = text[text.rfind("\n", 0, start) + 1 : start]
            line_end = ("\r\n" if "\r\n" in text else "\n") + (margin if margin.isspace() else "")
            updated += before + line_end.join(f"{marker[0]} {line}" for line in (lines[number], *more))
        return Edit(begin, position, updated)

    def _evaluate(self, form: Form) -> tuple[SchemeError | None, str]:
        line, column = form.span.source.position(form.span.start)
        typed = Typed(form.span.text, [form], str(self._path), line - 1, column)
        own_limit = self.questions.at(line).limit
        limit = (
            self._limit if own_limit is None else Limit(own_limit, f"after {own_limit:g} s, the limit of the question")
        )
        evaluation = self._evaluator.evaluate(typed, "> ", limit)
        printed = "".join(output.text for output in evaluation.outputs)
        error = evaluation.outputs[-1].error
        if evaluation.exited:
            error = SchemeError("the file calls exit")
        if evaluation.stopped:
            error = _Stopped(f"endless loop? stopped {evaluation.stopped}", span=form.span)
        return error, printed


class _Stopped(SchemeError):
    """The error of an expression that was stopped by the time limit."""


def _line(form: Form) -> int:
    return form.span.source.position(form.span.start)[0]


def _expectation(text: str, start: int, end: int) -> Expectation | None:
    shown: list[str] = []
    spans: list[tuple[int, int]] = []
    for line in text[start:end].splitlines(keepends=True):
        stripped = line.strip()
        found = _EXPECT.fullmatch(stripped)
        if found is not None and not found["before"].strip(" ;"):
            first = start + line.index(stripped)
            shown.append((found["value"] or "").strip())
            spans.append((first + len(found["before"]), first + len(stripped)))
        elif stripped and not stripped.startswith(";"):
            break
        start += len(line)
    return Expectation(tuple(shown), tuple(spans)) if shown else None


def _compared(expectation: Expectation, printed: str, error: SchemeError | None) -> tuple[bool, list[str]]:
    """Whether an expectation holds, and the lines to replace it by; none if there can be no expectation."""
    if error is not None:
        wanted = expectation.shown[-1].casefold()
        message = str(error)
        holds = wanted == "error" or wanted in (message.casefold(), f"error: {message}".casefold())
        return holds, [] if isinstance(error, _Stopped) else ["Error" if "\n" in message else f"Error: {message}"]
    lines = printed.rstrip("\n").replace(SOFT_NEWLINE, "\n").split("\n")
    # The course's later interpreters show nothing for an expression without a value.
    readings = [printed, lines[-1]] + (["\n".join(lines[:-1])] if lines[-1] == "okay" else [])
    holds = any(align(expected_lines(expectation.shown), output_lines(reading)).cost == 0 for reading in readings)
    return holds, lines[-1:] if len(expectation.shown) == 1 else lines
