"""The steps of a recorded run, full screen in a terminal, else as plain text."""

from minischeme.session.session import Session
from minischeme.stepping.recording import RecordedRun
from minischeme.stepping.text import as_lines


def show_steps(session: Session, recording: RecordedRun) -> None:
    """Show a recorded run."""
    output = session.output
    with session.settings():
        for line in as_lines(session, recording, output.width):
            output.fresh_line()
            output.write(line + "\n")
