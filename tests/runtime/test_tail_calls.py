"""Proper tail calls: every tail position of R7RS 3.5 turns many times in constant space."""

from __future__ import annotations

import gc
import inspect
import tracemalloc

import pytest

from minischeme import Session
from minischeme.data.printer import write

TURNS = 30_000

# Each defines (turn n), which counts down to the value ``end`` by calls in one kind of tail position.
POSITIONS = {
    "if": "(define (turn n) (if (= n 0) 'end (other (- n 1))))",
    "and": "(define (turn n) (and #t (if (= n 0) 'end (and 1 (other (- n 1))))))",
    "or": "(define (turn n) (or #f (and (= n 0) 'end) (other (- n 1))))",
    "cond": "(define (turn n) (cond ((= n 0) 'end) ((even? n) (other (- n 1))) (else (other (- n 1)))))",
    "cond with an arrow": "(define (turn n) (cond ((= n 0) 'end) ((- n 1) => other)))",
    "cond with an arrow to a lambda": "(define (turn n) (cond ((= n 0) 'end) ((- n 1) => (lambda (m) (other m)))))",
    "case": "(define (turn n) (case n ((0) 'end) ((1 2) (other (- n 1))) (else (other (- n 1)))))",
    "case with an arrow": "(define (turn n) (case (- n 1) ((-1) 'end) (else => other)))",
    "when": "(define (turn n) (if (= n 0) 'end (when #t 'ignored (other (- n 1)))))",
    "unless": "(define (turn n) (if (= n 0) 'end (unless #f (other (- n 1)))))",
    "begin": "(define (turn n) (if (= n 0) 'end (begin 'ignored (other (- n 1)))))",
    "let": "(define (turn n) (let ((m (- n 1))) (if (< m 0) 'end (other m))))",
    "let*": "(define (turn n) (let* ((m n) (k (- m 1))) (if (< k 0) 'end (other k))))",
    "letrec": "(define (turn n) (letrec ((go (lambda () (other (- n 1))))) (if (= n 0) 'end (go))))",
    "body with definitions": "(define (turn n) (define m (- n 1)) (define (go) (other m)) (if (= n 0) 'end (go)))",
    "do": "(define (turn n) (do ((i 0 (+ i 1))) ((= i 2) (if (= n 0) 'end (other (- n 1))))))",
    "named let": "(define (turn n) (let loop ((i 0)) (if (< i 2) (loop (+ i 1)) (if (= n 0) 'end (other (- n 1))))))",
    "named let that is no loop": (
        "(define (turn n) (let loop ((i 1)) (list loop) (if (= n 0) 'end (if (= i 0) (other (- n 1)) (loop 0)))))"
    ),
    "lambda": "(define (turn n) ((lambda (m) (if (< m 0) 'end (other m))) (- n 1)))",
    "lambda with a rest": "(define (turn n) ((lambda r (if (= n 0) 'end (other (- n 1)))) 1 2))",
    "rest parameter": "(define (turn n . r) (if (= n 0) 'end (turn (- n 1) 1 2)))",
    "seven parameters": "(define (turn n . r) (if (= n 0) 'end (turn (- n 1) 1 2 3 4 5 6)))",
    "apply": "(define (turn n) (if (= n 0) 'end (apply other (list (- n 1)))))",
    "apply of apply": "(define (turn n) (if (= n 0) 'end (apply apply (list other (list (- n 1))))))",
    "call-with-values": "(define (turn n) (if (= n 0) 'end (call-with-values (lambda () (- n 1)) other)))",
    "call/cc": "(define (turn n) (if (= n 0) 'end (call/cc (lambda (k) (other (- n 1))))))",
    "call/cc of itself": "(define (turn n) (if (= n 0) 'end (call/cc (lambda (k) (turn (- n 1))))))",
    "call/cc of a global": (
        "(define m 0) (define (go k) (other m)) (define (turn n) (set! m (- n 1)) (if (= n 0) 'end (call/cc go)))"
    ),
    "call/cc of call/cc": (
        "(define (turn n) (if (= n 0) 'end (call/cc (lambda (k) (call/cc (lambda (l) (other (- n 1))))))))"
    ),
    "call/cc in a named let": (
        "(define (turn n) (let loop ((i n)) (if (= i 0) 'end (call/cc (lambda (k) (loop (- i 1)))))))"
    ),
    "apply of call/cc": "(define (turn n) (if (= n 0) 'end (apply call/cc (list (lambda (k) (other (- n 1)))))))",
    "call/cc and call-with-values": (
        "(define (turn n) (if (= n 0) 'end (call-with-values (lambda () (call/cc (lambda (k) (k n 1))))"
        " (lambda (a b) (call/cc (lambda (k) (other (- a b))))))))"
    ),
    "letrec*": "(define (turn n) (letrec* ((m (- n 1)) (go (lambda () (other m)))) (if (= n 0) 'end (go))))",
    "let-values": "(define (turn n) (let-values (((m k) (values n 1))) (if (= n 0) 'end (other (- m k)))))",
    "let*-values": "(define (turn n) (let*-values (((m) n) ((k) (- m 1))) (if (= n 0) 'end (other k))))",
    "let-syntax": "(define (turn n) (let-syntax ((m (syntax-rules () ((_) (- n 1))))) (if (= n 0) 'end (other (m)))))",
    "letrec-syntax": (
        "(define (turn n) (letrec-syntax ((m (syntax-rules () ((_) (other (- n 1)))))) (if (= n 0) 'end (m))))"
    ),
    "case-lambda": "(define turn (case-lambda ((n) (if (= n 0) 'end (turn n 1))) ((n m) (other (- n m)))))",
    "a clause of guard": "(define (turn n) (if (= n 0) 'end (guard (e (#t (other (- n 1)))) (raise 'x))))",
    "itself": "(define (turn n) (if (= n 0) 'end (turn (- n 1))))",
    "itself with a closure": "(define k #f) (define (turn n) (set! k (lambda () n)) (if (= n 0) 'end (turn (- n 1))))",
    "a procedure that is passed": "(define (turn n) (go other n)) (define (go f n) (if (= n 0) 'end (f (- n 1))))",
    "a procedure that is returned": "(define (turn n) (if (= n 0) 'end ((pick) (- n 1)))) (define (pick) other)",
    "an inner procedure that calls out": (
        "(define (turn n) (define (a m) (if (even? m) (b m) (other m))) (define (b m) (other m))"
        " (if (= n 0) 'end (a (- n 1))))"
    ),
    "test of an if in tail position": "(define (turn n) (if (if (= n 0) #f #t) (other (- n 1)) 'end))",
    "assert first": "(define (turn n) (assert (>= n 0)) (if (= n 0) 'end (other (- n 1))))",
    "set! first": "(define (turn n) (set! n (- n 1)) (if (< n 0) 'end (other n)))",
}


