"""Real numbers: rounding, and the simplest rational number (R7RS 6.2.6)."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from minischeme.data.errors import SchemeError
from minischeme.data.rationals import Rational, exact_ratio, float_of
from minischeme.data.rationals import Real as AnyReal
from minischeme.primitives.integers import FiniteNumber
from minischeme.primitives.kinds import Real
from minischeme.primitives.numbers import exact, real_of
from minischeme.primitives.registry import family_member, primitive


def _rounding(name: str, to_int: Callable[[Any], int], help_: str, example: str | None = None, **where: str) -> None:
    """A procedure that rounds a number to an integer, which is as exact as the number."""

    def rounded(x: Real) -> AnyReal:
        number = real_of(x)
        if type(number) is int:
            return number
        if type(number) is not float:
            return to_int(number)
        # The sign matters for zero only: (round -.4) is -0.0.
        return math.copysign(float(to_int(number)), number) if math.isfinite(number) else number

    family_member(rounded, name, help_=help_, example=example, **where)


_rounding("floor", math.floor, "The greatest integer that is at most x.", "(floor 2.6) → 2.0")
_rounding("ceiling", math.ceil, "The least integer that is at least x.")
_rounding("truncate", math.trunc, "The number x without its fraction.")
_rounding("round", round, "The integer nearest to x; the even one of two.", "(round 2.6) → 3", dialect="r7rs")


def _rounding_to_exact(name: str, to_int: Callable[[Any], int], help_: str, example: str | None = None) -> None:
    """A procedure that rounds a number to an exact integer."""

    def rounded(x: FiniteNumber) -> int:
        return to_int(real_of(x))

    family_member(rounded, name, help_=help_, example=example, dialect="berkeley")


_rounding_to_exact("exact-floor", math.floor, "The greatest exact integer that is at most x.", "(exact-floor 2.6) → 2")
_rounding_to_exact("exact-ceiling", math.ceil, "The least exact integer that is at least x.")
_rounding_to_exact("exact-round", round, "The exact integer nearest to x; the even one of two.")
_rounding_to_exact("exact-truncate", math.trunc, "The number x without its fraction, as an exact number.")


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
