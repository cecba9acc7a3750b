"""Sums of losses of sampled Gaussians against an enclosure in balls of another kind, which is tried here as well."""

from itertools import pairwise

import mpmath
import naive
import pytest
from flint import arb
from sampled_sums import SampledSum, Step

from pldcheck import pld
from pldcheck.pld.distribution import PrivacyLossDistribution

RARE = Step(1.0, 0.1)
MIXED = [*[RARE] * 3, *[Step(2.0, 0.01, removed=False)] * 4, *[Step(0.5, 1e-4)] * 2]


def composed(steps: list[Step]) -> PrivacyLossDistribution:
    """Return the loss of these steps, equal neighbours as one object."""
    changes = [0, *(i for i, (one, other) in enumerate(pairwise(steps), 1) if one != other), len(steps)]
    whole = None
    for start, end in pairwise(changes):
        one = pld.subsampled_gaussian(steps[start].sigma, steps[start].rate)
        one = (one if steps[start].removed else one.reversed).one_way.compose(end - start)
        whole = one if whole is None else whole.compose(one)
    assert whole is not None
    return whole


def check(steps: list[Step], epsilon: float, width: float, fineness: int = 0) -> None:
    """Compare an answer with the enclosure; neither is wider than ``width``, relatively."""
    interval, (low, high) = composed(steps).delta(epsilon), SampledSum(steps, epsilon, fineness).delta(epsilon)
    assert not low > interval.upper and not high < interval.lower, (steps, epsilon, interval, low, high)
    assert high - low <= width * high, (low, high)
    assert interval.relative_width <= width, interval


def test_the_enclosure_contains_one_step():
    for step, epsilon in ((RARE, 1.0), (RARE, 10.0), (Step(0.5, 0.9, removed=False), 1.5), (Step(30.0, 1e-6), 1e-7)):
        low, high = SampledSum([step], epsilon).delta(epsilon)
        truth = naive.sampled_gaussian_delta(step.sigma, step.rate, arb(epsilon), backward=not step.removed)
        assert low < truth < high and high - low < 2e-3 * high, (step, epsilon)


def test_the_enclosure_contains_gaussians_of_different_noise():
    steps = [*[Step(1.0, 1.0)] * 5, *[Step(2.0, 1.0, removed=False)] * 4]
    with mpmath.workdps(60):
        mu = mpmath.sqrt(6)
        near, far = mu / 2 - 30 / mu, -mu / 2 - 30 / mu
        truth = arb(mpmath.nstr(mpmath.ncdf(near) - mpmath.exp(30) * mpmath.ncdf(far), 40))
    low, high = SampledSum(steps, 30.0).delta(30.0)
    assert low < truth < high and high - low < 2e-3 * high


def test_the_enclosure_contains_two_steps_by_quadrature():
    """The loss of the first step times the closed form of the second: 20 digits, of which 12 are used."""
    first, second = Step(1.0, 0.1), Step(2.0, 0.3)

    def integrand(x):
        loss = mpmath.log(1 - first.rate + first.rate * mpmath.exp(x - mpmath.mpf(1) / 2))
        epsilon = arb(mpmath.nstr(1 - loss, 25))
        rest = naive.sampled_gaussian_delta(second.sigma, second.rate, epsilon, backward=False)
        law = (1 - first.rate) * mpmath.npdf(x) + first.rate * mpmath.npdf(x, 1)
        return mpmath.mpf(rest.str(22, radius=False)) * law

    with mpmath.workdps(25):
        truth = mpmath.quad(integrand, [-11, -3, 0, 2, 5, 12])
        doubt = mpmath.mpf(10) ** -12 * truth
    low, high = SampledSum([first, second], 1.0, fineness=1).delta(1.0)
    assert low < arb(mpmath.nstr(truth + doubt, 20)) and high > arb(mpmath.nstr(truth - doubt, 20))
    assert high - low < 1e-3 * high


def test_answers_meet_the_enclosure_on_both_sides_of_folding():
    # Of a record added, eight steps folded into two had 70 % of delta and 2.6 % of epsilon.
    added = Step(1.0, 0.5, removed=False)
    for count in (8, 9):
        check([RARE] * count, 3.0, 2e-3)
        check([added] * count, 4.0, 2e-3)
        assert composed([added] * count).epsilon(1e-5).relative_width < 1e-4


def test_next_to_the_largest_loss_a_tiny_delta_is_known():
    """Few cells leave delta in [0, 3.4e-12] here, from which nothing followed about whether it is tiny."""
    check([Step(1.0, 0.00041164721538879454, removed=False)] * 8, 0.003283357392642288, 5e-3)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("steps", "epsilon", "width"),
    [
        (MIXED, 10.0, 0.01),
        (MIXED, 30.0, 0.1),  # at a delta of 7e-62 the cells of unlike mechanisms are coarser
        ([RARE] * 9, 30.0, 0.01),
        ([Step(1.0, 0.1, removed=False)] * 9, 0.94, 0.01),
        ([Step(0.3, 0.5)] * 60, 300.0, 0.01),
        ([Step(50.0, 1e-6)] * 60, 1e-7, 0.01),
        ([Step(1.0, 1 - 1e-12, removed=False)] * 9, 30.0, 0.01),
        ([RARE] * 9, 0.0, 0.01),
    ],
)
def test_answers_meet_a_finer_enclosure(steps, epsilon, width):
    check(steps, epsilon, width, fineness=1)


@pytest.mark.nightly
def test_one_rare_large_loss_is_enclosed():
    # The tilt at which Chernoff's bound is least is that of a loss beyond epsilon: those are infinite in the upper law.
    low, high = SampledSum([Step(1.0, 1e-6)] * 60, 5.0).delta(5.0)
    interval = pld.subsampled_gaussian(1.0, 1e-6).one_way.compose(60).delta(5.0)
    assert not low > interval.upper and not high < interval.lower
    assert high < 1.1e-80 and high - low < 1e-3 * high
