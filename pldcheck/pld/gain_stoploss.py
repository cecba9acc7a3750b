r"""E(sum of independent gains)_+ by the Fourier inversion of privacy losses.

A loss S = eta X with a tiny eta has :math:`E(1 - e^{-S})_+ = \eta E X_+ - r, \ 0 \le r \le \tfrac12 \eta^2 E X_+^2`,
so the certified delta(0) of the losses eta g gives the stop-loss of the gains g, at any number of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from math import comb, e, exp, factorial, inf, isfinite, log, log2, prod, sqrt

import numpy as np
from numpy.typing import ArrayLike

from ..core.directed import UNIT, Ends, Side, enlarge, roundoff, shrink
from ..core.interval import UNDERFLOW
from . import curve_inversion
from .loss_total import Total
from .step_losses import Array, Atoms
from .tilted_total import tilt

# The approximate size of r, relative to the stop-loss transform.
REMAINDER_SHARE = 1e-11
# The least share of eta that is left where the bound of r is large: losses stay far from the least double.
LEAST_SHARE = 1e-100
# Relative width asked of the inversion.
TOLERANCE = 1e-6
# Tilts tried for the bound of the second moment, each half the one before: heavy tails want flat ones.
TILTS = 40

# Outcomes up to which a sum is written out.
FEW_OUTCOMES = 2000

# Values and masses of one gain, the number of its copies, and a bound of the absolute errors of its values.
Part = tuple[Array, Array, int, ArrayLike]


def excess(parts: Sequence[Part], mass_error: float = roundoff(16), tolerance: float = TOLERANCE) -> Ends:
    """Return E(sum)_+ of independent gains whose mean, up to their errors, is not positive.

    Parameters
    ----------
    parts : sequence of (values, masses, count, error)
        ``count`` independent copies each.  ``error``: a bound of the absolute error of every value, or one for all.
    mass_error : float
        Relative error of the masses, which are divided by their sum.
    tolerance : float
        Relative width that the inversion may add.

    """
    most = sum(count * _single_bounds(values, masses, error, mass_error)[1] for values, masses, count, error in parts)
    if len(parts) == 1 and parts[0][2] == 1:
        values, masses, _, error = parts[0]
        lower, upper = _single_bounds(values, masses, error, mass_error)
        return Ends(lower, upper + UNDERFLOW, 0.0, upper - lower)
    if most == 0.0:
        return Ends(0.0, 0.0, 0.0, 0.0)
    if prod(_multisets(values.size, count) for values, _, count, _ in parts) <= FEW_OUTCOMES:
        lower, upper = _enumerate(parts, mass_error)
        return Ends(lower, min(upper, most) + UNDERFLOW, 0.0, max(min(upper, most) - lower, 0.0))
    if not any((values > 0.0).any() for values, *_ in parts):
        return Ends(0.0, most + UNDERFLOW, 0.0, most)
    theta, log_moment = _second_moment(_total(parts, 1.0, mass_error), _steepness(parts))
    eta = REMAINDER_SHARE * theta
    ends, remainder = _delta_of_losses(parts, eta, log_moment, mass_error, tolerance)
    if 0.0 < tolerance * ends.upper < remainder < inf:  # far out the bound of r is too large by itself: eta is smaller
        eta *= max(0.5 * tolerance * ends.upper / remainder, LEAST_SHARE)
        ends, remainder = _delta_of_losses(parts, eta, log_moment, mass_error, tolerance)
    lower, upper = ends.lower / eta, (ends.upper + remainder) / eta
    return Ends(
        shrink(lower, 4),
        # A sum's positive part is at most the sum of the parts'.
        min(enlarge(upper, 4), enlarge(most, len(parts))) + UNDERFLOW,
        (ends.truncation + remainder) / eta,
        ends.rounding / eta,
    )


def _delta_of_losses(
    parts: Sequence[Part], eta: float, log_moment: float, mass_error: float, tolerance: float
) -> tuple[Ends, float]:
    """Return the ends of delta(0) of the losses eta times the gains, and an upper bound of r.

    ``log_moment`` is the log of an upper bound of the second moment of the sum's positive part.
    """
    ends = curve_inversion.delta(_total(parts, eta, mass_error), np.zeros(1), tolerance)[0]
    return ends, 0.5 * eta * eta * exp(log_moment) if log_moment < 700.0 else inf


def _single_bounds(values: Array, masses: Array, error: ArrayLike, mass_error: float) -> tuple[float, float]:
    """Return bounds of E(gain)_+ from below and above.

    They allow for round-off of products and of a pairwise sum, and for the errors of values and masses.
    """
    doubt = np.broadcast_to(np.asarray(error, dtype=np.float64), values.shape)
    slack = 2.0 * mass_error + (2.0 * log2(values.size + 1.0) + 16.0) * UNIT
    low, high = (float(np.sum(np.maximum(ends, 0.0) * masses)) for ends in (values - doubt, values + doubt))
    return max(low * (1.0 - slack), 0.0), high * (1.0 + slack)


def _multisets(size: int, count: int) -> float:
    """Return how many multisets of ``count`` of so many values there are; infinite if that is far too many."""
    return comb(size + count - 1, count) if min(size - 1, count) <= 16 and size + count < 10**4 else inf


def _enumerate(parts: Sequence[Part], mass_error: float) -> tuple[float, float]:
    """Return E(sum)_+ over all multisets, from below and above."""
    low = high = np.zeros(1)
    chances, units = np.ones(1), 0.0
    for values, masses, count, error in parts:
        doubt = np.broadcast_to(np.asarray(error, dtype=np.float64), values.shape)
        counts, ways, doublings = _counts(values.size, count)
        sizes, powers_of_two = _near_one(masses / np.sum(masses))
        products = ways * np.prod(np.power(sizes, counts), axis=1)
        with np.errstate(under="ignore"):
            weights = np.ldexp(products, doublings + (counts @ powers_of_two).astype(np.int64))
        # A power errs by its base's error so often, and by a few round-offs; so do products and the sum of masses.
        base = 2.0 * mass_error + (2.0 * log2(values.size + 1.0) + 4.0) * UNIT
        units += count * base + (8.0 * values.size + 8.0) * UNIT
        sums = counts @ values
        # Errors of the values, and roundings of their products and sums.
        slack = enlarge(counts @ (doubt + np.abs(values) * ((values.size + 2.0) * UNIT)), 64)
        low, high = _add(low, sums - slack, Side.LOWER), _add(high, sums + slack, Side.UPPER)
        chances = np.multiply.outer(chances, weights).ravel()
    units += (len(parts) + 2.0 * log2(chances.size + 1.0) + 8.0) * UNIT
    least, most = (float(np.sum(np.maximum(ends, 0.0) * chances)) for ends in (low, high))
    # A weight may have underflowed.
    return max(least * (1.0 - units), 0.0), most * (1.0 + units) + float(np.max(high)) * UNDERFLOW


def _add(before: Array, after: Array, side: Side) -> Array:
    """Return every sum of two, moved by its rounding."""
    sums = np.add.outer(before, after).ravel()
    return sums + side.sign * roundoff(2, np.abs(sums))


def _near_one(masses: Array) -> tuple[Array, Array]:
    """Return numbers from 1/sqrt(2) to sqrt(2), and the powers of two by which they are multiplied, exactly.

    A product of FEW_OUTCOMES of them is between 2^-1000 and 2^1000, where that of the masses themselves underflows.
    """
    sizes, exponents = np.frexp(masses)
    small = sizes < sqrt(0.5)
    return np.where(small, 2.0 * sizes, sizes), np.where(small, exponents - 1, exponents).astype(np.float64)


@lru_cache(maxsize=64)
def _counts(size: int, count: int) -> tuple[Array, Array, np.ndarray]:
    """Return all multisets of ``count`` of so many values, as counts, and how many arrangements each has.

    The number of arrangements is the second array, from 1/2 to 1, times two to the power of the third.
    """
    multisets = []
    for bars in combinations(range(size + count - 1), size - 1):
        edges = (-1, *bars, size + count - 1)
        multisets.append([after - before - 1 for before, after in zip(edges, edges[1:], strict=False)])
    arrangements = [factorial(count) // prod(map(factorial, counts)) for counts in multisets]
    doublings = [ways.bit_length() for ways in arrangements]
    # The quotient of two whole numbers is rounded once, however large they are.
    shares = [ways / (1 << bits) for ways, bits in zip(arrangements, doublings, strict=True)]
    return np.array(multisets, dtype=np.float64), np.array(shares), np.array(doublings)


def _total(parts: Sequence[Part], eta: float, mass_error: float) -> Total:
    """Return the sum of losses eta times the gains."""
    laws = []
    for values, masses, _, error in parts:
        loss_error = eta * (enlarge(float(np.max(error)), 4) + roundoff(2, float(np.max(np.abs(values)))))
        laws.append(Atoms.of(eta * values, masses, mass_error=mass_error, loss_error=loss_error))
    return Total.of((law, count) for law, (_, _, count, _) in zip(laws, parts, strict=True))


def _steepness(parts: Sequence[Part]) -> float:
    """Return the tilt that brings the mean to zero in the normal approximation: the search for a bound starts there."""
    mean = sum(count * float(masses @ values) for values, masses, count, _ in parts)
    variance = sum(count * float(masses @ (values - masses @ values) ** 2) for values, masses, count, _ in parts)
    return max(-mean, sqrt(max(variance, 1e-300))) / max(variance, 1e-300)


def _second_moment(total: Total, theta: float) -> tuple[float, float]:
    """Return a tilt, and the log of a bound of E(S_+)^2, the best of some tilts.

    For x, t > 0, x^2 <= (2/(e t))^2 e^(t x).
    """
    bounds = []
    for halvings in range(TILTS):
        trial_tilt = theta * 2.0**-halvings
        state = tilt(total, trial_tilt)
        bounds.append((state.cumulant + state.error - 2.0 * log(0.5 * e * trial_tilt), trial_tilt))
        if len(bounds) > 1 and isfinite(bounds[-2][0]) and bounds[-1] > bounds[-2]:
            break
    bound, best = min(bounds)
    return best, bound
