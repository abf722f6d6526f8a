"""Abbreviated texts and values for messages."""

import re
from collections.abc import Callable

from minischeme.data.values import Pair, String, Symbol, Value, Vector, intern, list_of

_CUT = Symbol("…")


def abbreviated(text: str, width: int) -> str:
    """A text of at most `width` characters: an ellipsis ends one that was longer."""
    return text if len(text) <= width else text[: width - 1] + "…"


def one_line(text: str, width: int = 60) -> str:
    """A piece of program on one line of at most `width` characters."""
    return abbreviated(" ".join(text.split()), width)


def without_comments(text: str) -> str:
    """A piece of program without the comments at the ends of its lines."""
    return re.sub(r'("(?:[^"\\]|\\[\s\S])*+"|\|[^|]*+\||#\\.)|;.*', r"\1", text)


def without_middle(text: str, length: int, end: int) -> str:
    """A text of about `length` characters, with an ellipsis before its last `end` characters if it was longer."""
    return text if len(text) <= length else f"{text[: length - end]} … {text[-end:]}"


def beginning(
    value: Value, length: int, depth: int | None = None, atom: Callable[[Value], Value] = lambda value: value
) -> Value:
    """The part of a value that the first `length` characters of its text show, in a time that depends on them alone.

    Args:
        depth: the greatest depth of lists and vectors that are shown, None for all.
        atom: gives a replacement for a part that is no list, vector or string.
    """
    budget = iter(range(length))  # every item takes one, since its text has a character at least

    def part(value: Value, depth: int) -> Value:
        if type(value) is String:
            return String(value.text[: length + 1])
        if type(value) is not Pair and type(value) is not Vector:
            return atom(value)
        if not depth:
            return intern("...")
        if type(value) is Vector:
            return Vector(part(item, depth - 1) for item, _ in zip(value, budget, strict=False))
        items: list[Value] = []
        while type(value) is Pair and next(budget, None) is not None:
            items.append(part(value.car, depth - 1))
            value = value.cdr
        rest = _CUT if type(value) is Pair else value
        return list_of(items, rest) if items else rest

    return part(value, length if depth is None else depth)
