"""Code as data with values in it, one part of which may be marked, and its layout as text."""

from functools import lru_cache
from typing import NamedTuple

from minischeme.data.layout import pretty_printed
from minischeme.data.printer import symbols_fold, write
from minischeme.data.values import NIL, Pair, Symbol, Value, intern, list_of

_MARKS = "\u20d0", "\u20d1"
"""The characters before and after the marked part, repeated for each bracket between them and its atoms. They take no
column, so that lines are laid out as without them."""

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
        mark, text = _MARKS[not is_first] * (depth + 1), flat(datum)
        return piece(mark + text if is_first else text + mark, datum.name if type(datum) is Symbol else "")
    if is_first:
        return Pair(_with_mark(datum.car, True, depth + 1), datum.cdr)
    *items, last = datum
    return list_of([*items, _with_mark(last, False, depth + 1)])


def laid_out(datum: Value, width: int) -> tuple[str, int, int]:
    """The text of code, in lines of a width, and where the marked part begins and ends in it."""
    text = pretty_printed(datum, width, flat)
    first, last = (text.count(mark) for mark in _MARKS)
    start = text.find(_MARKS[0]) - first + 1 if first else 0
    end = text.find(_MARKS[1]) - first + last - 1 if last else 0
    return text.replace(_MARKS[0], "").replace(_MARKS[1], ""), start, end


def flat(datum: Value) -> str:
    """The text on one line, with ``'x`` for a quotation."""
    if type(datum) is Symbol:
        if type(datum.meaning) is _Piece:
            return datum.meaning.text
        return _written(datum, symbols_fold.get())
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


@lru_cache(4_096)
def _written(symbol: Symbol, _folds: bool) -> str:
    return symbol.name if symbol.name.startswith("#!") else write(symbol)


def _is_abbreviated(datum: Pair) -> bool:
    return (
        type(datum.car) is Symbol and datum.car in _ABBREVIATIONS and type(datum.cdr) is Pair and datum.cdr.cdr is NIL
    )
