"""Random allocation and Poisson samples: moments by enumeration, curves by other quadratures, at many digits."""

import math
import random
from collections import Counter
from itertools import product

import mpmath
import pytest
from mpmath import mp, mpf

from pldcheck.core.errors import ConditionError
from pldcheck.protocols import RandomAllocation, SubsampledGaussian
from pldcheck.theorems import REGISTRY
from pldcheck.theorems.feldman25 import two_poisson_steps
from pldcheck.theorems.feldman25.allocation_divergences import mean_moments
from pldcheck.theorems.feldman25.moment_conversion import linear_delta

SEED = 20261127


def phi(z):
    return mpmath.erfc(-z / mpmath.sqrt(2)) / 2


# --- moments of the mean of ratios --------------------------------------------------------------------------------


def enumerated_moment(steps, sigma, order):
    """Return E of (mean of ratios)^order: every factor of the power chooses one of the steps."""
    total = mpf(0)
    for choice in product(range(steps), repeat=order):
        total += mpmath.exp(sum(k * (k - 1) for k in Counter(choice).values()) / (2 * mpf(sigma) ** 2))
    return total / mpf(steps) ** order


def test_moments_are_those_of_all_choices_of_steps():
    with mp.workdps(50):
        for steps, sigma, order in [(1, 0.5, 7), (2, 1.0, 2), (2, 0.7, 9), (3, 1.3, 6), (5, 2.0, 4), (7, 0.4, 3)]:
            value = mean_moments(steps, sigma)[order]
            assert abs(mpf(str(value)) / enumerated_moment(steps, sigma, order) - 1) < mpf(10) ** -26


def all_moments(steps, sigma):
    """Return the moments of orders up to 64, one step after the other."""
    sums = [mpf(1)] + [mpf(0)] * 64
    for _ in range(steps):
        sums = [
            mpmath.fsum(
                mpmath.binomial(a, k) * mpmath.exp(k * (k - 1) / (2 * mpf(sigma) ** 2)) * sums[a - k]
                for k in range(a + 1)
            )
            for a in range(65)
        ]
    return {a: sums[a] / mpf(steps) ** a for a in range(2, 65)}


def least(moments, epsilon):
    """Return the least delta over the orders, by the conversion as it is printed."""
    return min(
        mpmath.exp((a - 1) * (mpmath.log(moment) / (a - 1) - epsilon)) / (a - 1) * (1 - 1 / mpf(a)) ** a
        for a, moment in moments.items()
    )


@pytest.mark.nightly
def test_divergences_of_the_remove_direction_are_converted_as_printed():
    choice = random.Random(SEED)
    with mp.workdps(60):
        for steps in (1, 3):
            sigma = choice.uniform(0.4, 3)
            moments = all_moments(steps, sigma)
            for epsilon in (choice.uniform(0.1, 1), choice.uniform(1, 4)):
                exact = min(1, least(moments, mpf(epsilon)))
                for name in ("fs25-remove", "lt22-opposite"):
                    value = REGISTRY[name](steps=steps, sigma=sigma, epsilon=epsilon).value
                    assert abs(value / exact - 1) < 1e-14


@pytest.mark.nightly
def test_the_add_direction_is_converted_at_the_best_order():
    """The value is that of the best of many orders near the zero of the derivative."""
    choice = random.Random(SEED)
    with mp.workdps(40):
        for _ in range(6):
            steps, sigma, epsilon = choice.randint(1, 40), choice.uniform(0.6, 3), choice.uniform(0.1, 2)

            def converted(b, t=steps, s=sigma, e=epsilon):
                divergence = (b + t) / (2 * t * mpf(s) ** 2)
                return mpmath.exp(b * (divergence - mpf(e))) / b * (1 - 1 / (b + 1)) ** (b + 1)

            value = REGISTRY["fs25-add"](steps=steps, sigma=sigma, epsilon=epsilon).value
            orders = [mpmath.exp(mpf(i) / 40) for i in range(-400, 400)]
            best = min(range(len(orders)), key=lambda i, orders=orders, f=converted: f(orders[i]))
            low, high = orders[max(best - 1, 0)], orders[min(best + 1, len(orders) - 1)]
            for _ in range(100):
                left, right = low + (high - low) / 3, high - (high - low) / 3
                low, high = (low, right) if converted(left) < converted(right) else (left, high)
            assert abs(value / min(1, converted(low)) - 1) < 1e-12


@pytest.mark.nightly
def test_the_add_direction_is_bounded_by_the_geometric_mean():
    """The divergence of two steps, by the trapezoidal rule in the plane, is below (alpha + t - 1) / (2 t sigma^2)."""
    for sigma, order in [(1.0, 2), (0.7, 3), (2.0, 6)]:
        step = sigma / 4
        places = [step * i for i in range(-40, 41)]
        weights = [step * math.exp(-x * x / (2 * sigma**2)) / (sigma * math.sqrt(2 * math.pi)) for x in places]
        ratios = [math.exp((2 * x - 1) / (2 * sigma**2)) for x in places]
        pairs = list(zip(weights, ratios, strict=True))
        moment = math.fsum(p * q * ((r + s) / 2) ** (1 - order) for p, r in pairs for q, s in pairs)
        assert 1 < moment and math.log(moment) / (order - 1) < (order + 1) / (4 * sigma**2)


@pytest.mark.nightly
def test_a_bound_is_never_above_one():
    assert linear_delta(50.0, 10.0, 0.1) == 1
    assert REGISTRY["fs25-remove"](steps=1, sigma=0.2, epsilon=0.01).value == 1


# --- two steps of Poisson samples ---------------------------------------------------------------------------------


