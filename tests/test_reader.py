"""The reader: what each kind of text becomes, where its parts stand, and how it fails."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from minischeme.errors import ReadError, UnfinishedInput
from minischeme.numerals import reads_as_symbol
from minischeme.numeric import Rational
from minischeme.reader import Form, Spans, read
from minischeme.source import Source, Span
from minischeme.values import (
    DEFAULT,
    EOF,
    FALSE,
    NIL,
    TRUE,
    Bytevector,
    Char,
    Pair,
    String,
    Symbol,
    Value,
    Vector,
    intern,
)


def forms(text: str, **options: Any) -> list[Form]:
    return list(read(Source(text, "<test>"), **options))


def plain(datum: Value) -> Any:
    """A datum in Python's terms, to compare: symbols as str, strings as ("string", text), dotted pairs as tuples."""
    if isinstance(datum, Symbol):
        return datum.name
    if isinstance(datum, String):
        return "string", datum.text
    if isinstance(datum, Char):
        return "char", datum.text
    if isinstance(datum, Vector):
        return "vector", [plain(item) for item in datum]
    if isinstance(datum, Bytevector):
        return "bytes", bytes(datum)
    if datum is NIL:
        return []
    if isinstance(datum, Pair):
        items = []
        while isinstance(datum, Pair):
            items.append(plain(datum.car))
            datum = datum.cdr
        return items if datum is NIL else (*items, ".", plain(datum))
    return datum


def all_plain(text: str, **options: Any) -> list[Any]:
    return [plain(form.datum) for form in forms(text, **options)]


def failure(text: str) -> tuple[ReadError, list[Any]]:
    """The error of a text, and what was read before it."""
    before: list[Any] = []
    with pytest.raises(ReadError) as caught:
        before.extend(plain(form.datum) for form in read(Source(text, "<test>")))
    return caught.value, before


def outcome(text: str) -> tuple[list[Form], ReadError | None]:
    """What was read, and the error that ended it, if any."""
    read_forms: list[Form] = []
    try:
        read_forms.extend(read(Source(text, "<test>")))
    except ReadError as error:
        return read_forms, error
    return read_forms, None


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("", []),
        (" \t\r\n\f ", []),
        ("a b", ["a", "b"]),
        ("(a b)", [["a", "b"]]),
        ("()", [[]]),
        ("( )", [[]]),
        ("(a . b)", [("a", ".", "b")]),
        ("(a b . (c))", [["a", "b", "c"]]),
        ("[a (b [c])]", [["a", ["b", ["c"]]]]),
        ("[a . b]", [("a", ".", "b")]),
        ("(a.b)", [["a.b"]]),
        ("(a .5)", [["a", 0.5]]),
        ("(a ...)", [["a", "..."]]),
        ("'a", [["quote", "a"]]),
        ("' a", [["quote", "a"]]),
        ("''()", [["quote", ["quote", []]]]),
        ("`(a ,b ,@c)", [["quasiquote", ["a", ["unquote", "b"], ["unquote-splicing", "c"]]]]),
        ("’a ‘b", [["quote", "a"], ["quote", "b"]]),
        ("’(a ’b)", [["quote", ["a", ["quote", "b"]]]]),
        ("don’t", ["don’t"]),
        ("a'b", ["a", ["quote", "b"]]),
        ("a`b,c", ["a", ["quasiquote", "b"], ["unquote", "c"]]),
        ("#(a #(b) ())", [("vector", ["a", ("vector", ["b"]), []])]),
        ("#()", [("vector", [])]),
        ("#u8(0 255 #xF) #U8()", [("bytes", b"\x00\xff\x0f"), ("bytes", b"")]),
        ('(a)(b)c"d"', [["a"], ["b"], "c", ("string", "d")]),
        ("#t #f #true #false #T #FALSE", [TRUE, FALSE, TRUE, FALSE, TRUE, FALSE]),
        ("#!eof #!default #!optional #!unspecific", [EOF, DEFAULT, "#!optional", "#!unspecific"]),
        (":key a:b : <=? a#b", [":key", "a:b", ":", "<=?", "a#b"]),
    ],
)
def test_data(text: str, data: list[Any]) -> None:
    assert all_plain(text) == data


