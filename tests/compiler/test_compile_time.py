"""The time to compile a form grows with its length, however it is nested."""

from __future__ import annotations

import gc
from collections.abc import Callable
from time import process_time

import pytest

from minischeme import Session


def repeated(start: str, part: str, end: str) -> Callable[[int], str]:
    """A text of so many parts, each with its number in the place of ``@``."""
    return lambda count: start + " ".join(part.replace("@", str(number)) for number in range(count)) + end


def nested(part: str) -> Callable[[int], str]:
    """So many of the part, each inside the one before."""
    return lambda count: f"(define (f x) {repeated('', part, 'x')(count)}{')' * count})"


FORMS = {
    "cond": repeated("(define (f x) (cond ", "((g x) (g @))", " (else x)))"),
    "cond as an operand": repeated("(define (f x) (+ 1 (cond ", "((g x) (g @))", " (else x))))"),
    "case": repeated("(define (f x) (case x ", "((a@) (g @))", " (else x)))"),
    "let": nested("(let ((x (g @)))"),
    "let with other names": nested("(let ((x@ @)) (g x@)"),
    "let*": repeated("(define (f x) (let* (", "(x@ (+ x @))", ") x))"),
    "do": nested("(do ((i@ 0 (+ i@ 1))) ((= i@ 3)) (g i@)"),
}


@pytest.mark.parametrize("name", FORMS)
def test_compile_time_is_linear(name: str) -> None:
    def seconds(count: int) -> float:
        session = Session()
        session.eval("(define (g x) x)")
        text = FORMS[name](count)
        start = process_time()
        session.eval(f"{text} (list f)")
        return process_time() - start

    def is_linear() -> bool:
        small, large = (min(seconds(count) for _ in range(2)) for count in (150, 1_200))
        return large < 24 * small  # 8 times as much; if it grew with the square, 64

    assert any(is_linear() for _ in range(3))


def test_what_is_compiled_leaves_no_garbage_for_the_collector() -> None:
    """The trees of a form are in no cycle: a long file would have the collector go through all that was loaded."""
    session = Session()
    texts = [FORMS[name](3).replace("(define (f", f"(define (f{index}") for index, name in enumerate(FORMS)]
    texts += [
        "(define (last items) (if (null? (cdr items)) (car items) (last (cdr items))))",
        '(define (counter) (let ((n 0)) (lambda () (set! n (+ n 1)) `(n ,n #(1 "two")))))',
        "(define (leave items) (call/cc (lambda (k) (for-each (lambda (x) (if (negative? x) (k x))) items) 'none)))",
    ]
    session.eval("(define (g x) x)" + texts[0])
    gc.collect()
    gc.disable()
    try:
        for text in texts:
            session.eval(text)
        session.eval("(list f1 f2 f3 f4 f5 last counter leave)")  # makes the procedures
        assert gc.collect() < 100
    finally:
        gc.enable()
