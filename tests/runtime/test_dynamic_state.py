"""Winds are left and entered in order when a continuation goes from one ``dynamic-wind`` to another."""

from __future__ import annotations

import pytest

from minischeme import Session

DEFINITIONS = """
(define log '())
(define (note x) (set! log (cons x log)))
(define (winding name thunk)
  (dynamic-wind (lambda () (note (list 'in name))) thunk (lambda () (note (list 'out name)))))
(define k #f)
(define again? #t)
(define (save) (call/cc (lambda (here) (set! k here))) (note 'here))
(define (go) (if again? (begin (set! again? #f) (k 'again))))
"""


@pytest.mark.parametrize(
    ("saved", "left", "expected"),
    [
        ("(winding 'a save)", "(winding 'b go)", "(in a) here (out a) (in b) (out b) (in a) here (out a)"),
        (
            "(winding 'a (lambda () (winding 'b save)))",
            "(winding 'c (lambda () (winding 'd go)))",
            "(in a) (in b) here (out b) (out a) (in c) (in d) (out d) (out c) (in a) (in b) here (out b) (out a)",
        ),
        (
            "(winding 'a save)",
            "(winding 'b (lambda () (winding 'c go)))",
            "(in a) here (out a) (in b) (in c) (out c) (out b) (in a) here (out a)",
        ),
    ],
)
def test_an_earlier_wind_is_entered_again_from_a_later_one(saved: str, left: str, expected: str) -> None:
    session = Session()
    session.eval(DEFINITIONS)
    session.eval(saved)
    session.eval(left)
    assert str(session.eval("(reverse log)")) == f"({expected})"


def test_only_the_winds_between_siblings_are_left_and_entered() -> None:
    session = Session()
    session.eval(DEFINITIONS)
    session.eval("(winding 'outer (lambda () (winding 'a save) (winding 'b go)))")
    events = "(in outer) (in a) here (out a) (in b) (out b) (in a) here (out a) (in b) (out b) (out outer)"
    assert str(session.eval("(reverse log)")) == f"({events})"
