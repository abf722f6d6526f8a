"""How time and memory grow with the work: ``python -m tests.benchmarks growth``.

Three sizes of each workload, a session that has read much against a fresh one, and the memory after many games.
"""

from __future__ import annotations

import argparse
import gc
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

from minischeme import Session

from . import programs
from .measuring import Side, like_the_command, timed
from .peers import CannotRun
from .processes import checkout_environment, command, most_memory, resident
from .table import Table, aligned, multiple
from .workloads import WORKLOADS, Workload

FORMS = 100_000
GAMES = 1_000_000
GAMES_AT_A_TIME = 500
NAMES = (*(workload.name for workload in WORKLOADS), "old session", "games")

LEGEND = """\
time: CPU microseconds for a unit of work at each size, the least of the rounds; growth: the last, as a multiple of the
first. KB: the most memory that a process had, beyond one that only defines the program; bytes: that at the largest
size, for each unit of work."""


# Three sizes


@dataclass(frozen=True)
class Growth:
    """A workload at three sizes.

    Args: works: how many units at each. seconds: for a unit of work at each. kilobytes: the most memory that a process
    has had at each, beyond one that only defines the program; empty where that can't be known.
    """

    name: str
    unit: str
    works: tuple[int, ...]
    seconds: tuple[float, ...]
    kilobytes: tuple[float, ...]

    @property
    def time_growth(self) -> float:
        """The time for a unit at the largest size, as a multiple of that at the smallest."""
        return self.seconds[-1] / self.seconds[0]


def measure_growth(
    workload: Workload, rounds: int = 3, sizes: tuple[int, ...] | None = None, *, memory: bool = True
) -> Growth:
    """Time a workload at three sizes, in turn, each as often as makes it the same work.

    Args: sizes: others than its own. memory: whether to measure that too, in processes of their own.
    """
    sizes = workload.growing_sizes if sizes is None else sizes
    works = tuple(map(workload.work, sizes))
    with tempfile.TemporaryDirectory() as name, like_the_command():
        folder = Path(name)
        runs = [seconds_of_units(workload, sizes, works, folder) for _ in range(rounds)]
        try:
            kilobytes = memory_of_sizes(workload, sizes, folder) if memory else ()
        except CannotRun:
            kilobytes = ()
    return Growth(workload.name, workload.unit, works, tuple(map(min, zip(*runs, strict=True))), kilobytes)


