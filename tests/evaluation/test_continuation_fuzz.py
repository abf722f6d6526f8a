"""Random programs that enter continuations again, from everywhere and at any time, against an evaluator in
continuation-passing style.

The environment variable FUZZ_PROGRAMS says how many. `continuation_comparison` shows all that differ.
"""

from __future__ import annotations

import os
from collections import Counter

import pytest
from continuation_comparison import DIFFERENT, SAME, actual, compare, program
from cps_evaluator import ContinuationEvaluator

from minischeme.data.values import Value
from minischeme.evaluation.continuations import Continuations
from minischeme.runtime.resumption import Continuation

pytestmark = pytest.mark.slow

PROGRAMS = int(os.environ.get("FUZZ_PROGRAMS", "100"))

REDEFINITIONS = """
(define standard+ +)
(define (+ . numbers) (apply standard+ numbers))
(define (= a b) (eqv? a b))
(define (not x) (if x #f #t))
(define (list . elements) elements)
(define (pair? x) (and (not (null? x)) (not (number? x)) (not (boolean? x))))
(define standard-map map)
(define (map procedure . lists) (apply standard-map procedure lists))
(define standard-filter filter)
(define (filter test list) (standard-filter test list))
(define standard-member member)
(define (member . arguments) (apply standard-member arguments))
(define standard-fold-left fold-left)
(define (fold-left combine . others) (apply standard-fold-left combine others))
"""
"""The same procedures as before, but no longer the library's."""


@pytest.fixture(scope="module")
def evaluator() -> ContinuationEvaluator:
    return ContinuationEvaluator()


def test_what_is_entered_again_goes_on_as_the_evaluator_does(evaluator: ContinuationEvaluator) -> None:
    results: Counter[str] = Counter()
    for seed in range(PROGRAMS):
        result = compare(evaluator, program(seed))
        assert result != DIFFERENT, (seed, program(seed))
        results[result] += 1
    assert results[SAME] > 0.9 * PROGRAMS


def test_standard_names_may_be_defined_meanwhile(evaluator: ContinuationEvaluator) -> None:
    for seed in range(1000, 1000 + PROGRAMS // 16):
        assert compare(evaluator, program(seed), REDEFINITIONS) != DIFFERENT, (seed, program(seed))


def test_the_programs_do_enter_continuations_again(monkeypatch: pytest.MonkeyPatch) -> None:
    entered = []
    go_on = Continuations._go_on

    def noted(self: Continuations, continuation: Continuation, value: Value) -> Value:
        entered.append(continuation)
        return go_on(self, continuation, value)

    monkeypatch.setattr(Continuations, "_go_on", noted)
    for seed in range(10):
        actual(program(seed))
    assert len(entered) > 20
