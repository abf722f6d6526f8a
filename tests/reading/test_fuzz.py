"""Damaged programs: whatever the text, it ends with a value or with an error that has a report for people, never with a
bug of ours."""

from __future__ import annotations

import random

import pytest
from damaged_texts import NOT_FOR_PEOPLE, TOKEN, damaged, needs_timer, outcomes_of

from minischeme import Session
from minischeme.data.errors import SchemeError, report
from minischeme.data.printer import write
from minischeme.data.source import columns

pytestmark = pytest.mark.slow

PROGRAMS = 2_000

CORPUS = """
(define (fact n) (if (= n 0) 1 (* n (fact (- n 1))))) (fact 5)
(define (f x) (let ((y (+ x 1)) (z 2)) (list x y z))) (f 5)
(let loop ((i 0) (acc '())) (if (= i 5) (reverse acc) (loop (+ i 1) (cons i acc))))
(define x 1) (set! x (+ x 2)) (list x 'x "x" #\\x)
(cond ((assv 2 '((1 a) (2 b))) => cadr) ((null? '()) 'empty) (else 'none))
(case (* 2 3) ((2 3 5) 'prime) ((4 6) 'composite) (else => list))
(do ((i 0 (+ i 1)) (v (make-vector 3 0))) ((= i 3) v) (vector-set! v i (* i i)))
(define (make x) (lambda (y) (set! x (+ x y)) x)) (define m (make 1)) (m 2) (m 3)
`(1 ,(+ 1 1) ,@(map 1+ '(2 3)) . 5)
`#(1 ,@(list 2 3) (4 `(5 ,(6 ,(+ 3 4)))))
(define-syntax swap! (syntax-rules () ((_ a b) (let ((t a)) (set! a b) (set! b t))))) (define p 1) (swap! p x)
(define-macro (twice e) (list 'begin e e)) (twice (display "x"))
(letrec ((e? (lambda (n) (or (= n 0) (o? (- n 1))))) (o? (lambda (n) (and (> n 0) (e? (- n 1)))))) (e? 10))
(define (g . r) (apply + (map abs r))) (g 1 -2 3)
(define ((adder a) b) (+ a b)) ((adder 1) 2)
(first '(a b c)) (bf 'hello) (bl '(1 2)) (last 123) (word 'a 'b) (sentence 'a '(b c) 4)
(every (lambda (w) (word w 's)) '(dog cat)) (keep even? '(1 2 3)) (accumulate max '(3 1 2))
(define s (cons-stream 1 (stream-cdr s))) (stream-car s)
(call-with-current-continuation (lambda (k) (+ 1 (k 5))))
(call-with-values (lambda () (values 1 2)) (lambda (a b) (list b a)))
(define p (delay (+ 1 2))) (list (force p) (force p))
(dynamic-wind (lambda () 1) (lambda () (vector-ref #(1 2) 1)) (lambda () 3))
(string-append "ab" (number->string 12) (symbol->string 'c)) (string-ref "abc" 1)
(assert (= 1 1)) (when #t 1 2) (unless #f 'a) (begin 1 2)
(let* ((x 1) (x (+ x 1))) (define y (* x 10)) (define (z) y) (z))
(if (and (pair? '(1)) (not (null? '(1))) (eq? 'a 'a)) (quotient 7 2) (modulo -7 2))
(sort '(3 1 2) <) (append '(1) '(2 3) 4) (list-tail '(1 2 3) 1) (length '(1 2))
(trace f) (define (f n) (if (zero? n) 0 (f (- n 1)))) (trace f) (f 2) (untrace f)
(eval '(+ 1 2) (interaction-environment)) (eval (list 'quote 'a))
(let-values (((a b) (values 1 2)) ((c) (values 3))) (list a b c))
(vector-map (lambda (x) (* x x)) #(1 2 3)) (vector->list #(1 2)) (list->vector '(1))
(let loop ((i 0)) (when (< i 3) (let inner ((j i)) (if (< j 3) (inner (+ j 1)) (loop (+ i 1))))))
(define (f n) (define (g m) (if (> m n) m (g (+ m 1)))) (define h (lambda () (g 0))) (h)) (f 3)
(error "bad thing:" 'x 5)
(car '()) (vector-ref #(1) 5) (undefined-name 1) ("not a procedure" 2)
(exit 3)
(display '(1 "two" #\\3)) (newline) (write 'x) (print 5) (show '(a b))
#| block |# (quote #;(hidden) a) ; comment
(define car cdr) (car '(1 2)) (define + -) (+ 5 3)
(+ 1/2 .5 -3 1e3 "10") (< 1 2 3) (max 1 2) (sqrt 16) (exact->inexact 1/3) (number->string 10 2)
(1+ 5) (-1+ 5) (1- 5) (add1 1) (atan 1 1) (expt 2 10) (even? 3) (random 5) (boolean? #f)
(define-class (counter) (instance-vars (n 0)) (method (up) (set! n (+ n 1)) n)) (ask (instantiate counter) 'up)
(parameterize () 1) (guard (e (#t 'caught)) (raise 'oops)) (with-exception-handler (lambda (e) 1) (lambda () 2))
(string->symbol "A b") (symbol->string '|A b|) '(a . b) '#(1 #t #f) (list #\\space #\\a)
(define v (vector 1 2 3)) (vector-fill! v 0) (for-each display '(1 2)) (apply max '(1 2))
(set-car! (list 1 2) 3) (define l (list 1 2 3)) (set-cdr! (cddr l) '()) (list-ref l 2) (memq 'b '(a b c))
(define (f x . r) (if (null? x) r (f (cdr x) (car x) r)))
(let loop ((i 0) (s '())) (if (< i 5) (loop (+ i 1) (se i s)) (every square s)))
(define (best hand) (cond ((empty? hand) 0) ((equal? (bl (first hand)) 'a) (+ 11 (best (bf hand)))) (else (car hand))))
(best '(ad 10s kh))
(map (lambda (x y) (* x y)) '(1 2) (vector->list #(3 4)))
(let* ((a 1) (b (+ a 1))) (set! a (list b 'c "d" #\\e 1.5)) (vector-ref (list->vector a) b))
(do ((i 0 (+ i 1)) (acc '() (cons i acc))) ((= i 3) (apply + acc)))
(define-syntax swap! (syntax-rules () ((_ a b) (let ((t a)) (set! a b) (set! b t)))))
(case (word 1 0) ((10) `(yes ,(+ 1 2) ,@(list 3 4))) (else 'no))
(call/cc (lambda (k) (dynamic-wind (lambda () 1) (lambda () (k (force (delay 5)))) (lambda () 2))))
(accumulate word (keep (lambda (w) (member? 'a w)) '(banana cherry apple)))
(string-append (symbol->string 'abc) (number->string (/ 1 3)) (substring "hello" 1 3))
"""


def check(shown: str) -> None:
    """Check that a report can be read by somebody who knows no Python, on a terminal of 80 columns."""
    assert shown.startswith("*** Error"), shown
    assert not NOT_FOR_PEOPLE.search(shown), shown
    assert all(columns(line) <= 80 for line in shown.split("\n") if line.startswith("  | ")), shown


def outcome(session: Session, text: str) -> str:
    """How a program ended. Anything but a value and the errors of Scheme is raised."""
    try:
        write(session.eval(text))
    except SchemeError as error:
        check(report(error))
        return "error"
    return "value"


@needs_timer
def test_damaged_programs() -> None:
    random_ = random.Random(61)
    programs = [TOKEN.findall(line) for line in CORPUS.strip().splitlines()]
    vocabulary = [token for tokens in programs for token in tokens if token not in "()"]
    outcomes = outcomes_of(PROGRAMS, lambda: " ".join(damaged(random_.choice(programs), vocabulary, random_)), outcome)
    assert set(outcomes) == {"value", "error", "exit", "endless"}
    # The test is worth something only if many programs still do something.
    assert outcomes["value"] > PROGRAMS / 10
    assert outcomes["error"] > PROGRAMS / 10
    assert outcomes["endless"] < PROGRAMS / 100
