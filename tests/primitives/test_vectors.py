"""The standard procedures on vectors and bytevectors, by tables of cases and by properties."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from primitive_calls import LIBRARIES, evaluate, pending, result
from sessions import error_of
from tables import cases

from minischeme import Session
from minischeme.data.errors import SchemeError
from minischeme.data.printer import write
from minischeme.data.values import UNSPECIFIED, Bytevector, String, Value, Vector
from minischeme.primitives import bytevectors, vectors

R7RS = LIBRARIES["r7rs"]

CALLS = r"""
    (vector? '#(1)) → #t
    (vector? '(1)) → #f
    (vector? '#u8(1)) → #f
    (vector) → #()
    (vector 1 'a "b") → #(1 a "b")
    (make-vector 2 'x) → #(x x)
    (make-vector 0) → #()
    (vector-length '#(1 2 3)) → 3
    (vector-length (make-vector "4")) → 4
    (vector-ref '#(a b c) 0) → a
    (vector-ref '#(a b c) 2) → c
    (vector-ref '#(a b c) "1") → b
    (vector-copy '#(1 2 3)) → #(1 2 3)
    (vector-copy '#(1 2 3) 1) → #(2 3)
    (vector-copy '#(1 2 3) 1 2) → #(2)
    (subvector '#(1 2 3) 0 2) → #(1 2)
    (vector-append) → #()
    (vector-append '#(1) '#() '#(2 3)) → #(1 2 3)
    (subvector (vector-grow '#(1 2) 3) 0 2) → #(1 2)
    (vector-length (vector-grow '#(1 2) 5)) → 5
    (vector-grow '#(1 2) 2) → #(1 2)
    (vector->list '#(1 2 3)) → (1 2 3)
    (vector->list '#(1 2 3) 1) → (2 3)
    (vector->list '#(1 2 3) 1 1) → ()
    (list->vector '(1 2)) → #(1 2)
    (list->vector '()) → #()
    (vector->string '#(#\a #\b)) → "ab"
    (vector->string '#(1 #\b #\c) 1) → "bc"
    (string->vector "abc") → #(#\a #\b #\c)
    (string->vector "abc" 1 2) → #(#\b)
    (vector-binary-search '#(1 3 5) 3 -) → 3
    (vector-binary-search '#(1 3 5) 5 -) → 5
    (vector-binary-search '#(1 3 5) 4 -) → #f
    (vector-binary-search '#() 4 -) → #f
    (bytevector? '#u8(1)) → #t
    (bytevector? '#(1)) → #f
    (bytevector) → #u8()
    (bytevector 1 255 "0") → #u8(1 255 0)
    (make-bytevector 2 7) → #u8(7 7)
    (make-bytevector 2) → #u8(0 0)
    (bytevector-length '#u8(1 2)) → 2
    (bytevector-u8-ref '#u8(1 255) 1) → 255
    (bytevector-copy '#u8(1 2 3) 1) → #u8(2 3)
    (bytevector-copy '#u8(1 2 3) 1 2) → #u8(2)
    (bytevector-append '#u8(1) '#u8() '#u8(2)) → #u8(1 2)
    (bytevector-append) → #u8()
    (utf8->string '#u8(97 195 169)) → "aé"
    (utf8->string '#u8(97 98 99) 1 2) → "b"
    (string->utf8 "aé") → #u8(97 195 169)
    (string->utf8 "abc" 1) → #u8(98 99)
"""

ERRORS = """
    (vector-ref (vector 1 2) 5) → vector-ref: index out of bounds: 5
    (apply vector-ref (list (vector 1 2) 5)) → vector-ref: index out of bounds: 5
    (apply vector-ref (list (vector 1 2) -1)) → vector-ref: bad index: -1
    (apply vector-ref (list (vector 1 2) 1.0)) → vector-ref: bad index: 1.0
    (apply vector-ref (list (vector 1 2) 'x)) → vector-ref: bad index: x
    (apply vector-ref (list '(1) 0)) → vector-ref: not a vector: (1)
    (vector-set! (vector 1) 1 'a) → vector-set!: index out of bounds: 1
    (vector-set! '(1) 0 'a) → vector-set!: not a vector: (1)
    (vector-length "abc") → vector-length: not a vector: "abc"
    (vector-length (bytevector 1)) → vector-length: not a vector: #u8(1)
    (make-vector -1) → make-vector: bad index: -1
    (make-vector 2.0) → make-vector: bad index: 2.0
    (subvector (vector 1 2) 1 3) → subvector: bad bounds: (1 . 3)
    (vector->list (vector 1 2) 3) → vector->list: bad bounds: (3 . 2)
    (vector-fill! 5 0) → vector-fill!: not a vector: 5
    (vector-copy! (vector 1 2) 1 (vector 1 2)) → vector-copy!: bad bounds: (1 . 3)
    (vector-append (vector 1) '(2)) → vector-append: not a vector: (2)
    (vector-grow (vector 1 2) 1) → vector-grow: shorter than the vector: 1
    (list->vector '(1 . 2)) → list->vector: not a list: (1 . 2)
    (vector->string (vector 1)) → vector->string: bad character: 1
    (vector-binary-search (vector 1) 1 <) → vector-binary-search: bad number: #f
    (vector-binary-search (vector) 1 5) → vector-binary-search: not a procedure: 5
    (bytevector 256) → bytevector: not a byte: 256
    (bytevector 'a) → bytevector: not a byte: a
    (bytevector-u8-ref (bytevector 1) 1) → bytevector-u8-ref: index out of bounds: 1
    (bytevector-u8-ref (vector 1) 0) → bytevector-u8-ref: not a bytevector: #(1)
    (bytevector-u8-set! (bytevector 1) 0 -1) → bytevector-u8-set!: not a byte: -1
    (bytevector-append (bytevector 1) (vector 1)) → bytevector-append: not a bytevector: #(1)
    (bytevector-copy! (bytevector 1) 0 (bytevector 1 2)) → bytevector-copy!: bad bounds: (0 . 2)
    (utf8->string (bytevector 255)) → utf8->string: not UTF-8: #u8(255)
    (string->utf8 'a) → string->utf8: bad string: a
"""


@pytest.mark.parametrize(("expression", "expected"), cases(CALLS))
def test_calls(expression: str, expected: str) -> None:
    assert result(expression) == expected


@pytest.mark.parametrize(("expression", "expected"), cases(ERRORS))
def test_errors(expression: str, expected: str) -> None:
    assert str(error_of(expression)) == expected


def test_numeric_strings_are_no_indices_in_r7rs() -> None:
    with pytest.raises(SchemeError, match='vector-ref: bad index: "1"'):
        Session(dialect="r7rs").eval("""(apply vector-ref '(#(1 2) "1"))""")


def test_changing_vectors() -> None:
    vector = Vector([1, 2, 3, 4, 5])
    assert vectors.vector_set(vector, 0, "x") is UNSPECIFIED
    assert list(vector) == ["x", 2, 3, 4, 5]
    vectors.vector_set(vector, String("1"), "y")
    assert list(vector) == ["x", "y", 3, 4, 5]
    vectors.vector_copy_to(vector, 2, vector, 0, 3)
    assert list(vector) == ["x", "y", "x", "y", 3]
    vectors.vector_fill(vector, 0, 3)
    assert list(vector) == ["x", "y", "x", 0, 0]
    vectors.vector_fill(vector, 7)
    assert list(vector) == [7] * 5


def test_changing_bytevectors() -> None:
    bytevector = Bytevector([1, 2, 3, 4, 5])
    assert bytevectors.bytevector_u8_set(bytevector, 0, 9) is UNSPECIFIED
    bytevectors.bytevector_copy_to(bytevector, 2, bytevector, 0, 3)
    assert write(bytevector) == "#u8(9 2 9 2 3)"


def test_results_are_vectors_of_their_own() -> None:
    vector = Vector([1, 2])
    copies = [R7RS["vector-copy"](vector), vectors.vector_append(vector), vectors.vector_grow(vector, 2)]
    for copy in copies:
        assert type(copy) is Vector
        vectors.vector_set(copy, 0, 9)
    assert list(vector) == [1, 2]
    assert type(bytevectors.bytevector_copy(Bytevector([1]))) is Bytevector


def test_binary_search_gives_the_element() -> None:
    table = [Vector([number, str(number)]) for number in range(0, 100, 2)]

    def compare(key: int, entry: Value) -> Value:
        return key - entry[0]

    for procedure in (compare, pending(compare)):
        for number in range(0, 100, 2):
            found = evaluate(
                "(vector-binary-search table key compare)", table=Vector(table), key=number, compare=procedure
            )
            assert found is table[number // 2]


@given(st.lists(st.integers(), max_size=8), st.data())
def test_parts(items: list[int], data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(items)))
    end = data.draw(st.integers(start, len(items)))
    vector = Vector(items)
    assert list(vectors.subvector(vector, start, end)) == items[start:end]
    assert list(R7RS["vector->list"](vector, start, end)) == items[start:end]
    whole = vectors.vector_append(vectors.subvector(vector, 0, start), R7RS["vector-copy"](vector, start))
    assert list(whole) == items


@given(st.text(max_size=8))
def test_utf8_there_and_back(text: str) -> None:
    assert bytevectors.utf8_to_string(bytevectors.string_to_utf8(String(text))).text == text
