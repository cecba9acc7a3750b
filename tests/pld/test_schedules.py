"""Sampled Gaussians of many different noises and rates, composed."""

import math
from math import erfc, exp, expm1, log1p, sqrt

import naive
import numpy as np
import pytest
from certificates import contains
from flint import arb
from test_subsampled import RATES, SIGMAS, epsilons

from pldcheck import pld
from pldcheck.pld.discrete_pairs import _cut
from pldcheck.pld.distribution import PrivacyLossDistribution
from pldcheck.pld.law_bounds import LawBounds
from pldcheck.pld.sampled_mechanisms import few_edges, sampled_gaussian_cells


def schedule(count, widest=1.5, rate=0.01):
    """Return noises that rise by a factor, with rates that rise by a tenth."""
    steps = range(count)
    return [(widest ** (i / count), rate * (1.0 + 0.1 * i / count)) for i in steps]


def composed(steps):
    return pld.compose_all(pld.subsampled_gaussian(sigma, rate) for sigma, rate in steps)


@pytest.mark.parametrize("sigma", SIGMAS)
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("count", [30, 1000])
def test_few_cells_enclose_the_closed_form_of_one_step(sigma, rate, count):
    for backward in (False, True):
        laws = _cut(lambda number: sampled_gaussian_cells(sigma, rate, number), backward, count)
        one = PrivacyLossDistribution("few cells", ((LawBounds(laws.upper, laws.lower), 1),))
        for epsilon in epsilons(sigma, rate):
            truth = naive.sampled_gaussian_delta(sigma, rate, arb(epsilon), backward=backward)
            assert contains(one.delta(epsilon), truth), (epsilon, backward)


@pytest.mark.parametrize("mu", [1e-6, 0.02, 1.0, 3.0, 40.0])
@pytest.mark.parametrize("rate", [1e-250, 1e-6, 0.01, 0.5, 1 - 1e-9])
@pytest.mark.parametrize("count", [10, 300, 1500])
def test_edges_are_few_in_order_and_as_close_as_the_rule_needs(mu, rate, count):
    edges = few_edges(mu, rate, count)
    assert edges[0] == -13.0 and abs(edges[-1] - (mu + 13.0)) < 1e-9
    assert 0.5 * mu in edges
    widths, far = np.diff(edges), np.maximum(np.abs(edges), np.abs(edges - mu))
    assert np.all(widths > 0.0)
    # At the finest cells it is 0.05 times 39, and 2 more than covers those next to the edge of the loss 0.
    assert np.all(widths * (np.maximum(far[1:], far[:-1]) + 1.0) <= 3.3)
    assert count / 2 <= edges.size <= count + 300 + 40 * mu


def by_fourier(steps, epsilon, theta, backward):
    """Return delta by plain trapezoidal rules in x and in s: errors near 1e-11, no bound given."""
    s = np.arange(0.0, 400.0, 0.02)
    logs = np.zeros(s.size, dtype=complex)
    for sigma, rate in steps:
        mu = 1 / sigma
        x = np.arange(-14.0, 14.0 + mu, 0.02)
        q = np.exp(-0.5 * x**2) / np.sqrt(2 * np.pi)
        loss = np.log1p(rate * np.expm1(mu * x - 0.5 * mu * mu))
        law = q * np.exp(loss)
        if backward:
            loss, law = -loss, q
        phase = np.exp(1j * 0.02 * loss)
        weights = (law * np.exp(theta * loss)).astype(complex)
        mgf = np.empty(s.size, dtype=complex)
        for n in range(s.size):
            mgf[n] = weights.sum()
            weights *= phase
        logs += np.log(mgf * 0.02)
    z = theta + 1j * s
    terms = np.exp(logs - z * epsilon) / (z * (z + 1))
    return 0.02 * (2 * np.sum(terms.real) - terms[0].real) / (2 * np.pi)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("steps", "epsilon", "theta", "backward"),
    [
        (schedule(12, rate=0.2), 2.0, 4.0, False),
        (schedule(12, rate=0.2), 2.0, 4.0, True),
        (schedule(30, 3.0, rate=0.1), 1.5, 5.0, False),
    ],
)
def test_schedules_agree_with_plain_rules(steps, epsilon, theta, backward):
    mechanism = composed(steps)
    interval = (mechanism.reversed if backward else mechanism).one_way.delta(epsilon)
    truth = by_fourier(steps, epsilon, theta, backward)
    assert interval.lower <= truth * (1.0 + 1e-7) and interval.upper >= truth * (1.0 - 1e-7)
    assert interval.relative_width <= 2e-3


