"""Numbers: their kinds, order, the four operations, exactness, rounding, text, and random ones (R7RS 6.2)."""

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from typing import Annotated, Any

from minischeme.data import rationals
from minischeme.data.errors import SchemeError
from minischeme.data.numerals import GREATEST_COMPLEX_RADIX, format_number, parse_number
from minischeme.data.rationals import Number as AnyNumber
from minischeme.data.rationals import Real as AnyReal
from minischeme.data.values import FALSE, TRUE, Boolean, String, Value, boolean, list_of
from minischeme.primitives import kinds
from minischeme.primitives.kinds import Number, Real
from minischeme.primitives.registry import predicate, primitive, unary
from minischeme.runtime.context import RandomSource

Operand = Annotated[Any, kinds.Kind("not a number", lambda value: kinds.as_number(value) is not None)]
Dividend = Annotated[Any, kinds.Kind("not a valid number", lambda value: kinds.as_number(value) is not None)]


def number_of(value: Value) -> Any:
    """The number that an argument is or, as a numeric string, stands for; a TypeError if it is none."""
    return value if type(value) in rationals.NUMBER_TYPES else _existing(kinds.as_number(value))


def real_of(value: Value) -> Any:
    """The real number that an argument is or, as a numeric string, stands for; a TypeError if it is none."""
    return value if type(value) in rationals.REAL_TYPES else _existing(kinds.as_real(value))


def _existing(number: AnyNumber | None) -> AnyNumber:
    if number is None:
        raise TypeError("not a number of that kind")
    return number


# ── Kinds of numbers ─────────────────────────────────────────────────────────────────────────────────────────────────
def is_finite_number(value: Value) -> bool:
    """Whether `value` is, or stands for, a number that is a ratio of integers."""
    number = kinds.as_real(value)
    return number is not None and (type(number) is not float or math.isfinite(number))


FiniteNumber = Annotated[Any, kinds.Kind("bad number", is_finite_number)]

predicate("number? complex?", lambda obj: kinds.as_number(obj) is not None, "a number", example="(number? 'seven) → #f")
predicate("real?", lambda obj: kinds.as_real(obj) is not None, "a number that is real", example="(real? 1+2i) → #f")
predicate("rational?", is_finite_number, "a number that is a ratio of integers: a finite one that is real")
predicate("integer?", kinds.is_integer, "an integer, exact or not", example="(integer? 2.5) → #f")
predicate("exact-integer?", lambda obj: type(kinds.as_number(obj)) is int, "an exact integer")
predicate("exact-rational?", lambda obj: type(kinds.as_real(obj)) in (int, rationals.Rational), "an exact real number")
predicate("exact-nonnegative-integer?", kinds.is_index, "an exact integer from 0 on")


def parts_of(number: AnyNumber) -> tuple[AnyReal, AnyReal]:
    """The real and the imaginary part of a number."""
    return (number.real, number.imag) if isinstance(number, rationals.Complex) else (number, 0)


def _property(name: str, holds: Callable[[AnyNumber], bool], help_: str) -> None:
    unary(name, Number, lambda z: boolean(holds(number_of(z))), help_)


def _in_any_part(holds: Callable[[AnyReal], bool]) -> Callable[[AnyNumber], bool]:
    return lambda number: any(map(holds, parts_of(number)))


_property("exact?", lambda number: not rationals.is_inexact(number), "Whether the number z is exact.")
_property("inexact?", rationals.is_inexact, "Whether the number z is inexact.")
_property("finite?", lambda z: all(map(is_finite_number, parts_of(z))), "Whether no part of z is infinite or +nan.0.")
_property("infinite?", _in_any_part(lambda part: abs(part) == math.inf), "Whether z, or a part of it, is infinite.")
_property("nan?", _in_any_part(lambda part: part != part), "Whether the number z, or a part of it, is +nan.0.")
unary("zero?", Number, lambda z: boolean(number_of(z) == 0), "Whether the number z is 0.", "(zero? 0) → #t")
unary("positive?", Real, lambda x: boolean(real_of(x) > 0), "Whether the number x is above 0.", "(positive? 3) → #t")
unary("negative?", Real, lambda x: boolean(real_of(x) < 0), "Whether the number x is below 0.", "(negative? 3) → #f")


