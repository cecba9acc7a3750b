from math import expm1, log1p

import mpmath
import naive
import numpy as np
import pytest
from certificates import contains
from flint import arb

from pldcheck import pld
from pldcheck.pld.sampled_mechanisms import fine_edges, gaussian_cells

SIGMAS = [0.1, 0.3, 1.0, 2.0, 50.0, 1e6]
RATES = [1e-6, 1e-3, 0.1, 0.5, 0.9, 0.999, 1 - 1e-9]


def epsilons(sigma, rate):
    """Return epsilons from 0 to the loss at eight deviations."""
    top = log1p(rate * expm1(min(8 / sigma + 0.5 / sigma**2, 700.0)))
    return [0.0, *(share * top for share in (1e-3, 0.03, 0.3, 0.7, 1.0))]


@pytest.mark.parametrize("sigma", SIGMAS)
@pytest.mark.parametrize("rate", RATES)
def test_one_step_agrees_with_the_closed_form_in_both_directions(sigma, rate):
    mechanism = pld.subsampled_gaussian(sigma, rate)
    for epsilon in epsilons(sigma, rate):
        for one, backward in ((mechanism.one_way, False), (mechanism.reversed.one_way, True)):
            interval = one.delta(epsilon)
            truth = naive.sampled_gaussian_delta(sigma, rate, arb(epsilon), backward=backward)
            assert contains(interval, truth), (epsilon, backward)
            # Beyond six deviations or so one step is a cell: 5 % of its mass.
            assert truth < 1e-9 or interval.relative_width <= 1e-3, (epsilon, backward, interval)


def two_steps(sigma, rate, epsilon):
    """Return delta by the loss of the first step times the closed form of the second, the quadrature at 25 digits."""
    with mpmath.workdps(25):
        mu = 1 / mpmath.mpf(sigma)

        def density(x, centre):
            return mpmath.exp(-((x - centre) ** 2) / 2) / mpmath.sqrt(2 * mpmath.pi)

        def integrand(x):
            loss = mpmath.log(1 - rate + rate * mpmath.exp(mu * x - mu * mu / 2))
            one = naive.sampled_gaussian_delta(sigma, rate, arb(mpmath.nstr(epsilon - loss, 25)), backward=False)
            return mpmath.mpf(one.str(20, radius=False)) * ((1 - rate) * density(x, 0) + rate * density(x, mu))

        return arb(mpmath.nstr(mpmath.quad(integrand, mpmath.linspace(-10, 10 + mu, 23)), 17))


@pytest.mark.nightly
@pytest.mark.parametrize(("sigma", "rate", "epsilon"), [(1.0, 0.1, 0.5), (2.0, 0.3, 0.1), (0.6, 0.02, 1.5)])
def test_two_steps_agree_with_quadrature(sigma, rate, epsilon):
    interval = pld.subsampled_gaussian(sigma, rate).compose(2).one_way.delta(epsilon)
    assert contains(interval, two_steps(sigma, rate, epsilon))
    # Two steps hardly smooth the ends of the cells: 3.8e-3 seen.
    assert interval.relative_width <= 1e-2


def by_fourier(sigma, rate, copies, epsilon, theta, backward, step=0.02):
    """Return delta by plain trapezoidal rules in x and in s: errors near 1e-11, no bound given."""
    mu = 1 / sigma
    x = np.arange(-14.0, 14.0 + mu, step)
    q = np.exp(-0.5 * x**2) / np.sqrt(2 * np.pi)
    loss = np.log1p(rate * np.expm1(mu * x - 0.5 * mu * mu))
    law = q * np.exp(loss)
    if backward:
        loss, law = -loss, q
    s = np.arange(0.0, 400.0, 0.02)
    z = theta + 1j * s
    mgf = np.array([np.sum(law * np.exp(w * loss)) for w in z]) * step
    terms = mgf**copies * np.exp(-z * epsilon) / (z * (z + 1))
    return 0.02 * (2 * np.sum(terms.real) - terms[0].real) / (2 * np.pi)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("sigma", "rate", "epsilon", "theta", "backward"),
    [(1.0, 0.1, 2.0, 3.0, False), (1.0, 0.5, 6.0, 1.5, False), (0.8, 0.9, 5.0, 1.0, True)],
)
def test_ten_steps_agree_with_an_independent_transform(sigma, rate, epsilon, theta, backward):
    both = pld.subsampled_gaussian(sigma, rate).compose(10)
    interval = (both.reversed if backward else both).one_way.delta(epsilon)
    truth = by_fourier(sigma, rate, 10, epsilon, theta, backward)
    # What another grid changes, ten times, and what so many sums of doubles are rounded by.
    doubt = 10 * abs(truth - by_fourier(sigma, rate, 10, epsilon, theta, backward, 0.03)) + 1e-13
    assert doubt < 1e-6 * truth
    assert interval.lower <= truth + doubt and truth - doubt <= interval.upper
    assert interval.relative_width <= 2e-3


