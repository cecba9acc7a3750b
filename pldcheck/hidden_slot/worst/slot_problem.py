"""The parameters of one slot problem, and the closed form of one slot alone."""

from __future__ import annotations

from math import expm1, log1p
from typing import NamedTuple

import numpy as np

from ...core.differences import FUNCTION, TINY, Near, ratio_difference, ratio_minus_one
from ...core.directed import UNIT
from .step_laws import ALL_LAWS

# expm1 and log1p with FUNCTION units each, one product, one factor here: y = w (x - 1) moves log(1 + y) by no more,
# relatively, than y itself is moved.
_ROUNDING = (2.0 * FUNCTION + 4.0) * UNIT
# Below this w (x - 1) nothing is resolved: squares of it underflow.
LEAST_GAIN = 1e-140


class Slot(NamedTuple):
    """A record in one of ``steps`` slots, used there with probability ``weight``, behind eps0-DP randomizers.

    ``laws``: the places in :data:`~pldcheck.hidden_slot.worst.step_laws.LAWS` of those that the randomizers can have.
    """

    steps: int
    eps0: float
    weight: float
    laws: tuple[int, ...] = ALL_LAWS

    @property
    def cap(self) -> float:
        """The number log(1 + w (e^eps0 - 1)), rounded up: from there on delta*(epsilon) is zero."""
        if self.weight == 1.0:
            return self.eps0
        return min(log1p(self.weight * expm1(self.eps0)) * (1.0 + _ROUNDING) + TINY, self.eps0)

    @property
    def inner_cap(self) -> float:
        """The number log(1 + w (e^eps0 - 1)), rounded down."""
        if self.weight == 1.0:
            return self.eps0
        return max(log1p(self.weight * expm1(self.eps0)) * (1.0 - _ROUNDING) - TINY, 0.0)

    @property
    def negligible(self) -> bool:
        """Whether the effect of the record is below the resolution: then one slot bounds any number of them."""
        return self.weight * expm1(self.eps0) < LEAST_GAIN


def gain(slot: Slot, epsilon: float) -> Near:
    r"""Return the gain w (x - 1) - (kappa - 1) of an output with ratio x in one slot.

    It also equals :math:`w (x - \kappa) - (1 - w) (\kappa - 1)`, whose error is small where w is next to 1 and kappa to
    x: the value of smaller error is returned.
    """
    weight = float(slot.weight)
    kappa_1 = ratio_minus_one(epsilon)
    plain = ratio_minus_one(slot.eps0).times(weight).plus(kappa_1.times(-1.0))
    mixture = ratio_difference(slot.eps0, epsilon).times(weight).plus(kappa_1.times(weight - 1.0, 1.0))
    return plain if plain.error < mixture.error else mixture


def one_slot(slot: Slot, epsilon: float) -> tuple[float, float]:
    r"""Return both ends of delta(epsilon) for one slot: :math:`(w (x - 1) - (\kappa - 1))_+/(x + 1)`.

    No number of slots has a larger delta: the mean of m + 1 terms is the mean of its m + 1 leave-one-out means, each
    of which is an m-slot walk; the stop-loss is convex.  *Proof for one slot.*  Among the laws, CF gives the above and
    BE, also a line in kappa, the same at kappa = 1 and a steeper fall; ACE gives CF's gain with a smaller chance.
    """
    if epsilon >= slot.cap:
        return 0.0, 0.0
    share = gain(slot, epsilon).times(1.0 / (2.0 + expm1(slot.eps0)), FUNCTION + 3.0)
    return max(float(share.lower), 0.0), min(max(float(share.upper), float(np.nextafter(0.0, 1.0))), 1.0)
