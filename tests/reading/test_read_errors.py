"""What the reader says of text that it can't read, or whose end is missing; and what it has read before."""

from __future__ import annotations

from typing import Any

import pytest
from reading import all_plain, failure, plain

from minischeme.data.errors import UnfinishedInput
from minischeme.data.source import Source
from minischeme.reading.reader import read


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
        ('"a\r\nb\\xZZ;"', "read: bad escape: \\x", "\\x"),
        ('"\\x41"', "read: bad escape: \\x", "\\x"),
        ('"\\xD800;"', "read: bad escape: \\xD800;", "\\xD800;"),
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
