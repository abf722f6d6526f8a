"""The tokens and the tree of brackets of a text, complete or not, its division into code and data, and its scopes.

The prompt's colours, indentation, completion and toolbar all use an `Outline`; none of them reads the text itself.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property, lru_cache
from itertools import islice

from pygments.lexer import RegexLexer
from pygments.token import Comment, Name, Operator, Punctuation, String, Whitespace
from pygments.token import _TokenType as TokenType  # which pygments does not name in public


class SchemeLexer(RegexLexer):
    """A lexer for the tokens of `grammar.lark`, not pygments' own; a word is a Name, numbers and ``#t`` included."""

    tokens = {  # noqa: RUF012 - pygments wants it so.
        "root": [
            (r"[\s\ufeff\u200b]+", Whitespace),
            (r"#(?:lang |reader *\()[^\n\r]*|(?<![^\ufeff])#!\s*/[^\n\r]*", Comment.Preproc),
            (r";[^\n\r]*", Comment.Single),
            (r"#\|", Comment.Multiline, "comment"),
            (r"#;", Comment.Special),
            (r'"(?:[^"\\]|\\[\s\S])*+(?:"|\\?\Z)', String),
            (r"#\\(?:[^\s()\[\]\"';`,|\ufeff\u200b]+|[\s\S])?", String.Char),
            (r"#[uU]8\(|#?\(|\[", Punctuation),
            (r"[)\]]", Punctuation),
            (r"#[0-9]+=", Name.Label),
            (r"#[0-9]+#|#[^\s()\[\]\"';`,|\ufeff\u200b]*", Name),
            (r",@|['’‘`,]", Operator),
            (r"(?:[^\s()\[\]\"';`,|\ufeff\u200b]|\|(?:[^\\|]|\\[\s\S])*+(?:\||\\?\Z))+", Name),
        ],
        "comment": [
            (r"[^#|]+", Comment.Multiline),
            (r"#\|", Comment.Multiline, "#push"),
            (r"\|#", Comment.Multiline, "#pop"),
            (r"[#|]", Comment.Multiline),
        ],
    }


class Mode(Enum):
    """The role of a piece of text: code, data or comment."""

    CODE = "code"
    DATA = "data"  # after a quote
    TEMPLATE = "template"  # after a quasiquote
    COMMENT = "comment"  # after #;


_MARKS = {"'": Mode.DATA, "’": Mode.DATA, "‘": Mode.DATA, "`": Mode.TEMPLATE, ",": Mode.CODE, ",@": Mode.CODE}
_QUOTING_WORDS = {"quote": Mode.DATA, "quasiquote": Mode.TEMPLATE}
_PARAMETERS = {"lambda", "case-lambda", "named-lambda", "λ", "define", "define-macro", "define-class", "method"}
_BINDINGS = {"let", "let*", "letrec", "letrec*", "do", "fluid-let", "parameterize"}
_CLASS_PARTS = {"instance-vars", "class-vars"}


@dataclass(slots=True)
class Token:
    """A token and where it starts."""

    kind: TokenType
    start: int
    text: str
    mode: Mode
    marks: int = 0  # the characters of the quotes and other marks before it

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    def is_a(self, family: TokenType) -> bool:
        return bool(family.__contains__(self.kind))


@dataclass
class Group:
    """A list or vector, without its comments; the root, which has no opening bracket, is the whole text."""

    opening: Token | None
    mode: Mode
    parent: "Group | None"
    parts: "list[Token | Group]" = field(default_factory=list)

    @property
    def start(self) -> int:
        return self.opening.start if self.opening is not None else 0

    @property
    def marks(self) -> int:
        return self.opening.marks if self.opening is not None else 0

    @property
    def head(self) -> str | None:
        """The word that a form begins with."""
        first = self.parts[0] if self.parts else None
        return first.text.lower() if isinstance(first, Token) and first.kind is Name else None

    @property
    def groups(self) -> "list[Group]":
        return [part for part in self.parts if isinstance(part, Group)]

    @cached_property
    def scope(self) -> dict[str, None]:
        """The local names inside the group, innermost first."""
        return {} if self.parent is None else dict.fromkeys([*self._bound(), *self.parent.scope])

    def _bound(self) -> Iterator[str]:
        """The names that the form binds for its parts."""
        if self.mode is not Mode.CODE or self.head is None or len(self.parts) == 1:
            return
        parts = self.parts[1:]
        if self.head == "let" and len(parts) > 1 and isinstance(parts[0], Token):
            yield from _words(parts.pop(0))
        if self.head == "lambda" or (self.head in _PARAMETERS and isinstance(parts[0], Group)):
            # The first word of (define (f x) …) is f, which the body may call.
            yield from _words(parts[0])
        elif self.head in _BINDINGS and isinstance(parts[0], Group):
            yield from parts[0].names()
        for group in self.groups:
            if group.head == "define":
                yield from islice(_words(group), 1, 2)
            elif self.head == "define-class" and group.head in _CLASS_PARTS:
                yield from group.names()

    def names(self) -> Iterator[str]:
        """The names in a list of bindings."""
        for group in self.groups:
            if group.head is not None:
                yield from islice(_words(group), 1)

    def around(self) -> "Iterator[Group]":
        """The group and those around it, innermost first, without the root."""
        group: Group | None = self
        while group is not None and group.opening is not None:
            yield group
            group = group.parent


