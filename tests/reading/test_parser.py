"""The driver of Lark's tables: that the grammar suits it, and what it remembers of a text while it reads that."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from lark import Lark
from lark import Token as LarkToken

from minischeme.data.printer import write
from minischeme.data.source import Source
from minischeme.data.values import NIL, Pair, intern, list_of
from minischeme.expansion import lists
from minischeme.reading import reader
from minischeme.reading.parser import Parser, Parsing, Unexpected
from minischeme.reading.reader import read
from minischeme.reading.table_maker import make

GRAMMAR = Path(reader.__file__).with_name("grammar.lark").read_text(encoding="utf-8")


class Nothing:
    """Makes nothing of anything."""


def written(text: str) -> list[str]:
    return [write(form.datum) for form in read(Source(text, "<test>"))]


@pytest.fixture(scope="module")
def lark() -> Lark:
    return Lark(GRAMMAR, parser="lalr")


def test_a_rule_that_only_what_follows_tells_is_refused() -> None:
    """Behind an ``x``, only the next token tells whether a `first` is complete."""
    grammar = 'start: first A | second B\nfirst: X\nsecond: X\nA: "a"\nB: "b"\nX: "x"\n'
    with pytest.raises(ValueError, match="only A tells"):
        make(grammar)


def test_it_takes_what_lark_takes(lark: Lark) -> None:
    """Lark's own loop, fed with the same kinds of tokens, accepts the same texts, and fails at the same token."""
    pieces = [*"()[].'", "#(", "#u8(", "#;", "#0=", "#0#", "#|", "|#", "#!fold-case", "a", "1", '"s"', "#\\a", "#t"]
    parser = Parser(make(GRAMMAR), Nothing)
    generator = random.Random(7)
    accepted = 0
    for _ in range(3_000):
        text = " ".join(generator.choices(pieces, k=generator.randrange(1, 9)))
        failed: int | None = None
        try:
            Parsing(parser, Nothing(), {}).go_on(text)
        except Unexpected as unexpected:
            failed = len(text) if unexpected.token is None else unexpected.token.end()
        theirs = lark.parse_interactive("")
        expected = None
        for token in parser.lexer.tokens(text):
            if parser.lexer.kind(token) not in theirs.accepts():
                expected = token.end()
                break
            theirs.feed_token(LarkToken(parser.lexer.kind(token), token[0]))
        else:
            if "$END" not in theirs.accepts():
                expected = len(text)
        assert failed == expected, text
        accepted += expected is None
    assert accepted > 200


def test_what_was_met_in_a_text_is_no_datum_in_a_comment() -> None:
    assert written("foo #|foo|# foo #|(|# (1 #|1|# 1 #|)|#)") == ["foo", "foo", "(1 1)"]
    assert written("#|foo|# foo #| #|foo|# foo |# #;foo foo") == ["foo", "foo"]


def test_what_was_met_in_a_text_is_folded_as_it_is_now() -> None:
    assert written("AB AB #!no-fold-case AB ab #!fold-case AB |AB|") == ["ab", "ab", "|AB|", "ab", "ab", "|AB|"]


def test_only_what_cannot_be_told_apart_is_one_object() -> None:
    data = [form.datum for form in read(Source('"a" "a" 1.5 1.5 1/2 1/2 (a) (a) |a| a', "<test>"))]
    for index in range(0, 8, 2):
        assert data[index] is not data[index + 1]
    assert data[8] is data[9]


def test_places_are_known_also_of_what_was_changed_since() -> None:
    (form,) = read(Source("(a (b c) d)", "<test>"))
    second = form.datum.cdr
    second.car.cdr.car = intern("x")
    second.cdr = NIL
    inner = form.spans.of(second.car)
    assert inner is not None
    assert inner.text == "(b c)"
    places = [form.spans.of_car(pair) for pair in (second, second.car.cdr)]
    assert [place is not None and place.text for place in places] == ["(b c)", "c"]


def test_a_proper_list_ends() -> None:
    for length in range(6):
        assert lists.is_proper(list_of([1] * length))
        assert not lists.is_proper(list_of([1] * length, 5))
        for loop in range(1, 5):
            circle = last = Pair(1, NIL)
            for _ in range(loop - 1):
                last.cdr = Pair(1, NIL)
                last = last.cdr
            last.cdr = circle
            assert not lists.is_proper(list_of([1] * length, circle))
