"""Scheme constants as plain data that `marshal` takes, and back: what code that is kept in a file refers to.

What is one object stays one, also where data share parts or contain themselves. Leaves files to `code_cache`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from types import BuiltinFunctionType, FunctionType
from typing import Any

from minischeme.data.numerals import format_number, parse_number
from minischeme.data.rationals import Complex, Rational
from minischeme.data.values import (
    DEFAULT,
    EOF,
    FALSE,
    NIL,
    TRUE,
    UNSPECIFIED,
    Bytevector,
    Char,
    Pair,
    RecordType,
    String,
    Symbol,
    Value,
    Vector,
    intern,
)
from minischeme.expansion.forms.multiple_values import Expected
from minischeme.runtime.tail_calls import TailCall

Record = tuple[Any, ...]
"""What is kept of a constant: its kind, then what makes it; other constants by their numbers."""

_UNIQUE: dict[str, Value] = {
    **{repr(value): value for value in (TRUE, FALSE, NIL, UNSPECIFIED, EOF, DEFAULT)},
}
_NAMES_OF_UNIQUE = {id(value): name for name, value in _UNIQUE.items()}


class NotPlain(Exception):
    """A constant that only the running process can have, such as a procedure of the program."""


class ConstantWriter:
    """Numbers the constants of a text's forms. `records` is what is kept of them.

    Args: records: what is kept already, which stays as it is. library: the session's, whose procedures are kept by
    name. tail_call: its register.
    """

    def __init__(self, records: Iterable[Record], library: dict[str, Value], tail_call: TailCall) -> None:
        self.records = list(records)
        self._tail_call = tail_call
        self._library = {id(value): name for name, value in library.items() if type(value) is FunctionType}
        self._numbers: dict[int, int] = {}
        self._constants: list[Value] = [None] * len(self.records)  # known by identity: they must live

    def numbers(self, constants: Iterable[Value]) -> tuple[int, ...]:
        """The numbers of constants, as they are now.

        Raises: NotPlain.
        """
        known = len(self._constants)
        try:
            numbers = tuple([self._number(constant) for constant in constants])
            while len(self.records) < len(self._constants):
                self.records.append(self._record(self._constants[len(self.records)]))
        except NotPlain:
            for constant in self._constants[known:]:
                del self._numbers[id(constant)]
            del self._constants[known:], self.records[known:]
            raise
        return numbers

    def _number(self, constant: Value) -> int:
        number = self._numbers.get(id(constant))
        if number is None:
            number = self._numbers[id(constant)] = len(self._constants)
            self._constants.append(constant)
        return number

    def _record(self, constant: Value) -> Record:
        if id(constant) in _NAMES_OF_UNIQUE:
            return ("unique", _NAMES_OF_UNIQUE[id(constant)])
        kind: Any = type(constant)
        make = _RECORDS.get(kind)
        if make is not None:
            return make(constant)
        if kind is Pair:
            return ("pair", self._number(constant.car), self._number(constant.cdr))
        if kind is Vector:
            return ("vector", *map(self._number, constant))
        if constant is self._tail_call:
            return ("tail call",)
        if id(constant) in self._library:
            return ("library", self._library[id(constant)])
        if isinstance(constant, FunctionType | BuiltinFunctionType | type):
            place = constant.__module__, constant.__qualname__
            with suppress(LookupError):
                if _python_object(*place) is constant:
                    return ("python", *place)
        raise NotPlain


def _symbol(symbol: Symbol) -> Record:
    if Symbol.table.get(symbol.name) is not symbol:
        raise NotPlain
    return ("symbol", symbol.name)


_RECORDS: dict[type, Callable[[Any], Record]] = {
    int: lambda constant: ("number", constant),
    float: lambda constant: ("number", constant),
    Rational: lambda constant: ("numeral", format_number(constant)),
    Complex: lambda constant: ("numeral", format_number(constant)),
    Symbol: _symbol,
    String: lambda constant: ("string", constant.text),
    Char: lambda constant: ("character", constant.text),
    Bytevector: lambda constant: ("bytes", bytes(constant)),
    RecordType: lambda constant: ("record type", constant.name, constant.fields),
    Expected: lambda constant: ("expected", *constant),
}


def read_constants(records: Iterable[Record], library: dict[str, Value], tail_call: TailCall) -> list[Value]:
    """The constants that a `ConstantWriter` has numbered, fresh ones, by their numbers.

    Args: library, tail_call: the session's.
    Raises: LookupError for a procedure that there is not.
    """
    make = _MAKERS | {"library": library.__getitem__, "tail call": lambda: tail_call}
    constants = [make[kind](*details) for kind, *details in records]
    for constant, record in zip(constants, records, strict=True):
        if record[0] == "pair":
            constant.car, constant.cdr = constants[record[1]], constants[record[2]]
        elif record[0] == "vector":
            constant[:] = [constants[number] for number in record[1:]]
    return constants


def _python_object(module: str | None, name: str) -> Any:
    """What a module of ours, or Python's own namespace, has under a dotted name.

    Raises: LookupError if it has nothing.
    """
    if module is None or not (module == "builtins" or module.startswith("minischeme.")):
        raise LookupError(module)
    found: Any = sys.modules[module]
    for part in name.split("."):
        if not hasattr(found, part):
            raise LookupError(name)
        found = getattr(found, part)
    return found


_MAKERS: dict[str, Callable[..., Value]] = {
    "number": lambda number: number,
    "numeral": parse_number,
    "string": String,
    "character": Char.of,
    "bytes": Bytevector,
    "record type": RecordType,
    "expected": Expected,
    "pair": lambda car, cdr: Pair(NIL, NIL),
    "vector": lambda *items: Vector(),
    "symbol": intern,
    "unique": _UNIQUE.__getitem__,
    "python": _python_object,
}
