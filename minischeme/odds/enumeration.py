"""All games of a customer against a dealer, enumerated: her hands, how the dealer goes on, who wins."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from math import fsum
from typing import NamedTuple, TypeAlias

from minischeme.odds.dealer import VALUES, Dealer, Total, total_with_equal_aces, total_with_jokers

Hand: TypeAlias = tuple[int, ...]
"""Cards in the order of drawing, each the index of one of the game's kinds."""


class Rules(NamedTuple):
    """The rules of a game, whose customer plays before the dealer."""

    total: Total
    begin: int  # the number of cards that the customer has when she is first asked
    limit: int  # the dealer draws below it
    tie: int  # what a tie counts for the customer: 0, or -1 where it is the dealer's


TWENTY_ONE = Rules(total_with_jokers, begin=2, limit=17, tie=0)
BLACK_JACK = Rules(total_with_equal_aces, begin=0, limit=16, tie=-1)


class Chances(NamedTuple):
    """The probabilities of the ends of a game; a loss of a customer above 21 counts as a bust, too."""

    win: float
    tie: float
    lose: float
    bust: float

    @property
    def mean(self) -> float:
        """The customer's average gain."""
        return self.win - self.lose


BUST = Chances(0.0, 0.0, 1.0, 1.0)

_dealer = lru_cache(maxsize=64)(Dealer)


@lru_cache(maxsize=1 << 16)  # the same hands come up with other strategies
def stand(rules: Rules, deck: tuple[int, ...], values: tuple[int, ...], up_card: tuple[int, ...]) -> Chances:
    """The outcome for a customer with cards of these values, of a deck with so many of each, who takes no more.

    `up_card` are the values that the dealer begins with, one or none.
    """
    total = rules.total(values)
    if total > 21:
        return BUST
    left = [count - values.count(value) - up_card.count(value) for value, count in enumerate(deck)]
    totals = _dealer(up_card, rules.limit, rules.total, deck).totals(left)
    win = totals[22] + sum(chance for other, chance in totals.items() if other < total)
    tie = totals.get(total, 0.0)
    lose = 1.0 - win - tie
    return Chances(win, 0.0, lose + tie, 0.0) if rules.tie < 0 else Chances(win, tie, lose, 0.0)


class Game:
    """A game with a fresh deck, of so many cards of each kind, which has a value."""

    def __init__(self, rules: Rules, values: Sequence[int], counts: Sequence[int]) -> None:
        self.rules = rules
        self.values = values
        self._counts = counts
        pairs = list(zip(values, counts, strict=True))
        self.deck = tuple(sum(count for value, count in pairs if value == each) for each in VALUES)
        self._best: dict[tuple[Hand, int], tuple[float, bool]] = {}

    def total(self, hand: Hand) -> int:
        """The total of a customer's hand."""
        return self.rules.total([self.values[kind] for kind in hand])

    def draws(self, *dealt: int) -> list[tuple[int, float]]:
        """The kinds of the card that may follow those that have been dealt, with their probabilities."""
        left = sum(self._counts) - len(dealt)
        counts = [(kind, count - dealt.count(kind)) for kind, count in enumerate(self._counts)]
        return [(kind, count / left) for kind, count in counts if count > 0]

    def stand(self, hand: Hand, *up_card: int) -> Chances:
        """The outcome for a customer who takes no more cards."""
        values = tuple(sorted([self.values[kind] for kind in hand]))
        return stand(self.rules, self.deck, values, tuple([self.values[kind] for kind in up_card]))

    def best(self, hand: Hand, up_card: int) -> tuple[float, bool]:
        """The mean gain of a customer who goes on as well as can be, and whether she takes a card."""
        hand = tuple(sorted(hand))
        found = self._best.get((hand, up_card))
        if found is None:
            if self.total(hand) > 21:
                return -1.0, False
            draws = [((*hand, kind), share) for kind, share in self.draws(*hand, up_card)]
            must = len(hand) < self.rules.begin
            mean = -2.0 if must else self.stand(hand, up_card).mean
            # Not more than this is to be had by another card, and often it is too little.
            most = fsum(share if self.total(longer) <= 21 else -share for longer, share in draws)
            hit = fsum(share * self.best(longer, up_card)[0] for longer, share in draws) if most > mean else most
            found = self._best[hand, up_card] = max(mean, hit), hit > mean
        return found

    def walk(self, hits: Callable[[Hand], bool], merged: Callable[[Hand], Hand]) -> Iterator[tuple[Hand, float, bool]]:
        """The hands that a strategy is asked about and those above 21, with their probabilities, and whether it hits.

        Hands that are merged are one. The dealer's card is not dealt yet.
        """
        level: dict[Hand, float] = {(): 1.0}
        while level:
            following: defaultdict[Hand, float] = defaultdict(float)
            for hand, chance in level.items():
                is_asked = len(hand) >= self.rules.begin
                goes_on = not is_asked or (self.total(hand) <= 21 and hits(hand))
                if is_asked:
                    yield hand, chance, goes_on
                if goes_on:
                    for kind, share in self.draws(*hand):
                        following[merged((*hand, kind))] += chance * share
            level = following


def weighted(parts: Iterable[tuple[float, Chances]]) -> Chances:
    """The outcome of a choice between outcomes, each with its probability."""
    chances = list(parts)
    return Chances(*(fsum(weight * outcome[index] for weight, outcome in chances) for index in range(4)))
