"""Cells of Gaussian increments, contracted laws and moment generating functions, in ball and exact arithmetic."""

from fractions import Fraction
from math import exp, log

import numpy as np
import pytest
from flint import arb, ctx
from scipy.optimize import linprog
from scipy.special import ndtri

from pldcheck.kernels.gaussian_cells import contract, gaussian_cells, log_mgf

UNIT = 2.0**-53
LAWS = [(1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.0, 50.0)]
# Products of masses and values below it are not numbers any more.
LEAST = 1e-280


def value(s, up, down, z):
    return up * (s * z - s * s / 2).exp() - down * (-s * z - s * s / 2).exp()


def mass_between(low, high, shift):
    """Return the probability between two numbers, from the nearer tail: the other one has no digits left."""
    root = arb(2).sqrt()
    if high < 0:
        low, high, shift = -high, -low, -shift
    return (((low - shift) / root).erfc() - ((high - shift) / root).erfc()) / 2


def exact_cell(up, down, s, low, high):
    """Return the mass, E[W; cell], and W at both ends."""
    s, up, down, low, high = map(arb, (s, up, down, low, high))
    mean = up * mass_between(low, high, s) - down * mass_between(low, high, -s)
    return mass_between(low, high, arb(0)), mean, value(s, up, down, low), value(s, up, down, high)


def check_cells(up, down, s, points, loosest):
    with ctx.workprec(700):
        cells = [exact_cell(up, down, s, low, high) for low, high in zip(points, points[1:], strict=False)]
        edges = np.array([float(cells[0][2]), *(float(cell[3]) for cell in cells)])
        masses, rises, falls, errors = gaussian_cells(up, down, s, points, edges)
        for k, (mass, mean, _, _) in enumerate(cells):
            width = edges[k + 1] - edges[k]
            if not mass * width > LEAST:
                continue
            # The edges are rounded: values at the points within that are as good.
            round_off = 2 * UNIT * (abs(edges[k]) + abs(edges[k + 1])) * mass
            assert abs(mass - masses[k]) * width <= errors[k] + round_off
            assert abs(mean - arb(edges[k]) * mass - rises[k]) <= errors[k] + round_off
            assert abs(arb(edges[k + 1]) * mass - mean - falls[k]) <= errors[k] + round_off
            size = abs(mean) + (abs(edges[k]) + abs(edges[k + 1])) * mass
            assert errors[k] <= loosest * size


@pytest.mark.parametrize("s", [0.01, 0.1, 1.0, 5.0, 20.0])
@pytest.mark.parametrize(("up", "down"), LAWS)
def test_cells_of_all_widths_are_within_their_errors_anywhere(up, down, s):
    random = np.random.default_rng(int(1000 * s))
    for _ in range(40):
        start, length = random.uniform(-30.0, 30.0), exp(random.uniform(log(1e-6), log(3.0)))
        points = start + length * np.concatenate([[0.0], np.cumsum(random.uniform(0.2, 1.0, 3))])
        check_cells(up, down, s, points, 1e-11)


@pytest.mark.parametrize("s", [2.0, 12.0, 20.0])
@pytest.mark.parametrize(("up", "down"), LAWS)
def test_narrow_cells_in_the_bulk_are_within_their_errors_where_there_is_little_noise(up, down, s):
    # s z - s^2/2 has a rounding error of its own that does not go with z.
    random = np.random.default_rng(7)
    for _ in range(60):
        start = random.uniform(-2.0, 2.0)
        check_cells(up, down, s, start + 0.4 / (s + 4.0) * np.arange(4.0), 1e-12)


@pytest.mark.parametrize("z", [-30.0, -8.0, 0.0, 8.0, 30.0])
def test_the_way_cells_are_computed_changes_nothing(z):
    # 0.5 is where quadrature takes over from tails.
    for s in (0.01, 1.0):
        for share in (0.499, 0.501):
            check_cells(1.0, 2.0, s, np.array([z, z + share / (abs(z) + s + 1.5)]), 1e-11)


def test_an_open_cell_has_its_mass():
    masses, rises, falls, errors = gaussian_cells(
        1.0, 0.0, 1.0, np.array([-np.inf, 0.3]), np.array([0.0, exp(0.3 - 0.5)])
    )
    with ctx.workprec(200):
        mass, mean, _, high = exact_cell(1.0, 0.0, 1.0, -60.0, 0.3)
        assert abs(mass - masses[0]) <= 1e-15
        assert abs(mean - rises[0]) <= errors[0] and abs(high * mass - mean - falls[0]) <= errors[0] + 2 * UNIT
        assert errors[0] <= 1e-12


