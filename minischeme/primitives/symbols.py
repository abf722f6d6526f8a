"""Symbols (R7RS 6.5), and words made of text."""

from itertools import pairwise
from typing import Annotated, Any

from minischeme.data.values import Boolean, String, Symbol, Value, boolean, intern
from minischeme.primitives.kinds import Kind, StringArg, SymbolArg, Word, check_type
from minischeme.primitives.registry import primitive, type_predicate
from minischeme.primitives.word_text import classify, spelling

Name = Annotated[Any, Kind("not a symbol or string", lambda value: type(value) in (Symbol, String))]


type_predicate("symbol?", Symbol, "a symbol", example="(symbol? 'a) → #t")


@primitive("symbol->string", example='(symbol->string \'ace) → "ace"')
def symbol_to_string(symbol: SymbolArg) -> String:
    """The name of a symbol."""
    check_type(Symbol, symbol)
    return String(symbol.name)


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
    number = len(Symbol.table)
    while f"{start}{number}" in Symbol.table:
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
