"""Real FFTs: how far off their outputs may be, and the lengths at which they are computed.

The transforms are numpy's.  Those of scipy are the same to the bit, and take a tenth of a second to import.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import cache

# The error of one output of an FFT, in units, divided by log2 of its length; :mod:`pldcheck.core.assumed` has more.
FFT = 8.0


@cache
def _lengths(bits: int) -> list[int]:
    """Return, in order, the numbers of so many bits that have no prime factor beyond 5."""
    odd_parts = (3**threes * 5**fives for threes in range(bits) for fives in range(bits))
    return sorted(odd << (bits - odd.bit_length()) for odd in odd_parts if odd.bit_length() <= bits)


def fast_length(least: int) -> int:
    """Return the smallest number from ``least``, at least 1, on that has no prime factor beyond 5."""
    bits = least.bit_length()
    lengths = _lengths(bits)
    place = bisect_left(lengths, least)
    return lengths[place] if place < len(lengths) else 2**bits
