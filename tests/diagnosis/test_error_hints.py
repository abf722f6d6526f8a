"""The hints of errors: what was probably meant, how a procedure is called, what its value is; and none that mislead."""

from __future__ import annotations

import pytest
from sessions import error_of, report_of

from minischeme.data.errors import report

HINTS = [
    # A misspelt name.
    (["(equl? 1 2)"], "equal? is spelt much like it"),
    (["(define (make? x) x)", "(mke? 1)"], "make? is spelt much like it"),
    (["(lenght '(1))"], "did you mean length?"),
    (["(frist '(1))"], "did you mean first?"),
    (["(dispaly 1)"], "did you mean display?"),
    (["(make? 1)"], "make is spelt much like it"),
    (["(lamda (x) x)"], "did you mean lambda?"),
    (["(define best-total 1)", "(best-totl '(ad))"], "did you mean best-total?"),
    (["(define (f my-hand) (first my-hnad))", "(f '(a))"], "did you mean my-hand?"),
    (["(define counter 1)", "(set! conuter 2)"], "did you mean counter?"),
    (["(define square-it 1)", "(squar-it 2)"], "did you mean square-it?"),
    # Extra brackets.
    (["((+ 1 2))"], "(+ 1 2) gives a number, not a procedure: one pair of brackets too many?"),
    (["(define x 5)", "(x)"], "x is 5, which is not a procedure"),
    (["(define (f x) (x 1))", "(f 'a)"], "x is a, which is not a procedure"),
    (["(5)"], "5 is a number, not a procedure: it needs no brackets"),
    (
        ["((display 'x) (newline))"],
        "(display 'x) gives no value to call: to do several things in order, use begin",
    ),
    # Infix.
    (["(3 + 4)"], "the procedure comes first: (+ 3 4)"),
    # A call as other languages write it.
    (["(define (fact n) n) fact(5)"], "the procedure's name belongs inside the brackets: (fact 5)"),
    (["print(3)"], "the procedure's name belongs inside the brackets: (print 3)"),
    (["print(hello, 3)"], "the procedure's name belongs inside the brackets: (print hello 3)"),
    (["print(1 2 3)"], "the procedure's name belongs inside the brackets: (print 1 2 3)"),
    (["(define (f x) (* x f(x - 1)))", "(f 3)"], "the procedure's name belongs inside the brackets: (f (- x 1))"),
    # Words that other programs take for commands.
    (["help"], "type ,help for the commands"),
    (["(help)"], "type ,help for the commands"),
    (["(help car)"], "type ,help for the commands"),
    # A file of the library that was not loaded.
    (["(define (s h u) #t)", "(twenty-one s)"], '(load "twenty-one.scm") defines it'),
    (["(strategy-chart car)"], '(load "strategy-lab.scm") defines it'),
    # else.
    (["(cond (#f 1) (el 2))"], "did you mean else?"),
    (["(define (f x) (cond ((= x 0) 1) (esle 2)))", "(f 1)"], "did you mean else?"),
    (["(cond (#f 1) (otherwise 2))"], "did you mean else?"),
    # trace of a procedure inside another.
    (
        ["(define (best-total h) (define (lower x) x) (lower h))", "(trace lower)"],
        "lower is defined inside best-total: (trace (lower best-total))",
    ),
    (
        ["(define (best-total h) (define (lower x) x) (lower h))", "(trace (best-total lower))"],
        "the inner procedure comes first: (trace (lower best-total))",
    ),
    (
        ["(define (best-total h) (define (lower x) x) (lower h))", "(trace (lwer best-total))"],
        "the procedures inside best-total are: lower",
    ),
    (
        [
            "(define (best-total h) (define (lower x) x) (lower h))",
            "(trace (lower best-total))",
            "(untrace (best-total lower))",
        ],
        "the inner procedure comes first: (untrace (lower best-total))",
    ),
    # A missing quote.
    (["(define (best-total hand) hand)", "(best-total (ad 8s))"], "did you forget a quote? '(ad 8s)"),
    (["(define hand (ad 8s))"], "did you forget a quote? '(ad 8s)"),
    (["(first (zip zap))"], "did you forget a quote? '(zip zap)"),
    (["(+ 1 1d2)"], "only e marks an exponent: 1e2"),
    (["(+ 1 1.2.3d4)"], "did you forget a quote? '1.2.3d4"),
    (["-1.5S-3"], "only e marks an exponent: -1.5e-3"),
    (["(se 8h 7d)"], "did you forget a quote? '8h"),
    (["(first zonk)"], "did you forget a quote? 'zonk is the word itself"),
    (["(first (1 2 3))"], "1 is a number, not a procedure; did you forget a quote? '(1 2 3)"),
    # Special forms are not values; else.
    (["(map if '(1))"], "a special form is not a value: it can't be passed, returned or printed"),
    (["(if else 1 2)"], "else has its meaning only at the start of the last clause of cond or case"),
    # = on words.
    (["(= 'joker 'joker)"], "= compares numbers; for words and lists use equal?"),
    (["(= '() '(a))"], "= compares numbers; for words and lists use equal?"),
    (["(< 'a 'b)"], "< compares numbers; for words use before?"),
    # Swapped arguments.
    (["(item '(a b) 1)"], "are the arguments swapped? It is called as (item n thing)"),
    (["(every '(1 2) square)"], "are the arguments swapped? It is called as (every procedure thing)"),
    (["(keep '(1 2) even?)"], "are the arguments swapped? It is called as (keep predicate thing)"),
    (["(member? '(a b) 'a)"], "are the arguments swapped? It is called as (member? word thing)"),
    (["(define (f x y) (accumulate x y))", "(f '(1 2) +)"], "are the arguments swapped? It is called as (accumulate "),
    (["(map '(1 2) square)"], "are the arguments swapped? It is called as (map procedure list"),
    (["(list-ref 1 '(a b))"], "are the arguments swapped? It is called as (list-ref list"),
    # What is no value, and what was not called.
    (["(+ 1 (if #f #f))"], "okay means that there was no value: is an else missing"),
    (["(define (total) 1)", "(+ 1 total)"], "total is a procedure, and was not called: (total …)"),
    # How it is called.
    (["(define (f x . rest) x)", "(f)"], "it is called as (f x . rest)"),
    (["(bf 1 2)"], "it is called as (bf "),
    (["((lambda (x y) x))"], "its parameters are (x y)"),
    (["((lambda (x . r) x))"], "its parameters are (x . r)"),
    (["(define (add x y) x)", "(map add '(1))"], "it is called as (add x y)"),
    (["(define (add x y) x) (trace add)", "(add 1)"], "it is called as (add x y)"),
    (["(if)"], "expected (if test consequent [alternative])"),
]


