"""`Diagnostic`, a mistake in a program, and `@rule`, which makes a function a rule that finds mistakes."""

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import msgspec

from minischeme.data.source import Span
from minischeme.expansion.core import Node


class Diagnostic(msgspec.Struct, frozen=True):
    """A mistake in a program: its place, the name of the rule that found it, and what to tell."""

    span: Span
    rule: str
    message: str
    hint: str | None = None

    @property
    def level(self) -> str:
        """``error`` if the text can't be run as it is, else ``warning``."""
        return "error" if self.rule in ("read", "syntax", "load") else "warning"


Finding: TypeAlias = tuple[Node | Span, str, str | None]
"""A place that a rule objects to, a message, and a hint."""

Search = Callable[[Any, Any], Iterator[Finding]]
"""The function of a rule: takes a `Toplevel` and a node of it."""

RULES = {
    "read": "Brackets that don't match, and the like.",
    "syntax": "A special form with the wrong parts.",
    "load": "A file or library that is not there.",
    "allow": "A comment that allows what is no rule.",
}
"""The names of all rules, each with a line that says what it finds."""

SEARCHES: dict[type[Node], list[tuple[str, Search]]] = {}
"""The rules for each type of node."""


def rule(name: str, *types: type[Node]) -> Callable[[Search], Search]:
    """Make the decorated function a rule for nodes of some types; its docstring says what it finds."""

    def register(function: Search) -> Search:
        RULES[name] = function.__doc__ or ""
        for each in types:
            SEARCHES.setdefault(each, []).append((name, function))
        return function

    return register
