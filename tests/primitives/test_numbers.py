"""The standard procedures on numbers, by tables of cases.

Their errors stand in `test_number_errors`, properties in `test_number_properties`.
"""

from __future__ import annotations

from typing import Any

import pytest
from number_calls import BERKELEY, R7RS, result
from tables import cases

# Tables

KINDS = """
    (number? 5) → #t
    (number? a) → #f
    (number? "5") → #t
    (number? "075") → #t
    (number? "1e3") → #t
    (number? "x") → #f
    (number? "1/2") → #f
    (complex? 1.5) → #t
    (real? +nan.0) → #t
    (rational? 1/2) → #t
    (rational? 1.5) → #t
    (rational? +inf.0) → #f
    (rational? +nan.0) → #f
    (rational? a) → #f
    (integer? 5) → #t
    (integer? 5.0) → #t
    (integer? 5.5) → #f
    (integer? 1/2) → #f
    (integer? "5") → #t
    (integer? +inf.0) → #f
    (integer? a) → #f
    (exact-integer? 5) → #t
    (exact-integer? 5.0) → #f
    (exact-integer? a) → #f
    (exact-rational? 1/2) → #t
    (exact-rational? 0.5) → #f
    (exact-nonnegative-integer? 0) → #t
    (exact-nonnegative-integer? -1) → #f
    (exact-nonnegative-integer? 1.0) → #f
    (exact? 1.0) → #f
    (exact? 1/2) → #t
    (inexact? 1.0) → #t
    (inexact? 1) → #f
    (finite? 1e300) → #t
    (finite? +inf.0) → #f
    (finite? +nan.0) → #f
    (finite? 1/3) → #t
    (infinite? -inf.0) → #t
    (infinite? +nan.0) → #f
    (infinite? 3) → #f
    (nan? +nan.0) → #t
    (nan? 1/2) → #f
    (zero? 0) → #t
    (zero? -0.0) → #t
    (zero? "0") → #t
    (zero? 1/2) → #f
    (positive? 1/2) → #t
    (positive? 0) → #f
    (positive? +nan.0) → #f
    (negative? -1.5) → #t
    (negative? "-1") → #t
    (negative? 0) → #f
    (even? 4) → #t
    (even? -3) → #f
    (even? 4.0) → #t
    (even? "4") → #t
    (odd? 3) → #t
    (odd? -3.0) → #t
    (odd? 0) → #f
"""

ORDER = """
    (= 1) → #t
    (= 1 1.0 1) → #t
    (= 1 1 2) → #f
    (= 1 2 2) → #f
    (= 1/2 0.5) → #t
    (= "10" 10) → #t
    (= "07" 7) → #t
    (= +nan.0 +nan.0) → #f
    (= 9007199254740993 9007199254740992.0) → #f
    (< 1 2 3) → #t
    (< 1 3 2) → #f
    (< 3 1 2) → #f
    (< "9" "10") → #t
    (< 1/3 0.3333333333333333) → #f
    (> 3 2 1) → #t
    (> 2 2) → #f
    (<= 1 1 2) → #t
    (<= 2 1) → #f
    (>= 2 2 1) → #t
    (>= 1 2) → #f
    (max 1 3 2) → 3
    (max 1 2.0) → 2.0
    (max 3 2.0) → 3.0
    (max 1/2 1/3) → 1/2
    (max "3" 2) → 3
    (max 1 +nan.0 2) → +nan.0
    (max +nan.0 2) → +nan.0
    (min 1 3 -2) → -2
    (min 1 2.0) → 1.0
    (min +inf.0 4) → 4.0
    (abs -7) → 7
    (abs -1/2) → 1/2
    (abs -0.0) → 0.0
    (abs "-7") → 7
    (magnitude -2.5) → 2.5
"""

ARITHMETIC = """
    (+) → 0
    (+ 5) → 5
    (+ "2" "3") → 5
    (+ 1 2.5 1/2) → 4.0
    (+ 1/3 2/3) → 1
    (+ .1 .2) → 0.30000000000000004
    (+ 1e308 1e308) → +inf.0
    (*) → 1
    (* "4") → 4
    (* 2 3 4) → 24
    (* 2/3 3/2) → 1
    (* 1.0 5) → 5.0
    (* -1e308 10) → -inf.0
    (- 5) → -5
    (- "5") → -5
    (- 1/2) → -1/2
    (- 10 3 2) → 5
    (- 1/2 1/2) → 0
    (- 0.0) → -0.0
    (/ 6 3) → 2
    (/ 1 3) → 1/3
    (/ 6 4) → 3/2
    (/ 6 -4) → -3/2
    (/ 7 2.0) → 3.5
    (/ 2) → 1/2
    (/ 1/2) → 2
    (/ 0.5) → 2.0
    (/ 12 2 3) → 2
    (/ "6" "3") → 2
    (/ 0 5) → 0
    (/ 1/2 1/4) → 2
    (/ 1 0.) → +inf.0
    (/ -1 0.) → -inf.0
    (/ 1/2 -0.0) → -inf.0
    (/ 0 0.) → +nan.0
    (/ 0. 0.) → +nan.0
    (/ +nan.0 0.) → +nan.0
    (1+ 5) → 6
    (add1 1/2) → 3/2
    (inc "5") → 6
    (-1+ 5) → 4
    (1- 5) → 4
    (sub1 1.5) → 0.5
    (dec "5") → 4
    (square -5) → 25
    (square "5") → 25
    (sqr 1/2) → 1/4
    (cube -2) → -8
    (cube "2") → 8
"""

