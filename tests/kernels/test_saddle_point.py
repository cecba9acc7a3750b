"""Saddle points only say where to look: they are to be near, and never to fail."""

import itertools
import math

import numpy as np
import pytest

from pldcheck.hidden_slot.worst.step_laws import LAWS, VERTICES, Steps
from pldcheck.kernels.saddle_point import centring_tilt, epsilon_near, log_stop_loss, tilted_moments


def stop_loss(values, masses, count, start):
    """Return E(start + sum)_+ over the counts of two or three outputs."""
    total = 0.0
    for counts in itertools.product(range(count + 1), repeat=values.size - 1):
        rest = count - sum(counts)
        if rest >= 0:
            each = (*counts, rest)
            place = start + float(np.dot(each, values))
            log_mass = math.lgamma(count + 1) + sum(
                k * math.log(p) - math.lgamma(k + 1) for k, p in zip(each, masses, strict=True)
            )
            total += max(place, 0.0) * math.exp(log_mass)
    return total


@pytest.mark.parametrize("theta", [0.0, 0.7, 40.0])
def test_moments_of_the_tilted_law_agree_with_sums(theta):
    values, masses = np.array([-2.0, 0.25, 1.0]), np.array([0.125, 0.5, 0.375])
    weights = masses * np.exp(theta * values)
    law, mgf = weights / weights.sum(), weights.sum()
    mean = float(law @ values)
    exact = math.log(mgf), mean, float(law @ (values - mean) ** 2), float(law @ (values - mean) ** 3)
    assert tilted_moments(values, masses, theta) == pytest.approx(exact, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("law", range(3))
@pytest.mark.parametrize("goal", [0.0, 0.01, 0.5, 0.999])
def test_the_centring_tilt_centres(law, goal):
    values, masses = Steps(1.5, 0.3).law(law)
    goal *= float(values.max())
    theta = centring_tilt(values, masses, 100, -100 * goal)
    assert tilted_moments(values, masses, theta)[1] == pytest.approx(goal, rel=1e-6, abs=1e-9)
    assert centring_tilt(values, masses, 100, -100 * float(values.max())) == math.inf


@pytest.mark.parametrize("law", range(3))
@pytest.mark.parametrize(("eps0", "epsilon"), [(0.3, 0.02), (1.0, 0.2), (1.0, 0.6), (3.0, 0.5)])
def test_the_stop_loss_is_near(law, eps0, epsilon):
    values, masses = Steps(eps0, epsilon).law(law)
    count = 60
    start = -math.expm1(epsilon) * count
    exact = stop_loss(values, masses, count, start)
    # A lattice is not seen: its span times the tilt is what is lost.
    assert log_stop_loss(values, masses, count, start) == pytest.approx(math.log(exact), abs=0.6)
    assert log_stop_loss(values, masses, count, -2.0 * count * float(values.max())) == -math.inf


@pytest.mark.parametrize("law", range(3))
@pytest.mark.parametrize("count", [61, 10**4, 10**12])
@pytest.mark.parametrize("eps0", [1e-4, 1.0, 20.0])
@pytest.mark.parametrize("weight", [1e-6, 1.0])
@pytest.mark.parametrize("delta", [0.3, 1e-6, 1e-250])
def test_it_ends_inside_and_on_the_curve(law, count, eps0, weight, delta):
    powers = np.array([VERTICES[vertex] for vertex in LAWS[law].name], dtype=float)
    gains, losses = np.expm1(eps0 * powers).T.copy()
    masses, cap = LAWS[law].probabilities(eps0), math.log1p(weight * math.expm1(eps0))
    epsilon, slope = epsilon_near(gains, losses, masses, count, weight, cap, math.log(delta))
    assert 0.0 <= epsilon <= cap * (1 + 1e-15)
    # Of few steps delta may jump to zero where the last outcome is out of reach.
    assert slope > 0.0 or count == 61 or not 1e-6 * cap < epsilon < 0.9 * cap
    if slope > 0.0 and 1e-6 * cap < epsilon < 0.999 * cap:
        start = -math.expm1(epsilon) * count / weight
        log_delta = math.log(weight / count) + log_stop_loss(gains - math.exp(epsilon) * losses, masses, count, start)
        assert log_delta == pytest.approx(math.log(delta), abs=1e-3)


@pytest.mark.parametrize("law", range(3))
@pytest.mark.parametrize(
    ("count", "eps0", "weight"), [(4 * 10**11, 1.26, 1.0), (10**12, 1.0, 1.0), (9 * 10**11, 4.6, 0.3)]
)
@pytest.mark.parametrize("share", [0.9, 0.3, 1e-3])
def test_it_is_found_from_where_log_delta_is_ten_digits_away(law, count, eps0, weight, share):
    powers = np.array([VERTICES[vertex] for vertex in LAWS[law].name], dtype=float)
    gains, losses = np.expm1(eps0 * powers).T.copy()
    masses, cap = LAWS[law].probabilities(eps0), math.log1p(weight * math.expm1(eps0))
    values, probabilities = Steps(eps0, 0.0).law(law)
    sigma = weight * math.sqrt(float(probabilities @ values**2) / count)
    delta = share * sigma / math.sqrt(2 * math.pi)
    epsilon, _ = epsilon_near(gains, losses, masses, count, weight, cap, math.log(delta))
    # Central limit theorem: delta = sigma (phi(z) - z Phi(-z)) at epsilon = sigma z.
    z = epsilon / sigma
    normal, beyond = math.exp(-z * z / 2) / math.sqrt(2 * math.pi), math.erfc(z / math.sqrt(2)) / 2
    assert sigma * (normal - z * beyond) == pytest.approx(delta, rel=1e-3)
