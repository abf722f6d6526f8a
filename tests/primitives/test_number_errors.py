"""The standard procedures on numbers, when they are given what they do not take."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from number_calls import BERKELEY, R7RS, call, result
from tables import cases

from minischeme.data.errors import SchemeError
from minischeme.data.rationals import Rational
from minischeme.data.values import (
    FALSE,
    NIL,
    TRUE,
    UNSPECIFIED,
    Bytevector,
    Char,
    MultipleValues,
    Pair,
    String,
    Value,
    Vector,
    WrongType,
    intern,
    strings_are_numbers,
)


def message(expression: str, table: Any = BERKELEY) -> str:
    with pytest.raises(SchemeError) as caught:
        result(expression, table)
    return str(caught.value)


MESSAGES = """
    (< 1 a) → Bad number in a comparison: (a)
    (= a 1) → Bad number in a comparison: (a 1)
    (> 3 2 a 5) → Bad number in a comparison: (a 5)
    (<= 3 2 a) → Bad number in a comparison: (a)
    (>= "x" 2) → Bad number in a comparison: ("x" 2)
    (-) → -: no argument given
    (/) → /: no argument given
    (/ 5 0) → /: not a valid number: 0
    (/ 5. 0) → /: not a valid number: 0
    (/ 0) → /: not a valid number: 0
    (/ 1/2 1 "0") → /: not a valid number: 0
    (max) → max: bad number of arguments
    (min) → min: bad number of arguments
    (quotient 5 0) → quotient: division by 0
    (quotient -5 0.) → quotient: division by 0
    (remainder 5 0) → remainder: division by 0
    (modulo 5 0) → modulo: division by 0
    (modulo "5" "0") → modulo: division by 0
    (floor/ 5 0) → floor/: division by 0
    (floor-quotient 5 0) → floor-quotient: division by 0
    (truncate/ 5 0) → truncate/: division by 0
    (random 0) → random: bad number: 0
    (random -7) → random: bad number: -7
    (random 3/2) → random: bad number: 3/2
    (random a) → random: bad number: a
    (random +inf.0) → random: bad number: +inf.0
    (random +nan.0) → random: bad number: +nan.0
    (random -1.5) → random: bad number: -1.5
    (exact +inf.0) → exact: bad number: +inf.0
    (exact +nan.0) → exact: bad number: +nan.0
    (sqrt -4) → sqrt: bad number: -4
    (sqrt -1/4) → sqrt: bad number: -1/4
    (sqrt -4.) → sqrt: bad number: -4.0
    (exact-integer-sqrt -1) → exact-integer-sqrt: bad number: -1
    (exact-integer-sqrt 4.0) → exact-integer-sqrt: bad number: 4.0
    (expt 0 -1) → expt: division by 0
    (expt 0 -1.5) → expt: division by 0
    (expt -8 1/3) → expt: bad number: -8
    (expt -8. .5) → expt: bad number: -8.0
    (expt -4 1/2) → expt: bad number: -4
    (expt 3 100000000) → expt: result too large: 3 100000000
    (expt 2/3 -100000000) → expt: result too large: 2/3 -100000000
    (log -1) → log: bad number: -1
    (log 8 -2) → log: bad number: -2
    (log 8 0) → log: bad number: 0
    (log 8 1) → log: bad number: 1
    (log 1 0) → log: bad number: 0
    (asin 2) → asin: bad number: 2
    (acos -1.5) → acos: bad number: -1.5
    (atan 0 0) → atan: bad number: 0
    (number->string 5 1) → number->string: bad radix: 1
    (number->string 5 37) → number->string: bad radix: 37
    (number->string 1.5 2) → number->string: bad radix: 2
    (string->number "5" a) → string->number: bad radix: a