INTEGERS = """
    (quotient 7 2) → 3
    (quotient -7 2) → -3
    (quotient 7 -2) → -3
    (quotient -7 -2) → 3
    (quotient 7. 2) → 3.0
    (quotient 7 2.) → 3.0
    (quotient "7" 2) → 3
    (quotient 1e20 3) → 3.333333333333333e+19
    (div 7 2) → 3
    (truncate-quotient -5 2) → -2
    (remainder 7 2) → 1
    (remainder -7 2) → -1
    (remainder 7 -2) → 1
    (remainder -13 4.0) → -1.0
    (truncate-remainder -5 2) → -1
    (modulo 7 2) → 1
    (modulo -7 2) → 1
    (modulo 7 -2) → -1
    (modulo -13 4) → 3
    (modulo 13 -4.) → -3.0
    (modulo "13" "4") → 1
    (floor-quotient -5 2) → -3
    (floor-remainder -5 2) → 1
    (gcd) → 0
    (gcd 32 -36) → 4
    (gcd 32. 36) → 4.0
    (gcd 0 5) → 5
    (gcd "12" 18) → 6
    (lcm) → 1
    (lcm 32 -36) → 288
    (lcm 32.0 -36) → 288.0
    (lcm 0 5) → 0
    (numerator 6/4) → 3
    (numerator 5) → 5
    (numerator 0.75) → 3.0
    (denominator 6/4) → 2
    (denominator 0) → 1
    (denominator 0.75) → 4.0
    (denominator "0.75") → 4.0
"""

REALS = """
    (floor 2.5) → 2.0
    (floor -4.3) → -5.0
    (floor -7/2) → -4
    (floor 5) → 5
    (floor "2.5") → 2.0
    (floor +inf.0) → +inf.0
    (ceiling -4.3) → -4.0
    (ceiling 7/2) → 4
    (ceiling -0.5) → -0.0
    (truncate -4.3) → -4.0
    (truncate -7/2) → -3
    (truncate +nan.0) → +nan.0
    (round 7/2) → 4
    (round 5) → 5
    (rationalize 3/10 1/10) → 1/3
    (rationalize .3 1/10) → 0.3333333333333333
    (rationalize -3/10 1/10) → -1/3
    (rationalize 3/10 -1/10) → 1/3
    (rationalize 1/10 1) → 0
    (rationalize 5 1/10) → 5
    (rationalize 5.5 +inf.0) → 0.0
    (rationalize +inf.0 1) → +inf.0
    (rationalize +inf.0 +inf.0) → +nan.0
    (sqrt 16) → 4
    (sqrt "16") → 4
    (sqrt 1/4) → 1/2
    (sqrt 2) → 1.4142135623730951
    (sqrt 15) → 3.872983346207417
    (sqrt 1/2) → 0.7071067811865476
    (sqrt 0) → 0
    (sqrt 16.0) → 4.0
    (sqrt +inf.0) → +inf.0
    (sqrt +nan.0) → +nan.0
    (expt 2 100) → 1267650600228229401496703205376
    (expt 2 -2) → 1/4
    (expt -2 -3) → -1/8
    (expt 2/3 3) → 8/27
    (expt 2/3 -2) → 9/4
    (expt 1/2 -2) → 4
    (expt 0 0) → 1
    (expt 0 5) → 0
    (expt 2. 3) → 8.0
    (expt 2 3.) → 8.0
    (expt 2 .5) → 1.4142135623730951
    (expt 4 1/2) → 2
    (expt 4/9 -3/2) → 27/8
    (expt 8 1/3) → 2.0
    (expt 2 1/2) → 1.4142135623730951
    (expt -2. 3) → -8.0
    (expt -2 2.) → 4.0
    (expt "2" "10") → 1024
    (expt 0. 0) → 1.0
    (expt 0. -1) → +inf.0
    (expt 0. 2.5) → 0.0
    (expt 10. 400) → +inf.0
    (expt -10. 401) → -inf.0
    (expt 10. -400) → 0.0
    (expt -2 +inf.0) → +inf.0
    (expt +nan.0 2) → +nan.0
    (expt -2 +nan.0) → +nan.0
    (exp 0) → 1
    (exp 1) → 2.718281828459045
    (exp 1000) → +inf.0
    (exp -1000) → 0.0
    (log 1) → 0
    (log 0.) → -inf.0
    (log +inf.0) → +inf.0
    (log 8 2) → 3.0
    (log 1000 10) → 3.0
    (log 9 3) → 2.0
    (log 1/8 1/2) → 3.0
    (sin 0) → 0
    (sin +inf.0) → +nan.0
    (cos 0) → 1
    (tan 0) → 0
    (asin 0) → 0
    (asin 1) → 1.5707963267948966
    (acos 1) → 0
    (acos -1) → 3.141592653589793
    (atan 0) → 0
    (atan 1) → 0.7853981633974483
    (atan 0 1) → 0
    (atan 0 -1) → 3.141592653589793
    (atan 1 0) → 1.5707963267948966
    (atan -1 -1) → -2.356194490192345
    (atan 0. 0) → 0.0
    (atan "1") → 0.7853981633974483
"""

