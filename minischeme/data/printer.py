"""`write` and `display`: any value as text, without recursion and safe for cycles."""

import sys
from collections.abc import Callable
from contextvars import ContextVar
from reprlib import Repr
from types import FunctionType
from typing import Any

from minischeme.data.cpython import last_constant
from minischeme.data.numerals import format_number, reads_as_symbol
from minischeme.data.rationals import Complex, Rational
from minischeme.data.values import NIL, Char, MultipleValues, Pair, SchemeObject, String, Symbol, Value, Vector, list_of

symbols_fold: ContextVar[bool] = ContextVar("symbols_fold", default=True)
"""Whether the running session reads symbols in lower case, so that others have to be written in bars."""

_PLAIN_PIECES = 2_000  # of text that are written before the search for cycles is worth its time
_SMALL_INT_LIMIT = 10**18  # Python writes smaller numbers at once; for others it has a limit that `numerals` avoids


def write(value: Value) -> str:
    """The text of a value as the reader takes it; labels such as ``#0=`` only where there are cycles (R7RS 6.13.3)."""
    kind = type(value)
    if kind is int and -_SMALL_INT_LIMIT < value < _SMALL_INT_LIMIT:
        return f"{value}"  # faster than str()
    return _text(value, _written) if kind in _CONTAINERS else _written(value)


def display(value: Value) -> str:
    """The text of a value for people: strings, characters and symbols bare, also inside lists."""
    kind = type(value)
    if kind is int and -_SMALL_INT_LIMIT < value < _SMALL_INT_LIMIT:
        return f"{value}"  # faster than str()
    return _text(value, _displayed) if kind in _CONTAINERS else _displayed(value)


def write_shared(value: Value) -> str:
    """The text of `write` with a label for every pair and vector that occurs more than once (R7RS 6.13.3)."""
    if type(value) not in _CONTAINERS:
        return _written(value)
    return _labelled(value, _written, _met_again(value, everywhere=True))


def is_circular(value: Value) -> bool:
    """Whether a value contains itself, or a part that does."""
    return type(value) in _CONTAINERS and bool(_met_again(value))


_CONTAINERS = {Pair: ("(", " ", ")"), Vector: ("#(", " ", ")"), MultipleValues: ("", "\n", "")}
"""The types whose parts are values, each with the text before, between and after the parts."""


def _text(value: Value, atom: Callable[[Value], str]) -> str:
    """The text of a container with its atoms written by `atom`; large data is searched for cycles first."""
    text = _container_text(value, atom, {}, _PLAIN_PIECES)
    return _labelled(value, atom, _met_again(value)) if text is None else text


def _labelled(value: Value, atom: Callable[[Value], str], labelled: set[int]) -> str:
    """The text of a container with labels for the `labelled` containers in it."""
    text = _container_text(value, atom, dict.fromkeys(labelled), sys.maxsize)
    assert text is not None
    return text


def _container_text(
    value: Value, atom: Callable[[Value], str], labels: dict[int, int | None], most_pieces: int
) -> str | None:
    """The text of a container, or None if that has more than `most_pieces`; containers with ids in `labels` get one."""
    pieces: list[str] = []
    append = pieces.append
    numbered = 0
    # In reverse order: containers, texts, and as tuples the rests of lists after an element, with what is between and
    # after the elements.
    pending: list[Any] = [value]
    while pending:
        item = pending.pop()
        kind = type(item)
        if kind is str:
            append(item)
            continue
        if kind is tuple:
            cell, between, closing = item
            separator = between
        else:
            if id(item) in labels:
                if labels[id(item)] is not None:
                    append(f"#{labels[id(item)]}#")
                    continue
                append(f"#{numbered}=")
                labels[id(item)] = numbered
                numbered += 1
            separator, between, closing = _CONTAINERS[kind]
            cell = item if kind is Pair else list_of(item if kind is Vector else item.items)
            if cell is NIL:
                append(separator)
        while type(cell) is Pair and (separator is not between or id(cell) not in labels):
            if len(pieces) > most_pieces:
                return None
            append(separator)
            separator = between
            element = cell.car
            cell = cell.cdr
            if type(element) in _CONTAINERS:
                pending += (closing if cell is NIL else (cell, between, closing), element)
                break
            append(atom(element))
        else:
            if cell is NIL:
                append(closing)
            else:
                append(" . ")
                pending += (closing, cell if type(cell) in _CONTAINERS else atom(cell))
    return "".join(pieces)


