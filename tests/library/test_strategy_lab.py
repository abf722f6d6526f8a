"""`lib/strategy-lab.scm`: the chart of a strategy, in text, colour and as a picture, and the report of many games."""

from __future__ import annotations

import io
import re
from itertools import pairwise
from math import sqrt
from pathlib import Path
from xml.etree import ElementTree

import pytest
from sessions import error_in, shown
from tables import SOLUTIONS, table

from minischeme import Session

UP_CARDS = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "a"]
HARD = range(4, 22)
SOFT = range(12, 22)

Chart = dict[tuple[str, int], list[str]]


class Terminal(io.StringIO):
    """Something that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def laboratory(name: str = "twenty-one.scm", output: io.StringIO | None = None) -> Session:
    """A session with a student's file and the lab."""
    session = Session(seed=4, output=output if output is not None else io.StringIO())
    session.load(SOLUTIONS / name)
    session.eval('(load "strategy-lab.scm")')
    return session


def printed(session: Session, expression: str) -> str:
    """What an expression prints."""
    return shown(session, expression).removesuffix("okay\n")


def parsed(text: str) -> tuple[list[str], Chart, list[str]]:
    """A printed chart: the columns' heads, the cells of each row, the legend."""
    chart: Chart = {}
    kind, heads, legend = "", [], []
    _, what, *lines = text.splitlines()
    assert what.split() == ["the", "dealer", "shows"]
    for line in lines:
        first, *others = line.split()
        if first in ("hard", "soft", "joker"):
            kind, heads = first, others
        elif first.isdigit():
            chart[kind, int(first)] = others
        else:
            legend.append(" ".join(line.split()))
    return heads, chart, legend


def test_chart_of_a_strategy_without_surprises() -> None:
    session = laboratory()
    heads, chart, legend = parsed(printed(session, "(strategy-chart dealer-sensitive)"))
    assert heads == UP_CARDS
    assert list(chart) == [("hard", total) for total in HARD] + [("soft", total) for total in SOFT]
    for (_, total), cells in chart.items():
        assert cells == ["H" if total < (12 if up_card in "23456" else 17) else "S" for up_card in UP_CARDS]
    assert legend == ["H hit", "S stand"]


def test_chart_where_suits_decide() -> None:
    _, chart, legend = parsed(printed(laboratory(), "(strategy-chart valentine)"))
    for (_, total), cells in chart.items():
        letters = {cell[-1] for cell in cells}
        marks = {cell[:-1] for cell in cells}
        if total in (17, 18):
            assert marks == {"~"}
        else:
            assert marks == {""}
            assert letters == {"H" if total < 17 else "S"}
    assert legend == ["H hit", "S stand", "~ depends on the suits"]


def test_chart_where_suits_of_the_up_card_decide() -> None:
    strategy = "(lambda (hand up-card) (equal? (last up-card) 'h))"
    _, chart, _ = parsed(printed(laboratory(), f"(strategy-chart {strategy})"))
    assert {cell for cells in chart.values() for cell in cells} == {"~S"}


@pytest.mark.slow
def test_chart_where_cards_and_pictures_decide() -> None:
    session = laboratory()
    session.eval(
        """
        (define (holds-a-5? hand) (not (empty? (keep (lambda (card) (equal? (bl card) 5)) hand))))
        (define (slip hand up-card)         ; forgets the pictures, and likes fives
          (or (< (best-total hand) 12)
              (and (= (best-total hand) 18) (holds-a-5? hand))
              (and (< (best-total hand) 17) (member (bl up-card) '(a 7 8 9 10)))))
        """
    )
    _, chart, legend = parsed(printed(session, "(strategy-chart slip)"))
    for (_, total), cells in chart.items():
        if total < 12:
            assert cells == ["H"] * 10
        elif total < 17:
            assert cells == ["S", "S", "S", "S", "S", "H", "H", "H", "+S", "H"]
        else:
            assert cells == (["*S"] if total == 18 else ["S"]) * 10
    assert [line[0] for line in legend] == ["H", "S", "*", "+"]


