r"""Random swapping with two groups of other records, which is less private than with equal ones.

The record trades places with one of n places; the others keep theirs.  The first place answers with randomized response
on which group its record is of, x times as likely in one as in the other, the record's first output being that of the
first group, its replacement's that of the second; all other places use ternary randomized response, the others on a
third value.  With c the first output and v_i its probability under the record that the i-th place gave up,

.. math:: P(c, y) = \frac1n \Big( p(c) + \sum_{i \ge 2} v_i(c) a_i \Big) Q_0(y),

P' likewise with p' and a': the sums of a and a' over both groups are all there is to know.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, expm1, log

import numpy as np
from numpy.typing import NDArray

from ...core.arrays import Array
from . import transcript_blocks
from .attacked_mechanism import Law, Tilt, Transcripts
from .attacked_slots import ALL, OneLaw
from .proposal_tilt import DOUBT, STEEP, least, tilted_law

# The name of the target.
NAME = "3-ary randomized response, two groups of other records"
# The key of the random numbers for c and the place.
_PLACES = 0
# The first key of the random numbers for both groups, with the record and without it.
_GROUPS = 1


@dataclass(frozen=True, eq=False)
class TwoGroupSwap:
    """Random swapping of ``clients`` places by the ternary ``law``; ``first`` others are in the first group."""

    clients: int
    eps0: float
    law: Law
    first: int
    name: str = NAME
    observation: str = ALL
    weight: float = 1.0

    @property
    def slots(self) -> int:
        """The number of places that may hold the record."""
        return self.clients

    @property
    def laws(self) -> tuple[Law, ...]:
        """The law of all places but the first."""
        return (self.law,)

    @property
    def groups(self) -> tuple[OneLaw, OneLaw]:
        """The places of each group as a target of its own."""
        sizes = self.first, self.clients - 1 - self.first
        return OneLaw(self.name, sizes[0], 1.0, self.law), OneLaw(self.name, sizes[1], 1.0, self.law)

    def shares(self, c: int) -> tuple[float, float]:
        """Return the probabilities of the first output c under the two groups, those of record and replacement."""
        likely = 1.0 / (1.0 + exp(-self.eps0))
        return (likely, 1.0 - likely) if c == 0 else (1.0 - likely, likely)

    def drawing(self, count: int) -> str:
        """Return the way in which the larger group is drawn."""
        return max(self.groups, key=lambda group: group.slots).drawing(count)

    def proposal(self, epsilon: float) -> Tilt:
        """Return the proposal with equally many of either c, each with its own theta; its bound is the larger one."""
        bound = max(self._steepness(c, epsilon)[1] for c in (0, 1))
        return Tilt(epsilon, self._steepness(0, epsilon)[0], bound)

    def _steepness(self, c: int, epsilon: float) -> tuple[float, float]:
        """Return theta for one c, and the log of the bound of a transcript's value."""
        sizes, shares = [group.slots for group in self.groups], self.shares(c)
        offset = self._offset(c, epsilon)

        def log_bound(theta: float) -> float:
            cumulants = [tilted_law(self.law, epsilon, theta * share)[1] for share in shares]
            total = sum(size * cumulant for size, cumulant in zip(sizes, cumulants, strict=True))
            return float(total + theta * offset - 1.0 - log(theta * self.clients) + log(2.0))

        s = np.abs(self.law.steps(epsilon))
        theta = least(log_bound, 1e-3 / float(s.max() * self.clients), STEEP / float(s.max()))
        doubt = DOUBT * (1.0 + theta * (self.clients * float(s.max()) + abs(offset)))
        return theta, log_bound(theta) + doubt

    def _offset(self, c: int, epsilon: float) -> float:
        """Return n S less the weighted sum of s."""
        mine, other = self.shares(c)
        return mine - exp(epsilon) * other - expm1(epsilon) * self._total(c)

    def _total(self, c: int) -> float:
        return sum(group.slots * share for group, share in zip(self.groups, self.shares(c), strict=True))

    def draw_tilted(self, proposal_law: Tilt, key: int, count: int) -> Transcripts:
        """Return equally many transcripts with either c; an odd one is left out.

        It is valid not to draw c: the factors of the wealth have means that average to at most 1, and so does their
        product.
        """
        parts_by_c, size = [], count // 2
        for c in (0, 1):
            theta = self._steepness(c, proposal_law.epsilon)[0]
            sums, log_weight = np.zeros((size, 2)), np.zeros(size)
            for number, (group, share) in enumerate(zip(self.groups, self.shares(c), strict=True)):
                own = Tilt(proposal_law.epsilon, theta * share, 0.0)
                if group.slots:
                    transcripts = group.draw_tilted(own, transcript_blocks.key(key, 2 * c + number), size)
                    sums += share * group.slots * np.stack([transcripts.record, transcripts.replacement], axis=1)
                    log_weight += transcripts.log_weight
            parts_by_c.append(self._transcripts(np.full(size, c), sums, log_weight))
        return Transcripts(*(np.concatenate(parts) for parts in zip(*parts_by_c, strict=True)))

    def scores(self, party: int, key: int, count: int) -> Array:
        """Return the logs of the likelihood ratios."""
        return self.plain(party, key, count).scores()

    def plain(self, party: int, key: int, count: int) -> Transcripts:
        """Return transcripts of the mechanism: place of the record, output of the first place, then the rest."""
        numbers = np.random.Generator(np.random.Philox(key=np.array([key, _PLACES], dtype=np.uint64)))
        place, coin = numbers.integers(self.clients, size=count), numbers.random(count)
        # 0 if the record is at the first place; 1 or 2 if one of a group is, and the record is in its place.
        at = np.where(place == 0, 0, np.where(place <= self.first, 1, 2))
        chance = np.array([self.shares(0)[party], *self.shares(0)])[at]
        c = (coin >= chance).astype(np.int64)
        sums = np.zeros((count, 2))
        for number, group in enumerate(self.groups):
            if not group.slots:
                continue
            share = np.where(c == 0, self.shares(0)[number], self.shares(1)[number])
            with_it = group.plain(party, transcript_blocks.key(key, _GROUPS + 2 * number), count)
            without = group.alone(transcript_blocks.key(key, _GROUPS + 2 * number + 1), count)
            here = at == number + 1
            for column, one, other in (
                (0, with_it.record, without.record),
                (1, with_it.replacement, without.replacement),
            ):
                sums[:, column] += share * group.slots * np.where(here, one, other)
        return self._transcripts(c, sums, np.zeros(1))

    def _transcripts(self, c: NDArray[np.int64], sums: Array, log_weight: Array) -> Transcripts:
        """Return likelihood ratios to the law in which c is a fair coin and no place has the record."""
        totals, firsts = np.array([self._total(0), self._total(1)])[c], np.array([self.shares(0), self.shares(1)])[c]
        ratios = 2.0 / self.clients * (firsts + totals[:, None] + sums)
        return Transcripts(ratios[:, 0] - 1.0, ratios[:, 1] - 1.0, log_weight)
