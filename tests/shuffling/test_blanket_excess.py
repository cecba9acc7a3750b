"""The excess by a blanket's weights: its inequalities on random numbers, its moments and tails against enumeration."""

import itertools
import math

import mpmath
import numpy as np
import pytest

import pldcheck
from pldcheck import Shuffle
from pldcheck.hidden_slot.replaced.line_two_groups import delta_upper
from pldcheck.shuffling import blanket_excess, message_randomizers, noise_cells, noise_client_fewer
from pldcheck.shuffling.blanket_excess import BlanketExcess, BlanketGains, Thinned
from pldcheck.shuffling.message_candidates import lower_candidate

# Three outputs: two laws, their minimum, and the blanket's density.
FIRST, SECOND = np.array([0.5, 0.3, 0.2]), np.array([0.2, 0.3, 0.5])
BLANKET = np.minimum(FIRST, SECOND)
WEIGHTS = BLANKET / BLANKET.sum()
GAINS = BlanketGains(
    np.concatenate([FIRST - SECOND, SECOND - FIRST]) / np.concatenate([WEIGHTS, WEIGHTS]),
    np.zeros(6),
    0.5 * np.concatenate([WEIGHTS, WEIGHTS]),
    float(BLANKET.sum()),
    float((FIRST**2 / WEIGHTS).sum()),
    0.0,
)


def sums(m):
    """Yield h and both weights of m messages of the blanket, and the probability."""
    h, a, b = (FIRST - SECOND) / WEIGHTS, FIRST / WEIGHTS, SECOND / WEIGHTS
    for outputs in itertools.product(range(3), repeat=m):
        chosen = list(outputs)
        yield h[chosen], a[chosen], b[chosen], float(np.prod(WEIGHTS[chosen]))


def over_pairs(first, second):
    return (first.sum() * second.sum() - (first * second).sum()) / (first.size * (first.size - 1))


