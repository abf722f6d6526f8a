"""Scheme files that state the values of expressions by `; expect VALUE` behind them or on the lines below."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from minischeme.data.errors import Interrupted, SchemeError
from minischeme.data.source import Source
from minischeme.reading.forms import Form
from minischeme.reading.reader import read
from minischeme.transcripts.console import ReplayConsole
from minischeme.transcripts.document import LOCKED, Document
from minischeme.transcripts.evaluator import Limit, Typed
from minischeme.transcripts.matching import SOFT_NEWLINE, align, expected_lines, output_lines
from minischeme.transcripts.outcomes import Edit, Outcome, Verdict
from minischeme.transcripts.questions import Questions
from minischeme.transcripts.replay import DEFAULT_SEED, Settings

_EXPECT = re.compile(r"[\s;]*?(?P<marker>;+\s*expect)(?:\s(?P<value>.*))?", re.IGNORECASE)

Comments = list[re.Match[str]]
"""The comments behind a form, each with a line that it should show; ``Error`` stands for any error."""


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
        self._forms = [(form, _comments(text, form.span.end, end)) for form, end in zip(forms, ends, strict=True)]
        self.questions = Questions(name, document.directives, (line - 1 for line, _ in self.interactions()))

    def interactions(self) -> Iterator[tuple[int, str]]:
        """The lines, from 1, of the expressions with an expectation, and their text."""
        return ((_line(form), form.span.text) for form, comments in self._forms if comments)

    def expectations(self) -> Iterator[tuple[str, int, int]]:
        """The expressions, with the spans of the values that they should have."""
        for form, comments in self._forms:
            yield from (
                (form.span.text, *comment.span("value")) for comment in comments if comment["value"] is not None
            )

    def run(self) -> Iterator[Outcome]:
        """Run the file, and compare results with expectations; expressions without may raise SchemeErrors."""
        self._evaluator.begin("berkeley", DEFAULT_SEED)
        for form, comments in self._forms:
            obstacle = self.questions.obstacle(_line(form)) if comments else ""
            if any((comment["value"] or "").startswith(LOCKED) for comment in comments):
                obstacle = "it is locked: minischeme unlock asks for its result"
            if obstacle:
                yield Outcome(self._name, _line(form), form.span.text, Verdict.NOT_RUN, note=obstacle)
                continue
            error, printed = self._evaluate(form)
            if comments:
                outcome = self._check(form, comments, printed, error)
                self.questions.note(outcome)
                yield outcome
            elif error is not None:
                raise error

    def _check(self, form: Form, comments: Comments, printed: str, error: SchemeError | None) -> Outcome:
        check = Outcome(self._name, _line(form), form.span.text, Verdict.SAME)
        expected = [(comment["value"] or "").strip() for comment in comments]
        holds, lines = _compared(expected, printed, error)
        if holds:
            return check
        shown = printed.replace(SOFT_NEWLINE, "\n").splitlines()
        difference = [check.location, *(f"-{line}" for line in expected), *(f"+{line}" for line in shown)]
        edit = self._edit(comments, lines) if lines else None
        verdict = Verdict.DIFFERENT if lines else Verdict.ENDLESS
        return replace(check, verdict=verdict, difference="\n".join(difference), edit=edit)

    def _edit(self, comments: Comments, lines: Sequence[str]) -> Edit:
        text = self.text
        begin = position = comments[0].start("marker")
        updated = ""
        for number, comment in enumerate(comments):
            start = comment.start("marker")
            before, position = text[position:start], comment.end()
            if number >= len(lines):
                updated += before.rstrip()
                continue
            more = lines[number + 1 :] if comment is comments[-1] else ()
            margin = text[text.rfind("\n", 0, start) + 1 : start]
            line_end = ("\r\n" if "\r\n" in text else "\n") + (margin if margin.isspace() else "")
            updated += before + line_end.join(f"{comment['marker']} {line}" for line in (lines[number], *more))
        return Edit(begin, position, updated)

    def _evaluate(self, form: Form) -> tuple[SchemeError | None, str]:
        line, column = form.span.source.position(form.span.start)
        typed = Typed(form.span.text, [form], str(self._path), line - 1, column)
        limit = self._limit
        own_limit = self.questions.at(line).limit
        if own_limit is not None:
            limit = Limit(own_limit, f"after {own_limit:g} s, the limit of the question")
        evaluation = self._evaluator.evaluate(typed, "> ", limit)
        printed = "".join(output.text for output in evaluation.outputs)
        error = evaluation.outputs[-1].error
        if evaluation.exited:
            error = SchemeError("the file calls exit")
        if evaluation.stopped:
            error = Interrupted(f"endless loop? stopped {evaluation.stopped}", span=form.span)
        return error, printed


def _line(form: Form) -> int:
    return form.span.source.position(form.span.start)[0]


def _comments(text: str, start: int, end: int) -> Comments:
    comments: Comments = []
    for line in text[start:end].splitlines(keepends=True):
        comment = _EXPECT.fullmatch(text, start, start + len(line.rstrip()))
        if comment is not None:
            comments.append(comment)
        elif not re.match(r"\s*(;|$)", line):
            break
        start += len(line)
    return comments


def _compared(expected: Sequence[str], printed: str, error: SchemeError | None) -> tuple[bool, list[str]]:
    """Whether an expectation holds, and the lines to replace it by; none if there can be no expectation."""
    if error is not None:
        wanted = expected[-1].casefold()
        message = str(error)
        holds = wanted == "error" or wanted in (message.casefold(), f"error: {message}".casefold())
        return holds, [] if isinstance(error, Interrupted) else ["Error" if "\n" in message else f"Error: {message}"]
    lines = printed.rstrip("\n").replace(SOFT_NEWLINE, "\n").split("\n")
    # The course's later interpreters show nothing for an expression without a value.
    readings = [printed, lines[-1]] + (["\n".join(lines[:-1])] if lines[-1] == "okay" else [])
    holds = any(align(expected_lines(expected), output_lines(reading)).cost == 0 for reading in readings)
    return holds, lines[-1:] if len(expected) == 1 else lines
