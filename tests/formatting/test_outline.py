"""The brackets of a text that is being typed, and the local names in it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minischeme.formatting.outline import Mode, Outline
from minischeme.repl.colours import MATCHING, STRAY, marked_brackets


def pairs(text: str) -> set[tuple[int, int]]:
    return {(first, last) for first, last in Outline(text).pairs.items() if first < last}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(a (b) c)", {(0, 8), (3, 5)}),
        ("(a [b])", {(0, 6), (3, 5)}),
        ("#(a)", {(1, 3)}),
        ("#u8(1)", {(3, 5)}),
        ('(")" #\\) ; )\n)', {(0, 13)}),
        ("(|)| #| ) #| ) |# ) |# )", {(0, 23)}),
        ("(a (b", set()),
        ("#\\((a)", {(3, 5)}),
        ('("a\\")" b)', {(0, 9)}),
    ],
)
def test_pairs(text: str, expected: set[tuple[int, int]]) -> None:
    assert pairs(text) == expected


@pytest.mark.parametrize(("text", "stray"), [("(a))", [3]), (") (", [0]), ("(a]", [2]), ("(a)", []), ('")"', [])])
def test_stray_brackets(text: str, stray: list[int]) -> None:
    assert Outline(text).stray == stray


def test_the_bracket_at_the_cursor_and_its_partner_are_marked() -> None:
    text = "(a (b)))"
    assert marked_brackets(text, 6) == {3: MATCHING, 5: MATCHING, 7: STRAY}
    assert marked_brackets(text, 0) == {0: MATCHING, 6: MATCHING, 7: STRAY}
    assert marked_brackets(text, 2) == {7: STRAY}


@given(st.text(alphabet="()[]'`,@#|;\"\\ \nax1u8\u2019", max_size=40))
def test_every_text_has_an_outline(text: str) -> None:
    outline = Outline(text)
    assert "".join(token.text for token in outline.tokens) == text
    for first, last in outline.pairs.items():
        assert outline.pairs[last] == first
        assert text[min(first, last)] + text[max(first, last)] in ("()", "[]")
    for offset in range(len(text) + 1):
        outline.inside_text(offset)
        assert all(outline.group_at(offset).scope)


def modes(text: str) -> dict[str, Mode]:
    return {token.text: token.mode for token in Outline(text).tokens if token.text.isalpha()}


def test_code_and_data() -> None:
    code, data, template, comment = Mode.CODE, Mode.DATA, Mode.TEMPLATE, Mode.COMMENT
    assert modes("(f 'a b)") == {"f": code, "a": data, "b": code}
    assert modes("(f '(a (b)) c)") == {"f": code, "a": data, "b": data, "c": code}
    assert modes("`(a ,(b c) ,@d e)") == {"a": template, "b": code, "c": code, "d": code, "e": template}
    assert modes("'(a ,b)") == {"a": data, "b": data}
    assert modes("(f #;(a b) c #;d e)") == {"f": code, "a": comment, "b": comment, "c": code, "d": comment, "e": code}
    assert modes("(f (quote (a)) b)")["a"] is data
    assert modes("(f ’a b)") == {"f": code, "a": data, "b": code}
    assert modes("(f #(a) b)") == {"f": code, "a": data, "b": code}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("(define (f x . more) |", ["x", "more", "f"]),
        ("(define x |", []),
        ("(lambda (a b) |", ["a", "b"]),
        ("(lambda all |", ["all"]),
        ("(let ((a 1) (b 2)) |", ["a", "b"]),
        ("(let loop ((n 0)) |", ["loop", "n"]),
        ("(do ((i 0 (+ i 1))) |", ["i"]),
        ("(define (f x) (define (helper y) y) (define z 1) |)", ["f", "x", "helper", "z"]),
        ("(define (f x) (lambda (y) |))", ["y", "f", "x"]),
        ("(define (f x) 1) |", []),
        ("'(lambda (a) |", []),
        ("(define ((make a) b) |", ["make", "a", "b"]),
        (
            "(define-class (counter step) (instance-vars (count 0)) (method (go n) |",
            ["go", "n", "counter", "step", "count"],
        ),
        ("(let |", []),
        ("(lambda |", []),
        ("(define ( |", []),
    ],
)
def test_local_names(text: str, names: list[str]) -> None:
    cursor = text.index("|")
    assert set(Outline(text.replace("|", "")).group_at(cursor).scope) == set(names)
