"""Plans of inversions: on what they depend, and on what they must not."""

import numpy as np
import pytest

from pldcheck.kernels import tilt_planning

COUNT, THRESHOLD = 1e9, 2e5  # steps of deviation 1, and 6.3 deviations of their sum


def low_of(values, masses):
    """Return the least value that a plan distinguishes, for a law of mean about 0 and variance about 1."""
    values, masses = np.array(values), np.array(masses)
    above = np.cumsum((masses * values)[::-1])[::-1] - values * np.cumsum(masses[::-1])[::-1]
    law = values, np.log(masses), masses, COUNT * above, COUNT, THRESHOLD, 1e-6
    return tilt_planning._plan(*law, values[0], values[-1], COUNT**0.5).low


@pytest.mark.parametrize("place", [-2e5, -1e6, -2e7, -3e8])
def test_no_plan_hangs_on_the_place_of_far_round_off(place):
    # Curves of steps have atoms of round-off wherever their last digits differ; BLAS and the processor choose those.
    # The lattice reached to one of them before, and was up to twenty times as coarse.
    assert low_of([place, -2.0, 0.0, 2.0], [1e-17, 0.125, 0.75, 0.125]) == -2.0
    assert low_of([place - 1e5, -3e4, -2.0, 0.0, 2.0], [1e-15, 1e-13, 0.125, 0.75, 0.125]) == -3e4


def test_a_value_that_matters_is_within_the_plan():
    assert low_of([-1e4, -2.0, 0.0, 2.0], [1e-9, 0.125, 0.75, 0.125]) == -1e4
