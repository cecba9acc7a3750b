r"""Certified upper end: blocks of the grid recursion, joined in convex order, summed by Fourier inversion.

With s the steps of :mod:`pldcheck.hidden_slot.worst.step_laws` and u in units of w/m,

.. math:: \delta(\epsilon) = \tfrac{w}{m} V_m(u_0), \quad u_0 = -(e^\epsilon - 1) m / w, \quad
          V_0(u) = u_+, \quad V_t(u) = \max_{laws} E V_{t-1}(u + s).

V_b(u) is the stop-loss transform at -u of one law, the least that dominates every adaptive b-step policy in convex
order; a sum of r independent copies of it dominates every r b-step policy.  Any positive measure whose stop-loss
transform lies above V_b will do in its place: the values on a coarser grid, joined by straight lines, are such a
transform.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from ...core.arrays import Array
from ...core.directed import UNIT, Ends, roundoff, shrink
from ...core.interval import UNDERFLOW
from ...kernels.saddle_point import centring_tilt, tilted_moments
from ...kernels.slot_recursion import ROUNDINGS_PER_STEP, potential
from ...pld.lattice_contour import Contour
from ...pld.lattice_fourier import dominating_contour
from .joined_block_law import joined_law
from .slot_problem import Slot
from .step_laws import OneStep, Steps
from .threshold_policies import Policy
from .walk_windows import Chernoff, windows

# Mass that the windows cut off, relative to the value (each cut is in the safe direction and in the budget).
CUT_SHARE = 1e-8
# Where the log of a Chernoff bound is below this, that bound is the answer.
LOG_LEAST = -690.0
# Clamping at a window's edge feeds on itself, step after step; windows are therefore wider than asked by this in the
# log of the value at their edge.
MARGIN = 16.0
# Spacing of the joined law's atoms, in its standard deviations: dispersal adds
# COARSE_SPACING^2/6 = 1e-4 to its variance.
COARSE_SPACING = 0.025
# Candidates for the grid step, relative to the nominal one.
CANDIDATES = np.linspace(0.4, 1.15, 451)
# A tilt at which a law has hardly more than one output.
STEEPEST = 30.0
# Joined blocks of length b make epsilon larger by about this share, over the root of b.
JOIN_COST = 0.02
# Largest number of times at which a policy is recorded.
MOST_SLICES = 512
# Distance from the path of the walk within which a policy is recorded, in deviations.
STRAY_DEVIATIONS = 4.5
# Largest factor by which a step that divides a move exactly may be finer than nominal.
FINEST_SHARE = 0.2
# Variance that dispersal adds to a step, in squares of the nominal one, for which no finer grid is worth while: at 0.07
# deviations 4e-4 of the walk's own.
LITTLE_VARIANCE = 0.08


@dataclass(frozen=True)
class Plan:
    """The resolution: the grid step in standard deviations of one step of the walk, and the steps in a block."""

    grid: float
    block: int


@dataclass(frozen=True)
class UpperDelta:
    """An upper bound of delta at epsilon; ``truncation`` and ``rounding`` are the parts of it that these cause.

    ``policy``: the recursion's own choices, when all steps were one block.
    """

    delta: float
    truncation: float
    rounding: float
    policy: Policy | None = None


def tilt(steps: OneStep, count: int, start: float) -> float:
    """Return a theta > 0 near the minimum of count K(theta) + theta start - 2 log theta.

    K is the largest cumulant of one step.  The best of the laws' own tilts is taken: each is computed from the zero of
    count K' + start, with K'' as it is there.
    """
    tilts = np.empty(len(steps.laws))
    for i, (values, probabilities) in enumerate(map(steps.law, steps.laws)):
        # The start is out of a law's reach, or nearly: its outputs are e^STEEPEST apart.
        steepest = STEEPEST / float(np.ptp(values))
        theta = min(centring_tilt(values, probabilities, count, start), steepest)
        _, _, variance, _ = tilted_moments(values, probabilities, theta)
        tilts[i] = 0.5 * (theta + sqrt(theta * theta + 8.0 / max(count * variance, 8.0 / steepest**2)))
    return float(tilts[np.argmin(count * steps.cumulant(tilts) + tilts * start - 2.0 * np.log(tilts))])


def blocks(count: int, nominal: int) -> tuple[int, int]:
    """Return block length and number of blocks; together they have at least ``count`` steps, as more only disperse."""
    lengths = np.arange(max(int(0.85 * nominal), 1), int(1.2 * nominal) + 1)
    powers = -(-count // lengths)
    best = int(np.argmin(0.5 * (powers * lengths / count) + JOIN_COST / np.sqrt(lengths)))
    return int(lengths[best]), int(powers[best])


def moves(values: Array, step: float) -> tuple[np.ndarray, Array]:
    """Return the move of a node at each vertex: whole nodes and a fraction, rounded up (V increases)."""
    distance = values / step
    shifts = np.floor(distance)
    fractions = distance - shifts + roundoff(16, np.abs(distance) + 1.0)
    carry = fractions >= 1.0
    return (shifts + carry).astype(np.int64), np.where(carry, fractions - 1.0, fractions)


def grid_step(steps: OneStep, grid: float, theta: float) -> float:
    """Return the step near ``grid`` standard deviations on which the tilted laws disperse least.

    The laws are tilted by theta, since their dispersal matters there.  Besides steps in a narrow range, whole fractions
    of each move are tried: where nearly all the tilted mass sits on one vertex, its move must not be dispersed at all.
    """
    nominal = grid * steps.deviation
    moves = np.abs(steps.values[steps.values != 0.0])
    fractions = (moves[:, None] / np.arange(1, 65)).ravel()
    fractions = fractions[(fractions > FINEST_SHARE * nominal) & (fractions < CANDIDATES[-1] * nominal)]
    candidates = np.concatenate([nominal * CANDIDATES, fractions])
    best = steps.cumulant(np.array(theta))
    worst = np.zeros(candidates.size)
    for values, probabilities in map(steps.law, steps.laws):
        tilted_law = np.exp(np.log(probabilities) + theta * values - best)
        # A whole number of nodes may come out as one less and a fraction of nearly 1.
        fraction = np.mod(values / candidates[:, None], 1.0)
        added_variance = candidates**2 * ((fraction * (1.0 - fraction)) @ tilted_law)
        worst = np.maximum(worst, added_variance)
    # Work grows like 1/step; a large step is taken among those that disperse little.
    return float(candidates[np.argmin((1.0 + (worst / (LITTLE_VARIANCE * nominal**2)) ** 2) / candidates)])


@dataclass(frozen=True)
class Walk:
    """Bounds of delta*(epsilon) for every epsilon up to ``largest``, sharp where it is near that.

    The steps of a larger epsilon dominate: as e^epsilon grows, those of BE grow in proportion and those of CF stay; of
    ACE the lowest output falls and the middle one rises, the mean being kept.  So every V_t grows.

    ``line``: log V(start) is at most line[0] + line[1] start.  ``grid``: the recursion's potential or the blocks'
    contour; None where that is answer enough.
    """

    slot: Slot
    largest: float
    line: tuple[float, float]
    grid: _Block | Contour | None

    def at(self, epsilon: float) -> UpperDelta:
        """Return the bound at an epsilon up to ``largest``."""
        scale, start = self.slot.weight / self.slot.steps, _start(self.slot, epsilon)
        # The error of the exponent: its products are known relatively.
        log_bound = float(np.log(scale)) + self.line[0] + shrink(self.line[1] * start, 8)
        bound = UpperDelta(float(np.exp(min(log_bound, 0.0))) + UNDERFLOW, 0.0, 0.0)
        if self.grid is None:
            return bound
        with np.errstate(over="ignore", invalid="ignore"):
            ends = self.grid.at(shrink(start, 8))  # it is rounded towards zero, since V increases
        # The lattice has added what it loses in units of gains; this is for the product, in units of delta.
        delta = scale * ends.upper + UNDERFLOW
        if not delta <= bound.delta:
            return bound
        return UpperDelta(delta, min(scale * ends.truncation, delta), scale * ends.rounding, self.policy)

    @property
    def policy(self) -> Policy | None:
        """The recursion's own choices, if they were recorded."""
        return self.grid.policy if isinstance(self.grid, _Block) else None


