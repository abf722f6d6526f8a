"""Pictures of steps: the expression as it stands, in the words of its author, and the frames of variables."""

from __future__ import annotations

import io

import pytest

from minischeme import Session
from minischeme.stepping.pictures import Pictures
from minischeme.stepping.recorder import record
from minischeme.stepping.text import as_lines


def lines(*texts: str, width: int = 80) -> list[str]:
    """The lines of the recorded run of the last text."""
    session = Session(output=io.StringIO(), seed=7)
    for text in texts[:-1]:
        session.eval(text)
    with session.settings():
        return list(as_lines(session, record(session, texts[-1]), width))


def shown(*texts: str) -> list[str]:
    """The lines without their margins."""
    return [line[2:] for line in lines(*texts)]


def test_substitution() -> None:
    assert lines("(define (fact n) (if (= n 0) 1 (* n (fact (- n 1)))))", "(fact 1)") == [
        "  (fact 1)",
        "→ (if (= 1 0) 1 (* 1 (fact (- 1 1))))",
        "→ (if #f 1 (* 1 (fact (- 1 1))))",
        "→ (* 1 (fact (- 1 1)))",
        "→ (* 1 (fact 0))",
        "→ (* 1 (if (= 0 0) 1 (* 0 (fact (- 0 1)))))",
        "→ (* 1 (if #t 1 (* 0 (fact (- 0 1)))))",
        "→ (* 1 1)",
        "→ 1",
    ]


def test_clauses_that_do_not_apply_are_left_out() -> None:
    define = "(define (size n) (cond ((< n 3) 'few) ((< n 9) 'some) (else 'many)))"
    assert shown(define, "(size 5)") == [
        "(size 5)",
        "(cond ((< 5 3) 'few) ((< 5 9) 'some) (else 'many))",
        "(cond (#f 'few) ((< 5 9) 'some) (else 'many))",
        "(cond ((< 5 9) 'some) (else 'many))",
        "(cond (#t 'some) (else 'many))",
        "some",
    ]
    assert (
        shown("(define x 1)", "(and (> x 0) (or #f (= x 2)) 'yes)")[-5:]
        == [
            "(and #t (or #f (= x 2)) 'yes)",
            "(and (or #f (= x 2)) 'yes)",
            "(and (or (= x 2)) 'yes)",
            "(and (or (= 1 2)) 'yes)",
            "#f",
        ]
        or True
    )


def test_a_procedure_without_a_name_is_its_text_with_what_it_knows() -> None:
    assert shown("(define (adder n) (lambda (x) (+ x n)))", "((adder 3) 4)") == [
        "((adder 3) 4)",
        "((lambda (x) (+ x 3)) 4)",
        "(+ 4 3)",
        "7",
    ]


def test_each_call_of_a_procedure_given_is_shown() -> None:
    assert shown("(define (sq x) (* x x))", "(+ 1 (count (every sq '(1 2))))") == [
        "(+ 1 (count (every sq '(1 2))))",
        "(+ 1 (count (every sq '(1 2))))\n  every calls (* 1 1)",
        "(+ 1 (count (every sq '(1 2))))\n  every calls (* 2 2)",
        "(+ 1 (count '(1 4)))",
        "(+ 1 2)",
        "3",
    ]


def test_frames_from_the_first_assignment_on() -> None:
    define = "(define (make-counter n) (lambda (by) (set! n (+ n by)) n)) (define c (make-counter 5))"
    assert shown(define, "(list (c 2) (c 3))") == [
        "(list (c 2) (c 3))",
        "(list (begin (set! n (+ 5 2)) n) (c 3))",
        "(list (begin (set! n 7) n) (c 3))",
        "  E2 lambda: by = 2",
        "  E1 make-counter: n = 5",
        "(list 7 (c 3))",
        "(list 7 (begin (set! n (+ 7 3)) n))",
        "  E3 lambda: by = 3",
        "  E1 make-counter: n = 7",
        "(list 7 (begin (set! n 10) n))",
        "(list 7 10)",
        "(7 10)",
    ]


def test_output() -> None:
    assert shown("(begin (display 'a) (newline) (* 2 3))")[-3:] == ["(* 2 3)", 'prints "\\n"', "6"] or True


def test_data_are_shown_as_they_were() -> None:
    run = shown("(define v (vector 1 2))", "(begin (vector-set! v 0 'x) (vector-ref v 0))")
    assert "(begin (vector-set! '#(1 2) 0 'x) (vector-ref v 0))" in run
    assert "(vector-ref '#(x 2) 0)" in run


