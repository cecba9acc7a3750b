"""Quantiles of a stream of numbers in bounded memory: exact for the first ones, in narrow bins beyond them."""

from __future__ import annotations

import struct
from array import array
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, field
from itertools import accumulate
from math import inf

# The number of values that are kept one by one: 0.8 MB, and more than the cells of any built-in suite.
EXACT = 100_000
# The number of low bits of a double that a bin leaves out: bins are 2^-10 of their values wide, below the third digit,
# which is the last one that is printed of a quantile.
DROPPED_BITS = 42
# The largest relative distance between a quantile from bins and the true one.
BIN_WIDTH = 2.0 ** (DROPPED_BITS - 52)


@dataclass
class Quantiles:
    """The quantiles of positive numbers that are added one by one.

    The least and the largest are exact.  The others are exact as long as at most ``EXACT`` values were added; beyond
    that each is the lower end of a bin that contains the true one, hence at most ``BIN_WIDTH`` of its value below it.

    Examples
    --------
    >>> quantiles = Quantiles()
    >>> for value in (3.0, 1.0, 2.0, 8.0):
    ...     quantiles.add(value)
    >>> quantiles.count, quantiles.least, quantiles.median, quantiles.most
    (4, 1.0, 2.5, 8.0)

    """

    count: int = 0
    least: float = inf
    most: float = 0.0
    _values: array = field(default_factory=lambda: array("d"))
    _bins: Counter[int] = field(default_factory=Counter)

    def add(self, value: float) -> None:
        """Add a number, which must be positive and finite."""
        self.count += 1
        if value < self.least:
            self.least = value
        if value > self.most:
            self.most = value
        if self._bins:
            self._bins[_bin(value)] += 1
        else:
            self._values.append(value)
            if self.count > EXACT:
                self._bins.update(map(_bin, self._values))
                self._values = array("d")

    @property
    def is_exact(self) -> bool:
        """Whether the quantiles are exact."""
        return not self._bins

    @property
    def median(self) -> float:
        """The middle value, or the mean of the two in the middle."""
        middle = self.count // 2
        high = self.value_at(middle)
        return high if self.count % 2 else (self.value_at(middle - 1) + high) / 2

    def value_at(self, place: int) -> float:
        """Return the value at a place of the ascending order, from 0; raise IndexError if there is none."""
        if not 0 <= place < self.count:
            raise IndexError(f"no value at place {place} of {self.count}")
        if self.is_exact:
            return sorted(self._values)[place]
        bins = sorted(self._bins)
        sums = list(accumulate(self._bins[one] for one in bins))
        return max(_lower_end(bins[bisect_right(sums, place)]), self.least)


def _bin(value: float) -> int:
    """Return the bin of a positive number: its bits but for the lowest ones; they ascend with the number."""
    return struct.unpack("<q", struct.pack("<d", value))[0] >> DROPPED_BITS


def _lower_end(place: int) -> float:
    return struct.unpack("<d", struct.pack("<q", place << DROPPED_BITS))[0]