# ── Order ────────────────────────────────────────────────────────────────────────────────────────────────────────────
def _comparison(name: str, holds: Callable[[Any, Any], bool], help_: str, example: str) -> None:
    """A procedure that tells whether `holds` is true of all neighbours; all arguments must be numbers, in any case."""

    @primitive(name, help_=help_, example=example)
    def compare(x: Operand, *others: Operand) -> Boolean:
        if len(others) == 1 and type(x) is int:
            (other,) = others
            if type(other) is int:
                return TRUE if holds(x, other) else FALSE
        result = TRUE
        left = x if type(x) in rationals.REAL_TYPES else _compared(holds, (x, *others))
        for index, other in enumerate(others):
            right = other if type(other) in rationals.REAL_TYPES else _compared(holds, others[index:])
            if not holds(left, right):
                result = FALSE
            left = right
        return result


def _compared(holds: Callable[[Any, Any], bool], values: tuple[Value, ...]) -> AnyNumber:
    """The number that the first of the values stands for; WrongType if it is not real and is to be ordered."""
    number = kinds.as_number(values[0])
    if number is None:
        raise SchemeError("Bad number in a comparison:", list_of(values))
    if type(number) is rationals.Complex and holds is not operator.eq:
        raise rationals.WrongType("<", number)
    return number


_comparison("=", operator.eq, "Whether all the numbers are equal.", "(= 2 (+ 1 1)) → #t")
_comparison("<", operator.lt, "Whether the numbers increase.", "(< 1 2 3) → #t")
_comparison(">", operator.gt, "Whether the numbers decrease.", "(> 3 2) → #t")
_comparison("<=", operator.le, "Whether the numbers never decrease.", "(<= 1 1 2) → #t")
_comparison(">=", operator.ge, "Whether the numbers never increase.", "(>= 2 3) → #f")


def _extreme(name: str, surpasses: Callable[[Any, Any], bool], help_: str, example: str) -> None:
    """A procedure for the number that no other surpasses; inexact if any is, +nan.0 if any is that (R7RS 6.2.6)."""

    @primitive(name, help_=help_, example=example)
    def extreme(*numbers: Real) -> Any:
        if len(numbers) == 2 and type(numbers[0]) is int and type(numbers[1]) is int:
            return numbers[0] if surpasses(*numbers) else numbers[1]
        if not numbers:
            raise SchemeError(f"{name}: bad number of arguments")
        values = [real_of(number) for number in numbers]
        best = values[0]
        for value in values:
            if surpasses(value, best) or value != value:
                best = value
        return rationals.float_of(best) if any(type(value) is float for value in values) else best


_extreme("max", operator.gt, "The greatest of the numbers.", "(max 3 7 5) → 7")
_extreme("min", operator.lt, "The least of the numbers.", "(min 3 7 5) → 3")


# ── The four operations ──────────────────────────────────────────────────────────────────────────────────────────────
# Python's operators do all the work, on numeric strings too. They raise OverflowError only when an exact number is
# too large to become the float that a float beside it asks for.
def _in_floats(operation: Callable[[Any, Any], Any], numbers: tuple[Value, ...]) -> AnyNumber:
    """Fold the numbers by `operation` on floats, infinite where they are too large."""
    return reduce(operation, [rationals.inexact(number_of(number)) for number in numbers])


@primitive("+", example="(+ 1 2 3) → 6")
def add(*numbers: Operand) -> Any:
    """The sum of the numbers."""
    try:
        if len(numbers) == 2:
            first, second = numbers
            return first + second
        return reduce(operator.add, numbers, 0)
    except OverflowError:
        return _in_floats(operator.add, numbers)


