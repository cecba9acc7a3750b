r"""Binary randomized response among many clients, for every split of the others between the two values.

Of the n - 1 others t hold the record's value and s its replacement's, t + s = n - 1.

**Fewer others reveal more.**  The messages of t and s others are those of a <= t and b <= s of them with more messages
added, and the order is random anyway: a post-processing.  So :math:`\delta_{t,s} \le \delta_{a,b}`, and one divergence
bounds all splits with t from :math:`t_0` to :math:`t_1`: that of :math:`a = t_0` and :math:`b = n - 1 - t_1`.  Cells
of the splits are halved until each of them is at most what is to be shown.  A few hundred cover all of them, however
many there are, since the divergence hardly changes where a share of 1e-3 of the clients is left out.

Both directions are covered: with the values exchanged t becomes n - 1 - t.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import log

from ..core.directed import Ends, Side
from ..core.interval import UNDERFLOW
from ..core.roots import cross
from ..pld.curve_candidates import Candidate
from .two_coin_contour import Response
from .two_coin_divergence import divergence

# The name of the bound, whose ends are the least and the largest over all splits.
NAME = "2-ary randomized response, the other records split in the worst way"
# Relative widths of epsilon that are tried in turn.
WIDTHS = (1e-3, 2e-3, 4e-3, 1e-2, 3e-2, 0.1, 0.3)
# Cells at first, and visited at most for one width: a cell takes about a millisecond.
FIRST_CELLS = 16
MOST_CELLS = 2500
# Share of the others up to which a cell that is above the level may well hold a split that is.
NARROW = 1e-3
# How often a worse split takes the place of the worst one so far.
MOST_REPLACEMENTS = 12
# A split is worse where its divergence is larger by this share; a smaller gain is not worth another search.
WORTHWHILE = 1e-9
# Relative step of the difference quotient that estimates a slope.
STEP = 1e-3
# Evaluations of one search of an epsilon.
TRIALS = 40


@dataclass(frozen=True)
class Search:
    """The outcome of a cover: whether all splits are at most a level, and a split that is above it, if one was seen."""

    covers: bool
    split: int | None = None


@dataclass(frozen=True)
class Splits:
    """All splits of the other clients, ``others`` of them, between the values of the record and its replacement."""

    others: int
    eps0: float

    def at(self, epsilon: float, split: int) -> Ends:
        """Return the divergence at an epsilon where so many of the others hold the record's value."""
        return self._bound(epsilon, split, split)

    def _bound(self, epsilon: float, first: int, last: int) -> Ends:
        """Return a divergence of which the upper end bounds all splits between two."""
        return divergence(Response.of(self.eps0, epsilon), first, self.others - last)

    def likely_worst(self, epsilon: float) -> int:
        """Return the worst of some splits at an epsilon: halves of halves of the clients on either side."""
        parts = [self.others >> power for power in range(self.others.bit_length() + 1)]
        return max({*parts, *(self.others - part for part in parts)}, key=lambda split: self.at(epsilon, split).lower)

    def search(self, epsilon: float, level: float) -> Search:
        """Return whether cells cover all splits whose divergences are at most a level at an epsilon."""
        marks = [self.others * part // FIRST_CELLS for part in range(FIRST_CELLS + 1)]
        cells, visits = list(zip(marks, marks[1:], strict=False)), 0
        while cells:
            first, last = cells.pop()
            visits += 1
            if self._bound(epsilon, first, last).upper <= level:
                continue
            middle = (first + last) // 2
            if last - first <= NARROW * self.others and self.at(epsilon, middle).lower > level * (1.0 + WORTHWHILE):
                return Search(False, middle)
            if first == last or visits > MOST_CELLS:
                return Search(False)
            cells += [(first, middle), (middle + 1, last)]
        return Search(True)

    def epsilon_at(self, delta: float, split: int, start: float, slope: float) -> float:
        """Return an epsilon at which the divergence of a split exceeds delta; 0 if there is none."""
        if not self.at(0.0, split).lower > delta:
            return 0.0
        start = min(start, 0.9 * self.eps0)

        def lower(epsilon: float) -> float:
            return self.at(epsilon, split).lower

        return cross(lower, delta, start, slope, self.eps0, side=Side.LOWER, trials=TRIALS)

    def slope(self, epsilon: float, split: int) -> float:
        """Return about -d log delta / d log epsilon of a split."""
        here, there = (self.at(place, split).upper for place in (epsilon, epsilon * (1.0 - STEP)))
        return max(log(there / here) / STEP, 1.0) if there > here > UNDERFLOW else 1.0


def candidate(clients: int, eps0: float, start: float) -> Candidate:
    """Return the bound, from both sides; ``start`` is an epsilon near those that are asked for.

    Parameters
    ----------
    clients : int
        The number n of clients, at least 2 and at most 1e12.
    eps0 : float
        The budget of the randomizer.
    start : float
        About the epsilon of an answer.

    """
    splits = Splits(clients - 1, eps0)

    @cache
    def delta(epsilon: float) -> Ends:
        if epsilon >= eps0:
            return Ends(0.0, 0.0, 0.0, 0.0)
        split = splits.likely_worst(epsilon)
        slope = splits.slope(epsilon, split) if epsilon > 0.0 else 1.0
        lower, level = splits.at(epsilon, split).lower, 0.0
        for width in WIDTHS:
            for _ in range(MOST_REPLACEMENTS):
                level = lower * (1.0 + width * slope) + UNDERFLOW
                outcome = splits.search(epsilon, level)
                if outcome.covers:
                    return Ends(lower, min(level, 1.0), 0.0, 0.0)
                if outcome.split is None:
                    break
                lower = splits.at(epsilon, outcome.split).lower
        return Ends(lower, 1.0, 0.0, 0.0)

    @cache
    def epsilon(delta_: float) -> tuple[float, float, Ends]:
        split = splits.likely_worst(min(start, 0.5 * eps0))
        lower = splits.epsilon_at(delta_, split, start, 1.0 / start)
        for width in WIDTHS:
            for _ in range(MOST_REPLACEMENTS):
                upper = lower * (1.0 + width)
                if upper >= eps0:
                    return lower, eps0, Ends(0.0, 0.0, 0.0, 0.0)
                outcome = splits.search(upper, delta_)
                if outcome.covers:
                    return lower, upper, Ends(splits.at(upper, split).lower, delta_, 0.0, 0.0)
                if outcome.split is None:
                    break
                split = outcome.split
                lower = splits.epsilon_at(delta_, split, max(lower, 0.5 * start), 1.0 / start)
        return lower, eps0, Ends(0.0, 0.0, 0.0, 0.0)

    return Candidate(NAME, delta, epsilon, start=start)
