"""Exceptions: who handles what, in which context, and what a handler may do (R7RS 6.11, 4.2.7)."""

from __future__ import annotations

import io

import pytest
from sessions import error_in, error_of

from minischeme import Session
from minischeme.data.errors import RaisedObject
from minischeme.data.printer import write

DIALECTS = ("berkeley", "r7rs")


def value(text: str, dialect: str = "r7rs") -> str:
    return write(Session(dialect).eval(text))


IDIOM = """
(import (only (minischeme) condition/report-string))
(define (deep n) (+ 1 (deep n)))
(define (caught thunk)
  (call-with-current-continuation
    (lambda (k) (with-exception-handler (lambda (e) (k (condition/report-string e))) thunk))))
(define (guarded thunk) (guard (e (#t (condition/report-string e))) (thunk)))
"""

ERRORS = [
    ("(car 5)", "car: wrong type of argument: 5"),
    ("(vector-ref (vector 1 2) 10)", "vector-ref: index out of bounds: 10"),
    ("(list-tail '(1) 5)", "list-tail"),
    ("(undefined-name)", "unbound variable: undefined-name"),
    ("((lambda (x) x))", "too few arguments to"),
    ("(5 5)", "eval: bad function in : (5 5)"),
    ("(+ 1 'a)", "+: not a number: a"),
    ("(quotient 1 0)", "quotient: division by 0"),
    ('(error "bad thing" 1)', "bad thing"),
    ("(raise (guard (e (#t e)) (car 6)))", "car: wrong type of argument: 6"),
    ("(eval '(if) (interaction-environment))", "if: bad syntax: (if)"),
    ('(load "no such file")', "load: cannot open file"),
    ("(string->symbol 5)", "string->symbol: bad symbol: 5"),
    ("(apply car '(1 2))", "too many arguments to"),
    ("(map car 5)", "map"),
]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(("expression", "message"), ERRORS)
@pytest.mark.parametrize("catcher", ["caught", "guarded"])
def test_every_error_can_be_caught(catcher: str, expression: str, message: str, dialect: str) -> None:
    session = Session(dialect)
    session.eval(IDIOM)
    if expression.startswith("(string->symbol"):
        message = "string->symbol: bad"
    assert message in write(session.eval(f"({catcher} (lambda () {expression}))"))
    assert write(session.eval("(+ 1 1)")) == "2"


def test_a_recursion_too_deep_can_be_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("minischeme.runtime.recursion.deepest_recursion", lambda slots: 100_000)
    session = Session()
    session.eval(IDIOM)
    assert write(session.eval("(caught (lambda () (deep 1)))")) == '"maximum recursion depth exceeded"'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # who handles
        ("(with-exception-handler (lambda (e) 42) (lambda () (+ (raise-continuable 'c) 23)))", "65"),
        (
            "(call/cc (lambda (k) (with-exception-handler (lambda (e) (k (list 'got e))) (lambda ()"
            " (raise 'x)))))",
            "(got x)",
        ),
        ("(guard (e ((symbol? e) (list 'sym e)) ((string? e) 'str)) (raise \"s\"))", "str"),
        ("(guard (e ((assq 'a e) => cdr) ((assq 'b e))) (raise (list (cons 'a 42))))", "42"),
        ("(guard (e ((assq 'a e) => cdr) ((assq 'b e))) (raise (list (cons 'b 23))))", "(b . 23)"),
        ("(guard (e ((string? e) 'outer)) (guard (f ((number? f) 'inner)) (raise \"s\")))", "outer"),
        ("(guard (e (else (list 'again e))) (guard (f (#t (raise (list f)))) (raise 'x)))", "(again (x))"),
        (
            "(guard (e (#t (list 'g e))) (with-exception-handler (lambda (e) (raise (list 'h e)))"
            " (lambda () (raise 'x))))",
            "(g (h x))",
        ),
        (
            "(guard (e (#t (list 'g e))) (with-exception-handler (lambda (e) (raise 'second)) (lambda"
            " () (car 5))))",
            "(g second)",
        ),
        # the outer handler runs while an inner one does
        (
            "(with-exception-handler (lambda (e) (list 'outer e)) (lambda ()"
            " (with-exception-handler (lambda (e) (list 'inner (raise-continuable e))) (lambda ()"
            " (raise-continuable 1)))))",
            "(inner (outer 1))",
        ),
        # a guard without a clause for it passes on, and what the outer handler returns comes back
        ("(with-exception-handler (lambda (e) 10) (lambda () (guard (e (#f 'no)) (+ 1 (raise-continuable 5)))))", "11"),
        # handlers are in force again after an escape out of one
        (
            "(with-exception-handler (lambda (e) 'outer) (lambda () (list"
            " (call/cc (lambda (k) (with-exception-handler (lambda (e) (k 'left)) (lambda () (raise 'x)))))"
            " (raise-continuable 'y))))",
            "(left outer)",
        ),
        (
            "(with-exception-handler (lambda (e) (if (eq? e 'y) 'mine 'wrong)) (lambda ()"
            " (call/cc (lambda (k) (with-exception-handler (lambda (e) (k 1)) (lambda () (k 2)))))"
            " (guard (e (#t 'caught)) (car '())) (raise-continuable 'y)))",
            "mine",
        ),
        # error objects
        (
            "(guard (e (#t (list (error-object? e) (error-object-message e)"
            " (error-object-irritants e)))) (error \"m:\" 1 '(2)))",
            '(#t "m:" (1 (2)))',
        ),
        ("(guard (e (#t (error-object? e))) (raise 'x))", "#f"),
        ("(guard (e (#t (list (error-object-irritants e) (file-error? e) (read-error? e)))) (car 5))", "((5) #f #f)"),
        ("(guard (e (#t (file-error? e))) (load \"no such file\"))", "#t"),
        ("(guard (e (#t (read-error? e))) (read (open-input-string \"(1\")))", "#t"),
        ("(guard (e (#t (raise-continuable-is-fine e))) 7)", "7"),
        # the clause is in tail position of the guard's context, the value of the body that of the guard
        ("(guard (e (#t 'c)) 1 2 3)", "3"),
        ("(let loop ((n 0)) (guard (e (#t (if (= e 20000) e (loop (+ n 1))))) (raise n)))", "20000"),
    ],
)  # fmt: skip
def test_handling(text: str, expected: str) -> None:
    assert value(text) == expected


