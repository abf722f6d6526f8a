"""Customers of Twenty-One: what their strategies answer, what they look at, and so which hands are alike for them."""

import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

from minischeme.data.errors import ArgumentError, SchemeError
from minischeme.data.printer import display
from minischeme.data.values import FALSE, Procedure, Value, list_of
from minischeme.odds.dealer import ACE, JOKER, total_with_jokers
from minischeme.odds.enumeration import TWENTY_ONE, Game, Hand
from minischeme.odds.observation import UP, Call, Look, Observer, Part, Values, word_of
from minischeme.primitives.equivalence import equal

T = TypeVar("T")

Cards = tuple[int, ...]
"""Cards in the order of drawing, as numbers of cards of the deck; a `Hand` has their kinds."""

MOST_QUESTIONS = 50_000
"""The most hands of all that a strategy is asked about, and of those against one card of the dealer's."""

_WAY_OUT = "(play-report strategy 10000) plays games with it"


_VALUES = {"joker": JOKER, "a": ACE, **{str(rank): rank for rank in range(2, 11)}, **dict.fromkeys("jqk", 10)}


def value_of_card(card: Value) -> int:
    """The value of a card: 1 for an ace, 11 for a joker; an `ArgumentError` for what is no card."""
    name = display(card).lower()
    rank = name if name == "joker" else name[:-1]
    if rank not in _VALUES:
        raise ArgumentError("not a card:", card)
    return _VALUES[rank]


class Branch(NamedTuple):
    """A look of a strategy, and what follows each of its results: another one, or the answer."""

    look: Look
    results: "dict[Any, Branch | bool]"


