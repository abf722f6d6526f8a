"""Spans: where the parts of what was read stand in the text."""

from __future__ import annotations

from reading import forms

from minischeme.data.source import Source, Span
from minischeme.data.values import NIL, Pair, intern
from minischeme.reading.forms import Spans
from minischeme.reading.reader import read


def test_forms_know_their_spans() -> None:
    source = Source("#;x a\n '(b) #0=(c) ; d\n12", "<test>")
    assert [form.span.text for form in read(source)] == ["a", "'(b)", "#0=(c)", "12"]
    assert all(form.span.source is source for form in read(source))


def span_of_car(spans: Spans, pair: Pair) -> str:
    span = spans.of_car(pair)
    assert span is not None
    return span.text


def test_spans_of_a_quotation() -> None:
    (form,) = forms("('x)")
    quotation = form.datum.car
    assert span_of_car(form.spans, form.datum) == "'x"
    assert form.spans.of(quotation) == Span(form.span.source, 1, 3)
    assert span_of_car(form.spans, quotation) == "'"
    assert span_of_car(form.spans, quotation.cdr) == "x"


def test_spans_of_atoms_vectors_and_tails() -> None:
    (form,) = forms('(f  12 "s" #(a (b)) () . (g #\\a))')
    datum = form.datum
    texts = []
    while isinstance(datum, Pair):
        texts.append(span_of_car(form.spans, datum))
        datum = datum.cdr
    assert texts == ["f", "12", '"s"', "#(a (b))", "()", "g", "#\\a"]
    vector = form.datum.cdr.cdr.cdr.car
    inside = form.spans.of(vector[1])
    assert inside is not None
    assert inside.text == "(b)"


def test_what_the_reader_did_not_make_has_no_span() -> None:
    (form,) = forms("(a 5 ())")
    assert form.spans.of(Pair(1, NIL)) is None
    assert form.spans.of_car(Pair(1, NIL)) is None
    assert form.spans.of(intern("a")) is None
    assert form.spans.of(NIL) is None
    assert form.spans.of(form.datum.cdr) is None


def test_spans_outlive_the_data() -> None:
    """Another object in the place of one that is gone must not be taken for it."""
    (form,) = forms("((a b) (c d) (e f))")
    spans = form.spans
    del form
    assert all(spans.of(Pair(index, NIL)) is None and spans.of_car(Pair(index, NIL)) is None for index in range(1000))