@pytest.mark.parametrize(
    ("text", "number"),
    [("12", 12), ("-1/2", Rational(-1, 2)), ("1e3", 1000.0), ("#xFF", 255), ("007", 7), ("5.", 5.0)],
)
def test_numbers(text: str, number: Any) -> None:
    (result,) = all_plain(text)
    assert (type(result), result) == (type(number), number)


@pytest.mark.parametrize(
    "text", ["10s", "8h", "2d", "ah", "1+", "-1+", "1-", "...", "+", "-", "1s2", "1/0", "+i", "a.b"]
)
def test_words_that_are_symbols(text: str) -> None:
    assert [form.datum for form in forms(text)] == [intern(text)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("ABC |ABC| É", ["abc", "ABC", "é"]),
        ("Foo|Bar Baz|Qux||", ["fooBar Bazqux"]),
        ("||", [""]),
        (r"|a\|b\\c\x41;\n|", ["a|b\\cA\n"]),
        ('|a(b;c"d|', ['a(b;c"d']),
        ("|a\r\nb|", ["a\nb"]),
        ("#!no-fold-case ABC (DEF) #!fold-case ABC", ["ABC", ["DEF"], "abc"]),
        ("(a #!no-fold-case B '#!fold-case C)", [["a", "B", ["quote", "c"]]]),
        ("#!OPTIONAL", ["#!optional"]),
        ("|10|", ["10"]),
        ("|a−b|", ["a−b"]),
    ],
)
def test_case_and_bars(text: str, names: list[Any]) -> None:
    assert all_plain(text) == names


def test_case_is_kept_on_demand_and_each_text_starts_afresh() -> None:
    assert all_plain("ABC #!fold-case ABC", fold_case=False) == ["ABC", "abc"]
    assert all_plain("ABC", fold_case=False) == ["ABC"]
    assert all_plain("#!no-fold-case ABC") == ["ABC"]
    assert all_plain("ABC") == ["abc"]


@pytest.mark.parametrize(
    ("text", "string"),
    [
        ('""', ""),
        ('"a b"', "a b"),
        ('"AbC"', "AbC"),
        (r'"\a\b\t\n\r\"\\\|"', '\a\b\t\n\r"\\|'),
        (r'"\x41;\x3bb;\X0;"', "Aλ\0"),
        ('"a\\\n   b"', "ab"),
        ('"a\\ \t \n \t b"', "ab"),
        ('"a\\\r\n  b"', "ab"),
        ('"a\nb\r\nc\rd"', "a\nb\nc\nd"),
        (r'"\r"', "\r"),
        ('"(;#|\'"', "(;#|'"),
        ('"“−’"', "“−’"),
    ],
)
def test_strings(text: str, string: str) -> None:
    assert all_plain(text) == [("string", string)]


def test_each_string_is_fresh() -> None:
    first, second = forms('"a" "a"')
    assert first.datum is not second.datum


@pytest.mark.parametrize(
    ("text", "char"),
    [
        ("#\\a", "a"),
        ("#\\A", "A"),
        ("#\\x", "x"),
        ("#\\X", "X"),
        ("#\\(", "("),
        ("#\\)", ")"),
        ("#\\;", ";"),
        ('#\\"', '"'),
        ("#\\'", "'"),
        ("#\\|", "|"),
        ("#\\#", "#"),
        ("#\\\\", "\\"),
        ("#\\.", "."),
        ("#\\ ", " "),
        ("#\\\n", "\n"),
        ("#\\λ", "λ"),
        ("#\\−", "−"),
        ("#\\x41", "A"),
        ("#\\x3BB", "λ"),
        ("#\\x10FFFF", "\U0010ffff"),
        ("#\\space", " "),
        ("#\\SPACE", " "),
        ("#\\newline", "\n"),
        ("#\\linefeed", "\n"),
        ("#\\tab", "\t"),
        ("#\\nul", "\0"),
        ("#\\null", "\0"),
        ("#\\altmode", "\x1b"),
        ("#\\escape", "\x1b"),
        ("#\\backspace", "\b"),
        ("#\\page", "\f"),
        ("#\\rubout", "\x7f"),
        ("#\\delete", "\x7f"),
        ("#\\return", "\r"),
        ("#\\alarm", "\a"),
    ],
)
def test_characters(text: str, char: str) -> None:
    assert all_plain(f"({text})") == [[("char", char)]]


