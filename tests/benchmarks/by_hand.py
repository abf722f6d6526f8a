"""The programs of `user_programs` in Python, by hand: the same algorithms. `by_hand_lists` has those on lists."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO
from typing import Any

from .counterparts import Promise


def strings(n: int) -> int:
    def pad(text: str, width: int) -> str:
        return pad(" " + text, width) if len(text) < width else text

    def line(n: int) -> str:
        return pad(str(n), 4) + pad(str(n * n), 8) + "\n"

    def table(start: int, end: int) -> str:
        if start > end:
            return ""
        return (line(start).upper() if start % 3 == 0 else line(start)) + table(start + 1, end)

    return sum(len(table(1, 30)) for _ in range(n))


def ports(n: int) -> int:
    def report(n: int) -> str:
        port = StringIO()
        for i in range(n):
            port.write("item ")
            port.write(str(i))
            port.write("\n")
        return port.getvalue()

    def data(text: str) -> int:
        return sum(int(word) if word.isdigit() else 1 for word in text.split())

    return sum(data(report(20)) for _ in range(n))


def characters(n: int) -> int:
    text = "It was a bright cold day in April, and the clocks were striking thirteen."

    def shift(c: str, by: int) -> str:
        if c.islower():
            return chr(97 + (by + ord(c) - 97) % 26)
        return chr(65 + (by + ord(c) - 65) % 26) if c.isupper() else c

    def encode(text: str, by: int) -> str:
        return "".join([shift(c, by) for c in text])

    def vowels(text: str) -> int:
        i = count = 0
        while i != len(text):
            if text[i].lower() in ("a", "e", "i", "o", "u"):
                count += 1
            i += 1
        return count

    return sum(vowels(encode(text, times)) for times in range(n, 0, -1))


def sieve(n: int) -> int:
    def primes_below(n: int) -> int:
        is_prime = [True] * n
        i, count = 2, 0
        while i != n:
            if is_prime[i]:
                multiple = i * i
                while multiple < n:
                    is_prime[multiple] = False
                    multiple += i
                count += 1
            i += 1
        return count

    return sum(primes_below(1000) for _ in range(n))


def matrices(n: int) -> int:
    def make_matrix(rows: int, columns: int, f: Callable[[int, int], int]) -> list[list[int]]:
        return [[f(i, j) for j in range(columns)] for i in range(rows)]

    def element(m: list[list[int]], i: int, j: int) -> int:
        return m[i][j]

    def product(a: list[list[int]], b: list[list[int]]) -> list[list[int]]:
        inner = len(b)

        def at(i: int, j: int) -> int:
            k = total = 0
            while k != inner:
                total += element(a, i, k) * element(b, k, j)
                k += 1
            return total

        return make_matrix(len(a), len(b[0]), at)

    square = make_matrix(12, 12, lambda i, j: (i + 3) * (j + 7) % 11 - 5)
    return sum(element(product(square, square), 3, times % 12) for times in range(n, 0, -1))


def floats(n: int) -> int:
    def escapes_after(cr: float, ci: float, limit: int) -> int:
        zr = zi = 0.0
        count = 0
        while not (count == limit or zr * zr + zi * zi > 4.0):
            zr, zi, count = zr * zr - zi * zi + cr, 2.0 * zr * zi + ci, count + 1
        return count

    def average(x: float, y: float) -> float:
        return (x + y) / 2

    def improve(guess: float, x: float) -> float:
        return average(guess, x / guess)

    def is_good_enough(guess: float, x: float) -> bool:
        return abs(guess * guess - x) < 0.001

    def square_root(guess: float, x: float) -> float:
        while not is_good_enough(guess, x):
            guess = improve(guess, x)
        return guess

    total = 0.0
    for times in range(n, 0, -1):
        total = total + escapes_after(times % 40 / 16.0 - 2.0, 0.3, 60) + square_root(1.0, 1.0 * times)
    return round(total)


def pi(n: int) -> int:
    def digits(left: int) -> int:
        q, r, t, k, n, m, total = 1, 0, 1, 1, 3, 3, 0
        while left:
            if 4 * q + r - t < n * t:
                total += n
                left -= 1
                q, r, n = q * 10, 10 * (r - n * t), 10 * (3 * q + r) // t - 10 * n
            else:
                q, r, t, k, n, m = q * k, (2 * q + r) * m, t * m, k + 1, (q * (7 * k + 2) + r * m) // (t * m), m + 2
        return total

    return sum(digits(100) for _ in range(n))


class _Leave(Exception):
    """The use of a continuation, and what was given to it."""


def _with_continuation(function: Callable[[Callable[[int], int]], int]) -> int:
    leave = _Leave()

    def continuation(value: int) -> int:
        leave.args = (value,)
        raise leave

    try:
        return function(continuation)
    except _Leave as left:
        if left is not leave:
            raise
        return int(left.args[0])


def ctak(n: int) -> int:
    def tak(x: int, y: int, z: int) -> int:
        return _with_continuation(lambda k: aux(k, x, y, z))

    def aux(k: Callable[[int], int], x: int, y: int, z: int) -> int:
        if not y < x:
            return k(z)
        return _with_continuation(
            lambda k: aux(
                k,
                _with_continuation(lambda k: aux(k, x - 1, y, z)),
                _with_continuation(lambda k: aux(k, y - 1, z, x)),
                _with_continuation(lambda k: aux(k, z - 1, x, y)),
            )
        )

    result = 0
    for _ in range(n):
        result = tak(8, 4, 2)
    return result


def exceptions(n: int) -> int:
    def safe_quotient(a: int, b: int, default: int) -> int:
        try:
            if b == 0:
                raise ValueError("division")
            return a // b
        except ValueError:
            return default

    total = 0
    while n:
        total += safe_quotient(n, n % 10, -1)
        n -= 1
    return total


def winds(n: int) -> int:
    depth = deepest = 0

    def with_resource(thunk: Callable[[], int]) -> int:
        nonlocal depth, deepest
        depth += 1
        deepest = max(deepest, depth)
        try:
            return thunk()
        finally:
            depth -= 1

    def step(n: int) -> int:
        return _with_continuation(
            lambda leave: with_resource(lambda: with_resource(lambda: leave(1) if n % 3 == 0 else 2))
        )

    total = 0
    while n:
        total += step(n)
        n -= 1
    return total + depth + deepest


def streams(n: int) -> int:
    def integers_from(n: int) -> Any:
        return (n, Promise(lambda: integers_from(n + 1)))

    def select(keep: Callable[[int], bool], stream: Any) -> Any:
        while not keep(stream[0]):
            stream = stream[1].force()
        return (stream[0], Promise(lambda: select(keep, stream[1].force())))

    def transform(f: Callable[[int], int], stream: Any) -> Any:
        return (f(stream[0]), Promise(lambda: transform(f, stream[1].force())))

    stream = transform(lambda x: x * x, select(lambda x: x % 2 == 1, integers_from(1)))
    total = 0
    while n:
        total += stream[0]
        stream = stream[1].force()
        n -= 1
    return total


def parser(n: int) -> int:
    def evaluate(text: str) -> int:
        position = 0

        def peek() -> str:
            return text[position] if position < len(text) else ";"

        def advance() -> str:
            nonlocal position
            c = peek()
            position += 1
            return c

        def number() -> int:
            value = 0
            while peek().isdigit():
                value = 10 * value + ord(advance()) - 48
            return value

        def factor() -> int:
            if peek() != "(":
                return number()
            advance()
            value = added()
            advance()
            return value

        def product() -> int:
            value = factor()
            while peek() == "*":
                advance()
                value *= factor()
            return value

        def added() -> int:
            value = product()
            while True:
                if peek() == "+":
                    advance()
                    value += product()
                elif peek() == "-":
                    advance()
                    value -= product()
                else:
                    return value

        return added()

    return sum(evaluate("2*(3+4)*5-(6-1)*(2+3*(4-1))+17*(1+1)") for _ in range(n))
