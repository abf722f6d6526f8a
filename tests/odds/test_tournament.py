"""Tournaments: the games, the intervals, and what is said about who is ahead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import islice
from xml.etree import ElementTree

import pytest
from sessions import error_in, shown
from tables import SOLUTIONS

from minischeme import Session
from minischeme.data.printer import display
from minischeme.data.values import FALSE, Value
from minischeme.odds.customer import value_of_card
from minischeme.odds.dealer import total_with_jokers
from minischeme.odds.intervals import confidence_sequence, wilson
from minischeme.odds.standings import standings, svg, text_table
from minischeme.odds.tournament import AnswerTable, AskedPlayer, Player, Question, TablePlayer, Tally, deals_of, play

VALUES = tuple(min(rank, 10) for _ in "hsdc" for rank in range(1, 14))
WITH_JOKERS = (*VALUES, 11, 11)


def stop_at(limit: int) -> TablePlayer:
    hits = [(size, total) for size in range(2, 12) for total in range(limit)]
    return TablePlayer(AnswerTable([0], [(list(range(54)), hits)]))


@pytest.fixture(scope="module")
def session() -> Session:
    found = Session(seed=1)
    found.load(SOLUTIONS / "twenty-one.scm")
    found.eval('(load "strategy-lab.scm")')
    return found


def mean_of(tally: Tally, player: int = 0) -> float:
    return sum(count * results[player] for results, count in tally.items()) / tally.total()


@pytest.mark.parametrize("values", [VALUES, WITH_JOKERS])
def test_the_totals_of_a_deal_are_those_of_the_rules(values: tuple[int, ...]) -> None:
    for deal in deals_of(1, 0, 300, values):
        assert len(set(deal.cards)) == len(deal.cards)
        hand = [values[card] for card in (*deal.cards[:2], *deal.cards[3:])]
        for size, total in list(enumerate(deal.totals))[1:]:
            assert total == total_with_jokers(hand[:size])
        assert deal.totals[-1] > 21 >= deal.totals[-2]


def test_a_chunk_depends_on_its_seed_and_number_alone() -> None:
    assert deals_of(1, 2, 50, VALUES)[:10] == deals_of(1, 2, 10, VALUES)
    assert deals_of(1, 2, 10, VALUES) != deals_of(1, 3, 10, VALUES) != deals_of(2, 3, 10, VALUES)


@pytest.mark.parametrize("size", [2, 20])
def test_each_card_has_the_same_chance(size: int) -> None:
    counts = Counter(deal.cards[size] for deal in deals_of(7, 0, 5_200, VALUES))
    squares = sum((counts[card] - 100) ** 2 / 100 for card in range(52))
    assert squares < 110  # chi squared with 51 degrees of freedom: once in a million seeds


def test_play_is_as_in_scheme(session: Session) -> None:
    """The results of the game that students have, with the same decks."""
    deck = list(session.eval("(make-ordered-deck)"))
    assert tuple(map(value_of_card, deck)) == VALUES
    session.eval("(define next-deck '()) (define usual-make-deck make-deck) (define (make-deck) next-deck)")
    try:
        for deal in deals_of(3, 0, 200, VALUES):
            cards = " ".join(display(deck[card]) for card in deal.cards)
            session.eval(f"(set! next-deck '({cards}))")
            player = stop_at(16)
            expected = session.eval("(twenty-one (stop-at 16))")
            games = AskedPlayer(lambda asked: [total_of(hand) < 16 for hand, _ in asked])
            assert player.sizes([deal]) == games.sizes([deal])
            assert result_of(player, deal.cards) == expected
    finally:
        session.eval("(set! make-deck usual-make-deck)")


def total_of(hand: Sequence[int]) -> int:
    return total_with_jokers([VALUES[card] for card in hand])


def result_of(player: Player, cards: Sequence[int]) -> int:
    tally = play(3, 0, 200, [player], VALUES)
    place = next(place for place, deal in enumerate(deals_of(3, 0, 200, VALUES)) if deal.cards == list(cards))
    before = play(3, 0, place, [player], VALUES)
    after = play(3, 0, place + 1, [player], VALUES)
    assert sum(tally.values()) == 200
    return next(iter(after - before))[0]


@pytest.mark.parametrize(("limit", "mean"), [(15, -0.0743951937), (17, -0.0800917801)])
def test_the_mean_is_the_exact_one(limit: int, mean: float) -> None:
    tally = play(1, 0, 40_000, [stop_at(limit)], VALUES)
    assert mean_of(tally) == pytest.approx(mean, abs=5 * 0.95 / 40_000**0.5)


def test_the_cards_of_the_hand_are_asked_about_in_order() -> None:
    seen: list[Question] = []

    def ask(asked: Sequence[Question]) -> list[bool]:
        seen.extend(asked)
        return [True] * len(asked)

    (deal,) = deals_of(5, 0, 1, VALUES)
    (size,) = AskedPlayer(ask).sizes([deal])
    assert deal.totals[size] > 21
    customer = [*deal.cards[:2], *deal.cards[3:]]
    assert seen == [(tuple(customer[:count]), deal.cards[2]) for count in range(2, size)]


# Intervals


def test_wilson() -> None:
    assert wilson(0, 10) == pytest.approx((0, 0.2775327), abs=1e-6)
    assert wilson(5, 10) == pytest.approx((0.2365931, 0.7634069), abs=1e-6)


def test_the_confidence_sequence_narrows() -> None:
    wide = confidence_sequence({1: 60, 0: 900, -1: 40}, 0.05)
    narrow = confidence_sequence({1: 6_000, 0: 90_000, -1: 4_000}, 0.05)
    assert wide[0] < 0 < narrow[0] < 0.02 < narrow[1] < wide[1]
    assert confidence_sequence({}, 0.05) == (-2, 2)


def coverage(runs: int, games: int) -> tuple[float, float]:
    """How often Wilson's interval holds the exact probability after so many games, of runs with two strategies."""
    exact = (0.4195125751646262, 0.40882365780313745)
    held = [0, 0]
    players = [stop_at(15), stop_at(17)]
    for run in range(runs):
        tally = play(1_000 + run, 0, games, players, VALUES)
        for player in range(2):
            low, high = wilson(sum(count for results, count in tally.items() if results[player] == 1), games)
            held[player] += low <= exact[player] <= high
    return held[0] / runs, held[1] / runs


