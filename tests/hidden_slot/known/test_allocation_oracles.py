"""Gaussian random allocation against slow twins: right, and as narrow as asked."""

from fractions import Fraction
from functools import partial
from math import exp, inf, nextafter, sqrt

import numpy as np
import pytest
import slot_oracles as oracles
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from pldcheck.core.interval import Interval
from pldcheck.protocols import Gaussian, HiddenSlot, RandomAllocation, SubsampledGaussian
from tests.oracles.inverted_allocations import OUT_OF_REACH
from tests.oracles.stored_values import the_one

WIDTH = 1e-4
DIRECTIONS = ("remove", "add", "replace")
DELTAS = (1e-2, 1e-6, 1e-12, 1e-20, 1e-30)
# Ends that underflow leave an upper end of this size.
NOTHING = 1e-290


def truth(direction, m, sigma, p0, epsilon):
    """Return delta(epsilon) in balls, m <= 2; ``add-remove``: the larger of the two directions."""
    if direction == "add-remove":
        return truth("remove", m, sigma, p0, epsilon).max(truth("add", m, sigma, p0, epsilon))
    return oracles.exact(direction, m, sigma, epsilon, p0)


def right_epsilon(interval, delta, exact_delta):
    """Assert that delta(lower) >= delta >= delta(upper): the root lies between, whatever it is."""
    assert 0.0 <= interval.lower <= interval.upper < inf
    assert not exact_delta(interval.upper) > delta
    assert interval.lower == 0.0 or not exact_delta(interval.lower) < delta


def encloses(interval, truth):
    """Assert that nothing that is stored of the truth lies outside of the interval."""
    assert 0.0 <= interval.lower <= truth.upper and truth.lower <= interval.upper < inf


def right_delta(interval, exact_delta, width):
    assert not exact_delta < interval.lower
    assert not exact_delta > interval.upper
    assert interval.upper <= NOTHING or interval.relative_width <= width


def allocation(m, sigma, adjacency="add-remove", p0=1.0, **more):
    return RandomAllocation(m, sigma, check_in_prob=p0, adjacency=adjacency, **more)


# --- the oracles themselves -------------------------------------------------------------------------------------------


@pytest.mark.nightly
@pytest.mark.parametrize("p0", [1.0, 0.2])
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_monte_carlo_agrees_with_balls(direction, p0):
    for sigma, epsilon in ((0.5, 3.0), (1.0, 1.0), (2.0, 0.2)):
        ball = float(oracles.exact(direction, 2, sigma, epsilon, p0))
        estimate = oracles.monte_carlo(direction, 2, sigma, epsilon, p0, work=4e5)
        assert abs(estimate.value - ball) <= estimate.error + 1e-15
        assert estimate.error <= 0.03 * ball


@pytest.mark.parametrize(("direction", "sigma", "epsilon", "p0"), [
    ("remove", 1.0, 0.5, 1.0), ("remove", 2.0, 2.0, 0.3), ("add", 0.5, 2.0, 1.0), ("add", 1.0, 0.1, 0.5),
])  # fmt: skip
def test_trapezoids_agree_with_balls(direction, sigma, epsilon, p0):
    ball = float(oracles.exact(direction, 2, sigma, epsilon, p0))
    estimate = oracles.quadrature(direction, 2, sigma, epsilon, p0)
    assert abs(estimate.value - ball) <= estimate.error + 1e-8 * ball


@pytest.mark.nightly
@pytest.mark.parametrize(("direction", "m", "sigma", "epsilon"), [
    ("remove", 10, 2.0, 0.7), ("add", 10, 1.0, 0.6), ("replace", 10, 2.0, 1.0), ("remove", 300, 1.0, 0.4),
])  # fmt: skip
def test_inversion_agrees_with_monte_carlo(direction, m, sigma, epsilon):
    estimate = oracles.inversion(direction, m, sigma, epsilon, work=3e8)
    other = oracles.monte_carlo(direction, m, sigma, epsilon, work=4e6)
    assert abs(estimate.value - other.value) <= other.error + estimate.error
    assert other.error <= 0.1 * estimate.value


