"""The course's objects, as its interpreter answered (golden/errors_session.txt) and as the handouts use them."""

from __future__ import annotations

from pathlib import Path

import pytest
from sessions import error_in, error_of

from minischeme import Session
from minischeme.data.printer import write

COUNTER = """
(define-class (counter start)
  (instance-vars (n start))
  (class-vars (total 0))
  (initialize (set! total (+ total 1)))
  (method (next) (set! n (+ n 1)) n)
  (method (add x) (set! n (+ n x)) n))
"""
SUB = """
(define-class (sub x)
  (parent (counter 10))
  (method (next) (se 'sub (usual 'next)))
  (default-method (se message args)))
"""


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (
            "(define c (instantiate counter 5)) (list (ask c 'next) (ask c 'n) (ask c 'start) (ask c 'add 4))",
            "(6 6 5 10)",
        ),
        ("(instantiate counter 1) (instantiate counter 2) (ask counter 'total)", "2"),
        ("(define c (instantiate counter 1)) (ask c 'total)", "1"),
        ("(define d (instantiate sub 1)) (ask d 'next)", "(sub 11)"),
        ("(define d (instantiate sub 1)) (list (ask d 'zork 1 2) (ask d 'x) (ask d 'n))", "((zork 1 2) 1 10)"),
        ("(define-class (me) (method (who) self)) (define m (instantiate me)) (eq? (ask m 'who) m)", "#t"),
        # self is the whole object, also in the method of a parent
        (
            "(define-class (shape) (method (describe) (word 'a- (ask self 'kind))) (method (kind) 'shape))"
            "(define-class (circle) (parent (shape)) (method (kind) 'circle)) (ask (instantiate circle) 'describe)",
            "a-circle",
        ),
        # two levels, and a parent's arguments computed from one's own
        (
            "(define-class (a x) (method (get) x)) (define-class (b y) (parent (a (* y 2))))"
            "(define-class (c z) (parent (b (+ z 1))) (method (get) (list 'c (usual 'get))))"
            "(ask (instantiate c 4) 'get)",
            "(c 10)",
        ),
        ("(define-class (p) (instance-vars (a 1) (b (+ a 1)))) (ask (instantiate p) 'b)", "2"),
        ("(define-class (v . rest) (method (get) rest)) (ask (instantiate v 1 2) 'get)", "(1 2)"),
        # default methods are inherited, also through usual, and found before one's own
        (
            "(define-class (base) (default-method (list 'dflt message args))) (define-class (kid) (parent (base)))"
            "(define-class (grandkid) (parent (kid)) (method (foo x) (usual 'foo x)) (default-method 'own))"
            "(define g (instantiate grandkid)) (list (ask (instantiate kid) 'foo) (ask g 'foo 3) (ask g 'bar))",
            "((dflt foo ()) (dflt foo (3)) (dflt bar ()))",
        ),
        # names and messages that are no symbols
        (
            "(define-class (squarer) (method (7) 'buzz) (method (2.5 x) x) (default-method (list message message)))"
            "(define s (instantiate squarer)) (list (ask s 7) (ask s 2.5 'a) (ask s 6) (ask s '(a)) (ask s \"b\"))",
            '(buzz a (6 6) ((a) (a)) ("b" "b"))',
        ),
        # the names that the course's definition binds: the class of an object, and its parents' parts of it
        ("(list (ask (instantiate sub 1) 'class-name) (ask (instantiate counter 1) 'class-name))", "(sub counter)"),
        ("(define-class (k) (method (class-name) 'own)) (ask (instantiate k) 'class-name)", "own"),
        (
            "(define-class (other) (method (next) 'no)) (define-class (k) (parent (other) (counter 10))"
            " (method (next) (list (usual 'next) (ask my-counter 'next) (eq? self my-other))))"
            "(ask (instantiate k) 'next)",
            "(no 11 #f)",
        ),
        # the program's own names for what the definition uses do not matter
        ("(define-macro (case . x) ''mine) (define (get-method . x) 'mine) (ask (instantiate sub 1) 'n)", "10"),
        ("(define (list . x) 'mine) (define (apply . x) 'mine) (ask (instantiate sub 1) 'next)", "(sub 11)"),
    ],
)
def test_objects(program: str, expected: str) -> None:
    assert write(Session().eval(COUNTER + SUB + program)) == expected


