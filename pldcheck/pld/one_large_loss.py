r"""Lower ends of composed losses by a test on single steps, of which one may be likelier to be large than all together.

Let E be the event that the loss of some step is above epsilon.  With :math:`p_i = P(L_i > \epsilon)`, q_i the same
probability under Q, and c_i copies of step i,

.. math:: P(E) \ge \sum_i c_i p_i - \tfrac12 \Big(\sum_i c_i p_i\Big)^2, \quad Q(E) \le \sum_i c_i q_i,

the first by Bonferroni's inequality and independence.  So delta is at least

.. math:: P(E) - e^\epsilon Q(E) \ge \sum_i c_i\,\delta_i(\epsilon) - \tfrac12 \Big(\sum_i c_i p_i\Big)^2,

with :math:`\delta_i(\epsilon) = E(1 - e^{\epsilon - L_i})_+` of one step.  A sum with a heavy tail has about that delta
far beyond its bulk, where an inversion has no digits.
"""

from __future__ import annotations

from math import expm1

import numpy as np

from ..core.directed import enlarge, roundoff, shrink
from ..core.roots import halve
from .loss_total import Total

# Relative precision of the search for epsilon.
PRECISION = 1e-6
# Places between both ends at which the search looks first, and the least of them over the upper end.
PLACES = 20
FARTHEST = 1e-3
# Roundings of a gain: exp and a product; the sums over atoms are pairwise, and have below 64.
ROUNDINGS = 80.0


def delta(total: Total, epsilon: float) -> float:
    """Return a lower bound of delta(epsilon) of a sum of losses of pairs, which may not be infinite."""
    if not total.counts.size or total.infinity > 0.0 or total.log_mass_share < 0.0 or total.nodes is not None:
        return 0.0
    # Losses may be smaller by their errors in a gain, and larger in a probability.
    errors = np.repeat(total.loss_errors, np.diff(total.offsets))
    slack = errors + roundoff(2, np.abs(total.losses) + epsilon)
    gains = total.masses * -np.expm1(np.minimum(epsilon - (total.losses - slack), 0.0))
    likely = np.where(total.losses + slack > epsilon, total.masses, 0.0)
    sums = [np.add.reduceat(one, total.offsets[:-1]) for one in (gains, likely)]
    doubts = np.array([expm1(error) for error in 2.0 * total.mass_errors])
    least = shrink(float(total.counts @ (sums[0] * (1.0 - np.minimum(doubts, 1.0)))), ROUNDINGS)
    most = enlarge(float(total.counts @ (sums[1] * (1.0 + doubts))), ROUNDINGS)
    return max(shrink(least - enlarge(0.5 * most * most, 4), 4), 0.0)


def epsilon(total: Total, target: float, least: float, most: float) -> float:
    """Return an epsilon from ``least`` to ``most`` at which delta is above ``target``; ``least`` if none is found.

    The bound falls where it is of use, and says nothing about the bulk of the sum.
    """
    places = np.geomspace(max(least, most * FARTHEST), most, PLACES).tolist()[::-1]
    for place, farther in zip(places, [most, *places], strict=False):
        if delta(total, place) > target:
            return halve(lambda trial: delta(total, trial) > target, place, farther, relative=PRECISION)[0]
    return least
