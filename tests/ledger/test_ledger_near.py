"""Moments of steps nearly at their largest value, against balls."""

from math import exp

import pytest
from flint import arb, ctx

from pldcheck.core.directed import UNIT
from pldcheck.hidden_slot.known.near_maximum import NearLargest
from pldcheck.hidden_slot.known.slot_increments import TAIL, edge_rounding


def normal(x):
    return (x / arb(2).sqrt()).erfc() / 2


def moments(s, room, low, high):
    """Return P(low < X <= high) and E of X there, X = 1 - A/room, low < high <= 1: balls."""
    with ctx.workprec(2000):
        s, room = arb(s), arb(room)

        def normal_end(x):  # z from which on X > x, A = e^(-sz - s^2/2)
            return None if x >= 1 else -(((1 - arb(x)) * room).log() + s * s / 2) / s

        ends = [normal_end(low), normal_end(high)]
        mass, part = (
            normal(ends[0] + shift) - (0 if ends[1] is None else normal(ends[1] + shift)) for shift in (arb(0), s)
        )
        return mass, mass - part / room


@pytest.mark.parametrize("s", [1e-4, 1e-2, 0.3, 1.0, 3.0, 10.0])
@pytest.mark.parametrize("start", [-1.9, 0.0, 3.0, 8.0, 20.0, 36.0])
def test_moments_near_the_largest_value_are_within_their_charge(s, start):
    if -start > min(s, 2.0):
        return
    room = exp(-s * start - 0.5 * s * s)
    one = NearLargest(s, room, 3)
    units, size = edge_rounding(one)
    worst = 0.0
    for value in (1e-3 * min(s, 1.0), 0.03 * min(s, 1.0), min(s, 0.5), 0.9, 1.0):
        sums = one.below(value)
        with ctx.workprec(2000):
            shift = UNIT * units * (value + size)
            truths = [moments(s, room, arb(-shift), min(arb(value) + shift, 1)) for shift in (-shift, shift)]
            for k in range(2):
                least, most = (pair[k] for pair in truths)
                # a moment moves with all values
                spread = shift * truths[1][0] if k == 1 else 0
                error = max(float((arb(sums[k]) - most - spread) / most), float((least - spread - sums[k]) / most))
                worst = max(worst, error / TAIL)
    assert worst < 1.0
