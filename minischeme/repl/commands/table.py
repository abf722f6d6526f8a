"""The table of the comma-commands, and how they are run; `@command` puts a function into it."""

import difflib
import re
from collections.abc import Callable
from typing import NamedTuple

from minischeme.data.errors import Interrupted, SchemeError, UnfinishedInput
from minischeme.data.source import Source
from minischeme.data.wrapping import wrapped
from minischeme.diagnosis.hints import did_you_mean
from minischeme.reading.forms import Form
from minischeme.reading.reader import read
from minischeme.session.describe import similar_names
from minischeme.session.session import Session

_COMMAND = re.compile(r"\s*,\s*([A-Za-z?-]*)\s*")
_QUESTIONS = {"EXPR": "which expression?", "FILE": "which file?", "N": "which number?", "WORD": "which word?"}


class Command(NamedTuple):
    """A comma-command."""

    grammar: str  # how it is typed; an argument in brackets may be missing
    doc: str  # its line of help
    run: Callable[[Session, str], None]  # takes the text behind the name
    page: str = ""  # more help, as its paragraphs


TABLE: dict[str, Command] = {}
"""All commands by name, in the order of the help."""


def command(grammar: str) -> Callable[[Callable[[Session, str], None]], None]:
    """A decorator that puts a function into the table; its docstring is the line of help, and a page behind that."""

    def register(function: Callable[[Session, str], None]) -> None:
        doc, _, page = (function.__doc__ or "").partition("\n\n")
        page = "\n".join(line.removeprefix("  ") for line in page.rstrip().split("\n"))
        TABLE[grammar.split()[0].lstrip(",")] = Command(grammar, doc, function, page)

    return register


def command_named(typed: str) -> Command:
    """The command of a name, or of the only name that begins with the text; a `SchemeError` if there is none."""
    typed = "help" if typed in ("h", "?") else typed
    matching = [typed] if typed in TABLE else [name for name in TABLE if typed and name.startswith(typed)]
    if len(matching) == 1:
        return TABLE[matching[0]]
    if matching:
        raise SchemeError(f",{typed} may be {' or '.join(f',{name}' for name in matching)}")
    close = difflib.get_close_matches(typed, TABLE, 1, 0.5)
    hint = did_you_mean(typed, f",{close[0]}") if close else ",help lists the commands"
    raise SchemeError(f"there is no command ,{typed}", hint=hint)


def dispatch(session: Session, line: str) -> None:
    """Run a comma-command; `UnfinishedInput` if its expression is incomplete, `SchemeExit` if the user leaves."""
    found = _COMMAND.match(line)
    name, argument = (found[1].lower(), line[found.end() :].rstrip()) if found is not None else ("", "")
    try:
        chosen = command_named(name)
        full_name, _, operand = chosen.grammar.partition(" ")
        if operand in _QUESTIONS and not argument:
            raise SchemeError(f"{full_name}: {_QUESTIONS[operand]}")
        if "FILE" in operand and argument.startswith('"'):
            argument = argument[1:].removesuffix('"')
        chosen.run(session, argument)
    except UnfinishedInput:
        raise
    except SchemeError as error:
        session.prompt.show_error(error)
    except KeyboardInterrupt:
        if not session.input.echoes:
            raise
        session.output.column += len("^C")
        session.prompt.show_error(Interrupted("interrupted"))
    except (OSError, ValueError) as error:
        session.prompt.show_error(SchemeError(f",{name}: {error}"))


def say(session: Session, text: str, more: int = 0) -> None:
    """Print a text for people; the continuation of a long line is indented by `more` columns."""
    session.output.fresh_line()
    session.output.write(wrapped(text, session.output.width, more) + "\n")


def forms_in(session: Session, name: str, text: str) -> list[Form]:
    """The forms in the text behind a command's name; a `SchemeError` if there are none."""
    forms = list(read(Source(text, "<prompt>"), fold_case=session.dialect == "berkeley"))
    if not forms:
        raise SchemeError(f"{name}: which expression?")
    return forms


def unknown_name(session: Session, command: str, name: str) -> SchemeError:
    """The error of a command for a name that means nothing, with what may have been meant."""
    similar = similar_names(session, name)
    hint = did_you_mean(name, *similar) if similar else f",apropos {name} searches names and their help"
    return SchemeError(f"{command}: nothing is called {name}", hint=hint)