@pytest.mark.nightly
@pytest.mark.parametrize("m", [2, 5, 8])
def test_e_and_d_are_above_their_means_over_all_outputs(m):
    for nu, more, theta, rest in itertools.product((0.01, 0.2), (0.02, 0.3), (0.3, 0.8), (1e-12, 0.1)):
        table = blanket_excess._Exponents(GAINS, m, rest)
        share = 1.0 - nu
        positive = negative = below = 0.0
        for h, a, b, chance in sums(m):
            x_2, q_2 = -0.5 * over_pairs(h, h), over_pairs(a, b)
            positive += chance * max(share * x_2 - more * q_2, 0.0)
            negative += chance * max(-share * x_2 - nu * q_2, 0.0)
            below += chance * max(theta - q_2, 0.0)
        tail = theta * math.exp(-(m // 2) * (1 - theta) ** 2 / (2 * GAINS.second**2))
        assert below <= tail * (1 + 1e-12)
        assert negative <= (rest + nu * tail + table.squares(nu, theta, share)) * (1 + 1e-12)
        assert positive <= (rest + more * tail + table.sums(more, theta, share)) * (1 + 1e-12)
        assert table.squares(nu, theta, share) <= 40 * max(negative, 1e-3)  # it says something


def test_the_split_of_step_4_is_above_what_it_splits():
    draw = np.random.default_rng(3)
    for _ in range(20_000):
        x_1, x_2, (q_1, q_2, nu, zeta) = *draw.normal(size=2), draw.random(4)
        beta = nu + draw.random()
        value = max(x_1 * ((1 - nu) * x_2 + nu * q_2) - zeta * q_1 * q_2, 0.0)
        e, d = max((1 - nu) * x_2 - (beta - nu) * q_2, 0.0), max(-(1 - nu) * x_2 - nu * q_2, 0.0)
        bound = beta * q_2 * max(x_1 - q_1 * zeta / beta, 0.0) + e * max(x_1, 0.0) + d * max(-x_1, 0.0)
        assert value <= bound + 1e-12


def test_exponentials_bound_positive_parts():
    for a, b, rate, s in itertools.product((0.01, 2.0), (0.001, 0.7), (0.1, 3.0), np.linspace(-40, 40, 161)):
        peak = (1 + math.sqrt(1 + rate * rate * b / a)) / rate
        bound = 2 * a * peak / rate * math.exp(-rate * peak) * 2 * math.cosh(rate * s)
        assert max(a * s * s - b, 0.0) <= bound * (1 + 1e-12)
        assert max(a * s * s - b, 0.0) <= a / rate * math.exp(min(rate * (s * s - b / a) - 1, 700.0)) * (1 + 1e-12)


@pytest.mark.nightly
@pytest.mark.parametrize("sigma", [1.0, 3.0, 10.0])
def test_moments_of_gaussian_gains_are_above_quadrature(sigma):
    gains = blanket_excess.gaussian_gains(sigma)
    with mpmath.workdps(30):

        def density(place):
            return lambda y: mpmath.npdf(y, place, sigma)

        first, second = density(0), density(1)
        part = 2 * mpmath.ncdf(-mpmath.mpf(1) / (2 * mpmath.mpf(sigma)))
        assert part * (1 - mpmath.mpf(10) ** -9) <= gains.part <= part
        ends = [-40 * sigma, -5 * sigma, 0, 0.5]
        square = part * 2 * mpmath.quad(lambda y: (first(y) - second(y)) ** 2 / second(y), ends)
        mean = gains.mean(lambda h: h * h, 0.0, 0.0)
        assert square <= mean <= square * 1.02
        half = mpmath.quad(lambda y: first(y) ** 2 / second(y), ends)
        rest = mpmath.quad(first, [0.5, 1, 5 * sigma, 40 * sigma])
        assert part * (half + rest) * (1 - 1e-12) <= gains.second <= part * (half + rest) * (1 + 1e-9)


@pytest.mark.nightly
@pytest.mark.parametrize("n", [10, 300, 5000])
def test_counts_of_the_second_kind_have_no_larger_tails(n):
    excess = BlanketExcess(n, GAINS, lambda _: noise_cells.gaussian(1.0, n, 1e-9).above)
    p = (1 - blanket_excess.OMEGA) * GAINS.part
    for chance in (1e-2, 1e-6, 1e-20):
        count = excess._count(chance)
        with mpmath.workdps(30):
            no = 1 - mpmath.mpf(p)
            tail = sum(mpmath.binomial(n - 3, k) * mpmath.mpf(p) ** k * no ** (n - 3 - k) for k in range(count))
        assert tail <= chance


def test_thinned_messages_are_those_of_a_smaller_blanket():
    """Two messages: the mean of all outcomes of the identity for shuffled pairs."""
    cells = noise_cells.laplace(1.0, 2).above
    thin = Thinned(cells, 2, 0.4)
    for epsilon in (0.0, 0.3):
        values, masses, _ = cells.dispersed_gains(epsilon)
        law = [(v / 0.4, 0.4 * m) for v, m in zip(values, masses, strict=True)] + [(0.0, 0.6)]
        gains, chances = (np.array(one) for one in zip(*law, strict=True))
        truth = float(chances @ np.maximum(np.add.outer(gains, gains), 0.0) @ chances) / 2
        assert truth * (1 - 1e-9) <= thin.delta(epsilon).upper <= truth * 1.01


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("n", "sigma", "delta", "width"),
    [(1000, 3.0, 1e-6, 0.035), (10**5, 1.0, 1e-6, 0.06), (10**5, 3.0, 1e-12, 0.03), (10**6, 10.0, 1e-6, 0.04)],
)
def test_gaussian_messages_are_narrow(n, sigma, delta, width):
    interval = pldcheck.Shuffle(n, 1.0, f"gaussian:{sigma:g}").epsilon(delta)
    assert interval.lower < interval.upper <= interval.lower * (1 + width)
    assert interval.sources[1] == noise_client_fewer.NAME


@pytest.mark.nightly
@pytest.mark.parametrize(("n", "sigma"), [(200, 5.0), (1000, 2.0), (10**4, 1.0)])
def test_the_bound_is_above_all_data_that_are_known(n, sigma):
    below = message_randomizers.gaussian(sigma, n, 1e-9).below
    bound = noise_client_fewer.of_gaussian(n, sigma, below)
    for delta in (1e-3, 1e-6):
        _, upper, _ = bound.epsilon(delta)
        assert max(lower_candidate(one, n, 1e-6, math.inf).epsilon(delta)[0] for one in below) <= upper
        if upper < math.inf:
            assert bound.delta(upper).upper <= 2 * delta


@pytest.mark.nightly
def test_rare_large_gains_are_seen_from_below():
    interval = pldcheck.Shuffle(1000, 1.0, "gaussian:1").epsilon(1e-12)
    assert interval.lower > 0.87  # 0.337 where tails are cut into cells of their own


@pytest.mark.nightly
@pytest.mark.parametrize(("n", "sigma", "delta"), [(1400, 1.0, 1e-8), (1000, 1.2, 1e-10), (3000, 1.0, 1e-12)])
def test_where_no_share_of_the_difference_serves_other_bounds_do(n, sigma, delta):
    answer = Shuffle(n, 1.0, f"gaussian:{sigma}").epsilon(delta)
    assert 0.0 < answer.lower <= answer.upper < 10.0


@pytest.mark.nightly
def test_noise_beyond_what_is_served_is_not_bounded():
    assert delta_upper(20.0, 100, 0.1, 0.1) == 1.0
