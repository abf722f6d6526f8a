"""How lines are indented at the prompt."""

from __future__ import annotations

import pytest

from minischeme.formatting.indentation import reindented

# The text before the cursor, whose last line is empty, and where a line of code starts there.
PLACES = [
    ("", 0),
    ("(define x 3)\n", 0),
    ("(define (f x)\n", 2),
    ("(define (f x)\n  (foo)\n", 2),
    ("(define x\n", 2),
    ("(define\n", 4),
    ("(define-class (counter)\n", 2),
    ("(define (f x\n", 11),
    ("(lambda (x)\n", 2),
    ("(every (lambda (x)\n", 9),
    ("(let ((a 1)\n", 6),
    ("(let ((a 1))\n", 2),
    ("(let ((a\n", 7),
    ("(let* ((a 1) (b 2))\n", 2),
    ("(let loop ((n 0)\n", 11),
    ("(let loop ((n 0))\n", 2),
    ("(let loop\n", 4),
    ("(do ((i 0 (+ i 1)))\n", 4),
    ("(do ((i 0 (+ i 1)))\n    ((= i 5))\n", 2),
    ("(cond ((null? x) 1)\n", 6),
    ("(cond ((null? x)\n", 7),
    ("(cond (else\n", 7),
    ("(cond\n", 2),
    ("(if a\n", 4),
    ("(if (a\n     b)\n", 4),
    ("(if\n", 2),
    ("(case x\n", 2),
    ("(when a\n", 2),
    ("(begin\n", 2),
    ("(begin (foo)\n", 7),
    ("(foo\n", 1),
    ("(foo (bar) x\n", 5),
    ("(foo (bar)\n     x\n", 5),
    ("((f 1) 2\n", 1),
    ("'(a b\n", 2),
    ("'(if b\n", 2),
    ("`(if ,(foo 1\n", 11),
    ("(quote (if b\n", 8),
    ("#(1 2\n", 2),
    ("(foo [bar 1\n", 10),
    ('(foo "(" #\\( ; (\n', 5),
    ("(foo #| ( |# a\n", 13),
    ("(foo)) (bar 1\n", 12),
    ('(foo "abc\n', None),
    ("(foo |abc\n", None),
    ("#| (foo\n", None),
    ("(define (f)\n\t(foo a\n", 13),
    ("#| #| |# (foo\n", None),
]


@pytest.mark.parametrize(("text", "column"), PLACES)
def test_a_new_line(text: str, column: int | None) -> None:
    assert reindented(text, first=text.count("\n")) == text + " " * (column or 0)


LAID_OUT = """\
(define (best-total hand)
  ; the aces
  (let ((aces (count-aces hand))
        (rest (keep not-ace? hand)))
    (cond ((null? aces) 0)
          ((> 3
              2)
           (display "two
    lines")
           'yes)
          (else (if a
                    b
                    c)))))

(best-total '(ad
              8s))"""


def test_all_lines() -> None:
    flat = "\n".join(line if line == '    lines")' else line.strip() for line in LAID_OUT.split("\n"))
    assert flat != LAID_OUT
    assert reindented(flat) == LAID_OUT
    assert reindented(LAID_OUT) == LAID_OUT


def test_lines_before_the_first_keep_what_they_have() -> None:
    assert reindented("(foo a\n  b\n  c)", first=2) == "(foo a\n  b\n     c)"


def test_a_line_follows_the_line_that_was_moved_with_it() -> None:
    assert reindented("   (foo (bar\nb)\nc)") == "(foo (bar\n      b)\n     c)"
    assert reindented("a\n\n\n   b") == "a\n\n\nb"


def test_long_texts_take_time_in_proportion() -> None:
    # Quadratic work would take minutes here.
    text = "(define (f x)\n(list x\n'y))\n" * 2_000
    assert reindented(text) == "(define (f x)\n  (list x\n        'y))\n" * 2_000
