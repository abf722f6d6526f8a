"""The reader: what each kind of text becomes, what comments and labels do, and data that is deep or long.

Its errors are in `test_read_errors`, where the parts of a datum stand in `test_spans`, any text at all in
`test_reader_properties`.
"""

from __future__ import annotations

from typing import Any

import pytest
from reading import all_plain, failure, forms, plain

from minischeme.data.errors import UnfinishedInput
from minischeme.data.rationals import Complex, Rational
from minischeme.data.source import Source
from minischeme.data.values import DEFAULT, EOF, FALSE, TRUE, Pair, intern
from minischeme.reading.reader import read


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
    [
        ("12", 12),
        ("-1/2", Rational(-1, 2)),
        ("1e3", 1000.0),
        ("#xFF", 255),
        ("007", 7),
        ("5.", 5.0),
        ("+i", Complex(0, 1)),
    ],
)
def test_numbers(text: str, number: Any) -> None:
    (result,) = all_plain(text)
    assert (type(result), result) == (type(number), number)


@pytest.mark.parametrize(
    "text", ["10s", "8h", "2d", "ah", "1+", "-1+", "1-", "...", "+", "-", "1s2", "1/0", "i", "+i2", "a.b"]
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
        '; mine\n#reader(lib "htdp-beginner-reader.ss" "lang")((modname hw1) (htdp-settings #(#t #f ())))\n(a b)',
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


DEPTH = 20_000


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
    for body in ("x" * 200_000, "\\n" * 100_000, "\n" * 200_000):
        (form,) = forms(f'"{body}"')
        assert form.datum.text == body.replace("\\n", "\n")
        error, _ = failure(f'(display "{body})')
        assert isinstance(error, UnfinishedInput)
        assert error.span is not None
        assert error.span.start == 9
    assert forms("#|" + "| # ;" * 50_000 + "|#") == []


def test_texts_do_not_disturb_each_other() -> None:
    outer = read(Source("#!no-fold-case A B C", "<outer>"))
    assert next(outer).datum is intern("A")
    assert failure("D (E")[1] == ["d"]
    assert [plain(form.datum) for form in outer] == ["B", "C"]
