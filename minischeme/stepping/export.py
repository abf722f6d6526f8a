"""A recorded run as data, for pages and other programs: `RunData` as JSON.

Offsets count Unicode characters. All values are texts. A later version may have further members.
"""

import os.path
from html import escape
from typing import TYPE_CHECKING, Any

import msgspec

from minischeme.stepping import navigation
from minischeme.stepping.pictures import FramePicture, Pictures
from minischeme.stepping.recording import RecordedRun

if TYPE_CHECKING:
    from minischeme.session.session import Session


class SourceData(msgspec.Struct):
    """A text that pieces of the run stand in."""

    name: str
    text: str


class StepData(msgspec.Struct, omit_defaults=True):
    """A reduction; the numbers of other steps count from 0, and that after the last one is the end."""

    kind: str
    """`call`, `test` (if, cond, and, or …), `bind` (let and the like), `assign`, `define` or `variable` (the value of a
    global)."""
    text: str  # the whole expression as it stands before the reduction, in lines
    mark: tuple[int, int]  # the offsets in it where the part that is reduced begins and ends
    place: tuple[int, int, int] | None  # where that part stands as written: the index of a source, two offsets in it
    depth: int  # the number of expressions that wait for its value
    over: int  # the step after a call has returned
    out: int  # that after the procedure has returned that is running
    call: int | None  # the next call of the procedure that is called, or else is running
    change: int | None  # the next change of any variable or datum
    printed: int  # how many characters of the output were printed before
    frames: list[FramePicture] = []
    """From the first assignment on: the environment of the part, from the innermost frame, `E1`, `E2` … or without a
    name, to the `global` one."""


class RunData(msgspec.Struct):
    """A recorded run."""

    expression: str  # the text that was run
    sources: list[SourceData]
    steps: list[StepData]
    output: str
    result: dict[str, str]  # one member: `value`, or `error`, the report of it, or `ending`, why there is neither
    format: str = "minischeme-run"
    version: int = 1


def _run_data(session: "Session", run: RecordedRun, width: int) -> RunData:
    pictures = Pictures(session, run)
    calls, changes = navigation.next_calls(run), navigation.next_changes(run)
    spans = [step.node.span for step in run.steps]
    sources = list(dict.fromkeys(span.source for span in spans if span is not None))
    steps: list[StepData] = []
    with session.settings():
        for number, (step, span) in enumerate(zip(run.steps, spans, strict=True)):
            picture = pictures.picture(number, width)
            mark = picture.start, picture.end
            place = (sources.index(span.source), span.start, span.end) if span is not None else None
            ways = navigation.over(run, number), navigation.out(run, number), calls[number], changes[number]
            made = step.kind, picture.text, mark, place, step.depth - 1, *ways, run.printed[number], picture.frames
            steps.append(StepData(*made))
        result = dict([pictures.result()])
    return RunData(run.text, [SourceData(each.name, each.text) for each in sources], steps, run.output, result)


def as_data(session: "Session", run: RecordedRun, width: int = 76) -> dict[str, Any]:
    """A recorded run as data for JSON, with texts in lines of a width."""
    found: dict[str, Any] = msgspec.to_builtins(_run_data(session, run, width))
    return found


def as_json(session: "Session", run: RecordedRun, width: int = 76) -> str:
    """A recorded run as JSON text."""
    return msgspec.json.encode(_run_data(session, run, width)).decode()


def as_page(session: "Session", run: RecordedRun, width: int = 76) -> str:
    """A recorded run as a page of HTML that needs nothing else."""
    with open(os.path.join(os.path.dirname(__file__), "page.html"), encoding="utf-8") as file:
        page = file.read()
    data = as_json(session, run, width)
    for character in "<>&\u2028\u2029":
        data = data.replace(character, f"\\u{ord(character):04x}")
    return page.replace("{title}", escape(" ".join(run.text.split())[:80])).replace("{data}", data)
