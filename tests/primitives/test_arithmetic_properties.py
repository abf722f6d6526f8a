"""Generated arithmetic through the whole pipeline, compiled in every way there is, against Python's own arithmetic.

`test_number_properties` compares the procedures themselves; here it is what the compiler makes of calls of them.
"""

from __future__ import annotations

import math
import operator
from fractions import Fraction
from typing import Any

from arithmetic import WAYS, Tree, of_python, trees, with_literals
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sessions import error_in

from minischeme import Session
from minischeme.data.printer import write
from minischeme.data.rationals import exact_ratio
from minischeme.data.values import FALSE, TRUE, Value

few = settings(max_examples=25)
"""Each example is compiled in many ways."""

exact = st.one_of(
    st.integers(-5, 5),
    st.integers(-(10**25), 10**25),
    st.builds(exact_ratio, st.integers(-50, 50), st.integers(1, 12)),
)
numbers = st.one_of(exact, st.floats(-1e6, 1e6, allow_nan=False, allow_subnormal=False))


def agrees(value: Value, expected: Any) -> bool:
    if isinstance(expected, float):
        return isinstance(value, float) and (value == expected or (math.isnan(value) and math.isnan(expected)))
    return (
        not isinstance(value, float)
        and value == expected
        and (type(value) is int) == (Fraction(expected).denominator == 1)
    )


@few
@given(trees(exact))
def test_exact_arithmetic(tree: Tree) -> None:
    session = Session()
    expected = of_python(tree)
    for way in WAYS:
        assert agrees(session.eval(way(tree)), expected), way(tree)


@few
@given(trees(numbers))
def test_mixed_arithmetic(tree: Tree) -> None:
    session = Session()
    expected = of_python(tree)
    assume(not isinstance(expected, float) or abs(expected) < 1e300)
    for way in WAYS:
        assert agrees(session.eval(way(tree)), expected), way(tree)


COMPARISONS = {
    "=": operator.eq,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}


@few
@given(st.sampled_from(sorted(COMPARISONS)), numbers, numbers)
def test_comparisons(name: str, left: Any, right: Any) -> None:
    session = Session()
    for first, second in ((left, right), (left, left)):
        expected = COMPARISONS[name](first, second)
        tree = [name, first, second]
        for way in WAYS:
            assert session.eval(way(tree)) is (TRUE if expected else FALSE), way(tree)
        assert session.eval(f"(if {with_literals(tree)} 1 2)") == (1 if expected else 2)
        assert session.eval(f"(if (not {with_literals(tree)}) 1 2)") == (2 if expected else 1)


@few
@given(st.integers(-(10**20), 10**20), st.sampled_from([1, 2, 3, 10, 97, 2**64, -1, -2, -7, -(10**18)]))
def test_division_with_a_literal_divisor(dividend: int, divisor: int) -> None:
    session = Session()
    quotient = abs(dividend) // abs(divisor) * (1 if (dividend < 0) == (divisor < 0) else -1)
    expected = {
        "quotient": quotient,
        "remainder": dividend - quotient * divisor,
        "modulo": dividend % divisor,
    }
    for name, result in expected.items():
        for way in WAYS:
            assert agrees(session.eval(way([name, dividend, divisor])), result), way([name, dividend, divisor])
        literal = f"(define (f n) ({name} n {divisor})) (list (f {dividend}) (f {dividend}.))"
        if abs(dividend) < 2**53 and abs(divisor) < 2**53:
            assert (
                write(session.eval(literal)) == write(session.eval(f"(list {result} {float(result)!r})")) or result == 0
            )


@few
@given(st.one_of(st.integers(-(10**20), 10**20), st.integers(-100, 100).map(float)))
def test_predicates(number: Any) -> None:
    session = Session()
    expected = {
        "zero?": number == 0,
        "positive?": number > 0,
        "negative?": number < 0,
        "even?": number % 2 == 0,
        "odd?": number % 2 == 1,
    }
    for name, truth in expected.items():
        for way in WAYS:
            assert session.eval(way([name, number])) is (TRUE if truth else FALSE), way([name, number])


@few
@given(
    st.sampled_from(["+", "-", "*", "<", ">", "=", "<=", ">="]),
    numbers,
    st.sampled_from(["'a", "#t", "'()", "#\\a", "car", "'(1)", "#(1)"]),
)
def test_what_is_no_number_is_an_error_on_either_side(name: str, number: Any, culprit: str) -> None:
    session = Session()
    for operands in (f"{write(number)} {culprit}", f"{culprit} {write(number)}", f"{culprit} {culprit}"):
        for program in (
            f"({name} {operands})",
            f"(define (f x y) ({name} x y)) (f {operands})",
            f"(if ({name} {operands}) 1 2)",
            f"(apply {name} (list {operands}))",
        ):
            error = error_in(session, program)
            shown = write(session.eval(culprit)) if culprit != "car" else "#[subr car]"
            assert shown in str(error), program
            assert "number" in str(error), program


@few
@given(numbers, st.integers(-1000, 1000), st.sampled_from(["+", "-", "*", "<", "=", ">="]))
def test_numeric_strings_are_numbers(number: Any, other: int, name: str) -> None:
    session = Session()
    plain = write(session.eval(f"({name} {write(number)} {other})"))
    assert write(session.eval(f'({name} {write(number)} "{other}")')) == plain
    assert write(session.eval(f'(define (f x y) ({name} x y)) (f {write(number)} "{other}")')) == plain
