r"""The Gaussian mechanism on a Poisson sample, for a record that is replaced by another one.

Each record is in the sample with probability q; a record in the sample adds a vector of length at most 1 to the sum,
which is released with noise N(0, sigma^2).  The pair

.. math:: P = (1-q) N(0, \sigma^2) + q N(1, \sigma^2), \quad Q = (1-q) N(0, \sigma^2) + q N(-1, \sigma^2)

dominates the mechanism, and records with opposite vectors of length 1 attain it.  Proof.  Given which other records
are in the sample, the sum is centred at a known point, and the two records add u and v to it; a mean over the others
does not raise a curve.  With respect to the noise around that point the outputs have the densities 1 - q + q A and
1 - q + q B, where A and B are the ratios of the shifted normal laws, and for every kappa >= 0

.. math:: \delta(\log\kappa) = E\bigl((1-q)(1-\kappa) + q (A - \kappa B)\bigr)_+ .

This is a convex function of A - kappa B, which is submodular in (A, B).  So given the laws of A and of B, it is largest
if B is a falling function of A (Tchen 1980): as for opposite vectors of the same lengths, on one line.  A shorter one
has a conditional expectation of the ratio of the vector that is lengthened across the line: by Jensen's inequality,
with the other ratio as it is, a longer one is no better, and again opposite ones on one line are worst.  So both have
length 1.  As the pair dominates whatever the earlier outputs are, the independent sum of losses dominates adaptive
compositions.

The cells of (P, Q) are put together from those of P against N(0, sigma^2), since Q is P mirrored: with a and b the
densities above at the ends l and h of a cell, m its mass under N(0), and with rise = P - a_l m and fall = m - P / a_h

.. math:: P - \frac{a_l}{b_l} Q = \mathrm{rise} + a_l \,\mathrm{fall}', \quad
   Q - \frac{b_h}{a_h} P = \mathrm{rise}' + b_h \,\mathrm{fall},

where ' is the mirrored cell: all terms are positive.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ..core.directed import roundoff
from ..core.errors import ParameterError
from ..core.parameters import parse
from .discrete_pairs import symmetric_cut
from .distribution import PrivacyLossDistribution
from .loss_moments import poisson_replaced_moment
from .mechanisms import gaussian
from .pair_cells import Cells
from .sampled_mechanisms import (
    COARSE_WIDTH,
    FEW_END,
    FEW_PLACES,
    FINE_END,
    FINE_WIDTH,
    LAST_EDGE,
    distant_edges,
    edges_of_density,
    gaussian_cells,
)
from .step_losses import Array

# With less noise, ratios at the edges leave the range of floats.
LEAST_SIGMA = 0.1
# Beyond 37.6 deviations N(0) has no numbers with all their digits, and the mirrored terms none, either.  Where they
# matter, as 1/sigma is below 1.3 for larger ones are below 1e-16 of the others, P and Q have less than this mass there.
CUT_OFF = 1e-287


def replaced_subsampled_gaussian(sigma: float, rate: float) -> PrivacyLossDistribution:
    """Return the Gaussian mechanism on a Poisson sample, for a record that is replaced by another one.

    Parameters
    ----------
    sigma : float from 0.1 to 1e9
        The standard deviation of the noise over the largest length of what one record adds.
    rate : float from 1e-100 to 1
        The probability with which each record is in the sample.

    Raises
    ------
    ParameterError
        If ``sigma`` or ``rate`` is out of its range.

    Examples
    --------
    Replacing a record costs more than removing it.

    >>> from pldcheck import pld
    >>> replaced = replaced_subsampled_gaussian(1.0, 0.01).compose(1000).epsilon(1e-6)
    >>> removed = pld.subsampled_gaussian(1.0, 0.01).compose(1000).epsilon(1e-6)
    >>> 1.5 < replaced.lower / removed.upper < 2.0
    True

    """
    parameters = parse(sigma=sigma, rate=rate)
    sigma, rate = float(parameters["sigma"]), float(parameters["rate"])
    if sigma < LEAST_SIGMA:
        raise ParameterError("sigma", f"at least {LEAST_SIGMA:g} for a record replaced in a sample", sigma)
    if rate == 1.0:  # halving is exact
        return gaussian(0.5 * sigma)
    name = f"Gaussian ({sigma:g}) sampled at {rate:g}, a record replaced"
    return symmetric_cut(partial(replaced_gaussian_cells, sigma, rate), name)


def replaced_gaussian_cells(sigma: float, rate: float, count: int | None = None) -> Cells:
    """Return the cells of the pair, between edges that are symmetric about 0, where its loss is 0.

    ``count``: about how many cells, which lie where the loss changes; by default as fine as they get.
    """
    mu = 1.0 / sigma
    half = _fine_edges(mu) if count is None else _few_edges(mu, rate, count // 2)
    edges = np.concatenate([-half[:0:-1], half])
    whole = gaussian_cells(sigma, edges)
    one = whole.on_sample(rate)
    assert one.rise is not None and one.fall is not None
    # The mirrored cells: the density b falls from b_l to b_h in a cell.
    q, b_low, b_high, rise, fall = one.p[::-1], one.high[::-1], one.low[::-1], one.rise[::-1], one.fall[::-1]
    reach = float(max(np.max(np.abs(one.low)), np.max(np.abs(one.high))))
    return Cells(
        p=one.p,
        q=q,
        low=one.low - b_low,
        high=one.high - b_high,
        # Exponentials carry the errors of their arguments: here that of an end of the sample, and in the falls of the
        # sample those of one of its ends and of one of the Gaussian's own.
        mass_error=one.mass_error + 2.0 * one.loss_error + whole.loss_error + roundoff(8),
        loss_error=2.0 * one.loss_error + roundoff(2, 2.0 * reach),
        rise=one.rise + np.exp(one.low) * fall,
        fall=rise + np.exp(b_high) * one.fall,
        cut=max(one.cut, CUT_OFF),
        # Renyi divergences tilt P by order - 1, which moves it by up to 2 mu each: the edges stay 9 deviations away.
        largest_order=1.0 + max(float(half[-1]) - mu - 9.0, 0.0) / (2.0 * mu),
        moment=partial(poisson_replaced_moment, sigma, rate),
    )


def _fine_edges(mu: float) -> Array:
    """Return the edges of the finest cells from 0 on."""
    near = [np.arange(0.0, FINE_END, FINE_WIDTH), np.arange(max(mu - FINE_END, 0.0), mu + FINE_END, FINE_WIDTH)]
    return distant_edges(np.concatenate([*near, np.arange(0.0, mu + LAST_EDGE, COARSE_WIDTH)]), 0.0)


def _few_edges(mu: float, rate: float, count: int) -> Array:
    """Return the edges of about ``count`` cells from 0 on; see :func:`~pldcheck.pld.sampled_mechanisms.few_edges`."""
    x = np.linspace(0.0, mu + FEW_END, FEW_PLACES)
    with np.errstate(over="ignore"):
        up, down = (1.0 / (1.0 + np.exp(-mu * (side - 0.5 * mu)) * ((1.0 - rate) / rate)) for side in (x, -x))
    law = np.exp(-0.125 * (x + mu) ** 2) + np.exp(-0.125 * x * x) + np.exp(-0.125 * (x - mu) ** 2)
    return edges_of_density(x, law, up + down, x + mu, count, 0.0)
