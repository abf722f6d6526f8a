"""Text to data: `grammar.lark` says what is read, this module what it makes, where its parts stand, and what is wrong.

Leaves the meaning of lists to `expander`, and what to do about unfinished text to those who have a prompt.
"""

# ruff: noqa: N802 - Lark finds a terminal's method by the terminal's name, which is in capitals.

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple, TypeAlias
from zlib import crc32

import lark
from lark import Lark, Token, Tree, UnexpectedInput

from minischeme.cache_folder import cache_folder
from minischeme.errors import ReadError, UnfinishedInput
from minischeme.lexer import OnePatternLexer, Part, end_of, span_of, start_of
from minischeme.numerals import parse_number
from minischeme.refusals import explained
from minischeme.source import Source, Span
from minischeme.values import (
    CHARACTER_NAMES,
    DEFAULT,
    EOF,
    FALSE,
    NIL,
    TRUE,
    Bytevector,
    Char,
    Pair,
    String,
    Value,
    Vector,
    intern,
)

_Part: TypeAlias = tuple[Value, int, int]
"""A datum with the offsets of its first character and of what follows its last."""


class Spans:
    """Where the parts of what was read stand in their source; the data themselves stay plain.

    It keeps the data alive that it knows of, since it knows them by identity.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._wholes: dict[int, _Part] = {}
        self._cars: dict[int, _Part] = {}
        self._pairs: list[Pair] = []

    def of(self, datum: Value) -> Span | None:
        """The span of a list (given its first pair), vector or bytevector; None for an atom or an unknown datum."""
        return self._span(self._wholes.get(id(datum)))

    def of_car(self, pair: Pair) -> Span | None:
        """The span of the element in the car of a pair, atom or not; None where the reader did not make the pair.

        The list ``(quote x)`` that is written ``'x`` has the quote mark for its first element.
        """
        return self._span(self._cars.get(id(pair)))

    def _span(self, part: _Part | None) -> Span | None:
        return Span(self._source, part[1], part[2]) if part is not None else None

    def add_whole(self, part: _Part) -> _Part:
        """Note where a compound datum stands."""
        self._wholes[id(part[0])] = part
        return part

    def add_list(self, parts: list[_Part], tail: Value = NIL) -> Value:
        """A fresh list of the parts' data, ended by `tail`, with a note where each of them stands."""
        for part in reversed(parts):
            tail = Pair(part[0], tail)
            self._cars[id(tail)] = part
            self._pairs.append(tail)
        return tail

    def starts(self) -> list[int]:
        """The offsets at which compound data begin."""
        return [start for _, start, _ in self._wholes.values()]


class Form(NamedTuple):
    """A datum at the top level of a text.

    Args: datum: what was read. span: the whole of it. spans: where its parts stand (shared by the forms of a text).
    """

    datum: Value
    span: Span
    spans: Spans


def read(source: Source, *, fold_case: bool = True, on_stray: Callable[[Span], None] | None = None) -> Iterator[Form]:
    """The data of a text, in order; an error is raised only after all forms before it were yielded.

    Args: fold_case: whether symbols are read in lower case until a ``#!no-fold-case``. on_stray: told of each
    superfluous closing bracket, in order with the forms; reading goes on in any case.
    Raises: ReadError; UnfinishedInput when the text ends inside a datum or block comment.
    Source: R7RS 7.1.1 and 7.1.2, with ``[ ]`` as parentheses.
    """
    items, error = _reading().run(source, source.text, fold_case)
    for item in items:
        if isinstance(item, Form):
            yield item
        elif on_stray is not None:
            on_stray(item)
    if error is not None:
        raise error


def read_part(source: Source, start: int, end: int, *, fold_case: bool = True) -> Form:
    """A form that is known to stand at these offsets of a text, without reading the rest."""
    (form,), _ = _reading().run(source, Part(source.text[start:end], start), fold_case)
    assert isinstance(form, Form)
    return form