@pytest.mark.nightly
def test_inversion_agrees_with_trapezoids():
    for direction in ("remove", "add"):
        estimate = oracles.inversion(direction, 4, 4.0, 0.5, work=3e8)
        other = oracles.quadrature(direction, 4, 4.0, 0.5)
        assert estimate.value == pytest.approx(other.value, rel=1e-8, abs=0.0)


def random_table(random, outputs):
    return tuple(
        tuple(Fraction(int(k), int(total)) for k in row)
        for row in random.integers(0, 7, (3, outputs)) + np.array([[1], [0], [0]])
        for total in [row.sum()]
        if total
    )


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("direction", oracles.DIRECTIONS)
def test_sums_over_counts_agree_with_sums_over_outputs_in_order(direction, seed):
    random = np.random.default_rng(seed)
    rows = random_table(random, 3)
    kappa, weight = Fraction(int(random.integers(4, 9)), 4), Fraction(int(random.integers(1, 5)), 4)
    for steps in (1, 2, 4):
        one = oracles.table_delta(rows, steps, kappa, direction, weight)
        assert one == oracles.table_delta_in_order(rows, steps, kappa, direction, weight)
        assert 0 <= one <= 1


@pytest.mark.parametrize("direction", oracles.DIRECTIONS)
def test_randomized_response_is_below_the_worst_randomizer(direction):
    # 3-ary randomized response with e^eps0 = 3: an eps0-DP randomizer among all.
    rows = tuple(tuple(Fraction(3 if i == j else 1, 5) for j in range(3)) for i in range(3))
    adjacency = "replace" if direction.startswith("replace") else "zero-out"
    for steps in (1, 3, 6):
        for kappa in (Fraction(5, 4), Fraction(3, 2)):
            table = oracles.table_delta(rows, steps, kappa, direction, Fraction(1, 2))
            # more eps0 and less epsilon than these, surely: both only add to the worst
            eps0, epsilon = np.nextafter(np.log(3.0), 2.0), np.nextafter(np.log(float(kappa)), 0.0)
            assert table <= Fraction(HiddenSlot(steps, float(eps0), 0.5, adjacency).delta(float(epsilon)).upper)


# --- m = 1 and m = 2, in balls ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("p0", [1.0, 0.3, 1e-3])
@pytest.mark.parametrize("sigma", [0.2, 0.5, 1.0, 3.0, 30.0])
@pytest.mark.parametrize("direction", [*DIRECTIONS, "add-remove"])
def test_one_step_is_the_sampled_gaussian_mechanism(direction, sigma, p0):
    protocol = allocation(1, sigma, direction, p0)
    exact = partial(truth, direction, 1, sigma, p0)
    for delta in DELTAS:
        interval = protocol.epsilon(delta)
        right_epsilon(interval, delta, exact)
        assert interval.upper <= 1e-9 or interval.relative_width <= WIDTH, (delta, interval)
    for epsilon in (0.0, 0.01, 0.3, 2.0):
        right_delta(protocol.delta(epsilon), exact(epsilon), WIDTH)


@pytest.mark.parametrize(("sigma", "p0"), [
    (0.3, 1.0), (0.5, 1.0), (0.5, 0.1), (1.0, 1.0), (1.0, 0.3), (2.0, 1.0), (4.0, 1.0), (4.0, 0.01), (20.0, 1.0),
])  # fmt: skip
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_two_steps_agree_with_quadrature_in_balls(direction, sigma, p0):
    protocol = allocation(2, sigma, direction, p0)
    for delta in (1e-3, 1e-12, 1e-30):
        interval = protocol.epsilon(delta)
        encloses(interval, the_one("two_steps_epsilon", direction=direction, sigma=sigma, prob=p0, delta=delta))
        assert interval.upper <= 1e-9 or interval.relative_width <= WIDTH, (delta, interval)


