"""Comparison of characters and of strings, by code points, with and without regard to case (R7RS 6.6, 6.7)."""

import operator
from collections.abc import Callable
from types import FunctionType
from typing import Any

from minischeme.data.values import Boolean, Value, boolean
from minischeme.primitives.kinds import CharArg, StringArg
from minischeme.primitives.registry import family_member

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


def _comparison(prefix: str, suffix: str) -> FunctionType:
    compared, kind, text_of = _TEXT[prefix]
    holds, help_ = _ORDERS[suffix]

    def compare(first: Value, *more: Value) -> Boolean:
        texts = [text_of(value) for value in (first, *more)]
        return boolean(all(map(holds, texts, texts[1:])))

    compare.__annotations__ |= {"first": kind, "more": kind}
    ignoring = ", whatever their case" if prefix.endswith("-ci") else ""
    return family_member(compare, prefix + suffix, help_=f"{help_.format(compared)}{ignoring}.")


COMPARISONS = {prefix + suffix: _comparison(prefix, suffix) for prefix in _TEXT for suffix in _ORDERS}
"""The procedures by their names."""
