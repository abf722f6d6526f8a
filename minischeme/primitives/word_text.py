"""Words as text (DIALECT.md section 1.1): the rule from letters to a number, symbol or string, and its inverse."""

import re
from functools import lru_cache
from math import isinf

from minischeme.data.numerals import decimal, format_number
from minischeme.data.rationals import Complex, Rational
from minischeme.data.values import String, Symbol, Value, intern

# Compiled when they are first used: few starts need them.
_NARROW_DECIMAL = r"""(?x)
    -? [1-9] [0-9]* ( \. ( [0-9] | [0-9]* [1-9] ) )?    # 7, -12, 23.0, 1.5, not 23.00
    | -? 0 \. [0-9]* [1-9]                              # 0.5, not 0.0
    | 0
"""
_INITIAL = r"[a-z!$%&*/:<=>?~_^]"
_SUBSEQUENT = r"[a-z!$%&*/:<=>?~_^0-9+.\-]"
_PLAIN_SYMBOL = rf"{_INITIAL}{_SUBSEQUENT}*|\+|-|\.\.\."
_REMEMBERED_WORDS = 1 << 15


def narrow_decimal(text: str) -> int | float | None:
    """The number that a word's text is by the narrow rule; None where the word is no number."""
    if re.fullmatch(_NARROW_DECIMAL, text) is None:
        return None
    number = decimal(text)
    if isinstance(number, Rational) or (isinstance(number, float) and isinf(number)):
        return None
    return number


@lru_cache(_REMEMBERED_WORDS)
def _shareable(text: str) -> Value | None:
    """The number or plain symbol of that text; None for a word that stays a string."""
    number = narrow_decimal(text)
    if number is not None:
        return number
    return intern(text) if re.fullmatch(_PLAIN_SYMBOL, text) else None


def classify(text: str) -> Value:
    """The word of that text: a number, a plain symbol, or a fresh string."""
    word = _shareable(text)
    return String(text) if word is None else word


def spelling(word: Value) -> str:
    """The text of a word; a TypeError for a value that is not a word."""
    kind = type(word)
    if kind is Symbol:
        name: str = word.name
        return name
    if kind is String:
        text: str = word.text
        return text
    if kind is int:
        try:
            return str(word)
        except ValueError:  # it has more digits than Python converts by itself
            return format_number(word)
    if kind is float or kind is Rational or kind is Complex:
        return format_number(word)
    raise TypeError("not a word")
