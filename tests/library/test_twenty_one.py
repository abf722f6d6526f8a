"""The assignment Twenty-One (lib/README.md, A1 to A10): the library's game, and solutions as students write them."""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from math import sqrt
from pathlib import Path

import pytest
from sessions import error_in, value
from tables import SOLUTIONS, table

from minischeme import SchemeError, Session
from minischeme.data.printer import write
from minischeme.data.source import Source
from minischeme.modules.files import find_library
from minischeme.reading.reader import read

FILES = {"student": "twenty-one.scm", "joker": "twenty-one-joker.scm"}


def solution(name: str = "student", seed: int = 1) -> Session:
    """A session that has loaded what a student hands in: without jokers, or with them."""
    session = Session(seed=seed)
    session.load(str(SOLUTIONS / FILES[name]))
    return session


@pytest.fixture(scope="module")
def student() -> Session:
    """The student's session, for tests that leave it as it is."""
    return solution()


# The library (A2 to A4)


def test_the_student_plays_the_librarys_game() -> None:
    """What is tested of the student's complete copy holds for the library."""
    library, copy = (
        [write(form.datum) for form in read(Source(path.read_text(encoding="utf-8"), path.name))]
        for path in (Path(find_library(), "twenty-one.scm"), SOLUTIONS / "twenty-one.scm")
    )
    assert len(library) == 4
    assert copy[-4:] == library


@pytest.mark.parametrize("name", ["twenty-one.scm", "twenty-one", "~cs61a/lib/twenty-one.scm"])
def test_the_library_lacks_best_total(name: str) -> None:
    session = Session(seed=1)
    session.eval(f'(load "{name}")')
    with pytest.raises(SchemeError, match="unbound variable: best-total"):
        session.eval("(twenty-one (lambda (hand up-card) #f))")


BAD_FOR_DEALER = ["2", "3", "4", "5", "6"]
GOOD_FOR_DEALER = ["a", "7", "8", "9", "10", "j", "q", "k"]
ALL_CARDS = {rank + suit for rank in BAD_FOR_DEALER + GOOD_FOR_DEALER for suit in "hsdc"}


def cards(session: Session, expression: str) -> list[str]:
    """The cards of a sentence."""
    return [write(card).strip('"') for card in session.eval(expression)]


def test_the_deck_is_52_cards(student: Session) -> None:
    ordered = cards(student, "(make-ordered-deck)")
    shuffled = cards(student, "(make-deck)")
    assert len(ordered) == len(shuffled) == 52
    assert set(ordered) == set(shuffled) == ALL_CARDS
    assert shuffled != ordered
    assert cards(student, "(make-deck)") != shuffled


def test_the_deck_of_the_joker_game_has_54() -> None:
    assert Counter(cards(solution("joker"), "(make-deck)")) == Counter([*ALL_CARDS, "joker", "joker"])


def excess(counts: Counter[object], cells: int) -> float:
    """The chi-square of counts that should all be alike, as standard deviations above its mean.

    Args: cells: how many different things there are to count.
    """
    mean = counts.total() / cells
    chi_square = sum((count - mean) ** 2 for count in counts.values()) / mean + mean * (cells - len(counts))
    freedom = cells - 1
    return (chi_square - freedom) / sqrt(2 * freedom)


def test_each_order_of_few_cards_is_equally_likely(student: Session) -> None:
    shuffled = student.eval("(lambda () (shuffle '(a b c d e) 5))")
    counts: Counter[object] = Counter(write(student.call(shuffled)) for _ in range(6000))
    assert set(counts) == {f"({' '.join(order)})" for order in permutations("abcde")}
    assert excess(counts, 120) < 4.5


def test_each_card_is_equally_likely_in_each_place(student: Session) -> None:
    counts: Counter[object] = Counter()
    for _ in range(600):
        counts.update(enumerate(cards(student, "(make-deck)")))
    # Each shuffle puts one card in each place: that lowers the mean by less than one standard deviation.
    assert -5.5 < excess(counts, 52 * 52) < 4.5


@pytest.mark.parametrize("size", [0, 1, 2, 3])
def test_small_decks_can_be_shuffled(student: Session, size: int) -> None:
    deck = ["ah", "2h", "3h"][:size]
    assert sorted(cards(student, f"(shuffle '({' '.join(deck)}) {size})")) == sorted(deck)


STACKED = """
    (define asked '())
    (define (ask-until n)
      (lambda (hand up-card)
        (set! asked (cons (se up-card hand) asked))
        (< (count hand) n)))
"""


