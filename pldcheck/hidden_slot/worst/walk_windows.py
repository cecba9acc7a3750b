"""Windows of grid nodes for a walk: Chernoff bounds of its two tails."""

from __future__ import annotations

import numpy as np

from ...core.arrays import Array
from .step_laws import Steps

# Number of node-steps of one recursion (1.1 ns each) beyond which it is refused.
MOST_NODE_STEPS = 2e9
# Number of nodes of one recursion (8 bytes in five arrays) beyond which it is refused.
MOST_NODES = 5e5


def dispersed_cumulant(steps: Steps, shifts: np.ndarray, fractions: Array, step: float, theta: Array) -> Array:
    """Return the largest cumulant of the laws after dispersal to the grid; it is at least that of the laws."""
    with np.errstate(divide="ignore"):
        spread = np.logaddexp(np.log1p(-fractions), np.log(fractions) + step * theta[:, None])
    growth = step * theta[:, None] * shifts + spread
    vertices = ([1, 3], [2, 4], [0, 2, 3])
    return np.maximum.reduce(
        [np.logaddexp.reduce(growth[:, vertices[law]] + np.log(steps.probabilities[law]), axis=1) for law in steps.laws]
    )


class Chernoff:
    """Bounds E(u + S_t)_+ <= exp(t K(theta) + theta u - 1)/theta of the walk on the grid, and of its other tail."""

    def __init__(
        self, steps: Steps, shifts: np.ndarray, fractions: Array, step: float, count: int, centre: float
    ) -> None:
        nominal = 1.0 / (steps.deviation * np.sqrt(count))
        tilts = np.concatenate([nominal * np.logspace(-0.5, 3.5, 48), centre * np.linspace(1.02, 6.0, 48)])
        self.theta = np.sort(tilts)
        self.growth = dispersed_cumulant(steps, shifts, fractions, step, self.theta)
        self.fall = dispersed_cumulant(steps, shifts, fractions, step, -self.theta)

    def window(self, growth: Array, times: Array, log_tolerance: float) -> Array:
        """Return the distance at which E(|u| - distance)_+ is below the tolerance, after each of ``times`` steps."""
        lines = times[:, None] * growth - 1.0 - np.log(self.theta) - log_tolerance
        return np.maximum(np.min(lines / self.theta, axis=1), 0.0)

    def log_outside(self, count: int, edges: Array, theta: float) -> Array:
        """Return the log of the integral of e^(theta y) beyond each of ``edges``.

        The integral is over y > edge, of the measure with stop-loss transform exp(count K + ...).
        """
        steeper = self.theta > theta * (1 + 1e-9)
        t = self.theta[steeper]
        if not t.size:
            return np.full(edges.size, np.inf)
        lines = count * self.growth[steeper] - 1.0 + np.log(t) - np.log(t - theta)
        return np.asarray(np.min(lines - edges[:, None] * (t - theta), axis=1), dtype=np.float64)


def windows(chernoff: Chernoff, count: int, step: float, reach: float, log_left: float, log_right: float):
    """Return window edges in nodes after 0..count steps, as lows and highs; None if there are too many nodes.

    A step moves at most reach + step.
    """
    times = np.arange(count + 1.0)
    left = np.minimum(chernoff.window(chernoff.growth, times, log_left), times * (reach + step))
    right = np.minimum(chernoff.window(chernoff.fall, times, log_right), times * (reach + step))
    width = (left + right) / step
    if not (np.sum(width) < MOST_NODE_STEPS and width[-1] < MOST_NODES):
        return None
    lows = -np.ceil(left / step).astype(np.int64) - 2
    highs = np.ceil(right / step).astype(np.int64) + 2
    return np.minimum.accumulate(lows), np.maximum.accumulate(highs)
