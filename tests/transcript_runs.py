"""Running a text as a transcript, for tests."""

from __future__ import annotations

from pathlib import Path

from minischeme.transcripts.document import Document
from minischeme.transcripts.outcomes import Outcome, Verdict, edited
from minischeme.transcripts.replay import Replay, Settings

TESTING = """\
Testing my project
==================

Here is best-total at work.

STk> (define (plural w)
       (word w 's))
plural
STk> (plural 'card)
cards

As you see, it works. A quotation:
  > nothing
STk> (display "hi")
hiokay
STk> (car '())
*** Error:
    car: wrong type of argument
Current eval stack:
__________________
  0    (car (quote ()))

That was an error.
STk> plural
#[closure arglist=(w) f79aaa20]
"""


def outcomes(text: str, name: str = "talk.txt", *, path: Path | None = None, limit: float = 10.0) -> list[Outcome]:
    """What came of each interaction of a transcript."""
    return list(Replay(Document(text, name, path=path), Settings(limit=limit)).run())


def failures(text: str, name: str = "talk.txt") -> list[int]:
    """The lines of the interactions that differ."""
    return [outcome.line for outcome in outcomes(text, name) if outcome.verdict.fails]


def holds(text: str, name: str = "talk.txt") -> bool:
    """Whether there are interactions, and each is run and gives what is shown."""
    found = outcomes(text, name)
    return bool(found) and all(outcome.verdict is Verdict.SAME for outcome in found)


def updated(text: str, name: str = "talk.txt") -> str:
    """The text with what happened now."""
    return edited(text, Replay(Document(text, name)).run())
