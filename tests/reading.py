"""Reading a text, for tests: its forms as Python's data, and its error."""

from __future__ import annotations

from typing import Any

import pytest

from minischeme.data.errors import ReadError
from minischeme.data.source import Source
from minischeme.data.values import NIL, Bytevector, Char, Pair, String, Symbol, Value, Vector
from minischeme.reading.forms import Form
from minischeme.reading.reader import read


def forms(text: str, **options: Any) -> list[Form]:
    return list(read(Source(text, "<test>"), **options))


def plain(datum: Value) -> Any:
    """A datum in Python's terms, to compare: symbols as str, strings as ("string", text), dotted pairs as tuples."""
    if isinstance(datum, Symbol):
        return datum.name
    if isinstance(datum, String):
        return "string", datum.text
    if isinstance(datum, Char):
        return "char", datum.char
    if isinstance(datum, Vector):
        return "vector", [plain(item) for item in datum]
    if isinstance(datum, Bytevector):
        return "bytes", bytes(datum)
    if datum is NIL:
        return []
    if isinstance(datum, Pair):
        items = []
        while isinstance(datum, Pair):
            items.append(plain(datum.car))
            datum = datum.cdr
        return items if datum is NIL else (*items, ".", plain(datum))
    return datum


def all_plain(text: str, **options: Any) -> list[Any]:
    return [plain(form.datum) for form in forms(text, **options)]


def failure(text: str) -> tuple[ReadError, list[Any]]:
    """The error of a text, and what was read before it."""
    before: list[Any] = []
    with pytest.raises(ReadError) as caught:
        before.extend(plain(form.datum) for form in read(Source(text, "<test>")))
    return caught.value, before


def outcome(text: str) -> tuple[list[Form], ReadError | None]:
    """What was read, and the error that ended it, if any."""
    read_forms: list[Form] = []
    try:
        read_forms.extend(read(Source(text, "<test>")))
    except ReadError as error:
        return read_forms, error
    return read_forms, None
