"""Libraries, environments, and the forms that put programs together (R7RS 4.2.1, 5.6, 6.12)."""

from __future__ import annotations

import gc
import io
import weakref
from pathlib import Path

import pytest
from sessions import error_in

from minischeme import Session
from minischeme.compiler.entry_stubs import STUB
from minischeme.data.errors import SchemeError
from minischeme.data.printer import write

STACK = """
(define-library (my stack)
  (export make push! (rename stack-top top) made my-if show-secret)
  (import (scheme base))
  (begin
    (define made 0)
    (define (make) (list '()))
    (define (push! s x) (set-car! s (cons x (car s))))
    (define (stack-top s) (caar s))
    (define (secret x) (list 'secret x))
    (define (list . items) (cons 'my-list items))
    (define (make) (cons '() '()))
    (define-syntax show-secret (syntax-rules () ((_ x) (secret x))))
    (define-syntax my-if (syntax-rules (else) ((_ a b else c) (if a b c)) ((_ a b) (if a b 'none))))))
"""


@pytest.fixture(params=["berkeley", "r7rs"])
def session(request: pytest.FixtureRequest) -> Session:
    session = Session(request.param)
    session.eval(STACK)
    return session


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(import (my stack)) (define s (make)) (push! s 3) (top s)", "3"),
        ("(import (prefix (my stack) s:)) (define s (s:make)) (s:push! s 4) (s:top s)", "4"),
        ("(import (only (my stack) made)) made", "0"),
        ("(import (except (my stack) made)) (define made 'own) made", "own"),
        ("(import (rename (my stack) (made count-of))) count-of", "0"),
        ("(import (prefix (only (rename (my stack) (made m)) m) x-)) x-m", "0"),
        ("(import (my stack)) (show-secret 5)", "(my-list secret 5)"),
        ("(import (my stack)) (define (secret x) 'wrong) (show-secret 5)", "(my-list secret 5)"),
        ("(import (my stack)) (list (my-if #f 1 else 2) (my-if #f 1))", "(2 none)"),
        ("(import (my stack)) (define (if2 list) (my-if list list)) (if2 7)", "7"),
        ("(import (my stack)) (list 1)", "(1)"),
        ("(import (rename (scheme base) (car head))) (head '(1 2))", "1"),
        ("(import (prefix (scheme base) b:)) (b:let ((x 1)) (b:if x (b:+ x 1) 0))", "2"),
        ("(import (scheme base) (scheme write) (srfi 1)) (car '(1))", "1"),
    ],
)
def test_import(session: Session, text: str, expected: str) -> None:
    assert write(session.eval(text)) == expected


def test_a_library_keeps_its_names_to_itself(session: Session) -> None:
    session.eval("(import (my stack))")
    with pytest.raises(SchemeError, match="unbound variable: secret"):
        session.eval("(secret 5)")


def test_a_library_does_not_notice_what_the_program_redefines(session: Session) -> None:
    session.eval("(import (my stack)) (define (caar x) 'wrong) (define s (make)) (push! s 3)")
    assert write(session.eval("(top s)")) == "3"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(import (only (my stack) nosuch))", "import: not exported: nosuch, in (only (my stack) nosuch)"),
        ("(import (no such))", "import: no such library: (no such)"),
        ("(import 5)", "import: bad import set: 5"),
        ("(import (rename (my stack) made))", "import: bad import set"),
        ("(define-library (bad) (export nope))", "(bad) exports what it does not define: nope"),
        ("(define-library (bad) (frob))", "define-library: no such declaration: (frob)"),
        ("(define-library (bad) (export (rename a)))", "define-library: bad export: (rename a)"),
        ("(define-library 5)", "define-library: bad syntax: (define-library 5)"),
        ("(define (f) (import (scheme base)) 1) (f)", "an import is not allowed here"),
        ("(define-library (bad) (begin (car 5)))", "car: wrong type of argument: 5"),
    ],
)
def test_what_is_wrong_is_named(session: Session, text: str, message: str) -> None:
    error = error_in(session, text)
    assert message in str(error)
    assert error.span is not None


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "geometry").mkdir()
    (tmp_path / "geometry" / "shapes.sld").write_text(
        "(define-library (geometry shapes) (export area) (import (scheme base) (geometry numbers))"
        ' (include "../area.scm"))'
    )
    (tmp_path / "geometry" / "numbers.scm").write_text(
        "(define-library (geometry numbers) (export pi) (cond-expand (r7rs (begin (define pi 3))) (else)))"
    )
    (tmp_path / "area.scm").write_text("(define (area r) (* pi r r))")
    (tmp_path / "loop.sld").write_text("(define-library (loop) (export a) (import (loop)) (begin (define a 1)))")
    (tmp_path / "empty.sld").write_text("(define x 1)")
    (tmp_path / "program.scm").write_text("(import (geometry shapes)) (define result (area 10))")
    return tmp_path


def test_libraries_in_files(folder: Path) -> None:
    session = Session("r7rs")
    with pytest.raises(SchemeError, match="no such library"):
        session.eval("(import (geometry shapes))")
    session.load(folder / "program.scm")
    assert write(session.eval("result")) == "300"


