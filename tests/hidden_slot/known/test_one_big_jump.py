"""Sums conditioned on the number of large steps, against powers in ball arithmetic."""

import naive_sums as naive
import numpy as np
import pytest

from pldcheck.hidden_slot.known.increment_lattice import PlacedLaw
from pldcheck.hidden_slot.known.one_big_jump import condition_on_large_steps
from pldcheck.pld.lattice_law import LatticeLaw

STEP = 0.25


def increment_lattice(far, rare, origin=0.0):
    """Return a bulk on -4, ..., 4 steps, and ``rare`` mass falling off from ``far`` steps on."""
    masses = np.zeros(far + 12)
    bulk = np.exp(-0.5 * (np.arange(-4, 5) / 1.7) ** 2)
    masses[:9] = bulk / bulk.sum()
    masses[far:] = rare * 0.5 ** np.arange(12)
    law = LatticeLaw(STEP, -4, masses, np.zeros(masses.size))
    return PlacedLaw(law, origin, origin + float(law.atoms[-1]))


def ends_and_truth(one, count, threshold):
    law = one.law
    variance = float(law.mass @ law.atoms**2)
    truth = naive.lattice_sum([(law.first, law.mass, count)], STEP, count * one.origin - threshold)
    # The tilt of a normal law, or what halves a gap that steep tilts do not like: any will do.
    bounds = condition_on_large_steps(
        one, count, threshold, variance, min(threshold / (count * variance), 40.0 / float(law.atoms[-1]))
    )
    return None if bounds is None else bounds.at(count * one.origin - threshold), truth


@pytest.mark.parametrize("far", [40, 120])
@pytest.mark.parametrize("count", [3, 12, 40])
def test_many_moderate_steps_and_a_large_one_are_narrowly_enclosed(count, far):
    number = narrow = 0
    for rare in (1e-4, 1e-7, 1e-12, 1e-18, 1e-40):
        one = increment_lattice(far, rare)
        for share in (0.15, 0.5, 0.9, 1.05):
            ends, truth = ends_and_truth(one, count, share * far * STEP)
            if ends is None or not truth > 1e-250:
                continue
            assert ends.lower <= truth <= ends.upper
            assert ends.upper - ends.lower <= (ends.truncation + ends.rounding) * 1.001 + 1e-12 * ends.upper
            number, narrow = number + 1, narrow + (ends.upper <= ends.lower * (1 + 1e-3))
    assert number >= 4 and narrow >= 0.6 * number


@pytest.mark.parametrize("rare", [1e-2, 1e-5])
@pytest.mark.parametrize("count", [3, 5, 20])
def test_where_only_two_large_steps_reach_the_rest_is_all_there_is(count, rare):
    one = increment_lattice(60, rare)
    # Beyond the largest step and all the others at their largest in the bulk, where these are few.
    for threshold in (min(float(one.law.atoms[-1]) + (count - 1) * 4 * STEP + STEP, 29.0), 25.0):
        ends, truth = ends_and_truth(one, count, threshold)
        if ends is not None:
            assert truth > 0 and ends.lower <= truth <= ends.upper
            # m^2/2 instead of m (m - 1)/2, and a Chernoff bound.
            assert ends.upper <= 500.0 * truth


@pytest.mark.parametrize("origin", [-0.1, 0.07])
def test_a_lattice_that_does_not_pass_through_zero_is_enclosed(origin):
    one = increment_lattice(60, 1e-9, origin)
    for threshold in (3.0, 9.0):
        ends, truth = ends_and_truth(one, 15, threshold)
        assert ends is not None
        assert ends.lower <= truth <= ends.upper <= ends.lower * (1 + 1e-3)


def test_thresholds_near_the_planned_one_are_enclosed():
    one = increment_lattice(60, 1e-9)
    law, count, threshold = one.law, 15, 8.0
    bounds = condition_on_large_steps(one, count, threshold, float(law.mass @ law.atoms**2), 1.5)
    assert bounds is not None
    for near in (6.5, 7.6, 8.0, 8.3, 9.9):
        truth = naive.lattice_sum([(law.first, law.mass, count)], STEP, -near)
        ends = bounds.at(-near)
        assert ends.lower <= truth <= ends.upper <= ends.lower * (1 + 1e-2)


def test_laws_without_large_values_and_sums_of_few_steps_are_not_conditioned():
    bulk = increment_lattice(40, 1e-9)
    law = LatticeLaw(STEP, -4, bulk.law.mass[:9], np.zeros(9))
    assert condition_on_large_steps(PlacedLaw(law, 0.0, 1.0), 20, 4.0, 0.18, 1.0) is None
