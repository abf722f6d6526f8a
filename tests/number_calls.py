"""Calls of the standard procedures on numbers, by name and without an interpreter, for the tests."""

from __future__ import annotations

from typing import Any

from minischeme.data.numerals import parse_number
from minischeme.data.printer import write
from minischeme.data.values import String, Value, intern
from minischeme.primitives.registry import PRIMITIVES
from minischeme.runtime.context import RandomSource

MODULES = {"numbers", "integers", "elementary"}
PREDICATES = ["number?", "complex?", "real?", "rational?", "integer?"]
PREDICATES += ["exact-integer?", "exact-rational?", "exact-nonnegative-integer?"]
BERKELEY, R7RS = (
    {
        name: known
        for name, known in PRIMITIVES[dialect].items()
        if name in PREDICATES or known.function.__module__.rpartition(".")[2] in MODULES
    }
    for dialect in ("berkeley", "r7rs")
)
CHANCE = RandomSource(lambda: 1)


def call(name: str, *arguments: Value, table: Any = BERKELEY) -> Any:
    """Call a standard procedure by its Scheme name."""
    if name == "random":
        return table[name].function(*arguments, chance=CHANCE)
    function = table[name].function
    if "dialect" in function.__annotations__:
        return function(*arguments, dialect="r7rs" if table is R7RS else "berkeley")
    return function(*arguments)


def datum(text: str) -> Value:
    """A number, a string of one word in double quotes, or a symbol."""
    if text.startswith('"'):
        return String(text.strip('"'))
    number = parse_number(text)
    return intern(text) if number is None else number


def result(expression: str, table: Any = BERKELEY) -> str:
    """What an expression such as ``(quotient 7 2)``, all of whose arguments are atoms, gives, as by `write`."""
    name, *arguments = expression.strip("()").split()
    return write(call(name, *map(datum, arguments), table=table))
