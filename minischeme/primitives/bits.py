"""Integers as rows of bits, a negative one with ones without end in front, as in MIT Scheme and Racket."""

import operator
from collections.abc import Callable
from functools import reduce
from typing import Annotated, Any

from minischeme.data.errors import SchemeError
from minischeme.data.values import Value
from minischeme.primitives.indices import as_index
from minischeme.primitives.kinds import Index, Kind, as_number
from minischeme.primitives.registry import family_member, primitive

_MOST_BITS = 10_000_000
"""The most bits of a result, as with `expt`."""


def _exact_integer(value: Value) -> int:
    """The exact integer that `value` is, or stands for; a TypeError for every other value."""
    return operator.index(value if type(value) is int else as_number(value))  # type: ignore[arg-type]


ExactInteger = Annotated[Any, Kind("not an exact integer", lambda value: type(as_number(value)) is int)]


def _bitwise(names: str, operation: Callable[[int, int], int], of_none: int, which: str, example: str) -> None:
    def of_integers(*integers: ExactInteger) -> int:
        return reduce(operation, map(_exact_integer, integers), of_none)

    family_member(of_integers, *names.split(), help_=f"The bits that {which}.", example=example, dialect="berkeley")


_bitwise("bitwise-and bit-and", operator.and_, -1, "all the integers have", "(bitwise-and 12 10) → 8")
_bitwise("bitwise-or bit-or bitwise-ior", operator.or_, 0, "any of the integers has", "(bitwise-or 12 10) → 14")
_bitwise("bitwise-xor bit-xor", operator.xor, 0, "an odd number of the integers have", "(bitwise-xor 12 10) → 6")


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
