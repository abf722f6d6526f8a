"""The standard procedures on numbers against Python's own arithmetic, at any size, and random numbers."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from number_calls import R7RS, call

from minischeme.data.rationals import Rational, exact_ratio
from minischeme.data.values import TRUE, String, Value, boolean
from minischeme.primitives import numbers
from minischeme.runtime.context import RandomSource

# Sizes beyond floats


def test_huge_numbers_beside_floats_become_infinite() -> None:
    huge = 10**400
    assert call("+", huge, 1.5) == math.inf
    assert call("+", 1.5, -huge) == -math.inf
    assert call("-", 1.5, huge) == -math.inf
    assert call("*", 1.5, huge, -2) == -math.inf
    assert call("/", huge, 2.0) == math.inf
    assert call("/", 2.0, huge) == 0.0
    assert call("/", -huge, 0.0) == -math.inf
    assert call("+", Rational(huge, 3), 1.5) == math.inf
    assert call("inexact", -huge) == -math.inf
    assert call("max", huge, 1.5) == math.inf
    assert call("<", 1e308, huge) is TRUE
    assert call("sqrt", huge * 2) == pytest.approx(1.4142135623730951e200)
    assert call("sqrt", huge**2 + 1) == math.inf
    assert call("sqrt", huge) == 10**200
    assert call("sqrt", exact_ratio(1, huge)) == Fraction(1, 10**200)
    assert call("sqrt", exact_ratio(1, 2 * huge)) == pytest.approx(7.0710678118654755e-201)
    assert call("log", huge) == pytest.approx(400 * math.log(10))
    assert call("log", exact_ratio(1, huge)) == pytest.approx(-400 * math.log(10))
    assert call("log", huge, 10) == pytest.approx(400)
    assert call("exp", huge) == math.inf
    assert call("expt", huge, 0.5) == pytest.approx(1e200)
    assert call("expt", exact_ratio(1, huge), -0.25) == pytest.approx(1e100)
    assert call("expt", 1.5, huge) == math.inf
    assert call("expt", 0.5, huge) == 0.0
    assert call("expt", 0.0, huge) == 0.0
    assert call("expt", 1.0, huge) == 1.0
    assert call("expt", -1.0, huge + 1) == -1.0
    assert call("expt", 1, huge) == 1
    assert call("expt", -1, -huge - 1) == -1
    assert call("atan", huge) == math.pi / 2
    assert call("finite?", huge) is TRUE


# Random numbers


def draws(bound: Value, count: int = 2000) -> list[Any]:
    chance = RandomSource(lambda: 42)
    return [numbers.random_below(bound, chance=chance) for _ in range(count)]


def test_random_integers() -> None:
    drawn = draws(6)
    assert set(drawn) == set(range(6))
    assert {type(number) for number in drawn} == {int}
    assert all(250 < drawn.count(face) < 420 for face in range(6))
    assert set(draws(1)) == {0}
    assert set(draws(String("2"))) == {0, 1}
    large = draws(10**30)
    assert all(type(number) is int and 0 <= number < 10**30 for number in large)
    assert max(large) > 9 * 10**29


def test_random_reals() -> None:
    drawn = draws(2.5)
    assert all(type(number) is float and 0 <= number < 2.5 for number in drawn)
    assert sum(drawn) / len(drawn) == pytest.approx(1.25, abs=0.1)


# Properties

integers_ = st.integers() | st.integers(-20, 20) | st.integers(-(10**30), 10**30)
exacts = integers_ | st.fractions().map(lambda ratio: exact_ratio(ratio.numerator, ratio.denominator))
floats = st.floats()
any_number = exacts | floats


def same(actual: Any, expected: Any) -> bool:
    """Whether a result is the canonical Scheme number equal to a Python number; nan is the same as nan."""
    if isinstance(expected, float):
        return type(actual) is float and (actual == expected or (actual != actual and expected != expected))
    if isinstance(expected, Fraction) and expected.denominator > 1:
        return type(actual) is Rational and actual == expected
    return type(actual) is int and actual == expected


@given(st.lists(exacts, max_size=5))
def test_exact_sums_and_products(values: list[Any]) -> None:
    fractions = [Fraction(value) for value in values]
    assert same(call("+", *values), sum(fractions, Fraction(0)))
    assert same(call("*", *values), math.prod(fractions, start=Fraction(1)))


@given(exacts, exacts)
def test_exact_differences_and_quotients(a: Any, b: Any) -> None:
    assert same(call("-", a, b), Fraction(a) - Fraction(b))
    assert same(call("-", a), -Fraction(a))
    assume(b != 0)
    assert same(call("/", a, b), Fraction(a) / Fraction(b))


@given(floats, floats)
def test_float_arithmetic(a: float, b: float) -> None:
    assert same(call("+", a, b), a + b)
    assert same(call("-", a, b), a - b)
    assert same(call("*", a, b), a * b)
    if b != 0:
        assert same(call("/", a, b), a / b)


@given(exacts, st.floats(allow_infinity=False, allow_nan=False))
def test_a_float_makes_the_result_inexact(a: Any, b: float) -> None:
    for name in ("+", "-", "*", "max", "min"):
        assert type(call(name, a, b)) is float
        assert type(call(name, b, a)) is float


@given(st.lists(any_number, min_size=1, max_size=4))
def test_order_is_that_of_python(values: list[Any]) -> None:
    neighbours = list(pairwise(values))
    assert call("=", *values) is boolean(all(a == b for a, b in neighbours))
    assert call("<", *values) is boolean(all(a < b for a, b in neighbours))
    assert call(">", *values) is boolean(all(a > b for a, b in neighbours))
    assert call("<=", *values) is boolean(all(a <= b for a, b in neighbours))
    assert call(">=", *values) is boolean(all(a >= b for a, b in neighbours))


@given(st.lists(exacts, min_size=1))
def test_extremes(values: list[Any]) -> None:
    assert same(call("max", *values), max(values))
    assert same(call("min", *values), min(values))


@given(integers_, integers_.filter(bool), st.booleans())
def test_division_of_integers(a: int, b: int, inexact: bool) -> None:
    dividend: Any = a
    if inexact:
        dividend = float(a)
        assume(int(dividend) == a)
    kind = float if inexact else int
    truncated = math.trunc(Fraction(a, b))
    floored = math.floor(Fraction(a, b))
    assert same(call("quotient", dividend, b), kind(truncated))
    assert same(call("remainder", dividend, b), kind(a - b * truncated))
    assert same(call("floor-quotient", dividend, b), kind(floored))
    assert same(call("modulo", dividend, b), kind(a - b * floored))
    assert call("floor/", dividend, b).items == (kind(floored), kind(a - b * floored))
    assert call("truncate/", dividend, b).items == (kind(truncated), kind(a - b * truncated))


@given(st.lists(integers_, max_size=4))
def test_common_divisors(values: list[int]) -> None:
    assert same(call("gcd", *values), math.gcd(*values))
    assert same(call("lcm", *values), math.lcm(*values))


@given(integers_)
def test_parity(n: int) -> None:
    assert call("even?", n) is boolean(n % 2 == 0)
    assert call("odd?", n) is boolean(n % 2 == 1)


@given(exacts)
def test_exact_rounding(x: Any) -> None:
    for name, function in (("floor", math.floor), ("ceiling", math.ceil), ("truncate", math.trunc), ("round", round)):
        assert same(call(name, x), function(Fraction(x)))
    assert same(call("abs", x), abs(Fraction(x)))
    assert same(call("numerator", x), Fraction(x).numerator)
    assert same(call("denominator", x), Fraction(x).denominator)


@given(st.floats(allow_infinity=False, allow_nan=False))
def test_float_rounding(x: float) -> None:
    for name, function in (("floor", math.floor), ("ceiling", math.ceil), ("truncate", math.trunc), ("round", round)):
        rounded = call(name, x, table=R7RS)
        assert same(rounded, float(function(x)))
        assert rounded != 0 or math.copysign(1, rounded) == math.copysign(1, x)
    assert same(call("round", x), round(x))


@given(st.floats(allow_infinity=False, allow_nan=False))
def test_exactness_round_trip(x: float) -> None:
    exact = call("exact", x)
    assert same(exact, Fraction(x))
    assert same(call("inexact", exact), x)


@given(exacts)
def test_square_roots_are_exact_where_they_can_be(x: Any) -> None:
    assert same(call("sqrt", call("square", x)), abs(Fraction(x)))


@given(st.floats(min_value=0, allow_infinity=False))
def test_square_roots(x: float) -> None:
    assert same(call("sqrt", x), math.sqrt(x))
    assert float(call("sqrt", call("exact", x))) == pytest.approx(math.sqrt(x), rel=1e-15)


@given(st.integers(0, 10**60))
def test_integer_roots(k: int) -> None:
    root, rest = call("exact-integer-sqrt", k).items
    assert root * root + rest == k < (root + 1) ** 2


@given(exacts, st.integers(-30, 30))
def test_exact_powers(base: Any, exponent: int) -> None:
    assume(base != 0 or exponent >= 0)
    assert same(call("expt", base, exponent), Fraction(base) ** exponent)


@given(st.floats(1e-10, 1e10), st.floats(-20, 20))
def test_float_powers(base: float, exponent: float) -> None:
    assert same(call("expt", base, exponent), base**exponent)
    if exponent.is_integer():
        sign = -1 if int(exponent) % 2 else 1
        assert same(call("expt", -base, exponent), sign * base**exponent)


@given(st.fractions(-5, 5, max_denominator=50), st.fractions(0, 1, max_denominator=50))
def test_rationalize_finds_the_simplest(x: Fraction, y: Fraction) -> None:
    found = call("rationalize", exact_ratio(x.numerator, x.denominator), exact_ratio(y.numerator, y.denominator))
    # The least denominator of all ratios in the interval, and with it the least numerator.
    denominator = next(d for d in range(1, 51) if math.floor((x + y) * d) >= math.ceil((x - y) * d))
    low, high = math.ceil((x - y) * denominator), math.floor((x + y) * denominator)
    numerator = 0 if low <= 0 <= high else min(low, high, key=abs)
    assert same(found, Fraction(numerator, denominator))


@given(st.floats(-1, 1), st.floats(0.001, 1000))
@example(0.18688094559709723, 1.0)
def test_elementary_functions_are_those_of_python(x: float, positive: float) -> None:
    for name in ("exp", "sin", "cos", "tan", "asin", "acos", "atan"):
        assert same(call(name, x), getattr(math, name)(x))
    assert same(call("log", positive), math.log(positive))
    assert same(call("atan", x, positive), math.atan2(x, positive))
    assert call("expt", 3, call("log", positive, 3)) == pytest.approx(positive)


@given(exacts, st.integers(2, 36))
def test_text_round_trip(number: Any, radix: int) -> None:
    assert same(call("string->number", call("number->string", number, radix), radix), number)


@given(floats)
def test_text_of_floats_round_trip(number: float) -> None:
    assert same(call("string->number", call("number->string", number)), number)


@given(any_number)
def test_every_number_has_its_kinds(number: Any) -> None:
    finite = not isinstance(number, float) or math.isfinite(number)
    assert call("number?", number) is TRUE
    assert call("exact?", number) is boolean(type(number) is not float)
    assert call("inexact?", number) is boolean(type(number) is float)
    assert call("finite?", number) is call("rational?", number) is boolean(finite)
    assert call("integer?", number) is boolean(finite and Fraction(number).denominator == 1)
    assert call("zero?", number) is boolean(number == 0)
    assert call("positive?", number) is boolean(number > 0)
    assert call("negative?", number) is boolean(number < 0)
