"""Characters (R7RS 6.6). Leaves their comparison to `text_order`."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

from minischeme.data.errors import SchemeError
from minischeme.data.values import FALSE, TRUE, Boolean, Char, Value, boolean
from minischeme.primitives.indices import as_index
from minischeme.primitives.kinds import CharArg, Index
from minischeme.primitives.registry import primitive

_MOST = 0x10FFFF
_SURROGATES = range(0xD800, 0xE000)


@primitive("char?")
def is_char(value: Value) -> Boolean:
    """Whether the value is a character."""
    return TRUE if type(value) is Char else FALSE


# What a character is


@primitive("char-alphabetic?")
def is_alphabetic(char: CharArg) -> Boolean:
    """Whether the character is a letter."""
    return boolean(char.char.isalpha())


@primitive("char-numeric?")
def is_numeric(char: CharArg) -> Boolean:
    """Whether the character is a decimal digit, in any script."""
    return boolean(char.char.isdecimal())


@primitive("char-whitespace?")
def is_whitespace(char: CharArg) -> Boolean:
    """Whether the character is a blank, a newline or the like."""
    text = char.char
    # Python takes four old separator codes for blanks, Unicode does not.
    return boolean(text.isspace() and not "\x1c" <= text <= "\x1f")


@primitive("char-upper-case?")
def is_upper_case(char: CharArg) -> Boolean:
    """Whether the character is an upper-case letter."""
    return boolean(char.char.isupper())


@primitive("char-lower-case?")
def is_lower_case(char: CharArg) -> Boolean:
    """Whether the character is a lower-case letter."""
    return boolean(char.char.islower())


@primitive("digit-value")
def digit_value(char: CharArg) -> Value:
    """The value of a decimal digit, in any script, or #f."""
    value = unicodedata.decimal(char.char, -1)
    return FALSE if value < 0 else value


# Conversion


@primitive("char->integer")
def char_to_integer(char: CharArg) -> int:
    """The Unicode number of a character."""
    return ord(char.char)


@primitive("integer->char")
def integer_to_char(n: Index) -> Char:
    """The character with that Unicode number."""
    number = as_index(n)
    if number > _MOST or number in _SURROGATES:
        raise SchemeError("integer->char: not the number of a character:", n)
    return Char.of(chr(number))


def _converted(char: Char, convert: Callable[[str], str]) -> Char:
    """A character in another case; itself where that would take more than one, as for a German sharp s."""
    converted = convert(char.char)
    return Char.of(converted) if len(converted) == 1 else char


@primitive("char-upcase")
def char_upcase(char: CharArg) -> Char:
    """The character in upper case."""
    return _converted(char, str.upper)


@primitive("char-downcase")
def char_downcase(char: CharArg) -> Char:
    """The character in lower case."""
    return _converted(char, str.lower)


@primitive("char-foldcase")
def char_foldcase(char: CharArg) -> Char:
    """The character without difference of case."""
    return _converted(char, str.casefold)