def _words(part: Token | Group) -> Iterator[str]:
    """The words in a part of a form, such as a pattern of parameters."""
    if isinstance(part, Group):
        for inner in part.parts:
            yield from _words(inner)
    elif part.kind is Name and part.text != ".":
        yield part.text


class Outline:
    """The structure of a text.

    `tokens` are all tokens, comments and blanks too; `pairs` maps the offset of each matched bracket to its partner's,
    both ways; `stray` are the offsets of brackets that close nothing, or a bracket of the other shape.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[Token] = []
        self.root = Group(None, Mode.CODE, None)
        self.pairs: dict[int, int] = {}
        self.stray: list[int] = []
        self._inside = [self.root]  # the innermost group before each token, and at the end
        group = self.root
        pending: Mode | None = None
        marked: int | None = None  # where the quotes and other marks before a datum begin
        for start, kind, part in SchemeLexer().get_tokens_unprocessed(text):
            mode = group.mode if pending is None else pending
            token = Token(kind, start, part, mode, 0 if marked is None else start - marked)
            self.tokens.append(token)
            if kind is Whitespace or (token.is_a(Comment) and kind is not Comment.Special):
                pass
            elif kind is Comment.Special:
                pending = token.mode = Mode.COMMENT
            elif kind is Operator:
                marked = start if marked is None else marked
                pending = mode if mode in (Mode.DATA, Mode.COMMENT) else _MARKS[part]
            elif kind is Punctuation and part in ")]":
                group = self._close(group, token)
                pending = marked = None
            else:
                inner = Group(token, mode, group) if kind is Punctuation else None
                if mode is not Mode.COMMENT or group.mode is Mode.COMMENT:
                    group.parts.append(inner or token)
                if inner is not None:
                    group = inner
                    if part not in ("(", "[") and mode is Mode.CODE:
                        inner.mode = Mode.DATA
                elif group.mode is Mode.CODE and len(group.parts) == 1 and group is not self.root:
                    group.mode = _QUOTING_WORDS.get(part.lower(), group.mode)
                if kind is not Name.Label:
                    pending = marked = None
            self._inside.append(group)

    def _close(self, group: Group, token: Token) -> Group:
        if group.opening is None or group.parent is None:
            self.stray.append(token.start)
            return group
        if (token.text == "]") != (group.opening.text == "["):
            self.stray.append(token.start)
        else:
            bracket = group.opening.end - 1
            self.pairs |= {token.start: bracket, bracket: token.start}
        token.mode = group.opening.mode
        return group.parent

    def token_at(self, offset: int) -> Token | None:
        """The token around or just before a cursor at `offset`."""
        before = self._before(offset)
        return self.tokens[before - 1] if before else None

    def group_at(self, offset: int) -> Group:
        """The innermost group that is open at `offset`."""
        return self._inside[self._before(offset)]

    def _before(self, offset: int) -> int:
        return bisect_left(self.tokens, offset, key=lambda token: token.start)

    def inside_text(self, offset: int) -> bool:
        """Whether `offset` is inside a string, a |symbol| or a block comment, where blanks are the user's own."""
        token = self.token_at(offset)
        if token is None:
            return False
        if token.kind is Comment.Multiline:
            before = [each.text for each in self.tokens if each.start < offset and each.kind is Comment.Multiline]
            return before.count("#|") > before.count("|#")
        if token.kind is String or (token.kind is Name and "|" in token.text):
            delimiter = '"' if token.kind is String else "|"
            return token.end > offset or re.sub(r"\\.", "", token.text, flags=re.DOTALL).count(delimiter) % 2 == 1
        return False


@lru_cache(maxsize=8)
def outline(text: str) -> Outline:
    """The outline of a text; the last few are kept, since several parts of the prompt use the same one."""
    return Outline(text)
