r"""delta at a negative epsilon, which the exchanged pairs of neighbours decide.

For laws P, Q and :math:`\kappa > 0` let :math:`D_\kappa(P \| Q) = \int (p - \kappa q)_+`.  From
:math:`(p - \kappa q)_+ = (p - \kappa q) + \kappa (q - p / \kappa)_+` follows
:math:`D_\kappa(P \| Q) = 1 - \kappa + \kappa D_{1/\kappa}(Q \| P)`, so that for :math:`\epsilon > 0`

.. math:: \delta(-\epsilon) = 1 - e^{-\epsilon} + e^{-\epsilon} \delta'(\epsilon),

with delta' the curve of the exchanged pairs.  The right side grows with delta', so the largest delta over pairs of
neighbours is that of the largest delta'.  A protocol whose pairs are those of ``replace``, ``add-remove`` and the like
has with each pair the exchanged one, and delta' is its own delta; only ``remove`` and ``add`` are each other's.
"""

from __future__ import annotations

from math import exp, expm1

from ..core.directed import enlarge, shrink
from ..core.interval import Interval

# Below this size the difference 1 - e^-x is not computed: it is at least 0 and at most this.
SMALLEST = 1e-300


def delta_below_zero(exchanged: Interval, epsilon: float) -> Interval:
    """Return delta at an epsilon < 0, given delta of the exchanged pairs at minus epsilon.

    Errors: ``expm1`` and ``exp`` are within 4 units; products and sums of numbers that are not negative add two.

    Examples
    --------
    >>> print(delta_below_zero(Interval(0.25, 0.25, "delta"), -1.0))
    delta in [0.724090..., 0.724090...]

    """
    missing = -expm1(epsilon) if epsilon < -SMALLEST else 0.0
    share = exp(epsilon)
    lower = shrink(missing + share * exchanged.lower, 16)
    upper = enlarge(missing + share * exchanged.upper, 16) + 2.0 * SMALLEST
    return Interval(max(lower, exchanged.lower * shrink(share, 16), 0.0), min(upper, 1.0), "delta")