@pytest.mark.slow
def test_each_hand_that_is_asked_about_is_possible() -> None:
    session = laboratory()
    session.eval(
        """
        (define wrong '())
        (define (doubles? cards)
          (and (not (empty? cards)) (or (member? (first cards) (bf cards)) (doubles? (bf cards)))))
        (define (inspector hand up-card)
          (if (or (doubles? (se up-card hand)) (> (best-total hand) 21))
              (set! wrong (cons hand wrong)))
          #f)
        """
    )
    printed(session, "(strategy-chart inspector)")
    assert printed(session, "wrong") == "()\n"


@pytest.mark.slow
def test_chart_of_the_game_with_jokers() -> None:
    heads, chart, _ = parsed(printed(laboratory("twenty-one-joker.scm"), "(strategy-chart (stop-at 17))"))
    assert heads == [*UP_CARDS, "jo"]
    assert [row for row in chart if row[0] == "joker"] == [("joker", total) for total in range(13, 22)]
    for (_, total), cells in chart.items():
        assert cells == ["H" if total < 17 else "S"] * 11


@pytest.mark.parametrize(
    ("strategy", "title"),
    [
        ("stop-at-17", "stop-at-17"),
        ("(stop-at 15)", "(stop-at 15)"),
        (
            "(majority stop-at-17 (stop-at 12) (reckless valentine))",
            "(majority stop-at-17 (stop-at 12) (reckless valentine))",
        ),
        ("mine", "mine"),
        ("(lambda (hand up-card) #f)", "lambda"),
        ("a-name<&>" * 9, "a-name<&>" * 6 + "a-n..."),
    ],
)
def test_the_chart_has_the_name_of_its_strategy(tmp_path: Path, strategy: str, title: str) -> None:
    session = laboratory()
    session.eval(f"(define mine (let ((n 3)) (lambda (hand up-card) #f))) (define ({'a-name<&>' * 9} hand up-card) #f)")
    session.eval("(define (lab-chart strategy) '((hard 16 (h sure))))")
    assert printed(session, f"(strategy-chart {strategy})").splitlines()[0] == title
    path = tmp_path / "chart.svg"
    session.eval(f'(strategy-chart {strategy} "{path}")')
    root = ElementTree.parse(path).getroot()
    assert root.findtext(f"{SVG}title") == f"{title}: when it hits and when it stands"
    heading = next(root.iter(f"{SVG}text"))
    assert heading.text == title
    # As wide as the chart, at 0.6 of the font's size a letter.
    assert len(title) * 0.6 * float(heading.attrib["font-size"]) <= float(root.attrib["width"]) - 24


SVG = "{http://www.w3.org/2000/svg}"

SMALL_CHART = """(lab-print-chart 'small '((hard 16 (h sure) (s suits) (h cards) (s tens))
                                    (soft 17 (s sure) (s sure) (h sure) (h sure))))"""


HIT, STAND, DEPENDS = "44;97", "43;30", "47;30"
"""White on blue, black on yellow, black on white: told apart with any eyes."""


def test_colours_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    terminal = Terminal()
    laboratory(output=terminal).eval(SMALL_CHART)
    coloured = terminal.getvalue()
    assert re.findall(r"\x1b\[([\d;]+)m  ([ ~*+])([HS])\x1b\[0m", coloured) == [
        (HIT, " ", "H"),
        (DEPENDS, "~", "S"),
        (DEPENDS, "*", "H"),
        (DEPENDS, "+", "S"),
        (STAND, " ", "S"),
        (STAND, " ", "S"),
        (HIT, " ", "H"),
        (HIT, " ", "H"),
    ]
    assert re.findall(r"^ +\x1b\[([\d;]+)m (\S) \x1b\[0m ", coloured, re.MULTILINE) == [
        (HIT, "H"),
        (STAND, "S"),
        (DEPENDS, "~"),
        (DEPENDS, "*"),
        (DEPENDS, "+"),
    ]
    monkeypatch.setenv("NO_COLOR", "1")
    terminal = Terminal()
    laboratory(output=terminal).eval(SMALL_CHART)
    assert terminal.getvalue() == re.sub(r"\x1b\[[\d;]+m", "", coloured)
    assert printed(laboratory(), SMALL_CHART) == terminal.getvalue()


