"""Tests of entries at either prompt, such as whether one is complete. They import no prompt_toolkit."""

import os
import re

from minischeme.data.errors import UnfinishedInput
from minischeme.session.session import Session
from minischeme.session.typed_text import read_typed

_COMMAND = re.compile(r"\s*,[A-Za-z]")


def is_command(text: str) -> bool:
    """Whether an entry is a comma-command. In Scheme a comma means something only inside a quasiquotation."""
    return _COMMAND.match(text) is not None


def unfinished(text: str) -> UnfinishedInput | None:
    """The error of an entry that needs another line; None if it can be evaluated, maybe only to report its error."""
    if is_command(text):
        text = text[text.find("(") :] if "(" in text else ""  # the expression of ,time or ,expand may be incomplete
    items = read_typed(text)
    return items[-1] if items and isinstance(items[-1], UnfinishedInput) else None


def has_line_editor(session: Session) -> bool:
    """Whether a person sits at a terminal that can do more than print lines."""
    return session.input.echoes and os.environ.get("TERM", "dumb") not in ("", "dumb")
