import math

import mpmath
import pytest

from pldcheck.core.directed import UNIT
from pldcheck.kernels.binomial_tails import (
    blocks_lower,
    deviance,
    log_pmf,
    log_pmf_range,
    stirling_error,
    strided_excess_lower,
    upper_tail,
)

mpmath.mp.dps = 60


@pytest.mark.parametrize("n", [*range(1, 40), 100, 12345, 10**9, 10**12])
def test_stirling_error_within_two_units(n):
    exact = mpmath.loggamma(n + 1) - (n + mpmath.mpf(1) / 2) * mpmath.log(n) + n - mpmath.log(2 * mpmath.pi) / 2
    assert abs(stirling_error(float(n)) - exact) <= 2 * UNIT


@pytest.mark.parametrize("mean", [0.3, 7.7, 1e3 / 3, 1e6 / 7, 2.7e11])
@pytest.mark.parametrize("ratio", [0.2, 0.9, 0.999999, 1.0, 1.0000001, 1.05, 1.3, 4.0])
def test_deviance_within_its_bound(mean, ratio):
    x = mean * ratio
    value, error = deviance(x, mean)
    mx, mm = mpmath.mpf(x), mpmath.mpf(mean)
    exact = mx * mpmath.log(mx / mm) + mm - mx
    assert abs(value - exact) <= error
    assert error <= 1e-12 * (1 + x)


@pytest.mark.parametrize("n", [1, 2, 17, 400, 10**6, 10**9, 10**12])
@pytest.mark.parametrize("eps0", [0.1, 1.0, 4.0])
@pytest.mark.parametrize("z", [-6.0, -0.3, 0.0, 2.0, 9.0])
def test_log_pmf_within_its_bound(n, eps0, z):
    p, q = 1 / (1 + math.exp(eps0)), 1 / (1 + math.exp(-eps0))
    k = min(max(int(n * p + z * math.sqrt(n * p * q)), 0), n)
    value, error = log_pmf(n, k, p, q)
    mp = 1 / (1 + mpmath.exp(mpmath.mpf(eps0)))
    with mpmath.workdps(80):
        exact = (
            mpmath.loggamma(n + 1)
            - mpmath.loggamma(k + 1)
            - mpmath.loggamma(n - k + 1)
            + k * mpmath.log(mp)
            + (n - k) * mpmath.log(1 - mp)
        )
    assert abs(value - exact) <= error
    assert error < 1e-7


