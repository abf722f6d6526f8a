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

from minischeme.data.source import Span
from minischeme.stepping import navigation
from minischeme.stepping.pictures import Pictures
from minischeme.stepping.recording import RecordedRun

if TYPE_CHECKING:
    from minischeme.session.session import Session

FORMAT = "minischeme-run"
VERSION = 1


def as_data(session: "Session", run: RecordedRun, width: int = 76) -> dict[str, Any]:
    """A recorded run as data for JSON, with texts in lines of a width."""
    pictures = Pictures(session, run)
    calls, changes = navigation.next_calls(run), navigation.next_changes(run)
    sources: list[dict[str, str]] = []
    numbers: dict[int, int] = {}

    def place(span: Span | None) -> list[int] | None:
        if span is None:
            return None
        if id(span.source) not in numbers:
            numbers[id(span.source)] = len(sources)
            sources.append({"name": span.source.name, "text": span.source.text})
        return [numbers[id(span.source)], span.start, span.end]

    def data(number: int) -> dict[str, Any]:
        step, picture = run.steps[number], pictures.picture(number, width)
        return {
            "kind": step.kind,
            "text": picture.text,
            "mark": [picture.start, picture.end],
            "place": place(step.node.span),
            "depth": step.waiting.depth,
            "over": navigation.over(run, number),
            "out": navigation.out(run, number),
            "call": calls[number],
            "change": changes[number],
            "printed": step.printed,
            **({"frames": msgspec.to_builtins(picture.frames)} if picture.frames else {}),
        }

    with session.settings():
        steps, (kind, text) = list(map(data, range(len(run.steps)))), pictures.result()
    made = {"format": FORMAT, "version": VERSION, "expression": run.text, "sources": sources, "steps": steps}
    return {**made, "output": run.output, "result": {kind: text}}


def as_json(session: "Session", run: RecordedRun, width: int = 76) -> str:
    """A recorded run as JSON text."""
    return msgspec.json.encode(as_data(session, run, width)).decode()


def as_page(session: "Session", run: RecordedRun, width: int = 76) -> str:
    """A recorded run as a page of HTML that needs nothing else."""
    with open(os.path.join(os.path.dirname(__file__), "page.html"), encoding="utf-8") as file:
        page = file.read()
    data = as_json(session, run, width)
    for character in "<>&\u2028\u2029":
        data = data.replace(character, f"\\u{ord(character):04x}")
    return page.replace("{title}", escape(" ".join(run.text.split())[:80])).replace("{data}", data)
