"""Privacy loss distributions of single events: mechanisms, and what check-ins, allocation and shuffling amplify."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import exp, expm1, inf, log1p
from typing import Any

import numpy as np

from ...core.directed import UNIT, float_above, float_below, roundoff
from ...core.errors import ParameterError
from ...core.parameters import PARAMETERS
from ...pld import (
    discrete_gaussian,
    from_pmf,
    gaussian,
    gaussian_mixture,
    laplace,
    randomized_response,
    subsampled_gaussian,
    truncated_gaussian,
)
from ...pld.discrete_pairs import LEAST_MASS
from ...pld.distribution import PrivacyLossDistribution
from ...pld.loss_sides import Attained, Dominating, between, nothing
from ...pld.pair_cells import Cells
from ...pld.places_in_batch import with_replacement, without_replacement
from ...randomizers import Worst
from . import amplification_losses, selection_losses
from .event_names import UnsupportedEventError, count_of, event_name, fields_of, number_of, numbers_of

# The largest deviation of noise whose quotients are formed; the engine takes quotients up to 1e9.
MOST_NOISE = 1e300
# The largest number of values of a discrete Laplace loss.
MOST_VALUES = 10**4
# The largest budget of randomized response, and that of the exponential mechanism, which contains that of half of it.
LARGEST_BUDGET = PARAMETERS["eps0"].high
LARGEST_SELECTION = 2.0 * LARGEST_BUDGET


def enclosed(
    loss: Callable[[Any, float], PrivacyLossDistribution], noises: tuple[Any, Any], rates: tuple[float, float]
) -> PrivacyLossDistribution:
    """Return the loss of noise and rate between two neighbouring numbers each: less noise reveals no less."""
    more = loss(noises[0], rates[1])
    if noises[0] == noises[1] and rates[0] == rates[1]:
        return more
    return between(Attained(loss(noises[1], rates[0])), Dominating(more))


def _floats_around(number: Fraction) -> tuple[float, float]:
    return float_below(number), float_above(number)


def _gaussian_over(noise: float, size: float) -> PrivacyLossDistribution:
    """Return the loss of Gaussian noise on a vector of this length; their quotient need not be a float."""
    return enclosed(lambda sigma, _: gaussian(sigma), _floats_around(Fraction(noise) / Fraction(size)), (1.0, 1.0))


def _loss_of_cells(cells: Cells, name: str) -> PrivacyLossDistribution:
    return PrivacyLossDistribution(name, ((cells.law_bounds(), 1),))


def _response(event: Any, position: str) -> PrivacyLossDistribution:
    """Return the loss of randomized response: the true bucket of k has probability 1 - p + p/k, each other one p/k."""
    if (fields := fields_of_response(event)) is None:
        return nothing()
    noise, buckets = fields
    other = Fraction(noise) / buckets
    true, eps0 = 1 - Fraction(noise) + other, log1p(float((1 - Fraction(noise)) / other))
    masses, losses = [true, other, other * (buckets - 2)], [eps0, -eps0, 0.0]
    cells = response_cells(masses, [other, true, masses[2]], losses)
    return _loss_of_cells(cells, f"randomized response ({noise:g} on {buckets})")


def fields_of_response(event: Any) -> tuple[float, int] | None:
    """Return the noise and the number of buckets of randomized response, or None if it releases nothing."""
    buckets = count_of("num_buckets", event, 10**15)
    if buckets == 1:
        return None
    noise = number_of("noise_parameter", event, 0.0, 1.0, low_open=True)
    if noise < LEAST_MASS * buckets:
        raise ParameterError("noise_parameter", f"at least {LEAST_MASS:g} for each of num_buckets = {buckets}", noise)
    return noise, buckets


def response_cells(p: Sequence[Fraction], q: Sequence[Fraction], losses: Sequence[float]) -> Cells:
    """Return outcomes of exact masses under P and Q; each loss is the logarithm of a rounded number, or log1p of it."""
    places = np.array(losses)
    # A mass is rounded once.  A loss has the rounding of its argument, which moves it by one of itself at most, and the
    # 4 granted to a logarithm.
    error = roundoff(8, float(np.max(np.abs(places))))
    above, below = (np.array([float(mass) for mass in masses]) for masses in (p, q))
    return Cells(above, below, places, places, mass_error=roundoff(2), loss_error=error)


def discrete_laplace_cells(event: Any) -> Cells:
    """Return the outcomes of discrete Laplace noise x with probability proportional to e^(-a |x|), sensitivity s.

    They are x at most 0, x = 1, ..., s - 1, and x at least s; their masses under Q are the reverse.
    """
    rate = number_of("noise_parameter", event, 0.0, 700.0, low_open=True)
    sensitivity = count_of("sensitivity", event, MOST_VALUES)
    between = -expm1(-rate) * np.exp(-rate * np.arange(1, sensitivity))
    masses = np.concatenate([[1.0], between, [exp(-rate * sensitivity)]]) / (1.0 + exp(-rate))
    losses = np.asarray(rate * np.arange(sensitivity, -sensitivity - 1, -2), dtype=np.float64)
    error = UNIT * (16.0 + 4.0 * rate * sensitivity)
    return Cells(masses, masses[::-1], losses, losses, mass_error=error, loss_error=roundoff(4, rate * sensitivity))


def _discrete_laplace(event: Any, position: str) -> PrivacyLossDistribution:
    """Return the loss of discrete Laplace noise; the pair is its own mirror image."""
    cells = discrete_laplace_cells(event)
    return _loss_of_cells(cells, f"discrete Laplace ({event.noise_parameter:g}, {event.sensitivity})")


def _discrete_gaussian(event: Any, position: str) -> PrivacyLossDistribution:
    """Return the loss of discrete Gaussian noise on one integer; that of more integers is concentrated, see leaves.

    The curve of a shift by t is the largest F(m) - e^epsilon F(m - t) of all m, with the distribution function F, as
    the loss is monotone: it grows with t, so that the largest whole shift is the worst one.
    """
    sensitivity = int(number_of("sensitivity", event, 0.0, 1e6))
    return discrete_gaussian(event.sigma, sensitivity) if sensitivity else nothing()


def _tree(event: Any, position: str) -> PrivacyLossDistribution:
    """Return the loss of sums on binary trees with Gaussian noise, of which one record is in one leaf of one tree.

    A tree of m leaves has released floor(log2 m) + 1 nodes above its first leaf and no more above another one (Kairouz
    et al. 2021, appendix D): so many releases of the Gaussian mechanism, which may be adaptive.
    """
    steps = event.step_counts
    depth = max(_steps_of(one) for one in (steps if isinstance(steps, list | tuple) else [steps])).bit_length()
    return gaussian(event.noise_multiplier).compose(depth) if depth else nothing()


def _steps_of(value: Any) -> int:
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 0:
        raise ParameterError("step_counts", "a number of steps or a list of them, from 0 on", value)
    return int(value)


def _epsilon_delta(event: Any, position: str) -> PrivacyLossDistribution:
    """Return the loss of the worst mechanism that is (epsilon, delta)-DP."""
    delta = number_of("delta", event, 0.0, 1.0)
    if event.epsilon == 0.0 and delta < 1.0:
        return from_pmf([delta, 1.0 - delta, 0.0], [0.0, 1.0 - delta, delta]) if delta else nothing()
    return randomized_response(event.epsilon, delta)


def _exponential(event: Any, position: str) -> PrivacyLossDistribution:
    epsilon = number_of("epsilon", event, 0.0, LARGEST_SELECTION)
    return selection_losses.exponential_mechanism(epsilon) if epsilon else nothing()


def _permute_and_flip(event: Any, position: str) -> PrivacyLossDistribution:
    epsilon = number_of("epsilon", event, 0.0, LARGEST_BUDGET)
    return selection_losses.permute_and_flip(epsilon) if epsilon else nothing()


def _mixture(event: Any, position: str) -> PrivacyLossDistribution:
    """Return the loss of Gaussian noise on one of some numbers, each with a probability.

    One number, and 0 and another one, have forms of their own.
    """
    centres, weights = numbers_of("sensitivities", event), numbers_of("sampling_probs", event)
    if len(centres) != len(weights):
        raise ParameterError("sampling_probs", f"as many numbers as sensitivities ({len(centres)})", weights)
    if centres == [0.0]:
        return nothing()
    noise = number_of("standard_deviation", event, 0.0, MOST_NOISE, low_open=True)
    if len(centres) <= 2 and sum(weights) == 1.0 and min(weights) > 0.0:
        lengths = [(length, weight) for length, weight in zip(centres, weights, strict=True) if length != 0.0]
        if len(lengths) == 1 and 0.0 < lengths[0][0] < inf:
            length, weight = lengths[0]
            if len(weights) == 1:
                return _gaussian_over(noise, length)
            # With a rounded sum of 1, probabilities may be more than 1 together, and are then weights.
            rate = Fraction(weight) / max(sum(map(Fraction, weights), Fraction(0)), Fraction(1))
            sigmas = _floats_around(Fraction(noise) / Fraction(length))
            return enclosed(subsampled_gaussian, sigmas, _floats_around(rate))
    return gaussian_mixture(noise, centres, weights)


def _truncated(event: Any, position: str) -> PrivacyLossDistribution:
    """Return the loss of Poisson samples that are cut; the size of the data set counts the record that differs."""
    size, most = count_of("dataset_size", event, 10**12), count_of("truncated_batch_size", event, 10**12)
    if size == 1:
        return subsampled_gaussian(event.noise_multiplier, event.sampling_probability)
    return truncated_gaussian(event.noise_multiplier, event.sampling_probability, size - 1, most)


def _batch(event: Any, position: str) -> PrivacyLossDistribution:
    """Return the loss of batches of one size; the noise is over what replacing one record of a batch changes."""
    inner = event.event
    if event_name(inner) != "GaussianDpEvent":
        raise UnsupportedEventError(f"{event_name(event)} of {event_name(inner)}", position)
    whole, size = count_of("source_dataset_size", event, 10**12), count_of("sample_size", event, 10**12, least=0)
    if size == 0:
        return nothing()
    if event_name(event) == "SampledWithReplacementDpEvent":
        # With one record in all, every draw is of it.
        return (
            with_replacement(inner.noise_multiplier, whole - 1, size)
            if whole > 1
            else _gaussian_over(number_of("noise_multiplier", inner, 0.0, MOST_NOISE, low_open=True), size)
        )
    if size > whole:
        raise ParameterError("sample_size", f"at most source_dataset_size = {whole}", size)
    return (
        without_replacement(inner.noise_multiplier, whole - 1, size)
        if size < whole
        else gaussian(inner.noise_multiplier)
    )


def _check_in(event: Any, position: str, delta: float) -> PrivacyLossDistribution:
    steps, eps0, prob = fields_of(event, position, "steps", "eps0", "check_in_prob")
    return amplification_losses.check_in(steps, eps0, prob, delta)


def _allocation_loss(event: Any, position: str, delta: float) -> PrivacyLossDistribution:
    steps, selected, inner = fields_of(event, position, "num_steps", "num_selected", "event")
    if event_name(inner) != "GaussianDpEvent":
        raise UnsupportedEventError(f"RandomAllocationDpEvent of {event_name(inner)}", position)
    return amplification_losses.allocation(steps, inner.noise_multiplier, selected, delta)


def _shuffle_loss(event: Any, position: str, delta: float) -> PrivacyLossDistribution:
    """Return the loss of shuffling; the event's randomizer is a budget or an event."""
    clients, inner = fields_of(event, position, "clients", "randomizer")
    if isinstance(inner, int | float):
        return amplification_losses.shuffled(clients, inner, Worst(), delta)
    name = event_name(inner)
    if name == "RandomizedResponseDpEvent":
        buckets = count_of("num_buckets", inner, 10**6)
        noise = number_of("noise_parameter", inner, 0.0, 1.0, low_open=True)
        if buckets == 1 or noise == 1.0:
            return nothing()
        return amplification_losses.shuffled_response(clients, noise, buckets, delta)
    if name == "LaplaceDpEvent":
        return amplification_losses.shuffled_laplace(clients, _noise("scale", inner), delta)
    if name == "GaussianDpEvent":
        return amplification_losses.shuffled_gaussian(clients, _noise("sigma", inner), delta)
    raise UnsupportedEventError(f"ShuffleDpEvent of {name}", position)


