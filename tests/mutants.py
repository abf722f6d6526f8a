"""One-line mutants of the program, and whether the tests notice them.

    uv run python tests/mutants.py                 all of them, in copies of the checkout
    uv run python tests/mutants.py trace words     those of some parts of the program
    uv run python tests/mutants.py --check         look only whether each can still be made

`mutants.txt` lists them: a line ``## part: tests``, and under it pairs of lines, ``- text`` and ``+ text instead``. The
first must stand exactly once in all of `minischeme/` and `lib/`, wherever that is. ``tests`` are names of test files:
what is not slow in them must pass without the mutant and fail with it. The exit status is 1 if too few are caught.
"""

from __future__ import annotations

import argparse
import itertools
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
TABLE = Path(__file__).with_name("mutants.txt")
SOURCES = (".py", ".scm", ".lark")

FEWEST = 60
"""Mutants in the table."""

LEAST = 0.95
"""The part of them that tests must notice."""

LONGEST = 1200
"""Seconds for the tests of a mutant; one that does not end is noticed."""


class Mutant(NamedTuple):
    """A change of a line. Args: part: of the program. tests: names of test files. old, new: pieces of the line."""

    part: str
    tests: tuple[str, ...]
    old: str
    new: str


def mutants() -> list[Mutant]:
    """The mutants of the table."""
    found = []
    part, tests, old = "", (), ""
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        mark, text = line[:2], line[2:]
        if mark == "##":
            part, _, names = text.strip().partition(": ")
            tests = tuple(names.split())
        elif mark == "- ":
            old = text
        elif mark == "+ ":
            found.append(Mutant(part, tests, old, text))
    return found


def files_of_tests(names: Iterable[str]) -> list[str]:
    """The test files of these names, as pytest takes them."""
    files = []
    for name in dict.fromkeys(names):
        matching = [*ROOT.glob(f"tests/test_{name}.py"), *ROOT.glob(f"tests/*/test_{name}.py")]
        if len(matching) != 1:
            sys.exit(f"{len(matching)} test files are called test_{name}.py")
        files.append(str(matching[0].relative_to(ROOT)))
    return files


def files_of(chosen: list[Mutant]) -> list[Path]:
    """The file of each mutant, which must be the only one with its text, once."""
    paths = [path for folder in ("minischeme", "lib") for path in (ROOT / folder).rglob("*")]
    texts = {path: path.read_text(encoding="utf-8") for path in paths if path.suffix in SOURCES}
    files, wrong = [], []
    for mutant in chosen:
        found = [path for path, text in texts.items() for _ in range(text.count(mutant.old))]
        if len(found) != 1 or mutant.old == mutant.new:
            wrong.append(f"{mutant.part}: found {len(found)} times: {mutant.old}")
        files += found[:1]
    if wrong:
        sys.exit("\n".join(["these mutants can't be made:", *wrong]))
    return files


def copy_checkout(folder: Path) -> Path:
    """A copy of all that git sees of the checkout."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    for name in subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True, text=True).stdout.split("\0"):
        if name and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return folder


def run_tests(checkout: Path, files: list[str]) -> tuple[bool, str]:
    """Whether tests pass in a checkout, and the last line that is printed.

    Raises: SystemExit if they can't be run.
    """
    environment = {**os.environ, "PYTHONPATH": str(checkout), "HYPOTHESIS_STORAGE_DIRECTORY": str(checkout / ".cache")}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "--tb=no", "-m", "not slow", *files]
    try:
        done = subprocess.run(
            command, cwd=checkout, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=LONGEST
        )
    except subprocess.TimeoutExpired:
        return False, "no end"
    lines = done.stdout.decode(errors="replace").splitlines() or [""]
    if done.returncode not in (0, 1, 2) and done.returncode > 0:
        raise SystemExit("\n".join([f"pytest can't run {files}:", *lines, done.stderr.decode(errors="replace")]))
    failures = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
    return done.returncode == 0, (failures or lines)[0 if failures else -1]


class Checkouts:
    """Copies of the checkout, for tests that run at the same time."""

    def __init__(self, folder: Path, count: int) -> None:
        self._free: SimpleQueue[Path] = SimpleQueue()
        self._seconds = itertools.count(int(time.time()), 2)
        for number in range(count):
            self._free.put(copy_checkout(folder / str(number)))

    def passes(self, tests: tuple[str, ...]) -> bool:
        """Whether tests pass without a mutant; says so if they do not."""
        checkout = self._free.get()
        passed, line = run_tests(checkout, files_of_tests(tests))
        self._free.put(checkout)
        if not passed:
            print(f"FAILS WITHOUT A MUTANT  {' '.join(tests)}\n    {line[:150]}", flush=True)
        return passed

    def survives(self, mutant: Mutant, file: Path) -> bool:
        """Whether the tests of a mutant pass with it; says so."""
        checkout = self._free.get()
        path = checkout / file.relative_to(ROOT)
        original = path.read_text(encoding="utf-8")
        self._write(path, original.replace(mutant.old, mutant.new))
        survived, line = run_tests(checkout, files_of_tests(mutant.tests))
        self._write(path, original)
        self._free.put(checkout)
        outcome = "SURVIVED" if survived else "caught"
        print(f"{outcome}  {mutant.part}: {mutant.old}  →  {mutant.new}\n    {line[:150]}", flush=True)
        return survived

    def _write(self, path: Path, text: str) -> None:
        """Write a file whose time is later by a second at least: by that Python knows whether its bytecode is stale."""
        path.write_text(text, encoding="utf-8")
        written = next(self._seconds)
        os.utime(path, (written, written))


def main() -> None:
    parser = argparse.ArgumentParser(description="Make one-line mutants of minischeme and run the tests on them.")
    parser.add_argument("parts", nargs="*", metavar="PART", help="only the mutants of these parts")
    parser.add_argument("--check", action="store_true", help="look only whether each mutant can be made")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="so many at a time")
    options = parser.parse_args()
    table = mutants()
    unknown = set(options.parts) - {mutant.part for mutant in table}
    if unknown:
        parser.error(f"no mutants of {', '.join(sorted(unknown))}: there are {', '.join({m.part: 0 for m in table})}")
    chosen = [mutant for mutant in table if not options.parts or mutant.part in options.parts]
    files = files_of(chosen)
    files_of_tests(name for mutant in chosen for name in mutant.tests)
    if len(table) < FEWEST:
        sys.exit(f"{len(table)} mutants are too few: {FEWEST}")
    if options.check:
        print(f"{len(chosen)} mutants can be made")
        return
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.jobs) as pool:
        checkouts = Checkouts(Path(folder), options.jobs)
        passing = list(pool.map(checkouts.passes, dict.fromkeys(mutant.tests for mutant in chosen)))
        survived = sum(pool.map(checkouts.survives, chosen, files))
    caught = len(chosen) - survived
    print(f"{caught} of {len(chosen)} mutants are caught ({caught / len(chosen):.0%})")
    sys.exit(not all(passing) or caught < LEAST * len(chosen))


if __name__ == "__main__":
    main()
