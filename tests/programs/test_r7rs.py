"""R7RS-small entire: every identifier of appendix A is in a row of the table `r7rs.txt`, which is run."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from sessions import with_everything

from minischeme import Session
from minischeme.data.errors import SchemeExit
from minischeme.data.printer import write
from minischeme.primitives.standard_libraries import listed_libraries

STANDARD_LIBRARIES = {name: names for name, names in listed_libraries().items() if name.startswith("(scheme ")}

# Expression, arrow, and what its value is written as (→) or how that begins (≈).
ROWS = [
    tuple(re.split(" +([→≈]) ", row, maxsplit=1))
    for row in Path(__file__).with_name("r7rs.txt").read_text(encoding="utf-8").splitlines()
]


def test_the_value_of_each_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One test, since rows use what those above them define and write."""
    monkeypatch.chdir(tmp_path)
    session = Session("r7rs")
    session.loader.folder = tmp_path
    wrong = []
    for expression, arrow, expected in ROWS:
        found = write(session.eval(expression))
        if not (found == expected if arrow == "→" else found.startswith(expected)):
            wrong.append(f"{expression} {arrow} {expected}, found {found}")
    assert not wrong


def words_of(expression: str) -> set[str]:
    for mark, word in (("'", "quote"), ("`", "quasiquote"), (",@", "unquote-splicing"), (",", "unquote")):
        expression = expression.replace(mark, f" {word} ")
    return set(re.sub(r'"(?:\\.|[^"\\])*"', "", expression).replace("(", " ").replace(")", " ").split())


WORDS = set().union(*(words_of(expression) for expression, _, _ in ROWS))


@pytest.mark.parametrize("library", STANDARD_LIBRARIES)
def test_every_identifier_of_the_standard_is_in_a_row(library: str) -> None:
    assert STANDARD_LIBRARIES[library] - WORDS == set()


@pytest.mark.parametrize("library", STANDARD_LIBRARIES)
@pytest.mark.parametrize("dialect", ["berkeley", "r7rs"])
def test_every_identifier_can_be_imported(library: str, dialect: str) -> None:
    session = Session(dialect)
    session.eval(f"(import (prefix {library} the-))")
    auxiliary = {"else", "=>", "_", "...", "unquote", "unquote-splicing", "syntax-rules"}
    missing = [
        name
        for name in STANDARD_LIBRARIES[library] - auxiliary
        if f"the-{name}" not in session.globals and f"the-{name}" not in session.main.expander.macros
    ]
    assert missing == []


def test_the_libraries_are_complete() -> None:
    assert {name: len(exports) for name, exports in STANDARD_LIBRARIES.items()} == {
        "(scheme base)": 238,
        "(scheme case-lambda)": 1,
        "(scheme char)": 22,
        "(scheme complex)": 6,
        "(scheme cxr)": 24,
        "(scheme eval)": 2,
        "(scheme file)": 10,
        "(scheme inexact)": 12,
        "(scheme lazy)": 5,
        "(scheme load)": 1,
        "(scheme process-context)": 5,
        "(scheme read)": 1,
        "(scheme repl)": 1,
        "(scheme time)": 3,
        "(scheme write)": 4,
    }


@pytest.mark.parametrize(
    ("program", "status", "output"),
    [
        ("(exit)", 0, ""),
        ("(exit #f)", 1, ""),
        ("(exit 3)", 3, ""),
        ("(dynamic-wind (lambda () #f) (lambda () (exit 3)) (lambda () (display 'after)))", 3, "after"),
        ("(dynamic-wind (lambda () #f) (lambda () (emergency-exit 3)) (lambda () (display 'after)))", 3, ""),
        ("(with-exception-handler (lambda (e) (display 'caught)) (lambda () (exit 3)))", 3, ""),
        ("(guard (e (#t (display 'caught))) (exit 3))", 3, ""),
    ],
)
def test_leaving(program: str, status: int, output: str) -> None:
    stream = io.StringIO()
    with pytest.raises(SchemeExit) as caught:
        Session("r7rs", output=stream).eval(program)
    assert caught.value.status == status
    assert stream.getvalue() == output


def test_delay_force_takes_no_space() -> None:
    session = Session("r7rs")
    session.eval("(define (loop n) (if (= n 0) (delay 'end) (delay-force (loop (- n 1)))))")
    assert write(session.eval("(force (loop 100000))")) == "end"


def test_a_chain_of_promises_is_evaluated_once() -> None:
    session = Session("r7rs")
    session.eval("(define n 0) (define inner (delay (begin (set! n (+ n 1)) n))) (define outer (delay-force inner))")
    assert write(session.eval("(list (force outer) (force inner) (force outer) n)")) == "(1 1 1 1)"


