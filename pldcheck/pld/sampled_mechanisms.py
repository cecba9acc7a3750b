"""Mechanisms on a random sample of the records, and the cells of their continuous losses."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import ceil, exp, expm1, fsum

import numpy as np
from numpy.typing import ArrayLike

from ..core.directed import UNIT, roundoff
from ..core.errors import ParameterError
from ..core.parameters import parse
from .discrete_pairs import both, both_cut, from_masses
from .distribution import PrivacyLossDistribution
from .law_bounds import LawBounds
from .loss_moments import replaced_gaussian_moment, sampled_gaussian_moment
from .mechanisms import gaussian, laplace, randomized_response
from .pair_cells import Cells
from .quadrature_nodes import SampledGaussian
from .step_losses import Array, Atoms, Law, Responses

# Width of the cells of a Gaussian near both means, in deviations.
FINE_WIDTH = 0.01
# Width of the cells in the tails, in deviations.
COARSE_WIDTH = 0.05
# Deviations within which cells are fine.
FINE_END = 8.5
# Deviations at which cells end: as far as double precision has numbers.
LAST_EDGE = 37.6
# 2 Phi(-37.55) = 1.5e-308, and not 2 Phi(-37.6): the last edge may be COARSE_WIDTH short of LAST_EDGE.
CUT_OFF = 1.6e-308
# Deviations at which few cells end, and 2 Phi(-13) = 1.2e-38.
FEW_END = 13.0
CUT_OFF_OF_FEW = 1.3e-38
# Places at which the widths of few cells are computed.
FEW_PLACES = 400
# Sensitivity over deviation of a sampled Gaussian, up to which its cells are few enough.
LARGEST_MU = 40.0
# Edges that are closer are taken for the same.
EDGE_DISTANCE = 1e-9
# Gauss-Legendre rule on a cell: at 38 deviations and a width of 0.05 its error is below 1e-16, relatively.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(9)
# Cells of a Laplace loss between its two ends.
FEWEST_CELLS = 2000
# Cells of a Laplace loss at most.
MOST_CELLS = 20000
# Width of a Laplace cell beyond which there are more than FEWEST_CELLS.
WIDEST = 0.01


def subsampled_gaussian(sigma: float, rate: float) -> PrivacyLossDistribution:
    """Return the Gaussian mechanism on a Poisson sample, for a record that is added or removed.

    Each record is in the sample with probability ``rate``; ``sigma`` is the standard deviation over the sensitivity.

    Parameters
    ----------
    sigma : float up to 1e9
        At least 1/40, unless ``rate`` is 1.
    rate : float from 1e-100 to 1

    Raises
    ------
    ParameterError
        If ``sigma`` or ``rate`` is out of its range.

    """
    sigma, rate = _noise_and_rate(sigma, rate)
    if rate == 1.0:
        return gaussian(sigma)
    _check_sample(sigma)
    name = f"Gaussian ({sigma:g}) sampled at {rate:g}"
    return both_cut(partial(sampled_gaussian_cells, sigma, rate), name, partial(SampledGaussian, sigma, rate))


def _noise_and_rate(sigma: float, rate: float) -> tuple[float, float]:
    """Return both as numbers, whatever they were written as."""
    parameters = parse(sigma=sigma, rate=rate)
    return float(parameters["sigma"]), float(parameters["rate"])


def _check_sample(sigma: float) -> None:
    """Raise ParameterError if a sampled Gaussian of this noise has no cells that can be computed."""
    if 1.0 / sigma > LARGEST_MU:
        raise ParameterError("sigma", f"at least {1 / LARGEST_MU:g} on a sample", sigma)


def sampled_gaussian_cells(sigma: float, rate: float, count: int | None = None) -> Cells:
    """Return N(1) with probability ``rate``, else N(0), against N(0), with moments at orders that see the cells end.

    ``count``: about how many cells, which lie where the loss of the sample changes; by default as fine as they get.
    """
    mu = 1.0 / sigma
    edges = fine_edges(mu) if count is None else few_edges(mu, rate, count)
    return replace(
        gaussian_cells(sigma, edges).on_sample(rate),
        moment=partial(sampled_gaussian_moment, sigma, rate, backward=False),
        moment_back=partial(sampled_gaussian_moment, sigma, rate, backward=True),
    )


def subsampled_laplace(scale: float, rate: float) -> PrivacyLossDistribution:
    """Return the Laplace mechanism on a Poisson sample, for a record that is added or removed.

    Each record is in the sample with probability ``rate``; ``scale`` is that of the noise over the sensitivity.
    Raises ParameterError for parameters out of their ranges.
    """
    parameters = parse(scale=scale, rate=rate)
    scale, rate = float(parameters["scale"]), float(parameters["rate"])
    if rate == 1.0:
        return laplace(scale)
    return both(laplace_cells(scale).on_sample(rate), f"Laplace ({scale:g}) sampled at {rate:g}")


def fixed_size_gaussian(sigma: float, rate: float) -> PrivacyLossDistribution:
    """Return the Gaussian mechanism on a sample of fixed size without replacement, for a record that is replaced.

    ``rate``: the share of the records that is sampled.  ``sigma``: standard deviation over what replacing
    one sampled record changes.  With P = N(1), Q = N(0), the curve is at most that of ((1 - rate) Q + rate P, Q) for
    epsilon >= 0 and that of the reversed pair for epsilon <= 0 (Zhu, Dong, Wang 2022, Proposition 30).  The lower end
    is attained where all other records equal one of the two that differ, which gives either of those pairs.
    """
    sigma, rate = _noise_and_rate(sigma, rate)
    if rate == 1.0:
        return gaussian(sigma)
    _check_sample(sigma)
    cells = sampled_gaussian_cells(sigma, rate)
    removal, addition = cells.law_bounds(), cells.reversed.law_bounds()
    upper = replace(glue(removal.upper, addition.upper), moment=partial(replaced_gaussian_moment, sigma, rate))
    name = f"Gaussian ({sigma:g}) on a share {rate:g}"
    return PrivacyLossDistribution(
        name, ((LawBounds(upper, removal.lower), 1),), ((LawBounds(upper, addition.lower), 1),)
    )


def glue(right: Law, left: Law) -> Atoms:
    """Return the loss whose curve is that of ``right`` for kappa >= 1 and that of ``left`` below.

    The curves meet at kappa = 1, where the rest of P lies and the loss 0 is an end of cells.
    """
    assert isinstance(right, Atoms) and isinstance(left, Atoms)
    above, below = right.losses > 0.0, left.losses < 0.0
    masses = np.concatenate([(1.0 - left.infinity) * left.masses[below], (1.0 - right.infinity) * right.masses[above]])
    losses = np.concatenate([left.losses[below], right.losses[above]])
    order = np.argsort(losses, kind="stable")
    error, shift = max(right.mass_error, left.mass_error), max(right.loss_error, left.loss_error)
    # Each mass is off by ``error`` of itself, so the rest is by at most so much, and may be less than nothing.
    rest = 1.0 - fsum([*masses, right.infinity])
    if rest < -2.0 * error:
        raise ArithmeticError(f"the two curves do not make a convex one: {rest!r}")
    rest = max(rest, 0.0)
    # What round-off may have put at the loss 0 is covered by the errors of the masses that it was taken from: at tilts
    # from 0 on the moment generating function is at least 1, which is what the rest is weighted with.
    return Atoms.of(
        np.append(losses[order], 0.0),
        np.append(masses[order], rest),
        right.infinity,
        mass_error=2.0 * error,
        loss_error=shift,
        largest_order=min(right.largest_order, left.largest_order),
        cut=right.cut + left.cut,
    )


def subsampled_pmf(p: ArrayLike, q: ArrayLike, rate: float) -> PrivacyLossDistribution:
    """Return the pair ((1 - rate) q + rate p, q), both directions: a Poisson sample of a record that turns q into p."""
    rate = float(parse(rate=rate)["rate"])
    return both(from_masses(p, q).on_sample(rate), f"discrete pair sampled at {rate:g}")


def subsampled_randomized_response(eps0: float, rate: float, delta0: float = 0.0) -> PrivacyLossDistribution:
    """Return (eps0, delta0)-randomized response on a Poisson sample, which has a record with probability ``rate``."""
    parameters = parse(eps0=eps0, rate=rate, delta0=delta0)
    eps0, rate, delta0 = float(parameters["eps0"]), float(parameters["rate"]), float(parameters["delta0"])
    law = randomized_response(eps0, delta0).forward[0][0].upper
    assert isinstance(law, Atoms | Responses)
    p, q = (1.0 - delta0) * law.masses, (1.0 - delta0) * law.masses[::-1]
    cells = Cells(p, q, law.losses, law.losses, delta0, delta0, roundoff(8), roundoff(4, eps0))
    return both(cells.on_sample(rate), f"randomized response ({eps0:g}) sampled at {rate:g}")


def fine_edges(mu: float) -> Array:
    """Return the edges of the finest cells, in deviations, with that of the loss 0 among them."""
    near = [
        np.arange(-FINE_END, min(mu, 2 * FINE_END) + FINE_END, FINE_WIDTH),
        np.arange(max(mu - FINE_END, -FINE_END), mu + FINE_END, FINE_WIDTH),
    ]
    return distant_edges(np.concatenate([*near, np.arange(-LAST_EDGE, mu + LAST_EDGE, COARSE_WIDTH)]), 0.5 * mu)


def few_edges(mu: float, rate: float, count: int) -> Array:
    r"""Return the edges of about ``count`` cells, in deviations, with that of the loss 0 among them.

    A cell of width w adds about :math:`p w^3 L'^2` to the variance of the loss L, so that widths are best in proportion
    to :math:`(p L'^2)^{-1/3}`; p is a law twice as wide as the outcome's, as tilts move its mass outward.
    """
    x = np.linspace(-FEW_END, mu + FEW_END, FEW_PLACES)
    with np.errstate(over="ignore"):
        slopes = 1.0 / (1.0 + np.exp(-mu * (x - 0.5 * mu)) * ((1.0 - rate) / rate))
    law = np.exp(-0.125 * x * x) + np.exp(-0.125 * (x - mu) ** 2)
    return edges_of_density(x, law, slopes, np.maximum(np.abs(x), np.abs(x - mu)), count, 0.5 * mu)


def edges_of_density(x: Array, law: Array, slopes: Array, far: Array, count: int, zero: float) -> Array:
    """Return the edges of about ``count`` cells between the first and the last place x.

    ``law`` and ``slopes`` are the weights and the slopes L' at these places, up to factors, ``far`` the distances to
    the farther mean, and ``zero`` is where the loss is 0.
    """
    density = np.cbrt(law * (slopes / np.max(slopes)) ** 2)
    density *= count / (np.sum(density) * (x[1] - x[0]))
    # The rule of a cell needs about w (far + 1) <= 1.5, where its error is below those of round-off:
    # tests/ledger/test_ledger_few_cells.py compares its sums with balls.
    density = np.maximum(density, (far + 1.0) / 1.5)
    number = np.append(0.0, np.cumsum(0.5 * (density[1:] + density[:-1]) * np.diff(x)))
    return distant_edges(np.interp(np.linspace(0.0, number[-1], int(number[-1]) + 2), number, x), zero)


def gaussian_cells(sigma: float, edges: Array) -> Cells:
    """Return N(1, sigma^2) against N(0, sigma^2) in cells between these edges, in deviations."""
    mu = 1.0 / sigma
    middle, half = 0.5 * (edges[1:] + edges[:-1]), 0.5 * np.diff(edges)
    points = middle[:, None] + half[:, None] * _NODES
    weights = half[:, None] * _WEIGHTS / np.sqrt(2.0 * np.pi)
    at_q, at_p = weights * np.exp(-0.5 * points**2), weights * np.exp(-0.5 * (points - mu) ** 2)
    ends = mu * (edges - 0.5 * mu)
    reach = float(np.max(np.abs(edges)))
    return Cells(
        p=np.sum(at_p, axis=1),
        q=np.sum(at_q, axis=1),
        low=ends[:-1],
        high=ends[1:],
        mass_error=UNIT * (64.0 + 2.0 * reach * reach),
        loss_error=roundoff(8, mu) * reach,
        # The loss at x is mu (x - mu/2): rises and falls are sums of positive terms.
        rise=np.sum(at_p * -np.expm1(-mu * (points - edges[:-1, None])), axis=1),
        fall=np.sum(at_q * -np.expm1(-mu * (edges[1:, None] - points)), axis=1),
        # Either mass beyond the edges.  Renyi divergences tilt P by order - 1: up to here that leaves the edges 9
        # deviations away.
        cut=CUT_OFF if edges[0] < -37.5 else CUT_OFF_OF_FEW,
        largest_order=1.0 + max(-float(edges[0]) - 9.0, 0.0) / mu,
    )


def distant_edges(edges: Array, zero: float) -> Array:
    """Return the edges in order, no two closer than ``EDGE_DISTANCE``; ``zero``, of loss 0, replaces those near it.

    Two curves are glued there: with a neighbour in its place, a round-off away, the curve would not be convex.
    """
    edges = np.unique(edges)
    edges = edges[np.append(np.diff(edges) > EDGE_DISTANCE, True) & (np.abs(edges - zero) > EDGE_DISTANCE)]
    return np.sort(np.append(edges, zero))


def laplace_cells(scale: float) -> Cells:
    r"""Return Laplace noise about 1 against that about 0, of this scale, in cells; those at both ends are exact.

    At loss t in between, :math:`|t| < \epsilon_0` = 1/scale, the densities are :math:`e^{\mp(\epsilon_0 \mp t)/2}/4`.
    """
    eps0 = 1.0 / scale
    count = min(max(FEWEST_CELLS, ceil(2.0 * eps0 / WIDEST)), MOST_CELLS)
    half = eps0 / count  # half the width of a cell
    edges = np.linspace(-eps0, eps0, count + 1)
    between = 0.5 * -expm1(-half) * np.exp(-half * np.arange(count))
    end = 0.5 * exp(-eps0)
    q, p = np.concatenate([[0.5], between, [end]]), np.concatenate([[end], between[::-1], [0.5]])
    low, high = np.append(-eps0, np.append(edges[:-1], eps0)), np.append(-eps0, np.append(edges[1:], eps0))
    return Cells(p, q, low, high, mass_error=UNIT * (16.0 + 4.0 * eps0), loss_error=roundoff(4, eps0))
