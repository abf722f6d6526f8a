"""The tables of `tests/bad_uses`, for tests: wrong uses of special forms and standard procedures, and what is said.

A line there is ``program → message``, the piece that the caret points at between « and ». Of ``{car cdr}`` each is
tried; ``{}`` in the message is the one that was.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from tables import HERE

from minischeme.data.source import Source
from minischeme.reading.forms import Form
from minischeme.reading.reader import read


class BadUse(NamedTuple):
    """A line of a table. Args: program: its last form is wrong. message: of the error. start, end: of the culprit."""

    program: str
    message: str
    start: int
    end: int
    dialect: str

    @property
    def piece(self) -> str:
        return self.program[self.start : self.end]


def bad_uses() -> list[BadUse]:
    """All that the tables hold."""
    found = []
    for file in sorted((HERE / "bad_uses").glob("*.txt")):
        for line in file.read_text(encoding="utf-8").splitlines():
            if line and not line.startswith("#"):
                found += variants(line, "r7rs" if file.stem == "r7rs" else "berkeley")
    return found


def variants(line: str, dialect: str) -> list[BadUse]:
    """The bad uses that a line stands for."""
    marked, _, message = line.rpartition(" → ")
    group = re.search(r"\{([^}]*)\}", marked)
    found = []
    for name in group[1].split() if group is not None else [""]:
        before, piece, after = re.split("[«»]", marked if group is None else marked.replace(group[0], name))
        start = len(before)
        text = message.replace("{}", name).replace("\\n", "\n")
        found.append(BadUse(before + piece + after, text, start, start + len(piece), dialect))
    return found


BAD_USES = bad_uses()


def forms_of(program: str) -> list[Form]:
    return list(read(Source(program, "<test>")))
