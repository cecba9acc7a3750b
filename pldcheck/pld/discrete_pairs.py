"""Pairs of distributions with finitely many outcomes, and the privacy loss distributions of pairs in cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from math import fsum, log

import numpy as np
from numpy.typing import ArrayLike

from ..core.directed import roundoff
from ..core.errors import ParameterError
from .distribution import PrivacyLossDistribution
from .law_bounds import CutBounds, LawBounds
from .pair_cells import Cells
from .quadrature_nodes import SampledGaussian
from .step_losses import Array

# How far from 1 the sum of a pmf may be: it is then read as weights.
SUM_SLACK = 1e-9
# The least mass of an outcome that is possible: products and quotients of smaller ones lose their digits.
LEAST_MASS = 1e-300


def from_masses(p: ArrayLike, q: ArrayLike) -> Cells:
    """Return the pair of probability mass functions p/sum(p) and q/sum(q) on the same outcomes.

    Floats are taken as exact, fractions are rounded to floats and that is counted.  Raises ParameterError, also for
    masses in (0, ``LEAST_MASS``).
    """
    # A rounded mass is within a unit, and so is a sum of such: two of them in a mass over its sum, four in a loss.
    units = 4 if any(map(_has_fractions, (p, q))) else 0
    (first, p_total), (second, q_total) = _pmf("p", p), _pmf("q", q)
    if first.size != second.size:
        raise ParameterError("q", f"as long as p ({first.size} outcomes)", f"{second.size} outcomes")
    both = (first > 0.0) & (second > 0.0)
    p_only = fsum(first[second == 0.0]) / p_total
    q_only = fsum(second[first == 0.0]) / q_total
    if not both.any():
        return Cells(np.zeros(1), np.zeros(1), np.zeros(1), np.zeros(1), 1.0, 1.0)
    one, other = first[both], second[both]
    with np.errstate(over="ignore", under="ignore"):
        ratio = one / other
    plain = np.isfinite(ratio) & (ratio >= LEAST_MASS)
    losses = np.where(plain, np.log(np.where(plain, ratio, 1.0)), np.log(one) - np.log(other))
    error = roundoff(units)
    if not np.array_equal(first, second):
        # log(p/q) - log(sum p/sum q): the sums are within a round-off, so that their quotient is within 3, the quotient
        # of the masses within 1, each log within 4 of itself, and so are their difference and sum.
        losses = losses - log(p_total / q_total)
        error += roundoff(16, 1.0 + float(np.max(np.abs(losses)))) if plain.all() else roundoff(16, 1500.0)
    return Cells(one / p_total, other / q_total, losses, losses, p_only, q_only, roundoff(4 + units), error)


def _has_fractions(values: ArrayLike) -> bool:
    return isinstance(values, Sequence) and any(isinstance(one, Fraction) for one in values)


def _pmf(name: str, values: ArrayLike) -> tuple[Array, float]:
    """Return the masses as given and their sum, which they are to be divided by."""
    masses = numbers(name, values)
    if masses.ndim != 1 or masses.size == 0:
        raise ParameterError(name, "a sequence of at least one probability", f"shape {masses.shape}")
    bad = ~(np.isfinite(masses) & (masses >= 0.0))
    if bad.any():
        raise ParameterError(name, "finite and non-negative", float(masses[bad][0]))
    possible = np.array([bool(one) for one in values]) if _has_fractions(values) else masses > 0.0  # type: ignore[union-attr]
    tiny = possible & (masses < LEAST_MASS)
    if tiny.any():
        raise ParameterError(name, f"0 or at least {LEAST_MASS:g} each", float(masses[tiny][0]))
    total = fsum(masses)
    if abs(total - 1.0) > SUM_SLACK:
        raise ParameterError(name, f"of sum 1 (to {SUM_SLACK:g})", total)
    return masses, total


def both_cut(
    cut: Callable[[int | None], Cells], name: str, nodes: Callable[[bool], SampledGaussian] | None = None
) -> PrivacyLossDistribution:
    """Return the privacy loss distribution of a pair that ``cut`` cuts into cells, and of its reverse.

    ``cut`` takes the number of cells, or None for the finest ones; ``nodes`` takes whether the pair is reversed, and
    returns what has nodes that stand for its law.
    """
    forward, backward = (
        CutBounds(partial(_cut, cut, back), None if nodes is None else nodes(back)) for back in (False, True)
    )
    return PrivacyLossDistribution(name, ((forward, 1),), ((backward, 1),))


def symmetric_cut(cut: Callable[[int | None], Cells], name: str) -> PrivacyLossDistribution:
    """Return the privacy loss distribution of a pair whose reverse is its mirror image; see :func:`both_cut`."""
    return PrivacyLossDistribution(name, ((CutBounds(partial(_cut, cut, False)), 1),))


def _cut(cut: Callable[[int | None], Cells], backward: bool, count: int | None) -> LawBounds:
    cells = cut(count)
    return (cells.reversed if backward else cells).law_bounds()


def both(cells: Cells, name: str) -> PrivacyLossDistribution:
    """Return the privacy loss distribution of a pair and of its reverse."""
    return PrivacyLossDistribution(name, ((cells.law_bounds(), 1),), ((cells.reversed.law_bounds(), 1),))


def numbers(name: str, values: ArrayLike) -> Array:
    """Return the numbers of a parameter as an array; raise ParameterError for anything else."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(name, "a sequence of numbers", values) from None
