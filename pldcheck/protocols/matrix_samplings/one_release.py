"""Ends that are those of a run of Gaussian noise on one number, whose square is known up to rounding."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf, sqrt

from ...core.directed import Side, enlarge, shrink
from ...core.interval import Interval
from ...core.parameters import PARAMETERS
from ..noise_mechanisms import Gaussian, SubsampledGaussian

# The most noise that is computed with, and the answer about no release.
MOST_NOISE = float(PARAMETERS["sigma"].high)
NOTHING = Interval(0.0, 0.0)
# The source of ends that a record attains.
ATTAINED = "the largest record, which attains it"

# A run, given its noise over what the record adds.
Run = Callable[[float], Gaussian | SubsampledGaussian]


def noise_over(sigma: float, square: float, side: Side) -> float | None:
    """Return the noise over a number whose square is given, rounded to the side of the end.

    More noise than is computed with counts as the most for an upper end, and as no release at all, None, for a lower
    one.
    """
    noise = sigma / sqrt(square) if square > 0.0 else inf
    if side is Side.UPPER:
        return min(shrink(noise, 4), MOST_NOISE)
    return enlarge(noise, 4) if noise < shrink(MOST_NOISE, 8) else None


def least_noise(sigma: float, square: float) -> float:
    """Return the noise over a number whose square is given, rounded to the side of an upper end."""
    noise = noise_over(sigma, square, Side.UPPER)
    assert noise is not None
    return noise


def answer_of(run: Run, sigma: float, square: float, side: Side, quantity: str, at: float) -> Interval:
    """Return the answer of a run with noise on a number whose square is given."""
    noise = noise_over(sigma, square, side)
    if noise is None:
        return NOTHING
    answer: Interval = getattr(run(noise), quantity)(at)
    return answer


def attained_answer(run: Run, sigma: float, squares: tuple[float, float], quantity: str, at: float) -> Interval:
    """Return the answer of a run whose record adds a number with a square between two."""
    upper = answer_of(run, sigma, squares[1], Side.UPPER, quantity, at)
    lower = answer_of(run, sigma, squares[0], Side.LOWER, quantity, at).lower
    return replace(upper, lower=lower, budget=None, sources=(ATTAINED, ATTAINED))
