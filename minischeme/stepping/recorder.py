"""`record`: the run of a text in a session, recorded."""

from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from typing import TYPE_CHECKING

from minischeme.data.errors import Interrupted, SchemeError, SchemeExit
from minischeme.data.source import Source
from minischeme.reading.reader import read
from minischeme.stepping.machine import LimitReached, Machine
from minischeme.stepping.recording import DEFAULT_LIMIT, RecordedRun

if TYPE_CHECKING:
    from minischeme.session.session import Session


def record(session: "Session", text: str, name: str = "<prompt>", *, limit: int = DEFAULT_LIMIT) -> RecordedRun:
    """The run of the forms of a text. What they define or change stays so, and what they print is in the recording.

    A text that can't be read is a `ReadError`.
    """
    recording = RecordedRun(text, name, limit)
    forms = list(read(Source(text, name), fold_case=session.dialect == "berkeley"))
    machine = Machine(session, recording)
    try:
        with _output_of(session, recording):
            session.main.execute = machine.execute
            for form in forms:
                machine.begin()
                recording.value = session.eval_form(form)
    except SchemeError as error:
        recording.error = error
    except KeyboardInterrupt:
        recording.error = Interrupted("interrupted")
    except SchemeExit as request:
        recording.ending = f"the program ends with exit status {request.status}"
    except LimitReached:
        recording.ending = f"the run was ended after {len(recording.steps):,} steps"
    finally:
        machine.recording = session.main.execute = None
    if recording.error is not None or recording.ending:
        recording.value = None
    return recording


@contextmanager
def _output_of(session: "Session", recording: RecordedRun) -> Iterator[None]:
    port = session.output
    stream, port.stream = port.stream, StringIO()
    recording.tape = port.stream
    try:
        yield
    finally:
        recording.output = recording.tape.getvalue()
        recording.tape = None
        port.stream = stream
