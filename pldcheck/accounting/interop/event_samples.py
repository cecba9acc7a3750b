r"""Privacy loss distributions of events on Poisson samples, which have each record with some probability.

Let P dominate Q for the event without sampling, in either order.  A record that is added or removed has the pair
((1 - q) Q + q P, Q), in either order, which dominates the event on a sample (Zhu, Dong, Wang 2022, Theorem 11).  A
sample of a sample has the product of the probabilities.  Gaussian noise of sigma_1, sigma_2, ... on one sample is that
of one sigma, with :math:`\sigma^{-2} = \sum_i \sigma_i^{-2}`: their weighted mean is sufficient.  Where a product or a
sum is no float, the two neighbouring floats give the two ends: less noise or a larger sample reveals no less.

With less noise than the cells of a sample have, the upper end is that of no sampling, which reveals no less by joint
convexity, and the lower end that of more noise.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import inf, nextafter, sqrt
from typing import Any

from dp_accounting import NeighboringRelation as Relation

from ...core.directed import float_above, float_below, shrink
from ...core.errors import ParameterError
from ...core.parameters import range_words
from ...pld import (
    from_pmf,
    gaussian,
    replaced_subsampled_gaussian,
    subsampled_gaussian,
    subsampled_laplace,
    subsampled_pmf,
    subsampled_randomized_response,
)
from ...pld.discrete_pairs import both
from ...pld.distribution import MOST_COPIES, PrivacyLossDistribution
from ...pld.loss_sides import Attained, Dominating, between, nothing
from ...pld.replaced_gaussian import LEAST_SIGMA
from ...pld.sampled_mechanisms import LARGEST_MU
from .event_mechanisms import LARGEST_BUDGET, discrete_laplace_cells, enclosed
from .event_names import MECHANISMS, UnsupportedEventError, event_name, number_of, place_below
from .selection_losses import sampled_exponential_mechanism, sampled_permute_and_flip

# The least noise on a sample whose cells are computed.
LEAST_NOISE = 1.0 / LARGEST_MU
REASON = (
    "Poisson samples are answered of Gaussian noise and its compositions, of Laplace and discrete Laplace noise, and, "
    "for a record added or removed, of EpsilonDeltaDpEvent, ExponentialMechanismDpEvent and PermuteAndFlipDpEvent; "
    "nearest is the event without sampling, if it is stated for a record added or removed, which reveals no less"
)


def sample_rate(event: Any, position: str) -> tuple[Fraction, Any, str]:
    """Return the probability of a sample, of a sample of it, and so on, and what is inside, with its position."""
    rate = Fraction(1)
    while event_name(event) == "PoissonSampledDpEvent":
        rate *= Fraction(number_of("sampling_probability", event, 0.0, 1.0))
        event, position = event.event, place_below(position, "event")
    return rate, event, position


def sampled_loss(event: Any, position: str, relation: Relation | None) -> PrivacyLossDistribution:
    """Return the loss of a Poisson sample of a probability below 1."""
    rate, inner, inner_position = sample_rate(event, position)
    name = event_name(inner)
    # A sample of nobody releases nothing, without noise as well.
    bare = name == "GaussianDpEvent" and inner.noise_multiplier == 0
    squares = None if rate == 0 and bare else gaussian_information(inner)
    if name not in MECHANISMS and squares is None:
        raise _refusal(name, position, inner_position)
    if rate == 0 or name == "NoOpDpEvent" or squares == 0:
        return nothing()
    low, high = float_below(rate), float_above(rate)
    if squares is not None:
        small, large = _root_ends(squares)
        if relation is Relation.REPLACE_ONE:
            return enclosed(_replaced_gaussian, (small, large), (low, high))
        return enclosed(_gaussian, (small, large), (low, high))
    refused = relation is Relation.REPLACE_ONE or (relation is Relation.REPLACE_SPECIAL and name not in _SUMS)
    if refused or name not in _SAMPLED:
        raise _refusal(name, position, inner_position)
    return enclosed(_SAMPLED[name], (inner, inner), (low, high))


def released_sample(rate: Fraction) -> PrivacyLossDistribution:
    """Return the loss of a sample that is released: from below the record is seen or nothing, from above all is."""
    share = shrink(float_below(rate), 4)
    return between(Attained(from_pmf([1.0 - share, share], [1.0, 0.0])), None)


def gaussian_information(event: Any) -> Fraction | None:
    """Return the sum of 1/sigma^2 of Gaussian noise that is composed, or None if there is anything else.

    Noise of 0 is left to those who ask.
    """
    name = event_name(event)
    if name == "GaussianDpEvent":
        sigma = number_of("noise_multiplier", event, 0.0, inf, low_open=True)
        return Fraction(sigma) ** -2 if sigma < inf else Fraction(0)
    if name == "SelfComposedDpEvent":
        inner = gaussian_information(event.event)
        return None if inner is None else checked_count(event.count) * inner
    if name == "ComposedDpEvent":
        parts = [gaussian_information(one) for one in event.events]
        return None if None in parts else sum((part for part in parts if part is not None), Fraction(0))
    return None


def checked_count(value: Any, name: str = "count") -> int:
    """Return a number of copies, or raise ParameterError for the field of that name."""
    if isinstance(value, bool) or not hasattr(value, "__index__") or not 1 <= value <= MOST_COPIES:
        raise ParameterError(name, f"an integer {range_words(1, MOST_COPIES)}", value)
    return int(value)


def _refusal(name: str, position: str, inner_position: str) -> UnsupportedEventError:
    if name in MECHANISMS or name in ("ComposedDpEvent", "SelfComposedDpEvent") or name.startswith("Random"):
        return UnsupportedEventError(f"PoissonSampledDpEvent of {name}", position, REASON)
    return UnsupportedEventError(name, inner_position)


def _root_ends(squares: Fraction) -> tuple[float, float]:
    """Return two neighbouring floats around 1/sqrt of a fraction, or it twice."""
    below = sqrt(1 / squares)
    while Fraction(below) ** 2 * squares > 1:
        below = nextafter(below, 0.0)
    while Fraction(nextafter(below, inf)) ** 2 * squares <= 1:
        below = nextafter(below, inf)
    return below, below if Fraction(below) ** 2 * squares == 1 else nextafter(below, inf)


def _gaussian(sigma: float, rate: float) -> PrivacyLossDistribution:
    if sigma >= LEAST_NOISE:
        return subsampled_gaussian(sigma, rate)
    return between(Attained(subsampled_gaussian(LEAST_NOISE, rate)), Dominating(gaussian(sigma)))


def _replaced_gaussian(sigma: float, rate: float) -> PrivacyLossDistribution:
    if sigma >= LEAST_SIGMA:
        return replaced_subsampled_gaussian(sigma, rate)
    return between(Attained(replaced_subsampled_gaussian(LEAST_SIGMA, rate)), Dominating(gaussian(0.5 * sigma)))


def _laplace(event: Any, rate: float) -> PrivacyLossDistribution:
    return subsampled_laplace(event.noise_multiplier, rate)


def _discrete_laplace(event: Any, rate: float) -> PrivacyLossDistribution:
    return both(discrete_laplace_cells(event).on_sample(rate), f"discrete Laplace sampled at {rate:g}")


def _epsilon_delta(event: Any, rate: float) -> PrivacyLossDistribution:
    if event.epsilon == 0.0:
        delta = number_of("delta", event, 0.0, 1.0)
        return subsampled_pmf([delta, 1.0 - delta, 0.0], [0.0, 1.0 - delta, delta], rate)
    return subsampled_randomized_response(event.epsilon, rate, event.delta)


def _exponential(event: Any, rate: float) -> PrivacyLossDistribution:
    epsilon = number_of("epsilon", event, 0.0, LARGEST_BUDGET)
    return sampled_exponential_mechanism(epsilon, rate) if epsilon else nothing()


def _permute_and_flip(event: Any, rate: float) -> PrivacyLossDistribution:
    epsilon = number_of("epsilon", event, 0.0, LARGEST_BUDGET)
    return sampled_permute_and_flip(epsilon, rate) if epsilon else nothing()


# The events that add noise to a sum, in which a record of zeros counts as none.
_SUMS = ("LaplaceDpEvent", "DiscreteLaplaceDpEvent")
_SAMPLED: dict[str, Callable[[Any, float], PrivacyLossDistribution]] = {
    "LaplaceDpEvent": _laplace,
    "DiscreteLaplaceDpEvent": _discrete_laplace,
    "EpsilonDeltaDpEvent": _epsilon_delta,
    "ExponentialMechanismDpEvent": _exponential,
    "PermuteAndFlipDpEvent": _permute_and_flip,
}
