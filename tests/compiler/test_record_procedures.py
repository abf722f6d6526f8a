"""Calls of a record type's procedures are inline, and nobody may notice, whatever is defined anew, and whenever."""

from __future__ import annotations

from pathlib import Path

import pytest
from sessions import value

from minischeme import SchemeError, Session
from minischeme.data.errors import report
from minischeme.data.printer import write

POINT = "(define-record-type point (make-point x y) point? (x point-x set-point-x!) (y point-y))"
USES = """
(define (f p) (set-point-x! p (+ 1 (point-x p))) (list (point-x p) (point-y p) (if (point? p) 'yes 'no)))
(define (g p) (if (point? p) (point-x p) 'other))
(define (h p) (point-x (identity p)))
"""


def session() -> Session:
    new = Session()
    new.eval(POINT + USES + "(define p (make-point 1 2))")
    return new


def calls(session: Session, name: str) -> bool:
    """Whether a procedure's code names one of the record type's procedures."""
    session.eval(f"(catch ({name} p))")
    return any("point" in each for each in session.globals[name].__code__.co_names)


def test_calls_are_inline() -> None:
    new = session()
    assert not any(calls(new, name) for name in "fgh")
    assert value(new, "(list (f p) (g p) (g 5) (h p))") == "((3 2 yes) 3 other 3)"


@pytest.mark.parametrize("culprit", ["5", "'a", "'(1 2)", "car", "(make-other 1)"])
@pytest.mark.parametrize("call", ["(f {})", "(h {})", "(point-x {})", "(apply point-x (list {}))"])
def test_what_is_of_another_type_is_blamed_as_by_the_procedure(call: str, culprit: str) -> None:
    new = session()
    new.eval("(define-record-type other (make-other x) other? (x other-x))")
    with pytest.raises(SchemeError) as caught:
        new.eval(call.format(culprit))
    assert str(caught.value).startswith(f"point-x: not a point: {'#[' if '(make' in culprit else ''}")
    text = report(caught.value)
    assert "point-x" in text
    assert ("in f at" in text) == call.startswith("(f")


@pytest.mark.parametrize(
    ("later", "result"),
    [
        ("(define (point-x p) 'mine)", "mine"),
        ("(define point-x point-y)", "2"),
        ("(define (change) (set! point-x point-y)) (change)", "2"),
        ("(set! point-x (lambda (p) 'set))", "set"),
        (POINT + "(define p (make-point 7 8))", "7"),
        ("(define-record-type point (make-point y x) point? (y point-y) (x point-x)) (define p (make-point 7 8))", "8"),
        ("(define (point? x) #f)", "other"),
        ("(eval '(define point-x point-y) (the-environment))", "2"),
    ],
)
def test_what_is_defined_anew(later: str, result: str) -> None:
    new = session()
    assert value(new, "(g p)") == "1"
    new.eval(later)
    assert value(new, "(g p)") == result
    assert (
        value(new, "(let loop ((i 0) (all '())) (if (= i 2) all (loop (+ i 1) (cons (g p) all))))")
        == f"({result} {result})"
    )


def test_what_is_bound_from_outside() -> None:
    new = session()
    assert value(new, "(g p)") == "1"
    new.define("point-x", lambda p: 5)
    assert value(new, "(g p)") == "5"


def test_a_loop_goes_on_with_what_was_loaded_meanwhile(tmp_path: Path) -> None:
    file = tmp_path / "again.scm"
    file.write_text(POINT + "(set! p (make-point 50 60))")
    new = session()
    new.eval(f'(define (first n) (if (= n 2) (load "{file}")) (point-x p))')
    new.eval("(define (run n) (if (= n 0) (list (point-x p)) (let ((x (first n))) (cons x (run (- n 1))))))")
    assert value(new, "(run 3)") == "(1 50 50 50)"


def test_traced_procedures_are_called() -> None:
    new = session()
    assert value(new, "(g p)") == "1"
    new.eval("(trace point-x)")
    assert calls(new, "g")
    new.eval("(untrace point-x)")
    assert value(new, "(g p)") == "1"


def test_a_call_is_resumed_with_its_fields() -> None:
    new = session()
    new.eval("(define k #f) (define (next) (call/cc (lambda (c) (set! k c) 1)))")
    new.eval("(define (change p) (set-point-x! p (+ (point-y p) (next))) (point-x p))")
    assert value(new, "(change p)") == "3"
    assert value(new, "(k 5)") == "7"
    new.eval("(define (point-y p) 100)")
    assert value(new, "(k 5)") == "7"
    assert value(new, "(change p)") == "101"


def test_a_wrong_number_of_operands() -> None:
    new = session()
    for call in ("(point-x)", "(point-x p p)", "(set-point-x! p)"):
        new.eval(f"(define (wrong) {call})")
        with pytest.raises(SchemeError, match=r"^too (few|many) arguments to: "):
            new.eval("(wrong)")


def test_records_of_a_library() -> None:
    new = Session("r7rs")
    new.eval(
        f"(define-library (shapes) (import (scheme base)) (export make-point point-x set-point-x!) (begin {POINT}))"
    )
    new.eval("(import (scheme base) (shapes))")
    new.eval("(define (f p) (set-point-x! p 9) (point-x p))")
    assert write(new.eval("(f (make-point 1 2))")) == "9"
    with pytest.raises(SchemeError, match="point-x: not a point: 5"):
        new.eval("(point-x 5)")