_PREFIXES = {"'": "quote", "’": "quote", "‘": "quote", "`": "quasiquote", ",": "unquote", ",@": "unquote-splicing"}
_CONSTANTS = {"#t": TRUE, "#true": TRUE, "#f": FALSE, "#false": FALSE, "#!eof": EOF, "#!default": DEFAULT}
_CHARACTERS = CHARACTER_NAMES | {"altmode": "\x1b", "linefeed": "\n", "nul": "\0", "page": "\f", "rubout": "\x7f"}
_ESCAPES = {"a": "\a", "b": "\b", "t": "\t", "n": "\n", "r": "\r", '"': '"', "\\": "\\", "|": "|"}

_ESCAPE_OR_LINE_END = re.compile(
    r"\\(?:x(?P<code>[0-9a-f]++);|(?P<continued>[ \t]*+(?:\r\n?+|\n)[ \t]*+)|(?P<letter>[\s\S]))|\r\n?+", re.IGNORECASE
)
_BARS_OR_PLAIN = re.compile(r"\|((?:[^\\|]|\\[\s\S])*+)\||[^|]++")
_HEXADECIMAL = re.compile("[0-9a-fA-F]+")
_TYPOGRAPHIC = re.compile("[−“”]")
_TYPOGRAPHY = {
    "−": "read: − is a typographic minus sign, type -",
    "“": 'read: “ is a typographic quotation mark, type "',
    "”": 'read: ” is a typographic quotation mark, type "',
}


class _Forward:
    """What stands for a labelled datum inside itself, until it is complete."""

    __slots__ = ("datum", "places")

    def __init__(self) -> None:
        self.datum: Value = None
        self.places: list[Pair | tuple[Vector, int]] = []

    def resolve(self, datum: Value) -> None:
        """Put the finished datum wherever this was put."""
        self.datum = datum
        for place in self.places:
            if isinstance(place, tuple):
                vector, index = place
                vector[index] = datum
                continue
            if place.car is self:
                place.car = datum
            if place.cdr is self:
                place.cdr = datum
        if isinstance(datum, _Forward):
            datum.places += self.places


