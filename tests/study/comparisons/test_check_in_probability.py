"""The comparison of check-in probabilities."""

from math import exp, log1p

import pytest

from pldcheck.protocols import CheckIn
from pldcheck.study.comparisons import population
from pldcheck.theorems import REGISTRY


@pytest.fixture(scope="module")
def comparison():
    return population(steps=[300], ratios=[1, 30], expected=[0.3, 1.0, 30.0])


def test_points_are_those_with_a_probability(comparison):
    assert [(row.clients, row.check_in_prob) for row in comparison.rows] == [
        (300, 0.3), (300, 1.0), (9000, 0.01), (9000, 1 / 30), (9000, 1.0),
    ]  # fmt: skip


def test_rows_are_what_their_heads_say(comparison):
    row = comparison.rows[3]
    assert row.thm_3_2 == REGISTRY["thm-3.2"](steps=300, eps0=1, check_in_prob=1 / 30, delta=1e-6).value
    assert (row.alone_lower, row.alone_upper) == tuple(CheckIn(300, 1.0, 1 / 30).epsilon(1e-6))
    assert (row.lower, row.upper) == tuple(CheckIn(300, 1.0, 1 / 30, clients=9000).epsilon(1e-6))
    assert row.dummies == pytest.approx((1 - 1 / 9000) ** 9000) == pytest.approx(exp(9000 * log1p(-1 / 9000)))


def test_with_the_number_of_clients_known_p0_hardly_matters(comparison):
    best, plain = comparison.rows[3], comparison.rows[4]
    assert best.check_in_prob == 1 / 30 and plain.check_in_prob == 1.0
    # For any n it is worth a factor of more than 20 (both certified) ...
    assert plain.alone_lower > 20 * best.alone_upper
    # ... with n known less than 2, the ratio of the mean weights being 1/(1 - 1/e) = 1.58; and the dummies go.
    assert best.upper < plain.upper < 2.0 * best.lower
    assert best.dummies > 0.36 and plain.dummies < 1e-12


def test_the_bounds_are_in_order(comparison):
    for row in comparison.rows:
        assert row.lower <= row.upper <= row.alone_upper < row.thm_3_2
