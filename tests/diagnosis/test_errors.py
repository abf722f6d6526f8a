"""What errors say, wherever the mistake is made, and of which class they are.

Where they are said to have happened is in `test_error_places`, how they are shown in `test_error_reports`, what is
advised in `test_error_hints`.
"""

from __future__ import annotations

import sys
from types import FrameType

import pytest
from sessions import error_in, error_of
from tables import cases

from minischeme import Session
from minischeme.data.errors import ReadError, ScmSyntaxError, UnfinishedInput, UserError

MESSAGES = r"""
    (first '()) → Invalid argument to FIRST: ()
    (first "") → Invalid argument to FIRST: ""
    (last '()) → Invalid argument to LAST: ()
    (bf "") → Invalid argument to BUTFIRST: ""
    (butfirst '()) → Invalid argument to BUTFIRST: ()
    (bl '()) → Invalid argument to BUTLAST: ()
    (word 'a '()) → Invalid argument to WORD: ()
    (se 'a #t) → Argument to SENTENCE not a word or sentence: #t
    (item 0 'abc) → Invalid first argument to ITEM (must be positive): 0
    (item 5 'abc) → No such item: 5 abc
    (member? 'at 'cat) → Invalid arguments to MEMBER?: at cat
    (before? '(a) 'b) → Invalid first argument to BEFORE? (not a word): (a)
    (every 3 '(1 2)) → Invalid first argument to EVERY (not a procedure): 3
    (keep even? #t) → Bad second argument to KEEP (not a word or sentence): #t
    (accumulate max '()) → Can't accumulate empty input with that combiner: #[subr max]
    (show-line 'a) → Invalid argument to SHOW-LINE (not a list): a
    zot → unbound variable: zot
    (zot 1) → unbound variable: zot
    (set! zot 1) → set!: variable not defined: zot
    (3 4) → eval: bad function in : (3 4)
    ("f" 1) → eval: bad function in : ("f" 1)
    ((+ 1 2)) → eval: bad function in : ((+ 1 2))
    (apply 5 '(1)) → apply: not a procedure: 5
    (bf 3 5) → too many arguments to: (bf 3 5)
    (let ((f (lambda (x) x))) (f)) → too few arguments to: (f)
    ((lambda (x) x)) → too few arguments to: ((lambda (x) x))
    (car 5) → car: wrong type of argument: 5
    (cdr '()) → cdr: wrong type of argument: ()
    (cadr '(1)) → cadr: bad list: (1)
    (set-car! 5 1) → set-car!: wrong type of argument: 5
    (+ 'a 1) → +: not a number: a
    (+ 1 2 "x") → +: not a number: "x"
    (- 'a) → -: not a number: a
    (< 'a 1) → Bad number in a comparison: (a 1)
    (= "x" 1) → Bad number in a comparison: ("x" 1)
    (/ 1 0) → /: not a valid number: 0
    (quotient 1 0) → quotient: division by 0
    (modulo 1 0) → modulo: division by 0
    (random -7) → random: bad number: -7
    (vector-ref (vector 1) 5) → vector-ref: index out of bounds: 5
    (string-ref "abc" 3) → string-ref: index out of bounds: 3
    (length 5) → length: not calculable. 5
    (length '(1 . 2)) → length: not calculable. (1 . 2)
    (force 3) → Not a promise: 3
    (load "nosuch.scm") → load: cannot open file: "nosuch.scm"
    (letrec ((a b) (b 1)) a) → unassigned variable: b
    (define 5 3) → define: bad variable name: 5
    (if) → if: bad syntax: (if)
    (let ((x 1) (x 2)) x) → let: duplicate binding: ((x 1) (x 2))
    (lambda (x x) x) → lambda: duplicate parameter: x
    (cond 5) → cond: bad syntax: (cond 5)
    (error "Bad thing" 'x "y") → Bad thingxy
    (error "Bad thing: " '(a "b") 1.5 #\c) → Bad thing: (a b)1.5c
    (error 'who "bad ~s" "x") → who: bad "x"
    (error "~a is ~s~%" "x" "y") → x is "y"\n
    (error 'oops) → oops
    (error '(1 2) 3) → (1 2)3
    (car (quote (a)) → read: end of file inside list
"""


@pytest.mark.parametrize(("program", "message"), cases(MESSAGES))
def test_messages(program: str, message: str) -> None:
    assert str(error_of(program)) == message.replace("\\n", "\n")


def test_messages_are_the_same_through_variables_and_tail_calls() -> None:
    """Where the compiler knows neither the procedure nor the values."""
    session = Session()
    session.eval("(define (try f . arguments) (apply f arguments))")
    session.eval("(define (pass f x y) (f x y))")
    for program, message in [
        ("(try car 5)", "car: wrong type of argument: 5"),
        ("(try + 1 'a)", "+: not a number: a"),
        ("(pass vector-ref (vector 1) 5)", "vector-ref: index out of bounds: 5"),
        ("(pass < 'a 1)", "Bad number in a comparison: (a 1)"),
        ("(pass 5 1 2)", "eval: bad function in : (5 1 2)"),
        ("(pass car 1 2)", "too many arguments to: (car 1 2)"),
        ("(pass first '(a) 2)", "too many arguments to: (first (a) 2)"),
        ("(map car '(1))", "car: wrong type of argument: 1"),
        ("(sort '(2 a) <)", "Bad number in a comparison: (a 2)"),
    ]:
        assert str(error_in(session, program)) == message, program


def test_the_kinds_of_errors() -> None:
    assert isinstance(error_of("(if)"), ScmSyntaxError)
    assert isinstance(error_of("(car '(1)"), UnfinishedInput)
    assert isinstance(error_of("#<x>"), ReadError)
    error = error_of('(error \'(a b) 1 "x")')
    assert isinstance(error, UserError)
    assert str(error) == "(a b)1x"


def test_an_error_that_is_caught_costs_little() -> None:
    session = Session()
    session.eval("(define (caught) (guard (problem (#t 'caught)) (car 5))) (caught)")
    calls = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        session.eval("(caught)")
    finally:
        sys.setprofile(None)
    assert calls < 900  # the library has 600 procedures: none of them is looked at