CONVERSION = """
    (exact 1.5) → 3/2
    (exact 4.0) → 4
    (exact 1/3) → 1/3
    (exact "4") → 4
    (inexact->exact .1) → 3602879701896397/36028797018963968
    (inexact 1/3) → 0.3333333333333333
    (exact->inexact 5) → 5.0
    (inexact 1.5) → 1.5
    (number->string 10) → "10"
    (number->string 1/3) → "1/3"
    (number->string 2.0) → "2.0"
    (number->string 255 16) → "ff"
    (number->string -35/2 36) → "-z/2"
    (number->string 5 2) → "101"
    (string->number "100") → 100
    (string->number "1e3") → 1000.0
    (string->number "1/2") → 1/2
    (string->number "abc") → #f
    (string->number "ff" 16) → 255
    (string->number "#xff") → 255
    (string->number "102" 2) → #f
    (string->number "") → #f
"""


@pytest.mark.parametrize(
    ("expression", "expected"), cases(KINDS + ORDER + ARITHMETIC + INTEGERS + REALS + CONVERSION), ids=str
)
def test_table(expression: str, expected: str) -> None:
    assert result(expression) == expected


ROUNDING = [
    # expression, berkeley, r7rs
    ("(round 2.567)", "3", "3.0"),
    ("(round 2.5)", "2", "2.0"),
    ("(round 3.5)", "4", "4.0"),
    ("(round -2.5)", "-2", "-2.0"),
    ("(round -0.4)", "0", "-0.0"),
    ("(round 7/2)", "4", "4"),
    ("(round 1e20)", "100000000000000000000", "1e+20"),
]


@pytest.mark.parametrize(("expression", "berkeley", "r7rs"), ROUNDING)
def test_round_is_exact_in_berkeley(expression: str, berkeley: str, r7rs: str) -> None:
    assert result(expression) == berkeley
    assert result(expression, R7RS) == r7rs


def test_round_of_infinity() -> None:
    assert result("(round +inf.0)", R7RS) == "+inf.0"


@pytest.mark.parametrize(
    ("expression", "items"),
    [
        ("(floor/ 5 2)", "2 1"),
        ("(floor/ -5 2)", "-3 1"),
        ("(floor/ 5 -2)", "-3 -1"),
        ("(floor/ -5 -2)", "2 -1"),
        ("(floor/ -5. 2)", "-3.0 1.0"),
        ("(truncate/ 5 2)", "2 1"),
        ("(truncate/ -5 2)", "-2 -1"),
        ("(truncate/ 5 -2)", "-2 1"),
        ("(truncate/ -5.0 2)", "-2.0 -1.0"),
        ("(exact-integer-sqrt 17)", "4 1"),
        ("(exact-integer-sqrt 0)", "0 0"),
    ],
)
def test_two_values(expression: str, items: str) -> None:
    assert result(expression) == items.replace(" ", "\n")


# Names

STANDARD = """
    number? complex? real? rational? integer? exact? inexact? exact-integer? finite? infinite? nan? = < > <= >= zero?
    positive? negative? odd? even? max min + - * / abs quotient remainder modulo floor/ floor-quotient floor-remainder
    truncate/ truncate-quotient truncate-remainder gcd lcm numerator denominator floor ceiling truncate round
    rationalize exp log sin cos tan asin acos atan square sqrt exact-integer-sqrt expt exact inexact number->string
    string->number exact->inexact inexact->exact 1+ -1+ 1- add1 sub1 inc dec sqr div random
"""


@pytest.mark.parametrize("table", [BERKELEY, R7RS], ids=["berkeley", "r7rs"])
def test_all_names_exist_and_have_help(table: Any) -> None:
    assert set(STANDARD.split()) <= table.keys()
    for known in table.values():
        assert known.doc
        assert "\n" not in known.doc
