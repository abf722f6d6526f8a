"""A recorded run as JSON, for pages and other programs.

The object has these members:

- ``format``: ``"minischeme-run"``; ``version``: 1. A later version may have further members.
- ``expression``: the text that was run.
- ``sources``: the texts that pieces of it stand in, each with ``name`` and ``text``.
- ``steps``: the reductions in order. Each has
  - ``kind``: ``call``, ``test`` (if, cond, and, or …), ``bind`` (let and the like), ``assign``, ``define`` or
    ``variable`` (the value of a global);
  - ``text``: the whole expression as it stands before the reduction, in lines; ``mark``: the offsets in it where the
    part that is reduced begins and ends;
  - ``place``: where that part stands as it was written: the index of a source and two offsets in its text; or null;
  - ``depth``: the number of expressions that wait for its value;
  - ``over``: the number of the step after a call has returned; ``out``: of that after the procedure has returned that
    is running; ``call``: of the next call of the procedure that is called, or else is running; ``change``: of the next
    change of any variable or datum. Steps count from 0; that after the last one is the end. The last two may be null.
  - ``printed``: how many characters of the output were printed before;
  - ``frames``, only from the first assignment on: the environment of the part, from the innermost frame to the global
    one. Each has ``name`` (``E1``, ``E2`` …, ``global``, or empty), ``procedure`` (whose call made it, or empty) and
    ``variables``, pairs of name and value.
- ``output``: the whole output.
- ``result``: an object with one member: ``value``; ``error``, the report of the error; or ``ending``, why the run was
  ended otherwise.

Offsets count Unicode characters. All values are texts.
"""

import os.path
from html import escape
from typing import TYPE_CHECKING, Any

import msgspec

from minischeme.data.errors import report
from minischeme.data.source import Span
from minischeme.stepping import navigation
from minischeme.stepping.pictures import Pictures
from minischeme.stepping.recording import RecordedRun

if TYPE_CHECKING:
    from minischeme.session.session import Session

FORMAT = "minischeme-run"
VERSION = 1


def as_data(session: "Session", recording: RecordedRun, width: int = 76) -> dict[str, Any]:
    """A recording as data for JSON, with texts in lines of a width."""
    with session.settings():
        return _Export(session, recording, width).data()


def as_page(session: "Session", recording: RecordedRun, width: int = 76) -> str:
    """A recording as a page of HTML that needs nothing else."""
    with open(os.path.join(os.path.dirname(__file__), "page.html"), encoding="utf-8") as file:
        page = file.read()
    data = as_json(session, recording, width)
    for character in "<>&\u2028\u2029":
        data = data.replace(character, f"\\u{ord(character):04x}")
    return page.replace("{title}", escape(" ".join(recording.text.split())[:80])).replace("{data}", data)


def as_json(session: "Session", recording: RecordedRun, width: int = 76) -> str:
    """A recording as JSON text."""
    return msgspec.json.encode(as_data(session, recording, width)).decode()


def result_of(session: "Session", recording: RecordedRun, pictures: Pictures) -> tuple[str, str]:
    """The end of a run, as the name of a member of the result, and the text for it."""
    if recording.error is not None:
        return "error", report(recording.error)
    if recording.value is None:
        return "ending", recording.ending
    return "value", pictures.values.text(recording.value, len(recording.steps))


class _Export:
    def __init__(self, session: "Session", recording: RecordedRun, width: int) -> None:
        self._session = session
        self._run = recording
        self._calls, self._changes = navigation.next_of_each(recording)
        self._width = width
        self._pictures = Pictures(recording, fold_case=session.dialect == "berkeley")
        self._sources: dict[int, int] = {}
        self._texts: list[dict[str, str]] = []

    def data(self) -> dict[str, Any]:
        steps = [self._step(number) for number in range(len(self._run.steps))]
        kind, text = result_of(self._session, self._run, self._pictures)
        return {
            "format": FORMAT,
            "version": VERSION,
            "expression": self._run.text,
            "sources": self._texts,
            "steps": steps,
            "output": self._run.output,
            "result": {kind: text},
        }

    def _step(self, number: int) -> dict[str, Any]:
        step, picture = self._run.steps[number], self._pictures.picture(number, self._width)
        found: dict[str, Any] = {
            "kind": step.kind,
            "text": picture.text,
            "mark": [picture.start, picture.end],
            "place": self._place(picture.span),
            "depth": step.waiting.depth,
            "over": navigation.over(self._run, number),
            "out": navigation.out(self._run, number),
            "call": self._calls[number],
            "change": self._changes[number],
            "printed": step.printed,
        }
        if picture.frames:
            found["frames"] = [frame._asdict() for frame in picture.frames]
        return found

    def _place(self, span: Span | None) -> list[int] | None:
        if span is None:
            return None
        if id(span.source) not in self._sources:
            self._sources[id(span.source)] = len(self._texts)
            self._texts.append({"name": span.source.name, "text": span.source.text})
        return [self._sources[id(span.source)], span.start, span.end]
