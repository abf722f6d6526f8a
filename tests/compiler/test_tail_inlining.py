"""Inlined tail calls of small procedures: nobody may notice that the call is none, and mutual tail calls are a loop."""

from __future__ import annotations

import io
import sys
from types import FrameType

import pytest
from sessions import value

from minischeme import Session
from minischeme.data.errors import SchemeError, report

PARITY = """
(define (ev? n) (if (= n 0) #t (od? (- n 1))))
(define (od? n) (if (= n 0) #f (ev? (- n 1))))
"""

LOOKUP = """
(define (find-in-table key table)
  (cond ((null? table) (find-in-rest key (cdr key)))
        ((eq? (car key) (caar table)) (cdar table))
        (else (find-in-table key (cdr table)))))
(define (find-in-rest key others)
  (if (null? others) 'nowhere (find-in-table others '((b . 2) (c . 3)))))
(define (look-up) (list (find-in-table '(a b) '((a . 1))) (find-in-table '(x c) '()) (find-in-table '(x y) '())))
"""


def entered(session: Session, text: str) -> list[str]:
    """The procedures of the program whose frames are entered while an expression is evaluated."""
    names: list[str] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_globals is session.globals:
            names.append(frame.f_code.co_name)

    session.eval(text)  # compiles
    sys.setprofile(note)
    session.eval(text)
    sys.setprofile(None)
    return [name for name in names if name != "toplevel"]


def test_mutual_tail_calls_are_a_loop() -> None:
    session = Session()
    session.eval(PARITY)
    assert entered(session, "(ev? 10001)") == ["ev?"]
    assert value(session, "(list (ev? 10000) (ev? 10001) (od? 10000) (od? 10001))") == "(#t #f #f #t)"


def test_a_small_procedure_is_inlined_where_it_is_called_last() -> None:
    session = Session()
    session.eval(LOOKUP)
    assert entered(session, "(look-up)") == ["look-up", *["find-in-table"] * 3]
    assert value(session, "(look-up)") == "(1 3 nowhere)"


@pytest.mark.parametrize(
    "program",
    [
        "(define (g x) (if (= x 0) 0 (+ 1 (g (- x 1)))))",  # a frame waits in it
        "(define (g x) (map (lambda (y) (* x y)) '(1 2)))",
        "(define (g . x) x)",
        "(define (g x) (set! x 2) x)",
        "(define (g x) (list x size))",  # would find the variable of the caller
        f"(define (g x) (list {'x ' * 70}))",
        "(define (g x) x) (define (change) (set! g list))",
    ],
)
def test_other_procedures_are_called(program: str) -> None:
    session = Session()
    session.eval(f"(define size 5) (define (f x size) (if (= size 0) x (g x))) {program}")
    assert entered(session, "(f 3 1)")[:2] == ["f", "g"]


def test_a_variable_of_one_inlined_procedure_is_a_global_of_another() -> None:
    session = Session()
    session.eval("""
        (define size 5)
        (define (f x) (if (= x 0) (g x 7) (h x)))
        (define (g x size) (list x size))
        (define (h x) (list x size))
    """)
    assert entered(session, "(list (f 0) (f 1))") == ["f", "f"]
    assert value(session, "(list (f 0) (f 1))") == "((0 7) (1 5))"


def test_arguments_are_evaluated_before_the_parameters_change() -> None:
    session = Session()
    session.eval("(define (f x y n) (if (= n 0) (list x y) (g y x n))) (define (g x y n) (f x (+ y x) (- n 1)))")
    assert entered(session, "(f 1 2 5)") == ["f"]
    assert value(session, "(f 1 2 5)") == "(13 21)"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("(define (od? n) (list 'odd n))", "(odd 6)"),
        ("(set! od? (lambda (n) (list 'set n)))", "(set 6)"),
        ("(define ev? list)", "(7)"),
        ("(define (od? n) (if (= n 0) 'no (ev? (- n 1))))", "no"),
        ("(define (= a b) #t)", "#t"),
        ("(eval '(define (od? n) 'evaluated) user-initial-environment)", "evaluated"),
        ("(define (change) (eval '(define (od? n) 'later) user-initial-environment)) (change)", "later"),
    ],
)
def test_redefinitions_take_effect(change: str, expected: str) -> None:
    session = Session()
    session.eval(f"{PARITY} (ev? 7)")
    session.eval(change)
    assert value(session, "(ev? 7)") == expected


def test_a_redefinition_takes_effect_while_the_caller_runs() -> None:
    """Once there is a procedure that may do that."""
    session = Session()
    session.eval("""
        (define (f n act) (if (= n 0) 'never (begin (if (= n 3) (act)) (g (- n 1) act))))
        (define (g n act) (f n act))
        (define first (f 9 list))
        (define (change) (eval '(define (g n act) (list 'new n)) user-initial-environment))
    """)
    assert value(session, "(list first (f 9 change))") == "(never (new 2))"


