"""The dealer's final totals, exactly: all hands that she can end with, and their probabilities for a given deck.

A card is known here by its value: 1 for an ace, 2 to 10, 11 for a joker. The number of orders in which a hand may be
drawn does not depend on the deck, so it is counted once; the probability of each hand is then a product of factors that
hands with the same first cards share.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence

ACE, JOKER = 1, 11
VALUES = range(12)
"""The indices of a deck, a list of the number of cards of each value; there is no card of value 0."""

Total = Callable[[Sequence[int]], int]
"""A rule: the total of a hand, given as values."""


def total_with_jokers(hand: Sequence[int]) -> int:
    """The total in Twenty-One: an ace counts 1 or 11, a joker 1 to 11, as is best (lib/README.md, A6)."""
    jokers = hand.count(JOKER)
    low = sum(hand) - 10 * jokers
    if jokers:
        return low if low > 21 else min(21, low + 10 * (jokers + hand.count(ACE)))
    return low + 10 if low <= 11 and ACE in hand else low


def total_with_equal_aces(hand: Sequence[int]) -> int:
    """The value in Black Jack: all aces count 11, or all 1 (lib/README.md, C2)."""
    high = sum(hand) + 10 * hand.count(ACE)
    return high if high <= 21 else sum(hand)


class Dealer:
    """The hands of a dealer who begins with some cards and draws below a limit."""

    def __init__(self, begin: tuple[int, ...], limit: int, total: Total, deck: Sequence[int]) -> None:
        # Each hand in ascending order: the index of the hand without its last card, the value of that card, and how
        # many of the same value come before.
        self._factors: list[tuple[int, int, int]] = []
        # Each hand that the dealer can end with: its index, size and total, and the number of its orders.
        self._finals: list[tuple[int, int, int, int]] = []
        self._indices: dict[tuple[int, ...], int] = {(): 0}
        level: dict[tuple[int, ...], int] = {(): 1}
        while level:
            following: defaultdict[tuple[int, ...], int] = defaultdict(int)
            for drawn, orders in level.items():
                reached = total((*begin, *drawn))
                if reached >= limit:
                    self._finals.append((self._index(drawn), len(drawn), min(reached, 22), orders))
                    continue
                for value in VALUES:
                    if drawn.count(value) < deck[value]:
                        following[tuple(sorted((*drawn, value)))] += orders
            level = following

    def _index(self, hand: tuple[int, ...]) -> int:
        found = self._indices.get(hand)
        if found is None:
            self._factors.append((self._index(hand[:-1]), hand[-1], hand.count(hand[-1]) - 1))
            found = self._indices[hand] = len(self._factors)
        return found

    def totals(self, deck: Sequence[int]) -> dict[int, float]:
        """The probability of each final total, with so many cards of each value left in the deck; 22 is any above 21.

        A hand that needs more cards of a value than there are has a factor of 0.
        """
        ways = [1.0]
        add = ways.append
        for rest, value, copies in self._factors:
            add(ways[rest] * (deck[value] - copies))
        left = sum(deck)
        chance = [1.0]  # of a hand of each size, in one of its orders
        for drawn in range(max(size for _, size, _, _ in self._finals)):
            chance.append(chance[-1] / (left - drawn) if left > drawn else 0.0)
        found = dict.fromkeys(range(16, 23), 0.0)
        for index, size, total, orders in self._finals:
            found[total] += orders * ways[index] * chance[size]
        return found
