"""The Gaussian mechanism on Poisson samples, a record replaced: closed forms, lattices, and vectors in the plane."""

import math
from math import erfc, exp, sqrt

import mpmath as mp
import naive
import numpy as np
import pytest
from certificates import contains

from pldcheck import Composition, SubsampledGaussian, pld
from pldcheck.core.errors import ParameterError
from pldcheck.pld.discrete_pairs import symmetric_cut
from pldcheck.pld.replaced_gaussian import replaced_gaussian_cells

SIGMAS = [0.1, 0.35, 1.0, 3.0, 100.0, 1e9]
RATES = [1e-100, 1e-9, 0.01, 0.5, 0.999, 1 - 1e-9]


def epsilons(sigma, rate):
    """Return epsilons up to where delta is about 1e-200."""
    largest = math.log1p(rate * math.expm1(min(25.0 / sigma, 300.0))) + 25.0 / sigma
    return [0.0, *(share * largest for share in (1e-9, 0.01, 0.1, 0.3, 0.6, 0.9))]


@pytest.mark.parametrize("sigma", SIGMAS)
@pytest.mark.parametrize("rate", RATES)
def test_one_step_encloses_its_closed_form(sigma, rate):
    one = pld.replaced_subsampled_gaussian(sigma, rate)
    for epsilon in epsilons(sigma, rate):
        truth, interval = naive.replaced_gaussian_delta(sigma, rate, epsilon), one.delta(epsilon)
        assert contains(interval, truth), epsilon
        if rate >= 0.01 and truth > 1e-9:
            assert interval.relative_width < 1e-3, epsilon


@pytest.mark.parametrize("sigma", [0.1, 1.0, 30.0])
@pytest.mark.parametrize("rate", [1e-6, 0.01, 0.7])
@pytest.mark.parametrize("count", [60, 1000])
def test_few_cells_enclose_the_closed_form(sigma, rate, count):
    one = symmetric_cut(lambda _: replaced_gaussian_cells(sigma, rate, count), "few cells")
    for epsilon in epsilons(sigma, rate):
        assert contains(one.delta(epsilon), naive.replaced_gaussian_delta(sigma, rate, epsilon)), epsilon


def test_cells_are_those_of_the_mirrored_pair():
    for count in (None, 100):
        cells = replaced_gaussian_cells(0.7, 0.2, count)
        # Exponentials of vectors may differ by a round-off where they stand at another place of it.
        assert np.array_equal(cells.p, cells.q[::-1])
        assert np.allclose(cells.rise, cells.fall[::-1], rtol=4.0 * 2.0**-53, atol=0.0)
        assert np.array_equal(cells.low, -cells.high[::-1]) and 0.0 in cells.low


def test_all_records_in_the_sample_are_gaussian_noise_on_opposite_vectors():
    for sigma, epsilon in ((1.3, 0.5), (7.0, 1e-3)):
        assert pld.replaced_subsampled_gaussian(sigma, 1.0).delta(epsilon) == pld.gaussian(sigma / 2).delta(epsilon)
        almost = pld.replaced_subsampled_gaussian(sigma, 1 - 2**-53).delta(epsilon)
        assert contains(almost, naive.replaced_gaussian_delta(sigma, 1 - 2**-53, epsilon))


def renyi_by_quadrature(sigma, rate, order):
    """Return the Renyi divergence by a plain rule with 25 digits."""
    with mp.workdps(25):
        mu, q, a = 1 / mp.mpf(sigma), mp.mpf(rate), mp.mpf(order)

        def integrand(x):
            up, down = (1 - q + q * mp.exp(side * mu * x - mu * mu / 2) for side in (1, -1))
            return up**a * down ** (1 - a) * mp.npdf(x)

        peak = (2 * a - 1) * mu
        total = mp.quad(integrand, mp.linspace(-15, float(peak) + 15, 30))
        return mp.log(total) / (a - 1)


@pytest.mark.nightly
@pytest.mark.parametrize(("sigma", "rate"), [(1.0, 0.01), (0.5, 0.2), (2.0, 0.5)])
@pytest.mark.parametrize("order", [1.5, 4.0, 20.0, 100.0])
def test_renyi_divergences_enclose_a_quadrature_and_are_finite_at_any_order(sigma, rate, order):
    interval, truth = (
        pld.replaced_subsampled_gaussian(sigma, rate).renyi(order),
        renyi_by_quadrature(sigma, rate, order),
    )
    assert interval.lower <= truth * (1 + mp.mpf(10) ** -12) and truth * (1 - mp.mpf(10) ** -12) <= interval.upper
    # Beyond the orders that the cells serve, the upper end has the least density of the other law.
    assert interval.upper - interval.lower <= 1e-3 * interval.lower - 1.01 * math.log1p(-rate) * (
        order > 4.0
    ) * order / (order - 1)


