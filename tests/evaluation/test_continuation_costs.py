"""What continuations cost, what can't be entered again, and what is left behind when a form ends."""

from __future__ import annotations

import gc
import io
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from reentered import shown
from sessions import error_in

from minischeme import Session
from minischeme.data.printer import write
from minischeme.runtime.ports import OutputPort
from minischeme.runtime.resumption import SuspendedProcedure


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ("(vector-binary-search #(1) 1 (lambda (a b) (catch 0)))", "vector-binary-search"),
        ('(call-with-port (open-input-string "") (lambda (port) (catch #t)))', "call-with-port"),
    ],
)
def test_a_procedure_that_cannot_go_on_says_so(call: str, name: str) -> None:
    session = Session()
    session.eval("(define k #f) (define (catch x) (call/cc (lambda (c) (set! k c) x)))")
    session.eval(call)
    assert str(error_in(session, "(k #f)")) == f"call/cc: can't go back into a call that has ended of: {name}"
    assert (
        write(session.eval("(call/cc (lambda (k) (vector-binary-search #(1) 1 (lambda (a b) (k 'left)))))")) == "left"
    )


def test_an_error_in_what_is_entered_again_has_its_place() -> None:
    text = shown("(define k #f)\n(define (f x)\n  (car (call/cc (lambda (c) (set! k c) x))))\n(f '(1))\n(k 5)")
    assert "car: wrong type of argument: 5" in text
    assert "in f at <prompt>:2" in text


def test_a_redefinition_between_holds() -> None:
    session = Session()
    session.eval("(define k #f) (define (f) (+ 1 (call/cc (lambda (c) (set! k c) 1))))")
    assert session.eval("(f)") == 2
    session.eval("(define (+ a b) (list a b))")
    assert write(session.eval("(k 5)")) == "(1 5)"


def test_deep_recursion_is_entered_again() -> None:
    session = Session()
    session.eval(
        "(define k #f) (define (deep n) (if (= n 0) (call/cc (lambda (c) (set! k c) 0)) (+ 1 (deep (- n 1)))))"
    )
    assert session.eval("(deep 20000)") == 20000
    assert session.eval("(k 5)") == 20005
    assert session.eval("(k 6)") == 20006


def test_resume_functions_are_compiled_once() -> None:
    session = Session()
    session.eval(
        """(define (count-to n)
             (define return #f)
             (define resume #f)
             (define (produce) (let loop ((i 0)) (call/cc (lambda (k) (set! resume k) (return i))) (loop (+ i 1))))
             (let consume ((turn 0) (sum 0))
               (if (= turn n)
                   sum
                   (consume (+ turn 1)
                            (+ sum (call/cc (lambda (k) (set! return k) (if resume (resume #f) (produce)))))))))"""
    )
    session.eval("(count-to 10)")
    compiled = len(session._continuations._functions)
    assert session.eval("(count-to 200)") == 19900
    assert len(session._continuations._functions) == compiled + 1  # that of the form itself, which is another one


def test_frames_that_still_wait_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read = []
    initialize = SuspendedProcedure.__init__

    def noted(self: SuspendedProcedure, *arguments: Any) -> None:
        read.append(self)
        initialize(self, *arguments)

    monkeypatch.setattr(SuspendedProcedure, "__init__", noted)
    session = Session()
    session.eval("(define all '()) (define (mark x) (call/cc (lambda (k) (set! all (cons k all)) x)))")
    session.eval("(define (f n) (if (= n 0) 0 (begin (mark 1) (let ((m (f (- n 1)))) (mark 2) (+ m 1)))))")
    assert session.eval("(f 100)") == 100
    assert len(read) < 1000
    assert session.eval("(begin (define count 0) (let ((x (f 10))) (set! count (+ count 1)) count))") == 1
    assert session.eval("((list-ref all 10) 5)") == 2


def test_a_base_lets_go_of_the_frames_that_were_read() -> None:
    session = Session()
    session.eval("(define k #f) (define (f x) (list (call/cc (lambda (c) (set! k c) x)))) (f 1)")
    assert session._continuations._stack == []
    assert session._continuations._read == {}


@pytest.mark.slow
def test_continuations_that_are_over_are_let_go_of() -> None:
    """What a loop passes to and fro is the value that its turn goes on with, and a variable of the turn before."""
    session = Session()
    session.eval("(define (second k) (let loop ((other k)) (loop (call/cc (lambda (me) (other me))))))")
    session.eval(
        "(define (run n) (let loop ((i 0) (other second))"
        " (if (< i n) (loop (+ i 1) (call/cc (lambda (k) (other k)))) (alive))))"
    )

    def alive() -> int:
        gc.collect()
        return sum(type(candidate) is SuspendedProcedure for candidate in gc.get_objects())

    session.define("alive", alive)
    before = alive()
    assert session.eval("(run 1000)") < before + 100


def test_after_an_interrupt_the_session_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session()
    output = io.StringIO()
    session.output.stream = output

    def interrupt(self: OutputPort) -> None:
        raise KeyboardInterrupt

    session.eval(
        "(define k #f) (define (f) (dynamic-wind (lambda () (display 'in)) (lambda () (guard (e (#f 1))"
        " (if (call/cc (lambda (c) (set! k c) #f)) (flush-output) 'fine))) (lambda () (display 'out))))"
    )
    session.eval("(f)")
    with monkeypatch.context() as patch:
        patch.setattr(OutputPort, "flush", interrupt)
        with pytest.raises(KeyboardInterrupt):
            session.eval("(k #t)")
    assert output.getvalue() == "inoutinout"
    assert write(session.eval("(list (k #f))")) == "fine"
    assert session.context.dynamic.handlers is None
    assert session.context.dynamic.winds is None


def test_an_escape_captures_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session()
    captured: list[object] = []
    monkeypatch.setattr(session._continuations, "capture", lambda *state: captured.append(state))
    session.eval("(define (find-it l) (call/cc (lambda (k) (for-each (lambda (x) (if (odd? x) (k x))) l) #f)))")
    assert session.eval("(find-it '(2 3 4))") == 3
    session.eval("(call/cc (lambda (outer) (call/cc (lambda (inner) (outer 1)))))")
    session.eval("(define (g k) (k 1)) (define (f k) (g k)) (call/cc (lambda (k) (f k)))")
    assert captured == []


def test_generators_leave_no_frames_for_the_collector() -> None:
    session = Session()
    session.load(str(Path(__file__).parents[1] / "benchmarks" / "user_programs" / "generators.scm"))
    gc.collect()
    gc.disable()
    try:
        session.eval("(run 10)")
        gc.set_debug(gc.DEBUG_SAVEALL)
        gc.collect()
        assert not [found for found in gc.garbage if type(found) is FrameType]
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()