def test_libraries_beside_the_folder_of_the_session(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    session = Session("r7rs")
    assert write(session.eval("(import (prefix (geometry shapes) g-)) (g-area 1)")) == "3"
    assert write(session.eval("(cond-expand ((library (geometry numbers)) 'there) (else 'not))")) == "there"
    with pytest.raises(SchemeError, match="imports itself"):
        session.eval("(import (loop))")
    with pytest.raises(SchemeError, match="does not define the library"):
        session.eval("(import (empty))")


def test_include_stands_for_the_contents(folder: Path) -> None:
    (folder / "main.scm").write_text(
        '(include "area.scm") (define pi 2) (define (f) (define pi 9) (include "area.scm") (area 1))'
    )
    session = Session("r7rs")
    session.load(folder / "main.scm")
    assert write(session.eval("(list (area 1) (f))")) == "(2 9)"


def test_an_error_in_an_included_file_is_placed_there(folder: Path) -> None:
    (folder / "bad.scm").write_text("(define x 1)\n(car x)\n")
    (folder / "main.scm").write_text('(include "bad.scm")')
    with pytest.raises(SchemeError) as caught:
        Session("r7rs").load(folder / "main.scm")
    assert str(caught.value.span).startswith(f"{folder}/bad.scm:2:")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(cond-expand (no-such-feature 1) ((not no-such-feature) 2) (else 3))", "2"),
        ("(cond-expand ((and r7rs no-such-feature) 1) ((or no-such-feature r7rs) 2))", "2"),
        ("(cond-expand ((library (scheme base)) (define a 1) (+ a 1)) (else 3))", "2"),
        ("(let () (cond-expand (r7rs (define a 5)) (else (define a 6))) (+ a 1))", "6"),
        ("(cond-expand (r7rs (define-syntax five (syntax-rules () ((_) 5))) (five)))", "5"),
        ("(define y 5) (eval 'y (interaction-environment))", "5"),
        ("(eval '(* 6 7) (environment '(scheme base)))", "42"),
        ("(eval '(m-car '(1)) (environment '(prefix (scheme base) m-)))", "1"),
        ("(define (square x) 'mine) (eval '(square 3) (environment '(scheme base)))", "9"),
        (
            "(import (scheme r5rs)) (define e (null-environment 5)) (eval '(define z 3) e) (eval '(+ z 1) e)",
            "4",
        ),
        ("(eval '(+ 1 2))", "3"),
        ("(begin (eval '(define q 8) (interaction-environment)) q)", "8"),
    ],
)
@pytest.mark.parametrize("dialect", ["berkeley", "r7rs"])
def test_environments_and_cond_expand(text: str, expected: str, dialect: str) -> None:
    assert write(Session(dialect).eval(text)) == expected


def test_an_environment_does_not_see_the_program() -> None:
    session = Session("r7rs")
    session.eval("(define y 5)")
    with pytest.raises(SchemeError, match="unbound variable: y"):
        session.eval("(eval 'y (environment '(scheme base)))")


def test_what_other_systems_write_is_noted_once_and_ignored() -> None:
    output = io.StringIO()
    session = Session(output=output)
    session.eval("#lang racket\n(require (planet dyoo/simply-scheme)) (require racket/list) (provide f) (define (f) 7)")
    assert write(session.eval("(f)")) == "7"
    assert output.getvalue().count("require: ignored") == output.getvalue().count("provide: ignored") == 1


@pytest.mark.parametrize(
    "text", [STACK, "(import (scheme base))", "(cond-expand (else (define (f) 1)))", "(require a)"]
)
def test_a_session_is_let_go_of(text: str) -> None:
    session = Session(output=io.StringIO())
    session.eval(text)
    reference = weakref.ref(session)
    del session
    gc.collect()
    assert reference() is None


# ── variables that libraries assign ──────────────────────────────────────────────────────────────────────────────────

COUNTER = """
(define-library (counter)
  (export bump! value get n count!)
  (import (scheme base))
  (begin (define n 0)
         (define (get) n)
         (define (count!) (set! n (+ n 1)))
         (define-syntax bump! (syntax-rules () ((_) (set! n (+ n 10)))))
         (define-syntax value (syntax-rules () ((_) n)))))
"""


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("(import (counter)) (count!) (list n (get) (value))", "(1 1 1)"),
        ("(import (counter)) (bump!) (bump!) (list n (get) (value))", "(20 20 20)"),
        ("(import (counter)) (bump!) (count!) (bump!) (list n (get) (value))", "(21 21 21)"),
        ("(import (rename (counter) (n m))) (count!) (list m (get))", "(1 1)"),
        ("(import (counter)) (define n 5) (count!) (list n (get) (value))", "(5 1 1)"),
        (
            "(define-library (other) (export twice!) (import (scheme base) (counter))"
            " (begin (define (twice!) (bump!) (count!)))) (import (counter) (other)) (twice!) (list n (get) (value))",
            "(11 11 11)",
        ),
    ],
)
def test_an_exported_variable_is_one_variable(program: str, expected: str) -> None:
    assert write(Session(dialect="r7rs").eval(COUNTER + program)) == expected


# ── procedures that are compiled when they are called ────────────────────────────────────────────────────────────────

SQUARES = """
(define-library (squares) (export f (rename f g)) (begin (define (f n) (* n n))))
(import (squares))
"""


def test_an_imported_procedure_is_compiled_when_it_is_called() -> None:
    session = Session()
    session.eval(SQUARES)
    assert session.globals["f"].__code__.co_filename == session.globals["g"].__code__.co_filename == STUB
    assert session.eval("(define (h) (g 3)) (h)") == 9
    assert session.globals["f"] is session.globals["g"]
    assert session.globals["g"].__code__.co_filename != STUB


@pytest.mark.parametrize("text", ["(eq? f g)", "(define h g) (f 2) (eq? h f)", "(define (h) f) (g 2) (eq? (h) g)"])
def test_an_imported_procedure_is_one_object(text: str) -> None:
    assert write(Session().eval(f"{SQUARES} {text}")) == "#t"
