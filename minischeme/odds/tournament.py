"""Tournaments of strategies for Twenty-One, which all play with the same shuffled decks.

Games are played in chunks. A chunk's decks depend on the seed and its number alone, so it does not matter who plays it.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol

from minischeme.data.errors import SchemeError
from minischeme.data.values import FALSE, Procedure, Value, list_of
from minischeme.odds.dealer import ACE, JOKER
from minischeme.odds.dependence import views
from minischeme.odds.questions import check_total, value_of_card

CHUNK = 5_000

LONGEST = 22
"""The most cards of a game: the lowest 23 of a deck with jokers are more than the 26 and 26 that two hands can hold."""

Question = tuple[tuple[int, ...], int]
"""A hand and the dealer's card, as numbers of cards of the deck."""

Tally = Counter[tuple[int, ...]]
"""The number of games with the same results of all players: 1 for a win, 0 for a tie, -1 for a loss."""


class Deal(NamedTuple):
    """A shuffled deck, as far as it may be needed."""

    cards: list[int]
    totals: list[int]  # of the customer's hand of 0, 1, 2 cards, up to the first above 21


class Player(Protocol):
    """A customer, who says how many cards she has in the end."""

    def sizes(self, deals: Sequence[Deal]) -> list[int]: ...


def deals_of(seed: int, number: int, count: int, values: Sequence[int]) -> list[Deal]:
    """The first deals of a chunk."""
    chance = random.Random(f"{seed} {number}").random
    size = len(values)
    found = []
    for _ in range(count):
        cards = list(range(size))
        for place in range(LONGEST):
            other = place + int(chance() * (size - place))
            cards[place], cards[other] = cards[other], cards[place]
        hand = (values[card] for card in (*cards[:2], *cards[3:LONGEST]))
        found.append(Deal(cards[:LONGEST], [0, *_totals(hand, 22)]))
    return found


def _totals(cards: Iterator[int], limit: int) -> Iterator[int]:
    """The totals of a growing hand, up to the first that is not below the limit."""
    low = jokers = total = 0
    has_ace = False
    while total < limit:
        value = next(cards)
        if value == JOKER:
            jokers += 1
        low += 1 if value == JOKER else value
        has_ace = has_ace or value == ACE
        soft = 10 * (jokers + has_ace)
        total = low if low > 21 or not soft else min(21, low + soft) if jokers else low + soft if low <= 11 else low
        yield total


def play(seed: int, number: int, count: int, players: Sequence[Player], values: Sequence[int]) -> Tally:
    """The results of the first games of a chunk; `values` are those of the deck's cards."""
    deals = deals_of(seed, number, count, values)
    sizes = [player.sizes(deals) for player in players]
    tally: Tally = Counter()
    for deal, ends in zip(deals, zip(*sizes, strict=True), strict=True):
        known = {size: _result(deal, size, values) for size in set(ends)}
        tally[tuple([known[size] for size in ends])] += 1
    return tally


def _result(deal: Deal, size: int, values: Sequence[int]) -> int:
    total = deal.totals[size]
    if total > 21:
        return -1
    *_, dealer = _totals((values[card] for card in (deal.cards[2], *deal.cards[size + 1 :])), 17)
    return (total > dealer or dealer > 21) - (total < dealer <= 21)


class TablePlayer:
    """A customer whose answers are known: for each dealer's card, the totals with which she asks for another card.

    The totals are those of the hand without its last cards, for each number in `cuts`.
    """

    def __init__(self, cuts: tuple[int, ...], values: tuple[int, ...], answers: str) -> None:
        self._cuts = cuts
        self._hits: list[set[tuple[int, ...]]] = [set() for _ in values]
        for (up_card, totals), answer in zip(questions(cuts, values), answers, strict=True):
            if answer == "1":
                self._hits[up_card].add(totals)

    def sizes(self, deals: Sequence[Deal]) -> list[int]:
        found = []
        cuts = self._cuts
        for cards, totals in deals:
            hits = self._hits[cards[2]]
            size = 2
            while totals[size] <= 21 and tuple([totals[max(0, size - cut)] for cut in cuts]) in hits:
                size += 1
            found.append(size)
        return found


