"""Balls in bins: one epoch of random allocation with less noise, whatever the contributions depend on."""

from fractions import Fraction
from itertools import product
from math import exp, inf, nextafter

import numpy as np
import pytest

from pldcheck import RandomAllocation
from pldcheck.core.directed import ends_over_root
from pldcheck.core.errors import ParameterError
from pldcheck.protocols import BallsInBins


@pytest.mark.parametrize("count", [1, 2, 3, 4, 10, 10**9, 12345678])
def test_ends_over_a_root_are_neighbours_around_it(count):
    random = np.random.default_rng(count)
    for value in [0.0, 1.0, 3.0, 5e-324, 1e300, *(10.0 ** random.uniform(-9, 9, 200)).tolist()]:
        low, high = ends_over_root(value, count)
        assert Fraction(low) ** 2 * count <= Fraction(value) ** 2 <= Fraction(high) ** 2 * count
        assert high in (low, nextafter(low, inf))


@pytest.mark.parametrize("adjacency", ["remove", "add", "add-remove", "replace"])
def test_it_is_one_epoch_of_random_allocation(adjacency):
    assert BallsInBins(50, 1.5, 1, adjacency).epsilon(1e-5) == RandomAllocation(50, 1.5, adjacency=adjacency).epsilon(
        1e-5
    )
    # The noise over the root of 9 is a float, that over the root of 2 is not.
    assert BallsInBins(50, 6.0, 9, adjacency).delta(0.3) == RandomAllocation(50, 2.0, adjacency=adjacency).delta(0.3)
    bins, (more, less) = BallsInBins(50, 2.0, 2, adjacency), BallsInBins(50, 2.0, 2, adjacency).allocations
    assert Fraction(more.sigma) ** 2 < 2 < Fraction(less.sigma) ** 2
    assert bins.epsilon(1e-5).upper == more.epsilon(1e-5).upper and bins.epsilon(1e-5).lower == less.epsilon(1e-5).lower


def test_bins_that_stay_cost_more_than_bins_drawn_anew():
    # sheet 9 of the theory: 14.818 in the same bins, 1.963 anew
    stays = BallsInBins(100, 1.0, 10).epsilon(1e-6)
    assert 14.818 <= stays.lower <= stays.upper < 14.819
    anew = RandomAllocation(100, 1.0, epochs=10).epsilon(1e-6, width=0.05)
    assert anew.upper < stays.lower / 7


NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(14)
WEIGHTS = WEIGHTS / WEIGHTS.sum()
# The bins of the steps of two epochs.
PLAN = (0, 1, 0, 1)


def adaptive_value(ratios, step, lengths, convex):
    """Return the largest mean of a convex function of both bins' ratios, if each length may depend on the past."""
    if step == len(PLAN):
        return convex(ratios[0] + ratios[1])
    values = []
    for length in lengths:
        factors = np.exp(length * NODES - 0.5 * length * length)
        later = [ratio[..., None] * (factors if bin_ == PLAN[step] else 1.0) for bin_, ratio in enumerate(ratios)]
        values.append(adaptive_value(later, step + 1, lengths, convex) @ WEIGHTS)
    return np.max(values, axis=0)


@pytest.mark.parametrize("threshold", [0.5, 2.0, 4.0])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_no_choice_of_lengths_that_depends_on_the_past_is_worse(threshold, sign):
    def convex(x):  # smooth, so that the rule for normal variables is accurate
        return np.logaddexp(0.0, sign * (x - threshold))

    start = [np.ones(()), np.ones(())]
    longest = adaptive_value(start, 0, (0.6,), convex)
    best = adaptive_value(start, 0, (0.0, 0.3, 0.6), convex)
    assert best <= longest * (1.0 + 1e-6)
    assert adaptive_value(start, 0, (0.3,), convex) < longest * (1.0 - 1e-4)


def test_two_records_have_opposite_vectors_at_every_step():
    """Two steps of one bin and two records: the mean over all pairs of directions on a line, kept or turned."""

    def value(signs, kappa=1.5):
        total = 0.0
        for (i, z), (j, y) in product(enumerate(NODES), repeat=2):
            ratio = exp(0.6 * (z + y) - 0.36)
            other = exp(0.6 * (signs[0] * z + signs[1] * y) - 0.36)
            total += WEIGHTS[i] * WEIGHTS[j] * np.logaddexp(0.0, 2.0 * (ratio - kappa * other))
        return total

    values = {signs: value(signs) for signs in product((-1.0, 1.0), repeat=2)}
    assert max(values, key=values.get) == (-1.0, -1.0)


def test_too_little_noise_for_so_many_epochs_is_refused():
    with pytest.raises(ParameterError, match="times the root of epochs = 10000"):
        BallsInBins(10, 1.0, 10_000)
