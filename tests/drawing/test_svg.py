"""Pictures as SVG: well-formed, escaped, with a title, for dark and light."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from minischeme import Session
from minischeme.data.values import Value
from minischeme.drawing.picture import SVG_WIDTH, picture_of
from minischeme.drawing.svg import picture_svg

SVG = "{http://www.w3.org/2000/svg}"


def svg_of(value: Value) -> str:
    return picture_svg(picture_of([value], width=SVG_WIDTH))


def svg(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg_of(Session().eval(text)))


@pytest.mark.parametrize(
    "text",
    [
        "(list 1 2)",
        "'()",
        '(list "<script>&\\"x\\"" (string->symbol "]]>"))',
        "(string #\\x1 #\\x0 #\\xFFFE)",
        '(define (f x) (lambda () (if (< x 1) "&" x))) (f 1)',
        "(define-record-type <p&q> (m a) p? (a a)) (m 1)",
        "(vector 'a (delay 1) (make-vector 3 '()))",
    ],
)
def test_well_formed(text: str) -> None:
    root = svg(text)
    assert root.tag == f"{SVG}svg"
    assert root.get("role") == "img"
    assert root.find(f"{SVG}title") is not None
    assert not root.findall(f".//{SVG}script")


def test_the_title_is_the_value_for_screen_readers() -> None:
    root = svg('(list 1 "<" \'a)')
    title = root.find(f"{SVG}title")
    assert title is not None
    assert title.text == '(1 "<" a)'
    assert root.get("aria-labelledby") == title.get("id")


def test_dark_and_light() -> None:
    text = svg_of(Session().eval("'(1)"))
    light, dark = re.findall(r"background: (#\w+)", text)
    assert int(light[1:3] * 1, 16) > int(dark[1:3], 16)
    assert "@media (prefers-color-scheme: dark)" in text


def test_a_box_for_each_pair_and_an_arrow_for_each_pointer() -> None:
    root = svg("(define x (list 'a 'b)) (cons x x)")
    assert len(root.findall(f".//{SVG}rect")) == 3
    arrows = root.findall(f".//{SVG}polyline")
    assert len(arrows) == 3
    assert len({arrow.get("points", "").split()[0] for arrow in arrows}) == 3
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert texts == ["a", "b"]


def test_all_is_inside_the_picture() -> None:
    root = svg("(define z (list 'a 'b 'c)) (set-cdr! (cddr z) z) z")
    width, height = float(root.get("width", 0)), float(root.get("height", 0))
    for line in root.iter(f"{SVG}polyline"):
        for point in line.get("points", "").split():
            x, y = map(float, point.split(","))
            assert 0 <= x <= width
            assert 0 <= y <= height
