"""Comma-commands typed at the prompt of a session."""

from __future__ import annotations

import io

from minischeme import Session
from minischeme.repl.commands import dispatch

FACT = "(define (fact n) (if (= n 0) 1 (* n (fact (- n 1)))))"


class Prompt:
    """A session, and what it printed for each command."""

    def __init__(self, *definitions: str, dialect: str = "berkeley") -> None:
        self.stream = io.StringIO()
        self.session = Session(dialect=dialect, output=self.stream)
        for text in definitions:
            self.session.eval(text)

    def said(self, line: str) -> str:
        self.stream.seek(0)
        self.stream.truncate()
        dispatch(self.session, line)
        return self.stream.getvalue()
