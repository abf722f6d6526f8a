"""Every special form: what it gives, and what is said of its misuse."""

from __future__ import annotations

import io

import pytest
from sessions import error_of

from minischeme import Session
from minischeme.data.errors import ScmSyntaxError
from minischeme.data.printer import write
from minischeme.data.source import Source
from minischeme.evaluation.procedures import procedure_name
from minischeme.reading.reader import read


def value(text: str) -> str:
    """What the last form of a program gives, as `write` shows it."""
    return write(Session().eval(text))


def table(text: str) -> list[tuple[str, str]]:
    """The rows of a table: expressions, an arrow, and the value of the last one."""
    rows = [line.rpartition(" ⇒ ") for line in text.strip().splitlines() if line.strip()]
    assert all(program and expected for program, _, expected in rows)
    return [(program.strip(), expected.strip()) for program, _, expected in rows]


QUOTING = """
'a ⇒ a
''a ⇒ (quote a)
(quote (1 . 2)) ⇒ (1 . 2)
'(a . (b . (c))) ⇒ (a b c)
'#(a (b)) ⇒ #(a (b))
() ⇒ ()
(list () '()) ⇒ (() ())
"text" ⇒ "text"
#\\a ⇒ #\\a
:key ⇒ :key
(list :a ':b) ⇒ (:a :b)
(define :a 5) :a ⇒ 5
"""

QUASIQUOTE = """
`a ⇒ a
`() ⇒ ()
`,(+ 1 2) ⇒ 3
`(1 ,(+ 1 1) 3) ⇒ (1 2 3)
`(1 . ,(+ 1 1)) ⇒ (1 . 2)
`(1 unquote (+ 1 1)) ⇒ (1 . 2)
(define x 5) `(1 unquote x) ⇒ (1 . 5)
`(1 ,@(list 2 3) 4) ⇒ (1 2 3 4)
`(,@(list 1 2)) ⇒ (1 2)
`(0 ,@(list 1 2)) ⇒ (0 1 2)
`(,@'() ,@(list 1) ,@'()) ⇒ (1)
`(,@(list 1 2) . 3) ⇒ (1 2 . 3)
`(,@'() . x) ⇒ x
`(1 ,@2) ⇒ (1 . 2)
`((1 ,(+ 1 1)) (3 ,@(list 4))) ⇒ ((1 2) (3 4))
`#(1 ,(+ 1 1)) ⇒ #(1 2)
`#(1 ,@(list 2 3) 4) ⇒ #(1 2 3 4)
`#(,@'()) ⇒ #()
`#(,@'(1 2)) ⇒ #(1 2)
`(#(,(+ 1 1))) ⇒ (#(2))
`(1 `(2 ,(3 ,(+ 1 3)))) ⇒ (1 (quasiquote (2 (unquote (3 4)))))
`(1 `,(+ 1 ,(+ 2 3))) ⇒ (1 (quasiquote (unquote (+ 1 5))))
`(a `(b ,(c ,@(list 1 2)))) ⇒ (a (quasiquote (b (unquote (c 1 2)))))
`(1 ```,,@,,@(list (+ 1 2)) 4) ⇒ (1 (quasiquote (quasiquote (quasiquote (unquote (unquote-splicing (unquote 3)))))) 4)
(define (f x) `(a ,x)) (eq? (f 1) (f 1)) ⇒ #f
(let ((x '(1 2))) (let ((y `(0 ,@x))) (eq? (cdr y) x))) ⇒ #t
"""

PROCEDURES = """
((lambda (x) (* x x)) 5) ⇒ 25
((lambda args args) 1 2) ⇒ (1 2)
((lambda args args)) ⇒ ()
((lambda (a . rest) (list a rest)) 1 2 3) ⇒ (1 (2 3))
((lambda () 1 2)) ⇒ 2
(define (f . r) r) (f) ⇒ ()
(define (f a b . r) (list a b r)) (f 1 2) ⇒ (1 2 ())
(define (f . r) (set! r (cons 0 r)) r) (f 1) ⇒ (0 1)
(define (f . r) (lambda () r)) ((f 1 2)) ⇒ (1 2)
(define (f r) (set! r (+ r 1)) r) (f 1) ⇒ 2
(define ((f a) b) (list a b)) ((f 1) 2) ⇒ (1 2)
(define (((f a) b) . c) (list a b c)) (((f 1) 2) 3 4) ⇒ (1 2 (3 4))
"""

