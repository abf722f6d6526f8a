"""What a start of the command costs, in processes that find bytecode: what it imports, and ratios of CPU time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import minischeme
from minischeme.reading import grammar

ROOT = Path(minischeme.__file__).parents[1]

NOTHING = ["-c", "pass"]
ONE = ["-m", "minischeme", "-e", "1"]
FILE = ["-m", "minischeme", "-l", "twenty-one.scm", "-e", "1"]
PROGRAM = ["-m", "minischeme", str(ROOT / "lib" / "simply.scm")]
GAME = ["-m", "minischeme", "twent1"]

# fmt: off
SLOW = {
    "argparse", "dataclasses", "inspect", "ipaddress", "json", "lark", "logging", "minischeme.diagnosis",
    "minischeme.repl", "minischeme.transcripts", "pathlib", "platformdirs", "prompt_toolkit", "pygments",
    "random", "rich", "shutil", "subprocess", "threading", "traceback", "zlib",
}
# fmt: on
"""Modules that a start does without."""


@pytest.mark.parametrize("arguments", [ONE, FILE, PROGRAM, GAME])
def test_what_is_not_imported(arguments: list[str], tmp_path: Path) -> None:
    grammar.load()  # so that Lark needn't make the tables
    command = [sys.executable, "-X", "importtime", *arguments]
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path)}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, input="", capture_output=True, text=True, check=True, timeout=60
    )
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if "|" in line}
    assert {"minischeme.session.session", "minischeme.reading.grammar"} <= imported
    assert SLOW & imported == ({"random"} if arguments is GAME else set())  # to shuffle


@pytest.mark.skipif(not hasattr(os, "wait4"), reason="nothing tells the CPU time of a process")
def test_ratios(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)

    def seconds(arguments: list[str]) -> float:
        process = subprocess.Popen(
            [sys.executable, *arguments], cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0
        return usage.ru_utime + usage.ru_stime

    commands = [NOTHING, PROGRAM, ONE, FILE, GAME]
    for command in commands:
        seconds(command)  # leaves bytecode
    least = [float("inf")] * len(commands)
    for _ in range(30):  # until a quiet moment, at the latest: other tests run meanwhile
        least = [min(known, seconds(command)) for known, command in zip(least, commands, strict=True)]
        nothing, program, one, file, game = least
        # Generous: what a start costs beside an empty one differs by machine and by Python.
        if max(program, one) < 12 * nothing and file < 1.5 * one and game < 3 * one:
            return
    pytest.fail(f"CPU seconds of nothing, a file, one number, a library file, a game: {least}")