@pytest.mark.parametrize(("texts", "hint"), HINTS)
def test_hints(texts: list[str], hint: str) -> None:
    error = error_of(*texts)
    assert error.hint is not None, str(error)
    assert error.hint.startswith(hint)
    assert f"\n  {error.hint}" in report(error)


WHOLE_HINTS: dict[str, str | None] = {
    ",x": "unquote has its meaning only in a template behind a backquote, as the comma in `(a ,b)",
    "(cond (5 => 6))": "6 is a number, not a procedure",
    "(+ 1 (values 1 2))": "several values were returned where one was expected: take them with call-with-values or"
    " let-values",
    "(+ 1 (values))": "no value was returned where one was expected",
    "(receive (a b) (list 1 2) a)": "a list is one value: (values a b) returns two",
    "(let ((x 5) (y (+ x 1))) y)": "let binds x for its body only: where a binding needs the one before it, write let*",
    "(begin (let ((x 1)) x) (let ((y x)) y))": None,
    "(sort < '(1 2))": "are the arguments swapped? It is called as (sort sequence less-p)",
    "(user-initial-environment)": "user-initial-environment is an environment, which is not a procedure",
    "((make-equal-hash-table))": "(make-equal-hash-table) gives a hash table, not a procedure: one pair of brackets"
    " too many?",
    "(define-syntax m (syntax-rules ())) m": "a macro is not a value: it can't be passed, returned or printed",
    "(let (x 1) x)": "expected (let ((name value) …) body …) or (let loop ((name value) …) body …)",
    '(string-ref "" 0)': "the length is 0",
    '(substring "abc" 2 9)': "the length is 3",
    "(list-ref '(a b) 2)": "its length is 2, so the last index is 1",
    "(list-tail '(a b) 3)": "its length is 2",
    "(list-head '(a b) 3)": "its length is 2",
    "(stream-ref (stream 1) 4)": "it has 1 element",
}


