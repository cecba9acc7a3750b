"""Gains of messages times weights, as parts of a sum whose stop-loss transform is computed."""

from __future__ import annotations

from math import exp

import numpy as np

from ..core.differences import FUNCTION, Near, one_minus_product, ratio_difference, ratio_minus_one
from ..core.directed import UNIT
from ..pld.gain_stoploss import Part
from ..pld.step_losses import Array

# Relative error of masses.
ERROR = 64 * UNIT
# Relative error of weights, in round-offs: an exponential and three operations.
WEIGHTS = 10.0
# Relative width asked of a stop-loss transform: far below the losses of the other steps.
TOLERANCE = 1e-4


def stack(*gains: Near) -> Near:
    """Return several gains as one with arrays."""
    return Near(np.array([float(one.value) for one in gains]), np.array([float(one.error) for one in gains]))


def part(gains: Near, masses: Array, weight: float, count: int) -> Part:
    """Return the gains of ``count`` messages of one weight."""
    weighted = gains.times(weight, WEIGHTS)
    return weighted.value, masses, count, weighted.error


def certain(gain: Near) -> Part:
    """Return a gain that takes one value with probability 1."""
    return np.array([float(gain.value)]), np.ones(1), 1, float(gain.error)


def ternary_gains(eps0: float, epsilon: float) -> tuple[Near, Array]:
    """Return the gains a - e^epsilon a' of ternary response, where the others hold the third value, and their masses.

    They are x - e^epsilon and 1 - x e^epsilon with probability 1/(x + 2) each, else (1 - e^epsilon)/x.
    """
    last = ratio_minus_one(epsilon).times(-exp(-eps0), FUNCTION)
    x = exp(eps0)
    masses = np.array([1.0, 1.0, x]) / (x + 2.0)
    return stack(ratio_difference(eps0, epsilon), one_minus_product(eps0, epsilon), last), masses
