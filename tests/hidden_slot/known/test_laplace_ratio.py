"""Laplace noise, there or not: the ratio's moments against quadrature, sums of one and two in closed form."""

import numpy as np
import pytest
from mpmath import mp, mpf, quad, sqrt

from pldcheck.hidden_slot.known.laplace_ratio import LaplaceIncrement
from pldcheck.protocols import HiddenSlot


def density(eps0):
    return lambda a: mp.exp(-eps0 / 2) / (4 * a * sqrt(a))


def atoms(eps0):
    return [(mp.exp(-eps0), mpf(1) / 2), (mp.exp(eps0), mp.exp(-eps0) / 2)]


def expectation(eps0, payoff, kinks=()):
    """Return E of a payoff of A."""
    low, high = mp.exp(-eps0), mp.exp(eps0)
    ends = [low, *sorted(k for k in kinks if low < k < high), high]
    return sum(mass * payoff(a) for a, mass in atoms(eps0)) + quad(lambda a: payoff(a) * density(eps0)(a), ends)


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("eps0", [0.01, 1.0, 6.0])
def test_moments_of_cells_are_within_their_errors(eps0, sign):
    one, eps0_mp = LaplaceIncrement(eps0, sign), mpf(eps0)
    edges = np.linspace(one.low - 0.1, one.high + 0.2, 8)
    cells = one.cells(edges)
    for k, (left, right) in enumerate(zip(edges, edges[1:], strict=False)):
        left, right = mpf(left), mpf(right)
        bounds = sorted((1 + sign * left, 1 + sign * right))

        def inside(a, left=left, right=right):
            return left < sign * (a - 1) <= right

        for value, error, payoff in (
            (cells.masses[k], 1e-12, lambda a: mpf(1)),
            (cells.rises[k], cells.errors[k], lambda a, left=left: sign * (a - 1) - left),
            (cells.falls[k], cells.errors[k], lambda a, right=right: right - sign * (a - 1)),
        ):
            truth = expectation(eps0_mp, lambda a, f=payoff, is_within=inside: f(a) if is_within(a) else mpf(0), bounds)
            assert abs(value - truth) <= error + 1e-300
            assert error <= 1e-9 * (1.0 + abs(float(right)))


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("eps0", [0.2, 2.0])
def test_tails_agree_with_quadrature(eps0, sign):
    one, eps0_mp = LaplaceIncrement(eps0, sign), mpf(eps0)
    for share in (-0.1, 0.1, 0.5, 0.9, 1.1):
        value = one.low + share * (one.high - one.low)
        at = 1 + sign * mpf(value)
        mass, mass_error, excess, error = one.above(value)
        beyond = expectation(eps0_mp, lambda a, v=value: mpf(sign * (a - 1) > v), [at])
        mean_excess = expectation(eps0_mp, lambda a, v=value: max(sign * (a - 1) - v, mpf(0)), [at])
        assert abs(mass - beyond) <= mass_error and abs(excess - mean_excess) <= error
        assert mass_error <= 1e-12 and error <= 1e-10
        below, moment = one.below(value)
        assert below == pytest.approx(float(1 - beyond), rel=1e-11, abs=1e-14)
        assert moment == pytest.approx(float(-mean_excess - value * beyond), rel=1e-9, abs=1e-13)
    assert one.variance == pytest.approx(float(expectation(eps0_mp, lambda a: (a - 1) ** 2)), rel=1e-12)
    values, masses = one.coarse
    assert masses.sum() == pytest.approx(1.0, rel=1e-12) and masses @ values == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("weight", [1.0, 0.4])
@pytest.mark.parametrize(("eps0", "epsilon"), [(0.5, 0.1), (1.0, 0.5), (1.0, 0.9), (2.0, 1.2)])
def test_two_steps_agree_with_quadrature(eps0, epsilon, weight):
    eps0_mp, kappa, w = mpf(eps0), mp.exp(mpf(epsilon)), mpf(weight)
    low, high = mp.exp(-eps0_mp), mp.exp(eps0_mp)

    def call(k):
        """Return E(A - k)_+."""
        if k <= low:
            return 1 - k
        if k >= high:
            return mpf(0)
        scale = mp.exp(-eps0_mp / 2) / 2
        inside = scale * (sqrt(high) - sqrt(k)) - k * scale * (1 / sqrt(k) - 1 / sqrt(high))
        return inside + (high - k) * mp.exp(-eps0_mp) / 2

    def loss_sum(threshold, side):
        """Return E(A1 + A2 - threshold)_+, or of its negative."""

        def payoff(a):
            rest = threshold - a
            return call(rest) if side > 0 else call(rest) - (1 - rest)

        return expectation(eps0_mp, payoff, [threshold - low, threshold - high])

    removal = w / 2 * loss_sum(2 + 2 * (kappa - 1) / w, 1)
    addition = w / 2 * kappa * loss_sum(2 - 2 * (1 - 1 / kappa) / w, -1)
    truth = max(removal, addition)
    interval = HiddenSlot(2, eps0, weight=weight, adjacency="zero-out", randomizer="laplace").delta(epsilon)
    assert interval.lower <= truth <= interval.upper
    assert interval.relative_width <= 0.005
