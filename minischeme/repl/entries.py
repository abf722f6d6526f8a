"""Tests of entries at either prompt, such as whether one is complete. They import no prompt_toolkit."""

import os
import re
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from minischeme.data.errors import UnfinishedInput
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
    """A decorator for the prompt's conveniences: an internal error in the function gives the default instead."""

    def decorate(function: Callable[P, T]) -> Callable[P, T | D]:
        @wraps(function)
        def run(*arguments: P.args, **options: P.kwargs) -> T | D:
            try:
                return function(*arguments, **options)
            except Exception:
                return default

        return run

    return decorate


def unfinished(text: str) -> UnfinishedInput | None:
    """The error of an entry that needs another line; None if it can be evaluated, maybe only to report its error."""
    if is_command(text):
        text = text[text.find("(") :] if "(" in text else ""  # the expression of ,time or ,expand may be incomplete
    items = read_typed(text)
    return items[-1] if items and isinstance(items[-1], UnfinishedInput) else None


def has_line_editor(session: Session) -> bool:
    """Whether a person sits at a terminal that can do more than print lines."""
    return session.input.echoes and os.environ.get("TERM", "dumb") not in ("", "dumb")
