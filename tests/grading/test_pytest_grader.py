"""The package pytest-grader counts the points of transcripts: `pytest --score`."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pytest_grader")

TEXT = """\
; minischeme: question squares
; minischeme: points 2 each
> (* 3 3)
9
> (* 4 4)
17
; minischeme: question cubes
; minischeme: points 3
> (* 2 2 2)
8
> (* 3 3 3)
27
; minischeme: question wrong
; minischeme: points 5
> (* 2 2)
4
> (* 2 3)
7
; minischeme: question follows
; minischeme: points 7
; minischeme: after wrong
> 1
1
; minischeme: question halves
; minischeme: points 0.5
; minischeme: random
> (random 5)
17
> 1
1
"""


def scored(folder: Path, *options: str) -> str:
    # pytest-grader and pytest-timeout have an option of the same name.
    command = [sys.executable, "-m", "pytest", "-p", "pytest_grader", "-p", "no:timeout", "--score", "-q", *options]
    done = subprocess.run([*command, "."], cwd=folder, capture_output=True, text=True, timeout=100)
    return done.stdout + done.stderr


def test_score(tmp_path: Path) -> None:
    (tmp_path / "transcripts").mkdir()
    (tmp_path / "transcripts/t.txt").write_text(TEXT)
    text = scored(tmp_path)
    assert re.search(r"Total Score: 5.5/19.5 ", text), text
    rows = dict(re.findall(r"^  \S+ (.*?) +([\d.]+/[\d.]+) *$", text, re.MULTILINE))
    assert rows == {
        "3: (* 3 3)": "2/2",
        "5: (* 4 4)": "0/2",
        "cubes": "3/3",
        "wrong": "0/5",
        "follows": "0/7",
        "halves": "0.5/0.5",
    }


def test_scheme_files(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/t.scm").write_text("; minischeme: points 2 each\n(+ 1 2)\n; expect 3\n(+ 1 3)\n; expect 5\n")
    assert "Total Score: 2/4 (50.0%)" in scored(tmp_path)


def test_items_without_points_count_nothing(tmp_path: Path) -> None:
    (tmp_path / "transcripts").mkdir()
    (tmp_path / "transcripts/t.txt").write_text("> 1\n1\n> 2\n3\n")
    assert "Total Score: 0/0" in scored(tmp_path)
