"""The values of a search, numbered in increasing order: integers, or decimals with a fixed number of digits."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log10

from ...core.parameters import range_words


@dataclass(frozen=True)
class Grid:
    """The values from ``least`` to ``most``, with ``digits`` significant digits, or all integers if ``digits`` is 0.

    A decimal with mantissa M, 10^(d-1) <= M < 10^d, and exponent e, has the number 9 e 10^(d-1) + M - 10^(d-1).
    ``precision`` is the relative distance at which two values are close enough for the search to end.
    """

    least: float
    most: float
    digits: int
    precision: float

    @classmethod
    def integers(cls, least: float, most: float) -> Grid:
        """Return the grid of all integers between two ends."""
        return cls(least, most, 0, 0.0)

    @classmethod
    def decimals(cls, least: float, most: float, precision: float) -> Grid:
        """Return the grid of decimals with enough digits that neighbours differ by at most the precision."""
        return cls(least, most, max(ceil(-log10(precision) - 1e-9), 1) + 1, precision)

    @property
    def first(self) -> int:
        """The number of ``least``."""
        return self.number(self.least)

    @property
    def last(self) -> int:
        """The number of ``most``."""
        return self.number(self.most)

    def value(self, number: int) -> int | float:
        """Return the value with that number."""
        if not self.digits:
            return number
        exponent, rest = divmod(number, 9 * 10 ** (self.digits - 1))
        return float(f"{rest + 10 ** (self.digits - 1)}e{exponent - self.digits + 1}")

    def number(self, value: float) -> int:
        """Return the number of the grid's value that is nearest to ``value``."""
        if not self.digits:
            return round(value)
        mantissa, _, exponent = f"{value:.{self.digits - 1}e}".partition("e")
        return int(mantissa.replace(".", "")) - 10 ** (self.digits - 1) + int(exponent) * 9 * 10 ** (self.digits - 1)

    def close(self, one: int, other: int) -> bool:
        """Return whether two values are neighbours or differ by at most the precision."""
        low, high = sorted((one, other))
        return high - low <= 1 or self.value(high) <= self.value(low) * (1.0 + self.precision)

    def __str__(self) -> str:
        return range_words(self.least, self.most)
