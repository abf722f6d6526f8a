"""Calls of standard procedures pass what the session has for them by position, and fail as calls of them fail."""

from __future__ import annotations

import io

import pytest

from minischeme import SchemeError, Session
from minischeme.data.printer import write
from minischeme.primitives.registry import positional_call, primitive_of


def test_each_session_has_ports_of_its_own() -> None:
    outputs = [io.StringIO(), io.StringIO()]
    for number, session in enumerate([Session(output=output) for output in outputs]):
        session.eval("(define (show-all x) (display x) (newline) (write x))")
        session.eval(f"(show-all {number})")
    assert [output.getvalue() for output in outputs] == ["0\n0", "1\n1"]


def test_optional_arguments_have_their_defaults() -> None:
    session = Session()
    write_string = session.eval("write-string")
    called, added = positional_call(write_string, 2)
    assert primitive_of(called) is primitive_of(write_string)
    assert added == (0, None, session.context.console)
    assert called.__code__.co_kwonlyargcount == 0


@pytest.mark.parametrize(("name", "count"), [("car", 1), ("write-string", 0), ("write-string", 5), ("call/cc", 1)])
def test_other_calls_are_of_the_procedure_itself(name: str, count: int) -> None:
    procedure = Session().eval(name)
    assert positional_call(procedure, count) == (procedure, ())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("(display 1 (current-output-port) 2)", "too many arguments to: \\(display 1"),
        ("(write-string 5)", "write-string: bad string: 5"),
        ('(write-string "abc" (current-output-port) 4)', "write-string: bad bounds"),
        ("(newline 5)", "newline: not an output port: 5"),
        ("(force 1)", "Not a promise: 1"),
        ("(with-exception-handler 1 2)", "with-exception-handler: not a procedure: 1"),
    ],
)
def test_errors_are_those_of_the_procedure(call: str, message: str) -> None:
    session = Session()
    session.eval(f"(define (f) {call} 1)")
    with pytest.raises(SchemeError, match=message):
        session.eval("(f)")


def test_a_frame_that_waits_in_one_is_entered_again() -> None:
    session = Session()
    session.eval("""
        (define again #f)
        (define (f x) (+ 1 (guard (e (#t (list-ref '(10 20) e))) (raise (call/cc (lambda (k) (set! again k) x))))))
        (define (g) (call-with-output-string (lambda (p) (display (call/cc (lambda (k) (set! again k) 1)) p))))""")
    assert session.eval("(f 0)") == 11
    assert session.eval("(again 1)") == 21
    assert write(session.eval("(g)")) == '"1"'
    assert write(session.eval("(again 2)")) == '"12"'  # the port is the same one
