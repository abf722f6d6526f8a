"""Where an error happened, when one text has another evaluated: files that load files, data, libraries, read errors."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from minischeme import Session
from minischeme.errors import SchemeError, report

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
    with pytest.raises(SchemeError) as caught:
        session.eval("(eval '(car 5) (the-environment))", "<prompt>")
    assert not caught.value.activations


HINTS: dict[str, str | None] = {
    ",x": "unquote has its meaning only in a template behind a backquote, as the comma in `(a ,b)",
    "(cond (5 => 6))": "6 is a number, not a procedure",
    "(+ 1 (values 1 2))": "several values were returned where one was expected: take them with call-with-values or"
    " let-values",
    "(+ 1 (values))": "no value was returned where one was expected",
    "(receive (a b) (list 1 2) a)": "a list is one value: (values a b) returns two",
    "(let ((x 5) (y (+ x 1))) y)": "let binds x for its body only: where a binding needs the one before it, write let*",
    "(begin (let ((x 1)) x) (let ((y x)) y))": None,
    "(sort < '(1 2))": "are the arguments swapped? It is called as (sort sequence less-p)",
    "(user-initial-environment)": "user-initial-environment is an environment, which is not a procedure",
    "((make-equal-hash-table))": "(make-equal-hash-table) gives a hash table, not a procedure: one pair of brackets"
    " too many?",
    "(define-syntax m (syntax-rules ())) m": "a macro is not a value: it can't be passed, returned or printed",
    "(let (x 1) x)": "expected (let ((name value) …) body …) or (let loop ((name value) …) body …)",
    '(string-ref "" 0)': "the length is 0",
    '(substring "abc" 2 9)': "the length is 3",
    "(list-ref '(a b) 2)": "its length is 2, so the last index is 1",
    "(stream-ref (stream 1) 4)": "it has 1 element",
}


@pytest.mark.parametrize("program", HINTS)
def test_hints(program: str) -> None:
    with pytest.raises(SchemeError) as caught:
        Session(output=io.StringIO()).eval(program)
    assert caught.value.hint == HINTS[program]