def _met_again(value: Value, *, everywhere: bool = False) -> set[int]:
    """The ids of the containers that a depth-first walk meets again inside themselves or, if `everywhere`, at all."""
    found: set[int] = set()
    inside: dict[int, bool] = {}
    pending: list[Any] = [value]  # containers to enter, and ids (ints are no containers) of those to leave
    while pending:
        node = pending.pop()
        kind = type(node)
        if kind is int:
            inside[node] = False
            continue
        state = inside.get(id(node))
        if state is None:
            inside[id(node)] = True
            pending.append(id(node))
            if kind is Pair:
                if type(node.cdr) in _CONTAINERS:
                    pending.append(node.cdr)
                if type(node.car) in _CONTAINERS:
                    pending.append(node.car)
            else:
                items = node if kind is Vector else node.items
                pending += [item for item in reversed(items) if type(item) in _CONTAINERS]
        elif state or everywhere:
            found.add(id(node))
    return found


def _written(value: Value) -> str:
    kind = type(value)
    if kind is Symbol:
        return _symbol(value.name)
    if kind is String:
        return f'"{value.text.translate(_STRING_ESCAPES)}"'
    return _other(value)


def _displayed(value: Value) -> str:
    kind = type(value)
    if kind is Symbol:
        return str(value.name)
    if kind is String:
        return str(value.text)
    if kind is Char:
        return str(value.char)
    return _other(value)


def _other(value: Value) -> str:
    """The text of an atom that is the same in `write` and `display`."""
    kind = type(value)
    if kind is int and -_SMALL_INT_LIMIT < value < _SMALL_INT_LIMIT:
        return f"{value}"
    if kind is int or kind is float or kind is Rational or kind is Complex:
        return format_number(value)
    if kind is FunctionType:
        return _procedure(value)
    if isinstance(value, SchemeObject):
        return repr(value)
    if callable(value):
        return f"#[procedure {getattr(value, '__name__', kind.__name__)} {id(value):x}]"
    return f"#[python {_FOREIGN.repr(value)}]"


def _symbol(name: str) -> str:
    return name if reads_as_symbol(name, fold_case=symbols_fold.get()) else f"|{name.translate(_SYMBOL_ESCAPES)}|"


def _procedure(function: FunctionType) -> str:
    """The text of a procedure, from its metadata or last constant; a wrapper of `trace` is shown as what it traces."""
    function = function.__dict__.get("traced", function)
    primitive = function.__dict__.get("primitive")
    if primitive is not None:
        return f"#[subr {primitive.names[0]}]"
    header = last_constant(function.__code__)
    parameters = getattr(header, "parameters", None)
    if parameters is None:
        return f"#[procedure {function.__name__} {id(function):x}]"
    rest = getattr(header, "rest", None)
    names = [*map(_symbol, parameters), *([".", _symbol(rest)] if rest is not None else [])]
    lambda_list = f"({' '.join(names)})" if parameters or rest is None else _symbol(rest)
    return f"#[closure arglist={lambda_list} {id(function):x}]"


_CONTROL_ESCAPES = {code: f"\\x{code:x};" for code in (*range(0x20), 0x7F)} | str.maketrans(
    {"\a": "\\a", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\r": "\\r", "\\": "\\\\"}
)
_STRING_ESCAPES = _CONTROL_ESCAPES | str.maketrans({'"': '\\"'})
_SYMBOL_ESCAPES = _CONTROL_ESCAPES | str.maketrans({"|": "\\|"})

_FOREIGN = Repr()  # of Python objects of an embedding program: at most a line
_FOREIGN.maxother = _FOREIGN.maxstring = 100
