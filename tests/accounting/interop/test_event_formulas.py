"""Losses of single events against their mechanisms, written out again: tables of outputs, sums and formulas."""

from fractions import Fraction
from itertools import permutations
from math import inf, nextafter
from types import SimpleNamespace

import dp_accounting as dpa
import numpy as np
import pytest
from dp_accounting import dp_event
from mpmath import mp, mpf

from pldcheck import pld
from pldcheck.accounting.interop import from_event
from pldcheck.accounting.interop.concentrated_loss import concentrated_loss, delta_upper
from pldcheck.accounting.interop.event_samples import gaussian_information
from pldcheck.accounting.interop.selection_losses import exponential_mechanism, permute_and_flip
from pldcheck.core.errors import ParameterError


def event(name, **fields):
    return SimpleNamespace(class_name=name, **fields)


def table_delta(one, two, epsilon):
    """Return delta of two tables of probabilities, in the worse order."""
    return max(
        mp.fsum(max(a - mp.exp(mpf(epsilon)) * b, 0) for a, b in zip(*pair, strict=True))
        for pair in ((one, two), (two, one))
    )


# The exponential mechanism and permute-and-flip


def exponential_table(scores, epsilon):
    weights = [mp.exp(mpf(epsilon) * score / 2) for score in scores]
    return [weight / mp.fsum(weights) for weight in weights]


def permute_and_flip_table(scores, epsilon):
    """Return the probabilities of outputs: in a random order, each candidate is returned if its coin shows heads."""
    best, orders = max(scores), list(permutations(range(len(scores))))
    table = [mpf(0)] * len(scores)
    for order in orders:
        rest = mpf(1) / len(orders)
        for candidate in order:
            heads = mp.exp(mpf(epsilon) * (mpf(scores[candidate]) - best) / 2)
            table[candidate] += rest * heads
            rest *= 1 - heads
    return table


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("loss", "table"),
    [(exponential_mechanism, exponential_table), (permute_and_flip, permute_and_flip_table)],
    ids=["exponential", "permute-and-flip"],
)
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 4.0])
def test_selections_of_random_scores_are_below_the_upper_end(loss, table, epsilon):
    mp.dps = 30
    rng, ours = np.random.default_rng(7), loss(epsilon)
    largest = 0.0
    for _ in range(60):
        count = rng.integers(2, 5)
        scores = 2.0 * rng.standard_normal(count)
        moved = scores + rng.choice([-1.0, 1.0, 0.3], count)
        one, two = table(scores, epsilon), table(moved, epsilon)
        for level in (0.0, 0.3 * epsilon, 0.8 * epsilon):
            truth = table_delta(one, two, level)
            assert truth <= ours.delta(level).upper
            largest = max(largest, float(truth / ours.delta(level).upper))
    assert largest > 0.7


@pytest.mark.nightly
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_the_exponential_curve_is_the_best_pair_of_bounded_range(epsilon):
    """The curve of each pair is written out from its two masses; the largest of many is close to the upper end."""
    mp.dps = 30
    ours = exponential_mechanism(epsilon)
    for level in (0.0, 0.25 * epsilon, 0.7 * epsilon):
        pairs = []
        for t in np.linspace(1e-6, epsilon, 400)[:-1]:
            p = (mp.exp(epsilon) - mp.exp(t)) / (mp.exp(epsilon) - 1)
            pairs.append(table_delta([p, 1 - p], [p * mp.exp(-t), 1 - p * mp.exp(-t)], level))
        assert max(pairs) <= ours.delta(level).upper <= max(pairs) * (1 + 1e-3)


def test_the_lower_ends_of_selections_are_attained_by_two_candidates():
    mp.dps = 30
    for epsilon in (0.5, 2.0):
        for loss, table in ((exponential_mechanism, exponential_table), (permute_and_flip, permute_and_flip_table)):
            one, two = table([0.5, -0.5], epsilon), table([-0.5, 0.5], epsilon)
            for level in (0.0, 0.2 * epsilon):
                interval = loss(epsilon).delta(level)
                truth = table_delta(one, two, level)
                assert interval.lower <= truth <= interval.lower * (1 + 1e-6) and truth <= interval.upper


@pytest.mark.nightly
def test_compositions_of_selections_contain_adaptive_ones():
    """The second selection has scores that depend on the first output."""
    mp.dps = 30
    epsilon = 1.0
    first = exponential_table([0.2, -0.2], epsilon), exponential_table([-0.8, 0.8], epsilon)
    second = [(exponential_table([a, -a], epsilon), exponential_table([a - 1, 1 - a], epsilon)) for a in (0.1, 0.9)]
    one, two = ([first[i][k] * second[k][i][j] for k in (0, 1) for j in (0, 1)] for i in (0, 1))
    twice = exponential_mechanism(epsilon).compose(2)
    for level in (0.0, 0.5, 1.2):
        assert table_delta(one, two, level) <= twice.delta(level).upper


# Concentrated differential privacy


