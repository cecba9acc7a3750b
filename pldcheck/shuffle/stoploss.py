r"""E(sum of independent gains)_+ by the Fourier inversion of privacy losses.

A loss S = eta X with a tiny eta has :math:`E(1 - e^{-S})_+ = \eta E X_+ - r, \ 0 \le r \le \tfrac12 \eta^2 E X_+^2`,
so the certified delta(0) of the losses eta g gives the stop-loss of the gains g, at any number of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import e, exp, log, sqrt

import numpy as np

from ..interval import UNDERFLOW
from ..pld import solve
from ..pld.losses import UNIT, Array, Atoms
from ..pld.total import Total, tilt
from .pair import Ends

# r, relative to the stop-loss, about.
SMALL = 1e-9
# Relative width asked of the inversion.
TOLERANCE = 1e-6
# Tilts of the second-moment bound that are tried, as multiples of the saddle point's.
_TILTS = (0.25, 0.5, 1.0)


def excess(parts: Sequence[tuple[Array, Array, int]], error: float = 16 * UNIT, tolerance: float = TOLERANCE) -> Ends:
    """E(sum)_+ of independent gains: ``count`` copies of each (values, masses, count); the mean is not positive.

    ``error``: of values, relative to the largest of their part, and of masses (which are divided by their sum).
    """
    eta, cut = _scale(parts)
    laws = [_law(values, masses, eta, error) for values, masses, _ in parts]
    total = Total.of((law, count) for law, (_, _, count) in zip(laws, parts, strict=True))
    found = solve.delta(total, np.zeros(1), tolerance)[0]
    lost = _second_moment(total, cut / eta)
    lower, upper = found.lower / eta, (found.upper + lost) / eta
    return Ends(
        lower * (1.0 - 4 * UNIT),
        upper * (1.0 + 4 * UNIT) + UNDERFLOW,
        (found.truncation + lost) / eta,
        found.rounding / eta,
    )


def _law(values: Array, masses: Array, eta: float, error: float) -> Atoms:
    reach = float(np.max(np.abs(values)))
    return Atoms.of(eta * values, masses, mass_error=error, loss_error=(error + 2 * UNIT) * eta * reach)


def _scale(parts: Sequence[tuple[Array, Array, int]]) -> tuple[float, float]:
    """Eta, and the tilt of the gains that brings their sum's mean to zero, by the normal approximation."""
    mean = sum(count * float(masses @ values) for values, masses, count in parts)
    variance = sum(count * float(masses @ (values - masses @ values) ** 2) for values, masses, count in parts)
    deviation = sqrt(max(variance, 1e-300))
    cut = max(-mean, deviation) / max(variance, 1e-300)
    return SMALL * cut, cut


def _second_moment(total: Total, theta: float) -> float:
    """A bound of E(S_+)^2/2: x^2 <= (2/(e t))^2 e^(t x) for x, t > 0."""
    exponents = []
    for factor in _TILTS:
        state = tilt(total, factor * theta)
        exponents.append(state.cumulant + state.error - 2.0 * log(0.5 * e * factor * theta) - log(2.0))
    return exp(min(*exponents, 700.0))
