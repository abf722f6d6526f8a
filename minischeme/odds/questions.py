"""Exact outcomes of strategies for Twenty-One: what they are asked, with real cards, and what the answers are worth."""

import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from math import fsum

from minischeme.data.errors import ArgumentError, SchemeError
from minischeme.data.printer import display
from minischeme.data.values import FALSE, Procedure, Value, list_of
from minischeme.odds.dealer import ACE, JOKER, total_with_equal_aces, total_with_jokers
from minischeme.odds.dependence import views
from minischeme.odds.enumeration import Chances, Game, Hand, Rules, game, weighted
from minischeme.primitives.equivalence import equal

TWENTY_ONE = Rules(total_with_jokers, begin=2, limit=17, tie=0)
BLACK_JACK = Rules(total_with_equal_aces, begin=0, limit=16, tie=-1)

MOST_QUESTIONS = 200_000
"""The most questions about a strategy that must be asked about each order of real cards."""


Place = tuple[bool, bool, int, int]
"""Hands with the same kind of total, against a dealer's card: with a joker, soft, the total, the card's value."""


def value_of_card(card: Value) -> int:
    """The value of a card: 1 for an ace, 11 for a joker; an `ArgumentError` for what is no card."""
    name = display(card).lower()
    rank = name[:-1]
    if name == "joker":
        return JOKER
    if rank in ("10", "j", "q", "k"):
        return 10
    if rank == "a":
        return ACE
    if len(rank) == 1 and rank in "23456789":
        return int(rank)
    raise ArgumentError("not a card:", card)


class _ToldApart(Exception):
    """The strategy's answer about a hand depends on more than the kind of the dealer's card."""

    def __init__(self, hand: Hand) -> None:
        super().__init__()
        self.hand = hand


class Customer:
    """A customer of Twenty-One, who follows a strategy.

    Args:
        call: applies a procedure of the program to arguments.
    """

    def __init__(
        self, strategy: Procedure, best_total: Procedure, deck: Sequence[Value], call: Callable[..., Value]
    ) -> None:
        self._strategy = strategy
        self._best_total = best_total
        self._call = call
        self._deck = deck
        self._views = views(strategy, best_total)
        values = [value_of_card(card) for card in deck]
        self._kinds = sorted(set(values)) if self._views is not None else values
        """The values of the kinds of cards; where nothing is proved, each card is a kind."""
        self._cards = [[card] for card in range(len(deck))]
        if self._views is not None:
            self._cards = [[card for card, value in enumerate(values) if value == kind] for kind in self._kinds]
        self._answers: dict[tuple[object, int], tuple[Hand, bool]] = {}
        check_total(best_total, deck, values, call)

    @property
    def questions(self) -> int:
        """The number of questions that were asked."""
        return 2 * len(self._answers)

    def outcome(self) -> Chances:
        """The outcome of a game; a `SchemeError` as of `check_answers`."""
        parts: list[tuple[float, Chances]] = []
        counts = tuple(len(cards) for cards in self._cards)
        for kind, cards in enumerate(self._cards):
            parts += self._against(game(TWENTY_ONE, tuple(self._kinds), counts, kind), cards)
        self.check_answers()
        return weighted(parts)

    def check_answers(self) -> None:
        """Ask everything again; a `SchemeError` if the strategy's answers are no function of its arguments."""
        asked = list(self._answers.items())
        random.Random(len(asked)).shuffle(asked)  # in another order, for the sake of a strategy that remembers
        for (_, up_card), (hand, answer) in asked:
            if self._asked(hand, up_card) is not answer:
                raise SchemeError(
                    "exact-odds: the strategy gives two answers to one question:",
                    list_of(self._real(hand, up_card)),
                    self._deck[up_card],
                    hint="it is random, or it remembers; (play-report strategy 10000) plays games with it",
                )
        if self._views is not None and views(self._strategy, self._best_total) != self._views:
            raise SchemeError(
                "exact-odds: the strategy gives other procedures to the names that it uses",
                hint="(play-report strategy 10000) plays games with it",
            )

    @property
    def size(self) -> int:
        """The size of the deck."""
        return len(self._deck)

    @property
    def sees_cards(self) -> bool:
        """Whether single cards may make a difference, beside their values."""
        return self._views is None

    def differences(self, other: "Customer", up_card: int) -> Iterator[tuple[Place, bool, float]]:
        """The answers to a dealer's card that differ from another customer's, and their gains; see `differences`."""
        card = next(kind for kind, cards in enumerate(self._cards) if up_card in cards)
        played = game(TWENTY_ONE, tuple(self._kinds), tuple(map(len, self._cards)), card)
        merged = max(self, other, key=lambda customer: customer._cut)._merged
        means: dict[Hand, float] = {}

        def mean(hand: Hand, answer: bool) -> float:
            """The mean gain after an answer of the first customer, and those of the other."""
            if not answer:
                return played.stand(hand).mean
            return fsum(share * going_on(merged((*hand, kind))) for kind, share in played.draws(hand))

        def going_on(hand: Hand) -> float:
            if hand not in means:
                means[hand] = -1.0 if played.total(hand) > 21 else mean(hand, other._hits(hand, up_card))
            return means[hand]

        level: dict[Hand, float] = {(): 1.0}
        while level:
            following: defaultdict[Hand, float] = defaultdict(float)
            for hand, chance in level.items():
                total = played.total(hand)
                if total > 21:
                    continue
                answer = len(hand) < TWENTY_ONE.begin or self._hits(hand, up_card)
                if len(hand) >= TWENTY_ONE.begin and answer is not other._hits(hand, up_card):
                    values = [self._kinds[kind] for kind in hand]
                    is_soft = total > sum(1 if value == JOKER else value for value in values)
                    place = JOKER in values, is_soft and JOKER not in values, total, self._kinds[card]
                    yield place, answer, chance * (mean(hand, answer) - mean(hand, not answer))
                if answer:
                    for kind, share in played.draws(hand):
                        following[merged((*hand, kind))] += chance * share
            level = following

    def _against(self, played: Game, up_cards: list[int]) -> Iterator[tuple[float, Chances]]:
        """The outcomes against cards of one kind, each with its probability."""

        def hits(hand: Hand) -> bool:
            answers = {self._hits(hand, up_card) for up_card in up_cards}
            if len(answers) > 1:
                raise _ToldApart(hand)
            return answers.pop()

        try:
            yield len(up_cards) / len(self._deck), played.outcome(hits, self._merged)
        except _ToldApart as found:
            for answer in (True, False):
                yield from self._against(played, [card for card in up_cards if self._hits(found.hand, card) is answer])

    def _merged(self, hand: Hand) -> Hand:
        if self._views is None:
            return hand
        cut = max(0, len(hand) - self._cut)
        return (*sorted(hand[:cut]), *hand[cut:])

    @property
    def _cut(self) -> int:
        """The most cards that the strategy leaves out of the hand."""
        return max((view.without for view in self._views or ()), default=0)

    def _hits(self, hand: Hand, up_card: int) -> bool:
        key = self._seen(hand), up_card
        if key not in self._answers:
            if len(self._answers) >= MOST_QUESTIONS and self._views is None:
                raise SchemeError(
                    "exact-odds: the strategy looks at single cards: it would have to be asked about all their orders",
                    hint="(play-report strategy 10000) plays games with it",
                )
            self._answers[key] = hand, self._asked(hand, up_card)
        return self._answers[key][1]

    def _seen(self, hand: Hand) -> object:
        """The part of a hand that the strategy sees."""
        if self._views is None:
            return hand
        seen: list[object] = []
        for view in self._views:
            part = tuple(sorted(self._kinds[kind] for kind in hand[: max(0, len(hand) - view.without)]))
            seen += part if view.is_mixed else total_with_jokers(part), len(hand) < view.without
        return tuple(seen)

    def _asked(self, hand: Hand, up_card: int) -> bool:
        cards = self._real(hand, up_card)
        given = list_of(cards)
        answer = self._call(self._strategy, given, self._deck[up_card]) is not FALSE
        if not equal(given, list_of(cards)):
            raise SchemeError("exact-odds: the strategy changes the hand that it is given:", list_of(cards))
        return answer

    def _real(self, hand: Hand, up_card: int) -> list[Value]:
        """Cards of a deck for a hand of kinds."""
        found: list[int] = []
        for kind in hand:
            found.append(next(card for card in self._cards[kind] if card != up_card and card not in found))
        return [self._deck[card] for card in found]