@pytest.mark.parametrize("n", [1, 2, 17, 400, 10**6, 10**12])
@pytest.mark.parametrize("p", [0.5, 0.3, 1e-3, 1.0 - 2.0**-20, 1e-11])
def test_logarithms_of_a_range_are_those_of_single_places(n, p):
    """Each agrees with that of the kernel and is within the error of the truth."""
    q = 1.0 - p
    around = min(max(int(n * p) - 20, 0), n)
    for first in {0, min(1, n), around, n // 2, max(n - 30, 0), n}:
        logs, most = log_pmf_range(n, first, min(60, n + 1 - first), p, q)
        single = [log_pmf(n, first + i, p, q) for i in range(logs.size)]
        assert logs.tolist() == pytest.approx([value for value, _ in single], rel=1e-15, abs=1e-15)
        assert most == pytest.approx(max(error for _, error in single), rel=1e-12)
        exact_p = mpmath.mpf(p)
        for i in {0, logs.size // 2, logs.size - 1}:
            k = first + i
            choices = mpmath.loggamma(n + 1) - mpmath.loggamma(k + 1) - mpmath.loggamma(n - k + 1)
            exact = choices + k * mpmath.log(exact_p) + (n - k) * mpmath.log(1 - exact_p)
            assert abs(logs[i] - exact) <= most


@pytest.mark.parametrize("n", [1, 5, 60, 700])
@pytest.mark.parametrize("eps0", [0.2, 1.5, 6.0])
@pytest.mark.parametrize("z", [0.01, 1.0, 5.0, 12.0])
def test_the_upper_tail_agrees_with_its_sum_term_by_term(n, eps0, z):
    p, q, odds = 1 / (1 + math.exp(eps0)), 1 / (1 + math.exp(-eps0)), math.exp(-eps0)
    tau = n * p + z * math.sqrt(n * p * q)
    tail, excess, relative, omission = upper_tail(n, p, q, odds, tau)
    mp = 1 / (1 + mpmath.exp(mpmath.mpf(eps0)))
    terms = [(j, mpmath.binomial(n, j) * mp**j * (1 - mp) ** (n - j)) for j in range(math.ceil(tau), n + 1)]
    exact_tail = sum((term for _, term in terms), mpmath.mpf(0))
    exact = sum((term * (j - mpmath.mpf(tau)) for j, term in terms), mpmath.mpf(0))
    assert excess * (1 - relative) <= exact <= (excess + omission) * (1 + relative)
    assert tail * (1 - relative) <= exact_tail
    assert relative < 1e-11 and omission <= 1e-15 * excess


@pytest.mark.parametrize("n", [10**4, 10**7, 10**10])
@pytest.mark.parametrize("z", [0.0, 0.5, 5.0, 12.0])
@pytest.mark.parametrize("share", [0.003, 0.03, 0.3])
def test_strided_sum_is_below_the_whole_one_and_near(n, z, share):
    tau = n / 2 + z * math.sqrt(n) / 2
    stride = max(int(share * math.sqrt(n) / 2), 1)
    _, excess, relative, omission = upper_tail(n, 0.5, 0.5, 1.0, tau)
    lower_sum = strided_excess_lower(n, 0.5, 0.5, tau, stride)
    assert lower_sum <= (excess + omission) * (1 + relative)
    # The chords lose share^2/12 of the sum or less.
    assert lower_sum >= excess * (1 - share**2 / 8 - 1e-6)


@pytest.mark.parametrize("start", [0, 300, 900, 1700])
@pytest.mark.parametrize("size", [1, 2, 40, 250])
@pytest.mark.parametrize("count", [1, 7])
def test_blocks_are_below_the_sum_of_their_terms_and_near(start, size, count):
    n, p = 4000, 0.225
    place, exact = mpmath.mpf(p), mpmath.mpf(0)
    term = mpmath.binomial(n, start) * place**start * (1 - place) ** (n - start)
    for j in range(start, start + count * size):
        exact += term
        term *= place / (1 - place) * (n - j) / (j + 1)
    lower_sum = blocks_lower(n, start, size, count, p, 1 - p)
    assert lower_sum <= exact
    # The curvature of the log pmf is up to twice 1/(n p q) this far out.
    assert size > 40 or exact < 1e-290 or lower_sum >= exact * (1 - (size / math.sqrt(n * p * (1 - p))) ** 2 / 4 - 1e-9)


@pytest.mark.parametrize("n", [1, 20, 10**6])
def test_nothing_is_beyond_all_trials(n):
    # The table of Stirling errors, indexed at n - k < 0, once returned a nan or ended the process.
    for k in (-1, -(10**6), n + 1, n + 10**6, 2**62):
        assert log_pmf(n, k, 0.3, 0.7) == (-math.inf, 0.0)
    for tau in (n + 1e-9 * n, n + 0.5, 1e6 * n, 1e300, math.inf):
        assert upper_tail(n, 0.3, 0.7, 3 / 7, tau) == (0.0, 0.0, 0.0, 0.0)
        assert strided_excess_lower(n, 0.3, 0.7, tau, 10) == 0.0
    assert upper_tail(n, 0.5, 0.5, 1.0, float(n))[:2] == pytest.approx((0.5**n, 0.0), rel=1e-12)


def test_a_sum_that_underflows_ends_at_once():
    # Every one of its 4 10^10 places was once visited.
    assert strided_excess_lower(10**12, 0.5, 0.5, 0.6 * 10**12, 10) == 0.0


# The first count beyond the line has less than LEAST_TERM; steep, flat, and jumping from above it to nothing at once.
@pytest.mark.parametrize(
    ("n", "p", "tau"),
    [
        (2000, 0.5, 1990.0),
        (10**6, 1e-9, 60.0),
        (150, 1e-3, 115.0),
        (40, 1e-10, 30.0),
        (40, 1e-10, 30.5),
        (30, 1e-12, 25.0),
        (3, 1e-150, 2.0),
        (2, 1e-153, 2.0),
        (1, 1e-306, 1.0),
        (3, 1e-160, 1.0),
        (10**6, 0.5, 0.5 * 10**6 + 1.87e4),
    ],
)
def test_what_a_tail_leaves_out_is_all_there_is_more(n, p, tau):
    tail, excess, relative, omission = upper_tail(n, p, 1.0 - p, p / (1.0 - p), tau)
    place = mpmath.mpf(p)
    first = math.ceil(tau)
    logs = mpmath.loggamma(n + 1) - mpmath.loggamma(first + 1) - mpmath.loggamma(n - first + 1)
    term = mpmath.exp(logs + first * mpmath.log(place) + (n - first) * mpmath.log1p(-place))
    exact_tail = exact = mpmath.mpf(0)
    for j in range(first, n + 1):
        exact_tail += term
        exact += term * (j - mpmath.mpf(tau))
        term *= place / (1 - place) * (n - j) / (j + 1)
        if term < 1e-40 * exact_tail:
            break
    assert tail * (1 - mpmath.mpf(relative)) <= exact_tail <= tail * (1 + mpmath.mpf(relative)) + omission
    assert excess * (1 - mpmath.mpf(relative)) <= exact <= excess * (1 + mpmath.mpf(relative)) + omission
    assert omission < max(1e-15 * excess, 1e-290)
