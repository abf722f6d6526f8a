"""Real numbers: rounding, and the simplest rational number (R7RS 6.2.6).

Leaves roots, powers and transcendental functions to `elementary`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from minischeme.data.errors import SchemeError
from minischeme.data.rationals import Rational, exact_ratio, float_of
from minischeme.data.rationals import Real as AnyReal
from minischeme.data.values import Value
from minischeme.primitives.kinds import Real
from minischeme.primitives.numbers import exact, real_of
from minischeme.primitives.registry import primitive

# Rounding


def _rounded(function: Callable[[Any], int], x: Value) -> AnyReal:
    """Round a number to an integer by `function`; the result is as exact as the number."""
    number = real_of(x)
    if type(number) is int:
        return number
    if type(number) is not float:
        return function(number)
    # The sign matters for zero only: (round -.4) is -0.0.
    return math.copysign(float(function(number)), number) if math.isfinite(number) else number


@primitive("floor", example="(floor 2.6) → 2.0")
def floor(x: Real) -> Any:
    """The greatest integer that is at most x."""
    return _rounded(math.floor, x)


@primitive("ceiling")
def ceiling(x: Real) -> Any:
    """The least integer that is at least x."""
    return _rounded(math.ceil, x)


@primitive("truncate")
def truncate(x: Real) -> Any:
    """The number x without its fraction."""
    return _rounded(math.trunc, x)


@primitive("round", dialect="r7rs", example="(round 2.6) → 3")
def round_number(x: Real) -> Any:
    """The integer nearest to x; the even one of two."""
    return _rounded(round, x)


@primitive("round", dialect="berkeley")
def round_exact(x: Real) -> Any:
    """The exact integer nearest to x; the even one of two."""
    number = real_of(x)
    if type(number) is float and not math.isfinite(number):
        raise SchemeError("round: bad number:", x)
    return round(number)


@primitive("rationalize")
def rationalize(x: Real, y: Real) -> Any:
    """The simplest rational number that differs from x by no more than y."""
    number, tolerance = real_of(x), real_of(y)
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
