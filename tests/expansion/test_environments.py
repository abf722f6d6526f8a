"""Environments as values: eval in them sees, sets and defines variables, also those of a procedure's call."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from minischeme import SchemeError, Session
from minischeme.data.printer import write


def value(text: str) -> str:
    return write(Session(output=io.StringIO()).eval(text))


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("(eval '(define (f) 5) (the-environment)) (f)", "5"),
        ("(eval '(define (f) 5) user-initial-environment) (f)", "5"),
        ("(eval '(define (f) 5) system-global-environment) (f)", "5"),
        ("(eval '(define (f) 5)) (f)", "5"),
        ("(define (f) 1) (define (g) (f)) (eval '(define (f) 2) (the-environment)) (g)", "2"),
        ("(define x 1) (eval '(set! x (+ x 1)) (the-environment)) x", "2"),
        ("(define x 1) (eval 'x (interaction-environment))", "1"),
        ("(eq? (the-environment) (the-environment))", "#t"),
    ],
)
def test_the_programs_own_environment(program: str, expected: str) -> None:
    assert value(program) == expected


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("(define (f x) (eval 'x (the-environment))) (f 5)", "5"),
        ("(define (f x) (eval '(set! x (+ x 1)) (the-environment)) x) (f 5)", "6"),
        ("(define (f x) (eval '(define x 7) (the-environment)) x) (f 5)", "7"),
        ("(define (f) (define x 1) (eval '(define x 7) (the-environment)) x) (f)", "7"),
        # a definition is seen by the text of the procedure, not outside of it
        ("(define (f x) (eval '(define (sq y) (* x y y)) (the-environment)) (sq 3)) (f 5)", "45"),
        ("(define (f) (define (g) (h)) (eval '(define (h) 8) (the-environment)) (g)) (f)", "8"),
        ("(define x 1) (define (f) (eval '(define x 2) (the-environment)) x) (list (f) x)", "(2 1)"),
        ("(define (f) (eval '(define x 2) (the-environment)) (set! x (* x 10)) (eval 'x (the-environment))) (f)", "20"),
        ("(define (f) (eval '(define (car p) 'mine) (the-environment)) (car '(1))) (list (f) (car '(1)))", "(mine 1)"),
        ("(define (f) (eval '(begin (define a 1) (define b (+ a 1))) (the-environment)) (list a b)) (f)", "(1 2)"),
        # all that is around
        ("(define (f a) (lambda (b) (eval '(list a b) (the-environment)))) ((f 1) 2)", "(1 2)"),
        ("(define (f a) (define (g b) (eval '(set! a (+ a b)) (the-environment))) (g 5) a) (f 1)", "6"),
        ("(define (f a) (eval '(define b 2) (the-environment))"
         "(let ((c 3)) (eval '(list a b c) (the-environment)))) (f 1)",
         "(1 2 3)"),
        ("(let ((x 1)) (let* ((y 2) (z (eval '(+ x y) (the-environment)))) z))", "3"),
        ("(let loop ((i 0) (l '())) (if (= i 3) l (loop (+ i 1) (cons (eval '(* i i) (the-environment)) l))))",
         "(4 1 0)"),
        ("(do ((i 0 (+ i 1)) (l '() (cons (the-environment) l))) ((= i 3) (map (lambda (e) (eval 'i e)) l)))",
         "(2 1 0)"),
        # names of special forms
        ("(define (f if) (eval '(if 1 2) (the-environment))) (f list)", "(1 2)"),
        ("(define (f list) (eval '(list 1 2) (the-environment))) (f +)", "3"),
    ],
)  # fmt: skip
def test_the_environment_inside_a_procedure(program: str, expected: str) -> None:
    assert value(program) == expected


POINT = """
(define (point x y) (the-environment))
(define here (point 1 2))
(define there (point 10 20))
"""


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("(list (eval 'x here) (eval '(+ x y) there))", "(1 30)"),
        ("(eval '(set! x 5) here) (list (eval 'x here) (eval 'x there))", "(5 10)"),
        ("(eval '(define z (+ x y)) here) (eval '(set! z (* z 10)) here) (eval 'z here)", "30"),
        ("(eval '(define (move! d) (set! x (+ x d)) (list x y)) here) (eval '(move! 5) here) (eval '(move! 5) here)",
         "(11 2)"),
        ("(eval '(define (even-x? n) (if (= n 0) 'yes (odd-x? (- n 1)))) here)"
         "(eval '(define (odd-x? n) (if (= n 0) 'no (even-x? (- n 1)))) here) (eval '(even-x? x) there)",
         "unbound variable: even-x?"),
        ("(eval '(define (a n) (if (= n 0) 'yes (b (- n 1)))) here)"
         "(eval '(define (b n) (if (= n 0) 'no (a (- n 1)))) here) (eval '(a 7) here)", "no"),
        ("(eq? here (eval '(the-environment) here))", "#t"),
        ("(eval '(let ((z 3)) (eval '(list x y z) (the-environment))) here)", "(1 2 3)"),
        ("(eval '(zot x) here)", "unbound variable: zot"),
        ("(eval '(set! zot x) here)", "set!: variable not defined: zot"),
        ("(map (lambda (name) (environment-bound? here name)) '(x here car zot))", "(#t #t #t #f)"),
        ("(environment-assign! here 'x '(a b)) (environment-lookup here 'x)", "(a b)"),
        ("(environment-define here 'twice (lambda (n) (* 2 n))) (eval '(twice y) here)", "4"),
        ("(define (f) (define a (eval 'b (the-environment))) (define b 2) a) (f)", "unassigned variable: b"),
        ("(environment-assign! here 'zot 1)", "set!: variable not defined: zot"),
    ],
)  # fmt: skip
def test_an_environment_outlives_its_call(program: str, expected: str) -> None:
    try:
        found = value(POINT + program)
    except SchemeError as error:
        found = str(error)
    assert found == expected


def test_make_environment_keeps_its_definitions_to_itself() -> None:
    program = """
        (define total 1)
        (define account (make-environment (define total 100) (define (deposit! n) (set! total (+ total n)) total)))
        (eval '(deposit! 50) account)
        (list total (eval 'total account))"""
    assert value(program) == "(1 150)"


def test_a_recursion_may_ask_for_its_environment_at_each_level() -> None:
    assert value("(define (sum n) (if (= n 0) 0 (+ (eval 'n (the-environment)) (sum (- n 1))))) (sum 500)") == "125250"


@pytest.mark.parametrize("environment", ["(environment '(scheme base))", "(let ((x 1)) (the-environment))"])
def test_a_file_is_not_loaded_into_another_environment(environment: str, tmp_path: Path) -> None:
    (tmp_path / "a.scm").write_text("(define loaded 1)")
    session = Session()
    with pytest.raises(SchemeError, match=r"^load: only the program's own environment can be loaded into: #"):
        session.eval(f'(load "{tmp_path / "a.scm"}" {environment})')
    session.eval(f'(load "{tmp_path / "a.scm"}" user-initial-environment)')
    assert session.eval("loaded") == 1
