"""Strings and characters (R7RS 6.6 and 6.7), with what MIT and the course's Scheme add, and their order."""

import operator
import unicodedata
from collections.abc import Callable
from itertools import product
from typing import Annotated, Any

from minischeme.data.errors import SchemeError
from minischeme.data.values import FALSE, UNSPECIFIED, Boolean, Char, Procedure, String, Value, Vector, boolean, list_of
from minischeme.primitives import kinds
from minischeme.primitives.kinds import CharArg, Index, Kind, List, StringArg, as_index, bounds, part, position
from minischeme.primitives.loops import first_found
from minischeme.primitives.pairs import elements
from minischeme.primitives.registry import predicate, primitive, unary
from minischeme.runtime.tail_calls import TailCall

Sought = Annotated[
    Any, Kind("not a character, string or predicate", lambda value: type(value) in (Char, String, Procedure))
]

_BLANK = Char.of(" ")


def string_of(operator_name: str, chars: list[Value]) -> String:
    """A string of characters; a SchemeError, which names the operator, for what is no character."""
    for char in chars:
        if type(char) is not Char:
            raise SchemeError(f"{operator_name}: bad character:", char)
    return String("".join([char.char for char in chars]))


predicate("string?", String, "a string", example='(string? "ace") → #t')
unary("string-null?", StringArg, lambda string: boolean(not string.text), "Whether the string is empty.")


# ── Order of characters and strings ──────────────────────────────────────────────────────────────────────────────────
_TEXT: dict[str, tuple[str, Any, Callable[[Any], str]]] = {
    "char": ("character", CharArg, lambda char: char.char),
    "char-ci": ("character", CharArg, lambda char: char.char.casefold()),
    "string": ("string", StringArg, lambda string: string.text),
    "string-ci": ("string", StringArg, lambda string: string.text.casefold()),
}
"""The compared things, their kind, and the text that counts, by the beginning of a comparison's name."""

_ORDERS: dict[str, tuple[Callable[[str, str], bool], str]] = {
    "=?": (operator.eq, "Whether the {}s are all the same"),
    "<?": (operator.lt, "Whether the {}s are in ascending order"),
    ">?": (operator.gt, "Whether the {}s are in descending order"),
    "<=?": (operator.le, "Whether no {} comes before the one in front of it"),
    ">=?": (operator.ge, "Whether no {} comes after the one in front of it"),
}


def _comparison(prefix: str, suffix: str) -> None:
    compared, kind, text_of = _TEXT[prefix]
    holds, help_ = _ORDERS[suffix]

    ignoring = ", whatever their case" if prefix.endswith("-ci") else ""

    @primitive(prefix + suffix, help_=f"{help_.format(compared)}{ignoring}.")
    def compare(first: Value, *more: Value) -> Boolean:
        if len(more) == 1:
            return boolean(holds(text_of(first), text_of(more[0])))
        texts = [text_of(value) for value in (first, *more)]
        return boolean(all(map(holds, texts, texts[1:])))

    compare.__annotations__ |= {"first": kind, "more": kind}


for _prefix, _suffix in product(_TEXT, _ORDERS):
    _comparison(_prefix, _suffix)


# ── Making strings ───────────────────────────────────────────────────────────────────────────────────────────────────
@primitive("make-string")
def make_string(count: Index, char: CharArg = _BLANK) -> String:
    """A string of so many characters, all of them `char`."""
    return String(char.char * kinds.as_length("make-string", count))


@primitive("string")
def string_(*chars: CharArg) -> String:
    """A string of the characters."""
    return String("".join([char.char for char in chars]))


@primitive("string-append", example='(string-append "to" "day") → "today"')
def string_append(*strings: StringArg) -> String:
    """The strings in a row, as one string."""
    return String("".join([string.text for string in strings]))


@primitive("string-join")
def string_join(strings: List, delimiter: StringArg = String(" ")) -> String:  # noqa: B008, never changed
    """The strings of a list as one string, with a delimiter between them."""
    between, parts = delimiter.text, elements(strings)
    for string in parts:
        if type(string) is not String:
            raise SchemeError("string-join: bad string:", string)
    return String(between.join([string.text for string in parts]))


def _from_part(name: str, make: Callable[[str], Value], what: str) -> None:
    """A procedure that makes something of a part of a string."""

    @primitive(name, help_=f"{what} of the characters from index start up to, not including, end.")
    def made(string: StringArg, start: Index = 0, end: Index = None) -> Value:
        return make(part(name, string.text, start, end))


_from_part("string-copy", String, "A new string")
_from_part("string->list", lambda text: list_of(map(Char.of, text)), "A list")
_from_part("string->vector", lambda text: Vector(map(Char.of, text)), "A vector")


@primitive("list->string")
def list_to_string(chars: List) -> String:
    """A string of the characters of a list."""
    return string_of("list->string", elements(chars))


# ── Characters in a string ───────────────────────────────────────────────────────────────────────────────────────────
@primitive("string-length", example='(string-length "ace") → 3')
def string_length(string: StringArg) -> int:
    """The number of characters of a string."""
    return len(string.text)


@primitive("string-ref", example='(string-ref "ace" 0) → #\\a')
def string_ref(string: StringArg, k: Index) -> Char:
    """The character at index k, counted from 0."""
    return Char.of(string.text[position("string-ref", k, len(string.text))])


@primitive("string-set!")
def string_set(string: StringArg, k: Index, char: CharArg) -> Value:
    """Replace the character at index k, counted from 0."""
    text = string.text
    index = position("string-set!", k, len(text))
    string.text = text[:index] + char.char + text[index + 1 :]
    return UNSPECIFIED


