r"""The parameter mu of Gaussian privacy, N(mu, 1) against N(0, 1), from one point of a curve, rounded down or up.

Its delta G_mu(epsilon) grows with mu, and its trade-off function is :math:`f_\mu(\alpha) = \Phi(-\Phi^{-1}(\alpha) -
\mu)`. Searches are in floats; the float that is returned has been compared in balls.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import inf, nextafter
from typing import Any

import flint
import scipy.special

from ..core.directed import Side
from ..core.roots import halve
from .gaussian_balls import delta_of_parameter

# The bits of balls around the normal law.
BITS = 160
# Relative width of the bracket in which a search for mu ends.
CLOSE = 2.0**-46
# Above this mu no search goes on: the two laws are apart for every purpose.
LARGEST_MU = 1e6
# The least mu that is told from 0.
LEAST_MU = 1e-12
# A quantile from which a search for those beyond the range of floats starts.
LARGEST_QUANTILE = 38.0
# The first step of a search for a quantile, relative to its size; each step is twice the one before.
FIRST_STEP = 2.0**-52


def quantile_below(probability: Fraction) -> float:
    """Return a float w with Phi(w) <= probability, next to the quantile; a probability in (0, 1)."""
    # The smaller of the two tails has all its digits as a float.
    tail = min(probability, 1 - probability)
    size = min(-float(scipy.special.ndtri(float(tail))), LARGEST_QUANTILE)
    near = -size if probability == tail else size
    step = FIRST_STEP * max(abs(near), 1.0)
    with flint.ctx.workprec(BITS):
        target, root = flint.arb(flint.fmpq(tail.numerator, tail.denominator)), flint.arb(2).sqrt()

        def holds() -> bool:
            """Compare the smaller tails: Phi(w) <= p, or Phi(-w) >= 1 - p."""
            if probability == tail:
                return bool((-flint.arb(near) / root).erfc() / 2 <= target)
            return bool((flint.arb(near) / root).erfc() / 2 >= target)

        while not holds():
            near, step = near - step, 2.0 * step
    return near


def log(number: float) -> Any:
    """Return a ball around the logarithm of a positive float."""
    with flint.ctx.workprec(BITS):
        return flint.arb(number).log()


def parameter_of(epsilon: Any, delta: Fraction, side: Side) -> float:
    """Return a mu with G_mu(epsilon) <= delta (lower side) or >= delta (upper side), next to the one with equality.

    ``epsilon`` may be a ball.  At delta <= 0 both are 0; at delta >= 1 both are infinite, and so is the upper one above
    ``LARGEST_MU``.
    """
    if delta <= 0 or delta >= 1:
        return 0.0 if delta <= 0 else inf
    at_most = _comparison(epsilon, delta, Side.LOWER)
    if side is Side.LOWER:
        if not at_most(LEAST_MU):
            return 0.0
        return LARGEST_MU if at_most(LARGEST_MU) else _halve(at_most)[0]
    at_least = _comparison(epsilon, delta, Side.UPPER)
    if at_least(LEAST_MU):
        return LEAST_MU
    return _halve(lambda mu: not at_least(mu))[1] if at_least(LARGEST_MU) else inf


def is_enough(mu: float, epsilon: Any, delta: Fraction, side: Side) -> bool:
    """Return whether G_mu(epsilon) is certainly at most delta (lower side) or at least delta (upper side)."""
    return _comparison(epsilon, delta, side)(mu)


def _comparison(epsilon: Any, delta: Fraction, side: Side) -> Callable[[float], bool]:
    with flint.ctx.workprec(BITS):
        target = flint.arb(flint.fmpq(delta.numerator, delta.denominator))

    def holds(mu: float) -> bool:
        ball = delta_of_parameter(mu, epsilon)
        return bool(ball <= target) if side is Side.LOWER else bool(ball >= target)

    return holds


def _halve(holds: Callable[[float], bool]) -> tuple[float, float]:
    return halve(holds, LEAST_MU, LARGEST_MU, relative=CLOSE, geometric=True)


def root_ends(square: Fraction) -> tuple[float, float]:
    """Return floats around the square root of a fraction that is positive."""
    low = float(square) ** 0.5
    while Fraction(low) ** 2 > square:
        low = nextafter(low, 0.0)
    high = low
    while Fraction(high) ** 2 < square:
        high = nextafter(high, inf)
    return low, high
