"""Complex numbers, alone and through the whole pipeline, against Python's fractions and its own complex numbers."""

from __future__ import annotations

import cmath
import math
import re
from fractions import Fraction
from typing import Any

import pytest
from arithmetic import WAYS, Tree, of_python, trees
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from number_calls import BERKELEY, R7RS, call
from sessions import error_in, with_everything

from minischeme import Session
from minischeme.data.errors import SchemeError
from minischeme.data.numerals import format_number, parse_number
from minischeme.data.printer import write
from minischeme.data.rationals import Complex, exact_ratio, rectangular
from minischeme.data.values import FALSE, TRUE, Value
from minischeme.primitives.equivalence import eqv

few = settings(max_examples=25)

ratios = st.builds(exact_ratio, st.integers(-50, 50), st.integers(1, 12))
exact_complex = st.builds(rectangular, ratios, ratios)
floats = st.floats(-1e6, 1e6, allow_subnormal=False)
inexact_complex = st.builds(Complex, floats, floats)
any_complex = st.one_of(st.builds(Complex, st.floats(), st.floats()), exact_complex, st.floats())


class Gaussian:
    """What exact arithmetic ought to give: a pair of fractions."""

    def __init__(self, real: Any, imag: Any = 0) -> None:
        self.real, self.imag = Fraction(real), Fraction(imag)

    def __add__(self, other: Any) -> Gaussian:
        return Gaussian(self.real + other.real, self.imag + other.imag)

    def __neg__(self) -> Gaussian:
        return Gaussian(-self.real, -self.imag)

    def __sub__(self, other: Any) -> Gaussian:
        return Gaussian(self.real - other.real, self.imag - other.imag)

    def __mul__(self, other: Any) -> Gaussian:
        return Gaussian(
            self.real * other.real - self.imag * other.imag, self.real * other.imag + self.imag * other.real
        )


def as_gaussian(tree: Tree) -> Tree:
    if isinstance(tree, list):
        return [tree[0], *map(as_gaussian, tree[1:])]
    return Gaussian(tree.real, tree.imag)


def is_exactly(value: Any, expected: Gaussian) -> bool:
    """Whether a number is exact and in its simplest form, and the one expected."""
    is_simple = isinstance(value, Complex) == (expected.imag != 0)
    parts = [value.real, value.imag]
    are_exact = all(isinstance(part, int) == (Fraction(part).denominator == 1) for part in parts)
    return is_simple and are_exact and parts == [expected.real, expected.imag]


# Arithmetic


@few
@given(trees(exact_complex))
def test_exact_arithmetic(tree: Tree) -> None:
    session = Session()
    expected = of_python(as_gaussian(tree))
    for way in WAYS:
        assert is_exactly(session.eval(way(tree)), expected), way(tree)


@few
@given(trees(st.one_of(inexact_complex, ratios)))
def test_mixed_arithmetic_is_near_python_s(tree: Tree) -> None:
    session = Session()
    expected = of_python(as_gaussian(tree))  # exact: floats are fractions
    size = float(of_python(magnitudes(tree)))
    assume(size < 1e300)
    for way in WAYS:
        found = session.eval(way(tree))
        assert abs(complex(found) - complex(expected.real, expected.imag)) <= 1e-12 * size, way(tree)


def magnitudes(tree: Tree) -> Tree:
    """A tree whose value no rounding error of another tree of its shape can be beyond."""
    if isinstance(tree, list):
        parts = [*map(magnitudes, tree[1:])]
        return [{"-": "+", "-1+": "1+"}.get(tree[0], tree[0]), *parts, *[0] * (tree[0] == "-" and len(parts) == 1)]
    return Fraction(abs(tree.real)) + Fraction(abs(tree.imag))


@given(exact_complex, exact_complex)
def test_exact_division_undoes_multiplication(z: Any, w: Any) -> None:
    assume(w != 0)
    quotient = call("/", z, w)
    assert eqv(call("*", quotient, w), z)
    assert eqv(call("*", call("/", w), w), 1)