DEFINITIONS = """
(define x 5) ⇒ x
(define x 5) x ⇒ 5
(define x) x ⇒ okay
(define x 1) (define x 2) x ⇒ 2
(begin (define x 1) (define y (+ x 1)) (list x y)) ⇒ (1 2)
(if #t (define x 7)) x ⇒ 7
(define (f) (define a 1) (define b (+ a 1)) (* b 10)) (f) ⇒ 20
(define (f) (define x) x) (f) ⇒ okay
(define (f) (define x 1)) (f) ⇒ x
(define (f) (define (e? n) (if (= n 0) #t (o? (- n 1)))) (define (o? n) (if (= n 0) #f (e? (- n 1)))) (e? 7)) (f) ⇒ #f
(define (f) (define (g) y) (define y 5) (g)) (f) ⇒ 5
(define (f) (define a 1) (set! a 5) (define b a) (list a b)) (f) ⇒ (5 5)
(define (f) (begin (define a 1) (define b 2)) (list a b)) (f) ⇒ (1 2)
(define (f) (begin (begin (define a 1)) (set! a 3)) a) (f) ⇒ 3
(define x 1) (define (f) (define x 2) x) (list (f) x) ⇒ (2 1)
(define (f x) (define x 3) x) (f 1) ⇒ 3
(define (f x) (define (x) 3) (x)) (f 1) ⇒ 3
(define (f) (define a 1) (define a 2) a) (f) ⇒ 2
(define (f) (define (g) 1) (define h g) (define (g) 2) (list (h) (g))) (f) ⇒ (1 2)
(let ((x 1)) (define x 2) x) ⇒ 2
(let () 5 (begin (define x 1)) x) ⇒ 1
(define (f) (define list vector) (list 1 2)) (f) ⇒ #(1 2)
"""

ASSIGNMENTS = """
(define x 1) (set! x 2) ⇒ okay
(define x 1) (set! x (+ x 1)) x ⇒ 2
(define x 1) (let ((x x)) (set! x 2)) x ⇒ 1
(define (up) (let ((n 0)) (lambda () (set! n (+ n 1)) n))) (define c (up)) (define d (up)) (c) (list (c) (d)) ⇒ (2 1)
(define (f) (define n 0) (define (up!) (set! n (+ n 1))) (up!) (up!) n) (f) ⇒ 2
(define n 0) (define (f) (set! n (+ n 1)) n) (f) (list (f) n) ⇒ (2 2)
"""

CONDITIONALS = """
(if #t 1 2) ⇒ 1
(if #f 1 2) ⇒ 2
(if #f 1) ⇒ okay
(if '() 1 2) ⇒ 1
(if 0 1 2) ⇒ 1
(if "" 1 2) ⇒ 1
(cond) ⇒ okay
(cond (else)) ⇒ #t
(cond (else 1 2)) ⇒ 2
(cond (#f 1)) ⇒ okay
(cond (#f 1) (else 2)) ⇒ 2
(cond (5)) ⇒ 5
(cond (#f) (6)) ⇒ 6
(cond ((memv 2 '(1 2 3)))) ⇒ (2 3)
(cond ((assv 2 '((2 . b))) => cdr) (else 'none)) ⇒ b
(cond (#f => car) (else 'none)) ⇒ none
(cond ((+ 1 1) => (lambda (x) (* x 10)))) ⇒ 20
(let ((found 1)) (cond (2 => (lambda (x) (+ x found))))) ⇒ 3
(let ((else #f)) (cond (else 1))) ⇒ okay
(let ((=> 5)) (cond (1 => 2))) ⇒ 2
(case 3 ((1 2) 'low) ((3 4) 'high) (else 'none)) ⇒ high
(case 9 ((1 2) 'low) (else 'none)) ⇒ none
(case 9 ((1 2) 'low)) ⇒ okay
(case 1) ⇒ okay
(case 'b ((a) 1) ((b c) 2)) ⇒ 2
(case #\\a ((#\\a #\\b) 'char)) ⇒ char
(case '() ((()) 'nil) (else 'no)) ⇒ nil
(case #f ((#t) 'yes) ((#f) 'no)) ⇒ no
(case 1.5 ((3/2) 'exact) ((1.5) 'inexact)) ⇒ inexact
(case 1.0 ((1) 'exact) (else 'no)) ⇒ no
(case 1/2 ((1/2) 'half)) ⇒ half
(case (* 1000000 1000000) ((1000000000000) 'big)) ⇒ big
(case "a" (("a") 'string) (else 'no)) ⇒ no
(case 1 ((1))) ⇒ okay
(case 2 ((1 2) => (lambda (x) (* x 10)))) ⇒ 20
(case 5 ((1) 2) (else => -)) ⇒ -5
(define (eqv? a b) #f) (case 1 ((1) 'still)) ⇒ still
(and) ⇒ #t
(and 1) ⇒ 1
(and 1 2) ⇒ 2
(and 1 #f (car '())) ⇒ #f
(or) ⇒ #f
(or #f 2 (car '())) ⇒ 2
(or #f #f) ⇒ #f
(list (or (null? '()) 1) (or (null? 1) 2) (or 3 4)) ⇒ (#t 2 3)
(list (and (null? '()) 1) (and (null? 1) 2) (and (not 1) 3)) ⇒ (1 #f #f)
(when #t 1 2) ⇒ 2
(when #f 1 2) ⇒ okay
(when #t) ⇒ okay
(unless #f 1 2) ⇒ 2
(unless #t 1 2) ⇒ okay
(assert (= 1 1)) ⇒ okay
"""