@primitive("*", example="(* 2 3) → 6")
def multiply(*numbers: Operand) -> Any:
    """The product of the numbers."""
    try:
        if len(numbers) == 2:
            first, second = numbers
            return first * second
        return reduce(operator.mul, numbers, 1)
    except OverflowError:
        return _in_floats(operator.mul, numbers)


@primitive("-", example="(- 10 3 2) → 5")
def subtract(*numbers: Operand) -> Any:
    """The first number minus all others; of a single one, its negative."""
    if not numbers:
        raise SchemeError("-: no argument given")
    if len(numbers) == 1:
        return -number_of(numbers[0])
    try:
        if len(numbers) == 2:
            first, second = numbers
            return first - second
        return reduce(operator.sub, numbers)
    except OverflowError:
        return _in_floats(operator.sub, numbers)


def divided(dividend: AnyNumber, divisor: AnyNumber) -> AnyNumber:
    """The quotient of two numbers, exact if both are; a SchemeError for an exact 0 as the divisor."""
    if type(divisor) is not float and divisor == 0 and not rationals.is_inexact(divisor):
        raise SchemeError("/: not a valid number:", divisor)
    if type(dividend) is int and type(divisor) is int:
        return rationals.exact_ratio(dividend, divisor)
    try:
        quotient: AnyNumber = dividend / divisor
    except (ZeroDivisionError, OverflowError):  # both numbers are real
        return rationals.real_quotient(dividend, divisor)  # type: ignore[arg-type]
    return quotient


@primitive("/", example="(/ 6 4) → 3/2")
def divide(*numbers: Dividend) -> Any:
    """The first number divided by all others; of a single one, its reciprocal."""
    if not numbers:
        raise SchemeError("/: no argument given")
    if len(numbers) == 1:
        return divided(1, number_of(numbers[0]))
    return reduce(divided, map(number_of, numbers))


unary("1+ add1 inc", Operand, lambda z: z + 1, "The number z plus 1.", "(1+ 5) → 6")
unary("-1+ 1- sub1 dec", Operand, lambda z: z - 1, "The number z minus 1.", "(-1+ 5) → 4")
unary("abs", Real, lambda x: abs(real_of(x)), "The number x without its sign.", "(abs -5) → 5")
unary("square sqr", Number, lambda z: z * z, "The number z times itself.", "(square 5) → 25")
unary("cube", Number, lambda z: z * z * z, "The third power of the number z.")


# ── Exactness ────────────────────────────────────────────────────────────────────────────────────────────────────────
@primitive("exact", "inexact->exact")
def exact(z: Number) -> Any:
    """The exact number equal to z."""
    number = number_of(z)
    try:
        return rationals.exact_of(number)
    except (ValueError, OverflowError):
        raise SchemeError("exact: bad number:", z) from None


unary("inexact exact->inexact", Number, lambda z: rationals.inexact(number_of(z)), "The inexact number nearest to z.")


# ── Rounding ─────────────────────────────────────────────────────────────────────────────────────────────────────────
def _rounding(name: str, to_int: Callable[[Any], int], help_: str, example: str | None = None, **where: Any) -> None:
    """A procedure that rounds a number to an integer, which is as exact as the number."""

    @primitive(name, help_=help_, example=example, **where)
    def rounded(x: Real) -> AnyReal:
        number = real_of(x)
        if type(number) is not float:
            return to_int(number)
        # The sign matters for zero only: (round -.4) is -0.0.
        return math.copysign(float(to_int(number)), number) if math.isfinite(number) else number


_rounding("floor", math.floor, "The greatest integer that is at most x.", "(floor 2.6) → 2.0")
_rounding("ceiling", math.ceil, "The least integer that is at least x.")
_rounding("truncate", math.trunc, "The number x without its fraction.")
_rounding("round", round, "The integer nearest to x; the even one of two.", "(round 2.6) → 3", dialect="r7rs")


def _rounding_to_exact(name: str, to_int: Callable[[Any], int], help_: str, example: str | None = None) -> None:
    """A procedure that rounds a number to an exact integer."""
    unary(name, FiniteNumber, lambda x: to_int(real_of(x)), help_, example, "berkeley")


