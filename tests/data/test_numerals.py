"""Numerals: R7RS syntax, exactness, ints of any size, and the course's numeric strings."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minischeme.data.numerals import decimal, format_number, parse_number, reads_as_symbol
from minischeme.data.rationals import Complex, Rational, Real, exact_of, is_inexact, polar

NO_NUMERALS = """
    + - ... . +. 1s2 10s 1+ -1+ 1- 1/0 1/-2 1//2 1.5/2 1/2e3 e1 1e 1e+ 1.2.3 --1 +-1 1_000 0x10 ١
    inf nan inf.0 +inf i 1i ++i +-i 1+2 1+2j
    1+2+3i 1e+i 1+2i3 1@ @1 1@2@3 1@i 1@2i
    #e+inf.0i #xgi # #x #e #xg #b12 #o8 #x1.5 #x#x1 #e#i1 #e#e1 #e+inf.0 #i1/0 #z1 1#x
"""
NEED_BARS = """ . A aB É ( a) [ ] " a;b a'b a`b a,b a|b a\\b #a # 10 -1/2 1e3 +inf.0 +i -i 1+2i 1@2 ’a ‘a a−b “a” """


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0),
        ("7", 7),
        ("+7", 7),
        ("-7", -7),
        ("007", 7),
        ("-0", 0),
        ("5.", 5.0),
        (".5", 0.5),
        ("-.5e-3", -0.0005),
        ("1.e3", 1000.0),
        ("1e3", 1000.0),
        ("1E+3", 1000.0),
        ("-0.0", -0.0),
        ("1e400", math.inf),
        ("1e-400", 0.0),
        ("1/2", Rational(1, 2)),
        ("-6/4", Rational(-3, 2)),
        ("+6/3", 2),
        ("0/5", 0),
        ("+inf.0", math.inf),
        ("-INF.0", -math.inf),
        ("#xff", 255),
        ("#XFf", 255),
        ("#x-1e3", -0x1E3),
        ("#b101", 5),
        ("#o17", 15),
        ("#d10", 10),
        ("#xF/2", Rational(15, 2)),
        ("#e1.5", Rational(3, 2)),
        ("#e-1.5e1", -15),
        ("#e.5e2", 50),
        ("#e1e-2", Rational(1, 100)),
        ("#e7", 7),
        ("#i7", 7.0),
        ("#i1/3", 1 / 3),
        ("#i1e2", 100.0),
        ("#x#eff", 255),
        ("#e#xff", 255),
        ("#i#b11", 3.0),
        ("#B#I11", 3.0),
        ("#x#i-1/2", -0.5),
        (f"#i{10**400}/3", math.inf),
        (f"#i-{10**400}/3", -math.inf),
        (f"#i{10**400}/{10**399}", 10.0),
    ],
)
def test_numeral(text: str, number: Real) -> None:
    result = parse_number(text)
    assert not isinstance(result, Complex | None)
    assert type(result) is type(number)
    assert result == number
    assert math.copysign(1, result) == math.copysign(1, number)


@pytest.mark.parametrize(
    "text",
    [
        *NO_NUMERALS.split(),
        *["", " 1", "1 ", "1\n"],
    ],
)
def test_no_numeral(text: str) -> None:
    assert parse_number(text) is None


@pytest.mark.parametrize("text", ["+nan.0", "-NaN.0"])
def test_nan(text: str) -> None:
    assert math.isnan(parse_number(text))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("#e1e1000000000", id="large"),
        pytest.param("#e1e-1000000000", id="small"),
        pytest.param("#e.1e-1000000", id="fraction"),
        pytest.param("#e1e" + "9" * 10_000, id="long exponent"),
        pytest.param("#e." + "1" * 200_000, id="long fraction"),
    ],
)
def test_an_exact_decimal_that_would_fill_the_memory_is_refused(text: str) -> None:
    assert parse_number(text) is None


def test_large_exact_decimals_are_exact() -> None:
    assert parse_number("#e1e5000") == 10**5000
    assert parse_number("#e12.5e-5000") == Rational(125, 10**5001)


@pytest.mark.parametrize(
    ("text", "radix", "number"),
    [
        ("ff", 16, 255),
        ("-11", 2, -3),
        ("zZ", 36, 35 * 37),
        ("#d10", 16, 10),
        ("1e1", 16, 0x1E1),
        ("1.5", 8, None),
        ("12", 2, None),
    ],
)
def test_radix_argument(text: str, radix: int, number: Real | None) -> None:
    assert parse_number(text, radix) == number


