"""Where an error is said to have happened: the piece of the program to blame, and in which text.

One text may have another evaluated: files that load files, data, libraries.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path
from types import FrameType

import pytest
from sessions import error_in, error_of

from minischeme import Session
from minischeme.data.errors import ReadError, SchemeError, report
from minischeme.runtime.tail_calls import TailCall

# ── the piece to blame ───────────────────────────────────────────────────────────────────────────────────────────────

PLACES = [
    # An operand, where it is certain which.
    "(+ 1 «'a»)",
    "(+ «'a» (* 2 3))",
    "(+ (* 2 3) «(first '(a))»)",
    "(* 2 «'a» 3)",
    "(< «'a» 1)",
    "(- «car»)",
    "(car «5»)",
    "(car «(cdr '(1))»)",
    "(vector-ref (vector 1 2) «10»)",
    "(vector-ref «'(1)» 0)",
    "(let ((v (vector 1 2)) (i 2)) (vector-ref v «i»))",
    "(list-tail '(1 2) «'a»)",
    '(symbol->string «"a"»)',
    '(string-append "a" «\'b» "c")',
    "(first «'()»)",
    "(every «3» '(1 2))",
    "(se 'a «#t»)",
    "(item «0» 'abc)",
    "(cadr «'(1)»)",
    "(if (zero? «'a») 1 2)",
    "(if (not (< 1 «'a»)) 1 2)",
    "(let loop ((i 0)) (if (< i 10) (loop (+ i 1)) (car «i»)))",
    "(do ((i 0 (+ i 1))) ((= i 5) (car «i»)))",
    "(case (car «5») ((1) 2))",
    "(and 1 (+ 1 «'a»))",
    "`(1 ,(car «5»))",
    # The call, where it is not.
    "«(+ 'a 'a)»",
    "«(+ (first '(a)) (first '(b)))»",
    "«(map car '(1))»",
    "«(item 5 'abc)»",
    "«(list->string '(1))»",
    "«(quotient 1 0)»",
    '«(error "x" \'y)»',
    "«(apply car '(5))»",
    "(+ 1 «(f)» 2)",
    "(+ 1 «((lambda (x) x))»)",
    "(begin 1 «(3 4)» 5)",
    "(begin «((+ 1 2))»)",
    "(let ((x 5)) (list «(x 1)»))",
    # The variable.
    "(+ 1 «zot»)",
    "(«zot» 1)",
    "(if «zot» 1 2)",
    "(begin «(set! zot 1)»)",
    "(letrec ((a «b») (b 1)) a)",
    # The part of a special form.
    "(begin «(if)»)",
    "(+ 1 (define «5» 3))",
    "(cond ((= 1 2) 3) «5»)",
    "(let («(x)») x)",
    "(let ((x 1) «(y 2 3)») x)",
    "(let ((a 1) «(a 2)») a)",
    "(lambda (x «x») x)",
    "(+ 1 «if»)",
    # What can't be read.
    "(car 5 «#<x>»)",
    "«(»car 5",
]


@pytest.mark.parametrize("marked", PLACES)
def test_place(marked: str) -> None:
    before, inside, after = marked.replace("»", "«").split("«")
    for indentation in ("", "(begin 1\n       2\n       "):
        if indentation and marked.count("(") != marked.count(")"):
            continue
        whole = indentation + before + inside + after + (")" if indentation else "")
        error = error_of("(define (f x) x)", whole)
        assert error.span is not None
        assert error.span.text == inside
        assert error.span.start == len(indentation + before)
        assert str(error.span) == f"<eval>:{3 if indentation else 1}:{len(before) + (8 if indentation else 1)}"


def test_a_call_lost_by_a_tail_call_is_found_again() -> None:
    for program, place, procedure in [
        ("(define (g x) x) (define (f x) (g x 1)) (f 5)", "(g x 1)", "f"),
        ("(define (f x) (x 1)) (+ 1 (f 5))", "(x 1)", "f"),
        ("(define (g x) x) (define (f x) (if (> x 0) (car x) (g))) (f 0)", "(g)", "f"),
        ("(define (g x) x) (define (h x) (cond (#f 1) (else (g x 2)))) (define (f x) (h x)) (f 5)", "(g x 2)", "h"),
        ("(define (f x) (let loop ((i x)) (if (= i 0) (car 1 2) (loop (- i 1))))) (f 3)", "(car 1 2)", "f"),
        ("(define (f x) (define (g y) y) (g x 1)) (f 3)", "(g x 1)", "f"),
        ("(let loop ((i 0)) (loop))", "(loop)", "loop"),
        ("(define (f g x) (g x)) (+ 1 (f car 5))", "x", "f"),
        ("(define (f x) (apply g x)) (define (g a) a) (f '(1 2))", "(apply g x)", "f"),
        ("(define (f x) (car x x)) (map f '(1 2))", "(car x x)", "f"),
    ]:
        error = error_of(program)
        assert error.span is not None
        assert error.span.text == place, program
        assert error.activations[0].name == procedure, program


def test_a_lost_call_is_not_guessed() -> None:
    """Two calls fit, so the place is that of the call outside."""
    error = error_of("(define (g x) x) (define (f x g) (if (= x 0) (g x x) (g x (+ x 0)))) (f 5 g)")
    assert error.span is not None
    assert error.span.text == "(f 5 g)"
    error = error_of("(define (g x) x) (define (f x) (if (= x 0) (g x 1) (g x 2))) (f 5)")
    assert error.span is not None
    assert error.span.text == "(g x 2)", "the constant tells"
    error = error_of("(define (f x) x) (+ 1 (apply f '(1 2)))")
    assert error.span is not None
    assert error.span.text == "(apply f '(1 2))"


# ── in texts that others evaluate ────────────────────────────────────────────────────────────────────────────────────

FILES = {
    "top.scm": '(define z 1)\n\n  (load "outer.scm")\n',
    "outer.scm": '(define (set-up)\n  (load "inner.scm")\n  1)\n(set-up)\n',
    "inner.scm": "(define (g x)\n  (vector-ref x 10))\n(+ 1 (g (vector 1 2)))\n",
    "includes.scm": '(define a 1)\n(include "included.scm")\n',
    "included.scm": ";; b\n(car a)\n",
    "evaluates.scm": "(define a 1)\n(+ 1\n   (eval '(car a) (the-environment)))\n",
    "reads.scm": '(define port (open-input-string "(1 2"))\n(display (read port))\n',
    "unreadable.scm": '(define (f x)\n  (display "abc)\n  x)\n',
    "misses-include.scm": '(define (f)\n  (include "nosuch.scm")\n  1)\n',
    "misses-load.scm": '(begin 1\n  (load "nosuch.scm"))\n',
    "imports.scm": "(define-library (cards)\n  (import (scheme base)\n          (nosuch library)))\n",
    "optional.scm": "(define (f a #!optional b)\n  a)\n(list\n  (f 1 2 3))\n",
}

REPORTS = [
    (
        "top.scm",
        """
        *** Error at inner.scm:2:17:
            vector-ref: index out of bounds: 10
          |   (vector-ref x 10))
          |                 ^^
          the length is 2, so the last index is 1
          in g at inner.scm:2:3 with x = #(1 2)
          in set-up at outer.scm:2:3
          in load at top.scm:3:3
        """,
    ),
    (
        "includes.scm",
        """
        *** Error at included.scm:2:6:
            car: wrong type of argument: 1
          | (car a)
          |      ^
          in include at includes.scm:2:1
        """,
    ),
    (
        "evaluates.scm",
        """
        *** Error:
            car: wrong type of argument: 1
          | (car a)
          | ^^^^^^^
          in eval at evaluates.scm:3:4
        """,
    ),
    (
        "reads.scm",
        """
        *** Error:
            read: end of file inside list
          | (1 2
          | ^
          in read at reads.scm:2:10
        """,
    ),
    (
        "unreadable.scm",
        """
        *** Error at unreadable.scm:2:12:
            read: end of file inside string
          |   (display "abc)
          |            ^
        """,
    ),
    (
        "misses-include.scm",
        """
        *** Error at misses-include.scm:2:12:
            include: cannot open file: "nosuch.scm"
          |   (include "nosuch.scm")
          |            ^^^^^^^^^^^^
        """,
    ),
    (
        "misses-load.scm",
        """
        *** Error at misses-load.scm:2:9:
            load: cannot open file: "nosuch.scm"
          |   (load "nosuch.scm"))
          |         ^^^^^^^^^^^^
        """,
    ),
    (
        "imports.scm",
        """
        *** Error at imports.scm:3:11:
            import: no such library: (nosuch library)
          |           (nosuch library)))
          |           ^^^^^^^^^^^^^^^^
        """,
    ),
    (
        "optional.scm",
        """
        *** Error at optional.scm:4:3:
            too many arguments to: (f 1 2 3)
          |   (f 1 2 3))
          |   ^^^^^^^^^
          it is called as (f a . optional)
        """,
    ),
]


@pytest.mark.parametrize(("file", "expected"), REPORTS, ids=lambda part: part if part in FILES else "")
def test_the_way_to_an_error(file: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(SchemeError) as caught:
        Session(output=io.StringIO()).load(file)
    lines = [line[8:] for line in expected.strip("\n").splitlines()]
    assert report(caught.value) == "\n".join(lines[:-1])


def test_what_is_evaluated_at_the_prompt_needs_no_place() -> None:
    session = Session(output=io.StringIO())
    assert not error_in(session, "(eval '(car 5) (the-environment))", "<prompt>").activations


def test_an_error_while_loading_names_the_file(tmp_path: Path) -> None:
    inner = tmp_path / "inner.scm"
    inner.write_text("(define ok 1)\n(display 'x)\n(car ok)\n(define never 1)\n")
    (tmp_path / "outer.scm").write_text('(define before 1)\n(load "inner.scm")\n')
    session = Session(output=io.StringIO())
    error = error_in(session, f'(load "{tmp_path / "outer.scm"}")')
    assert report(error).startswith(f"*** Error at {inner}:3:6:\n    car: wrong type of argument: 1\n")
    assert session.eval("(+ ok before)") == 2
    error_in(session, "never")


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [("(define x 1)\n(car '(1)\n", 2, 1), ('(define x 1)\n  (display "abc', 2, 12), ("1 2\n#<x>", 2, 1)],
)
def test_an_error_of_the_reader_in_a_file(tmp_path: Path, text: str, line: int, column: int) -> None:
    file = tmp_path / "bad.scm"
    file.write_text(text)
    with pytest.raises(ReadError) as caught:
        Session().load(file)
    assert f"{file}:{line}:{column}:" in report(caught.value)


def test_an_interrupt_right_before_a_pending_call_begins() -> None:
    session = Session(output=io.StringIO())
    session.eval("(define (f x) (+ 1 (apply f (list x))))")
    before = sys.gettrace()

    def interrupt(frame: FrameType, event: str, argument: object) -> None:
        if frame.f_code is TailCall.run.__code__:
            sys.settrace(before)
            raise KeyboardInterrupt

    sys.settrace(interrupt)
    try:
        (interaction,) = session.interact("(f 1)")
    finally:
        sys.settrace(before)
    assert interaction.output.startswith("*** Error:\n    interrupted\n")
