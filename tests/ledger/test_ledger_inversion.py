"""Charges of an inversion for omitted nodes, for missing mass of a law, and for logs near 0: each must be needed."""

import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from pldcheck.core.directed import UNIT, Side
from pldcheck.hidden_slot.known.increment_lattice import disperse
from pldcheck.hidden_slot.known.increment_stoploss import OneSidedSum
from pldcheck.hidden_slot.known.slot_increments import GaussianIncrement, edge_rounding
from pldcheck.kernels.half_period_inversion import log_mgf_by_blocks
from pldcheck.pld import lattice_fourier
from pldcheck.pld.lattice_contour import Contour
from pldcheck.pld.lattice_law import LatticeLaw
from pldcheck.pld.tilted_lattice import tilt

STEP = Fraction(1, 4)
FIRST = -3
MASSES = [Fraction(k, 32) for k in (1, 2, 9, 12, 6, 2)]
POWER = 12


def exact(masses, start):
    """Return E(start + sum)_+ of POWER copies, in fractions."""
    law = {0: Fraction(1)}
    for _ in range(POWER):
        new = {}
        for at, mass in law.items():
            for i, one in enumerate(masses):
                new[at + FIRST + i] = new.get(at + FIRST + i, 0) + mass * one
        law = new
    return sum(mass * max(start + STEP * at, 0) for at, mass in law.items())


def bound_at(masses, start, outside=None):
    law = LatticeLaw(float(STEP), FIRST, np.array([float(mass) for mass in masses]), np.zeros(len(masses)))
    return lattice_fourier.dominating_contour(law, POWER, float(start), 1.0, outside).at(float(start))


STARTS = [Fraction(-k, 8) for k in range(1, 40, 3)]
STARTS_NEAR_MEAN = STARTS[:5]


def test_omitted_nodes_are_charged(monkeypatch):
    monkeypatch.setattr(lattice_fourier, "BOUND_COST", -1e9)  # few nodes
    monkeypatch.setattr(lattice_fourier, "MOST_LEFT_OUT_ABOVE", math.inf)
    monkeypatch.setattr(lattice_fourier, "DECAY", 0.7)  # very few
    bounds = [(bound_at(MASSES, start), exact(MASSES, start)) for start in STARTS]
    assert all(bound.upper >= truth for bound, truth in bounds)
    # without what is added for them some would be too low
    assert any(bound.upper - bound.truncation < truth for bound, truth in bounds)


def test_missing_mass_of_a_law_is_charged():
    masses = [*MASSES[:-1], Fraction(0)]
    last, mass = float(STEP * (FIRST + 5)), float(MASSES[-1])
    bounds = [
        (bound_at(masses, start, lambda theta: math.log(mass) + theta * last), exact(MASSES, start))
        for start in STARTS_NEAR_MEAN
    ]
    assert all(bound.upper >= truth for bound, truth in bounds)
    assert all(bound.upper - bound.truncation < truth for bound, truth in bounds)


def test_whole_periods_are_above_the_truth():
    for start in STARTS:
        bound, truth = bound_at(MASSES, start), exact(MASSES, start)
        assert truth <= bound.upper <= truth * (1 + Fraction(1, 10**9))


@pytest.mark.parametrize("theta", [1e-6, 1e-3, 0.1, 0.5, 3.0])
@pytest.mark.parametrize("seed", range(6))
def test_logs_of_moments_are_within_their_error(theta, seed):
    random = np.random.default_rng(seed)
    size = int(random.choice([3, 200, 5000]))
    masses = random.dirichlet(np.ones(size)) * random.choice([1.0, 1.0 - 1e-9])
    step = 10.0 ** random.uniform(-5, -2)
    law = LatticeLaw(step, -int(0.6 * size), masses, np.zeros(size))
    tilt_of_law = tilt(law, theta)
    with mp.workdps(40):
        total = mp.fsum(mp.mpf(mass) * mp.exp(mp.mpf(theta) * mp.mpf(step) * (law.first + i))
                        for i, mass in enumerate(masses.tolist()))  # fmt: skip
        error = abs(mp.log(total) - mp.mpf(tilt_of_law.log_mgf))
    assert error <= tilt_of_law.log_mgf_error + 4 * UNIT * abs(tilt_of_law.log_mgf)


