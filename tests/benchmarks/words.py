"""Words and sentences in Python, by hand: what a programmer without minischeme would write for the benchmarks.

On minischeme's own data (pairs, symbols), without any of its procedures. Correct for correct programs only: nothing
complains about what is not a word or sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

from minischeme.data.values import NIL, Pair, String, Symbol, intern

NUMBER = re.compile(r"-?([1-9][0-9]*|0)")
PLAIN = re.compile(r"[a-z!$%&*/:<=>?~_^][a-z!$%&*/:<=>?~_^0-9+.\-]*|[+\-]")


@cache
def lasting_word(text: str) -> Any:
    """The integer or symbol that a text is as a word; None if it is neither."""
    if NUMBER.fullmatch(text):
        return int(text)
    return intern(text) if PLAIN.fullmatch(text) else None


def word_of(text: str) -> Any:
    """The word that a text is."""
    found = lasting_word(text)
    return String(text) if found is None else found


def text_of(word: Any) -> str:
    """The text of a word."""
    if type(word) is Symbol:
        return word.name
    return word.text if type(word) is String else str(word)


def word(*parts: Any) -> Any:
    """The parts joined to one word."""
    return word_of("".join([text_of(part) for part in parts]))


def first(thing: Any) -> Any:
    """The first word of a sentence, or letter of a word."""
    return thing.car if type(thing) is Pair else word_of(text_of(thing)[0])


def butfirst(thing: Any) -> Any:
    """All but the first."""
    return thing.cdr if type(thing) is Pair else word_of(text_of(thing)[1:])


def butlast(word: Any) -> Any:
    """All letters of a word but the last."""
    return word_of(text_of(word)[:-1])


def is_empty(thing: Any) -> bool:
    """Whether a sentence or word is empty."""
    return thing is NIL or (type(thing) is String and not thing.text)


def item(place: int, sentence: Any) -> Any:
    """The word at a place, counted from 1."""
    for _ in range(place - 1):
        sentence = sentence.cdr
    return sentence.car


def se(*things: Any) -> Any:
    """Words and sentences joined to a sentence whose pairs are all new, as the course's ``se`` does it."""
    front = end = Pair(NIL, NIL)
    for thing in things:
        if type(thing) is Pair:
            while thing is not NIL:
                end.cdr = end = Pair(thing.car, NIL)
                thing = thing.cdr
        elif thing is not NIL:
            end.cdr = end = Pair(thing, NIL)
    return front.cdr


def se_sharing(*things: Any) -> Any:
    """Words and sentences joined to a sentence that ends in the last argument itself, as on pairs that never change."""
    rest: Any = NIL
    for thing in reversed(things):
        if type(thing) is Pair or thing is NIL:
            rest = thing if rest is NIL else se(thing, rest)
        else:
            rest = Pair(thing, rest)
    return rest


def equal(one: Any, other: Any) -> bool:
    """Whether two words are the same."""
    if one is other:
        return True
    return type(one) is type(other) and type(one) is not Symbol and text_of(one) == text_of(other)


def list_of(items: list[Any]) -> Any:
    """A sentence of the words in a Python list."""
    result: Any = NIL
    for thing in reversed(items):
        result = Pair(thing, result)
    return result


def every(function: Callable[[Any], Any], sentence: Any) -> Any:
    """The sentence of what a function makes of each word: a word or a sentence."""
    words: list[Any] = []
    while sentence is not NIL:
        made = function(sentence.car)
        if type(made) is Pair:
            while made is not NIL:
                words.append(made.car)
                made = made.cdr
        elif made is not NIL:
            words.append(made)
        sentence = sentence.cdr
    return list_of(words)


def keep(predicate: Callable[[Any], bool], sentence: Any) -> Any:
    """The words of a sentence of which a predicate is true."""
    words: list[Any] = []
    while sentence is not NIL:
        if predicate(sentence.car):
            words.append(sentence.car)
        sentence = sentence.cdr
    return list_of(words)


def total(sentence: Any) -> int:
    """The sum of a sentence of integers: what ``(accumulate + sentence)`` gives."""
    result = 0
    while sentence is not NIL:
        result += sentence.car
        sentence = sentence.cdr
    return result


def repeated(function: Callable[[Any], Any], times: int) -> Callable[[Any], Any]:
    """A function that applies another one several times."""

    def repeat(thing: Any) -> Any:
        for _ in range(times):
            thing = function(thing)
        return thing

    return repeat