BAD_USES = [
    ("(define-record-type)", "define-record-type: bad syntax"),
    ("(define-record-type p (mk z) p? (x px))", "define-record-type: no such field: z"),
    ("(define-record-type p (mk x) p? (x px)) (px 5)", "px: not a p: 5"),
    ("(define-record-type p (mk x) p? (x px set-px!)) (set-px! 'a 5)", "set-px!: not a p: a"),
    ("(define-values (a b) 1)", "define-values: expected 2 values, but got 1: (1)"),
    ("(let-values (((a b) (values 1 2 3))) a)", "let-values: expected 2 values, but got 3: (1 2 3)"),
    ("(let-values ((a)) a)", "let-values: badly formed binding: (a)"),
    ("(let-values (((a a) (values 1 2))) a)", "let-values: duplicate name: (a a)"),
    ("(receive (a) 1)", "receive: bad syntax: (receive (a) 1)"),
    ("(parameterize ((5 1)) 1)", "parameterize: not a parameter: 5"),
    ("(parameterize ((x)) 1)", "parameterize: badly formed binding: (x)"),
    ("((case-lambda ((a) 1)) 1 2)", "case-lambda: no clause takes the arguments: (1 2)"),
    ("(case-lambda (a))", "case-lambda: bad syntax: (case-lambda (a))"),
    ("(named-lambda (5) 1)", "named-lambda: bad variable name: 5"),
    ("(fluid-let ((never-defined 1)) 2)", "unbound variable: never-defined"),
    ("(while)", "while: bad syntax: (while)"),
    ("(guard)", "guard: bad syntax: (guard)"),
    ("(guard (5) 1)", "guard: bad variable name: 5"),
    ("(delay-force)", "delay-force: bad syntax: (delay-force)"),
    ("(force (delay-force 5))", "delay-force: not a promise: 5"),
    ("(cond-expand 5)", "cond-expand: bad syntax: (cond-expand 5)"),
    ('(include "no/such/file")', "no/such/file"),
    ("(import (no such library))", "import: no such library: (no such library)"),
    ("(make-parameter)", "too few arguments to: (make-parameter)"),
    ("(with-exception-handler 5 6)", "with-exception-handler: not a procedure: 5"),
    ("(error-object-message 5)", "error-object-message: not an error object: 5"),
    ("(hash-table-ref (make-hash-table) 'x)", "hash-table-ref: no such key: x"),
    ("(hash-table-set! 5 1 1)", "hash-table-set!: not a hash table: 5"),
    ('(read-u8 (open-input-string "a"))', "read-u8"),
    ("(write-u8 256 (open-output-bytevector))", "write-u8: not a byte: 256"),
    ("(read-char (open-input-bytevector (bytevector 1)))", "not a textual port"),
    ("(make-rectangular 1 +i)", "make-rectangular: not a real number: +i"),
]


@pytest.mark.parametrize(("program", "message"), BAD_USES)
def test_a_bad_use_is_named_with_its_culprit(program: str, message: str) -> None:
    (*_, last) = with_everything("r7rs").interact(program)
    assert last.error is not None
    assert message in str(last.error)


HASH_TABLE_ROWS = [
    ("(hash-table-ref/default t 'a 0)", "1"),
    ("(hash-table-ref/default t 'zz 0)", "0"),
    ("(hash-table-ref t 'a)", "1"),
    ("(hash-table-ref t 'zz (lambda () 'none))", "none"),
    ("(hash-table-ref t 'a (lambda () 'none) (lambda (x) (list x)))", "(1)"),
    ('(hash-table/get t "s" 0)', "2"),
    ("(hash-table-get t '(1 2) 0)", "3"),
    ("(hash-table-count t)", "3"),
    ("(hash-table-keys t)", '(a "s" (1 2))'),
    ("(hash-table-values t)", "(1 2 3)"),
    ("(hash-table->alist t)", '((a . 1) ("s" . 2) ((1 2) . 3))'),
    ("(begin (hash-table-update! t 'a (lambda (x) (+ x 10)) (lambda () 0)) (hash-table-ref t 'a))", "11"),
    ("(begin (hash-table-update!/default t 'n (lambda (x) (+ x 1)) 5) (hash-table-ref t 'n))", "6"),
    ("(begin (hash-table-delete! t 'a) (hash-table-contains? t 'a))", "#f"),
    ("(let ((n 0)) (hash-table-walk t (lambda (k v) (set! n (+ n v)))) n)", "6"),
    ("(let ((c (hash-table-copy t))) (hash-table-clear! t) (list (hash-table-count t) (hash-table-count c)))", "(0 3)"),
    ("(list (hash-table? t) (hash-table? 5))", "(#t #f)"),
    ("(hash-table-ref/default (let ((e (make-strong-eqv-hash-table))) (hash-table-set! e 1 'x) e) 1. 'no)", "no"),
]


@pytest.mark.parametrize("dialect", ["berkeley", "r7rs"])
@pytest.mark.parametrize(("expression", "expected"), HASH_TABLE_ROWS)
def test_hash_tables(expression: str, expected: str, dialect: str) -> None:
    session = with_everything(dialect)
    session.eval('(define t (make-equal-hash-table)) (hash-table-set! t \'a 1) (hash-table-put! t "s" 2)')
    session.eval("(hash-table/put! t (list 1 2) 3)")
    assert write(session.eval(expression)) == expected


@pytest.mark.parametrize(("dialect", "expected"), [("berkeley", "found"), ("r7rs", "none")])
def test_a_hash_table_compares_words_as_the_dialect_does(dialect: str, expected: str) -> None:
    session = with_everything(dialect)
    session.eval('(define t (make-hash-table)) (hash-table-set! t "10" \'found)')
    assert write(session.eval("(hash-table-ref/default t 10 'none)")) == expected