def luminance(colour: str) -> float:
    """How bright a colour is, from 0 to 1. Args: colour: ``#rrggbb``."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """How well two colours are told apart by brightness alone (WCAG 2.1)."""
    darker, brighter = sorted((luminance(one), luminance(other)))
    return (brighter + 0.05) / (darker + 0.05)


COLOURS = {"white": "#ffffff", "black": "#000000"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("strategy", "legend"),
    [
        ("stop-at-17", {}),
        ("valentine", {"~": "depends on the suits"}),
        ("reckless-17", {"*": "depends on the cards or their order"}),
    ],
)
def test_picture(tmp_path: Path, strategy: str, legend: dict[str, str]) -> None:
    session = laboratory()
    session.eval("(define reckless-17 (reckless stop-at-17))")
    path = tmp_path / "chart.svg"
    assert printed(session, f'(strategy-chart {strategy} "{path}")') == ""
    root = ElementTree.parse(path).getroot()
    assert root.tag == SVG + "svg"
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    boxes = [box for box in root.iter(SVG + "rect") if "x" in box.attrib]
    texts = list(root.iter(SVG + "text"))
    # Each box has a text in its middle.
    signs = []
    for box in boxes:
        x, y = (float(box.attrib[name]) for name in "xy")
        (sign,) = [
            text for text in texts if 0 < float(text.attrib["x"]) - x < 32 and 0 < float(text.attrib["y"]) - y < 22
        ]
        assert contrast(box.attrib["fill"], COLOURS[sign.attrib["fill"]]) > 4.5
        signs.append((sign.text or "").strip())
    assert len({(box.attrib["x"], box.attrib["y"]) for box in boxes}) == len(boxes)
    cells = (len(HARD) + len(SOFT)) * 10
    assert signs[cells:] == ["H", "S", *legend]
    words = [text.text for text in texts if text.attrib.get("class") == "ink"]
    assert words[:2] == [strategy, "the dealer shows"]
    assert words[-2 - len(legend) :] == ["hit", "stand", *legend.values()]
    # A colour for each sign, and bright or dark enough to be told apart without colour.
    fills = {
        sign: {box.attrib["fill"] for box, shown in zip(boxes, signs, strict=True) if shown == sign} for sign in signs
    }
    (hit,), (stand,) = fills["H"], fills["S"]
    colours = {hit, stand}
    for sign, fill in fills.items():
        if sign not in ("H", "S"):
            assert len(fill) == 1
            colours |= fill
    assert len(colours) == (3 if legend else 2)
    assert all(one == other or contrast(one, other) > 1.5 for one in colours for other in colours)
    # All is on the paper, and the paper is not larger than that needs.
    right = max(float(box.attrib["x"]) + float(box.attrib["width"]) for box in boxes)
    bottom = max(float(box.attrib["y"]) + float(box.attrib["height"]) for box in boxes)
    assert 0 < width - right < 20
    assert 0 < height - bottom < 20
    assert all(float(text.attrib["x"]) + 7 * len(text.text or "") < width for text in texts[2:] if text.text)
    starts = [float(box.attrib["y"]) for box in boxes[cells:]]
    assert starts[0] > float(boxes[cells - 1].attrib["y"]) + 30
    assert all(after - before > 24 for before, after in pairwise(starts))
    assert "prefers-color-scheme: dark" in (root.findtext(SVG + "style") or "")


# Reports


def numbers(report: str) -> dict[str, float]:
    """The first number of each line of a report, and both of the last line."""
    found: dict[str, float] = {}
    for line in report.splitlines():
        name, *values = re.findall(r"[a-z]+|-?\d+(?:\.\d+)?", line)
        if name == "sure" or line.startswith("95"):
            found["low"], found["high"] = map(float, re.findall(r"-?\d\.\d+", line))
        else:
            found[name] = float(values[0])
    return found


def test_report_of_known_games() -> None:
    session = laboratory()
    # Four games: won, lost by standing, tied, lost by hitting.
    session.eval(
        """
        (define results '(1 -1 0 -1))
        (define (twenty-one strategy)
          (let ((result (car results)))
            (strategy (if (null? (cdr results)) '(2h 3h) '(10h 10d)) '2c)
            (set! results (cdr results))
            result))
        """
    )
    assert printed(session, "(play-report stop-at-17 4)") == (
        "games            4\n"
        "wins             1    25.0 %\n"
        "ties             1    25.0 %\n"
        "losses           2    50.0 %\n"
        "  busts          1    25.0 %\n"
        "mean       -0.2500\n"
        "95 % sure between -1.0626 and  0.5626\n"
    )


def test_report_of_real_games() -> None:
    games = 1500
    session = laboratory()
    session.context.jobs = 2
    report = numbers(printed(session, f"(play-report stop-at-17 {games})"))
    (row,) = [row for row in table("ev_cs61a") if (row["deck"], row["strategy"]) == ("52", "stop-at 17")]
    assert report["games"] == report["wins"] + report["ties"] + report["losses"] == games
    for name, column in (("wins", "p_win"), ("ties", "p_tie"), ("losses", "p_lose"), ("busts", "p_bust")):
        share = float(row[column])
        assert abs(report[name] - games * share) < 4.5 * sqrt(games * share * (1 - share))
    assert report["mean"] == pytest.approx((report["wins"] - report["losses"]) / games, abs=0.0001)
    assert (report["low"] + report["high"]) / 2 == pytest.approx(report["mean"], abs=0.0002)
    assert report["high"] - report["mean"] == pytest.approx(1.96 * float(row["sd_per_game"]) / sqrt(games), rel=0.05)


# Errors


@pytest.mark.parametrize("call", ["(strategy-chart (lambda (h u) #f))", "(play-report (lambda (h u) #f) 1)"])
@pytest.mark.parametrize(
    ("definitions", "missing"),
    [("", "best-total"), ("(define (best-total hand) 17)", "twenty-one"), ('(load "twenty-one.scm")', "best-total")],
)
def test_what_is_missing_is_named(call: str, definitions: str, missing: str) -> None:
    session = Session(output=io.StringIO())
    session.eval(f'(load "strategy-lab.scm") {definitions}')
    assert str(error_in(session, call)).startswith(f"strategy-lab.scm: {missing} is not defined yet")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("(strategy-chart 17)", "strategy-lab.scm: a strategy is a procedure, and not 17"),
        ("(play-report 'stop-at-17 10)", "strategy-lab.scm: a strategy is a procedure, and not stop-at-17"),
        ("(play-report stop-at-17 0)", "play-report: how many games? 0"),
        ("(play-report stop-at-17 'many)", "play-report: how many games? many"),
        ('(strategy-chart stop-at-17 "/no/such/folder/chart.svg")', "call-with-output-file: cannot open file:"),
    ],
)
def test_errors(call: str, message: str) -> None:
    assert str(error_in(laboratory(), call)).startswith(message)


def test_the_lab_takes_no_names_that_a_student_might_use() -> None:
    session = Session(output=io.StringIO())
    before = set(session.globals)
    session.eval('(load "strategy-lab.scm")')
    names = set(session.globals) - before
    assert {name for name in names if not name.startswith("lab-")} == {
        "strategy-chart",
        "play-report",
        "exact-odds",
        "tournament",
        "best-strategy",
        "compare",
    }
