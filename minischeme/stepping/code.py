"""Code as data with values in it, one part of which is marked, and its layout as text."""

from typing import NamedTuple

from minischeme.data.layout import pretty_printed
from minischeme.data.printer import write
from minischeme.data.values import NIL, Pair, Symbol, Value, intern

_MARK = "\0"  # around the marked part; `write` escapes it

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


def fresh(datum: Value) -> Value:
    """A datum that is shown as this one, and is identical to no other, so that it can be marked."""
    return Pair(datum.car, datum.cdr) if type(datum) is Pair else piece(flat(datum))


def laid_out(datum: Value, marked: Value, width: int) -> tuple[str, int, int]:
    """The text of code, in lines of a width, and where the part of it that is `marked` begins and ends."""
    text = pretty_printed(datum, width, flat)
    before, inside, _ = ("".join(part.split()) for part in flat(datum, marked).split(_MARK))
    places = [at for at, character in enumerate(text) if not character.isspace()]
    return text, places[len(before)], places[len(before + inside) - 1] + 1


def flat(datum: Value, marked: Value = None) -> str:
    """The text on one line, with ``'x`` for a quotation."""
    if datum is marked:
        return f"{_MARK}{flat(datum)}{_MARK}"
    if type(datum) is Symbol:
        if type(datum.meaning) is _Piece:
            return datum.meaning.text
        return datum.name if datum.name.startswith("#!") else write(datum)
    if type(datum) is not Pair:
        return write(datum)
    if type(datum.car) is Symbol and datum.car in _ABBREVIATIONS and type(datum.cdr) is Pair and datum.cdr.cdr is NIL:
        return _ABBREVIATIONS[datum.car] + flat(datum.cdr.car, marked)
    parts: list[str] = []
    while type(datum) is Pair:
        parts.append(flat(datum.car, marked))
        datum = datum.cdr
    if datum is not NIL:
        parts += [".", flat(datum, marked)]
    return f"({' '.join(parts)})"
