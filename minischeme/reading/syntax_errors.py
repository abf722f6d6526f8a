"""Syntax errors: the parser's unexpected tokens explained in terms of Scheme."""

import re

from minischeme.data.errors import ReadError, UnfinishedInput
from minischeme.data.source import Source, Span
from minischeme.reading.lexer import Token, span_of, start_of, text_of
from minischeme.reading.parser import Unexpected

_LISTS = {"LEFT", "LEFT_SQUARE", "LEFT_VECTOR", "LEFT_BYTES"}
_WANTS_DATUM = {"QUOTE", "SKIP", "LABEL"}


def read_error(unexpected: Unexpected, source: Source, starts: list[int]) -> ReadError:
    """The parser's error in terms of Scheme; `starts` are the offsets of the lists and vectors that were read."""
    open_tokens = [value for value in unexpected.values if isinstance(value, re.Match)]
    if unexpected.token is None:
        return _unfinished(source, starts, open_tokens)
    # A tuple is a datum, and any other value that is no token is a sequence of elements or gaps.
    complete = any(isinstance(value, tuple) for value in unexpected.values[-2:])
    return _misplaced(source, open_tokens, start_of(unexpected.token), complete)


def _unfinished(source: Source, starts: list[int], open_tokens: list[Token]) -> UnfinishedInput:
    comments = [token for token in open_tokens if token.lastgroup == "_COMMENT_LEFT"]
    lists = [token for token in open_tokens if token.lastgroup in _LISTS]
    text, hint, next_form = source.text, None, None
    if comments:
        blamed, what = comments[0], "inside comment"
    elif lists:
        blamed, what = lists[0], "inside vector" if "#" in text_of(lists[0]) else "inside list"
        inside = [start for start in (*starts, *map(start_of, lists)) if start > start_of(blamed)]
        at_margin = [start for start in inside if text[start] in "([" and text[start - 1] == "\n"]
        next_form = min(at_margin, default=None)
        if next_form is not None:
            following = "definition" if text.startswith("(define", next_form) else "expression"
            closing = "]" if blamed.lastgroup == "LEFT_SQUARE" else ")"
            line = source.position(next_form)[0]
            hint = f"the next {following} begins at line {line}: is a {closing} missing before it?"
    else:
        blamed, what = open_tokens[-1], f"after {text_of(open_tokens[-1])}"
    error = UnfinishedInput(f"read: end of file {what}", span=span_of(source, blamed), hint=hint)
    error.next_form = next_form
    return error


def _misplaced(source: Source, open_tokens: list[Token], offset: int, complete: bool) -> ReadError:
    """The error of a token that cannot occur at an offset; `complete` tells whether a datum ends before it."""
    char = source.text[offset]
    last = open_tokens[-1] if open_tokens else None
    opening = next((token for token in reversed(open_tokens) if token.lastgroup in _LISTS), None)
    if last is not None and last.lastgroup in _WANTS_DATUM:
        message = f"read: unexpected {char} after {text_of(last)}"
    elif last is not None and text_of(last) == "." and char != "." and not (char in ")]" and complete):
        return ReadError("read: illegal use of .", span=span_of(source, last))
    elif char in ")]" and opening is not None:
        line, column = source.position(start_of(opening))
        message = f"read: the {text_of(opening)} at line {line}, column {column + 1} is closed by {char}"
    else:
        message = "read: illegal use of ." if char == "." else f"read: unexpected {char}"
    return ReadError(message, span=Span(source, offset, offset + 1))
