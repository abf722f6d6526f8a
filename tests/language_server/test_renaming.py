"""Occurrences of names, and what may be renamed: the program must mean the same."""

from __future__ import annotations

import pytest

from minischeme import SchemeError
from minischeme.language_server.analysis import Analysis
from minischeme.language_server.renaming import renamed

PROGRAM = """\
(define (f x . rest)
  (let ((x (+ x 1)) (y (let ((x 2)) x)))
    (set! y (car rest))
    (let loop ((i 0) (x x))
      (if (< i y) (loop (+ i 1) x) '(x i loop)))))
(define-record-type point (make-point px py) point? (px point-x) (py point-y set-point-y!))
(define p (make-point (f 1 2) 2))
(do ((i 0 (+ i 1))) ((= i 3) (point-x p)) (display i))
(define-syntax swap! (syntax-rules () ((_ a b) (let ((tmp a)) (set! a b) (set! b tmp)))))
(define tmp 1)
(define other 2)
(swap! tmp other)
`(tmp ,tmp)
"""

ANALYSIS = Analysis(PROGRAM, "program.scm", {})


def places(at: str, inside: int, name: str) -> list[tuple[int, int]]:
    """The lines and columns, from 1, that a new name takes for the one inside the first occurrence of a text."""
    binding = ANALYSIS.binding_at(PROGRAM.index(at) + inside)
    assert binding is not None
    spans = renamed(ANALYSIS, binding, name, {})
    return sorted((line, column + 1) for line, column in (span.source.position(span.start) for span in spans))


@pytest.mark.parametrize(
    ("at", "inside", "expected"),
    [
        ("(f x", 1, [(1, 10), (7, 24)]),
        ("(f x", 3, [(1, 12), (2, 15)]),
        (". rest", 2, [(1, 16), (3, 18)]),
        ("((x (+", 2, [(2, 10), (4, 25)]),
        ("((x 2)", 2, [(2, 31), (2, 37)]),
        ("(y (let", 1, [(2, 22), (3, 11), (5, 16)]),
        ("let loop", 4, [(4, 10), (5, 20)]),
        ("((i 0) (x", 2, [(4, 17), (5, 14), (5, 28)]),
        ("(x x)", 1, [(4, 23), (5, 33)]),
        ("point-x)", 0, [(6, 57), (8, 31)]),
        ("make-point", 0, [(6, 28), (7, 12)]),
        ("((i 0 (+", 2, [(8, 7), (8, 14), (8, 25), (8, 52)]),
        ("tmp 1", 0, [(10, 9), (12, 8), (13, 8)]),
    ],
)
def test_the_places_of_a_name(at: str, inside: int, expected: list[tuple[int, int]]) -> None:
    assert places(at, inside, "fresh-name") == expected


@pytest.mark.parametrize(
    ("at", "inside", "name"),
    [
        ("(f x", 1, "p"),  # defined already
        ("(f x", 1, "car"),  # others mean the standard one
        ("((x (+", 2, "y"),  # two of a let
        ("(y (let", 1, "i"),  # would mean the loop's
        ("tmp 1", 0, "let"),  # a special form that is used
    ],
)
def test_a_name_that_changes_the_meaning_is_refused(at: str, inside: int, name: str) -> None:
    with pytest.raises(SchemeError, match="would mean something else"):
        places(at, inside, name)


@pytest.mark.parametrize("name", ["", "a b", "(a)", "12", "'a", "#t", ";a"])
def test_what_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(SchemeError, match="not a name"):
        places("(f x", 1, name)


def test_standard_names_are_refused() -> None:
    with pytest.raises(SchemeError, match="car is not defined in this program"):
        places("(car", 1, "kar")