@pytest.mark.parametrize("name", ["student", "joker"])
@pytest.mark.parametrize(
    ("deck", "hits_until", "result", "asked"),
    [
        # The customer's cards, the dealer's up card, the customer's third card; only then the hole card.
        ("10h 5h 10s 6h 9c", 3, 1, "((10s 10h 5h 6h) (10s 10h 5h))"),
        # Without a hit the hole card is the fourth.
        ("10h 9h 10s 9c", 2, 0, "((10s 10h 9h))"),
        ("10h 8h 10s 9c", 2, -1, "((10s 10h 8h))"),
        # A customer above 21 has lost: not asked again, and no card for the dealer, whose deck is used up.
        ("10h 9h 10s 5h", 9, -1, "((10s 10h 9h))"),
        # She is asked at 21 too.
        ("10h 9h 10s 2h 3c", 9, -1, "((10s 10h 9h 2h) (10s 10h 9h))"),
        # The dealer hits 16 and stands at 17, even at a soft 17.
        ("10h 8h 10s 6c ac", 2, 1, "((10s 10h 8h))"),
        ("10h 8h 10s 6c 5c", 2, -1, "((10s 10h 8h))"),
        ("10h 8h as 6c", 2, 1, "((as 10h 8h))"),
        # A dealer above 21 has lost, even to a customer with nothing much.
        ("2h 3h 10s 6c 10c", 2, 1, "((10s 2h 3h))"),
    ],
)
def test_deal(name: str, deck: str, hits_until: int, result: int, asked: str) -> None:
    session = solution(name)
    session.eval(STACKED)
    session.eval(f"(define (make-deck) '({deck}))")
    assert session.eval(f"(twenty-one (ask-until {hits_until}))") == result
    assert value(session, "asked") == asked


CORRECTED = """(define (play-dealer dealer-hand-so-far customer-hand rest-of-deck)
    (cond ((> (best-total dealer-hand-so-far) 21) 1)
          ((and (< (best-total dealer-hand-so-far) 17)
                (<= (best-total dealer-hand-so-far) (best-total customer-hand)))
           (play-dealer (se dealer-hand-so-far (first rest-of-deck)) customer-hand (bf rest-of-deck)))
          ((> (best-total dealer-hand-so-far) (best-total customer-hand)) -1)
          ((= (best-total dealer-hand-so-far) (best-total customer-hand)) 0)
          (else 1)))"""
"""Another dealer, one who looks at the customer's hand: she takes no card if she has won without it."""


@pytest.mark.parametrize(
    ("deck", "result"),
    [("10h 2h 10s 3c", -1), ("10h 9h 10s 6c 4c", -1), ("10h 9h 10s 6c 3c", 0), ("10h 9h 10s 6c 9c", 1)],
)
def test_another_play_dealer_may_be_typed_over_the_librarys(deck: str, result: int) -> None:
    text = Path(find_library(), "twenty-one.scm").read_text(encoding="utf-8")
    before, name, after = text.partition("(define (play-dealer ")
    span = next(read(Source(name + after, "twenty-one.scm"))).span
    session = solution()
    session.eval(before + CORRECTED + (name + after)[span.end :])
    session.eval(f"(define (make-deck) '({deck}))")
    assert session.eval("(twenty-one (lambda (hand up-card) #f))") == result


def test_any_value_but_false_is_a_hit() -> None:
    session = solution()
    session.eval("(define (make-deck) '(10h 5h 10s 6h 9c))")
    session.eval("(define (hit-15 hand up-card) (member (best-total hand) '(15)))")
    assert session.eval("(twenty-one hit-15)") == 1


# The questions (A6, A8)


def test_best_total_of_all_hands_without_jokers(student: Session) -> None:
    rows = [row for row in table("best_total") if "joker" not in row["hand"]]
    assert len(rows) == 16
    wrong = [row for row in rows if value(student, f"(best-total '{row['hand']})") != row["best_total"]]
    assert wrong == []


def test_best_total_of_all_hands() -> None:
    session = solution("joker")
    rows = table("best_total")
    assert len(rows) == 51
    wrong = [row for row in rows if value(session, f"(best-total '{row['hand']})") != row["best_total"]]
    assert wrong == []


def test_dealt_and_typed_cards_count_alike(student: Session) -> None:
    for row in table("best_total"):
        if "joker" not in row["hand"]:
            dealt = f"(every (lambda (card) (word (bl card) (last card))) '{row['hand']})"
            assert value(student, f"(best-total {dealt})") == row["best_total"]


EXAMPLES = [
    ("(best-total '(ad 8s))", "19"),
    ("(best-total '(AD 8S))", "19"),
    ("(best-total '(ad 8s 5h))", "14"),
    ("(best-total '(ad as 9h))", "21"),
    ("(stop-at-17 '(10h 6h) '2c)", "#t"),
    ("(stop-at-17 '(10h 7h) 'ac)", "#f"),
    *((f"(dealer-sensitive '(10h 6h) '{up}c)", "#t") for up in GOOD_FOR_DEALER),
    *((f"(dealer-sensitive '(10h 7h) '{up}c)", "#f") for up in GOOD_FOR_DEALER),
    *((f"(dealer-sensitive '(9h 2d) '{up}c)", "#t") for up in BAD_FOR_DEALER),
    *((f"(dealer-sensitive '(9h 3d) '{up}c)", "#f") for up in BAD_FOR_DEALER),
    ("((stop-at 15) '(10h 4h) '2c)", "#t"),
    ("((stop-at 15) '(10h 5h) '2c)", "#f"),
    ("((majority stop-at-17 dealer-sensitive (stop-at 15)) '(10h 2h) '2c)", "#t"),
    ("((majority stop-at-17 dealer-sensitive (stop-at 15)) '(10h 5h) '2c)", "#f"),
    ("((majority stop-at-17 dealer-sensitive (stop-at 15)) '(10h 5h) 'ac)", "#t"),
    ("((reckless stop-at-17) '(10h 6h 5s) '2c)", "#t"),
    ("((reckless stop-at-17) '(10h 7h 5s) '2c)", "#f"),
]


