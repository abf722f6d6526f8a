"""What programs for Racket call beyond the course's Scheme: folds, parts of lists, mutable pairs, rounding, time."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from minischeme.data.errors import SchemeError
from minischeme.data.values import FALSE, TRUE, UNSPECIFIED, Pair, Value
from minischeme.primitives.higher_order import call, check_procedure
from minischeme.primitives.integers import FiniteNumber
from minischeme.primitives.kinds import Index, List, PairArg, Procedure
from minischeme.primitives.numbers import real_of
from minischeme.primitives.pairs import cell_after, elements, front_of
from minischeme.primitives.registry import primitive
from minischeme.runtime.tail_calls import TailCall

# Lists


@primitive("foldl", dialect="berkeley", example="(foldl cons '() '(1 2 3)) → (3 2 1)")
def foldl(procedure: Procedure, initial: Value, list_: List, *lists: List, tail: TailCall) -> Value:
    """Combine the elements from the left: (f b (f a initial))."""
    return _folded(procedure, initial, _rows("foldl", (list_, *lists)), tail)


@primitive("foldr", dialect="berkeley", example="(foldr cons '() '(1 2 3)) → (1 2 3)")
def foldr(procedure: Procedure, initial: Value, list_: List, *lists: List, tail: TailCall) -> Value:
    """Combine the elements from the right: (f a (f b initial))."""
    return _folded(procedure, initial, _rows("foldr", (list_, *lists))[::-1], tail)


def _folded(procedure: Procedure, result: Value, rows: list[tuple[Value, ...]], tail: TailCall) -> Value:
    check_procedure(procedure)
    for row in rows:
        result = call(procedure, (*row, result), tail)
    return result


@primitive("andmap", dialect="berkeley", example="(andmap even? '(2 4)) → #t")
def andmap(procedure: Procedure, list_: List, *lists: List, tail: TailCall) -> Value:
    """What the procedure returns for the last element, or #f as soon as it returns that."""
    check_procedure(procedure)
    result: Value = TRUE
    for row in _rows("andmap", (list_, *lists)):
        result = call(procedure, row, tail)
        if result is FALSE:
            break
    return result


@primitive("ormap", dialect="berkeley", example="(ormap even? '(1 3)) → #f")
def ormap(procedure: Procedure, list_: List, *lists: List, tail: TailCall) -> Value:
    """The first true value that the procedure returns for an element; #f if there is none."""
    check_procedure(procedure)
    for row in _rows("ormap", (list_, *lists)):
        result = call(procedure, row, tail)
        if result is not FALSE:
            return result
    return FALSE


def _rows(operator: str, lists: tuple[Value, ...]) -> list[tuple[Value, ...]]:
    """The elements of lists that are walked together, which must be of the same length."""
    columns = [elements(list_) for list_ in lists]
    for column, list_ in zip(columns, lists, strict=True):
        if len(column) != len(columns[0]):
            raise SchemeError(f"{operator}: not as long as the first list:", list_)
    return list(zip(*columns, strict=True))


@primitive("take", dialect="berkeley", example="(take '(a b c) 2) → (a b)")
def take(list_: Value, k: Index) -> Value:
    """A list of the first k elements."""
    return front_of("take", list_, k)


@primitive("drop", dialect="berkeley", example="(drop '(a b c) 2) → (c)")
def drop(list_: Value, k: Index) -> Value:
    """The list without its first k elements."""
    return cell_after("drop", list_, k)


# Mutable pairs, which all pairs are here


@primitive("mcons", dialect="berkeley")
def mcons(car: Value, cdr: Value) -> Pair:
    """A new pair, as cons makes it."""
    return Pair(car, cdr)


@primitive("mcar", dialect="berkeley")
def mcar(pair: PairArg) -> Value:
    """The first half of a pair."""
    return pair.car


@primitive("mcdr", dialect="berkeley")
def mcdr(pair: PairArg) -> Value:
    """The second half of a pair."""
    return pair.cdr


@primitive("set-mcar!", dialect="berkeley")
def set_mcar(pair: PairArg, value: Value) -> Value:
    """Replace the first half of a pair."""
    if type(pair) is not Pair:
        raise TypeError("not a pair")
    pair.car = value
    return UNSPECIFIED


@primitive("set-mcdr!", dialect="berkeley")
def set_mcdr(pair: PairArg, value: Value) -> Value:
    """Replace the second half of a pair."""
    if type(pair) is not Pair:
        raise TypeError("not a pair")
    pair.cdr = value
    return UNSPECIFIED


# Rounding to an exact integer


def _exactly(function: Callable[[int | float], int], x: Value) -> int:
    number = real_of(x)
    if type(number) is float and not math.isfinite(number):
        raise TypeError("no integer is near")
    return function(number)


@primitive("exact-floor", dialect="berkeley", example="(exact-floor 2.6) → 2")
def exact_floor(x: FiniteNumber) -> int:
    """The greatest integer that is at most x, as an exact number."""
    return _exactly(math.floor, x)


@primitive("exact-ceiling", dialect="berkeley")
def exact_ceiling(x: FiniteNumber) -> int:
    """The least integer that is at least x, as an exact number."""
    return _exactly(math.ceil, x)


@primitive("exact-round", dialect="berkeley")
def exact_round(x: FiniteNumber) -> int:
    """The integer nearest to x, the even one of two, as an exact number."""
    return _exactly(round, x)


@primitive("exact-truncate", dialect="berkeley")
def exact_truncate(x: FiniteNumber) -> int:
    """The number x without its fraction, as an exact number."""
    return _exactly(math.trunc, x)


# The rest


@primitive("identity", dialect="berkeley", example="(identity 5) → 5")
def identity(value: Value) -> Value:
    """The value itself."""
    return value


@primitive("current-milliseconds", dialect="berkeley")
def current_milliseconds() -> int:
    """The milliseconds since the beginning of 1970."""
    return time.time_ns() // 1_000_000


@primitive("current-inexact-milliseconds", dialect="berkeley")
def current_inexact_milliseconds() -> float:
    """The milliseconds since the beginning of 1970, with what is left of one as a fraction."""
    return time.time_ns() / 1e6
