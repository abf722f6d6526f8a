"""Text to tokens: the terminals are those of `grammar.lark`, and their meaning is defined by `builder`."""

import re
import sys
from collections.abc import Iterator
from itertools import takewhile
from operator import attrgetter
from typing import TypeAlias

from minischeme.data.source import Source, Span

Token: TypeAlias = re.Match[str]
"""The match of the gap before a token and, in the group of its terminal, the token."""


class Lexer:
    """A lexer by one regular expression made from all the grammar's terminals."""

    def __init__(self, token: str, comment: str, literals: dict[str, str]) -> None:
        self.literals = literals
        self._token = re.compile(token)
        self._comment_left = self._token.groupindex["_COMMENT_LEFT"]
        self._comment = re.compile(comment)

    def tokens(self, text: str, position: int = 0, end: int = sys.maxsize, depth: int = 0) -> Iterator[Token]:
        """The tokens of a text from a position on; block comments nest, and have terminals of their own.

        `depth` is the number of comments around the first token.
        """
        if depth == 0 and "#|" not in text:
            return self._outside_comments(text, position, end)
        return self._with_comments(text, position, end, depth)

    def _outside_comments(self, text: str, position: int, end: int) -> Iterator[Token]:
        return takewhile(attrgetter("lastindex"), self._token.finditer(text, position, end))

    def _with_comments(self, text: str, position: int, end: int, depth: int) -> Iterator[Token]:
        while True:
            if depth == 0:
                for token in self._outside_comments(text, position, end):
                    yield token
                    if token.lastindex == self._comment_left:
                        position = token.end()
                        break
                else:
                    return
                depth = 1
            for token in self._comment.finditer(text, position, end):
                yield token
                depth += _DEPTH.get(token.lastgroup or "", 0)
                if depth == 0:
                    position = token.end()
                    break
            else:
                return

    def kind(self, token: Token) -> str:
        """The name of a token's terminal."""
        group = str(token.lastgroup)
        return group if token.re is self._comment else self.literals.get(text_of(token), group)


_DEPTH = {"_COMMENT_LEFT": 1, "_COMMENT_RIGHT": -1}


def text_of(token: Token) -> str:
    return token[token.lastindex or 0]


def start_of(token: Token) -> int:
    return token.start(token.lastindex or 0)


def offsets_of(token: Token) -> tuple[int, int]:
    """The offsets of a token's first character and of the one after its last."""
    return token.span(token.lastindex or 0)


def span_of(source: Source, token: Token) -> Span:
    return Span(source, *offsets_of(token))
