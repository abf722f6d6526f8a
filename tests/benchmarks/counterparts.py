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
from .words import butfirst, every, first, is_empty, list_of, se, total, word

TEXT = "the quick brown fox jumps over a lazy dog while little children watch"
WORDS = list_of([intern(name) for name in TEXT.split(" ")])


def fib(n: int) -> int:
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def tak(x: int, y: int, z: int) -> int:
    if not y < x:
        return z
    return tak(tak(x - 1, y, z), tak(y - 1, z, x), tak(z - 1, x, y))


def loop(n: int) -> int:
    i = total = 0
    while i != n:
        total += i
        i += 1
    return total


def deep(n: int) -> int:
    return 0 if n == 0 else 1 + deep(n - 1)


Step = int | tuple[Callable[[int], Any], int]


def is_even(n: int) -> Step:
    return 1 if n == 0 else (is_odd, n - 1)


def is_odd(n: int) -> Step:
    return 0 if n == 0 else (is_even, n - 1)


def mutual(n: int) -> int:
    """Python has no tail calls: each function says who is next, and this loop calls them."""
    step = is_even(n)
    while type(step) is tuple:
        function, argument = step
        step = function(argument)
    assert isinstance(step, int)
    return step


def queens(size: int) -> int:
    """The number of ways to place that many queens."""

    def is_safe(row: int, distance: int, placed: Any) -> bool:
        while placed is not NIL:
            other = placed.car
            if other == row or abs(other - row) == distance:
                return False
            distance += 1
            placed = placed.cdr
        return True

    def ways(row: int, column: int, placed: Any) -> int:
        if column == size:
            return 1
        if row == size:
            return 0
        with_queen = ways(0, column + 1, Pair(row, placed)) if is_safe(row, 1, placed) else 0
        return with_queen + ways(row + 1, column, placed)

    return ways(0, 0, NIL)


def numbers(start: int, end: int) -> Any:
    return NIL if start == end else Pair(start, numbers(start + 1, end))


def sentence_reversal(times: int) -> Any:
    """Reverse a sentence of 25 words again and again."""

    def backwards(sentence: Any) -> Any:
        return NIL if is_empty(sentence) else se(backwards(butfirst(sentence)), first(sentence))

    sentence = numbers(1, 26)
    for _ in range(times):
        sentence = backwards(sentence)
    return sentence


def long_sentence(size: int) -> Any:
    """Reverse one sentence."""

    def backwards(sentence: Any) -> Any:
        return NIL if is_empty(sentence) else se(backwards(butfirst(sentence)), first(sentence))

    return backwards(numbers(0, size))


def word_building(times: int) -> Any:
    """Spell each word of a sentence backwards, again and again."""

    def backwards(thing: Any) -> Any:
        return String("") if is_empty(thing) else word(backwards(butfirst(thing)), first(thing))

    sentence = WORDS
    for _ in range(times):
        sentence = every(backwards, sentence)
    return sentence


def list_churn(times: int) -> int:
    """Build, square, filter, append and reverse lists of 200, and add up what is left."""

    def squares(items: Any) -> Any:
        return NIL if items is NIL else Pair(items.car * items.car, squares(items.cdr))

    def odd_ones(items: Any) -> Any:
        if items is NIL:
            return NIL
        return Pair(items.car, odd_ones(items.cdr)) if items.car % 2 == 1 else odd_ones(items.cdr)

    def joined(left: Any, right: Any) -> Any:
        return right if left is NIL else Pair(left.car, joined(left.cdr, right))

    def reversed_(items: Any) -> Any:
        result: Any = NIL
        while items is not NIL:
            result = Pair(items.car, result)
            items = items.cdr
        return result

    result = 0
    for _ in range(times):
        items = numbers(0, 200)
        result += total(reversed_(joined(odd_ones(squares(items)), items)))
    return result


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
