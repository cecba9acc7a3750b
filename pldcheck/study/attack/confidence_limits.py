r"""Confidence limits with proven coverage, at any sample size.

Proportions: Clopper and Pearson (1934).  Means of values in [0, 1]: betting.  For a stake :math:`\lambda` fixed before
the values are drawn and a mean of at most :math:`\mu` the wealth :math:`\prod_i (1 + \lambda (X_i - \mu))` is at most 1
on average, so by Markov's inequality it reaches :math:`1/\alpha` with probability at most :math:`\alpha` (Waudby-Smith
and Ramdas 2024, with one constant stake): a :math:`\mu` at which it does is below the mean, but for that probability.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt
from typing import NamedTuple

import numpy as np
from scipy.special import betaincinv

from ...core.arrays import Array
from ...core.roots import halve

# Probability, over the draw, that any limit of an answer is on the wrong side.
FAILURE = 1e-6
# Relative amount by which a limit is moved outward: far above the round-off of its computation.
ROUNDING = 1e-6
# Largest stake: no single value takes more than half of the wealth.
MOST_STAKE = 0.5
# Relative accuracy of the search for a limit.
CLOSE = 1e-5


@dataclass(frozen=True)
class Confidence:
    """An empirical interval: it contains the true value except with probability ``failure`` over the draw."""

    lower: float
    upper: float
    failure: float = FAILURE

    def __contains__(self, value: float) -> bool:
        return self.lower <= value <= self.upper

    def to_dict(self) -> dict[str, float | bool]:
        """Return the ends as plain numbers, with the label that they are empirical."""
        return {"empirical": True, "lower": self.lower, "upper": self.upper, "confidence": 1.0 - self.failure}


def proportion_lower(successes: int, trials: int, failure: float) -> float:
    """Return a lower bound of the probability of success, wrong with probability ``failure``."""
    if successes == 0:
        return 0.0
    return float(betaincinv(successes, trials - successes + 1, failure)) * (1.0 - ROUNDING)


def proportion_upper(successes: int, trials: int, failure: float) -> float:
    """Return an upper bound of the probability of success, wrong with probability ``failure``."""
    if successes == trials:
        return 1.0
    # This is 1 minus the lower limit of the probability of a failure; the cancellation is far below 1/trials.
    return min((1.0 - float(betaincinv(trials - successes, successes + 1, failure))) * (1.0 + ROUNDING), 1.0)


class Stakes(NamedTuple):
    """The stakes of two bets: that a mean is larger than claimed, and that it is smaller."""

    larger: float
    smaller: float


def stakes(values: Array, count: int, failure: float) -> Stakes:
    """Return nearly optimal stakes for ``count`` new values of the same distribution."""
    mean = float(values.mean())
    spread = float(np.mean((values - mean) ** 2)) + 1.0 / (count * values.size)
    best = sqrt(2.0 * log(1.0 / failure) / (count * spread))
    return Stakes(min(best, MOST_STAKE / max(mean, 1.0 / count)), min(best, MOST_STAKE))


def exceeds(values: Array, mean: float, bet: Stakes, failure: float) -> bool:
    """Return whether the law of ``values`` in [0, 1] has a mean above ``mean``; wrong with probability ``failure``."""
    mean = mean * (1.0 + ROUNDING)
    if bet.larger * mean >= 1.0:  # the wealth could be negative
        return False
    return float(np.log1p(bet.larger * (values - mean)).sum()) >= log(1.0 / failure)


def falls_short(values: Array, mean: float, bet: Stakes, failure: float) -> bool:
    """Return whether the law of ``values`` in [0, 1] has a mean below ``mean``; wrong with probability ``failure``."""
    mean = mean * (1.0 - ROUNDING)
    return float(np.log1p(-bet.smaller * (values - mean)).sum()) >= log(1.0 / failure)


def mean_lower(values: Array, bet: Stakes, failure: float) -> float:
    """Return the largest number that the mean is shown to exceed; 0 if there is none."""
    low, high = 0.0, float(values.mean())
    if not exceeds(values, low, bet, failure):
        return 0.0
    return halve(lambda mean: exceeds(values, mean, bet, failure), low, high, relative=CLOSE)[0]


def mean_upper(values: Array, bet: Stakes, failure: float) -> float:
    """Return the least number that the mean is shown to fall short of; 1 if there is none."""
    low, high = float(values.mean()), 1.0
    if not falls_short(values, high, bet, failure):
        return 1.0
    return halve(lambda mean: not falls_short(values, mean, bet, failure), low, high, relative=CLOSE)[1]