@pytest.mark.parametrize("name", ["student", "joker"])
def test_examples(name: str) -> None:
    session = solution(name)
    for expression, expected in EXAMPLES:
        assert (expression, value(session, expression)) == (expression, expected)


@pytest.mark.parametrize(
    ("hand", "hits"),
    [("10h 7s", "#t"), ("10s 7s", "#f"), ("10h 9s", "#f"), ("10s 6s", "#t"), ("8s 9h", "#t"), ("ah 8s", "#f")],
)
def test_valentine(student: Session, hand: str, hits: str) -> None:
    assert value(student, f"(valentine '({hand}) '2c)") == hits
    dealt = f"(every (lambda (card) (word (bl card) (last card))) '({hand}))"
    assert value(student, f"(valentine {dealt} '2c)") == hits


def test_strategies_side_by_side() -> None:
    results = solution().eval("(test-strategies stop-at-17 (reckless stop-at-17) 300)")
    better, worse = results
    assert better > worse


# The traps (A9)


def test_a_dealt_ten_and_a_typed_one(student: Session) -> None:
    student.eval("(define dealt (first (keep (lambda (c) (equal? c '10h)) (make-deck))))")
    assert value(student, "(list dealt '10h)") == '("10h" 10h)'
    assert value(student, "(list (bl dealt) (bl '10h) (first dealt) (first '10h))") == "(10 10 1 1)"
    assert value(student, "(member (bl dealt) '(9 10 j))") == "(10 j)"


def test_butlast_of_joker(student: Session) -> None:
    assert value(student, "(bl 'joker)") == "joke"


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("(let ((s stop-at-17) (h '(10h 5h))) (+ (s h '2c) (s h '2c) (s h '2c)))", "+: not a number: #t"),
        ("((reckless stop-at-17) '() '2c)", "Invalid argument to BUTLAST: ()"),
        ("(stop-at-17 '(10h))", "too few arguments to:"),
    ],
)
def test_errors(student: Session, expression: str, message: str) -> None:
    assert message in str(error_in(student, expression))


def test_many_games_by_plain_recursion() -> None:
    session = solution()
    session.eval("(define (twenty-one strategy) 1)")
    assert session.eval("(play-n stop-at-17 100000)") == 100000


# Statistics (A10)

EXPECTATIONS = {(row["deck"], row["strategy"]): row for row in table("ev_cs61a")}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("deck", "strategy", "row", "games"),
    [
        ("52", "stop-at-17", "stop-at 17", 5_000),
        ("52", "(stop-at 12)", "stop-at 12", 1_000),
        ("52", "(stop-at 20)", "stop-at 20", 1_000),
        ("52", "dealer-sensitive", "dealer-sensitive (handout, with ace)", 1_000),
        (
            "52",
            "(majority stop-at-17 dealer-sensitive (stop-at 15))",
            "majority(stop-at-17, dealer-sensitive, stop-at 15)",
            1_000,
        ),
        ("52", "(reckless stop-at-17)", "reckless(stop-at 17)", 1_000),
        ("52", "(lambda (hand up-card) #f)", "never hit", 1_000),
        ("54", "stop-at-17", "stop-at 17", 1_000),
        ("54", "(stop-at 20)", "stop-at 20", 1_000),
    ],
)
def test_gain(deck: str, strategy: str, row: str, games: int) -> None:
    """The customer's gain lies within 4.5 standard deviations of what exact enumeration says."""
    session = solution("student" if deck == "52" else "joker", seed=2024)
    expected = EXPECTATIONS[deck, row]
    gain = session.eval(f"(play-n {strategy} {games})")
    tolerance = 4.5 * float(expected["sd_per_game"]) * sqrt(games)
    assert abs(gain - games * float(expected["ev"])) < tolerance


def test_always_hitting_loses_each_game() -> None:
    assert solution().eval("(play-n (lambda (hand up-card) #t) 200)") == -200


def test_a_seed_gives_the_same_games_again() -> None:
    gains = [solution(seed=seed).eval("(play-n stop-at-17 300)") for seed in (5, 5, 6, 7, 8)]
    assert gains[0] == gains[1]
    assert len(set(gains)) > 1