def session_with(definition: str) -> Session:
    """A session with `turn`, and with the `other` that it calls."""
    session = Session()
    session.define("collect", lambda n: n % 500 == 0 and gc.collect(0))
    session.eval(f"{definition} (define (other n) (collect n) (turn n))")
    peak_of(session, 500)  # what is made once is not counted
    return session


def peak_of(session: Session, turns: int) -> int:
    """The most memory, in bytes, that Python held at a time for so many turns, without the cycles that are closures:
    when the collector would come differs between the versions of Python."""
    gc.disable()
    tracemalloc.start()
    try:
        assert write(session.eval(f"(turn {turns})")) == "end"
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        gc.enable()


@pytest.mark.parametrize("definition", POSITIONS.values(), ids=POSITIONS)
def test_tail_position(definition: str) -> None:
    session = session_with(definition)
    # 100 KB are four bytes a turn, and more than the process may take for something else meanwhile.
    assert peak_of(session, TURNS) < 2 * peak_of(session, 1_000) + 100_000


EVALUATED = {
    "a call": "(list 'other (- n 1))",
    "an if in a begin": "(list 'begin '(define m 1) (list 'if 'm (list 'other (list '- n 'm)) 2))",
    "apply": "(list 'apply 'other (list 'list (- n 1)))",
    "call/cc": "(list 'call/cc (list 'lambda '(k) (list 'other (- n 1))))",
    "eval": "(list 'eval (list 'quote (list 'other (- n 1))) '(interaction-environment))",
}


@pytest.mark.parametrize("environment", ["(interaction-environment)", "(the-environment)"])
@pytest.mark.parametrize("expression", EVALUATED.values(), ids=EVALUATED)
def test_what_eval_evaluates_is_in_tail_position(expression: str, environment: str) -> None:
    """Memory tells too little here: what an evaluation leaves behind is garbage that waits for the collector."""
    session = Session()
    session.define("depth", lambda: len(inspect.stack(0)))
    session.eval(
        f"(define (turn n) (if (= n 0) (depth) (eval {expression} {environment}))) (define (other n) (turn n))"
    )
    assert session.eval("(turn 20)") == session.eval("(turn 2)")


def test_a_million_turns_of_mutual_recursion() -> None:
    session = Session()
    session.eval(
        "(define (ping n) (if (= n 0) 'end (pong (- n 1)))) (define (pong n) (if (= n 0) 'end (ping (- n 1))))"
    )
    assert write(session.eval("(ping 1000001)")) == "end"


def test_operands_are_no_tail_position() -> None:
    """The measure of `test_tail_position` does notice a call that is not in tail position."""
    session = session_with("(define (turn n) (if (= n 0) 'end (car (list (other (- n 1))))))")
    assert peak_of(session, 16_000) > 4 * peak_of(session, 1_000)