BELOW = """
(define base
  (lambda (class-message)
    (cond ((eq? class-message 'instantiate)
           (lambda (start)
             (let ((self '()) (log '()))
               (define (dispatch message)
                 (cond ((eq? message 'initialize) (lambda (whole) (set! self whole) (set! log (list 'ready start))))
                       ((eq? message 'log) (lambda () log))
                       ((eq? message 'self) (lambda () self))
                       ((number? message) (lambda () (* message start)))
                       (else (no-method 'base))))
               dispatch)))
          (else (no-method 'base)))))
(define silent
  (lambda (class-message) (lambda () (lambda (message) (if (eq? message 'hello) (lambda () 'hi) (no-method 'silent))))))
(define kid
  (lambda (class-message)
    (cond ((eq? class-message 'instantiate)
           (lambda (x)
             (let ((self '()) (my-base (instantiate-parent base (* x 10))) (my-silent (instantiate-parent silent)))
               (lambda (message)
                 (cond ((eq? message 'initialize) (lambda (whole) (set! self whole) (ask my-base 'initialize whole)))
                       ((eq? message 'x) (lambda () x))
                       (else (get-method 'kid message my-base my-silent)))))))
          (else (no-method 'kid)))))
"""
"""Classes as the course has them below the line: message-passing procedures written by hand."""


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("(define b (instantiate base 2)) (list (ask b 'log) (ask b 7) (eq? b (ask b 'self)))", "((ready 2) 14 #t)"),
        ("(ask (instantiate silent) 'hello)", "hi"),
        (
            "(define k (instantiate kid 2)) (list (ask k 'x) (ask k 'log) (ask k 7) (ask k 'hello))",
            "(2 (ready 20) 140 hi)",
        ),
        ("(define k (instantiate kid 2)) (eq? k (ask k 'self))", "#t"),
        ("((instantiate kid 2) 'zork)", "(no-method kid)"),
        (
            "(list (method? ((instantiate kid 2) 'x)) (no-method? ((instantiate kid 2) 'y)) (method? '(a)))",
            "(#t #t #t)",
        ),
        # classes of both kinds inherit from each other
        (
            "(define-class (mixed) (parent (kid 3) (silent)) (method (x) (+ 1 (usual 'x))))"
            "(define m (instantiate mixed)) (list (ask m 'x) (ask m 'log) (ask m 'hello) (eq? m (ask m 'self)))",
            "(4 (ready 30) hi #t)",
        ),
        (
            "(define-class (shown n) (method (twice) (* 2 n)))"
            "(define (wrapped class-message) (lambda (n) (define inner (instantiate-parent shown n))"
            " (lambda (message) (if (eq? message 'own) (lambda () 'mine) (get-method 'wrapped message inner)))))"
            "(define w (instantiate wrapped 4)) (list (ask w 'own) (ask w 'twice))",
            "(mine 8)",
        ),
        ("((instantiate (begin (define-class (k) (method (m) 1)) k)) 'zork)", "(no-method k)"),
        ("(maknam 'my- 'counter \"-\" 2)", "my-counter-2"),
    ],
)
def test_classes_written_by_hand(program: str, expected: str) -> None:
    assert write(Session().eval(BELOW + program)) == expected


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("(ask (instantiate kid 2) 'zork)", "No method zork in class kid"),
        ("(ask (instantiate kid 2) '(a b))", "No method (a b) in class kid"),
        ("(ask kid 'zork)", "No method zork in class kid"),
        ("(instantiate (lambda (message) (no-method 'none)))", "instantiate: not a class: #[closure arglist=(message)"),
    ],
)
def test_misuse_of_classes_written_by_hand(program: str, message: str) -> None:
    assert str(error_of(BELOW + program)).startswith(message)


def test_what_a_class_is_short_for() -> None:
    session = Session()
    session.eval("(define-class (counter n) (class-vars (total 0)) (method (next) (set! n (+ n 1)) n))")
    shown = write(session.eval("(show-class 'counter)"))
    assert shown.startswith(
        "(define counter (let* ((total 0)) (lambda (class-message) (case class-message ((instantiate)"
    )
    assert "((next) (named-lambda (next) (set! n (+ n 1)) n)) ((total) (lambda () total)) ((n)" in shown


def test_a_continuation_goes_back_into_initialize_and_methods() -> None:
    session = Session()
    session.eval("""
    (define k #f) (define (here x) (call/cc (lambda (c) (set! k c) x)))
    (define-class (base) (instance-vars (v 0)) (initialize (set! v (here 1))) (default-method (here message)))
    (define-class (kid) (parent (base)))
    (define results '())
    """)
    session.eval("(set! results (cons (ask (instantiate kid) 'v) results))")
    session.eval("(if (< (length results) 3) (k (+ 5 (length results))))")
    session.eval("(if (< (length results) 3) (k (+ 5 (length results))))")
    assert write(session.eval("results")) == "(7 6 1)"


