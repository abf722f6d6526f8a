"""What came of the interactions of a transcript, and how its text is changed accordingly."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from minischeme.data.abbreviate import one_line


class Verdict(Enum):
    """What came of an interaction."""

    SAME = "same"
    DIFFERENT = "different"
    FOLLOWING = "following from a load that failed"
    RANDOM = "random"
    ENDLESS = "stopped by the time limit"
    NOT_COMPARED = "not compared"
    NOT_RUN = "not run"

    @property
    def fails(self) -> bool:
        return self in (Verdict.DIFFERENT, Verdict.ENDLESS)

    @property
    def is_renewed(self) -> bool:
        """Whether something else is shown than happened now, which an update writes."""
        return self in (Verdict.DIFFERENT, Verdict.FOLLOWING, Verdict.RANDOM)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of an interaction.

    Args:
        line: the number, from 1, of the prompt's line.
        start, end: the indices of the lines that the transcript shows below it.
        lines: the lines that should stand there; those shown, where they hold.
        note: more for people, such as why it was not run.
        cause: where it follows from a load that failed, the number of that one's line.
    """

    line: int
    source: str
    verdict: Verdict
    start: int
    end: int
    lines: tuple[str, ...]
    note: str = ""
    cause: int = 0


class Edit(NamedTuple):
    """A change of a text: what stands from `start` to `end` is replaced."""

    start: int
    end: int
    replacement: str


def edited(text: str, edits: Iterable[Edit]) -> str:
    """A text with edits, which come in its order; all else stays as it is, byte for byte."""
    parts: list[str] = []
    position = 0
    for edit in edits:
        parts += [text[position : edit.start], edit.replacement]
        position = edit.end
    return "".join([*parts, text[position:]])


@dataclass(frozen=True, slots=True)
class Check:
    """An interaction that was run and compared.

    Args:
        name: the file's.
        line: the number, from 1, of the line that it begins in.
        difference: the text of a failure, for people; empty where there is none.
        edit: what makes the file show what happened now; None where there is nothing to change.
        cause: where it follows from a load that failed, the number of that one's line.
    """

    name: str
    line: int
    source: str
    verdict: Verdict
    difference: str = ""
    edit: Edit | None = None
    note: str = ""
    cause: int = 0

    @property
    def place(self) -> str:
        """Where it stands, and what was typed there."""
        return f"{self.name}:{self.line}: {one_line(self.source)}"