@pytest.mark.parametrize("program", WHOLE_HINTS)
def test_whole_hints(program: str) -> None:
    assert error_of(program).hint == WHOLE_HINTS[program]


SWAPPED = {
    "(appearances '(a) 'a)": "(appearances word thing)",
    "(repeated 2 square)": "(repeated procedure n)",
    "(apply '(1 2) +)": "(apply procedure argument others …)",
    "(for-each '(1) display)": "(for-each procedure list lists …)",
    "(filter '(1) even?)": "(filter predicate list)",
    "(find '(1) even?)": "(find predicate list)",
    "(any '(1) even?)": "(any predicate list lists …)",
    "(andmap '(1) even?)": "(andmap procedure list lists …)",
    "(member '(a) 'a)": "(member obj list [compare])",
    "(memq '(a) 'a)": "(memq obj list)",
    "(assoc '((a 1)) 'a)": "(assoc obj alist [compare])",
    "(list-tail 1 '(a b))": "(list-tail list k)",
    "(vector-ref 0 (vector 1))": "(vector-ref vector k)",
    '(string-ref 0 "ab")': "(string-ref string k)",
}


@pytest.mark.parametrize("program", SWAPPED)
def test_swapped_arguments(program: str) -> None:
    assert error_of(program).hint == f"are the arguments swapped? It is called as {SWAPPED[program]}"


@pytest.mark.parametrize(
    "program", ["(item 5 3)", "(item 3 'a)", "(vector-ref '#(1) '#(2))", "(every 1 2)", "(member 1 2)"]
)
def test_arguments_that_fit_as_they_are_or_in_neither_order_are_not_swapped(program: str) -> None:
    assert error_of(program).hint is None


@pytest.mark.parametrize(
    ("program", "hint"),
    [
        (
            "(define (stop-at-17 hand up) #t) (define (play s) (s '() 'ad))\n(play (stop-at-17))",
            "to pass the procedure itself, write stop-at-17 without brackets",
        ),
        (
            "(define (f a b) a)\n(define (f a) a)\n(+ 1 (f 1 2))",
            "f was redefined: it is called as (f a), and before it was called as (f a b)",
        ),
        ("(+ 1 (bf '10s))", "the rank is all but the last letter, (bl '10s)"),
    ],
)
def test_hints_for_a_beginners_usual_mistakes(program: str, hint: str) -> None:
    assert hint in report_of(program)


@pytest.mark.parametrize(
    "texts",
    [
        ["x"],
        ["(ab 1)"],
        ["(foo 5)"],
        ["(define ad 1)", "(+ 1 ab)"],
        ["(define hand 1)", "(+ 1 (zonk hand))"],
        ["(hash-frobnicate 1)"],
        ["(car 5)"],
        ["(item 5 '(a b))"],
        ["(item 'x '(a b))"],
        ["(keep even? 'abc)"],
        ["(accumulate max '())"],
        ["(define (= a b) (car a))", "(= 'a 'b)"],
        ["(< 1 (vector))"],
        ["(member? 'at 'cat)"],
        ['(error "x" car)'],
        ["(define (f x) (foo x))", "(f 1)"],
        ["(if el 1 2)"],
        ["(cond (#f 1) (zz 2))"],
    ],
)
def test_no_hint_is_better_than_a_wrong_one(texts: list[str]) -> None:
    assert error_of(*texts).hint is None
