"""``#!optional`` parameters, as in MIT Scheme: a procedure that has some takes them from a list of its other arguments.

What it calls for that is in `primitives.parameters`.
"""

from __future__ import annotations

from collections.abc import Iterator

from minischeme.data.source import Span
from minischeme.data.values import intern
from minischeme.expansion import core
from minischeme.expansion.core import Variable

OPTIONAL = intern("#!optional")
"""What stands in a parameter list before those that need no argument."""


def taken(given: Variable, optional: list[Variable], rest: Variable | None, span: Span) -> Iterator[core.Node]:
    """What binds optional parameters, and the rest parameter behind them, to what a list of arguments has for them."""

    def take(procedure: str, index: int) -> core.Call:
        return core.Call(span, core.Standard(span, procedure), (core.Local(span, given), core.Constant(span, index)))

    if rest is None:
        yield take("%at-most", len(optional))
    for index, variable in enumerate(optional):
        yield core.Bind(span, variable, take("%optional-argument", index))
    if rest is not None:
        yield core.Bind(span, rest, take("%arguments-behind", len(optional)))
