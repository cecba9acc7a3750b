r"""Two groups of laws for Laplace noise that dominate the gains of every three records in [0, 1].

Let the record be at i and its replacement at j > i; i > j is the mirror image, whose gains have the same laws.  By
:mod:`.laplace_references` the gains of a slot's own record o are dominated by those of

* own record o and others at 0 and 1, where i <= o <= j: its law is in the first group if o <= 1/2, and in the second
  otherwise;
* (0, x, 1) with x = i - o, where o < i: own record 0, record x and replacement 1, in the first group;
* (0, 1, x) with x = o - j, where o > j, mirrored: in the second.

Which of the groups a law belongs to is free, as the bound (:mod:`.two_group_blocks`) is the largest for all numbers of
slots in the two.  At x = 0 they are the laws of own records 0 and 1 between others at 0 and 1.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from . import laplace_outer_records
from .laplace_record_ranges import LaplaceRecords, ranges
from .output_probabilities import LaplaceNoise
from .two_group_blocks import Groups


@lru_cache(maxsize=16)
def groups(eps0: float) -> Groups:
    """Return laws, in two groups, that together dominate the gains of any three records of [0, 1].

    The own records at the ends, which reveal most, have their own laws; the others share laws of about the same second
    moment or less.
    """
    noise, zero = LaplaceNoise(eps0, 1.0), Fraction(0)
    between = [(zero, zero), *ranges(eps0)]
    first = [LaplaceRecords(noise, first, last) for first, last in between]
    second = [LaplaceRecords(noise, 1 - last, 1 - first) for first, last in between]
    nearer, farther = (laplace_outer_records.records(eps0, farther=farther) for farther in (False, True))
    return (*first, *nearer), (*second, *farther)