@pytest.mark.parametrize("direction", [*DIRECTIONS, "add-remove"])
def test_delta_of_two_steps_agrees_with_quadrature(direction):
    for sigma, p0 in ((0.5, 1.0), (1.0, 0.5), (3.0, 1.0)):
        for epsilon in (0.0, 0.1, 1.0, 4.0):
            interval = allocation(2, sigma, direction, p0).delta(epsilon)
            values = [
                the_one("two_steps", direction=name, sigma=sigma, scale="exact", prob=p0, epsilon=epsilon)
                for name in (("remove", "add") if direction == "add-remove" else (direction,))
            ]
            assert interval.lower <= max(value.upper for value in values)
            assert max(value.lower for value in values) <= interval.upper
            assert interval.upper <= NOTHING or interval.relative_width <= WIDTH


@pytest.mark.parametrize("width", [1e-2, 1e-6, 1e-8])
def test_other_widths_are_kept(width):
    for direction in DIRECTIONS:
        one, two = (allocation(m, 1.0, direction).epsilon(1e-8, width) for m in (1, 2))
        right_epsilon(one, 1e-8, partial(truth, direction, 1, 1.0, 1.0))
        encloses(two, the_one("two_steps_epsilon", direction=direction, sigma=1.0, prob=1.0, delta=1e-8))
        assert max(one.relative_width, two.relative_width) <= width, (direction, one, two)


# --- more steps, in floats --------------------------------------------------------------------------------------------


@pytest.mark.nightly
@pytest.mark.parametrize("direction", ["remove", "add"])
def test_three_steps_agree_with_trapezoids(direction):
    for sigma, epsilon, p0 in ((0.7, 2.0, 1.0), (1.0, 0.5, 1.0), (2.0, 2.0, 1.0), (2.0, 0.3, 0.4)):
        value = the_one("three_steps", direction=direction, steps=3, s=1 / sigma, epsilon=epsilon, prob=p0)
        encloses(allocation(3, sigma, direction, p0).delta(epsilon), value)


INVERSION_CASES = [
    (10, 4.0, 1.0, 1e-6),
    (10, 4.0, 0.1, 1e-20),
    pytest.param(30, 2.0, 1.0, 1e-30, marks=pytest.mark.nightly),
    (100, 4.0, 1.0, 1e-6),
    (100, 1.0, 1.0, 1e-6),
    (1000, 1.0, 1.0, 1e-6),
    pytest.param(1000, 1.0, 1.0, 1e-20, marks=pytest.mark.nightly),
    pytest.param(1000, 1.0, 0.05, 1e-8, marks=pytest.mark.nightly),
    (1000, 4.0, 1.0, 1e-10),
    (10**5, 1.0, 1.0, 1e-6),
    (10**5, 4.0, 1.0, 1e-6),
    (10**6, 2.0, 0.3, 1e-12),
]


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize(("m", "sigma", "p0", "delta"), INVERSION_CASES)
def test_many_steps_agree_with_inversion(m, sigma, p0, delta, direction):
    protocol = allocation(m, sigma, direction, p0)
    interval = protocol.epsilon(delta)
    # The replaced pair, heavy on both sides, is wider where delta is tiny: one tilt loses digits where many moderate
    # steps and a large one reach the threshold together, which deltas from 1e-12 on were not seen to do.
    wide = {("replace", 1e-20): 400.0, ("replace", 1e-30): 100.0}.get((direction, delta), 1.0)
    assert 0.0 < interval.lower and interval.relative_width <= wide * WIDTH
    if (m, direction, delta) in OUT_OF_REACH:
        return  # of the oracle: only the width is looked at
    truth = the_one("inverted_allocations", direction=direction, steps=m, sigma=sigma, prob=p0, delta=delta)
    # Three digits of an epsilon are stored, and its delta: asked back, that is where the epsilon is.
    least, most = (protocol.epsilon(nextafter(float(end), goal)) for end, goal in ((truth.upper, 1), (truth.lower, 0)))
    assert least.lower <= truth["epsilon"] <= most.upper
    assert max(least.relative_width, most.relative_width) <= wide * WIDTH
    assert most.lower <= least.upper * (1 + 1e-3)  # the oracle is not vague


