"""Exact outcomes, without luck: all games of Twenty-One and of Black Jack, enumerated."""

from collections.abc import Callable

from minischeme.data.values import FALSE, TRUE, String, Value, list_of
from minischeme.primitives.kinds import Index, List, Procedure, as_index
from minischeme.primitives.loops import check_procedure
from minischeme.primitives.pairs import elements
from minischeme.primitives.registry import primitive
from minischeme.runtime.context import Context
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


@primitive("optimal-answer", dialect="berkeley")
def best_answer(hand: List, up_card: Value, deck: List, *, answer_best: Callable[..., bool]) -> Value:
    """Whether the best strategy takes another card in Twenty-One, played with a deck."""
    return TRUE if answer_best(list(elements(hand)), up_card, list(elements(deck))) else FALSE


@primitive("strategy-differences", dialect="berkeley")
def strategy_differences(
    first: Procedure,
    second: Procedure,
    best_total: Procedure,
    deck: List,
    *,
    tail: TailCall,
    differ: Callable[..., list[tuple[Value, ...]]],
) -> Value:
    """Where two strategies differ, and what that is worth.

    A list of lists of hard, soft or joker, a total, the value of the dealer's card, the first one's answer, h, s or
    both, and what it gains by it in a game.
    """
    check_procedure(first)
    check_procedure(second)
    check_procedure(best_total)
    found = differ(first, second, best_total, list(elements(deck)), lambda f, *args: tail.call(f, args))
    return list_of([list_of(entry) for entry in found])


@primitive("exact-guest-outcomes", dialect="berkeley")
def exact_guest_outcomes(
    draws: Procedure, *, tail: TailCall, play_black_jack: Callable[..., tuple[float, ...]]
) -> Value:
    """The chances of a win, a tie, a loss and a bust of a guest in Black Jack who draws if (draws? value) is true."""
    check_procedure(draws)
    return list_of([*play_black_jack(lambda value: tail.call(draws, (value,)) is not FALSE)])


@primitive("strategy-answers", dialect="berkeley")
def strategy_answers(
    strategy: Procedure,
    best_total: Procedure,
    deck: List,
    *,
    tail: TailCall,
    tabulate: Callable[..., tuple[tuple[int, ...], str] | None],
) -> Value:
    """What a strategy looks at, and its answers to all questions about that; #f if that is not totals alone."""
    check_procedure(strategy)
    check_procedure(best_total)
    found = tabulate(strategy, best_total, list(elements(deck)), lambda f, *args: tail.call(f, args))
    return FALSE if found is None else list_of([list_of(found[0]), String(found[1])])


@primitive("tournament-table", dialect="berkeley")
def tournament_table(
    games: Index,
    names: List,
    strategies: List,
    best_total: Procedure,
    deck: List,
    *,
    tail: TailCall,
    context: Context,
    play_tournament: Callable[..., str],
) -> Value:
    """The standings after a tournament of strategies with these names, as a string."""
    check_procedure(best_total)
    seed = context.chance.random.getrandbits(32)
    lists = [list(elements(each)) for each in (names, strategies, deck)]
    return String(play_tournament(as_index(games), *lists, best_total, seed, lambda f, *args: tail.call(f, args)))