def _start(slot: Slot, epsilon: float) -> float:
    return -float(np.expm1(epsilon)) * slot.steps / slot.weight


def _chernoff_line(steps: Steps, count: int, theta: float) -> tuple[float, float]:
    """Return the constant and the slope in u < 0 of the log of a bound of E(u + S)_+.

    The bound is exp(count K(theta) + theta u - 1)/theta.
    """
    value = count * float(steps.cumulant(theta)) - 1.0 - float(np.log(theta))
    # A cumulant is known to a few units of its largest terms.
    doubt = UNIT * (count * (16.0 + 4.0 * theta * float(np.abs(steps.values).max())) + 8.0 * abs(value))
    return value + doubt, theta


def walk(slot: Slot, epsilon: float, plan: Plan, record: bool = False) -> Walk:
    """Return the bounds from one recursion at ``epsilon``; ``record`` stores the policy (one block only).

    ``epsilon`` must be below ``slot.inner_cap``, where delta* becomes zero.
    """
    count = slot.steps
    steps, start = Steps(slot.eps0, epsilon, slot.laws), _start(slot, epsilon)
    theta = tilt(steps, count, start)
    line = _chernoff_line(steps, count, theta)
    log_chernoff = line[0] + theta * start
    grid: _Block | Contour | None = None
    if float(np.log(slot.weight / count)) + log_chernoff >= LOG_LEAST:
        step = grid_step(steps, plan.grid, theta)
        # Far from any use (delta near 1, or 1e-200 of a few heavy steps) numbers may overflow: the bound stands alone.
        with np.errstate(over="ignore", invalid="ignore"):
            if count <= plan.block:
                grid = _one_block(count, steps, start, theta, log_chernoff, step, record)
            else:
                grid = _joined_blocks(*blocks(count, plan.block), steps, start, theta, step)
    return Walk(slot, epsilon, line, grid)


