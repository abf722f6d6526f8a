"""A recorded run as plain text: the expression after each reduction, what is printed, and the frames that change."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from minischeme.data.errors import SchemeError
from minischeme.data.printer import write
from minischeme.data.values import String
from minischeme.data.wrapping import wrapped
from minischeme.stepping.export import result_of
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


def as_lines(session: "Session", recording: RecordedRun, width: int | None = None) -> Iterator[str]:
    """The lines of a recorded run; an error's report is not among them."""
    width = width or DEFAULT_WIDTH
    pictures = Pictures(recording, fold_case=session.dialect == "berkeley")
    shown: list[FramePicture] = []
    printed = 0
    before = ""
    for number, step in enumerate(recording.steps):
        picture = pictures.picture(number, width - 4)
        if step.printed > printed:
            yield _printed(recording.output[printed : step.printed], width)
            printed = step.printed
        if picture.text != before:
            yield f"{'→' if before else ' '} " + picture.text.replace("\n", "\n  ")
            before = picture.text
        for frame in picture.frames:
            if frame not in shown and frame.variables:
                yield wrapped(f"    {frame_text(frame)}", width, 8)
        shown = picture.frames
    if len(recording.output) > printed:
        yield _printed(recording.output[printed:], width)
    kind, text = result_of(session, recording, pictures)
    if kind == "value":
        yield f"→ {text}"
    elif kind == "ending":
        yield wrapped(f"… {text}", width, 2)


def frame_text(frame: FramePicture) -> str:
    """A frame on one line."""
    head = " ".join(part for part in (frame.name, frame.procedure) if part)
    return f"{head}: {', '.join(f'{name} = {value}' for name, value in frame.variables)}"


def _printed(text: str, width: int) -> str:
    return wrapped(f"  prints {write(String(text))}", width, 4)