@primitive("string-fill!")
def string_fill(string: StringArg, char: CharArg, start: Index = 0, end: Index = None) -> Value:
    """Replace the characters from index start up to, not including, end, each by `char`."""
    text = string.text
    first, last = bounds("string-fill!", len(text), start, end)
    string.text = text[:first] + char.char * (last - first) + text[last:]
    return UNSPECIFIED


@primitive("string-copy!")
def string_copy_to(to: StringArg, at: Index, from_: StringArg, start: Index = 0, end: Index = None) -> Value:
    """Replace the characters of a string, from index `at` on, by those of another from index start up to end."""
    text = to.text
    inserted = part("string-copy!", from_.text, start, end)
    first, last = bounds("string-copy!", len(text), at, as_index(at) + len(inserted))
    to.text = text[:first] + inserted + text[last:]
    return UNSPECIFIED


# ── Case and direction ───────────────────────────────────────────────────────────────────────────────────────────────
def _conversion(name: str, convert: Callable[[str], str], help_: str) -> None:
    """A procedure that makes a new string from the text of one."""
    unary(name, StringArg, lambda string: String(convert(string.text)), help_)


_conversion("string-upcase", str.upper, "The string in upper case.")
_conversion("string-downcase", str.lower, "The string in lower case.")
_conversion("string-foldcase", str.casefold, "The string without differences of case.")
_conversion("string-reverse", lambda text: text[::-1], "The characters of a string in the opposite order.")


# ── Parts ────────────────────────────────────────────────────────────────────────────────────────────────────────────
@primitive("substring", example='(substring "today" 0 2) → "to"')
def substring(string: StringArg, start: Index, end: Index = None) -> String:
    """The part of a string from index start up to, not including, end."""
    return String(part("substring", string.text, start, end))


@primitive("string-head")
def string_head(string: StringArg, end: Index) -> String:
    """The part of a string up to, not including, index end."""
    return String(part("string-head", string.text, 0, as_index(end)))


@primitive("string-tail")
def string_tail(string: StringArg, start: Index) -> String:
    """The part of a string from index start on."""
    return String(part("string-tail", string.text, start, None))


@primitive("string-pad-left")
def string_pad_left(string: StringArg, length: Index, char: CharArg = _BLANK) -> String:
    """The string made that long at its left: filled up with a character, or cut off."""
    text, width = string.text, kinds.as_length("string-pad-left", length)
    return String(text.rjust(width, char.char)[max(0, len(text) - width) :])


@primitive("string-pad-right")
def string_pad_right(string: StringArg, length: Index, char: CharArg = _BLANK) -> String:
    """The string made that long at its right: filled up with a character, or cut off."""
    text, width = string.text, kinds.as_length("string-pad-right", length)
    return String(text.ljust(width, char.char)[:width])


# ── Searching ────────────────────────────────────────────────────────────────────────────────────────────────────────
@primitive("string-search-forward")
def string_search_forward(pattern: StringArg, string: StringArg, start: Index = 0) -> Value:
    """The index of the first place, from index start on, where a pattern stands in a string, or #f."""
    sought, text = pattern.text, string.text
    first, _ = bounds("string-search-forward", len(text), start, None)
    return _index_or_false(text.find(sought, first))


@primitive("string-search-backward")
def string_search_backward(pattern: StringArg, string: StringArg, end: Index = None) -> Value:
    """The index behind the last place, up to index end, where a pattern stands in a string, or #f."""
    sought, text = pattern.text, string.text
    _, last = bounds("string-search-backward", len(text), 0, end)
    found = text.rfind(sought, 0, last)
    return FALSE if found < 0 else found + len(sought)


@primitive("string-search-all")
def string_search_all(pattern: StringArg, string: StringArg) -> Value:
    """A list of the indices of all places where a pattern stands in a string."""
    sought, text = pattern.text, string.text
    return list_of([index for index in range(len(text) + 1) if text.startswith(sought, index)])


@primitive("string-index", transparent=True)
def string_index(string: StringArg, sought: Sought, *, tail: TailCall) -> Value:
    """The index of the first such character in a string, or #f; of two strings, where the first is in the second."""
    text = string.text
    if type(sought) is Char:
        return _index_or_false(text.find(sought.char))
    if type(sought) is String:
        return _index_or_false(sought.text.find(text))
    return first_found(sought, [list(map(Char.of, text))], lambda index, _: index, tail)


def _index_or_false(found: int) -> Value:
    return FALSE if found < 0 else found


# ── Characters (R7RS 6.6) ────────────────────────────────────────────────────────────────────────────────────────────
_MOST = 0x10FFFF
_SURROGATES = range(0xD800, 0xE000)

predicate("char?", Char, "a character")


def _is_blank(text: str) -> bool:
    # Python takes four old separator codes for blanks, Unicode does not.
    return text.isspace() and not "\x1c" <= text <= "\x1f"


def _property(name: str, holds: Callable[[str], bool], help_: str) -> None:
    unary(name, CharArg, lambda char: boolean(holds(char.char)), help_)


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


def _in_case(name: str, convert: Callable[[str], str], help_: str) -> None:
    """A procedure that gives a character in another case; itself where that would take more than one."""

    @primitive(name, help_=help_)
    def converted(char: CharArg) -> Char:
        text = convert(char.char)  # of a German sharp s, two characters
        return Char.of(text) if len(text) == 1 else char


_in_case("char-upcase", str.upper, "The character in upper case.")
_in_case("char-downcase", str.lower, "The character in lower case.")
_in_case("char-foldcase", str.casefold, "The character without difference of case.")
