"""An LALR driver for the tables that `table_maker` makes from `grammar.lark`.

The values of tokens and rules are made by `builder`.
"""

import sys
from collections.abc import Callable
from re import Match
from typing import Any, TypeAlias

from minischeme.reading.lexer import Lexer, Token
from minischeme.reading.tables import APPEND, DISCARD, REDUCE, SHIFT, SPREAD, START_LIST, TAKE, Tables

Action: TypeAlias = Callable[[Any, Any], Any]
"""A method of the builder that makes the value of a terminal from its token, or of a rule from a list of the values of
its symbols, without those whose names begin with ``_``, and with those of a repetition one by one."""

_Row: TypeAlias = dict[str, tuple[int, Any]]


class Unexpected(Exception):
    """A token, or None for the end, that can't occur in its position, with the values of the unfinished input."""

    def __init__(self, token: Token | None, values: list[Any]) -> None:
        super().__init__()
        self.token = token
        self.values = values


class Parser:
    """A grammar's parser. The actions are methods of `builder`; the value of a terminal without one is its token."""

    def __init__(self, tables: Tables, builder: type) -> None:
        token, comment, literals, table, saved_rules = tables
        self.lexer = Lexer(token, comment, literals)
        self.actions: dict[str, Action] = {
            name: action for name, action in vars(builder).items() if name.lstrip("_").isupper()
        }
        self.known = {text: (name, None) for text, name in literals.items() if name not in self.actions}
        rules = [_Rule(name, uses, getattr(builder, name, None)) for name, uses in saved_rules]
        rows: list[_Row] = [{} for _ in table]
        for row, actions in zip(rows, table, strict=True):
            for symbol, (action, target) in actions.items():
                row[symbol] = action, rules[target] if action == REDUCE else rows[target]
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
        for token in self._parser.lexer.tokens(text, self._offset, end, depth):
            index = token.lastindex or 0
            found = known.get(token[index])
            symbol = found[0] if found is not None else kind(token)
            step = rows[-1].get(symbol)
            if step is None and found is not None:  # inside a comment, the text of a datum has no meaning
                found = None
                symbol = kind(token)
                step = rows[-1].get(symbol)
            if step is None:
                raise Unexpected(token, values)
            value: Any = token
            if found is None:
                self._offset = token.start()
                action = actions.get(symbol)
                if action is not None:
                    value = action(self._builder, token)
            elif found[1] is not None:
                value = (found[1], *token.span(index))
            self._apply(step, value)
        if token is not None:
            self._offset = token.end()
        if "$END" not in rows[-1]:
            raise Unexpected(None, values)

    def _apply(self, step: tuple[int, Any], value: Any) -> None:
        rows, values = self._rows, self._values
        while True:
            do, target = step
            if do == APPEND:
                values[-1].append(value)
            elif do == SHIFT:
                rows.append(target)
                values.append(value)
            elif do == REDUCE:
                value = target.value(self._builder, rows, values, value)
                step = rows[-1][target.name]
                continue
            elif do != DISCARD:
                rows.append(target)
                values.append([value] if do == START_LIST else [])
            return


class _Rule:
    """A rule to apply at its last symbol; `uses` tells what the action is given of each symbol."""

    __slots__ = ("_action", "_before", "_uses", "name")

    def __init__(self, name: str, uses: tuple[int, ...], action: Action | None) -> None:
        self.name = name
        self._uses = uses
        self._before = len(uses) - 1
        self._action = action

    def value(self, builder: Any, rows: list[_Row], values: list[Any], last: Any) -> Any:
        """The value of the rule for the symbols at the end of the stacks, which it pops, and its last one."""
        if self._uses == _BRACKETED:
            del rows[-2:]
            items = values.pop()
            children = [values.pop(), *items, last]
        else:
            parts = [last]
            if self._before:
                parts[:0] = values[-self._before :]
                del values[-self._before :], rows[-self._before :]
            children = []
            for use, part in zip(self._uses, parts, strict=True):
                if use == SPREAD:
                    children += part
                elif use == TAKE:
                    children.append(part)
        return None if self._action is None else self._action(builder, children)


_BRACKETED = TAKE, SPREAD, TAKE
"""The symbols of a list or of anything else in brackets: most rules."""
