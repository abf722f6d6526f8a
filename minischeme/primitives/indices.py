"""Indices and bounds of parts as arguments, into lists, strings, vectors and bytevectors.

Python takes negative and overlong ones silently; these checks don't.
"""

from minischeme.data.errors import SchemeError
from minischeme.data.values import Pair, Value
from minischeme.primitives.kinds import as_number

_GREATEST_LENGTH = 1 << 40


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
