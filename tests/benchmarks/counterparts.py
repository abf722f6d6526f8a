"""The small workloads in Python, by hand: each the same algorithm as the Scheme beside it in `workloads`.

Each function takes the size of the work and gives the same value as the Scheme.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

from minischeme.data.values import NIL, Pair, String, intern

from .programs import datum


def output(lines: int) -> str:
    """Write so many lines to a stream; the value is its text."""
    stream = StringIO()
    for i in range(lines):
        stream.write("line ")
        stream.write(str(i))
        stream.write("\n")
    return stream.getvalue()


class Promise:
    """The rest of a stream: computed once, when it is first wanted."""

    __slots__ = ("compute", "value")

    def __init__(self, compute: Callable[[], Any]) -> None:
        self.compute: Callable[[], Any] | None = compute
        self.value: Any = None

    def force(self) -> Any:
        if self.compute is not None:
            self.value = self.compute()
            self.compute = None
        return self.value


def prime_number(n: int) -> int:
    """The nth prime, from a stream of all numbers that goes through a sieve."""

    def integers_from(n: int) -> Any:
        return Pair(n, Promise(lambda: integers_from(n + 1)))

    def without_multiples(n: int, stream: Any) -> Any:
        while stream.car % n == 0:
            stream = stream.cdr.force()
        return Pair(stream.car, Promise(lambda: without_multiples(n, stream.cdr.force())))

    def sieve(stream: Any) -> Any:
        return Pair(stream.car, Promise(lambda: sieve(without_multiples(stream.car, stream.cdr.force()))))

    stream = sieve(integers_from(2))
    for _ in range(n - 1):
        stream = stream.cdr.force()
    prime: int = stream.car
    return prime


def traced(times: int) -> Path:
    """A recursion of ten calls, again and again, that tells each call and its value; gives the file of what it told."""
    depth = 0

    def down(n: int) -> int:
        nonlocal depth
        depth += 1
        dots = ".." * depth
        file.write(f"{dots} -> down with n = {n}\n")
        value = 0 if n == 0 else 1 + down(n - 1)
        file.write(f"{dots} <- down returns {value}\n")
        depth -= 1
        return value

    descriptor, name = tempfile.mkstemp(text=True)
    with open(descriptor, "w", encoding="utf-8") as file:
        for _ in range(times):
            down(9)
    return Path(name)


# Reading data

TOKENS = re.compile(r"""\s*(?:([()])|"([^"\\]*)"|(-?\d+)(?=[\s()])|(-?\d+\.\d+)(?=[\s()])|([^\s()"]+))""")


def read(length: int) -> Any:
    """What the reader makes of the datum of that length."""
    return read_text(datum(length))


def read_text(text: str) -> Any:
    """A datum from its text: lists and pairs, symbols, numbers, and strings without a backslash."""
    front: Any = Pair(NIL, NIL)
    end = front
    outside: list[tuple[Any, Any]] = []
    dotted = False
    for match in TOKENS.finditer(text):
        bracket, string, integer, decimal, name = match.groups()
        if bracket == "(":
            outside.append((front, end))
            front = end = Pair(NIL, NIL)
            continue
        if bracket == ")":
            thing = front.cdr
            front, end = outside.pop()
        elif integer is not None:
            thing = int(integer)
        elif string is not None:
            thing = String(string)
        elif decimal is not None:
            thing = float(decimal)
        elif name == ".":
            dotted = True
            continue
        else:
            thing = intern(name)
        if dotted:
            end.cdr = thing
            dotted = False
        else:
            end.cdr = end = Pair(thing, NIL)
    return front.cdr.car
