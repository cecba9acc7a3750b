"""Tilted laws on a circle, quick bounds of moment generating functions, and of what is left out of a transform."""

from math import pi

import numpy as np
import pytest
from mpmath import mp

from pldcheck.kernels.half_period_inversion import beyond_bound, log_mgf_by_blocks, tilt_onto

UNIT = 2.0**-53


@pytest.fixture(autouse=True)
def fifty_digits():
    with mp.workdps(50):
        yield


def terms(masses, step, first, theta):
    return [mp.mpf(m) * mp.exp(mp.mpf(theta) * mp.mpf(step) * (first + i)) for i, m in enumerate(masses.tolist())]


def laws(seed):
    """Yield (masses, step, first, tilt): of all lengths, with gaps, masses that are hardly numbers, steep and flat
    tilts.
    """
    random = np.random.default_rng(seed)
    size = int(random.integers(1, 200))
    masses = random.dirichlet(np.ones(size)) * (random.random(size) < 0.9) + (np.arange(size) == size // 2) * 0.1
    step, first = float(random.uniform(1e-3, 2.0)), -int(random.integers(0, size))
    for theta in np.geomspace(1e-6, 600.0 / (step * size), 12):
        yield masses, step, first, float(theta)
    # As steep as a mass of 1e-310 is small; nothing beyond it, far.
    rare = np.zeros(1000)
    rare[:20], rare[300] = 0.05, 1e-310
    yield rare, 1.0, 0, 713.0 / 300.0
    yield rare, 1.0, -10, 40.0


@pytest.mark.parametrize("seed", range(12))
def test_quick_logs_are_as_near_as_they_say(seed):
    for masses, step, first, theta in laws(seed):
        log_moment, error = log_mgf_by_blocks(masses, step, first, theta)
        assert abs(mp.log(mp.fsum(terms(masses, step, first, theta))) - mp.mpf(log_moment)) <= error
        assert error <= UNIT * (
            400.0 + masses.size + 12.0 * theta * step * masses.size + 2000.0 * (theta * step > 18.0)
        )


def test_steep_falls_lose_no_small_masses():
    # The law's last mass counts most, but the exponentials before it, times masses, are no numbers.
    masses = np.array([0.0] * 14 + [1e-200, 0.5])
    for theta in (-0.9, -1.1, -18.0, -30.0):
        log_moment, error = log_mgf_by_blocks(masses, 1.0, -20, theta)
        assert abs(mp.log(mp.fsum(terms(masses, 1.0, -20, theta))) - mp.mpf(log_moment)) <= error <= 1e-12


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("size", [7, 64, 4000])
def test_tilted_laws_on_a_circle_are_as_near_as_they_say(seed, size):
    for masses, step, first, theta in laws(seed):
        # Any number near the log of M will do.
        log_mgf = log_mgf_by_blocks(masses, step, first, theta)[0] + 1e-12
        circle, noise = tilt_onto(masses, step, first, theta, log_mgf, size)
        truth = [mp.mpf(0)] * size
        for i, term in enumerate(terms(masses, step, first, theta)):
            truth[(first + i) % size] += term * mp.exp(-mp.mpf(log_mgf))
        assert mp.fsum(abs(one - mp.mpf(value)) for one, value in zip(truth, circle.tolist(), strict=True)) <= noise
        assert abs(circle.sum() - 1.0) <= 1e-11
        assert noise <= UNIT * (100.0 + masses.size / size + 4.0 * theta * step * (masses.size + 32.0)) + 1e-240


@pytest.mark.parametrize("width", [3.0, 12.0])
@pytest.mark.parametrize("power", [30, 1000, 10**6])
@pytest.mark.parametrize("share", [0.1, 0.5, 1.5])
def test_what_is_left_out_is_no_more_than_that(width, power, share):
    # A skewed bulk with a far atom; all nodes of the half period, one after another.
    step, theta, nodes = 0.3, 0.05, 60000
    places = np.arange(-40.0, 80.0)
    masses = np.exp(-0.5 * (places / width) ** 2) * (1.0 + 0.3 * np.tanh(places)) + 1e-4 * (places == 70.0)
    masses /= masses.sum()
    atoms = step * (places - masses @ places)
    spacing = 2.0 * pi / (nodes * step)
    last = share * spacing * np.ceil(np.sqrt(2.0 * 20.0 / power) / np.sqrt(masses @ atoms**2) / spacing)
    frequencies = spacing * np.arange(1.0, nodes // 2 + 1.0)
    frequencies = frequencies[frequencies > last]
    phi = np.zeros(frequencies.size, dtype=complex)
    for atom, mass in zip(atoms, masses, strict=True):
        phi += mass * np.exp(1j * frequencies * atom)
    weights = step / np.abs(4.0 * np.sinh(0.5 * step * (theta + 1j * frequencies)) ** 2)
    truth = float(np.sum(np.exp(power * np.log(np.abs(phi))) * weights))
    size = 1024
    transform, slope = np.fft.rfft(masses, size), -1j * np.fft.rfft(masses * atoms, size)
    moments = float(masses @ atoms**2), float(masses @ atoms**4)
    bound = beyond_bound(transform, slope, moments, 1e-12, float(power), theta, step, spacing, float(last), 1e-12)
    # Up to where the transform turns it is bounded by its beginning; what is far below the whole is as good as none.
    first = float(np.exp(power * np.log(np.abs(phi[0]))) * weights[0])
    assert truth <= bound <= 60.0 * truth + 10.0 * frequencies.size * first + 1e-20 * step / theta**2 / step**2
