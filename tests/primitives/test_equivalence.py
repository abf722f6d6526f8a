"""When values are the same (`eq?`, `equal?` and their like) in both dialects, and words: which value a text is, and its
spelling."""

from __future__ import annotations

import re
from copy import copy
from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from primitive_calls import datum, evaluate, result
from tables import cases, table

from minischeme.data.numerals import format_number
from minischeme.data.rationals import Rational
from minischeme.data.values import NIL, TRUE, Bytevector, Char, Pair, String, Symbol, Value, Vector, intern, list_of
from minischeme.primitives.equivalence import Comparison, _already_supposed, equal, equal_standard, eqv
from minischeme.primitives.symbols import classify, narrow_decimal, spelling

IDENTITY = """
    (eq? 'a 'a) → #t
    (eq? 'a 'b) → #f
    (eq? 100000000000000000000 100000000000000000000) → #t
    (eq? 2 2.0) → #f
    (eq? #\\a #\\a) → #t
    (eq? "" "") → #t
    (eq? "a" "a") → #f
    (eq? '() '()) → #t
    (eq? '() #f) → #f
    (eq? '(a) '(a)) → #f
    (eq? car car) → #t
    (eqv? 1.5 1.5) → #t
    (eqv? 1 1.0) → #f
    (eqv? 0.0 -0.0) → #f
    (eqv? +nan.0 +nan.0) → #t
    (eqv? 1/2 1/2) → #t
    (eqv? 1/2 0.5) → #f
    (eqv? "a" "a") → #f
    (eqv? '#(1) '#(1)) → #f
    (not #f) → #t
    (not '()) → #f
    (not 0) → #f
    (boolean? #f) → #t
    (boolean? '()) → #f
    (boolean=? #t #t #t) → #t
    (boolean=? #t #f) → #f
    (symbol=? 'a 'a 'a) → #t
    (symbol=? 'a 'a 'b) → #f
    (procedure? car) → #t
    (procedure? 'car) → #f
"""

EQUAL = """
    (equal? "AbC" 'abc) → #t #f
    (equal? 'AbC 'abc) → #t #f
    (equal? "abc" 'abc) → #t #f
    (equal? "abc" "abc") → #t #t
    (equal? "ABC" "abc") → #t #f
    (equal? "10" 10) → #t #f
    (equal? 10 10.0) → #t #f
    (equal? 1/2 0.5) → #t #f
    (equal? "07" 7) → #f #f
    (equal? "007" "07") → #f #f
    (equal? "1e3" 1000) → #f #f
    (equal? "1.50" 1.5) → #f #f
    (equal? "1.5" 1.5) → #t #f
    (equal? "10s" '10s) → #t #f
    (equal? '(1 "2") '("1" 2)) → #t #f
    (equal? '#(1 "2") '#("1" 2)) → #t #f
    (equal? '#(1 2) '#(1 2 3)) → #f #f
    (equal? '#(1 2) '(1 2)) → #f #f
    (equal? '#u8(1 2) '#u8(1 2)) → #t #t
    (equal? '#u8(1 2) '#u8(1 3)) → #f #f
    (equal? '(1 (2 (3))) '(1 (2 (3)))) → #t #t
    (equal? '(1 (2 (3))) '(1 (2 (4)))) → #f #f
    (equal? '(1 . 2) '(1 . 2)) → #t #t
    (equal? '(1 2) '(1 2 3)) → #f #f
    (equal? '(1 2 3) '(1 2)) → #f #f
    (equal? '() '()) → #t #t
    (equal? '() 'a) → #f #f
    (equal? "" '()) → #f #f
    (equal? #\\a "a") → #f #f
    (equal? #\\a #\\A) → #f #f
    (equal? #t 'true) → #f #f
    (equal? car car) → #t #t
"""


@pytest.mark.parametrize(("expression", "expected"), cases(IDENTITY))
def test_identity_and_booleans(expression: str, expected: str) -> None:
    assert result(expression) == expected


@pytest.mark.parametrize(("expression", "expected"), cases(EQUAL))
def test_equal_in_both_dialects(expression: str, expected: str) -> None:
    assert f"{result(expression)} {result(expression, 'r7rs')}" == expected


