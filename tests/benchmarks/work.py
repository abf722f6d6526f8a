"""How much work a workload does at a size, in units that its table row names: what times are divided by."""

from __future__ import annotations

from functools import cache


@cache
def fib_calls(n: int) -> int:
    return 1 if n < 2 else 1 + fib_calls(n - 1) + fib_calls(n - 2)


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
