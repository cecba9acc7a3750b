"""Several selected steps: the sum of all outputs from below, beside enumeration and the engine of one selected step."""

from itertools import combinations
from math import exp

import numpy as np
import pytest

from pldcheck import Gaussian, RandomAllocation
from pldcheck.hidden_slot.known.allocation_closed_form import SUM_TEST


def delta_by_grid(steps, selected, sigma, epsilon, adjacency):
    """Return delta of a record that adds 1 to some of the steps by a sum over a grid; its error is below 2e-4."""
    width = 0.15
    line = np.arange(-5.0 - 1.0 / sigma, 5.0 + 1.0 / sigma, width)
    places = np.stack(np.meshgrid(*[line] * steps, indexing="ij"), axis=-1)

    def law(sign):
        shifts = [
            np.array([sign * (j in chosen) / sigma for j in range(steps)])
            for chosen in combinations(range(steps), selected)
        ]
        return sum(np.exp(-0.5 * np.sum((places - shift) ** 2, axis=-1)) for shift in shifts) / len(shifts)

    other = law(-1.0) if adjacency == "replace" else np.exp(-0.5 * np.sum(places**2, axis=-1))
    one = law(1.0)
    p, q = (other, one) if adjacency == "add" else (one, other)
    return float(np.sum(np.maximum(p - exp(epsilon) * q, 0.0)) * (width / np.sqrt(2.0 * np.pi)) ** steps)


@pytest.mark.nightly
@pytest.mark.parametrize("adjacency", ["remove", "add", "replace"])
@pytest.mark.parametrize("sigma", [0.7, 2.0])
def test_what_a_record_in_two_of_three_steps_reveals_is_inside(adjacency, sigma):
    for epsilon in (0.2, 1.0):
        truth = delta_by_grid(3, 2, sigma, epsilon, adjacency)
        interval = RandomAllocation(3, sigma, selected=2, adjacency=adjacency).delta(epsilon)
        assert interval.lower <= truth + 2e-4 and truth - 2e-4 <= interval.upper
        if sigma == 2.0 and truth > 1e-3:
            assert interval.lower > 0.7 * truth


@pytest.mark.parametrize("steps", [2, 10, 1000])
@pytest.mark.parametrize("sigma", [0.5, 2.0, 20.0])
@pytest.mark.parametrize("adjacency", ["remove", "add", "replace"])
def test_the_sum_never_tells_more_than_all_steps(steps, sigma, adjacency):
    """One selected step has an engine of its own, which shares nothing with the closed form."""
    noise = sigma * steps**0.5 * (0.5 if adjacency == "replace" else 1.0)
    for epsilon in (0.01, 0.3):
        of_sum = Gaussian(noise * (1 + 1e-12)).delta(epsilon).lower
        assert of_sum <= RandomAllocation(steps, sigma, adjacency=adjacency).delta(epsilon).upper


@pytest.mark.nightly
def test_many_selected_steps_with_much_noise_are_narrow():
    for selected, most in ((2, 4e-3), (20, 4e-3), (50, 2e-3)):
        interval = RandomAllocation(100, 10.0, selected=selected).epsilon(1e-6)
        assert interval.relative_width < most and interval.sources is not None and interval.sources[0] == SUM_TEST
    # The noise of 100 steps over 20 vectors is that of one step at sigma 5.
    lower = RandomAllocation(100, 10.0, selected=20).epsilon(1e-6).lower
    assert lower == pytest.approx(Gaussian(5.0).epsilon(1e-6).lower, rel=1e-12)
    epochs = RandomAllocation(400, 10.0, selected=50, epochs=4).epsilon(1e-6)
    assert epochs.lower == pytest.approx(Gaussian(2.0).epsilon(1e-6).lower, rel=1e-12)


@pytest.mark.nightly
def test_with_little_noise_a_single_step_tells_more():
    interval = RandomAllocation(100, 0.5, selected=2).epsilon(1e-6)
    assert interval.sources is not None and interval.sources[0] != SUM_TEST
