"""Next to the largest sum of losses, and beyond it: closed forms there, bounded work, and nothing that is cut off."""

from math import inf, nextafter

import naive
import numpy as np
import pytest
from certificates import contains, right_epsilon
from flint import arb, ctx

from pldcheck import pld
from pldcheck.pld.largest_loss import certain_delta, certain_epsilon, top_mass
from pldcheck.pld.loss_total import Total
from pldcheck.pld.sampled_mechanisms import fine_edges, gaussian_cells
from pldcheck.protocols import Composition, RandomizedResponse, SubsampledGaussian

# No answer asked for here visits more than half as many values of losses.
MOST_VISITS = 2e8


@pytest.fixture(autouse=True)
def bounded_work(visits):
    """Assert that little work is done: each of these took more than 60 seconds of processor time, or had no end."""
    yield
    assert sum(visits) < MOST_VISITS


def two_laplace_delta(scale: float, epsilon: float):
    """Return delta of two Laplace steps, with v = 2/scale - epsilon < 2/scale: both atoms, one, and none, integrated by
    hand.
    """
    with ctx.workprec(500):
        v = 2 / arb(scale) - arb(epsilon)
        half, whole = (-v / 2).exp(), (-v).exp()
        return (1 - whole) / 4 + (1 - half) ** 2 / 2 + (1 - whole - v * half) / 4


@pytest.mark.parametrize("scale", [1e-2, 1e-4, 1e-6, 0.3])
@pytest.mark.parametrize("delta", [1e-12, 1e-30, 1e-300, 5e-324])
def test_two_laplace_steps_are_enclosed_next_to_the_largest_loss(scale, delta):
    # From the report: pld.laplace(1e-2), composed, at delta 1e-12 took contours of 2^20 nodes each.
    interval = pld.laplace(scale).compose(2).epsilon(delta)
    assert right_epsilon(interval, delta, lambda e: two_laplace_delta(scale, e))
    assert interval.relative_width <= 1e-12


@pytest.mark.parametrize("delta", [1e-250, 1e-30, 1e-3])
def test_many_responses_are_enclosed_next_to_the_sum_of_their_budgets(delta):
    budgets = np.linspace(5.0, 20.0, 1000)
    interval = pld.randomized_responses(budgets).epsilon(delta)
    with ctx.workprec(300):
        top, mass = arb(0), arb(1)
        for eps0 in map(arb, budgets.tolist()):
            top, mass = top + eps0, mass / (1 + (-eps0).exp())

        def exact(epsilon):  # the next sum is 10 less
            assert top - 10 < epsilon
            return mass * (1 - (arb(epsilon) - top).exp()) if top > epsilon else arb(0)

        assert right_epsilon(interval, delta, exact)
    assert interval.relative_width <= 1e-9


def test_the_largest_sum_of_responses_is_enclosed_with_zero_slack():
    for budgets, delta0, units in (([0.3, 1.0, 1.0, 20.0], 0.0, 0.0), ([1e-9] * 50, 1e-3, 8.0), ([3.0] * 7, 0.3, 0.0)):
        total = Total.of((one.upper, n) for one, n in pld.randomized_responses(budgets, units, delta0).forward)
        with ctx.workprec(300):
            top, mass = arb(0), arb(1)
            for eps0 in map(arb, budgets):
                top, mass = top + eps0, mass * (1 - arb(delta0)) / (1 + (-eps0).exp())
            infinite = 1 - (1 - arb(delta0)) ** len(budgets)
            assert arb(top_mass(total)) <= mass and arb(top_mass(total)) > mass * (1 - arb(1e-12))
            for gap in (1e-14, 1e-6, 1e-2, 1.0):
                epsilon = nextafter(total.largest * (1.0 - gap), inf)
                assert not certain_delta(total, epsilon) > mass * (1 - (epsilon - top).exp())
            for delta in (1e-12, 1e-3, 0.95):
                low, high = certain_epsilon(total, delta)
                if low > 0.0:
                    assert not infinite + mass * (1 - (low - top).exp()) < delta
                if high < inf:
                    assert not infinite + 1 - (high - top).exp() > delta


@pytest.mark.nightly
def test_responses_that_may_be_infinite_are_one_law():
    # From the report: 600,813 laws took more than a minute at every tilt.
    interval = RandomizedResponse(600813, 1e-20, 1e-10, delta0=1e-100).delta(1e-12)
    assert 0.0 < interval.relative_width < 1e-6
    exact = [(arb(value), 1) for value in (0.5, 1.0, 1.5, 2.0)]
    several = RandomizedResponse(4, 0.5, 2.0, delta0=0.01)
    one_by_one = pld.compose_all([pld.randomized_response(float(value.mid()), 0.01) for value, _ in exact])
    for epsilon in (0.0, 0.7, 2.0, 4.9):
        apart, together = one_by_one.delta(epsilon), several.delta(epsilon)
        assert apart.lower <= together.upper and together.lower <= apart.upper
        assert together.relative_width < 1e-5


def test_a_law_of_many_values_many_times_is_not_written_out():
    # 752,004 values to the 64th power is no float.
    interval = Composition(("discrete-gaussian:1e4*1000",)).delta(0.1)
    near = pld.gaussian(1e4).compose(1000).delta(0.1)
    assert interval.relative_width < 1e-4 and abs(interval.lower / near.upper - 1.0) < 1e-3


@pytest.mark.parametrize("sigma", [1e9, 5e8, 1e3, 3.3, 1.0, 0.1, 0.2, 0.025, 1 / 39.9])
def test_the_loss_zero_is_an_end_of_cells(sigma):
    cells = gaussian_cells(sigma, fine_edges(1.0 / sigma))
    assert np.count_nonzero(cells.low == 0.0) == np.count_nonzero(cells.high == 0.0) == 1
    assert np.all(cells.low[1:] == cells.high[:-1]) and np.all(cells.high > cells.low)


@pytest.mark.parametrize("sigma", [1e9, 1e8, 3.3, 0.1, 0.025])
@pytest.mark.parametrize("rate", [0.1, 1 - 1e-9, nextafter(1.0, 0.0)])
def test_curves_are_glued_at_any_noise_and_rate(sigma, rate):
    # The last two rates at sigma 0.1, and sigma 1e9, did not make a convex curve: the end of cells at 0 was left out.
    step = pld.fixed_size_gaussian(sigma, rate)
    for epsilon in (0.0, 0.4 / sigma):
        interval = step.delta(epsilon)
        for backward in (False, True):
            truth = naive.sampled_gaussian_delta(sigma, rate, arb(epsilon), backward=backward)
            assert not truth > interval.upper
        assert interval.lower <= naive.sampled_gaussian_delta(sigma, rate, arb(epsilon), backward=False) or contains(
            interval, naive.sampled_gaussian_delta(sigma, rate, arb(epsilon), backward=True)
        )


@pytest.mark.nightly
def test_a_replaced_record_at_nearly_full_rate_is_nearly_a_gaussian():
    interval = SubsampledGaussian(0.1, nextafter(1.0, 0.0), 1000, "fixed-size").delta(0.5)
    assert interval.lower > 1 - 1e-12 and interval.upper <= 1.0


def test_what_is_cut_off_is_not_taken_for_nothing():
    # Beyond the last cell delta was said to be [0, 0]; Gaussian noise has no largest loss.
    for mechanism in (pld.fixed_size_gaussian(1e9, 0.1).compose(61), pld.discrete_gaussian(1.0)):
        assert mechanism.delta(100.0).upper > 0.0 and mechanism.delta(100.0).upper < 1e-300
        assert mechanism.epsilon(5e-324).upper == inf
