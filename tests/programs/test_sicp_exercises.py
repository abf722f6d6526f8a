"""Small programs of SICP's readers, which bring definitions of their own for what the library has, or rely on its.

What the book shows itself is in `test_sicp_programs`.
"""

from __future__ import annotations

import io

import pytest

from minischeme import Session
from minischeme.data.printer import write

PROGRAMS = {
    "one's own sqrt": (
        """
        (define (average x y) (/ (+ x y) 2))
        (define (improve guess x) (average guess (/ x guess)))
        (define (good-enough? guess x) (< (abs (- (square guess) x)) 0.001))
        (define (sqrt-iter guess x) (if (good-enough? guess x) guess (sqrt-iter (improve guess x) x)))
        (define (sqrt x) (sqrt-iter 1.0 x))
        (list (round (* 1000 (sqrt 2))) (sqrt 16))""",
        "(1414 4.000000636692939)",
    ),
    "timed primes": (
        """
        (define (smallest-divisor n) (find-divisor n 2))
        (define (find-divisor n d)
          (cond ((> (square d) n) n) ((= (remainder n d) 0) d) (else (find-divisor n (inc d)))))
        (define (prime? n) (= n (smallest-divisor n)))
        (define (expmod base exp m)
          (cond ((= exp 0) 1) ((even? exp) (remainder (square (expmod base (/ exp 2) m)) m))
                (else (remainder (* base (expmod base (dec exp) m)) m))))
        (define (fast-prime? n times)
          (cond ((= times 0) true)
                ((let ((a (+ 1 (random (- n 1))))) (= (expmod a n n) a)) (fast-prime? n (- times 1)))
                (else false)))
        (define (timed-prime-test n) (start-prime-test n (runtime)))
        (define (start-prime-test n start) (if (prime? n) (>= (- (runtime) start) 0) 'composite))
        (list (timed-prime-test 1009) (timed-prime-test 1001) (fast-prime? 1009 5) (fast-prime? 1001 9))""",
        "(#t composite #t #f)",
    ),
    "rationals on closures as pairs": (
        """
        (define (make-rat n d) (let ((g (gcd n d))) (cons (/ n g) (/ d g))))
        (define (cons x y)
          (define (dispatch m) (cond ((= m 0) x) ((= m 1) y) (else (error "Not 0 or 1 -- CONS" m))))
          dispatch)
        (define (car z) (z 0))
        (define (cdr z) (z 1))
        (define half (make-rat 3 6))
        (word (car half) '/ (cdr half))""",
        '"1/2"',
    ),
    "arithmetic of types, with coercion": (
        """
        (define (apply-generic op . args)
          (let* ((tags (map type-tag args)) (proc (get op tags)))
            (if proc
                (apply proc (map contents args))
                (let ((t1->t2 (get-coercion (car tags) (cadr tags))))
                  (if t1->t2
                      (apply-generic op (t1->t2 (car args)) (cadr args))
                      (error "No method for these types -- APPLY-GENERIC" (list op tags)))))))
        (define (install-numbers)
          (define (add-complex a b) (attach-tag 'complex (cons (+ (car a) (car b)) (+ (cdr a) (cdr b)))))
          (put 'add '(scheme-number scheme-number) (lambda (x y) (attach-tag 'scheme-number (+ x y))))
          (put 'add '(complex complex) add-complex)
          (put-coercion 'scheme-number 'complex (lambda (n) (attach-tag 'complex (cons (contents n) 0))))
          'done)
        (install-numbers)
        (list (apply-generic 'add '(scheme-number . 2) '(scheme-number . 3))
              (apply-generic 'add '(scheme-number . 2) '(complex 3 . 4)))""",
        "((scheme-number . 5) (complex 5 . 4))",
    ),
    "one's own table behind get and put": (
        """
        (define (make-table)
          (let ((local-table (list '*table*)))
            (define (lookup key-1 key-2)
              (let ((subtable (assoc key-1 (cdr local-table))))
                (let ((record (and subtable (assoc key-2 (cdr subtable))))) (if record (cdr record) false))))
            (define (insert! key-1 key-2 value)
              (let ((subtable (assoc key-1 (cdr local-table))))
                (if subtable
                    (set-cdr! subtable (cons (cons key-2 value) (cdr subtable)))
                    (set-cdr! local-table (cons (list key-1 (cons key-2 value)) (cdr local-table))))
                'inserted))
            (lambda (m) (cond ((eq? m 'lookup-proc) lookup) ((eq? m 'insert-proc!) insert!)))))
        (define operation-table (make-table))
        (define get (operation-table 'lookup-proc))
        (define put (operation-table 'insert-proc!))
        (list (put 'a 'b 1) (put 'a 'c 2) (get 'a 'b) (get 'a 'c) (get 'z 'b))""",
        "(inserted inserted 1 2 #f)",
    ),
    "one's own lookup in a table of the library": (
        """
        (define table (make-table))
        (insert! 'a 1 table)
        (define (lookup key table)
          (let ((record (assoc key (cdr table)))) (if record (list 'found (cdr record)) 'none)))
        (list (lookup 'a table) (lookup 'b table))""",
        "((found 1) none)",
    ),
    "memoization with a table": (
        """
        (define (memoize f)
          (let ((table (make-table)))
            (lambda (x) (or (lookup x table) (let ((result (f x))) (insert! x result table) result)))))
        (define memo-fib (memoize (lambda (n) (if (< n 2) n (+ (memo-fib (- n 1)) (memo-fib (- n 2)))))))
        (memo-fib 60)""",
        "1548008755920",
    ),
    "a half-adder, with a variable called time": (
        """
        (define agenda '())
        (define time 0)
        (define (after-delay delay action)
          (set! agenda (sort (append agenda (list (cons (+ time delay) action))) (lambda (a b) (< (car a) (car b))))))
        (define (propagate)
          (if (null? agenda)
              'done
              (let ((next (car agenda)))
                (set! time (car next))
                (set! agenda (cdr agenda))
                ((cdr next))
                (propagate))))
        (define (make-wire)
          (let ((value 0) (actions '()))
            (lambda (m . args)
              (cond ((eq? m 'get) value)
                    ((eq? m 'add) (set! actions (cons (car args) actions)) ((car args)))
                    ((not (= value (car args))) (set! value (car args)) (for-each (lambda (a) (a)) actions))))))
        (define (gate f delay inputs output)
          (define (act)
            (let ((new (apply f (map (lambda (w) (w 'get)) inputs))))
              (after-delay delay (lambda () (output 'set! new)))))
          (for-each (lambda (w) (w 'add act)) inputs))
        (define a (make-wire)) (define b (make-wire)) (define s (make-wire)) (define c (make-wire))
        (gate (lambda (x y) (if (= x y) 0 1)) 5 (list a b) s)
        (gate * 3 (list a b) c)
        (a 'set! 1) (propagate) (define before (list (s 'get) (c 'get) time))
        (b 'set! 1) (propagate) (list before (s 'get) (c 'get) time)""",
        "((1 0 5) 0 1 10)",
    ),
    "one's own stream-map and stream-ref": (
        """
        (define (stream-map proc . argstreams)
          (if (stream-null? (car argstreams))
              the-empty-stream
              (cons-stream (apply proc (map stream-car argstreams))
                           (apply stream-map (cons proc (map stream-cdr argstreams))))))
        (define (stream-ref s n) (if (= n 0) (stream-car s) (stream-ref (stream-cdr s) (- n 1))))
        (define (integrate-series s)
          (define (go s n) (cons-stream (/ (stream-car s) n) (go (stream-cdr s) (+ n 1))))
          (go s 1))
        (define exp-series (cons-stream 1 (integrate-series exp-series)))
        (define (partial-sums s) (cons-stream (stream-car s) (stream-map + (stream-cdr s) (partial-sums s))))
        (list (stream-ref exp-series 4) (exact->inexact (stream-ref (partial-sums exp-series) 9)))""",
        "(1/24 2.7182815255731922)",
    ),
    "streams and delay": (
        """
        (define (integral delayed-integrand initial dt)
          (define int
            (cons-stream initial
                         (stream-map + (stream-map (lambda (x) (* x dt)) (force delayed-integrand)) int)))
          int)
        (define (solve f y0 dt) (define y (integral (delay dy) y0 dt)) (define dy (stream-map f y)) y)
        (< 2.716 (stream-ref (solve (lambda (y) y) 1 0.001) 1000) 2.717)""",
        "#t",
    ),
    "pictures in frames": (
        """
        (define (make-vect x y) (cons x y))
        (define (add-vect a b) (make-vect (+ (car a) (car b)) (+ (cdr a) (cdr b))))
        (define (scale-vect s v) (make-vect (* s (car v)) (* s (cdr v))))
        (define (frame-map origin edge1 edge2)
          (lambda (v) (add-vect origin (add-vect (scale-vect (car v) edge1) (scale-vect (cdr v) edge2)))))
        (define lines '())
        (define (draw-line a b) (set! lines (cons (list a b) lines)))
        (define (segments->painter segments)
          (lambda (frame) (for-each (lambda (s) (draw-line (frame (car s)) (frame (cadr s)))) segments)))
        (define (beside p1 p2)
          (lambda (frame)
            (p1 (lambda (v) (frame (make-vect (/ (car v) 2) (cdr v)))))
            (p2 (lambda (v) (frame (make-vect (/ (+ 1 (car v)) 2) (cdr v)))))))
        (define diagonal (segments->painter (list (list (make-vect 0 0) (make-vect 1 1)))))
        ((beside diagonal diagonal) (frame-map (make-vect 0 0) (make-vect 10 0) (make-vect 0 10)))
        lines""",
        "(((5 . 0) (10 . 10)) ((0 . 0) (5 . 10)))",
    ),
    "Monte Carlo": (
        """
        (define (monte-carlo trials experiment)
          (define (iter remaining passed)
            (cond ((= remaining 0) (/ passed trials))
                  ((experiment) (iter (- remaining 1) (+ passed 1)))
                  (else (iter (- remaining 1) passed))))
          (iter trials 0))
        (define (random-in-range low high) (+ low (random (- high low))))
        (define (in-circle?) (<= (+ (square (random-in-range -1.0 1.0)) (square (random-in-range -1.0 1.0))) 1))
        (< 2.9 (* 4 (monte-carlo 2000 in-circle?)) 3.4)""",
        "#t",
    ),
}


@pytest.mark.parametrize(("program", "value"), PROGRAMS.values(), ids=PROGRAMS)
def test_program(program: str, value: str) -> None:
    assert write(Session(seed=1, output=io.StringIO()).eval(program)) == value
