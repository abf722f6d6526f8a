"""Integrated primitives mean the same as the library's, and nothing once the program has another meaning for a name."""

from __future__ import annotations

import pytest

from minischeme import SchemeError, Session
from minischeme.printer import write


@pytest.mark.parametrize(
    ("argument", "result"),
    [("-5", "5"), ("5", "5"), ("-2.5", "2.5"), ("-0.0", "0.0"), ("(/ -1 2)", "1/2"), ('"-7"', "7"), ("(- 3 7)", "4")],
)
def test_abs(argument: str, result: str) -> None:
    session = Session()
    assert write(session.eval(f"(define (f x) (abs x)) (f {argument})")) == result
    assert write(session.eval(f"(abs {argument})")) == result


@pytest.mark.parametrize("argument", ["'a", "car", "'(1)", "#t"])
def test_abs_of_no_number(argument: str) -> None:
    with pytest.raises(SchemeError, match=r"^abs: bad number: "):
        Session().eval(f"(define (f x) (abs x)) (f {argument})")


def test_abs_is_the_programs_own_after_a_definition() -> None:
    session = Session()
    session.eval("(define (f x) (abs (- x 1)))")
    assert session.eval("(f -4)") == 5
    session.eval("(define (abs x) (* x 100))")
    assert session.eval("(f -4)") == -500


def test_a_list_is_made_of_its_elements_in_order() -> None:
    session = Session()
    session.eval("(define seen '()) (define (see x) (set! seen (cons x seen)) x)")
    session.eval("(define (f x) (list (see 1) x (see 2) (+ x 1)))")
    assert write(session.eval("(f 5)")) == "(1 5 2 6)"
    assert write(session.eval("seen")) == "(2 1)"
    session.eval("(define (list . elements) 'other)")
    assert write(session.eval("(f 5)")) == "other"


def test_a_sum_is_no_sure_number_once_plus_is_redefined() -> None:
    session = Session()
    session.eval("(define (same? a b) (= (+ a 1) (- b 1)))")
    assert write(session.eval("(same? 1 3)")) == "#t"
    session.eval("(define (+ a b) 'no-number)")
    with pytest.raises(SchemeError, match="no-number"):
        session.eval("(same? 1 3)")