BINDINGS = """
(let ((x 1) (y 2)) (+ x y)) ⇒ 3
(let () 5) ⇒ 5
(define x 1) (let ((x 2) (y x)) (list x y)) ⇒ (2 1)
(let ((list vector)) (list 1)) ⇒ #(1)
(let* ((x 1) (y (+ x 1)) (x (* y 10))) (list x y)) ⇒ (20 2)
(let* () 5) ⇒ 5
(letrec ((e? (lambda (n) (or (= n 0) (o? (- n 1))))) (o? (lambda (n) (and (> n 0) (e? (- n 1)))))) (e? 10)) ⇒ #t
(letrec () 5) ⇒ 5
(letrec* ((a 1) (b (+ a 1))) (list a b)) ⇒ (1 2)
(let loop ((i 0) (found '())) (if (= i 3) found (loop (+ i 1) (cons i found)))) ⇒ (2 1 0)
(let loop ((i 3)) (if (= i 0) '() (cons i (loop (- i 1))))) ⇒ (3 2 1)
(let loop () 5) ⇒ 5
(let loop ((loop 5)) loop) ⇒ 5
(define i 9) (let loop ((i i) (j i)) (if (< i 9) j (loop (- i 1) j))) ⇒ 9
(do ((i 0 (+ i 1)) (total 0 (+ total i))) ((= i 4) total)) ⇒ 6
(do ((i 0 (+ i 1))) ((= i 3))) ⇒ okay
(do ((i 0 (+ i 1))) ((= i 3) 'a 'b)) ⇒ b
(do ((v (make-vector 3)) (i 0 (+ i 1))) ((= i 3) v) (vector-set! v i i)) ⇒ #(0 1 2)
(do ((x '(1 3 5) (cdr x)) (sum 0 (+ sum (car x)))) ((null? x) sum)) ⇒ 9
(define do-not 1) (let ((do 5)) do) ⇒ 5
(begin) ⇒ okay
(begin 1 2 3) ⇒ 3
"""

PROMISES = """
(force (delay (+ 1 2))) ⇒ 3
(define n 0) (define p (delay (begin (set! n (+ n 1)) n))) (list (force p) (force p) n) ⇒ (1 1 1)
(promise? (delay 1)) ⇒ #t
(force (make-promise 5)) ⇒ 5
(let ((p (delay 1))) (eq? p (make-promise p))) ⇒ #t
(define x 1) (define p (delay x)) (set! x 2) (force p) ⇒ 2
(define p (delay (if c 'second (begin (set! c #t) (force p) 'first)))) (define c #f) (force p) ⇒ second
(stream-car (cons-stream 1 (car '()))) ⇒ 1
(define (from n) (cons-stream n (from (+ n 1)))) (stream-car (stream-cdr (stream-cdr (from 1)))) ⇒ 3
(define (cons a b) 'mine) (stream-car (cons-stream 1 2)) ⇒ 1
"""

REDEFINED_FORMS = """
(define (assert x) (list 'mine x)) (assert #f) ⇒ (mine #f)
(define (assert x n) (if (= n 0) x (assert x (- n 1)))) (assert 'a 3) ⇒ a
(define or 5) or ⇒ 5
(define (if a b c) (list a b c)) (if 1 2 3) ⇒ (1 2 3)
(begin (define if list) (if 1 2 3)) ⇒ (1 2 3)
(define define 3) define ⇒ 3
(define (f if) (if 1 2 3)) (f list) ⇒ (1 2 3)
(define (f list) (list 1)) (f vector) ⇒ #(1)
(let ((define list)) (define 1 2)) ⇒ (1 2)
(let ((quote -)) '5) ⇒ -5
(define (f begin) (begin 1)) (f -) ⇒ -1
(let ((cond 1) (else 2)) (+ cond else)) ⇒ 3
(define (f) (define when list) (when #f 1)) (f) ⇒ (#f 1)
"""

