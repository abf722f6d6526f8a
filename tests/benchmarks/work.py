"""How much work a workload does at a size, in units that its table row names: what times are divided by."""

from __future__ import annotations

from functools import cache


@cache
def fib_calls(n: int) -> int:
    return 1 if n < 2 else 1 + fib_calls(n - 1) + fib_calls(n - 2)


@cache
def _tak(x: int, y: int, z: int) -> tuple[int, int]:
    """The value of a call and how many calls it takes."""
    if not y < x:
        return z, 1
    inner = (_tak(x - 1, y, z), _tak(y - 1, z, x), _tak(z - 1, x, y))
    value, calls = _tak(*(value for value, _ in inner))
    return value, 1 + calls + sum(calls for _, calls in inner)


def tak_calls(size: int) -> int:
    return _tak(size, size * 2 // 3, size // 3)[1]


@cache
def queens_tries(size: int) -> int:
    """How many squares are tried for a queen."""

    def tries(placed: tuple[int, ...]) -> int:
        if len(placed) == size:
            return 0
        safe = (
            (row, *placed)
            for row in range(size)
            if all(other != row and abs(other - row) != far for far, other in enumerate(placed, 1))
        )
        return size + sum(map(tries, safe))

    return tries(())


@cache
def sieve_tests(n: int) -> int:
    """How many remainders the sieve takes until it has found n primes."""
    primes: list[int] = []
    tests, number = 0, 2
    while len(primes) < n:
        for prime in primes:
            tests += 1
            if number % prime == 0:
                break
        else:
            primes.append(number)
        number += 1
    return tests


def copied_words(size: int) -> int:
    """How many words a reversal moves that copies the sentence for each word."""
    return size * (size + 1) // 2
