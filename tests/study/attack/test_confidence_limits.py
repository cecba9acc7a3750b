"""Confidence limits: their coverage by exact sums over all that can be drawn, and their width."""

from fractions import Fraction
from math import comb, log, sqrt

import numpy as np
import pytest
from flint import arb, ctx

from pldcheck.study.attack import confidence_limits

HALF = Fraction(1, 2)


def at_least(successes, trials, p):
    """Return P(Bin(trials, p) >= successes) in balls."""
    with ctx.workprec(400):
        return sum(
            arb(trials).bin(k) * arb(p) ** k * (1 - arb(p)) ** (trials - k) for k in range(successes, trials + 1)
        )


@pytest.mark.parametrize("failure", [1e-3, 1.25e-7])
@pytest.mark.parametrize(("successes", "trials"), [(1, 1), (1, 40), (7, 40), (39, 40), (40, 40), (3, 900)])
def test_clopper_pearson_solves_the_binomial_tail(successes, trials, failure):
    low = confidence_limits.proportion_lower(successes, trials, failure)
    # Not above the p at which so many successes have this probability, and hardly below it.
    assert at_least(successes, trials, low) < failure < at_least(successes, trials, low * (1 + 1e-5))
    # The other limit, of failures counted as successes: not below, and hardly above.
    high = confidence_limits.proportion_upper(trials - successes, trials, failure)
    assert at_least(successes, trials, 1 - high) < failure < at_least(successes, trials, 1 - high * (1 - 1e-5))


def test_limits_hold_without_a_success_and_with_successes_only():
    assert confidence_limits.proportion_lower(0, 50, 1e-6) == 0.0
    assert confidence_limits.proportion_upper(50, 50, 1e-6) == 1.0
    # (1 - p)^50 = 1e-6
    assert confidence_limits.proportion_upper(0, 50, 1e-6) == pytest.approx(1 - 1e-6 ** (1 / 50), rel=1e-5)


@pytest.mark.parametrize("mean", [Fraction(1, 50), Fraction(1, 3), Fraction(9, 10)])
@pytest.mark.parametrize("stake", [0.02, 0.2, 0.49])
def test_bets_are_lost_often_enough(mean, stake):
    # Two-valued draws: the probability of a false claim is a sum over the number of ones, exactly.
    count, failure = 60, 0.05
    stakes = confidence_limits.Stakes(stake, stake)
    wrongly_above = wrongly_below = Fraction(0)
    for ones in range(count + 1):
        values = np.repeat([1.0, 0.0], [ones, count - ones])
        chance = comb(count, ones) * mean**ones * (1 - mean) ** (count - ones)
        wrongly_above += chance * confidence_limits.exceeds(values, float(mean), stakes, failure)
        wrongly_below += chance * confidence_limits.falls_short(values, float(mean), stakes, failure)
        low, high = (
            limit(values, stakes, failure) for limit in (confidence_limits.mean_lower, confidence_limits.mean_upper)
        )
        assert low <= ones / count <= high
    assert wrongly_above <= failure and wrongly_below <= failure
    assert mean < HALF or wrongly_below < failure


@pytest.mark.parametrize("scale", [1.0, 1e-3])
def test_the_width_is_that_of_the_best_test_of_a_mean(scale):
    draw = np.random.default_rng(1)
    pilot, values = scale * draw.random(5_000), scale * draw.random(100_000)
    failure = 1e-7
    stakes = confidence_limits.stakes(pilot, values.size, failure)
    low = confidence_limits.mean_lower(values, stakes, failure)
    # A normal mean would be known to deviation sqrt(2 log(1/failure)/n) (Chernoff).
    near = sqrt(2 * log(1 / failure) / (12 * values.size)) * scale
    assert 0.9 * near < values.mean() - low < 1.1 * near
    # Above, a stake is held down by the largest value there might be.
    high = confidence_limits.mean_upper(values, stakes, failure)
    assert 0.9 * near < high - values.mean() < max(1.1 * near, 2 * log(1 / failure) / (0.5 * values.size))


def test_a_stake_never_loses_everything():
    zeros = np.zeros(1000)
    stakes = confidence_limits.stakes(zeros, 1000, 1e-6)
    assert not confidence_limits.exceeds(zeros, 0.3, stakes, 1e-6)
    assert confidence_limits.falls_short(zeros, 0.3, stakes, 1e-6)
    assert 0.0 < confidence_limits.mean_upper(zeros, stakes, 1e-6) < 0.05


def test_limits_say_that_they_are_empirical():
    confidence = confidence_limits.Confidence(0.1, 0.2, 1e-6)
    assert 0.15 in confidence and 0.25 not in confidence
    assert confidence.to_dict() == {"empirical": True, "lower": 0.1, "upper": 0.2, "confidence": 1.0 - 1e-6}
