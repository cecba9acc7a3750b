r"""Replacement where there are only two records: the slot's own one is the record or its replacement.

With the laws P and Q of an output on the two and :math:`h(a, b) = \int (aP - bQ)_+ = a D(b/a)`, D the privacy curve, a
step adds X' = A - cB to the sum whose stop-loss transform is sought, here without the constant c - 1 that makes the
mean zero.  The transform of one step, :math:`F(k) = E(X' - k)_+`, is

=================================  ============  =====================================
the slot's own is the replacement  X' = A - c    :math:`F_-(k) = h(1, c + k)`
the slot's own is the record       X' = 1 - cB   :math:`F_+(k) = h(1 - k, c)`
both contributions are the same    X' = (1-c)A   :math:`F_0(k) = h(-k, c - 1)`, k < 0
=================================  ============  =====================================

(and 1 - c in the last case, which all dominate).  For c >= 1:

* k > 0: :math:`F_+ \le F_-`, as c/(1 - k) >= c + k, 1 - k <= 1, and D decreases.
* k < 0: :math:`F_- \le F_+` and :math:`F_0 \le F_+`.  For k >= 1 - c as c/(1 - k) is at most c + k and at most
  (c - 1)/-k, and 1 - k at least 1 and -k.  For k <= 1 - c both quotients are at most 1, and with the curve D' of the
  reversed pair, h(a, b) = a - b + b D'(a/b): all have the mean 1 - c, and :math:`c D'((1 - k)/c)` is at least
  (c + k) D'(1/(c + k)), where c + k > 0, and (c - 1) D'(-k/(c - 1)).
* k = 0: the first two meet.

So the least law that dominates every step in convex order is A - c where that is positive, 1 - cB where it is negative,
and the rest at 0.  By the induction of :mod:`pldcheck.hidden_slot.worst.worst_upper` it bounds every adaptive sum.
Better is the recursion V_0(y) = y_+, V_t(y) = max E V_(t-1)(y + X') over the first two: of few steps by all outputs,
of many on a lattice, in blocks as in :mod:`pldcheck.hidden_slot.replaced.ball_stoploss`; from below it is the value of
an adaptive policy.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil, sqrt

import numpy as np

from ...core.arrays import Array
from ...core.directed import UNIT, Side, roundoff
from ...core.interval import UNDERFLOW
from ..known.noise_ratios import DiscreteGaussianNoise
from ..known.slot_increments import FiniteIncrement
from .ball_blocks import Scheme, block, recursion
from .ball_lattice_laws import ENDS, Lattice, Part, draw_together, glue
from .ball_stoploss import BLOCK_NODES, LONGEST_BLOCK, sum_stoploss

# Largest number of outputs of all steps but one that are enumerated.
MOST_OUTPUTS = 2e5
# Spacing of the lattice, from above, where it draws atoms together (see Scheme).
FINE_ABOVE = 0.05
# Spacing of the lattice, from below.
FINE_BELOW = 0.0125
# Largest number of nodes that are visited.
MOST_WORK = 1e7
# Sensitivity over deviation of the noise up to which a lattice of equal steps serves.
LARGEST_S = 2.5


def are_few(noise: DiscreteGaussianNoise, steps: int) -> bool:
    """Return whether the outputs of all steps but one are few enough to be enumerated."""
    return noise.removal.atoms.size ** (steps - 1) <= MOST_OUTPUTS


def value_above(noise: DiscreteGaussianNoise, c: float, steps: int, threshold: float, estimate: float) -> float:
    """Return an upper bound of E(sum of X - threshold)_+ of any policy, X = X' + c - 1.

    ``estimate`` is an estimate of the value.
    """
    start = steps * (c - 1.0) - threshold
    power = ceil(steps / LONGEST_BLOCK)
    count = ceil(steps / power)  # more steps only raise the bound
    scheme = Scheme.within(noise.s, c, steps, count, start, estimate, FINE_ABOVE, MOST_WORK)
    if scheme is None:
        return np.inf
    parts = [one.on(scheme.lattice) for one in references(noise, c, Side.UPPER)]
    laws = [glue(part, part, scheme.lattice, c) for part in parts]
    lack = max(part.excess for part in parts) * (1.0 + ENDS) + noise.beyond
    with np.errstate(over="ignore", invalid="ignore"):  # the result is then of no use, and the join is taken
        potential = recursion(laws, scheme.lattice, scheme.window, count, scheme.theta, c, Side.UPPER)
    if power == 1:
        return potential.at(start)[0] + steps * lack
    law, beyond = block(potential, count, c, BLOCK_NODES * sqrt(count * noise.replacement(c).variance))
    block_sum = sum_stoploss(law, power, threshold, estimate, Side.UPPER)
    return (block_sum + power * beyond) * (1.0 + ENDS) + power * count * lack


def value_below(noise: DiscreteGaussianNoise, c: float, steps: int, threshold: float, estimate: float) -> float:
    """Return a lower bound of the same: that of an adaptive policy; 0 where there are too many steps for one."""
    start = steps * (c - 1.0) - threshold
    scheme = Scheme.of(noise.s, c, steps, steps, start, estimate, FINE_BELOW)
    if scheme.work > MOST_WORK:  # a coarser lattice is worse than a fixed reference
        return 0.0
    laws = [draw_together(one, scheme.lattice) for one in references(noise, c, Side.LOWER)]  # type: ignore[arg-type]
    with np.errstate(over="ignore", invalid="ignore"):
        return recursion(laws, scheme.lattice, scheme.window, steps, scheme.theta, c, Side.LOWER).at(start)[1]


@dataclass(frozen=True)
class Reference:
    """The law of X' for one record of the slot's own, on a lattice; ``above`` says how masses outside are rounded."""

    increment: FiniteIncrement
    side: Side

    def on(self, lattice: Lattice) -> Part:
        """Return the law's cells on a lattice, and the masses outside."""
        edges, error = lattice.nodes, self.increment.error
        cells = self.increment.cells(edges)
        # X' is a difference, and is rounded as its parts are.
        wide = roundoff(64, abs(edges[0]) + abs(edges[-1]))
        mass, moment = self.increment.below(float(edges[0]))
        more, _, excess, doubt = self.increment.above(float(edges[-1]))
        lack = edges[0] * mass - moment + 2.0 * error * (abs(edges[0]) * mass + abs(moment))
        mass_factor = 1.0 + self.side.sign * error
        cells = replace(cells, errors=cells.errors + wide * cells.masses)
        return Part(cells, mass * mass_factor, more * mass_factor, max(float(lack), 0.0), excess + doubt)


