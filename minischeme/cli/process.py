"""Parts shared by the commands: values of options, exit statuses, the session of the process, error messages."""

import argparse
import os
import sys

from minischeme.data.printer import symbols_fold
from minischeme.data.wrapping import wrapped
from minischeme.session.session import Session
from minischeme.system.collector import collect_seldom


class _HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """A formatter that keeps the lines of a description, and breaks those that are too long for the terminal."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_columns() - 2)  # else argparse imports `shutil` when an option is added

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return wrapped(super()._fill_text(text, width, indent), width)


def command_parser(
    command: str, description: str, epilog: str | None = None, usage: str | None = None
) -> argparse.ArgumentParser:
    """The parser of the options of a command."""
    texts = command, usage, description, epilog
    return argparse.ArgumentParser(*texts, formatter_class=_HelpFormatter, allow_abbrev=False)


def _columns() -> int:
    """The width of the terminal, as of `shutil.get_terminal_size`."""
    try:
        return int(os.environ.get("COLUMNS", 0)) or os.get_terminal_size(1).columns or 80
    except (ValueError, OSError):
        return 80


def integer(text: str) -> int:
    """The value of an option that takes an integer."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a whole number, not {text!r}") from None


def count(text: str) -> int:
    """The value of an option that takes a number of things."""
    if integer(text) < 1:
        raise argparse.ArgumentTypeError(f"expected at least 1, not {text!r}")
    return int(text)


def seconds(text: str) -> float:
    """The value of an option that takes a time."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a number of seconds, not {text!r}") from None


SCHEME_ERROR = 1
WRONG_USAGE = 2


def process_session(dialect: str, seed: int | None) -> Session:
    """A session that uses the standard streams of this process."""
    collect_seldom()
    symbols_fold.set(dialect == "berkeley")  # for the whole process, error reports included
    session = Session(dialect=dialect, seed=seed)
    session.input.tied = session.output
    session.input.echoes = sys.stdin.isatty() and sys.stdout.isatty()
    return session


def complain(text: str) -> None:
    """Show a message on standard error."""
    print(text, file=sys.stderr, flush=True)
