"""What the commands share: exit statuses, the session of the process, and messages on standard error."""

from __future__ import annotations

import sys

from minischeme.data.printer import symbols_fold
from minischeme.session.session import Session
from minischeme.system.collector import collect_seldom

SCHEME_ERROR = 1
WRONG_USAGE = 2
INTERNAL_ERROR = 70
INTERRUPTED = 130
PIPE_CLOSED = 141


def process_session(dialect: str, seed: int | None) -> Session:
    """One that takes its input from, and prints to, where this process does."""
    collect_seldom()
    symbols_fold.set(dialect == "berkeley")  # in all of this process, error reports included
    session = Session(dialect=dialect, seed=seed)
    session.input.tied = session.output
    session.input.echoes = sys.stdin.isatty() and sys.stdout.isatty()
    return session


def complain(text: str) -> None:
    """Show a message on standard error."""
    print(text, file=sys.stderr, flush=True)
