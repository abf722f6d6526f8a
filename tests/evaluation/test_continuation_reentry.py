"""Continuations that are entered again from other forms, other files, inner procedures and winds (R7RS 6.10)."""

from __future__ import annotations

import io
from pathlib import Path

from reentered import shown

from minischeme import Session
from minischeme.data.printer import write

# ── top level ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_prompt_shows_the_value_of_the_form_that_is_entered_again() -> None:
    assert shown("(define k #f) (list 1 (call/cc (lambda (c) (set! k c) 2))) (k 3) (k 4) 'on") == (
        "k\n(1 2)\n(1 3)\n(1 4)\non\n"
    )


def test_a_file_goes_on_behind_the_form_that_was_running(tmp_path: Path) -> None:
    program = "(define k #f) (define n 0) (display (list 'n (call/cc (lambda (c) (set! k c) 0)))) (set! n (+ n 1))"
    (tmp_path / "again.scm").write_text(f"{program} (if (< n 3) (k n)) (display 'end)")
    output = io.StringIO()
    Session(output=output).load(tmp_path / "again.scm")
    assert output.getvalue() == "(n 0)(n 1)end"


def test_a_continuation_leaves_the_file_that_calls_it(tmp_path: Path) -> None:
    (tmp_path / "inner.scm").write_text("(k 'from-inner) (display 'never)")
    (tmp_path / "outer.scm").write_text(
        "(define k #f) (display (call/cc (lambda (c) (set! k c) 'first))) "
        f"(begin (load \"{tmp_path / 'inner.scm'}\") (display 'never)) (display 'end)"
    )
    output = io.StringIO()
    Session(output=output).load(tmp_path / "outer.scm")
    assert output.getvalue() == "firstfrom-innerend"


def test_definitions_stay_when_a_form_is_given_up() -> None:
    assert shown(
        "(define k #f) (+ 1 (call/cc (lambda (c) (set! k c) 1))) (begin (define x 5) (k 2) (define y 6)) x"
    ).endswith("3\n5\n")


def test_a_call_from_python() -> None:
    session = Session()
    session.eval("(define k #f) (define (f x) (list x (call/cc (lambda (c) (set! k c) 0))))")
    assert write(session.call(session.eval("f"), 1)) == "(1 0)"
    assert write(session.eval("(k 7)")) == "(1 7)"


# ── inner procedures ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_callers_loop_goes_on_with_its_own_variables() -> None:
    program = """
        (define turns 0)
        (define (main)
          (define (inner)
            (let loop ((j 0) (a 0))
              (if (>= j 2)
                  a
                  (loop (+ j 1)
                        (let ((c 0) (back #f))
                          (let ((x (call/cc (lambda (q) (set! back q) 1))))
                            (set! c (+ c 1))
                            (if (< c 2) (back 2) x)))))))
          (let outer ((i 0) (a 0))
            (set! turns (+ turns 1))
            (if (or (> turns 20) (>= i 3)) (list i a turns) (outer (+ i 1) (inner)))))"""
    assert shown(f"{program} (main)").endswith("(3 2 4)\n")


def test_an_inner_procedure_assigns_its_own_name() -> None:
    program = "(define (f) (define (h) (call/cc (lambda (c) (set! k c) 1)) (set! h (lambda () 'second)) (h)) (h))"
    assert shown(f"(define k #f) {program} (f) (k 1)").endswith("second\nsecond\n")


def test_leaves_of_a_tree() -> None:
    """The generator of the R4RS's example assigns the procedure that goes on with it."""
    program = """
        (define (leaves tree)
          (define caller #f)
          (define (loop)
            (define (walk t)
              (cond ((null? t) 'nothing)
                    ((pair? t) (walk (car t)) (walk (cdr t)))
                    (else (call/cc (lambda (rest) (set! loop (lambda () (rest 'go-on))) (caller t))))))
            (walk tree)
            (caller 'end))
          (lambda () (call/cc (lambda (k) (set! caller k) (loop)))))
        (define (same-leaves? first second)
          (let ((a (leaves first)) (b (leaves second)))
            (let compare () (let ((x (a)) (y (b))) (and (eqv? x y) (or (eq? x 'end) (compare)))))))"""
    checks = "(list (same-leaves? '(1 (2 3) 4) '((1 2) 3 (4))) (same-leaves? '(1 (2 3) 4) '((1 2) 4 (3))))"
    assert shown(f"{program} {checks}").endswith("(#t #f)\n")


