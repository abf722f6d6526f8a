"""Integers, exact or not: parity, division with remainder, common divisors (R7RS 6.2.6).

Inexact integers are computed with exactly, and make the result inexact.
"""

import math
import operator
from collections.abc import Callable
from typing import Any

from minischeme.data.errors import SchemeError
from minischeme.data.rationals import float_of
from minischeme.data.values import FALSE, TRUE, Boolean, MultipleValues, Value, boolean
from minischeme.primitives.kinds import Integer
from minischeme.primitives.numbers import FiniteNumber, exact, real_of
from minischeme.primitives.registry import family_member, primitive


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


@primitive("even?", example="(even? 4) → #t")
def is_even(n: Integer) -> Boolean:
    """Whether the integer n is even."""
    if type(n) is int:
        return FALSE if n & 1 else TRUE
    return boolean(integer_of(real_of(n)) & 1 == 0)


@primitive("odd?", example="(odd? 4) → #f")
def is_odd(n: Integer) -> Boolean:
    """Whether the integer n is odd."""
    if type(n) is int:
        return TRUE if n & 1 else FALSE
    return boolean(integer_of(real_of(n)) & 1 == 1)


# Python's operators suffice for nonnegative exact integers, by far the most common case of division.
def _truncated_quotient(dividend: int, divisor: int) -> int:
    quotient = abs(dividend) // abs(divisor)
    return quotient if (dividend < 0) == (divisor < 0) else -quotient


def _truncated_remainder(dividend: int, divisor: int) -> int:
    remainder = abs(dividend) % abs(divisor)
    return remainder if dividend >= 0 else -remainder


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
    def divide(n1: Integer, n2: Integer) -> MultipleValues:
        return MultipleValues(tuple([_divided(name, operation, n1, n2) for operation in operations]))

    family_member(divide, name, help_=f"Two values: n1 divided by n2, {how}, and what remains.")


_two_results("floor/", (operator.floordiv, operator.mod), "rounded down")
_two_results("truncate/", (_truncated_quotient, _truncated_remainder), "without the fraction")


@primitive("gcd", example="(gcd 12 18) → 6")
def greatest_common_divisor(*integers: Integer) -> Any:
    """The greatest common divisor of the integers; 0 for none."""
    return _on_integers(math.gcd, *integers)


@primitive("lcm", example="(lcm 4 6) → 12")
def least_common_multiple(*integers: Integer) -> Any:
    """The least common multiple of the integers; 1 for none."""
    return _on_integers(math.lcm, *integers)


def _part(name: str, part: Callable[[Any], int], remark: str = "") -> None:
    def part_of(q: FiniteNumber) -> Any:
        number = real_of(q)
        if type(number) is not float:
            return part(number)
        if not math.isfinite(number):
            raise ValueError("not a ratio of integers")
        return float_of(part(exact(number)))

    family_member(part_of, name, help_=f"The {name} of the number q in lowest terms{remark}.")


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