@lru_cache(8)
def _contents(deck: tuple[Value, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The values of the cards, and how many there are of each."""
    values = list(map(value_of_card, deck))
    kinds = tuple(sorted(set(values)))
    return kinds, tuple(values.count(kind) for kind in kinds)


def best_answer(hand: Sequence[Value], up_card: Value, deck: Sequence[Value]) -> bool:
    """Whether the best strategy for games with a deck takes another card."""
    kinds, counts = _contents(tuple(deck))
    played = game(TWENTY_ONE, kinds, counts, kinds.index(value_of_card(up_card)))
    return played.best(tuple(kinds.index(value_of_card(card)) for card in hand))[1]


def differences(first: Customer, second: Customer) -> dict[Place, tuple[set[bool], float]]:
    """The first customer's answers where the second one's differ, and what she gains in a game by them.

    A gain is the probability of coming to a hand times the difference that her answer makes if both then go on as the
    second one does; the sum of all gains is the difference of the means.
    """
    if first.sees_cards or second.sees_cards:
        raise SchemeError("compare: a strategy looks at single cards, and not at their values alone")
    found: dict[Place, tuple[set[bool], float]] = {}
    for up_card in range(first.size):
        for place, answer, gain in first.differences(second, up_card):
            answers, sum_of_gains = found.get(place, (set(), 0.0))
            found[place] = answers | {answer}, sum_of_gains + gain / first.size
    first.check_answers()
    second.check_answers()
    return found


def check_total(
    best_total: Procedure, deck: Sequence[Value], values: Sequence[int], call: Callable[..., Value]
) -> None:
    """Compare the program's `best-total` with the rules, for hands of all values; a `SchemeError` where they differ."""
    kinds = sorted(set(values))
    hands: list[Hand] = [()]
    for hand in hands:  # The list grows meanwhile.
        total = total_with_jokers([kinds[kind] for kind in hand])
        piles = {kind: [card for card, value in zip(deck, values, strict=True) if value == kind] for kind in kinds}
        cards = [piles[kinds[kind]].pop() for kind in hand]
        for order in (cards, cards[::-1]):
            found = call(best_total, list_of(order)) if hand else total
            if type(found) is not int or min(found, 22) != min(total, 22):
                raise SchemeError(f"exact-odds: best-total gives {display(found)}, not {total}, for", list_of(order))
        if total <= 21:
            first = hand[-1] if hand else 0
            hands += [(*hand, kind) for kind in range(first, len(kinds)) if piles[kinds[kind]]]


def guest_outcome(draws: Callable[[int], bool]) -> Chances:
    """The outcome for a guest in Black Jack who decides by the value of her hand (lib/README.md, C10)."""
    played = game(BLACK_JACK, tuple(range(ACE, JOKER)), (*[4] * 9, 16))
    return played.outcome(lambda hand: draws(played.total(hand)), lambda hand: tuple(sorted(hand)))
