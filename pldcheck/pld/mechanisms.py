"""Privacy loss distributions of mechanisms, of pairs of distributions, and of privacy curves."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from numbers import Integral, Real

import numpy as np
from numpy.typing import ArrayLike

from .. import pld
from ..core.directed import UNIT, roundoff
from ..core.errors import ParameterError
from ..core.parameters import PARAMETERS, parse, range_words
from ..kernels.loss_cumulants import compensated_sum
from .discrete_pairs import both, from_masses
from .distribution import PrivacyLossDistribution
from .hull_of_points import from_points
from .law_bounds import NOTHING, LawBounds
from .step_losses import Atoms, GaussianLoss, LaplaceLoss, Law, Responses

# Deviations beyond which probabilities of discrete Gaussian noise leave double precision.
FARTHEST = 37.6
# More than the mass of that noise beyond 37.6 deviations and one value, which is below 2 Phi(-37.6) = 2.3e-309.
CUT = 3e-309
# The least sigma and scale: squares and inverses of smaller ones leave the range of numbers.
LEAST_NOISE = 1e-100
# The largest sensitivity of discrete Gaussian noise.
LARGEST_SHIFT = 10**6
# The most round-offs that are charged for an eps0 that was computed, see Total.response_factor.
MOST_UNITS = 8.0


def randomized_response(eps0: float, delta0: float = 0.0) -> PrivacyLossDistribution:
    """Return the privacy loss distribution of (eps0, delta0)-randomized response.

    It dominates every (eps0, delta0)-DP mechanism (Kairouz et al. 2015).  The loss is infinite with
    probability delta0, otherwise eps0 with probability e^eps0/(1 + e^eps0), else -eps0.

    Parameters
    ----------
    eps0 : float in (0, 20]
    delta0 : float in [0, 1)

    Raises
    ------
    ParameterError
        If ``eps0`` or ``delta0`` is out of its range.

    """
    eps0, delta0 = float(PARAMETERS["eps0"].parse(eps0)), float(PARAMETERS["delta0"].parse(delta0))
    pure = Responses(np.array([eps0]))
    if delta0 == 0.0:
        return PrivacyLossDistribution(f"randomized response ({eps0:g})", ((LawBounds(pure, pure), 1),))
    law = Atoms(pure.losses, pure.masses, delta0, infinity_error=0.0)
    return PrivacyLossDistribution(f"randomized response ({eps0:g}, {delta0:g})", ((LawBounds.exact(law), 1),))


def randomized_responses(eps0: ArrayLike, units: float = 0.0, delta0: float = 0.0) -> PrivacyLossDistribution:
    """Return the composition of randomized responses, one for each entry of ``eps0``; there may be a million of them.

    The losses are those of ``compose_all`` of :func:`randomized_response`.

    Parameters
    ----------
    eps0 : array of floats in (0, 20]
        The budgets, at least one, in an array of any shape.
    units : float from 0 to 8
        The relative error of each budget in round-offs of 2^-53, where budgets were computed.
    delta0 : float in [0, 1)
        The delta of every single response.

    Raises
    ------
    ParameterError
        If there is no budget, or if a number is out of its range.

    """
    delta0 = float(PARAMETERS["delta0"].parse(delta0))
    try:
        budgets = np.array(eps0, dtype=np.float64).ravel()
    except (TypeError, ValueError):
        raise ParameterError("eps0", "numbers", eps0) from None
    if not budgets.size:
        raise ParameterError("eps0", "at least one number", "none")
    wrong = budgets[~((budgets > 0.0) & (budgets <= PARAMETERS["eps0"].high))]
    if wrong.size:
        raise ParameterError("eps0", PARAMETERS["eps0"].domain, float(wrong[0]))
    if isinstance(units, bool) or not isinstance(units, Real) or not 0.0 <= units <= MOST_UNITS:
        raise ParameterError("units", range_words(0, MOST_UNITS), units)
    law = Responses(budgets, float(units))
    parts = [(LawBounds.exact(law), 1)]
    if delta0 > 0.0:  # a loss is infinite independently of its finite value
        infinite = Atoms(np.zeros(1), np.ones(1), delta0, mass_error=0.0, infinity_error=0.0)
        parts.append((LawBounds.exact(infinite), budgets.size))
    return PrivacyLossDistribution(f"{budgets.size} randomized responses", tuple(parts))


def gaussian(sigma: float) -> PrivacyLossDistribution:
    """Return the privacy loss distribution of the Gaussian mechanism.

    ``sigma`` is the standard deviation over the sensitivity, from 1e-100 to 1e9; raises ParameterError.
    """
    sigma = _check_noise("sigma", parse(sigma=sigma)["sigma"])
    variance = sigma**-2.0
    return PrivacyLossDistribution(f"Gaussian ({sigma:g})", ((LawBounds.exact(GaussianLoss(variance)), 1),))


def laplace(scale: float) -> PrivacyLossDistribution:
    """Return the privacy loss distribution of the Laplace mechanism.

    ``scale`` is the scale of the noise over the sensitivity, from 1e-100 to 1e9; raises ParameterError.
    """
    scale = _check_noise("scale", parse(scale=scale)["scale"])
    law = LaplaceLoss(1.0 / scale, scale)
    return PrivacyLossDistribution(f"Laplace ({scale:g})", ((LawBounds.exact(law), 1),))


def discrete_laplace(scale: float) -> PrivacyLossDistribution:
    """Return the privacy loss distribution of discrete Laplace noise on integers of sensitivity 1.

    The loss takes the values 1/scale and -1/scale only, as that of randomized response with eps0 = 1/scale.  Raises
    ParameterError unless ``scale`` is from 1/20 to 1e9.
    """
    scale = float(parse(scale=scale)["scale"])
    largest = PARAMETERS["eps0"].high
    if scale * largest < 1.0:
        raise ParameterError("scale", f"at least {1.0 / largest:g} for discrete noise", scale)
    eps0 = 1.0 / scale
    pure = Responses(np.array([eps0]))
    if Fraction(eps0) * Fraction(scale) == 1:
        law: Law = pure
    else:  # eps0 is rounded, which moves a loss by a round-off and a mass by eps0 of them
        law = Atoms(pure.losses, pure.masses, mass_error=UNIT * (4.0 + eps0), loss_error=UNIT * eps0)
    return PrivacyLossDistribution(f"discrete Laplace ({scale:g})", ((LawBounds.exact(law), 1),))


def discrete_gaussian(sigma: float, sensitivity: int = 1) -> PrivacyLossDistribution:
    r"""Return discrete Gaussian noise on an integer, of weights proportional to exp(-k^2/(2 sigma^2)).

    Against the one shifted by the sensitivity s the loss at k is :math:`(s^2 - 2 s k)/(2\sigma^2)`.  The tails that are
    left out are below ``CUT``; Renyi divergences are those with the tails, known from above for a sensitivity of 1.
    Raises ParameterError above sigma = 10^4, where the values would be too many: use :func:`gaussian`.
    """
    sigma = _check_noise("sigma", parse(sigma=sigma)["sigma"])
    if sigma > 1e4:
        raise ParameterError("sigma", "at most 10000 for discrete noise", sigma)
    shift = _check_shift(sensitivity)
    last = int(FARTHEST * sigma) + 2
    values = np.arange(-last, last + 1, dtype=np.float64)
    losses, masses = shift * (shift - 2.0 * values) / (2.0 * sigma * sigma), np.exp(-0.5 * (values / sigma) ** 2)
    law = Atoms.of(
        losses,
        masses / compensated_sum(masses),
        mass_error=UNIT * 2.0 * FARTHEST**2,
        loss_error=roundoff(5, float(np.max(np.abs(losses)))),
        largest_order=1.0,
        cut=CUT,
        moment=partial(_discrete_gaussian_moment, sigma) if shift == 1 else None,
    )
    name = f"discrete Gaussian ({sigma:g})" if shift == 1 else f"discrete Gaussian ({sigma:g}, sensitivity {shift:d})"
    return PrivacyLossDistribution(name, ((LawBounds.exact(law), 1),))


def from_pmf(p: ArrayLike, q: ArrayLike) -> PrivacyLossDistribution:
    """Return the privacy loss distribution of two probability mass functions on the same outcomes, in both directions.

    Parameters
    ----------
    p, q : sequences of floats or of :class:`fractions.Fraction`, of one length
        Each entry is 0 or at least 1e-300.  Each sum must be 1 to 1e-9; the entries are then read as weights.  Floats
        are taken as exact, and the rounding of fractions is counted.

    Raises
    ------
    ParameterError
        If an entry, a sum or a length is not as described.

    """
    return both(from_masses(p, q), "discrete pair")


def from_curve(epsilons: ArrayLike, upper: ArrayLike, *, symmetric: bool = False) -> PrivacyLossDistribution:
    """Return a privacy loss distribution that dominates a mechanism with these upper bounds of delta.

    The privacy curve is convex in e^epsilon, so the polygon through any of its points lies above it ("connect the
    dots").  Nothing is known from below: lower ends are 0.

    Parameters
    ----------
    epsilons : sequence of floats between -700 and 700
    upper : sequence of floats in [0, 1]
        Upper bounds of delta at these epsilons.
    symmetric : bool
        Whether the bounds hold for (P, Q) and (Q, P) alike, which also gives bounds at -epsilon.  Otherwise they are
        bounds for (P, Q) alone.

    Raises
    ------
    ParameterError
        If the lengths differ, if a number is out of its range, or if a bound is below 1 - e^epsilon.

    """
    law = from_points(epsilons, upper, symmetric)
    return PrivacyLossDistribution("privacy curve", ((LawBounds(law, NOTHING), 1),), is_one_way=not symmetric)


def _discrete_gaussian_moment(sigma: float, theta: float) -> tuple[float, float]:
    """Load ball arithmetic where a moment is asked for: only Rényi divergences need it."""
    return pld.discrete_gaussian_moments.discrete_gaussian_moment(sigma, theta)


def _check_shift(sensitivity: int) -> int:
    """Return the sensitivity of noise on an integer, or raise ParameterError."""
    if isinstance(sensitivity, bool) or not isinstance(sensitivity, Integral) or not 1 <= sensitivity <= LARGEST_SHIFT:
        raise ParameterError("sensitivity", f"an integer {range_words(1, LARGEST_SHIFT)}", sensitivity)
    return int(sensitivity)


def _check_noise(name: str, value: float) -> float:
    if value < LEAST_NOISE:
        raise ParameterError(name, f"at least {LEAST_NOISE:g}", value)
    return float(value)