def test_a_character_ends_at_a_delimiter() -> None:
    assert all_plain("(#\\()(#\\a)#\\b'c") == [[("char", "(")], [("char", "a")], ("char", "b"), ["quote", "c"]]


def test_character_names_may_be_in_any_case_but_characters_may_not() -> None:
    assert [str(form.datum) for form in forms("#\\SPACE #\\A #\\a", fold_case=False)] == ["#\\space", "#\\A", "#\\a"]


@pytest.mark.parametrize(
    "text",
    [
        "(a b)",
        "(a;)\n b)",
        ";x\n(a b);y",
        "; only \r(a b)",
        "(a #|x|# b)",
        '(a #| #| ) |# " |# b)',
        "#|;|#(a b)",
        "#||#(a b)#|||#",
        "#|#|||#|#(a b)",
        "(a #;(x (y)) b)",
        "(a #;x b)",
        "(a b #;x)",
        "(#;x a b)",
        "(a #;#;x y b)",
        "(a #; #|z|# ;z\n x b)",
        "(a #;'x b)",
        "#;x (a b) #;y",
        "(a . #;x (b))",
        "(a . (b) #;x)",
        "(a . #|x|# (b) #|x|#)",
        "\ufeff(a b)",
        "(a\u00a0b)",
        "(a\u200bb)",
        "(a\tb)\r\n",
        "\f(a b)",
        "#!/usr/bin/env minischeme\n(a b)",
        "\ufeff#! /usr/bin/minischeme\n(a b)",
        "#lang simply-scheme\n(a b)",
        "; mine\n#lang planet dyoo/simply-scheme:2:2\n(a b)",
        "(a #!fold-case b)",
    ],
)
def test_gaps(text: str) -> None:
    assert all_plain(text) == [["a", "b"]]


@pytest.mark.parametrize("gap", ["#|x|#", "#;x", ";x\n", "#!fold-case"])
@pytest.mark.parametrize("prefix", ["'", "`", ",", ",@", "#0="])
def test_gaps_behind_a_prefix(prefix: str, gap: str) -> None:
    assert all_plain(f"{prefix}{gap} a") == all_plain(f"{prefix}a")


def test_labels_share_and_close_circles() -> None:
    (shared,) = forms("(#0=(a) #0# . #0#)")
    assert shared.datum.car is shared.datum.cdr.car is shared.datum.cdr.cdr
    (circle,) = forms("#0=(a b . #0#)")
    assert circle.datum.cdr.cdr is circle.datum
    (inner,) = forms("#0=(a #0# #(#0#))")
    assert inner.datum.cdr.car is inner.datum
    assert inner.datum.cdr.cdr.car[0] is inner.datum
    (vector,) = forms("#1=#(#1# '#1#)")
    assert vector.datum[0] is vector.datum
    assert vector.datum[1].cdr.car is vector.datum
    (both,) = forms("#0=(#1=(#0# . #1#) #01#)")
    assert both.datum.car.car is both.datum
    assert both.datum.car.cdr is both.datum.cdr.car is both.datum.car
    (alias,) = forms("#1=(#2=#1# #2# . #1#)")
    assert alias.datum.car is alias.datum.cdr.car is alias.datum.cdr.cdr is alias.datum


def test_labels_end_with_the_form() -> None:
    assert all_plain("#0=a #0=b") == ["a", "b"]
    error, before = failure("#0=a #0#")
    assert str(error) == "read: undefined label: #0#"
    assert before == ["a"]