class _Builder:
    """What the grammar's rules and terminals make: a `_Part` for each datum, while Lark parses.

    Lark binds these methods once for each grammar, so one builder serves all texts, one after the other.
    """

    def begin(self, source: Source, fold_case: bool) -> None:
        """Forget the last text."""
        self.source = source
        self.fold_case = fold_case
        self.spans = Spans(source)
        self.items: list[Form | Span] = []
        self.labels: dict[str, Value] = {}

    def error(self, message: str, start: int, end: int) -> ReadError:
        return ReadError(message, span=Span(self.source, start, end))

    # Rules

    def start(self, children: list[Any]) -> None:
        """All is in `items` already."""

    def form(self, children: list[_Part]) -> None:
        datum, start, end = children[0]
        self.items.append(Form(datum, Span(self.source, start, end), self.spans))
        self.labels.clear()

    def stray(self, children: list[Token]) -> None:
        self.items.append(span_of(self.source, children[0]))

    def proper_list(self, children: list[Any]) -> _Part:
        return self._list(children[1:-1], NIL, start_of(children[0]), end_of(children[-1]))

    def dotted_list(self, children: list[Any]) -> _Part:
        *parts, dot, tail, closing = children[1:]
        if not parts:
            raise self.error("read: illegal use of .", start_of(dot), end_of(dot))
        return self._list(parts, tail[0], start_of(children[0]), end_of(closing))

    def vector(self, children: list[Any]) -> _Part:
        vector = Vector([part[0] for part in children[1:-1]])
        if self.labels:
            for index, item in enumerate(vector):
                if type(item) is _Forward:
                    item.places.append((vector, index))
        return self.spans.add_whole((vector, start_of(children[0]), end_of(children[-1])))

    def bytevector(self, children: list[Any]) -> _Part:
        for item, start, end in children[1:-1]:
            if type(item) is not int or not 0 <= item <= 255:
                raise self.error(f"read: not a byte: {_shortened(self.source.text[start:end])}", start, end)
        data = Bytevector([part[0] for part in children[1:-1]])
        return self.spans.add_whole((data, start_of(children[0]), end_of(children[-1])))

    def quotation(self, children: list[Any]) -> _Part:
        mark, part = children
        if isinstance(part, Token):  # the only token that may follow a mark is a dot
            part = intern("."), start_of(part), end_of(part)
        keyword = (intern(_PREFIXES[str(mark)]), start_of(mark), end_of(mark))
        return self._list([keyword, part], NIL, start_of(mark), part[2])

    def labelled(self, children: list[Any]) -> _Part:
        label, (datum, _, end) = children
        number = _label(label)
        forward = self.labels[number]
        if datum is forward:
            raise self.error(f"read: label of nothing but itself: {label}", start_of(label), end)
        self.labels[number] = datum
        forward.resolve(datum)
        return datum, start_of(label), end

    def _datum_comment(self, children: list[Any]) -> Tree[Any]:
        return Tree("_gap", [])

    def _list(self, parts: list[_Part], tail: Value, start: int, end: int) -> _Part:
        datum = self.spans.add_list(parts, tail)
        if datum is NIL:
            return NIL, start, end
        if self.labels:
            self._note_forwards(datum, tail)
        return self.spans.add_whole((datum, start, end))

    def _note_forwards(self, datum: Value, tail: Value) -> None:
        """Tell the labelled data that are still being read of their places in a list."""
        while datum is not tail:
            for part in (datum.car, datum.cdr):
                if type(part) is _Forward:
                    part.places.append(datum)
            datum = datum.cdr

    # Terminals

    def WORD(self, token: Token) -> _Part:
        text = str(token)
        start = start_of(token)
        end = start + len(text)
        if text[0] in "0123456789+-.":
            number = parse_number(text)
            if number is not None:
                return number, start, end
            if text == ".":
                raise self.error("read: illegal use of .", start, end)
        if "|" in text:
            pieces = _BARS_OR_PLAIN.finditer(text)
            return intern("".join(self._piece(piece, start) for piece in pieces)), start, end
        return intern(self._plain(text, start)), start, end

    def HASH(self, token: Token) -> _Part:
        text = str(token)
        start, end = start_of(token), end_of(token)
        datum: Value = _CONSTANTS.get(text.lower())
        if datum is None:
            datum = parse_number(text)
        if datum is None and len(text) > 2 and text[1] in "!%":  # #!optional of MIT Scheme, #%require of Racket
            datum = intern(self._plain(text, start))
        if datum is None:
            if text == "#\\":
                raise UnfinishedInput("read: end of file inside character", span=span_of(self.source, token))
            if self.source.text[end : end + 1] == "[":
                text += "["
            raise self.error(f"read: bad # syntax: {_shortened(text)}", start, end)
        return datum, start, end

    def CHARACTER(self, token: Token) -> _Part:
        name = token[2:]
        if len(name) > 1:
            known = _CHARACTERS.get(name.lower())  # R5RS programs write them in any case
            if known is None and name[0] in "xX":
                known = _character_of_code(name[1:])
            if known is None:
                raise self.error(f"read: bad character name: {_shortened(token)}", start_of(token), end_of(token))
            name = known
        return Char.of(name), start_of(token), end_of(token)

    def STRING(self, token: Token) -> _Part:
        start = start_of(token)
        return String(self._unescaped(token[1:-1], start + 1)), start, end_of(token)

    def UNCLOSED(self, token: Token) -> _Part:
        what = "string" if token[0] == '"' else "|symbol|"
        start = start_of(token)
        raise UnfinishedInput(f"read: end of file inside {what}", span=Span(self.source, start, start + 1))

    def LABEL(self, token: Token) -> Token:
        if _label(token) in self.labels:
            raise self.error(f"read: label defined twice: {_shortened(token)}", start_of(token), end_of(token))
        self.labels[_label(token)] = _Forward()
        return token

    def REFERENCE(self, token: Token) -> _Part:
        datum = self.labels.get(_label(token))
        if datum is None:
            raise self.error(f"read: undefined label: {_shortened(token)}", start_of(token), end_of(token))
        while type(datum) is _Forward and datum.datum is not None:
            datum = datum.datum
        return datum, start_of(token), end_of(token)

    def _FOLD(self, token: Token) -> Token:
        self.fold_case = True
        return token

    def _NO_FOLD(self, token: Token) -> Token:
        self.fold_case = False
        return token

    def _piece(self, piece: re.Match[str], start: int) -> str:
        """A part of a symbol's name, in bars or not."""
        if piece[1] is None:
            return self._plain(piece[0], start + piece.start())
        return self._unescaped(piece[1], start + piece.start(1))

    def _plain(self, text: str, start: int) -> str:
        """A symbol's name as written without bars."""
        if not text.isascii():
            sign = _TYPOGRAPHIC.search(text)
            if sign is not None:
                raise self.error(_TYPOGRAPHY[sign[0]], start + sign.start(), start + sign.end())
        return text.lower() if self.fold_case else text

    def _unescaped(self, text: str, start: int) -> str:
        """The inside of a string or of bars, without its escapes, and with newlines for line ends."""

        def replacement(match: re.Match[str]) -> str:
            kind = match.lastgroup
            if kind is None:
                return "\n"
            if kind == "continued":
                return ""
            char = _ESCAPES.get(match[kind]) if kind == "letter" else _character_of_code(match[kind])
            if char is None:
                raise self.error(f"read: bad escape: {match[0]}", start + match.start(), start + match.end())
            return char

        return _ESCAPE_OR_LINE_END.sub(replacement, text) if "\\" in text or "\r" in text else text


