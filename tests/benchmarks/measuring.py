"""Timing a workload on all sides, in turn: minischeme, by hand in Python, and other Schemes.

All times are CPU seconds, so that other work on the machine disturbs little; each ratio is the median of the ratios of
rounds, in which the sides follow one another at once.
"""

from __future__ import annotations

import gc
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from io import StringIO
from math import ceil
from pathlib import Path
from statistics import median
from typing import Any

from minischeme import Session
from minischeme.data.printer import write
from minischeme.runtime.recursion import with_deep_recursion

from .peers import CannotRun, Peer, PeerSide
from .workloads import Workload

RECURSION_WITHOUT_ROOM = 1_000_000
LEAST_SECONDS = 0.1
"""Work that takes less is done several times at once, as other Schemes do it, too."""


class DifferentResults(Exception):
    """The two sides of a workload disagree: what was timed is not the same work."""


@dataclass(frozen=True)
class PeerMeasurement:
    """What the rounds gave for another Scheme.

    Args: seconds: its CPU time for a unit of work, the median. ratio: minischeme's time as a multiple of that.
    """

    seconds: float
    ratio: float


@dataclass(frozen=True)
class Measurement:
    """What the rounds gave.

    Args: seconds: minischeme's CPU time, the median. work, unit: how much was done in that time, and of what. by_hand:
    the counterpart's time, in the same room for recursion as minischeme's. ratio: minischeme's time as a multiple of
    the counterpart's, in the same room. plain_ratio: of the counterpart's as Python runs it, without that room: there a
    call now and then crosses a frame chunk's end, which is dear (ARCHITECTURE.md section 8). Both ratios are None where
    there is no counterpart. peers: other Schemes by name; the reason if one cannot do the work.
    """

    name: str
    seconds: float
    work: int = 1
    unit: str = "runs"
    by_hand: float | None = None
    ratio: float | None = None
    plain_ratio: float | None = None
    target: float | None = None
    aim: float | None = None
    peers: dict[str, PeerMeasurement | str] = field(default_factory=dict)


class Side:
    """minischeme's side of a workload, ready to run again and again.

    Args: folder: where its files are.
    """

    def __init__(self, workload: Workload, size: int, folder: Path) -> None:
        self._workload = workload
        self._definitions = workload.definitions(size, folder)
        self._written = folder / "output.txt"
        self.prepare(first=True)

    def prepare(self, first: bool = False) -> None:
        """Make ready for another run."""
        if first or self._workload.fresh:
            self._output = StringIO()
            self._session = Session(output=self._output)
            self._session.eval(self._definitions)
            self.eval("(define (repeat-work n) (if (> n 0) (begin (work) (repeat-work (- n 1)))))")
        self._output.seek(0)
        self._output.truncate()

    def run(self) -> Any:
        """Do the work; gives its value."""
        return self.eval("(work)")

    def repeat(self, times: int) -> None:
        """Do the work so often."""
        self.eval(f"(repeat-work {times})")

    def eval(self, text: str) -> Any:
        """The value of Scheme in its session."""
        return self._session.eval(text)

    @property
    def has_file(self) -> bool:
        """Whether the work has written a file."""
        return self._written.exists()

    def result(self, value: Any) -> str:
        """What can be compared: the value of a run, or what it printed if that is the result."""
        if self.has_file:
            return self._written.read_text(encoding="utf-8")
        return self._output.getvalue() if self._workload.prints else write(value)


def result_by_hand(workload: Workload, value: Any) -> str:
    """What can be compared with minischeme's: a counterpart gives a value, a text that it printed, or a file."""
    if isinstance(value, Path):
        text = value.read_text(encoding="utf-8")
        value.unlink()
        return text
    return str(value) if workload.prints else write(value)


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


def measure(workload: Workload, rounds: int, size: int | None = None, peers: Sequence[Peer] = ()) -> Measurement:
    """Time all sides of a workload in turn.

    Args: size: how much work, the workload's own if None. peers: which other Schemes.
    Raises: DifferentResults if minischeme and the counterpart give different values.
    """
    size = workload.size if size is None else size
    work = workload.work(size)
    ours: list[float] = []
    in_room: list[float] = []
    plain: list[float] = []
    with tempfile.TemporaryDirectory() as folder, like_the_command():
        side = Side(workload, size, Path(folder))
        reasons: dict[str, PeerMeasurement | str] = {}
        others = _ready_peers(workload, size, Path(folder), peers, reasons)
        theirs: dict[str, list[float]] = {other.peer.name: [] for other in others}
        seconds, value = timed(side.run)
        expected = side.result(value)
        once = workload.fresh or workload.prints or side.has_file or seconds > LEAST_SECONDS
        times = 1 if once else ceil(LEAST_SECONDS / seconds)
        for _ in range(rounds):
            side.prepare()
            ours.append(timed(partial(side.repeat, times))[0] / times)
            if workload.counterpart is not None:
                _time_by_hand(workload, size, times, expected, in_room, plain)
            for other in others:
                if other.peer.name in theirs:
                    try:
                        theirs[other.peer.name].append(other.seconds())
                    except CannotRun as reason:
                        reasons[other.peer.name] = str(reason)
                        del theirs[other.peer.name]
    return Measurement(
        workload.name,
        median(ours),
        work,
        workload.unit,
        median(in_room) if in_room else None,
        _median_ratio(ours, in_room),
        _median_ratio(ours, plain),
        workload.target,
        workload.aim,
        reasons | {name: PeerMeasurement(median(s), _ratio_of_rates(ours, work, s)) for name, s in theirs.items()},
    )


def _time_by_hand(
    workload: Workload, size: int, times: int, expected: str, in_room: list[float], plain: list[float]
) -> None:
    """One round of the counterpart, with room and without it."""
    counterpart = workload.counterpart
    assert counterpart is not None

    def repeat() -> Any:
        for _ in range(times - 1):
            counterpart(size)
        return counterpart(size)

    for runs, run in ((in_room, lambda: with_deep_recursion(repeat)), (plain, repeat)):
        seconds, value = timed(run)
        runs.append(seconds / times)
        found = result_by_hand(workload, value)
        if found != expected:
            raise DifferentResults(f"{workload.name}: {_short(expected)} and by hand {_short(found)}")


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:60]}…"


def _median_ratio(ours: Sequence[float], theirs: Sequence[float]) -> float | None:
    return median(our / their for our, their in zip(ours, theirs, strict=True)) if theirs else None


def _ratio_of_rates(ours: Sequence[float], work: int, theirs: Sequence[float]) -> float:
    """The median of the ratios of the times for a unit of work; theirs are such times already."""
    return median(our / work / their for our, their in zip(ours, theirs, strict=True))


def _ready_peers(
    workload: Workload, size: int, folder: Path, peers: Sequence[Peer], reasons: dict[str, PeerMeasurement | str]
) -> list[PeerSide]:
    """The peers that can do the work; why the others can't goes to `reasons`."""
    ready: list[PeerSide] = []
    for peer in peers:
        home = folder / peer.name.lower().replace(" ", "-")
        home.mkdir()
        # A peer that is very slow does less at a time, but more often.
        peer_size = min(size, workload.small_size) if peer.slow else size
        try:
            other = not workload.same_value or workload.only_here
            expected = None if other else _result_of(workload, peer_size)
            ready.append(PeerSide(peer, workload, peer_size, home, expected))
        except CannotRun as reason:
            reasons[peer.name] = str(reason)
    return ready


def _result_of(workload: Workload, size: int) -> str:
    with tempfile.TemporaryDirectory() as folder:
        side = Side(workload, size, Path(folder))
        return side.result(side.run())