class Customer:
    """A customer who follows a strategy."""

    def __init__(self, call: Call, strategy: Procedure, best_total: Procedure, deck: Sequence[Value]) -> None:
        self._call = call
        self._strategy = strategy
        self._best_total = best_total
        self.deck = deck
        self.values = [value_of_card(card) for card in deck]
        self._seen: dict[object, object] = {}
        self._answers: dict[Any, Branch | bool] = {}  # by the size of the hand
        self.asked: list[tuple[Cards, int, bool]] = []
        self._is_followed = True  # by an `Observer`
        self._check_total()

    def answer(self, hand: Cards, up_card: int, looks: "Looks") -> bool:
        """Whether the customer takes another card; the looks of a new question are added to `looks`."""
        found = self._answers.get(len(hand))
        while isinstance(found, Branch):
            found = found.results.get(self.result(found.look, hand, up_card))
        return self._new_answer(hand, up_card, looks) if found is None else found

    def result(self, look: Look, hand: Cards, up_card: int) -> object:
        """The result of a look at cards."""
        cards = [up_card if place == UP else hand[place] for place in look.places]
        if isinstance(look, Values):
            values = [self.values[card] for card in cards]
            return total_with_jokers(values) if look.is_total else tuple(sorted(values))
        key = cards[0], look.path, look.word
        if key not in self._seen:
            word = word_of(look, {look.place: self.deck[cards[0]]}, self._call)
            self._seen[key] = display(word) if look.word is None else equal(word, look.word)
        return self._seen[key]

    def _new_answer(self, hand: Cards, up_card: int, looks: "Looks") -> bool:
        """Ask a question, and note what the answer depends on."""
        if len(self.asked) >= MOST_QUESTIONS:
            raise too_many_hands()
        answer = self._ask(hand, up_card)
        self.asked.append((hand, up_card, answer))
        seen: list[Look] = []

        def look(at: Look) -> object:
            seen.append(at)
            return self.result(at, hand, up_card)

        words = {place: self.deck[card] for place, card in [*enumerate(hand), (UP, up_card)]}
        again = answer
        try:
            if self._is_followed:
                again = Observer(self._best_total, words, look, self._call).answer(self._strategy)
        except (AttributeError, LookupError, RecursionError, StopIteration, TypeError, ValueError):
            self._is_followed = False
            self._answers.clear()
        if not self._is_followed:  # all cards count
            seen = [Part((place,)) for place in words]
        results: dict[Any, Branch | bool] = self._answers
        key: object = len(hand)
        for at in seen:
            branch = results.setdefault(key, Branch(at, {}))
            if not isinstance(branch, Branch) or branch.look != at:
                raise self._two_answers(hand, up_card)
            results, key = branch.results, self.result(at, hand, up_card)
        if results.setdefault(key, answer) is not again or again is not answer:
            raise self._two_answers(hand, up_card)
        looks.add(seen, len(hand))
        return answer

    def _ask(self, hand: Cards, up_card: int) -> bool:
        cards = [self.deck[card] for card in hand]
        given = list_of(cards)
        answer = self._call(self._strategy, (given, self.deck[up_card])) is not FALSE
        if not equal(given, list_of(cards)):
            raise SchemeError("exact-odds: the strategy changes the hand that it is given:", list_of(cards))
        return answer

    def check_answers(self) -> None:
        """Ask everything again; a `SchemeError` if the strategy's answers are no function of its arguments."""
        random.Random(len(self.asked)).shuffle(self.asked)  # for the sake of a strategy that remembers
        for hand, up_card, answer in self.asked:
            if self._ask(hand, up_card) is not answer:
                raise self._two_answers(hand, up_card)

    def _two_answers(self, hand: Cards, up_card: int) -> SchemeError:
        return SchemeError(
            "exact-odds: the strategy gives two answers to one question:",
            list_of([self.deck[card] for card in hand]),
            self.deck[up_card],
            hint=f"it is random, or it remembers; {_WAY_OUT}",
        )

    def _check_total(self) -> None:
        """Compare the program's `best-total` with the rules, for hands of all values."""
        piles: dict[int, list[Value]] = {kind: [] for kind in sorted(set(self.values))}
        for card, value in zip(self.deck, self.values, strict=True):
            piles[value].append(card)
        hands: list[Hand] = [()]
        for hand in hands:  # The list grows meanwhile.
            total = total_with_jokers(hand)
            cards = [piles[kind][hand[:place].count(kind)] for place, kind in enumerate(hand)]
            for order in (cards, cards[::-1]):
                found = self._call(self._best_total, (list_of(order),)) if hand else total
                if type(found) is not int or min(found, 22) != min(total, 22):
                    raise SchemeError(
                        f"exact-odds: best-total gives {display(found)}, not {total}, for", list_of(order)
                    )
            if total <= 21:
                last = max(hand, default=0)
                hands += [
                    (*hand, kind) for kind, pile in piles.items() if last <= kind and hand.count(kind) < len(pile)
                ]


def too_many_hands() -> SchemeError:
    return SchemeError(
        "exact-odds: the strategy looks at single cards: it would have to be asked about too many of their orders",
        hint=f"ask for cards with keep or member? in place of their places; {_WAY_OUT}",
    )


class _NewLook(Exception):
    """A look that tells apart hands that have been merged."""


class Looks:
    """The looks of strategies, which decide on the hands that are merged."""

    def __init__(self) -> None:
        self.parts: set[Part] = set()  # of any card of the hand, as of the one at place 0
        self.at_up_card: set[Look] = set()
        self.cuts: set[int] = set()  # how many cards at the end are left out
        self.is_at_totals = True  # alone, beside the parts
        self.keeps_order = False

    def add(self, looks: Sequence[Look], size: int) -> None:
        """Add those of a hand; a `_NewLook` if there are new ones."""
        before = self._state()
        for look in looks:
            if look.places == (UP,):
                self.at_up_card.add(look)
            elif isinstance(look, Part):
                self.parts.add(look._replace(places=(0,)))
            else:
                self.cuts.add(size - len(look.places))
                self.is_at_totals &= look.is_total
                self.keeps_order |= look.places != tuple(range(len(look.places)))
        if before != self._state():
            raise _NewLook

    def _state(self) -> tuple[object, ...]:
        return len(self.parts), len(self.at_up_card), len(self.cuts), self.is_at_totals, self.keeps_order


