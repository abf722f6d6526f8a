"""Exact odds in the card rooms, against tables that were computed independently."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from itertools import permutations

import pytest
from sessions import error_in, shown
from tables import SOLUTIONS, table

from minischeme import Session
from minischeme.odds.dealer import VALUES, Dealer, total_with_equal_aces, total_with_jokers
from minischeme.odds.observation import Observer

FILES = {"52": "twenty-one.scm", "54": "twenty-one-joker.scm"}

STRATEGIES = {
    "dealer-sensitive (handout, with ace)": "dealer-sensitive",
    "dealer-sensitive (posted, ace missing)": "posted",
    "majority(stop-at-17, dealer-sensitive, stop-at 15)": "(majority stop-at-17 dealer-sensitive (stop-at 15))",
    "reckless(stop-at 17)": "(reckless (stop-at 17))",
    "reckless(stop-at 12)": "(reckless (stop-at 12))",
    "always hit": "(lambda (hand up-card) #t)",
    "never hit": "(lambda (hand up-card) #f)",
}
"""The strategies of the table that are not ``stop-at``, as expressions."""


def room(name: str) -> Session:
    session = Session(seed=1)
    session.load(SOLUTIONS / name)
    session.eval('(load "strategy-lab.scm")')
    session.eval(
        """(define (posted hand up-card)
             (cond ((member? (bl up-card) '(7 8 9 10 j q k)) (< (best-total hand) 17))
                   ((number? (bl up-card)) (< (best-total hand) 12))
                   (else #f)))"""
    )
    return session


@pytest.fixture(scope="module")
def rooms() -> dict[str, Session]:
    return {deck: room(name) for deck, name in FILES.items()}


def outcomes(session: Session, strategy: str) -> list[float]:
    """The chances of a win, a tie, a loss and a bust, and the number of questions."""
    return list(session.eval(f"(exact-outcomes {strategy} best-total (make-ordered-deck))"))


@pytest.mark.slow
@pytest.mark.parametrize("deck", FILES)
def test_each_row_of_the_table(rooms: dict[str, Session], deck: str) -> None:
    for row in table("ev_cs61a"):
        if row["deck"] == deck:
            win, tie, loss, bust, questions = outcomes(
                rooms[deck], STRATEGIES.get(row["strategy"], f"({row['strategy']})")
            )
            expected = [float(row[name]) for name in ("p_win", "p_tie", "p_lose", "p_bust", "ev")]
            assert [win, tie, loss, bust, win - loss] == pytest.approx(expected, abs=1e-9), row["strategy"]
            assert questions < 3_000


def test_each_row_of_the_table_of_6001() -> None:
    session = Session(seed=1)
    session.eval('(load "6001/twenty-one.scm") (load "6001/odds.scm")')
    session.eval(
        """(define (stupid-strategy hand up) (> up 5))
           (define (louis-b hand up)
             (if (= (hand-total hand) 16) (and (not (= up 10)) (> up 6)) (louis hand up)))
           (define (louis-c hand up)
             (if (and (= (hand-total hand) 12) (>= up 4)) (> up 6) (louis hand up)))"""
    )
    for row in table("mit_winprob"):
        player = row["player"].partition("(")[0].lower()
        player = f"({player})" if player.startswith("stop-at") else player
        found = session.eval(f"(exact-odds {player} ({row['house']}))")
        assert found == pytest.approx(float(row["p_player_wins"]), abs=1e-9), row


@pytest.mark.parametrize("cards", ["hands", "cards"])
def test_6001_with_either_representation_of_cards(cards: str) -> None:
    session = Session(seed=1)
    session.eval(f'(load "6001/twenty-one.scm") (load "6001/{cards}.scm") (load "6001/odds.scm")')
    assert session.eval("(exact-odds louis (stop-at 16))") == pytest.approx(0.3575226127, abs=1e-9)


def test_each_row_of_the_table_of_chalmers() -> None:
    session = Session(seed=1)
    session.eval('(load "chalmers/odds.scm")')
    for row in table("chalmers_guest_win"):
        expected = [float(row["p_guest_wins"]), float(row["p_guest_bust"])]
        assert list(session.eval(f"(guest-odds {row['guest_stop_at']})")) == pytest.approx(expected, abs=1e-9)


# The dealer


def drawn(begin: tuple[int, ...], limit: int, deck: list[int], chance: float = 1.0) -> Iterator[tuple[int, float]]:
    """The final totals of a dealer, one for each order of the cards, with their probabilities."""
    total = total_with_jokers(begin)
    if total >= limit:
        yield min(total, 22), chance
        return
    for value in VALUES:
        if deck[value]:
            rest = [count - (value == other) for other, count in enumerate(deck)]
            yield from drawn((*begin, value), limit, rest, chance * deck[value] / sum(deck))


@pytest.mark.parametrize("seed", range(6))
def test_the_dealer_is_what_drawing_card_by_card_gives(seed: int) -> None:
    choose = random.Random(seed)
    deck = [0, *(choose.randrange(4) for _ in range(8)), choose.randrange(1, 4), choose.randrange(5, 17), seed % 3]
    begin = (choose.choice([7, 8, 9, 10]),)
    totals = dict.fromkeys(range(16, 23), 0.0)
    for total, chance in drawn(begin, 17, deck):
        totals[total] += chance
    assert Dealer(begin, 17, total_with_jokers, [4] * 12).totals(deck) == pytest.approx(totals, abs=1e-12)


@pytest.mark.parametrize(
    ("hand", "total"),
    [
        ((1, 10), 21),
        ((1, 1, 9), 21),
        ((1, 1, 10), 12),
        ((11, 5), 16),
        ((11, 11, 1), 21),
        ((11, 10, 10), 21),
        ((10, 10, 2), 22),
    ],
)
def test_totals_with_jokers(hand: tuple[int, ...], total: int) -> None:
    assert {total_with_jokers(order) for order in permutations(hand)} == {total}


def test_equal_aces() -> None:
    assert [total_with_equal_aces(hand) for hand in [(1, 1, 9), (1, 10), (1, 1)]] == [11, 21, 2]


# What a strategy looks at

ALIKE = [
    ("(lambda (hand up) (let loop ((i 0)) (if (< i 3) (loop (+ i 1)) (stop-at-17 hand up))))", "stop-at-17"),
    ("(lambda (hand up) (define (total) (best-total (bl hand))) (< (total) 17))", "(reckless stop-at-17)"),
    ("(lambda (hand up) (car (map (lambda (x) (< (best-total hand) x)) '(17 13))))", "stop-at-17"),
    ("(lambda (hand up) (apply stop-at-17 (list hand up)))", "stop-at-17"),
    (
        "(lambda (hand up) (define (even n) (if (= n 0) (ask) (odd (- n 1)))) (define (odd n) (even (- n 1)))"
        " (define (ask) (< (best-total hand) 17)) (even 4))",
        "stop-at-17",
    ),
    ("(lambda (hand up) (define kept '()) (set! kept hand) (< (best-total kept) 17))", "stop-at-17"),
    # a part of the hand within procedures
    (
        "(lambda (hand up) (define (wrap f) (lambda () (f))) ((wrap (wrap (lambda () (stop-at-17 hand up))))))",
        "stop-at-17",
    ),
    ("(lambda (hand up) (define (wrap x) (lambda () x)) (stop-at-17 (((wrap (wrap hand)))) up))", "stop-at-17"),
    # single cards, which make no difference
    ("(lambda (hand up) (if (member 'ah hand) (stop-at-17 hand up) (< (best-total hand) 17)))", "stop-at-17"),
    ("(lambda (hand up) (if (equal? (first hand) 'ah) (stop-at-17 hand up) (< (best-total hand) 17)))", "stop-at-17"),
    (
        "(lambda (hand up) (if (equal? hand '(ah 3d)) (stop-at-17 hand up) #f))",
        "(lambda (hand up) (define (f) (equal? hand '(ah 3d))) (and (f) (stop-at-17 hand up)))",
    ),
]


@pytest.mark.parametrize(("strategy", "other"), ALIKE)
def test_strategies_that_do_the_same_have_the_same_odds(rooms: dict[str, Session], strategy: str, other: str) -> None:
    assert outcomes(rooms["52"], strategy)[:4] == pytest.approx(outcomes(rooms["52"], other)[:4], abs=1e-12)


HEARTS = [
    "(suit-strategy 'h (stop-at 12) (stop-at 14))",
    """(lambda (hand up)
         (define (heart? hand) (and (not (empty? hand)) (or (equal? (last (first hand)) 'h) (heart? (bf hand)))))
         (if (heart? hand) ((stop-at 14) hand up) ((stop-at 12) hand up)))""",
    "(lambda (hand up) (< (best-total hand) (if (member? 'h (every last hand)) 14 12)))",
]
"""Strategies that go on to 14 with a heart, to 12 without."""


@pytest.mark.slow
def test_strategies_that_look_at_suits(rooms: dict[str, Session]) -> None:
    """The odds are the same in whatever way the suit is found, and those of the games that are played."""
    first, *others = [outcomes(rooms["52"], strategy)[:4] for strategy in HEARTS]
    assert all(other == pytest.approx(first, abs=1e-12) for other in others)
    rooms["52"].eval(f"(define hearts {HEARTS[0]})")
    tally = str(rooms["52"].eval("(tournament-table 20000 '(hearts) (list hearts) best-total (make-ordered-deck))"))
    mean = float(re.search(r"% ([+-]0\.\d+)", tally)[1])
    assert mean == pytest.approx(first[0] - first[2], abs=4 * 0.96 / 20_000**0.5)


@pytest.mark.parametrize(
    ("strategy", "count"),
    [
        ("stop-at-17", 194),
        ("(lambda (hand up) #t)", 20),
    ],
)
def test_how_often_it_is_asked(rooms: dict[str, Session], strategy: str, count: int) -> None:
    assert outcomes(rooms["52"], strategy)[4] == count


def test_all_cards_count_where_a_strategy_cannot_be_followed(
    rooms: dict[str, Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    game = "(exact-outcomes stop-at-17 best-total '(ah 5h 6s 9d 10h 10s jd qc))"
    win, tie, lose, bust, count = rooms["52"].eval(game)

    def fail(*_: object) -> bool:
        raise KeyError

    monkeypatch.setattr(Observer, "answer", fail)
    *chances, questions = rooms["52"].eval(game)
    assert chances == pytest.approx([win, tie, lose, bust], abs=1e-12)
    assert questions > 10 * count


def test_too_many_orders_are_refused(rooms: dict[str, Session]) -> None:
    error = error_in(rooms["52"], "(exact-odds (lambda (hand up) (< (best-total (bf hand)) 17)))")
    assert "too many of their orders" in str(error)
    assert error.hint is not None
    assert "play-report" in error.hint


def test_cards_of_one_value_may_be_told_apart(rooms: dict[str, Session]) -> None:
    session = rooms["52"]
    means = {}
    for name, limit in (("low", "12"), ("high", "17"), ("both", "(if (equal? (bl up) 'j) 12 17)")):
        win, _, loss, _, _ = outcomes(
            session, f"(lambda (hand up) (if (member? (bl up) '(10 j q k)) (< (best-total hand) {limit}) #f))"
        )
        means[name] = win - loss
    assert means["both"] == pytest.approx(means["low"] / 4 + means["high"] * 3 / 4, abs=1e-9)


def test_a_random_strategy_is_found_out(rooms: dict[str, Session]) -> None:
    error = error_in(rooms["52"], "(exact-odds (lambda (hand up) (= (random 2) 0)))")
    assert "two answers to one question" in str(error)
    assert error.hint is not None
    assert "play-report" in error.hint


def test_a_strategy_that_remembers_is_found_out(rooms: dict[str, Session]) -> None:
    rooms["52"].eval("(define asked 0)")
    strategy = "(lambda (hand up) (set! asked (+ asked 1)) (< (remainder asked 3) 1))"
    assert "two answers" in str(error_in(rooms["52"], f"(exact-odds {strategy})"))


@pytest.mark.parametrize("change", ["(set-car! hand '2h)", "(set-cdr! hand '())"])
def test_a_strategy_that_changes_the_hand_is_found_out(rooms: dict[str, Session], change: str) -> None:
    assert "changes the hand" in str(error_in(rooms["52"], f"(exact-odds (lambda (hand up) {change} #f))"))


def test_a_strategy_that_redefines_what_it_calls_is_found_out() -> None:
    session = room("twenty-one.scm")
    session.eval("(define (swap!) (set! best-total (lambda (hand) (if (equal? (first hand) 'ah) 1 20))))")
    error = error_in(session, "(exact-odds (lambda (hand up) (swap!) (< (best-total hand) 17)))")
    assert "gives other procedures to the names" in str(error)


def test_a_mistake_in_best_total_is_shown() -> None:
    session = room("twenty-one.scm")
    session.eval(
        "(define (best-total hand) (accumulate + (every (lambda (card) (if (number? (bl card)) (bl card) 10)) hand)))"
    )
    message = str(error_in(session, "(exact-odds stop-at-17)"))
    assert re.search(r"best-total gives 10, not 11, for \(a.\)", message)


def test_an_error_of_the_strategy_is_its_own(rooms: dict[str, Session]) -> None:
    error = error_in(rooms["52"], "(exact-odds (lambda (hand up) (+ 'a (best-total hand))))")
    assert str(error) == "+: not a number: a"


def test_the_report(rooms: dict[str, Session]) -> None:
    assert shown(rooms["52"], "(exact-odds stop-at-17)") == (
        "asked    194 times\n"
        "wins       40.88237 %\n"
        "ties       10.22609 %\n"
        "losses     48.89154 %\n"
        "  busts    28.35854 %\n"
        "mean     -0.0800917801\n"
        "deviation 0.9440997842\n"
        "okay\n"
    )


def test_a_strategy_that_always_loses_has_no_deviation(rooms: dict[str, Session]) -> None:
    assert "deviation 0.0000000000\n" in shown(rooms["52"], "(exact-odds (lambda (hand up) #t))")
