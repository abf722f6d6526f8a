"""What a text gives in a session, for tests: its value and what is shown, or its error and the report of that."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterator
from typing import TextIO

import pytest

from minischeme import Session
from minischeme.data.errors import SchemeError, report
from minischeme.data.printer import write

PYTHON_WORDS = re.compile(
    r"\b(int|float|str|NoneType|None|True|False|attribute|positional|tuple|dict|keyword(?![?])|unsupported"
    r"|subscriptable|iterable|callable|instance|Python|Vector|Pair|Symbol|String|Rational|_\w+|\w+_)\b"
    r"|<class|<function|' object|object at"
)
"""What no message may say."""

NOT_NAMED = {"=", "<", ">", "<=", ">=", "force"}
"""What the course's interpreter complains of without a name: ``Bad number in a comparison``, ``Not a promise``."""


def with_everything(dialect: str, **streams: TextIO) -> Session:
    """A session in which a program can use all that minischeme has."""
    session = Session(dialect, **streams)
    session.eval("(import (minischeme))")
    return session


def value(session: Session, text: str) -> str:
    """The value of a text as `write` shows it."""
    return write(session.eval(text))


def shown(session: Session, expression: str) -> str:
    """What the prompt shows for an expression, which must have no error: what it prints, then its value."""
    (interaction,) = session.interact(expression)
    assert interaction.error is None, interaction.output
    return interaction.output


def error_in(session: Session, text: str, name: str = "<eval>") -> SchemeError:
    """The error of a text, which must have one."""
    with pytest.raises(SchemeError) as caught:
        session.eval(text, name)
    return caught.value


def error_of(*texts: str, dialect: str = "berkeley") -> SchemeError:
    """The error of the last text, in a session of its own; those before it must have none."""
    session = Session(dialect, output=io.StringIO(), input=io.StringIO(""))
    for text in texts[:-1]:
        session.eval(text)
    return error_in(session, texts[-1])


def report_of(*texts: str) -> str:
    """The report of the last text's error, in a session of its own."""
    return report(error_of(*texts)) + "\n"


def exchanges(session: str) -> Iterator[tuple[str, str]]:
    """What was typed and what was shown, pair by pair: typed lines follow the prompt, up to the closing bracket."""
    for part in re.split(r"^> ", session, flags=re.MULTILINE)[1:]:
        lines = part.splitlines(keepends=True)
        typed = 1
        while "".join(lines[:typed]).count("(") > "".join(lines[:typed]).count(")"):
            typed += 1
        yield "".join(lines[:typed]), "".join(lines[typed:])


def depth() -> int:
    """The number of Python frames around the call."""
    frame, count = sys._getframe(1), 0
    while frame is not None:
        frame, count = frame.f_back, count + 1
    return count
