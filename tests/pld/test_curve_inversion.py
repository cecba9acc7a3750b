from fractions import Fraction
from math import exp, inf
from random import Random

import naive
import numpy as np
import pytest
from certificates import contains
from flint import arb, ctx

from pldcheck import pld
from pldcheck.pld.hull_of_points import from_points


def gaussian_points(variance, epsilons):
    """Return upper bounds of the Gaussian curve, a round-off above it."""
    with ctx.workprec(300):
        return [float(naive.gaussian_delta(arb(variance), e)) * (1 + 1e-14) for e in epsilons]


@pytest.mark.parametrize("copies", [1, 2, 10, 300])
@pytest.mark.parametrize("symmetric", [False, True])
def test_polygon_over_the_gaussian_curve_dominates_it(copies, symmetric):
    variance = 0.25
    epsilons = np.arange(0.0 if symmetric else -5.0, 6.0, 0.01)
    curve = pld.from_curve(epsilons, gaussian_points(variance, epsilons), symmetric=symmetric).compose(copies)
    for z in (0.0, 1.0, 3.0):
        epsilon = max(0.5 * copies * variance + z * (copies * variance) ** 0.5, 0.0)
        truth = naive.gaussian_delta(arb(variance) * copies, epsilon)
        interval = curve.delta(epsilon)
        assert interval.lower == 0.0 and not truth > interval.upper
        # Mesh 0.01 adds at most 0.01^2/4 of variance a copy: 1e-4 of it, times z^2 in log delta.
        assert truth >= interval.upper * (1 - 2e-3 * (1 + z * z)), (z, interval)


def test_symmetric_points_help():
    epsilons = np.arange(0.0, 6.0, 0.01)
    points = gaussian_points(0.25, epsilons)
    with_them = pld.from_curve(epsilons, points, symmetric=True).compose(10).delta(2.0).upper
    assert with_them < 0.9 * pld.from_curve(epsilons, points).compose(10).delta(2.0).upper


@pytest.mark.parametrize("eps0", [0.1, 1.0, 4.0])
@pytest.mark.parametrize("symmetric", [False, True])
def test_response_given_at_its_kinks_is_exact(eps0, symmetric):
    # Kinks at -eps0 and eps0: delta(-eps0) = 1 - exp(-eps0), delta(eps0) = 0.
    kinks = ([eps0], [0.0]) if symmetric else ([-eps0, eps0], [-np.expm1(-eps0), 0.0])
    curve = pld.from_curve(*kinks, symmetric=symmetric).compose(50)
    epsilon = 0.30301 * 50 * eps0
    assert curve.delta(epsilon).upper == pytest.approx(float(naive.response_delta(eps0, 50, epsilon)), rel=1e-5)
    assert curve.delta(epsilon).upper >= naive.response_delta(eps0, 50, epsilon)


def test_points_above_the_hull_and_out_of_order_change_nothing():
    curve = pld.from_curve([0.0, 0.5, 1.0, 2.0], [0.4, 0.25, 0.15, 0.05]).compose(3)
    more = pld.from_curve([1.0, 0.0, 2.0, 0.7, 0.5, 3.0], [0.15, 0.4, 0.05, 0.5, 0.25, 0.06]).compose(3)
    for epsilon in (0.0, 1.0, 2.5):
        assert more.delta(epsilon).upper == pytest.approx(curve.delta(epsilon).upper, rel=1e-6)


def test_mass_at_infinity_is_the_last_delta():
    curve = pld.from_curve([1.0], [1e-3])
    assert curve.delta(30.0).upper == pytest.approx(1e-3, rel=1e-12)
    assert curve.epsilon(0.9e-3).upper == inf
    assert curve.compose(2).delta(50.0).upper == pytest.approx(1 - (1 - 1e-3) ** 2, rel=1e-9)


def test_mass_of_the_law_is_one_and_its_curve_passes_through_the_points():
    epsilons, deltas = [-1.0, 0.0, 0.3, 1.5], [0.7, 0.3, 0.2, 0.01]
    law = from_points(epsilons, deltas, False)
    assert sum(law.masses) == pytest.approx(1.0, abs=1e-15)
    for epsilon, delta in zip(epsilons, deltas, strict=True):
        finite = sum(m * max(1 - exp(epsilon - x), 0.0) for x, m in zip(law.losses, law.masses, strict=True))
        assert (1 - law.infinity) * finite + law.infinity == pytest.approx(delta, rel=1e-12)


def test_one_point_close_to_another_keeps_its_meaning():
    # Slopes between points 1e-9 apart are differences of nearly equal numbers.
    epsilons = [0.5, 0.5 + 1e-9, 1.0]
    interval = pld.from_curve(epsilons, gaussian_points(1.0, epsilons)).delta(0.5)
    truth = naive.gaussian_delta(arb(1), 0.5)
    assert contains(interval, truth) and interval.upper <= float(truth) * (1 + 1e-9)


@pytest.mark.parametrize("eps0", [1e-15, 1e-12, 1e-6, 0.3, 0.493, 0.4999, 0.5, 0.6])
def test_points_next_to_one_keep_their_digits(eps0):
    curve = pld.from_curve([eps0], [0.0], symmetric=True).compose(3)
    for share in (0.0, 0.3, 1.7):
        with ctx.workprec(300):
            truth, upper = naive.response_delta(eps0, 3, share * eps0), curve.delta(share * eps0).upper
            assert truth <= arb(upper) and arb(upper) <= truth * (1 + arb(10) ** -5)


def test_the_loss_of_a_point_is_within_its_error():
    draw = Random(7)
    every = [0.494, 0.4945, 0.499, 0.5001, *(draw.uniform(0.0, 0.6) for _ in range(300))]
    every += [10.0 ** draw.uniform(-15, 1) for _ in range(300)]
    share = 0.0
    for eps0 in every:
        law = from_points([-eps0, eps0], [-np.expm1(-eps0) * (1 + 1e-15), 0.0], False)
        for loss, exact_loss in zip(sorted(law.losses), (-eps0, eps0), strict=True):
            assert abs(Fraction(float(loss)) - Fraction(exact_loss)) <= law.loss_error
            share = max(share, abs(float(loss) - exact_loss) / law.loss_error)
        assert law.loss_error <= 16 * 2.0**-53 * (eps0 if eps0 < 0.49 else 1.0 + eps0)
    assert 0.02 < share < 1.0
