"""Text to tokens: the terminals are those of `grammar.lark`, what they mean is `reader`'s business."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

from lark.common import LexerConf
from lark.lexer import Lexer, PatternStr, TerminalDef

from minischeme.data.source import Source, Span

Token: TypeAlias = re.Match[str]
"""A token is the match of what may stand before it and, in the group of its terminal, itself: nothing is made of it
that nobody asks for."""


class OnePatternLexer:
    """Splits a text by one regular expression made of all the grammar's terminals, in Lark's order; a literal terminal
    wins over a pattern that matches the same. Lark's own lexer also counts lines, which takes longer than all the rest.

    `literals` has the names of the terminals that are always written alike.
    """

    def __init__(self, configuration: LexerConf) -> None:
        terminals = sorted(
            configuration.terminals,
            key=lambda terminal: (
                -terminal.priority,
                -terminal.pattern.max_width,
                -len(terminal.pattern.value),
                terminal.name,
            ),
        )
        self.literals = {
            terminal.pattern.value: terminal.name for terminal in terminals if isinstance(terminal.pattern, PatternStr)
        }
        ignored = [terminal for terminal in terminals if terminal.name in configuration.ignore]
        gaps = "|".join(terminal.pattern.to_regexp() for terminal in ignored)
        others = _alternatives(
            terminal
            for terminal in terminals
            if terminal not in ignored and terminal.name not in ("_COMMENT_RIGHT", "_COMMENT_TEXT")
        )
        self._token = re.compile(rf"(?:{gaps})*+(?:{others}|\Z)")
        self._comment = re.compile(_alternatives(terminal for terminal in terminals if "_COMMENT" in terminal.name))

    def tokens(self, text: str, position: int = 0, end: int = sys.maxsize, depth: int = 0) -> Iterator[Token]:
        """The tokens of a text; block comments nest, and have terminals of their own.

        Args: position, end: the offsets to begin and to end at. depth: how many comments the first is inside of.
        """
        while True:
            if depth == 0:
                for token in self._token.finditer(text, position, end):
                    if token.lastindex is None:
                        return
                    yield token
                    if token.lastgroup == "_COMMENT_LEFT":
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


class NoLexer(Lexer):
    """Stands where Lark would make a lexer of its own, which takes time, and which nobody would ask for a token."""

    def __init__(self, configuration: LexerConf) -> None:
        """Nothing to prepare."""

    def lex(self, text: str) -> Iterator[Any]:  # type: ignore[override]
        return iter(())


_DEPTH = {"_COMMENT_LEFT": 1, "_COMMENT_RIGHT": -1}


def _alternatives(terminals: Iterable[TerminalDef]) -> str:
    return "|".join(f"(?P<{terminal.name}>{terminal.pattern.to_regexp()})" for terminal in terminals)


def text_of(token: Token) -> str:
    """A token as written."""
    return token[token.lastindex or 0]


def start_of(token: Token) -> int:
    """The offset of a token's first character."""
    return token.start(token.lastindex or 0)


def end_of(token: Token) -> int:
    """The offset of what follows a token."""
    return token.end()


def offsets_of(token: Token) -> tuple[int, int]:
    """The offsets of a token's first character, and of what follows it."""
    return token.span(token.lastindex or 0)


def span_of(source: Source, token: Token) -> Span:
    return Span(source, *offsets_of(token))
