"""The gate of every answer: ends in order, in range, and never beyond what is certain of the truth by itself."""

import json
from fractions import Fraction
from math import inf, nan, nextafter
from sys import float_info

import numpy as np
import pytest

from pldcheck.core.interval import ErrorBudget, Interval, apply_cap, certain_sum
from pldcheck.core.outward_decimals import plain

SUBNORMAL = 5e-324


@pytest.mark.parametrize("quantity", ["epsilon", "delta", "renyi", "error"])
@pytest.mark.parametrize("ends", [(nan, 1.0), (0.0, nan), (nan, nan), (0.5, 0.25), (-1e-300, 0.5), (-inf, 0.0)])
def test_impossible_ends_are_refused(quantity, ends):
    with pytest.raises(ArithmeticError):
        Interval(*ends, quantity)


def test_a_probability_is_at_most_one():
    with pytest.raises(ArithmeticError):
        Interval(0.0, nextafter(1.0, 2.0), "delta")
    assert tuple(Interval(0.0, 1.0, "delta")) == (0.0, 1.0)
    assert tuple(Interval(0.0, 209.0)) == (0.0, 209.0)


def test_minus_zero_is_zero_and_numpy_numbers_are_plain():
    interval = Interval(np.float64(-0.0), np.float32(0.5))
    assert str(interval.lower) == "0.0" and type(interval.upper) is float


def test_values_of_formulas_may_be_negative():
    assert Interval(-0.7, -0.6, "value").lower == -0.7


def test_a_cap_moves_the_ends_to_its_own_sides():
    down, up = nextafter(1.0, 0.0), nextafter(1.0, 2.0)
    assert tuple(apply_cap(Interval(0.5, 3.0), (down, up))) == (0.5, up)
    # A lower end at the cap rounded up may be above the truth, which is at most the cap.
    assert tuple(apply_cap(Interval(up, up), (down, up))) == (down, up)
    assert tuple(apply_cap(Interval(0.5, 0.75), (down, up))) == (0.5, 0.75)


def test_a_lower_end_above_the_cap_is_an_error():
    with pytest.raises(ArithmeticError, match="is above what is certain"):
        apply_cap(Interval(1.1, 1.2), (1.0, 1.0))
    with pytest.raises(ArithmeticError):
        apply_cap(Interval(0.1, 0.2), (1.0, 0.5))


def test_a_delta_is_always_capped_by_one():
    assert tuple(apply_cap(Interval(0.5, 1.0, "delta"), (0.75, inf))) == (0.5, 1.0)


def test_subnormal_ends_go_outward():
    assert tuple(apply_cap(Interval(SUBNORMAL, SUBNORMAL, "delta"))) == (0.0, float_info.min)
    assert tuple(apply_cap(Interval(SUBNORMAL, SUBNORMAL), (SUBNORMAL, SUBNORMAL))) == (0.0, SUBNORMAL)
    assert tuple(apply_cap(Interval(0.0, 0.0))) == (0.0, 0.0)


def test_a_cap_keeps_the_witness_and_the_sources():
    interval = Interval(0.5, 3.0, "epsilon", ErrorBudget(1.0, 0.0, 0.0), {"kind": "law"}, ("a", "b"))
    cap_result = apply_cap(interval, (1.0, 1.0))
    assert cap_result.budget == ErrorBudget(1.0, 0.0, 0.0)
    assert cap_result.witness == {"kind": "law"} and cap_result.sources == ("a", "b")


TERMS = [[0.1] * 10, [1e-300, 1.0, 1e-17], [0.3], [0.0, 20.0], [], [1e308, 1e308], [SUBNORMAL] * 3]


@pytest.mark.parametrize("terms", TERMS)
def test_a_sum_is_between_its_two_ends(terms):
    down, up = certain_sum(terms)
    exact = sum(map(Fraction, terms), Fraction(0))
    assert down <= exact <= up
    assert up == inf or nextafter(down, inf) >= nextafter(up, 0.0)
    if len(terms) < 3 and exact < 1e300:
        assert down == exact == up


def test_a_sum_refuses_what_is_no_budget():
    for terms in ([nan], [-1.0]):
        with pytest.raises(ArithmeticError):
            certain_sum(terms)
    assert certain_sum([1.0, inf]) == (inf, inf)


def test_what_is_stored_is_read_again():
    budget = ErrorBudget(0.1, inf, 1e-17)
    interval = Interval(0.1, inf, "renyi", budget, {"kind": "x"}, ("a", "b"))
    again = Interval.from_dict(json.loads(json.dumps(plain(interval.to_dict()))))
    assert again == interval and (again.witness, again.sources) == (interval.witness, interval.sources)
    bare = Interval(5e-324, 0.1 + 0.2, "delta")
    again = Interval.from_dict(bare.to_dict())
    assert again == bare and (again.budget, again.witness, again.sources) == (None, None, None)
    with pytest.raises(KeyError):
        Interval.from_dict({"lower": 0.0, "upper": 1.0})
    with pytest.raises(ArithmeticError):
        Interval.from_dict({**bare.to_dict(), "lower": 0.5})
