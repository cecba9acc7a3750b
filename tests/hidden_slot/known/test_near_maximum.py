"""All steps nearly at their largest: three of them by quadrature in many digits, on two grids."""

from math import exp, log
from random import Random

import mpmath as mp
import pytest
from flint import arb, ctx

from pldcheck.core.directed import Side
from pldcheck.core.interval import UNDERFLOW
from pldcheck.hidden_slot.known import near_maximum
from pldcheck.hidden_slot.known.neighbour_pairs import ADDITION, Pair
from pldcheck.hidden_slot.known.noise_ratios import GaussianNoise
from pldcheck.hidden_slot.known.pair_curve import Curve, nearly_largest


def _shortfall(room, s):
    """Return E(room - A)_+, in closed form."""
    if room <= 0:
        return mp.mpf(0)
    z = (mp.log(room) + s * s / 2) / s
    return room * mp.ncdf(z) - mp.ncdf(z - s)


def _shortfall_of_three(room, s, points):
    """Yield E(room - A - A' - A'')_+: each of two normal variables from its far tail to where nothing is left,
    smoothed.

    z = z_most - e^(t - e^-t) leaves an integrand that dies out twice exponentially at both ends: the trapezoidal rule.
    """

    def nodes(most):
        step = mp.mpf(7) / points
        for k in range(-points // 2, points // 2 + 1):
            t = k * step
            point = mp.exp(t - mp.exp(-t))
            z = most - point
            yield z, step * point * (1 + mp.exp(-t)) * mp.npdf(z)

    total = mp.mpf(0)
    for z, weight in nodes((mp.log(room) + s * s / 2) / s):
        room_left = room - mp.exp(s * z - s * s / 2)
        if room_left > 0:
            total += weight * sum(
                more * _shortfall(room_left - mp.exp(s * y - s * s / 2), s)
                for y, more in nodes((mp.log(room_left) + s * s / 2) / s)
            )
    return total


@pytest.mark.nightly
@pytest.mark.parametrize(("s", "room"), [(0.5, 0.3), (0.5, 1.0), (1.0, 0.1), (1.0, 1.2), (3.0, 0.2), (3.0, 1e-3)])
def test_three_steps_agree_with_quadrature(s, room):
    pair = Pair(ADDITION, GaussianNoise(s), 3, 1.0)
    epsilon = -log(room / 3)
    assert nearly_largest(pair, epsilon)
    with mp.workdps(30):
        exact = mp.mpf(-pair.net_threshold(epsilon)[0])
        coarse, truth = (_shortfall_of_three(exact, mp.mpf(s), points) for points in (56, 80))
        doubt = 2 * abs(truth - coarse)
        assert doubt < 1e-9 * truth
        curve = Curve(pair, 0.1, float(truth) * pair.factor(epsilon))
        low, high = (curve._sides.near_largest(epsilon, float(truth), side) for side in (Side.LOWER, Side.UPPER))
        assert low.lower <= truth + doubt and truth - doubt <= high.upper
        assert high.upper <= 1.05 * low.lower
        assert near_maximum.quick_bound(near_maximum.NearLargest(s, float(exact), 3)) >= truth - doubt


@pytest.mark.parametrize("s", [0.05, 0.3, 2.0, 6.0])
def test_the_quick_bound_is_above_a_power_of_a_ball(s):
    for share in (1e-9, 0.01, 0.4, 1.0):
        room = share * exp(min(s, near_maximum.WITHIN) * s - 0.5 * s * s)
        for steps in (3, 10**4, 10**9):
            with ctx.workprec(300):
                z = (arb(room).log() + arb(s) ** 2 / 2) / arb(s)
                truth = arb(room) * ((-z / arb(2).sqrt()).erfc() / 2) ** steps
                bound = near_maximum.quick_bound(near_maximum.NearLargest(s, room, steps)) + UNDERFLOW
                assert truth <= arb(bound)
                assert truth < 1e-290 or arb(bound) <= truth * (1 + arb(steps) * 1e-9)


def test_the_quick_bound_counts_what_its_place_is_off_by():
    draw = Random(4)
    for _ in range(200):
        s, steps = 10.0 ** draw.uniform(-6, -2), draw.randrange(3, 60)
        room = exp(s * draw.uniform(-1, 1))
        with ctx.workprec(300):
            z = (arb(room).log() + arb(s) ** 2 / 2) / arb(s)
            assert arb(room) * ((-z / arb(2).sqrt()).erfc() / 2) ** steps <= near_maximum.quick_bound(
                near_maximum.NearLargest(s, room, steps)
            )
