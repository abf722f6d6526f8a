"""Scheme's numeric tower on Python's: integers are ``int``, inexact reals ``float``, exact rationals `Rational`.

Leaves text (`numerals`) and the standard procedures (`primitives.numbers`) to others.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any


def _exact(result: Any) -> Any:
    """Give a `Fraction` that came out of an operation its canonical form: an ``int`` where the denominator is 1."""
    if isinstance(result, Fraction):
        return result.numerator if result.denominator == 1 else Rational(result)
    return result


def _lifted(operation: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def method(self: Any, other: Any) -> Any:
        return _exact(operation(self, other))

    return method


class Rational(Fraction):
    """An exact ratio in lowest terms that is not an integer.

    Its operations give plain ints back where they can, so that ``a + b`` in compiled code needs no check.
    """

    __slots__ = ()

    __add__ = _lifted(Fraction.__add__)
    __radd__ = _lifted(Fraction.__radd__)
    __sub__ = _lifted(Fraction.__sub__)
    __rsub__ = _lifted(Fraction.__rsub__)
    __mul__ = _lifted(Fraction.__mul__)
    __rmul__ = _lifted(Fraction.__rmul__)
    __truediv__ = _lifted(Fraction.__truediv__)
    __rtruediv__ = _lifted(Fraction.__rtruediv__)
    __mod__ = _lifted(Fraction.__mod__)
    __rmod__ = _lifted(Fraction.__rmod__)
    __pow__ = _lifted(Fraction.__pow__)

    def __neg__(self) -> Rational:
        return Rational(-self.numerator, self.denominator)

    def __abs__(self) -> Rational:
        return Rational(abs(self.numerator), self.denominator)

    def __repr__(self) -> str:
        return f"{self.numerator}/{self.denominator}"

    __str__ = __repr__
    __hash__ = Fraction.__hash__


Number = int | float | Rational


def exact_ratio(numerator: int, denominator: int) -> int | Rational:
    """The exact quotient of two ints.

    Raises: ZeroDivisionError when `denominator` is 0.
    """
    if denominator != 0 and numerator % denominator == 0:
        return numerator // denominator
    return Rational(numerator, denominator)
