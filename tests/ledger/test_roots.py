"""Brackets of the number up to which a condition holds."""

from math import inf, sqrt

import pytest

from pldcheck.core.directed import Side
from pldcheck.core.roots import cross, halve, halve_integers


def holds(x):
    return x * x <= 2.0


@pytest.mark.parametrize(
    "how", [{"relative": 1e-9}, {"absolute": 1e-9}, {"times": 40}, {"times": 40, "geometric": True}]
)
def test_a_condition_holds_at_one_end_and_fails_at_the_other(how):
    low, high = halve(holds, 1e-3, 10.0, **how)
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
