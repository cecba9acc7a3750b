r"""The Gaussian mechanism on batches of a fixed size, with or without replacement, for one record or a group.

Of n records g are replaced by others.  B places of a batch are filled by records, uniformly: without replacement, so
that the number K of places with one of the g is hypergeometric, or each anew, so that K ~ Bin(B, g/n).  Replacing what
is in one place moves the sum of the batch by at most 1, and it is released with noise N(0, sigma^2); :math:`p_k = P(K =
k)`, and :math:`\gamma = P(K > 0)`.

**From above.**  Let A_k and A'_k be the laws of the output given K = k with the g records before and after, and W the
law given K = 0, which is one for both.  For :math:`\kappa \ge 1`, :math:`\kappa_1 = 1 + (\kappa - 1)/\gamma` and
:math:`\beta = \kappa/\kappa_1 \le 1`,

.. math:: \sum_{k>0} p_k (A_k - \kappa A'_k) + (1 - \gamma)(1 - \kappa) W
          = \sum_{k>0} p_k \big(\beta (A_k - \kappa_1 A'_k) + (1 - \beta)(A_k - \kappa_1 W)\big),

since :math:`\beta\kappa_1 = \kappa` and :math:`\gamma (1 - \beta)\kappa_1 = (1 - \gamma)(\kappa - 1)`.  A_k and A'_k
are means over batches that differ in k places.  So are A_k and W: a batch with K = k becomes one with K = 0, of the
right law, if other records take those k places, each anew or different ones that are not in the batch.  By joint
convexity the curve is at most :math:`\sum_{k>0} p_k H(\kappa_1; N(k), N(0))`, which is that of

.. math:: \big((1 - \gamma) \bar Q + \gamma \bar P,\ \bar Q\big), \quad
          \bar P = \frac1\gamma \sum_{k>0} p_k\, \delta_k \times N(k, \sigma^2), \quad
          \bar Q = \frac1\gamma \sum_{k>0} p_k\, \delta_k \times N(0, \sigma^2) .

For :math:`\kappa < 1` exchange both data sets; the loss of (P, Q) under P has the law of minus that under Q, so that
both curves make one, as for samples of fixed size of one record (the statement fixed-size-sampling), and that is the
case of g = 1 without replacement.  It does not fall if :math:`\gamma` is rounded up.

**From below**, let all records but the g, and what those become, be equal: the pair is that of
:mod:`pldcheck.pld.random_lengths` with the lengths k and the probabilities p_k, in either order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, fsum, log1p

import numpy as np

from ..core.directed import UNIT, enlarge, roundoff
from ..core.errors import ParameterError
from ..core.parameters import parse
from .distribution import PrivacyLossDistribution
from .law_bounds import LawBounds
from .pair_cells import Cells
from .random_lengths import mixture_cells
from .sampled_mechanisms import LARGEST_MU, few_edges, fine_edges, gaussian_cells, glue
from .step_losses import Array

# Probability of so many places, or more, that is given up: the loss is infinite there from above.
LEAST_TAIL = 1e-60
# The largest mean number of places, so that few numbers of places matter.
MOST_HITS = 50.0
# Numbers of places whose cells are as fine as they get; the others have FEW_CELLS, as they are less likely.
FINE_NUMBERS = 3
FEW_CELLS = 600
# Roundings of a quotient of two probabilities that follow each other: four factors, of whole numbers.
ROUNDINGS = 8.0


@dataclass(frozen=True)
class Hits:
    """The law of the number of places that the group has in a batch.

    ``chances``: of 1, 2, ..., each with the relative error ``error``; ``none``: of 0.  ``tail``: an upper bound of the
    probability of more places than ``chances`` has, and ``sure_tail`` a lower one.
    """

    none: float
    chances: tuple[float, ...]
    tail: float
    sure_tail: float
    error: float


def without_replacement(sigma: float, records: int, batch: int, group: int = 1) -> PrivacyLossDistribution:
    """Return the Gaussian mechanism on a random batch of different records, for a group of records that is replaced.

    Parameters
    ----------
    sigma : float of at least 1/40
        The standard deviation of the noise over what replacing one record of a batch changes at most.
    records : int
        The number of records besides the group.
    batch : int
        The records of a batch: at most ``records``.
    group : int
        The number of records that are replaced.

    Raises
    ------
    ParameterError
        If a number is out of its range, or the group has more than 50 places of a batch in the mean.

    Examples
    --------
    >>> from pldcheck import pld
    >>> one = without_replacement(1.0, 99, 10)
    >>> two = without_replacement(1.0, 98, 10, group=2)
    >>> one.epsilon(1e-6).upper < two.epsilon(1e-6).lower < 2.0 * one.epsilon(1e-6).upper
    True

    """
    sigma, records, batch, group = _numbers(sigma, records, batch, group)
    if batch > records:
        raise ParameterError("batch", f"at most records = {records} if no record is drawn twice", batch)
    whole = records + group
    none = 1.0
    for i in range(group):
        none *= (whole - batch - i) / (whole - i)

    def ratio(k: int) -> float:
        return (group - k) * (batch - k) / ((k + 1) * (records - batch + k + 1.0))

    hits = _hits(none, ratio, sigma, 3.0 * group * UNIT)
    return _loss(sigma, hits, f"Gaussian ({sigma:g}) on {batch} of {whole} records, {group} replaced")


def with_replacement(sigma: float, records: int, batch: int, group: int = 1) -> PrivacyLossDistribution:
    """Return the Gaussian mechanism on a batch of records each drawn anew, for a group of records that is replaced.

    Parameters are those of :func:`without_replacement`; a batch may be larger than ``records``.

    Examples
    --------
    A record that may be drawn twice costs more.

    >>> once = without_replacement(1.0, 99, 10).epsilon(1e-6)
    >>> with_replacement(1.0, 99, 10).epsilon(1e-6).lower > once.upper
    True

    """
    sigma, records, batch, group = _numbers(sigma, records, batch, group)
    exponent = -batch * log1p(group / records)
    # The quotient's rounding moves the logarithm by one of its own at most.
    error = (4.0 - 8.0 * exponent) * UNIT
    hits = _hits(exp(exponent), lambda k: (batch - k) / (k + 1) * (group / records), sigma, error)
    return _loss(sigma, hits, f"Gaussian ({sigma:g}) on {batch} draws of {records + group} records, {group} replaced")


def _numbers(sigma: float, records: int, batch: int, group: int) -> tuple[float, int, int, int]:
    """Return the numbers as such, whatever they were written as."""
    values = parse(sigma=sigma, records=records, batch=batch, group=group)
    sigma, (records, batch, group) = float(values["sigma"]), (int(values[key]) for key in ("records", "batch", "group"))
    if 1.0 / sigma > LARGEST_MU:
        raise ParameterError("sigma", f"at least {1 / LARGEST_MU:g} on a batch", sigma)
    if batch * group > MOST_HITS * (records + group):
        most = int(MOST_HITS * (records + group) / group)
        raise ParameterError("batch", f"at most {most}: the group has {MOST_HITS:g} places in the mean then", batch)
    return sigma, records, batch, group


def _hits(none: float, ratio: Callable[[int], float], sigma: float, error: float) -> Hits:
    """Return the law with P(0) = ``none``, of relative error ``error``, in which ``ratio`` (k) is P(k + 1)/P(k).

    The ratio falls with k, so that a geometric series bounds what is left.
    """
    chances: list[float] = []
    chance = none
    while True:
        k = len(chances)
        following = ratio(k)
        tail = chance * following / (1.0 - following) if following < 1.0 else 1.0
        if tail <= LEAST_TAIL or (k + 1) / sigma > LARGEST_MU:
            break
        chance *= following
        chances.append(chance)
    error += ROUNDINGS * (len(chances) + 1) * UNIT
    rest, doubt = 1.0 - none - fsum(chances), 2.0 * error + roundoff(4)
    least = max(rest - doubt, 0.0)
    return Hits(none, tuple(chances), min(tail * (1.0 + 2.0 * error), max(rest, 0.0) + doubt), least, error)


def _loss(sigma: float, hits: Hits, name: str) -> PrivacyLossDistribution:
    rate = fsum(hits.chances) + hits.tail
    upper, lower = _cells_above(sigma, hits, rate), _cells_below(sigma, hits)
    above = glue(upper.law_bounds().upper, upper.reversed.law_bounds().upper)
    sides = [LawBounds(above, one.law_bounds().lower) for one in (lower, lower.reversed)]
    return PrivacyLossDistribution(name, ((sides[0], 1),), ((sides[1], 1),))


def _cells_below(sigma: float, hits: Hits) -> Cells:
    """Return the mixture in which so many places as are given up count as the most that are not."""
    chances = np.array([hits.none, *hits.chances])
    chances[-1] += hits.sure_tail
    # What is missing to 1 is at most two doubts, by which all grow.
    error = 8.0 * hits.error + roundoff(16)
    return mixture_cells(sigma, np.arange(chances.size, dtype=np.float64), chances, error)


def _cells_above(sigma: float, hits: Hits, rate: float) -> Cells:
    """Return the pairs of outputs, beside the number of places if it is not 0, sampled at ``rate``."""
    rate = min(enlarge(rate * (1.0 + 2.0 * hits.error), 8), 1.0)
    parts, weights, moved = [], [], 0.0
    for k, chance in enumerate(hits.chances, start=1):
        mu = 1.0 / (sigma / k)  # as in the cells, so that the loss 0 is at an edge
        edges = fine_edges(mu) if k <= FINE_NUMBERS else few_edges(mu, rate, FEW_CELLS)
        parts.append(gaussian_cells(sigma / k, edges))
        weights.append(chance / rate)
        # The two roundings of mu move the loss and the mass by that times the distance to the farther mean.
        moved = max(moved, 4.0 * UNIT * mu * float(np.max(np.abs(edges)) + mu))

    def joined(arrays: list[Array]) -> Array:
        return np.concatenate([weight * array for weight, array in zip(weights, arrays, strict=True)])

    whole = Cells(
        p=joined([part.p for part in parts]),
        q=joined([part.q for part in parts]),
        low=np.concatenate([part.low for part in parts]),
        high=np.concatenate([part.high for part in parts]),
        # In more places than are looked at, everything is given away.
        p_only=hits.tail / rate,
        q_only=hits.tail / rate,
        mass_error=max(part.mass_error for part in parts) + moved + 2.0 * hits.error + roundoff(16),
        loss_error=max(part.loss_error for part in parts) + moved,
        rise=joined([part.rise for part in parts if part.rise is not None]),
        fall=joined([part.fall for part in parts if part.fall is not None]),
        largest_order=min(part.largest_order for part in parts),
        cut=max(part.cut for part in parts),
    )
    return whole.on_sample(rate)