def test_comparisons_of_booleans_and_symbols_take_nothing_else() -> None:
    for expression in ("(boolean=? #t 1)", "(boolean=? 1 1)", '(symbol=? \'a "a")', "(symbol=? 1 1)"):
        with pytest.raises(TypeError):
            evaluate(expression)


# Data that an innocent recursion would not survive


def nested(depth: int, innermost: Value) -> Value:
    """A list in a list in a list …"""
    value = innermost
    for _ in range(depth):
        value = Pair(value, NIL)
    return value


def circular(*items: Value) -> Pair:
    """An endless list."""
    chain: Pair = list_of(items)
    last = chain
    while type(last.cdr) is Pair:
        last = last.cdr
    last.cdr = chain
    return chain


@pytest.mark.slow
@pytest.mark.parametrize("same", [equal, equal_standard])
def test_deep_and_long_data(same: Comparison) -> None:
    assert same(nested(100_000, 1), nested(100_000, 1))
    assert not same(nested(100_000, 1), nested(100_000, 2))
    assert same(list_of(range(50_000)), list_of(range(50_000)))
    assert not same(list_of(range(50_000)), list_of([*range(49_999), -1]))


@pytest.mark.parametrize("same", [equal, equal_standard])
def test_circular_data(same: Comparison) -> None:
    assert same(circular(1, 2), circular(1, 2, 1, 2, 1, 2))
    assert not same(circular(1, 2), circular(1, 2, 1))
    first, second = Vector([1]), Vector([1])
    first.append(first)
    second.append(second)
    assert same(first, second)
    second.append(3)
    assert not same(first, second)


@pytest.mark.parametrize("same", [equal, equal_standard])
def test_shared_data_is_compared_once(same: Comparison) -> None:
    def doubled(innermost: int) -> Value:
        value: Value = Pair(innermost, NIL)
        for _ in range(200):
            value = Pair(value, value)
        return value

    assert same(doubled(1), doubled(1))
    assert not same(doubled(1), doubled(2))


def bisimilar(pairs: list[Pair]) -> dict[int, int]:
    """The class of each pair of a graph, by identity: those of one class unfold to the same endless tree."""
    classes = dict.fromkeys(map(id, pairs), 0)
    count = 1
    while True:
        shapes = {
            id(pair): (
                classes[id(pair)],
                *[classes[id(part)] if type(part) is Pair else str(part) for part in (pair.car, pair.cdr)],
            )
            for pair in pairs
        }
        numbers = {shape: number for number, shape in enumerate(dict.fromkeys(shapes.values()))}
        classes = {pair: numbers[shape] for pair, shape in shapes.items()}
        if len(numbers) == count:
            return classes
        count = len(numbers)


