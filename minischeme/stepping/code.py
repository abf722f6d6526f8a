"""Code as data with values in it, one part of which may be marked, and its layout as text."""

from typing import NamedTuple

from minischeme.data.layout import pretty_printed
from minischeme.data.printer import write
from minischeme.data.values import NIL, Pair, Symbol, Value, intern, list_of

_MARKS = "\ue000", "\ue001"  # before and after the marked part; the brackets around it are counted behind the mark
_FIRST_COUNT = 0xE100
_ABBREVIATIONS = {
    intern(name): text
    for name, text in (("quote", "'"), ("quasiquote", "`"), ("unquote", ","), ("unquote-splicing", ",@"))
}


class _Piece(NamedTuple):
    """The meaning of a symbol that stands for a text."""

    text: str


def piece(text: str, name: str = "") -> Symbol:
    """A datum that is shown as this text, and laid out as the name of a form."""
    return Symbol(name, _Piece(text))


def marked(datum: Value) -> Value:
    """A datum with marks at its first and last atom."""
    return _with_mark(_with_mark(datum, True, 0), False, 0)


def _with_mark(datum: Value, is_first: bool, depth: int) -> Value:
    if type(datum) is not Pair or _is_abbreviated(datum):
        mark = _MARKS[not is_first] + chr(_FIRST_COUNT + depth)
        name = datum.name if type(datum) is Symbol else ""
        return piece(mark + flat(datum) if is_first else flat(datum) + mark, name)
    if is_first:
        return Pair(_with_mark(datum.car, True, depth + 1), datum.cdr)
    *items, last = datum
    return list_of([*items, _with_mark(last, False, depth + 1)])


def laid_out(datum: Value, width: int) -> tuple[str, int, int]:
    """The text of code, in lines of a width, and where the marked part begins and ends in it."""
    text = pretty_printed(datum, width, flat)
    start = end = 0
    if _MARKS[0] in text:
        at = text.index(_MARKS[0])
        start = at - (ord(text[at + 1]) - _FIRST_COUNT)
        text = text[:at] + text[at + 2 :]
        at = text.index(_MARKS[1])
        end = at + ord(text[at + 1]) - _FIRST_COUNT
        text = text[:at] + text[at + 2 :]
    return text, start, end


def flat(datum: Value) -> str:
    """The text on one line, with ``'x`` for a quotation."""
    if type(datum) is Symbol:
        if type(datum.meaning) is _Piece:
            return datum.meaning.text
        return datum.name if datum.name.startswith("#!") else write(datum)
    if type(datum) is not Pair:
        return write(datum)
    if _is_abbreviated(datum):
        return _ABBREVIATIONS[datum.car] + flat(datum.cdr.car)
    parts: list[str] = []
    while type(datum) is Pair:
        parts.append(flat(datum.car))
        datum = datum.cdr
    if datum is not NIL:
        parts += [".", flat(datum)]
    return f"({' '.join(parts)})"


def _is_abbreviated(datum: Pair) -> bool:
    return (
        type(datum.car) is Symbol and datum.car in _ABBREVIATIONS and type(datum.cdr) is Pair and datum.cdr.cdr is NIL
    )
