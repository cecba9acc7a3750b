"""Deltas next to nothing or next to 1, and epsilons far out: nothing fails, little is lost, little is done."""

from math import inf, log

import numpy as np
import pytest
from mpmath import mp

from pldcheck.hidden_slot.known import increment_stoploss
from pldcheck.hidden_slot.known.neighbour_pairs import REMOVAL, Pair
from pldcheck.hidden_slot.known.noise_ratios import GaussianNoise
from pldcheck.hidden_slot.known.sum_plan import Rough
from pldcheck.kernels.half_period_inversion import log_mgf_by_blocks
from pldcheck.protocols import RandomAllocation


@pytest.mark.parametrize(("steps", "epsilon"), [(10**6, 0.1), (10**6, 0.3), (10**5, 1.0)])
def test_curves_that_hardly_bend_are_answered(steps, epsilon):
    interval = RandomAllocation(steps, sigma=3.7, adjacency="replace").delta(epsilon)
    assert 0.0 <= interval.lower <= interval.upper <= 3e-296


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("parameters", "delta", "most"),
    [
        ({"steps": 3, "sigma": 0.136, "check_in_prob": 1e-3, "adjacency": "add"}, 5.896e-4, 4.11e-4),
        pytest.param({"steps": 5, "sigma": 0.1, "adjacency": "add-remove"}, 0.999, 41.3, marks=pytest.mark.nightly),
    ],
)
def test_steps_whose_deviation_is_beyond_the_largest_sum(parameters, delta, most):
    # The upper ends of another plan on other lattices: by no other way, so only that little is lost.
    interval = RandomAllocation(**parameters).epsilon(delta)
    assert 0.0 <= interval.lower <= interval.upper <= most


@pytest.mark.parametrize("parameters", [{"steps": 100}, {"steps": 10**7}, {"steps": 5, "check_in_prob": 1e-9}])
def test_the_least_delta_and_the_least_noise(parameters):
    interval = RandomAllocation(sigma=0.1, adjacency="add-remove", **parameters).epsilon(1e-300)
    assert 100.0 <= interval.lower <= interval.upper <= inf


def test_a_rough_threshold_is_a_number():
    rough = Pair(REMOVAL, GaussianNoise(10.0), 100, 1.0).rough(0.0)
    assert 0.0 < rough.threshold_of(-686.0, inf) < inf
    assert Rough.log_value(rough, 1e300) <= log(1e-280)


@pytest.mark.nightly
def test_slopes_where_the_estimate_is_not_smooth():
    interval = RandomAllocation(100000, sigma=5.0, adjacency="add-remove").epsilon(1e-250)
    # By lattices planned with sweeps over many tilts.
    assert interval.lower <= 0.0213895050 and interval.upper >= 0.0213894057
    assert interval.relative_width <= 1e-4


@pytest.mark.nightly
def test_saddle_points_many_orders_of_magnitude_away():
    # At most that of one step: Phi(5 - 30) - e^300 Phi(-5 - 30) = 8.7165e-139 (Balle and Wang 2018, Theorem 8; mpmath).
    assert RandomAllocation(5, sigma=0.1, adjacency="add-remove").delta(300.0).upper <= 8.7165e-139


@pytest.mark.parametrize(
    ("parameters", "epsilon"),
    [
        ({"steps": 1072686, "sigma": 1.6183}, 2.36),
        ({"steps": 374535, "sigma": 4.6388}, 0.0662),
        ({"steps": 185675, "sigma": 3.7065, "check_in_prob": 0.3}, 0.008),
    ],
)
def test_little_work_is_done_where_delta_is_zero(monkeypatch, parameters, epsilon):
    sums, make = [], increment_stoploss.contour
    monkeypatch.setattr(increment_stoploss, "contour", lambda *arguments: sums.append(make(*arguments)) or sums[-1])
    interval = RandomAllocation(adjacency="add", **parameters).delta(epsilon)
    assert interval.lower == 0.0 and interval.upper <= 2e-299
    assert len(sums) <= 12


@pytest.mark.parametrize("rate", [-0.9, -0.1, 0.3, 2.0])
def test_logs_of_moments_of_subnormal_masses_are_within_their_error(rate):
    random = np.random.default_rng(5)
    for scale in (1e-300, 1e-318, 5e-324):
        masses = random.integers(0, 9, 200) * scale
        log_moment, error = log_mgf_by_blocks(masses, 1.0, -50, rate)
        with mp.workdps(40):
            truth = mp.log(mp.fsum(mp.mpf(m) * mp.exp(mp.mpf(rate) * (i - 50)) for i, m in enumerate(masses.tolist())))
            assert abs(mp.mpf(log_moment) - truth) <= error <= 1e-11
