"""What a program can use without an import: in R7RS what the standard has and no more, nowhere what is internal."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from bad_use_tables import BAD_USES
from sessions import error_in, value

from minischeme import Session
from minischeme.data.errors import SchemeError, SchemeExit
from minischeme.expansion.forms import TABLE
from minischeme.primitives.registry import DIALECTS, primitive_of
from minischeme.primitives.standard_libraries import (
    WITH_EVERYTHING,
    WITH_THE_STANDARD,
    listed_libraries,
    standard_names,
)
from minischeme.runtime.names import hidden_key, scheme_name
from minischeme.session.describe import describe

LIBRARIES = {dialect: Session(dialect).library for dialect in DIALECTS}
INTERNAL = sorted(scheme_name(key) for key in LIBRARIES["berkeley"] if key.startswith("'"))
EXTRA = sorted(scheme_name(key) for key in LIBRARIES["r7rs"] if key.startswith("'") and not key.startswith("'%"))


def fresh(dialect: str = "r7rs") -> Session:
    return Session(dialect, output=io.StringIO(), input=io.StringIO())


def test_the_tables_are_what_the_tests_below_take_them_for() -> None:
    assert "%at-most" in INTERNAL
    assert {name[0] for name in INTERNAL} == {"%"}
    assert "%exit" not in INTERNAL  # MIT Scheme's own name for exit
    assert {"filter", "first", "1+", "nil"} <= set(EXTRA)
    assert "car" not in EXTRA
    assert not LIBRARIES["r7rs"].keys() - standard_names() - {hidden_key(name) for name in [*EXTRA, *INTERNAL, "%exit"]}


@pytest.mark.parametrize("name", sorted(TABLE.keys() - standard_names()))
def test_a_form_that_r7rs_lacks_must_be_imported(name: str) -> None:
    session = fresh()
    error = error_in(session, f"({name} 1)")
    assert str(error) == f"unbound variable: {name}"
    assert error.hint == f"it is not in R7RS: (import (only (minischeme) {name})) brings it"
    assert value(session, f"(define ({name} x) (list x 'own)) ({name} 1)") == "(1 own)"
    session.eval(f"(import (only (minischeme) {name}))")
    assert describe(session, name) == describe(Session(), name)


def test_procedures_that_r7rs_lacks_must_be_imported() -> None:
    session = fresh()
    for name in EXTRA:
        assert str(error_in(session, name)) == f"unbound variable: {name}"
        session.eval(f"(import (only (minischeme) {name})) {name}")
        assert value(session, f"(import (prefix (only (minischeme) {name}) my-)) (eq? {name} my-{name})") == "#t"


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", INTERNAL)
def test_internal_names_can_not_be_used(name: str, dialect: str) -> None:
    session = fresh(dialect)
    for spelling in (name, f"|{hidden_key(name)}|"):
        for text in (f"({spelling} (lambda (x) x) 3)", f"(eval '{spelling} (interaction-environment))"):
            assert "unbound variable: " in str(error_in(session, text))
        assert "not exported" in str(error_in(session, f"(import (only (minischeme) {spelling}))"))
        assert "does not define" in str(error_in(session, f"(define-library (own) (export {spelling}))"))
    assert value(session, f"(define ({name} x) (list x 'own)) ({name} 1)") == "(1 own)"


@pytest.mark.slow
@pytest.mark.parametrize("imports", ["", "(import (minischeme))"])
def test_a_program_of_the_berkeley_dialect_fails_in_r7rs_without_an_internal_error(
    imports: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # where some write a file
    failures = 0
    for use in BAD_USES[:: 1 if imports else 3]:
        session = fresh()
        session.eval("(define kept '(a b))")
        session.eval(imports)
        try:
            session.eval(use.program)
        except SchemeError:
            failures += 1
        except SchemeExit:
            pass
    assert failures > 300


EXAMPLES = {form.name: form.example for form in TABLE.values() if form.example} | {
    name: known.example
    for name, procedure in LIBRARIES["berkeley"].items()
    if (known := primitive_of(procedure)) is not None and known.example
}


def test_the_examples_in_the_help_run_in_r7rs_after_an_import() -> None:
    different = {"remove", "reduce", "read-line"}  # other procedures in R7RS, whose uses are different
    session = fresh()
    session.eval("(import (minischeme))")
    for name, example in EXAMPLES.items():
        use = example.partition(" → ")[0]
        assert name in different or value(session, use) == value(fresh("berkeley"), use)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("library", [*listed_libraries(), *WITH_THE_STANDARD, *WITH_EVERYTHING])
def test_all_that_a_library_exports_is_there(library: str, dialect: str) -> None:
    session = fresh(dialect)
    session.eval(f"(import {library})")
    session.eval(f"(import (prefix {library} its-))")


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("(import (srfi 1)) (filter odd? (iota 5))", "(1 3)"),
        ("(import (srfi 8)) (receive (a . b) (values 1 2 3) (list a b))", "(1 (2 3))"),
        ("(import (rename (srfi 8) (receive with))) (with (a . b) (values 1 2 3) (list a b))", "(1 (2 3))"),
        ("(import (srfi 69)) (define t (make-hash-table)) (hash-table-set! t 'a 1) (hash-table-ref t 'a)", "1"),
        ("(import (only (minischeme) cons-stream stream-cdr)) (stream-cdr (cons-stream 1 2))", "2"),
        (
            "(import (only (minischeme) define-class instantiate ask))"
            "(define-class (a) (method (m x) (* x 2)))"
            "(define-class (b) (parent (a)) (method (m x) (+ 1 (usual 'm x))))"
            "(ask (instantiate b) 'm 5)",
            "11",
        ),
        ("(import (simply scheme)) (every bf '(ab cd))", "(b d)"),
        (
            "(define-library (l) (export f) (import (scheme base) (srfi 1)) (begin (define (f) (iota 3))))"
            "(import (l)) (f)",
            "(0 1 2)",
        ),
        # a form that a library's macro uses is the one that the library has imported
        ("(define-library (l) (export m) (import (scheme base) (srfi 8)) (begin (define-syntax m (syntax-rules ()"
         " ((_ e) (receive all e all)))))) (import (l)) (m (values 1 2))", "(1 2)"),
        ("(define when 1) (import (scheme base)) (when #t 2)", "2"),
    ],
)  # fmt: skip
def test_what_an_import_brings(program: str, expected: str) -> None:
    assert value(fresh(), program) == expected