def seconds_of_units(workload: Workload, sizes: Sequence[int], works: Sequence[int], folder: Path) -> list[float]:
    """The CPU seconds for a unit of work at each size, once."""
    found: list[float] = []
    for size, work in zip(sizes, works, strict=True):
        times = max(1, works[-1] // work)
        side = Side(workload, size, folder)
        seconds = 0.0
        if workload.fresh:
            for _ in range(times):
                side.prepare()
                seconds += timed(side.run)[0]
        else:
            seconds = timed(partial(side.repeat, times))[0]
        found.append(seconds / times / work)
    return found


def memory_of_sizes(workload: Workload, sizes: Sequence[int], folder: Path) -> tuple[float, ...]:
    """The most memory of a process that does the work once, at each size, beyond one that does none; in KB.

    Raises: CannotRun where no process can tell its memory.
    """

    def memory(size: int, work: str) -> int:
        program = folder / "program.scm"
        made = '(call-with-output-file "made" (lambda (port) (write 1 port))) (define nothing (read))'
        program.write_text(f"{workload.definitions(size, folder)}{work} {made}", encoding="utf-8")
        return most_memory(command("-m", "minischeme", program.name), folder, checkout_environment())

    without = memory(sizes[0], "")
    return tuple(max(0.0, (memory(size, "(define value (work))") - without) / 1024) for size in sizes)


def growth_table(growths: Sequence[Growth]) -> Table:
    """The three sizes of each workload."""

    def numbers(values: Sequence[float], digits: int) -> str:
        return " · ".join(f"{value:,.{digits}f}" for value in values) or "–"

    rows = tuple(
        (
            growth.name,
            growth.unit,
            numbers(growth.works, 0),
            numbers([seconds * 1e6 for seconds in growth.seconds], 3),
            multiple(growth.time_growth),
            numbers(growth.kilobytes, 0),
            f"{growth.kilobytes[-1] * 1024 / growth.works[-1]:.1f}" if growth.kilobytes else "–",
        )
        for growth in growths
    )
    return Table("Growth", ("workload", "unit", "work", "time (µs)", "growth", "KB", "bytes"), rows)


# A session that has read much


@dataclass(frozen=True)
class OldSession:
    """A session that has read many forms beside a fresh one.

    Args: forms: how many. reading, running: the time that it takes to read more forms, and to run what it has read, as
    a multiple of the fresh one's. blocks_kept: how many more blocks of memory the process holds, for each form.
    """

    forms: int
    reading: float
    running: float
    blocks_kept: float


def forms_read(start: int, count: int) -> list[str]:
    """What somebody may type at the prompt: definitions, which define again what there was, calls, lists and errors."""
    kinds = (
        "(define (f{n} x) (if (= x 0) 'done (f{n} (- x 1))))",
        "(f{n} 3)",
        "(let ((sent '(a b c {i}))) (map (lambda (wd) (list wd {i})) sent))",
        "(car {i})",
    )
    return [kinds[i % len(kinds)].format(i=i, n=i // len(kinds) % 50) for i in range(start, start + count)]


def measure_old_session(forms: int = FORMS, rounds: int = 5, more: int = 400) -> OldSession:
    """Compare a session that has read many forms with fresh ones, in turn.

    Args: more: how many further forms to time.
    """
    with like_the_command():
        old = Session()
        early = forms // 3  # by then all names are defined
        read_all(old, forms_read(0, early))
        gc.collect()
        before = sys.getallocatedblocks()
        read_all(old, forms_read(early, forms - early))
        gc.collect()
        kept = (sys.getallocatedblocks() - before) / (forms - early)
        reading: list[float] = []
        running: list[float] = []
        for _ in range(rounds):
            times: list[tuple[float, float]] = []
            for session in (Session(), old):
                first, second = forms_read(0, more), forms_read(more, more)
                read_all(session, [*first, (programs.GIVEN / "fib.scm").read_text(encoding="utf-8")])
                reading_time, _ = timed(partial(read_all, session, second))
                running_time, _ = timed(partial(session.eval, "(fib 18)"))
                times.append((reading_time, running_time))
            (fresh_reading, fresh_running), (old_reading, old_running) = times
            reading.append(old_reading / fresh_reading)
            running.append(old_running / fresh_running)
    return OldSession(forms, median(reading), median(running), kept)


def read_all(session: Session, forms: Sequence[str]) -> None:
    """Type forms at a session's prompt."""
    for form in forms:
        for _ in session.interact(form):
            pass


# Many games


def memory_after_games(marks: Sequence[int]) -> list[tuple[int, float | None]]:
    """A session's process plays on and on: its memory in KB after each of those numbers of games.

    Args: marks: increasing numbers of games, multiples of 500.
    """
    found: list[tuple[int, float | None]] = []
    with like_the_command():
        session = Session(seed=programs.SEED)
        session.eval(programs.TWENTY_ONE)
        played = 0
        for mark in marks:
            while played < mark:
                session.eval(f"(play-n stop-at-17 {GAMES_AT_A_TIME})")
                played += GAMES_AT_A_TIME
            gc.collect()
            memory = resident()
            found.append((played, None if memory is None else memory / 1024))
    return found


# The command


def main(arguments: Sequence[str]) -> None:
    """Run what the command line names.

    Args: arguments: what follows ``growth``.
    """
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks growth", description="How time and memory grow with the work."
    )
    parser.add_argument("names", metavar="NAME", nargs="*", help=f"all, or some of: {', '.join(NAMES)}")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="rounds of each (default 3)")
    parser.add_argument("--forms", type=int, default=FORMS, metavar="N", help="how many forms an old session has read")
    parser.add_argument("--games", type=int, default=GAMES, metavar="N", help="how many games to play at most")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in NAMES]
    if unknown:
        parser.error(f"no such name: {', '.join(unknown)}")
    if options.rounds < 1 or options.forms < 1 or options.games < GAMES_AT_A_TIME:
        parser.error(f"at least one round, one form and {GAMES_AT_A_TIME} games")
    names = options.names or NAMES
    growths: list[Growth] = []
    for workload in WORKLOADS:
        if workload.name in names:
            print(f"{workload.name} …", file=sys.stderr)
            growths.append(measure_growth(workload, options.rounds))
    if growths:
        print(f"{aligned(growth_table(growths))}\n\n{LEGEND}")
    if "old session" in names:
        print("old session …", file=sys.stderr)
        print(f"\n{told(measure_old_session(options.forms))}")
    if "games" in names:
        print("games …", file=sys.stderr)
        marks = [mark for mark in (10_000, 100_000) if mark < options.games]
        for played, kilobytes in memory_after_games([*marks, options.games]):
            print(f"memory after {played:,} games: {'unknown' if kilobytes is None else f'{kilobytes:,.0f} KB'}")


def told(old: OldSession) -> str:
    """What is to be said about an old session."""
    return (
        f"a session that has read {old.forms:,} forms, beside a fresh one: reading more {multiple(old.reading)}, "
        f"running {multiple(old.running)}; blocks of memory kept of each form: {old.blocks_kept:.3f}"
    )
