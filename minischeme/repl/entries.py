"""Entries at either prompt: what is a command, what is complete, and their evaluation. Imports no prompt_toolkit."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from minischeme.data.errors import SchemeError, SchemeExit, UnfinishedInput
from minischeme.session.session import Session
from minischeme.session.typed_text import read_typed

D = TypeVar("D")
T = TypeVar("T")
P = ParamSpec("P")
_COMMAND = re.compile(r"\s*,[A-Za-z]")


def is_command(text: str) -> bool:
    """Whether an entry is a comma-command. In Scheme a comma means something only inside a quasiquotation."""
    return _COMMAND.match(text) is not None


def or_else(default: D) -> Callable[[Callable[P, T]], Callable[P, T | D]]:
    """A decorator for what helps at the prompt: a mistake of ours in there gives a default, and ends no session."""

    def decorate(function: Callable[P, T]) -> Callable[P, T | D]:
        @wraps(function)
        def run(*arguments: P.args, **options: P.kwargs) -> T | D:
            try:
                return function(*arguments, **options)
            except Exception:
                return default

        return run

    return decorate


def is_finished(text: str) -> bool:
    """Whether an entry can be evaluated, be it only to be told what is wrong; else another line is wanted."""
    return _unfinished(text) is None


def lacks_bracket(text: str) -> bool:
    """Whether a bracket seems to be missing in an unfinished entry, so that more lines won't finish it."""
    error = _unfinished(text)
    return error is not None and error.next_form is not None


def _unfinished(text: str) -> UnfinishedInput | None:
    """What is unfinished in an entry."""
    if is_command(text):
        text = text[text.find("(") :] if "(" in text else ""  # the expression of a ,time or ,expand may go on
    items = read_typed(text)
    return items[-1] if items and isinstance(items[-1], UnfinishedInput) else None


def has_line_editor(session: Session) -> bool:
    """Whether a person sits at a terminal that can do more than print lines."""
    return session.input.echoes and os.environ.get("TERM", "dumb") not in ("", "dumb")


def evaluate_entry(session: Session, text: str, *, ended: bool = False) -> bool:
    """Evaluate and print the forms of the text, or do what a comma-command says; whether that went without an error.

    A mistake of minischeme's own is reported, but ends neither the session nor its definitions.

    Args:
        ended: whether no more lines will follow.

    Raises:
        UnfinishedInput: if more lines are wanted.
        SchemeExit: if the user wants to leave.
    """
    try:
        if is_command(text):
            from minischeme.repl.commands import dispatch  # only here, since few need it

            count = len(session.prompt.entries)
            if not dispatch(session, text):
                raise SchemeExit(0)
            session.prompt.entries[count:] = [(text.strip(), True)]
            return True
        succeeded = session.prompt.evaluate_and_print(text, "<prompt>", ended=ended)
        if session.input.echoes and text.strip() in ("exit", "quit", "bye"):
            session.output.write(";; type (exit) or press Ctrl-D to exit\n")
        return succeeded
    except (SchemeError, OSError):
        raise
    except MemoryError:
        session.prompt.show_error(SchemeError("out of memory"))
        return False
    except Exception as error:
        session.output.fresh_line()
        session.output.write(internal_error_text(error) + "\n")
        return False


def is_debugging() -> bool:
    """Whether the user asked for Python tracebacks."""
    return os.environ.get("MINISCHEME_DEBUG", "0") not in ("", "0")


def internal_error_text(error: Exception) -> str:
    """The text of a mistake of minischeme's own."""
    if is_debugging():
        import traceback  # here, since it takes a twentieth of a start

        return "".join(traceback.format_exception(error)).rstrip()
    kind = type(error).__name__
    return f"minischeme: internal error, please report it: {kind}: {error} (MINISCHEME_DEBUG=1 shows where)"
