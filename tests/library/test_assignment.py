"""The assignment as a student hands it in: `transcripts/cs61a/testing.txt` holds, and shows each of its points
(lib/README.md, A1 to A10).

What the files do beyond their transcript is in `test_twenty_one`.
"""

from __future__ import annotations

import re

import pytest
from tables import SOLUTIONS

from minischeme.transcripts.document import Document
from minischeme.transcripts.outcomes import Outcome, Verdict
from minischeme.transcripts.replay import Replay

TESTING = SOLUTIONS / "testing.txt"

STRONG = "(ac 7c 8c 9c 10c jc qc kc)"
WEAK = "(2c 3c 4c 5c 6c)"

POINTS: dict[str, list[tuple[str, str]]] = {
    # A card is a word, a hand a sentence; case folds.
    "A1": [
        ("(best-total '(ad 8s))", "19"),
        ("(best-total '(AD 8S))", "19"),
        ("(best-total '(10h 10d))", "20"),
    ],
    # The library lacks best-total; with it a game gives 1, 0 or -1.
    "A2": [
        ('(load "~cs61a/lib/twenty-one.scm")', "okay"),
        ("(twenty-one (lambda (hand up-card) #f))", "    unbound variable: best-total"),
        ("(twenty-one stop-at-17)", "1"),
        ("(twenty-one stop-at-17)", "0"),
        ("(twenty-one stop-at-17)", "-1"),
    ],
    # Who gets which card when; a customer above 21 has lost at once; the dealer hits 16 and stands at a soft 17.
    "A3": [
        ("(define (make-deck) '(10h 5h 10s 6h 9c))", "make-deck"),
        ("(twenty-one stop-at-17)", ".. <- best-total returns 21\n.. -> best-total with hand = (10s 9c)"),
        ("(twenty-one stop-at-17)", ".. -> best-total with hand = (10h 6h 9h)\n.. <- best-total returns 25\n-1"),
        (
            "(twenty-one stop-at-17)",
            ".. -> best-total with hand = (as 6c)\n.. <- best-total returns 17\n.. -> best-total with hand = (10h 8h)",
        ),
        ("(twenty-one (lambda (hand up-card) #f))", "1"),
    ],
    # 52 cards made by every and word, shuffled.
    "A4": [
        ("(count (make-ordered-deck))", "54"),
        ("(count (make-deck))", "52"),
        ("(appearances 'joker (make-deck))", "2"),
    ],
    # Anything but #f is true.
    "A5": [
        ("(hit-15 '(10h 5h) '10s)", "(15)"),
        ("(twenty-one hit-15)", "1"),
    ],
    # The nine questions.
    "A6": [
        ("(best-total '(ad 8s 5h))", "14"),
        ("(best-total '(ad as 9h))", "21"),
        ("(stop-at-17 '(10h 6h) '2c)", "#t"),
        ("(stop-at-17 '(10h 7h) '2c)", "#f"),
        ("(play-n stop-at-17 0)", "0"),
        ("(play-n (lambda (hand up-card) #t) 50)", "-50"),
        (f"(every (yes-or-no '(10h 6h)) '{STRONG})", "(yes yes yes yes yes yes yes yes)"),
        (f"(every (yes-or-no '(10h 6h)) '{WEAK})", "(no no no no no)"),
        (f"(every (yes-or-no '(9h 2d)) '{WEAK})", "(yes yes yes yes yes)"),
        (f"(every (yes-or-no '(10h 7h)) '{STRONG})", "(no no no no no no no no)"),
        ("(play-report my-strategy 500)", "games          500"),
        ("((stop-at 15) '(10h 4h) '2c)", "#t"),
        ("((stop-at 15) '(10h 5h) '2c)", "#f"),
        ("(three '(10h 2h) '2c)", "#t"),
        ("(three '(10h 5h) '2c)", "#f"),
        (
            "((reckless stop-at-17) '(10h 6h 5s) '2c)",
            ".. -> stop-at-17 with customer-hand = (10h 6h),  dealer-up-card = 2c",
        ),
        ("((reckless stop-at-17) '(10h 7h 4s) '2c)", "#f"),
        ("(count (make-ordered-deck))", "54"),
        ("(best-total '(joker 5h))", "16"),
        ("(best-total '(joker joker))", "21"),
    ],
    # The files that are handed in load, and trace output is among the transcripts.
    "A7": [
        ('(load "twenty-one.scm")', "okay"),
        ('(load "twenty-one-joker.scm")', "okay"),
        ("(trace stop-at-17 best-total)", "okay"),
    ],
    # What other years ask.
    "A8": [
        ("(valentine '(10s 7s) '2c)", "#f"),
        ("(valentine '(10h 7s) '2c)", "#t"),
        ("(valentine '(10h 9s) '2c)", "#f"),
        ("((suit-strategy 's (stop-at 12) (stop-at 20)) '(10h 3h) '2c)", "#f"),
        ("((suit-strategy 's (stop-at 12) (stop-at 20)) '(10s 9h) '2c)", "#t"),
    ],
    # The traps.
    "A9": [
        ("(list dealt '10h)", '("10h" 10h)'),
        ("(list (bl dealt) (bl '10h))", "(10 10)"),
        ("(list (first '10h) (bl '10h))", "(1 10)"),
        ("(bl 'joker)", "joke"),
        ("(member dealt '(9h 10h))", "#f"),
        ("(+ (stop-at-17 '(10h 5h) '2c) (dealer-sensitive '(10h 5h) '2c))", "    +: not a number: #t"),
        ("((reckless stop-at-17) '() '2c)", "    Invalid argument to BUTLAST: ()"),
        ("(play-n stop-at-17 100000)", "100000"),
    ],
}
"""What stands in the transcript for each point of the assignment: an expression, and lines that it shows."""

