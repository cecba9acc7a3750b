"""Increments raised to what matters: the same stop-loss transform, enumerated in fractions; the moments of cells."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from pldcheck.hidden_slot.known.floored_increment import FlooredIncrement
from pldcheck.hidden_slot.known.laplace_ratio import LaplaceIncrement, LaplaceNoise
from pldcheck.hidden_slot.known.neighbour_pairs import ADDITION, REMOVAL, Pair
from pldcheck.hidden_slot.known.slot_increments import FiniteIncrement

VALUES = np.array([-6.0, -1.5, -0.25, 0.5, 0.75])
MASSES = np.array([0.03125, 0.21875, 0.25, 0.25, 0.25])


def stop_loss(values, masses, count, threshold):
    total = Fraction(0)
    for which in product(range(len(values)), repeat=count):
        chance = np.prod([Fraction(masses[k]) for k in which])
        total += chance * max(sum(Fraction(values[k]) for k in which) - threshold, 0)
    return total


@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("share", [0.2, 0.7, 0.95])
def test_the_sum_over_a_threshold_is_the_same(count, share):
    threshold = Fraction(share) * count * Fraction(0.75)
    floor = threshold - (count - 1) * Fraction(0.75)
    floor_values = [max(Fraction(value), floor) for value in VALUES]
    assert stop_loss(VALUES, MASSES, count, threshold) == stop_loss(floor_values, MASSES, count, threshold)
    higher = [max(Fraction(value), floor + Fraction(1, 8)) for value in VALUES]
    if count > 1 and share < 0.9:  # no higher floor would do
        assert stop_loss(VALUES, MASSES, count, threshold) < stop_loss(higher, MASSES, count, threshold)


@pytest.mark.parametrize("low", [-2.0, -0.25, 0.1])
def test_a_floored_finite_law_has_its_moments(low):
    increment = FlooredIncrement(FiniteIncrement.of(VALUES, MASSES), low)
    values, masses = np.maximum(VALUES, low), MASSES
    assert increment.low == low and increment.high == 0.75
    edges = np.array([-3.0, -1.0, -0.3, 0.0, 0.3, 0.6, 0.9])
    cells = increment.cells(edges)
    for k, (left, right) in enumerate(zip(edges, edges[1:], strict=False)):
        inside = (values > left) & (values <= right)
        assert cells.masses[k] == pytest.approx(masses[inside].sum(), rel=1e-14, abs=0.0)
        pairs = [(Fraction(float(x)), Fraction(float(m))) for x, m in zip(values[inside], masses[inside], strict=True)]
        rise, fall = (sum(m * abs(x - Fraction(float(end))) for x, m in pairs) for end in (left, right))
        assert abs(Fraction(float(cells.rises[k])) - rise) <= cells.errors[k] <= 1e-12
        assert abs(Fraction(float(cells.falls[k])) - fall) <= cells.errors[k]
    for at in (-4.0, low, 0.2, 0.5, 0.8):
        mass, moment = increment.below(at)
        assert mass == pytest.approx(masses[values <= at].sum(), rel=1e-14)
        assert moment == pytest.approx(masses[values <= at] @ values[values <= at], rel=1e-13)
        beyond, error, excess, doubt = increment.above(at)
        pairs = [(Fraction(x), Fraction(m)) for x, m in zip(values.tolist(), masses.tolist(), strict=True)]
        assert abs(Fraction(beyond) - sum(m for x, m in pairs if x > at)) <= error
        assert abs(Fraction(excess) - sum(m * max(x - Fraction(at), 0) for x, m in pairs)) <= doubt <= 1e-12
    assert increment.variance == pytest.approx(masses @ (values - masses @ values) ** 2)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_floored_law_with_a_density_has_its_moments(sign):
    base = LaplaceIncrement(1.0, sign)
    low = base.low + 0.6 * (base.high - base.low)
    increment = FlooredIncrement(base, low)
    edges = np.linspace(base.low - 0.1, base.high + 0.1, 12)
    cells = increment.cells(edges)
    assert cells.masses.sum() == pytest.approx(1.0, rel=1e-12)
    # E max(X, low) from the cells, from both sides, and from the base's own tail.
    mean = low + base.above(low)[2]
    assert cells.rises.sum() + cells.masses @ edges[:-1] == pytest.approx(mean, rel=1e-11)
    assert cells.masses @ edges[1:] - cells.falls.sum() == pytest.approx(mean, rel=1e-11)


@pytest.mark.parametrize("eps0", [0.1, 1.0, 8.0, 19.0])
@pytest.mark.parametrize("name", [REMOVAL, ADDITION])
def test_the_largest_epsilon_is_not_below_eps0(name, eps0):
    pair = Pair(name, LaplaceNoise(eps0), 3, 1.0)
    assert eps0 <= pair.largest <= eps0 * (1.0 + 1e-6)