@pytest.mark.parametrize(
    ("text", "message", "blamed"),
    [
        ("(a]", "read: the ( at line 1, column 1 is closed by ]", "]"),
        ("(a\n  [b c)", "read: the [ at line 2, column 3 is closed by )", ")"),
        ("(a (b c] d)", "read: the ( at line 1, column 4 is closed by ]", "]"),
        ("(a . b]", "read: the ( at line 1, column 1 is closed by ]", "]"),
        ("(a . b #|x|# ]", "read: the ( at line 1, column 1 is closed by ]", "]"),
        ("#(a]", "read: the #( at line 1, column 1 is closed by ]", "]"),
        ("['a)", "read: the [ at line 1, column 1 is closed by )", ")"),
        ("( . a)", "read: illegal use of .", "."),
        ("(a . )", "read: illegal use of .", "."),
        ("(a . #|x|# )", "read: illegal use of .", "."),
        ("(a . ]", "read: illegal use of .", "."),
        ("(a . b c)", "read: illegal use of .", "."),
        ("(a . b . c)", "read: illegal use of .", "."),
        ("(a . . b)", "read: illegal use of .", "."),
        ("#(a . b)", "read: illegal use of .", "."),
        ("a . b", "read: illegal use of .", "."),
        (".", "read: illegal use of .", "."),
        ("(quote . . a)", "read: illegal use of .", "."),
        ("(a ,@)", "read: unexpected ) after ,@", ")"),
        ("(a #;)", "read: unexpected ) after #;", ")"),
        ("(#0=)", "read: unexpected ) after #0=", ")"),
        ("')", "read: unexpected ) after '", ")"),
        ("#\\foo", "read: bad character name: #\\foo", "#\\foo"),
        ("#\\xD800", "read: bad character name: #\\xD800", "#\\xD800"),
        ("#\\x110000", "read: bad character name: #\\x110000", "#\\x110000"),
        ("#\\x4١", "read: bad character name: #\\x4١", "#\\x4١"),
        ('"a\\qb"', "read: bad escape: \\q", "\\q"),
        ('"a\r\nb\\xZZ;"', "read: bad escape: \\x", "\\x"),
        ('"\\x41"', "read: bad escape: \\x", "\\x"),
        ('"\\xD800;"', "read: bad escape: \\xD800;", "\\xD800;"),
        ("|a\\qb|", "read: bad escape: \\q", "\\q"),
        ("#u8(1 256)", "read: not a byte: 256", "256"),
        ("#u8(-1)", "read: not a byte: -1", "-1"),
        ("#u8(1.0)", "read: not a byte: 1.0", "1.0"),
        ("#u8((a b))", "read: not a byte: (a b)", "(a b)"),
        ("#u8(256) .", "read: not a byte: 256", "256"),
        ("#foo", "read: bad # syntax: #foo", "#foo"),
        ("#", "read: bad # syntax: #", "#"),
        ("#!", "read: bad # syntax: #!", "#!"),
        ("(#)", "read: bad # syntax: #", "#"),
        ("#[closure f]", "read: bad # syntax: #[", "#"),
        ("#<procedure>", "read: bad # syntax: #<procedure>", "#<procedure>"),
        ("#xyz", "read: bad # syntax: #xyz", "#xyz"),
        ("#e1e1000000000", "read: bad # syntax: #e1e1000000000", "#e1e1000000000"),
        ("#" + "a" * 100, "read: bad # syntax: #" + "a" * 38 + "…", "#" + "a" * 100),
        ("twenty− one", "read: − is a typographic minus sign, type -", "−"),
        ("(- 3 −2)", "read: − is a typographic minus sign, type -", "−"),
        ("“hello”", 'read: “ is a typographic quotation mark, type "', "“"),
        ("(a hello”)", 'read: ” is a typographic quotation mark, type "', "”"),
        ("|x|a−b", "read: − is a typographic minus sign, type -", "−"),
        ("#0#", "read: undefined label: #0#", "#0#"),
        ("#0=#0#", "read: label of nothing but itself: #0=", "#0=#0#"),
        ("(#0=a #0=b)", "read: label defined twice: #0=", "#0="),
    ],
)
def test_errors(text: str, message: str, blamed: str) -> None:
    error, _ = failure(text)
    assert str(error) == message
    assert not isinstance(error, UnfinishedInput)
    assert error.span is not None
    assert error.span.text == blamed