def one_step(epsilon, sigma, rate, removed):
    """Return the curve of one step from the two laws at the threshold of the loss."""
    s = mpf(sigma)

    def masses(x):
        """Return the masses above x under the mixture and under the noise alone."""
        return (1 - rate) * phi(-x / s) + rate * phi((1 - x) / s), phi(-x / s)

    level = mpmath.exp(epsilon if removed else -epsilon) - 1 + rate
    if level <= 0:
        return 1 - mpmath.exp(epsilon) if removed else mpf(0)
    mixture, noise = masses(mpf(1) / 2 + s**2 * mpmath.log(level / rate))
    if removed:
        return mixture - mpmath.exp(epsilon) * noise
    return (1 - noise) - mpmath.exp(epsilon) * (1 - mixture)


def two_steps(epsilon, sigma, rate, removed):
    """Return the curve of two steps, integrated over the first output by the rule of Gauss and Legendre."""
    s, r = mpf(sigma), mpf(rate)

    def integrand(x):
        noise = mpmath.exp(-x * x / (2 * s**2))
        ratio = 1 - r + r * mpmath.exp((2 * x - 1) / (2 * s**2))
        loss = mpmath.log(ratio) if removed else -mpmath.log(ratio)
        return (noise * ratio if removed else noise) * one_step(epsilon - loss, sigma, r, removed)

    level = mpmath.exp(epsilon if removed else -epsilon) / (1 - r) - (1 - r)
    low, high = -11 * s, 1 + 11 * s
    cuts = [low + (high - low) * i / 24 for i in range(25)]
    if level > 0:
        cut = mpf(1) / 2 + s**2 * mpmath.log(level / r)
        # The point where the integrand is flat is approached by shorter and shorter parts.
        cuts += [cut + side * s / 2**i for i in range(1, 12) for side in (-1, 1)] + [cut]
    cuts = sorted(min(max(cut, low), high) for cut in cuts)
    parts = [pair for pair in zip(cuts, cuts[1:], strict=False) if pair[0] < pair[1]]
    total = mpmath.fsum(mpmath.quad(integrand, part, method="gauss-legendre", maxdegree=5) for part in parts)
    return total / (s * mpmath.sqrt(2 * mpmath.pi))


def compare_two_steps(points):
    with mp.workdps(30):
        for sigma, epsilon, rate in points:
            removed = two_poisson_steps.two_removed(epsilon, sigma, rate)
            added = two_poisson_steps.two_added(epsilon, sigma, rate)
            for value, is_removed in ((removed, True), (added, False)):
                exact = two_steps(mpf(epsilon), sigma, rate, is_removed)
                # Where delta is smaller no relative accuracy is promised.
                tolerance = 1e-12 * exact if exact > 1e-12 else mpf(10) ** -23
                assert abs(value - exact) <= tolerance, (sigma, epsilon, rate, is_removed)


@pytest.mark.nightly
def test_two_poisson_steps_agree_with_another_quadrature():
    compare_two_steps([(1.0, 0.5, 0.5)])


@pytest.mark.long
def test_two_poisson_steps_agree_with_another_quadrature_everywhere():
    compare_two_steps((sigma, epsilon, 0.5) for sigma in (0.2, 0.4, 1.5, 5.0) for epsilon in (0.05, 1.0))
    compare_two_steps([(0.4, 0.2, 0.1), (1.0, 0.1, 0.9)])


@pytest.mark.nightly
def test_two_poisson_steps_lie_in_the_certified_interval():
    for sigma, epsilon, rate in [(0.3, 0.5, 0.5), (1.2, 1.0, 0.2)]:
        truth = SubsampledGaussian(sigma, rate, 2).delta(epsilon)
        value = two_poisson_steps.two_steps(epsilon, sigma, rate)
        assert truth.lower * (1 - 1e-9) <= value <= truth.upper * (1 + 1e-9)


@pytest.mark.nightly
def test_statements_beside_poisson_are_made_of_its_curve():
    for sigma, epsilon in [(0.5, 0.3), (1.5, 1.0)]:
        removed = two_poisson_steps.two_removed(math.log(1 + 0.75 * (math.exp(epsilon) - 1)), sigma, 0.5)
        value = REGISTRY["fs25-decomposition"](sigma=sigma, epsilon=epsilon).value
        assert value == pytest.approx(min(1, removed / 0.75), rel=1e-12)
        curve = two_poisson_steps.two_steps(epsilon, sigma, 0.5)
        for name in ("poisson-allocation", "poisson-for-shuffled"):
            assert REGISTRY[name](sigma=sigma, epsilon=epsilon).value == curve


@pytest.mark.nightly
def test_allocation_crosses_poisson_sampling():
    """Without a sample nothing is revealed, so that allocation is worse at small epsilon, and better at large ones."""
    at = {"sigma": 0.5}
    claim = REGISTRY["poisson-allocation"]
    assert RandomAllocation(2, 0.5).delta(0.2).lower > 1.05 * claim(**at, epsilon=0.2).value
    assert RandomAllocation(2, 0.5).delta(4.0).upper < 0.9 * claim(**at, epsilon=4.0).value


@pytest.mark.nightly
def test_the_range_of_the_quadrature_has_two_ends():
    for name in ("fs25-decomposition", "poisson-allocation", "poisson-for-shuffled"):
        for sigma in (0.2, 5.0):
            assert REGISTRY[name](sigma=sigma, epsilon=0.1).value > 0
        for sigma in (0.1999, 5.001):
            with pytest.raises(ConditionError):
                REGISTRY[name](sigma=sigma, epsilon=0.1)
