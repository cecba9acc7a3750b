"""The random numbers of each party, the same as in the kernels, in plain integers."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, log, pi, sin, sqrt

import numpy as np

from ...core.arrays import Array

# The mask of 64 bits.
_WORD = (1 << 64) - 1
# The increment of SplitMix64, 2^64 over the golden ratio.
_GOLDEN = 0x9E3779B97F4A7C15


def _output(state: int, i: int) -> int:
    """Return output i (from 0) of SplitMix64 started at ``state`` (Steele, Lea, Flood 2014)."""
    z = (state + (i + 1) * _GOLDEN) & _WORD
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _WORD
    return z ^ (z >> 31)


@dataclass(frozen=True)
class Draws:
    """The private draws of one party in one run, each addressed by its number.

    They serve for simulation only: SplitMix64 can be inverted, so that it protects no secrets.
    """

    stream: int

    @classmethod
    def of(cls, seed: int, run: int, role: int, number: int = 0) -> Draws:
        """Return the draws of the party with a role and a number."""
        return cls.family(seed, run, role).member(number)

    @classmethod
    def family(cls, seed: int, run: int, role: int) -> Draws:
        """Return the draws from which :meth:`member` makes those of all parties with a role."""
        return cls(_output(_output(seed, run), role))

    def member(self, number: int) -> Draws:
        """Return the draws of one member of a family."""
        return Draws(self.word(number))

    def word(self, i: int) -> int:
        """Return draw ``i`` as an integer of 64 bits."""
        return _output(self.stream, i)

    def uniform(self, i: int) -> float:
        """Return draw ``i`` as a uniform number in (0, 1)."""
        return ((self.word(i) >> 12) + 0.5) * 2.0**-52

    def below(self, i: int, size: int) -> int:
        """Return draw ``i`` as one of 0, ..., size - 1."""
        return min(int(self.uniform(i) * size), size - 1)

    def normals(self, first: int, size: int) -> Array:
        """Return standard normal numbers; two uniform draws give two of them (Box and Muller 1958)."""
        numbers = []
        for k in range(first, first + size, 2):
            radius, angle = sqrt(-2.0 * log(self.uniform(k))), 2.0 * pi * self.uniform(k + 1)
            numbers += [radius * cos(angle), radius * sin(angle)]
        return np.array(numbers[:size])
