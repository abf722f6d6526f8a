"""`Tables`: what lexer and parser know of `grammar.lark`."""

from __future__ import annotations

from typing import TypeAlias

SHIFT, START_LIST, START_EMPTY_LIST, APPEND, DISCARD, REDUCE = range(6)
"""What to do with a symbol: keep its value and go to another row; go there with a list that begins with it, or an empty
one; append it to the list that was begun; forget it; or apply the rule whose last symbol it is."""

TAKE, SPREAD, SKIP = range(3)
"""What an action is given of a symbol: its value, the values of a repetition, or nothing."""

Tables: TypeAlias = tuple[str, str, dict[str, str], list[dict[str, tuple[int, int]]], list[tuple[str, tuple[int, ...]]]]
"""What a driver has to know of a grammar: the pattern of the blanks before a token and, in a group with the name of its
terminal, the token; the same for what is inside a block comment; the names of the terminals that are always written
alike, by their texts; for each state what to do with each symbol that can stand there, with the number of a row or
rule; and of each rule the name, and what its action is given of its symbols."""
