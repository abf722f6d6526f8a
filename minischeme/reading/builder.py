"""`DatumBuilder`: the actions of the rules and terminals of `grammar.lark`, which make data with their spans."""

# ruff: noqa: N802 - a terminal's method has the terminal's name, which is in capitals.

import re
from typing import Any

import msgspec

from minischeme.data import values
from minischeme.data.abbreviate import abbreviated
from minischeme.data.errors import ReadError, UnfinishedInput
from minischeme.data.numerals import parse_number
from minischeme.data.source import Source, Span
from minischeme.data.values import CHARACTER_NAMES, NIL, Bytevector, Char, Pair, String, Value, Vector, intern
from minischeme.reading.forms import Form, Part, Spans
from minischeme.reading.lexer import Token, offsets_of, span_of, start_of, text_of

_PREFIXES = {"'": "quote", "’": "quote", "‘": "quote", "`": "quasiquote", ",": "unquote", ",@": "unquote-splicing"}
_CONSTANTS: dict[str, Value] = {"#t": values.TRUE, "#true": values.TRUE, "#f": values.FALSE, "#false": values.FALSE}
_CONSTANTS |= {"#!eof": values.EOF, "#!default": values.DEFAULT}
_CHARACTERS = CHARACTER_NAMES | {"altmode": "\x1b", "linefeed": "\n", "nul": "\0", "page": "\f", "rubout": "\x7f"}
_ESCAPES = {"a": "\a", "b": "\b", "t": "\t", "n": "\n", "r": "\r", '"': '"', "\\": "\\", "|": "|"}

# `re` compiles a pattern on first use: most texts need none of these.
_ESCAPE_OR_LINE_END = (
    r"\\(?:[xX](?P<code>[0-9a-fA-F]++);|(?P<continued>[ \t]*+(?:\r\n?+|\n)[ \t]*+)|(?P<letter>[\s\S]))|\r\n?+"
)
_BARS_OR_PLAIN = r"\|((?:[^\\|]|\\[\s\S])*+)\||[^|]++"
_TYPOGRAPHY = {
    "−": "− is a typographic minus sign, type -",
    "“": '“ is a typographic quotation mark, type "',
    "”": '” is a typographic quotation mark, type "',
}


class _Placeholder(msgspec.Struct, eq=False):
    """A stand-in for a labelled datum, until the form is complete."""

    datum: Value = None


