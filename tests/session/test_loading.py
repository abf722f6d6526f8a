"""Files that are loaded: where they stop, what their forms mean to each other, and to code that is running."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

from minischeme import SchemeError, Session
from minischeme.data.errors import report
from minischeme.evaluation.procedures import definition_span


def load(path: Path, *typed: str, dialect: str = "berkeley") -> str:
    """What a session shows that loads a file and is then used at the prompt.

    Args: typed: the entries at the prompt.
    """
    output = io.StringIO()
    session = Session(seed=1, output=output, input=io.StringIO(""), dialect=dialect)
    try:
        session.load(path)
    except SchemeError as error:
        output.write(report(error))
    for text in typed:
        for interaction in session.interact(text):
            output.write(interaction.output)
    return output.getvalue()


GENERATOR = """
(define saved #f)
(define count 0)
(define (walk items)
  (for-each (lambda (item) (call/cc (lambda (k) (set! saved k))) (set! count (+ count 1))) items)
  (list count (map (lambda (x) (* x count)) items) '(a literal)))
(define result (walk '(1 2 3)))
(if (< count 8) (saved 'again))
(display result)
"""

MACROS = """
(define-syntax swap! (syntax-rules () ((_ a b) (let ((tmp a)) (set! a b) (set! b tmp)))))
(define (swapped tmp other) (swap! tmp other) (list tmp other))
(define-macro (twice form) `(begin ,form ,form))
(twice (display 'x))
(define (plain x) (list x x))
(define (with-local x) (let-syntax ((foo (syntax-rules () ((_ y) (list y x))))) (foo 3)))
(define swap! list)
(display (swap! 1 2))
(display (swapped 1 2))
(display (with-local 2))
"""

REDEFINED = """
(define (before x) (car x))
(define (car x) 'mine)
(define (assert x) (list 'asserted x))
(define (after x) (assert (+ x (car x))))
(define (car x) 5)
(display (list (before 1) (after 1)))
"""

CHANGED = """
(define numbers '(1 2 3))
(set-car! numbers 'changed)
(define text "abc")
(string-set! text 0 #\\z)
(define all (list numbers text (vector-map (lambda (x) x) #(1 2))))
"""

SHARED = "(define a (se 'x 'y))\n(define b (se 'w a))\n(set-car! (cdr b) 'new)\n(display (list a b))"


@pytest.mark.parametrize(
    ("text", "typed", "shown"),
    [
        (GENERATOR, ["result"], "(4 (4 8 12) (a literal))"),
        (MACROS, ["(plain 5)"], "xx(1 2)(2 1)(3 2)\n(5 5)\n"),
        (REDEFINED, ["(define (+ . x) 'sum)", "(after 1)"], "(5 (asserted 6))\n+\n(asserted sum)\n"),
        (CHANGED, ["all"], '((changed 2 3) "zbc" #(1 2))\n'),
        (SHARED, [], "((x y) (w new y))"),
        ("(display 1) (no-such-name) (display 2)", [], "1*** Error at "),
        ("(display 1)\n(display 2", [], "1*** Error at "),
        ("(display 1)\n(display #bad) (display 2)", [], "1*** Error at "),
        ("(display 1) ) (display 2)", [], "1\n;; read: unexpected close parenthesis, ignored, at "),
        ("#!no-fold-case\n(display 'Abc)\n#!fold-case (display 'Abc)", [], "Abcabc"),
    ],
)
def test_what_a_file_shows(text: str, typed: list[str], shown: str, tmp_path: Path) -> None:
    path = tmp_path / "program.scm"
    path.write_text(text, encoding="utf-8")
    assert load(path, *typed).startswith(shown)


def test_the_dialect_decides_what_a_symbol_is(tmp_path: Path) -> None:
    path = tmp_path / "program.scm"
    path.write_text("(define (F x) 'Abc) (display (F 1))", encoding="utf-8")
    assert load(path) == "abc"
    assert load(path, dialect="r7rs") == "Abc"


@pytest.mark.parametrize(
    "text",
    [
        "(define helper (car (list (lambda (x) ((car (list (lambda () (list 'pending x)))))))))",
        "(define (helper x) ((car (list (lambda () (list 'pending x))))))",
        "(define (helper x) (list 'direct x))",
    ],
)
def test_a_file_that_is_loaded_while_code_runs_that_relies_on_what_it_defines(text: str, tmp_path: Path) -> None:
    path = tmp_path / "program.scm"
    path.write_text(text, encoding="utf-8")
    session = Session(output=io.StringIO())
    session.eval("(define (helper x) (* 2 x)) (define (run) (let ((first (helper 1))) (go) (list first (helper 3))))")
    session.eval(f'(define (go) (load "{path}"))')
    (interaction,) = session.interact("(run)")
    assert re.fullmatch(r"\(2 \((pending|direct) 3\)\)\n", interaction.output)


def test_the_text_of_a_procedure_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "program.scm"
    path.write_text(CHANGED + REDEFINED, encoding="utf-8")
    session = Session(output=io.StringIO())
    session.load(path)
    span = definition_span(session.globals["before"])
    assert span is not None
    assert span.text == "(define (before x) (car x))"
    assert session.loader.loaded == {str(path): CHANGED + REDEFINED}


def test_a_variable_that_another_namespace_shares(tmp_path: Path) -> None:
    """What sets it tells the other one so."""
    path = tmp_path / "program.scm"
    path.write_text("(define count 1) (define (set-it) (set! count 5))", encoding="utf-8")
    session = Session()
    other = session._namespace()
    session.main.share("count", other, "count", is_owner=True)
    session.load(path)
    session.eval("(set-it)")
    assert other.globals["count"] == 5
