"""Malformed forms in procedures: in the Berkeley dialect a warning when they are defined, an error when they run."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from pathlib import Path

import pytest
from bad_use_tables import BAD_USES, BadUse, forms_of
from sessions import error_in, error_of, value, with_everything

from minischeme import Session
from minischeme.data.errors import SchemeError, ScmSyntaxError, report, warning
from minischeme.expansion.forms import visible_forms
from minischeme.session.describe import expansion
from minischeme.transcripts.document import Document
from minischeme.transcripts.outcomes import Verdict
from minischeme.transcripts.replay import Replay

START, END = "(define (procedure)\n  ", ")"


OTHERWISE = ("(define-library", "(import)", "(do ((i 0 (+ i 1))) ((= i 2)) (define")
"""Programs whose error in a procedure is another one, or none."""


def is_malformed(use: BadUse) -> bool:
    """Whether a bad use is one form that is an error before anything runs."""
    if use.dialect == "r7rs" or len(forms_of(use.program)) != 1 or use.program.startswith(OTHERWISE):
        return False
    try:
        expansion(Session(), *forms_of(use.program))
    except SchemeError as error:
        return type(error) is ScmSyntaxError
    return False


MALFORMED = [use for use in BAD_USES if is_malformed(use)]


def new_session() -> tuple[Session, io.StringIO]:
    output = io.StringIO()
    return Session(output=output, input=io.StringIO()), output


@pytest.mark.parametrize("use", MALFORMED, ids=lambda use: use.program)
def test_a_malformed_form_in_a_procedure(use: BadUse) -> None:
    session, output = new_session()
    session.eval(START + use.program + END, "<test>")
    shown = output.getvalue()
    assert shown.count("*** Warning") == 1
    assert shown.startswith("*** Warning:\n    " + use.message.replace("\n", "\n    "))
    error = error_in(session, "(procedure)")
    assert type(error) is ScmSyntaxError
    assert str(error) == use.message
    assert error.span is not None
    assert error.span.start == len(START) + use.start
    assert error.span.text == use.piece
    assert shown == warning(error) + "\n"
    assert [activation.name for activation in error.activations] == ["procedure"]
    assert output.getvalue() == shown


R7RS_FORMS = tuple(f"({name} " for name in visible_forms("r7rs"))


@pytest.mark.parametrize(
    "use", [use for use in MALFORMED if use.program.startswith(R7RS_FORMS)][::3], ids=lambda use: use.program
)
def test_r7rs_refuses_a_malformed_form_in_a_procedure(use: BadUse) -> None:
    with pytest.raises(SchemeError):
        with_everything("r7rs").eval(START + use.program + END)


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("(define (f x) (if x 'fine (list or))) (f #t)", "fine"),
        ("(define (f x) (cond (x 'fine) (else (if)))) (f #t)", "fine"),
        ("(define (f x) (set! x 5) (if (= x 6) (let (y) y)) x) (f 1)", "5"),
        ("(define (f) (define (g x y)) (define (h) 1) (g 1 2)) 'fine", "fine"),
        ("(define (f) (define 5 6) (define-values (a 7) 8) (define-syntax m 9) (define-macro) (if)) 'fine", "fine"),
        ("(define (f) (define (g) (h)) (define (h x . 5) 1) (define (i) (h)) 1) 'fine", "fine"),
        ("(define-syntax m (syntax-rules () ((_ x) x))) (define (f x) (if x 1 (m))) (f #t)", "1"),
        ("(define-syntax m (syntax-rules () ((_ x) (if x)))) (define (f x) (if x 1 (m 2))) (f #t)", "1"),
        ("(define-macro (m x) (list 'if x)) (define (f x) (if x 1 (m 2))) (f #t)", "1"),
        ("(define (f x) (let loop ((i 0)) (if (< i x) (loop (+ i 1)) (if (= x 3) i (cond 5))))) (f 3)", "3"),
        ("(define-class (c) (method (good) 1) (method (bad) (let (x) 1))) (ask (instantiate c) 'good)", "1"),
        ("(define (f x) `(1 ,(if x x) ,(if x x (if)))) (f 2)", "(1 2 2)"),
        ("(define (f x) (fluid-let ((y (if x 1 (let z)))) 5)) 'fine", "fine"),
        ("(define (f) (the-environment) (define x (if)) x) 'fine", "fine"),
        ("(define f (lambda (x) (delay (if)))) (define p (f 1)) 'fine", "fine"),
        ("(define (f x) (guard (e (#t (condition/report-string e))) (if))) (f 1)", '"if: bad syntax: (if)"'),
        ("(define (f x) (or x (begin (if) (or)))) (f 1)", "1"),
        ("(define f (case-lambda ((x) 1) ((x y) (if)))) (f 1)", "1"),
        ("(let () (define (f x) (if)) 2)", "2"),
        ("(define (f x) (if x 1 (if))) (trace f) (untrace f) (f 2)", "1"),
        ("(eval '(begin (define (f x) (if x 1 (if))) (f 2)) (the-environment))", "1"),
    ],
)
def test_what_stands_beside_a_malformed_form_works(program: str, expected: str) -> None:
    session, output = new_session()
    assert value(session, program) == expected
    assert "*** Warning" in output.getvalue()


@pytest.mark.parametrize(
    "program",
    [
        "(if)",
        "(begin (display 'no) (if))",
        "(list 'or or)",
        "(define (f))",
        "(define (f 5) 1)",
        "(define f (lambda (5) 1))",
        "(let ((x 1)) (if))",
        "(let (x) (define (f) (if)))",
    ],
)
def test_a_malformed_form_in_no_procedure_is_an_error_at_once(program: str) -> None:
    session, output = new_session()
    error_in(session, program)
    assert output.getvalue() == ""


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("(define (f) (define (g x y)) (define (h) (g 1 2)) (h)) (f)", "define: bad syntax: (define (g x y))"),
        ("(define (f) (define (h) (g 1 2)) (h) (define (g x y)) 1) (f)", "unassigned variable: g"),
        ("(define (f) (define-syntax m 5) (m 1)) (f)", "define-syntax: not a syntax-rules form: 5"),
        ("(define (f) (every and '(a b))) (f)", "and: bad syntax: and"),
        ("(define (f x) ((if x or and) 1 2)) (f #f)", "and: bad syntax: and"),
    ],
)
def test_the_first_that_is_reached(program: str, message: str) -> None:
    assert str(error_of(program)) == message


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("(if #t (define x 1)) x", "1"),
        ("(define (f n) (if (> n 5) (define k 2) (define k 3)) (* k n)) (list (f 6) (f 1))", "(12 3)"),
        ("(define (f n) (define (g) (* k n)) (if (> n 5) (define k 2) (define k 3)) (g)) (list (f 6) (f 1))", "(12 3)"),
        ("(define (f x) (if (< x 0) (define x 0)) x) (list (f -1) (f 4))", "(0 4)"),
        ("(define (f a) (cond (a (define b 3) (define (g y) (* y b)) (g b)) (else a))) (list (f 1) (f #f))", "(9 #f)"),
        ("(define (f) (when #t (define-values (a . b) (values 1 2 3))) (list a b)) (f)", "(1 (2 3))"),
        ("(define (f) (when #t (define-record-type p (make x) p? (x px))) (px (make 4))) (f)", "4"),
        ("(define (f) (if #t (define-structure p x)) (p-x (make-p 4))) (f)", "4"),
        ("(define (f) (let ((a 1)) (if a (define a 2)) (if a (define b 3)) (+ a b))) (f)", "5"),
        ("(define (f) (do ((i 0 (+ i 1))) ((= i 3) last) (define last i))) (f)", "2"),
        ("(define x 1) (define (f) (if #t (define x 2)) x) (list (f) x)", "(2 1)"),
        ("(define (f) (define x 1) (define (g) x) (if #t (define x 2)) (set! x (+ x 1)) (g)) (f)", "3"),
        (
            "(define (f n) (let loop ((i 0) (l '())) (if (= i n) (map (lambda (t) (t)) l)"
            " (begin (define v (* i i)) (loop (+ i 1) (cons (lambda () v) l)))))) (f 3)",
            "(4 1 0)",
        ),
        ("(define k #f) (define (f) (if #t (define x (call/cc (lambda (c) (set! k c) 1)))) (list x)) (f)", "(1)"),
        ("(define (f) (define x (begin (define y 2) (* y y))) (+ x y)) (f)", "6"),
        ("(define (f) (list 'a '(define c 3)) (if #t (define quote list)) c) (define (a) 1) 'fine", "fine"),
        ("(let () (define (g) x) (if #t (define x 5)) (g))", "5"),
    ],
)
def test_a_definition_inside_an_expression(program: str, expected: str) -> None:
    session, output = new_session()
    assert value(session, program) == expected
    assert output.getvalue() == ""


def test_a_continuation_into_a_definition_inside_an_expression() -> None:
    session, _ = new_session()
    session.eval("(define k #f) (define (f) (if #t (define x (call/cc (lambda (c) (set! k c) 1)))) (* x 10))")
    session.eval("(define last #f)")
    assert [value(session, text) for text in ("(f)", "(k 2)", "(f)", "(k 3)")] == ["10", "20", "10", "30"]


def test_warnings_come_in_the_order_of_the_text() -> None:
    session, output = new_session()
    session.eval("(define (f x) (cond (x or) (else (if))))")
    assert re.findall(r"    (.*bad syntax.*)", output.getvalue()) == ["or: bad syntax: or", "if: bad syntax: (if)"]


def test_a_file_with_malformed_forms_is_loaded_to_its_end(tmp_path: Path) -> None:
    file = tmp_path / "homework.scm"
    file.write_text("; Homework\n(define (f x)\n  (let (y)\n    x))\n(define (g) 'loaded)\n", encoding="utf-8")
    session, output = new_session()
    session.load(file)
    place, grammar = f"{file}:3:9", "(let ((name value) …) body …) or (let loop ((name value) …) body …)"
    text = f"    let: badly formed binding: y\n  |   (let (y)\n  |         ^\n  expected {grammar}\n"
    assert output.getvalue() == f"*** Warning at {place}:\n{text}  this is an error when it is evaluated\n"
    assert value(session, "(g)") == "loaded"
    error = error_in(session, "(f 1)")
    assert report(error) == f"*** Error at {place}:\n{text}  in f at {file}:3:3 with x = 1"


def test_warnings_of_a_program_go_to_standard_error(tmp_path: Path) -> None:
    file = tmp_path / "program.scm"
    file.write_text("(display 1)\n(define (f) (if))\n(display 2)\n", encoding="utf-8")
    done = subprocess.run([sys.executable, "-m", "minischeme", file], capture_output=True, text=True, check=True)
    assert done.stdout == "12"
    assert done.stderr.startswith(f"*** Warning at {file}:2:13:\n    if: bad syntax: (if)\n")


def test_an_error_in_the_procedure_of_a_macro_makes_a_use_malformed() -> None:
    session, output = new_session()
    session.eval("(define-macro (m x) (list 'list (car x)))\n(define (f x) (if x 'fine (m 5)))", "<test>")
    place = "    car: wrong type of argument: 5\n  | (define-macro (m x) (list 'list (car x)))\n  | " + " " * 37 + "^\n"
    place += "  this comes of the use of a macro at <test>:2:27\n"
    assert output.getvalue() == f"*** Warning:\n{place}  this is an error when it is evaluated\n"
    assert value(session, "(f #t)") == "fine"
    assert report(error_in(session, "(f #f)")) == f"*** Error:\n{place}  in f at <test>:2:27 with x = #f"
    assert str(error_in(session, "(m 5)")) == "car: wrong type of argument: 5"


def test_the_prompt_shows_a_warning_with_the_definition() -> None:
    first, second = Session().interact("(define (f) (if)) (f)")
    assert first.error is None
    assert re.fullmatch(r"\*\*\* Warning:\n    if: bad syntax: \(if\)\n(  .*\n)*f\n", first.output)
    assert type(second.error) is ScmSyntaxError


WARNED = "> (define (f) (if))\n*** Warning:\n    if: bad syntax: (if)\n  | (define (f) (if))\n  |             ^^^^\n"
WARNED += "  expected (if test consequent [alternative])\n  this is an error when it is evaluated\nf\n"


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (WARNED, Verdict.SAME),
        ("> (define (f) (if))\nf\n", Verdict.SAME),
        (WARNED.replace("(if)\n  |", "(if 1)\n  |"), Verdict.DIFFERENT),
        ("> (define (f) (if))\ng\n", Verdict.DIFFERENT),
        ("> (begin (display 1) (eval '(define (f) (if)) user-initial-environment))\n1\nf\n", Verdict.SAME),
    ],
)
def test_a_transcript_need_not_show_a_warning(text: str, verdict: Verdict) -> None:
    (outcome,) = Replay(Document(text, "transcript.txt")).run()
    assert outcome.verdict is verdict


def test_the_expansion_shows_what_is_malformed() -> None:
    (interaction,) = Session().interact("(pp (lambda (x) (let (y) 1)))")
    assert "(let (y) 1)" in interaction.output