"""


@pytest.mark.parametrize(("expression", "expected"), cases(MESSAGES), ids=str)
def test_messages(expression: str, expected: str) -> None:
    assert message(expression) == expected


@pytest.mark.parametrize(("name", "operator"), [("+", "+"), ("*", "*"), ("1+", "+"), ("-1+", "-"), ("square", "*")])
def test_operators_name_the_culprit(name: str, operator: str) -> None:
    culprit = intern("a")
    with pytest.raises(WrongType) as caught:
        call(name, culprit)
    assert caught.value.operator == operator
    assert caught.value.culprit is culprit


WRONG = [
    intern("a"),
    String("word"),
    Char.of("1"),
    TRUE,
    NIL,
    UNSPECIFIED,
    Pair(1, NIL),
    Vector([1]),
    Bytevector(b"1"),
    MultipleValues((1,)),
    call,
]
TAKES_ANYTHING = {
    *("number?", "complex?", "real?", "rational?", "integer?"),
    *("exact-integer?", "exact-rational?", "exact-nonnegative-integer?"),
}
FAILURES = (SchemeError, WrongType, TypeError, AttributeError, ValueError)


def _placed(index: int, count: int, fine: Value, value: Value) -> tuple[Value, ...]:
    return (*[fine] * index, value, *[fine] * (count - index - 1))


def places(name: str) -> Iterator[Callable[[Value], tuple[Value, ...]]]:
    """Ways to put one value among the arguments of a procedure that are otherwise right."""
    least, most = BERKELEY[name].arity
    fine: Value = String("5") if name == "string->number" else 5
    for count in range(max(1, least), (least + 2 if most is None else most) + 1):
        for index in range(count):
            yield partial(_placed, index, count, fine)


@pytest.mark.parametrize("name", sorted(BERKELEY.keys() - TAKES_ANYTHING))
def test_wrong_arguments_always_fail(name: str) -> None:
    for arguments_with in places(name):
        for wrong in WRONG:
            if name == "string->number" and type(wrong) is String and type(arguments_with(wrong)[0]) is String:
                continue
            with pytest.raises(FAILURES):
                call(name, *arguments_with(wrong))


@pytest.mark.parametrize("name", sorted(BERKELEY.keys() - {"string->number"}))
def test_failures_leave_a_culprit_that_violates_its_kind(name: str) -> None:
    """What `diagnosis` relies on."""
    for parameter, kind in BERKELEY[name].kinds.items():
        assert not kind.test(intern("a")), parameter
        assert kind.test(5), parameter
        assert kind.test(String("5")), parameter


@pytest.mark.parametrize("name", sorted(TAKES_ANYTHING))
def test_predicates_take_anything(name: str) -> None:
    for value in WRONG:
        assert call(name, value) is FALSE


INTEGERS_ONLY = """
    even? odd? quotient remainder modulo div floor/ floor-quotient floor-remainder truncate/ truncate-quotient
    truncate-remainder gcd lcm exact-integer-sqrt
"""


@pytest.mark.parametrize("name", INTEGERS_ONLY.split())
@pytest.mark.parametrize("number", [1.5, Rational(1, 2), math.inf, math.nan, String("1.5")])
def test_integer_procedures_refuse_other_numbers(name: str, number: Value) -> None:
    for arguments_with in places(name):
        with pytest.raises(FAILURES):
            call(name, *arguments_with(number))


@pytest.mark.parametrize("name", ["numerator", "denominator"])
def test_parts_of_infinity_fail(name: str) -> None:
    for number in (math.inf, math.nan):
        assert not BERKELEY[name].kinds["q"].test(number)
        with pytest.raises((OverflowError, ValueError), match="ratio"):
            call(name, number)


@pytest.mark.parametrize("name", ["=", "<", ">", "<=", ">="])
def test_comparisons_need_an_argument(name: str) -> None:
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        call(name)


def test_numeric_strings_can_be_turned_off() -> None:
    token = strings_are_numbers.set(False)
    try:
        assert call("number?", String("5"), table=R7RS) is FALSE
        assert call("integer?", String("5"), table=R7RS) is FALSE
        for name in ("sqrt", "even?", "abs", "zero?", "exact", "random", "+", "-", "/", "<", "max", "1+", "quotient"):
            arguments = (String("4"), 2) if name == "quotient" else (String("4"),)
            with pytest.raises(FAILURES):
                call(name, *arguments, table=R7RS)
    finally:
        strings_are_numbers.reset(token)
