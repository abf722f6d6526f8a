"""Twenty-One in Python, by hand: `lib/twenty-one.scm` and the student's `best-total` and `stop-at-17`, line for line.

The shuffle is the course's recursive one, and takes its random numbers in the same order as the Scheme does, so that
both play the same games.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from minischeme.data.values import NIL, Symbol, intern

from .words import butfirst, butlast, equal, every, first, is_empty, item, keep, list_of, repeated, total, word

RANKS = list_of([intern("a"), 2, 3, 4, 5, 6, 7, 8, 9, 10, intern("j"), intern("q"), intern("k")])
SUITS = list_of([intern("h"), intern("s"), intern("d"), intern("c")])
ACE = intern("a")

Strategy = Callable[[Any, Any], bool]
Sentence = Callable[..., Any]


def play_n(strategy: Strategy, n: int, random: Random, se: Sentence) -> int:
    """How many more games than the dealer the customer wins of n.

    Args: se: which of the two ways to make sentences.
    """
    if n == 0:
        return 0
    return twenty_one(strategy, random, se) + play_n(strategy, n - 1, random, se)


def twenty_one(strategy: Strategy, random: Random, se: Sentence) -> int:
    """1 if the customer wins a game, 0 for a tie, -1 if she loses."""
    deck = shuffle(ordered_deck(), 52, random, se)
    hand, up_card, rest = se(item(1, deck), item(2, deck)), item(3, deck), repeated(butfirst, 3)(deck)
    while True:
        if best_total(hand) > 21:
            return -1
        if not strategy(hand, up_card):
            break
        hand, rest = se(hand, first(rest)), butfirst(rest)
    dealer_hand, rest = se(up_card, first(rest)), butfirst(rest)
    while True:
        dealer_total = best_total(dealer_hand)
        if dealer_total >= 17:
            break
        dealer_hand, rest = se(dealer_hand, first(rest)), butfirst(rest)
    customer_total = best_total(hand)
    if dealer_total > 21 or customer_total > dealer_total:
        return 1
    return 0 if customer_total == dealer_total else -1


def ordered_deck() -> Any:
    """The 52 cards in order."""

    def suit_of_cards(suit: Symbol) -> Any:
        return every(lambda rank: word(rank, suit), RANKS)

    return every(suit_of_cards, SUITS)


def shuffle(deck: Any, size: int, random: Random, se: Sentence) -> Any:
    """The first `size` cards of a deck in random order."""

    def move_card(left: Any, left_size: int, right: Any, right_size: int) -> Any:
        if left_size == 0:
            return right
        if right_size == 0:
            return left
        if int(random.random() * (left_size + right_size)) < left_size:
            return se(first(left), move_card(butfirst(left), left_size - 1, right, right_size))
        return se(first(right), move_card(left, left_size, butfirst(right), right_size - 1))

    if size == 0:
        return NIL
    if size == 1:
        return se(first(deck))
    left_size = size // 2
    right_size = size - size // 2
    left = shuffle(deck, left_size, random, se)
    right = shuffle(repeated(butfirst, left_size)(deck), right_size, random, se)
    return move_card(left, left_size, right, right_size)


def best_total(hand: Any) -> int:
    """The total of a hand, its aces counted in the best way."""

    def value(card: Any) -> int:
        if equal(butlast(card), ACE):
            return 1
        if type(butlast(card)) is int:
            number: int = butlast(card)
            return number
        return 10

    def is_ace(card: Any) -> bool:
        return equal(butlast(card), ACE)

    points = total(every(value, hand))
    return points + 10 if points <= 11 and not is_empty(keep(is_ace, hand)) else points


def stop_at_17(hand: Any, up_card: Any) -> bool:
    """The strategy of a customer who plays like a dealer."""
    return best_total(hand) < 17