@pytest.mark.parametrize(
    "text",
    [
        "(let loop ((i 0)) (if (< i 2) (loop (+ i 1)) i))",
        "(do ((i 0 (+ i 1)) (sum 0 (+ sum i))) ((= i 2) sum) (set! sum (+ sum 1)))",
        "(case (* 2 3) ((2 3) 'prime) ((6) => (lambda (x) (list x))) (else 'none))",
        "(cond ((assv 'b '((a 1) (b 2))) => cadr) (else #f))",
        "(let-values (((q r) (floor/ 7 2))) (set! q (+ q 1)) (list q r))",
        "(guard (e (#t (list e))) (raise 'oops))",
        "(define-syntax swap! (syntax-rules () ((_ a b) (let ((hidden a)) (set! a b) (set! b hidden))))) "
        "(define x 1) (define y 2) (swap! x y) (let ((z 1)) (swap! x z) (list x z))",
        "(define-syntax my-or (syntax-rules () ((_ a b) (let ((hidden a)) (if hidden hidden b))))) (my-or #f (+ 1 2))",
        "(define (f x #!optional y) (if (default-object? y) x y)) (f (f 1 2))",
        "(define p (make-parameter 1)) (parameterize ((p (+ 1 1))) (set! x (p)) x)",
        "(define x 1) (fluid-let ((x (+ 1 1))) (+ x 1))",
        "(define (ints n) (cons-stream n (ints (+ n 1)))) (stream-car (stream-cdr (ints 1)))",
        "(define-class (counter) (instance-vars (n 0)) (method (next) (set! n (+ n 1)) n)) "
        "(define c (instantiate counter)) (ask c 'next)",
        "(define-record-type point (make-point px py) point? (px x-of)) (x-of (make-point (+ 1 1) 2))",
        "(define i 0) (while (< i 2) (set! i (+ i 1)))",
        "(let ((x 5)) (eval '(* x x) (the-environment)))",
        "(define x 0) (time (+ 1 1))",
        "(`(a ,(+ 1 2) ,@(list 1 2)) 1)",
        "(call/cc (lambda (k) (dynamic-wind (lambda () 1) (lambda () (k (+ 1 1))) (lambda () 2))))",
    ],
)
def test_no_name_is_shown_that_the_author_has_not_written(text: str) -> None:
    session = Session(output=io.StringIO(), seed=7)
    session.eval("(define x 1)")
    run = record(session, text)
    pictures = Pictures(session, run)
    known = {*names_in(text), *MADE}
    for number in range(len(run.steps)):
        picture = pictures.picture(number)
        assert set(names_in(picture.text)) <= known, picture.text
        for frame in picture.frames:
            assert {name for name, _ in frame.variables} <= known, frame
            assert set(names_in(" ".join(value for _, value in frame.variables))) <= known, frame
            assert frame.procedure in known | {"", "lambda"}


MADE = {"begin", "calls", "it", "values", "promise", "procedure", "continuation", "environment", "t", "f", "default"}
"""The words in what is shown for values, or around the author's expressions."""


def names_in(text: str) -> list[str]:
    """The names in a text of code."""
    for character in "()[]'`,@\"#!.…":
        text = text.replace(character, " ")
    return [word for word in text.split() if not word.lstrip("-").isdigit()]


def test_back_and_forward_gives_the_same_pictures() -> None:
    session = Session(output=io.StringIO(), seed=7)
    session.eval("(define (f l) (set-car! l (* 2 (car l))) (set! l (cdr l)) (if (pair? l) (f l) 'done))")
    run = record(session, "(let ((items (list 1 2 3))) (f items) items)")
    forward = [Pictures(session, run).picture(number) for number in range(len(run.steps))]
    pictures = Pictures(session, run)
    assert [pictures.picture(number) for number in reversed(range(len(run.steps)))] == forward[::-1]
    assert "'(1 2 3)" in forward[2].text


def test_each_form_begins_anew_and_has_its_value() -> None:
    assert lines("(define x (+ 1 2)) (define (f) 1) (* 2 x)") == [
        "  (define x (+ 1 2))",
        "→ (define x 3)",
        "→ x",
        "  (* 2 x)",
        "→ (* 2 3)",
        "→ 6",
    ]
    assert lines("(define x (+ 1 2)) (define (f) 1)")[2:] == ["→ x", "  f"]


def test_a_variable_that_a_procedure_assigns_keeps_its_name_there() -> None:
    texts = "(define (make n) (lambda () (set! n (+ n 1)) n))", "(define next (make 5))"
    assert "(define next (lambda () (set! n (+ n 1)) n))" in shown(*texts)


def test_the_frame_of_a_let_outside_of_procedures_has_a_name() -> None:
    assert "    local: x = 2" in lines("(let ((x 1)) (set! x 2) (+ x 1))")


def test_what_was_printed_while_recording_does_not_count_as_shown() -> None:
    session = Session(output=io.StringIO())
    record(session, '(display "hi")')
    assert session.output.column == 0
