"""The best strategy, against all that can be done with small decks; and what differences of strategies cost."""

from __future__ import annotations

import random
from functools import lru_cache
from itertools import permutations
from pathlib import Path
from xml.etree import ElementTree

import pytest
from sessions import error_in, shown
from tables import SOLUTIONS

from minischeme import Session
from minischeme.odds.dealer import total_with_jokers
from minischeme.odds.enumeration import TWENTY_ONE, Game

PRELUDE = '(load "strategy-lab.scm")'


@pytest.fixture(scope="module")
def session() -> Session:
    found = Session(seed=1)
    found.load(SOLUTIONS / "twenty-one.scm")
    found.eval(PRELUDE)
    return found


def best_mean(kinds: tuple[int, ...], counts: tuple[int, ...], up: int) -> float:
    """The mean of the best play, drawing card by card."""

    @lru_cache(None)
    def dealer(hand: tuple[int, ...], left: tuple[int, ...], total: int) -> float:
        reached = total_with_jokers(hand)
        if reached >= 17:
            return (total > reached or reached > 21) - (total < reached <= 21)
        return over(left, lambda kind, rest: dealer((*hand, kinds[kind]), rest, total))

    def over(left: tuple[int, ...], then: object) -> float:
        size = sum(left)
        return sum(
            count / size * then(kind, tuple(other - (kind == place) for place, other in enumerate(left)))  # type: ignore[operator]
            for kind, count in enumerate(left)
            if count
        )

    @lru_cache(None)
    def customer(hand: tuple[int, ...], left: tuple[int, ...]) -> float:
        total = total_with_jokers(hand)
        if total > 21:
            return -1.0
        hit = over(left, lambda kind, rest: customer((*hand, kinds[kind]), rest))
        return hit if len(hand) < 2 else max(hit, dealer((kinds[up],), left, total))

    return customer((), tuple(count - (kind == up) for kind, count in enumerate(counts)))


@pytest.mark.parametrize("seed", range(4))
def test_it_is_the_best_of_all_with_a_small_deck(seed: int) -> None:
    chance = random.Random(seed)
    kinds = (*sorted(chance.sample(range(1, 10), 2)), 10, 11)
    counts = (chance.randrange(2, 4), chance.randrange(2, 4), 9, seed % 2)
    for up in range(3):
        assert Game(TWENTY_ONE, kinds, counts).best((), up)[0] == pytest.approx(best_mean(kinds, counts, up), abs=1e-12)


@pytest.mark.slow
def test_its_value(session: Session) -> None:
    """The value by the recursion is what its answers are worth when all games are enumerated."""
    win, _, loss, _, _ = list(session.eval("(exact-outcomes (best-strategy) best-total (make-ordered-deck))"))
    kinds, counts = tuple(range(1, 11)), (*[4] * 9, 16)
    means = [Game(TWENTY_ONE, kinds, counts).best((), up)[0] * counts[up] / 52 for up in range(10)]
    assert win - loss == pytest.approx(sum(means), abs=1e-9)
    assert win - loss > -0.0521284989  # that of dealer-sensitive


def test_what_it_answers(session: Session) -> None:
    session.eval("(define best (best-strategy))")
    asked = ["(best '(10h 2d) '4s)", "(best '(7h 5d) '4s)", "(best '(10h 6d) '6s)", "(best '(ah 7d) '9s)"]
    assert [shown(session, each) for each in asked] == ["#t\n", "#f\n", "#f\n", "#t\n"]


@pytest.mark.slow
def test_the_gains_are_the_difference_of_the_means(session: Session) -> None:
    means = {"dealer-sensitive": -0.0521284989, "(stop-at 15)": -0.0743951937, "stop-at-17": -0.0800917801}
    for first, second in permutations(means, 2):
        entries = session.eval(f"(strategy-differences {first} {second} best-total (make-ordered-deck))")
        assert sum(list(entry)[4] for entry in entries) == pytest.approx(means[first] - means[second], abs=1e-9)


@pytest.mark.slow
def test_the_chart(session: Session, tmp_path: Path) -> None:
    printed = shown(session, "(compare (stop-at 16) (stop-at 17))").splitlines()
    assert printed[0] == "(stop-at 16), not (stop-at 17): gains +5.0 in 1000 games"
    assert printed[2] == "hard       2     3     4     5     6     7     8     9    10     a"
    assert printed[3].split()[:3] == ["16", "S+1.8", "S+2.2"]
    assert max(map(len, printed)) <= 80
    session.eval(f'(compare (stop-at 16) (stop-at 17) "{tmp_path}/chart.svg")')
    picture = (tmp_path / "chart.svg").read_text()
    texts = [node.text for node in ElementTree.fromstring(picture).iter()]
    assert "S+1.8" in texts


def test_a_random_strategy_is_refused(session: Session) -> None:
    error = error_in(session, "(compare (lambda (hand up) (< (best-total hand) (+ 12 (random 6)))) stop-at-17)")
    assert "two answers to one question" in str(error)


@pytest.mark.slow
def test_strategies_that_look_at_single_cards_are_compared(session: Session) -> None:
    game = "best-total (make-ordered-deck)"
    means = [list(session.eval(f"(exact-outcomes {name} {game})")) for name in ("valentine", "stop-at-17")]
    gains = [list(entry)[4] for entry in session.eval(f"(strategy-differences valentine stop-at-17 {game})")]
    assert sum(gains) == pytest.approx(means[0][0] - means[0][2] - means[1][0] + means[1][2], abs=1e-9)
