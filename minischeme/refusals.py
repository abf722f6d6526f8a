"""Why a text can't be read: what the parser did not expect, in words of Scheme. Leaves parsing to `reader`."""

from __future__ import annotations

from typing import Any

from lark import Token, UnexpectedInput, UnexpectedToken

from minischeme.errors import ReadError, UnfinishedInput
from minischeme.lexer import span_of, start_of
from minischeme.source import Source, Span

_LISTS = {"LEFT", "LEFT_SQUARE", "LEFT_VECTOR", "LEFT_BYTES"}
_WANTS_DATUM = {"QUOTE", "SKIP", "LABEL"}


def explained(unexpected: UnexpectedInput, source: Source, starts: list[int]) -> ReadError:
    """Lark's error in words of Scheme.

    Args: unexpected: the error. source: the text. starts: the offsets of the lists and vectors that were read.
    """
    parser: Any = unexpected.interactive_parser
    stack = parser.parser_state.value_stack
    open_tokens = [value for value in stack if isinstance(value, Token)]
    if isinstance(unexpected, UnexpectedToken) and unexpected.token.type == "$END":
        return _unfinished(source, starts, open_tokens)
    # A tuple is a datum, and anything else that is no token a sequence of elements or gaps.
    complete = any(isinstance(value, tuple) for value in stack[-2:])
    error = _misplaced(source, open_tokens, unexpected.pos_in_stream or 0, complete)
    # The last form may be complete, but waits for what follows it.
    try:
        parser.feed_eof()
    except ReadError as earlier:
        return earlier
    except UnexpectedInput:
        pass
    return error


def _unfinished(source: Source, starts: list[int], open_tokens: list[Token]) -> UnfinishedInput:
    """The error of a text that ends too early, given what it left open."""
    comments = [token for token in open_tokens if token.type == "_COMMENT_LEFT"]
    lists = [token for token in open_tokens if token.type in _LISTS]
    hint = None
    if comments:
        blamed, what = comments[0], "inside comment"
    elif lists:
        blamed, what = lists[0], "inside vector" if "#" in lists[0] else "inside list"
        hint = _missing_bracket(source, starts, lists)
    else:
        blamed, what = open_tokens[-1], f"after {open_tokens[-1]}"
    return UnfinishedInput(f"read: end of file {what}", span=span_of(source, blamed), hint=hint)


def _missing_bracket(source: Source, starts: list[int], lists: list[Token]) -> str | None:
    """Where a bracket seems to be missing: before the next bracket that stands at the beginning of a line."""
    text, unclosed = source.text, lists[0]
    inside = [start for start in (*starts, *map(start_of, lists)) if start > start_of(unclosed)]
    first = min((start for start in inside if text[start] in "([" and text[start - 1] == "\n"), default=None)
    if first is None:
        return None
    what = "definition" if text.startswith("(define", first) else "expression"
    closing = "]" if unclosed.type == "LEFT_SQUARE" else ")"
    return f"the next {what} begins at line {source.position(first)[0]}: is a {closing} missing before it?"


def _misplaced(source: Source, open_tokens: list[Token], offset: int, complete: bool) -> ReadError:
    """The error of a token that cannot stand where it does.

    Args: open_tokens: what is open before it. offset: where it stands. complete: whether a datum ends before it.
    """
    char = source.text[offset]
    last = open_tokens[-1] if open_tokens else None
    opening = next((token for token in reversed(open_tokens) if token.type in _LISTS), None)
    if last is not None and last.type in _WANTS_DATUM:
        message = f"read: unexpected {char} after {last}"
    elif last is not None and last.type == "DOT" and char != "." and not (char in ")]" and complete):
        return ReadError("read: illegal use of .", span=span_of(source, last))
    elif char in ")]" and opening is not None:
        line, column = source.position(start_of(opening))
        message = f"read: the {opening} at line {line}, column {column + 1} is closed by {char}"
    else:
        message = "read: illegal use of ." if char == "." else f"read: unexpected {char}"
    return ReadError(message, span=Span(source, offset, offset + 1))
