"""What programs for Racket and MIT Scheme call that the course's Scheme has not."""

from __future__ import annotations

import io
import time

import pytest
from tables import cases

from minischeme import Session

USES = """
    (foldl cons '() '(1 2 3)) → (3 2 1)
    (foldl - 0 '(1 2 3)) → 2
    (foldl list 'a '(1 2) '(3 4)) → (2 4 (1 3 a))
    (foldr cons '() '(1 2 3)) → (1 2 3)
    (foldr list 'a '(1 2) '(3 4)) → (1 3 (2 4 a))
    (andmap even? '(2 4)) → #t
    (andmap even? '()) → #t
    (andmap + '(1 2) '(3 4)) → 6
    (andmap (lambda (x) (and (even? x) x)) '(2 3 a)) → #f
    (ormap even? '(1 3)) → #f
    (ormap even? '()) → #f
    (ormap (lambda (x) (and (even? x) x)) '(1 2 a)) → 2
    (ormap > '(1 2) '(2 1)) → #t
    (take '(a b c) 2) → (a b)
    (take '(a b . c) 2) → (a b)
    (drop '(a b c) 2) → (c)
    (drop '(a b . c) 2) → c
    (let ((p (mcons 1 2))) (set-mcar! p 3) (set-mcdr! p 4) (list (mcar p) (mcdr p) p)) → (3 4 (3 . 4))
    (map exact-floor '(2.5 -2.5 7/2 3)) → (2 -3 3 3)
    (map exact-ceiling '(2.5 -2.5 7/2 3)) → (3 -2 4 3)
    (map exact-round '(2.5 -2.5 7/2 3)) → (2 -2 4 3)
    (map exact-truncate '(2.5 -2.5 7/2 3)) → (2 -2 3 3)
    (identity '(a)) → (a)
    (list (bitwise-and 12 10) (bit-and 12 10 8) (bitwise-and)) → (8 8 -1)
    (list (bitwise-or 12 10) (bit-or 12 1) (bitwise-ior)) → (14 13 0)
    (list (bitwise-xor 12 10) (bit-xor 1 1 1) (bitwise-xor -1 1)) → (6 1 -2)
    (list (bitwise-not 0) (bit-not 5)) → (-1 -6)
    (list (arithmetic-shift 1 10) (arithmetic-shift -5 -1) (arithmetic-shift 5 -100000000000)) → (1024 -3 0)
    (list (shift-left 3 2) (shift-right 12 2) (shift-left 0 100000000000)) → (12 3 0)
    (let/cc k (+ 1 (k 42))) → 42
    (let/cc k (define x 5) x) → 5
    (let ((f (lambda (a #!optional b) (list a (if (default-object? b) 'none b))))) (f 1)) → (1 none)
    ((lambda (a #!optional b) (list a (if (default-object? b) 'none b))) 1 2) → (1 2)
    (let ((f (lambda (a #!optional b . r) (list b r)))) (list (f 1) (f 1 2))) → ((#!default ()) (2 ()))
    (begin (define (f a #!optional b . r) (list b r)) (f 1 2 3 4)) → (2 (3 4))
    ((named-lambda (f #!optional b) (define c b) c) 7) → 7
    ((case-lambda ((a #!optional b) b)) 1 2) → 2
    (let ((f (lambda (a #!optional b) (set! b 5) (+ a b)))) (f 1)) → 6
    (default-object? #!default) → #t
    (begin (define-structure point x y) (define p (make-point 1 2)) (list (point? p) (point-y p))) → (#t 2)
    (begin (define-structure point x y) (define p (make-point 1 2)) (set-point-x! p 3) (point-x p)) → 3
    (begin (define-structure point x y) (point? '(1 2))) → #f
    (let () (define-structure (card copier) (suit 'x) rank) (card-rank (make-card 1 2))) → 2
"""


@pytest.mark.parametrize(("program", "value"), cases(USES))
def test_use(program: str, value: str) -> None:
    session = Session(output=io.StringIO())
    assert session.prompt.written(session.eval(program)) == value


def test_the_clock() -> None:
    session = Session(output=io.StringIO())
    before = time.time() * 1000 - 1
    whole, part = session.eval("(current-milliseconds)"), session.eval("(current-inexact-milliseconds)")
    assert type(whole) is int
    assert type(part) is float
    assert before < whole <= part + 1
    assert before < part < time.time() * 1000 + 1
