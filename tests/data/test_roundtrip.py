"""What `write` shows, the reader reads back as an equal datum: on generated data of every kind."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from minischeme import Session
from minischeme.data.printer import write
from minischeme.data.rationals import exact_ratio
from minischeme.data.source import Source
from minischeme.data.values import (
    CHARACTER_NAMES,
    FALSE,
    NIL,
    TRUE,
    Bytevector,
    Char,
    Pair,
    String,
    Symbol,
    Value,
    Vector,
    intern,
    list_of,
)
from minischeme.reading.reader import read

# Surrogates are no characters (R7RS 6.6) and can't be written to a file.
characters = st.characters(exclude_categories=["Cs"])
texts = st.text(characters, max_size=12)
# fmt: off
ODD_NAMES = [
    "", ".", "..", "...", "+", "-", "1+", "-1+", "+5", "1e3", "-.5", "1/2", "+i", "-inf.0", "+nan.0", "#t", "#\\a", "|",
    "a b", "a|b", "(", ")", "a;b", "'a", ",@", "Foo", "ÀÉ", "\n", "\t", "\\", '"', "#|", "a#", "10s", "λ", ":key", "x.",
    "\x00", "\x7f", "\u2028", "\ufeff", "’", "−", "\U0001f0a1", "e\u0301", "#;a", "#0=", "[", "]", "{", "`", "ſ", "ß",
]
# fmt: on

atoms = st.one_of(
    st.sampled_from([TRUE, FALSE, NIL]),
    st.integers(),
    st.integers(-(10**60), 10**60),
    st.floats(),
    st.builds(exact_ratio, st.integers(), st.integers(1, 10**9)),
    texts.map(intern),
    st.sampled_from(ODD_NAMES).map(intern),
    texts.map(String),
    characters.map(Char.of),
    st.sampled_from(sorted(CHARACTER_NAMES.values())).map(Char.of),
    st.binary(max_size=5).map(Bytevector),
)
quotations = st.sampled_from(["quote", "quasiquote", "unquote", "unquote-splicing"]).map(intern)
data = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4).map(list_of),
        st.builds(list_of, st.lists(inner, min_size=1, max_size=3), inner),
        st.lists(inner, max_size=4).map(Vector),
        st.builds(lambda keyword, datum: list_of([keyword, datum]), quotations, inner),
    ),
    max_leaves=25,
)


def same(left: Value, right: Value) -> bool:
    """Whether two data are alike in everything that a program could tell of them, but for their identity."""
    waiting = [(left, right)]
    while waiting:
        one, other = waiting.pop()
        if type(one) is not type(other):
            return False
        if isinstance(one, Pair):
            waiting += [(one.car, other.car), (one.cdr, other.cdr)]
        elif isinstance(one, Vector):
            if len(one) != len(other):
                return False
            waiting += zip(one, other, strict=True)
        elif not same_atom(one, other):
            return False
    return True


def same_atom(one: Any, other: Any) -> bool:
    if isinstance(one, float):
        return (math.isnan(one) and math.isnan(other)) or repr(one) == repr(other)
    if isinstance(one, String):
        return bool(one.text == other.text)
    if isinstance(one, Bytevector):
        return bytes(one) == bytes(other)
    return one is other or (isinstance(one, int | Fraction) and bool(one == other))


def read_back(text: str) -> Value:
    """The only datum in a text."""
    (form,) = read(Source(text, "<test>"))
    return form.datum


@given(data)
@example(list_of([intern("quote"), intern("a"), intern("b")]))
@example(list_of([intern("quote")], intern("a")))
@example(list_of([1, intern("quote")], list_of([intern("a")])))
@example(list_of([intern("."), intern("...")]))
@example(-0.0)
def test_what_is_written_is_read_back(datum: Value) -> None:
    assert same(read_back(write(datum)), datum)


@given(data, st.sampled_from([" ", "\n", " ; comment\n", " #| block #| nested |# |# ", "\r\n\t", " #;(no datum) "]))
def test_blanks_and_comments_between_data_change_nothing(datum: Value, blank: str) -> None:
    text = f"{blank}({blank}{write(datum)}{blank}{write(datum)}{blank}){blank}"
    assert same(read_back(text), list_of([datum, datum]))


@settings(max_examples=40)
@given(data)
def test_the_pipeline_quotes_what_was_written(datum: Value) -> None:
    text = write(datum)
    session = Session()
    assert same(session.eval(f"'{text}"), datum)
    assert write(session.eval(f"(list '{text})")) == f"({text})"


@settings(max_examples=40)
@given(data)
def test_quasiquote_without_unquotes_is_quote(datum: Value) -> None:
    if "quote" not in (text := write(datum)):
        assert same(Session().eval(f"`{text}"), datum)


@settings(max_examples=80)
@given(st.sampled_from(ODD_NAMES) | texts)
def test_any_symbol_can_be_a_variable(name: str) -> None:
    text = write(Symbol(name))
    session = Session()
    program = f"(define {text} 1) (define (f x) (set! {text} (+ {text} x)) (let (({text} {text})) (list {text} x)))"
    if name not in ("define", "set!", "+", "let", "list", "f", "x"):
        assert write(session.eval(f"{program} (f 2)")) == "(3 2)"


def test_deep_and_long_data() -> None:
    deep: Value = NIL
    for _ in range(20_000):
        deep = Pair(deep, NIL)
    long = list_of(range(20_000))
    assert write(read_back(write(deep))) == write(deep)
    assert write(read_back(write(long))) == write(long)
