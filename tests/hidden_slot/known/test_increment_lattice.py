"""Increments on lattices, against the exact stop-loss transform of what they stand for."""

from fractions import Fraction
from math import exp, inf, pi, sqrt

import naive_sums as naive
import numpy as np
import pytest

from pldcheck.core.directed import Side
from pldcheck.hidden_slot.known import neighbour_pairs
from pldcheck.hidden_slot.known.increment_lattice import disperse, draw_together
from pldcheck.hidden_slot.known.pair_curve import Curve
from pldcheck.hidden_slot.known.slot_increments import FiniteIncrement, GaussianIncrement
from pldcheck.protocols import RandomAllocation

UNIT = 2.0**-53
# Added to every upper end.
UNDERFLOW = 1e-300
REMOVE = (1.0, 0.0, -1.0)
ADD = (0.0, 1.0, 1.0)
REPLACE = (1.0, exp(0.5), exp(0.5) - 1.0)
KINDS = pytest.mark.parametrize("kind", [REMOVE, ADD, REPLACE], ids=["removed", "added", "replaced"])


def ends_of_lattice(increment):
    """Return a low and a cap that leave a little on either side."""
    low, high = (float(value) for value in increment.values(np.array([-8.5, 4.5])))
    return max(low, increment.low), min(high, increment.high)


def stop_loss(increment, threshold):
    if isinstance(increment, GaussianIncrement):
        return naive.gaussian_stop_loss(increment.s, increment.up, increment.down, increment.constant, threshold)
    return naive.ball(naive.finite_stop_loss(increment.atoms, increment.masses, threshold))


def of_lattice(placement, threshold):
    law = placement.law
    return naive.ball(naive.lattice_stop_loss(law.step, law.first, law.mass, placement.origin, threshold))


def gap(increment, placement, threshold, above):
    """Return how far the lattice law is on its side of min(X, cap) at a threshold; asserts that it is on it."""
    # What a side of the sum grants the threshold, and the values of A, which are of size 1, are rounded, too.
    doubt = 16 * UNIT * (abs(threshold) + abs(placement.origin) + abs(placement.cap)) + 4 * UNIT
    place = threshold - doubt if above else threshold + doubt
    truth = stop_loss(increment, threshold) - stop_loss(increment, placement.cap)
    value = of_lattice(placement, place)
    if above:
        assert value + UNDERFLOW >= truth * (1 - 1e-40)
        return float(value - truth)
    assert value <= truth * (1 + 1e-40)
    return float(truth - value)


def check(increment, step, low, cap, seed, below_low=True):
    random = np.random.default_rng(seed)
    up, down = disperse(increment, step, low, cap), draw_together(increment, step, low, cap)
    # Below the lattice a threshold sees mass and mean alone.
    places = [*random.uniform(low, cap, 6), low + 0.5 * step, low + step, cap - 0.3 * step]
    places += [low - 0.7 * (cap - low)] if below_low else []
    widths = []
    for threshold in places:
        one = gap(increment, up, threshold, True)
        other = gap(increment, down, threshold, False) if down is not None else inf
        widths.append((one, other))
    return np.array(widths), down


@KINDS
@pytest.mark.parametrize("s", [0.05, 0.5, 1.0, 2.0])
@pytest.mark.parametrize("points", [12, 100, 1000])
def test_gaussian_increments_from_above_and_from_below(kind, s, points):
    increment = GaussianIncrement(s, *kind)
    low, cap = ends_of_lattice(increment)
    # From below what lies under the lattice is left out, which only non-negative payoffs allow: no threshold is there.
    step = (cap - low) / points
    _, down = check(increment, step, low, cap, points, below_low=increment.low > -inf)
    assert down is not None or step > 0.1 * sqrt(increment.variance) or s > 0.3


@pytest.mark.parametrize("s", [4.0, 8.0, 15.0])
@KINDS
def test_increments_of_little_noise_that_no_lattice_resolves(kind, s):
    increment = GaussianIncrement(s, *kind)
    low = max(increment.low, -50.0)
    cap = min(increment.high, 200.0)
    for points in (60, 700):
        check(increment, (cap - low) / points, low, cap, points, below_low=increment.low > -inf)


