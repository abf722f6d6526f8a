"""Functions behind the primitives of `primitives.odds`; `call` applies procedures of the program."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from math import fsum
from typing import Any, TypeAlias

import msgspec

from minischeme.data.printer import display
from minischeme.data.values import FALSE, Procedure, String, Value, boolean, intern, list_of
from minischeme.odds.customer import Customer, Table, value_of_card, with_table
from minischeme.odds.dealer import ACE, JOKER
from minischeme.odds.enumeration import BLACK_JACK, TWENTY_ONE, Chances, Game, Hand, stand, weighted
from minischeme.odds.observation import Call
from minischeme.odds.standings import standings, text_table
from minischeme.odds.tournament import Tally, chunks, play, player_of, table_of

Place: TypeAlias = tuple[str, int, int]
"""Hands with the same total against a card of the dealer's: hard, soft or joker, the total, the card's value."""


def outcomes(call: Call, strategy: Procedure, *rules: Any) -> Value:
    """The chances of a win, a tie, a loss and a bust, and the number of questions asked."""
    customer = Customer(call, strategy, *rules)

    def enumerated(table: Table) -> Chances:
        game = table.game
        ends: defaultdict[tuple[Hand, int], float] = defaultdict(float)
        for up_cards in table.up_cards:
            parts = table.shares(up_cards)
            for hand, chance, goes_on in game.walk(table.hits(customer, up_cards), table.merged):
                if not goes_on:
                    values = tuple(sorted([game.values[kind] for kind in hand]))
                    for kind, share in game.draws(*hand):
                        ends[values, game.values[kind]] += chance * share * parts[kind]
        return weighted((chance, stand(TWENTY_ONE, game.deck, values, (up,))) for (values, up), chance in ends.items())

    return list_of([*with_table([customer], enumerated), 2 * len(customer.asked)])


@lru_cache(8)
def _game(deck: tuple[Value, ...]) -> Game:
    """The game with a deck, where values alone count."""
    values = [value_of_card(card) for card in deck]
    kinds = sorted(set(values))
    return Game(TWENTY_ONE, kinds, [values.count(kind) for kind in kinds])


def best_answer(hand: Sequence[Value], up_card: Value, deck: Sequence[Value]) -> Value:
    """Whether the best strategy for games with a deck takes another card."""
    game = _game(tuple(deck))
    up_kind, *kinds = (game.values.index(value_of_card(card)) for card in (up_card, *hand))
    return boolean(game.best(tuple(kinds), up_kind)[1])


def differences(call: Call, first: Procedure, second: Procedure, *rules: Any) -> Value:
    """The first strategy's answers where the second one's differ, and what is gained in a game by them, as lists.

    A gain is the probability of coming to a hand times the difference that the answer makes if both then go on as the
    second one does; the sum of all gains is the difference of the means.
    """
    customers = Customer(call, first, *rules), Customer(call, second, *rules)

    def compared(table: Table) -> list[tuple[Place, bool, float]]:
        return [entry for up_cards in table.up_cards for entry in _gains(table, up_cards, *customers)]

    answers: defaultdict[Place, set[bool]] = defaultdict(set)
    gains: defaultdict[Place, float] = defaultdict(float)
    for place, answer, gain in with_table(customers, compared):
        answers[place].add(answer)
        gains[place] += gain
    names = {frozenset({True}): "h", frozenset({False}): "s"}
    return list_of(
        [
            list_of(
                [intern(kind), total, up_card, intern(names.get(frozenset(given), "both")), gains[kind, total, up_card]]
            )
            for (kind, total, up_card), given in answers.items()
        ]
    )


def _gains(
    table: Table, up_cards: Sequence[int], first: Customer, second: Customer
) -> Iterator[tuple[Place, bool, float]]:
    """The first customer's answers to some cards of the dealer's that differ from the second one's, and their gains."""
    game, parts, hits = table.game, table.shares(up_cards), table.hits(second, up_cards)

    @cache
    def mean(hand: Hand, up_card: int, answer: bool) -> float:
        """The mean gain after an answer, if those of the second customer follow."""
        if not answer:
            return game.stand(hand, up_card).mean
        draws = [(table.merged((*hand, kind)), share) for kind, share in game.draws(*hand, up_card)]
        return fsum(share * mean(longer, up_card, game.total(longer) <= 21 and hits(longer)) for longer, share in draws)

    for hand, chance, answer in game.walk(table.hits(first, up_cards), table.merged):
        total = game.total(hand)
        if total <= 21 and answer is not hits(hand):
            values = [game.values[kind] for kind in hand]
            low = sum(1 if value == JOKER else value for value in values)
            name = "joker" if JOKER in values else "soft" if total > low else "hard"
            for kind, share in game.draws(*hand):
                if parts[kind]:
                    gain = mean(hand, kind, answer) - mean(hand, kind, not answer)
                    yield (name, total, game.values[kind]), answer, chance * share * parts[kind] * gain


def guest_outcome(call: Call, draws: Procedure) -> Value:
    """The outcome for a guest in Black Jack who decides by the value of her hand (lib/README.md, C10)."""
    game = Game(BLACK_JACK, range(ACE, JOKER), (*[4] * 9, 16))

    def hits(hand: Hand) -> bool:
        return call(draws, (game.total(hand),)) is not FALSE

    walk = game.walk(hits, lambda hand: tuple(sorted(hand)))
    return list_of(weighted((chance, game.stand(hand)) for hand, chance, goes_on in walk if not goes_on))


def answers(*customer: Any) -> Value:
    """The table of a strategy's answers as a string; false if it has none."""
    table = table_of(*customer)
    return FALSE if table is None else String(msgspec.json.encode(table).decode())


def tournament(call: Call, games: int, names: Sequence[Value], strategies: Sequence[Procedure], *others: Any) -> Value:
    """The standings of strategies with these names after so many games."""
    deck, best_total, seed = others
    values = tuple(map(value_of_card, deck))
    players = [player_of(call, strategy, best_total, deck) for strategy in strategies]
    tally: Tally = Counter()
    for number, count in chunks(games):
        tally.update(play(seed, number, count, players, values))
    return String(text_table(standings([*map(display, names)], tally)))
