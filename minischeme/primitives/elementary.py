"""Elementary functions: roots, powers, exponentials, logarithms, trigonometry, parts of complex numbers (R7RS 6.2.6).

Results are exact where nothing is lost by it. In the Berkeley dialect a real number without a real result, as in
``(sqrt -4)``, is an error; complex numbers are taken in both.
"""

import cmath
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from minischeme.data import rationals
from minischeme.data.errors import SchemeError
from minischeme.data.rationals import Complex, Rational, exact_ratio, float_of, is_inexact, real_quotient, rectangular
from minischeme.data.rationals import Number as AnyNumber
from minischeme.data.rationals import Real as AnyReal
from minischeme.data.values import Value
from minischeme.primitives.kinds import Number, Real
from minischeme.primitives.numbers import divided, number_of, parts_of, real_of
from minischeme.primitives.registry import primitive

MOST_BITS = 10_000_000
"""The most bits of an exact result: 10 million take a second in `expt`, and the time grows faster than their number."""

_SMALL, _LARGE = 1e-300, 1e300
"""The bounds between which an exact number surely has a float close to it."""


def _admitted(name: str, result: AnyNumber, dialect: str, *arguments: Value) -> AnyNumber:
    """The result of a function; in the Berkeley dialect an error for a complex one of real arguments."""
    if type(result) is Complex and dialect == "berkeley":
        numbers = [number_of(argument) for argument in arguments]
        if not any(isinstance(number, Complex) for number in numbers):
            culprits = (argument for argument, number in zip(arguments, numbers, strict=True) if number < 0)
            raise SchemeError(f"{name}: bad number:", next(culprits, arguments[0]))
    return result


def _function(name: str, function: Callable[[Any], AnyNumber], help_: str, *, example: str | None = None) -> None:
    """Define a procedure of one number."""

    @primitive(name, help_=help_, example=example)
    def of_number(z: Number, *, dialect: str) -> Any:
        result = function(z if type(z) in rationals.NUMBER_TYPES else number_of(z))
        return result if type(result) is not Complex else _admitted(name, result, dialect, z)


def _by_floats(name: str, function: Callable[[complex], complex], number: Any) -> Complex:
    """The result of one of Python's functions for a complex number; an error where it is not defined."""
    try:
        result = function(complex(number))
    except ValueError:
        raise SchemeError(f"{name}: bad number:", number) from None
    return Complex(result.real, result.imag)


def _or_infinite(function: Callable[..., float], number: float, *others: float) -> float:
    """The result of one of Python's functions of floats; infinite where it is too large."""
    try:
        return function(number, *others)
    except OverflowError:
        return math.copysign(math.inf, number)


# ── Roots ────────────────────────────────────────────────────────────────────────────────────────────────────────────
def _square_root(number: AnyNumber) -> AnyNumber:
    if type(number) is not Complex:
        return rectangular(0, root(-number)) if number < 0 else root(number)
    if is_inexact(number):
        return _by_floats("sqrt", cmath.sqrt, number)
    length = magnitude(number)
    if type(length) is not float:
        real = root(real_quotient(length + number.real, 2))
        imag = root(real_quotient(length - number.real, 2))
        if type(real) is not float and type(imag) is not float:
            return rectangular(real, imag if number.imag > 0 else -imag)
    halvings = _halvings(_greater_part(number))
    near_one = cmath.sqrt(complex(number * exact_power(4, -halvings)))
    parts = (_or_infinite(math.ldexp, part, halvings) for part in (near_one.real, near_one.imag))
    return Complex(*parts)


_function("sqrt", _square_root, "The square root of the number z; exact where it can be.", example="(sqrt 16) → 4")


def root(number: Any) -> AnyReal:
    """The square root of a number that is not negative."""
    if type(number) is float:
        return math.sqrt(number)
    numerator, denominator = math.isqrt(number.numerator), math.isqrt(number.denominator)
    if numerator * numerator == number.numerator and denominator * denominator == number.denominator:
        return exact_ratio(numerator, denominator)
    halvings = _halvings(number)
    if abs(halvings) < 500:
        return math.sqrt(number)
    return _or_infinite(math.ldexp, math.sqrt(Fraction(number) / Fraction(4) ** halvings), halvings)


def _halvings(number: AnyReal) -> int:
    """The number of times to divide an exact number above 0 by 4 so that it is close to 1, and fits into a float."""
    assert not isinstance(number, float)
    return (number.numerator.bit_length() - number.denominator.bit_length()) // 2


def _greater_part(number: Any) -> Any:
    return max(abs(number.real), abs(number.imag))


