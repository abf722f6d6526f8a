"""Intervals for what games are worth: of a share, and of a mean difference that is looked at again and again."""

from collections.abc import Mapping
from math import exp, log, log1p, sqrt
from statistics import NormalDist

Interval = tuple[float, float]

_BETS = [0.24 / 2**power for power in range(18)]
"""Stakes for differences between -2 and 2: none can lose all, since 0.24 times 4 is less than 1."""


def wilson(count: int, games: int, sureness: float = 0.95) -> Interval:
    """The interval of E. B. Wilson (1927) for a probability, after so many successes."""
    z = NormalDist().inv_cdf((1 + sureness) / 2)
    share, spread = count / games, z * z / games
    middle = (share + spread / 2) / (1 + spread)
    half = z * sqrt(share * (1 - share) / games + spread / games / 4) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)


def confidence_sequence(counts: Mapping[int, int], risk: float) -> Interval:
    """The interval for the mean of differences between -2 and 2, given how often each came.

    Whoever looks after every game, and stops when she likes, ever sees the mean outside with at most this risk: if the
    mean is m, nobody can win by betting on more, or on less, and the capital of a gambler exceeds 2 / risk with at most
    half the risk (Ville). The gambler divides her capital between fixed stakes (the method of mixtures; I. Waudby-Smith
    and A. Ramdas, "Estimating means of bounded random variables by betting", JRSS B 86, 2024).
    """
    return _least(counts, risk), -_least({-value: count for value, count in counts.items()}, risk)


def _least(counts: Mapping[int, int], risk: float) -> float:
    """The least mean at which nobody who bets on more has won too much."""

    def has_won(mean: float) -> bool:
        logs = [sum(count * log1p(bet * (value - mean)) for value, count in counts.items()) for bet in _BETS]
        most = max(logs)
        return most + log(sum(exp(each - most) for each in logs) / len(logs)) > log(2 / risk)

    low, high = -2.0, 2.0
    while has_won(low) and high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if has_won(middle) else (low, middle)
    return low