@pytest.mark.parametrize(
    ("text", "message", "offset", "blamed"),
    [
        ("(a", "read: end of file inside list", 0, "("),
        ("(a) (b (c", "read: end of file inside list", 4, "("),
        ("[a (b)", "read: end of file inside list", 0, "["),
        ("(a . ", "read: end of file inside list", 0, "("),
        ("(a . b", "read: end of file inside list", 0, "("),
        ("(a '", "read: end of file inside list", 0, "("),
        ("'(a", "read: end of file inside list", 1, "("),
        ("(a ;)", "read: end of file inside list", 0, "("),
        ("(a #;(b)", "read: end of file inside list", 0, "("),
        ("#(a", "read: end of file inside vector", 0, "#("),
        ("#u8(1", "read: end of file inside vector", 0, "#u8("),
        ("'", "read: end of file after '", 0, "'"),
        ("a ,@", "read: end of file after ,@", 2, ",@"),
        ("'#;a", "read: end of file after '", 0, "'"),
        ("#;", "read: end of file after #;", 0, "#;"),
        ("#0=", "read: end of file after #0=", 0, "#0="),
        ('"abc', "read: end of file inside string", 0, '"'),
        ('(a "abc)', "read: end of file inside string", 3, '"'),
        ('"abc\\', "read: end of file inside string", 0, '"'),
        ('"abc\\"', "read: end of file inside string", 0, '"'),
        ('"', "read: end of file inside string", 0, '"'),
        ("|abc", "read: end of file inside |symbol|", 0, "|"),
        ("ab|c", "read: end of file inside |symbol|", 2, "|"),
        ("(a |#)", "read: end of file inside |symbol|", 3, "|"),
        ("#|", "read: end of file inside comment", 0, "#|"),
        ("(a #| #| |#", "read: end of file inside comment", 3, "#|"),
        ("#| a |", "read: end of file inside comment", 0, "#|"),
        ("#\\", "read: end of file inside character", 0, "#\\"),
    ],
)
def test_unfinished(text: str, message: str, offset: int, blamed: str) -> None:
    error, _ = failure(text)
    assert isinstance(error, UnfinishedInput)
    assert str(error) == message
    assert error.span is not None
    assert (error.span.start, error.span.text) == (offset, blamed)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("(define (f)\n  1\n(define (g) 2)\n(g)", "the next definition begins at line 3: is a ) missing before it?"),
        ("(define (f)\n  1\n\n(f)\n", "the next expression begins at line 4: is a ) missing before it?"),
        (
            "(a)\n\n(define (f)\n (let [(x 1)\n(define y 1)",
            "the next definition begins at line 5: is a ) missing before it?",
        ),
        ("[a\n(b)", "the next expression begins at line 2: is a ] missing before it?"),
        ('(define (f)\n "\n(not code)"\n ;\n #|\n(nor this)|# 1', None),
        ("(define (f)\n  (g)", None),
        ("(a)\n(define (f)\n  1", None),
    ],
)
def test_hint_for_a_missing_bracket(text: str, hint: str | None) -> None:
    error, _ = failure(text)
    assert isinstance(error, UnfinishedInput)
    assert error.hint == hint


@pytest.mark.parametrize(
    ("text", "before"),
    [
        ("a (b) (c", ["a", ["b"]]),
        ("(a) . b", [["a"]]),
        ("a . b", ["a"]),
        ("(a) #foo (b)", [["a"]]),
        ('(a) "abc', [["a"]]),
        ("'a |b", [["quote", "a"]]),
        ("(a) '", [["a"]]),
        ("(a) #|", [["a"]]),
        ("(a) (b]", [["a"]]),
        ("'a (')", [["quote", "a"]]),
        ("1 2 “3”", [1, 2]),
    ],
)
def test_forms_before_an_error_come_first(text: str, before: list[Any]) -> None:
    assert failure(text)[1] == before


def test_stray_brackets_are_told_in_order_and_skipped() -> None:
    events: list[Any] = []
    for form in read(Source("a) (b)]\n) c", "<test>"), on_stray=lambda span: events.append(str(span))):
        events.append(plain(form.datum))
    assert events == ["a", "<test>:1:2", ["b"], "<test>:1:7", "<test>:2:1", "c"]
    assert all_plain(")a)") == ["a"]


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


