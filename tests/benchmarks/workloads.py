"""The workloads: each a Scheme program, an expression to time, the same by hand in Python, and its sizes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from minischeme import Session

from . import counterparts, evaluator, programs, twenty_one
from .programs import GAMES, SEED
from .words import se, se_sharing
from .work import copied_words, fib_calls, queens_tries, sieve_tests, tak_calls


def _size_itself(size: int) -> int:
    return size


@dataclass(frozen=True)
class Workload:
    """A piece of work that can be done in Scheme and, mostly, in Python.

    Args: name: for the command line and the table. program: definitions in Scheme. expression: what to time; it may
    call ``(size)``. counterpart: the same by hand, from the size; None if Python has nothing alike. size: how much work
    for a measurement. small_size: how much for a test of the benchmark itself, and for a peer that is very slow.
    growing_sizes: three, where the work is about ten times as much from each to the next. unit: what work is counted
    in. work: how many units, from the size. target: the most that the project allows, as a multiple of the
    counterpart's time: the first step (issue 2), and the aim where the counterpart runs without room (issue 7).
    prints: whether the output, not the value, is the result. portable: which files of `portable/` another Scheme needs.
    only_here: why no other Scheme can do it; None if some can. same_value: whether other Schemes give the same value.
    file: the text of the file ``input.scm`` that the expression reads, from the size; ``{folder}`` is where. fresh:
    whether each run needs a session of its own.
    """

    name: str
    program: str
    expression: str
    counterpart: Callable[[int], Any] | None
    size: int
    small_size: int
    growing_sizes: tuple[int, int, int]
    unit: str
    work: Callable[[int], int] = _size_itself
    target: float | None = None
    aim: float | None = None
    prints: bool = False
    portable: tuple[str, ...] = ()
    only_here: str | None = None
    same_value: bool = True
    file: Callable[[int], str] | None = None
    fresh: bool = False

    def definitions(self, size: int, folder: Path) -> str:
        """The program for a size, with ``(work)`` to do the work; its file is written to the folder."""
        if self.file is not None:
            (folder / "input.scm").write_text(self.file(size), encoding="utf-8")
        expression = self.expression.replace("{folder}", folder.as_posix())
        return f"(define (size) {size})\n{self.program}\n(define (work) {expression})\n"


def _games(make_sentence: Callable[..., Any]) -> Callable[[int], int]:
    def play(n: int) -> int:
        return twenty_one.play_n(twenty_one.stop_at_17, n, Random(SEED), make_sentence)

    return play


@cache
def _fresh_session() -> Session:
    session = Session()
    session.eval(programs.TWENTY_ONE)
    return session


def _never_traced(n: int) -> Any:
    session = _fresh_session()
    session.define("size", lambda: n)
    return session.eval(GAMES)


WORKLOADS = (
    Workload(
        "fib",
        programs.FIB,
        "(fib (size))",
        counterparts.fib,
        size=25,
        small_size=10,
        growing_sizes=(15, 20, 25),
        unit="calls",
        work=fib_calls,
        target=1.5,
        aim=1.2,
    ),
    Workload(
        "tak",
        programs.TAK,
        "(tak (size) (quotient (* (size) 2) 3) (quotient (size) 3))",
        lambda size: counterparts.tak(size, size * 2 // 3, size // 3),
        size=18,
        small_size=6,
        growing_sizes=(12, 15, 18),
        unit="calls",
        work=tak_calls,
        target=1.6,
        aim=1.2,
    ),
    Workload(
        "loop",
        programs.LOOP,
        "(sum-below (size))",
        counterparts.loop,
        size=1_000_000,
        small_size=100,
        growing_sizes=(10_000, 100_000, 1_000_000),
        unit="turns",
        target=1.5,
        aim=1.2,
    ),
    Workload(
        "deep recursion",
        programs.DEEP,
        "(deep (size))",
        counterparts.deep,
        size=100_000,
        small_size=1_000,
        growing_sizes=(1_000, 10_000, 100_000),
        unit="calls",
        aim=0.7,
    ),
    Workload(
        "mutual tail calls",
        programs.MUTUAL,
        "(is-even (size))",
        counterparts.mutual,
        size=1_000_000,
        small_size=1_000,
        growing_sizes=(10_000, 100_000, 1_000_000),
        unit="calls",
        aim=4.0,
    ),
    Workload(
        "queens",
        programs.QUEENS,
        "(queens (size))",
        counterparts.queens,
        size=8,
        small_size=5,
        growing_sizes=(4, 6, 8),
        unit="squares",
        work=queens_tries,
        aim=1.5,
    ),
    Workload(
        "list churn",
        programs.LIST_CHURN,
        "(churn (size))",
        counterparts.list_churn,
        size=300,
        small_size=2,
        growing_sizes=(3, 30, 300),
        unit="lists",
        aim=1.3,
    ),
    Workload(
        "sentence reversal",
        programs.SENTENCE_REVERSAL,
        "(again (numbers 1 26) (size))",
        counterparts.sentence_reversal,
        size=401,
        small_size=3,
        growing_sizes=(5, 41, 401),
        unit="sentences",
        aim=1.0,
        portable=("words",),
    ),
    Workload(
        "long sentence",
        programs.SENTENCE_REVERSAL,
        "(backwards (numbers 0 (size)))",
        counterparts.long_sentence,
        size=1_000,
        small_size=10,
        growing_sizes=(100, 316, 1_000),
        unit="words moved",
        work=copied_words,
        portable=("words",),
    ),
    Workload(
        "word building",
        programs.WORD_BUILDING,
        "(again '(the quick brown fox jumps over a lazy dog while little children watch) (size))",
        counterparts.word_building,
        size=401,
        small_size=3,
        growing_sizes=(5, 41, 401),
        unit="sentences",
        aim=1.2,
        portable=("words",),
    ),
    Workload(
        "evaluator",
        programs.EVALUATOR,
        "(evaluated-fib (size))",
        evaluator.evaluated_fib,
        size=12,
        small_size=4,
        growing_sizes=(7, 12, 17),
        unit="calls of fib",
        aim=1.5,
        work=fib_calls,
    ),
    Workload(
        "primes",
        programs.PRIMES,
        "(prime-number (size))",
        counterparts.prime_number,
        size=300,
        small_size=10,
        growing_sizes=(27, 90, 300),
        unit="remainders",
        work=sieve_tests,
        portable=("streams",),
    ),
    Workload(
        "play-n",
        programs.TWENTY_ONE,
        GAMES,
        _games(se),
        size=500,
        small_size=5,
        growing_sizes=(5, 50, 500),
        unit="games",
        target=1.3,
        portable=("words", "random"),
        same_value=False,  # other random numbers
    ),
    Workload(
        "play-n, sharing",
        programs.TWENTY_ONE,
        GAMES,
        _games(se_sharing),
        size=500,
        small_size=5,
        growing_sizes=(5, 50, 500),
        unit="games",
        aim=0.5,
        only_here="as play-n",
    ),
    Workload(
        "play-n, untraced",  # what was traced and is no more costs nothing: the counterpart never was
        programs.TWENTY_ONE
        + "(trace best-total twenty-one stop-at-17 car bf) (untrace best-total twenty-one stop-at-17 car bf)",
        GAMES,
        _never_traced,
        size=500,
        small_size=5,
        growing_sizes=(5, 50, 500),
        unit="games",
        target=1.05,
        only_here="as play-n",
    ),
    Workload(
        "output",
        programs.OUTPUT,
        "(lines (size))",
        counterparts.output,
        size=100_000,
        small_size=10,
        growing_sizes=(1_000, 10_000, 100_000),
        unit="lines",
        prints=True,
    ),
    Workload(
        "trace",
        programs.TRACED,
        """(with-output-to-file "{folder}/output.txt" (lambda () (again (size))))""",
        counterparts.traced,
        size=1_000,
        small_size=2,
        growing_sizes=(10, 100, 1_000),
        unit="calls",
        work=lambda size: size * 10,
        only_here="R5RS has no trace",
    ),
    Workload(
        "reading",
        "",
        """(call-with-input-file "{folder}/input.scm" read)""",
        counterparts.read,
        size=1_000_000,
        small_size=200,
        growing_sizes=(10_000, 100_000, 1_000_000),
        unit="characters",
        file=programs.datum,
    ),
    Workload(
        "load",
        "",
        """(load "{folder}/input.scm")""",
        None,
        size=2_000,
        small_size=50,
        growing_sizes=(200, 2_000, 20_000),
        unit="lines",
        portable=("words", "loading"),
        same_value=False,  # load's own value is nobody's business
        file=programs.student_program,
        fresh=True,
    ),
)
