r"""Random swapping where the first output is a random subset of the records, those of the others and the record's own.

**The mechanism.**  The record d, its replacement d' and each of the n - 1 others have a value of their own.  The first
place answers with a subset S of k of these n + 1 values; a subset that contains the value of the place's record is x
times as likely as one that does not, so that every subset has probability c x or c,

.. math:: 1/c = x \binom{n}{k-1} + \binom nk .

All other places use ternary randomized response: the record has the first value, its replacement the second one, the
others the third.  With y_i = x or 1 as the i-th value is in S or not, and G_i = a_i - e^epsilon a'_i of the response,

.. math:: \delta(\epsilon) = \frac cn \sum_S E\Big(y_d - e^\epsilon y_{d'} + \sum_{i \ge 2} y_i G_i\Big)_+ .

Only how many others are in S matters: k less those of d and d' that are.  Of all subsets, c times the number of those
with j of the two given is r_j/(1 + x k/(n - k + 1)), where r_0 = (n - k)/n, r_1 = k/n, r_2 = (k - 1)/(n - k + 1) k/n.

**The size.**  A share k/n = 1/(1 + x) makes the variance of the sum largest; far out larger subsets are better.  Any k
is a lower bound; it is chosen by the Chernoff bounds of all sums on a grid.
"""

from __future__ import annotations

from math import exp

import numpy as np

from ..core.differences import FUNCTION, Near, one_minus_product, ratio_difference, ratio_minus_one
from ..core.directed import Ends
from ..pld.gain_stoploss import excess
from ..pld.step_losses import Array
from . import weighted_gains
from .weighted_gains import ERROR, TOLERANCE, WEIGHTS

# The name of this lower end.
NAME = "3-ary randomized response, after a first output that favours a random subset of the other records"
# Sizes of subsets that are compared, twice: over all sizes, then between the neighbours of the best one.
SIZES = 48
# Tilts of a Chernoff bound: so many, from the smallest to the largest exponent that a gain is tilted by.
TILTS = 160
EXPONENTS = (1e-9, 100.0)


def delta_ends(n: int, eps0: float, epsilon: float) -> Ends:
    """Return the ends of the delta that the best size of the subsets attains."""
    return delta_of_size(n, eps0, epsilon, best_size(n, eps0, epsilon))


def delta_of_size(n: int, eps0: float, epsilon: float, size: int) -> Ends:
    """Return the ends of the delta that subsets of ``size`` records attain, 1 <= size <= n - 1."""
    x = exp(eps0)
    gains, masses = weighted_gains.ternary_gains(eps0, epsilon)
    neither = ratio_minus_one(epsilon).times(-1.0, FUNCTION)
    shares = ((n - size) / n, size / n, (size - 1) / (n - size + 1) * (size / n))
    lower = upper = truncation = rounding = 0.0
    for inside, own in (
        (0, neither),
        (1, ratio_difference(eps0, epsilon)),
        (1, one_minus_product(eps0, epsilon)),
        (2, neither.times(x, WEIGHTS)),
    ):
        if size < inside:
            continue
        share = shares[inside] / (1.0 + x * size / (n - size + 1)) / n
        ends = excess(_parts(n, x, size - inside, own, gains, masses), ERROR, TOLERANCE).times(share)
        lower, upper = lower + ends.lower, upper + ends.upper
        truncation += min(ends.truncation, 1.0)
        rounding += ends.rounding
    return Ends(lower * (1.0 - ERROR), min(upper * (1.0 + ERROR), 1.0), truncation, rounding)


def _parts(n: int, x: float, inside: int, own: Near, gains: Near, masses: Array) -> list:
    """Return the record's own gain, and those of the others, of which ``inside`` are in the subset."""
    sizes = ((x, inside), (1.0, n - 1 - inside))
    return [weighted_gains.certain(own)] + [
        weighted_gains.part(gains, masses, weight, count) for weight, count in sizes if count > 0
    ]


def best_size(n: int, eps0: float, epsilon: float) -> int:
    """Return the size of subsets whose delta is about the largest, an estimate."""
    low, high = 1.0, n - 1.0
    best = low
    for _ in range(2):
        sizes = np.unique(np.round(np.geomspace(low, high, SIZES)))
        scores = _log_chernoff(n, eps0, epsilon, sizes)
        place = int(np.argmax(scores))
        best = float(sizes[place])
        low, high = float(sizes[max(place - 1, 0)]), float(sizes[min(place + 1, sizes.size - 1)])
    return int(best)


def _log_chernoff(n: int, eps0: float, epsilon: float, sizes: Array) -> Array:
    """Return log of min E(e^(theta sum))/(theta c n) over tilts theta, for each size, up to a constant."""
    x = exp(eps0)
    gains, masses = weighted_gains.ternary_gains(eps0, epsilon)
    # An estimate: where the mean of exp(tilt times gain) is next to 0, it counts as a tenth.
    tilts = np.geomspace(*EXPONENTS, TILTS) / (x * gains.value[0])
    with np.errstate(under="ignore"):
        heavy, light = (
            np.log1p(np.maximum(masses @ np.expm1(np.multiply.outer(weight * gains.value, tilts)), -0.9))
            for weight in (x, 1.0)
        )
    exponents = np.multiply.outer(sizes, heavy) + np.multiply.outer(n - 1.0 - sizes, light) - np.log(tilts)
    return exponents.min(axis=1) - np.log1p(x * sizes / (n - sizes + 1.0))