# --- laws contracted --------------------------------------------------------------------------------------------------


def stop_losses(masses):
    """Return stop losses at every point, exactly."""
    return [
        sum((Fraction(m) * (j - k) for j, m in enumerate(masses) if j > k), Fraction(0)) for k in range(-1, len(masses))
    ]


def most_room(masses, least):
    """Return the largest t such that a law below ``masses`` in convex order is above ``least`` + t, by linear
    programming.
    """
    size = len(masses)
    places = np.arange(size, dtype=float)
    potential = np.maximum(places[None, :] - places[:, None], 0.0)
    solution = linprog(
        np.append(np.zeros(size), -1.0),
        A_ub=np.vstack([np.column_stack([potential, np.zeros(size)]), np.column_stack([-np.eye(size), np.ones(size)])]),
        b_ub=np.concatenate([potential @ masses, -least]),
        A_eq=np.column_stack([np.vstack([np.ones(size), places]), np.zeros(2)]),
        b_eq=[masses.sum(), places @ masses],
        bounds=[(None, None)] * (size + 1),
    )
    return solution.x[-1] if solution.success else -np.inf


@pytest.mark.parametrize("seed", range(40))
def test_contracted_laws_are_smaller_and_large_enough(seed):
    random = np.random.default_rng(seed)
    size = int(random.integers(3, 14))
    before = random.exponential(1.0, size) * random.uniform(0.0, 1.0, size) ** 3
    before -= random.uniform(0.0, 0.5, size) * (random.random(size) < 0.4)
    least = random.uniform(0.0, 0.02, size)
    after = before.copy()
    if not contract(after, least):
        assert most_room(before, least) <= 1e-9  # it was not possible
        return
    assert (after >= least).all()
    slack = Fraction(1, 10**14) * size
    assert abs(sum(map(Fraction, after)) - sum(map(Fraction, before))) <= slack
    heights = zip(stop_losses(after), stop_losses(before), strict=True)
    (first, last), *rest = heights
    assert abs(first - last) <= slack * size  # the mean
    assert all(now <= then + slack * size for now, then in rest)


def test_a_law_that_is_large_enough_stays_as_it_is():
    masses = np.array([0.25, 0.5, 0.125])
    assert contract(masses, np.zeros(3)) and masses.tolist() == [0.25, 0.5, 0.125]


def test_a_law_whose_first_point_is_negative_cannot_be_contracted():
    assert not contract(np.array([-0.1, 1.0, 1.0]), np.zeros(3))


# --- moment generating functions --------------------------------------------------------------------------------------


def right_log_mgf(masses, step, first, theta):
    log_moment, error = log_mgf(masses, step, first, theta)
    with ctx.workprec(300):
        terms = [arb(m) * (arb(theta) * arb(step) * (first + i)).exp() for i, m in enumerate(masses)]
        truth = sum(terms, arb(0)).log()
        assert abs(truth - log_moment) <= error
    assert error <= 1e-12 * (1.0 + abs(log_moment))


@pytest.mark.parametrize("seed", range(30))
def test_logs_of_moments_of_random_laws_are_within_their_error(seed):
    random = np.random.default_rng(seed)
    size = int(random.integers(2, 60))
    masses = np.exp(-random.uniform(0.0, 30.0, size))
    theta = exp(random.uniform(-9.0, 4.0)) * (-1.0) ** seed
    right_log_mgf(masses / masses.sum(), random.uniform(0.01, 1.0), int(random.integers(-40, 5)), theta)


@pytest.mark.parametrize("total", [1.0, 1e-5, 1e-12, 1e-20, 1e-60])
def test_logs_of_moments_of_rare_steps_are_within_their_error_at_small_tilts(total):
    # M - 1 is -1 up to round-off there: nothing is near the identity but the tilt.
    right_log_mgf(total * np.array([0.75, 0.25]), 1.0, 100, 1e-3)


@pytest.mark.parametrize("theta", [3.0, 50.0, 500.0])
def test_logs_of_moments_of_rare_atoms_are_within_their_error_at_steep_tilts(theta):
    # Terms of about 1 that are products of a large and a small number.
    masses = np.append(np.full(20, 0.05), exp(-theta * 0.9))
    right_log_mgf(masses, 0.05, 0, theta)


def test_logs_of_moments_near_one_are_within_their_error():
    # It is multiplied by 10^9: absolute errors count, of a value of 5e-17.
    z = ndtri((np.arange(400) + 0.5) / 400)
    masses, _ = np.histogram(z, bins=41, range=(-4.1, 4.1))
    right_log_mgf(masses / 400.0, 0.2, -20, 1e-8)