_rounding_to_exact("round", round, "The exact integer nearest to x; the even one of two.")
_rounding_to_exact("exact-floor", math.floor, "The greatest exact integer that is at most x.", "(exact-floor 2.6) → 2")
_rounding_to_exact("exact-ceiling", math.ceil, "The least exact integer that is at least x.")
_rounding_to_exact("exact-round", round, "The exact integer nearest to x; the even one of two.")
_rounding_to_exact("exact-truncate", math.trunc, "The number x without its fraction, as an exact number.")


@primitive("rationalize")
def rationalize(x: Real, y: Real) -> Any:
    """The simplest rational number that differs from x by no more than y."""
    number, tolerance = real_of(x), real_of(y)
    if type(number) is not float and type(tolerance) is not float:
        return _simplest_within(number, tolerance)
    if math.isnan(number) or math.isnan(tolerance):
        return math.nan
    if math.isinf(tolerance):
        return math.nan if math.isinf(number) else 0.0
    if math.isinf(number):
        return number
    return rationals.float_of(_simplest_within(exact(number), exact(tolerance)))


def _simplest_within(number: int | rationals.Rational, tolerance: int | rationals.Rational) -> int | rationals.Rational:
    low = Fraction(number) - abs(Fraction(tolerance))
    high = Fraction(number) + abs(Fraction(tolerance))
    if low <= 0 <= high:
        return 0
    simplest = _simplest_between(low, high) if low > 0 else -_simplest_between(-high, -low)
    return rationals.exact_ratio(simplest.numerator, simplest.denominator)


def _simplest_between(low: Fraction, high: Fraction) -> Fraction:
    """The fraction of least denominator between two positive bounds: their continued fractions as far as they agree."""
    whole = math.ceil(low)
    if whole <= high:
        return Fraction(whole)
    return whole - 1 + 1 / _simplest_between(1 / (high - (whole - 1)), 1 / (low - (whole - 1)))


# ── Text ─────────────────────────────────────────────────────────────────────────────────────────────────────────────
def _radix(name: str, radix: Value) -> int:
    """A radix argument, which must be an exact integer from 2 to 36."""
    if type(radix) is not int or not 2 <= radix <= 36:
        raise SchemeError(f"{name}: bad radix:", radix)
    return radix


@primitive("number->string", example='(number->string 12) → "12"')
def number_to_string(z: Number, radix: Value = 10) -> String:
    """The text of the number z; radix is from 2 to 36, and 10 if z is inexact."""
    number = number_of(z)
    base = _radix("number->string", radix)
    if base != 10 and (
        rationals.is_inexact(number) or (type(number) is rationals.Complex and base > GREATEST_COMPLEX_RADIX)
    ):
        raise SchemeError("number->string: bad radix:", radix)
    return String(format_number(number, base))


@primitive("string->number", example='(string->number "12") → 12')
def string_to_number(string: kinds.StringArg, radix: Value = 10) -> Any:
    """The number whose text is the string, or #f; radix is from 2 to 36."""
    number = parse_number(string.text, _radix("string->number", radix))
    return FALSE if number is None else number


# ── Random numbers ───────────────────────────────────────────────────────────────────────────────────────────────────
@primitive("random", example="(random 1) → 0")
def random_below(n: Real, *, chance: RandomSource) -> Any:
    """A random integer from 0 to n - 1; for an inexact n, a random real number below n."""
    if type(n) is int and 0 < n < 0x1_0000_0000:
        # A tenth of the time of `randrange`; the bias of 53 random bits is under 2^-20.
        return int(chance.random.random() * n)
    bound = kinds.as_real(n)
    if type(bound) is int and bound > 0:
        return chance.random.randrange(bound)
    if type(bound) is float and 0 < bound < math.inf:
        return chance.random.random() * bound
    raise SchemeError(f"random: {kinds.number_complaint(n, 'bad number')}:", n)
