"""`write` and `display` of every kind of value, of cycles, and of data that is long or deep."""

from __future__ import annotations

import io
from collections.abc import Callable
from types import FunctionType, SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minischeme import Session
from minischeme.data.printer import display, write, write_shared
from minischeme.data.rationals import Rational
from minischeme.data.values import (
    EOF,
    FALSE,
    NIL,
    TRUE,
    UNSPECIFIED,
    Bytevector,
    Char,
    Environment,
    MultipleValues,
    Pair,
    Promise,
    String,
    Symbol,
    Value,
    Vector,
    intern,
    list_of,
)

ATOMS = [
    # value, as by write, as by display
    (5, "5", "5"),
    (-(10**30), "-1" + "0" * 30, "-1" + "0" * 30),
    (2.0, "2.0", "2.0"),
    (float("-inf"), "-inf.0", "-inf.0"),
    (Rational(-1, 3), "-1/3", "-1/3"),
    (TRUE, "#t", "#t"),
    (FALSE, "#f", "#f"),
    (NIL, "()", "()"),
    (EOF, "#[eof]", "#[eof]"),
    (UNSPECIFIED, "okay", "okay"),
    (intern("best-total"), "best-total", "best-total"),
    (intern("10s"), "10s", "10s"),
    (intern("+"), "+", "+"),
    (intern("..."), "...", "..."),
    (intern("Foo Bar"), "|Foo Bar|", "Foo Bar"),
    (intern("Foo"), "|Foo|", "Foo"),
    (intern("10"), "|10|", "10"),
    (intern("+i"), "|+i|", "+i"),
    (intern("-i"), "|-i|", "-i"),
    (intern("+ix"), "+ix", "+ix"),
    (intern(""), "||", ""),
    (intern("a|b\\c\n"), "|a\\|b\\\\c\\n|", "a|b\\c\n"),
    (String("10s"), '"10s"', "10s"),
    (String('a"b\\c'), '"a\\"b\\\\c"', 'a"b\\c'),
    (String("a\n\t\r\x07\x00é|"), '"a\\n\\t\\r\\a\\x0;é|"', "a\n\t\r\x07\x00é|"),
    (Char.of("a"), "#\\a", "a"),
    (Char.of(" "), "#\\space", " "),
    (Char.of("\n"), "#\\newline", "\n"),
    (Bytevector(b"\x00\x0a\xff"), "#u8(0 10 255)", "#u8(0 10 255)"),
    (Vector(), "#()", "#()"),
    (MultipleValues(()), "", ""),
]


@pytest.mark.parametrize(("value", "written", "displayed"), ATOMS)
def test_atoms(value: Value, written: str, displayed: str) -> None:
    assert write(value) == written
    assert display(value) == displayed
    # The same inside a list.
    assert write(list_of([value, value])) == f"({written} {written})"
    assert display(list_of([value, value])) == f"({displayed} {displayed})"


def test_structures() -> None:
    quoted = list_of([intern("quote"), intern("a")])
    assert write(quoted) == "(quote a)"
    assert write(Pair(1, 2)) == "(1 . 2)"
    assert write(list_of([1, 2], tail=3)) == "(1 2 . 3)"
    assert write(Pair(Pair(1, 2), Pair(Pair(3, NIL), Vector([4])))) == "((1 . 2) (3) . #(4))"
    assert write(Vector([1, NIL, Vector([quoted]), Pair(NIL, NIL)])) == "#(1 () #((quote a)) (()))"
    hand = list_of([String("2d"), intern("ah"), Char.of("k")])
    assert write(hand) == '("2d" ah #\\k)'
    assert display(hand) == "(2d ah k)"


def test_multiple_values_stand_on_lines_of_their_own() -> None:
    assert write(MultipleValues((1, String("a"), list_of([2, 3])))) == '1\n"a"\n(2 3)'
    assert display(MultipleValues((intern("B"), String("a")))) == "B\na"


# Procedures and objects


def compiled(header: object) -> FunctionType:
    """A function whose code ends its constants as the compiler does."""

    def function() -> int:
        return 1

    function.__code__ = function.__code__.replace(co_consts=(*function.__code__.co_consts, header))
    return function  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("parameters", "rest", "lambda_list"),
    [
        ((), None, "()"),
        (("x", "y"), None, "(x y)"),
        (("x",), "others", "(x . others)"),
        ((), "all", "all"),
        (("X y",), "Z", "(|X y| . |Z|)"),
    ],
)
def test_closures_show_their_lambda_list(parameters: tuple[str, ...], rest: str | None, lambda_list: str) -> None:
    function = compiled(SimpleNamespace(parameters=parameters, rest=rest))
    assert write(function) == display(function) == f"#[closure arglist={lambda_list} {id(function):x}]"


def test_other_procedures() -> None:
    def plain() -> None: ...

    assert write(plain) == f"#[procedure plain {id(plain):x}]"
    assert write(len) == f"#[procedure len {id(len):x}]"

    def car(pair: Any) -> None: ...

    car.__dict__["primitive"] = SimpleNamespace(names=("car", "first-of-pair"))
    assert write(car) == "#[subr car]"


def test_objects_of_python_are_marked() -> None:
    assert write(None) == "#[python None]"
    assert write("text") == display("text") == "#[python 'text']"
    assert write(True) == "#[python True]"
    assert write(list_of([["a"], "b"])) == "(#[python ['a']] #[python 'b'])"
    assert len(write("x" * 10_000)) < 200

    class Applicable:
        def __call__(self) -> None: ...

    instance = Applicable()
    assert write(instance) == f"#[procedure Applicable {id(instance):x}]"


