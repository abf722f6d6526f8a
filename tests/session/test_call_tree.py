"""The tree of calls of an expression (`minischeme.session.call_tree`): what it shows and folds, errors and escapes;
that the session is as before."""

from __future__ import annotations

import io
import signal

import pytest

from minischeme import Session
from minischeme.data.errors import SchemeExit, UnfinishedInput
from minischeme.session.call_tree import call_tree

FIB = "(define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))"
LEN = "(define (len l) (if (null? l) 0 (+ 1 (len (cdr l)))))"
ITER = "(define (iter i acc) (if (= i 0) acc (iter (- i 1) (+ acc i))))"


def session_with(*definitions: str) -> Session:
    session = Session(output=io.StringIO())
    for text in definitions:
        session.eval(text)
    return session


def shown(session: Session, text: str) -> list[str]:
    return call_tree(session, text).text().splitlines()


def test_calls_with_values() -> None:
    assert shown(session_with(LEN), "(len '(a b))") == [
        "(len '(a b)) → 2",
        "└─ (len (a b)) → 2",
        "   └─ (len (b)) → 1",
        "      └─ (len ()) → 0",
    ]


def test_what_was_shown_above_is_not_repeated() -> None:
    assert shown(session_with(FIB), "(fib 4)") == [
        "(fib 4) → 3",
        "├─ (fib 3) → 2",
        "│  ├─ (fib 2) → 1",
        "│  │  ├─ (fib 1) → 1",
        "│  │  └─ (fib 0) → 0",
        "│  └─ (fib 1) → 1",
        "└─ (fib 2) → 1  (as above)",
    ]


def test_equal_calls_in_a_row_are_counted() -> None:
    assert shown(session_with("(define (f x) (* 2 x))"), "(map f '(1 1 1 2 1))") == [
        "(map f '(1 1 1 2 1)) → (2 2 2 4 2)",
        "├─ (f 1) → 2  × 3",
        "├─ (f 2) → 4",
        "└─ (f 1) → 2",
    ]


def test_equal_calls_with_other_calls_inside_are_not_the_same() -> None:
    session = session_with("(define n 0)", "(define (g) n)", "(define (f) (set! n (+ n 1)) (g) 'done)")
    assert shown(session, "(begin (f) (f))") == [
        "(begin (f) (f)) → done",
        "├─ (f) → done",
        "│  └─ (g) → 1",
        "└─ (f) → done",
        "   └─ (g) → 2",
    ]


def test_tail_calls_are_in_the_tree() -> None:
    assert shown(session_with(ITER), "(iter 2 0)") == [
        "(iter 2 0) → 3",
        "└─ (iter 1 2) → 3",
        "   └─ (iter 0 3) → 3",
    ]


def test_an_error_is_shown_where_it_happened() -> None:
    session = session_with("(define (f x) (+ 1 (car x)))", "(define (g x) (+ (f '(1)) (f x)))")
    tree = call_tree(session, "(g 5)")
    assert tree.text().splitlines() == [
        "(g 5) → left early",
        "├─ (f (1)) → 2",
        "└─ (f 5) → *** car: wrong type of argument: 5",
    ]
    assert str(tree.error) == "car: wrong type of argument: 5"
    assert tree.root.value is None


def test_an_error_outside_of_all_calls() -> None:
    assert shown(session_with(LEN), "(+ (len '()) (car 5))") == [
        "(+ (len '()) (car 5)) → *** car: wrong type of argument: 5",
        "└─ (len ()) → 0",
    ]


def test_an_escape_is_no_error() -> None:
    session = session_with("(define (f k) (+ 1 (k 5)))", "(define (g) 2)")
    tree = call_tree(session, "(list (call/cc f) (g))")
    assert tree.root.calls[0][0].value is None
    assert tree.error is None
    assert tree.root.value == "(5 2)"
    assert tree.text().splitlines()[1].endswith(" → left early")
    assert tree.text().splitlines()[2:] == ["└─ (g) → 2"]


def test_a_procedure_in_a_variable_has_that_name() -> None:
    session = session_with("(define (adder n) (lambda (x) (+ x n)))", "(define add3 (adder 3))")
    assert shown(session, "(add3 4)") == ["(add3 4) → 7"]


def test_traced_procedures_are_silent_and_stay_traced() -> None:
    stream = io.StringIO()
    session = Session(output=stream)
    session.eval(f"{LEN} (trace len)")
    assert len(shown(session, "(len '(a))")) == 3
    assert stream.getvalue() == ""
    session.eval("(len '())")
    assert stream.getvalue() == ".. -> len with l = ()\n.. <- len returns 0\n"


def bindings(session: Session) -> dict[str, object]:
    return {key: value for key, value in session.globals.items() if key != "__builtins__"}


