"""Sentences share their tails until a program changes a pair (ARCHITECTURE.md section 3.3): then each has its own."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from minischeme import SchemeError, Session
from minischeme.data.printer import write

MADE = "(define s (se 'b 'c)) (define t (se 'a s)) (define u (se 'z t)) (define v (se u 'end))"


def shown(session: Session) -> str:
    return write(session.eval("(list s t u v)"))


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("(set-car! s 'x)", "((x c) (a b c) (z a b c) (z a b c end))"),
        ("(set-cdr! s '())", "((b) (a b c) (z a b c) (z a b c end))"),
        ("(set-car! t 'x)", "((b c) (x b c) (z a b c) (z a b c end))"),
        ("(set-car! (cdr t) 'x)", "((b c) (a x c) (z a b c) (z a b c end))"),
        ("(set-car! (cddr u) 'x)", "((b c) (a b c) (z a x c) (z a b c end))"),
        ("(set-car! (cddr v) 'x)", "((b c) (a b c) (z a b c) (z a x c end))"),
        ("(append! t '(d))", "((b c) (a b c d) (z a b c) (z a b c end))"),
        ("(for-each (lambda (change) (change t 'x)) (list set-car!))", "((b c) (x b c) (z a b c) (z a b c end))"),
        ("(eval (list 'set-car! 't ''x) (the-environment))", "((b c) (x b c) (z a b c) (z a b c end))"),
        ("(let ((change set-cdr!)) (change u 'x))", "((b c) (a b c) (z . x) (z a b c end))"),
    ],
)
def test_a_change_is_seen_in_one_sentence_only(change: str, expected: str) -> None:
    session = Session()
    session.eval(MADE)
    session.eval(change)
    assert shown(session) == expected


def test_a_change_at_the_prompt() -> None:
    session = Session()
    for text in (*MADE.replace(") (define", ")|(define").split("|"), "(set-car! (cdr t) 'x)"):
        list(session.interact(text))
    assert shown(session) == "((b c) (a x c) (z a b c) (z a b c end))"


def test_in_a_file_that_changes_pairs_later(tmp_path: Path) -> None:
    (tmp_path / "all.scm").write_text(f"{MADE} (define w (bf t)) (set-car! s 'x) (set-car! (bf t) 'y)")
    session = Session()
    session.load(tmp_path / "all.scm")
    assert shown(session) == "((x c) (a y c) (z a b c) (z a b c end))"
    assert write(session.eval("w")) == "(y c)"


def test_sentences_made_after_a_change() -> None:
    session = Session()
    session.eval("(define (change! x) (set-car! x 'x))")
    session.eval(MADE)
    session.eval("(change! s)")
    assert shown(session) == "((x c) (a b c) (z a b c) (z a b c end))"


def test_many_sentences_are_kept_apart() -> None:
    session = Session()
    session.eval(
        """(define (grow n) (if (= n 0) '() (se n (grow (- n 1)))))
           (define (some n) (if (= n 0) '() (let ((tail (grow 3))) (cons (list tail (se 'a tail)) (some (- n 1))))))
           (define pairs (some 3000))"""
    )
    session.eval("(for-each (lambda (two) (set-car! (car two) 'x)) pairs)")
    assert session.eval("(length (filter (lambda (two) (equal? two '((x 2 1) (a 3 2 1)))) pairs))") == 3000


def test_a_tail_is_kept_apart_after_the_whole_is_garbage() -> None:
    session = Session()
    session.eval(
        """(define s (se 'b 'c)) (define t (se 'a s)) (define u (se 'z t)) (define u 0)
           (define (many n) (if (> n 0) (begin (se 'p (se 'q 'r)) (many (- n 1)))))
           (many 5000)"""
    )
    assert len(session._sentences._heads) < 2_000
    session.eval("(set-car! s 'x)")
    assert write(session.eval("(list s t)")) == "((x c) (a b c))"


@pytest.mark.parametrize(
    ("front", "expected"),
    [("'(x y)", "((b k) (b c) (x y b c))"), ("'()", "((b k) (b c) (b c))"), ("s", "((b k) (b c) (b c b c))")],
)
def test_a_sentence_in_front_of_the_last_one(front: str, expected: str) -> None:
    session = Session()
    session.eval(f"(define (join a b) (se a b)) (define s (se 'b 'c)) (define t (join {front} s))")
    session.eval("(define r (list s (append s '()) t))")
    session.eval("(set-car! (cdr s) 'k)")
    assert write(session.eval("r")) == expected


def test_sentence_of_two_in_a_procedure() -> None:
    session = Session()
    session.eval("(define order '()) (define (note x) (set! order (cons x order)) x)")
    session.eval("(define (join a b) (se (begin (note 1) a) (begin (note 2) b))) (define s (join 'a '(b)))")
    assert write(session.eval("(list s order)")) == "((a b) (2 1))"
    for front in ("#t", "(list 'a #t)", "'(a . b)", "car"):
        with pytest.raises(SchemeError, match="Argument to SENTENCE not a word or sentence: "):
            session.eval(f"(join {front} s)")
    session.eval("(define (se a b) (list b a))")
    assert write(session.eval("(join 1 2)")) == "(2 1)"


def test_a_wrong_word_is_found_in_front_of_a_shared_sentence() -> None:
    session = Session()
    with pytest.raises(Exception, match="Argument to SENTENCE not a word or sentence: #t"):
        session.eval("(se #t (se 'a 'b))")


def test_a_sentence_grows_in_proportion() -> None:
    session = Session()
    session.eval("(define (grow n) (if (= n 0) '() (se n (grow (- n 1)))))")

    def seconds(n: int) -> float:
        start = time.process_time()
        session.eval(f"(count (grow {n}))")
        return time.process_time() - start

    seconds(100)
    assert min(seconds(20_000) for _ in range(3)) < 40 * min(seconds(2_000) for _ in range(3))  # copying: a hundredfold