def delta_upper(slot: Slot, epsilon: float, plan: Plan, record: bool = False) -> UpperDelta:
    """Return an upper bound of delta*(epsilon), by :func:`walk`."""
    return walk(slot, epsilon, plan, record).at(epsilon)


# Without times the recursion records no policy.
_NONE = np.zeros(0, np.int64)


@dataclass(frozen=True)
class _Slices:
    """The times to go and the nodes at which a policy is recorded."""

    times: np.ndarray
    firsts: np.ndarray
    size: int
    stride: int

    @classmethod
    def along(cls, steps: Steps, step: float, count: int, start: float) -> _Slices:
        """Return slices around the path from the start to zero, as wide as a walk tied to both ends strays.

        The law to use alternates in places with the period of a lattice law (sum of two moves), and the pattern drifts
        with time: both must be resolved.
        """
        times = np.unique(np.linspace(1, count, min(count, MOST_SLICES)).round().astype(np.int64))
        centre = start * times / count / step
        stray = STRAY_DEVIATIONS * steps.deviation * (np.sqrt(times * (count - times) / count) + 1.0) / step
        stride = max(int(0.1 * steps.deviation / step), 1)
        size = int(2 * stray.max() / stride) + 2
        return cls(times, np.floor(centre - 0.5 * size * stride).astype(np.int64), size, stride)

    def policy(self, laws: np.ndarray, step: float) -> Policy:
        """Return the recorded laws as thresholds."""
        ladder = self.stride * np.arange(self.size)
        return Policy.from_choices(
            self.times, [((first + ladder) * step, row) for first, row in zip(self.firsts, laws, strict=True)]
        )


def _recursion(steps: Steps, shifts: np.ndarray, fractions: Array, lows, highs, slices: _Slices | None = None):
    where = (slices.times, slices.firsts, slices.size, slices.stride) if slices else (_NONE, _NONE, 0, 1)
    return potential(shifts, fractions, *steps.probabilities, lows, highs, *where)


