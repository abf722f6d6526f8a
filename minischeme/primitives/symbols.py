"""Symbols (R7RS 6.5), and the text of words: the rule from letters to a number, symbol or string, and its inverse."""

import re
from functools import lru_cache
from itertools import pairwise
from math import isinf
from typing import Annotated, Any

from minischeme.data.numerals import decimal, format_number
from minischeme.data.rationals import Complex, Rational
from minischeme.data.values import SYMBOLS, Boolean, String, Symbol, Value, boolean, intern
from minischeme.primitives.kinds import Kind, StringArg, SymbolArg, Word, check_type, of_type
from minischeme.primitives.registry import predicate, primitive

Name = Annotated[Any, Kind("not a symbol or string", lambda value: type(value) in (Symbol, String))]


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
    if type(number) is float:
        return None if isinf(number) else number
    return number if type(number) is int else None


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


predicate("symbol?", Symbol, "a symbol", example="(symbol? 'a) → #t")


@primitive("symbol->string", example='(symbol->string \'ace) → "ace"')
def symbol_to_string(symbol: SymbolArg) -> String:
    """The name of a symbol."""
    return String(of_type(Symbol, symbol).name)


@primitive("string->symbol", "intern", example='(string->symbol "ace") → ace')
def string_to_symbol(string: StringArg) -> Symbol:
    """The symbol of that name, upper and lower case kept."""
    return intern(string.text)


@primitive("symbol-append")
def symbol_append(*symbols: SymbolArg) -> Symbol:
    """The symbol whose name is the names of all the symbols in a row."""
    check_type(Symbol, *symbols)
    return intern("".join([symbol.name for symbol in symbols]))


@primitive("symbol<?")
def is_symbol_less(first: SymbolArg, second: SymbolArg, *more: SymbolArg) -> Boolean:
    """Whether the names of the symbols are in alphabetical order."""
    symbols = (first, second, *more)
    check_type(Symbol, *symbols)
    return boolean(all(a.name < b.name for a, b in pairwise(symbols)))


@primitive("string->uninterned-symbol")
def string_to_uninterned_symbol(string: StringArg) -> Symbol:
    """A new symbol of that name, different from every other."""
    return Symbol(string.text)


@primitive("gensym", "generate-uninterned-symbol")
def gensym(prefix: Name = String("g")) -> Symbol:  # noqa: B008, never changed
    """A new symbol, different from every other, whose name no symbol had so far."""
    if type(prefix) not in (Symbol, String):
        raise TypeError("not a symbol or string")
    start = spelling(prefix)
    number = len(SYMBOLS)
    while f"{start}{number}" in SYMBOLS:
        number += 1
    # The name is taken from now on, so that the next one gets another.
    return Symbol(intern(f"{start}{number}").name)


@primitive("string->word", dialect="berkeley", example='(string->word "12") → 12')
def string_to_word(string: StringArg) -> Value:
    """The word of that text: a number, a symbol, or else a string."""
    return classify(string.text)


@primitive("word->string", dialect="berkeley", example='(word->string \'ace) → "ace"')
def word_to_string(word: Word) -> String:
    """The text of a word."""
    return String(spelling(word))
