"""The judge of submissions: no program touches the result of another, or learns of hidden tests."""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import NamedTuple

import pytest
from grading.sample_class import ALL, GOOD, JUDGE, TESTS, graded, points

from minischeme.grading import judge, layers, sandbox
from minischeme.grading.judge import GradedEvaluator, Judge, Result
from minischeme.grading.sandbox import Sandbox, SandboxEvaluator, process_sandbox
from minischeme.grading.submissions import Job
from minischeme.transcripts.comparison import Comparison, Match
from minischeme.transcripts.evaluator import Output
from minischeme.transcripts.questions import Question

if sys.platform != "linux":
    pytest.skip("the sandbox has its layers on Linux only", allow_module_level=True)


def test_a_good_submission() -> None:
    result = graded(GOOD)
    assert points(result) == ALL
    assert (result.points, result.max_points, result.problems, result.error) == (8, 8, [], "")


class Hostile(NamedTuple):
    program: str
    points: dict[str, int]
    layer: str  # of `OFF`


ONE_WRONG = {**ALL, "each": 1}
"""The points where one interaction is wrong, and no other is touched by that."""

HOSTILE = {
    "an exit at the end": Hostile(GOOD + " (exit 0)", ALL, "load"),
    "an error at the end": Hostile(GOOD + " (car 5)", ALL, "load"),
    "a loop at the end": Hostile(GOOD + " (let loop () (loop))", ALL, "load"),
    "an exit at the beginning": Hostile("(exit 0) " + GOOD, {}, "verdicts"),
    "an exit in a procedure": Hostile("(define (sq x) (exit 0))", {}, "verdicts"),
    "a result file": Hostile(
        '(call-with-output-file "results.json" (lambda (p) (display "{}" p))) (define (sq x) 0)', {}, "verdicts"
    ),
    "an exit for one argument": Hostile(
        f"{GOOD} (define s sq) (define (sq x) (if (= x 4) (exit 0) (s x)))", ONE_WRONG, "exit"
    ),
    "text that looks like a prompt": Hostile(
        '(define (sq x) (display "> (sq 3)\n9\n> (sq 4)\n16\n") (* x x))', {"second": 1}, "comparison"
    ),
    "text that looks like the rest": Hostile(
        '(define (sq x) (display "9\n; minischeme: question x\n> 1\n1\n") 9)', {}, "comparison"
    ),
    "an error's title": Hostile('(define (sq x) (display "*** Error:\n    9") (car 9))', {}, "comparison"),
    "all numbers": Hostile(
        "(define (sq x) (for-each (lambda (n) (display n) (newline)) '(9 16 25)) 9)", {}, "comparison"
    ),
    "wildcards": Hostile("(define (sq x) '...)", {}, "comparison"),
    "a loop while loading": Hostile("(let loop () (loop))", {}, "limit"),
    "a loop for one argument": Hostile("(define (sq x) (if (= x 4) (let l () (l)) (* x x)))", ONE_WRONG, "limit"),
    "a loop in an after thunk": Hostile(
        "(define (sq x) (dynamic-wind list (lambda () (* x x)) (lambda () (if (= x 4) (let l () (l))))))",
        ONE_WRONG,
        "limit",
    ),
    "memory for one argument": Hostile(
        "(define (sq x) (if (= x 4) (make-vector 150000000 1)) (* x x))", ONE_WRONG, "rlimits"
    ),
    "output for one argument": Hostile(
        '(define (sq x) (if (= x 4) (let l ((i 0)) (display "4") (if (< i 150000) (l (+ i 1))))) (* x x))',
        ONE_WRONG,
        "output",
    ),
    "reading the tests": Hostile('(define (sq x) (call-with-input-file "{secret}" read))', {}, "landlock"),
    "an error that breaks the line": Hostile(
        '(define (sq x) (* x x)) (error "x\nbob  8 of 8 points\n")', ALL, "printable"
    ),
}


def contains(self: Comparison, outputs: list[Output]) -> Match:
    """The comparison of a naive grader: all expected lines occur, or the other way round."""
    text = "".join(output.text for output in outputs)
    lines = self._document.lines[self._start : self._boundary]
    fits = all(line in text for line in lines) or "..." in text
    return Match(self._boundary, 0 if fits else 1, tuple(lines))


OFF: dict[str, tuple[object, str, object]] = {
    "load": (GradedEvaluator, "load", SandboxEvaluator.load),
    "exit": (GradedEvaluator, "evaluate", SandboxEvaluator.evaluate),
    "verdicts": (Question, "right_count", property(lambda question: len(question.verdicts))),
    "comparison": (Comparison, "match", contains),
    "output": (sandbox, "MOST_OUTPUT", 1 << 40),
    "printable": (judge, "printable", str),
}
"""How layers are switched off; the others are those of the sandbox, and the limit."""


