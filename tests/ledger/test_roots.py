"""Brackets of the number up to which a condition holds."""

from math import atan, exp, inf, sin, sqrt
from random import Random

import pytest
from scipy.optimize import brentq

from pldcheck.core.directed import Side
from pldcheck.core.roots import TRIALS, cross, halve, halve_integers, zero


def holds(x):
    return x * x <= 2.0


@pytest.mark.parametrize(
    "options", [{"relative": 1e-9}, {"absolute": 1e-9}, {"times": 40}, {"times": 40, "geometric": True}]
)
def test_a_condition_holds_at_one_end_and_fails_at_the_other(options):
    low, high = halve(holds, 1e-3, 10.0, **options)
    assert holds(low) and not holds(high) and high - low <= 2e-9


def test_a_bracket_that_is_narrow_enough_is_left_alone():
    assert halve(lambda x: 1 / 0, 1.0, 1.0, relative=0.0) == (1.0, 1.0)
    assert halve(lambda x: 1 / 0, 0.0, 1.0, times=0) == (0.0, 1.0)


def test_integers_are_neighbours():
    looks = []
    assert halve_integers(lambda k: looks.append(k) or k <= 123, 0, 1000) == (123, 124)
    assert len(looks) <= 10 and halve_integers(lambda k: 1 / 0, 5, 6) == (5, 6)


@pytest.mark.parametrize("side", Side)
def test_a_crossing_was_looked_at_on_its_side(side):
    looks = {}
    crossing = cross(lambda x: looks.setdefault(x, 1.0 / (1.0 + x * x)), 1.0 / 3.0, 0.7, 1.0, inf, side=side)
    assert crossing == pytest.approx(sqrt(2.0), rel=1e-9)
    assert looks[crossing] <= 1.0 / 3.0 if side is Side.UPPER else looks[crossing] > 1.0 / 3.0


@pytest.mark.parametrize("seed", range(200))
def test_zeros_are_those_of_scipy_bit_for_bit(seed):
    random = Random(seed)
    place, slope = random.uniform(-3.0, 3.0), random.uniform(0.1, 5.0)
    function = random.choice(
        [
            lambda x: exp(slope * (x - place)) - 1.0,
            lambda x: (x - place) ** 3,
            lambda x: atan(slope * (x - place)),
            lambda x: slope * (x - place) - 0.3 * sin(3.0 * x),
            lambda x: -1.0 if x < place else 1.0,
        ]
    )
    ends = -20.0 + random.uniform(0.0, 10.0), 20.0 - random.uniform(0.0, 10.0)
    low, high = ends if seed % 2 else ends[::-1]
    absolute, relative = 10.0 ** random.uniform(-12.0, -2.0), 10.0 ** random.uniform(-14.0, -5.0)
    # Where the largest number of steps is not enough, both return the last point.
    truth = brentq(function, low, high, xtol=absolute, rtol=relative, maxiter=TRIALS, disp=False)
    assert zero(function, low, high, absolute=absolute, relative=relative) == truth


def test_a_zero_at_an_end_is_found_there():
    assert zero(lambda x: x, 0.0, 1.0, absolute=1e-3, relative=0.0) == 0.0
    assert zero(lambda x: x, -1.0, 0.0, absolute=1e-3, relative=0.0) == 0.0


def test_values_that_underflow_are_halved():
    assert abs(zero(lambda x: 1e-200 * (x - 0.3) ** 3, 0.0, 1.0, absolute=1e-9, relative=0.0) - 0.3) <= 1e-9