ATOMS = st.sampled_from(
    ["a", "10s", "1/2", "-5", "...", "|A b|", '"s\\n"', "#\\a", "#\\(", "#t", "()", "λ", ".5", "#u8(1)"]
)
GAPS = st.sampled_from([" ", "\n", "\t", " ;c)\n", " #|(|# ", " #;(x) ", "\r\n"])
TEXTS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.builds(lambda parts, gap: f"({gap.join(parts)})", st.lists(inner, min_size=1), GAPS),
        st.builds(lambda parts, gap: f"[{gap.join(parts)}{gap}]", st.lists(inner, min_size=1), GAPS),
        st.builds(lambda parts, gap: f"#({gap}{gap.join(parts)})", st.lists(inner), GAPS),
        st.builds(
            lambda parts, last, gap: f"({gap.join(parts)}{gap}. {last})", st.lists(inner, min_size=1), inner, GAPS
        ),
        st.builds(lambda mark, part: mark + part, st.sampled_from(["'", "`", ",", ",@", "’"]), inner),
    ),
    max_leaves=20,
)


@settings(deadline=None)
@given(st.lists(TEXTS, max_size=4), GAPS)
def test_the_span_of_every_part_reads_as_that_part(texts: list[str], gap: str) -> None:
    read_forms = forms(gap + gap.join(texts) + gap)
    assert [form.span.text for form in read_forms] == texts
    for form in read_forms:
        parts = [(form.datum, form.span)]
        while parts:
            datum, span = parts.pop()
            if span.text not in ("'", "`", ",", ",@", "’"):
                (again,) = all_plain(span.text)
                assert again == plain(datum)
            elif isinstance(datum, Symbol):
                assert datum.name in ("quote", "quasiquote", "unquote", "unquote-splicing")
            if isinstance(datum, Pair | Vector):
                assert form.spans.of(datum) == span
            for item in datum if isinstance(datum, Vector) else ():
                item_span = form.spans.of(item)
                assert (item_span is not None) == isinstance(item, Pair | Vector | Bytevector)
                if item_span is not None:
                    parts.append((item, item_span))
            while isinstance(datum, Pair):
                car_span = form.spans.of_car(datum)
                assert car_span is not None
                parts.append((datum.car, car_span))
                datum = datum.cdr


PIECES = st.lists(
    st.sampled_from(
        [*"()[]'`,.;\"|#\\’−“ \n\rax1", ",@", "#(", "#u8(", "#|", "|#", "#;", "#\\", "#0=", "#0#", "#1=", "#1#"]
    )
    | st.sampled_from(
        [" . ", "#!fold-case", "#!no-fold-case", "#!eof", "#t", "#x", "\\x", "\ufeff", "12", '"a"', "#lang "]
    )
    | st.characters(),
    max_size=30,
)


@settings(max_examples=400, deadline=None)
@given(PIECES)
@example(["(", "a", " . ", "#|", "|#", "]"])
def test_any_text_is_read_or_refused(pieces: list[str]) -> None:
    text = "".join(pieces)
    read_forms, error = outcome(text)
    for form in read_forms:
        assert 0 <= form.span.start < form.span.end <= len(text)
    if error is not None:
        assert error.span is not None
        assert 0 <= error.span.start < error.span.end <= len(text)
        assert str(error).startswith("read: ")


@settings(deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=3))
def test_a_text_cut_short_is_unfinished_or_still_data(texts: list[str]) -> None:
    """What is typed line by line never fails before it is complete."""
    text = " ".join(texts)
    for end in range(len(text)):
        _, error = outcome(text[:end])
        if error is not None and not isinstance(error, UnfinishedInput):
            # Half a token, such as the `#` of `#t`, may be wrong by itself.
            assert error.span is not None
            assert error.span.end == end


@settings(deadline=None)
@given(st.text(max_size=8) | st.text("a1.+-#'|’ABλ", max_size=5))
def test_names_read_bare_where_the_printer_is_told_so(name: str) -> None:
    if reads_as_symbol(name):
        ((form,), error) = outcome(f"({name} )")
        assert error is None
        assert plain(form.datum) == [name]


DEPTH = 100_000


def test_deep_brackets() -> None:
    (form,) = forms("(" * DEPTH + ")" * DEPTH)
    depth, datum = 1, form.datum
    while isinstance(datum, Pair):
        depth, datum = depth + 1, datum.car
    assert depth == DEPTH
    error, _ = failure("(" * DEPTH)
    assert isinstance(error, UnfinishedInput)


