"""Other Schemes to compare with: how each is found on the machine, is given a workload, and is timed.

A peer is a command. It gets the workload as a program that does the work a number of times; the time of the same
program that does it no times, its start-up, is subtracted. Which environments of Python there are for those from PyPI
is left to `environments`.
"""

from __future__ import annotations

import math
import os
import re
import shutil
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .programs import PORTABLE
from .workloads import Workload

SHORTEST = 0.3
"""CPU seconds that a run should take beyond the start-up, so that the difference of the two means something."""

LONGEST = 120.0
"""Seconds after which a peer's run is given up."""

MOST_TIMES = 1_000_000

DONE = "the work is done"

TELLING = re.compile(r"error|unbound|undefined|expected|exceeded|overflow|memory", re.IGNORECASE)
PROMPT = re.compile(r"\d+ error>|Errors encountered|^raise ")

DRIVER = """
(define last-value #f)
(define (repeat-work times)
  (if (> times 0)
      (begin (set! last-value (work)) (repeat-work (- times 1)))))
"""

SYNTAX_RULES = """
(define-syntax cons-stream
  (syntax-rules () ((_ first rest) (cons first (delay rest)))))
"""

RACKET_LOADING = """
(#%require (only racket/base namespace-anchor->namespace define-namespace-anchor current-namespace))
(define-namespace-anchor here)
(current-namespace (namespace-anchor->namespace here))
"""


class CannotRun(Exception):
    """A peer can't do some work; the message says why, for the reader of the table."""


@dataclass(frozen=True)
class Peer:
    """Another Scheme.

    Args: name: for the table. executable: what to look for on the machine. arguments: how a program is run;
    ``{program}`` is its file. suffix, header: how such a file is called and begins. additions: what has to stand before
    a portable file of that name (or before all programs: ``""``) because the dialect lacks it. compiler: a command
    that compiles a program beforehand, if it is there. slow: whether it should do less at a time. manner: how it runs
    programs, for the legend. version_arguments: what makes it tell its version, on the first line.
    """

    name: str
    executable: str
    arguments: tuple[str, ...]
    manner: str
    suffix: str = ".scm"
    header: str = ""
    additions: Mapping[str, str] = field(default_factory=dict)
    compiler: tuple[str, ...] = ()
    slow: bool = False
    version_arguments: tuple[str, ...] = ("--version",)

    def is_found(self) -> bool:
        """Whether the machine has it."""
        return shutil.which(self.executable) is not None

    def command(self, program: Path) -> list[str]:
        """The command line that runs a program in its folder."""
        return [self.executable, *(part.replace("{program}", program.name) for part in self.arguments)]

    def compile(self, program: Path) -> None:
        """Compile a program, if that can be done beforehand."""
        if self.compiler and shutil.which(self.compiler[0]):
            run_process([part.replace("{program}", program.name) for part in self.compiler], program.parent)

    def version(self) -> str:
        """What it says that it is."""
        command = [self.executable, *self.version_arguments]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LONGEST)
        lines = (done.stdout + done.stderr).strip().splitlines()
        return lines[0].strip() if lines else "version unknown"

    def program(self, *parts: str, portable: Sequence[str] = ()) -> str:
        """A program for this peer.

        Args: parts: what is the same for all peers. portable: what it needs from the folder `portable`.
        """
        needed = [self.header, self.additions.get("", "")]
        for name in portable:
            file = PORTABLE / f"{name}.scm"
            needed += [self.additions.get(name, ""), file.read_text(encoding="utf-8") if file.exists() else ""]
        return "\n".join([*needed, *parts])


PEERS = (
    Peer(
        "Guile",
        "guile",
        ("-s", "{program}"),
        "compiled to its bytecode beforehand, but what it loads is interpreted",
        additions={"streams": SYNTAX_RULES, "loading": "(define load primitive-load)"},
        compiler=("guile", "-c", '((@ (system base compile) compile-file) "{program}")'),
    ),
    Peer(
        "Racket",
        "racket",
        ("{program}",),
        "#lang r5rs, compiled to machine code beforehand",
        suffix=".rkt",
        header="#lang r5rs",
        additions={
            "": "(#%require (only racket/base print-mpair-curly-braces))\n(print-mpair-curly-braces #f)",
            "streams": SYNTAX_RULES,
            "loading": RACKET_LOADING,
        },
        compiler=("raco", "make", "{program}"),
    ),
    Peer(
        "SCM",
        "scm",
        ("-f", "{program}", "-e", "(exit)"),
        "interpreted",
        additions={"streams": f"(require 'macro){SYNTAX_RULES}"},
    ),
    Peer("MIT Scheme", "mit-scheme", ("--quiet", "--load", "{program}", "--eval", "(exit)"), "interpreted"),
    Peer(
        "TinyScheme",
        "tinyscheme",
        ("{program}",),
        "interpreted",
        version_arguments=(),
        additions={"streams": "(define-macro (cons-stream first rest) `(cons ,first (delay ,rest)))"},
    ),
)


