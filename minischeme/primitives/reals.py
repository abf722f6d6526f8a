"""Real numbers: rounding, roots, powers, logarithms and trigonometry (R7RS 6.2.6).

Results are exact where nothing is lost by it. There are no complex numbers: ``(sqrt -4)`` is an error.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from minischeme.errors import SchemeError
from minischeme.numeric import Number as AnyNumber
from minischeme.numeric import Rational, exact_ratio
from minischeme.primitives.kinds import Number
from minischeme.primitives.numbers import exact, float_of, number_of
from minischeme.primitives.registry import primitive
from minischeme.values import Value

_MOST_BITS = 10_000_000
"""`expt` refuses a larger exact result: 10 million bits take a second, and the time grows faster than they do."""

_SMALL, _LARGE = 1e-300, 1e300
"""Exact numbers between these are surely near a float."""


# Rounding


def _rounded(function: Callable[[Any], int], x: Value) -> AnyNumber:
    """Round a number to an integer by `function`; the result is as exact as the number."""
    number = number_of(x)
    if type(number) is int:
        return number
    if type(number) is not float:
        return function(number)
    # The sign matters for zero only: (round -.4) is -0.0.
    return math.copysign(float(function(number)), number) if math.isfinite(number) else number


@primitive("floor")
def floor(x: Number) -> Any:
    """The greatest integer that is at most x.

    Example: (floor 2.6) → 2.0
    """
    return _rounded(math.floor, x)


@primitive("ceiling")
def ceiling(x: Number) -> Any:
    """The least integer that is at least x."""
    return _rounded(math.ceil, x)


@primitive("truncate")
def truncate(x: Number) -> Any:
    """The number x without its fraction."""
    return _rounded(math.trunc, x)


@primitive("round", dialect="r7rs")
def round_number(x: Number) -> Any:
    """The integer nearest to x; the even one of two.

    Example: (round 2.6) → 3
    """
    return _rounded(round, x)


@primitive("round", dialect="berkeley")
def round_exact(x: Number) -> Any:
    """The exact integer nearest to x; the even one of two."""
    number = number_of(x)
    if type(number) is float and not math.isfinite(number):
        raise SchemeError("round: bad number:", x)
    return round(number)


@primitive("rationalize")
def rationalize(x: Number, y: Number) -> Any:
    """The simplest rational number that differs from x by no more than y."""
    number, tolerance = number_of(x), number_of(y)
    if type(number) is not float and type(tolerance) is not float:
        return _simplest_within(number, tolerance)
    if math.isnan(number) or math.isnan(tolerance):
        return math.nan
    if math.isinf(tolerance):
        return math.nan if math.isinf(number) else 0.0
    if math.isinf(number):
        return number
    return float_of(_simplest_within(exact(number), exact(tolerance)))


def _simplest_within(number: int | Rational, tolerance: int | Rational) -> int | Rational:
    low = Fraction(number) - abs(Fraction(tolerance))
    high = Fraction(number) + abs(Fraction(tolerance))
    if low <= 0 <= high:
        return 0
    simplest = _simplest_between(low, high) if low > 0 else -_simplest_between(-high, -low)
    return exact_ratio(simplest.numerator, simplest.denominator)


def _simplest_between(low: Fraction, high: Fraction) -> Fraction:
    """The fraction of least denominator between two positive bounds: their continued fractions as far as they agree."""
    terms = []
    while True:
        whole = math.ceil(low)
        if whole <= high:
            break
        terms.append(whole - 1)
        low, high = 1 / (high - (whole - 1)), 1 / (low - (whole - 1))
    result = Fraction(whole)
    for term in reversed(terms):
        result = term + 1 / result
    return result


# Roots and powers


@primitive("sqrt")
def sqrt(z: Number) -> Any:
    """The square root of the number z; exact where it can be.

    Example: (sqrt 16) → 4
    """
    number = number_of(z)
    if number < 0:
        raise SchemeError("sqrt: bad number:", z)
    return _root(number)


def _root(number: Any) -> AnyNumber:
    """The square root of a number that is not negative."""
    if type(number) is float:
        return math.sqrt(number)
    numerator, denominator = math.isqrt(number.numerator), math.isqrt(number.denominator)
    if numerator * numerator == number.numerator and denominator * denominator == number.denominator:
        return exact_ratio(numerator, denominator)
    # A power of four brings the number near 1, where it surely is a float.
    halvings = (number.numerator.bit_length() - number.denominator.bit_length()) // 2
    if abs(halvings) < 500:
        return math.sqrt(number)
    try:
        return math.ldexp(math.sqrt(Fraction(number) / Fraction(4) ** halvings), halvings)
    except OverflowError:
        return math.inf


@primitive("expt")
def expt(z1: Number, z2: Number) -> Any:
    """The number z1 to the power of z2.

    Example: (expt 2 10) → 1024
    """
    base, exponent = number_of(z1), number_of(z2)
    if type(base) is not float:
        if base == 0 and exponent < 0:
            raise SchemeError("expt: division by 0")
        if type(exponent) is int:
            return _exact_power(base, exponent)
        if type(exponent) is Rational and exponent.denominator == 2 and base > 0:
            root = _root(base)
            if type(root) is not float:
                return _exact_power(root, exponent.numerator)
    if base < 0:
        if type(exponent) is float and math.isinf(exponent):
            return math.pow(float_of(base), exponent)
        if exponent != exponent:
            return math.nan
        if exponent != math.floor(exponent):
            raise SchemeError("expt: bad number:", z1)
        power = _float_power(-base, exponent)
        return -power if int(exponent) & 1 else power
    return _float_power(base, exponent)


def _exact_power(base: Any, exponent: int) -> int | Rational:
    """An exact number, not 0 if `exponent` is negative, to the power of an integer.

    Raises: SchemeError when the result would take more than `_MOST_BITS` bits.
    """
    magnitude = max(abs(base.numerator), base.denominator)
    if magnitude > 1 and abs(exponent) > _MOST_BITS / math.log2(magnitude):
        raise SchemeError("expt: result too large:", base, exponent)
    if type(base) is int and exponent < 0:
        return exact_ratio(1, base**-exponent)
    power: int | Rational = base**exponent
    return power


def _float_power(base: Any, exponent: Any) -> float:
    """A number that is not negative to any power, as a float."""
    if base == 1:
        return 1.0
    power = float_of(exponent)
    if base == 0:
        return math.inf if power < 0 else math.pow(0.0, power)
    if type(base) is not float and not _SMALL < base < _LARGE:
        return _exponential(_logarithm(base) * power)
    try:
        return math.pow(base, power)
    except OverflowError:
        return math.inf


# Exponentials and logarithms


def _exponential(x: float) -> float:
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def _logarithm(number: Any) -> float:
    """The natural logarithm of a number above 0, of any size."""
    if type(number) is Rational and not _SMALL < number < _LARGE:
        return math.log(number.numerator) - math.log(number.denominator)
    return math.log(number)


@primitive("exp")
def exp(z: Number) -> Any:
    """The number e to the power of z."""
    number = number_of(z)
    if type(number) is int and number == 0:
        return 1
    return _exponential(float_of(number))


@primitive("log")
def log(z: Number, base: Number = math.e) -> Any:
    """The logarithm of z: the natural one, or that to the base."""
    number, base_number = number_of(z), number_of(base)
    for value, argument in ((number, z), (base_number, base)):
        if value < 0:
            raise SchemeError("log: bad number:", argument)
    if base_number == 0 or base_number == 1:
        raise SchemeError("log: bad number:", base)
    if type(number) is int and number == 1:
        return 0
    if number == 0:
        return -math.inf if base_number > 1 else math.inf
    if base_number == math.e:
        return _logarithm(number)
    # Python's own are exact for powers of these two bases.
    if type(number) is not Rational and base_number == 2:
        return math.log2(number)
    if type(number) is not Rational and base_number == 10:
        return math.log10(number)
    return _logarithm(number) / _logarithm(base_number)


# Trigonometry


def _of_angle(function: Callable[[float], float], number: AnyNumber) -> float:
    """A trigonometric function of a number in radians; not a number at infinity."""
    angle = float_of(number)
    return function(angle) if math.isfinite(angle) else math.nan


@primitive("sin")
def sin(z: Number) -> Any:
    """The sine of the number z of radians."""
    number = number_of(z)
    return 0 if type(number) is int and number == 0 else _of_angle(math.sin, number)


@primitive("cos")
def cos(z: Number) -> Any:
    """The cosine of the number z of radians."""
    number = number_of(z)
    return 1 if type(number) is int and number == 0 else _of_angle(math.cos, number)


@primitive("tan")
def tan(z: Number) -> Any:
    """The tangent of the number z of radians."""
    number = number_of(z)
    return 0 if type(number) is int and number == 0 else _of_angle(math.tan, number)


@primitive("asin")
def asin(z: Number) -> Any:
    """The angle in radians, from -π/2 to π/2, whose sine is z."""
    number = number_of(z)
    if type(number) is int and number == 0:
        return 0
    if abs(number) > 1:
        raise SchemeError("asin: bad number:", z)
    return math.asin(number)


@primitive("acos")
def acos(z: Number) -> Any:
    """The angle in radians, from 0 to π, whose cosine is z."""
    number = number_of(z)
    if type(number) is int and number == 1:
        return 0
    if abs(number) > 1:
        raise SchemeError("acos: bad number:", z)
    return math.acos(number)


@primitive("atan")
def atan(y: Number, x: Number = 1) -> Any:
    """The angle in radians whose tangent is y, or that of the point (x, y) seen from (0, 0)."""
    ordinate, abscissa = number_of(y), number_of(x)
    if type(ordinate) is int and ordinate == 0 and type(abscissa) is not float:
        if abscissa > 0:
            return 0
        if abscissa == 0:
            raise SchemeError("atan: bad number:", x)
    if type(abscissa) is int and abscissa == 1:
        return math.atan(float_of(ordinate))
    return math.atan2(float_of(ordinate), float_of(abscissa))
