"""Characters (R7RS 6.6); `text_order` has their comparison."""

import unicodedata
from collections.abc import Callable
from types import FunctionType

from minischeme.data.errors import SchemeError
from minischeme.data.values import FALSE, Boolean, Char, boolean
from minischeme.primitives.kinds import CharArg, Index, as_index
from minischeme.primitives.registry import family_member, primitive, type_predicate, unary

_MOST = 0x10FFFF
_SURROGATES = range(0xD800, 0xE000)


type_predicate("char?", Char, "a character")


def _property(name: str, holds: Callable[[str], bool], help_: str) -> None:
    def has_property(char: CharArg) -> Boolean:
        return boolean(holds(char.char))

    family_member(has_property, name, help_=help_)


def _is_blank(text: str) -> bool:
    # Python takes four old separator codes for blanks, Unicode does not.
    return text.isspace() and not "\x1c" <= text <= "\x1f"


_property("char-alphabetic?", str.isalpha, "Whether the character is a letter.")
_property("char-numeric?", str.isdecimal, "Whether the character is a decimal digit, in any script.")
_property("char-whitespace?", _is_blank, "Whether the character is a blank, a newline or the like.")
_property("char-upper-case?", str.isupper, "Whether the character is an upper-case letter.")
_property("char-lower-case?", str.islower, "Whether the character is a lower-case letter.")


unary(
    "digit-value", CharArg, lambda char: unicodedata.decimal(char.char, FALSE), "The value of a decimal digit, or #f."
)
unary("char->integer", CharArg, lambda char: ord(char.char), "The Unicode number of a character.")


@primitive("integer->char")
def integer_to_char(n: Index) -> Char:
    """The character with that Unicode number."""
    number = as_index(n)
    if number > _MOST or number in _SURROGATES:
        raise SchemeError("integer->char: not the number of a character:", n)
    return Char.of(chr(number))


def _conversion(name: str, convert: Callable[[str], str], help_: str) -> FunctionType:
    """A procedure that gives a character in another case; itself where that would take more than one."""

    def converted(char: CharArg) -> Char:
        text = convert(char.char)  # of a German sharp s, two characters
        return Char.of(text) if len(text) == 1 else char

    return family_member(converted, name, help_=help_)


char_upcase = _conversion("char-upcase", str.upper, "The character in upper case.")
char_downcase = _conversion("char-downcase", str.lower, "The character in lower case.")
char_foldcase = _conversion("char-foldcase", str.casefold, "The character without difference of case.")