class _Reading:
    """Lark with a builder; kept for the life of the process, since making one takes time."""

    def __init__(self) -> None:
        self._builder = _Builder()
        self._lock = Lock()
        grammar = Path(__file__).with_name("grammar.lark").read_text(encoding="utf-8")
        cached = _cache_file(grammar)
        self._lark = Lark(
            grammar,
            parser="lalr",
            lexer=OnePatternLexer,
            transformer=self._builder,
            cache=str(cached) if cached else False,
        )

    def run(self, source: Source, text: str, fold_case: bool) -> tuple[list[Form | Span], ReadError | None]:
        """The forms and stray brackets of a text, or of a part of it, up to its end or its first error."""
        builder = self._builder
        with self._lock:
            builder.begin(source, fold_case)
            try:
                self._lark.parse(text)
            except ReadError as error:
                return builder.items, error
            except UnexpectedInput as unexpected:
                return builder.items, explained(unexpected, source, builder.spans.starts())
            return builder.items, None


@cache
def _reading() -> _Reading:
    return _Reading()


def _label(token: Token) -> str:
    """What a label and the references to it have in common."""
    return token[1:-1].lstrip("0")


def _shortened(text: str) -> str:
    """A token for an error message."""
    return text if len(text) <= 40 else text[:39] + "…"


def _character_of_code(digits: str) -> str | None:
    """The character of a hexadecimal Unicode scalar value; None if it is none."""
    code = int(digits, 16) if _HEXADECIMAL.fullmatch(digits) else -1
    return chr(code) if 0 <= code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF else None


def _cache_file(grammar: str) -> Path | None:
    """Where Lark may keep the tables that it makes of the grammar, or None where no place is safe."""
    folder = cache_folder()
    version = f"{sys.implementation.cache_tag}-lark-{lark.__version__}"
    return None if folder is None else folder / f"grammar-{version}-{crc32(grammar.encode()):08x}.pickle"
