"""Cells of the likelihood ratio of Laplace noise: their errors over what is charged for them, against balls."""

import numpy as np
import pytest
from flint import arb, ctx

from pldcheck.hidden_slot.known.laplace_ratio import LaplaceIncrement


def exactly(eps0, sign, low, high):
    """Return the mass, E[X - low] and E[high - X] of the density between two edges: balls."""
    a, b = (1 + sign * arb(edge) for edge in (low, high))
    scale = (-arb(eps0) / 2).exp() / 2
    u, v = min(a, b), max(a, b)
    mass = scale * (1 / u.sqrt() - 1 / v.sqrt())
    moment = scale * (v.sqrt() - u.sqrt())
    near, far = moment - u * mass, v * mass - moment
    return (mass, near, far) if sign > 0 else (mass, far, near)


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("eps0", [1e-9, 1e-4, 0.1, 1.0, 5.0, 20.0])
def test_cells_are_off_by_less_than_their_charge(eps0, sign):
    one, random, worst = LaplaceIncrement(eps0, sign), np.random.default_rng(1), 0.0
    for count in (3, 50, 1000):
        inner = np.sort(random.uniform(0.0, 1.0, count) ** random.choice([1.0, 4.0]))
        edges = one.low + (one.high - one.low) * (0.001 + 0.998 * inner)
        edges = np.unique(edges)
        cells, widths = one._between(edges), np.diff(edges)
        with ctx.workprec(400):
            for k in range(0, widths.size, 1 + count // 40):
                truths = exactly(eps0, sign, edges[k], edges[k + 1])
                charge = cells.errors[k] / np.array([widths[k], 1.0, 1.0])
                sums = cells.masses[k], cells.rises[k], cells.falls[k]
                for value, truth, most in zip(sums, truths, charge, strict=True):
                    worst = max(worst, float(abs(arb(value) - truth) / arb(most)))
    assert worst < 1.0
