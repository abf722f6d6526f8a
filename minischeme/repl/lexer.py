"""Scheme's tokens for pygments, also of text that is unfinished or wrong, as text is while it is typed.

Leaves brackets and quotation to `outline`, and what names mean to `colours`.
"""

from __future__ import annotations

from pygments.lexer import RegexLexer
from pygments.token import Comment, Name, Operator, Punctuation, String, Whitespace, _TokenType


class SchemeLexer(RegexLexer):
    """The same tokens as `grammar.lark`. Each word is a Name, numbers and ``#t`` included.

    Unlike pygments' own SchemeLexer it knows words such as ``10s`` and nested comments, with a token for each bracket.
    """

    name = "minischeme"
    aliases = ("minischeme",)
    url = "https://standards.scheme.org/corrected-r7rs/"

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


TokenType = _TokenType
"""The type of pygments' token types, which pygments does not name in public."""


def is_kind(kind: TokenType, family: TokenType) -> bool:
    """Whether a token type is a kind of another."""
    return bool(family.__contains__(kind))
