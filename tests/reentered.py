"""Continuations that are entered again, for tests: what is seen of it in a program, and at the prompt."""

from __future__ import annotations

from minischeme import Session
from minischeme.data.printer import write

MARK = """
(define k #f)
(define values-seen '())
(define (mark x) (call/cc (lambda (c) (if (not k) (set! k c)) x)))
(define (see x) (set! values-seen (cons x values-seen)) x)
(define (again . ns) (for-each (lambda (n) (call/cc (lambda (return) (set! back return) (k n)))) ns))
(define back #f)
(define-macro (watch expression) `(begin (see ,expression) (if back (back 'on))))
"""


def values_seen(setup: str, again: str) -> str:
    """The values that the watched expression of a program has: the first time, and each time that it gets one again.

    Args: setup: the program, in which ``(watch expression)`` says what to see, and ``(mark x)``, somewhere inside that
    expression, captures the continuation and gives x. again: expressions whose values the continuation is called with,
    one after the other.
    """
    session = Session()
    session.eval(MARK)
    session.eval(setup)
    session.eval(f"(again {again})")
    return write(session.eval("(reverse values-seen)"))


def shown(text: str, session: Session | None = None) -> str:
    """What the prompt shows for the forms of a text."""
    return "".join(interaction.output for interaction in (session or Session()).interact(text))