class DatumBuilder:
    """The actions of the grammar, which make a `Part` of each datum; `known` are the results for texts of tokens."""

    def __init__(self, source: Source, fold_case: bool) -> None:
        self.source = source
        self.fold_case = fold_case
        self.spans = Spans(source)
        self.items: list[Form | Span] = []
        self.labels: dict[str, _Placeholder] = {}
        self.known: dict[str, tuple[str, Value]] = {}

    def error(self, message: str, start: int, end: int) -> ReadError:
        return ReadError(f"read: {message}", span=Span(self.source, start, end))

    def token_error(self, message: str, token: Token) -> ReadError:
        return self.error(f"{message}: {abbreviated(text_of(token), 40)}", *offsets_of(token))

    # Rules

    def form(self, parts: list[Part]) -> None:
        datum, start, end = parts[0]
        if self.labels:
            datum = _without_placeholders(datum)
            self.labels.clear()
        self.items.append(Form(datum, Span(self.source, start, end), self.spans))

    def stray(self, parts: list[Token]) -> None:
        self.items.append(span_of(self.source, parts[0]))

    def proper_list(self, parts: list[Any]) -> Part:
        return self.spans.add_list(_items(parts), NIL, parts[0].end() - 1, parts[-1].end())

    def dotted_list(self, parts: list[Any]) -> Part:
        items = parts[1]
        if type(items) is not list or not items:
            dot = next(part for part in parts[1:] if isinstance(part, re.Match))
            raise self.error("illegal use of .", start_of(dot), dot.end())
        tail = next(part[0] for part in parts if type(part) is tuple)
        return self.spans.add_list(items, tail, start_of(parts[0]), parts[-1].end())

    def vector(self, parts: list[Any]) -> Part:
        vector = Vector([part[0] for part in _items(parts)])
        return self.spans.add_whole((vector, start_of(parts[0]), parts[-1].end()))

    def bytevector(self, parts: list[Any]) -> Part:
        items = _items(parts)
        for item, start, end in items:
            if type(item) is not int or not 0 <= item <= 255:
                raise self.error(f"not a byte: {abbreviated(self.source.text[start:end], 40)}", start, end)
        data = Bytevector([part[0] for part in items])
        return self.spans.add_whole((data, start_of(parts[0]), parts[-1].end()))

    def quotation(self, parts: list[Any]) -> Part:
        mark, part = parts[0], parts[-1]
        if isinstance(part, re.Match):  # the only token that may follow a mark is a dot
            part = intern("."), start_of(part), part.end()
        keyword = (intern(_PREFIXES[text_of(mark)]), start_of(mark), mark.end())
        return self.spans.add_list([keyword, part], NIL, start_of(mark), part[2])

    def labelled(self, parts: list[Any]) -> Part:
        label, (datum, _, end) = parts[0], parts[-1]
        placeholder = self.labels[_label(label)]
        if datum is placeholder:
            raise self.error(f"label of nothing but itself: {text_of(label)}", start_of(label), end)
        placeholder.datum = datum
        return datum, start_of(label), end

    # Terminals

    def WORD(self, token: Token) -> Part:
        text = text_of(token)
        start, end = offsets_of(token)
        if text[0] in "0123456789+-.":
            number = parse_number(text)
            if number is not None:
                if type(number) is int:  # others of one value can be told apart by eq?
                    self.known[text] = "WORD", number
                return number, start, end
            if text == ".":
                raise self.error("illegal use of .", start, end)
        if "|" in text:
            pieces = re.finditer(_BARS_OR_PLAIN, text)
            name = "".join(self._piece(piece, start) for piece in pieces)
        else:
            name = self._plain(text, start)
        symbol = intern(name)
        self.known[text] = "WORD", symbol
        return symbol, start, end

    def HASH(self, token: Token) -> Part:
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
            raise self.error(f"bad # syntax: {abbreviated(text, 40)}", start, end)
        return datum, start, end

    def CHARACTER(self, token: Token) -> Part:
        name = text_of(token)[2:]
        if len(name) > 1:
            known = _CHARACTERS.get(name.lower())  # R5RS programs write them in any case
            if known is None and name[0] in "xX":
                known = _character_of_code(name[1:])
            if known is None:
                raise self.token_error("bad character name", token)
            name = known
        return Char.of(name), start_of(token), token.end()

    def STRING(self, token: Token) -> Part:
        start, end = offsets_of(token)
        return String(self._unescaped(self.source.text[start + 1 : end - 1], start + 1)), start, end

    def UNCLOSED(self, token: Token) -> Part:
        what = "string" if text_of(token)[0] == '"' else "|symbol|"
        start = start_of(token)
        raise UnfinishedInput(f"read: end of file inside {what}", span=Span(self.source, start, start + 1))

    def LABEL(self, token: Token) -> Token:
        if _label(token) in self.labels:
            raise self.token_error("label defined twice", token)
        self.labels[_label(token)] = _Placeholder()
        return token

    def REFERENCE(self, token: Token) -> Part:
        placeholder = self.labels.get(_label(token))
        if placeholder is None:
            raise self.token_error("undefined label", token)
        return placeholder, start_of(token), token.end()

    def _FOLD(self, token: Token) -> None:
        self.fold_case = text_of(token) == "#!fold-case"
        self.known.clear()

    _NO_FOLD = _FOLD

    def _piece(self, piece: re.Match[str], start: int) -> str:
        if piece[1] is None:
            return self._plain(piece[0], start + piece.start())
        return self._unescaped(piece[1], start + piece.start(1))

    def _plain(self, text: str, start: int) -> str:
        if not text.isascii():
            sign = re.search("[−“”]", text)
            if sign is not None:
                raise self.error(_TYPOGRAPHY[sign[0]], start + sign.start(), start + sign.end())
        return text.lower() if self.fold_case else text

    def _unescaped(self, text: str, start: int) -> str:
        """The contents of a string or of bars, with escapes resolved and newlines for line ends."""
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
                raise self.error(f"bad escape: {match[0]}", start + match.start(), start + match.end())
            return char

        return re.sub(_ESCAPE_OR_LINE_END, replacement, text)


def _items(parts: list[Any]) -> list[Part]:
    """The elements of a list, from the values of its brackets and of the repetition between them."""
    return parts[1] if len(parts) == 3 else []


def _without_placeholders(datum: Value) -> Value:
    """A datum after each placeholder in it was replaced by the datum that it stands for."""

    def actual(part: Value) -> Value:
        while type(part) is _Placeholder:
            part = part.datum
        return part

    datum = actual(datum)
    waiting, known = [datum], set()
    while waiting:
        part = waiting.pop()
        if id(part) in known:
            continue
        known.add(id(part))
        if type(part) is Pair:
            part.car, part.cdr = actual(part.car), actual(part.cdr)
            waiting += part.car, part.cdr
        elif type(part) is Vector:
            part[:] = map(actual, part)
            waiting.extend(part)
    return datum


def _label(token: Token) -> str:
    return text_of(token)[1:-1].lstrip("0")


def _character_of_code(digits: str) -> str | None:
    """The character of a hexadecimal Unicode scalar value, or None."""
    code = int(digits, 16) if re.fullmatch("[0-9a-fA-F]+", digits) else -1
    return chr(code) if 0 <= code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF else None
