"""Characters (R7RS 6.6)."""

from __future__ import annotations

import operator
import unicodedata
from collections.abc import Callable
from itertools import pairwise

from minischeme.data.errors import SchemeError
from minischeme.data.values import FALSE, TRUE, Boolean, Char, Value, boolean
from minischeme.primitives.indices import as_index
from minischeme.primitives.kinds import CharArg, Index
from minischeme.primitives.registry import primitive

_MOST = 0x10FFFF
_SURROGATES = range(0xD800, 0xE000)


def character(char: Value) -> str:
    """The Python string of a character.

    Raises: TypeError for every other value.
    """
    if type(char) is not Char:
        raise TypeError("not a character")
    return char.text


def _ordered(compare: Callable[[str, str], bool], chars: tuple[Value, ...]) -> Boolean:
    texts = [character(char) for char in chars]
    return boolean(all(compare(a, b) for a, b in pairwise(texts)))


def _ordered_without_case(compare: Callable[[str, str], bool], chars: tuple[Value, ...]) -> Boolean:
    texts = [character(char).casefold() for char in chars]
    return boolean(all(compare(a, b) for a, b in pairwise(texts)))


@primitive("char?")
def is_char(value: Value) -> Boolean:
    """Whether the value is a character."""
    return TRUE if type(value) is Char else FALSE


# Order


@primitive("char=?")
def char_equal(first: CharArg, *more: CharArg) -> Boolean:
    """Whether the characters are all the same."""
    return _ordered(operator.eq, (first, *more))


@primitive("char<?")
def char_less(first: CharArg, *more: CharArg) -> Boolean:
    """Whether the characters are in ascending order."""
    return _ordered(operator.lt, (first, *more))


@primitive("char>?")
def char_greater(first: CharArg, *more: CharArg) -> Boolean:
    """Whether the characters are in descending order."""
    return _ordered(operator.gt, (first, *more))


@primitive("char<=?")
def char_not_greater(first: CharArg, *more: CharArg) -> Boolean:
    """Whether no character comes before the one in front of it."""
    return _ordered(operator.le, (first, *more))


@primitive("char>=?")
def char_not_less(first: CharArg, *more: CharArg) -> Boolean:
    """Whether no character comes after the one in front of it."""
    return _ordered(operator.ge, (first, *more))


@primitive("char-ci=?")
def char_ci_equal(first: CharArg, *more: CharArg) -> Boolean:
    """Whether the characters are all the same but for their case."""
    return _ordered_without_case(operator.eq, (first, *more))


@primitive("char-ci<?")
def char_ci_less(first: CharArg, *more: CharArg) -> Boolean:
    """Whether the characters are in ascending order, whatever their case."""
    return _ordered_without_case(operator.lt, (first, *more))


@primitive("char-ci>?")
def char_ci_greater(first: CharArg, *more: CharArg) -> Boolean:
    """Whether the characters are in descending order, whatever their case."""
    return _ordered_without_case(operator.gt, (first, *more))


@primitive("char-ci<=?")
def char_ci_not_greater(first: CharArg, *more: CharArg) -> Boolean:
    """Whether no character comes before the one in front of it, whatever their case."""
    return _ordered_without_case(operator.le, (first, *more))


@primitive("char-ci>=?")
def char_ci_not_less(first: CharArg, *more: CharArg) -> Boolean:
    """Whether no character comes after the one in front of it, whatever their case."""
    return _ordered_without_case(operator.ge, (first, *more))


# What a character is


@primitive("char-alphabetic?")
def is_alphabetic(char: CharArg) -> Boolean:
    """Whether the character is a letter."""
    return boolean(character(char).isalpha())


@primitive("char-numeric?")
def is_numeric(char: CharArg) -> Boolean:
    """Whether the character is a decimal digit, in any script."""
    return boolean(character(char).isdecimal())


@primitive("char-whitespace?")
def is_whitespace(char: CharArg) -> Boolean:
    """Whether the character is a blank, a newline or the like."""
    text = character(char)
    # Python takes four old separator codes for blanks, Unicode does not.
    return boolean(text.isspace() and not "\x1c" <= text <= "\x1f")


@primitive("char-upper-case?")
def is_upper_case(char: CharArg) -> Boolean:
    """Whether the character is an upper-case letter."""
    return boolean(character(char).isupper())


@primitive("char-lower-case?")
def is_lower_case(char: CharArg) -> Boolean:
    """Whether the character is a lower-case letter."""
    return boolean(character(char).islower())


@primitive("digit-value")
def digit_value(char: CharArg) -> Value:
    """The value of a decimal digit, in any script, or #f."""
    value = unicodedata.decimal(character(char), -1)
    return FALSE if value < 0 else value


# Conversion


@primitive("char->integer")
def char_to_integer(char: CharArg) -> int:
    """The Unicode number of a character."""
    return ord(character(char))


@primitive("integer->char")
def integer_to_char(n: Index) -> Char:
    """The character with that Unicode number."""
    number = as_index(n)
    if number > _MOST or number in _SURROGATES:
        raise SchemeError("integer->char: not the number of a character:", n)
    return Char.of(chr(number))


def _converted(text: str, converted: str) -> Char:
    """A character in another case; itself where that would take more than one, as for a German sharp s."""
    return Char.of(converted if len(converted) == 1 else text)


@primitive("char-upcase")
def char_upcase(char: CharArg) -> Char:
    """The character in upper case."""
    text = character(char)
    return _converted(text, text.upper())


@primitive("char-downcase")
def char_downcase(char: CharArg) -> Char:
    """The character in lower case."""
    text = character(char)
    return _converted(text, text.lower())


@primitive("char-foldcase")
def char_foldcase(char: CharArg) -> Char:
    """The character without difference of case."""
    text = character(char)
    return _converted(text, text.casefold())
