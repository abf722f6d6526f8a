"""An LALR driver for the tables that `table_maker` makes from `grammar.lark`.

The values of tokens and rules are made by `builder`.
"""

import sys
from collections.abc import Callable
from re import Match
from typing import Any, TypeAlias

from minischeme.reading.lexer import Lexer, Token
from minischeme.reading.tables import APPEND, REDUCE, SHIFT, START_LIST, Row, Tables

Action: TypeAlias = Callable[[Any, Any], Any]
"""A method of the builder that makes the value of a terminal from its token, or of a rule from the values of its
symbols. That of a repetition is a list, without None, which is the value of a rule that has no action."""


class Unexpected(Exception):
    """A token, or None for the end, that can't occur in its position, with the values of the unfinished input."""

    def __init__(self, token: Token | None, values: list[Any]) -> None:
        super().__init__()
        self.token = token
        self.values = values


class Parser:
    """A grammar's parser. The actions are methods of `builder`; the value of a terminal without one is its token."""

    def __init__(self, tables: Tables, builder: type) -> None:
        token, comment, literals, table = tables
        self.lexer = Lexer(token, comment, literals)
        self.actions: dict[str, Action] = {
            name: action for name, action in vars(builder).items() if name.lstrip("_").isupper()
        }
        self.known = {text: (name, None) for text, name in literals.items() if name not in self.actions}
        rows: list[Row] = [{} for _ in table]
        for row, actions in zip(rows, table, strict=True):
            for symbol, (action, target) in actions.items():
                row[symbol] = action, (*target, getattr(builder, target[0], None)) if action == REDUCE else rows[target]
        self.start = rows[0]


class Parsing:
    """The state of parsing a text, which may grow at its end.

    `known` maps the texts of tokens to their terminals and data; actions may add to it.
    """

    def __init__(self, parser: Parser, builder: object, known: dict[str, tuple[str, Any]], offset: int = 0) -> None:
        self._parser = parser
        self._builder = builder
        self._known = known
        self._rows = [parser.start]
        self._values: list[Any] = []
        self._offset = offset

    def go_on(self, text: str, end: int = sys.maxsize) -> None:
        """Parse the rest of the text up to an offset. The text of an earlier call must have ended in a newline."""
        rows, values, known = self._rows, self._values, self._known
        kind, actions = self._parser.lexer.kind, self._parser.actions
        known |= self._parser.known
        token: Token | None = None
        depth = sum(isinstance(value, Match) and value.lastgroup == "_COMMENT_LEFT" for value in values)
        row = rows[-1]
        for token in self._parser.lexer.tokens(text, self._offset, end, depth):
            index = token.lastindex or 0
            found = known.get(token[index])
            symbol = found[0] if found is not None else kind(token)
            step = row.get(symbol)
            if step is None and found is not None:  # inside a comment, the text of a datum has no meaning
                found, symbol = None, kind(token)
                step = row.get(symbol)
            if step is None:
                raise Unexpected(token, values)
            value: Any = token
            if found is None:
                self._offset = token.start()
                if symbol in actions:
                    value = actions[symbol](self._builder, token)
            elif found[1] is not None:
                start, end_of_token = token.span(index)
                value = found[1], start, end_of_token
            do, target = step
            while do == REDUCE:
                name, count, action = target
                values.append(value)
                parts = values[-count:]
                del values[-count:], rows[len(rows) - count + 1 :]
                value = None if action is None else action(self._builder, parts)
                row = rows[-1]
                do, target = row[name]
            if do != APPEND:
                row = target
                rows.append(row)
                values.append([] if do == START_LIST else value)
            if do != SHIFT and value is not None:
                values[-1].append(value)
        if token is not None:
            self._offset = token.end()
        if "$END" not in row:
            raise Unexpected(None, values)
