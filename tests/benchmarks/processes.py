"""What is measured of whole processes: how long one takes to start, and how much memory its data needs."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from .measuring import Measurement, PeerMeasurement
from .peers import LONGEST, CannotRun, Peer, complaint, run_process, run_program
from .programs import ROOT

# Start-up


def command(*arguments: str) -> list[str]:
    """A command line for this Python."""
    return [sys.executable, *arguments]


def checkout_environment(bytecode: Path | None = None) -> dict[str, str]:
    """The variables with which a process runs this checkout's minischeme.

    Args: bytecode: a folder for compiled modules. They are always used then, as in an installed package.
    """
    variables = {"PYTHONPATH": str(ROOT)}
    if bytecode is None:
        return variables
    return {**variables, "PYTHONPYCACHEPREFIX": str(bytecode), "PYTHONDONTWRITEBYTECODE": ""}


def measure_start(rounds: int, peers: Sequence[Peer] = ()) -> Measurement:
    """``minischeme -e 1`` against ``python -c 1`` and peers; several processes of each a round, since one is so short.

    Args: peers: other Schemes, which start with an empty program.
    """
    processes = 3
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = checkout_environment(folder / "bytecode")

        def starting(arguments: Sequence[str]) -> Callable[[], float]:
            return lambda: run_process(command(*arguments), folder, environment=environment).seconds

        def peer_starting(peer: Peer) -> Callable[[], float]:
            program = folder / f"{peer.name.lower().replace(' ', '-')}{peer.suffix}"
            program.write_text(peer.program("1"), encoding="utf-8")
            peer.compile(program)
            return lambda: run_program(peer, program).seconds

        sides = [starting(["-m", "minischeme", "-e", "1"]), starting(["-c", "1"]), *map(peer_starting, peers)]
        for side in sides:
            side()  # compiles the modules
        runs = [[sum(side() for _ in range(processes)) / processes for side in sides] for _ in range(rounds)]
    seconds = [median(side) for side in zip(*runs, strict=True)]
    ratios = [median(ours / theirs for ours, theirs in zip(*sides, strict=True)) for sides in _pairs_with_first(runs)]
    return Measurement(
        "start-up",
        seconds[0],
        by_hand=seconds[1],
        unit="starts",
        ratio=ratios[1],
        target=12,
        aim=8,
        peers={
            peer.name: PeerMeasurement(theirs, ratio)
            for peer, theirs, ratio in zip(peers, seconds[2:], ratios[2:], strict=True)
        },
    )


def _pairs_with_first(runs: Sequence[Sequence[float]]) -> list[tuple[list[float], list[float]]]:
    """Each side's figures beside those of the first side."""
    sides = [list(side) for side in zip(*runs, strict=True)]
    return [(sides[0], side) for side in sides]


# Memory


@dataclass(frozen=True)
class Memory:
    """How much memory a thing takes.

    Args: name: of the thing. ours, by_hand: bytes for minischeme and for the same data in Python. peers: for other
    Schemes by name, or why it isn't known.
    """

    name: str
    ours: float
    by_hand: float
    peers: dict[str, float | str]


@dataclass(frozen=True)
class Datum:
    """A kind of data, made in Scheme and in Python.

    Args: name: what one is called. scheme, python: an expression that makes one from `i`.
    """

    name: str
    scheme: str
    python: str


DATA = (
    Datum("pair", "0", "0"),
    Datum(
        "symbol, with the pair that holds it",
        '(string->symbol (string-append "symbol-" (number->string i)))',
        'intern("symbol-" + str(i))',
    ),
)

IN_SCHEME = """
(define (things n)
  (let loop ((i 0) (made '()))
    (if (= i n) made (loop (+ i 1) (cons {expression} made)))))
(define kept (things {count}))
(call-with-output-file "made" (lambda (port) (write (length kept) port)))
(define nothing (read))
(write (length kept))
"""

IN_PYTHON = """
from minischeme.data.values import NIL, Pair, intern
kept = NIL
for i in range({count}):
    kept = Pair({expression}, kept)
with open("made", "w") as file:
    file.write(str({count}))
input()
"""


def measure_memory(datum: Datum, peers: Sequence[Peer] = (), count: int = 1_000_000) -> Memory:
    """How much memory a thing of a kind takes: the most that a process has with many of them, less that without any.

    Args: peers: other Schemes. count: how many things.
    Raises: CannotRun where no process can tell its memory: only Linux does.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = checkout_environment()

        def each(suffix: str, text: Callable[[int], str], run: Callable[[Path], Sequence[str]]) -> float:
            sizes: list[int] = []
            for number in (count, 0):
                program = folder / f"things-{number}{suffix}"
                program.write_text(text(number), encoding="utf-8")
                sizes.append(most_memory(run(program), folder, environment))
            return (sizes[0] - sizes[1]) / count

        def in_scheme(number: int) -> str:
            return IN_SCHEME.format(expression=datum.scheme, count=number)

        def in_python(number: int) -> str:
            return IN_PYTHON.format(expression=datum.python, count=number)

        ours = each(".scm", in_scheme, lambda program: command("-m", "minischeme", program.name))
        by_hand = each(".py", in_python, lambda program: command(program.name))
        theirs: dict[str, float | str] = {}
        for peer in peers:

            def in_peer(number: int, peer: Peer = peer) -> str:
                return peer.program(in_scheme(number))

            def run_peer(program: Path, peer: Peer = peer) -> Sequence[str]:
                peer.compile(program)
                return peer.command(program)

            try:
                theirs[peer.name] = each(peer.suffix, in_peer, run_peer)
            except CannotRun as reason:
                theirs[peer.name] = str(reason)
    return Memory(datum.name, ours, by_hand, theirs)


def most_memory(command: Sequence[str], folder: Path, environment: dict[str, str]) -> int:
    """The most bytes that a process has had in memory when it has made a file called ``made`` and waits for input.

    It is asked while it waits: what the system tells of a process that has ended may be its parent's.

    Raises: CannotRun.
    """
    made, printed = folder / "made", folder / "printed.txt"
    made.unlink(missing_ok=True)
    with printed.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, "XDG_CACHE_HOME": str(folder), **environment},
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            end = time.monotonic() + LONGEST
            while not (made.exists() and made.stat().st_size):
                if process.poll() is not None:
                    raise CannotRun(complaint(printed.read_text(encoding="utf-8", errors="replace")))
                if time.monotonic() > end:
                    raise CannotRun(f"takes more than {LONGEST:.0f} s")
                time.sleep(0.01)
            return _peak_of(process.pid)
        finally:
            process.kill()
            process.communicate()


def _peak_of(process: int) -> int:
    """Raises: CannotRun."""
    peak = _from_status(process, "VmHWM")
    if peak is None:
        raise CannotRun("no figure here: only Linux tells how much memory a process has")
    return peak


def resident() -> int | None:
    """The bytes that this process has in memory now; None where that can't be known."""
    return _from_status("self", "VmRSS")


def _from_status(process: int | str, wanted: str) -> int | None:
    """A figure in bytes from what Linux tells of a process."""
    status = Path(f"/proc/{process}/status")
    if not status.exists():
        return None
    for line in status.read_text(encoding="utf-8").splitlines():
        name, _, value = line.partition(":")
        if name == wanted:
            return int(value.split()[0]) * 1024
    return None