NAMES = """
(let ((class 1) (def 2) (None 3) (True 4) (import 5) (pass 6)) (list class def None True import pass)) ⇒ (1 2 3 4 5 6)
(let ((|None| 1) (|True| 2) (|False| 3) (|__debug__| 4)) (list |None| |True| |False| |__debug__|)) ⇒ (1 2 3 4)
(define |None| 1) (define |True| 2) (define |False| 3) (set! |None| 5) (list |None| |True| |False|) ⇒ (5 2 3)
(define __builtins__ 1) (list (car '(2)) __builtins__) ⇒ (2 1)
(define __debug__ 1) (define (f) __debug__) (f) ⇒ 1
(define __name__ 1) (define (f __file__) (lambda () (list __name__ __file__))) ((f 2)) ⇒ (1 2)
(define (f self __class__) (lambda () (list self __class__))) ((f 1 2)) ⇒ (1 2)
(define print 5) (let ((self 1) (super 2)) (list print self super)) ⇒ (5 1 2)
(define (super a b) (cons a b)) (define (f n) (car (if (= n 0) '(end) (super (f (- n 1)) n)))) (f 500) ⇒ end
(define (super) (cons 1 2)) (define (f) (cdr (super))) (f) ⇒ 2
(define (lambda-list return) (+ return 1)) (lambda-list 1) ⇒ 2
(let ((λ 1) (été 2) (ﬁ 3) (fi 4) (変数 5)) (list λ été ﬁ fi 変数)) ⇒ (1 2 3 4 5)
(define |odd name| 1) (set! |odd name| (+ |odd name| 1)) |odd name| ⇒ 2
(let ((|| 1) (|(| 2) (|a;b| 3)) (list || |(| |a;b|)) ⇒ (1 2 3)
(let ((|'t1| 5)) (list |'t1| (or #f |'t1|) (let ((x (or #f |'t1|))) x))) ⇒ (5 5 5)
(define |'t1| 5) (define (f x) (or x |'t1|)) (define |'None| 7) (define |None| 8) (list (f #f) |'None| |None|) ⇒ (5 7 8)
(let* ((x 1) (x (+ x 1)) (|x'2| 10) (x (+ x 1))) (list x |x'2|)) ⇒ (3 10)
(let ((a-b 1) (a_b 2) (a? 3) (a! 4) (->a 5) (... 6) (1+ 7)) (list a-b a_b a? a! ->a ... 1+)) ⇒ (1 2 3 4 5 6 7)
"""


ROWS = [
    *table(QUOTING),
    *table(QUASIQUOTE),
    *table(PROCEDURES),
    *table(DEFINITIONS),
    *table(ASSIGNMENTS),
    *table(CONDITIONALS),
    *table(BINDINGS),
    *table(PROMISES),
    *table(REDEFINED_FORMS),
    *table(NAMES),
]


@pytest.mark.parametrize(("program", "expected"), ROWS, ids=[program for program, _ in ROWS])
def test_value(program: str, expected: str) -> None:
    assert value(program) == expected


@pytest.mark.parametrize(
    ("program", "name"),
    [
        ("(define f (lambda (x) x)) f", "f"),
        ("(define (f x) x) (define g f) g", "f"),
        ("(let ((f (lambda (x) x))) f)", "f"),
        ("(letrec ((f (lambda (x) x))) f)", "f"),
        ("(let () (define f (lambda (x) x)) f)", "f"),
        ("(let loop ((i 0)) loop)", "loop"),
    ],
)
def test_procedures_have_the_name_of_their_variable(program: str, name: str) -> None:
    assert write(procedure_name(Session().eval(program))) == name