SAMPLING_CASES = [
    ("remove", 10, 1.0, 1.0, 1e-6),
    ("remove", 10, 0.5, 1.0, 1e-10),
    ("remove", 10, 1.0, 0.2, 1e-20),
    ("remove", 100, 4.0, 1.0, 1e-6),
    ("remove", 100, 0.5, 1.0, 1e-12),
    ("remove", 1000, 0.5, 1.0, 1e-10),
    ("remove", 1000, 1.0, 1.0, 1e-6),
    ("remove", 1000, 1.0, 1.0, 1e-20),
    ("remove", 1000, 0.7, 0.1, 1e-30),
    ("remove", 10**4, 0.5, 1.0, 1e-6),
    ("remove", 10**4, 0.4, 1.0, 1e-12),
    ("add", 10, 1.0, 1.0, 1e-6),
    ("add", 10, 0.5, 1.0, 1e-10),
    ("add", 100, 2.0, 0.5, 1e-6),
    ("add", 1000, 1.0, 1.0, 1e-10),
    ("replace", 10, 1.0, 1.0, 1e-6),
    ("replace", 10, 4.0, 1.0, 1e-6),
    # Less noise than this leaves the replaced pair wide.
    ("replace", 100, 0.8, 1.0, 1e-10),
    ("replace", 1000, 1.0, 1.0, 1e-6),
    ("replace", 1000, 1.0, 0.1, 1e-6),
]


@pytest.mark.parametrize(("direction", "m", "sigma", "p0", "delta"), SAMPLING_CASES)
def test_intervals_agree_with_monte_carlo(direction, m, sigma, p0, delta):
    protocol = allocation(m, sigma, direction, p0)
    interval = protocol.epsilon(delta)
    # The replaced pair, heavy on both sides, comes out a little wider.
    assert 0.0 < interval.lower and interval.relative_width <= (2.0 if direction == "replace" else 1.0) * WIDTH
    estimate = the_one("sampled_allocations", direction=direction, steps=m, sigma=sigma, prob=p0, delta=delta)
    # A sampler that misses a part of the law would show a small error as well: it must see what it claims to.
    assert estimate.upper - estimate.lower <= 2 * (0.5 if m >= 10**4 else 0.2) * delta, estimate
    encloses(protocol.delta(estimate["epsilon"]), estimate)
    # Three digits of an epsilon that has this delta are stored.
    assert interval.lower * (1 - 5e-3) <= estimate["epsilon"] <= interval.upper * (1 + 5e-3)


# --- limits -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("m", [1, 7, 1000, 10**9])
def test_much_noise_is_a_gaussian_mechanism(m):
    # Relative difference O(1/sigma) for zero-out; S - 1 has skewness 3/(sigma sqrt(m)).
    sigma = 1e4 / sqrt(m)
    sigma = max(sigma, 100.0)
    mu = oracles.limit_mu(m, sigma)
    for adjacency, factor in (("remove", 1.0), ("add", 1.0), ("replace", 2.0)):
        for multiple in (0.1, 1.0, 3.0):
            epsilon = multiple * mu * factor
            interval = allocation(m, sigma, adjacency).delta(epsilon)
            limit = float(oracles.gaussian_delta(mu * factor, epsilon))
            assert interval.lower <= limit * (1 + 10 / sigma)
            assert interval.upper >= limit * (1 - 10 / sigma)
            # Errors of masses are raised to the power m.
            assert interval.relative_width <= (WIDTH if m < 10**9 else 0.2)