def bracket(sigma, rate, steps, asked, step=2.0**-7):
    """Return ends of delta by losses rounded up and down to a lattice and convolved; functions are off by 1e-11."""
    mu, reach = 1 / sigma, 9.0

    def mixture(x, centre):
        return 0.5 * ((1 - rate) * erfc(x / sqrt(2.0)) + rate * erfc((x - centre) / sqrt(2.0)))

    def place(loss):
        half = 0.5 * math.expm1(loss) * (1 - rate) / rate * exp(0.5 * mu * mu)
        return math.log(half + sqrt(half * half + exp(loss))) / mu

    largest = math.log1p(rate * math.expm1(mu * reach - 0.5 * mu * mu)) + mu * reach
    end = math.ceil(largest / step)
    places = [-math.inf, *(place(k * step) for k in range(1 - end, end)), math.inf]
    mass = np.array([max(mixture(a, mu) - mixture(b, mu), 0.0) for a, b in zip(places, places[1:], strict=False)])
    low = high = np.ones(1)
    for _ in range(steps):
        low, high = np.convolve(low, mass), np.convolve(high, mass)

    def value(law, first, epsilon):
        return float(law @ np.maximum(-np.expm1(epsilon - step * (first + np.arange(law.size))), 0.0))

    lost = steps * mixture(place((end - 1) * step), mu)  # the last cell of a step has no end
    return [
        (
            value(low, -end * steps, e) * (1 - 1e-9) - 1e-12,
            value(high, (1 - end) * steps, e) * (1 + 1e-9) + 1e-12 + lost,
        )
        for e in asked
    ]


@pytest.mark.parametrize(("sigma", "rate", "steps"), [(1.0, 0.1, 5), (2.0, 0.5, 12), (0.8, 0.01, 20)])
def test_compositions_lie_in_what_rounded_losses_leave(sigma, rate, steps):
    asked = [0.1, 0.7, 2.0]
    whole = pld.replaced_subsampled_gaussian(sigma, rate).compose(steps)
    for (low, high), epsilon in zip(bracket(sigma, rate, steps, asked), asked, strict=True):
        interval = whole.delta(epsilon)
        assert low <= interval.lower and interval.upper <= high and interval.relative_width < 1e-3


def test_no_two_vectors_in_the_plane_are_worse():
    random = np.random.default_rng(5)
    grid = np.arange(-12.0, 12.0, 0.05)
    x, y = np.meshgrid(grid, grid)
    central = np.exp(-0.5 * (x * x + y * y)) * 0.05**2 / (2 * np.pi)
    for _ in range(40):
        sigma, rate, epsilon = random.uniform(0.5, 2.0), random.uniform(0.05, 1.0), random.uniform(0.0, 2.0)
        (a, b), (c, d) = (random.uniform(0, 1) ** 0.3 / sigma * np.array([np.cos(t), np.sin(t)])
                          for t in random.uniform(0, 2 * np.pi, 2))  # fmt: skip
        p = 1 - rate + rate * np.exp(a * x + b * y - 0.5 * (a * a + b * b))
        q = 1 - rate + rate * np.exp(c * x + d * y - 0.5 * (c * c + d * d))
        delta = float(np.sum(central * np.maximum(p - exp(epsilon) * q, 0.0)))
        # The rule's error is that of a kink on a grid of 0.05.
        assert delta * (1 - 1e-3) <= pld.replaced_subsampled_gaussian(sigma, rate).delta(epsilon).upper


def test_rounds_of_it_are_for_a_record_replaced():
    protocol = SubsampledGaussian(1.0, 0.01, steps=100, sampling="poisson-replaced")
    assert protocol.adjacency == "replace" and "Poisson" in protocol.scope
    text = Composition(("replaced-subsampled-gaussian:1:0.01*100",))
    assert text.epsilon(1e-6) == protocol.epsilon(1e-6) and "replaced" in text.scope
    with pytest.raises(ParameterError, match="not both"):
        Composition(("replaced-subsampled-gaussian:1:0.01", "subsampled-gaussian:1:0.01"))


@pytest.mark.parametrize(("sigma", "rate", "name"), [(0.09, 0.1, "sigma"), (1.0, 1e-101, "rate"), (1.0, 0.0, "rate")])
def test_numbers_out_of_range_are_refused(sigma, rate, name):
    with pytest.raises(ParameterError, match=name):
        pld.replaced_subsampled_gaussian(sigma, rate)
