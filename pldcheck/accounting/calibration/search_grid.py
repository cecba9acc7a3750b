"""The values a search may try, numbered in order: the integers, or decimals of so many digits."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log10

from ...core.parameters import range_words


@dataclass(frozen=True)
class Grid:
    """The values from ``least`` to ``most``; ``digits`` is 0 for integers.

    A decimal with mantissa M, 10^(d-1) <= M < 10^d, and exponent e, is number 9 e 10^(d-1) + M - 10^(d-1).
    ``precision``: neighbours on either side of the answer need not be closer, relatively.
    """

    least: float
    most: float
    digits: int
    precision: float

    @classmethod
    def integers(cls, least: float, most: float) -> Grid:
        """All of them, and the answer exactly."""
        return cls(least, most, 0, 0.0)

    @classmethod
    def decimals(cls, least: float, most: float, precision: float) -> Grid:
        """With digits enough that neighbours differ by no more than the precision."""
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
        """The value of that number."""
        if not self.digits:
            return number
        exponent, rest = divmod(number, 9 * 10 ** (self.digits - 1))
        return float(f"{rest + 10 ** (self.digits - 1)}e{exponent - self.digits + 1}")

    def number(self, value: float) -> int:
        """The number of the value nearest to this one."""
        if not self.digits:
            return round(value)
        mantissa, _, exponent = f"{value:.{self.digits - 1}e}".partition("e")
        return int(mantissa.replace(".", "")) - 10 ** (self.digits - 1) + int(exponent) * 9 * 10 ** (self.digits - 1)

    def close(self, one: int, other: int) -> bool:
        """Whether nothing between the two is worth trying."""
        low, high = sorted((one, other))
        return high - low <= 1 or self.value(high) <= self.value(low) * (1.0 + self.precision)

    def __str__(self) -> str:
        return range_words(self.least, self.most)
