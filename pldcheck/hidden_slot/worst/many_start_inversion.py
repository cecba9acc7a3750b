"""The stop-loss transform of a sum of copies of one law at many starts, which share the nodes of one contour."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...core.arrays import Array
from ...core.directed import UNIT, enlarge, roundoff, shrink
from ...pld.lattice_fourier import (
    ALIAS_EXPONENT,
    DECAY,
    SPREAD,
    StopLoss,
    Tilted,
    few_nodes,
    inversion_kernel,
    left_out_bound,
    saddle_point,
    tilt,
)
from ...pld.lattice_law import LatticeLaw


@dataclass(frozen=True)
class Contour:
    """phi(s)^power at the nodes s of half a period of ``size`` lattice steps, with bounds on their absolute errors.

    ``left_out``: bounds the sum over the nodes that are not here; ``log_outside``: log of the integral of e^(theta y)
    over a measure that must be added to ``law`` to dominate (-inf if none).  See :mod:`pldcheck.pld.lattice_fourier`.
    """

    law: LatticeLaw
    power: int
    tilted: Tilted
    size: int
    frequencies: Array
    powers: np.ndarray
    doubt: Array
    left_out: float
    log_outside: float

    def at(self, start: float) -> StopLoss:
        """Upper bound of E(start + Y_1 + ... + Y_power)_+ for ``start < 0``; sharp near the start it was made for."""
        law, tilted, power, frequencies = self.law, self.tilted, self.power, self.frequencies
        theta = tilted.theta
        start = shrink(start, 8)  # upwards by more than its share of a step is rounded by
        # start lies between two lattice points: the transform is linear there.
        node = int(np.floor(start / law.step))
        fraction = start / law.step - node
        turned = 1.0 + fraction * np.expm1(law.step * (theta + 1j * frequencies))
        weights = inversion_kernel(theta, frequencies, law.step) * turned
        weights[1:] *= 2.0
        phases = np.exp(1j * frequencies * (node * law.step + power * tilted.mean))
        total = float(np.sum((weights * phases * self.powers).real))
        # phases: an argument of size s |u| has error 2 UNIT of itself; 32 for kernel, weights, products; sum: pairwise.
        # Centred atoms are off by units of their mean.
        slack = UNIT * (32.0 + 8.0 * frequencies * (abs(start) + power * abs(tilted.mean)))
        rounding = float(np.sum(np.abs(weights) * (self.doubt + np.abs(self.powers) * slack)))
        left_out = self.left_out * (1.0 + fraction * float(np.expm1(theta * law.step)))
        exponent = power * tilted.log_mgf + theta * node * law.step
        exponent_error = power * (tilted.log_mgf_error + roundoff(4, abs(tilted.log_mgf)))
        exponent_error = exponent_error + roundoff(4, abs(theta * start))
        exponent_error += roundoff(8, theta * law.step)  # of the rise within a step
        scale = float(np.exp(exponent) / self.size)
        chernoff = float(np.exp(power * tilted.log_mgf + theta * start - 1.0) / theta)
        outside = chernoff * float(np.expm1(power * np.exp(self.log_outside - tilted.log_mgf)))
        moved = float(np.sum(law.added * (np.expm1(theta * law.atoms) - theta * law.atoms)))
        repaired = chernoff * float(np.expm1(power * max(moved, 0.0) * np.exp(-tilted.log_mgf)))
        return StopLoss(
            # an exponent that is off by e is a factor of e^e
            upper=enlarge((scale * (total + rounding + left_out) + outside) * float(np.exp(exponent_error)), 32),
            truncation=scale * left_out + outside,
            rounding=scale * (2.0 * rounding + total * exponent_error) + repaired,
        )


def contour(law: LatticeLaw, power: int, start: float, guess: float, log_outside: Callable[[float], float]) -> Contour:
    """The contour through the saddle point of ``start``; ``guess``: a tilt near it.

    Only nodes near zero are evaluated: beyond, three copies of a law with many atoms have nothing to speak of.
    """
    theta = saddle_point(law, power, start, guess)
    tilted = tilt(law, theta)
    spread = tilted.deviation * np.sqrt(power)
    size = int(np.ceil(max(ALIAS_EXPONENT / theta, SPREAD * spread) / law.step)) + 1
    spacing = 2.0 * np.pi / (size * law.step)
    last = min(float(np.sqrt(2.0 * DECAY) / spread), float(np.pi) / law.step)
    count = min(int(np.ceil(last / spacing)), (size - 1) // 2) + 1
    frequencies = np.asarray(spacing * np.arange(count), dtype=np.float64)
    powers, doubt = few_nodes(tilted, power, frequencies)
    left_out = 2.0 * left_out_bound(law, tilted, power, spacing, frequencies[-1])
    return Contour(law, power, tilted, size, frequencies, powers, doubt, left_out, log_outside(theta))
