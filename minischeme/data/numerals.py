"""Numbers as text: numerals (R7RS 6.2.5, 7.1.1) read and written, and numeric strings (DIALECT.md section 1.1)."""

import re
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal
from functools import cache
from math import inf, isfinite, nan

from minischeme.data.rationals import Complex, Number, Real, exact_of, exact_ratio, polar, rectangular

_RADIX = {"x": 16, "d": 10, "o": 8, "b": 2}
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_SPECIAL = {"+inf.0": inf, "-inf.0": -inf, "+nan.0": nan, "-nan.0": nan}

_DECIMAL = re.compile(r"[+-]?(?=\.?[0-9])[0-9]*+(\.[0-9]*+)?([eE][+-]?[0-9]++)?").fullmatch

# These are compiled when they are first used: few starts need them.
_PREFIX = r"#([xdobXDOB])(?:#([eiEI]))?|#([eiEI])(?:#([xdobXDOB]))?"
_HASHES = r"[+-]?[0-9]++(?:#++(?:\.#*+)?|\.[0-9]*+#++)([eE][+-]?[0-9]++)?"
_RATIO = r"([+-]?[0-9a-zA-Z]++)(?:/([0-9a-zA-Z]++))?"

GREATEST_COMPLEX_RADIX = 18
"""In larger ones i is a digit and can't mark an imaginary part."""

_MOST_EXACT_DIGITS = 100_000
"""`#e1e1000000000` would fill the memory: an exact decimal may have so many digits before or after its point."""

_SAFE_DIGITS = 600
"""An int of so many digits is below any limit that Python's settings can put on its conversion from and to str."""

_SAFE_BITS = 1990
"""So many bits make less than `_SAFE_DIGITS` decimal digits."""

# The characters that can't begin or be in an identifier: their complement takes `re` 20 ms to compile.
_NOT_SUBSEQUENT = r"""\0- "\#'(),;\[\\\]`{|}\x7f"""
_INITIAL = rf"[^{_NOT_SUBSEQUENT}+\-.@0-9]"
_IDENTIFIER = rf"""(?x)
    (?! [+-] (?i: inf | nan ) \.0 )
    (?: {_INITIAL} | [+-]? \. (?: {_INITIAL} | [+\-@.] ) | [+-] (?: {_INITIAL} | [+\-@] | \Z ) )
    [^{_NOT_SUBSEQUENT}]*
"""
"""R7RS 7.1.1, with all other characters than ASCII's taken for letters; `parse_number` knows ``+i``."""

_NOT_PLAIN = r"""[#’‘]|\.\Z|.*[\s()\[\]"';`,|\\−“”]"""


def parse_number(text: str, radix: int = 10) -> Number | None:
    """The number that a numeral stands for, or None if `text`, a whole token, is no numeral.

    R7RS 6.2.5 and 7.1.1, with `e` as the only exponent marker, and from R5RS 7.1.1 ``#`` for unknown digits. A radix
    prefix in the text takes precedence over `radix`, which is 2 to 36.
    """
    exactness = ""
    prefix = re.match(_PREFIX, text) if text[:1] == "#" else None
    if prefix is not None:
        mark = prefix[1] or prefix[4]
        radix = _RADIX[mark.lower()] if mark else radix
        exactness = (prefix[2] or prefix[3] or "").lower()
        text = text[prefix.end() :]
    real = _real(text, radix, exactness)
    if real is not None or not text:
        return real
    if text[-1] in "iI" and radix <= GREATEST_COMPLEX_RADIX:
        return _rectangular(text[:-1], radix, exactness)
    parts = [_real(part, radix, exactness) for part in text.split("@", 1)]
    if len(parts) == 1 or parts[0] is None or parts[1] is None:
        return None
    number = polar(parts[0], parts[1])
    return exact_of(number) if exactness == "e" else number


def _rectangular(text: str, radix: int, exactness: str) -> Number | None:
    """The number of a real part, which may be missing, and an imaginary part, which begins with its sign."""
    signs = [index for index, character in enumerate(text) if character in "+-"]
    for start in signs[:-3:-1]:  # the last sign may be an exponent's
        real = _real(text[:start], radix, exactness) if start else 0
        imag = _real(text[start:] + ("1" if start == len(text) - 1 else ""), radix, exactness)
        if real is not None and imag is not None:
            return rectangular(real, imag)
    return None


def _real(text: str, radix: int, exactness: str) -> Real | None:
    """The real number of a numeral without its prefix; `exactness` is ``e``, ``i`` or empty."""
    if radix == 10:
        match = _DECIMAL(text)
        if match is not None:
            if match.lastindex is None:
                return float(text) if exactness == "i" else _integer(text, 10)
            return _exact_decimal(text) if exactness == "e" else float(text)
        if "#" in text and re.fullmatch(_HASHES, text) is not None:
            decimal_text = text.replace("#", "0")
            return _exact_decimal(decimal_text) if exactness == "e" else float(decimal_text)
    match = re.fullmatch(_RATIO, text) if radix != 10 or "/" in text else None
    if match is not None:
        return _ratio(match[1], match[2], radix, exactness)
    return None if exactness == "e" else _SPECIAL.get(text.lower())


def _exact_decimal(text: str) -> Real | None:
    """The exact value of a decimal numeral with a point or an exponent; None if it is too large to be meant."""
    mantissa, _, exponent = text.lower().partition("e")
    whole, _, fraction = mantissa.partition(".")
    if len(exponent) > _SAFE_DIGITS:
        return None
    shift = int(exponent or "0") - len(fraction)
    if abs(shift) > _MOST_EXACT_DIGITS:
        return None
    digits = _integer(whole + fraction, 10)
    return digits * 10**shift if shift >= 0 else exact_ratio(digits, 10**-shift)


