r"""Chua et al. (2024): what shuffled batches reveal at least, and Poisson sampling in their place.

T is ``steps``, :math:`\sigma` is ``sigma``.  The formulas are evaluated with a relative error below 1e-11.
"""

from __future__ import annotations

from math import erfc, exp, expm1, inf, log, log1p, sqrt

from ..feldman25.poisson_beside_allocation import NOISE_RANGE, poisson_curve, two_slots
from ..recalled import AS_RECALLED
from ..registry import Source, Theorem

CHUA = "Chua, Ghazi, Kamath, Kumar, Manurangsi, Sinha, Zhang, How Private are DP-SGD Implementations?, ICML 2024"
URL = "https://arxiv.org/abs/2403.17673"
# The points of a first search for the best threshold, in each deviation.
POINTS = 40
# The search begins and ends so many deviations from the means.
RANGE = 9
# The threshold is narrowed so often by the golden section; the value is flat there.
NARROWINGS = 60
GOLDEN = (sqrt(5) - 1) / 2


def _log_normal(z: float) -> float:
    r"""Return :math:`\log \Phi(z)`; below the range of floats it is minus infinity."""
    if z > 0:
        return log1p(-erfc(z / sqrt(2)) / 2)
    tail = erfc(-z / sqrt(2)) / 2
    return log(tail) if tail > 0 else -inf


def _gain(threshold: float, sigma: float, steps: int, epsilon: float) -> float:
    r"""Return the gain of the event that the largest output is above C.

    .. math:: (1 - \Phi(\frac{C-2}\sigma) B) - e^\epsilon (1 - \Phi(\frac{C-1}\sigma) B), \quad B = \Phi(C/\sigma)^{T-1}
    """
    others = (steps - 1) * _log_normal(threshold / sigma)
    there = -expm1(others + _log_normal((threshold - 2) / sigma))
    absent = -expm1(others + _log_normal((threshold - 1) / sigma))
    return there - exp(epsilon) * absent


def largest_output(*, steps: int, sigma: float, epsilon: float) -> float:
    r"""Return the largest gain over all thresholds C for the largest output."""
    places = [-RANGE * sigma + sigma * i / POINTS for i in range(int((2 * RANGE + 2 / sigma) * POINTS) + 1)]
    best = max(places, key=lambda place: _gain(place, sigma, steps, epsilon))
    low, high = best - sigma / POINTS, best + sigma / POINTS
    for _ in range(NARROWINGS):
        left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        if _gain(left, sigma, steps, epsilon) < _gain(right, sigma, steps, epsilon):
            low = left
        else:
            high = right
    return max(0.0, _gain((low + high) / 2, sigma, steps, epsilon))


THEOREMS = (
    Theorem(
        id="chua24-largest",
        title="Shuffled batches from below, by their largest output",
        statement=(
            r"\delta \ge \max_C \left(1 - \Phi\left(\frac{C-2}\sigma\right) B\right) - e^\epsilon"
            r" \left(1 - \Phi\left(\frac{C-1}\sigma\right) B\right), \quad B = \Phi\left(\frac C\sigma\right)^{T-1}"
        ),
        adjacency="zero-out",
        protocol="shuffled-batches",
        parameters=("steps", "sigma", "epsilon"),
        conditions=(),
        source=Source("Chua24", CHUA, "the lower bound on shuffled batches", URL),
        formula=largest_output,
        notes=f"{AS_RECALLED} All other records are opposite to the one that is there or is replaced by nothing.",
        quantity="delta",
        relation=">=",
        zero=True,
        example={"steps": 100, "sigma": 1, "epsilon": 1},
    ),
    Theorem(
        id="poisson-for-shuffled",
        title="Shuffled batches accounted for as Poisson samples, two batches (false)",
        statement=r"\delta = P(\epsilon)",
        adjacency="zero-out",
        protocol="shuffled-batches",
        parameters=("sigma", "epsilon"),
        conditions=NOISE_RANGE,
        source=Source("Chua24", CHUA, "the practice that the paper warns of", URL),
        formula=poisson_curve,
        notes=(
            f"{AS_RECALLED} P is the curve of Poisson samples of rate 1/T in T steps, evaluated for T = 2. Training "
            "loops that shuffle and report Poisson accounting rest on it."
        ),
        quantity="delta",
        subject=two_slots,
        example={"sigma": 1, "epsilon": 1},
    ),
)
