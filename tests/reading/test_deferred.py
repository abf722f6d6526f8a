"""Definitions in the library's own files whose bodies are read when their procedures are first needed."""

from __future__ import annotations

from pathlib import Path

import pytest

from minischeme import Session
from minischeme.data.errors import SchemeError
from minischeme.data.printer import write
from minischeme.data.source import Source
from minischeme.data.values import Pair, Value
from minischeme.evaluation.namespaces import Namespace
from minischeme.modules.files import find_library, source_text
from minischeme.reading.deferred import read_deferring
from minischeme.reading.forms import Form
from minischeme.reading.reader import read, read_part

LIBRARIES = sorted(Path(find_library()).rglob("*.scm"))


def lists(forms: list[Form]) -> dict[tuple[int, int], Pair]:
    """The lists in a text by the offsets of their beginnings and ends."""
    found = {}
    for form in forms:
        waiting: list[Value] = [form.datum]
        while waiting:
            part = waiting.pop()
            span = form.spans.of(part)
            if span is not None:
                found[span.start, span.end] = part
            if type(part) is Pair:
                waiting += part.car, part.cdr
    return found


@pytest.mark.parametrize("path", LIBRARIES, ids=lambda path: path.name)
def test_what_is_read_later_is_what_there_is(path: Path) -> None:
    text = source_text(str(path))
    source = Source(text, str(path))
    some = lists(read_deferring(source, fold_case=True))
    assert source.text == text
    whole = lists(list(read(Source(text, str(path)))))
    assert whole.keys() >= some.keys()
    later = [(start, end) for start, end in some if start in source.deferred]
    assert len(later) == len(source.deferred)
    for start, end in later:
        assert write(read_part(source, start, end).datum) == write(whole[start, end])
    for start in source.deferred:
        assert text.startswith("(define (", start)


def test_most_of_a_game_is_read_later() -> None:
    source = Source(source_text(str(Path(find_library(), "twent1", "engine.scm"))), "engine.scm")
    read_deferring(source, fold_case=True)
    assert len(source.deferred) > 30


@pytest.mark.parametrize(
    ("text", "read_now"),
    [
        ("(define (f x)\n  (* x 2))\n\n(f 3)\n", "(define (f x)) (f 3)"),
        ("(define (f x) (* x 2))\n; more\n(f 3)\n", "(define (f x)) (f 3)"),
        ("(define (f) 1)\n))", "(define (f))"),
        ("(define (f x)\n  (set! y x))\n(f 3)\n", "(define (f x) (set! y x)) (f 3)"),
        ("(define (f . x) x)\n(f 3)\n", "(define (f . x) x) (f 3)"),
        ("(define (f x)\n  x)))\n(f 3)\n", "(define (f x) x) (f 3)"),
        ("(define x 5)\n", "(define x 5)"),
    ],
)
def test_which_definitions_are_read_later(text: str, read_now: str) -> None:
    source = Source(text, "file.scm")
    assert " ".join(write(form.datum) for form in read_deferring(source, fold_case=True)) == read_now
    assert bool(source.deferred) == ("(define (f))" in read_now or "(define (f x))" in read_now)


def test_a_body_is_read_at_the_first_call(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = []
    whole = Namespace.whole
    monkeypatch.setattr(Namespace, "whole", lambda self, span: texts.append(span.text) or whole(self, span))
    session = Session()
    session.eval("(import (twent1 money))")
    assert texts == []
    session.eval("(list (dollars 7) (dollars 7))")
    assert sum(text.startswith("(define (dollars ") for text in texts) == 1
    assert not any(text.startswith("(define (digits-before-point ") for text in texts)


def test_a_procedure_that_is_read_later_is_like_any_other() -> None:
    session = Session()
    session.eval("(import (twent1 money) (twent1 engine))")
    with pytest.raises(SchemeError, match=r"too many arguments to: \(dollars 1 2\)"):
        session.eval("(dollars 1 2)")
    with pytest.raises(SchemeError) as failed:
        session.eval("(dollars 'x)")
    assert failed.value.span is not None
    assert failed.value.span.text == "amount"
    assert write(session.eval("(dollars 7)")) == '"$1.75"'
