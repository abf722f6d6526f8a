"""The course's objects, as its interpreter answered (golden/errors_session.txt) and as the handouts use them."""

from __future__ import annotations

import pytest
from sessions import error_of

from minischeme import Session
from minischeme.printer import write

COUNTER = """
(define-class (counter start)
  (instance-vars (n start))
  (class-vars (total 0))
  (initialize (set! total (+ total 1)))
  (method (next) (set! n (+ n 1)) n)
  (method (add x) (set! n (+ n x)) n))
"""
SUB = """
(define-class (sub x)
  (parent (counter 10))
  (method (next) (se 'sub (usual 'next)))
  (default-method (se message args)))
"""


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (
            "(define c (instantiate counter 5)) (list (ask c 'next) (ask c 'n) (ask c 'start) (ask c 'add 4))",
            "(6 6 5 10)",
        ),
        ("(instantiate counter 1) (instantiate counter 2) (ask counter 'total)", "2"),
        ("(define c (instantiate counter 1)) (ask c 'total)", "1"),
        ("(define d (instantiate sub 1)) (ask d 'next)", "(sub 11)"),
        ("(define d (instantiate sub 1)) (list (ask d 'zork 1 2) (ask d 'x) (ask d 'n))", "((zork 1 2) 1 10)"),
        ("(define-class (me) (method (who) self)) (define m (instantiate me)) (eq? (ask m 'who) m)", "#t"),
        # self is the whole object, also in the method of a parent
        (
            "(define-class (shape) (method (describe) (word 'a- (ask self 'kind))) (method (kind) 'shape))"
            "(define-class (circle) (parent (shape)) (method (kind) 'circle)) (ask (instantiate circle) 'describe)",
            "a-circle",
        ),
        # two levels, and a parent's arguments computed from one's own
        (
            "(define-class (a x) (method (get) x)) (define-class (b y) (parent (a (* y 2))))"
            "(define-class (c z) (parent (b (+ z 1))) (method (get) (list 'c (usual 'get))))"
            "(ask (instantiate c 4) 'get)",
            "(c 10)",
        ),
        ("(define-class (p) (instance-vars (a 1) (b (+ a 1)))) (ask (instantiate p) 'b)", "2"),
        ("(define-class (v . rest) (method (get) rest)) (ask (instantiate v 1 2) 'get)", "(1 2)"),
        # the program's own names for what the definition uses do not matter
        ("(define (list . x) 'mine) (define (apply . x) 'mine) (ask (instantiate sub 1) 'next)", "(sub 11)"),
    ],
)
def test_objects(program: str, expected: str) -> None:
    assert write(Session().eval(COUNTER + SUB + program)) == expected


def test_how_classes_and_objects_show() -> None:
    session = Session()
    assert write(session.eval(COUNTER)) == "counter"
    assert write(session.eval("counter")).startswith("#[closure arglist=(class-message) ")
    assert write(session.eval("(instantiate counter 5)")).startswith("#[closure arglist=(message) ")


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("(ask (instantiate counter 5) 'foo)", "No method foo in class counter"),
        ("(ask counter 'foo)", "No method foo in class counter"),
        ("(define-class (k) (method (m) (usual 'm))) (ask (instantiate k) 'm)", "No usual method m"),
        ("(ask 5 'foo)", "ask: not an object: 5"),
        ("(instantiate 5)", "instantiate: not a class: 5"),
        ("(instantiate counter)", "too few arguments to: (counter)"),
        ("(ask (instantiate counter 5) 'add)", "too few arguments to: (add)"),
        ("(define-class (k) (instance-vars (n 1 2)))", "bad clause of instance-vars: (n 1 2)"),
        ("(define-class (k) (method (m)))", "bad clause: (method (m))"),
        ("(define-class (k) (method (m 5) 1))", "bad clause: (method (m 5) 1)"),
        ("(define-class (k) (methods (m) 1))", "bad clause: (methods (m) 1)"),
        ("(define-class k (method (m) 1))", "define-class: bad syntax"),
        ("(define-class (k) (instance-vars n))", "bad clause of instance-vars: n"),
    ],
)
def test_misuse(program: str, message: str) -> None:
    assert message in str(error_of(COUNTER + program))


@pytest.mark.parametrize(
    ("program", "blamed"),
    [
        ("(define-class (k) (method (m x) (+ 1 (car x)))) (ask (instantiate k) 'm 5)", "x"),
        ("(define-class (k x) (instance-vars (v (vector-ref x 0)))) (instantiate k 5)", "x"),
        ("(define-class (k) (initialize (display 1) (zork))) (instantiate k)", "zork"),
        ("(define-class (k) (default-method (zork))) (ask (instantiate k) 'm)", "zork"),
        ("(define-class (k x) (parent (counter (zork x)))) (instantiate k 5)", "zork"),
        ("(define c (instantiate counter 5)) (+ 1 (ask c 'foo))", "(ask c 'foo)"),
    ],
)
def test_an_error_is_shown_where_it_happened(program: str, blamed: str) -> None:
    error = error_of(COUNTER + program)
    assert error.span is not None
    assert error.span.text == blamed