@pytest.mark.parametrize("seed", range(8))
def test_logs_of_moments_near_one_of_laws_without_a_mean_are_within_their_error(seed):
    """Terms cancel: the log, of second order, is far less than what its terms are rounded by."""
    random = np.random.default_rng(seed)
    worst = 0.0
    for _ in range(10):
        size, step = int(random.choice([5, 201, 2001])), 10.0 ** random.uniform(-7, -3)
        masses = random.dirichlet(np.ones(size))
        law = LatticeLaw(step, -(size // 2), 0.5 * (masses + masses[::-1]), np.zeros(size))
        theta = 10.0 ** random.uniform(-6, -1) / (step * size)
        tilt_of_law = tilt(law, theta)
        with mp.workdps(50):
            terms = [mp.mpf(mass) * mp.exp(mp.mpf(theta) * mp.mpf(step) * (law.first + i))
                     for i, mass in enumerate(law.mass.tolist())]  # fmt: skip
            error = float(abs(mp.log(mp.fsum(terms)) - mp.mpf(tilt_of_law.log_mgf)))
        assert error <= tilt_of_law.log_mgf_error
        worst = max(worst, error / (4 * UNIT * abs(tilt_of_law.log_mgf)))
    assert worst > 2.0  # what a log is rounded by would not be enough


@pytest.mark.parametrize("s", [1e-4, 0.1, 1.0, 3.0, 10.0])
@pytest.mark.parametrize(("up", "down", "constant"), [(1.0, 0.0, -1.0), (0.0, 1.0, 1.0), (1.0, 3.0, 2.0)])
def test_edges_are_the_values_at_their_points(s, up, down, constant):
    increment = GaussianIncrement(s, up, down, constant)
    units, size = edge_rounding(increment)
    worst = 0.0
    z = np.linspace(-37.0, 37.0, 400)
    edges = increment.values(z)
    edges = edges[np.abs(edges) < 1e150]
    with mp.workdps(60):
        for edge, point in zip(edges.tolist(), increment.points(edges).tolist(), strict=True):
            if not math.isfinite(point) or abs(point) > 38.0:
                continue
            a, half = mp.mpf(s) * mp.mpf(point), mp.mpf(s) ** 2 / 2
            value = mp.mpf(up) * mp.exp(a - half) - mp.mpf(down) * mp.exp(-a - half) + mp.mpf(constant)
            worst = max(worst, float(abs(value - mp.mpf(edge)) / (abs(mp.mpf(edge)) + size)) / UNIT)
    assert worst <= units
    assert units <= 2000.0 * max(worst, 0.1)


def test_lattice_points_of_many_steps_are_all_off_the_same_way():
    lattice = disperse(GaussianIncrement(1.0, 1.0, 0.0, -1.0), 0.01, -1.0, 5.0)
    total = Contour(0.01, 1.0, 1, 0.0, 0.0, np.zeros(1), np.empty(0), 0.0, 0.0, 0.0, 1, ((0.0, 0.5), (0.0, 2.0)))
    doubts = [
        OneSidedSum(Side.UPPER, count, lattice, total, 0.0, lambda at: 0.0, (100.0, 2.0)).doubt(0.0)
        for count in (10**3, 10**9)
    ]
    # not by the root of their number
    assert doubts[1] >= 0.9e6 * doubts[0] and doubts[0] >= 1e3 * 100.0 * 5.0 * UNIT


@pytest.mark.parametrize("seed", range(6))
def test_quick_logs_of_moments_are_within_their_charge(seed):
    random = np.random.default_rng(seed)
    worst = 0.0
    for _ in range(12):
        size, step, theta = int(random.integers(2, 200)), 10.0 ** random.uniform(-4, 0), 10.0 ** random.uniform(-3, 1)
        masses, first = random.dirichlet(np.ones(size)), -int(random.integers(0, size))
        log_moment, charge = log_mgf_by_blocks(masses, step, first, theta)
        with mp.workdps(60):
            total = mp.fsum(
                mp.mpf(mass) * mp.exp(mp.mpf(theta) * mp.mpf(step) * (first + i))
                for i, mass in enumerate(masses.tolist())
            )
            error = float(abs(mp.log(total) - mp.mpf(log_moment)))
        assert error <= charge
        worst = max(worst, error / charge)
    assert worst > 1e-4  # of the size of what it covers
