"""The search for epsilon in one direction: P against Q, or Q against P."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite

from ..core.directed import Ends
from ..core.interval import ErrorBudget, Interval, apply_cap, checked_lower
from . import curve_inversion, one_large_loss
from .law_bounds import Parts
from .loss_total import Total
from .step_totals import totals

# Tails of cells that are trimmed, relative to delta.
TRIM = 1e-6
# Relative width of a delta from which on trimming is tried.
WIDE = 1e-3


@dataclass(frozen=True, eq=False)
class DirectionSearch:
    """The search for epsilon in one direction; ``below`` is the sum for the lower end, None if losses are exact.

    ``whole`` is the sum for the lower end with all its tails.
    """

    above: curve_inversion.Search
    below: Total | None
    whole: Total
    delta: float
    width: float
    cap: tuple[float, float]

    @classmethod
    def of(cls, parts: Parts, delta: float, width: float, least: float) -> DirectionSearch:
        """Return the search at a delta, with the relative width that the inversion may add.

        ``least``: the least delta that cells must reach; 0 has the finest ones.
        """
        above, below, width = totals(parts, width, least)
        cap = above.cap
        if below is above:
            return cls(curve_inversion.Search(above, delta, width), None, above, delta, width, cap)
        whole = below
        if sum(count for _, count in parts) > 1 and curve_inversion.is_inverted(above):
            above, below = above.trim(TRIM * delta, drop=False), below.trim(TRIM * delta, drop=True)
        return cls(curve_inversion.Search(above, delta, width), below, whole, delta, width, cap)

    def answer(self) -> Interval:
        """Return the epsilon of this direction."""
        high, ends = self.above.upper()
        below = self.above
        if self.below is not None:
            below = curve_inversion.Search(self.below, self.delta, self.width, like=self.above)
        low = below.lower(high)
        if isfinite(high) and high > (1.0 + WIDE) * low:
            low = one_large_loss.epsilon(self.whole, self.delta, low, high)
        low = checked_lower(low, high)
        if self.below is not None and isfinite(high):
            ends = Ends(below.at(high).lower, ends.upper, ends.truncation, ends.rounding)
        # A finite epsilon is at most the largest finite loss.
        cap = self.cap if isfinite(high) else (inf, inf)
        return apply_cap(Interval(low, high, "epsilon", budget_of(ends)), cap)


def budget_of(ends: Ends) -> ErrorBudget:
    """Return the parts of the width between two ends."""
    rest = max(ends.upper - ends.lower - ends.truncation - ends.rounding, 0.0)
    return ErrorBudget(rest, ends.truncation, ends.rounding)