def _ratio(numerator: str, denominator: str | None, radix: int, exactness: str) -> Real | None:
    """An integer or ratio of a radix; None where a digit is too large for it, or the denominator is zero."""
    try:
        above = _integer(numerator, radix)
        below = _integer(denominator, radix) if denominator is not None else 1
    except ValueError:
        return None
    if below == 0:
        return None
    if exactness != "i":
        return exact_ratio(above, below)
    try:
        return above / below
    except OverflowError:
        return inf if above > 0 else -inf


def _integer(text: str, radix: int) -> int:
    """`int(text, radix)` for texts of any length: halves, joined by Python's fast multiplication.

    A ValueError where a digit is too large for the radix.
    """
    if len(text) <= _SAFE_DIGITS or radix & (radix - 1) == 0:
        return int(text, radix)
    sign = -1 if text[0] == "-" else 1
    digits = text.lstrip("+-")

    @cache
    def power(exponent: int) -> int:
        if exponent <= _SAFE_DIGITS:
            return int(radix**exponent)
        half = power(exponent // 2)
        return half * half * (radix if exponent & 1 else 1)

    def value(start: int, end: int) -> int:
        if end - start <= _SAFE_DIGITS:
            return int(digits[start:end], radix)
        low = _balanced_split(end - start, _SAFE_DIGITS)
        return value(start, end - low) * power(low) + value(end - low, end)

    return sign * value(0, len(digits))


def format_number(value: Number, radix: int = 10) -> str:
    """The shortest text that reads back as this number.

    The radix, 2 to 36, is that of exact numbers; inexact ones are always written in decimals.
    """
    if isinstance(value, int):
        return _digits(value, radix)
    if isinstance(value, float):
        if isfinite(value):
            return repr(value)
        return "+nan.0" if value != value else "+inf.0" if value > 0 else "-inf.0"
    if isinstance(value, Complex):
        return _format_complex(value, radix)
    return f"{_digits(value.numerator, radix)}/{_digits(value.denominator, radix)}"


def _format_complex(number: Complex, radix: int) -> str:
    """The text of a complex number, without the real part where that would read as the same: an exact 0, or 0.0."""
    real, imag = format_number(number.real, radix), format_number(number.imag, radix)
    sign = "" if imag[0] in "+-" else "+"
    digits = imag[:-1] if imag in ("1", "-1") else imag
    return f"{'' if real in ('0', '0.0') else real}{sign}{digits}i"


def _digits(value: int, radix: int) -> str:
    """The digits of an int of any size, after its sign."""
    if value < 0:
        return "-" + _digits(-value, radix)
    if radix == 10:
        return str(value) if value.bit_length() <= _SAFE_BITS else _decimal_digits(value)
    if radix in (2, 8, 16):
        return format(value, {2: "b", 8: "o", 16: "x"}[radix])
    return _radix_digits(value, radix)


def _decimal_digits(value: int) -> str:
    """`str(value)` of a positive int of any size: halves, joined by decimal's fast multiplication."""
    exact = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)

    @cache
    def power_of_two(exponent: int) -> Decimal:
        if exponent <= _SAFE_BITS:
            return Decimal(1 << exponent)
        root = power_of_two(exponent // 2)
        return exact.multiply(exact.multiply(root, root), 1 + exponent % 2)

    def convert(part: int, bits: int) -> Decimal:
        if bits <= _SAFE_BITS:
            return Decimal(part)
        low = _balanced_split(bits, _SAFE_BITS)
        high = part >> low
        return exact.fma(convert(high, bits - low), power_of_two(low), convert(part - (high << low), low))

    return str(convert(value, value.bit_length()))


def _radix_digits(value: int, radix: int) -> str:
    """The digits of a non-negative int in a radix that Python has no format for."""
    if value < radix:
        return _DIGITS[value]
    # Halves first: taking digits off one by one would divide the whole number each time.
    count = 1
    while radix ** (2 * count) <= value:
        count *= 2
    high, low = divmod(value, radix**count)
    return _radix_digits(high, radix) + _radix_digits(low, radix).rjust(count, "0")


def _balanced_split(length: int, small: int) -> int:
    """A position, from the end, that splits a length above `small` in two, such that few different powers occur."""
    return small << ((length - 1) // small).bit_length() - 1


def decimal(text: str) -> int | float | None:
    """The number that a numeric string stands for in arithmetic; None for any other string.

    DIALECT.md section 1.1: a sign, digits with at most one point, an exponent; neither ratios nor prefixes.
    """
    if text.isdigit() and text.isascii():
        return _integer(text, 10)
    match = _DECIMAL(text)
    if match is None:
        return None
    return _integer(text, 10) if match.lastindex is None else float(text)


def reads_as_symbol(name: str, *, fold_case: bool = True) -> bool:
    """Whether the reader makes exactly this symbol of its bare name, without `|`.

    With `fold_case` false the name is for a standard reader: other systems may read what is no identifier there, such
    as ``10s``, as something else.
    """
    return (
        name != ""
        and (name == name.lower() if fold_case else re.fullmatch(_IDENTIFIER, name) is not None)
        and name.isprintable()
        and re.match(_NOT_PLAIN, name) is None
        and parse_number(name) is None
    )
