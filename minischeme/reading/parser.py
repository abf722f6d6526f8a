"""Tokens to what the rules of `grammar.lark` make of them, by the tables that Lark computes of it.

Lark's own loop looks at the next token before it applies a rule, makes an object of every token, and goes step by step
through the rules on the way. This one applies a rule as soon as its last symbol is there, which the grammar allows
everywhere, and knows beforehand what becomes of a symbol that is all of a rule or the next item of a repetition. What
is made of tokens and rules is `reader`'s business.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from re import Match
from typing import Any, TypeAlias

from lark import Lark
from lark.grammar import Rule
from lark.parsers.lalr_analysis import Shift

from minischeme.reading.lexer import OnePatternLexer, Token

Action: TypeAlias = Callable[[Any, Any], Any]
"""A method of the maker that makes the value of a terminal, given its token, or of a rule, given a list: the values of
its symbols, but for those whose names begin with ``_``, those of a repetition one by one."""

_KEEP, _BEGIN, _BEGIN_EMPTY, _APPEND, _FORGET, _FINISH = range(6)
"""What to do with a symbol: keep its value and go to another row; go there with a list that begins with it, or an empty
one; append it to the list that was begun; forget it; or apply the rule whose last symbol it is."""

_END = "$END"


class Unexpected(Exception):
    """A token that can't stand where it does.

    Args: token: None for the end of the text. values: of the symbols before it that belong to unfinished rules; a list
    for a repetition.
    """

    def __init__(self, token: Token | None, values: list[Any]) -> None:
        super().__init__()
        self.token = token
        self.values = values


class Parser:
    """A grammar ready to be applied.

    Args: lark: made of the grammar. maker: the class whose methods are the actions, called as the rule or terminal; the
    value of a terminal without one is the token.

    `known` has the terminals that are always written alike, by their texts.
    """

    def __init__(self, lark: Lark, maker: type) -> None:
        self.lexer = OnePatternLexer(lark.lexer_conf)
        self._maker = maker
        self.actions: dict[str, Action] = {
            terminal.name: getattr(maker, terminal.name) for terminal in lark.terminals if hasattr(maker, terminal.name)
        }
        self.known = {text: (name, None) for text, name in self.lexer.literals.items() if name not in self.actions}
        tables = lark.parse_interactive("").parser_state.parse_conf
        self._states: dict[Any, dict[str, Any]] = tables.states
        self._rows = {state: _Row(self, state) for state in self._states}
        self.start = self._rows[tables.start_state]

    def step(self, state: Any, symbol: str) -> tuple[int, Any] | None:
        """What becomes of a symbol in a state, with the next row or the rule; None where it can't stand.

        Raises: ValueError if the grammar has a rule that only the symbol behind it can tell.
        """
        action, target = self._states[state].get(symbol, (None, None))
        if action is None:
            return None
        if action is not Shift:
            if symbol != _END:
                raise ValueError(f"only {symbol} tells that this is complete: {target}")
            return _FORGET, None
        while (rule := self._complete(target)) is not None:
            name = str(rule.origin.name)
            symbols = [str(part.name) for part in rule.expansion]
            repeats = name.startswith("__")
            if repeats and len(symbols) == 2:
                return (_FORGET if symbol.startswith("_") else _APPEND), None
            passes_on = rule.options.expand1 or name.startswith("_")
            if len(symbols) > 1 or not passes_on:
                return _FINISH, _Complete(name, symbols, getattr(self._maker, name, None))
            target = self._states[state][name][1]
            if repeats:
                return (_BEGIN_EMPTY if symbol.startswith("_") else _BEGIN), self._rows[target]
            symbol = name
        return _KEEP, self._rows[target]

    def _complete(self, state: Any) -> Rule | None:
        """The rule that is complete in a state, whatever follows."""
        actions = list(self._states[state].values())
        alike = bool(actions) and all(action == actions[0] for action in actions)
        return actions[0][1] if alike and isinstance(actions[0][1], Rule) else None


class _Row(dict[str, "tuple[int, Any] | None"]):
    """What to do with each symbol in a state of Lark's table; found out when it is first met."""

    def __init__(self, parser: Parser, state: Any) -> None:
        super().__init__()
        self._parser = parser
        self._state = state

    def __missing__(self, symbol: str) -> tuple[int, Any] | None:
        step = self[symbol] = self._parser.step(self._state, symbol)
        return step


