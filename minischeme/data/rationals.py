"""Scheme's numeric tower on Python's: integers are ``int``, inexact reals ``float``, exact rationals `Rational`, and
numbers that are not real `Complex`."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from fractions import Fraction
from types import CodeType
from typing import Any, NoReturn

from minischeme.data.cpython import position_at


class WrongType(Exception):
    """An operand that the operator is not defined for; becomes a `SchemeError` where the source is known."""

    def __init__(self, operator: str, culprit: Any) -> None:
        super().__init__(operator, culprit)
        self.operator = operator
        self.culprit = culprit


def _lifted(operation: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """The method for an operation of `Fraction`: with an ``int`` as the result where its denominator is 1."""

    def method(self: Any, other: Any) -> Any:
        result = operation(self, other)
        if isinstance(result, Fraction):
            return result.numerator if result.denominator == 1 else Rational(result)
        return result

    return method


class Rational(Fraction):
    """An exact ratio in lowest terms that is not an integer.

    Its operations give plain ints back where they can, so that ``a + b`` in compiled code needs no check.
    """

    __slots__ = ()

    __add__, __radd__ = _lifted(Fraction.__add__), _lifted(Fraction.__radd__)
    __sub__, __rsub__ = _lifted(Fraction.__sub__), _lifted(Fraction.__rsub__)
    __mul__, __rmul__ = _lifted(Fraction.__mul__), _lifted(Fraction.__rmul__)
    __truediv__, __rtruediv__ = _lifted(Fraction.__truediv__), _lifted(Fraction.__rtruediv__)
    __mod__, __rmod__ = _lifted(Fraction.__mod__), _lifted(Fraction.__rmod__)
    __pow__ = _lifted(Fraction.__pow__)

    def __neg__(self) -> Rational:
        return Rational(-self.numerator, self.denominator)

    def __abs__(self) -> Rational:
        return Rational(abs(self.numerator), self.denominator)

    def __repr__(self) -> str:
        return f"{self.numerator}/{self.denominator}"

    __str__ = __repr__
    __hash__ = Fraction.__hash__


Real = int | float | Rational


def _binary(operation: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """The method for an operation on two numbers, which are both exact or both inexact when it gets them."""

    def method(self: Complex, other: Any) -> Any:
        if not isinstance(other, Number):
            return NotImplemented
        if is_inexact(self) is is_inexact(other):
            return operation(self, other)
        return operation(inexact(self), inexact(other))

    return method


def _sum(a: Complex, b: Number) -> Number:
    if isinstance(b, Complex):
        return rectangular(a.real + b.real, a.imag + b.imag)
    return Complex(a.real + b, a.imag)


def _product(a: Complex, b: Number) -> Number:
    if isinstance(b, Complex):
        return rectangular(a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real)
    return rectangular(a.real * b, a.imag * b)


def _quotient(dividend: Number, divisor: Number) -> Number:
    """The quotient of two numbers that are not both real."""
    if not isinstance(divisor, Complex):
        assert isinstance(dividend, Complex)
        return rectangular(real_quotient(dividend.real, divisor), real_quotient(dividend.imag, divisor))
    if is_inexact(divisor) and divisor != 0:
        result = complex(dividend) / complex(divisor)
        return Complex(result.real, result.imag)
    norm = divisor.real * divisor.real + divisor.imag * divisor.imag
    product: Number = Complex(divisor.real, -divisor.imag) * dividend
    return _quotient(product, norm) if isinstance(product, Complex) else real_quotient(product, norm)


def _undefined(operator: str) -> Callable[..., NoReturn]:
    def method(self: Complex, *_: Any) -> NoReturn:
        raise WrongType(operator, self)

    return method


class Complex:
    """A number that is not real: its parts are both exact or both floats. `rectangular` makes the number of any parts.

    Its operators take any numbers. Compiled code compares by order to test for equality (`compiler.templates`).
    This is no struct of msgspec, since the ``!=`` of one would not follow from ``==``.
    """

    __slots__ = ("imag", "real")

    def __init__(self, real: Real, imag: Real) -> None:
        self.real = real
        self.imag = imag

    def __repr__(self) -> str:
        imag = str(self.imag)
        return f"{self.real}{'' if imag[0] in '+-' else '+'}{imag}i"

    def __complex__(self) -> complex:
        return complex(float_of(self.real), float_of(self.imag))

    def __hash__(self) -> int:
        return hash((self.real, self.imag)) if self.imag else hash(self.real)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Complex):
            return self.real == other.real and self.imag == other.imag
        return self.real == other and self.imag == 0 if isinstance(other, Real) else NotImplemented

    def __neg__(self) -> Number:
        return Complex(-self.real, -self.imag)

    __add__ = __radd__ = _binary(_sum)
    __sub__ = _binary(lambda a, b: _sum(a, -b))
    __rsub__ = _binary(lambda subtrahend, minuend: _sum(-subtrahend, minuend))
    __mul__ = __rmul__ = _binary(_product)
    __truediv__ = _binary(_quotient)
    __rtruediv__ = _binary(lambda divisor, dividend: _quotient(dividend, divisor))

    __abs__, __lt__, __gt__ = _undefined("abs"), _undefined("<"), _undefined(">")

    def __le__(self, other: Any) -> Any:
        return self._equals("<=", other)

    def __ge__(self, other: Any) -> Any:
        return self._equals(">=", other)

    def _equals(self, operator: str, other: Any) -> Any:
        """The result of a comparison by order, where compiled code uses it as a test for equality."""
        frame = sys._getframe(2)
        if frame.f_code.co_name == "operate_as_number" and frame.f_back is not None:  # of a numeric string
            frame = frame.f_back
        if not asks_for_equality(frame.f_code, frame.f_lasti):
            raise WrongType(operator, self)
        if isinstance(other, Number):
            return self == other
        return self == other.operand("=") if hasattr(other, "operand") else NotImplemented


Number = Real | Complex

REAL_TYPES = frozenset({int, float, Rational})
NUMBER_TYPES = REAL_TYPES | {Complex}


def rectangular(real: Real, imag: Real) -> Number:
    """The number with these parts: a real one for an exact 0, inexact if one of them is."""
    if type(imag) is int and imag == 0:
        return real
    if type(real) is float or type(imag) is float:
        return Complex(float_of(real), float_of(imag))
    return Complex(real, imag)


def polar(distance: Real, angle: Real) -> Number:
    """The number at a distance from 0 and at an angle in radians; exact only for an exact angle of 0."""
    if type(angle) is int and angle == 0:
        return distance
    if type(distance) is int and distance == 0:
        return 0
    length, direction = float_of(distance), float_of(angle)
    return Complex(length * math.cos(direction), length * math.sin(direction))


def exact_of(number: Number) -> Number:
    """The exact number equal to a number; a ValueError or OverflowError for one that is not finite."""
    if isinstance(number, Complex):
        return rectangular(_exact_real(number.real), _exact_real(number.imag))
    return _exact_real(number)


def _exact_real(number: Real) -> Real:
    return exact_ratio(*number.as_integer_ratio()) if type(number) is float else number


def is_inexact(number: Number) -> bool:
    return type(number.imag if isinstance(number, Complex) else number) is float


def inexact(number: Number) -> float | Complex:
    if isinstance(number, Complex):
        return Complex(float_of(number.real), float_of(number.imag))
    return float_of(number)


def float_of(number: Real) -> float:
    """The float nearest to `number`: infinite where it is beyond the greatest float."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def real_quotient(dividend: Real, divisor: Real) -> Real:
    """The quotient of two real numbers, exact if both are; by 0. it is infinite or not a number (IEEE 754).

    A ZeroDivisionError where `divisor` is an exact 0.
    """
    if type(dividend) is int and type(divisor) is int:
        return exact_ratio(dividend, divisor)
    try:
        return dividend / divisor
    except ZeroDivisionError:
        if type(divisor) is not float:
            raise
        if dividend == 0 or dividend != dividend:
            return math.nan
        return math.copysign(math.inf, dividend) * math.copysign(1.0, divisor)
    except OverflowError:
        return real_quotient(float_of(dividend), float_of(divisor))


def asks_for_equality(code: CodeType, instruction: int) -> bool:
    """Whether an instruction that compares by order is part of a test for equality, marked by a position that ends on a
    later line."""
    line, end_line, _, _ = position_at(code, instruction)
    return line != end_line


def exact_ratio(numerator: int, denominator: int) -> int | Rational:
    """The exact quotient of two ints; a ZeroDivisionError where `denominator` is 0."""
    if denominator != 0 and numerator % denominator == 0:
        return numerator // denominator
    return Rational(numerator, denominator)