@given(inexact_complex, inexact_complex)
def test_inexact_division_is_python_s(z: Complex, w: Complex) -> None:
    assume(w != 0)
    quotient = complex(z) / complex(w)
    assert write(call("/", z, w)) == write(Complex(quotient.real, quotient.imag))


def test_division_by_zero() -> None:
    z = Complex(1, 2)
    with pytest.raises(SchemeError, match=r"^/: not a valid number: 0$"):
        call("/", z, 0)
    assert write(call("/", z, 0.0)) == "+inf.0+inf.0i"
    assert write(call("/", z, Complex(0.0, 0.0))) == "+nan.0+nan.0i"


def test_huge_parts_beside_floats_become_infinite() -> None:
    huge = Complex(10**400, 1)
    assert write(call("+", huge, 1.5)) == "+inf.0+1.0i"
    assert write(call("*", huge, 2.0)) == "+inf.0+2.0i"
    assert write(call("inexact", huge)) == "+inf.0+1.0i"
    assert write(Session().eval("(define (f x y) (+ x y)) (f (expt 10 400) 1.5+i)")) == "+inf.0+1.0i"


def test_signs_of_zeros_are_kept() -> None:
    assert write(call("+", 1, Complex(1.0, -0.0))) == "2.0-0.0i"
    assert write(call("-", 5, Complex(1.0, 0.0))) == "4.0-0.0i"
    assert write(call("-", Complex(0.0, 0.0))) == "-0.0-0.0i"


# Equality and order


def parts(z: Any) -> tuple[Fraction, Fraction]:
    return Fraction(z.real), Fraction(z.imag)


@few
@given(st.one_of(exact_complex, inexact_complex), st.one_of(exact_complex, ratios, st.integers(-3, 3)))
@example(Complex(1, 2), 1)
@example(exact_ratio(1, 2), 1)
def test_equality(z: Any, other: Any) -> None:
    session = Session()
    for first, second in ((z, other), (other, z), (z, z), (z, call("inexact", z)), (0, z), (z, call("real-part", z))):
        expected = TRUE if parts(first) == parts(second) else FALSE
        for way in WAYS:
            assert session.eval(way(["=", first, second])) is expected, way(["=", first, second])
        for way in WAYS[:-1]:
            assert session.eval(way(["zero?", first])) is (TRUE if first == 0 else FALSE), way(["zero?", first])


@pytest.mark.parametrize("dialect", ["berkeley", "r7rs"])
@pytest.mark.parametrize("name", ["<", ">", "<=", ">="])
@pytest.mark.parametrize(
    "operands", [["1", "z"], ["z", "1"], ["z", "z"], ["1.5", "z"], ["z", "1/2"], ["(+ z 1)", "2"], ["2", "(* z z)"]]
)
def test_there_is_no_order(dialect: str, name: str, operands: list[str]) -> None:
    for program in [
        f"({name} {' '.join(operands)})",
        f"(define (f z) (if ({name} {' '.join(operands)}) 1 2)) (f z)",
        f"(apply {name} (list {' '.join(operands)}))",
        f"(define-syntax both (syntax-rules () ((_ a b) (and ({name} a b) (<= a b))))) (both {' '.join(operands)})",
    ]:
        error = error_in(Session(dialect), f"(define z 1+2i) {program}")
        assert re.match(f"{'<=|' * ('both' in program)}{name}: not a real number: ", str(error)), program


def test_a_single_number_has_an_order_only_if_it_is_real() -> None:
    assert str(error_in(Session(), "(< +i)")) == "<: not a real number: +i"


@pytest.mark.parametrize("way", ["(= {} {})", "(let ((a {}) (b {})) (= a b))", "(apply = (list {} {}))"])
@pytest.mark.parametrize("operands", [("+i", "'a"), ("'a", "+i"), ("+i", "car"), ("+i", '"ace"')])
def test_equality_with_no_number_is_an_error(way: str, operands: tuple[str, str]) -> None:
    assert str(error_in(Session(), way.format(*operands))).startswith("Bad number in a comparison: (")


