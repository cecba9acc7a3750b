"""Discrete Gaussian and discrete Laplace noise against their sums, term by term in balls."""

import pytest
from flint import arb, ctx

from pldcheck import pld
from pldcheck.core.errors import ParameterError


def exact_delta(sigma, epsilon):
    """Return delta of integers with weights exp(-k^2/(2 sigma^2)) against the same shifted by 1."""
    with ctx.workprec(300):
        square = 2 * arb(sigma) ** 2
        weights = {k: (-(arb(k) ** 2) / square).exp() for k in range(-int(60 * sigma) - 60, int(60 * sigma) + 61)}
        total, kappa, delta = sum(weights.values(), arb(0)), arb(epsilon).exp(), arb(0)
        for k in list(weights)[1:]:
            delta += (weights[k] - kappa * weights[k - 1]).max(arb(0))
        return delta / total


@pytest.mark.parametrize("sigma", [0.4, 1.0, 7.5])
@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0])
def test_a_discrete_gaussian_agrees_with_its_sum(sigma, epsilon):
    interval, truth = pld.discrete_gaussian(sigma).delta(epsilon), exact_delta(sigma, epsilon)
    assert arb(interval.lower) <= truth <= arb(interval.upper)
    assert interval.relative_width < 1e-10


def test_discrete_gaussian_composed_is_nearly_the_continuous_one():
    discrete, continuous = (make(20.0).compose(100).epsilon(1e-8) for make in (pld.discrete_gaussian, pld.gaussian))
    assert discrete.lower == pytest.approx(continuous.lower, rel=1e-4)
    assert discrete.relative_width < 1e-6


def test_discrete_laplace_is_a_randomized_response():
    # P(k <= 0) of weights exp(-|k|/b): 1/(1 + e^(-1/b)); there the loss is 1/b.
    assert pld.discrete_laplace(2.0).epsilon(1e-4) == pld.randomized_response(0.5).epsilon(1e-4)


def test_too_many_values_are_refused():
    with pytest.raises(ParameterError, match="sigma must be at most 10000"):
        pld.discrete_gaussian(1e5)
