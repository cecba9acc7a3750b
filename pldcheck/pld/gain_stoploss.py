r"""E(sum of independent gains)_+ by the Fourier inversion that serves privacy losses, without a bend of the payoff.

Gains are divided by a power of two, so that the largest is between 1 and 2.  Whatever underflows is lost in that unit,
and granted in it; ends are multiplied by the power of two last, outward.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from math import comb, exp, factorial, inf, log2, prod, sqrt
from operator import mul

import numpy as np
from numpy.typing import ArrayLike

from ..core.directed import LARGEST, SUBNORMAL, UNIT, Ends, Side, enlarge, float_above, roundoff, shrink
from ..core.interval import LEAST, checked_lower
from ..kernels.binomial_tails import log_pmf_range
from .loss_inversion import contour
from .loss_total import Total
from .saddle_tilt import steepest
from .step_losses import Array, Atoms

# Relative width asked of the inversion.
TOLERANCE = 1e-6
# Multisets of outcomes of one part up to which they are listed, in Python; their products stay within floats.
FEW_MULTISETS = 2000
# The least mass of a binomial law: that of logarithms and products of ``core.assumed``.
LEAST_MASS = 1e-290
# Outcomes of half of the gains up to which these are written out, in arrays.
FEW_OUTCOMES = 2**17

# Values and masses of one gain, the number of its copies, and a bound of the absolute errors of its values.
Part = tuple[Array, Array, int, ArrayLike]


def excess(parts: Sequence[Part], mass_error: float = roundoff(16), tolerance: float = TOLERANCE) -> Ends:
    """Return E(sum)_+ of independent gains.

    Parameters
    ----------
    parts : sequence of (values, masses, count, error)
        ``count`` independent copies each.  ``error``: a bound of the absolute error of every value, or one for all.
        A mass of 0 may stand for one that underflowed, unlike a value that is not there.
    mass_error : float
        Relative error of the masses, which are divided by their sum; one that is subnormal is off by the least double.
    tolerance : float
        Relative width that the inversion may add.

    """
    doubts = [np.broadcast_to(np.asarray(error, dtype=np.float64), values.shape) for values, *_, error in parts]
    tops = [
        float(np.max(np.where(doubt > 0.0, np.nextafter(values + doubt, inf), values)))
        for (values, *_), doubt in zip(parts, doubts, strict=True)
    ]
    counts = [Fraction(count) for _, _, count, _ in parts]
    if sum(map(mul, map(Fraction, tops), counts)) <= 0:
        return Ends(0.0, 0.0, 0.0, 0.0)
    unit = 2.0 ** (int(np.frexp(max(tops))[1]) - 1)
    largest = sum(
        (max(Fraction(top), Fraction(0)) * count for top, count in zip(tops, counts, strict=True)), Fraction(0)
    )
    farthest, most = float_above(largest), float_above(largest / Fraction(unit))
    normal: list[Part] = []
    for (values, masses, count, _), doubt in zip(parts, doubts, strict=True):
        # A gain so low that all others do not make up for it: the sum is not positive, however low the gain is.
        low = np.nextafter(values + doubt, inf) <= -farthest
        values, doubt = np.where(low, 0.0, values) / unit, np.where(low, 0.0, doubt) / unit
        normal.append((np.where(low, -most, values), masses, count, doubt))
    ends = _of_normal(normal, mass_error, tolerance)
    # A subnormal mass, here or after the division by their sum, is off by up to two of the least doubles, and moves the
    # mean by at most the largest sum.  Values, products and the inversion lose less than the least normal number.
    lost = LEAST + enlarge(2.0 * SUBNORMAL * sum(masses.size * count for _, masses, count, _ in normal) * most, 8)
    lower, upper = shrink(max(ends.lower - lost, 0.0), 4), enlarge(ends.upper + lost, 4)
    return Ends(checked_lower(lower, upper), upper, ends.truncation, ends.rounding + 2.0 * lost).times(unit)


def _of_normal(parts: Sequence[Part], mass_error: float, tolerance: float) -> Ends:
    """Return both ends for gains of which the largest is between 1 and 2, without what underflows."""
    # A sum's positive part is at most the sum of the parts'.
    most = sum(count * _single_bounds(values, masses, error, mass_error)[1] for values, masses, count, error in parts)
    most = enlarge(most, len(parts) + 1)
    copies = sum(count for _, _, count, _ in parts)
    if copies == 1:
        lower, upper = _single_bounds(*parts[0][:2], parts[0][3], mass_error)
        return Ends(lower, upper, 0.0, upper - lower)
    if (halves := _halves(parts)) is not None:
        lower, upper = _written_out(*(_Sums.of(half, mass_error) for half in halves))
        upper = min(upper, most)
        return Ends(lower, upper, 0.0, upper - lower)
    if not any((values > 0.0).any() for values, *_ in parts):  # the largest gain is a doubt
        return Ends(0.0, most, 0.0, most)
    total = _total(parts, mass_error)
    ends = contour(total, steepest(total, 0.0), 0.0, 0.0, tolerance).ends(0.0)
    return replace(ends, upper=min(ends.upper, most))


def _single_bounds(values: Array, masses: Array, error: ArrayLike, mass_error: float) -> tuple[float, float]:
    """Return bounds of E(gain)_+ from below and above.

    They allow for round-off of products and of a pairwise sum, and for the errors of values and masses.
    """
    doubt = np.broadcast_to(np.asarray(error, dtype=np.float64), values.shape)
    slack = 2.0 * mass_error + (2.0 * log2(values.size + 1.0) + 16.0) * UNIT
    low, high = (float(np.sum(np.maximum(ends, 0.0) * masses)) for ends in (values - doubt, values + doubt))
    return max(low * (1.0 - slack), 0.0), high * (1.0 + slack)


def _halves(parts: Sequence[Part]) -> tuple[list[Part], list[Part]] | None:
    """Return two halves of the gains whose sums are few enough to be written out, or None."""
    halves: tuple[list[Part], list[Part]] = [], []
    outcomes = [1.0, 1.0]
    for values, masses, count, error in parts:
        size, copies = float(count + 1) if _is_binomial(masses) else _multisets(values.size, count), 1
        if size > (FEW_OUTCOMES if _is_binomial(masses) else FEW_MULTISETS):
            size, copies, count = values.size, count, 1
        for _ in range(copies):
            smaller = int(outcomes[1] < outcomes[0])
            outcomes[smaller] *= size
            if outcomes[smaller] > FEW_OUTCOMES:
                return None
            halves[smaller].append((values, masses, count, error))
    return halves


def _is_binomial(masses: Array) -> bool:
    """Return whether the number of the first outcomes has binomial probabilities that functions of floats give."""
    return masses.size == 2 and float(np.min(masses)) >= LEAST_MASS


def _multisets(size: int, count: int) -> float:
    """Return how many multisets of ``count`` of so many values there are; infinite if that is far too many."""
    return comb(size + count - 1, count) if min(size - 1, count) <= 16 and size + count < 10**4 else inf


@dataclass(frozen=True)
class _Sums:
    """The law of a sum: its values rounded down and up, masses, and their relative error in round-offs."""

    low: Array
    high: Array
    masses: Array
    units: float

    @classmethod
    def of(cls, parts: Sequence[Part], mass_error: float) -> _Sums:
        """Return the sums over all multisets of each part."""
        low = high = np.zeros(1)
        chances, units = np.ones(1), 0.0
        for values, masses, count, error in parts:
            doubt = np.broadcast_to(np.asarray(error, dtype=np.float64), values.shape)
            # A power errs by its base's error so often, and by a few round-offs; so do products and the sum of masses.
            base = 2.0 * mass_error + (2.0 * log2(values.size + 1.0) + 4.0) * UNIT
            units += count * base + (8.0 * min(values.size, FEW_MULTISETS) + 8.0) * UNIT
            with np.errstate(under="ignore"):
                counts, weights, more = _weights(masses / np.sum(masses), count)
                chances = np.multiply.outer(chances, weights).ravel()
            units += more
            # Errors of the values, and roundings of their products and sums.
            slack = doubt
            if count > 1:
                slack = enlarge(counts @ (doubt + np.abs(values) * ((values.size + 2.0) * UNIT)), 64)
            sums = counts @ values if count > 1 else values
            low, high = _add(low, sums - slack, Side.LOWER), _add(high, sums + slack, Side.UPPER)
        return cls(low, high, chances, units + len(parts) * UNIT)


def _weights(masses: Array, count: int) -> tuple[Array, Array, float]:
    """Return the counts of each multiset, its probability, and a relative error that the copies do not account for."""
    if count == 1:
        return np.empty(0), masses, 0.0
    if _is_binomial(masses):
        logs, error = log_pmf_range(count, 0, count + 1, float(masses[0]), float(masses[1]))
        successes = np.arange(count + 1.0)
        return np.column_stack([successes, count - successes]), np.exp(logs), error + roundoff(8)
    counts, ways, doublings = _counts(masses.size, count)
    sizes, powers_of_two = _near_one(masses)
    products = ways * np.prod(np.power(sizes, counts), axis=1)
    return counts, np.ldexp(products, doublings + (counts @ powers_of_two).astype(np.int64)), 0.0


def _written_out(first: _Sums, second: _Sums) -> tuple[float, float]:
    r"""Return E(X + Y)_+ of two sums, from below and above.

    With the values y of Y in order, :math:`E(Y - y_i)_+` is a sum of gaps times tails: all terms are positive.
    """
    # Roundings of the cumulative sums, which are formed one after another, and of the rest.
    units = first.units + second.units + (2.0 * second.masses.size + 2.0 * log2(first.masses.size + 1.0) + 32.0) * UNIT
    return (
        max(_mean_above(first.low, first.masses, second.low, second.masses) * (1.0 - units), 0.0),
        _mean_above(first.high, first.masses, second.high, second.masses) * exp(min(units, LARGEST)),
    )


def _mean_above(x: Array, masses: Array, y: Array, others: Array) -> float:
    """Return E(X + Y)_+."""
    order = np.argsort(-y)
    y, tails = y[order], np.cumsum(others[order])
    gains = np.append(0.0, np.cumsum((y[:-1] - y[1:]) * tails[:-1]))
    places = np.searchsorted(-y, x, side="left")
    inside = np.maximum(places - 1, 0)
    return float(np.sum(np.where(places > 0, gains[inside] + (y[inside] + x) * tails[inside], 0.0) * masses))


def _add(before: Array, after: Array, side: Side) -> Array:
    """Return every sum of two, moved by its rounding."""
    sums = np.add.outer(before, after).ravel()
    return sums + side.sign * roundoff(2, np.abs(sums))


def _near_one(masses: Array) -> tuple[Array, Array]:
    """Return numbers from 1/sqrt(2) to sqrt(2), and the powers of two by which they are multiplied, exactly.

    A product of FEW_MULTISETS of them is between 2^-1000 and 2^1000, where that of the masses themselves underflows.
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


def _total(parts: Sequence[Part], mass_error: float) -> Total:
    """Return the sum of the gains, whose payoff has no bend."""
    laws = [
        (Atoms.of(values, masses, mass_error=mass_error, loss_error=float(np.max(error))), count)
        for values, masses, count, error in parts
    ]
    return replace(Total.of(laws), bend=0.0)
