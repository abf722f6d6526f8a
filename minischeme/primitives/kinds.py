"""The kinds of argument that standard procedures take, as annotations of their parameters, and their conversion.

A kind costs nothing while a procedure succeeds: a procedure fails by itself on a wrong argument, and only then are the
arguments held against the kinds to find the culprit (`minischeme.diagnosis.explain`).
"""

from collections.abc import Callable
from types import FunctionType
from typing import Annotated, Any

import msgspec

from minischeme.data import values
from minischeme.data.errors import SchemeError
from minischeme.data.numerals import decimal
from minischeme.data.rationals import NUMBER_TYPES, REAL_TYPES, Complex
from minischeme.data.rationals import Number as AnyNumber
from minischeme.data.rationals import Real as AnyReal
from minischeme.data.values import NIL, Environment, Pair, String, Symbol, Value, strings_are_numbers

_GREATEST_LENGTH = 1 << 40

WORD_TYPES = frozenset({Symbol, String, *NUMBER_TYPES})
"""The Python types whose instances are words."""


class Kind(msgspec.Struct, frozen=True):
    """A set of values."""

    complaint: str
    """The words of an error message for a value outside the set, such as ``bad string``."""
    test: Callable[[Value], bool]


def as_number(value: Value) -> AnyNumber | None:
    """The number that `value` is or, as a numeric string, stands for; None if it is neither."""
    return value if type(value) is Complex else as_real(value)


def as_real(value: Value) -> AnyReal | None:
    """The real number that `value` is or, as a numeric string, stands for; None if it is neither."""
    kind = type(value)
    if kind in REAL_TYPES:
        return value  # type: ignore[no-any-return]
    if kind is String and strings_are_numbers.get():
        return decimal(value.text)
    return None


def number_complaint(value: Value, complaint: str) -> str:
    """The complaint about an argument of the wrong kind; another one where a complex number stands for a real one."""
    return "not a real number" if type(value) is Complex and complaint.endswith("number") else complaint


def check_type(type_: type, *arguments: Value) -> None:
    """Raise a TypeError for a value of another type, where that would go unnoticed."""
    for argument in arguments:
        of_type(type_, argument)


def of_type(type_: type, value: Value) -> Any:
    """The value itself; a TypeError for one of another type."""
    if type(value) is not type_:
        raise TypeError(f"not a {type_.__name__}")
    return value


def check_procedure(*procedures: Value) -> None:
    """Raise a TypeError for what is no procedure, and so would go unnoticed where nothing has to be called."""
    for procedure in procedures:
        if type(procedure) is not FunctionType:
            raise TypeError("not a procedure")


def is_integer(value: Value) -> bool:
    """Whether `value` is an integer, exact or not, or stands for one."""
    number = as_real(value)
    return type(number) is int or (isinstance(number, float) and number.is_integer())


def is_index(value: Value) -> bool:
    """Whether `value` is an exact integer that is not negative, or stands for one."""
    number = as_number(value)
    return type(number) is int and number >= 0


def is_list(value: Value) -> bool:
    """Whether `value` is a proper list: neither dotted nor circular."""
    slow = value
    while type(value) is Pair:
        value = value.cdr
        if type(value) is not Pair:
            break
        value = value.cdr
        slow = slow.cdr
        if value is slow:
            return False
    return value is NIL


def is_word(value: Value) -> bool:
    """Whether `value` is a word: a symbol, a string or a number."""
    return type(value) in WORD_TYPES


# ── Indices and bounds: Python takes negative and overlong ones silently ──────────────────────────────────────────────
def as_index(value: Value) -> int:
    """The exact, non-negative integer that `value` is, or stands for; a TypeError for every other value."""
    number = value if type(value) is int else as_number(value)
    if type(number) is not int or number < 0:
        raise TypeError("not an index")
    return number


def as_length(operator: str, value: Value) -> int:
    """The length of something to be made, as `as_index`; a SchemeError for more than any memory holds."""
    number = as_index(value)
    if number > _GREATEST_LENGTH:
        raise SchemeError(f"{operator}: too long:", value)
    return number


def position(operator: str, value: Value, length: int) -> int:
    """An index below `length`, as `as_index`; a SchemeError for one out of bounds."""
    number = as_index(value)
    if number >= length:
        raise out_of_bounds(operator, value, length)
    return number


def out_of_bounds(operator: str, value: Value, length: int) -> SchemeError:
    """The error for an index that nothing of that length has."""
    last = f", so the last index is {length - 1}" if length else ""
    return SchemeError(f"{operator}: index out of bounds:", value, hint=f"the length is {length}{last}")


def bounds(operator: str, length: int, start: Value, end: Value) -> tuple[int, int]:
    """The bounds of a part of something `length` long; an end of None is its own. A SchemeError if they don't fit."""
    first = as_index(start)
    last = length if end is None else as_index(end)
    if not first <= last <= length:
        bad = Pair(start, length if end is None else end)
        raise SchemeError(f"{operator}: bad bounds:", bad, hint=f"the length is {length}")
    return first, last


def part(operator: str, sequence: Any, start: Value, end: Value) -> Any:
    """The part of a Python sequence within `bounds`."""
    first, last = bounds(operator, len(sequence), start, end)
    return sequence[first:last]


# ── Kinds ────────────────────────────────────────────────────────────────────────────────────────────────────────────
Word = Annotated[Any, Kind("not a word", is_word)]
Number = Annotated[Any, Kind("bad number", lambda value: as_number(value) is not None)]
Real = Annotated[Any, Kind("bad number", lambda value: as_real(value) is not None)]
Integer = Annotated[Any, Kind("not an integer", is_integer)]
Index = Annotated[Any, Kind("bad index", is_index)]
PairArg = Annotated[Pair, Kind("wrong type of argument", lambda value: type(value) is Pair)]
List = Annotated[Any, Kind("not a list", is_list)]
Procedure = Annotated[Any, Kind("not a procedure", lambda value: type(value) is FunctionType)]
SymbolArg = Annotated[Symbol, Kind("bad symbol", lambda value: type(value) is Symbol)]
StringArg = Annotated[String, Kind("bad string", lambda value: type(value) is String)]
CharArg = Annotated[values.Char, Kind("bad character", lambda value: type(value) is values.Char)]
VectorArg = Annotated[values.Vector, Kind("not a vector", lambda value: type(value) is values.Vector)]
BytevectorArg = Annotated[values.Bytevector, Kind("not a bytevector", lambda value: type(value) is values.Bytevector)]
BooleanArg = Annotated[values.Boolean, Kind("not a boolean", lambda value: type(value) is values.Boolean)]
PromiseArg = Annotated[values.Promise, Kind("Not a promise", lambda value: type(value) is values.Promise)]
EnvironmentArg = Annotated[Any, Kind("not an environment", lambda value: type(value) is Environment)]
