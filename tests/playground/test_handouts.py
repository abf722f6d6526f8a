"""The questions of the handout, answered by the model solution and by the file that a student begins with."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from minischeme.playground.questions import answered

ROOT = Path(__file__).parent.parent.parent
HANDOUTS = ROOT / "minischeme/playground/handouts"
QUESTIONS = (HANDOUTS / "twenty-one.txt").read_text(encoding="utf-8")


@pytest.fixture
def program(tmp_path: Path) -> Path:
    return tmp_path / "my-twenty-one.scm"


def test_the_model_solution_passes_all_questions(program: Path) -> None:
    shutil.copyfile(ROOT / "transcripts/cs61a/twenty-one-joker.scm", program)
    questions = answered(QUESTIONS, program)
    assert len(questions) == 9
    assert [each["name"] for each in questions if not each["passed"]] == []


def test_what_a_student_begins_with_passes_none(program: Path) -> None:
    shutil.copyfile(HANDOUTS / "twenty-one.scm", program)
    questions = answered(QUESTIONS, program)
    assert [each["name"] for each in questions if each["passed"]] == []
    assert "-19" in str(questions[0]["difference"])


def test_without_jokers_only_the_last_question_is_open(program: Path) -> None:
    shutil.copyfile(ROOT / "transcripts/cs61a/twenty-one.scm", program)
    assert [each["passed"] for each in answered(QUESTIONS, program)] == [True] * 8 + [False]


def test_a_file_that_cannot_be_loaded_says_why(program: Path) -> None:
    program.write_text("(define (best-total hand)", encoding="utf-8")
    (only,) = answered(QUESTIONS, program)
    assert "my-twenty-one.scm" in str(only["difference"])
