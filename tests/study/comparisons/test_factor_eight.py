"""Check-ins with approximate randomizers: the theorem at its best split of delta, and what is certified."""

from math import exp, expm1, log, sqrt

import pytest

from pldcheck.core.errors import ParameterError
from pldcheck.protocols import HiddenSlot
from pldcheck.study.comparisons import approximate
from pldcheck.theorems import REGISTRY
from pldcheck.theorems.balle20.shuffling_and_swaps import tolerated


def best_split(m, eps0, each, delta):
    """Return the least epsilon of Theorem 3.2 at 8 eps0 such that spent + m (e^epsilon + 1) each <= delta, by
    halving.
    """

    def epsilon(part):
        x = exp(8 * eps0)
        return x * expm1(8 * eps0) ** 2 / (2 * m) + expm1(8 * eps0) * sqrt(2 * x * -log(part) / m)

    def rest_of(part):
        interval = epsilon(part)
        return delta - part - (m * (exp(interval) + 1) * each if interval < 700 else 1e300)

    grid = [delta * i / 4000 for i in range(1, 4000)]
    possible = [part for part in grid if rest_of(part) >= 0]
    return epsilon(max(possible)) if possible else None


@pytest.mark.parametrize("eps0", [0.05, 0.2, 0.5])
@pytest.mark.parametrize("m", [1000, 10**6])
def test_the_theorem_gets_its_best_split(m, eps0):
    (row,) = approximate(steps=[m], eps0=[eps0]).rows
    assert tolerated(eps0, row.delta1 * (1 + 1e-6)) > 1e-15 > tolerated(eps0, row.delta1 * (1 - 1e-6))
    for value, each in ((row.thm_3_2_approx, row.delta1), (row.main, 1e-15)):
        exact = best_split(m, eps0, each, 1e-6)
        assert (value is None) == (exact is None)
        if exact is not None:
            # The grid of spent delta is a 4000th wide.
            assert exact * (1 - 1e-3) <= value <= exact * (1 + 1e-9)


def test_a_row_is_what_its_parts_say():
    (row,) = approximate(steps=[1000], eps0=[1.0], delta0=1e-9).rows
    truth = HiddenSlot(1000, 1.0, delta0=1e-9).epsilon(1e-6)
    assert (row.lower, row.upper) == (truth.lower, truth.upper)
    assert row.thm_3_2_approx is None and row.main is None
    # Sheet 3: 0.475 for Theorem 3.2 without delta0.
    pure = REGISTRY["thm-3.2"](steps=1000, eps0=1.0, check_in_prob=1.0, delta=1e-6).value
    assert row.improved == pytest.approx(pure, rel=1e-3) and row.improved > pure
    assert row.upper < row.square < row.improved


@pytest.mark.nightly
def test_at_every_point_the_certified_bounds_are_below_the_theorems():
    for row in approximate(steps=[1000], eps0=[0.02, 0.3, 1.0]).rows:
        assert row.lower <= row.upper < 1.01 * row.lower
        # Each against the reference alone: up to twice the epsilon where eps0 is small.
        assert 1.3 * row.upper < row.square < 2.5 * row.lower
        for theorem in (row.thm_3_2_approx, row.main):
            assert theorem is None or theorem > 8 * row.improved


@pytest.mark.nightly
def test_no_delta1_is_left_for_a_large_delta0():
    (row,) = approximate(steps=[100], eps0=[3.0], delta0=1e-3, delta=1e-2).rows
    assert row.delta1 is None and row.thm_3_2_approx is None and row.main is None
    assert 0 < row.lower <= row.upper <= 3.0


@pytest.mark.nightly
def test_values_out_of_range_are_refused():
    with pytest.raises(ParameterError, match="delta0 must be at least 0"):
        approximate(steps=[100], eps0=[1.0], delta0=1.0)
    with pytest.raises(ParameterError, match="steps must be"):
        approximate(steps=[0], eps0=[1.0])
