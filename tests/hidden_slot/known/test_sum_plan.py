"""Plans on coarse laws against sweeps over many tilts, and plans for very many steps."""

from math import exp, log, sqrt

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import norm

from pldcheck.core.directed import Side
from pldcheck.hidden_slot.known.neighbour_pairs import ADDITION, REMOVAL, Pair
from pldcheck.hidden_slot.known.noise_ratios import GaussianNoise
from pldcheck.hidden_slot.known.pair_curve import Curve
from pldcheck.hidden_slot.known.pair_epsilon import epsilon as epsilon_of
from pldcheck.hidden_slot.known.slot_increments import FiniteIncrement, GaussianIncrement
from pldcheck.hidden_slot.known.sum_plan import Rough, plan
from pldcheck.protocols import RandomAllocation

CASES = [
    (GaussianIncrement(s, *kind), count)
    for s in (0.2, 0.7, 1.5)
    for kind in ((1.0, 0.0, -1.0), (0.0, 1.0, 1.0), (1.0, 2.0, 1.0))
    for count in (5, 300, 10**5)
]
NEIGHBOURS = {0.0: REMOVAL, 1.0: ADDITION}


def sweep(rough, threshold, cap):
    """Return tilts, and logs of M(t)^m e^(-tK)/(et) of the coarse law with this cap."""
    thetas = np.geomspace(1e-3, 1e4, 4000) / rough.deviation
    exponents = np.outer(thetas, np.minimum(rough.values, cap))
    top = exponents.max(axis=1)
    with np.errstate(under="ignore"):
        cumulants = top + np.log(np.exp(exponents - top[:, None]) @ rough.masses)
    return thetas, rough.count * cumulants - thetas * threshold - 1.0 - np.log(thetas)


@pytest.mark.parametrize(("increment", "count"), CASES)
@pytest.mark.parametrize("deviations", [1.0, 5.0])
def test_plans_have_the_best_tilt_and_a_short_period(increment, count, deviations):
    rough = Rough.of(increment, count)
    threshold = min(deviations * rough.deviation, 0.3 * count * increment.high)
    value = exp(rough.log_value(threshold))
    scheme = plan(rough, threshold, value)
    thetas, heights = sweep(rough, threshold, scheme.cap)
    best = int(np.argmin(heights - np.log(thetas)))
    assert scheme.slope == pytest.approx(thetas[best], rel=0.02)
    assert scheme.precision_loss == pytest.approx(heights[best] - log(value), abs=0.05)
    # That this period is enough, and that no tilt down from the best one would do with a much shorter one.
    at, steeper = (float(np.interp(t, thetas, heights)) for t in (scheme.theta, scheme.steeper))
    assert steeper - log(value) - (scheme.steeper - scheme.theta) * scheme.period <= -18.9
    assert at - log(value) <= max(11.0, scheme.precision_loss + 1.0) + 0.1
    least = np.inf
    for i in range(best, -1, -20):
        if heights[i] - log(value) > max(11.0, scheme.precision_loss + 1.0):
            break
        right = np.min((heights[i + 1 :] - log(value) + 19.0) / (thetas[i + 1 :] - thetas[i]))
        left_period = (19.0 - log(value) + max(log(19.0 / thetas[i]), 0.0)) / thetas[i]
        least = min(least, max(right, left_period))
    floor = max(1.01 * (scheme.cap - max(scheme.low, -rough.deviation)), 8.0 * rough.deviation)
    assert scheme.period <= 1.12 * max(least, floor)


@pytest.mark.parametrize(("increment", "count"), CASES)
@pytest.mark.parametrize("folds", [3.0, 20.0])
def test_thresholds_are_those_of_their_values(increment, count, folds):
    rough = Rough.of(increment, count)
    log_value = log(rough.deviation) - folds
    threshold = rough.threshold_of(log_value, 0.99 * count * increment.high)
    if threshold < 0.98 * count * increment.high:
        assert rough.log_value(threshold) == pytest.approx(log_value, abs=0.05)
    assert rough.threshold_of(log(rough.deviation) + 1.0, 1.0) == 0.0


# Of laws that are those of a pair at every epsilon.
@pytest.mark.parametrize(("increment", "count"), [one for one in CASES if one[0].down in NEIGHBOURS])
def test_estimates_are_near_the_certified_value(increment, count):
    # Many moderate steps or one large one; where it may be either an estimate is off by some e-foldings.
    pair = Pair(NEIGHBOURS[increment.down], GaussianNoise(increment.s), count, 1.0)
    rough = Rough.of(increment, count)
    for folds in (3.0, 12.0):
        threshold = rough.threshold_of(log(rough.deviation) - folds, 0.9 * count * increment.high)
        epsilon = pair.epsilon(threshold)
        value = Curve(pair, 0.3, exp(rough.log_value(threshold)) * pair.factor(epsilon)).value(epsilon, Side.UPPER)
        assert abs(log(value / pair.factor(epsilon)) - rough.log_value(threshold)) <= 6.0


@pytest.mark.parametrize("s", [0.01, 0.3, 1.0, 3.0])
@pytest.mark.parametrize("kind", [(1.0, 0.0, -1.0), (0.0, 1.0, 1.0), (1.0, 3.0, 2.0)])
def test_coarse_laws_have_the_mean_of_the_fine_one(s, kind):
    # A bias of 10^-3 of a step is many deviations of the sum of 10^9.
    increment = GaussianIncrement(s, *kind)
    values, masses = increment.coarse
    assert (np.diff(values[masses > 0.0]) >= 0.0).all()
    assert abs(masses @ values) <= 1e-12 * (masses @ np.abs(values))
    assert masses @ values**2 == pytest.approx(increment.variance, rel=0.005 + 0.007 * s * s)


def test_laws_of_two_atoms_are_planned_as_well():
    rough = Rough.of(FiniteIncrement.of(np.array([-0.1, 0.9]), np.array([0.9, 0.1])), 1000)
    scheme = plan(rough, 50.0, exp(rough.log_value(50.0)))
    thetas, heights = sweep(rough, 50.0, scheme.cap)
    assert scheme.slope == pytest.approx(thetas[int(np.argmin(heights - np.log(thetas)))], rel=0.02)


def normal_epsilon(steps, delta):
    """Return epsilon of the mean of so many ratios of Gaussian noise with sigma 1, taken to be normal."""
    spread = sqrt((exp(1.0) - 1.0) / steps)

    def excess(epsilon):
        z = (exp(epsilon) - 1.0) / spread
        return log(spread * (norm.pdf(z) - z * norm.sf(z))) - log(delta)

    return brentq(excess, 1e-12, 20.0 * spread)


@pytest.mark.nightly
@pytest.mark.parametrize(("steps", "near_to"), [(10**8, 2e-3), (10**9, 1e-3)])
def test_very_many_steps_are_nearly_a_normal_sum(steps, near_to):
    interval = RandomAllocation(steps, sigma=1.0).epsilon(1e-6)
    assert interval.relative_width <= 1e-4
    assert interval.upper == pytest.approx(normal_epsilon(steps, 1e-6), rel=near_to)


@pytest.mark.parametrize("steps", [10, 1000, 10**5])
def test_an_answer_is_as_narrow_as_was_asked(steps):
    for width in (1e-2, 1e-4, 1e-5):
        assert epsilon_of(Pair(REMOVAL, GaussianNoise(1.0), steps, 1.0), 1e-6, width).relative_width <= width