MISUSES = """
(quote) (quote a b) (quote a . b) (quasiquote) (quasiquote a b) `(1 (unquote 2 3))
(if) (if 1) (if 1 2 3 4) (if . 5) (if 1 2 . 3)
(lambda) (lambda x) (lambda (x)) (lambda (x x) x) (lambda (x . x) x) (lambda (1) x) (lambda "a" 1) (lambda (x) . 5)
(define) (define 5 1) (define "x" 1) (define x 1 2) (define (f)) (define (f x x) 1) (define (5 x) 1) (define x . 1)
(define (f . 5) 1) (define () 1)
(set!) (set! x) (set! 5 1) (set! x 1 2) (set! (car x) 1)
(cond ()) (cond 5) (cond (1 =>)) (cond (1 => car cdr)) (cond . 5) (cond (1 . 2))
(case) (case 1 (2)) (case 1 (1 2)) (case 1 ((1) => car cdr)) (case 1 ((1 . 2) 3)) (case 1 5)
(and . 1) (or 1 . 2) (when) (unless) (when . 1) (assert) (assert 1 2 3)
(let) (let x) (let ((x 1))) (let ((x)) x) (let ((x 1 2)) x) (let (x) x) (let ((1 2)) 3) (let ((x 1) (x 2)) x) (let 5 1)
(let loop) (let loop ((x 1))) (let loop ((x)) x) (let loop ((x 1) (x 2)) x) (let* ((x)) x) (let* 5 1)
(letrec ((x)) x) (letrec ((x 1) (x 2)) x) (letrec* ((x)) x) (letrec)
(do) (do ((i 0))) (do ((i 0 1 2)) (#t)) (do ((i 0) (i 1)) (#t)) (do ((i 0)) ()) (do 5 (#t)) (do ((5 0)) (#t))
(begin . 1) (delay) (delay 1 2) (delay 1 . 2) (cons-stream) (cons-stream 1) (cons-stream 1 2 3)
if (list if) (define x cond) ((if #t and or) 1 2) (set! x let)
(list 1 . 2)
#0=(if . #0#) (quote . #0=(a . #0#)) #0=(f . #0#)
"""


@pytest.mark.parametrize("form", [form.span.text for form in read(Source(MISUSES, "misuses"))])
def test_misuse(form: str) -> None:
    error = error_of(form)
    assert isinstance(error, ScmSyntaxError)
    assert error.span is not None
    assert error.span.text
    assert "bad" in str(error) or "duplicate" in str(error) or "malformed" in str(error)


@pytest.mark.parametrize(
    ("program", "blamed"),
    [
        ("(begin 1 (let ((x 1) (x 2)) x))", "(x 2)"),
        ("(define (f x)\n  (if x)) (f 1)", "(if x)"),
        ("(define ((f) . 1) 2) (f)", "(define ((f) . 1) 2)"),
        ("(cond (#t 1) (2 => car cdr))", "(2 => car cdr)"),
        ("(list 1 (set! 5 1))", "5"),
    ],
)
def test_misuse_is_blamed_on_the_innermost_text(program: str, blamed: str) -> None:
    error = error_of(program)
    assert isinstance(error, ScmSyntaxError)
    assert error.span is not None
    assert error.span.text == blamed


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("(assert (= 1 2))", "Assertion failed: (= 1 2)"),
        ('(assert (= 1 2) "one is not two")', 'Assertion failed: (= 1 2) "one is not two"'),
        ("(set! nowhere 1)", "set!: variable not defined: nowhere"),
        ("(define (f) (set! nowhere 1)) (f)", "set!: variable not defined: nowhere"),
        ("(letrec ((x y) (y 1)) x)", "unassigned variable: y"),
        ("(define (f) (define a b) (define b 1) a) (f)", "unassigned variable: b"),
        ("(define (f) (define (g) a) (define b (g)) (define a 1) b) (f)", "unassigned variable: a"),
        ("(define (f) (define (g) (a 1)) (g) (define a (car (list car))) 1) (f)", "unassigned variable: a"),
        ("(define f (lambda () (zot))) (f)", "unbound variable: zot"),
        ("(else 1)", "unbound variable: else"),
    ],
)
def test_run_time_error(program: str, message: str) -> None:
    error = error_of(program)
    assert str(error) == message
    assert not isinstance(error, ScmSyntaxError)


def test_nothing_is_evaluated_when_a_form_is_wrong() -> None:
    output = io.StringIO()
    session = Session(output=output)
    with pytest.raises(ScmSyntaxError):
        session.eval('(begin (display "evaluated") (if))')
    assert output.getvalue() == ""


def test_a_definition_that_fails_leaves_the_special_form_alone() -> None:
    session = Session()
    with pytest.raises(ScmSyntaxError):
        session.eval("(define (when x x) x)")
    assert write(session.eval("(when #t 5)")) == "5"