# ── winds ────────────────────────────────────────────────────────────────────────────────────────────────────────────

NOTED = "(define trail '()) (define (note x) (set! trail (cons x trail))) (define k #f) (define once #t)"


def trail(program: str) -> str:
    """What a program with `note` has noted."""
    session = Session()
    session.eval(NOTED)
    for form in program.split(";"):
        session.eval(form)
    return write(session.eval("(reverse trail)"))


def test_a_wind_of_an_earlier_form_is_entered_from_inside_another() -> None:
    """They have the same depth, and no wind in common."""
    assert (
        trail(
            "(dynamic-wind (lambda () (note 'in)) (lambda () (call/cc (lambda (c) (set! k c))) (note 'body))"
            " (lambda () (note 'out)));"
            "(dynamic-wind (lambda () (note 'in2)) (lambda () (if once (begin (set! once #f) (k 1))))"
            " (lambda () (note 'out2)))"
        )
        == "(in body out in2 out2 in body out)"
    )


def test_winds_that_differ_under_a_common_one() -> None:
    assert (
        trail(
            "(define (wind name thunk) (dynamic-wind (lambda () (note name)) thunk (lambda () (note (list name)))));"
            "(wind 'a (lambda ()"
            " (wind 'b (lambda () (wind 'c (lambda () (call/cc (lambda (c) (set! k c)))))))"
            " (wind 'd (lambda () (if once (begin (set! once #f) (k 1)))))))"
        )
        == "(a b c (c) (b) d (d) b c (c) (b) d (d) (a))"
    )


def test_thunks_of_a_wind_raise_to_the_handlers_around_it() -> None:
    """Not to those in force where it is left from (R7RS 6.10)."""
    program = """
        (define (outer x) (note (list 'outer x)) 0)
        (with-exception-handler outer
          (lambda ()
            (call/cc
              (lambda (leave)
                (dynamic-wind
                  (lambda () 1)
                  (lambda () (with-exception-handler (lambda (x) (note (list 'inner x)) 0) (lambda () (leave 1))))
                  (lambda () (raise-continuable 'after)))))))"""
    assert trail(program) == "((outer after))"


def test_an_inner_procedure_is_entered_again_after_the_turn_that_called_it() -> None:
    """The turn's variables are its own: the next turn of `main` leaves them alone."""
    session = Session()
    session.eval(
        """
        (define k #f)
        (define seen '())
        (define (main n x)
          (define (each i)
            (let ((v (call/cc (lambda (c) (if (not k) (set! k c)) i))))
              (set! seen (cons (list n x v) seen))
              (lambda () i)))
          (define (twice) (each 1) (each 2) n)
          (if (> n 0)
              (begin (twice) (twice) (main (- n 1) (* x 10)))
              (reverse seen)))
        """
    )
    assert write(session.eval("(main 2 1)")) == (
        "((2 1 1) (2 1 2) (2 1 1) (2 1 2) (1 10 1) (1 10 2) (1 10 1) (1 10 2))"
    )
    assert write(session.eval("(set! seen '()) (k 5)")) == (
        "((2 1 5) (2 1 2) (2 1 1) (2 1 2) (1 10 1) (1 10 2) (1 10 1) (1 10 2))"
    )


def test_what_an_inner_procedure_calls_belongs_to_the_turn_that_called_it() -> None:
    """The same, where the variables are used by another inner procedure, which no continuation is captured in."""
    session = Session()
    session.eval(
        """
        (define k #f)
        (define seen '())
        (define (main n)
          (define (h) n)
          (define (each)
            (let ((v (call/cc (lambda (c) (if (not k) (set! k c)) 1))))
              (set! seen (cons (list (h) (h) v) seen))
              (lambda () v)))
          (if (> n 0)
              (begin (each) (each) (main (- n 1)))
              (reverse seen)))
        """
    )
    assert write(session.eval("(main 2)")) == "((2 2 1) (2 2 1) (1 1 1) (1 1 1))"
    assert write(session.eval("(set! seen '()) (k 5)")) == "((2 2 5) (2 2 1) (1 1 1) (1 1 1))"
