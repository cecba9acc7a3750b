r"""Replacement where the base is a record too: three points, any two of them at most a distance 1 apart.

(A ball of diameter 1 is such a set, and a smaller one: it does not hold an equilateral triangle of side 1.)

At step i a record d replaces another client's record g, or d' does: u = d - g, v = d' - g, all of |u|, |v|, |u - v| at
most 1, chosen adaptively.  With s = 1/sigma, :math:`A = e^{s u Z - s^2 |u|^2/2}`, :math:`B = e^{s v Z - s^2 |v|^2/2}`,
a step adds X' = A - cB to the sum whose stop-loss transform is sought, here without the constant c - 1 that makes the
mean zero.  Let :math:`F(k) = E(X' - k)_+ = \int (p_u - c p_v - k p_0)_+` with the three Gaussian densities.

**One step.**  Whichever of the three densities is the unit of account, F is the expectation of a convex function of
the two ratios; it increases with their variances, and with their covariance if they enter with equal signs, decreases
with it if not (Gaussian comparison; the mixed second derivatives are products of signs and a measure).  So, in the
squared distances of the three points, F increases with that of two densities of opposite sign and decreases with that
of two of equal sign.

* k > 0: -c p_v and -k p_0 have equal signs: F is largest where |u| = |u - v| = 1 and v = 0, and is then
  :math:`E(A - c - k)_+`, of the record removed.  On |u| = |u - v| = 1 it decreases with |v|.
* k < 0: likewise u = 0, |v| = 1, :math:`E(1 - cB - k)_+`, of the record added.
* k = 0: only |u - v| matters.  The two meet.

The pointwise maximum is the stop-loss transform of one law (:class:`Join`), the least that dominates every step in
convex order: A - c where that is positive, 1 - cB where it is negative, and the rest, :math:`\Phi(t + s/2) -
\Phi(t - s/2), t = \log(c)/s`, at 0.  By the induction of :mod:`pldcheck.hidden_slot.worst.worst_upper` it bounds every
adaptive sum. Independent A and B of norm 1, which also do, lie above it (Jensen in B for k > 0, in A for k < 0).

**All configurations.**  Adding one independent Gaussian coordinate to u and v alike multiplies A and B by one
independent variable of mean 1: any convex payoff's expectation increases.  So the two lengths may grow together until
one is 1, and by the above |u - v| = 1 as well: two arcs remain, |u| = 1 with |v| = l in [0, 1] and |v| = 1
with |u| = l.  They meet in the equilateral triangle; their ends are the record removed and the record added.  A piece
[l, l'] of the first arc is dominated by the law of l for k > 0 and that of l' for k < 0, of the second the other way
round: each piece has one law that dominates it, glued together at 0 as the join is.

**Blocks.**  V_0(y) = y_+, V_t(y) = max E V_{t-1}(y + X') over those laws, on a lattice: V_b is the stop-loss transform
of a law that dominates all b steps; for b = m it is the answer.  From below, the maximum over any three configurations
with their laws drawn together is the value of an adaptive policy.
"""

from __future__ import annotations

from math import ceil, sqrt

import numpy as np

from ...core.directed import Side
from ..known import increment_stoploss
from ..known.ball_one_step import Join
from ..known.slot_increments import FiniteIncrement, GaussianIncrement, Increment
from ..known.sum_plan import Rough, plan
from .ball_blocks import Scheme, above, below, block
from .ball_lattice_laws import ENDS, Triangle, draw_together

# Steps in one block.
LONGEST_BLOCK = 256
# Spacing of the atoms of a block's law in deviations.
BLOCK_NODES = 0.05
# Largest number of nodes that all laws together may visit.
MOST_WORK = 5e7
# Largest number of nodes of the lattice of one configuration: more only where values span what no lattice resolves.
MOST_NODES = 2**21
# Width asked of the sums, relatively.
WIDTH = 1e-3


def value_above(
    s: float, c: float, steps: int, threshold: float, estimate: float, pieces: int = 16, fine: float = 0.1
) -> float:
    """Return an upper bound of E(sum of X - threshold)_+ of any policy, X = X' + c - 1.

    ``estimate`` is an estimate of the value.
    """
    best = sum_stoploss(Join(s, c), steps, threshold, estimate, Side.UPPER)
    power = ceil(steps / LONGEST_BLOCK)
    count = ceil(steps / power)  # more steps only raise the bound
    scheme = Scheme.within(s, c, steps, count, steps * (c - 1.0) - threshold, estimate, fine, MOST_WORK / pieces)
    if scheme is None:
        return best
    with np.errstate(over="ignore", invalid="ignore"):  # the result is then of no use, and the other bound is taken
        potential, lack = above(s, c, scheme, pieces)
    if power == 1:
        return min(best, potential.at(steps * (c - 1.0) - threshold)[0] + steps * lack)
    law, beyond = block(potential, count, c, BLOCK_NODES * sqrt(count * Join(s, c).variance))
    block_sum = sum_stoploss(law, power, threshold, estimate, Side.UPPER)
    return min(best, (block_sum + power * beyond) * (1.0 + ENDS) + power * count * lack)


def value_below(s: float, c: float, steps: int, threshold: float, estimate: float, fine: float = 0.05) -> float:
    """Return a lower bound of the same: the best adaptive policy of three configurations.

    For many steps it is the value of a fixed configuration.
    """
    start = steps * (c - 1.0) - threshold
    best = sum_stoploss(GaussianIncrement(s, 1.0, 0.0, -1.0), steps, threshold, estimate, Side.LOWER)
    scheme = Scheme.within(s, c, steps, steps, start, estimate, fine, MOST_WORK)
    if scheme is not None:
        with np.errstate(over="ignore", invalid="ignore"):
            return max(best, below(s, c, scheme).at(start)[1])
    lattice = Scheme.of(s, c, steps, steps, start, estimate, fine).lattice
    if lattice.left + lattice.right > MOST_NODES:
        return best
    masses = draw_together(Triangle(s, c, 1.0, True, False), lattice)
    law = FiniteIncrement.of(lattice.nodes + (c - 1.0), masses, ENDS)
    return max(best, sum_stoploss(law, steps, threshold, estimate, Side.LOWER))


def sum_stoploss(increment: Increment, count: int, threshold: float, estimate: float, side: Side) -> float:
    """Return one end of E(sum - threshold)_+."""
    scheme = plan(Rough.of(increment, count), threshold, estimate)
    step = increment_stoploss.clamp(increment_stoploss.first_step(count, scheme, WIDTH), scheme)
    make = increment_stoploss.upper_side if side is Side.UPPER else increment_stoploss.lower_side
    one_sided = make(increment, count, scheme, step)
    return float(one_sided.value(threshold)) if one_sided is not None else 0.0
