"""Randomized responses of which every one has a budget of its own, computed from a few numbers."""

from __future__ import annotations

import numpy as np

from .distribution import PrivacyLossDistribution
from .mechanisms import randomized_responses

# Relative error granted to budgets that are computed, in units of round-off: each function below counts at most 8.
BUDGET_UNITS = 8.0


def evenly_spaced(first: float, last: float, steps: int, delta0: float) -> PrivacyLossDistribution:
    """Compose (budget, ``delta0``)-randomized responses with budgets evenly spaced from ``first`` to ``last``."""
    i = np.arange(steps)
    # Two products, a sum and a quotient.  The first budget plus a share of the difference would cancel where the last
    # one is much smaller.
    budgets = (first * (steps - 1 - i) + last * i) / (steps - 1)
    return randomized_responses(budgets, BUDGET_UNITS, delta0)


def decaying(first: float, decay: float, steps: int) -> PrivacyLossDistribution:
    """Compose randomized responses of which the i-th is log(1 + first/(steps - decay (i - 1)))-DP."""
    i = np.arange(steps)
    # steps - decay i as a sum of terms that are not negative: 1 - decay, product, sum, quotient; 4 units for log1p.
    denominators = (steps - i) + (1.0 - decay) * i
    return randomized_responses(np.log1p(first / denominators), units=BUDGET_UNITS)
