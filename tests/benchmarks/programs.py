"""The programs of the workloads in Scheme, and the files that some of them read."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parents[2]
PORTABLE = Path(__file__).resolve().parent / "portable"
GIVEN = Path(__file__).resolve().parent / "given"
USER_PROGRAMS = Path(__file__).resolve().parent / "user_programs"
SEED = 21

TWENTY_ONE = (ROOT / "transcripts" / "cs61a" / "twenty-one.scm").read_text(encoding="utf-8")
GAMES = f"(begin (set-random-seed! {SEED}) (play-n stop-at-17 (size)))"

PRIMES = """
(define (integers-from n) (cons-stream n (integers-from (+ n 1))))
(define (without-multiples n stream)
  (if (= (remainder (stream-car stream) n) 0)
      (without-multiples n (stream-cdr stream))
      (cons-stream (stream-car stream) (without-multiples n (stream-cdr stream)))))
(define (sieve stream)
  (cons-stream (stream-car stream)
               (sieve (without-multiples (stream-car stream) (stream-cdr stream)))))
(define (prime-number n)
  (let loop ((stream (sieve (integers-from 2))) (n n))
    (if (= n 1) (stream-car stream) (loop (stream-cdr stream) (- n 1)))))
"""

OUTPUT = """
(define (lines n)
  (do ((i 0 (+ i 1))) ((= i n))
    (display "line ")
    (display i)
    (newline)))
"""

TRACED = """
(define (down n) (if (= n 0) 0 (+ 1 (down (- n 1)))))
(define (again times)
  (if (> times 0) (begin (down 9) (again (- times 1)))))
(trace down)
"""


# Files that workloads read


def student_program(lines: int) -> str:
    """A program of about so many lines that looks like a student's: procedures of seven lines, each of its own."""
    procedure = """
(define (procedure-{n} sent limit)
  (define (helper wd total)
    (cond ((empty? wd) (+ total {n}))
          ((equal? (first wd) 'a) (helper (bf wd) (+ total 1)))
          (else (helper (bf wd) (* total 2)))))
  (if (> (count sent) limit)
      (map (lambda (wd) (helper wd 0)) (list sent 'word-{n} "text {n}"))
      (let ((longer (se sent 'more {n})))
        (procedure-{n} longer (- limit 1)))))
"""
    return "".join(procedure.format(n=n) for n in range(lines // procedure.count("\n")))


@cache
def datum(length: int) -> str:
    """One datum of about so many characters: a list of records, with symbols, numbers, strings and pairs."""
    random = Random(SEED)
    records: list[str] = []
    written = 0
    while written < length:
        number = random.randrange(100_000)
        record = (
            f'(student-{number} "A name {number % 97}" (marks {number % 7} {number % 9 + 1}.5 -{number}) (a . b))\n'
        )
        records.append(record)
        written += len(record)
    return f"({''.join(records)})"
