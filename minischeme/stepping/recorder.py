"""`record`: the run of a text in a session, recorded."""

from io import StringIO
from typing import TYPE_CHECKING

from minischeme.data.errors import Interrupted, SchemeError, SchemeExit
from minischeme.data.source import Source
from minischeme.reading.reader import read
from minischeme.runtime.ports import TextSink
from minischeme.stepping.machine import Machine
from minischeme.stepping.recording import DEFAULT_LIMIT, LimitReached, RecordedRun

if TYPE_CHECKING:
    from minischeme.session.session import Session


class _Tape(StringIO):
    """A copy of the output, which also goes to a screen where somebody may be asked for input."""

    def __init__(self, screen: TextSink | None) -> None:
        super().__init__()
        self._screen = screen

    def write(self, text: str) -> int:
        if self._screen is not None:
            self._screen.write(text)
            self._screen.flush()
        return super().write(text)


def record(session: "Session", text: str, name: str = "<prompt>", *, limit: int = DEFAULT_LIMIT) -> RecordedRun:
    """The run of the forms of a text. What they define or change stays so, and what they print is in the recording.

    A text that can't be read is a `ReadError`, one without a form a `SchemeError`.
    """
    forms = list(read(Source(text, name), fold_case=session.dialect == "berkeley"))
    if not forms:
        raise SchemeError("there is nothing to evaluate")
    run = RecordedRun(text, limit)
    machine = Machine(session, run)
    port, stream, column = session.output, session.output.stream, session.output.column
    run.tape = _Tape(stream if port.is_terminal else None)
    session.main.execute, port.stream = machine.execute, run.tape
    value = None
    try:
        for form in forms:
            machine.begin()
            value = session.eval_form(form)
            run.values.append((len(run.steps), value))
        run.value = value
    except SchemeError as error:
        run.error = error
    except KeyboardInterrupt:
        run.error = Interrupted("interrupted")
    except SchemeExit as request:
        run.ending = f"the program ends with exit status {request.status}"
    except LimitReached:
        run.ending = f"the run was ended after {len(run.steps):,} steps"
    finally:
        session.main.execute, port.stream = None, stream
        port.column = port.column if port.is_terminal else column
        machine.end()
        run.output = run.tape.getvalue()
        run.printed.append(len(run.output))
    return run
