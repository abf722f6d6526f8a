"""Macros: hygiene, patterns and templates, and where a macro is in effect (R7RS 4.3)."""

from __future__ import annotations

import pytest
from sessions import error_in, error_of

from minischeme import Session
from minischeme.data.printer import write

MY_OR = """(define-syntax my-or (syntax-rules ()
  ((_) #f) ((_ e) e) ((_ e r ...) (let ((t e)) (if t t (my-or r ...))))))"""
SWAP = "(define-syntax swap! (syntax-rules () ((_ a b) (let ((tmp a)) (set! a b) (set! b tmp)))))"


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        # Hygiene: what a template brings in neither captures nor is captured.
        (MY_OR + "(let ((t 5)) (my-or #f t))", "5"),
        (MY_OR + "(let ((if list)) (my-or #f 3))", "3"),
        (SWAP + "(define tmp 1) (define y 2) (swap! tmp y) (list tmp y)", "(2 1)"),
        ("(define x 1) (define-syntax get (syntax-rules () ((_) x))) (let ((x 2)) (get))", "1"),
        ("(let ((=> #f)) (cond (#t => 'ok)))", "ok"),
        ("(let ((x 1)) (let-syntax ((get (syntax-rules () ((_) x)))) (let ((x 2)) (get))))", "1"),
        # Literals match what means the same.
        ("(define-syntax m (syntax-rules (else) ((_ else) 'yes) ((_ x) 'no))) (m else)", "yes"),
        ("(define-syntax m (syntax-rules (else) ((_ else) 'yes) ((_ x) 'no))) (let ((else 1)) (m else))", "no"),
        # Patterns and templates.
        (
            "(define-syntax m (syntax-rules () ((_ (a b ...) ...) '((b ... a) ...)))) (m (1 2 3) (4 5))",
            "((2 3 1) (5 4))",
        ),
        ("(define-syntax m (syntax-rules () ((_ (a ...) ...) '(a ... ...)))) (m (1 2) (3) ())", "(1 2 3)"),
        ("(define-syntax m (syntax-rules () ((_ a ... z) '(z a ...)))) (m 1 2 3)", "(3 1 2)"),
        ("(define-syntax m (syntax-rules () ((_ a ... y . z) '(z y a ...)))) (m 1 2 . 3)", "(3 2 1)"),
        ("(define-syntax m (syntax-rules () ((_ a . b) '(b . a)))) (m 1 2 3)", "((2 3) . 1)"),
        ("(define-syntax m (syntax-rules () ((_ #(a ...)) '(a ...)))) (m #(1 2 3))", "(1 2 3)"),
        ("(define-syntax m (syntax-rules () ((_ a ...) #(0 a ... 9)))) (m 1 2)", "#(0 1 2 9)"),
        ("(define-syntax m (syntax-rules ::: () ((_ a :::) '(a ::: ...)))) (m 1 2)", "(1 2 ...)"),
        ("(define-syntax m (syntax-rules () ((_ a) '(a (... ...))))) (m 1)", "(1 ...)"),
        ("(define-syntax m (syntax-rules () ((_ _ a) 'a))) (m 1 2)", "2"),
        ('(define-syntax m (syntax-rules () ((_ "a" 1 #\\b) \'yes) ((_ . r) \'no))) (m "a" 1 #\\b)', "yes"),
        # A macro that defines a macro.
        (
            "(define-syntax b (syntax-rules () ((_ name) (define-syntax name"
            " (syntax-rules () ((_ e (... ...)) (list e (... ...)))))))) (b seq) (seq 1 2 3)",
            "(1 2 3)",
        ),
        # Scope.
        ("(define (f) (define-syntax d (syntax-rules () ((_ x) (* x 2)))) (define y (d 4)) (d y)) (f)", "16"),
        (
            "(define-syntax two (syntax-rules () ((_ a b v) (begin (define a v) (define b v)))))"
            "(define (g) (two a b 3) (+ a b)) (g)",
            "6",
        ),
        ("(define-syntax m (syntax-rules () ((_) 1))) (define (m) 2) (m)", "2"),
        ("(define (m) 2) (define-syntax m (syntax-rules () ((_) 1))) (m)", "1"),
        ("(define-syntax when (syntax-rules () ((_ x) 'mine))) (when #f)", "mine"),
        ("(define-syntax my-if if) (my-if #t 1 2)", "1"),
        (
            "(letrec-syntax ((ev? (syntax-rules () ((_) #t) ((_ x . r) (od? . r))))"
            " (od? (syntax-rules () ((_) #f) ((_ x . r) (ev? . r))))) (ev? 1 2 3 4))",
            "#t",
        ),
        # The course's macros are procedures from data to data.
        ("(define-macro (my-if a b c) `(cond (,a ,b) (else ,c))) (my-if #t 1 2)", "1"),
        ("(define-macro (m . forms) (list 'quote (reverse forms))) (m a b c)", "(c b a)"),
        ("(define-macro m (lambda (x) (list '* x x))) (m 5)", "25"),
        ("(define (helper x) (list '+ x 1)) (define-macro (m x) (helper x)) (m 5)", "6"),
        ("(define (f) (define-macro (d x) `(* 2 ,x)) (d 4)) (f)", "8"),
    ],
)
def test_macro(program: str, expected: str) -> None:
    assert write(Session().eval(program)) == expected


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (SWAP + "\n(swap! 1)", "swap!: bad syntax: (swap! 1)"),
        ("(define-syntax m (syntax-rules () ((_ a a) a)))", "variable twice in a pattern: a"),
        ("(define-syntax m (syntax-rules () ((_ a ...) a)))\n(m 1)", "no ellipsis behind a"),
        ("(define-syntax m (syntax-rules () ((_ a) '(a ...))))\n(m 1)", "nothing to repeat before the ellipsis: a"),
        ("(define-syntax m 5)", "not a syntax-rules form: 5"),
        ("(define-syntax m (syntax-rules () (x)))", "badly formed rule: (x)"),
        ('(syntax-error "no good:" (a b))', "no good: (a b)"),
        ("(define-syntax m (syntax-rules () ((_ x) (m (x)))))\n(m 1)", "nested too deeply"),
        ("(define-macro (m x) (car x))\n(m 5)", "car: wrong type of argument: 5"),
    ],
)
def test_misuse(program: str, message: str) -> None:
    error = error_of(program)
    assert message in str(error)
    assert error.span is not None


