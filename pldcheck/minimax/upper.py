r"""Certified upper end: blocks of the grid recursion, joined in convex order, summed by Fourier inversion.

With s the steps of :mod:`pldcheck.laws` and u in units of w/m,

.. math:: \delta(\epsilon) = \tfrac{w}{m} V_m(u_0), \quad u_0 = -(e^\epsilon - 1) m / w, \quad
          V_0(u) = u_+, \quad V_t(u) = \max_{laws} E V_{t-1}(u + s).

V_b(u) is the stop-loss transform at -u of one law, the least that dominates every adaptive b-step policy in convex
order; a sum of r independent copies of it dominates every r b-step policy.  Any positive measure whose stop-loss
transform lies above V_b will do in its place: the values on a coarser grid, joined by straight lines, are such a
transform.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..fourier import stop_loss_of_sum
from ..interval import UNDERFLOW
from ..kernels.minimax import ROUNDINGS_PER_STEP, potential
from ..laws import Array, LatticeLaw, Steps
from .policy import Policy
from .slot import Slot

UNIT = 2.0**-53
# What the windows cut off, relative to the value sought (each cut is in the safe direction and in the budget).
CUT = 1e-8
# Below this log a Chernoff bound is answer enough.
LOG_LEAST = -690.0
# Node-steps of one recursion (1.1 ns each), and nodes (8 bytes in five arrays), beyond which it is refused.
MOST_NODE_STEPS, MOST_NODES = 2e9, 5e5
# Clamping at a window's edge feeds on itself, step after step; windows are therefore wider than asked by this in the
# log of the value at their edge.
MARGIN = 16.0
# Spacing of the joined law's atoms, in its standard deviations: dispersal adds COARSE^2/6 = 1e-4 to its variance.
COARSE = 0.025
# Candidates for the grid step, all in [0.75, 1.15] of the nominal one; the least dispersing is taken.
CANDIDATES = np.linspace(0.75, 1.15, 401)
# A recorded policy: times, and how far around the way it is resolved, in deviations.
MOST_SLICES = 512
STRAY = 4.5
# How much finer than nominal a step may be that divides a move exactly.
FINEST_SHARE = 0.2


@dataclass(frozen=True)
class Plan:
    """How fine: grid step in standard deviations of one step of the walk, and steps a block."""

    grid: float
    block: int


@dataclass(frozen=True)
class UpperDelta:
    """``delta >= delta*(epsilon)``; ``truncation`` and ``rounding`` are part of it.

    ``policy``: the recursion's own choices, when all steps were one block.
    """

    delta: float
    truncation: float
    rounding: float
    policy: Policy | None = None


def tilt(steps: Steps, count: int, start: float) -> float:
    """The theta that minimises count K(theta) + theta start - 2 log theta, K the largest cumulant of one step."""
    nominal = 1.0 / (steps.deviation * np.sqrt(count))
    grid = nominal * np.logspace(-1, 4, 241)
    goal = count * steps.cumulant(grid) + grid * start - 2.0 * np.log(grid)
    return float(grid[np.argmin(goal)])


def moves(values: Array, step: float) -> tuple[np.ndarray, Array]:
    """Where each vertex moves a node: whole nodes and a fraction, rounded up (V increases)."""
    distance = values / step
    shifts = np.floor(distance)
    fractions = distance - shifts + 16 * UNIT * (np.abs(distance) + 1.0)
    carry = fractions >= 1.0
    return (shifts + carry).astype(np.int64), np.where(carry, fractions - 1.0, fractions)


def grid_step(steps: Steps, grid: float, theta: float) -> float:
    """The step near ``grid`` standard deviations on which the laws disperse least where it matters, tilted by theta.

    Besides steps in a narrow range, whole fractions of each move are tried: where nearly all the tilted mass sits
    on one vertex, its move must not be dispersed at all.
    """
    nominal = grid * steps.deviation
    moves = np.abs(steps.values[steps.values != 0.0])
    fractions = (moves[:, None] / np.arange(1, 65)).ravel()
    fractions = fractions[(fractions > FINEST_SHARE * nominal) & (fractions < CANDIDATES[-1] * nominal)]
    candidates = np.concatenate([nominal * CANDIDATES, fractions])
    best = steps.cumulant(np.array(theta))
    worst = np.zeros(candidates.size)
    for values, probabilities in map(steps.law, range(3)):
        tilted = np.exp(np.log(probabilities) + theta * values - best)
        # A whole number of nodes may come out as one less and a fraction of nearly 1.
        fraction = np.mod(values / candidates[:, None], 1.0)
        added = candidates**2 * ((fraction * (1.0 - fraction)) @ tilted)
        worst = np.maximum(worst, added)
    # Work grows like 1/step; among steps that hardly disperse (less than a thousandth of a nominal step) take a
    # large one.
    return float(candidates[np.argmin((worst + 1e-6 * nominal**2) / candidates)])


def _dispersed_cumulant(steps: Steps, step: float, theta: Array) -> Array:
    """The largest cumulant of the laws after dispersal to the grid; at least that of the laws themselves."""
    shifts, fractions = moves(steps.values, step)
    with np.errstate(divide="ignore"):
        spread = np.logaddexp(np.log1p(-fractions), np.log(fractions) + step * theta[:, None])
    growth = step * theta[:, None] * shifts + spread
    vertices = ([1, 3], [2, 4], [0, 2, 3])
    return np.maximum.reduce(
        [
            np.logaddexp.reduce(growth[:, which] + np.log(p), axis=1)
            for which, p in zip(vertices, steps.probabilities, strict=True)
        ]
    )


class _Chernoff:
    """Bounds E(u + S_t)_+ <= exp(t K(theta) + theta u - 1)/theta of the walk on the grid, and of its other tail."""

    def __init__(self, steps: Steps, step: float, count: int, centre: float) -> None:
        nominal = 1.0 / (steps.deviation * np.sqrt(count))
        tilts = np.concatenate([nominal * np.logspace(-0.5, 3.5, 48), centre * np.linspace(1.02, 6.0, 48)])
        self.theta = np.sort(tilts)
        self.growth = _dispersed_cumulant(steps, step, self.theta)
        self.fall = _dispersed_cumulant(steps, step, -self.theta)

    def window(self, growth: Array, times: Array, log_tolerance: float) -> Array:
        """How far out E(|u| beyond)_+ is below the tolerance after each of ``times`` steps."""
        lines = times[:, None] * growth - 1.0 - np.log(self.theta) - log_tolerance
        return np.maximum(np.min(lines / self.theta, axis=1), 0.0)

    def log_outside(self, count: int, edge: float, theta: float) -> float:
        """Log of the e^(theta y) integral over y > edge of the measure with stop-loss transform exp(count K + ...)."""
        steeper = self.theta > theta * (1 + 1e-9)
        t = self.theta[steeper]
        if not t.size:
            return np.inf
        logs = count * self.growth[steeper] - 1.0 + np.log(t) - (t - theta) * edge - np.log(t - theta)
        return float(np.min(logs))


def _windows(chernoff: _Chernoff, count: int, step: float, reach: float, log_left: float, log_right: float):
    """Window edges in nodes after 0..count steps, lows and highs; None if there are too many.

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


