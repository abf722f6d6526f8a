"""Integers: parity, division with remainder, common divisors (R7RS 6.2.6), and bits as in MIT Scheme and Racket.

Inexact integers are computed with exactly, and make the result inexact; only exact ones have bits.
"""

import math
import operator
from collections.abc import Callable
from functools import reduce
from typing import Annotated, Any

from minischeme.data.errors import SchemeError
from minischeme.data.rationals import exact_of, float_of
from minischeme.data.values import FALSE, TRUE, Boolean, MultipleValues, Value
from minischeme.primitives.elementary import MOST_BITS
from minischeme.primitives.kinds import Index, Integer, Kind, as_index, as_number
from minischeme.primitives.numbers import FiniteNumber, real_of
from minischeme.primitives.registry import primitive


def integer_of(number: Any) -> int:
    """The exact integer equal to a number; a TypeError if there is none."""
    if type(number) is int:
        return number
    if type(number) is float and number.is_integer():
        return int(number)
    raise TypeError("not an integer")


def _on_integers(operation: Callable[..., int], *values: Value) -> Any:
    """The result of `operation` for the values as exact integers; inexact if one of them is."""
    numbers = [real_of(value) for value in values]
    result = operation(*map(integer_of, numbers))
    return float_of(result) if any(type(number) is float for number in numbers) else result


def _parity(name: str, bit: int, example: str) -> None:
    @primitive(name, help_=f"Whether the integer n is {name[:-1]}.", example=example)
    def has_parity(n: Integer) -> Boolean:
        number = n if type(n) is int else integer_of(real_of(n))
        return TRUE if number & 1 == bit else FALSE


_parity("even?", 0, "(even? 4) → #t")
_parity("odd?", 1, "(odd? 4) → #f")


# Python's operators suffice for nonnegative exact integers, by far the most common case of division.
def _truncated_quotient(dividend: int, divisor: int) -> int:
    quotient = abs(dividend) // abs(divisor)
    return quotient if (dividend < 0) == (divisor < 0) else -quotient


def _truncated_remainder(dividend: int, divisor: int) -> int:
    return dividend - divisor * _truncated_quotient(dividend, divisor)


def _divided(name: str, operation: Callable[[int, int], int], dividend: Value, divisor: Value) -> Any:
    """The result of `operation` for two integers; a SchemeError if the second is 0."""
    try:
        return _on_integers(operation, dividend, divisor)
    except ZeroDivisionError:
        raise SchemeError(f"{name}: division by 0") from None


@primitive("quotient", "div", "truncate-quotient", example="(quotient 17 5) → 3")
def quotient(n1: Integer, n2: Integer) -> Any:
    """The integer n1 divided by n2, without the fraction."""
    if type(n1) is int and type(n2) is int and n1 >= 0 and n2 > 0:
        return n1 // n2
    return _divided("quotient", _truncated_quotient, n1, n2)


@primitive("remainder", "truncate-remainder", example="(remainder 17 5) → 2")
def remainder(n1: Integer, n2: Integer) -> Any:
    """What remains of n1 after division by n2; it has the sign of n1."""
    if type(n1) is int and type(n2) is int and n1 >= 0 and n2 > 0:
        return n1 % n2
    return _divided("remainder", _truncated_remainder, n1, n2)


@primitive("modulo", "floor-remainder", example="(modulo -1 5) → 4")
def modulo(n1: Integer, n2: Integer) -> Any:
    """What remains of n1 after division by n2; it has the sign of n2."""
    if type(n1) is int and type(n2) is int and n1 >= 0 and n2 > 0:
        return n1 % n2
    return _divided("modulo", operator.mod, n1, n2)


@primitive("floor-quotient")
def floor_quotient(n1: Integer, n2: Integer) -> Any:
    """The integer n1 divided by n2, rounded down."""
    return _divided("floor-quotient", operator.floordiv, n1, n2)


def _two_results(name: str, operations: tuple[Callable[[int, int], int], ...], how: str) -> None:
    @primitive(name, help_=f"Two values: n1 divided by n2, {how}, and what remains.")
    def divide(n1: Integer, n2: Integer) -> MultipleValues:
        return MultipleValues(tuple([_divided(name, operation, n1, n2) for operation in operations]))


_two_results("floor/", (operator.floordiv, operator.mod), "rounded down")
_two_results("truncate/", (_truncated_quotient, _truncated_remainder), "without the fraction")


def _of_all(name: str, operation: Callable[..., int], what: str, example: str) -> None:
    @primitive(name, help_=f"The {what} of the integers; {operation()} for none.", example=example)
    def of_all(*integers: Integer) -> Any:
        return _on_integers(operation, *integers)


_of_all("gcd", math.gcd, "greatest common divisor", "(gcd 12 18) → 6")
_of_all("lcm", math.lcm, "least common multiple", "(lcm 4 6) → 12")


def _part(name: str, part: Callable[[Any], int], remark: str = "") -> None:
    @primitive(name, help_=f"The {name} of the number q in lowest terms{remark}.")
    def part_of(q: FiniteNumber) -> Any:
        number = real_of(q)
        return float_of(part(exact_of(number))) if type(number) is float else part(number)


_part("numerator", lambda number: number.numerator)
_part("denominator", lambda number: number.denominator, ", which is positive")


@primitive("exact-integer-sqrt")
def exact_integer_sqrt(k: Integer) -> MultipleValues:
    """Two values: the greatest exact integer whose square is at most k, and what remains of k."""
    number = real_of(k)
    if type(number) is not int or number < 0:
        raise SchemeError("exact-integer-sqrt: bad number:", k)
    root = math.isqrt(number)
    return MultipleValues((root, number - root * root))


# ── Bits; a negative integer has ones without end in front ───────────────────────────────────────────────────────────
ExactInteger = Annotated[Any, Kind("not an exact integer", lambda value: type(as_number(value)) is int)]


def _exact_integer(value: Value) -> int:
    """The exact integer that `value` is, or stands for; a TypeError for every other value."""
    return operator.index(value if type(value) is int else as_number(value))  # type: ignore[arg-type]


def _bitwise(names: str, operation: Callable[[int, int], int], of_none: int, which: str, example: str) -> None:
    @primitive(*names.split(), help_=f"The bits that {which}.", example=example, dialect="berkeley")
    def of_integers(*integers: ExactInteger) -> int:
        return reduce(operation, map(_exact_integer, integers), of_none)


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


def _shift(name: str, sign: int, side: str, example: str) -> None:
    @primitive(name, help_=f"The integer with its bits moved to the {side}.", dialect="berkeley", example=example)
    def shift(integer: ExactInteger, amount: Index) -> int:
        return _shifted(name, integer, sign * as_index(amount))


_shift("shift-left", 1, "left", "(shift-left 1 10) → 1024")
_shift("shift-right", -1, "right", "(shift-right 1024 9) → 2")


def _shifted(name: str, integer: Value, shift: int) -> int:
    bits = _exact_integer(integer)
    if shift <= 0 or not bits:
        return bits >> abs(shift)
    if bits.bit_length() + shift > MOST_BITS:
        raise SchemeError(f"{name}: result too large:", integer, shift)
    return bits << shift
