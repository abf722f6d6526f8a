"""Tournaments of strategies for Twenty-One, which all play with the same shuffled decks.

Games are played in chunks. A chunk's decks depend on the seed and its number alone, so it does not matter who plays it.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any, NamedTuple, Protocol

import msgspec

from minischeme.data.errors import SchemeError
from minischeme.data.values import FALSE, Procedure, Value, list_of
from minischeme.odds.customer import Customer, Table, with_table
from minischeme.odds.dealer import ACE, JOKER
from minischeme.odds.observation import Call

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


class AnswerTable(msgspec.Struct, frozen=True, array_like=True):
    """The answers of a strategy that looks at nothing but totals of the hand, each without so many cards at its end.

    For cards of the dealer's, it has the sizes of the hand, each with such totals, where the strategy hits.
    """

    cuts: list[Annotated[int, msgspec.Meta(ge=0)]]
    hits: list[tuple[list[int], list[tuple[int, ...]]]]


class TablePlayer:
    """A customer whose answers are known."""

    def __init__(self, table: AnswerTable) -> None:
        self._cuts = table.cuts
        self._hits = {card: set(hits) for up_cards, hits in table.hits for card in up_cards}

    def sizes(self, deals: Sequence[Deal]) -> list[int]:
        found = []
        cuts = self._cuts
        for cards, totals in deals:
            hits = self._hits.get(cards[2], ())
            size = 2
            while totals[size] <= 21 and (size, *[totals[max(0, size - cut)] for cut in cuts]) in hits:
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


def table_of(*customer: Any) -> AnswerTable | None:
    """The table of a `Customer`; None if she looks at single cards, is random or remembers, or counts wrong."""

    def tabulated(table: Table) -> AnswerTable | None:
        if table.looks.parts or table.looks.keeps_order or not table.looks.is_at_totals:
            return None
        found = []
        for up_cards in table.up_cards:
            walk = table.game.walk(table.hits(asked, up_cards), table.merged)
            found.append((up_cards, sorted({table.seen(hand) for hand, _, goes_on in walk if goes_on})))
        return AnswerTable(sorted(table.looks.cuts), found)

    try:
        asked = Customer(*customer)
        return with_table([asked], tabulated)
    except SchemeError:
        return None


def player_of(call: Call, strategy: Procedure, best_total: Procedure, deck: Sequence[Value]) -> Player:
    """A player who follows a strategy of the program."""
    table = table_of(call, strategy, best_total, deck)
    if table is not None:
        return TablePlayer(table)
    return AskedPlayer(
        lambda asked: [
            call(strategy, (list_of([deck[card] for card in hand]), deck[up_card])) is not FALSE
            for hand, up_card in asked
        ]
    )


def chunks(games: int) -> Iterator[tuple[int, int]]:
    """The numbers and the sizes of the chunks of so many games."""
    return ((number, min(CHUNK, games - number * CHUNK)) for number in range(-(-games // CHUNK)))
