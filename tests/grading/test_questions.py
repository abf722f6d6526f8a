"""Directives for points, and what `minischeme test` shows of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from minischeme.cli.transcripts import test as run_test
from minischeme.transcripts.document import Document, TranscriptError
from minischeme.transcripts.files import opened
from minischeme.transcripts.outcomes import Verdict
from minischeme.transcripts.questions import points_of
from minischeme.transcripts.replay import Replay, Settings

TEXT = """\
; minischeme: question "squares"
; minischeme: points 2 each
> (define (square x) (* x x))
square
> (square 3)
9
> (square 4)
17
; minischeme: question cubes
; minischeme: points 3
; minischeme: visibility after-due-date
> (* 2 2 2)
8
; minischeme: random
> (random 5)
0
; minischeme: skip
> (car '())
()
; minischeme: question "sums of squares"
; minischeme: points 5
; minischeme: after "squares"
> (+ (square 3) (square 4))
25
; minischeme: question "the last one"
; minischeme: points 0.5
; minischeme: after cubes
> 1
1
"""


def run(text: str, name: str = "t.txt") -> Replay:
    replay = Replay(Document(text, name), Settings())
    list(replay.run())
    return replay


def test_points_of_each_interaction_or_of_all() -> None:
    found = [(each.name, each.earned, each.max_points) for each in run(TEXT).questions]
    assert found == [("squares", 4, 6), ("cubes", 3, 3), ("sums of squares", 0, 5), ("the last one", 0.5, 0.5)]


def test_what_builds_on_a_failure_is_skipped_and_says_so() -> None:
    outcomes = {outcome.source: outcome for outcome in Replay(Document(TEXT)).run()}
    skipped = outcomes["(+ (square 3) (square 4))"]
    assert skipped.verdict is Verdict.NOT_RUN
    assert skipped.note == "squares fails, which this builds on"
    assert outcomes["1"].verdict is Verdict.SAME


def test_visibility() -> None:
    assert [each.visibility for each in run(TEXT).questions] == ["visible", "after-due-date", "visible", "visible"]


def test_a_file_without_directives_is_a_question_of_its_interactions() -> None:
    replay = run("> 1\n1\n> 2\n3\n", "folder/sums.txt")
    assert [(each.name, each.earned, each.max_points) for each in replay.questions] == [("sums", 1, 2)]
    assert replay.questions.summary() == []


def test_all_or_nothing() -> None:
    assert [each.earned for each in run("; minischeme: points 4\n> 1\n1\n> 2\n3\n").questions] == [0]


def test_what_is_not_run_earns_nothing() -> None:
    replay = run("; minischeme: points 1 each\n> 1\n1\n> (exit)\n> 2\n2\n")
    assert [each.earned for each in replay.questions] == [2]
    replay = run("; minischeme: points 1 each\n> (random 100)\nx\n> (begin (random 100) 5)\n6\n")
    assert [each.earned for each in replay.questions] == [0]


def test_the_limit_of_a_question() -> None:
    replay = Replay(Document("; minischeme: limit 0.2\n> (let loop () (loop))\n1\n> 2\n2\n"), Settings())
    endless, after = replay.run()
    assert endless.verdict is Verdict.ENDLESS
    assert "after 0.2 s" in endless.note
    assert after.verdict is Verdict.SAME


def test_scheme_files(tmp_path: Path) -> None:
    path = tmp_path / "t.scm"
    path.write_text(
        "; minischeme: points 2 each\n(+ 1 2)\n; expect 3\n; minischeme: question more\n; minischeme: points 4\n"
        "; minischeme: limit 0.2\n(let loop () (loop))\n; expect 1\n; minischeme: question last\n"
        "; minischeme: after more\n(+ 2 2)\n; expect 4\n"
    )
    file = opened(path, "t.scm", Settings())
    verdicts = [outcome.verdict for outcome in file.run()]
    assert verdicts == [Verdict.SAME, Verdict.ENDLESS, Verdict.NOT_RUN]
    assert [(each.name, each.earned, each.max_points) for each in file.questions] == [
        ("t", 2, 2),
        ("more", 0, 4),
        ("last", 0, 1),
    ]


@pytest.mark.parametrize(
    ("directive", "message"),
    [
        ("points many", "wants a number, and may say each, given many"),
        ("points", "wants an argument"),
        ("points -1", "wants a number"),
        ("visibility never", "wants visible, hidden, after-due-date or after-published"),
        ("limit soon", "wants a number of seconds"),
        ('after "question 1"', "there is no question question 1 before this one"),
        ("question", "wants an argument"),
    ],
)
def test_wrong_directives(directive: str, message: str) -> None:
    with pytest.raises(TranscriptError, match=f"t.txt:1: .*{message}"):
        Replay(Document(f"; minischeme: {directive}\n> 1\n1\n", "t.txt"))


def test_a_question_has_a_name_of_its_own() -> None:
    with pytest.raises(TranscriptError, match="there is a question a already"):
        run("; minischeme: question a\n> 1\n1\n; minischeme: question a\n> 2\n2\n")


def test_minischeme_test_shows_points(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.txt"
    path.write_text(TEXT)
    assert run_test([str(path)]) == 1
    shown = capsys.readouterr().out
    assert f"{path}: squares: 4 of 6 points\n{path}: cubes: 3 of 3 points\n" in shown
    assert shown.endswith("1 different, 1 not compared, 2 not run; 7.5 of 14.5 points\n")


def test_points_of() -> None:
    assert points_of(0.1 + 0.2, 1) == "0.3 of 1 point"


def test_the_example_in_the_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = (Path(__file__).parents[2] / "minischeme/GRADING.md").read_text(encoding="utf-8")
    example = "".join(line[4:] for line in document.splitlines(keepends=True) if line.startswith("    "))
    (tmp_path / "test.txt").write_text(example, encoding="utf-8")
    (tmp_path / "hw1.scm").write_text("(define (best-total hand) 19) (define (stop-at n) (lambda (hand up) #t))")
    assert run_test([str(tmp_path / "test.txt")]) == 1
    shown = capsys.readouterr().out
    assert "best-total: 2 of 2 points" in shown
    assert "stop-at: 0 of 3 points" in shown
