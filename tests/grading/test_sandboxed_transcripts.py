"""`minischeme test --sandbox` gives what `minischeme test` gives, and refuses what a sandbox is for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from minischeme.grading.sandbox import process_sandbox

ROOT = Path(__file__).parents[2]

if sys.platform != "linux":
    pytest.skip("the sandbox has its layers on Linux only", allow_module_level=True)


def minischeme(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "minischeme", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=200)


@pytest.mark.parametrize(("option", "folder"), [("--sandbox", "6001"), ("--bwrap", "twent1"), ("--sandbox", "cs61a")])
def test_transcripts_hold_in_the_sandbox(option: str, folder: str) -> None:
    place = f"transcripts/{folder}"
    inside, outside = minischeme("test", option, place), minischeme("test", place)
    assert inside.stdout == outside.stdout
    assert (inside.returncode, outside.returncode) == (0, 0)
    assert inside.stderr.startswith("sandbox: ")


def test_files_with_expectations_too(tmp_path: Path) -> None:
    (tmp_path / "own.scm").write_text("(define (f x) (* x x))\n")
    tests = tmp_path / "tests.scm"
    tests.write_text('(load "own.scm")\n(f 3)\n; expect 9\n(f 4)\n; expect 17\n(car 5)\n; expect Error\n')
    inside, outside = minischeme("test", "--sandbox", tests), minischeme("test", tests)
    assert "+16" in inside.stdout
    assert inside.stdout == outside.stdout


def test_a_program_reads_its_folder_and_no_other(tmp_path: Path) -> None:
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.scm").write_text("(define x 5)\n")
    transcript = tmp_path / "here/talk.txt"
    transcript.write_text('> (load "x.scm")\nokay\n> (load "../there/x.scm")\nokay\n')
    done = minischeme("test", "--sandbox", transcript)
    assert "2 interactions, 1 different" in done.stdout
    assert "cannot" in done.stdout


def test_a_complete_sandbox_can_be_required(tmp_path: Path) -> None:
    (tmp_path / "talk.txt").write_text("> (+ 1 2)\n3\n")
    done = minischeme("test", "--require-sandbox", tmp_path / "talk.txt")
    if process_sandbox().missing:
        assert done.returncode == 2
        assert "the sandbox is not complete" in done.stderr
    else:
        assert done.returncode == 0
