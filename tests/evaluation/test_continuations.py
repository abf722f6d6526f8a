"""Continuations that are entered again, any number of times (R7RS 6.10, ARCHITECTURE.md section 6)."""

from __future__ import annotations

import pytest
from reentered import values_seen

# As `values_seen` takes them: a program, and what its continuation is called with; then what was seen.
CALLS = {
    "operand": (
        "(watch (+ 1 (mark 1)))",
        "1 2 3",
        "(2 2 3 4)",
    ),
    "operand behind a computed one": (
        "(define (f x) (* x 10)) (watch (list (f 1) (mark 2) (f 3)))",
        "7",
        "((10 2 30) (10 7 30))",
    ),
    "operands before and after, deep": (
        "(watch (list (list 'a (vector (car '(1)) (mark 2) (cdr '(3)))) 'b))",
        "7",
        "(((a #(1 2 ())) b) ((a #(1 7 ())) b))",
    ),
    "operator": (
        "(watch ((mark +) 2 3))",
        "(lambda (a b) (* a b))",
        "(5 6)",
    ),
    "test": (
        "(watch (if (mark #t) 'yes 'no))",
        "#f 5",
        "(yes no yes)",
    ),
    "test of a comparison": (
        "(watch (if (< (car '(1)) (mark 2)) 'less 'more))",
        "0 9",
        "(less more less)",
    ),
    "branch": (
        "(watch (if #t (list (mark 1)) 'no))",
        "2",
        "((1) (2))",
    ),
    "or": (
        "(watch (or (mark #f) 'second))",
        "5 #f",
        "(second 5 second)",
    ),
    "second of or": (
        "(watch (or #f (mark 1)))",
        "2",
        "(1 2)",
    ),
    "and": (
        "(watch (and 1 (mark 2) 3))",
        "#f 4",
        "(3 #f 3)",
    ),
    "cond arrow": (
        "(watch (cond ((mark 1) => list) (else 'none)))",
        "2 #f",
        "((1) (2) none)",
    ),
    "case": (
        "(watch (case (mark 1) ((1) 'one) ((2) 'two) (else 'many)))",
        "2 3",
        "(one two many)",
    ),
    "sequence": (
        "(define (f) (mark 1) 'end) (watch (f))",
        "2 3",
        "(end end end)",
    ),
    "let": (
        "(watch (let ((a 1) (b (mark 2)) (c 3)) (list a b c)))",
        "7",
        "((1 2 3) (1 7 3))",
    ),
    "let*": (
        "(watch (let* ((a (mark 1)) (b (+ a 1))) (list a b)))",
        "7",
        "((1 2) (7 8))",
    ),
    "set!": (
        "(define x 0) (watch (begin (set! x (mark 1)) x))",
        "2",
        "(1 2)",
    ),
    "local set!": (
        "(watch (let ((x 0)) (set! x (+ x (mark 1))) x))",
        "5",
        "(1 5)",
    ),
    "a variable keeps what was assigned": (
        "(watch (let ((n 0)) (mark 1) (set! n (+ n 1)) n))",
        "1 1 1",
        "(1 2 3 4)",
    ),
    "a parameter keeps what was assigned": (
        "(define (f n) (mark 1) (set! n (+ n 1)) n) (watch (f 0))",
        "1 1 1",
        "(1 2 3 4)",
    ),
    "a closure shares what was assigned": (
        "(define get #f) (define (f) (let ((n 0)) (set! get (lambda () n)) (mark 1) (set! n (+ n 1)) (get)))"
        " (watch (f))",
        "1 1",
        "(1 2 3)",
    ),
    "variables that are not assigned are each turn's own": (
        "(define all '()) (define (f) (let ((n (mark 1))) (set! all (cons (lambda () n) all)) (map (lambda"
        " (p) (p)) all))) (watch (f))",
        "2 3",
        "((1) (2 1) (3 2 1))",
    ),
    "internal definition": (
        "(define (f) (define a (mark 1)) (define b (+ a 1)) (list a b)) (watch (f))",
        "5",
        "((1 2) (5 6))",
    ),
    "internal definition used by an earlier one": (
        "(define (f) (define (g) (* 10 y)) (define y (mark 1)) (g)) (watch (f))",
        "2 3",
        "(10 20 30)",
    ),
    "internal procedure defined later": (
        "(define (f) (define (g) (h)) (define x (mark 1)) (define (h) (list x)) (g)) (watch (f))",
        "2",
        "((1) (2))",
    ),
    "internal procedures, recursive": (
        "(define (f n) (define (up i) (if (= i n) (mark 0) (+ 1 (up (+ i 1))))) (up 0)) (watch (f 5))",
        "10",
        "(5 15)",
    ),
    "named let": (
        "(watch (let loop ((i 0) (acc '())) (if (= i 4) (reverse acc) (loop (+ i 1) (cons (if (= i 2) (mark"
        " 'x) i) acc)))))",
        "'y",
        "((0 1 x 3) (0 1 y 3))",
    ),
    "named let, in each turn": (
        "(watch (let loop ((i 0) (acc 0)) (if (= i 3) acc (begin (mark i) (loop (+ i 1) (+ acc i))))))",
        "1 1",
        "(3 3 3)",
    ),
    "nested loops": (
        "(watch (let outer ((i 0) (acc '())) (if (= i 3) acc (outer (+ i 1) (let inner ((j 0) (acc acc)) (if"
        " (= j 2) acc (inner (+ j 1) (cons (if (and (= i 1) (= j 1)) (mark 'x) (+ (* 10 i) j)) acc))))))))",
        "'y",
        "((21 20 x 10 1 0) (21 20 y 10 1 0))",
    ),
    "do": (
        "(watch (do ((i 0 (+ i 1)) (acc '() (cons (if (= i 1) (mark 'x) i) acc))) ((= i 3) acc)))",
        "'y",
        "((2 x 0) (2 y 0))",
    ),
    "while": (
        "(watch (let ((i 0) (acc '())) (while (< i 3) (set! acc (cons (mark i) acc)) (set! i (+ i 1))) acc))",
        "9",
        "((2 1 0) (9 2 1 0))",
    ),
    "self tail call": (
        "(define (f i acc) (if (= i 3) acc (f (+ i 1) (cons (if (= i 1) (mark 'x) i) acc)))) (watch (f 0 '()))",
        "'y",
        "((2 x 0) (2 y 0))",
    ),
    "non-tail recursion": (
        "(define (f l) (if (null? l) (mark '()) (cons (car l) (f (cdr l))))) (watch (f '(1 2 3)))",
        "'(9)",
        "((1 2 3) (1 2 3 9))",
    ),
    "rest parameter": (
        "(define (f a . r) (list a r (mark 1))) (watch (f 1 2 3))",
        "2",
        "((1 (2 3) 1) (1 (2 3) 2))",
    ),
    "free variable": (
        "(define (f a) (lambda (b) (list a b (mark 1)))) (watch ((f 1) 2))",
        "3",
        "((1 2 1) (1 2 3))",
    ),
    "procedure that repeats itself": (
        "(define (f n) (define (p i) (if (< i n) (p (+ 1 (mark i))) (list i))) (define (q) (p 0)) (list (q) (q)))"
        " (watch (f 2))",
        "0 1 5",
        "(((2) (2)) ((2) (2)) ((2) (2)) ((6) (2)))",
    ),
    "procedure that repeats itself, and is kept": (
        "(define kept #f) (define (f) (define (p i) (if (< i 2) (p (+ 1 (mark i))) (list i))) (set! kept p) (p 0))"
        " (watch (f))",
        "0 1 5",
        "((2) (2) (2) (6))",
    ),
    "procedure that repeats itself, and is itself": (
        "(define kept #f) (define (f) (define (p i) (if (< i 2) (p (+ 1 (mark i))) (eq? p kept))) (set! kept p) (p 0))"
        " (watch (f))",
        "0 1",
        "(#t #t #t)",
    ),
    "loop that is entered from two places afterwards": (
        "(define n 0) (watch (let outer ((i 0)) (set! n (+ n 1)) (if (> n 3) i (do () ((mark #t) (outer (+ i 1)))))))",
        "#t #t #f",
        "(3 1 1 1)",
    ),
    "branch that is never taken": (
        "(define (f x) (let ((y 1)) (lambda () (let ((z (mark 1))) (if #f y (list z)))))) (watch ((f 1)))",
        "2",
        "((1) (2))",
    ),
    "internal definition that an escape came before": (
        "(define (f escape) (define (g) (list 'two y)) (call/cc (lambda (c) (set! k c) (escape 'one)))"
        " (define y (list 2)) (apply g '())) (watch (call/cc f))",
        "1",
        "(one (two (2)))",
    ),
    "internal definition, shared with an earlier closure": (
        "(define n 1) (define (one) 1) (define (f) (define (g) (one) (one) (* 10 y)) (define x (begin (mark 1) g))"
        " (one) (define y (+ n 1)) (apply x '())) (watch (f)) (set! n 11)",
        "1",
        "(20 120)",
    ),
    "late definition in a procedure that is copied": (
        "(define (f n) (define (g) (define (h) x) (define x (mark n)) (h)) (if (= n 0) '() (cons (g) (f (- n 1)))))"
        " (watch (f 2))",
        "7",
        "((2 1) (7 1))",
    ),
    "apply": (
        "(watch (apply list (mark 1) '(2)))",
        "3",
        "((1 2) (3 2))",
    ),
    "call-with-values": (
        "(watch (call-with-values (lambda () (values 1 (mark 2))) list))",
        "3",
        "((1 2) (1 3))",
    ),
    "let-values": (
        "(watch (let-values (((a b) (values (mark 1) 2))) (list a b)))",
        "7",
        "((1 2) (7 2))",
    ),
    "map": (
        "(watch (map (lambda (x) (if (= x 2) (mark x) x)) '(1 2 3)))",
        "7 8",
        "((1 2 3) (1 7 3) (1 8 3))",
    ),
    "map of two": (
        "(watch (map (lambda (x y) (+ x (if (= x 2) (mark y) y))) '(1 2 3) '(4 5 6)))",
        "7",
        "((5 7 9) (5 9 9))",
    ),
    "map of three": (
        "(watch (map (lambda (x y z) (mark x)) '(1) '(4) '(5)))",
        "7",
        "((1) (7))",
    ),
    "vector-map": (
        "(watch (vector-map (lambda (x) (if (= x 2) (mark x) x)) #(1 2 3)))",
        "7",
        "(#(1 2 3) #(1 7 3))",
    ),
    "string-map": (
        '(watch (string-map (lambda (c) (mark c)) "ab"))',
        "#\\z",
        '("ab" "zb")',
    ),
    "for-each": (
        "(define seen '()) (watch (begin (for-each (lambda (x) (set! seen (cons (mark x) seen))) '(1 2)) seen))",
        "7",
        "((2 1) (2 7 2 1))",
    ),
    "vector-for-each": (
        "(define seen '()) (watch (begin (vector-for-each (lambda (x) (set! seen (cons (mark x) seen))) #(1 2)) seen))",
        "7",
        "((2 1) (2 7 2 1))",
    ),
    "filter": (
        "(watch (filter (lambda (x) (if (= x 2) (mark #t) #t)) '(1 2 3)))",
        "#f",
        "((1 2 3) (1 3))",
    ),
    "reduce": (
        "(watch (reduce (lambda (x y) (+ (mark x) y)) '(1 2 3)))",
        "10",
        "(6 14)",
    ),
    "fold-left": (
        "(watch (fold-left (lambda (x y) (+ x (mark y))) 0 '(1 2 3)))",
        "10",
        "(6 15)",
    ),
    "every": (
        "(watch (every (lambda (x) (if (equal? x 'b) (mark x) x)) '(a b c)))",
        "'z",
        "((a b c) (a z c))",
    ),
    "keep": (
        "(watch (keep (lambda (x) (if (equal? x 'b) (mark #t) #t)) '(a b c)))",
        "#f",
        "((a b c) (a c))",
    ),
    "accumulate": (
        "(watch (accumulate (lambda (x y) (+ (mark x) y)) '(1 2 3)))",
        "10",
        "(6 14)",
    ),
    "repeated": (
        "(watch ((repeated (lambda (x) (* 2 (mark x))) 3) 1))",
        "5",
        "(8 40)",
    ),
    "force: the first value stands": (
        "(watch (force (delay (mark 1))))",
        "2",
        "(1 1)",
    ),
    "eval": (
        "(watch (list 'a (eval '(+ 1 (mark 1)) (the-environment))))",
        "2",
        "((a 2) (a 3))",
    ),
    "dynamic-wind": (
        "(define trail '()) (define (go x) (set! trail (cons x trail))) (watch (begin (dynamic-wind (lambda"
        " () (go 'in)) (lambda () (go (mark 1))) (lambda () (go 'out))) (reverse trail)))",
        "2",
        "((in 1 out) (in 1 out in 2 out))",
    ),
    "before thunk": (
        "(define trail '()) (define (note x) (set! trail (cons x trail)))"
        " (watch (begin (dynamic-wind (lambda () (mark 1) (note 'in)) (lambda () 1) (lambda () (note 'out))) trail))",
        "2",
        "((out in) (out in out in))",
    ),
    "after thunk": (
        "(define trail '()) (define (note x) (set! trail (cons x trail)))"
        " (watch (begin (dynamic-wind (lambda () 1) (lambda () 1) (lambda () (mark 1) (note 'out))) trail))",
        "2",
        "((out) (out out))",
    ),
    "after thunk of an escape": (
        "(watch (call/cc (lambda (leave)"
        " (dynamic-wind (lambda () 1) (lambda () (leave (list 'left))) (lambda () (mark 1))))))",
        "2",
        "((left) (left))",
    ),
    "after thunk of an error": (
        "(watch (guard (e (#t 'caught)) (dynamic-wind (lambda () 1) (lambda () (car 5)) (lambda () (mark 1)))))",
        "2",
        "(caught caught)",
    ),
    "after thunk of a raise": (
        "(watch (guard (e (#t e)) (dynamic-wind (lambda () 1) (lambda () (raise 'one)) (lambda () (mark 1)))))",
        "2",
        "(one one)",
    ),
    "parameterize": (
        "(define p (make-parameter 0)) (watch (list (parameterize ((p 1)) (mark 1) (p)) (p)))",
        "1 1",
        "((1 0) (1 0) (1 0))",
    ),
    "fluid-let": (
        "(define x 0) (watch (list (fluid-let ((x 1)) (mark 1) x) x))",
        "1 1",
        "((1 0) (1 0) (1 0))",
    ),
    "guard": (
        "(watch (guard (e ((symbol? e) (list 'caught e))) (let ((x (mark 1))) (if (symbol? x) (raise x) x))))",
        "'a 2",
        "(1 (caught a) 2)",
    ),
    "guard, with an error": (
        "(watch (guard (e ((error-object? e) 'error)) (car (mark '(1)))))",
        "5 '(2)",
        "(1 error 2)",
    ),
    "guard clause": (
        "(watch (guard (e (#t (list (mark e)))) (raise 'a)))",
        "'b",
        "((a) (b))",
    ),
    "handler": (
        "(watch (with-exception-handler (lambda (e) (+ e 1)) (lambda () (* 2 (raise-continuable (mark 1))))))",
        "4",
        "(4 10)",
    ),
    "in a handler that raise has called": (
        "(watch (guard (e (#t (error-object? e)))"
        " (with-exception-handler (lambda (x) (mark x)) (lambda () (raise 1)))))",
        "2",
        "(#t #t)",
    ),
    "in a handler that raises to the one around it": (
        "(watch (with-exception-handler (lambda (x) (list 'outer x)) (lambda () (with-exception-handler"
        " (lambda (x) (list 'inner (raise-continuable (mark x)))) (lambda () (raise-continuable 1))))))",
        "2",
        "((inner (outer 1)) (inner (outer 2)))",
    ),
    "in the handler around one that has returned from raise": (
        "(watch (guard (e (#t (error-object? e))) (with-exception-handler (lambda (x) (mark x))"
        " (lambda () (with-exception-handler (lambda (x) x) (lambda () (raise 1)))))))",
        "2",
        "(#t #t)",
    ),
    "in a handler of an error": (
        "(watch (call/cc (lambda (leave) (with-exception-handler (lambda (e) (leave (mark 1))) (lambda () (car 5))))))",
        "2",
        "(1 2)",
    ),
    "in a handler of an error, which returns": (
        "(watch (guard (e (#t (error-object? e))) (with-exception-handler (lambda (e) (mark 1)) (lambda () (car 5)))))",
        "2",
        "(#t #t)",
    ),
    "test of a guard clause": (
        "(watch (guard (e ((eq? (mark e) 'one) (list e 'one)) (else (list e 'other))) (raise 'one)))",
        "'two 'one",
        "((one one) (one other) (one one))",
    ),
    "test of a guard clause, for an error": (
        "(watch (guard (e ((mark #t) 'first) (else 'second)) (car 5)))",
        "#f #t",
        "(first second first)",
    ),
    "test of a guard clause, passed on": (
        "(watch (guard (e (#t 'outer)) (guard (e ((mark #t) 'inner)) (raise 1))))",
        "#f #t",
        "(inner outer inner)",
    ),
    "in a handler": (
        "(watch (with-exception-handler (lambda (e) (mark e)) (lambda () (* 2 (raise-continuable 1)))))",
        "4",
        "(2 8)",
    ),
    "several values": (
        "(watch (call-with-values (lambda () (mark 1)) list))",
        "2",
        "((1) (2))",
    ),
    "object": (
        "(define-class (cell v) (method (twice) (list v (mark v)))) (watch (ask (instantiate cell 1) 'twice))",
        "2",
        "((1 1) (1 2))",
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_returns_again(name: str) -> None:
    setup, again, expected = CALLS[name]
    assert values_seen(setup, again) == expected
