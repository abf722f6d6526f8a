"""Standard procedures that call procedures, and go on when a call that they wait for returns again."""

from __future__ import annotations

import pytest
from reentered import shown, values_seen

from minischeme import Session
from minischeme.data.printer import write

# As `values_seen` takes them: a program, and what its continuation is called with; then what was seen.
CASES = {
    "flatmap": (
        "(watch (flatmap (lambda (x) (list (mark x) x)) '(1 2)))",
        "7",
        "((1 1 2 2) (7 1 2 2))",
    ),
    "append-map": (
        "(watch (append-map (lambda (x) (list (mark x) x)) '(1 2)))",
        "7",
        "((1 1 2 2) (7 1 2 2))",
    ),
    "filter-map": (
        "(watch (filter-map (lambda (x) (mark x)) '(1 2)))",
        "#f",
        "((1 2) (2))",
    ),
    "list-tabulate": (
        "(watch (list-tabulate 3 (lambda (i) (mark i))))",
        "7",
        "((0 1 2) (7 1 2))",
    ),
    "find": (
        "(watch (find (lambda (x) (mark (= x 2))) '(1 2 3)))",
        "#t 5",
        "(2 1 1)",
    ),
    "list-index": (
        "(watch (list-index (lambda (x) (mark (= x 2))) '(1 2 3)))",
        "#t #f",
        "(1 0 1)",
    ),
    "any": (
        "(watch (any (lambda (x) (mark #f)) '(1 2 3)))",
        "5 #f",
        "(#f 5 #f)",
    ),
    "reduce-left": (
        "(watch (reduce-left (lambda (a b) (+ a (mark b))) 0 '(1 2 3)))",
        "10",
        "(6 14)",
    ),
    "reduce-right": (
        "(watch (reduce-right (lambda (a b) (+ (mark a) b)) 0 '(1 2 3)))",
        "10",
        "(6 14)",
    ),
    "fold-right": (
        "(watch (fold-right (lambda (x acc) (cons (mark x) acc)) '() '(1 2 3)))",
        "10",
        "((1 2 3) (1 2 10))",
    ),
    "remove": (
        "(watch (remove (lambda (x) (mark #f)) '(1 2 3)))",
        "#t",
        "((1 2 3) (2 3))",
    ),
    "member": (
        "(watch (member 2 '(1 2 3) (lambda (a b) (mark (= a b)))))",
        "#t #f",
        "((2 3) (1 2 3) (2 3))",
    ),
    "assoc": (
        "(watch (assoc 2 '((1 a) (2 b)) (lambda (a b) (mark (= a b)))))",
        "#t #f",
        "((2 b) (1 a) (2 b))",
    ),
    "string-index": (
        '(watch (string-index "abc" (lambda (c) (mark (equal? c #\\b)))))',
        "#t #f",
        "(1 0 1)",
    ),
    "hash-table-update!": (
        "(define t (make-equal-hash-table)) (watch (begin (hash-table-update! t 'a (lambda (x) (+ 1 (mark "
        "x))) (lambda () 0)) (hash-table-ref t 'a)))",
        "7",
        "(1 8)",
    ),
    "hash-table-update!, in what fails": (
        "(define t (make-equal-hash-table)) (watch (begin (hash-table-update! t 'a (lambda (x) (+ 1 x)) "
        "(lambda () (mark 0))) (hash-table-ref t 'a)))",
        "7",
        "(1 8)",
    ),
    "hash-table-update!/default": (
        "(define t (make-equal-hash-table)) (watch (begin (hash-table-update!/default t 'a (lambda (x) (+ 1 "
        "(mark x))) 0) (hash-table-ref t 'a)))",
        "7",
        "(1 8)",
    ),
    "hash-table-ref": (
        "(define t (make-equal-hash-table)) (watch (list (hash-table-ref t 'a (lambda () (mark 1)))))",
        "7",
        "((1) (7))",
    ),
    "hash-table-walk": (
        "(define t (make-equal-hash-table)) (hash-table-set! t 1 2) (hash-table-set! t 3 4) (define seen "
        "'()) (watch (begin (hash-table-walk t (lambda (k v) (set! seen (cons (mark v) seen)))) seen))",
        "7",
        "((4 2) (4 7 4 2))",
    ),
    "hash-table-map": (
        "(define t (make-equal-hash-table)) (hash-table-set! t 1 2) (hash-table-set! t 3 4) (watch "
        "(hash-table-map t (lambda (k v) (mark v))))",
        "7",
        "((2 4) (7 4))",
    ),
    "hash-table-fold": (
        "(define t (make-equal-hash-table)) (hash-table-set! t 1 2) (hash-table-set! t 3 4) (watch "
        "(hash-table-fold t (lambda (k v s) (+ (mark v) s)) 0))",
        "7",
        "(6 11)",
    ),
    "stream-for-each": (
        "(define seen '()) (watch (begin (stream-for-each (lambda (x) (set! seen (cons (mark x) seen))) "
        "(stream 1 2)) seen))",
        "7",
        "((2 1) (2 7 2 1))",
    ),
    "stream-for-each, in the rest": (
        "(define seen '()) (watch (begin (stream-for-each (lambda (x) (set! seen (cons x seen))) "
        "(cons-stream 1 (begin (mark 1) (cons-stream 2 '())))) seen))",
        "7",
        "((2 1) (2 2 1))",
    ),
    "stream-map": (
        "(watch (stream-head (stream-map (lambda (x) (mark x)) (stream 1 2)) 2))",
        "7",
        "((1 2) (7 2))",
    ),
    "stream-filter": (
        "(watch (stream-head (stream-filter (lambda (x) (mark #t)) (stream 1 2 3)) 2))",
        "#f",
        "((1 2) (2 3))",
    ),
    "stream-cdr": (
        "(watch (list (stream-cdr (cons-stream 1 (mark 1)))))",
        "7",
        "((1) (1))",
    ),
    "stream-append": (
        "(watch (stream-car (stream-cdr (stream-append (cons-stream 1 (mark '())) (stream 3)))))",
        "'()",
        "(3 3)",
    ),
    "call-with-output-string": (
        "(watch (call-with-output-string (lambda (port) (write (mark 1) port))))",
        "2",
        '("1" "12")',
    ),
    "with-output-to-string": (
        '(watch (with-output-to-string (lambda () (display (mark 1)) (display "!"))))',
        "2",
        '("1!" "1!2!")',
    ),
    "make-parameter": (
        "(watch ((make-parameter 1 (lambda (x) (+ 1 (mark x))))))",
        "5",
        "(2 6)",
    ),
    "parameterize, in a converter": (
        "(define p (make-parameter 1 (lambda (x) (list x)))) (define q (make-parameter 1 (lambda (x) (mark "
        "x)))) (set! k #f) (watch (parameterize ((p 2) (q 3) (p 4)) (list (p) (q))))",
        "5",
        "(((4) 3) ((4) 5))",
    ),
    "instance variables": (
        "(define-class (cell) (instance-vars (n (mark 1))) (method (get) n)) (watch (ask (instantiate cell) 'get))",
        "5",
        "(1 5)",
    ),
    "initialize": (
        "(define-class (cell) (instance-vars (n 0)) (initialize (set! n (mark 1))) (method (get) n)) (watch "
        "(ask (instantiate cell) 'get))",
        "5",
        "(1 5)",
    ),
    "initialize of a parent": (
        "(define-class (base) (instance-vars (n 0)) (initialize (set! n (mark 1))) (method (get) n)) "
        "(define-class (cell) (parent (base))) (watch (ask (instantiate cell) 'get))",
        "5",
        "(1 5)",
    ),
    "serializer": (
        "(define s (make-serializer)) (define f (s (lambda (x) (list (mark x))))) (watch (list (f 1) (f 2)))",
        "5",
        "(((1) (2)) ((5) (2)))",
    ),
    "time": (
        "(watch (list (time (mark 1))))",
        "5",
        "((1) (5))",
    ),
    "sandwich": (
        "(watch (map (lambda (x) (apply + (map (lambda (y) (mark (* x y))) '(1 2)))) '(10 20)))",
        "1 2 3",
        "((30 60) (21 60) (22 60) (23 60))",
    ),
    "sort": (
        "(watch (sort '(3 1 2) (lambda (a b) (mark (< a b)))))",
        "#f #t",
        "((1 2 3) (2 3 1) (1 2 3))",
    ),
    "sort!": (
        "(watch (vector->list (sort! (vector 3 1 2) (lambda (a b) (mark (< a b))))))",
        "#f",
        "((1 2 3) (2 3 1))",
    ),
    "parallel-execute": (
        "(define x 0) (watch (begin (parallel-execute (lambda () (set! x (+ 1 (mark x))))) x))",
        "5",
        "(1 6)",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_call_returns_again(name: str) -> None:
    setup, again, expected = CASES[name]
    assert values_seen(setup, again) == expected


def test_a_traced_call_returns_again() -> None:
    lines = shown(
        "(define k #f) (define (g x) (call/cc (lambda (c) (if (not k) (set! k c)) x)))"
        " (define (f x) (list (g x) (g 2))) (define (main) (f 1)) (trace main f g square) (main) (k 7)"
    ).splitlines()
    assert lines[lines.index("(1 2)") + 1 :] == [
        "...... <- g returns 7",
        "...... -> g with x = 2",
        "...... <- g returns 2",
        ".... <- f returns (7 2)",
        ".. <- main returns (7 2)",
        "(7 2)",
    ]
    assert shown(
        "(define k #f) (trace map) (map (lambda (x) (call/cc (lambda (c) (set! k c) x))) '(1)) (k 2)"
    ).endswith(" <- map returns (1)\n(1)\n <- map returns (2)\n(2)\n")


def test_a_sort_goes_on_with_what_was_in_order_already() -> None:
    session = Session()
    session.eval("(define k #f) (define (mark) (call/cc (lambda (c) (set! k c))))")
    session.eval("(define (less a b) (if (and (= a 3) (not k)) (mark)) (< a b))")
    session.eval("(define times 0) (define result (sort '(2 1 4 3) less))")
    session.eval("(if (= times 0) (begin (set! times 1) (k 0)))")
    assert write(session.eval("(list times result)")) == "(1 (1 2 3 4))"