def magnitude(number: Any) -> Any:
    """The distance of a number from 0."""
    if type(number) is not Complex:
        return abs(number)
    return math.hypot(number.real, number.imag) if is_inexact(number) else root(norm(number))


def norm(number: Complex) -> Any:
    """The square of the distance of a number from 0."""
    return number.real * number.real + number.imag * number.imag


# ── Powers ───────────────────────────────────────────────────────────────────────────────────────────────────────────
@primitive("expt", example="(expt 2 10) → 1024")
def expt(z1: Number, z2: Number, *, dialect: str) -> Any:
    """The number z1 to the power of z2."""
    return _admitted("expt", _power(number_of(z1), number_of(z2)), dialect, z1, z2)


def _power(base: Any, exponent: Any) -> AnyNumber:
    if type(exponent) is Rational and exponent.denominator == 2 and not is_inexact(base):
        half = _square_root(base)
        if not is_inexact(half):
            base, exponent = half, exponent.numerator
    if type(base) is Complex or type(exponent) is Complex:
        return _complex_power(base, exponent)
    if type(base) is not float:
        if base == 0 and exponent < 0:
            raise SchemeError("expt: division by 0")
        if type(exponent) is int:
            return exact_power(base, exponent)
    if base < 0:
        if type(exponent) is float and math.isinf(exponent):
            return math.pow(float_of(base), exponent)
        if exponent != exponent:
            return math.nan
        if exponent != math.floor(exponent):
            return _complex_power(base, exponent)
        power = _float_power(-base, exponent)
        return -power if int(exponent) & 1 else power
    return _float_power(base, exponent)


def _complex_power(base: Any, exponent: Any) -> AnyNumber:
    """A number to the power of another one, at least one of them complex, or the result."""
    if type(exponent) is int:
        return _complex_integer_power(base, exponent)
    if base == 0:
        if exponent.real > 0:
            return 0 if not is_inexact(base) else 0.0
        raise SchemeError("expt: division by 0")
    return _exponential_of(_logarithm_of(base) * exponent)


def _complex_integer_power(base: Any, exponent: int) -> AnyNumber:
    """A complex number to the power of an integer; a SchemeError as of `exact_power`."""
    if not is_inexact(base):
        _check_size(max(norm(base).numerator, base.real.denominator, base.imag.denominator), base, exponent)
    power: Any = 1
    times = abs(exponent)
    while times:
        if times & 1:
            power = power * base
        base = base * base
        times >>= 1
    return divided(1, power) if exponent < 0 else power


def exact_power(base: Any, exponent: int) -> int | Rational:
    """An exact number to the power of an integer; a SchemeError for a result of more than `MOST_BITS` bits."""
    _check_size(max(abs(base.numerator), base.denominator), base, exponent)
    if type(base) is int and exponent < 0:
        return exact_ratio(1, base**-exponent)
    power: int | Rational = base**exponent
    return power


def _check_size(size: int, base: Any, exponent: int) -> None:
    if size > 1 and abs(exponent) > MOST_BITS / math.log2(size):
        raise SchemeError("expt: result too large:", base, exponent)


def _float_power(base: Any, exponent: Any) -> float:
    """A nonnegative number to any power, as a float."""
    if base == 1:
        return 1.0
    power = float_of(exponent)
    if base == 0:
        return math.inf if power < 0 else math.pow(0.0, power)
    if type(base) is not float and not _SMALL < base < _LARGE:
        return _or_infinite(math.exp, _logarithm(base) * power)
    return _or_infinite(math.pow, base, power)


# ── Exponentials and logarithms ──────────────────────────────────────────────────────────────────────────────────────
def _exponential_of(number: Any) -> AnyNumber:
    if type(number) is int and number == 0:
        return 1
    if type(number) is Complex:
        return _by_floats("exp", cmath.exp, number)
    return _or_infinite(math.exp, float_of(number))


_function("exp", _exponential_of, "The number e to the power of z.")


def _logarithm(number: Any) -> float:
    """The natural logarithm of a number above 0, of any size."""
    if type(number) is Rational and not _SMALL < number < _LARGE:
        return math.log(number.numerator) - math.log(number.denominator)
    return math.log(number)


def _logarithm_of(number: Any) -> AnyNumber:
    """The natural logarithm of any number but 0."""
    if type(number) is not Complex:
        return Complex(_logarithm(-number), math.pi) if number < 0 else _logarithm(number)
    if is_inexact(number):
        return _by_floats("log", cmath.log, number)
    return Complex(_logarithm(norm(number)) / 2, angle(number))


