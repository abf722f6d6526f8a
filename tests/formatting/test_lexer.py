"""The prompt's lexer and the grammar split a text into the same tokens."""

from __future__ import annotations

import random

import pytest
from pygments.token import Comment, Whitespace

from minischeme.formatting.outline import SchemeLexer
from minischeme.reading.grammar import load
from minischeme.reading.lexer import Lexer, offsets_of, text_of

TOKEN, COMMENT, LITERALS, *_ = load()
GRAMMAR = Lexer(TOKEN, COMMENT, LITERALS)

PIECES = [
    *"()[]'`,.|;#\\\n\r\t \"’‘\ufeff\u200b", "#(", "#u8(", "#U8(", "#;", "#0=", "#12#", "#|", "|#", "#!eof", "#t",
    "#!fold-case", "#!/usr/bin", "#lang racket", "#reader (", "abc", "10s", "1.5e3", '"s\\"t"', "#\\a", "#\\(",
    "#\\space", "#xFF", "|a b|", ",@", "λ",
]  # fmt: skip


def by_grammar(text: str) -> list[tuple[int, int]] | None:
    """The offsets of the tokens, those of block comments aside; None for a text that ends inside bars.

    The prompt takes such a text for the rest of a word, since it may become one.
    """
    found = []
    for token in GRAMMAR.tokens(text):
        if token.lastgroup == "UNCLOSED" and text_of(token).startswith("|"):
            return None
        if "_COMMENT" not in str(token.lastgroup):
            found.append(offsets_of(token))
    return found


def by_prompt(text: str) -> list[tuple[int, int]]:
    """The offsets of the tokens, blanks and comments aside."""
    return [
        (start, start + len(token))
        for start, kind, token in SchemeLexer().get_tokens_unprocessed(text)
        if kind is Comment.Special or not (kind in Whitespace or kind in Comment)
    ]


@pytest.mark.parametrize("text", ["#U8(1)", "#a|b|", "#0#a", ";a\rb", "\ufeff#!/bin a", "#\\a\u200bb", "a|b c|d"])
def test_texts_that_they_have_differed_on(text: str) -> None:
    assert by_prompt(text) == by_grammar(text)


def test_random_texts() -> None:
    generator = random.Random(5)
    compared = 0
    for _ in range(20_000):
        text = "".join(generator.choices(PIECES, k=generator.randrange(1, 8)))
        expected = by_grammar(text)
        if expected is not None:
            assert by_prompt(text) == expected, text
            compared += 1
    assert compared > 10_000
