"""Code that was replaced because its assumptions ended, while it still runs."""

from __future__ import annotations

from collections.abc import Iterator
from types import CodeType, FunctionType

import pytest
from sessions import depth, value

from minischeme import Session
from minischeme.compiler import entry_stubs
from minischeme.data.errors import SchemeError, report

CHANGES = {
    "an alias": "(define g twice-of)",
    "one that leaves a tail call pending": "(define (g x) (apply twice-of (list x)))",
    "an assignment": "(set! g twice-of)",
    "what it calls": "(define (inner x) (apply twice-of (list x)))",
}
CHANGING = """
(define (twice-of x) (apply * (list 2 x)))
(define (inner x) (* 2 x))
(define (g x) (inner x))
(define (change form) (eval form user-initial-environment))
"""


@pytest.mark.parametrize("second", CHANGES)
@pytest.mark.parametrize("first", CHANGES)
def test_what_is_defined_anew_twice_under_a_call_that_waits(first: str, second: str) -> None:
    session = Session()
    session.eval(CHANGING)
    session.eval(f"(define (main x) (change '{CHANGES[first]}) (change '{CHANGES[second]}) (list (+ 1 (g x)) (g x)))")
    assert value(session, "(main 5)") == "(11 10)"


@pytest.mark.parametrize("second", CHANGES)
@pytest.mark.parametrize("first", CHANGES)
def test_a_procedure_made_by_code_that_was_replaced_meanwhile(first: str, second: str) -> None:
    session = Session()
    session.eval(CHANGING)
    session.eval(f"(define (main) (change '{CHANGES[first]}) (lambda (x) (list (+ 1 (g x)) (g x))))")
    session.eval("(define made (main))")
    assert value(session, "(made 5)") == "(11 10)"
    session.eval(CHANGES[second])
    assert value(session, "(made 5)") == "(11 10)"


def test_what_is_imported_under_a_call_that_waits_and_assigned_there() -> None:
    session = Session()
    session.eval(CHANGING)
    session.eval(
        """(define-library (other) (export g set-g!) (import (scheme base))
             (begin (define (g x) x) (define (set-g!) (set! g (lambda (x) (apply * (list 2 x)))))))"""
    )
    session.eval("(define (main x) (change '(import (other))) (change '(set-g!)) (list (+ 1 (g x)) (g x)))")
    assert value(session, "(main 5)") == "(11 10)"


@pytest.mark.parametrize("done", range(3))
def test_an_interrupt_while_code_is_invalidated(done: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What has an entry stub by then must fit what has not, and the rest follows."""
    session = Session()
    session.eval(CHANGING)
    session.eval("(define (outer x) (list (+ 1 (g x)) (g x))) (outer 5)")
    functions_of = entry_stubs.functions_of

    def interrupted(codes: list[CodeType]) -> Iterator[FunctionType]:
        yield from functions_of(codes)[:done]
        raise KeyboardInterrupt

    with monkeypatch.context() as context:
        context.setattr(entry_stubs, "functions_of", interrupted)
        with pytest.raises(KeyboardInterrupt):
            session.eval("(set! inner twice-of)")
    assert value(session, "(outer 5)") == "(11 10)"
    session.eval(CHANGES["what it calls"])
    assert value(session, "(outer 5)") == "(11 10)"
    session.eval("(set! inner twice-of)")
    assert value(session, "(outer 5)") == "(11 10)"


def test_the_number_of_calls_in_a_trail_with_tail_calls_between() -> None:
    session = Session()
    session.eval("(define (down n) (if (= n 0) (car n) (+ 1 (by n)))) (define (by n) (down (- n 1)))")
    with pytest.raises(SchemeError) as caught:
        session.eval("(down 5000)")
    assert "(5000 times)" in report(caught.value)


def test_tail_calls_need_no_stack_of_what_was_defined_anew_under_a_call_that_waited() -> None:
    session = Session()
    session.define("depth", depth)
    session.eval(CHANGING)
    session.eval("(define (b n) (a (- n 1))) (define (a n) n)")
    session.eval("(define (main n) (change '(define (a n) (if (= n 0) (depth) (b n)))) (list (a n)))")
    session.eval("(main 5)")
    assert abs(session.eval("(a 100)") - session.eval("(a 5)")) < 5


def test_an_alias_is_the_same_procedure() -> None:
    session = Session()
    session.eval(CHANGING)
    session.eval("(define (main x) (change '(define g twice-of)) (+ 1 (g x)))")
    assert value(session, "(main 5)") == "11"
    assert value(session, "(eq? g twice-of)") == "#t"
