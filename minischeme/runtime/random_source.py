"""The source of a session's random numbers."""

from random import Random


class RandomSource:
    """A replaceable generator of random numbers, for instance by one with a seed.

    `fraction` gives a random number from 0 to 1, 1 excluded.
    """

    __slots__ = ("fraction", "random")

    def __init__(self, random: Random) -> None:
        self.replace(random)

    def replace(self, random: Random) -> None:
        self.random = random
        self.fraction = random.random
