"""`Tables`: the facts about `grammar.lark` that lexer and parser need."""

from typing import TypeAlias

SHIFT, START_LIST, START_EMPTY_LIST, APPEND, DISCARD, REDUCE = range(6)
"""The actions for a symbol: keep its value and go to another row; go there with a list that begins with it, or an empty
one; append it to the list that was begun; discard it; or apply the rule whose last symbol it is."""

TAKE, SPREAD, SKIP = range(3)
"""The part of a symbol that an action is given: its value, the values of a repetition, or nothing."""

Tables: TypeAlias = tuple[str, str, dict[str, str], list[dict[str, tuple[int, int]]], list[tuple[str, tuple[int, ...]]]]
"""The tables of a driver: the pattern of the gap before a token and, in a group named after its terminal, the token;
the same inside a block comment; the terminals of fixed texts, by text; for each state the action for each possible
symbol, with the number of a row or rule; and for each rule its name, and what its action is given of each symbol."""