@dataclass(frozen=True)
class Run:
    """A process that has ended: its CPU seconds, exit status, what it printed, and whether it had to be stopped."""

    seconds: float
    status: int
    printed: str
    stopped: bool


def run_program(peer: Peer, program: Path) -> Run:
    """Run a program in its folder and wait for its end."""
    return run_process(peer.command(program), program.parent)


def run_process(command: Sequence[str], folder: Path, *, environment: Mapping[str, str] | None = None) -> Run:
    """Run a command in a folder and wait for its end.

    Args: environment: variables besides this process's own.
    """
    printed = folder / "printed.txt"
    with printed.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=folder,
            # Guile keeps what it has compiled in the user's cache: it shall find nothing there, and leave nothing.
            env={**os.environ, "XDG_CACHE_HOME": str(folder), **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        start = time.monotonic()
        timer = threading.Timer(LONGEST, process.kill)
        timer.start()
        try:
            _, status, usage = os.wait4(process.pid, 0)
        finally:
            timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
    text = printed.read_text(encoding="utf-8", errors="replace")
    stopped = time.monotonic() - start >= LONGEST
    return Run(usage.ru_utime + usage.ru_stime, process.returncode, text, stopped)


class PeerSide:
    """A peer's side of a workload, ready to run again and again.

    Args: folder: for its programs. expected: what minischeme's result is; None if others may have another.
    Raises: CannotRun, if the peer can't do the work or has another result.
    """

    def __init__(self, peer: Peer, workload: Workload, size: int, folder: Path, expected: str | None) -> None:
        if workload.only_here is not None:
            raise CannotRun(workload.only_here)
        self.peer = peer
        self._workload = workload
        self._work = workload.work(size)
        self._folder = folder
        self._definitions = workload.definitions(size, folder)
        self._check(expected)
        self._times = self._enough_times()

    def seconds(self) -> float:
        """The CPU seconds for a unit of work, from two processes: one works, and one does nothing but start.

        Raises: CannotRun.
        """
        beyond = self._run(self._times) - self._run(0)
        # A difference that is noise, or none, is still no speed without an end.
        return max(beyond, 1e-6) / self._times / self._work

    def _program(self, name: str, *parts: str) -> Path:
        """A program's file, compiled if that can be done beforehand."""
        path = self._folder / f"{name}{self.peer.suffix}"
        end = f'(newline)\n(display "{DONE}")\n(newline)'
        text = self.peer.program(self._definitions, *parts, end, portable=self._workload.portable)
        path.write_text(text, encoding="utf-8")
        self.peer.compile(path)
        return path

    def _check(self, expected: str | None) -> None:
        """Do the work once, with a look at what comes out.

        Raises: CannotRun.
        """
        shown = "(work)" if self._workload.prints else "(let ((value (work))) (newline) (write value))"
        result, _, _ = self._to_its_end(self._program("check", shown)).printed.rpartition(DONE)
        if expected is not None and not result.strip().endswith(expected.strip()):
            raise CannotRun(f"another result: {_short(result.strip())}")

    def _run(self, times: int) -> float:
        """The CPU seconds of a process that does the work so many times.

        Raises: CannotRun.
        """
        path = self._folder / f"work-{times}{self.peer.suffix}"
        if not path.exists():
            self._program(path.stem, DRIVER, f"(repeat-work {times})")
        return self._to_its_end(path).seconds

    def _to_its_end(self, program: Path) -> Run:
        """Run a program that has to come to its end, for a Scheme that stops early would seem fast.

        Raises: CannotRun.
        """
        run = run_program(self.peer, program)
        if run.stopped:
            raise CannotRun(f"takes more than {LONGEST:.0f} s")
        if DONE not in run.printed:
            raise CannotRun(complaint(run.printed))
        return run

    def _enough_times(self) -> int:
        """How often to do the work so that it takes long enough beside the start-up."""
        start = self._run(0)
        times = 1
        while (beyond := self._run(times) - start) < SHORTEST and times < MOST_TIMES:
            times *= 10 if beyond < SHORTEST / 10 else math.ceil(1.2 * SHORTEST / beyond)
        return times


def complaint(printed: str) -> str:
    """The line of what a peer printed that says best what went wrong."""
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    telling = [line for line in lines if TELLING.search(line) and not PROMPT.search(line)]
    return _short((telling or lines or ["ends without a word"])[-1])


def _short(text: str) -> str:
    return text if len(text) <= 100 else f"{text[:100]}…"