@KINDS
@pytest.mark.parametrize("s", [0.1, 0.3])
def test_widths_are_of_second_order(kind, s):
    increment = GaussianIncrement(s, *kind)
    low, cap = ends_of_lattice(increment)
    spread = sqrt(increment.variance)
    # Incommensurable with the steps: the gap is largest between lattice points from above, at them from below.
    places = np.linspace(-1.5 * spread, 1.5 * spread, 199)
    truth = np.array([float(stop_loss(increment, t)) for t in places])
    errors = []
    for step in (0.1 * spread, 0.05 * spread):
        gaps = []
        for placement in (disperse(increment, step, low, cap), draw_together(increment, step, low, cap)):
            excess = np.maximum(placement.law.atoms + placement.origin - places[:, None], 0.0) @ placement.law.mass
            gaps.append(np.abs(excess - truth + float(stop_loss(increment, placement.cap))).max())
        errors.append(gaps)
    coarse, fine_errors = np.array(errors)
    # A chord over one step is above a transform of second derivative p by p h^2/8 at most, p about 0.4/spread.
    assert coarse[0] < 0.1 * 0.1**2 * spread and coarse[1] < 0.2 * 0.1**2 * spread
    assert (3.0 < coarse / fine_errors).all() and (coarse / fine_errors < 5.0).all()


def test_the_last_point_takes_nothing_from_beyond_it():
    # The law ends well before its supremum: its last cells are joined until a mean is above its point, or none is.
    increment = GaussianIncrement(0.05, *ADD)
    for points in range(5, 40):
        down = draw_together(increment, 1.4 / points, -0.4, 1.0)
        if down is not None:
            assert down.law.mass.sum() <= 1.0
            gap(increment, down, -0.4, False)


@pytest.mark.parametrize("seed", range(12))
def test_finite_increments_are_enclosed_from_both_sides(seed):
    random = np.random.default_rng(seed)
    size = int(random.integers(2, 9))
    masses = random.dirichlet(np.ones(size))
    values = random.normal(0.0, 1.0, size) * random.choice([1.0, 10.0], size)
    values -= masses @ values
    increment = FiniteIncrement.of(values, masses)
    low, cap = increment.low, increment.high
    for points in (7, 64, 1000):
        up = disperse(increment, (cap - low) / points, low, cap)
        down = draw_together(increment, (cap - low) / points, low, cap)
        for threshold in [*random.uniform(low, cap, 8), low - 1.0]:
            assert gap(increment, up, threshold, True) <= 1.0001 * (cap - low) / points
            if down is not None:
                gap(increment, down, threshold, False)


def test_atoms_on_lattice_points_stay_where_they_are():
    increment = FiniteIncrement.of(np.array([-0.5, 0.25, 2.0]), np.array([0.5, 0.375, 0.125]))
    up = disperse(increment, 0.25, -0.5, 2.0)
    atoms = {
        round(4 * (up.origin + at)): mass for at, mass in zip(up.law.atoms, up.law.mass, strict=True) if mass > 1e-13
    }
    assert atoms == pytest.approx({-2: 0.5, 1: 0.375, 8: 0.125}, rel=1e-13)


@KINDS
@pytest.mark.parametrize("s", [0.1, 1.0, 6.0])
def test_the_mass_beyond_a_value_is_enclosed(kind, s):
    increment = GaussianIncrement(s, *kind)
    for z in (-25.0, -4.0, 0.3, 5.0, 25.0):
        value = float(increment.values(np.array([z]))[0])
        mass, error, excess, doubt = increment.above(value)
        truth = stop_loss(increment, value)
        # The value is rounded: so is what exceeds it, by the mass.
        assert abs(truth - excess) <= doubt + 4 * UNIT * mass * (1.0 + abs(value))
        assert error <= 1e-11 * mass
        assert doubt <= 1e-10 * (mass * (abs(value) + abs(increment.constant)) + excess)


@pytest.mark.parametrize("kind", [REMOVE, ADD], ids=["removed", "added"])
@pytest.mark.parametrize("s", [1e-9, 1e-8, 1e-6, 1e-4, 1e-2])
def test_steps_that_are_rounded_by_a_share_of_a_cell_keep_their_mass(kind, s):
    """A mass that is 1e-10 short in each of 10^12 steps would make one that is e^100 times too small."""
    increment = GaussianIncrement(s, *kind)
    low, cap = ends_of_lattice(increment)
    placement = disperse(increment, (cap - low) / 800, low, cap)
    masses = [Fraction(float(mass)) for mass in placement.law.mass]
    assert 1 <= sum(masses) <= 1 + Fraction(1, 10**12)


def test_many_steps_of_next_to_no_loss():
    """A sum of 10^12 such steps is normal but for 1e-8, relatively: delta(0) is its deviation over root 2 pi steps."""
    steps, s = 10**12, 1e-8
    truth = s / sqrt(2.0 * pi * steps)
    slots = RandomAllocation(steps=steps, sigma=1.0 / s)._slots
    for name in (neighbour_pairs.REMOVAL, neighbour_pairs.ADDITION):
        curve = Curve(slots.pair(name), 0.2, 0.1)
        assert curve.value(0.0, Side.LOWER) <= 1.001 * truth and curve.value(0.0, Side.UPPER) >= 0.999 * truth