@pytest.mark.parametrize(
    ("number", "radix", "text"),
    [
        (255, 10, "255"),
        (-255, 16, "-ff"),
        (5, 2, "101"),
        (8, 8, "10"),
        (1295, 36, "zz"),
        (0, 3, "0"),
        (-8, 3, "-22"),
        (27, 3, "1000"),
        (Rational(-15, 2), 10, "-15/2"),
        (Rational(-15, 2), 16, "-f/2"),
        (100.0, 10, "100.0"),
        (1e21, 10, "1e+21"),
        (1e-6, 10, "1e-06"),
        (-0.0, 10, "-0.0"),
        (0.1, 2, "0.1"),
        (math.inf, 10, "+inf.0"),
        (-math.inf, 10, "-inf.0"),
        (math.nan, 10, "+nan.0"),
    ],
)
def test_format(number: Real, radix: int, text: str) -> None:
    assert format_number(number, radix) == text


@pytest.mark.parametrize("digits", [599, 600, 601, 1200, 1201, 4300, 4301, 9999, 40_000])
@pytest.mark.parametrize("sign", ["", "-"])
def test_ints_beyond_python_s_digit_limit(digits: int, sign: str) -> None:
    text = sign + "9" + "".join(str(index * index % 10) for index in range(1, digits))
    number = parse_number(text)
    assert isinstance(number, int)
    assert number % 10**18 == (int(sign + text[-18:].lstrip("0")) if not sign else -int(text[-18:])) % 10**18
    assert 10 ** (digits - 1) <= abs(number) < 10**digits
    assert format_number(number) == text


@pytest.mark.parametrize("power", [1989, 1990, 1991, 3979, 3980, 3981, 50_000])
def test_powers_of_two_and_their_neighbours(power: int) -> None:
    for number in (2**power - 1, 2**power, 2**power + 1):
        assert parse_number(format_number(number)) == number


@given(st.integers() | st.integers(-(10**3000), 10**3000), st.integers(2, 36))
def test_ints_read_back_in_every_radix(number: int, radix: int) -> None:
    assert parse_number(format_number(number, radix), radix) == number


@given(st.floats(allow_nan=False))
def test_floats_read_back(number: float) -> None:
    result = parse_number(format_number(number))
    assert type(result) is float
    assert (result, math.copysign(1, result)) == (number, math.copysign(1, number))


@given(st.text("0123456789+-./eE#xidb_naf@ ", max_size=12))
def test_any_text_is_a_number_or_none(text: str) -> None:
    result = parse_number(text)
    assert result is None or type(result) in (int, float, Rational, Complex)
    if result is not None and not text.startswith("#") and result == result:
        assert parse_number(format_number(result)) == result


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("075", 75),
        ("+5", 5),
        ("-5", -5),
        (".5", 0.5),
        ("5.", 5.0),
        ("1.50", 1.5),
        ("1e3", 1000.0),
        ("-0", 0),
        ("1/2", None),
        ("#x1", None),
        ("", None),
        ("+", None),
        (".", None),
        ("10s", None),
        ("1e", None),
        ("e3", None),
        ("1.2.3", None),
        (" 5", None),
        ("5\n", None),
        ("1_0", None),
        ("٣", None),
        ("²", None),
        ("+inf.0", None),
        ("inf", None),
        ("nan", None),
    ],
)
def test_numeric_string(text: str, number: int | float | None) -> None:
    assert type(decimal(text)) is type(number)
    assert decimal(text) == number


def test_a_long_numeric_string() -> None:
    assert decimal("0" + "1" * 5000) == decimal("+" + "1" * 5000) == (10**5000 - 1) // 9


@pytest.mark.parametrize(
    "name",
    ["a", "10s", "1+", "-1+", "...", "..", "+", "-", "1/0", "a.b", "a#b", "don’t", "λ", "<=?", ":key", "1s2", "+i2"],
)
def test_names_that_read_as_symbols(name: str) -> None:
    assert reads_as_symbol(name)


@pytest.mark.parametrize(
    "name",
    [
        *NEED_BARS.split(),
        *["", "a b", "a\n", "a\t", "\x00", "a\ufeff", "a\u200b", "\xa0"],
    ],
)
def test_names_that_need_bars(name: str) -> None:
    assert not reads_as_symbol(name)


@pytest.mark.parametrize(
    "name",
    ["a", "A", "λ", "+", "-", "...", "..", ".a", "+.a", "-.@", "->x", "+a", "+@", "--", "-i2", "+inf", "a@b", "<=?"],
)
def test_identifiers_of_the_standard(name: str) -> None:
    assert reads_as_symbol(name, fold_case=False)


@pytest.mark.parametrize(
    "name",
    [
        "0-ab-x",
        "+NaN.0abc",
        "-inf.0x",
        "10s",
        "1+",
        "-1+",
        "+1a",
        "-.5a",
        ".1a",
        "+.",
        "+.1x",
        "@a",
        "a#",
        "{",
        "+i",
        "-I",
    ],
)
def test_what_is_no_identifier_of_the_standard_needs_bars(name: str) -> None:
    assert not reads_as_symbol(name, fold_case=False)


def test_an_exact_numeral_in_polar_coordinates() -> None:
    number = parse_number("#e1@1")
    assert number == exact_of(polar(1, 1))
    assert not is_inexact(number)
