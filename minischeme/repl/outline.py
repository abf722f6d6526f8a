"""The brackets of a text as a tree, however unfinished it is: what stands inside what, what is code and what is data.

The prompt's colours, indentation, completion and toolbar all ask an `Outline`; none of them reads the text itself.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache

from pygments.token import Comment, Name, Operator, Punctuation, String, Whitespace

from minischeme.repl.lexer import SchemeLexer, TokenType, is_kind


class Mode(Enum):
    """What a piece of text is to the evaluator."""

    CODE = "code"
    DATA = "data"  # after a quote
    TEMPLATE = "template"  # after a quasiquote
    COMMENT = "comment"  # after #;


_MARKS = {"'": Mode.DATA, "’": Mode.DATA, "‘": Mode.DATA, "`": Mode.TEMPLATE, ",": Mode.CODE, ",@": Mode.CODE}
_QUOTING_WORDS = {"quote": Mode.DATA, "quasiquote": Mode.TEMPLATE}


@dataclass(slots=True)
class Token:
    """A token and where it starts."""

    kind: TokenType
    start: int
    text: str
    mode: Mode

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@dataclass(slots=True)
class Group:
    """A list or vector, without its comments; the root, which has no opening bracket, is the whole text."""

    opening: Token | None
    mode: Mode
    parent: Group | None
    parts: list[Token | Group] = field(default_factory=list)

    @property
    def start(self) -> int:
        return self.opening.start if self.opening is not None else 0

    @property
    def head(self) -> str | None:
        """The word that a form begins with."""
        first = self.parts[0] if self.parts else None
        return first.text.lower() if isinstance(first, Token) and first.kind is Name else None

    @property
    def words(self) -> list[Token]:
        return [part for part in self.parts if isinstance(part, Token) and part.kind is Name]

    @property
    def groups(self) -> list[Group]:
        return [part for part in self.parts if isinstance(part, Group)]


class Outline:
    """The structure of a text.

    `tokens` are all tokens, comments and blanks too; `pairs` leads from each matched bracket to its partner, both ways,
    by offset; `stray` are the offsets of brackets that close nothing, or something of the other shape.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[Token] = []
        self.root = Group(None, Mode.CODE, None)
        self.pairs: dict[int, int] = {}
        self.stray: list[int] = []
        self._starts: list[int] = []
        self._inside: list[Group] = []
        group = self.root
        pending: Mode | None = None
        for start, kind, text in SchemeLexer().get_tokens_unprocessed(text=self.text):
            mode = group.mode if pending is None else pending
            token = Token(kind, start, text, mode)
            self.tokens.append(token)
            self._starts.append(start)
            if kind is Whitespace or (is_kind(kind, Comment) and kind is not Comment.Special):
                pass
            elif kind is Comment.Special:
                pending = token.mode = Mode.COMMENT
            elif kind is Operator:
                pending = mode if mode in (Mode.DATA, Mode.COMMENT) else _MARKS[text]
            elif kind is Punctuation and text in ")]":
                group = self._close(group, token)
                pending = None
            else:
                inner = Group(token, mode, group) if kind is Punctuation else None
                if mode is not Mode.COMMENT or group.mode is Mode.COMMENT:
                    group.parts.append(inner or token)
                if inner is not None:
                    group = inner
                    if text != "(" and text != "[" and mode is Mode.CODE:
                        inner.mode = Mode.DATA
                elif group.mode is Mode.CODE and len(group.parts) == 1 and group is not self.root:
                    group.mode = _QUOTING_WORDS.get(text.lower(), group.mode)
                if kind is not Name.Label:
                    pending = None
            self._inside.append(group)

    def _close(self, group: Group, token: Token) -> Group:
        if group.opening is None or group.parent is None:
            self.stray.append(token.start)
            return group
        if (token.text == "]") != (group.opening.text == "["):
            self.stray.append(token.start)
        else:
            self.pairs[token.start] = group.start + len(group.opening.text) - 1
            self.pairs[group.start + len(group.opening.text) - 1] = token.start
        token.mode = group.opening.mode
        return group.parent

    def token_at(self, offset: int) -> Token | None:
        """The token that a cursor at `offset` is in or right behind."""
        index = bisect_right(self._starts, offset - 1) - 1
        return self.tokens[index] if index >= 0 and offset > 0 else None

    def group_at(self, offset: int) -> Group:
        """The innermost group that is open at `offset`."""
        index = bisect_right(self._starts, offset - 1) - 1
        return self._inside[index] if index >= 0 and offset > 0 else self.root

    def inside_text(self, offset: int) -> bool:
        """Whether `offset` is inside a string, a |symbol| or a block comment, where blanks are the user's own."""
        token = self.token_at(offset)
        if token is None:
            return False
        if token.kind is Comment.Multiline:
            before = [each.text for each in self.tokens if each.start < offset and each.kind is Comment.Multiline]
            return before.count("#|") > before.count("|#")
        if token.kind is String or (token.kind is Name and "|" in token.text):
            return token.end > offset or not _is_closed(token.text)
        return False


def _is_closed(text: str) -> bool:
    """Whether a string, or a symbol with bars, has all its delimiters."""
    return re.sub(r"\\.", "", text, flags=re.DOTALL).count('"' if text[0] == '"' else "|") % 2 == 0


@lru_cache(maxsize=8)
def outline(text: str) -> Outline:
    """The outline of a text; the last few are kept, since several parts of the prompt ask for the same."""
    return Outline(text)
