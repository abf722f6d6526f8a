"""The procedures of (scheme complex) for the numbers that there are: all of them real."""

from __future__ import annotations

import math

from minischeme.errors import SchemeError
from minischeme.primitives.kinds import Number, as_number
from minischeme.primitives.registry import primitive
from minischeme.values import Value


def _real(value: Value) -> Value:
    number = as_number(value)
    if number is None:
        raise TypeError("not a number")
    return number


@primitive("real-part")
def real_part(z: Number) -> Value:
    """The real part of a number: the number itself."""
    return _real(z)


@primitive("imag-part")
def imag_part(z: Number) -> Value:
    """The imaginary part of a number: 0."""
    _real(z)
    return 0


@primitive("magnitude")
def magnitude(z: Number) -> Value:
    """The distance of a number from 0.

    Example: (magnitude -5) → 5
    """
    return abs(_real(z))


@primitive("angle")
def angle(z: Number) -> Value:
    """The angle of a number: 0, or pi for a negative one."""
    number = _real(z)
    if number < 0:
        return math.pi
    return 0.0 if type(number) is float else 0


@primitive("make-rectangular")
def make_rectangular(real: Number, imaginary: Number) -> Value:
    """The number with these parts; there are only real numbers, so the second must be 0."""
    if _real(imaginary) != 0:
        raise SchemeError("make-rectangular: there are no complex numbers here:", imaginary)
    return _real(real)


@primitive("make-polar")
def make_polar(distance: Number, angle: Number) -> Value:
    """The number at that distance and angle; there are only real numbers, so the angle must be 0."""
    if _real(angle) != 0:
        raise SchemeError("make-polar: there are no complex numbers here:", angle)
    return _real(distance)
