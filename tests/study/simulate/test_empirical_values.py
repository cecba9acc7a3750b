"""Intervals: their ends solve what they should, and they contain the truth as often as they say."""

import math

import mpmath
import numpy as np
import pytest

from pldcheck.study.simulate import empirical_values


@pytest.mark.parametrize(("hits", "trials"), [(0, 50), (50, 50), (3, 40), (700, 1000), (10**6 - 1, 10**6)])
def test_chernoff_limits_solve_the_bound(hits, trials):
    interval = empirical_values.occupancy([0, hits], trials, "empty", 0.99)
    lower, upper = interval.lower / trials, interval.upper / trials
    trials *= 2
    with mpmath.workdps(40):
        rate = mpmath.mpf(hits) / trials
        assert interval.value == pytest.approx(float(rate) * trials / 2, rel=1e-14)

        def bound(p):
            p = mpmath.mpf(p)
            parts = [a * mpmath.log(a / b) for a, b in ((rate, p), (1 - rate, 1 - p)) if a > 0]
            return mpmath.exp(-trials * sum(parts))

        assert lower == 0.0 if hits == 0 else math.isclose(bound(lower), 0.005, rel_tol=1e-5)
        assert upper == 1.0 if hits == trials else math.isclose(bound(upper), 0.005, rel_tol=1e-5)
    exact = empirical_values.share(hits, trials, "rate", 0.99)
    # Wider than for independent trials, as it holds for more, but not by much.
    # Those are moved outward by a millionth of themselves.
    assert lower <= exact.lower * (1.0 + 2e-6) and exact.upper <= upper * (1.0 + 2e-6)
    assert upper - lower < 1.6 * (exact.upper - exact.lower)


@pytest.mark.nightly
def test_approximate_limits_have_their_coverage():
    """At confidence 0.9, of 4000 intervals each; limits of Hoeffding at an error of 1e-9."""
    rng, size = np.random.default_rng(4), 4000
    limit = math.sqrt(math.log(1e9) / (2 * size))
    samples = rng.exponential(size=(size, 200))
    coverage = np.mean([1.0 in empirical_values.mean(row, "x", 0.9) for row in samples])
    assert abs(coverage - 0.9) < limit
    coverage = np.mean([1.0 in empirical_values.mean(row, "x", 0.9, 1.0) for row in samples])
    assert abs(coverage - 0.9) < limit
    places = np.array([1.0, 2.0, 4.0, 8.0])
    slopes = [
        empirical_values.slope(
            places,
            [empirical_values.mean(place**-0.5 * rows, "x") for place, rows in zip(places, four, strict=True)],
            "s",
            0.9,
        )
        for four in rng.exponential(size=(size, 4, 100))
    ]
    coverage = np.mean([-0.5 in each for each in slopes])
    assert abs(coverage - 0.9) < limit + 0.02  # variances are estimated
    # 1.645 over the root of sum of (log 2)^2 (1.5^2 + .5^2) 2 times 100
    assert np.mean([each.upper - each.lower for each in slopes]) == pytest.approx(0.212, rel=0.05)


def test_one_run_gives_no_finite_limits():
    interval = empirical_values.mean([3.0], "x")
    assert (interval.value, interval.lower, interval.upper) == (3.0, -math.inf, math.inf)
    assert interval.to_dict()["lower"] is None and interval.to_dict()["empirical"] is True
    assert "empirical" in str(interval)
