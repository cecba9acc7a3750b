r"""E(sum of independent gains)_+ by the Fourier inversion of privacy losses.

A loss S = eta X with a tiny eta has :math:`E(1 - e^{-S})_+ = \eta E X_+ - r, \ 0 \le r \le \tfrac12 \eta^2 E X_+^2`,
so the certified delta(0) of the losses eta g gives the stop-loss of the gains g, at any number of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import e, exp, inf, isfinite, log, sqrt

import numpy as np

from ..interval import UNDERFLOW
from . import solve
from .contour import Ends
from .losses import UNIT, Array, Atoms
from .total import Total, tilt

# r, relative to the stop-loss, about.
SMALL = 1e-11
# Relative width asked of the inversion.
TOLERANCE = 1e-6
# Tilts tried for the bound of the second moment, each half the one before: heavy tails want flat ones.
TILTS = 40


def excess(parts: Sequence[tuple[Array, Array, int]], error: float = 16 * UNIT, tolerance: float = TOLERANCE) -> Ends:
    """E(sum)_+ of independent gains: ``count`` copies of each (values, masses, count); the mean is not positive.

    ``error``: of values, relative to the largest of their part, and of masses (which are divided by their sum).
    """
    if len(parts) == 1 and parts[0][2] == 1:
        values, masses, _ = parts[0]
        once, reach = float(np.sum(np.maximum(values, 0.0) * masses)), 2.0 + float(masses @ np.abs(values))
        slack = (2.0 * error + 64 * UNIT) * once + error * reach
        return Ends(max(once - slack, 0.0), once + slack + UNDERFLOW, 0.0, 2.0 * slack)
    theta, log_moment = _second_moment(_total(parts, 1.0, error), _steepness(parts))
    eta = SMALL * theta
    found = solve.delta(_total(parts, eta, error), np.zeros(1), tolerance)[0]
    lost = 0.5 * eta * eta * exp(log_moment) if log_moment < 700.0 else inf
    lower, upper = found.lower / eta, (found.upper + lost) / eta
    return Ends(
        lower * (1.0 - 4 * UNIT),
        upper * (1.0 + 4 * UNIT) + UNDERFLOW,
        (found.truncation + lost) / eta,
        found.rounding / eta,
    )


def _total(parts: Sequence[tuple[Array, Array, int]], eta: float, error: float) -> Total:
    """The sum of losses eta times the gains."""
    laws = []
    for values, masses, _ in parts:
        loss_error = (error + 2 * UNIT) * eta * float(np.max(np.abs(values)))
        laws.append(Atoms.of(eta * values, masses, mass_error=error, loss_error=loss_error))
    return Total.of((law, count) for law, (_, _, count) in zip(laws, parts, strict=True))


def _steepness(parts: Sequence[tuple[Array, Array, int]]) -> float:
    """The tilt that brings the mean to zero, by the normal approximation: where the search for a bound starts."""
    mean = sum(count * float(masses @ values) for values, masses, count in parts)
    variance = sum(count * float(masses @ (values - masses @ values) ** 2) for values, masses, count in parts)
    return max(-mean, sqrt(max(variance, 1e-300))) / max(variance, 1e-300)


def _second_moment(total: Total, theta: float) -> tuple[float, float]:
    """A tilt, and the log of a bound of E(S_+)^2: x^2 <= (2/(e t))^2 e^(t x) for x, t > 0; the best of some tilts."""
    found = []
    for halvings in range(TILTS):
        tilted = theta * 2.0**-halvings
        state = tilt(total, tilted)
        found.append((state.cumulant + state.error - 2.0 * log(0.5 * e * tilted), tilted))
        if len(found) > 1 and isfinite(found[-2][0]) and found[-1] > found[-2]:
            break
    bound, best = min(found)
    return best, bound