def delta_upper(slot: Slot, epsilon: float, plan: Plan, record: bool = False) -> UpperDelta:
    """Upper bound of delta*(epsilon); ``record`` keeps the policy (one block only).

    ``epsilon`` must be below ``slot.inner_cap``, where delta* becomes zero.
    """
    count, eps0, weight = slot
    steps = Steps(eps0, epsilon)
    start = -float(np.expm1(epsilon)) * count / weight
    scale = weight / count
    theta = tilt(steps, count, start)
    growth = float(steps.cumulant(theta))
    log_chernoff = count * growth + theta * start - 1.0 - float(np.log(theta))
    # Of the exponent: a cumulant is known to a few units of its largest terms, the rest relatively.
    doubt = UNIT * (count * (16.0 + 4.0 * theta * float(np.abs(steps.values).max())) + 8.0 * abs(theta * start))
    log_bound = float(np.log(scale)) + log_chernoff + doubt
    bound = UpperDelta(float(np.exp(min(log_bound, 0.0))) + UNDERFLOW, 0.0, 0.0)
    if log_bound < LOG_LEAST:
        return bound
    step = grid_step(steps, plan.grid, theta)
    # Far from any use (delta near 1, or 1e-200 of a few heavy steps) numbers may overflow: the bound then stands alone.
    with np.errstate(over="ignore", invalid="ignore"):
        if count <= plan.block:
            found = _one_block(count, steps, start, scale, theta, log_chernoff, step, record)
        else:
            power = -(-count // plan.block)
            block = -(-count // power)  # power * block >= count: extra mean-zero steps only disperse
            found = _joined(block, power, steps, start, scale, theta, step)
    return found if found is not None and found.delta <= bound.delta else bound


_NONE = np.zeros(0, np.int64)


@dataclass(frozen=True)
class _Slices:
    """Where a policy is recorded: at which times to go, and at which nodes then."""

    times: np.ndarray
    firsts: np.ndarray
    size: int
    stride: int

    @classmethod
    def along(cls, steps: Steps, step: float, count: int, start: float) -> _Slices:
        """Around the way from the start to zero, as far as a walk tied to both ends strays.

        The law to use alternates in places with the period of a lattice law (sum of two moves), and the pattern drifts
        with time: both must be resolved.
        """
        times = np.unique(np.linspace(1, count, min(count, MOST_SLICES)).round().astype(np.int64))
        centre = start * times / count / step
        stray = STRAY * steps.deviation * (np.sqrt(times * (count - times) / count) + 1.0) / step
        stride = max(int(0.1 * steps.deviation / step), 1)
        size = int(2 * stray.max() / stride) + 2
        return cls(times, np.floor(centre - 0.5 * size * stride).astype(np.int64), size, stride)

    def policy(self, laws: np.ndarray, step: float) -> Policy:
        """The recorded laws as thresholds."""
        ladder = self.stride * np.arange(self.size)
        return Policy.from_choices(
            self.times, [((first + ladder) * step, row) for first, row in zip(self.firsts, laws, strict=True)]
        )


def _recursion(steps: Steps, step: float, lows, highs, slices: _Slices | None = None):
    shifts, fractions = moves(steps.values, step)
    where = (slices.times, slices.firsts, slices.size, slices.stride) if slices else (_NONE, _NONE, 0, 1)
    return potential(shifts, fractions, *steps.probabilities, lows, highs, *where)


def _one_block(count, steps, start, scale, theta, log_chernoff, step, record) -> UpperDelta | None:
    chernoff = _Chernoff(steps, step, count, theta)
    # The Chernoff bound exceeds the value by about one deviation of the tail, less than 10^4 in any case of interest.
    log_tolerance = max(log_chernoff + np.log(1e-4 * CUT) - MARGIN, -690.0)
    reach = float(np.abs(steps.values).max())
    windows = _windows(chernoff, count, step, reach, log_tolerance, log_tolerance)
    if windows is None:
        return None
    lows, highs = windows
    slices = _Slices.along(steps, step, count, start) if record else None
    values, left, right, laws = _recursion(steps, step, lows, highs, slices)
    place = start / step * (1.0 - 8 * UNIT)  # rounded towards zero: V increases
    node = int(np.floor(place))
    fraction = place - node
    index = node - lows[-1]
    if index < 0:
        excess = values[0]
    else:
        excess = (1.0 - fraction) * values[index] + fraction * values[index + 1]
    rounding = (ROUNDINGS_PER_STEP * count + 32) * UNIT
    unit = scale * step
    # Only a walk that comes up from the start to zero is clamped at the right (Doob's inequality at the tilt theta).
    clamped = max(left, right * np.exp(min(np.min(chernoff.theta * start + count * chernoff.growth), 0.0)))
    policy = slices.policy(laws, step) if slices else None
    delta = unit * excess * (1.0 + rounding) + UNDERFLOW
    return UpperDelta(delta, min(delta, unit * clamped), delta * rounding, policy)


def joined_law(values: Array, low: int, every: int, step: float, steps: int) -> LatticeLaw:
    """The law whose stop-loss transform interpolates the potential at every ``every``-th node, node 0 included.

    ``values``: G = V - u_+ from node ``low`` (a multiple of ``every``), in units of ``step``.  Second differences are
    taken of G.  Their round-off, and what the recursion's round-off made negative, is covered by adding mass; the
    same mass is then taken from the largest atom and a third atom restores the mean.  By Jensen's inequality the
    whole correction has a non-negative stop-loss transform, so it only raises the law in convex order, and as it has no
    mass and no mean its effect does not grow when the law is raised to a high power.
    """
    inflate = 1.0 + (ROUNDINGS_PER_STEP * steps + 32) * UNIT
    coarse = values[::every] * inflate
    # Left of the window V is zero at the next coarse node; right of it G stays constant.
    padded = np.concatenate([[0.0, 0.0], coarse, [coarse[-1]]])
    rises = np.diff(padded)
    kink = np.zeros(padded.size - 2)
    kink[1 - low // every] = 1.0
    second = np.diff(rises) / every + kink
    doubt = 4 * UNIT * ((np.abs(rises[1:]) + np.abs(rises[:-1])) / every + kink + np.abs(second))
    added = np.maximum(doubt, -second)
    centre = int(np.argmax(second))
    offsets = np.arange(second.size) - centre
    moment = float(added @ offsets)
    spread = max(int(np.sqrt(np.maximum(second, 0.0) @ offsets.astype(float) ** 2)), 1)
    third = int(np.clip(centre - int(np.sign(moment)) * spread, 0, second.size - 1))
    if moment != 0.0:
        added[third] += abs(moment) / abs(third - centre)
    added[centre] -= float(np.sum(added))
    # Node j is the atom y = -j step; reverse to increasing atoms.
    first = -(low // every + coarse.size - 1)
    return LatticeLaw(every * step, first, (second + added)[::-1].copy(), added[::-1].copy())


def _joined(block, power, steps, start, scale, theta, step) -> UpperDelta | None:
    chernoff = _Chernoff(steps, step, block, theta)
    reach = float(np.abs(steps.values).max())
    # Left edge: what lies beyond must not matter even after tilting and power copies.
    log_cut = np.log(CUT / power)
    edges = np.linspace(1.0, 60.0, 237) * steps.deviation * np.sqrt(block)
    beyond = np.array([chernoff.log_outside(block, edge, theta) for edge in edges])
    enough = np.flatnonzero(beyond <= log_cut + block * steps.cumulant(theta))
    edge = min(float(edges[enough[0]]) if enough.size else float(edges[-1]), block * reach)
    log_left = float(np.min(block * chernoff.growth - chernoff.theta * edge - 1.0 - np.log(chernoff.theta)))
    log_right = np.log(CUT / (theta * power))
    windows = _windows(chernoff, block, step, reach, max(log_left - MARGIN, -690.0), log_right)
    if windows is None:
        return None
    lows, highs = windows
    every = max(int(COARSE * steps.deviation * np.sqrt(block) / step), 1)
    highs[-1] = every * -(-highs[-1] // every)
    values, _, _, _ = _recursion(steps, step, lows, highs)
    low = max(every * int(-edge / step // every), every * -(-int(lows[-1]) // every))
    law = joined_law(values[low - lows[-1] :], low, every, step, block)
    left_edge = -float(low) * step
    attainable = left_edge >= block * reach  # then nothing lies beyond

    def log_outside(tilted: float) -> float:
        return -np.inf if attainable else chernoff.log_outside(block, left_edge, tilted)

    answer = stop_loss_of_sum(law, power, start * (1.0 - 8 * UNIT), theta, log_outside)
    return UpperDelta(scale * answer.upper + UNDERFLOW, scale * answer.truncation, scale * answer.rounding)
