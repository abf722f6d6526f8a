"""The parser's tables, made from `grammar.lark` by Lark when the package is built, or when they no longer fit.

Lark writes its tables as JSON for other drivers (`lark.tools.serialize`). Lark's own driver looks at the next token
before it applies a rule, and steps through rules of one symbol and repetitions. Ours applies a rule at its last symbol,
which the grammar allows everywhere; its tables contain the effect of a symbol that is a whole rule or the next item of
a repetition.
"""

import io
import json
import os
import re
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from lark import Lark
from lark.tools.serialize import serialize

from minischeme.reading import tables


class _GrammarRule(NamedTuple):
    """A rule of the grammar."""

    name: str
    size: int  # the number of its symbols
    is_inlined: bool  # whether its value is that of its only symbol


def make(grammar: str) -> tables.Tables:
    """The tables of a grammar; a ValueError if the end of some rule is only known from the symbol after it."""
    text = io.StringIO()
    serialize(Lark(grammar, parser="lalr"), text)  # type: ignore[no-untyped-call]
    saved = json.loads(text.getvalue())
    memo, parser = saved["memo"], saved["data"]["parser"]
    lexing, parsing = parser["lexer_conf"], parser["parser"]
    token, comment, literals = _patterns([memo[str(item["@"])] for item in lexing["terminals"]], lexing["ignore"])
    states = {
        int(state): {
            parsing["tokens"][symbol]: _rule(memo[str(target["@"])]) if is_rule else target
            for symbol, (is_rule, target) in actions.items()
        }
        for state, actions in parsing["states"].items()
    }
    return token, comment, literals, _rows(states, parsing["start_states"]["start"])


def _rule(saved: dict[str, Any]) -> _GrammarRule:
    name, size = str(saved["origin"]["name"]), len(saved["expansion"])
    return _GrammarRule(name, size, size == 1 and (saved["options"]["expand1"] or name.startswith("_")))


def _patterns(terminals: list[dict[str, Any]], ignored: list[str]) -> tuple[str, str, dict[str, str]]:
    """The patterns and literals, as in `Tables`, in Lark's order; a literal takes precedence over a pattern."""

    def order(terminal: dict[str, Any]) -> tuple[Any, ...]:
        pattern = terminal["pattern"]
        longest = pattern["_width"][1] if "_width" in pattern else len(pattern["value"])
        return -terminal["priority"], -longest, -len(pattern["value"]), terminal["name"]

    def expression(terminal: dict[str, Any]) -> str:
        pattern = terminal["pattern"]
        text = re.escape(pattern["value"]) if pattern["__type__"] == "PatternStr" else pattern["value"]
        return f"(?{''.join(pattern['flags'])}:{text})" if pattern["flags"] else str(text)

    expressions = {terminal["name"]: expression(terminal) for terminal in sorted(terminals, key=order)}
    groups = {name: f"(?P<{name}>{text})" for name, text in expressions.items() if name not in ignored}
    inside = {"_COMMENT_RIGHT", "_COMMENT_TEXT"}
    gaps = "|".join(expressions[name] for name in ignored)
    token = rf"(?:{gaps})*+(?:{'|'.join(text for name, text in groups.items() if name not in inside)}|\Z)"
    comment = "|".join(text for name, text in groups.items() if "_COMMENT" in name)
    literals = {
        terminal["pattern"]["value"]: terminal["name"]
        for terminal in terminals
        if terminal["pattern"]["__type__"] == "PatternStr"
    }
    return token, comment, literals


def write(text: str) -> None:
    """Write the module `_tables` in one step: another process may be writing or importing it."""
    unfinished = Path(__file__).with_name(f"_tables.{os.getpid()}")
    try:
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(unfinished.with_name("_tables.py"))
    finally:
        unfinished.unlink(missing_ok=True)


_States: TypeAlias = dict[int, dict[str, int | _GrammarRule]]
"""Lark's states: each maps symbols to the next state or the rule to apply."""


def _rows(states: _States, start: int) -> list[tables.Row]:
    """The rows of the reachable states."""
    reached = [start]
    rows = []
    for state in reached:  # the list grows meanwhile
        row = {}
        for symbol in sorted(states[state]):  # sorted, since Lark's order varies
            action, target = _step(states, state, symbol)
            if action in (tables.SHIFT, tables.START_LIST):
                if target not in reached:
                    reached.append(target)
                target = reached.index(target)
            row[symbol] = action, target
        rows.append(row)
    return rows


def _step(states: _States, state: int, symbol: str) -> tuple[int, Any]:
    """The action for a symbol in a state, with the next state or the rule."""
    target = states[state][symbol]
    if isinstance(target, _GrammarRule):
        if symbol != "$END":
            raise ValueError(f"only {symbol} tells that this is complete: {target}")
        return tables.ACCEPT, 0
    while (rule := _complete(states[target])) is not None:
        repeats = rule.name.startswith("__")
        if repeats and rule.size == 2:
            return tables.APPEND, 0
        if not rule.is_inlined:
            return tables.REDUCE, (rule.name, rule.size)
        target = states[state][rule.name]
        assert isinstance(target, int)
        if repeats:
            return tables.START_LIST, target
        symbol = rule.name
    return tables.SHIFT, target


def _complete(state: dict[str, int | _GrammarRule]) -> _GrammarRule | None:
    """The rule that is complete in a state, whatever follows."""
    actions = set(state.values())
    (only,) = actions if len(actions) == 1 else (None,)
    return only if isinstance(only, _GrammarRule) else None
