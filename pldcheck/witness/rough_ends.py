"""About the least numbers that ``upper_sum`` verifies, where these may be above the engine's upper ends.

A record in a hidden slot of continuous noise is replaced: the program has one law for every slot, that of both records,
while the engine follows the best choice of records.  What is returned here is found with the coarsest lattice; it says
which claims are worth a search, and proves nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from json import dumps, loads
from math import inf, log, sqrt
from typing import Any

from scipy.optimize import brentq

from ..checkers import step_curves, upper_sum
from . import sum_certificates
from .claim_decimals import decimal_text

# The relative error of an epsilon.
ROUGH = 2e-3
# The ratio of two epsilons that are tried until delta is between theirs.
STEP = 1.5
# An epsilon that is hardly above 0, and the largest one that the program takes.
LEAST = 1e-12
LARGEST = 100.0
# The delta for which the lattice is chosen before any is known, and the least one.
SOME_DELTA = 1e-6
LEAST_DELTA = 1e-60
# A delta that has a logarithm.
TINY = 1e-300
# A delta that is smaller by this factor is asked for again.
NEARER = 2.0


def rough_end(about: Mapping[str, Any], quantity: str, at: float) -> float:
    """Return about the least epsilon at a delta, or the least delta at an epsilon, that is verified; inf if none is.

    ``about`` is the claim but for these two.
    """
    text = dumps(dict(about))
    try:
        return _delta(text, at) if quantity == "delta" else _epsilon(text, at)
    except ValueError:  # the program has narrower ranges than the engine
        return inf


@lru_cache(maxsize=64)
def _delta(about: str, epsilon: float) -> float:
    wanted, delta = 1.0, SOME_DELTA
    while delta < wanted / NEARER and delta > LEAST_DELTA:  # what tails add falls with the delta that is wanted
        wanted, delta = delta, _coarse_delta(about, epsilon, delta)
    return delta


@lru_cache(maxsize=64)
def _epsilon(about: str, delta: float) -> float:
    if delta == 0.0:  # a lattice's tails are never 0
        return inf

    def excess(epsilon: float) -> float:
        return log(max(_coarse_delta(about, epsilon, delta), TINY) / delta)

    if excess(0.0) <= 0.0:
        return 0.0
    low = high = min(_normal_epsilon(loads(about), delta), LARGEST)
    if excess(high) <= 0.0:
        while excess(low := low / STEP) < 0.0:
            if low < LEAST:
                return low
            high = low
    else:
        while high < LARGEST and excess(high := min(high * STEP, LARGEST)) > 0.0:
            low = high
        if high == LARGEST and excess(high) > 0.0:
            return inf
    return float(brentq(excess, low, high, rtol=ROUGH))


def _normal_epsilon(about: Mapping[str, Any], delta: float) -> float:
    """Return about the epsilon at a delta if the sum were normal."""
    laws = step_curves.steps_of(about["randomizer"], Decimal(1), about["adjacency"])
    steps, weight = about["steps"], float(about["weight"])
    spread = max(sum_certificates.shape_of(law, inf, delta / steps)[0] for law in laws)
    return weight / sqrt(steps) * spread * sqrt(2.0 * log(2.0 / delta))


def _coarse_delta(about: str, epsilon: float, delta: float) -> float:
    """Return the delta that is verified with the coarsest lattice, chosen for this delta; 1 if it is refused."""
    claim = {**loads(about), "epsilon": decimal_text(epsilon), "delta": decimal_text(delta)}
    fineness = next(sum_certificates.fineness_to_try(claim))
    facts = {"pldcheck_certificate": "upper_sum", "claim": claim, "fineness": fineness}
    try:
        return min(1.0, float(Fraction(upper_sum.upper_delta(facts).upper)))
    except ValueError:
        return 1.0
