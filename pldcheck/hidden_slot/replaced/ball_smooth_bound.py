r"""An upper end of V_m for very many steps: nearly that of equilateral triangles at every step, and nothing adaptive.

With :math:`\psi(y) = E(y + Z)_+`, Z a Laplace variable of rate :math:`\rho`, :math:`\psi'' = \frac\rho2 e^{-\rho|y|}`
and :math:`E \psi(y + X) = \int \psi''(y + k) F_X(k) dk`, :math:`F_X(k) = E(X - k)_+`.

**Theorem.**  If a law Y has :math:`E \psi(y + X') \le E \psi(y + Y)` for all y and all configurations X', then
:math:`V_m(y) \le E(y + Z + Y_1 + \dots + Y_m)_+`.

Proof.  :math:`V_0 \le \psi` by Jensen's inequality.  If :math:`V_t(y) \le E \psi(y + G)`, G = Y_1 + ... + Y_t, then
V_(t+1) is at most the largest :math:`E \psi(y + X' + G)`, G independent of X'; given G it is at most
:math:`E \psi(y + Y + G)`.

**The condition.**  :math:`\psi''(y + k)` is between :math:`e^{\mp\rho|k|} \psi''(y)`.  So it is enough that

.. math:: \int (F_Y - F_{X'})_+ e^{-\rho|k|} dk \ge \int (F_{X'} - F_Y)_+ e^{\rho|k|} dk.

Of a piece [l, l'] of the arc where d is at distance 1, F is at most that of l for k > 0 and that of l' for k < 0, of
the other arc the other way round (:mod:`.ball_stoploss`).  F_Y is the larger of both arcs' from some length near 1 on,
which dominates the triangles near the equilateral one, and, beyond the two points of ``cut``, that of the record
removed (k > 0) or added (k < 0), which dominate all.  Where the first integrand of a piece is positive it is so by the
variance that equilateral triangles have in excess, and the second one is small as long as :math:`\rho` is.  All the
functions are upper bounds, straight between nodes; the left side is rounded down, the right side up.

The price is that of Z, :math:`1/(1 - \theta^2/\rho^2)` at an exponential slope :math:`\theta` of the sum's transform,
which falls with the number of steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import expm1, inf, log, sqrt

import numpy as np

from ...core.arrays import Array
from ...core.directed import UNIT, Side, enlarge
from ...core.roots import halve
from ...kernels.convex_potentials import hull_corners
from .ball_fixed_value import LatticePlan
from .ball_step_curves import arc_values
from .ball_uneven_value import growth_by_steps, masses_above

# The share of squared lengths next to 1 that Y dominates.
NEAREST = 0.004
# Ratio of the next share to the one before: the smaller s, the smaller is what equilateral triangles have in excess.
LEAST_RATIO, RATIO_SLOPE, LARGEST_RATIO = 1.08, 0.4, 1.5
# Cuts that are tried, in deviations of a step.
CUTS = (3.0, 5.0, 8.0, 14.0, 25.0, 45.0)
# How far the lattice reaches at least, in deviations: beyond a few of the cuts.
REACH = 12.0
# Halvings of the largest rate.
HALVINGS = 6
# Units by which the values of a convex hull are raised: interpolation rounds them five times.
HULL_UNITS = 16.0
# Points of Z, in inverse rates, between which the sum's transform lies under its chords.
LAPLACE_POINTS = np.array(
    [-20, -12, -8, -6, -5, -4, -3.25, -2.5, -2, -1.5, -1.2, -0.9, -0.6, -0.4, -0.2, 0, 0.2, 0.4, 0.6, 0.8, 1, 1.25]
    + [1.5, 1.75, 2, 2.3, 2.6, 3, 3.5, 4, 4.5, 5, 5.5, 6, 7, 8, 9, 10, 12, 14, 17, 20, 25, 30, 40]
)  # fmt: skip
# Relative rounding of sums over them, whose terms are differences of numbers a fifth apart at least.
ROUNDING = 2.0**-40


@dataclass(frozen=True, eq=False)
class Smoothing:
    """A law Y by values of its transform on nodes y = -k, the rate of Z, and what is to be added for each step."""

    nodes: Array
    values: Array
    rate: float
    lack: float


def value_above(s: float, c: float, steps: int, start: float, estimate: float) -> float:
    """Return an upper bound of V_steps(start), infinite where no rate serves; ``estimate`` is about that."""
    lattice = LatticePlan.of(s, c, steps, start, estimate, REACH * _deviation(s, c))
    if lattice is None:
        return inf
    smoothing = smoothed(s, c, lattice.nodes, steps, estimate)
    if smoothing is None:
        return inf
    # The condition was tested on these values, and the hull of them is lower by its rounding.
    values = enlarge(smoothing.values, HULL_UNITS)
    masses = masses_above(smoothing.nodes, values)
    # What a step adds is multiplied by the masses of all later ones, whose sum may exceed 1 by round-off.
    growth = growth_by_steps(masses, steps)
    excess = enlarge(growth * steps * float(values[0]), 4)
    total = lattice.sum_of(masses, steps, Side.UPPER, excess)
    shifts = LAPLACE_POINTS / smoothing.rate
    sums = np.array([total.value(-(start + shift)) for shift in shifts])
    return enlarge(laplace_mean(shifts, sums, smoothing.rate) + growth * steps * smoothing.lack, 16)


def smoothed(s: float, c: float, nodes: Array, steps: int, estimate: float) -> Smoothing | None:
    """Return the law and rate of the least estimated price; None where every price is too large."""
    ratio = min(max(1.0 + RATIO_SLOPE * s, LEAST_RATIO), LARGEST_RATIO)
    shares = [NEAREST]
    while shares[-1] * ratio < 1.0:
        shares.append(shares[-1] * ratio)
    lengths = [sqrt(1.0 - share) for share in shares] + [0.0]
    far, lack = arc_values(s, c, nodes, lengths, True, steps, estimate)
    near, other_lack = arc_values(s, c, nodes, lengths, False, steps, estimate)
    deviation = _deviation(s, c)
    slope = sqrt(2.0 * max(log(steps / estimate), 1.0)) / (deviation * sqrt(steps))
    best, least = None, inf
    for cut in CUTS:
        if cut * deviation >= min(-float(nodes[2]), float(nodes[-3])):  # Y must dominate beyond the nodes as well
            continue
        law = _joined_tails(nodes, far, near, cut * deviation)
        rate = _largest_rate(nodes, law, far, near, slope)
        if rate == 0.0:
            continue
        price = -log(1.0 - (slope / rate) ** 2) + 0.5 * slope**2 * steps * _variance(nodes, law)
        if price < least:
            best, least = Smoothing(nodes, law, rate, max(lack, other_lack)), price
    return best


def _deviation(s: float, c: float) -> float:
    """Return the deviation of a step of an equilateral triangle."""
    return sqrt((1.0 + c * c) * expm1(s * s) - 2.0 * c * expm1(0.5 * s * s))


def _joined_tails(nodes: Array, far: Sequence[Array], near: Sequence[Array], cut: float) -> Array:
    """Return the values of F_Y, whose tails beyond the cut are those of the record removed and added."""
    law = np.where(nodes < 0.0, far[0], np.where(nodes > 0.0, near[0], np.maximum(far[0], near[0])))
    left, right = int(np.searchsorted(nodes, -cut)), int(np.searchsorted(nodes, cut))
    if left > 1:
        removed = far[-1][:left]
        slope = (removed[-1] - removed[-2]) / (nodes[left - 1] - nodes[left - 2])
        law = np.maximum(law, np.append(removed, removed[-1] + slope * (nodes[left:] - nodes[left - 1])))
    if right < nodes.size - 1:
        added = near[-1][right:]
        slope = (added[1] - added[0]) / (nodes[right + 1] - nodes[right])
        law = np.maximum(law, np.append(added[0] + slope * (nodes[:right] - nodes[right]), added))
    # The law that is used is the convex hull of these values, raised by its rounding.
    corners = hull_corners(nodes, law)
    return np.asarray(enlarge(np.interp(nodes, nodes[corners], law[corners]), HULL_UNITS), dtype=np.float64)


def _largest_rate(nodes: Array, law: Array, far: Sequence[Array], near: Sequence[Array], slope: float) -> float:
    """Return a rate above ``slope`` at which the condition holds, about the largest; 0 where there is none."""

    def holds(rate: float) -> bool:
        return all(
            _is_dominated(nodes, law, one, other, rate, sign)
            for values, sign in ((far, 1.0), (near, -1.0))
            for one, other in zip(values[:0:-1], values[-2::-1], strict=True)  # the likely failures first
        )

    low, high = 1.02 * slope, 64.0 * slope
    if not holds(low):
        return 0.0
    if holds(high):
        return high
    return halve(holds, low, high, times=HALVINGS, geometric=True)[0]


def _is_dominated(nodes: Array, law: Array, shorter: Array, longer: Array, rate: float, sign: float) -> bool:
    """Return whether the condition holds for a piece of an arc; ``sign`` 1 where d is at distance 1."""
    most = np.where(sign * nodes < 0.0, shorter, np.where(nodes == 0.0, np.maximum(shorter, longer), longer))
    gaps, widths = law - most, np.diff(nodes)
    negative = np.maximum(-gaps, 0.0)
    size = np.abs(nodes)
    outer = np.maximum(size[1:], size[:-1])
    # Straight between nodes, the positive part is at least (g + g')/2 less the negative part of the chord.
    whole = 0.5 * (gaps[1:] + gaps[:-1]) * widths
    gains = np.where((gaps[1:] >= 0.0) & (gaps[:-1] >= 0.0), whole, 0.0) * np.exp(-rate * outer)
    losses = 0.5 * (negative[1:] + negative[:-1]) * widths
    with np.errstate(over="ignore", invalid="ignore"):
        loss = float(np.sum(np.where(losses > 0.0, losses * np.exp(rate * outer), 0.0)))
    rounding = (4.0 * nodes.size + 64.0) * UNIT
    # Values of the law and of a piece are floats, taken as they are; sums and weights are rounded.
    return float(np.sum(gains)) * (1.0 - rounding) >= loss * (1.0 + rounding)


def _variance(nodes: Array, law: Array) -> float:
    """Return the variance of a law, about: twice the integral of its transform less that of a constant."""
    mean = float(law[-1] - nodes[-1])
    excess = law - np.maximum(nodes + mean, 0.0)
    return float(2.0 * np.sum(0.5 * (excess[1:] + excess[:-1]) * np.diff(nodes)))


def laplace_mean(shifts: Array, values: Array, rate: float) -> float:
    r"""Return an upper bound of E V(Z) from upper bounds of a convex V at increasing points, 0 among them.

    V lies under its chords, left of the first point it is at most its value there, and right of the last one it rises
    with slope at most 1.  A Laplace variable adds :math:`e^{-\rho|x|} / (2\rho)` to a hinge at x, and the chords are
    V(0) and hinges: with the slopes b_i to the right of 0, :math:`E(V(Z) - V(0); Z > 0) = \sum_i b_i
    (e^{-\rho x_i} - e^{-\rho x_(i+1)}) / (2\rho)`, and likewise on the left, where V falls.
    """
    middle = int(np.searchsorted(shifts, 0.0))
    slopes = np.diff(values) / np.diff(shifts)
    decays = np.exp(-rate * np.abs(shifts))
    right = np.append(decays[middle:-1] - decays[middle + 1 :], decays[-1])
    rises = float(np.append(slopes[middle:], 1.0) @ right) / (2.0 * rate)
    falls = float(slopes[:middle] @ (decays[1 : middle + 1] - decays[:middle])) / (2.0 * rate)
    size = float(values[middle]) + rises + abs(falls)
    # Slopes are differences of values, and those differences of exponentials of rounded numbers.
    return float(values[middle]) + rises - falls + ROUNDING * size
