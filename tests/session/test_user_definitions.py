"""Programs that define names of the library themselves: theirs win, and neither procedures nor special forms notice."""

from __future__ import annotations

import io

import pytest

from minischeme import Session
from minischeme.data.printer import write

REDEFINITIONS = {
    "square": ("(define (square x) (list 'squared x))", "(square 3)", "(squared 3)"),
    "accumulate": (
        "(define (accumulate op initial sequence)"
        " (if (null? sequence) initial (op (car sequence) (accumulate op initial (cdr sequence)))))",
        "(accumulate cons nil '(1 2))",
        "(1 2)",
    ),
    "reverse": (
        "(define (reverse l) (if (null? l) l (append (reverse (cdr l)) (list (car l)))))",
        "(reverse '(1 2 3))",
        "(3 2 1)",
    ),
    "repeated": ("(define (repeated f n x) (if (= n 0) x (f (repeated f (- n 1) x))))", "(repeated 1+ 3 0)", "3"),
    "count": ("(define (count x l) (length (filter (lambda (y) (eq? x y)) l)))", "(count 'a '(a b a))", "2"),
    "filter": (
        "(define (filter l p) (cond ((null? l) l) ((p (car l)) (cons (car l) (filter (cdr l) p)))"
        " (else (filter (cdr l) p))))",
        "(filter '(1 2 3) odd?)",
        "(1 3)",
    ),
    "map": ("(define (map l f) (if (null? l) l (cons (f (car l)) (map (cdr l) f))))", "(map '(1 2) -)", "(-1 -2)"),
    "even?": (
        "(define (even? n) (if (= n 0) #t (odd? (- n 1)))) (define (odd? n) (if (= n 0) #f (even? (- n 1))))",
        "(even? 10)",
        "#t",
    ),
    "eval": ("(define (eval exp env) (if (symbol? exp) (cdr (assq exp env)) exp))", "(eval 'x '((x . 5)))", "5"),
    "cons, car, cdr": (
        "(define (cons x y) (lambda (m) (m x y))) (define (car z) (z (lambda (p q) p)))"
        " (define (cdr z) (z (lambda (p q) q)))",
        "(car (cdr (cons 1 (cons 2 3))))",
        "2",
    ),
    "length": ("(define (length l) (if (null? l) 0 (1+ (length (cdr l)))))", "(length '(a b))", "2"),
    "append": (
        "(define (append a b) (if (null? a) b (cons (car a) (append (cdr a) b))))",
        "(append '(1) '(2))",
        "(1 2)",
    ),
    "every": (
        "(define (every f s) (if (empty? s) '() (se (f (first s)) (every f (bf s)))))",
        "(every first '(ab cd))",
        "(a c)",
    ),
    "equal?": (
        "(define (equal? a b) (cond ((and (pair? a) (pair? b)) (and (equal? (car a) (car b)) (equal? (cdr a) (cdr b))))"
        " (else (eq? a b))))",
        "(equal? '(a (b)) '(a (b)))",
        "#t",
    ),
    "first": ("(define (first l) (car l))", "(first '(a b))", "a"),
    "+": ("(define plus +) (define (+ a b) (plus a b 100))", "(+ 1 2)", "103"),
    "list": ("(define list (lambda x (cons 'my x)))", "(list 1 2)", "(my 1 2)"),
    "get and put": ("(define (get key) (list 'got key)) (define (put . x) 'put)", "(get (put 1))", "(got put)"),
    "lookup and insert!": ("(define (lookup x) (insert! x)) (define (insert! x) (list 'in x))", "(lookup 1)", "(in 1)"),
    "assoc and member": (
        "(define (assoc k l) 'none) (define (member x l) 'never)",
        "(cons (assoc 1 2) (member 3 4))",
        "(none . never)",
    ),
    "apply": ("(define (apply f x) (f x))", "(apply square 3)", "9"),
    "error": ("(define (error . args) (cons 'error: args))", '(error "a" 1)', '(error: "a" 1)'),
    "stream-map": ("(define (stream-map f s) 'mine)", "(stream-map 1 2)", "mine"),
    "time": ("(define time 0)", "(begin (set! time (+ time 1)) time)", "1"),
    "assert": ("(define (assert p message) (if p 'fine message))", "(assert #f 'wrong)", "wrong"),
    "while": (
        "(define-macro (while test . body) `(let loop () (if ,test (begin ,@body (loop)) 'done)))",
        "(let ((i 0)) (while (< i 3) (set! i (1+ i))))",
        "done",
    ),
    "cons-stream": (
        "(define-macro (cons-stream a b) `(cons ,a (lambda () ,b)))",
        "((cdr (cons-stream 1 (+ 1 1))))",
        "2",
    ),
    "list as a parameter": ("(define (f list) (list 5))", "(f (lambda (x) (* 2 x)))", "10"),
}


LIBRARY_AND_FORMS = """
    (list-tail (sort (vector->list (vector 3 1 2)) <) 1)
    (every (lambda (w) (se w w)) '(a b))
    (keep (lambda (n) (> n 1)) '(1 2 3))
    (stream-head (stream-filter (lambda (n) (> n 1)) (stream-enumerate-interval 1 9)) 2)
    (case 'b ((a) 1) ((b) 2))
    (let loop ((i 0) (sum 0)) (if (= i 4) sum (loop (1+ i) (max sum i))))
    (do ((i 0 (1+ i))) ((= i 3) i))
    (begin (define-class (box x) (method (get) x)) (ask (instantiate box 5) 'get))
    (let ((x 1)) (fluid-let ((x 2)) x))
    (let-values (((q r) (floor/ 7 2))) (vector q r))
    (let ((t (make-hash-table))) (hash-table-put! t '(1) 2) (hash-table-get t '(1) 0))
    (flatmap (lambda (x) (vector->list (vector x x))) '(1 2))
    `(1 ,@'(2 3) ,(max 4 3))
    (guard (e (#t 'caught)) (vector-ref (vector) 1))
    (string-append (word->string 'a) (number->string 5))
    (reduce max '(1 3 2))
    (list-index (lambda (x) (> x 1)) '(1 2 3))
    (format #f "~a" '(a b))
"""


@pytest.fixture(scope="module")
def expected() -> list[str]:
    return [write(Session(output=io.StringIO()).eval(line)) for line in LIBRARY_AND_FORMS.strip().splitlines()]


@pytest.mark.parametrize("name", REDEFINITIONS)
def test_a_users_definition_wins_and_nothing_else_notices(name: str, expected: list[str]) -> None:
    definition, use, value = REDEFINITIONS[name]
    session = Session(output=io.StringIO())
    session.eval(definition)
    assert write(session.eval(use)) == value
    defined = {word.lstrip("(") for word in definition.replace(")", " ").split()}
    for line, result in zip(LIBRARY_AND_FORMS.strip().splitlines(), expected, strict=True):
        if not defined & {word.lstrip("(`") for word in line.replace(")", " ").split()}:
            assert write(session.eval(line)) == result, line
