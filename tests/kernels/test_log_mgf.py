"""Logs of moment generating functions of laws on a lattice, against mpmath."""

import numpy as np
import pytest
from mpmath import mp

from pldcheck.kernels.gaussian_cells import log_mgf

UNIT = 2.0**-53


@pytest.fixture(autouse=True)
def fifty_digits():
    with mp.workdps(50):
        yield


def exact(masses, step, first, theta):
    total = mp.fsum(
        mp.mpf(mass) * mp.exp(mp.mpf(theta) * mp.mpf(step) * (first + i)) for i, mass in enumerate(masses.tolist())
    )
    return mp.log(total)


def check(masses, step, first, theta, most):
    log_moment, error = log_mgf(masses, step, first, theta)
    assert abs(mp.mpf(log_moment) - exact(masses, step, first, theta)) <= error
    assert error <= most * UNIT


@pytest.mark.parametrize("seed", range(8))
def test_logs_of_moments_are_within_their_error_at_many_tilts(seed):
    random = np.random.default_rng(seed)
    size = int(random.integers(2, 60))
    masses = random.dirichlet(np.ones(size)) * random.choice([1.0, 0.3, 1e-12])
    first, step = -int(random.integers(0, size)), float(random.uniform(1e-3, 2.0))
    for theta in [*np.geomspace(1e-6, 200.0, 60), *-np.geomspace(1e-6, 200.0, 20)]:
        reach = abs(theta) * step * size
        check(masses, step, first, float(theta), 150.0 + 6.0 * reach)


@pytest.mark.parametrize("theta", [5.0, 31.7, 123.4, 650.0])
def test_large_exponents_that_small_masses_cancel_do_not_overflow(theta):
    # Every term is about 1: what exponents are rounded by is all of the error, and far more than that of the result.
    atoms = 0.37 * np.arange(1, 40)
    atoms = atoms[theta * atoms < 690.0]
    masses = np.exp(-theta * atoms)
    check(masses, 0.37, 1, theta, 20.0 + 5.0 * theta * float(atoms[-1]))


@pytest.mark.nightly
@pytest.mark.parametrize("size", [2000, 20000])
def test_near_one_the_error_is_relative_to_the_difference_from_one(size):
    # A law of mean about 0: log M is raised to high powers, and its error with it.
    random = np.random.default_rng(size)
    masses = random.dirichlet(np.ones(size))
    first, step = -size // 2, 1.0 / size
    for theta in (1e-4, 1e-2, 0.9):
        check(masses, step, first, theta, 8.0 * theta + 1.0)


def test_a_law_without_masses_has_the_log_minus_infinity():
    assert log_mgf(np.zeros(5), 1.0, 0, 0.3) == (-np.inf, 0.0)
