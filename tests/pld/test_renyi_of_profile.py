"""The upper end of a Renyi divergence from a privacy profile, against exact moments and closed forms, without slack."""

import random
from fractions import Fraction
from math import exp, inf, log, nextafter

import mpmath
import numpy as np
import pytest
from flint import arb, ctx

from pldcheck import pld
from pldcheck.pld import hull_of_points, renyi_of_profile
from tests.shuffle_twins import BITS, around, ball

WIDTH = 0.01


def mirrored_pair(seed):
    """Return a pair of laws, in fractions, of which the second is the first one reversed; ratios are at most 9."""
    draw = random.Random(seed)
    weights = [draw.choice([1, 2, 3, 5, 9]) for _ in range(6)]
    p = [Fraction(weight, sum(weights)) for weight in weights]
    return p, p[::-1]


def profile_above(p, q):
    """Return delta at an epsilon, of exact laws, rounded up."""

    def at(epsilon):
        kappa = around(epsilon)[0]
        exact = sum((max(a - kappa * b, 0) for a, b in zip(p, q, strict=True)), Fraction(0))
        near = float(exact)
        return near if Fraction(near) >= exact else nextafter(near, inf)

    return at


def is_above(upper, order, moment):
    """Return whether the divergence of a moment, a fraction, is surely at most ``upper``."""
    with ctx.workprec(BITS):
        return ball(moment).log() <= (order - 1) * arb(upper)


@pytest.mark.parametrize("order", [2, 3, 8])
@pytest.mark.parametrize("seed", range(12))
def test_the_moment_of_a_discrete_pair_is_bounded_closely(seed, order):
    p, q = mirrored_pair(seed)
    moment = sum(a**order * b ** (1 - order) for a, b in zip(p, q, strict=True))
    exact = float(mpmath.log(mpmath.mpf(moment.numerator) / moment.denominator)) / (order - 1)
    largest = 1.0001 * float(mpmath.log(9))
    upper = renyi_of_profile.upper_end(profile_above(p, q), order, WIDTH, 0.9 * exact, largest)
    assert is_above(upper, order, moment)
    assert upper <= exact * (1.0 + 3.0 * WIDTH)  # halves of an interval with a kink gain less than was expected


@pytest.mark.parametrize("order", [1.5, 2.0, 8.0])
@pytest.mark.parametrize("sigma", [0.7, 3.0, 200.0])
def test_gaussian_noise_has_its_closed_form(sigma, order):
    exact, mechanism = order / (2.0 * sigma**2), pld.gaussian(sigma)
    upper = renyi_of_profile.upper_end(
        lambda epsilon: mechanism.delta(epsilon).upper, order, WIDTH, 0.8 * exact, rho=0.5 / sigma**2
    )
    assert exact <= upper <= exact * (1.0 + WIDTH)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(6))
def test_points_that_lie_above_a_profile_by_any_factor_bound_its_moment(seed):
    # The lower convex hull of such points, with the end of the last side, must not cut below the profile.
    draw, mechanism = random.Random(seed), pld.gaussian(1.0)
    upper = renyi_of_profile.upper_end(
        lambda epsilon: mechanism.delta(epsilon).upper * draw.choice([1.0, 1.0, 1.5, 10.0, 1e4]), 4.0, 0.3, 1.5, rho=0.5
    )
    assert 2.0 <= upper < inf


@pytest.mark.parametrize("seed", range(20))
def test_the_last_point_is_a_corner_of_the_hull(seed):
    # The others lie above a convex profile by any factor, and the least one may come before the end.
    draw = random.Random(seed)
    values = {i / 4: 0.02 * exp(-i) * draw.choice([1.0, 2.0, 50.0]) for i in range(6)}
    law = hull_of_points.from_points_to_zero(list(values), list(values.values()))
    least, kappas = min(values.values()), {exp(place): value for place, value in values.items()}
    first = min(kappa for kappa, value in kappas.items() if value == least)
    end = exp(float(np.max(law.losses)))
    assert law.infinity == 0.0 and end > first
    for kappa, value in kappas.items():
        if kappa < first:
            assert least <= value * (end - first) / (end - kappa) * (1.0 + 1e-12)
    # The curve of the law at that point: P - e^epsilon Q, over the outputs of larger losses.
    larger = law.losses > log(first) + 1e-9
    height = float(np.sum(law.masses[larger] * -np.expm1(log(first) - law.losses[larger])))
    assert height == pytest.approx(least, rel=1e-9)


@pytest.mark.parametrize("last", [0.5, 1.5, 3.0])
def test_what_lies_beyond_the_last_point_is_added(last, monkeypatch):
    monkeypatch.setattr(renyi_of_profile, "_last_point", lambda *question: last)
    mechanism = pld.gaussian(1.0)
    upper = renyi_of_profile.upper_end(lambda epsilon: mechanism.delta(epsilon).upper, 2.0, 1e-3, 0.9, rho=0.5)
    assert upper >= 1.0


@pytest.mark.parametrize("order", [1.5, 3.0])
@pytest.mark.parametrize("last", [1.0, 4.0])
def test_the_bound_of_what_lies_beyond_a_point_is_one(last, order):
    mechanism = pld.gaussian(1.0)

    def weighted(kappa):
        height = mechanism.delta(float(mpmath.log(kappa))).lower
        return (kappa ** (order - 2) + kappa ** (-order - 1)) * height

    ends = [exp(last), exp(last + 2.0), exp(last + 5.0)]
    exact = order * (order - 1.0) * float(mpmath.quad(weighted, ends, maxdegree=4))
    assert log(exact) <= renyi_of_profile._log_beyond(last, order, 0.5) <= log(1000.0 * exact)


@pytest.mark.nightly
def test_divergences_out_of_reach_are_infinite():
    mechanism = pld.gaussian(1.0)
    assert (
        renyi_of_profile.upper_end(lambda epsilon: mechanism.delta(epsilon).upper, 200.0, WIDTH, 90.0, rho=0.5) == inf
    )
    assert renyi_of_profile.upper_end(lambda epsilon: 1.0, 2.0, WIDTH, 1.0, rho=0.5) == inf
    assert renyi_of_profile.upper_end(lambda epsilon: 1.0, 2.0, WIDTH, 1.0, largest=800.0) == inf


@pytest.mark.nightly
def test_costly_bounds_are_asked_once_where_they_matter():
    p, q = mirrored_pair(0)
    profile, questions = profile_above(p, q), []

    def finer(epsilons):
        questions.append(epsilons)
        return [profile(epsilon) for epsilon in epsilons]

    moment = sum(a**2 / b for a, b in zip(p, q, strict=True))
    exact = float(mpmath.log(mpmath.mpf(moment.numerator) / moment.denominator))
    upper = renyi_of_profile.upper_end(
        lambda epsilon: min(1.2 * profile(epsilon), 1.0), 2.0, WIDTH, 0.9 * exact, 2.1973, finer=finer
    )
    assert len(questions) == 1 and 5 < len(questions[0]) < renyi_of_profile.MOST_POINTS
    assert is_above(upper, 2, moment) and upper <= exact * (1.0 + 2.0 * WIDTH)
