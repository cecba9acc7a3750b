r"""Gaussian noise on a vector whose length is random: a mixture of Gaussians against one of them, at 0.

With probability p_i a record adds a vector of length at most s_i, otherwise nothing, to a sum that is released with
noise N(0, sigma^2).  It is added or removed.  The pair

.. math:: P = \Big(1 - \sum_i p_i\Big) N(0, \sigma^2) + \sum_i p_i N(s_i, \sigma^2), \quad Q = N(0, \sigma^2)

dominates, in both orders, and vectors of these lengths in one direction attain it.  Proof.  The likelihood ratio is
:math:`\sum_i p_i e^{X_i - E X_i^2/2}` with X_i the part of the noise along the i-th vector, over sigma^2: jointly
Gaussian, and :math:`E X_i X_j \le s_i s_j/\sigma^2` by the inequality of Cauchy and Schwarz.  By Kahane's inequality
(:mod:`pldcheck.hidden_slot.known.correlated_slots` states it) a mean of a convex function of the ratio does not fall if
all these products are replaced by their bounds, which is vectors in one direction; both orders are such means.  The
vectors may depend on earlier outputs, so that losses add up over steps.

The ratio R of P to Q rises in the output.  In a cell of outputs from l to h, with P_i and R_i those of N(s_i) alone,

.. math:: P - R(l)\,Q = \sum_i p_i \big(P_i - R_i(l)\,Q\big), \quad
   Q - P/R(h) = \sum_i \frac{p_i R_i(h)}{R(h)} \big(Q - P_i/R_i(h)\big) :

all terms are positive.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from math import isfinite

import numpy as np

from ..core.directed import UNIT, roundoff
from ..core.errors import ParameterError
from ..core.parameters import parse
from .discrete_pairs import SUM_SLACK, both_cut
from .distribution import PrivacyLossDistribution
from .pair_cells import Cells
from .sampled_mechanisms import (
    COARSE_WIDTH,
    FEW_END,
    FEW_PLACES,
    FINE_END,
    FINE_WIDTH,
    LARGEST_MU,
    LAST_EDGE,
    distant_edges,
    edges_of_density,
    gaussian_cells,
)
from .step_losses import Array

# The most lengths of one mixture: each has cells of its own to be computed.
MOST_LENGTHS = 400
# The least probability of a length: losses of smaller ones have differences that are no numbers with all their digits.
LEAST_CHANCE = 1e-250


def gaussian_mixture(sigma: float, sensitivities: Sequence[float], chances: Sequence[float]) -> PrivacyLossDistribution:
    """Return Gaussian noise on a vector of random length, for a record that is added or removed.

    Parameters
    ----------
    sigma : float
        The standard deviation of the noise, in the unit of ``sensitivities``.
    sensitivities : sequence of float, each at least 0
        The largest lengths of what the record adds, of which each is at most 40 ``sigma``.
    chances : sequence of float, as many
        Their probabilities; with the rest to 1 the record adds nothing.

    Raises
    ------
    ParameterError
        If a number is out of its range, the probabilities are more than 1 together, or all lengths are 0.

    Examples
    --------
    A record that is in the batch once with probability 0.1 is a Poisson sample.

    >>> from pldcheck import pld
    >>> mixture = gaussian_mixture(1.0, [1.0], [0.1]).epsilon(1e-6)
    >>> sample = pld.subsampled_gaussian(1.0, 0.1).epsilon(1e-6)
    >>> mixture.lower <= sample.upper and sample.lower <= mixture.upper
    True

    """
    sigma = float(parse(sigma=sigma)["sigma"])
    law = _law_of_lengths(sensitivities, chances)
    if max(law) > LARGEST_MU * sigma:
        raise ParameterError("sensitivities", f"at most {LARGEST_MU:g} sigma = {LARGEST_MU * sigma:g}", max(law))
    lengths, weights = np.array(list(law)), np.array(list(law.values()))
    cut = partial(mixture_cells, sigma, lengths, weights, roundoff(4))
    return both_cut(cut, f"Gaussian ({sigma:g}) on {len(law)} lengths up to {max(law):g}")


def _law_of_lengths(sensitivities: Sequence[float], chances: Sequence[float]) -> dict[float, float]:
    """Return the probability of each length, 0 among them."""
    if not 0 < len(sensitivities) == len(chances) <= MOST_LENGTHS:
        allowed = f"from 1 to {MOST_LENGTHS} numbers, as many as probabilities"
        raise ParameterError("sensitivities", allowed, f"{len(sensitivities)} and {len(chances)} probabilities")
    law: dict[float, Fraction] = {}
    for length, chance in zip(map(float, sensitivities), map(float, chances), strict=True):
        if not (isfinite(length) and length >= 0.0):
            raise ParameterError("sensitivities", "finite and at least 0", length)
        if not (chance == 0.0 or LEAST_CHANCE <= chance <= 1.0):
            raise ParameterError("sensitivities", f"with probabilities from {LEAST_CHANCE:g} to 1, or 0", chance)
        law[length] = law.get(length, Fraction(0)) + Fraction(chance)
    total = sum(law.values())
    if total > 1 + Fraction(SUM_SLACK):
        raise ParameterError("sensitivities", "with probabilities of at most 1 together", float(total))
    law[0.0] = law.get(0.0, Fraction(0)) + max(1 - total, Fraction(0))
    weights = {length: float(chance / max(total, Fraction(1))) for length, chance in law.items() if chance}
    if set(weights) == {0.0}:
        raise ParameterError("sensitivities", "with one above 0 that is possible", 0.0)
    return weights


def mixture_cells(sigma: float, lengths: Array, weights: Array, weight_error: float, count: int | None = None) -> Cells:
    """Return the mixture of N(length) against N(0) in cells; ``weight_error`` is the relative error of each weight.

    ``count``: about how many cells, which lie where the loss changes; by default as fine as they get.
    """
    farthest = float(np.max(lengths)) / sigma
    edges = _fine_edges(farthest) if count is None else _few_edges(lengths / sigma, weights, count)
    parts = [gaussian_cells(sigma / length, edges) for length in lengths if length > 0.0]
    chances = weights[lengths > 0.0]
    rest = float(np.sum(weights[lengths == 0.0]))
    q, cells = parts[0].q, edges.size - 1
    of_parts = np.array([np.append(part.low, part.high[-1]) for part in parts])
    ends, rounding = _log_ratio(of_parts, chances, rest)
    with np.errstate(over="ignore"):
        shares = chances[:, None] * np.exp(of_parts[:, 1:] - ends[1:])
    rises, falls = zip(*((part.rise, part.fall) for part in parts), strict=True)
    # 1/(sigma/length) has two roundings, which move the loss and the mass by mu times the distance to either mean.
    moved = 4.0 * UNIT * farthest * float(np.max(np.abs(edges)) + farthest)
    loss_error = max(part.loss_error for part in parts) + moved + 2.0 * weight_error + rounding
    return Cells(
        p=rest * q + np.sum([chance * part.p for chance, part in zip(chances, parts, strict=True)], axis=0),
        q=q,
        low=ends[:cells],
        high=ends[1:],
        # Falls carry the errors of the logarithms in their exponents.
        mass_error=max(part.mass_error for part in parts)
        + moved
        + 2.0 * loss_error
        + 2.0 * weight_error
        + roundoff(len(parts) + 8),
        loss_error=loss_error,
        rise=np.sum(chances[:, None] * np.array(rises), axis=0),
        fall=np.sum(shares * np.array(falls), axis=0),
        largest_order=min(part.largest_order for part in parts),
        cut=max(part.cut for part in parts),
    )


def _log_ratio(of_parts: Array, chances: Array, rest: float) -> tuple[Array, float]:
    """Return log(rest + sum of chance e^part) at all ends, and the largest absolute error of its rounding.

    Near 0, where rest and chances are 1 together, it is log1p of a sum of chance (e^part - 1), whose terms are
    accurate relatively.  Elsewhere the largest term is taken out, and each term counts by its share.
    """
    with np.errstate(over="ignore"):
        terms = chances[:, None] * np.expm1(of_parts)
    change, size = np.sum(terms, axis=0), np.sum(np.abs(terms), axis=0)
    near = np.abs(change) < 0.5
    logs = np.log(chances)[:, None] + of_parts
    if rest > 0.0:
        logs = np.concatenate([np.full((1, of_parts.shape[1]), np.log(rest)), logs])
    top = np.max(logs, axis=0)
    shares = np.exp(logs - top)
    total = np.sum(shares, axis=0)
    far = top + np.log(total)
    units = 4.0 * np.sum(shares / total * (np.abs(logs) + np.abs(logs - top) + 8.0), axis=0) + np.abs(far) + 4.0
    terms_of_sum = 8.0 + chances.size
    # log1p doubles a relative error at most, as the change is above -1/2.
    error = np.where(near, 2.0 * terms_of_sum * np.where(near, size, 0.0), units + terms_of_sum)
    value = np.where(near, np.log1p(np.where(near, change, 0.0)), far)
    return value, roundoff(1, float(np.max(error)))


def _fine_edges(farthest: float) -> Array:
    """Return the edges of the finest cells, in deviations: ends of 0 and of the farthest mean lie within them."""
    near = np.arange(-FINE_END, farthest + FINE_END, FINE_WIDTH)
    far = np.arange(-LAST_EDGE, farthest + LAST_EDGE, COARSE_WIDTH)
    return distant_edges(np.concatenate([near, far]), 0.5 * farthest)


def _few_edges(means: Array, weights: Array, count: int) -> Array:
    """Return the edges of about ``count`` cells; see :func:`~pldcheck.pld.sampled_mechanisms.few_edges`."""
    farthest = float(np.max(means))
    x = np.linspace(-FEW_END, farthest + FEW_END, FEW_PLACES)
    logs = np.log(weights)[:, None] + means[:, None] * (x - 0.5 * means[:, None])
    shares = np.exp(logs - np.max(logs, axis=0))
    slopes = np.sum(shares * means[:, None], axis=0) / np.sum(shares, axis=0)
    law = np.exp(-0.125 * x * x) + np.sum(weights[:, None] * np.exp(-0.125 * (x - means[:, None]) ** 2), axis=0)
    return edges_of_density(x, law, slopes, np.maximum(np.abs(x), np.abs(x - farthest)), count, 0.5 * farthest)