@pytest.mark.nightly
def test_little_noise_hides_nothing_but_the_slot():
    # The record's slot is seen: loss log m in most runs.
    interval = allocation(10, 0.1, "remove").delta(np.log(10.0) - 1.0)
    assert interval.upper >= interval.lower >= 1 - exp(-1.0) - 1e-3
    assert allocation(10, 0.1, "remove").epsilon(0.5).lower > 1.0


@pytest.mark.nightly
@pytest.mark.parametrize("adjacency", DIRECTIONS)
def test_rare_check_ins_cost_in_proportion(adjacency):
    # delta(0) = p0 E(S - 1)_+ for every p0, up to terms of order p0 in add: there the factor is c = 1 at epsilon 0.
    full = allocation(20, 1.0, adjacency).delta(0.0)
    for p0 in (0.1, 1e-3, 1e-6):
        interval = allocation(20, 1.0, adjacency, p0).delta(0.0)
        assert Fraction(interval.lower) <= Fraction(full.upper) * Fraction(p0)
        assert Fraction(interval.upper) >= Fraction(full.lower) * Fraction(p0)
        assert interval.relative_width <= WIDTH
    ratios = [allocation(20, 1.0, adjacency, p0).epsilon(1e-3 * p0).upper / p0 for p0 in (1e-3, 1e-4, 1e-5)]
    assert ratios[1] == pytest.approx(ratios[0], rel=1e-2) and ratios[2] == pytest.approx(ratios[1], rel=2e-3)


# --- what must be ordered ---------------------------------------------------------------------------------------------


def falls(values):
    """Assert that no interval lies above its predecessor."""
    assert all(later.lower <= earlier.upper for earlier, later in zip(values, values[1:], strict=False))
    assert values[-1].upper < values[0].lower


@pytest.mark.nightly
@pytest.mark.parametrize("adjacency", [*DIRECTIONS, "add-remove"])
def test_epsilon_rises_with_the_weight_and_falls_with_steps_and_noise(adjacency):
    falls([allocation(m, 1.0, adjacency).epsilon(1e-8) for m in (1, 2, 3, 10, 11, 300, 10**5)])
    falls([allocation(30, sigma, adjacency).epsilon(1e-8) for sigma in (0.3, 0.6, 1.0, 1.01, 2.0, 10.0)])
    falls([allocation(30, 1.0, adjacency, p0).epsilon(1e-8) for p0 in (1.0, 0.999, 0.5, 0.1, 1e-3)])
    falls([allocation(30, 1.0, adjacency).epsilon(delta) for delta in (1e-30, 1e-12, 1e-11, 1e-3)])
    falls([allocation(30, 1.0, adjacency).delta(epsilon) for epsilon in (0.0, 0.1, 1.0, 1.01, 3.0)])


@pytest.mark.nightly
@pytest.mark.parametrize("adjacency", ["remove", "add", "add-remove"])
def test_more_epochs_cost_more(adjacency):
    falls([allocation(30, 1.0, adjacency, epochs=epochs).epsilon(1e-6) for epochs in (10, 3, 1)])


@pytest.mark.parametrize(("m", "sigma", "p0"), [(1, 1.0, 0.5), (10, 0.5, 1.0), (100, 4.0, 1.0), (10**4, 1.0, 0.1)])
def test_both_directions_together_are_as_bad_as_the_worse_one(m, sigma, p0):
    for delta in (1e-5, 1e-12):
        both, remove, add = (allocation(m, sigma, name, p0).epsilon(delta) for name in ("add-remove", "remove", "add"))
        worse = Interval(max(remove.lower, add.lower), max(remove.upper, add.upper))
        assert both.lower <= worse.upper and worse.lower <= both.upper
        assert both.lower >= worse.lower / (1 + 2 * WIDTH) and both.upper <= worse.upper * (1 + 2 * WIDTH)


