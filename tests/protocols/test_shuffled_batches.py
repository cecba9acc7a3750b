"""Shuffled batches: both ends around the pair in the plane, and what is reported for them."""

import numpy as np
import pytest

from pldcheck import Gaussian, RandomAllocation, SubsampledGaussian
from pldcheck.core.errors import ParameterError
from pldcheck.protocols import ShuffledBatches


def delta_of_two_batches(sigma, epsilon, p_lift, q_lift):
    """Return delta of a record in one of two batches by a sum over the plane, and a bound of its error."""
    step = 0.02
    grid = np.arange(-10.0, 10.0 + 2.0 / sigma, step)
    x, y = np.meshgrid(grid, grid)

    def law(lift):
        a = lift / sigma
        return 0.25 / np.pi * (np.exp(-0.5 * ((x - a) ** 2 + y**2)) + np.exp(-0.5 * (x**2 + (y - a) ** 2)))

    return float(np.sum(np.maximum(law(p_lift) - np.exp(epsilon) * law(q_lift), 0.0)) * step**2), 1e-5


@pytest.mark.parametrize("sigma", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("epsilon", [0.1, 1.0])
def test_two_batches_lie_between_the_ends(sigma, epsilon):
    interval = ShuffledBatches(2, sigma).delta(epsilon)
    pairs = [delta_of_two_batches(sigma, epsilon, *lifts) for lifts in ((2, 1), (1, 2), (1, 0), (0, 1))]
    best = max(pairs)[0]
    assert interval.lower <= best + 1e-5 and best - 1e-5 <= interval.upper
    assert interval.lower >= 0.85 * best - 1e-5
    replaced = ShuffledBatches(2, sigma, adjacency="replace").delta(epsilon)
    best = max(delta_of_two_batches(sigma, epsilon, *lifts)[0] for lifts in ((2, 0), (0, 2), (1, -1)))
    assert abs(replaced.lower - best) <= 1e-4 * best + 1e-5 and best - 1e-5 <= replaced.upper


def test_one_batch_is_gaussian_noise():
    single, noise = ShuffledBatches(1, 2.0, epochs=4), Gaussian(1.0)
    assert single.epsilon(1e-5).upper == noise.epsilon(1e-5).upper
    assert single.epsilon(1e-5).lower == pytest.approx(noise.epsilon(1e-5).lower, rel=1e-3)
    replaced = ShuffledBatches(1, 2.0, adjacency="replace").epsilon(1e-5)
    assert replaced.upper == noise.epsilon(1e-5).upper and replaced.lower == pytest.approx(replaced.upper, rel=1e-3)


def test_little_noise_leaves_nothing_to_amplify_and_much_more_than_poisson_sampling():
    interval = ShuffledBatches(1000, 0.5).epsilon(1e-6)
    assert interval.relative_width < 1e-4
    poisson = SubsampledGaussian(1.0, 0.001, 1000).epsilon(1e-6)
    assert ShuffledBatches(1000, 1.0).epsilon(1e-6).lower > 19.0 * poisson.upper


def test_its_lower_end_is_at_least_that_of_random_allocation():
    for adjacency, of_allocation in (("zero-out", "add-remove"), ("replace", "replace")):
        interval = ShuffledBatches(30, 3.0, adjacency=adjacency).epsilon(1e-4)
        assert interval.lower >= RandomAllocation(30, 3.0, adjacency=of_allocation).epsilon(1e-4).lower
    # With much noise the largest output tells less than all of them.
    sources = ShuffledBatches(1000, 4.0).epsilon(1e-6).sources
    assert sources is not None and sources[0] == "all others contribute nothing"


def test_epochs_add_up():
    one, five = (ShuffledBatches(50, 1.5, epochs=epochs).epsilon(1e-5, width=0.01) for epochs in (1, 5))
    assert one.lower < five.lower and one.upper < five.upper == Gaussian(1.5, 5).epsilon(1e-5).upper


@pytest.mark.parametrize(("sigma", "adjacency"), [(0.09, "zero-out"), (0.19, "replace")])
def test_too_little_noise_is_refused(sigma, adjacency):
    with pytest.raises(ParameterError, match="for shuffled batches"):
        ShuffledBatches(10, sigma, adjacency=adjacency)
