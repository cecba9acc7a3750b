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

# Probability that any of an answer's limits is on the wrong side, over the draw.
FAILURE = 1e-6
# Round-off of a limit, relatively: far above that of its arithmetic.
ROUNDING = 1e-6
# No stake is so large that one value takes more than half of the wealth.
MOST_STAKE = 0.5
# To what a limit is searched, relatively.
CLOSE = 1e-5


@dataclass(frozen=True)
class Confidence:
    """Empirical: the truth is in [lower, upper] except with probability at most ``failure`` over the draw."""

    lower: float
    upper: float
    failure: float = FAILURE

    def __contains__(self, value: float) -> bool:
        return self.lower <= value <= self.upper

    def to_dict(self) -> dict[str, float | bool]:
        """Return plain numbers, labelled as empirical."""
        return {"empirical": True, "lower": self.lower, "upper": self.upper, "confidence": 1.0 - self.failure}


def proportion_lower(successes: int, trials: int, failure: float) -> float:
    """Return below the probability of a success except with probability ``failure``."""
    if successes == 0:
        return 0.0
    return float(betaincinv(successes, trials - successes + 1, failure)) * (1.0 - ROUNDING)


def proportion_upper(successes: int, trials: int, failure: float) -> float:
    """Return above the probability of a success except with probability ``failure``."""
    if successes == trials:
        return 1.0
    # 1 - the lower limit of the probability of a failure; what cancels is far below 1/trials.
    return min((1.0 - float(betaincinv(trials - successes, successes + 1, failure))) * (1.0 + ROUNDING), 1.0)


class Stakes(NamedTuple):
    """What is staked on the mean being larger than said, and on its being smaller."""

    larger: float
    smaller: float


def stakes(values: Array, count: int, failure: float) -> Stakes:
    """For ``count`` values to come, distributed like these: about the best ones."""
    mean = float(values.mean())
    spread = float(np.mean((values - mean) ** 2)) + 1.0 / (count * values.size)
    best = sqrt(2.0 * log(1.0 / failure) / (count * spread))
    return Stakes(min(best, MOST_STAKE / max(mean, 1.0 / count)), min(best, MOST_STAKE))


def exceeds(values: Array, mean: float, staked: Stakes, failure: float) -> bool:
    """Whether ``values`` in [0, 1] were drawn from a law of mean above ``mean``; wrongly with that probability."""
    mean = mean * (1.0 + ROUNDING)
    if staked.larger * mean >= 1.0:  # the wealth could be negative
        return False
    return float(np.log1p(staked.larger * (values - mean)).sum()) >= log(1.0 / failure)


def falls_short(values: Array, mean: float, staked: Stakes, failure: float) -> bool:
    """Return whether it is below ``mean``, likewise."""
    mean = mean * (1.0 - ROUNDING)
    return float(np.log1p(-staked.smaller * (values - mean)).sum()) >= log(1.0 / failure)


def mean_lower(values: Array, staked: Stakes, failure: float) -> float:
    """Return the largest number that the mean exceeds, by halving; 0 if there is none."""
    low, high = 0.0, float(values.mean())
    if not exceeds(values, low, staked, failure):
        return 0.0
    return halve(lambda mean: exceeds(values, mean, staked, failure), low, high, relative=CLOSE)[0]


def mean_upper(values: Array, staked: Stakes, failure: float) -> float:
    """Return the least number that the mean falls short of; 1 if there is none."""
    low, high = float(values.mean()), 1.0
    if not falls_short(values, high, staked, failure):
        return 1.0
    return halve(lambda mean: not falls_short(values, mean, staked, failure), low, high, relative=CLOSE)[1]
