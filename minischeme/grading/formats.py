"""The results in the formats of grading platforms.

What students are not to see at once is told to those platforms that can keep it back, and left out for the others.
"""

import json
import os
from collections.abc import Callable, Sequence
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

import msgspec

from minischeme import __version__
from minischeme.grading.judge import QuestionResult, Result

JsonObject = dict[str, Any]
_NO_XML = str.maketrans({chr(code): "\ufffd" for code in (*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF)})
_IDENTITY = ("classroom", "assignment", "submission", "commit", "release", "review", "datetime")


def _shown(result: Result) -> list[QuestionResult]:
    return [question for question in result.questions if question.visibility == "visible"]


def _summary(result: Result) -> str:
    """A text for the student, which says nothing of what is not shown."""
    shown = _shown(result)
    lines = [f"{sum(question.passed for question in shown)} of {len(shown)} questions that are shown are right."]
    if len(shown) < len(result.questions):
        lines.append(f"Not shown here: {len(result.questions) - len(shown)} more.")
    return "\n".join([*lines, *result.problems])


def gradescope(result: Result) -> JsonObject:
    """The object for Gradescope; the score is the sum of the tests'."""
    if result.error:
        return {"score": 0, "output": f"This could not be graded: {result.error}", "stdout_visibility": "hidden"}
    tests = [
        {
            "name": question.title,
            "score": question.points,
            "max_score": question.max_points,
            "status": "passed" if question.passed else "failed",
            "visibility": question.visibility.replace("-", "_"),
            "output": question.feedback,
        }
        for question in result.questions
    ]
    facts = {"output": _summary(result), "execution_time": result.seconds, "stdout_visibility": "hidden"}
    return {**facts, "tests": tests, **({"leaderboard": result.leaderboard} if result.leaderboard else {})}


def prairielearn(result: Result) -> JsonObject:
    """The object for PrairieLearn; it has no tests that are hidden, but they count."""
    if result.error:
        return {"gradable": False, "format_errors": [result.error]}
    tests = [
        {"name": each.title, "points": each.points, "max_points": each.max_points, "output": each.feedback}
        for each in _shown(result)
    ]
    score = result.points / result.max_points if result.max_points else 0
    return {"gradable": True, "score": score, "message": _summary(result), "tests": tests}


def classroom50(result: Result) -> JsonObject:
    """The object for Classroom 50, whose points are whole numbers; who it is for comes from the environment."""
    tests: list[JsonObject] = []
    for number, question in enumerate(result.questions, 1):
        name = question.title if question.visibility == "visible" else f"question {number}"
        points = {"score": int(question.points), "max-score": int(question.max_points)}
        tests.append({"test-name": name, "passed": question.passed, **points})
    if result.error:
        tests.append({"test-name": f"not graded: {result.error}", "passed": False, "score": 0, "max-score": 0})
    totals = {key: sum(test[key] for test in tests) for key in ("score", "max-score")}
    identity = {name: os.environ.get(name.upper(), "") for name in _IDENTITY}
    return {"schema": "classroom50/result/v1", **identity, **totals, "tests": tests}


def check50(result: Result) -> JsonObject:
    """The object that check50 writes; skipped are questions that build on one that fails, and those that are hidden."""
    unread = QuestionResult("submission", "readable", 0, 0, "visible", 0, 1, f"not graded: {result.error}")
    questions = [unread] if result.error else _shown(result)
    if hidden := len(result.questions) - len(_shown(result)):
        note = f"Not shown here: {hidden} more."
        questions.append(QuestionResult("submission", "hidden", 0, 0, "visible", 0, hidden, note, is_skipped=True))
    results = [
        {
            "name": question.title,
            "description": question.score,
            "passed": None if question.is_skipped else question.passed,
            "log": question.feedback.splitlines(),
            "cause": None if question.passed else {"rationale": question.feedback.partition("\n")[0], "help": None},
            "data": {},
            "dependency": f"{question.test}: {question.after}" if question.after else None,
        }
        for question in questions
    ]
    return {"slug": result.name, "version": __version__, "results": results}


def junit(results: Sequence[Result]) -> str:
    """JUnit XML, a test suite for each submission."""
    root = Element("testsuites")
    for result in results:
        name = result.name.translate(_NO_XML)
        suite = SubElement(root, "testsuite", name=name, time=f"{result.seconds}")
        if result.error:
            case = SubElement(suite, "testcase", classname=name, name="submission")
            SubElement(case, "error", message=result.error.translate(_NO_XML))
        for question in result.questions:
            case = SubElement(suite, "testcase", classname=question.test, name=question.name, time="0")
            if not question.passed:
                problem = SubElement(case, "skipped" if question.is_skipped else "failure", message=question.score)
                problem.text = question.feedback.translate(_NO_XML)
        for key, kind in {"tests": "", "failures": "/failure", "errors": "/error", "skipped": "/skipped"}.items():
            suite.set(key, f"{len(suite.findall(f'testcase{kind}'))}")
    indent(root)
    return tostring(root, encoding="unicode", xml_declaration=True) + "\n"


FOR_ONE: dict[str, Callable[[Result], JsonObject]]
FOR_ONE = {each.__name__: each for each in (gradescope, prairielearn, classroom50, check50)}
"""The formats for one submission."""

FORMATS = (*FOR_ONE, "junit", "json")


def formatted(kind: str, results: Sequence[Result]) -> str:
    """The text of results in a format; those for one submission take the first result."""
    if kind == "junit":
        return junit(results)
    if kind == "json":
        return msgspec.json.format(msgspec.json.encode(results)).decode() + "\n"
    return json.dumps(FOR_ONE[kind](results[0]), indent=2) + "\n"
