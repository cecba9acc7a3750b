from functools import cache

import naive
import pytest
from certificates import contains, narrow_epsilon, right_epsilon
from flint import arb, ctx

from pldcheck import pld

CASES = [(sigma, copies) for sigma in (0.3, 1.0, 50.0, 1000.0) for copies in (1, 3, 1000, 10**6, 10**9)]
DELTAS = [0.3, 1e-3, 1e-6, 1e-12, 1e-30, 1e-100]


@cache
def exact(sigma, copies):
    with ctx.workprec(400):
        return copies / arb(sigma) ** 2


@pytest.mark.parametrize(("sigma", "copies"), CASES)
@pytest.mark.parametrize("delta", DELTAS)
def test_epsilon_is_right_and_narrow(sigma, copies, delta):
    interval = pld.gaussian(sigma).compose(copies).epsilon(delta)
    curve = lambda e: naive.gaussian_delta(exact(sigma, copies), e)  # noqa: E731
    assert right_epsilon(interval, delta, curve)
    assert narrow_epsilon(interval, delta, curve, 1e-6), interval


@pytest.mark.parametrize(("sigma", "copies"), CASES)
@pytest.mark.parametrize("deviations", [-30.0, -3.0, 0.0, 2.0, 8.0, 30.0])
def test_delta_is_right_and_narrow(sigma, copies, deviations):
    variance = float(exact(sigma, copies))
    epsilon = max(0.5 * variance + deviations * variance**0.5, 0.0)
    interval = pld.gaussian(sigma).compose(copies).delta(epsilon)
    assert contains(interval, naive.gaussian_delta(exact(sigma, copies), epsilon))
    assert interval.relative_width <= 1e-6, interval


def test_many_gaussian_objects_are_their_sum():
    # Variances summed one after the other lose 7e-13 here; the answer was narrower than that.
    mechanism = pld.compose_all([pld.gaussian(3.0) for _ in range(20000)])
    interval = mechanism.delta(1334.0)
    with ctx.workprec(400):
        truth = naive.gaussian_delta(20000 / arb(3.0) ** 2, 1334.0)
    assert contains(interval, truth)
    assert interval.relative_width <= 1e-6


@pytest.mark.parametrize("epsilon", [40.0, 100.0, 1e4, 1e9, 1e300])
def test_far_beyond_any_delta_the_answer_is_nearly_zero(epsilon):
    interval = pld.gaussian(1.0).delta(epsilon)
    assert interval.lower <= interval.upper <= 1e-290
    assert contains(interval, naive.gaussian_delta(arb(1), epsilon)) if epsilon <= 1e4 else interval.lower == 0.0
