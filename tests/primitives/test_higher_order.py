"""The standard procedures that take procedures: mapping, choosing, combining, sorting."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from primitive_calls import LIBRARIES, TAIL, evaluate, pending, result
from sessions import error_of
from tables import cases

from minischeme import Session
from minischeme.data.errors import SchemeError
from minischeme.data.printer import write
from minischeme.data.values import UNSPECIFIED, Pair, Value, Vector, boolean, list_of
from minischeme.primitives.searching import merge_sorted

CALLS = r"""
    (map car '((1 2) (3 4))) → (1 3)
    (map car '()) → ()
    (map + '(1 2) '(10 20)) → (11 22)
    (map + '(1 2 3) '(10 20)) → (11 22)
    (map + '(1 2) '(10 20) '(100 200)) → (111 222)
    (map list '(1) '(2) '(3) '(4) '(5) '(6)) → ((1 2 3 4 5 6))
    (for-each car '()) → okay
    (flatmap list '(1 2)) → (1 2)
    (flatmap cdr '((1) (2 3 4) (5 6))) → (3 4 6)
    (vector-map car '#((1) (2))) → #(1 2)
    (vector-map + '#(1 2 3) '#(10 20)) → #(11 22)
    (vector-for-each car '#((1))) → okay
    (string-map char-upcase "abc") → "ABC"
    (string-for-each char-upcase "abc") → okay
    (filter even? '(1 2 3 4)) → (2 4)
    (filter even? '()) → ()
    (find even? '(1 2 3 4)) → 2
    (find even? '(1 3)) → #f
    (list-index even? '(1 3 4)) → 2
    (list-index even? '(1 3)) → #f
    (list-index < '(3 1) '(2 2)) → 1
    (any even? '(1 2)) → #t
    (any even? '(1 3)) → #f
    (any cdr '()) → #f
    (any + '(1) '(2)) → 3
    (fold-left list '() '(1 2 3)) → (((() 1) 2) 3)
    (fold-right list '() '(1 2 3)) → (1 (2 (3 ())))
    (fold cons '() '(1 2 3)) → (3 2 1)
    (fold cons* '() '(a b) '(1 2 3)) → (b 2 a 1)
    (fold-left + 0 '(1 2) '(10 20)) → 33
    (fold-right cons* '() '(a b) '(1 2 3)) → (a 1 b 2)
    (fold + 7 '()) → 7
    (sort '(3 1 2) <) → (1 2 3)
    (sort '() <) → ()
    (sort '#(3 1 2) >) → #(3 2 1)
    (sort! '(3 1 2) <) → (1 2 3)
"""

REDUCE = """
    (reduce + '(1 2 3)) → 6
    (reduce + '()) → 0
    (reduce * '()) → 1
    (reduce append '((1) (2))) → (1 2)
    (reduce append '()) → ()
    (reduce - '(10 3 2)) → 9
    (reduce max '(7)) → 7
    (reduce + 0 '(1 2 3)) → 6
    (reduce cons '() '(1 2 3)) → (1 2 3)
    (reduce + 5 '()) → 5
"""

REDUCE_STANDARD = """
    (reduce + 0 '(1 2 3)) → 6
    (reduce - 0 '(1 2 3 4)) → 2
    (reduce max 0 '(-5 -3)) → -3
    (reduce + 5 '()) → 5
"""

ERRORS = r"""
    (map car 5) → map: malformed list: 5
    (map car '(1 . 2)) → map: malformed list: (1 . 2)
    (map + '(1) 5) → map: malformed list: 5
    (map 5 '()) → map: not a procedure: 5
    (map 5 '(1)) → map: not a procedure: 5
    (for-each 'car '()) → for-each: not a procedure: car
    (for-each car 'a) → for-each: malformed list: a
    (flatmap car '((1))) → flatmap: malformed list: 1
    (filter 5 '()) → filter: not a procedure: 5
    (filter even? 5) → filter: not a list: 5
    (vector-map car '(1)) → vector-map: not a vector: (1)
    (vector-for-each 5 (vector)) → vector-for-each: not a procedure: 5
    (string-map char->integer "a") → string-map: bad character: 97
    (string-map char-upcase 'a) → string-map: bad string: a
    (reduce 5 '()) → reduce: not a procedure: 5
    (reduce + 5) → reduce: malformed list: 5
    (reduce + 0 5) → reduce: not a list: 5
    (reduce max '()) → Can't accumulate empty input with that combiner: #[subr max]
    (fold-left + 0 5) → fold-left: malformed list: 5
    (fold 5 0 '()) → fold: not a procedure: 5
    (any 5 '()) → any: not a procedure: 5
    (sort 5 <) → sort: not a list or vector: 5
    (sort '() 5) → sort: not a procedure: 5
    (sort '(1 a) <) → Bad number in a comparison: (a 1)
"""


@pytest.mark.parametrize(("expression", "expected"), cases(CALLS))
def test_calls(expression: str, expected: str) -> None:
    assert result(expression) == expected


@pytest.mark.parametrize(("expression", "expected"), cases(REDUCE))
def test_reduce_of_the_course(expression: str, expected: str) -> None:
    assert result(expression) == expected


@pytest.mark.parametrize(("expression", "expected"), cases(REDUCE_STANDARD))
def test_reduce_as_elsewhere(expression: str, expected: str) -> None:
    assert result(expression, "r7rs") == expected


@pytest.mark.parametrize(("expression", "expected"), cases(ERRORS))
def test_errors(expression: str, expected: str) -> None:
    assert str(error_of(expression)) == expected


# Every way of calling the argument, with one that answers at once and one that leaves a tail call pending


def both(function: Callable[..., Any]) -> list[Callable[..., Any]]:
    return [function, pending(function)]


@pytest.mark.parametrize("is_odd", both(lambda x: boolean(x % 2 == 1)))
def test_predicates(is_odd: Value) -> None:
    expected = {
        "(filter odd '(1 2 3))": "(1 3)",
        "(find odd '(2 3))": "3",
        "(list-index odd '(2 3))": "1",
        "(any odd '(2 3))": "#t",
        "(map odd '(1 2))": "(#t #f)",
        "(vector-map odd '#(1 2))": "#(#t #f)",
        "(remove odd '(1 2))": "(2)",
    }
    assert {expression: result(expression, odd=is_odd) for expression in expected} == expected


@pytest.mark.parametrize("pair_up", both(lambda *items: list_of(items)))
def test_combiners(pair_up: Value) -> None:
    expected = {
        "(map f '(1 2) '(3 4))": "((1 3) (2 4))",
        "(map f '(1 2) '(3 4) '(5 6))": "((1 3 5) (2 4 6))",
        "(flatmap f '(1 2))": "(1 2)",
        "(reduce f '(1 2 3))": "(1 (2 3))",
        "(reduce f 0 '(1 2))": "(1 (2 0))",
        "(fold-left f 0 '(1 2))": "((0 1) 2)",
        "(fold-right f 0 '(1 2))": "(1 (2 0))",
        "(fold f 0 '(1 2))": "(2 (1 0))",
    }
    assert {expression: result(expression, f=pair_up) for expression in expected} == expected


@pytest.mark.parametrize("finish", [lambda f: f, pending])
@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("(for-each note '(1 2 3))", ["1", "2", "3"]),
        ("(for-each note '(1 2) '(3 4))", ["1 3", "2 4"]),
        ("(vector-for-each note '#(1 2))", ["1", "2"]),
        ('(string-for-each note "ab" "cde")', ["#\\a #\\c", "#\\b #\\d"]),
    ],
)
def test_effects_come_in_order(finish: Callable[[FunctionType], Value], expression: str, expected: list[str]) -> None:
    noted: list[str] = []

    def note(*items: Value) -> Value:
        noted.append(" ".join(map(write, items)))
        return UNSPECIFIED

    assert evaluate(expression, note=finish(note)) is UNSPECIFIED
    assert noted == expected


def test_circular_lists_last_as_long_as_the_others() -> None:
    endless = Pair(10, None)
    endless.cdr = endless
    assert result("(map + '(1 2) x)", x=endless) == "(11 12)"
    assert result("(fold-left + 0 x '(1 2) x)", x=endless) == "43"
    for expression in ("(map car x)", "(map + x x)", "(filter even? x)", "(fold + 0 x)", "(sort x <)"):
        with pytest.raises((SchemeError, TypeError)):
            evaluate(expression, x=endless)


def test_nested_calls_use_no_c_stack() -> None:
    session = Session()
    session.eval("(define (deep n) (if (= n 0) 0 (+ 1 (car (map deep (list (- n 1)))))))")
    assert session.eval("(deep 20000)") == 20_000


# Sorting


@given(st.lists(st.tuples(st.integers(0, 5), st.integers()), max_size=40), st.booleans())
def test_sorting_is_stable(entries: list[tuple[int, int]], is_pending: bool) -> None:
    items = [list_of(entry) for entry in entries]

    def less(a: Value, b: Value) -> Value:
        return boolean(a.car < b.car)

    ordered = merge_sorted(items, pending(less) if is_pending else less, TAIL)
    expected = sorted(entries, key=lambda entry: entry[0])
    assert [(item.car, item.cdr.car) for item in ordered] == expected


def test_sorting_in_place_or_not() -> None:
    less = LIBRARIES["berkeley"]["<"]
    items, vector = list_of([3, 1, 2]), Vector([3, 1, 2])
    assert write(evaluate("(sort x less)", x=items, less=less)) == "(1 2 3)"
    assert type(evaluate("(sort x less)", x=vector, less=less)) is Vector
    assert write(items) + write(vector) == "(3 1 2)#(3 1 2)"
    assert evaluate("(sort! x less)", x=items, less=less) is items
    assert evaluate("(sort! x less)", x=vector, less=less) is vector
    assert write(items) + write(vector) == "(1 2 3)#(1 2 3)"


@pytest.mark.parametrize(
    ("procedure", "name"),
    [
        ("car", "car"),
        ("add-3", "add-3"),
        ("(adder 3)", "(adder 3)"),
        ("(composed add-3 (adder 4))", "(composed add-3 (adder 4))"),
        ("(outer 'a 5)", "(outer a 5)"),
        ("(forgetful 5)", "(forgetful …)"),
        ("(counter 5)", "(counter …)"),
        ("hidden", "hidden"),
        ("(lambda (x) x)", "lambda"),
        ("(let ((local (lambda (x) x))) local)", "local"),
    ],
)
def test_the_name_of_a_procedure(procedure: str, name: str) -> None:
    session = Session()
    session.eval(
        """
        (define (adder n) (lambda (x) (+ x n)))
        (define add-3 (adder 3))
        (define (composed f g) (define (both x) (f (g x))) both)
        (define (outer a b) (define (inner) a) (lambda () (list b (inner))))
        (define (forgetful n) (lambda (x) x))
        (define (counter n) (lambda () (set! n (+ n 1)) n))
        (define hidden (let ((n 3)) (lambda () n)))
        """
    )
    assert write(session.eval(f"(procedure-name {procedure})")) == name