OBJ = """
; obj.scm: objects by macros, as a course's own file has them
(define (no-method name) (list 'no-method name 'mine))
(define (method? x) (not (and (pair? x) (eq? (car x) 'no-method))))
(define (instantiate class . args) (let ((new (apply (class 'instantiate) args))) (ask new 'initialize new) new))
(define (ask object message . args)
  (let ((method (object message)))
    (if (method? method) (apply method args) (error "My own: no method " message))))
(define (clauses-of kind body) (filter (lambda (clause) (eq? (car clause) kind)) body))
(define-macro (define-class header . body)
  `(define ,(car header)
     (lambda (class-message)
       (lambda ,(cdr header)
         (let ((self '()))
           (define (dispatch message)
             (cond ((eq? message 'initialize) (lambda (me) (set! self me)))
                   ,@(map (lambda (clause) `((eq? message ',(caadr clause)) (lambda ,(cdadr clause) ,@(cddr clause))))
                          (clauses-of 'method body))
                   (else (no-method ',(car header)))))
           dispatch)))))
"""


@pytest.mark.parametrize("name", ["obj.scm", "obj", "./obj.scm", "OBJ.scm"])
def test_ones_own_copy_of_obj_is_loaded(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).with_suffix(".scm").write_text(OBJ)
    program = tmp_path / "program.scm"
    program.write_text(f"""
    (load "{name}")
    (define-class (counter n) (method (next) (set! n (+ n 1)) n) (method (me) self))
    (define c (instantiate counter 5))
    (define result (list (ask c 'next) (ask c 'next) (eq? c (ask c 'me)) (c 'zork)))""")
    session = Session()
    session.load(program)
    assert write(session.eval("result")) == "(6 7 #t (no-method counter mine))"
    assert str(error_in(session, "(ask c 'zork)")) == "My own: no method zork"


def test_without_a_copy_obj_is_built_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    session = Session()
    session.eval('(load "obj.scm") (load "/home/somebody/lib/obj")')
    assert write(session.eval(COUNTER + "(ask (instantiate counter 5) 'next)")) == "6"


def test_how_classes_and_objects_show() -> None:
    session = Session()
    assert write(session.eval(COUNTER)) == "counter"
    assert write(session.eval("counter")).startswith("#[closure arglist=(class-message) ")
    assert write(session.eval("(instantiate counter 5)")).startswith("#[closure arglist=(message) ")


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("(ask (instantiate counter 5) 'foo)", "No method foo in class counter"),
        ("(ask counter 'foo)", "No method foo in class counter"),
        ("(define-class (k) (method (m) (usual 'm))) (ask (instantiate k) 'm)", "No usual method m"),
        ("(ask 5 'foo)", "ask: not an object: 5"),
        ("(instantiate 5)", "instantiate: not a class: 5"),
        ("(instantiate counter)", "too few arguments to: (counter)"),
        ("(ask (instantiate counter 5) 'add)", "too few arguments to: (add)"),
        ("(define-class (k) (instance-vars (n 1 2)))", "bad clause of instance-vars: (n 1 2)"),
        ("(define-class (k) (method (m)))", "bad clause: (method (m))"),
        ("(define-class (k) (method (m 5) 1))", "bad clause: (method (m 5) 1)"),
        ("(define-class (k) (default-method))", "bad clause: (default-method)"),
        ("(define-class (k) (methods (m) 1))", "bad clause: (methods (m) 1)"),
        ("(define-class k (method (m) 1))", "define-class: bad syntax"),
        ("(define-class (k) (instance-vars n))", "bad clause of instance-vars: n"),
    ],
)
def test_misuse(program: str, message: str) -> None:
    assert message in str(error_of(COUNTER + program))


@pytest.mark.parametrize(
    ("program", "blamed"),
    [
        ("(define-class (k) (method (m x) (+ 1 (car x)))) (ask (instantiate k) 'm 5)", "x"),
        ("(define-class (k x) (instance-vars (v (vector-ref x 0)))) (instantiate k 5)", "x"),
        ("(define-class (k) (initialize (display 1) (zork))) (instantiate k)", "zork"),
        ("(define-class (k) (default-method (zork))) (ask (instantiate k) 'm)", "zork"),
        ("(define-class (k x) (parent (counter (zork x)))) (instantiate k 5)", "zork"),
        ("(define c (instantiate counter 5)) (+ 1 (ask c 'foo))", "(ask c 'foo)"),
    ],
)
def test_an_error_is_shown_where_it_happened(program: str, blamed: str) -> None:
    error = error_of(COUNTER + program)
    assert error.span is not None
    assert error.span.text == blamed
