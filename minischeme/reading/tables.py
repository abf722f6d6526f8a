"""`Tables`: the facts about `grammar.lark` that lexer and parser need."""

from typing import TypeAlias

SHIFT, START_LIST, APPEND, REDUCE, ACCEPT = range(5)
"""The actions for a symbol: keep its value and go to another row; go there with a list that begins with it; append it
to the list that was begun; apply the rule whose last symbol it is; or end."""

Tables: TypeAlias = tuple[str, str, dict[str, str], list[dict[str, tuple[int, int]]], list[tuple[str, int]]]
"""The tables of a driver: the pattern of the gap before a token and, in a group named after its terminal, the token;
the same inside a block comment; the terminals of fixed texts, by text; for each state the action for each possible
symbol, with the number of a row or rule; and the name and the number of symbols of each rule."""