def missed(runs: int, looks: int, games: int) -> float:
    """How often a mean difference is outside its interval in any of the looks, one after so many games each."""
    exact = -0.0743951937 + 0.0800917801
    players = [stop_at(15), stop_at(17)]
    misses = 0
    for run in range(runs):
        differences: Counter[int] = Counter()
        for look in range(looks):
            for (first, second), count in play(9_000 + run, look, games, players, VALUES).items():
                differences[first - second] += count
            low, high = confidence_sequence(differences, 0.05)
            if not low <= exact <= high:
                misses += 1
                break
    return misses / runs


@pytest.mark.slow
def test_wilson_covers() -> None:
    for share in coverage(runs=400, games=500):
        assert 0.91 < share < 0.985  # 4 standard errors; 2,000 runs by hand


@pytest.mark.slow
def test_whoever_stops_early_is_wrong_in_at_most_5_percent() -> None:
    assert missed(runs=150, looks=15, games=100) <= 0.05


def test_the_same_decks_save_games() -> None:
    """The variance of the difference of neighbours, with the same decks and with others."""
    players = [stop_at(15), stop_at(16)]
    same = variance(play(1, 0, 20_000, players, VALUES), lambda results: results[0] - results[1])
    alone = sum(variance(play(1, 0, 20_000, [player], VALUES), lambda results: results[0]) for player in players)
    assert alone / same > 5


def variance(tally: Tally, value: Callable[[tuple[int, ...]], int]) -> float:
    mean = sum(count * value(results) for results, count in tally.items()) / tally.total()
    return sum(count * (value(results) - mean) ** 2 for results, count in tally.items()) / tally.total()


# Standings


def test_standings() -> None:
    found = standings(
        ["worse", "same", "best", "twin"],
        Counter({(-1, 0, 1, 0): 3_000, (0, 1, 1, 1): 3_000, (0, -1, 1, -1): 1_000, (-1, -1, -1, -1): 93_000}),
    )
    assert [(row.place, row.name, row.verdict) for row in found.rows] == [
        (1, "best", "ahead"),
        (2, "same", "tie"),
        (2, "twin", "ahead"),
        (4, "worse", ""),
    ]
    assert found.is_sure
    assert text_table(found).splitlines()[3:5] == [
        "    1  best      7.00     6.84 and  7.16 % -0.8600",
        "         ahead by 0.0500, between +0.0467 and +0.0535",
    ]


def test_it_takes_games_to_be_sure() -> None:
    assert not standings(["a", "b"], Counter({(1, -1): 3, (0, 0): 20})).is_sure


def test_the_picture_is_svg() -> None:
    picture = svg(standings(["<a>", "b"], Counter({(1, -1): 30, (0, 1): 20})))
    texts = [node.text for node in ElementTree.fromstring(picture).iter() if node.text]
    assert any("<a>" in text for text in texts)


# In Scheme


def test_the_table_in_scheme(session: Session) -> None:
    printed = shown(session, "(tournament 6000 (stop-at 15) dealer-sensitive valentine)")
    names = [line.split()[1] for line in islice(printed.splitlines(), 3, None) if line[4:5].isdigit()]
    assert printed.startswith("6,000 games each, all with the same decks\n")
    assert sorted(names) == ["(stop-at", "dealer-sensitive", "valentine"]


def test_a_strategy_that_looks_at_cards_is_asked(session: Session) -> None:
    """A strategy with a table, and the same one without: its hand goes through something that is not looked into."""
    tally = session.eval(
        """(tournament-table 2000 '(a b c) (list stop-at-17
             (lambda (hand up) (stop-at-17 (apply list hand) up))
             (lambda (hand up) (and (member 'ah hand) #f))) best-total (make-ordered-deck))"""
    )
    lines = str(display(tally)).splitlines()
    shares = [line.split()[2:] for line in lines if line.strip()[:1].isdigit() and " % " in line]
    assert len(shares) == 3
    assert shares[0] == shares[1] != shares[2]


def test_a_strategy_that_replaces_what_it_uses_has_no_table(session: Session) -> None:
    session.eval("(define (helper hand) (< (best-total hand) 12))")
    strategy = """(lambda (hand up)
                    (let ((answer (helper hand)))
                      (set! helper (lambda (hand) (member 'ah hand)))
                      answer))"""
    assert session.eval(f"(strategy-answers {strategy} best-total (make-ordered-deck))") is FALSE


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("(tournament 0 stop-at-17)", "tournament: how many games? 0"),
        ("(tournament 10)", "tournament: of which strategies?"),
        ("(tournament 10 17)", "strategy-lab.scm: a strategy is a procedure, and not 17"),
    ],
)
def test_bad_use(session: Session, call: str, message: str) -> None:
    assert str(error_in(session, call)) == message


def test_values_of_names(session: Session) -> None:
    deck: list[Value] = list(session.eval("(make-ordered-deck)"))
    assert [value_of_card(card) for card in deck[:3]] == [1, 2, 3]
