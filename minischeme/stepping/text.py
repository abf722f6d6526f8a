"""A recorded run as plain text: the expression after each reduction, what is printed, and the frames that change."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from minischeme.data.errors import SchemeError
from minischeme.data.printer import write
from minischeme.data.values import String
from minischeme.data.wrapping import wrapped
from minischeme.stepping.pictures import FramePicture, Pictures
from minischeme.stepping.recorder import record
from minischeme.stepping.recording import RecordedRun

if TYPE_CHECKING:
    from minischeme.session.session import Session

DEFAULT_WIDTH = 80


def show_as_text(session: "Session", text: str) -> SchemeError | None:
    """Print the steps of a text as a session's output, and the error that ends it, which is the result."""
    try:
        run = record(session, text)
        print_lines(session, run)
        error = run.error
    except SchemeError as problem:
        error = problem
    if error is not None:
        session.prompt.show_error(error)
    return error


def print_lines(session: "Session", run: RecordedRun) -> None:
    """Print the lines of a recorded run as a session's output."""
    with session.settings():
        for line in as_lines(session, run, session.output.width):
            session.output.fresh_line()
            session.output.write(line + "\n")


def as_lines(session: "Session", run: RecordedRun, width: int | None = None) -> Iterator[str]:
    """The lines of a recorded run; an error's report is not among them."""
    width = width or DEFAULT_WIDTH
    pictures = Pictures(session, run)
    shown: list[FramePicture] = []
    printed, before = 0, ""
    ends = dict(reversed(run.values[:-1]))  # of forms that are not the last: those without steps are not shown
    for number in range(len(run.steps) + 1):
        now = run.printed[number]
        if now > printed:
            yield wrapped(f"  prints {write(String(run.output[printed:now]))}", width, 4)
        printed = now
        if number and number in ends:
            yield f"→ {pictures.values.text(ends[number], number)}"
            before = ""
        if number == len(run.steps):
            break
        picture = pictures.picture(number, width - 4)
        if picture.text != before:
            yield f"{'→' if before else ' '} " + picture.text.replace("\n", "\n  ")
        for frame in picture.frames:
            if frame not in shown and frame.variables:
                yield wrapped(f"    {frame_text(frame)}", width, 8)
        before, shown = picture.text, picture.frames
    kind, text = pictures.result()
    if kind != "error":
        yield f"{'→' if before or not run.steps else ' '} {text}" if kind == "value" else wrapped(f"… {text}", width, 2)


def frame_text(frame: FramePicture) -> str:
    """A frame on one line."""
    head = " ".join(part for part in (frame.name, frame.procedure) if part) or "local"
    return f"{head}: {', '.join(f'{name} = {value}' for name, value in frame.variables)}"
