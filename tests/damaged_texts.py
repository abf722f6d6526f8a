"""Damaged texts, for tests: programs with a few tokens dropped, doubled or swapped, and running many of them."""

from __future__ import annotations

import io
import random
import re
import signal
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import pytest

import minischeme
from minischeme import Session
from minischeme.data.errors import SchemeExit

PROGRAMS_OF_A_SESSION = 8
"""What an earlier one redefined is there for the later ones."""

PATIENCE = 0.05
"""Seconds of the processor that a program may take: a damaged loop may well have no end."""

OURS = str(Path(minischeme.__file__).parent)

NOT_FOR_PEOPLE = re.compile("Traceback|NoneType|<function|object at 0x|' object|positional")

TOKEN = re.compile(r"""#\\.\w*|"[^"]*"|\|[^|]*\||,@|#[(;|]|[()'`,]|[^\s()'`,"|;]+|;.*""")


def damaged(tokens: list[str], vocabulary: list[str], random_: random.Random) -> list[str]:
    """Some tokens of a program with one to three things wrong."""
    tokens = list(tokens)
    for _ in range(random_.choice((1, 1, 1, 1, 2, 2, 3))):
        if not tokens:
            return tokens
        place, other = random_.randrange(len(tokens)), random_.randrange(len(tokens))
        match random_.randrange(9):
            case 0:
                tokens[place], tokens[other] = tokens[other], tokens[place]
            case 1:
                del tokens[place]
            case 2:
                tokens.insert(place, tokens[other])
            case 3 | 4 | 5:
                tokens[place] = random_.choice(vocabulary)
            case 6:
                tokens[place : place + 1] = ["(", tokens[place], ")"]
            case 7:
                tokens[place : other + 1] = tokens[place : other + 1][::-1]
            case 8:
                tokens.insert(place, random_.choice("()'.`,"))
    return tokens


class TooLong(BaseException):
    """The timer rang. Not an Exception: nothing in a session may handle it."""


def ring(number: int, frame: FrameType | None) -> None:
    """Stop the program, unless the moment is a callback of the collector, where an exception would be lost."""
    place = frame.f_code.co_filename if frame is not None else ""
    if place == "<eval>" or place.startswith(OURS):
        raise TooLong


needs_timer = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer for programs without end")


def outcomes_of(
    count: int, text: Callable[[], str], run: Callable[[Session, str], str], *, dialect: str = "berkeley"
) -> Counter[str]:
    """How often programs ended in each way, also by an exit, or not in time. Anything else fails the test.

    Args: count: of the programs. text: gives the next one. run: runs it, and tells how it ended.
    """
    outcomes: Counter[str] = Counter()
    program = ""
    before = signal.signal(signal.SIGPROF, ring)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for number in range(count):
                if number % PROGRAMS_OF_A_SESSION == 0:
                    session = Session(dialect, seed=number, output=io.StringIO(), input=io.StringIO("(a b) c\n"))
                program = text()
                outcomes[_outcome(session, program, run)] += 1
    except Exception as error:
        pytest.fail(f"{error!r} in: {program}")
    finally:
        signal.signal(signal.SIGPROF, before)
    return outcomes


def _outcome(session: Session, program: str, run: Callable[[Session, str], str]) -> str:
    try:
        signal.setitimer(signal.ITIMER_PROF, PATIENCE, 1)
        try:
            return run(session, program)
        except SchemeExit:
            return "exit"
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    except TooLong:
        return "endless"
