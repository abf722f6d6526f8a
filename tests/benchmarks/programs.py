"""The programs of the workloads in Scheme, and the files that some of them read."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parents[2]
PORTABLE = Path(__file__).resolve().parent / "portable"
SEED = 21

FIB = "(define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))"

TAK = """
(define (tak x y z)
  (if (not (< y x))
      z
      (tak (tak (- x 1) y z) (tak (- y 1) z x) (tak (- z 1) x y))))
"""

LOOP = """
(define (sum-below n)
  (let loop ((i 0) (total 0))
    (if (= i n) total (loop (+ i 1) (+ total i)))))
"""

DEEP = "(define (deep n) (if (= n 0) 0 (+ 1 (deep (- n 1)))))"

MUTUAL = """
(define (is-even n) (if (= n 0) 1 (is-odd (- n 1))))
(define (is-odd n) (if (= n 0) 0 (is-even (- n 1))))
"""

QUEENS = """
(define (queens size)
  (define (safe? row distance placed)
    (cond ((null? placed) #t)
          ((or (= (car placed) row) (= (abs (- (car placed) row)) distance)) #f)
          (else (safe? row (+ distance 1) (cdr placed)))))
  (define (ways row column placed)
    (cond ((= column size) 1)
          ((= row size) 0)
          (else (+ (if (safe? row 1 placed) (ways 0 (+ column 1) (cons row placed)) 0)
                   (ways (+ row 1) column placed)))))
  (ways 0 0 '()))
"""

LIST_CHURN = """
(define (numbers start end)
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
                (+ result (added (reversed (joined (odd-ones (squares items)) items)))))))))
"""

SENTENCE_REVERSAL = """
(define (numbers start end)
  (if (= start end) '() (se start (numbers (+ start 1) end))))
(define (backwards sent)
  (if (empty? sent) '() (se (backwards (bf sent)) (first sent))))
(define (again sent times)
  (if (= times 0) sent (again (backwards sent) (- times 1))))
"""

WORD_BUILDING = """
(define (backwards wd)
  (if (empty? wd) "" (word (backwards (bf wd)) (first wd))))
(define (again sent times)
  (if (= times 0) sent (again (every backwards sent) (- times 1))))
"""

TWENTY_ONE = (ROOT / "transcripts" / "cs61a" / "twenty-one.scm").read_text(encoding="utf-8")
GAMES = f"(begin (set-random-seed! {SEED}) (play-n stop-at-17 (size)))"

EVALUATOR = (PORTABLE / "evaluator.scm").read_text(encoding="utf-8")

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
