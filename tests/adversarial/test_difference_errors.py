"""Errors charged by ``core.differences``, over many cells: the true error reaches a fair share of the charge."""

import random
from fractions import Fraction

import numpy as np
import pytest

from pldcheck.core.differences import Near
from pldcheck.core.directed import UNIT

from . import hunt_differences
from .hunts import hunt_cells


@pytest.mark.parametrize("name", sorted(hunt_differences.HUNTS))
def test_charged_errors_cover_the_true_ones(name):
    assert [outcome for outcome in hunt_cells(name, 7, 0, 1500)[0] if outcome.fails and outcome.kind != "slow"] == []


def test_products_and_sums_keep_the_truth_inside():
    draw = random.Random(5)
    for _ in range(2000):
        exact = [Fraction(draw.uniform(-1, 1)) * Fraction(2) ** draw.randint(-40, 40) for _ in range(3)]
        # a value that is wrong by all that is charged for it
        errors = [abs(float(value)) * 4 * UNIT for value in exact]
        nears = [
            Near(np.float64(float(value) + draw.choice([-1, 1]) * 0.7 * error), np.float64(error))
            for value, error in zip(exact, errors, strict=True)
        ]
        factor = draw.uniform(-3, 3)
        product = nears[0].times(factor)
        assert Fraction(float(product.lower)) <= exact[0] * Fraction(factor) <= Fraction(float(product.upper))
        total = nears[1].plus(nears[2])
        assert Fraction(float(total.lower)) <= exact[1] + exact[2] <= Fraction(float(total.upper))