PATH = "(define path '()) (define (add x) (set! path (cons x path)))"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # in the context of raise, before anything is unwound
        (
            "(call/cc (lambda (k) (with-exception-handler (lambda (e) (add 'handler) (k 1)) (lambda ()"
            " (dynamic-wind (lambda () (add 'in)) (lambda () (raise 'x)) (lambda () (add 'out)))))))",
            "(in handler out)",
        ),
        # a guard's tests and clauses outside of what it guards
        (
            "(guard (e ((begin (add 'test) #t) (add 'clause)))"
            " (dynamic-wind (lambda () (add 'in)) (lambda () (raise 'x)) (lambda () (add 'out))))",
            "(in out test clause)",
        ),
        # and back in again when none matches
        (
            "(guard (e (#t (add 'outer))) (guard (e ((begin (add 'test) #f) 1))"
            " (dynamic-wind (lambda () (add 'in)) (lambda () (raise 'x)) (lambda () (add 'out)))))",
            "(in out test in out outer)",
        ),
        # an error of a primitive as well
        (
            "(guard (e (#t (add 'clause))) (dynamic-wind (lambda () (add 'in)) (lambda () (car 5))"
            " (lambda () (add 'out))))",
            "(in out clause)",
        ),
        # parameters have their outer values in a clause, their inner ones in a handler
        (
            "(define p (make-parameter 1)) (guard (e (#t (add (p)))) (parameterize ((p 2)) (raise 'x)))",
            "(1)",
        ),
        (
            "(define p (make-parameter 1)) (with-exception-handler (lambda (e) (add (p))) (lambda ()"
            " (parameterize ((p 2)) (raise-continuable 'x)))) (add (p))",
            "(2 1)",
        ),
    ],
)  # fmt: skip
def test_the_dynamic_context(text: str, expected: str) -> None:
    assert value(f"{PATH} {text} (reverse path)") == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(raise 'some)", "uncaught exception: some"),
        ('(raise (list 1 "x"))', 'uncaught exception: (1 "x")'),
        ("(raise-continuable 5)", "uncaught exception: 5"),
        ("(guard (e (#f 1)) (raise 'x))", "uncaught exception: x"),
        ("(guard (e ((string? e) 1)) (car 5))", "car: wrong type of argument: 5"),
        ("(with-exception-handler (lambda (e) 1) (lambda () (raise 'x)))", "the handler returned"),
        ('(with-exception-handler (lambda (e) 1) (lambda () (error "bad" 7)))', "the handler returned"),
        ("(with-exception-handler (lambda (e) 1) (lambda () (car 5)))", "car: wrong type of argument: 5"),
        ("(with-exception-handler (lambda (e) (vector-ref e 0)) (lambda () (raise (vector))))", "vector-ref"),
    ],
)
def test_what_nobody_handles(text: str, message: str) -> None:
    session = Session("r7rs")
    assert message in str(error_in(session, text))
    assert value_after(session) == "3"


def value_after(session: Session) -> str:
    """A handler of an evaluation that failed is not in force any more."""
    return write(session.eval("(guard (e (#t e)) (raise 3))"))


def test_the_object_reaches_an_embedding_program() -> None:
    with pytest.raises(RaisedObject) as caught:
        Session().eval("(raise 'oops)")
    assert write(caught.value.payload) == "oops"


def test_an_error_passed_on_keeps_its_place() -> None:
    error = error_of("(guard (e ((string? e) 1))\n  (+ 1 (car 5)))")
    assert error.span is not None
    assert error.span.source.position(error.span.start)[0] == 2


def test_an_interrupt_is_no_exception_of_the_program() -> None:
    session = Session(output=io.StringIO())

    def interrupt() -> None:
        raise KeyboardInterrupt

    session.define("interrupt", interrupt)
    with pytest.raises(KeyboardInterrupt):
        session.eval("(guard (e (#t 'caught)) (with-exception-handler (lambda (e) 1) (lambda () (interrupt))))")
    assert value_after(session) == "3"


def test_an_error_while_loading_can_be_caught(tmp_path: object) -> None:
    session = Session()
    session.loader.folder = tmp_path  # type: ignore[assignment]
    (session.loader.folder / "bad.scm").write_text("(define before 1)\n(car before)\n")  # type: ignore[operator]
    assert write(session.eval('(guard (e (#t (condition/report-string e))) (load "bad"))')) == (
        '"car: wrong type of argument: 1"'
    )
    session.eval("(with-exception-handler (lambda (e) (set! before e)) (lambda () (raise-continuable 2)))")
    assert write(session.eval("before")) == "2"


def test_berkeley_errors_keep_their_parts() -> None:
    text = "(guard (e (#t (list (error-object-message e) (error-object-irritants e) (condition/report-string e))))"
    assert value(f'{text} (error "Bad thing:" \'x "y"))', "berkeley") == '("Bad thing:" (x "y") "Bad thing:xy")'
