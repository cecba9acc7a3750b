r"""Shuffled batches from below: the largest of all outputs, of a record that makes one of them larger.

Of T batches, released with noise N(0, sigma^2), let all records add -1 but for one, which adds +1 under P and nothing
under Q.  Relative to a batch without it, the batch with it is larger by 2 under P and by 1 under Q (Chua et al. 2024).
The largest output is a function of all of them, so that what it reveals is a lower bound: with Phi the normal law,

.. math:: P(\max \le c) = \Phi(c/\sigma)^{T-1}\,\Phi((c-2)/\sigma), \quad
   Q(\max \le c) = \Phi(c/\sigma)^{T-1}\,\Phi((c-1)/\sigma),

and so are the intervals in which it is, of which there are finitely many: whatever the intervals are.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from ..core.directed import roundoff
from .discrete_pairs import both
from .distribution import PrivacyLossDistribution
from .pair_cells import Cells
from .step_losses import Array

# The distance of ends that are tried, in deviations: a hundredth of what is left lies between two of them, or more.
STEP = 0.02
# How far below the least mean and above the largest one they go, in deviations: what is beyond is below 1e-18.
REACH = 9.0
# The least share of the numbers whose difference is the probability of an interval, in both laws.
SHARE = 1e-2
# The least probability of the first interval: its logarithm of -69 keeps the digits of the product.
FIRST = 1e-30
# The least probability of the last interval, so that quotients of two of them are normal numbers.
LAST = 1e-200
# Relative error of a probability.  That of a normal tail is 3072 units, so that of the logarithm of a product is below
# 5e-13, and those of the product, at least e^-70, and of what is left to 1 are below 4e-11; the difference of two of
# them is at least SHARE of the larger one.
MASS_ERROR = 1e-8


def largest_batch(batches: int, sigma: float) -> PrivacyLossDistribution:
    """Return the privacy loss of the largest output; only its lower ends say something about shuffled batches.

    Parameters
    ----------
    batches : int
    sigma : float of at least 0.1
        The deviation of the noise over the largest length of what a record adds.

    """
    _, p, q = intervals(batches, sigma)
    losses = np.log(p / q)
    error = 2.0 * MASS_ERROR + roundoff(8, 1.0 + float(np.max(np.abs(losses))))
    cells = Cells(p, q, losses, losses, mass_error=MASS_ERROR, loss_error=error)
    return both(cells, f"largest of {batches} batches with noise {sigma:g}")


def intervals(batches: int, sigma: float) -> tuple[Array, Array, Array]:
    """Return the ends of the intervals, in deviations, and the probabilities of all intervals under P and under Q."""
    places = np.arange(-REACH, 2.0 / sigma + REACH, STEP)
    logs = [_log_below(places, batches, lift / sigma) for lift in (2.0, 1.0)]
    laws = [(np.exp(one).tolist(), (-np.expm1(one)).tolist()) for one in logs]
    ends = [int(np.searchsorted(laws[0][0], FIRST))]
    masses = [[below[ends[0]] for below, _ in laws]]
    for k in range(ends[0] + 1, places.size):
        if min(rest[k] for _, rest in laws) < LAST:
            break
        parts = [_difference(below, rest, ends[-1], k) for below, rest in laws]
        if all(mass >= SHARE * size for mass, size in parts):
            ends.append(k)
            masses.append([mass for mass, _ in parts])
    masses.append([rest[ends[-1]] for _, rest in laws])
    p, q = np.array(masses).T
    return places[ends], p, q


def _difference(below: list[float], rest: list[float], a: int, b: int) -> tuple[float, float]:
    """Return the probability of what is between two places, and the larger of the two numbers that it is between."""
    return (below[b] - below[a], below[b]) if below[b] <= 0.5 else (rest[a] - rest[b], rest[a])


def _log_below(places: Array, batches: int, lift: float) -> Array:
    """Return the logarithms of P(max <= place), one output being larger by ``lift`` deviations."""
    return (batches - 1.0) * _log_normal(places) + _log_normal(places - lift)


def _log_normal(x: Array) -> Array:
    """Return log Phi(x), from the nearer tail."""
    tail = ndtr(-np.abs(x))
    with np.errstate(divide="ignore"):
        return np.where(x > 0.0, np.log1p(-tail), np.log(tail))