@dataclass(frozen=True)
class _Block:
    """The function G = V - u_+ of all steps, and the loss by clamping at the two edges.

    ``low`` is the first node, and the unit is ``step``.  The walk that reaches the right edge has come up from the
    start: its cost there counts with the probability of that.
    """

    values: Array
    low: int
    step: float
    rounding: float
    left: float
    right: float
    log_reaching: tuple[float, Array, Array]
    policy: Policy | None

    def at(self, start: float) -> Ends:
        """Return an upper bound of V(start), start < 0."""
        place = start / self.step
        node = int(np.floor(place))
        fraction, index = place - node, node - self.low
        if index < 0:
            excess = float(self.values[0])
        else:
            excess = float((1.0 - fraction) * self.values[index] + fraction * self.values[index + 1])
        upper = self.step * excess * (1.0 + self.rounding)
        count, theta, growth = self.log_reaching
        # Doob's inequality, at any tilt.
        clamp_loss = max(self.left, self.right * float(np.exp(min(np.min(theta * start + count * growth), 0.0))))
        return Ends(0.0, upper, self.step * clamp_loss, upper * self.rounding)


def _one_block(count, steps, start, theta, log_chernoff, step, record) -> _Block | None:
    shifts, fractions = moves(steps.values, step)
    chernoff = Chernoff(steps, shifts, fractions, step, count, theta)
    # The Chernoff bound exceeds the value by about one deviation of the tail, less than 10^4 in any case of interest.
    log_tolerance = max(log_chernoff + np.log(1e-4 * CUT_SHARE) - MARGIN, -690.0)
    window_edges = windows(chernoff, count, step, float(np.abs(steps.values).max()), log_tolerance, log_tolerance)
    if window_edges is None:
        return None
    lows, highs = window_edges
    slices = _Slices.along(steps, step, count, start) if record else None
    values, left, right, laws = _recursion(steps, shifts, fractions, lows, highs, slices)
    policy = slices.policy(laws, step) if slices else None
    reaching = float(count), chernoff.theta, chernoff.growth
    rounding = (ROUNDINGS_PER_STEP * count + 32) * UNIT
    return _Block(values, int(lows[-1]), step, rounding, left, right, reaching, policy)


def _joined_blocks(block, power, steps, start, theta, step) -> Contour | None:
    shifts, fractions = moves(steps.values, step)
    chernoff = Chernoff(steps, shifts, fractions, step, block, theta)
    reach = float(np.abs(steps.values).max())
    # Left edge: what lies beyond must not matter even after tilting and power copies.
    log_cut = np.log(CUT_SHARE / power)
    edges = np.linspace(1.0, 60.0, 237) * steps.deviation * np.sqrt(block)
    beyond = chernoff.log_outside(block, edges, theta)
    enough = np.flatnonzero(beyond <= log_cut + block * steps.cumulant(theta))
    edge = min(float(edges[enough[0]]) if enough.size else float(edges[-1]), block * reach)
    log_left = float(np.min(block * chernoff.growth - chernoff.theta * edge - 1.0 - np.log(chernoff.theta)))
    log_right = np.log(CUT_SHARE / (theta * power))
    window_edges = windows(chernoff, block, step, reach, max(log_left - MARGIN, -690.0), log_right)
    if window_edges is None:
        return None
    lows, highs = window_edges
    every = max(int(COARSE_SPACING * steps.deviation * np.sqrt(block) / step), 1)
    highs[-1] = every * -(-highs[-1] // every)
    values, _, _, _ = _recursion(steps, shifts, fractions, lows, highs)
    low = max(every * int(-edge / step // every), every * -(-int(lows[-1]) // every))
    law = joined_law(values[low - lows[-1] :], low, every, step, block)
    left_edge = -float(low) * step
    attainable = left_edge >= block * reach  # then no mass lies beyond the left edge

    def log_outside(sum_tilt: float) -> float:
        return -np.inf if attainable else float(chernoff.log_outside(block, np.array([left_edge]), sum_tilt)[0])

    return dominating_contour(law, power, start, theta, log_outside)