@pytest.mark.parametrize(("sigma", "rate"), [(1.0, 0.5), (2.0, 0.01), (0.5, 0.1), (10.0, 0.9)])
@pytest.mark.parametrize("order", [2, 3, 8, 16, 64, 200])
def test_the_renyi_divergence_agrees_with_its_sum_at_integer_orders(sigma, rate, order):
    interval = pld.subsampled_gaussian(sigma, rate).renyi(order)
    truth = naive.sampled_gaussian_renyi(sigma, rate, order)
    assert contains(interval, truth)
    # Beyond order 28.6 sigma the cells are too short, and the moment is integrated.
    assert interval.relative_width <= 1e-2, interval


def test_thousands_of_rare_steps_are_narrow():
    # The setting of DP-SGD papers: sigma 1.1, rate 0.01, 10^4 steps.
    interval = pld.subsampled_gaussian(1.1, 0.01).compose(10**4).epsilon(1e-5)
    assert 0.0 < interval.relative_width <= 1e-3


@pytest.mark.parametrize("sigma", [0.03, 0.06])
@pytest.mark.parametrize("copies", [1, 3])
def test_little_noise_is_answered(sigma, copies):
    # Losses beyond 709, the largest logarithm of a double: with warnings off, one step was answered by [0, 0].
    interval = pld.subsampled_gaussian(sigma, 0.1).compose(copies).epsilon(1e-5)
    assert 0.4 / sigma**2 < interval.lower <= interval.upper


def test_the_far_tail_is_enclosed_where_epsilon_is_the_end_of_a_cell():
    # Five Gauss-Legendre points on a cell of 0.05 at 30 deviations: 2e-10 of its mass, 3e-13 claimed.
    ends = gaussian_cells(1.0, fine_edges(1.0)).high
    for x in (10.0, 20.0, 25.0, 30.0, 35.0):
        loss = log1p(0.5 * expm1(ends[np.argmin(np.abs(ends + 0.5 - x))]))
        interval = pld.subsampled_gaussian(1.0, 0.5).one_way.delta(loss)
        assert contains(interval, naive.sampled_gaussian_delta(1.0, 0.5, arb(loss), backward=False)), x


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("sigma", "rate", "copies", "delta"),
    [(3.3, 0.01, 88, 4e-10), (2.0, 0.006, 46, 7e-5), (1.1, 0.002, 147, 1e-8), (1.0, 1e-6, 10**4, 1e-9)],
)
def test_heavy_tails_of_rare_sampling_do_not_widen_the_answer(sigma, rate, copies, delta):
    # Without trimming, the tail kept the tilt low: relative widths of 0.15 to 1000 were seen.
    mechanism = pld.subsampled_gaussian(sigma, rate).compose(copies)
    epsilon = mechanism.epsilon(delta)
    assert epsilon.relative_width < 1e-2
    at_upper, at_lower = mechanism.delta(epsilon.upper), mechanism.delta(epsilon.lower)
    assert at_upper.lower <= delta <= at_lower.upper
    assert at_upper.relative_width < 0.2


@pytest.mark.nightly
@pytest.mark.parametrize("drop", [True, False])
def test_trimming_errs_on_its_side_by_no_more_than_the_mass(drop):
    from pldcheck.pld import curve_inversion
    from pldcheck.pld.loss_total import Total

    law = pld.subsampled_gaussian(1.0, 0.1).forward[0][0].upper
    total = Total.of([(law, 3)])
    for mass in (1e-3, 1e-6, 1e-12):
        trim = total.trim(mass, drop=drop)
        assert np.count_nonzero(trim.masses) < np.count_nonzero(total.masses)
        for epsilon in (0.3, 1.0):
            plain, other = (curve_inversion.delta(one, np.array([epsilon]), 1e-6)[0] for one in (total, trim))
            if drop:
                assert plain.lower - 1.01 * mass <= other.upper and other.lower <= plain.upper
            else:
                assert other.lower <= plain.upper + 1.01 * mass and plain.lower <= other.upper