def _noise(name: str, event: Any) -> float:
    return float(PARAMETERS[name].parse(event.noise_multiplier))


# The loss of each mechanism, from its event and position.
MECHANISM_LOSSES: dict[str, Callable[[Any, str], PrivacyLossDistribution]] = {
    "NoOpDpEvent": lambda event, position: nothing(),
    "GaussianDpEvent": lambda event, position: gaussian(event.noise_multiplier),
    "LaplaceDpEvent": lambda event, position: laplace(event.noise_multiplier),
    "DiscreteLaplaceDpEvent": _discrete_laplace,
    "DiscreteGaussianDpEvent": _discrete_gaussian,
    "RandomizedResponseDpEvent": _response,
    "MixtureOfGaussiansDpEvent": _mixture,
    "TruncatedSubsampledGaussianDpEvent": _truncated,
    "SampledWithoutReplacementDpEvent": _batch,
    "SampledWithReplacementDpEvent": _batch,
    "SingleEpochTreeAggregationDpEvent": _tree,
    "ExponentialMechanismDpEvent": _exponential,
    "PermuteAndFlipDpEvent": _permute_and_flip,
    "EpsilonDeltaDpEvent": _epsilon_delta,
}
# The loss of each event that amplifies, from it, its position, and the least delta of use.
AMPLIFIED_LOSSES: dict[str, Callable[[Any, str, float], PrivacyLossDistribution]] = {
    "RandomCheckInDpEvent": _check_in,
    "RandomAllocationDpEvent": _allocation_loss,
    "ShuffleDpEvent": _shuffle_loss,
}