def test_numeric_strings_stand_for_numbers() -> None:
    session = Session()
    session.eval("(define (same? a b) (= a b))")
    for program in ['(= "5" z)', '(= z "5")', '(same? "5" z)', '(same? z "5")']:
        assert session.eval(f"(let ((z +i)) {program})") is FALSE
        assert session.eval(f"(let ((z 5.0+0.0i)) {program})") is TRUE
    assert write(session.eval('(+ "5" +i)')) == "5+i"


@given(any_complex, any_complex)
def test_hash_tables_know_numbers_by_eqv(z: Any, w: Any) -> None:
    session = with_everything("r7rs")
    session.define("z", z)
    session.define("w", w)
    program = "(let ((table (make-hash-table eqv?))) (hash-table-set! table z 1) (hash-table-ref/default table w 0))"
    assert session.eval(program) == (1 if eqv(z, w) else 0)
    assert session.eval("(eqv? z w)") is session.eval("(equal? z w)") is (TRUE if eqv(z, w) else FALSE)
    assert eqv(z, z)


# Text


@given(any_complex)
@example(Complex(0.0, 1.0))
@example(Complex(-0.0, -0.0))
@example(Complex(math.nan, -math.inf))
def test_numbers_read_back(z: Value) -> None:
    found = parse_number(format_number(z))
    assert eqv(found, z)
    assert eqv(Session().eval(write(z)), z)


@given(exact_complex, st.integers(2, 18))
def test_exact_numbers_read_back_in_every_radix(z: Value, radix: int) -> None:
    assert parse_number(format_number(z, radix), radix) == z


def test_no_radix_has_the_digit_i() -> None:
    with pytest.raises(SchemeError, match="bad radix: 19"):
        call("number->string", Complex(1, 2), 19)


# Functions


FUNCTIONS = ["sqrt", "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan"]
mild = st.floats(-20, 20, allow_subnormal=False)


@pytest.mark.parametrize("name", FUNCTIONS)
@given(z=st.builds(Complex, mild, mild))
def test_functions_are_python_s(name: str, z: Complex) -> None:
    assume(z != 0 and z not in (Complex(0.0, 1.0), Complex(0.0, -1.0)))
    expected = getattr(cmath, name)(complex(z))
    assert write(call(name, z, table=R7RS)) == write(Complex(expected.real, expected.imag))
    assert write(call(name, z, table=BERKELEY)) == write(Complex(expected.real, expected.imag))


@pytest.mark.parametrize("name", FUNCTIONS)
@given(z=exact_complex)
def test_functions_of_exact_numbers_are_near_python_s(name: str, z: Any) -> None:
    assume(z not in (0, Complex(0, 1), Complex(0, -1)))
    assume(isinstance(z, Complex) or name not in ("asin", "acos"))  # those are on the branch cuts
    assert complex(call(name, z, table=R7RS)) == pytest.approx(getattr(cmath, name)(complex(z)), rel=1e-12, abs=1e-12)


@given(st.floats(1, 1e6, exclude_min=True))
def test_results_on_the_branch_cuts_follow_the_formulas_of_the_standard(x: float) -> None:
    """-i log(iz + √(1-z²)) and π/2 less that."""
    for z in (x, -x):
        arc = -1j * cmath.log(1j * z + 1j * math.sqrt(x * x - 1)) if x < 1e5 else cmath.asin(complex(z, -0.0 * z))
        assert complex(call("asin", z, table=R7RS)) == pytest.approx(arc, rel=1e-6)
        assert complex(call("acos", z, table=R7RS)) == pytest.approx(math.pi / 2 - arc, rel=1e-6)


@given(exact_complex)
def test_the_root_of_an_exact_square_is_exact(z: Any) -> None:
    root = call("sqrt", call("*", z, z), table=R7RS)
    assert eqv(root, z) or eqv(root, call("-", z))
    assert root.real > 0 or (root.real == 0 and root.imag >= 0)
    assert call("magnitude", call("*", z, z)) == z.real * z.real + z.imag * z.imag


@given(exact_complex, st.integers(-6, 6))
def test_integer_powers_are_exact(z: Any, exponent: int) -> None:
    assume(z != 0)
    product: Any = 1
    for _ in range(abs(exponent)):
        product = call("*", product, z)
    assert eqv(call("expt", z, exponent, table=R7RS), product if exponent >= 0 else call("/", product))


