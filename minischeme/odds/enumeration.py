"""All games of a customer against a dealer, enumerated: what the customer is asked, how the dealer goes on, who wins.

Hands that a strategy can't tell apart are merged; `dependence` proves which those are.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import lru_cache
from math import fsum
from typing import NamedTuple, TypeAlias

from minischeme.odds.dealer import VALUES, Dealer, Total

Hand: TypeAlias = tuple[int, ...]
"""Cards in the order of drawing, each the index of one of the game's kinds."""


class Rules(NamedTuple):
    """The rules of a game, whose customer plays before the dealer."""

    total: Total
    begin: int  # the number of cards that the customer has when she is first asked
    limit: int  # the dealer draws below it
    tie: int  # what a tie counts for the customer: 0, or -1 where it is the dealer's


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


def weighted(parts: Sequence[tuple[float, Chances]]) -> Chances:
    """The outcome of a choice between outcomes, each with its probability."""
    return Chances(*(fsum(weight * outcome[index] for weight, outcome in parts) for index in range(4)))


BUST = Chances(0.0, 0.0, 1.0, 1.0)


@lru_cache(maxsize=128)  # the outcomes of most hands are the same for other strategies
def game(rules: Rules, values: tuple[int, ...], counts: tuple[int, ...], up_card: int | None = None) -> "Game":
    """The game with a fresh deck; for the arguments, see `Game`."""
    return Game(rules, values, counts, up_card)


class Game:
    """A game with a fresh deck, of so many cards of each kind, which has a value.

    With an `up_card`, the index of a kind, the dealer has been dealt that card, and the customer has seen it.
    """

    def __init__(self, rules: Rules, values: Sequence[int], counts: Sequence[int], up_card: int | None = None) -> None:
        self._rules = rules
        self._values = values
        self._counts = list(counts)
        if up_card is not None:
            self._counts[up_card] -= 1
        by_value = [0 for _ in VALUES]
        for value, count in zip(values, self._counts, strict=True):
            by_value[value] += count
        self._deck = by_value
        self._size = sum(by_value)
        begin = () if up_card is None else (values[up_card],)
        self._dealer = Dealer(begin, rules.limit, rules.total, by_value)
        self._stands: dict[Hand, Chances] = {}
        self._best: dict[Hand, tuple[float, bool]] = {}

    def total(self, hand: Hand) -> int:
        """The total of a customer's hand."""
        return self._rules.total([self._values[kind] for kind in hand])

    def draws(self, hand: Hand) -> list[tuple[int, float]]:
        """The kinds of the card that may follow a hand, with their probabilities."""
        left = self._size - len(hand)
        counts = [(kind, count - hand.count(kind)) for kind, count in enumerate(self._counts)]
        return [(kind, count / left) for kind, count in counts if count > 0]

    def stand(self, hand: Hand) -> Chances:
        """The outcome for a customer who takes no more cards."""
        values = tuple(sorted(self._values[kind] for kind in hand))
        found = self._stands.get(values)
        if found is None:
            total = self._rules.total(values)
            deck = [count - values.count(value) for value, count in enumerate(self._deck)]
            totals = self._dealer.totals(deck)
            win = totals[22] + sum(chance for other, chance in totals.items() if other < total)
            tie = totals.get(total, 0.0)
            lose = 1.0 - win - tie
            tied = (0.0, lose + tie) if self._rules.tie < 0 else (tie, lose)
            found = self._stands[values] = Chances(win, *tied, 0.0)
        return found

    def best(self, hand: Hand) -> tuple[float, bool]:
        """The mean gain of a customer who goes on as well as can be, and whether she takes a card."""
        hand = tuple(sorted(hand))
        found = self._best.get(hand)
        if found is None:
            if self.total(hand) > 21:
                return -1.0, False
            draws = [((*hand, kind), share) for kind, share in self.draws(hand)]
            must = len(hand) < self._rules.begin
            stand = -2.0 if must else self.stand(hand).mean
            # Not more than this is to be had by another card, and often it is too little.
            most = fsum(share if self.total(longer) <= 21 else -share for longer, share in draws)
            hit = fsum(share * self.best(longer)[0] for longer, share in draws) if most > stand else most
            found = self._best[hand] = max(stand, hit), hit > stand
        return found

    def outcome(self, hits: Callable[[Hand], bool], merged: Callable[[Hand], Hand]) -> Chances:
        """The outcome for a strategy, which is asked about one of the hands that are merged to the same."""
        ends: list[tuple[float, Chances]] = []
        level: dict[Hand, float] = {(): 1.0}
        while level:
            following: defaultdict[Hand, float] = defaultdict(float)
            for hand, chance in level.items():
                if self.total(hand) > 21:
                    ends.append((chance, BUST))
                elif len(hand) < self._rules.begin or hits(hand):
                    for kind, share in self.draws(hand):
                        following[merged((*hand, kind))] += chance * share
                else:
                    ends.append((chance, self.stand(hand)))
            level = following
        return weighted(ends)
