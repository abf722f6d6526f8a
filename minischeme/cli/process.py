"""Parts shared by the commands: exit statuses, the session of the process, error messages."""

import sys
from collections.abc import Callable

from minischeme.data.errors import SchemeError, SchemeExit, report
from minischeme.data.printer import symbols_fold
from minischeme.session.session import Session
from minischeme.system.collector import collect_seldom

SCHEME_ERROR = 1
WRONG_USAGE = 2
INTERRUPTED = 130


def process_session(dialect: str, seed: int | None) -> Session:
    """A session that uses the standard streams of this process."""
    collect_seldom()
    symbols_fold.set(dialect == "berkeley")  # for the whole process, error reports included
    session = Session(dialect=dialect, seed=seed)
    session.input.tied = session.output
    session.input.echoes = sys.stdin.isatty() and sys.stdout.isatty()
    return session


def status_of(session: Session, work: Callable[[], int]) -> int:
    """The exit status of some work with a session: its own, that of `exit`, or that of an error, which is reported."""
    try:
        return work()
    except SchemeExit as request:
        return request.status
    except SchemeError as error:
        session.output.flush()
        complain(report(error))
        return SCHEME_ERROR


def complain(text: str) -> None:
    """Show a message on standard error."""
    print(text, file=sys.stderr, flush=True)


def reason(error: OSError) -> str:
    """The system's description of an error with a file, without its number."""
    return error.strerror or str(error)


def write_file(name: str, text: str, command: str = "minischeme") -> bool:
    """Write a text to a file, or to standard output for ``-``; False, and a message, where that is impossible."""
    if name == "-":
        sys.stdout.write(text)
        return True
    try:
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        complain(f"{command}: cannot write {name}: {reason(error)}")
        return False
    return True