class AskedPlayer:
    """A customer who is asked in every game; `ask` gets the questions of many games at a time."""

    def __init__(self, ask: Callable[[Sequence[Question]], Sequence[bool]]) -> None:
        self._ask = ask

    def sizes(self, deals: Sequence[Deal]) -> list[int]:
        found = [2] * len(deals)
        active = list(range(len(deals)))
        while active := [game for game in active if deals[game].totals[found[game]] <= 21]:
            hands = [
                ((*deals[game].cards[:2], *deals[game].cards[3 : found[game] + 1]), deals[game].cards[2])
                for game in active
            ]
            active = [game for game, answer in zip(active, self._ask(hands), strict=True) if answer]
            for game in active:
                found[game] += 1
        return found


@lru_cache(16)
def questions(cuts: tuple[int, ...], values: tuple[int, ...]) -> dict[tuple[int, tuple[int, ...]], tuple[int, ...]]:
    """A hand for each dealer's card and all totals that a strategy with these cuts can tell apart."""
    piles = {value: [card for card, other in enumerate(values) if other == value] for value in set(values)}
    longest = max(cuts, default=0)
    found: dict[tuple[int, tuple[int, ...]], tuple[int, ...]] = {}
    level: set[tuple[int, ...]] = {()}
    while level:
        following = set()
        for hand in sorted(level):
            totals = [0, *_totals(iter((*hand, 22)), 22)]
            if len(totals) < len(hand) + 2:  # above 21
                continue
            key = tuple([totals[max(0, len(hand) - cut)] for cut in cuts])
            for up_card, value in enumerate(values) if len(hand) >= 2 else ():
                if (up_card, key) not in found and hand.count(value) < len(piles[value]):
                    left = {each: iter([card for card in piles[each] if card != up_card]) for each in set(hand)}
                    found[up_card, key] = tuple([next(left[each]) for each in hand])
            for value, pile in piles.items():
                if hand.count(value) < len(pile):
                    longer = (*hand, value)
                    cut = max(0, len(longer) - longest)
                    following.add((*sorted(longer[:cut]), *longer[cut:]))
        level = following
    return found


def answers(
    strategy: Procedure, best_total: Procedure, deck: Sequence[Value], call: Callable[..., Value]
) -> tuple[tuple[int, ...], str] | None:
    """The cuts of a strategy and its answers to `questions`; None if it may look at more, is random or remembers."""
    parts = views(strategy, best_total)
    if parts is None or any(view.is_mixed for view in parts):
        return None
    values = tuple(map(value_of_card, deck))
    try:
        check_total(best_total, deck, values, call)
    except SchemeError:
        return None  # its own total is then asked about each hand
    cuts = tuple(view.without for view in parts)
    asked = list(questions(cuts, values).items())
    found: dict[int, str] = {}
    for _ in range(2):
        order = list(range(len(asked)))
        random.Random(len(found)).shuffle(order)  # another one the second time
        for number in order:
            (up_card, _), hand = asked[number]
            answer = str(int(call(strategy, list_of([deck[card] for card in hand]), deck[up_card]) is not FALSE))
            if found.setdefault(number, answer) != answer:
                return None
    if views(strategy, best_total) != parts:  # it gives other procedures to the names that it uses
        return None
    return cuts, "".join(found[number] for number in range(len(asked)))


def played(
    strategies: Sequence[Procedure],
    best_total: Procedure,
    deck: Sequence[Value],
    games: int,
    seed: int,
    call: Callable[..., Value],
) -> Tally:
    """The results of strategies of one program."""

    def player(strategy: Procedure) -> Player:
        table = answers(strategy, best_total, deck, call)
        if table is not None:
            return TablePlayer(table[0], values, table[1])
        return AskedPlayer(
            lambda asked: [
                call(strategy, list_of([deck[card] for card in hand]), deck[up_card]) is not FALSE
                for hand, up_card in asked
            ]
        )

    values = tuple(map(value_of_card, deck))
    players = [player(strategy) for strategy in strategies]
    tally: Tally = Counter()
    for number, count in chunks(games):
        tally.update(play(seed, number, count, players, values))
    return tally


def chunks(games: int) -> Iterator[tuple[int, int]]:
    """The numbers and the sizes of the chunks of so many games."""
    return ((number, min(CHUNK, games - number * CHUNK)) for number in range(-(-games // CHUNK)))
