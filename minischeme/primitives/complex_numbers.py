"""The procedures of (scheme complex): numbers made of parts, and their parts (R7RS 6.2.6)."""

from __future__ import annotations

import math
from typing import Any

from minischeme.data.rationals import Complex, polar, rectangular
from minischeme.primitives import elementary
from minischeme.primitives.kinds import Number, Real
from minischeme.primitives.numbers import number_of, parts_of, real_of
from minischeme.primitives.registry import primitive


@primitive("make-rectangular", example="(make-rectangular 1 2) → 1+2i")
def make_rectangular(real: Real, imaginary: Real) -> Any:
    """The number with these parts."""
    return rectangular(real_of(real), real_of(imaginary))


@primitive("make-polar")
def make_polar(distance: Real, angle: Real) -> Any:
    """The number at that distance from 0, and at that angle in radians."""
    return polar(real_of(distance), real_of(angle))


@primitive("real-part", example="(real-part 1+2i) → 1")
def real_part(z: Number) -> Any:
    """The real part of a number."""
    return parts_of(number_of(z))[0]


@primitive("imag-part", example="(imag-part 1+2i) → 2")
def imag_part(z: Number) -> Any:
    """The imaginary part of a number; 0 for a real one."""
    return parts_of(number_of(z))[1]


@primitive("magnitude", example="(magnitude 3+4i) → 5")
def magnitude(z: Number) -> Any:
    """The distance of a number from 0; exact where it can be."""
    return elementary.magnitude(number_of(z))


@primitive("angle")
def angle(z: Number) -> Any:
    """The angle of a number in radians, from -π to π; 0, or pi for a negative one, of a real number."""
    number = number_of(z)
    if type(number) is Complex:
        return elementary.angle(number)
    if number < 0:
        return math.pi
    return 0.0 if type(number) is float else 0
