"""Exact outcomes, without luck: all games of Twenty-One and of Black Jack, enumerated."""

from collections.abc import Callable

from minischeme.data.values import FALSE, Value, list_of
from minischeme.primitives.kinds import List, Procedure
from minischeme.primitives.loops import check_procedure
from minischeme.primitives.pairs import elements
from minischeme.primitives.registry import primitive
from minischeme.runtime.tail_calls import TailCall


@primitive("exact-outcomes", dialect="berkeley")
def exact_outcomes(
    strategy: Procedure,
    best_total: Procedure,
    deck: List,
    *,
    tail: TailCall,
    play_exactly: Callable[..., tuple[tuple[float, ...], int]],
) -> Value:
    """The chances of a win, a tie, a loss and a bust in a game of Twenty-One, and the number of questions asked.

    All games with a deck are enumerated, and the strategy is asked what it would do, twice: a strategy that answers
    differently is an error. best-total is the one that the strategy uses; a mistake in it is an error, too.
    """
    check_procedure(strategy)
    check_procedure(best_total)
    chances, questions = play_exactly(strategy, best_total, list(elements(deck)), lambda f, *args: tail.call(f, args))
    return list_of([*chances, questions])


@primitive("exact-guest-outcomes", dialect="berkeley")
def exact_guest_outcomes(
    draws: Procedure, *, tail: TailCall, play_black_jack: Callable[..., tuple[float, ...]]
) -> Value:
    """The chances of a win, a tie, a loss and a bust of a guest in Black Jack who draws if (draws? value) is true."""
    check_procedure(draws)
    return list_of([*play_black_jack(lambda value: tail.call(draws, (value,)) is not FALSE)])