def bracket(steps, epsilons_asked, step=2.0**-9):
    """Return ends of delta with the record removed: losses rounded up and down to a lattice, and convolved.

    Masses between two losses come from erfc; sums and functions are off by less than 1e-11 of each number.
    """
    low = high = np.ones(1)
    first_low = first_high = 0
    for sigma, rate in steps:
        mu = 1 / sigma
        top = log1p(rate * expm1(mu * (mu + 9.0) - 0.5 * mu * mu))
        begin, end = math.floor(log1p(-rate) / step), math.ceil(top / step)

        def place(loss, mu=mu, rate=rate):
            inside = 1.0 + expm1(loss) / rate
            return (math.log(inside) + 0.5 * mu * mu) / mu if inside > 0.0 else -math.inf

        places = [-math.inf, *(place(k * step) for k in range(begin + 1, end)), math.inf]

        def beyond(x, centre):
            return 0.5 * erfc((x - centre) / sqrt(2.0))

        mass = np.array(
            [
                (1.0 - rate) * (beyond(a, 0.0) - beyond(b, 0.0)) + rate * (beyond(a, mu) - beyond(b, mu))
                for a, b in zip(places, places[1:], strict=False)
            ]
        )
        mass = np.maximum(mass, 0.0)
        low, high = np.convolve(low, mass), np.convolve(high, mass)
        first_low, first_high = first_low + begin, first_high + begin + 1
    # The last cell of a step has no end: its mass counts as infinite from above.
    lost = sum(0.5 * erfc(9.0 / sqrt(2.0)) for _ in steps)

    def value(law, first, epsilon):
        losses = step * (first + np.arange(law.size))
        return float(law @ np.maximum(-np.expm1(epsilon - losses), 0.0))

    return [
        (value(low, first_low, e) * (1 - 1e-9) - 1e-12, value(high, first_high, e) * (1 + 1e-9) + 1e-12 + lost)
        for e in epsilons_asked
    ]


@pytest.mark.parametrize(("count", "rate"), [(9, 0.1), (20, 0.02), (40, 0.3)])
def test_schedules_lie_in_what_rounded_losses_leave(count, rate):
    steps, asked = schedule(count, 2.0, rate), [0.0, 0.3, 1.0, 2.5]
    mechanism = composed(steps).one_way
    for epsilon, (low, high) in zip(asked, bracket(steps, asked), strict=True):
        interval = mechanism.delta(epsilon)
        assert interval.lower <= high and interval.upper >= low
        assert interval.relative_width <= 2e-3 or interval.upper < 1e-9


@pytest.mark.parametrize("delta", [1e-3, 1e-6, 1e-12])
def test_a_schedule_lies_between_its_least_and_its_largest_noise(delta):
    steps = [(1.0 + 0.1 * i / 60, 0.02) for i in range(61)]
    interval = composed(steps).epsilon(delta)
    least, most = (pld.subsampled_gaussian(sigma, 0.02).compose(61).epsilon(delta) for sigma in (1.1, 1.0))
    assert least.lower <= interval.upper and interval.lower <= most.upper
    assert interval.relative_width <= 2e-4


def test_what_few_cells_leave_out_is_charged():
    laws = _cut(lambda number: sampled_gaussian_cells(1.0, 0.1, number), False, 300)
    assert laws.upper.cut >= erfc(13.0 / sqrt(2.0)) * (1.0 + 1e-9)
    assert _cut(lambda number: sampled_gaussian_cells(1.0, 0.1, number), False, None).upper.cut < 1e-300


@pytest.mark.long
def test_tiny_deltas_have_the_finest_cells():
    steps = [(2.0 + 0.01 * i, 0.01) for i in range(12)]
    interval = composed(steps).epsilon(1e-60)
    assert 0.0 < interval.lower <= interval.upper < 1.2 * interval.lower
    # Few cells end at 13 deviations, where delta is some 1e-38.
    assert composed(steps).delta(exp(0.1) * interval.upper).upper < 1e-60