@pytest.mark.parametrize("culprit", ["(+ 1 (if))", "(if)", "(let ((x)) x)", "((lambda (x) x))", "(raise 'x)"])
def test_an_error_inside_an_expansion_is_shown_in_the_users_text(culprit: str) -> None:
    error = error_of(f"{MY_OR}\n(my-or #f {culprit} 1)")
    assert error.span is not None
    assert error.span.text in culprit


def test_quoted_data_that_contain_themselves() -> None:
    session = Session()
    session.eval("(define-syntax m (syntax-rules () ((_ x) 'x))) (define x (m #0=(a #(b) . #0#)))")
    assert write(session.eval("(list (eq? x (cddr x)) (cadr x))")) == "(#t #(b))"


CIRCULAR = r"""
(let #0=((x 1) . #0#) x)
(cond . #0=((#f 1) . #0#))
(begin . #0=(1 . #0#))
(lambda #0=(a . #0#) 1)
(lambda (a) . #0=(1 . #0#))
(define #0=(f . #0#) 1)
(case 1 (#0=(1 . #0#) 2))
(do #0=((x 1) . #0#) (#t 1))
(let-values #0=(((x) 1) . #0#) x)
`#0=(1 . #0#)
(quasiquote (1 . #0=(,2 . #0#)))
(guard (e . #0=((#f 1) . #0#)) (raise 1))
(parameterize #0=((a 1) . #0#) 1)
(case-lambda . #0=((a 1) . #0#))
(let-syntax #0=((a b) . #0#) 1)
(let-syntax (#0=(a . #0#)) 1)
(import #0=(only (scheme base) . #0#))
(import #0=(scheme . #0#))
(import #0=(only #0# car))
(define-library (a) (export . #0=(b . #0#)))
(define-values #0=(a . #0#) 1)
(cond-expand (#0=(and . #0#) 1))
(cond-expand (#0=(and #0#) 1))
#0=(+ 1 #0#)
#0=(+ 1 . #0#)
(quote . #0=(1 . #0#))
(if . #0=(1 . #0#))
(named-lambda #0=(f . #0#) 1)
(let loop #0=((x 1) . #0#) x)
(receive #0=(a . #0#) 1 2)
(and . #0=(1 . #0#))
(cons-stream . #0=(1 . #0#))
(assert . #0=(1 . #0#))
(define-class #0=(a . #0#))
(define-macro #0=(a . #0#) 1)
(letrec* #0=((x 1) . #0#) x)
(define-syntax x . #0=(1 . #0#))
(define-syntax x (syntax-rules #0=(a . #0#)))
(define-syntax x #0=(syntax-rules . #0#))
(define-syntax m (syntax-rules () ((_ #0=(a . #0#)) 1)))
(begin (define-syntax m4 (syntax-rules () ((_ (a ...)) '(a ...)))) (m4 #3=(1 . #3#)))
(begin (define-syntax m4 (syntax-rules () ((_ a ...) '(a ...)))) (m4 . #3=(1 2 . #3#)))
(list #0=(1 . #0#))
(let ((x 1) . #0=(5 . #0#)) x)
(string-append . #0=("a" . #0#))
(fluid-let #0=((x 1) . #0#) x)
(let* ((x . #0=(1 . #0#))) x)
(when . #0=(1 . #0#))
(delay . #0=(1 . #0#))
"""


@pytest.mark.parametrize("program", CIRCULAR.strip().splitlines())
def test_a_program_that_contains_itself_is_refused(program: str) -> None:
    """Only literals may (R7RS 2.4)."""
    error = error_in(Session(), program)
    assert error.span is not None
    assert error.span.text


@pytest.mark.parametrize("use", ["(same '#0=(1 2 . #0#))", "(cadr (list 1 (same '#0=(1 2 . #0#))))"])
def test_a_circular_literal_goes_through_a_macro(use: str) -> None:
    session = Session()
    session.eval("(define-syntax same (syntax-rules () ((_ a) a) ((_ a ...) 'other)))")
    assert write(session.eval(use)) == "#0=(1 2 . #0#)"