def concentrated_delta(order, rho, xi, epsilon):
    """Return the delta of one order, Proposition 12 of Canonne, Kamath and Steinke (2020)."""
    tau = xi + rho * order
    return mp.exp((order - 1) * (tau - epsilon)) / (order - 1) * (1 - 1 / order) ** order


@pytest.mark.nightly
@pytest.mark.parametrize(("rho", "xi"), [(0.5, 0.0), (0.01, 0.0), (1e-6, 0.0), (0.1, 0.3), (20.0, 1.0)])
def test_concentrated_curves_are_the_best_order(rho, xi):
    mp.dps = 60
    levels = xi + rho + np.array([0.5, 1.0, 3.0, 6.0, 12.0]) * np.sqrt(rho)
    uppers = delta_upper(rho, xi, levels)
    for level, upper in zip(levels.tolist(), uppers.tolist(), strict=True):

        def log_delta(distance, level=level):
            return mp.log(concentrated_delta(1 + mp.exp(distance), mpf(rho), mpf(xi), mpf(level)))

        # Golden section in the logarithm of the order minus 1.
        low, high, share = mpf(-40), mpf(40), (mp.sqrt(5) - 1) / 2
        for _ in range(120):
            a, b = high - share * (high - low), low + share * (high - low)
            low, high = (low, b) if log_delta(a) < log_delta(b) else (a, high)
        best = mp.exp(log_delta((low + high) / 2))
        assert min(best * (1 - mpf(10) ** -30), 1) <= upper <= min(best * (1 + mpf(10) ** -9), 1)
        interval = concentrated_loss(Fraction(rho), Fraction(xi)).delta(level)
        assert interval.lower == 0.0 and best * (1 - mpf(10) ** -9) <= interval.upper
        if best > 1e-25:
            assert interval.upper <= best * 1.01


@pytest.mark.nightly
def test_concentrated_losses_dominate_the_mechanisms_they_stand_for():
    for sigma in (0.5, 2.0, 10.0):
        for count in (1, 8):
            ours = concentrated_loss(Fraction(count) / (2 * Fraction(sigma) ** 2))
            for level in (0.1, 1.0, 5.0):
                assert pld.gaussian(sigma).compose(count).delta(level).lower <= ours.delta(level).upper
    # A mechanism that is 0.7-zCDP with rho = 0: its loss is at most 0.7.
    assert (
        concentrated_loss(Fraction(0), Fraction(7, 10)).delta(0.3).upper
        >= pld.randomized_response(0.7).delta(0.3).lower
    )
    with pytest.raises(ParameterError, match="^rho must be at most 100 together"):
        concentrated_loss(Fraction(90), Fraction(11))


# Noise on integers


@pytest.mark.nightly
@pytest.mark.parametrize(("sigma", "shift"), [(1.0, 1), (1.5, 2), (0.4, 3), (20.0, 7)])
def test_discrete_gaussian_noise_is_the_sum(sigma, shift):
    mp.dps = 30
    reach = int(20 * sigma) + 10 + shift
    total = mp.fsum(mp.exp(-(mpf(k) ** 2) / (2 * mpf(sigma) ** 2)) for k in range(-2 * reach, 2 * reach))

    def mass(k):
        return mp.exp(-(mpf(k) ** 2) / (2 * mpf(sigma) ** 2)) / total

    def delta(level, by):
        return mp.fsum(max(mass(k) - mp.exp(mpf(level)) * mass(k - by), 0) for k in range(-reach, reach))

    ours = from_event(event("DiscreteGaussianDpEvent", sigma=sigma, sensitivity=shift + 0.5, dimension=1))
    for level in (0.0, 0.3, 2.0):
        interval, truth = ours.delta(level), delta(level, shift)
        assert interval.lower <= truth <= interval.upper and interval.width <= 1e-9 * interval.upper
        assert all(delta(level, by) <= truth for by in range(1, shift))


@pytest.mark.nightly
@pytest.mark.parametrize("shift", [0, -1, 1.5, True, 10**6 + 1])
def test_the_sensitivity_of_discrete_noise_is_checked(shift):
    with pytest.raises(ParameterError, match="^sensitivity must be"):
        pld.discrete_gaussian(1.0, shift)


@pytest.mark.nightly
@pytest.mark.parametrize(("rate", "noise", "sensitivity"), [(0.1, 0.5, 1), (0.6, 0.3, 4)])
def test_sampled_discrete_laplace_noise_is_the_sum(rate, noise, sensitivity):
    mp.dps = 30

    def mass(k):
        return mp.exp(-mpf(noise) * abs(k)) * mp.tanh(mpf(noise) / 2)

    values = range(-400, 401)
    without = [mass(k) for k in values]
    with_record = [(1 - mpf(rate)) * mass(k) + mpf(rate) * mass(k - sensitivity) for k in values]
    ours = from_event(dpa.PoissonSampledDpEvent(rate, dp_event.DiscreteLaplaceDpEvent(noise, sensitivity)))
    for level in (0.0, 0.05, 0.4):
        interval, truth = ours.delta(level), table_delta(with_record, without, level)
        # 1e-40: what is beyond the values.
        assert interval.lower <= truth + mpf(10) ** -40 and truth <= interval.upper and interval.width <= 1e-9


