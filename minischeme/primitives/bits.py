"""Integers as rows of bits, a negative one with ones without end in front, as in MIT Scheme and Racket."""

from __future__ import annotations

import operator
from functools import reduce
from typing import Annotated, Any

from minischeme.data.errors import SchemeError
from minischeme.data.values import Value
from minischeme.primitives.indices import as_index
from minischeme.primitives.kinds import Index, Kind, as_number
from minischeme.primitives.registry import primitive

_MOST_BITS = 10_000_000
"""No result is longer, as with `expt`."""


def _exact_integer(value: Value) -> int:
    """The exact integer that `value` is, or stands for; a TypeError for every other value."""
    return operator.index(value if type(value) is int else as_number(value))  # type: ignore[arg-type]


ExactInteger = Annotated[Any, Kind("not an exact integer", lambda value: type(as_number(value)) is int)]


@primitive("bitwise-and", "bit-and", dialect="berkeley", example="(bitwise-and 12 10) → 8")
def bitwise_and(*integers: ExactInteger) -> int:
    """The bits that all the integers have."""
    return reduce(operator.and_, map(_exact_integer, integers), -1)


@primitive("bitwise-or", "bit-or", "bitwise-ior", dialect="berkeley", example="(bitwise-or 12 10) → 14")
def bitwise_or(*integers: ExactInteger) -> int:
    """The bits that any of the integers has."""
    return reduce(operator.or_, map(_exact_integer, integers), 0)


@primitive("bitwise-xor", "bit-xor", dialect="berkeley", example="(bitwise-xor 12 10) → 6")
def bitwise_xor(*integers: ExactInteger) -> int:
    """The bits that an odd number of the integers have."""
    return reduce(operator.xor, map(_exact_integer, integers), 0)


@primitive("bitwise-not", "bit-not", dialect="berkeley", example="(bitwise-not 5) → -6")
def bitwise_not(integer: ExactInteger) -> int:
    """The bits that an integer does not have."""
    return ~_exact_integer(integer)


@primitive("arithmetic-shift", dialect="berkeley", example="(arithmetic-shift 8 -1) → 4")
def arithmetic_shift(integer: ExactInteger, shift: ExactInteger) -> int:
    """The integer with its bits moved to the left, or to the right if the shift is negative."""
    return _shifted("arithmetic-shift", integer, _exact_integer(shift))


@primitive("shift-left", dialect="berkeley", example="(shift-left 1 10) → 1024")
def shift_left(integer: ExactInteger, amount: Index) -> int:
    """The integer with its bits moved to the left."""
    return _shifted("shift-left", integer, as_index(amount))


@primitive("shift-right", dialect="berkeley", example="(shift-right 1024 9) → 2")
def shift_right(integer: ExactInteger, amount: Index) -> int:
    """The integer with its bits moved to the right."""
    return _shifted("shift-right", integer, -as_index(amount))


def _shifted(name: str, integer: Value, shift: int) -> int:
    bits = _exact_integer(integer)
    if shift <= 0:
        return bits >> -shift
    if bits and bits.bit_length() + shift > _MOST_BITS:
        raise SchemeError(f"{name}: result too large:", integer, shift)
    return bits << shift if bits else 0
