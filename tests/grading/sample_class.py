"""A class of submissions for tests of the grader: its tests, a right solution, and a judge."""

from __future__ import annotations

from minischeme.grading.judge import Judge, Result
from minischeme.grading.submissions import Job

TESTS = {
    "first.txt": """\
; minischeme: load hw1.scm
; minischeme: question "squares"
; minischeme: points 2
> (sq 3)
9
; minischeme: question "each"
; minischeme: points 1 each
> (sq 4)
16
> (sq 5)
25
; minischeme: question "hidden"
; minischeme: points 3
; minischeme: visibility hidden
> (sq 111)
12321
""",
    "second.scm": '(load "hw1.scm")\n; minischeme: points 1 each\n(sq 12)\n; expect 144\n',
}
GOOD = "(define (sq x) (* x x))"
ALL = {"squares": 2, "each": 2, "hidden": 3, "second": 1}

JUDGE = Judge()


def graded(program: str, limit: float = 1.0) -> Result:
    return JUDGE.grade(Job("one", {"hw1.scm": program.encode()}, [], TESTS, limit=limit))


def points(result: Result) -> dict[str, float]:
    return {question.name: question.points for question in result.questions}
