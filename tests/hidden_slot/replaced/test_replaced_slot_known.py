"""Little noise and replacement: where the join of one step is of no use, the slot is told."""

import math

import pytest

from pldcheck import HiddenSlot
from pldcheck.hidden_slot.known.neighbour_pairs import REPLACEMENT, Slots
from pldcheck.hidden_slot.known.noise_ratios import GaussianInBall, GaussianNoise
from pldcheck.hidden_slot.replaced import replaced_answers


@pytest.mark.nightly
@pytest.mark.parametrize(("sigma", "steps"), [(0.12, 100), (0.25, 400), (0.3, 10), (0.35, 10**4)])
def test_every_answer_is_finite(sigma, steps):
    # These ended in an error: squares beyond the range of numbers.
    interval = HiddenSlot(steps, randomizer=f"gaussian:{sigma}").epsilon(1e-5)
    assert 0.0 < interval.lower < interval.upper < math.inf
    gaussian_upper = gaussian_epsilon(sigma, 1e-5)  # records in a ball are a distance 1 apart
    assert interval.upper <= gaussian_upper * (1 + 1e-9)


def gaussian_delta(sigma, epsilon):
    """Return phi(1/(2 sigma) - epsilon sigma) - e^epsilon Phi(-1/(2 sigma) - epsilon sigma), Balle and Wang (2018)."""
    low, high = 0.5 / sigma - epsilon * sigma, -0.5 / sigma - epsilon * sigma
    return 0.5 * math.erfc(-low / math.sqrt(2)) - math.exp(epsilon) * 0.5 * math.erfc(-high / math.sqrt(2))


def gaussian_epsilon(sigma, delta):
    low, high = 0.0, 1000.0 * sigma
    while gaussian_delta(sigma, high) > delta:
        high *= 2
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if gaussian_delta(sigma, middle) > delta else (low, middle)
    return high


@pytest.mark.parametrize(("sigma", "prob", "epsilon"), [(0.5, 1.0, 20.0), (0.5, 0.1, 5.0), (1.0, 0.3, 0.0)])
@pytest.mark.parametrize(("noise", "distance"), [(GaussianNoise, 2), (GaussianInBall, 1)])
def test_a_single_slot_is_one_gaussian_mechanism(sigma, prob, epsilon, noise, distance):
    pair = Slots(noise(1 / sigma), 7, prob, "replace").pair(REPLACEMENT)
    mixture_loss = math.log1p(math.expm1(epsilon) / prob)
    truth = prob * gaussian_delta(sigma / distance, mixture_loss)
    assert replaced_answers._revealed_slot_delta(pair, epsilon) == pytest.approx(truth, rel=1e-7)
    assert replaced_answers._revealed_slot_epsilon(pair, truth) == pytest.approx(epsilon, rel=1e-6, abs=1e-7)
    assert replaced_answers._revealed_slot_epsilon(pair, 0.999999) == 0.0


# The review: upper ends to 2.7 times too large where the distance of two records in a ball was taken to be 2.
@pytest.mark.parametrize("steps", [1, *(pytest.param(steps, marks=pytest.mark.nightly) for steps in (2, 10))])
def test_records_in_a_ball_are_a_distance_1_apart(steps):
    gaussian_upper = gaussian_epsilon(0.1, 1e-6)
    assert HiddenSlot(steps, randomizer="gaussian:0.1").epsilon(1e-6).upper <= gaussian_upper * (1 + 1e-9)
