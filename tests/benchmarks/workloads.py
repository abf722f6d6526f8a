"""The workloads: each a Scheme program, an expression to time, the same by hand in Python, and its sizes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from minischeme import Session

from . import by_hand, by_hand_lists, counterparts, programs
from .given import by_hand as given_by_hand
from .programs import GAMES, GIVEN, USER_PROGRAMS
from .work import fib_calls, sieve_tests


def _size_itself(size: int) -> int:
    return size


@dataclass(frozen=True)
class Workload:
    """A piece of work that can be done in Scheme and, mostly, in Python.

    Args: name: for the command line and the table. program: definitions in Scheme. expression: what to time; it may
    call ``(size)`` or have ``{size}`` in it. counterpart: the same by hand, from the size; None if Python has nothing
    alike. size: how much work for a measurement. small_size: how much for a test of the benchmark itself, and for a
    peer that is very slow. growing_sizes: three, where the work is about ten times as much from each to the next.
    unit: what work is counted in. work: how many units, from the size. target: the most that the project allows, as a
    multiple of the counterpart's time. aim: the same where the counterpart runs without room.
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
        expression = self.expression.replace("{folder}", folder.as_posix()).replace("{size}", str(size))
        return f"(define (size) {size})\n{self.program}\n(define (work) {expression})\n"


COUNTERPARTS = vars(by_hand) | vars(by_hand_lists)


def _user_program(name: str, size: int, unit: str = "runs", **others: Any) -> Workload:
    """A program of a user with its own ``(run n)``, and the same by hand.

    Args: size: how often it runs. others: the remaining fields of the workload.
    """
    given = GIVEN / f"{name}.scm"
    file = given if given.exists() else USER_PROGRAMS / f"{name}.scm"
    counterpart = getattr(given_by_hand, f"run_{name}") if given.exists() else COUNTERPARTS[name]
    usual: dict[str, Any] = {
        "expression": "(run {size})",
        "counterpart": counterpart,
        "small_size": 2,
        "growing_sizes": (max(size // 100, 1), max(size // 10, 10), max(size, 100)),
    }
    return Workload(name, file.read_text(encoding="utf-8"), size=size, unit=unit, **usual | others)


def _games(n: int) -> int:
    given_by_hand.seed = 1
    return int(given_by_hand.run_twentyone(n))


@cache
def _fresh_session() -> Session:
    session = Session()
    session.eval(programs.TWENTY_ONE)
    return session


def _never_traced(n: int) -> Any:
    session = _fresh_session()
    session.define("size", lambda: n)
    return session.eval(GAMES)


_BERKELEY = "uses procedures of Berkeley Scheme"

WORKLOADS = (
    # given: what minischeme is judged by
    _user_program("fib", 25, "calls", work=fib_calls, aim=1.2, small_size=10, growing_sizes=(15, 20, 25)),
    _user_program("tak", 8, aim=1.2, growing_sizes=(1, 10, 100)),
    _user_program("sumloop", 1_000_000, "turns", aim=1.2),
    _user_program("evenodd", 1_000_000, "calls", aim=2.6),
    _user_program("deep", 6, aim=0.7, growing_sizes=(1, 10, 100)),
    _user_program("queens", 40, aim=1.4),
    _user_program("churn", 30_000, aim=1.2),
    _user_program("meta", 40, aim=1.5),
    _user_program("wordrev", 60, aim=0.6, portable=("words",)),
    _user_program("sentrev", 30, aim=0.8, portable=("words",)),
    _user_program(
        "twentyone",
        150,
        "games",
        expression="(begin (set! rnd-state 1) (run {size}))",
        counterpart=_games,
        aim=0.5,
        portable=("words",),
    ),
    # others, of as many kinds as possible
    _user_program("alists", 100_000),
    _user_program("change", 400, only_here=_BERKELEY),
    _user_program("characters", 3_000),
    _user_program("cps", 6_000),
    _user_program("ctak", 200),
    _user_program("deriv", 6_000),
    _user_program("equality", 400),
    _user_program("exceptions", 100_000),
    _user_program("floats", 12_000),
    _user_program("generators", 300),
    _user_program("lattice", 400),
    _user_program("machine", 1_500),
    _user_program("matrices", 200),
    _user_program("parser", 6_000),
    _user_program("pi", 100),
    _user_program("ports", 1_000, only_here=_BERKELEY),
    _user_program("sieve", 800),
    _user_program("sorting", 200, only_here=_BERKELEY),
    _user_program("streams", 50_000, "elements", portable=("streams",)),
    _user_program("strings", 3_000),
    _user_program("tables", 10_000, only_here=_BERKELEY),
    _user_program("winds", 10_000),
    # the rest of the system
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
