"""The parsers of command lines with options, and the values of options: `argparse` takes a twentieth of a start."""

import argparse
import os

from minischeme.data.wrapping import wrapped


class _HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """A formatter that keeps the lines of a description, and breaks those that are too long for the terminal."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_columns() - 2)  # else argparse imports `shutil` when an option is added

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return wrapped(super()._fill_text(text, width, indent), width)


def command_parser(name: str, description: str, epilog: str = "", usage: str | None = None) -> argparse.ArgumentParser:
    """The parser of the options of a command."""
    texts = name, usage, description, epilog
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