def test_opaque_values_use_their_own_text() -> None:
    for value in (Promise(None, 3), Environment({})):
        assert write(value) == repr(value)
        assert write(value).startswith("#[")


# Cycles


def circular(*items: Value) -> Pair:
    cells = list_of(items)
    last = cells
    while last.cdr is not NIL:
        last = last.cdr
    last.cdr = cells
    return cells  # type: ignore[no-any-return]


def test_labels_mark_cycles() -> None:
    ring = circular(1, 2)
    assert write(ring) == display(ring) == "#0=(1 2 . #0#)"
    assert write(Pair(0, ring)) == "(0 . #0=(1 2 . #0#))"
    assert write(list_of([ring, ring])) == "(#0=(1 2 . #0#) #0#)"

    inward = Pair(1, NIL)
    inward.car = inward
    assert write(inward) == "#0=(#0#)"

    vector = Vector([1])
    vector += [vector, ring, vector]
    assert write(vector) == "#0=#(1 #0# #1=(1 2 . #1#) #0#)"


def test_labels_are_numbered_as_the_text_goes() -> None:
    outer = circular(1, 2)
    inner = circular(intern("a"))
    outer.car = inner
    inner.car = outer
    assert write(outer) == "#0=(#1=(#0# . #1#) 2 . #0#)"


def test_a_cycle_that_is_reached_through_multiple_values() -> None:
    cell = Pair(1, NIL)
    cell.car = MultipleValues((cell,))
    assert write(cell) == "#0=(#0#)"


def test_sharing_alone_makes_no_label() -> None:
    shared = list_of([1, 2])
    assert write(list_of([shared, shared, Vector([shared])])) == "((1 2) (1 2) #((1 2)))"


def test_sharing_in_large_data_makes_no_label() -> None:
    shared = list_of([1])
    assert write(list_of([shared] * 5000)) == "(" + " ".join(["(1)"] * 5000) + ")"


def test_a_cycle_at_the_end_of_much_data() -> None:
    ring = circular(7)
    shared = list_of([1])
    assert write(list_of([shared] * 5000, tail=ring)) == "(" + "(1) " * 5000 + ". #0=(7 . #0#))"


def test_write_shared_labels_all_that_occurs_twice() -> None:
    shared = list_of([1, 2])
    assert write_shared(list_of([shared, shared])) == "(#0=(1 2) #0#)"
    assert write_shared(Pair(shared, shared)) == "(#0=(1 2) . #0#)"
    assert write_shared(circular(1)) == "#0=(1 . #0#)"
    assert write_shared(list_of([1, 1, NIL, NIL])) == "(1 1 () ())"
    assert write_shared(5) == "5"


# Long and deep data


def test_a_long_list() -> None:
    assert write(list_of(range(200_000))) == f"({' '.join(map(str, range(200_000)))})"


@pytest.mark.parametrize(
    ("wrap", "opening", "closing"),
    [
        (lambda inner: Pair(inner, NIL), "(", ")"),
        (lambda inner: Vector([inner]), "#(", ")"),
        (lambda inner: Pair(inner, 1), "(", " . 1)"),
        (lambda inner: list_of([0, inner, 2]), "(0 ", " 2)"),
    ],
)
def test_deep_data(wrap: Callable[[Value], Value], opening: str, closing: str) -> None:
    depth = 100_000
    value: Value = NIL
    for _ in range(depth):
        value = wrap(value)
    assert write(value) == opening * depth + "()" + closing * depth


# Against the obvious recursive printer


def reference(value: Value) -> str:
    if isinstance(value, Vector):
        return f"#({' '.join(map(reference, value))})"
    if isinstance(value, Pair):
        parts = []
        while isinstance(value, Pair):
            parts.append(reference(value.car))
            value = value.cdr
        return f"({' '.join(parts)})" if value is NIL else f"({' '.join(parts)} . {reference(value)})"
    return value.name if isinstance(value, Symbol) else repr(value)


DATA = st.recursive(
    st.integers() | st.sampled_from([NIL, TRUE, FALSE, intern("a"), intern("b-2"), String("x y")]),
    lambda data: (
        st.lists(data, max_size=5).map(Vector)
        | st.lists(data, max_size=5).map(list_of)
        | st.builds(lambda items, tail: list_of(items, tail), st.lists(data, min_size=1, max_size=3), data)
    ),
    max_leaves=40,
)


@given(DATA)
def test_structure_is_written_as_the_recursive_printer_does(value: Value) -> None:
    assert write(value) == reference(value)


@given(DATA)
def test_large_data_is_written_alike(value: Value) -> None:
    filler = list_of(range(2500))
    assert write(list_of([filler, value])) == f"({reference(filler)} {reference(value)})"


@pytest.mark.parametrize(("dialect", "expected"), [("berkeley", "|Hi|"), ("r7rs", "Hi")])
def test_bars_stand_where_the_dialect_would_fold(dialect: str, expected: str) -> None:
    output = io.StringIO()
    session = Session(dialect, output=output)
    list(session.interact("(define hi '|Hi|)"))
    shown = [interaction.output for interaction in session.interact('hi (write hi) (car hi) (error "Oops:" hi)')]
    assert shown[0] == f"{expected}\n"
    assert shown[1].startswith(expected)
    assert f"car: wrong type of argument: {expected}" in shown[2]
    assert session.prompt.written(session.eval("hi")) == expected
