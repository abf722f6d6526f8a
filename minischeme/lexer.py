"""Text to tokens, for Lark: the terminals are those of `grammar.lark`, what they mean is `reader`'s business."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import cast

from lark import Token
from lark.common import LexerConf
from lark.lexer import Lexer, PatternStr, TerminalDef

from minischeme.source import Source, Span


class _Lexeme(Token):
    """A token that knows its offsets only: nobody asks for lines and columns while all goes well."""

    __slots__ = ()
    value = line = column = end_line = end_column = None


class Part(str):
    """A part of a text that is read by itself.

    Args: start: the offset of its first character in the whole.
    """

    __slots__ = ("start",)

    start: int

    def __new__(cls, text: str, start: int) -> Part:
        part = super().__new__(cls, text)
        part.start = start
        return part


class OnePatternLexer(Lexer):
    """Splits a text by one regular expression made of all the grammar's terminals, in Lark's order; a literal terminal
    wins over a pattern that matches the same. Lark's own lexer also counts lines, which takes longer than all the rest.
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
        self._literals = {
            terminal.pattern.value: terminal.name for terminal in terminals if isinstance(terminal.pattern, PatternStr)
        }
        self._ignored = frozenset(configuration.ignore)
        self._comment = _alternatives(terminal for terminal in terminals if terminal.name.startswith("_COMMENT"))
        self._other = _alternatives(
            terminal for terminal in terminals if terminal.name not in ("_COMMENT_RIGHT", "_COMMENT_TEXT")
        )

    def lex(self, text: str) -> Iterator[Token]:  # type: ignore[override]
        """The tokens of a text, or of a `Part` of one."""
        tokens = self._tokens(text)
        return _moved(tokens, text.start) if type(text) is Part else tokens

    def _tokens(self, text: str) -> Iterator[Token]:
        """The tokens of a text; block comments nest, and have terminals of their own."""
        ignored, literals = self._ignored, self._literals
        position = 0
        while True:
            for match in self._other.finditer(text, position):
                kind = match.lastgroup or ""
                if kind not in ignored:
                    part = match.group()
                    token = str.__new__(_Lexeme, part)
                    token.type = literals.get(part, kind)
                    token.start_pos, token.end_pos = match.span()
                    yield token
                    if kind == "_COMMENT_LEFT":
                        break
            else:
                return
            depth = 1
            for inside in self._comment.finditer(text, match.end()):
                token = str.__new__(_Lexeme, inside.group())
                token.type = inside.lastgroup or ""
                token.start_pos, token.end_pos = inside.span()
                yield token
                depth += _DEPTH.get(token.type, 0)
                if depth == 0:
                    position = token.end_pos
                    break
            else:
                return


def _moved(tokens: Iterator[Token], offset: int) -> Iterator[Token]:
    """Tokens with their places in the whole text."""
    for token in tokens:
        token.start_pos, token.end_pos = start_of(token) + offset, end_of(token) + offset
        yield token


_DEPTH = {"_COMMENT_LEFT": 1, "_COMMENT_RIGHT": -1}


def _alternatives(terminals: Iterable[TerminalDef]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?P<{terminal.name}>{terminal.pattern.to_regexp()})" for terminal in terminals))


def start_of(token: Token) -> int:
    """The offset of a token's first character."""
    return cast(int, token.start_pos)


def end_of(token: Token) -> int:
    """The offset of what follows a token."""
    return cast(int, token.end_pos)


def span_of(source: Source, token: Token) -> Span:
    return Span(source, start_of(token), end_of(token))