@pytest.mark.parametrize("text", ["(fib 5)", "(fib 'a)", "(begin (len '(1)) (car 5))", "(call/cc (lambda (k) (k 1)))"])
def test_all_is_as_before(text: str) -> None:
    session = session_with(FIB, LEN, "(define (square x) 'mine)", "(define x 5)", "(trace len)")
    session.eval("(fib 1)")
    before = bindings(session)
    code = session.globals["fib"].__code__
    call_tree(session, text)
    assert bindings(session) == before
    assert session.globals["fib"].__code__ is code


def test_all_is_as_before_when_the_text_leaves() -> None:
    session = session_with(FIB)
    before = bindings(session)
    with pytest.raises(SchemeExit):
        call_tree(session, "(begin (fib 1) (exit 3))")
    assert bindings(session) == before


def test_an_unfinished_text_is_not_evaluated() -> None:
    session = session_with("(define n 0)")
    with pytest.raises(UnfinishedInput):
        call_tree(session, "(set! n 1) (car")
    assert session.eval("n") == 0


def test_what_the_text_defines_stays_and_is_no_collector() -> None:
    session = session_with(FIB)
    original = session.globals["fib"]
    call_tree(session, "(define f2 fib)")
    assert session.globals["f2"] is original
    call_tree(session, "(define (fib n) 'new)")
    assert str(session.eval("(fib 1)")) == "new"


def test_a_collector_that_was_kept_still_works() -> None:
    session = session_with(ITER)
    call_tree(session, "(define kept (list iter))")
    assert session.eval("((car kept) 100 0)") == 5050


def test_ctrl_c_shows_what_was_collected() -> None:
    class Interrupting(io.StringIO):
        def write(self, text: str) -> int:
            signal.raise_signal(signal.SIGINT)
            return 0

    session = Session(output=Interrupting())
    session.eval("(define (f n) (if (= n 0) (display n)) (f (- n 1)))")
    original = session.globals["f"]
    tree = call_tree(session, "(f 2)")
    assert tree.text().splitlines()[-1].strip() == "└─ (f 0) → *** interrupted"
    assert session.globals["f"] is original


def test_long_trees_are_cut() -> None:
    session = session_with("(define (f x) x)")
    text = call_tree(session, "(map f (iota 500))").text()
    assert len(text.splitlines()) == 201
    assert text.endswith("\n… 301 more lines")


def test_after_so_many_calls_the_rest_is_counted() -> None:
    session = session_with(ITER)
    tree = call_tree(session, "(iter 50 0)", most_calls=10)
    assert (tree.count, tree.collected, tree.root.value) == (51, 10, "1275")
    assert tree.text().splitlines()[-1] == "… 41 calls after the first 10 are not shown"


def test_deep_calls_and_long_values() -> None:
    session = session_with(LEN, ITER)
    tree = call_tree(session, "(len (iota 3000))")
    assert tree.root.value == "3000"
    text = tree.text().splitlines()
    assert max(map(len, text)) < 300
    assert text[30].startswith("[30] └─ (len (29 30 31 ")
    assert call_tree(session, "(iter 105000 0)").count == 105_001


def test_repeated_calls_take_no_memory() -> None:
    session = session_with("(define (f x) x)", "(define (times n) (do ((i 0 (+ i 1))) ((= i n)) (f 1)))")
    tree = call_tree(session, "(times 20000)")
    ((times, _),) = tree.root.calls
    assert [count for _, count in times.calls] == [20000]


def test_circular_arguments() -> None:
    session = session_with("(define (f x) 1)", "(define ring (list 1 2))", "(set-cdr! (cdr ring) ring)")
    (line,) = [line for line in shown(session, "(f ring)") if line.startswith("└─")]
    assert line.startswith("└─ (f (1 2 1 2 ")


def test_procedures_inside_others_are_shown() -> None:
    session = Session(output=io.StringIO())
    session.eval(
        "(define (best-total hand) (define (lower n) (if (> n 21) (lower (- n 10)) n)) "
        " (let again ((n hand)) (lower n)))"
    )
    before = session.eval("best-total")
    assert (
        call_tree(session, "(best-total 32)").text()
        == """\
(best-total 32) → 12
└─ (again 32) → 12
   └─ (lower 32) → 12
      └─ (lower 22) → 12
         └─ (lower 12) → 12"""
    )
    assert session.eval("best-total") is before
    assert session.eval("(best-total 32)") == 12


def test_no_more_calls_are_collected_than_asked_for() -> None:
    session = Session(output=io.StringIO())
    session.eval("(define (f n) (if (= n 0) 0 (f (- n 1))))")
    tree = call_tree(session, "(f 9)", most_calls=3)
    assert (tree.count, tree.collected) == (10, 3)
    assert tree.text().count("(f ") == 3