def references(noise: DiscreteGaussianNoise, c: float, side: Side) -> tuple[Reference, Reference]:
    """Return the laws of A - c and of 1 - cB."""
    removal, addition = noise.removal, noise.addition
    return (
        Reference(replace(removal, atoms=removal.atoms - (c - 1.0)), side),
        Reference(replace(addition, atoms=c * addition.atoms - (c - 1.0)), side),
    )


def of_few(noise: DiscreteGaussianNoise, c: float, steps: int, threshold: float) -> tuple[float, float]:
    """Return both ends of E(sum of X - threshold)_+ of the best policy.

    The last step is the join, all others are enumerated.
    """
    laws = [one.increment for one in references(noise, c, Side.UPPER)]
    join = noise.replacement(c)
    last = replace(join, atoms=join.atoms - (c - 1.0))
    start = np.array([steps * (c - 1.0) - threshold])
    value, error = _optimum(laws, last, steps, start, np.array([steps * c + abs(threshold)]))
    most = float(value[0] + error[0]) + steps * noise.beyond + UNDERFLOW
    return max(float(value[0] - error[0]), 0.0), most


def _optimum(laws: list[FiniteIncrement], last: FiniteIncrement, steps: int, starts: Array, sizes: Array) -> Array:
    """Return V at these points and its errors; ``sizes`` are the magnitudes that rounding errors are relative to."""
    if steps == 1:
        return _transform(last, -starts, sizes)
    best = np.full((2, starts.size), -np.inf)
    for law in laws:
        points, size = starts[:, None] + law.atoms, sizes[:, None] + np.abs(law.atoms)
        values = _optimum(laws, last, steps - 1, points.ravel(), size.ravel())
        mean, error = values.reshape(2, *points.shape) @ law.masses
        best = np.maximum(best, [mean, error + mean * (law.error + roundoff(64))])
    return best


def _transform(law: FiniteIncrement, thresholds: Array, sizes: Array) -> Array:
    """Return E(X - threshold)_+ and its errors; positive terms are summed from the right."""
    place = np.searchsorted(law.atoms, thresholds, side="right")
    tail, moment, size = (
        np.append(np.cumsum(terms[::-1])[::-1], 0.0)
        for terms in (law.masses, law.masses * law.atoms, law.masses * np.abs(law.atoms))
    )
    value = moment[place] - thresholds * tail[place]
    relative = law.error + UNIT * (64.0 + law.atoms.size)
    return np.stack([np.maximum(value, 0.0), relative * (size[place] + sizes * tail[place])])