def angle(number: Any) -> float:
    """The angle of a number as seen from 0, in radians from -π to π."""
    if type(number) is not Complex:
        zero = 0.0 if type(number) is float else 0
        return math.pi if number < 0 else zero
    # Exact parts may be too large for floats, or too small.
    size = 1.0 if is_inexact(number) else _greater_part(number)
    return math.atan2(real_quotient(number.imag, size), real_quotient(number.real, size))


@primitive("log")
def log(z: Number, base: Number = math.e, *, dialect: str) -> Any:
    """The logarithm of z: the natural one, or that to the base."""
    return _admitted("log", _log(z, base), dialect, z, base)


def _log(z: Value, base: Value) -> AnyNumber:
    number, base_number = number_of(z), number_of(base)
    if base_number == 0 or base_number == 1:
        raise SchemeError("log: bad number:", base)
    if type(number) is int and number == 1:
        return 0
    if number == 0:
        return -math.inf if magnitude(base_number) > 1 else math.inf
    if base_number == math.e:
        return _logarithm_of(number)
    if type(number) in (int, float) and number > 0:
        # Python's own are exact for powers of these two bases.
        if base_number == 2:
            return math.log2(number)
        if base_number == 10:
            return math.log10(number)
    return divided(_logarithm_of(number), _logarithm_of(base_number))


# ── Trigonometry ─────────────────────────────────────────────────────────────────────────────────────────────────────
def _trigonometric(name: str, exact: int, result: int, help_: str) -> None:
    """Define a trigonometric function or an inverse one, whose result is exact for one number."""
    of_float, of_complex = getattr(math, name), getattr(cmath, name)
    is_inverse = name.startswith("a")

    def function(number: Any) -> AnyNumber:
        if type(number) is int and number == exact:
            return result
        if type(number) is Complex:
            return _by_floats(name, of_complex, number)
        if is_inverse and abs(number) > 1:  # on a branch cut: the side that the formulas of R7RS give
            return _by_floats(name, of_complex, complex(float_of(number), -0.0 if number > 0 else 0.0))
        radians = float_of(number)
        return float(of_float(radians)) if math.isfinite(radians) else math.nan

    _function(name, function, help_)


_trigonometric("sin", 0, 0, "The sine of the number z of radians.")
_trigonometric("cos", 0, 1, "The cosine of the number z of radians.")
_trigonometric("tan", 0, 0, "The tangent of the number z of radians.")
_trigonometric("asin", 0, 0, "The angle in radians whose sine is z; for a real one, from -π/2 to π/2.")
_trigonometric("acos", 1, 0, "The angle in radians whose cosine is z; for a real one, from 0 to π.")


@primitive("atan")
def atan(y: Number, x: Number = 1) -> Any:
    """The angle in radians whose tangent is y, or that of the point (x, y) seen from (0, 0)."""
    ordinate, abscissa = number_of(y), number_of(x)
    if type(ordinate) is Complex and type(abscissa) is int and abscissa == 1:
        return _by_floats("atan", cmath.atan, ordinate)
    for value in (ordinate, abscissa):
        if type(value) is Complex:
            raise SchemeError("atan: not a real number:", value)
    if type(ordinate) is int and ordinate == 0 and type(abscissa) is not float:
        if abscissa > 0:
            return 0
        if abscissa == 0:
            raise SchemeError("atan: bad number:", x)
    if type(abscissa) is int and abscissa == 1:
        return math.atan(float_of(ordinate))
    return math.atan2(float_of(ordinate), float_of(abscissa))


# ── (scheme complex) ─────────────────────────────────────────────────────────────────────────────────────────────────
@primitive("make-rectangular", example="(make-rectangular 1 2) → 1+2i")
def make_rectangular(real: Real, imaginary: Real) -> Any:
    """The number with these parts."""
    return rectangular(real_of(real), real_of(imaginary))


@primitive("make-polar")
def make_polar(distance: Real, angle: Real) -> Any:
    """The number at that distance from 0, and at that angle in radians."""
    return rationals.polar(real_of(distance), real_of(angle))


_function("real-part", lambda z: parts_of(z)[0], "The real part of a number.", example="(real-part 1+2i) → 1")
_function(
    "imag-part", lambda z: parts_of(z)[1], "The imaginary part of z; 0 if it is real.", example="(imag-part 1+2i) → 2"
)
_function("magnitude", magnitude, "The distance of z from 0; exact where it can be.", example="(magnitude 3+4i) → 5")
_function("angle", angle, "The angle of z in radians, from -π to π; 0, or pi for a negative one, of a real number.")