# Samples and trees


@pytest.mark.nightly
def test_noise_composed_on_one_sample_is_one_noise():
    inner = dpa.ComposedDpEvent([dpa.SelfComposedDpEvent(dpa.GaussianDpEvent(2.0), 3), dpa.GaussianDpEvent(2.0)])
    assert gaussian_information(inner) == 1
    once, hand = from_event(dpa.PoissonSampledDpEvent(0.1, inner)), pld.subsampled_gaussian(1.0, 0.1)
    assert once.compose(10).epsilon(1e-6) == hand.compose(10).epsilon(1e-6)
    # 1/sqrt(3) is no float: the ends are those of its two neighbours.
    three = from_event(dpa.PoissonSampledDpEvent(0.1, dpa.SelfComposedDpEvent(dpa.GaussianDpEvent(1.0), 3))).epsilon(
        1e-6
    )
    below = float(mp.sqrt(mpf(1) / 3))
    ends = [pld.subsampled_gaussian(s, 0.1).epsilon(1e-6) for s in (nextafter(below, 0), nextafter(below, 1))]
    assert ends[1].lower <= three.lower <= three.upper <= ends[0].upper and three.relative_width < 1e-4
    assert gaussian_information(dpa.ComposedDpEvent([dpa.GaussianDpEvent(1.0), dpa.LaplaceDpEvent(1.0)])) is None
    # A sample of a sample: 0.3 * 0.7 is no float, either.
    twice = dpa.PoissonSampledDpEvent(0.3, dpa.PoissonSampledDpEvent(0.7, dpa.GaussianDpEvent(1.0)))
    product = Fraction(0.3) * Fraction(0.7)
    near = float(product)
    rates = sorted((near, nextafter(near, inf if Fraction(near) < product else 0.0)))
    low, high = (pld.subsampled_gaussian(1.0, rate).epsilon(1e-6) for rate in rates)
    assert low.lower <= from_event(twice).epsilon(1e-6).upper <= high.upper


@pytest.mark.nightly
@pytest.mark.parametrize(("sigma", "rate"), [(0.02, 0.1), (0.001, 0.5)])
def test_samples_with_little_noise_contain_the_closed_form(sigma, rate):
    mp.dps = 60
    ours, mu = from_event(dpa.PoissonSampledDpEvent(rate, dpa.GaussianDpEvent(sigma))), 1 / mpf(sigma)
    for level in (1.0, 20.0):
        # The threshold in deviations: (1 - q) + q e^(mu x - mu^2/2) = e^epsilon.
        x = (mp.log((mp.exp(level) - 1 + mpf(rate)) / mpf(rate)) + mu**2 / 2) / mu
        tail, shifted = mp.ncdf(-x), mp.ncdf(mu - x)
        truth = (1 - mpf(rate)) * tail + mpf(rate) * shifted - mp.exp(level) * tail
        assert ours.delta(level).lower <= truth <= ours.delta(level).upper


@pytest.mark.nightly
@pytest.mark.parametrize("steps", [1, 2, 3, 4, 5, 7, 8, 13, 16])
def test_trees_count_the_nodes_above_the_worst_leaf(steps):
    """A node of level l covers 2^l leaves, and is released when all of them have come."""
    nodes = [range(start, start + 2**level) for level in range(6) for start in range(0, steps - 2**level + 1, 2**level)]
    worst = max(sum(leaf in node for node in nodes) for leaf in range(steps))
    tree = from_event(dpa.SingleEpochTreeAggregationDpEvent(3.0, [1, steps]))
    assert tree.epsilon(1e-6) == pld.gaussian(3.0).compose(worst).epsilon(1e-6)


def test_trees_without_steps_release_nothing_and_steps_are_checked():
    assert from_event(dpa.SingleEpochTreeAggregationDpEvent(3.0, [0])).epsilon(1e-6).upper == 0.0
    for steps in (-1, 2.5, True, [3, -1]):
        with pytest.raises(ParameterError, match="^step_counts must be"):
            from_event(dpa.SingleEpochTreeAggregationDpEvent(3.0, steps))


@pytest.mark.nightly
def test_privacy_without_epsilon_is_a_chance_to_be_seen():
    pair = from_event(event("EpsilonDeltaDpEvent", epsilon=0.0, delta=0.25)).compose(2)
    assert 0.4375 in pair.delta(3.0) and pair.delta(3.0).width < 1e-13
    sampled = from_event(dpa.PoissonSampledDpEvent(0.5, event("EpsilonDeltaDpEvent", epsilon=0.0, delta=0.25)))
    assert 0.125 in sampled.delta(3.0) and sampled.delta(3.0).width < 1e-13


def test_bounds_that_underflow_are_above_nothing():
    """Far out an exponential is 0 in floats, which delta is not."""
    bounds = delta_upper(0.5, 0.0, np.array([30.0, 40.0, 100.0, 1000.0]))
    assert np.all(bounds > 0.0) and np.all(np.diff(bounds) <= 0.0)
