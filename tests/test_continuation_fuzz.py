"""Random programs that enter continuations again, from everywhere and at any time, against an evaluator in
continuation-passing style."""

from __future__ import annotations

import random
from typing import NoReturn

import pytest
from continuation_programs import CONTINUATIONS, RESULT, ContinuationPrograms
from cps_evaluator import ContinuationEvaluator, Uncaught

from minischeme import Session
from minischeme.continuations import Continuations
from minischeme.errors import SchemeError
from minischeme.printer import write
from minischeme.suspension import Continuation
from minischeme.values import Value

REDEFINITIONS = """
(define standard+ +)
(define (+ . numbers) (apply standard+ numbers))
(define (= a b) (eqv? a b))
(define (not x) (if x #f #t))
(define (list . elements) elements)
(define (pair? x) (and (not (null? x)) (not (number? x)) (not (boolean? x))))
"""
"""The same procedures as before, but no longer the library's."""

ERROR = "error"


def expected(evaluator: ContinuationEvaluator, forms: list[str]) -> list[str]:
    """What is seen of a program: the value of each form, and the report after it."""
    evaluator.start_again()
    evaluator.run(CONTINUATIONS)
    seen = []
    for text in forms:
        try:
            seen.append(write(evaluator.run(text)))
        except Uncaught:
            seen.append(ERROR)
        seen.append(write(evaluator.run(RESULT)))
    return seen


def actual(forms: list[str], between: str = "") -> list[str]:
    """The same, of the program itself. Args: between: forms that run after the first one."""
    session = Session()
    session.eval(CONTINUATIONS)
    seen = []
    for text in forms:
        try:
            seen.append(write(session.eval(text)))
        except SchemeError:
            seen.append(ERROR)
        seen.append(write(session.eval(RESULT)))
        session.eval(between)
        between = ""
    return seen


@pytest.fixture(scope="module")
def evaluator() -> ContinuationEvaluator:
    return ContinuationEvaluator()


def program(seed: int) -> list[str]:
    random_ = random.Random(seed)
    return ContinuationPrograms(random_.randrange, random_.randrange(5, 45)).forms()


@pytest.mark.parametrize("first", range(0, 100, 25))
def test_what_is_entered_again_goes_on_as_the_evaluator_does(first: int, evaluator: ContinuationEvaluator) -> None:
    for seed in range(first, first + 25):
        forms = program(seed)
        assert actual(forms) == expected(evaluator, forms), (seed, forms)


def test_standard_names_may_be_defined_meanwhile(evaluator: ContinuationEvaluator) -> None:
    for seed in range(1000, 1006):
        forms = program(seed)
        assert actual(forms, REDEFINITIONS) == expected(evaluator, forms), (seed, forms)


def test_the_programs_do_enter_continuations_again(monkeypatch: pytest.MonkeyPatch) -> None:
    entered = []
    enter = Continuations.enter

    def noted(self: Continuations, continuation: Continuation, value: Value) -> NoReturn:
        entered.append(continuation)
        enter(self, continuation, value)

    monkeypatch.setattr(Continuations, "enter", noted)
    for seed in range(10):
        actual(program(seed))
    assert len(entered) > 20