EXPECTATIONS = [
    # A10: the gain of a game and its standard deviation (golden/ev_cs61a.csv).
    ("(play-n (stop-at 12) 300)", 300, -0.101778, 0.961079),
    ("(play-n (stop-at 15) 300)", 300, -0.074395, 0.952830),
    ("(play-n (stop-at 20) 300)", 300, -0.357921, 0.902994),
    ("(play-n (reckless stop-at-17) 200)", 200, -0.704934, 0.691193),
]


@pytest.fixture(scope="module")
def outcomes() -> list[Outcome]:
    """What comes of each interaction."""
    return list(Replay(Document(TESTING.read_text(encoding="utf-8"), str(TESTING))).run())


def shown(outcomes: list[Outcome], expression: str) -> list[str]:
    """What each interaction with that expression shows."""
    return ["\n".join(outcome.lines) for outcome in outcomes if outcome.source == expression]


@pytest.mark.slow
def test_the_transcript_holds(outcomes: list[Outcome]) -> None:
    assert len(outcomes) > 100
    assert [outcome for outcome in outcomes if outcome.verdict is not Verdict.SAME] == []


@pytest.mark.parametrize("point", POINTS)
def test_each_point_of_the_assignment_is_shown(outcomes: list[Outcome], point: str) -> None:
    missing = [
        (expression, lines)
        for expression, lines in POINTS[point]
        if not any(f"\n{lines}\n" in f"\n{text}\n" for text in shown(outcomes, expression))
    ]
    assert missing == []


def test_all_points_have_a_row() -> None:
    """A10 is what the strategies gain: `test_strategies_lose_what_they_must_a10`."""
    assert list(POINTS) == [f"A{number}" for number in range(1, 10)]


@pytest.mark.parametrize(("expression", "games", "gain", "deviation"), EXPECTATIONS)
def test_strategies_lose_what_they_must_a10(
    outcomes: list[Outcome], expression: str, games: int, gain: float, deviation: float
) -> None:
    (text, *_) = shown(outcomes, expression)
    assert abs(int(text) - games * gain) < 4.5 * deviation * games**0.5


def test_there_are_transcripts_and_prose_for_each_question() -> None:
    text = TESTING.read_text(encoding="utf-8")
    questions = re.split(r"^QUESTION (\d): .*$", text, flags=re.MULTILINE)[1:]
    assert questions[::2] == [str(number) for number in range(1, 10)]
    for section in questions[1::2]:
        assert len(re.findall(r"^> ", section, re.MULTILINE)) >= 4
        assert len(re.findall(r"^\w.*:\n\n> ", section, re.MULTILINE)) >= 2
    assert sum(".. -> " in section for section in questions[1::2]) >= 4


def test_nothing_in_the_transcript_depends_on_the_machine() -> None:
    assert "/work/" not in TESTING.read_text(encoding="utf-8")
    assert str(SOLUTIONS) not in TESTING.read_text(encoding="utf-8")
