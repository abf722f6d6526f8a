"""Exact outcomes, without luck, and tournaments: what a strategy for Twenty-One is worth, by `minischeme.odds`."""

from collections.abc import Callable

from minischeme.data.values import Value
from minischeme.primitives.kinds import Index, List, Procedure, as_index, check_procedure
from minischeme.primitives.pairs import elements
from minischeme.primitives.registry import primitive
from minischeme.runtime.context import Context
from minischeme.runtime.tail_calls import TailCall

Odds = Callable[..., Value]
"""The function of the session that calls a function of `odds.procedures`, given by its name."""


@primitive("exact-outcomes", dialect="berkeley")
def exact_outcomes(strategy: Procedure, best_total: Procedure, deck: List, *, tail: TailCall, odds: Odds) -> Value:
    """The chances of a win, a tie, a loss and a bust in a game of Twenty-One, and the number of questions asked.

    All games with a deck are enumerated, and the strategy is asked what it would do, twice: a strategy that answers
    differently is an error. best-total is the one that the strategy uses; a mistake in it is an error, too.
    """
    check_procedure(strategy, best_total)
    return odds("outcomes", tail.call, strategy, best_total, elements(deck))


@primitive("optimal-answer", dialect="berkeley")
def best_answer(hand: List, up_card: Value, deck: List, *, odds: Odds) -> Value:
    """Whether the best strategy takes another card in Twenty-One, played with a deck."""
    return odds("best_answer", elements(hand), up_card, elements(deck))


@primitive("strategy-differences", dialect="berkeley")
def strategy_differences(
    first: Procedure, second: Procedure, best_total: Procedure, deck: List, *, tail: TailCall, odds: Odds
) -> Value:
    """Where two strategies differ, and what that is worth.

    A list of lists of hard, soft or joker, a total, the value of the dealer's card, the first one's answer, h, s or
    both, and what it gains by it in a game.
    """
    check_procedure(first, second, best_total)
    return odds("differences", tail.call, first, second, best_total, elements(deck))


@primitive("exact-guest-outcomes", dialect="berkeley")
def exact_guest_outcomes(draws: Procedure, *, tail: TailCall, odds: Odds) -> Value:
    """The chances of a win, a tie, a loss and a bust of a guest in Black Jack who draws if (draws? value) is true."""
    check_procedure(draws)
    return odds("guest_outcome", tail.call, draws)


@primitive("strategy-answers", dialect="berkeley")
def strategy_answers(strategy: Procedure, best_total: Procedure, deck: List, *, tail: TailCall, odds: Odds) -> Value:
    """The table of a strategy's answers, as a string; #f if it looks at more than totals."""
    check_procedure(strategy, best_total)
    return odds("answers", tail.call, strategy, best_total, elements(deck))


@primitive("tournament-table", dialect="berkeley")
def tournament_table(
    games: Index,
    names: List,
    strategies: List,
    best_total: Procedure,
    deck: List,
    *,
    tail: TailCall,
    odds: Odds,
    context: Context,
) -> Value:
    """The standings after a tournament of strategies with these names, as a string."""
    check_procedure(best_total)
    lists = [elements(each) for each in (names, strategies, deck)]
    return odds("tournament", tail.call, as_index(games), *lists, best_total, context.chance.random.getrandbits(32))
