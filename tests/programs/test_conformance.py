"""The standard, section by section: the programs in `r7rs/` check what R7RS-small says, most in both dialects."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

from minischeme import Session

PROGRAMS = sorted(Path(__file__).with_name("r7rs").glob("*.scm"))

OTHER_IN_BERKELEY = {"input-output": "read-line gives a sentence", "numbers": "round gives an exact integer"}
"""Programs that check what the course's dialect does otherwise."""

RUNS = [(program, "r7rs") for program in PROGRAMS] + [
    (program, "berkeley") for program in PROGRAMS if program.stem not in OTHER_IN_BERKELEY
]


@pytest.mark.parametrize(("program", "dialect"), RUNS, ids=[f"{program.stem}-{dialect}" for program, dialect in RUNS])
def test_a_program_finds_nothing_wrong(
    program: Path, dialect: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # for the files that it writes
    output = io.StringIO()
    Session(dialect, output=output).load(program)
    complaints, _, report = output.getvalue().rstrip("\n").rpartition("\n")
    assert complaints == ""
    assert re.fullmatch(r"[1-9]\d+ checks, 0 failed", report)