class Table:
    """The game with a deck in kinds of cards, whose hands are merged where customers can't tell them apart."""

    def __init__(self, customer: Customer, looks: Looks) -> None:
        self.looks = looks
        self._cut = len(customer.deck) if looks.keeps_order else max(looks.cuts, default=0)
        kinds: defaultdict[tuple[Any, ...], list[int]] = defaultdict(list)
        up_cards: defaultdict[tuple[object, ...], list[int]] = defaultdict(list)
        for card, value in enumerate(customer.values):
            kinds[value, *(customer.result(part, (card,), card) for part in looks.parts)].append(card)
            up_cards[tuple([customer.result(look, (), card) for look in looks.at_up_card])].append(card)
        self._cards = list(kinds.values())
        self._parts = [kind[1:] for kind in kinds]
        self.up_cards = list(up_cards.values())
        """The dealer's cards, those together that make no difference."""
        self.game = Game(TWENTY_ONE, [kind[0] for kind in kinds], list(map(len, self._cards)))

    def shares(self, up_cards: Sequence[int]) -> list[float]:
        """The part that these cards are of each kind."""
        return [sum(card in cards for card in up_cards) / len(cards) for cards in self._cards]

    def merged(self, hand: Hand) -> Hand:
        """The hand for all that are like this one."""
        if not self._cut:
            return tuple(sorted(hand))
        cut = max(0, len(hand) - self._cut)
        return (*sorted(hand[:cut]), *hand[cut:])

    def hits(self, customer: Customer, up_cards: Sequence[int]) -> Callable[[Hand], bool]:
        """The answers of a customer to cards of the dealer's, which have been shown not to depend on the order."""
        known: dict[tuple[Any, ...], bool] = {}

        def hits(hand: Hand) -> bool:
            seen = self.seen(hand)
            if seen not in known:
                if len(known) >= MOST_QUESTIONS:
                    raise too_many_hands()
                cut = max(0, len(hand) - self._cut)
                orders = [self._dealt((*order, *hand[cut:]), up_cards) for order in self._orders(hand[:cut])]
                answers = {customer.answer(*dealt, self.looks) for dealt in orders if dealt is not None}
                if len(answers) > 1:
                    self.looks.keeps_order = True
                    raise _NewLook
                if not answers:
                    return False
                known[seen] = answers.pop()
            return known[seen]

        return hits

    def seen(self, hand: Hand) -> tuple[Any, ...]:
        """The part of a hand that customers see, in any order; all of it unless that is totals and parts of cards."""
        if self.looks.keeps_order or not self.looks.is_at_totals:
            return hand
        totals = [self.game.total(hand[: max(0, len(hand) - cut)]) for cut in sorted(self.looks.cuts)]
        parts = [self._parts[kind] for kind in hand] if self.looks.parts else []
        cut = max(0, len(parts) - self._cut)
        return len(hand), *totals, *sorted(parts[:cut]), *parts[cut:]

    def _orders(self, hand: Hand) -> Iterator[Hand]:
        """The orders of cards that differ in the parts that are looked at."""
        places = {self._parts[kind]: place for place, kind in enumerate(hand)}
        if len(places) < 2:
            yield hand
        else:
            for place in places.values():
                yield from ((hand[place], *rest) for rest in self._orders(hand[:place] + hand[place + 1 :]))

    def _dealt(self, hand: Hand, up_cards: Sequence[int]) -> tuple[Cards, int] | None:
        """Cards of the deck for a hand, and one of the dealer's; None if she can't have one of these."""
        for up_card in up_cards:
            piles = {kind: [card for card in self._cards[kind] if card != up_card] for kind in hand}
            if all(hand.count(kind) <= len(pile) for kind, pile in piles.items()):
                return tuple([piles[kind].pop() for kind in hand]), up_card
        return None


def with_table(customers: Sequence[Customer], work: Callable[[Table], T]) -> T:
    """The value of some work with a table, which is begun anew when customers are found to look at more."""
    looks = Looks()
    while True:
        try:
            found = work(Table(customers[0], looks))
        except _NewLook:
            continue
        for customer in customers:
            customer.check_answers()
        return found