def test_traced_procedures_are_called() -> None:
    session = Session(output=(output := io.StringIO()))
    session.eval(f"{PARITY} (ev? 3) (trace od?) (ev? 3)")
    assert output.getvalue().count("-> od?") == 2
    session.eval("(untrace od?)")
    assert entered(session, "(ev? 3)") == ["ev?"]
    session.eval("(trace ev?) (ev? 3)")
    assert output.getvalue().count("-> ev?") == 2


def test_errors_name_the_inlined_procedure_and_its_variables() -> None:
    session = Session()
    session.eval("""
        (define (walk table key) (if (null? table) (leave key (list key)) (walk (cdr table) key)))
        (define (leave word found) (if (pair? word) (walk found 'x) (car word)))
    """)
    with pytest.raises(SchemeError) as caught:
        session.eval("(walk '(1 2) 'home)")
    (activation,) = caught.value.activations
    assert report(caught.value).endswith("in leave at <eval>:3:69 with word = home, found = (home)")
    assert activation.variables is not None
    assert set(activation.variables()) == {"word", "found"}


def test_errors_of_the_caller_show_its_variables_only() -> None:
    session = Session()
    session.eval("""
        (define (walk table) (if (pair? (car table)) (turn (cdr table)) 'done))
        (define (turn others) (walk others))
    """)
    with pytest.raises(SchemeError) as caught:
        session.eval("(walk '((1) (2) . x))")
    (activation,) = [each for each in caught.value.activations if each.name == "walk"]
    assert activation.variables is not None
    assert set(activation.variables()) == {"table"}


def test_continuations_resume_the_caller() -> None:
    """Also after another procedure has been inlined in it, with a body that needs more temporaries."""
    session = Session()
    session.eval("""
        (define again #f)
        (define (note k) (if (not again) (set! again k)))
        (define (f n) (if (= n 0) (g n 1) (list (+ n 0) (call/cc (lambda (k) (note k) n)) (+ n n))))
        (define (g n m) (f (+ n m 4)))
        (define result (f 0))
        (define (g n m) (f (if (= (abs n) (abs m)) (abs (- (abs m))) (abs (- (abs (+ n 7)) (abs m))))))
    """)
    assert value(session, "(list result (f 0))") == "((5 5 10) (6 6 12))"
    session.eval("(again 'later)")
    assert value(session, "result") == "(5 later 10)"


def test_continuations_return_to_what_the_inlined_procedure_has_called() -> None:
    session = Session()
    session.eval("""
        (define again #f)
        (define (visit x) (call/cc (lambda (k) (if (= x 2) (set! again k)) x)))
        (define (f l) (if (null? l) '() (g (cdr l))))
        (define (g l) (map visit l))
        (define result (f '(1 2 3)))
    """)
    session.eval("(again 'later)")
    assert value(session, "result") == "(later 3)"


def test_errors_show_what_a_procedure_calls_last() -> None:
    """No frame would be left to show that if a procedure were inlined that ends in such a call."""
    session = Session()
    session.eval("(define (f n) (if (= n 0) '() (g n))) (define (g n) (map car (list n)))")
    with pytest.raises(SchemeError) as caught:
        session.eval("(f 1)")
    assert caught.value.span is not None
    assert caught.value.span.text == "(map car (list n))"
    assert [each.name for each in caught.value.activations] == ["g"]


@pytest.mark.parametrize("call", ["(map double words)", "(every double words)", "(vector-map double (vector 2 3))"])
def test_callers_wait_for_what_an_inlined_procedure_calls_last(call: str) -> None:
    session = Session()
    session.eval(f"""
        (define (double x) (* x 2))
        (define (f words) (if (null? words) '() (g (cdr words))))
        (define (g words) {call})
        (define (twice words) (list (f words) (f words)))
    """)
    expected = "#(4 6)" if "vector" in call else "(4 6)"
    assert value(session, "(twice '(1 2 3))") == f"({expected} {expected})"


def test_continuations_resume_a_caller_that_has_become_indirect() -> None:
    """The inlined procedure has another body by then, after which a tail call may be pending."""
    session = Session()
    session.eval("""
        (define again #f)
        (define (visit n) (call/cc (lambda (k) (if (not again) (set! again k)) n)))
        (define (f n x)
          (cond ((= n 0) (g n x))
                ((= n 1) (f (- n 1) x))
                (else (f (- n 2) (list (+ n 0) x (visit n) (+ n n))))))
        (define (g n x) (if (pair? n) n x))
        (define result (f 2 'a))
        (if (pair? result) (let ((k again)) (set! result 'none) (k 'first)))
        (define before result)
        (set! again #f)
        (define (g n x) (if (pair? n) (n 1) x))
        (define result (f 2 'a))
    """)
    session.eval("(again 'later)")
    assert value(session, "(list before result)") == "((2 a first 4) (2 a later 4))"