@given(st.builds(Complex, mild, mild), st.builds(Complex, st.floats(-3, 3), st.floats(-3, 3)))
def test_powers_are_near_python_s(z: Complex, w: Complex) -> None:
    assume(call("magnitude", z) > 1e-3)
    assert complex(call("expt", z, w)) == pytest.approx(complex(z) ** complex(w), rel=1e-9)


def test_numbers_beyond_floats() -> None:
    huge = 10**400
    assert complex(call("log", Complex(huge, huge))) == pytest.approx(
        400 * math.log(10) + math.log(2) / 2 + 0.25j * math.pi
    )
    assert call("sqrt", Complex(-(huge**2), 0).real, table=R7RS) == Complex(0, huge)
    assert complex(call("sqrt", Complex(2 * huge, huge))) == pytest.approx(1e200 * cmath.sqrt(2 + 1j))
    assert complex(call("sqrt", Complex(exact_ratio(1, huge), exact_ratio(1, huge)))) == pytest.approx(
        1e-200 * cmath.sqrt(1 + 1j)
    )
    assert call("angle", Complex(exact_ratio(-1, huge), exact_ratio(1, huge))) == pytest.approx(0.75 * math.pi)
    assert call("expt", Complex(0, 1), huge + 1) == Complex(0, 1)
    for base in (Complex(1, 1), Complex(exact_ratio(3, 5), exact_ratio(4, 5))):
        with pytest.raises(SchemeError, match=r"^expt: result too large: "):
            call("expt", base, huge)


@given(st.integers(-100, 100).filter(bool), mild)
def test_polar_coordinates(distance: int, angle: float) -> None:
    z = call("make-polar", distance, angle)
    assert complex(z) == pytest.approx(cmath.rect(distance, angle))
    assert call("magnitude", z) == pytest.approx(abs(distance))


# Dialects


NOT_REAL = [
    "(sqrt -4)",
    "(sqrt -2.)",
    "(expt -8 1/3)",
    "(expt -4 1/2)",
    "(log -1)",
    "(log 8 -2)",
    "(asin 2)",
    "(acos -2)",
]


@pytest.mark.parametrize("program", NOT_REAL)
def test_a_real_number_without_a_real_result(program: str) -> None:
    """In the Berkeley dialect it is an error: `test_number_errors`."""
    assert isinstance(Session("r7rs").eval(program), Complex)


def test_words_never_become_complex_numbers() -> None:
    session = Session()
    assert write(session.eval("(list (word 1 '+ 2 'i) (bf 'a1+2i) (word '+ 'i) (bl '1+2ii) (word 1 '@ 2))")) == (
        '("1+2i" "1+2i" "+i" "1+2i" "1@2")'
    )
    assert session.eval("(number? (word 1 '+ 2 'i))") is FALSE
    assert session.eval('(number? "1+2i")') is FALSE
    assert write(session.eval("(se 'i '10s '2i '-i2 (first 'i))")) == "(i 10s 2i -i2 i)"


def test_a_complex_number_is_a_word_as_other_numbers_are() -> None:
    session = Session()
    assert write(session.eval("(list (first 1+2i) (bf 1+2i) (bl 1+2i) (count 1+2i) (word 1+2i 's))")) == (
        '(1 "+2i" "1+2" 4 "1+2is")'
    )
    assert session.eval("(equal? (se 1+2i 'a) '(1.0+2.0i a))") is TRUE
    assert session.eval("(word? 1+2i)") is TRUE


def test_the_library_of_complex_numbers() -> None:
    session = Session("r7rs")
    program = "(import (prefix (scheme complex) the-)) (the-magnitude (the-make-rectangular 3 4))"
    assert session.eval(program) == 5


def test_complex_constants() -> None:
    session = Session()
    session.eval("(define z 1/2+3i) (define (f w) (= (* z w) -6+i))")
    assert session.eval("(f +2i)") is TRUE
    assert session.eval("(f 1)") is FALSE
