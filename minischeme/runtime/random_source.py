"""The source of a session's random numbers."""

from __future__ import annotations

from random import Random


class RandomSource:
    """A generator of random numbers that can be replaced by another one, for instance one with a seed.

    `fraction` gives a random number from 0 to 1, 1 excluded.
    """

    __slots__ = ("fraction", "random")

    def __init__(self, random: Random) -> None:
        self.replace(random)

    def replace(self, random: Random) -> None:
        """Take the numbers from elsewhere."""
        self.random = random
        self.fraction = random.random