@pytest.mark.parametrize("text", ["'" * DEPTH + "a", "#(" * DEPTH + ")" * DEPTH], ids=["quotes", "vectors"])
def test_other_deep_data(text: str) -> None:
    assert len(forms(text)) == 1


@pytest.mark.parametrize("text", ["#|" * DEPTH + "|#" * DEPTH, "#;" * DEPTH + "a " * DEPTH], ids=["block", "datum"])
def test_deep_comments(text: str) -> None:
    assert forms(text) == []


def test_long_data() -> None:
    (form,) = forms("(" + "ab " * DEPTH + ")")
    assert sum(1 for _ in form.datum) == DEPTH
    for body in ("x" * 1_000_000, "\\n" * 500_000, "\n" * 1_000_000):
        (form,) = forms(f'"{body}"')
        assert form.datum.text == body.replace("\\n", "\n")
        error, _ = failure(f'(display "{body})')
        assert isinstance(error, UnfinishedInput)
        assert error.span is not None
        assert error.span.start == 9
    assert forms("#|" + "| # ;" * 200_000 + "|#") == []


def test_texts_do_not_disturb_each_other() -> None:
    outer = read(Source("#!no-fold-case A B C", "<outer>"))
    assert next(outer).datum is intern("A")
    assert failure("D (E")[1] == ["d"]
    assert [plain(form.datum) for form in outer] == ["B", "C"]


# The cache of the grammar

SCRIPT = """
from minischeme.reader import read
from minischeme.source import Source
print([form.span.text for form in read(Source("(a 'b) 10s", "x"))])
"""


def run_script(cache: Path) -> str:
    root = str(Path(__file__).parent.parent)
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache), "PYTHONPATH": root}
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout


def cached(cache: Path) -> list[Path]:
    return sorted((cache / "minischeme").glob("grammar-*"))


linux_only = pytest.mark.skipif(sys.platform != "linux", reason="sets the cache folder by an XDG variable")
EXPECTED = "[\"(a 'b)\", '10s']\n"


@linux_only
def test_cache_is_private_and_used(tmp_path: Path) -> None:
    assert run_script(tmp_path) == EXPECTED
    (file,) = cached(tmp_path)
    assert (tmp_path / "minischeme").stat().st_mode & 0o777 == 0o700
    written = file.stat().st_mtime_ns
    assert run_script(tmp_path) == EXPECTED
    assert file.stat().st_mtime_ns == written


@linux_only
@pytest.mark.parametrize("keep", [0, 100, 5000])
def test_a_damaged_cache_is_written_anew(tmp_path: Path, keep: int) -> None:
    run_script(tmp_path)
    (file,) = cached(tmp_path)
    good = file.read_bytes()
    file.write_bytes(good[:keep])
    assert run_script(tmp_path) == EXPECTED
    repaired = file.read_bytes()
    assert len(repaired) > len(good) // 2
    assert run_script(tmp_path) == EXPECTED
    assert file.read_bytes() == repaired


class _Planted:
    """Leaves a mark when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.mark,)


@linux_only
@pytest.mark.parametrize("mode", [0o770, 0o702])
def test_a_cache_that_others_can_write_is_left_alone(tmp_path: Path, mode: int) -> None:
    run_script(tmp_path)
    (file,) = cached(tmp_path)
    key = file.read_bytes().split(b"\n")[0]
    mark = tmp_path / "mark"
    file.write_bytes(key + b"\n" + pickle.dumps(_Planted(mark)))
    (tmp_path / "minischeme").chmod(mode)
    assert run_script(tmp_path) == EXPECTED
    assert not mark.exists()
    (tmp_path / "minischeme").chmod(0o700)
    assert run_script(tmp_path) == EXPECTED
    assert mark.exists()  # The file would have been dangerous.


@linux_only
def test_no_cache_where_none_can_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert run_script(tmp_path / "file") == EXPECTED
    (tmp_path / "minischeme").symlink_to(tmp_path)
    assert run_script(tmp_path) == EXPECTED
    assert list(tmp_path.glob("grammar-*")) == []