@pytest.mark.parametrize("first_steps", [0, 10_000])
def test_random_circular_data(first_steps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("minischeme.primitives.equivalence._FIRST_STEPS", first_steps)
    for seed in range(300):
        random = Random(seed)
        pairs = [Pair(NIL, NIL) for _ in range(random.randrange(2, 40))]
        for pair in pairs:
            pair.car = random.choice([*random.choices(pairs, k=2), 1, NIL])
            pair.cdr = random.choice([*random.choices(pairs, k=2), 1, NIL])
        classes = bisimilar(pairs)
        for _ in range(10):
            a, b = random.choices(pairs, k=2)
            assert equal(a, b) == (classes[id(a)] == classes[id(b)]), seed


@pytest.mark.slow
def test_a_long_comparison_remembers_few_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    remembered = []

    def supposed(parents: dict[int, int], a: int, b: int) -> bool:
        remembered.append(a)
        return _already_supposed(parents, a, b)

    monkeypatch.setattr("minischeme.primitives.equivalence._already_supposed", supposed)
    assert equal(list_of(range(100_000)), list_of(range(100_000)))
    assert 0 < len(remembered) < 20_000


# Words


def test_narrow_decimals() -> None:
    numbers = "0 7 -7 10 23.0 1.5 -0.5 0.05 100.25 123456789012345678901234567890".split(" ")  # noqa: SIM905
    others = "-0 00 07 -07 +7 .5 5. 23.00 1.50 0.0 -0.0 1e3 1/2 - . 1.2.3 --7 1,5 ٣ 7\n".split(" ")  # noqa: SIM905
    assert [text for text in numbers if narrow_decimal(text) is None] == []
    assert [text for text in others if narrow_decimal(text) is not None] == []
    assert narrow_decimal("") is None
    assert type(narrow_decimal("23.0")) is float
    assert narrow_decimal("9" * 400 + ".5") is None
    assert narrow_decimal("1" + "0" * 5000) == 10**5000


def test_classification_of_text() -> None:
    symbols = ["a", "ad", "!x", "~", "_", "^a", "...", "+", "-", "a1+", "x.y", "a-b", "$%", "/"]
    strings = ["", "10s", "A", "aB", "a b", ".a", "don't", "-x", "+5", "..", "....", "é", "a#", "@", "1+", "a\n"]
    assert all(classify(text) is intern(text) for text in symbols)
    assert [type(classify(text)) for text in strings] == [String] * len(strings)
    assert classify("10") == 10
    assert classify("10s") is not classify("10s")


@given(st.text(max_size=6) | st.integers().map(str) | st.floats(allow_nan=False, allow_infinity=False).map(str))
def test_words_keep_their_text(text: str) -> None:
    word = classify(text)
    if isinstance(word, Symbol | String | int):
        assert spelling(word) == text
    else:
        assert word == float(text)
    assert equal(word, String(text))


def test_spelling_takes_words_only() -> None:
    assert [spelling(word) for word in (intern("a"), String("B c"), -5, 1.5, datum("1/2"))] == [
        "a",
        "B c",
        "-5",
        "1.5",
        "1/2",
    ]
    for value in (TRUE, NIL, list_of([1]), True, None):
        with pytest.raises(TypeError):
            spelling(value)


WORDS = st.one_of(
    st.integers(-20, 20),
    st.sampled_from([0.5, 10.0, -3.0]),
    st.sampled_from(["10", "07", "0.5", "abc", "ABC", "a", "A", "10s", "10S", "-3"]).map(String),
    st.sampled_from(["abc", "a", "10s", "ABC"]).map(intern),
)


@given(WORDS, WORDS, WORDS)
def test_sameness_of_words_is_an_equivalence(a: Value, b: Value, c: Value) -> None:
    assert equal(a, a)
    assert equal(a, b) == equal(b, a) == equal(list_of([a]), list_of([b]))
    if equal(a, b) and equal(b, c):
        assert equal(a, c)
    if eqv(a, b):
        assert equal(a, b)
        assert equal_standard(a, b)


def test_numbers_and_their_digits_are_the_same_word() -> None:
    for number in (0, -17, 10**30, 1.5, 23.0):
        assert equal(String(format_number(number)), number)


def test_rows_of_the_original() -> None:
    """Those rows of the table of facts that compare constants."""
    rows = [
        row
        for row in table("words_3dialects")
        if re.match(r"\((equal|eq|eqv)\? [^(]*('\([^(]*)*\)$", row["expression"])
    ]
    constants = [row for row in rows if "Foo" not in row["expression"]]  # which the reader would fold
    assert len(constants) >= 7
    for row in constants:
        assert result(row["expression"]) == row["UCB STk 4.0.1-ucb1.3.6"], row["expression"]


@pytest.mark.parametrize("same", [equal, equal_standard])
def test_elements_of_vectors_are_compared_as_those_of_lists(same: Comparison) -> None:
    leaves = [0, 2, 2.0, 0.0, -0.0, float("nan"), Rational(1, 2), String(""), String("2"), String("Ab"), String("ab")]
    leaves += [
        intern("ab"),
        Char.of("a"),
        NIL,
        TRUE,
        list_of([1, String("x")]),
        Vector([1, 2]),
        Vector([]),
        Bytevector(b"a"),
    ]
    copies = [copy(leaf) if type(leaf) in (String, Vector, Bytevector, Pair) else leaf for leaf in leaves]
    for left, right in product(leaves, [*leaves, *copies]):
        expected = same(left, right)
        assert (left, right, same(Vector([1, left, 3]), Vector([1, right, 3]))) == (left, right, expected)
        assert (left, right, same(list_of([1, left, 3]), list_of([1, right, 3]))) == (left, right, expected)
    assert not same(Vector([1, 2]), Vector([1, 2, 3]))
    assert not same(Vector([1, 2]), list_of([1, 2]))
