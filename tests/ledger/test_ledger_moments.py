"""Moments behind the bound of what is left out: within their charge, and the charge is used."""

import numpy as np
import pytest
from flint import arb, ctx

from pldcheck.kernels.half_period_inversion import beyond_bound
from pldcheck.pld import lattice_fourier
from pldcheck.pld.lattice_law import LatticeLaw
from pldcheck.pld.tilted_lattice import moment_error, tilt


def _moments(law, theta):
    """Return the tilted law's centred second and fourth moment, of its floats taken as exact."""
    weights, places = [], []
    for i, mass in enumerate(law.mass.tolist()):
        place = arb(law.step) * (law.first + i)
        weights.append(arb(mass) * (arb(theta) * place).exp())
        places.append(place)
    total = sum(weights, arb(0))
    mean = sum((w * y for w, y in zip(weights, places, strict=True)), arb(0)) / total
    return tuple(
        sum((w * (y - mean) ** k for w, y in zip(weights, places, strict=True)), arb(0)) / total for k in (2, 4)
    )


@pytest.mark.parametrize("seed", range(8))
def test_moments_are_within_their_error(seed):
    random = np.random.default_rng(seed)
    largest = 0.0
    for _ in range(12):
        size, step, theta = int(random.integers(3, 200)), 10.0 ** random.uniform(-4, 0), 10.0 ** random.uniform(-3, 1)
        masses = random.dirichlet(np.ones(size)) * 10.0 ** -random.uniform(0, 60, size)
        law = LatticeLaw(step, int(random.integers(-(10**4), 10**4)), masses / masses.sum(), np.zeros(size))
        tilt_of_law = tilt(law, theta)
        error = moment_error(tilt_of_law)
        moments = tilt_of_law.deviation**2, float(tilt_of_law.masses @ tilt_of_law.atoms**4)
        with ctx.workprec(400):
            for value, exact in zip(moments, _moments(law, theta), strict=True):
                relative_error = abs(arb(value) - exact) / exact
                assert error > 0.01 or relative_error <= arb(error)
                largest = max(largest, float(relative_error) / error)
    assert 1e-5 < largest


def test_the_error_of_moments_is_charged_to_what_is_left_out(monkeypatch):
    phi, slope = np.fft.rfft([0.25, 0.5, 0.25], 64), np.fft.rfft([0.0, 0.0, 0.0], 64)
    near, far = (
        beyond_bound(phi, slope, (0.5, 0.5), offset, 100.0, 0.1, 1.0, 0.01, 0.3, 1e-12) for offset in (0.0, 1e-2)
    )
    # 3 power variance last^2 off = 0.135 in the exponent of its largest part
    assert 1.1 * near < far < 1.2 * near
    masses = np.array([0.25, 0.5, 0.25])
    law = LatticeLaw(1.0, -1, masses, np.zeros(3))
    tilt_of_law = tilt(law, 0.1)
    plain = lattice_fourier._left_out(law, tilt_of_law, 100, 0.01, 0.3, 64)
    monkeypatch.setattr(lattice_fourier, "moment_error", lambda tilt_of_law: 1e-2)
    assert 1.1 * plain < lattice_fourier._left_out(law, tilt_of_law, 100, 0.01, 0.3, 64) < 1.2 * plain