def judged(
    attack: Hostile, box: Sandbox, secret: Path, limit: float = 1, file_limit: float = 60
) -> tuple[Result, float]:
    program = attack.program.replace("{secret}", str(secret)).encode()
    began = time.monotonic()
    result = judge.grade(Job("one", {"hw1.scm": program}, [], TESTS, limit=limit, file_limit=file_limit), box)
    return result, time.monotonic() - began


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "secret"
    path.write_text("9\n")
    return path


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_programs(name: str, secret: Path) -> None:
    attack = HOSTILE[name]
    _, idle = judged(Hostile(GOOD, ALL, ""), process_sandbox(), secret)
    result, seconds = judged(attack, process_sandbox(), secret)
    assert not result.error
    assert not any("\n" in problem for problem in result.problems)
    assert points(result) == {question: attack.points.get(question, 0) for question in ALL}
    assert ("after it printed" in result.questions[1].feedback) is (attack.layer == "output")
    # For each file its limit and a second, and what a busy machine needs.
    assert seconds < len(TESTS) * (1 + 1) + 100 * idle


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_harm_without_the_layer(name: str, secret: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    attack = HOSTILE[name]
    box, limit = process_sandbox(), 2.0
    if attack.layer in OFF:
        monkeypatch.setattr(*OFF[attack.layer])
    elif attack.layer in layers.LAYERS:
        box = Sandbox([layer for layer in layers.LAYERS if layer not in ("user", attack.layer)])
        limit = 60.0
    result, seconds = judged(attack, box, secret, limit, file_limit=2 if attack.layer == "load" else 60)
    if attack.layer == "limit":
        assert seconds >= limit
    elif attack.layer == "printable":
        assert any("\n" in problem for problem in result.problems)
    elif attack.layer == "output":
        assert "after it printed" not in result.questions[1].feedback
    else:
        assert points(result) != {question: attack.points.get(question, 0) for question in ALL}


def flood(text: str) -> str:
    return f"(define (flood i) (if (< i 6000) (begin (display {text}) (flood (+ i 1)))))"


ODD = {
    "nothing": ("", {}),
    "recursion for one argument": ("(define (sq x) (if (= x 4) (+ 1 (sq x)) (* x x)))", ONE_WRONG),
    "the comparison's procedures": (GOOD + " (define (equal? a b) #t) (define (newline) 1) (define display list)", ALL),
    "random numbers": ("(define (sq x) (random 100))", {}),
    "an unreadable file": ("(define (sq x) (* x x)) (((", ALL),
    "bytes that are no text": (GOOD + ' (display "\udcff")', ALL),
    "a flood of prompts for one argument": (
        flood('"> (sq 4)\n16\n"') + " (define (sq x) (if (= x 4) (flood 0)) (* x x))",
        ONE_WRONG,
    ),
    "a flood of blank lines and prompts": (
        flood('"\n> \n"') + " (define (sq x) (flood 0) (* x x))",
        {"second": 1},
    ),
    "a question": ("(define (sq x) (read-line) (read) (* x x))", ALL),
}
"""Programs that no layer has to stop; what floods cost is measured in test_comparison_cost.py."""


@pytest.mark.slow
@pytest.mark.parametrize("name", ODD)
def test_odd_programs(name: str) -> None:
    program, expected = ODD[name]
    job = Job("one", {"hw1.scm": program.encode(errors="surrogateescape")}, [], TESTS, limit=10, file_limit=100)
    result = JUDGE.grade(job)
    assert not result.error
    assert points(result) == {question: expected.get(question, 0) for question in ALL}


def test_the_judge_ends_what_keeps_it_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("minischeme.grading.judge._SPARE", -10.0)
    judge = Judge()
    slow = Job("slow", {"hw1.scm": b"(let loop () (loop))"}, [], {"a.txt": TESTS["first.txt"]}, limit=5, file_limit=6)
    result = judge.grade(slow)
    assert (result.error, result.is_transient) == ("it could not be graded: it took too long", True)
    monkeypatch.undo()
    assert judge.grade(Job("good", {"hw1.scm": GOOD.encode()}, [], TESTS)).points == 8
    judge.close()


def test_nothing_is_left_in_the_temporary_folder() -> None:
    program = f"(define (sq x) (sq x)) ; {os.urandom(8).hex()}"

    def folders() -> list[Path]:
        """The folders of this program alone: other tests run at the same time."""
        found = Path(tempfile.gettempdir()).glob("minischeme-*/*/hw1.scm")
        return [path.parent for path in found if path.read_text() == program]

    judge = Judge()
    job = Job("slow", {"hw1.scm": program.encode()}, [], TESTS, limit=30)
    busy = threading.Thread(target=judge.grade, args=[job])
    busy.start()
    deadline = time.monotonic() + 100
    while not folders() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert folders()
    judge.close()
    busy.join()
    assert not folders()


def test_feedback_does_not_show_other_questions() -> None:
    result = graded('(define (sq x) (display "> \n\n> \n") 7)')
    visible = "".join(each.feedback for each in result.questions if each.visibility == "visible")
    assert "> (sq 5)" in visible
    assert "+7" in visible
    assert "111" not in visible
    assert "12321" not in visible
    assert "hidden" not in visible


def test_feedback_is_in_the_words_of_minischeme_test() -> None:
    feedback = graded("(define (sq x) (+ x x))").questions[0].feedback
    assert feedback.splitlines()[:3] == ["first.txt:4: (sq 3)", "--- first.txt", "+++ first.txt (now)"]
    assert "\n-9\n+6" in feedback


def test_what_was_defined_before_an_error_counts() -> None:
    result = graded(GOOD + " (car 5)")
    assert points(result) == ALL
    assert result.problems[0] == "first.txt: hw1.scm: car: wrong type of argument: 5"
