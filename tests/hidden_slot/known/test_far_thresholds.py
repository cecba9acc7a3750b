"""Estimates at thresholds beyond all outputs that a double can tell: numbers, as the search divides by them."""

from math import isfinite

import pytest

from pldcheck.core.directed import Side
from pldcheck.hidden_slot.known.epsilon_search import COARSE_FINENESS, estimate_delta, lattice_estimates
from pldcheck.hidden_slot.known.neighbour_pairs import ADDITION, REMOVAL, Pair
from pldcheck.hidden_slot.known.noise_ratios import DiscreteGaussianNoise, GaussianNoise
from pldcheck.hidden_slot.known.pair_curve import LEAST_SLOPE, Curve
from pldcheck.hidden_slot.known.two_sided_sum import LEAST_VALUE

NOISES = (DiscreteGaussianNoise(2.0), DiscreteGaussianNoise(1.0), GaussianNoise(1.0), GaussianNoise(0.4))


@pytest.mark.parametrize("noise", NOISES, ids=str)
@pytest.mark.parametrize("name", [REMOVAL, ADDITION])
def test_estimates_far_out_are_numbers(name, noise):
    for steps in (3, 100):
        pair = Pair(name, noise, steps, 1.0)
        for epsilon in (5.0, 15.0, 29.0, 60.0, 200.0, 600.0):
            if epsilon < pair.largest:
                delta = estimate_delta(pair, epsilon)
                assert LEAST_VALUE <= delta <= 1.0 + 1e-9  # an estimate, which is rounded
                assert LEAST_SLOPE <= Curve(pair, COARSE_FINENESS, delta).slope(epsilon) < float("inf")


def test_the_search_goes_on_from_a_threshold_out_of_sight():
    pair = Pair(REMOVAL, DiscreteGaussianNoise(2.0), 100, 1.0)
    estimates = lattice_estimates(pair, 29.0)
    assert estimates[0] == LEAST_VALUE and all(map(isfinite, estimates))
    assert Curve(pair, COARSE_FINENESS, LEAST_VALUE).value(29.0, Side.LOWER) == 0.0
