"""The table of the comma-commands, and their printing."""

import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from minischeme.data.errors import SchemeError
from minischeme.data.wrapping import in_columns, wrapped
from minischeme.diagnosis.hints import did_you_mean
from minischeme.session.session import Session

_QUESTIONS = {"EXPR": "which expression?", "FILE": "which file?", "N": "which number?", "WORD": "which word?"}


@dataclass(frozen=True, slots=True)
class Command:
    """A comma-command."""

    grammar: str  # how it is typed; an argument in brackets may be missing
    doc: str  # its line of help
    run: Callable[[Session, str], bool | None]  # takes the text behind the name; False if the user wants to leave

    @property
    def question(self) -> str | None:
        """The question for a missing argument; None if it needs none."""
        return _QUESTIONS.get(self.grammar.partition(" ")[2])


TABLE: dict[str, Command] = {}
"""All commands by name, in the order of the help."""


def command(grammar: str) -> Callable[[Callable[[Session, str], bool | None]], None]:
    """A decorator that puts a function into the table; its docstring is the line of help."""

    def register(function: Callable[[Session, str], bool | None]) -> None:
        TABLE[grammar.split()[0].lstrip(",")] = Command(grammar, function.__doc__ or "", function)

    return register


def command_named(typed: str) -> Command:
    """The command of a name, or of the only name that begins with the text; a `SchemeError` if there is none."""
    typed = "help" if typed in ("h", "?") else typed
    matching = [name for name in TABLE if typed and name.startswith(typed)]
    if typed in TABLE or len(matching) == 1:
        return TABLE[typed if typed in TABLE else matching[0]]
    if matching:
        raise SchemeError(f",{typed} may be {' or '.join(f',{name}' for name in matching)}")
    close = difflib.get_close_matches(typed, TABLE, 1, 0.5)
    hint = did_you_mean(typed, f",{close[0]}") if close else ",help lists the commands"
    raise SchemeError(f"there is no command ,{typed}", hint=hint)


def say(session: Session, text: str, more: int = 0) -> None:
    """Print a text for people; the continuation of a long line is indented by `more` columns."""
    session.output.fresh_line()
    session.output.write(wrapped(text, session.output.width, more) + "\n")


def say_in_columns(session: Session, rows: Iterable[tuple[str, str]]) -> None:
    say(session, in_columns(list(rows), session.output.width))
