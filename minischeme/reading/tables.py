"""`Tables`: the facts about `grammar.lark` that lexer and parser need."""

from typing import Any, TypeAlias

SHIFT, START_LIST, APPEND, REDUCE, ACCEPT = range(5)
"""The actions for a symbol: keep its value and go to another row; go there with a list that begins with it; append it
to the list that was begun; apply the rule whose last symbol it is; or end."""

Row: TypeAlias = dict[str, tuple[int, Any]]
"""The actions of a state by symbol, each with the number of a row, or the name and the number of symbols of a rule."""

Tables: TypeAlias = tuple[str, str, dict[str, str], list[Row]]
"""The tables of a driver: the pattern of the gap before a token and, in a group named after its terminal, the token;
the same inside a block comment; the terminals of fixed texts, by text; and the states."""
