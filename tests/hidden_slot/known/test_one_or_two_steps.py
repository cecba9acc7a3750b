"""Edges of the cells of two steps: within what is charged, also where both terms nearly cancel."""

from random import Random

import numpy as np
from flint import arb, ctx

from pldcheck.hidden_slot.known import one_or_two_steps
from pldcheck.hidden_slot.known.slot_increments import GaussianIncrement


def test_values_at_points_are_within_their_charge():
    draw, largest = Random(8), 0.0
    for _ in range(60):
        s = 10.0 ** draw.uniform(-7, 0.5)
        increment = GaussianIncrement(s, 1.0, draw.choice([0.0, 1.0, 1.0 + draw.random()]), 0.0)
        points = np.array([draw.uniform(-37.4, 37.4) for _ in range(40)] + [draw.uniform(-1e-6, 1e-6)])
        values, charges = (
            one_or_two_steps._values(increment, points),
            one_or_two_steps._rounding_of_values(increment, points),
        )
        with ctx.workprec(300):
            for z, value, charge in zip(points.tolist(), values.tolist(), charges.tolist(), strict=True):
                a, half = arb(s) * arb(z), arb(s) ** 2 / 2
                exact = increment.up * (a - half).exp() - arb(increment.down) * (-a - half).exp()
                error = abs(exact - arb(value))
                assert error <= arb(charge)
                largest = max(largest, float(error) / charge)
    assert largest > 0.01
