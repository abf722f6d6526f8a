"""Text to data: `grammar.lark` says what is read, this module what it makes, where its parts stand, and what is wrong.

Leaves the meaning of lists to `expander`, and what to do about unfinished text to those who have a prompt.
"""

# ruff: noqa: N802 - Lark finds a terminal's method by the terminal's name, which is in capitals.

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from lark import Lark

from minischeme.data.errors import ReadError, UnfinishedInput
from minischeme.data.numerals import parse_number
from minischeme.data.source import Source, Span
from minischeme.data.values import (
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
from minischeme.reading.lexer import NoLexer, Token, end_of, offsets_of, span_of, start_of, text_of
from minischeme.reading.parser import Parser, Parsing, Unexpected
from minischeme.reading.syntax_errors import explained

_Part: TypeAlias = tuple[Value, int, int]
"""A datum with the offsets of its first character and of what follows its last."""


class Spans:
    """Where the parts of what was read stand in their source; the data themselves stay plain.

    It keeps the data alive that it knows of, since it knows them by identity.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self._wholes: list[_Part] = []
        self._pairs: list[Pair] = []
        self._elements: list[_Part] = []
        self._of_datum: dict[int, _Part] = {}
        self._of_pair: dict[int, _Part] = {}
        self._indexed = 0

    def of(self, datum: Value) -> Span | None:
        """The span of a list (given its first pair), vector or bytevector; None for an atom or an unknown datum."""
        if self._indexed != len(self._wholes):
            self._index()
        part = self._of_datum.get(id(datum))
        return None if part is None else Span(self.source, part[1], part[2])

    def of_car(self, pair: Pair) -> Span | None:
        """The span of the element in the car of a pair, atom or not; None where the reader did not make the pair.

        The list ``(quote x)`` that is written ``'x`` has the quote mark for its first element.
        """
        if self._indexed != len(self._wholes):
            self._index()
        part = self._of_pair.get(id(pair))
        return None if part is None else Span(self.source, part[1], part[2])

    def _index(self) -> None:
        """Be ready for questions: data that are only read raise none."""
        self._indexed = len(self._wholes)
        self._of_datum = {id(part[0]): part for part in self._wholes}
        self._of_pair = dict(zip(map(id, self._pairs), self._elements, strict=True))

    def add_whole(self, part: _Part) -> _Part:
        """Note where a compound datum stands."""
        self._wholes.append(part)
        return part

    def add_list(self, parts: list[_Part], tail: Value = NIL) -> Value:
        """A fresh list of the parts' data, ended by `tail`, with a note where each of them stands; turns `parts`."""
        parts.reverse()
        add = self._pairs.append
        for part in parts:
            tail = Pair(part[0], tail)
            add(tail)
        self._elements += parts
        return tail

    def starts(self) -> list[int]:
        """The offsets at which compound data begin."""
        return [start for _, start, _ in self._wholes]


class Form(NamedTuple):
    """A datum at the top level of a text.

    Args: datum: what was read. span: the whole of it. spans: where its parts stand (shared by the forms of a text).
    """

    datum: Value
    span: Span
    spans: Spans


class Reading:
    """The data of a text that may grow at its end, in order; an error is raised only after all before it were given,
    and what follows the form that it is in comes next.

    Args: fold_case: whether symbols are read in lower case until a ``#!no-fold-case``. on_stray: told of each
    superfluous closing bracket, in order with the data; reading goes on in any case.
    Raises: (by ``next``) ReadError; UnfinishedInput when the text ends inside a datum or block comment.
    Source: R7RS 7.1.1 and 7.1.2, with ``[ ]`` as parentheses.
    """

    def __init__(
        self, source: Source, *, fold_case: bool = True, on_stray: Callable[[Span], None] | None = None
    ) -> None:
        self._builder = _Builder(source, fold_case)
        self._parsing = Parsing(_parser(), self._builder, self._builder.known)
        self._on_stray = on_stray
        self._given = 0
        self._start = 0
        self._left: Span | None = None
        self._parse()

    def _parse(self) -> None:
        self._error: ReadError | None = None
        try:
            self._parsing.go_on(self._builder.source.text)
        except ReadError as problem:
            self._error = problem
        except Unexpected as unexpected:
            self._error = explained(unexpected, self._builder.source, self._builder.spans.starts())

    def extend(self, text: str) -> None:
        """Go on behind the end of the text, which was a newline inside a datum or block comment."""
        source = self._builder.source
        self._builder.source = self._builder.spans.source = Source(source.text + text, source.name)
        self._parse()

    def go_on_at(self, start: int) -> None:
        """Give up the unfinished form, and go on with what begins at an offset inside it."""
        self._start = start
        self._builder.labels.clear()
        self._parsing = Parsing(_parser(), self._builder, self._builder.known, start)
        self._parse()

    def __iter__(self) -> Iterator[Form]:
        return self

    def __next__(self) -> Form:
        if self._left is not None:
            self._leave(self._left)
        items = self._builder.items
        while self._given < len(items):
            item = items[self._given]
            self._given += 1
            if isinstance(item, Form):
                return item
            if self._on_stray is not None:
                self._on_stray(item)
        error, self._error = self._error, None
        if error is None:
            raise StopIteration
        if not isinstance(error, UnfinishedInput):
            self._left = error.span
        raise error

    def _leave(self, place: Span) -> None:
        """Go on behind the form that can't be read because of what stands at a place: behind its last bracket."""
        self._left = None
        builder, lexer = self._builder, _parser().lexer
        text, start = builder.source.text, self._start
        if builder.items:
            last = builder.items[-1]
            start = max(start, last.end if isinstance(last, Span) else last.span.end)
        depth, end = 0, len(text)
        for token in lexer.tokens(text, start):
            depth += _BRACKETS.get(lexer.kind(token), 0)
            if depth <= 0 and end_of(token) > place.start:
                end = end_of(token)
                break
        self.go_on_at(end)


def read(source: Source, *, fold_case: bool = True, on_stray: Callable[[Span], None] | None = None) -> Iterator[Form]:
    """The data of a text, as by `Reading`, one that does not grow."""
    yield from Reading(source, fold_case=fold_case, on_stray=on_stray)


def read_part(source: Source, start: int, end: int, *, fold_case: bool = True) -> Form:
    """A form that is known to stand at these offsets of a text, without reading the rest."""
    builder = _Builder(source, fold_case)
    Parsing(_parser(), builder, builder.known, start).go_on(source.text, end)
    (form,) = builder.items
    assert isinstance(form, Form)
    return form


_BRACKETS = dict.fromkeys(["LEFT", "LEFT_SQUARE", "LEFT_VECTOR", "LEFT_BYTES"], 1) | {"RIGHT": -1, "RIGHT_SQUARE": -1}
"""What a token adds to the number of open brackets."""

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
    """What the grammar's rules and terminals make: a `_Part` for each datum.

    `known` has what tokens of the same text are, for the parser.
    """

    def __init__(self, source: Source, fold_case: bool) -> None:
        self.source = source
        self.fold_case = fold_case
        self.spans = Spans(source)
        self.items: list[Form | Span] = []
        self.labels: dict[str, Value] = {}
        self.known: dict[str, tuple[str, Value]] = {}

    def error(self, message: str, start: int, end: int) -> ReadError:
        return ReadError(message, span=Span(self.source, start, end))

    # Rules

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
        if isinstance(part, re.Match):  # the only token that may follow a mark is a dot
            part = intern("."), start_of(part), end_of(part)
        keyword = (intern(_PREFIXES[text_of(mark)]), start_of(mark), end_of(mark))
        return self._list([keyword, part], NIL, start_of(mark), part[2])

    def labelled(self, children: list[Any]) -> _Part:
        label, (datum, _, end) = children
        number = _label(label)
        forward = self.labels[number]
        if datum is forward:
            raise self.error(f"read: label of nothing but itself: {text_of(label)}", start_of(label), end)
        self.labels[number] = datum
        forward.resolve(datum)
        return datum, start_of(label), end

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
        text = text_of(token)
        start, end = offsets_of(token)
        if text[0] in "0123456789+-.":
            number = parse_number(text)
            if number is not None:
                if type(number) is int:  # others of one value can be told apart by eq?
                    self.known[text] = "WORD", number
                return number, start, end
            if text == ".":
                raise self.error("read: illegal use of .", start, end)
        if "|" in text:
            pieces = _BARS_OR_PLAIN.finditer(text)
            name = "".join(self._piece(piece, start) for piece in pieces)
        else:
            name = self._plain(text, start)
        symbol = intern(name)
        self.known[text] = "WORD", symbol
        return symbol, start, end

    def HASH(self, token: Token) -> _Part:
        text = text_of(token)
        start, end = offsets_of(token)
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
        name = text_of(token)[2:]
        if len(name) > 1:
            known = _CHARACTERS.get(name.lower())  # R5RS programs write them in any case
            if known is None and name[0] in "xX":
                known = _character_of_code(name[1:])
            if known is None:
                raise self.error(
                    f"read: bad character name: {_shortened(text_of(token))}", start_of(token), end_of(token)
                )
            name = known
        return Char.of(name), start_of(token), end_of(token)

    def STRING(self, token: Token) -> _Part:
        start, end = offsets_of(token)
        return String(self._unescaped(self.source.text[start + 1 : end - 1], start + 1)), start, end

    def UNCLOSED(self, token: Token) -> _Part:
        what = "string" if text_of(token)[0] == '"' else "|symbol|"
        start = start_of(token)
        raise UnfinishedInput(f"read: end of file inside {what}", span=Span(self.source, start, start + 1))

    def LABEL(self, token: Token) -> Token:
        if _label(token) in self.labels:
            raise self.error(f"read: label defined twice: {_shortened(text_of(token))}", start_of(token), end_of(token))
        self.labels[_label(token)] = _Forward()
        return token

    def REFERENCE(self, token: Token) -> _Part:
        datum = self.labels.get(_label(token))
        if datum is None:
            raise self.error(f"read: undefined label: {_shortened(text_of(token))}", start_of(token), end_of(token))
        while type(datum) is _Forward and datum.datum is not None:
            datum = datum.datum
        return datum, start_of(token), end_of(token)

    def _FOLD(self, token: Token) -> None:
        self._fold(True)

    def _NO_FOLD(self, token: Token) -> None:
        self._fold(False)

    def _fold(self, fold_case: bool) -> None:
        self.fold_case = fold_case
        self.known.clear()

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
        if "\\" not in text and "\r" not in text:
            return text

        def replacement(match: re.Match[str]) -> str:
            kind = match.lastgroup
            if kind is None:
                return "\n"
            if kind == "continued":
                return ""
            char = _ESCAPES.get(match[kind]) if kind == "letter" else _character_of_code(match[kind])
            if char is None and kind == "letter" and match[kind] not in "xX" and self.fold_case:
                return match[kind]  # as in the course's Scheme, which also folds case
            if char is None:
                raise self.error(f"read: bad escape: {match[0]}", start + match.start(), start + match.end())
            return char

        return _ESCAPE_OR_LINE_END.sub(replacement, text)


@cache
def _parser() -> Parser:
    """The grammar's parser; kept for the life of the process, since making one takes time."""
    grammar = Path(__file__).with_name("grammar.lark").read_text(encoding="utf-8")
    return Parser(Lark(grammar, parser="lalr", lexer=NoLexer), _Builder)


def _label(token: Token) -> str:
    """What a label and the references to it have in common."""
    return text_of(token)[1:-1].lstrip("0")


def _shortened(text: str) -> str:
    """A token for an error message."""
    return text if len(text) <= 40 else text[:39] + "…"


def _character_of_code(digits: str) -> str | None:
    """The character of a hexadecimal Unicode scalar value; None if it is none."""
    code = int(digits, 16) if _HEXADECIMAL.fullmatch(digits) else -1
    return chr(code) if 0 <= code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF else None
