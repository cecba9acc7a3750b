"""Cells of Gaussian increments against balls: what is charged covers what is missed, with no slack for edges."""

import math
from random import Random

import numpy as np
import pytest
from flint import arb, ctx
from quadrature_of_cells import worst

from pldcheck.kernels.gaussian_cells import RULES, gaussian_cells


@pytest.mark.parametrize("rule", range(2))
def test_quadrature_misses_less_than_two_units(rule):
    smooth, nodes, weights = RULES[rule]
    assert nodes.size == weights.size and abs(math.fsum(weights) - 1.0) < 1e-16
    assert worst(nodes.size, smooth) < 2.0


def ratios(up, down, s, low, high):
    """Return error over charge of the mass, the rise and the fall of one cell; the edges are the values' floats."""
    with ctx.workprec(400):
        ends = [arb(up) * (arb(s) * z - arb(s) ** 2 / 2).exp() - arb(down) * (-arb(s) * z - arb(s) ** 2 / 2).exp()
                for z in (arb(low), arb(high))]  # fmt: skip
        edges = np.array([float(end) for end in ends])
        (mass,), (rise,), (fall,), (charge,) = gaussian_cells(up, down, s, np.array([low, high]), edges)
        width = float(edges[1] - edges[0])
        if not (charge > 1e-280 and width > 0.0):
            assert not (mass * width > 1e-250), "nothing is charged"
            return 0.0, 0.0, 0.0

        def normal_mass(shift):
            a, b = ((arb(z) - shift) / arb(2).sqrt() for z in (low, high))
            if a < 0 and b < 0:
                a, b = -b, -a
            return (a.erfc() - b.erfc()) / 2

        exact = normal_mass(arb(0))
        mean = arb(up) * normal_mass(arb(s)) - arb(down) * normal_mass(-arb(s))
        # short cells are integrated from the point on, long ones from the edge
        short = (high - low) * (max(abs(low), abs(high)) + s + 1.0) <= RULES[-1][0]
        base = ends[0] if short else arb(edges[0])
        rises = mean - base * exact
        falls = arb(width) * exact - rises if short else arb(edges[1]) * exact - mean
        return tuple(float(abs(error)) / charge for error in
                     ((exact - mass) * width, rises - rise, falls - fall))  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
def test_charges_cover_cells_of_every_length(seed):
    draw, shares = Random(seed), []
    for _ in range(700):
        up, down = draw.choice([(1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.0, 10 ** draw.uniform(-3.0, 6.0))])
        s = 10 ** draw.uniform(-4.0, 1.3)
        low = draw.choice([draw.uniform(-0.5, 0.5), draw.uniform(-5.0, 5.0), draw.uniform(-35.0, 35.0)])
        smooth = draw.choice([0.1, 0.5, 10 ** draw.uniform(-6.0, 0.5)]) * draw.choice([0.999, 1.0, 1.001])
        shares.append(max(ratios(up, down, s, low, low + smooth / (abs(low) + s + 1.3))))
    assert max(shares) < 1.0
    # the charge is of the size of what it covers
    assert max(shares) > 0.01
