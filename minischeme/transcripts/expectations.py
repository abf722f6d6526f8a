"""Scheme files that say what their expressions give, by `; expect VALUE` behind an expression or on the lines below."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from minischeme.data.errors import SchemeError, SchemeExit
from minischeme.data.source import Source
from minischeme.reading.forms import Form
from minischeme.reading.reader import read
from minischeme.session.session import Session
from minischeme.transcripts.console import Console
from minischeme.transcripts.matching import SOFT, align, pieces_of, shown_lines
from minischeme.transcripts.outcomes import Edit
from minischeme.transcripts.replay import DEFAULT_LIMIT, DEFAULT_SEED
from minischeme.transcripts.time_limit import TimeLimit

_MARKER = re.compile(r";+\s*expect", re.IGNORECASE)
_EXPECT = re.compile(r"(?P<before>.*?);+\s*expect(?:\s(?P<value>.*))?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Expectation:
    """An expression with what it should give.

    Args: line: the number, from 1, of the line that it begins in. source: the expression. shown: what should be shown;
    ``Error`` stands for any error. places: where the comments stand that say so, from their semicolon to their end.
    """

    line: int
    source: str
    shown: tuple[str, ...]
    places: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Result:
    """What an expression with an expectation gave: all that was shown, and whether that is what was expected.

    `renewal` are the lines to expect instead; None if there is nothing that can be expected.
    """

    expectation: Expectation
    shown: tuple[str, ...]
    holds: bool
    renewal: tuple[str, ...] | None


def has_expectations(text: str) -> bool:
    """Whether a Scheme file may say what its expressions give."""
    return re.search(r";+\s*expect\b", text, re.IGNORECASE) is not None


class ExpectationFile:
    """A Scheme file with expectations.

    Args: text: the whole file. name: its path. limit: seconds for each expression. option: how users set it.
    Raises: SchemeError if it can't be read.
    """

    def __init__(self, text: str, name: str, *, limit: float = DEFAULT_LIMIT, option: str = "--limit") -> None:
        self.name = name
        self._text = text
        self._limit = limit
        self._reason = f"after {limit:g} s, the limit for an expression ({option})"
        self._forms: list[tuple[Form, Expectation | None]] = []
        forms = list(read(Source(text, name)))
        ends = [form.span.start for form in forms[1:]] + [len(text)]
        for form, end in zip(forms, ends, strict=True):
            found = list(_expected(text, form.span.end, end))
            shown, places = tuple(value for value, _ in found), tuple(place for _, place in found)
            line, _ = form.span.source.position(form.span.start)
            self._forms.append((form, Expectation(line, form.span.text, shown, places) if shown else None))

    @property
    def expectations(self) -> list[Expectation]:
        """What there is to check, in order."""
        return [expectation for _, expectation in self._forms if expectation is not None]

    def run(self) -> Iterator[Result]:
        """Run the file, and yield what each expression with an expectation gave.

        Raises: SchemeError, as an expression without one does.
        """
        console = Console()
        session = Session(seed=DEFAULT_SEED)
        session.output, session.input = console.output, console.input
        session.folder = Path(self.name).parent
        for form, expectation in self._forms:
            error, printed = self._evaluate(session, console, form)
            if expectation is None:
                if error is not None:
                    raise error
                continue
            yield _result(expectation, printed, error)

    def edit_of(self, result: Result) -> Edit | None:
        """What makes the file expect what was shown; None if there is nothing that can be expected."""
        if result.renewal is None:
            return None
        text, lines, places = self._text, result.renewal, result.expectation.places
        begin = position = places[0][0]
        renewed = ""
        for number, (start, end) in enumerate(places):
            before, position = text[position:start], end
            if number >= len(lines):
                renewed += before.rstrip()
                continue
            marker = _MARKER.match(text, start)
            assert marker is not None
            more = lines[number + 1 :] if number == len(places) - 1 else ()
            margin = text[text.rfind("\n", 0, start) + 1 : start]
            line_end = ("\r\n" if "\r\n" in text else "\n") + (margin if margin.isspace() else "")
            renewed += before + line_end.join(f"{marker[0]} {line}" for line in (lines[number], *more))
        return Edit(begin, position, renewed)

    def _evaluate(self, session: Session, console: Console, form: Form) -> tuple[SchemeError | None, str]:
        time_limit = TimeLimit()
        try:
            with time_limit.of(self._limit, self._reason):
                error = session.show_value_of(form)
        except SchemeExit:
            error = SchemeError("the file calls exit")
        if time_limit.is_over:
            error = _Stopped(f"endless loop? stopped {self._reason}", span=form.span)
        return error, console.output.take(is_endless=time_limit.is_over)


def _expected(text: str, start: int, end: int) -> Iterator[tuple[str, tuple[int, int]]]:
    """The expected lines in the text between two expressions, each with the place of its comment."""
    for line in text[start:end].splitlines(keepends=True):
        stripped = line.strip()
        found = _EXPECT.fullmatch(stripped)
        if found is not None and not found["before"].strip(" ;"):
            first = start + line.index(stripped)
            yield (found["value"] or "").strip(), (first + len(found["before"]), first + len(stripped))
        elif stripped and not stripped.startswith(";"):
            return
        start += len(line)


class _Stopped(SchemeError):
    """The time limit ended an expression: nothing is known of what it gives."""


def _result(expectation: Expectation, printed: str, error: SchemeError | None) -> Result:
    everything = tuple(printed.replace(SOFT, "\n").splitlines())
    if error is not None:
        wanted = expectation.shown[-1].casefold()
        message = str(error)
        holds = wanted == "error" or wanted in (message.casefold(), f"error: {message}".casefold())
        renewal = None if isinstance(error, _Stopped) else ("Error" if "\n" in message else f"Error: {message}",)
        return Result(expectation, everything, holds, renewal)
    lines = printed.rstrip("\n").replace(SOFT, "\n").split("\n")
    # The courses' later interpreters show nothing for an expression without a value.
    readings = [printed, lines[-1]] + (["\n".join(lines[:-1])] if lines[-1] == "okay" else [])
    holds = any(align(shown_lines(expectation.shown), pieces_of(reading)).cost == 0 for reading in readings)
    return Result(expectation, everything, holds, tuple(lines[-1:] if len(expectation.shown) == 1 else lines))