class Parsing:
    """Applies a grammar to a text, which may grow at its end.

    Args: maker: whose actions are called. known: the terminals and data of texts of tokens, to which actions may add;
    the value of such a token is the datum with its start and end. offset: of the first character to parse.
    """

    def __init__(self, parser: Parser, maker: object, known: dict[str, tuple[str, Any]], offset: int = 0) -> None:
        self._parser = parser
        self._maker = maker
        self._known = known
        self._rows = [parser.start]
        self._values: list[Any] = []
        self._offset = offset

    def go_on(self, text: str, end: int = sys.maxsize) -> None:
        """Parse what was not parsed yet.

        Args: text: all of it. end: the offset to stop at. What was there the last time ended in a newline.
        Raises: Unexpected; what the actions raise. If that is because the text ended too early, it may grow.
        """
        maker, rows, values, known = self._maker, self._rows, self._values, self._known
        kind, actions = self._parser.lexer.kind, self._parser.actions
        known |= self._parser.known
        token: Token | None = None
        for token in self._parser.lexer.tokens(text, self._offset, end, self._open_comments()):
            index = token.lastindex or 0
            found = known.get(token[index])
            symbol = found[0] if found is not None else kind(token)
            step = rows[-1][symbol]
            if step is None and found is not None:  # inside a comment, the text of a datum is none
                found = None
                symbol = kind(token)
                step = rows[-1][symbol]
            if step is None:
                raise Unexpected(token, values)
            value: Any
            if found is None:
                self._offset = token.start()
                action = actions.get(symbol)
                value = token if action is None else action(maker, token)
            elif found[1] is None:
                value = token
            else:
                start, end = token.span(index)
                value = (found[1], start, end)
            while True:
                do, target = step
                if do == _APPEND:
                    values[-1].append(value)
                    break
                if do == _KEEP:
                    rows.append(target)
                    values.append(value)
                    break
                if do == _BEGIN:
                    rows.append(target)
                    values.append([value])
                    break
                if do == _BEGIN_EMPTY:
                    rows.append(target)
                    values.append([])
                    break
                if do == _FORGET:
                    break
                value = target.value(maker, rows, values, value)
                step = rows[-1][target.name]
                assert step is not None
        if token is not None:
            self._offset = token.end()
        if rows[-1][_END] is None:
            raise Unexpected(None, values)

    def _open_comments(self) -> int:
        """How many block comments, one in the other, the text has ended in."""
        tokens = [value for value in self._values if isinstance(value, Match)]
        return sum(token.lastgroup == "_COMMENT_LEFT" for token in tokens)


class _Complete:
    """A rule to apply at its last symbol. Args: symbols: their names."""

    __slots__ = ("_action", "_before", "_layout", "name")

    def __init__(self, name: str, symbols: list[str], action: Action | None) -> None:
        self.name = name
        self._before = len(symbols) - 1
        self._layout = tuple(
            _SPREAD if symbol.startswith("__") else _LEAVE_OUT if symbol.startswith("_") else _TAKE
            for symbol in symbols
        )
        self._action = action

    def value(self, maker: Any, rows: list[_Row], values: list[Any], last: Any) -> Any:
        """What the rule makes of the symbols at the end of the stacks, which it takes off, and of its last one."""
        if self._layout == _ITEMS:
            del rows[-2:]
            items = values.pop()
            children = [values.pop(), *items, last]
        else:
            parts = [last]
            if self._before:
                parts[:0] = values[-self._before :]
                del values[-self._before :], rows[-self._before :]
            children = []
            for how, part in zip(self._layout, parts, strict=True):
                if how == _SPREAD:
                    children += part
                elif how == _TAKE:
                    children.append(part)
        return None if self._action is None else self._action(maker, children)


_TAKE, _SPREAD, _LEAVE_OUT = range(3)
"""What an action is given of a symbol: its value, the values of a repetition, or nothing."""

_ITEMS = _TAKE, _SPREAD, _TAKE
"""A list, or whatever else stands in brackets: most rules."""
