"""The workloads: each a Scheme program, an expression to time, and the same by hand in Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from minischeme import Session

from . import counterparts, twenty_one
from .words import se, se_sharing

ROOT = Path(__file__).resolve().parents[2]
STUDENT = ROOT / "transcripts" / "cs61a" / "twenty-one.scm"
SEED = 21


@dataclass(frozen=True)
class Workload:
    """A piece of work that can be done in Scheme and in Python.

    Args: name: for the command line and the table. program: definitions in Scheme. expression: what to time; it may
    call ``(size)``. counterpart: the same by hand, from the size. size: how much work for a measurement. small_size:
    how much for a test of the benchmark itself. target: the most that the project allows, as a multiple of the
    counterpart's time: the first step (issue 2), and the aim where the counterpart runs without room (issue 7).
    prints: whether the output, not the value, is the result.
    """

    name: str
    program: str
    expression: str
    counterpart: Callable[[int], Any]
    size: int
    small_size: int
    target: float | None = None
    aim: float | None = None
    prints: bool = False


def _games(make_sentence: Callable[..., Any]) -> Callable[[int], int]:
    def play(n: int) -> int:
        return twenty_one.play_n(twenty_one.stop_at_17, n, Random(SEED), make_sentence)

    return play


_PLAY = f'(load "{STUDENT}")'
_GAMES = f"(begin (set-random-seed! {SEED}) (play-n stop-at-17 (size)))"


@cache
def _fresh_session() -> Session:
    session = Session()
    session.eval(_PLAY)
    return session


def _never_traced(n: int) -> Any:
    session = _fresh_session()
    session.define("size", lambda: n)
    return session.eval(_GAMES)


WORKLOADS = (
    Workload(
        "fib",
        "(define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))",
        "(fib (size))",
        counterparts.fib,
        size=25,
        small_size=10,
        target=1.5,
        aim=1.2,
    ),
    Workload(
        "tak",
        """(define (tak x y z)
             (if (not (< y x))
                 z
                 (tak (tak (- x 1) y z) (tak (- y 1) z x) (tak (- z 1) x y))))""",
        "(tak (size) (quotient (* (size) 2) 3) (quotient (size) 3))",
        lambda size: counterparts.tak(size, size * 2 // 3, size // 3),
        size=18,
        small_size=6,
        target=1.6,
        aim=1.2,
    ),
    Workload(
        "loop",
        """(define (sum-below n)
             (let loop ((i 0) (total 0))
               (if (= i n) total (loop (+ i 1) (+ total i)))))""",
        "(sum-below (size))",
        counterparts.loop,
        size=1_000_000,
        small_size=100,
        target=1.5,
        aim=1.2,
    ),
    Workload(
        "deep recursion",
        "(define (deep n) (if (= n 0) 0 (+ 1 (deep (- n 1)))))",
        "(deep (size))",
        counterparts.deep,
        size=100_000,
        small_size=1_000,
        aim=0.7,
    ),
    Workload(
        "mutual tail calls",
        """(define (is-even n) (if (= n 0) 1 (is-odd (- n 1))))
           (define (is-odd n) (if (= n 0) 0 (is-even (- n 1))))""",
        "(is-even (size))",
        counterparts.mutual,
        size=1_000_000,
        small_size=1_000,
        aim=4.0,
    ),
    Workload(
        "queens",
        """(define (queens size)
             (define (safe? row distance placed)
               (cond ((null? placed) #t)
                     ((or (= (car placed) row) (= (abs (- (car placed) row)) distance)) #f)
                     (else (safe? row (+ distance 1) (cdr placed)))))
             (define (ways row column placed)
               (cond ((= column size) 1)
                     ((= row size) 0)
                     (else (+ (if (safe? row 1 placed) (ways 0 (+ column 1) (cons row placed)) 0)
                              (ways (+ row 1) column placed)))))
             (ways 0 0 '()))""",
        "(queens (size))",
        counterparts.queens,
        size=8,
        small_size=5,
        aim=1.5,
    ),
    Workload(
        "list churn",
        """(define (numbers start end)
             (if (= start end) '() (cons start (numbers (+ start 1) end))))
           (define (squares items)
             (if (null? items) '() (cons (* (car items) (car items)) (squares (cdr items)))))
           (define (odd-ones items)
             (cond ((null? items) '())
                   ((odd? (car items)) (cons (car items) (odd-ones (cdr items))))
                   (else (odd-ones (cdr items)))))
           (define (joined left right)
             (if (null? left) right (cons (car left) (joined (cdr left) right))))
           (define (reversed items)
             (define (move items result)
               (if (null? items) result (move (cdr items) (cons (car items) result))))
             (move items '()))
           (define (added items)
             (let loop ((items items) (total 0))
               (if (null? items) total (loop (cdr items) (+ total (car items))))))
           (define (churn times)
             (let loop ((i 0) (result 0))
               (if (= i times)
                   result
                   (let ((items (numbers 0 200)))
                     (loop (+ i 1)
                           (+ result (added (reversed (joined (odd-ones (squares items)) items)))))))))""",
        "(churn (size))",
        counterparts.list_churn,
        size=300,
        small_size=2,
        aim=1.3,
    ),
    Workload(
        "sentence reversal",
        """(define (numbers start end)
             (if (= start end) '() (se start (numbers (+ start 1) end))))
           (define (backwards sent)
             (if (empty? sent) '() (se (backwards (bf sent)) (first sent))))
           (define (again sent times)
             (if (= times 0) sent (again (backwards sent) (- times 1))))""",
        "(again (numbers 1 26) (size))",
        counterparts.sentence_reversal,
        size=401,
        small_size=3,
        aim=1.0,
    ),
    Workload(
        "word building",
        """(define (backwards wd)
             (if (empty? wd) "" (word (backwards (bf wd)) (first wd))))
           (define (again sent times)
             (if (= times 0) sent (again (every backwards sent) (- times 1))))""",
        "(again '(the quick brown fox jumps over a lazy dog while little children watch) (size))",
        counterparts.word_building,
        size=401,
        small_size=3,
        aim=1.2,
    ),
    Workload(
        "play-n",
        _PLAY,
        _GAMES,
        _games(se),
        size=500,
        small_size=5,
        target=1.3,
    ),
    Workload(
        "play-n, sharing",
        _PLAY,
        _GAMES,
        _games(se_sharing),
        size=500,
        small_size=5,
        aim=0.5,
    ),
    Workload(
        "play-n, untraced",  # what was traced and is no more costs nothing: the counterpart never was
        _PLAY + "(trace best-total twenty-one stop-at-17 car bf) (untrace best-total twenty-one stop-at-17 car bf)",
        _GAMES,
        _never_traced,
        size=500,
        small_size=5,
        target=1.05,
    ),
    Workload(
        "output",
        """(define (lines n)
             (do ((i 0 (+ i 1))) ((= i n))
               (display "line ")
               (display i)
               (newline)))""",
        "(lines (size))",
        counterparts.output,
        size=10_000,
        small_size=10,
        prints=True,
    ),
)
