"""Outward operations: they move the right way, by as much as is said, and their unit is written down once."""

import re
from fractions import Fraction
from math import inf, nextafter
from pathlib import Path

import numpy as np
import pytest
from flint import arb

import pldcheck
from pldcheck.core.directed import UNIT, Ends, Side, enlarge, exp_upper, float_above, float_below, roundoff, shrink


def test_the_unit_is_that_of_one_rounding():
    assert UNIT == 2.0**-53 == np.finfo(float).eps / 2


def test_the_unit_is_written_down_once():
    files = Path(pldcheck.__file__).parent.rglob("*.py")
    assert [path.name for path in files if re.search(r"2(\.0)? ?\*\* ?-53", path.read_text())] == ["directed.py"]


@pytest.mark.parametrize("value", [1.0, -1.0, 1e-300, -3e300])
def test_magnitudes_grow_and_shrink(value):
    assert abs(enlarge(value, 1)) >= abs(value) > abs(shrink(value, 1))
    assert abs(enlarge(value, 2)) > abs(value)
    exact = abs(Fraction(value)) * (1 + 4 * Fraction(UNIT))
    assert abs(abs(Fraction(enlarge(value, 4))) - exact) <= 2 * exact * Fraction(UNIT)


def test_arrays_are_moved_as_floats_are():
    values = np.array([1.0, -2.5, 0.0, 1e-3])
    for move in (enlarge, shrink, lambda value, units: roundoff(units, value)):
        assert move(values, 8).tolist() == [move(value, 8) for value in values.tolist()]


def test_round_off_is_so_many_units():
    assert roundoff(3) == 3 * UNIT and roundoff(3, 2.0) == 6 * UNIT


@pytest.mark.parametrize("exponent", [-1e6, -746.0, -745.13, -744.0, -710.3, -1.0, 0.0, 3.5])
def test_an_exponential_that_underflows_has_an_upper_end(exponent):
    exact = arb(exponent).exp()
    assert exact <= exp_upper(exponent, 0.0) <= exact * (1 + 1e-14) + 1e-323


def test_sides_have_a_sign_and_an_opposite():
    assert [side.sign for side in (Side.LOWER, Side.UPPER)] == [-1.0, 1.0]
    assert Side.UPPER.other is Side.LOWER and Side.LOWER.other is Side.UPPER


def test_fractions_are_between_neighbouring_floats():
    third = Fraction(1, 3)
    assert float_below(third) < third < float_above(third) == nextafter(float_below(third), inf)
    assert float_below(Fraction(1, 4)) == 0.25 == float_above(Fraction(1, 4))


@pytest.mark.parametrize("factor", [0.3, 1.0 / 7.0, 3.3e-5, 1e-12, 1e-30])
@pytest.mark.parametrize("value", [3e-308, 2.3e-308, 1e-310, 1.5e-323, 5e-324])
def test_ends_below_the_normal_numbers_are_moved_outward(value, factor):
    """A product of two floats is off by half of the least double there, which is no share of it."""
    ends, exact = Ends(value, value, value, value).times(factor), Fraction(value) * Fraction(factor)
    assert ends.lower <= exact <= ends.upper
    assert Ends(0.0, 0.0, 0.0, 0.0).times(factor).upper == 0.0
