"""Renyi divergences of shuffles, against laws of counts by their definition, without slack."""

import itertools
from math import log

import mpmath
import pytest

from pldcheck import Shuffle
from pldcheck.randomizers import Table
from tests.theorems import shuffled_laws

DIGITS = 40
TABLE = ((0.5, 0.3, 0.2), (0.2, 0.5, 0.3), (0.25, 0.25, 0.5))


def largest_divergence(rows, n, order):
    """Return the largest divergence over all pairs of records and all records that the others hold alike."""
    return max(
        shuffled_laws.renyi([rows[i], rows[j]], others, n, order)
        for i, j in itertools.permutations(range(len(rows)), 2)
        for others in rows
    )


@pytest.mark.parametrize("order", [1.5, 4.0, 20.0])
@pytest.mark.parametrize("eps0", [0.3, 2.0])
@pytest.mark.parametrize("categories", [2, 3])
@pytest.mark.parametrize("n", [2, 6, 25])
def test_k_ary_response_lies_between_its_ends(n, categories, eps0, order):
    with mpmath.workdps(DIGITS):
        rows = shuffled_laws.response(categories, mpmath.exp(eps0))
        exact = largest_divergence(rows, n, mpmath.mpf(order))
        randomizer = "rr" if categories == 2 else f"krr:{categories}"
        interval = Shuffle(n, eps0, randomizer).renyi(order)
        assert exact <= interval.upper
        # The lower end is attained by data in which the others are alike, or below that.
        assert interval.lower <= exact * (1 + mpmath.mpf(10) ** -12)
        assert interval.upper <= 1.6 * float(exact)
        assert Shuffle(n, eps0).renyi(order).upper >= exact


@pytest.mark.nightly
@pytest.mark.parametrize("order", [2.0, 10.0])
@pytest.mark.parametrize("n", [3, 12])
def test_a_table_lies_between_its_ends(n, order, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(",".join(map(str, row)) for row in TABLE))
    with mpmath.workdps(DIGITS):
        rows = [[mpmath.mpf(value) for value in row] for row in TABLE]
        exact = largest_divergence([[value / sum(row) for value in row] for row in rows], n, mpmath.mpf(order))
        interval = Shuffle(n, log(2.5), Table(str(path))).renyi(order)
        assert interval.lower <= exact * (1 + mpmath.mpf(10) ** -12) and exact <= interval.upper


@pytest.mark.parametrize(
    "randomizer", ["tv:0.2", *(pytest.param(one, marks=pytest.mark.nightly) for one in ("laplace", "gaussian:1"))]
)
def test_other_noise_has_both_ends(randomizer):
    few, many = (Shuffle(n, 1.0, randomizer).renyi(2.0) for n in (10, 3000))
    assert 0.0 < few.lower <= few.upper < 1.0
    assert many.lower < few.lower and many.upper < few.upper
    assert many.sources[1].startswith("the moment of the privacy profile")


def test_noise_of_one_message_bounds_large_orders():
    interval = Shuffle(100, 1.0, "gaussian:2").renyi(200.0)
    assert interval.upper == pytest.approx(25.0) and interval.upper >= 25.0
    assert "record's message alone" in interval.sources[1]


def test_rounds_add_up():
    one, three = (Shuffle(40, 1.0, "rr", rounds=rounds).renyi(3.0) for rounds in (1, 3))
    assert three.lower == pytest.approx(3.0 * one.lower, rel=1e-14)
    assert three.upper == pytest.approx(3.0 * one.upper, rel=1e-14)


@pytest.mark.nightly
def test_a_pair_that_is_narrow_enough_is_all_that_is_asked():
    wide, narrow = (Shuffle(30, 1.0).renyi(32.0, width) for width in (0.1, 1e-6))
    assert wide.sources[1] == "stronger clones" and narrow.upper <= wide.upper
