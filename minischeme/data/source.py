"""Positions in program text: texts with a name, spans of them, and excerpts with a caret."""

import re
from bisect import bisect_right
from functools import cached_property
from unicodedata import combining, east_asian_width

import msgspec


def characters(text: str) -> str:
    """A text with U+FFFD for each surrogate: Python makes them from bytes that are not UTF-8 and can't write them."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return re.sub("[\ud800-\udfff]", "\ufffd", text)
    return text


class Source:
    """A text that Scheme is read from, its lines ended by newlines."""

    def __init__(self, text: str, name: str) -> None:
        self.text = characters(text)
        self.name = name  # for error messages: a file's path, or something like ``<prompt>``
        self.deferred: set[int] = set()  # the offsets of definitions whose bodies have not been read with the rest

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(newline.end() for newline in re.finditer("\n", self.text))]

    @property
    def is_interactive(self) -> bool:
        """Whether the text was typed or generated, so that its name says little."""
        return self.name.startswith("<")

    def position(self, offset: int) -> tuple[int, int]:
        """The line (from 1) and column (from 0) of an offset into the text."""
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1]

    def offset(self, line: int, column: int) -> int:
        """The offset of a line (from 1) and column (from 0): the inverse of `position`."""
        return self._line_starts[line - 1] + column

    def line(self, number: int) -> str:
        """The text of a line (from 1), without its end."""
        start = self._line_starts[number - 1]
        end = self.text.find("\n", start)
        return self.text[start : end if end >= 0 else None].rstrip("\r")


class Span(msgspec.Struct, frozen=True):
    """A stretch of a source, from offset `start` up to, not including, `end`."""

    source: Source
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.source.text[self.start : self.end]

    def mentions(self, name: str) -> bool:
        """Whether a name stands in the text, elsewhere than behind its first bracket, in upper or lower case."""
        word = rf"(?<![^\s()\[\]'`,|]){re.escape(name)}(?![^\s()\[\]|])"
        return any(found.start() > 1 for found in re.finditer(word, self.text, re.IGNORECASE))

    def __str__(self) -> str:
        line, column = self.source.position(self.start)
        return f"{self.source.name}:{line}:{column + 1}"

    def excerpt(self, width: int = 76) -> str:
        """The first line of the span, in at most `width` columns, with carets below its part of the span."""
        number, column = self.source.position(self.start)
        line = self.source.line(number)
        before, inside = line[:column], line[column : column + self.end - self.start]
        margin = columns(before.expandtabs())
        shown = line.expandtabs()
        carets = max(1, columns((before + inside).expandtabs()) - margin)
        if columns(shown) > width:
            shown, margin = _clipped(shown, margin, min(carets, width // 2), width)
        return f"{shown}\n{' ' * margin}{'^' * max(1, min(carets, columns(shown) - margin))}"


def columns(text: str) -> int:
    """The number of terminal columns of a text without tabs: Chinese characters take two, combining ones none."""
    return len(text) if text.isascii() else sum(map(_columns_of, text))


def _columns_of(character: str) -> int:
    return 0 if combining(character) else 2 if east_asian_width(character) in "WF" else 1


def _clipped(line: str, margin: int, carets: int, width: int) -> tuple[str, int]:
    """The part of a long line around the carets, at most `width` columns, and the carets' margin in it."""
    start = 0
    while margin + carets > width * 3 // 4:
        margin -= _columns_of(line[start])
        start += 1
    piece = "…" if start else ""
    used = len(piece)
    for character in line[start:]:
        used += _columns_of(character)
        if used >= width:
            return piece + "…", margin + (1 if start else 0)
        piece += character
    return piece, margin + 1
