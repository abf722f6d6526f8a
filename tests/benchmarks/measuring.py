"""Timing a workload on both sides, in turn, and the start of a process.

All times are CPU seconds, so that other work on the machine disturbs little; each ratio is the median of the ratios of
rounds, in which the sides follow one another at once.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from statistics import median
from typing import Any

from minischeme import Session
from minischeme.printer import write
from minischeme.runtime import with_room

from .workloads import ROOT, Workload

RECURSION_WITHOUT_ROOM = 1_000_000


class DifferentResults(Exception):
    """The two sides of a workload disagree: what was timed is not the same work."""


@dataclass(frozen=True)
class Measurement:
    """What the rounds gave.

    Args: seconds: minischeme's CPU time, the median. by_hand: the counterpart's, in the same room for recursion as
    minischeme's. ratio: minischeme's time as a multiple of the counterpart's, in the same room. plain_ratio: of the
    counterpart's as Python runs it, without that room: there a call now and then crosses a frame chunk's end, which is
    dear (design section 4). Both ratios are None where there is no counterpart.
    """

    name: str
    seconds: float
    by_hand: float | None = None
    ratio: float | None = None
    plain_ratio: float | None = None
    target: float | None = None
    aim: float | None = None


class Side:
    """minischeme's side of a workload, ready to run again and again."""

    def __init__(self, workload: Workload, size: int) -> None:
        self._prints = workload.prints
        self._output = StringIO()
        self._session = Session(output=self._output)
        self._session.eval(f"(define (size) {size}) {workload.program} (define (work) {workload.expression})")

    def run(self) -> Any:
        """Do the work; gives the value, or what was printed if that is the result."""
        self._output.seek(0)
        self._output.truncate()
        value = self._session.eval("(work)")
        return self._output.getvalue() if self._prints else value


@contextmanager
def like_the_command() -> Iterator[None]:
    """Both sides with the collector's settings that the command `minischeme` has."""
    thresholds, depth = gc.get_threshold(), sys.getrecursionlimit()
    gc.set_threshold(200_000, 20, 100)
    sys.setrecursionlimit(RECURSION_WITHOUT_ROOM)
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
        sys.setrecursionlimit(depth)


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """The CPU seconds that some work takes, and its result."""
    gc.collect()
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def measure(workload: Workload, rounds: int, size: int | None = None) -> Measurement:
    """Time both sides of a workload in turn.

    Args: size: how much work, the workload's own if None.
    Raises: DifferentResults if the sides give different values.
    """
    size = workload.size if size is None else size
    side = Side(workload, size)

    def by_hand() -> Any:
        return workload.counterpart(size)

    runs: list[tuple[float, float, float]] = []
    with like_the_command():
        for _ in range(rounds):
            seconds, value = timed(side.run)
            in_room, expected = timed(lambda: with_room(by_hand))
            plain, _ = timed(by_hand)
            if write(value) != write(expected) if not workload.prints else value != expected:
                raise DifferentResults(f"{workload.name}: {write(value)} and by hand {write(expected)}")
            runs.append((seconds, in_room, plain))
    return Measurement(
        workload.name,
        median(seconds for seconds, _, _ in runs),
        median(in_room for _, in_room, _ in runs),
        median(seconds / in_room for seconds, in_room, _ in runs),
        median(seconds / plain for seconds, _, plain in runs),
        workload.target,
        workload.aim,
    )


# Processes and files


def user_seconds(bytecode: str, *arguments: str) -> float:
    """The CPU time in user mode of a Python process.

    Args: bytecode: the folder for compiled modules. They are always used here, as in an installed package.
    """
    import resource  # Unix only, and so is this measurement

    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONPYCACHEPREFIX": bytecode}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run([sys.executable, *arguments], env=environment, check=True, stdout=subprocess.DEVNULL)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def measure_start(rounds: int) -> Measurement:
    """``minischeme -e 1`` against ``python -c 1``, several processes of each a round since one is so short."""
    processes = 3
    runs: list[tuple[float, float]] = []
    with tempfile.TemporaryDirectory() as bytecode:

        def ours() -> float:
            return user_seconds(bytecode, "-m", "minischeme", "-e", "1")

        def python() -> float:
            return user_seconds(bytecode, "-c", "1")

        ours(), python()  # compile the modules
        for _ in range(rounds):
            runs.append((sum(ours() for _ in range(processes)), sum(python() for _ in range(processes))))
    return Measurement(
        "start-up",
        median(ours for ours, _ in runs) / processes,
        median(python for _, python in runs) / processes,
        median(ours / python for ours, python in runs),
        target=12,
        aim=8,
    )


def generated_program(lines: int) -> str:
    """A program of about so many lines that looks like a student's: procedures of seven lines, each of its own."""
    procedure = """
(define (procedure-{n} sent limit)
  (define (helper wd total)
    (cond ((empty? wd) (+ total {n}))
          ((equal? (first wd) 'a) (helper (bf wd) (+ total 1)))
          (else (helper (bf wd) (* total 2)))))
  (if (> (count sent) limit)
      (map (lambda (wd) (helper wd 0)) (list sent 'word-{n} "text {n}"))
      (let ((longer (se sent 'more {n})))
        (procedure-{n} longer (- limit 1)))))
"""
    return "".join(procedure.format(n=n) for n in range(lines // procedure.count("\n")))


def measure_loading(rounds: int, lines: int = 2_000) -> Measurement:
    """Loading a file in a fresh session."""
    with tempfile.TemporaryDirectory() as folder, like_the_command():
        path = Path(folder) / "generated.scm"
        path.write_text(generated_program(lines), encoding="utf-8")
        Session().load(path)
        seconds = median(timed(lambda: Session().load(path))[0] for _ in range(rounds))
    return Measurement(f"load {lines:,} lines", seconds)