@pytest.mark.nightly
@pytest.mark.parametrize("adjacency", DIRECTIONS)
def test_asking_for_less_width_contradicts_nothing(adjacency):
    for m, sigma, delta in ((3, 0.5, 1e-6), (50, 1.0, 1e-12), (2000, 2.0, 1e-8)):
        protocol = allocation(m, sigma, adjacency)
        answers = [protocol.epsilon(delta, width) for width in (1e-2, 1e-3, 1e-5)]
        assert max(interval.lower for interval in answers) <= min(interval.upper for interval in answers)


# --- epochs -----------------------------------------------------------------------------------------------------------


@pytest.mark.nightly
def test_one_step_in_epochs_is_the_gaussian_mechanism_composed():
    for epochs in (2, 10, 100):
        interval = allocation(1, 2.0, "remove", epochs=epochs).epsilon(1e-6)
        exact = partial(oracles.gaussian_delta, arb(epochs).sqrt() / 2)
        assert not exact(arb(interval.upper)) > 1e-6 and not exact(arb(interval.lower)) < 1e-6
        assert interval.relative_width <= 2e-2
        other = Gaussian(2.0, epochs).epsilon(1e-6)
        assert interval.lower <= other.upper and other.lower <= interval.upper


@pytest.mark.nightly
@pytest.mark.parametrize("direction", ["remove", "add"])
def test_epochs_agree_with_monte_carlo(direction):
    for m, sigma, epochs, epsilon in ((10, 1.0, 3, 2.0), (4, 2.0, 10, 1.5)):
        estimate = oracles.monte_carlo_epochs(direction, m, sigma, epsilon, epochs, 400_000)
        interval = allocation(m, sigma, direction, epochs=epochs).delta(epsilon)
        assert estimate.value - estimate.error <= interval.upper and estimate.value + estimate.error >= interval.lower
        assert estimate.error <= 0.2 * estimate.value


@pytest.mark.nightly
@pytest.mark.parametrize(("m", "sigma", "epochs"), [(1, 2.0, 10), (100, 1.0, 1), (100, 2.0, 10), (1000, 1.0, 10)])
def test_allocation_is_no_worse_than_poisson_sampling_here(m, sigma, epochs):
    # Not a theorem: seen at all parameters of this list.
    ours = allocation(m, sigma, epochs=epochs).epsilon(1e-6)
    poisson = SubsampledGaussian(sigma, 1.0 / m, m * epochs).epsilon(1e-6)
    assert ours.lower <= poisson.upper


# --- any parameters ---------------------------------------------------------------------------------------------------


@pytest.mark.nightly
@settings(max_examples=10)
@given(
    m=st.integers(0, 12).flatmap(lambda k: st.integers(2**k, 2 ** (k + 1))),
    # Less noise than this takes long, the replaced pair above all.
    sigma=st.floats(-0.3, 3.4).map(exp),
    p0=st.one_of(st.just(1.0), st.floats(-9.0, 0.0).map(exp)),
    delta=st.floats(-80.0, -3.0).map(exp),
    adjacency=st.sampled_from([*DIRECTIONS, "add-remove"]),
)
def test_any_parameters_give_an_interval_that_is_not_empty(m, sigma, p0, delta, adjacency):
    protocol = allocation(m, sigma, adjacency, p0)
    one, two = protocol.epsilon(delta, 1e-2), protocol.epsilon(delta)
    assert 0.0 <= one.lower <= one.upper < inf and 0.0 <= two.lower <= two.upper < inf
    assert one.lower <= two.upper and two.lower <= one.upper
    # delta at the upper end is at most delta, at the lower end at least: asked back.
    assert protocol.delta(two.upper).lower <= delta
    assert two.lower == 0.0 or protocol.delta(two.lower).upper >= delta
