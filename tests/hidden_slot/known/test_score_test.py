"""Lower ends by a test on a sum of scores: sums by hand, cases whose truth is known, and integrals over three steps."""

from math import exp

import numpy as np
import pytest

from pldcheck import Gaussian, RandomAllocation
from pldcheck.hidden_slot.known.score_test import SCORE_TEST, ScoreTest, Sums


@pytest.mark.parametrize("adjacency", ["remove", "add", "replace"])
@pytest.mark.parametrize(("steps", "selected", "epochs"), [(2, 1, 1), (2, 2, 1), (1, 1, 2)])
def test_expectations_contain_sums_over_all_pairs_of_cells(steps, selected, epochs, adjacency):
    sums = Sums(ScoreTest(steps, 0.8, selected, epochs, adjacency), 0.3, 6.0)
    scores, at_mean, at_zero, opposite, _ = sums._cells
    hits = selected * epochs
    laws = [[at_mean] * hits + [at_zero] * (2 - hits), [at_zero] * 2]
    if adjacency == "replace":
        laws[1] = [opposite] * hits + [at_zero] * (2 - hits)
    laws = laws[::-1] if adjacency == "add" else laws
    total = scores[:, None] + scores
    for threshold in (0.1, 0.8, 2.0):
        payoff = np.maximum(-np.expm1(6.0 * (threshold - total)), 0.0)
        under_p, under_q = (float(one @ payoff @ other) for one, other in laws)
        power, error = sums.expectations(threshold)
        assert power <= under_p * (1.0 + 1e-12) and under_q <= error * (1.0 + 1e-12)
        assert power >= 0.95 * under_p and error <= 1.05 * under_q + 1e-300


@pytest.mark.nightly
@pytest.mark.parametrize("adjacency", ["remove", "add", "replace"])
@pytest.mark.parametrize(("steps", "sigma", "epochs"), [(20, 1.0, 1), (100, 2.0, 1), (300, 1.5, 1)])
@pytest.mark.parametrize("delta", [1e-3, 1e-9])
def test_one_selected_step_is_below_its_narrow_answer(steps, sigma, epochs, adjacency, delta):
    answer = RandomAllocation(steps, sigma, epochs=epochs, adjacency=adjacency).epsilon(delta)
    test = ScoreTest(steps, sigma, 1, epochs, adjacency)
    lower = test.epsilon(delta, answer.upper)
    assert 0.5 * answer.lower <= lower <= answer.upper
    assert test.delta(answer.lower, delta) <= delta


@pytest.mark.parametrize("delta", [1e-3, 1e-12])
def test_all_steps_selected_is_gaussian_noise(delta):
    truth = Gaussian(1.0, 10).epsilon(delta)
    lower = ScoreTest(10, 1.0, 10, 1, "remove").epsilon(delta, truth.upper)
    assert 0.97 * truth.lower <= lower <= truth.upper


@pytest.mark.nightly
@pytest.mark.parametrize("sigma", [0.7, 1.5])
def test_two_of_three_steps_are_below_their_integral(sigma):
    mu, h = 1.0 / sigma, 0.08
    z = np.arange(-7.0, 7.0 + mu, h)
    mass = np.exp(-0.5 * z * z) * h / np.sqrt(2.0 * np.pi)
    ratio = np.exp(mu * z - 0.5 * mu * mu)
    one, two, three = np.meshgrid(ratio, ratio, ratio, indexing="ij")
    mean = (one * two + one * three + two * three) / 3.0
    weight = mass[:, None, None] * mass[:, None] * mass
    for epsilon in (0.5, 1.5, 3.0):
        removed = float(np.sum(weight * np.maximum(mean - exp(epsilon), 0.0)))
        added = float(np.sum(weight * np.maximum(1.0 - exp(epsilon) * mean, 0.0)))
        for adjacency, exact in (("remove", removed), ("add", added)):
            lower = ScoreTest(3, sigma, 2, 1, adjacency).delta(epsilon, exact)
            assert 0.5 * exact <= lower <= 1.01 * exact


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("steps", "selected", "sigma", "width"), [(100, 10, 1.0, 0.07), (1000, 100, 1.0, 0.05), (100, 2, 1.0, 0.05)]
)
def test_several_selected_steps_are_narrow(steps, selected, sigma, width):
    protocol = RandomAllocation(steps, sigma, selected=selected, adjacency="remove")
    answer = protocol.epsilon(1e-6)
    assert answer.relative_width < width and answer.sources[0] == SCORE_TEST
    back = protocol.delta(answer.lower)
    assert back.lower > 0.9e-6 and back.sources[0] == SCORE_TEST


@pytest.mark.nightly
def test_what_is_hopeless_or_takes_long_is_left_alone():
    assert not ScoreTest(10**6, 1.0, 2, 1, "remove").is_cheap
    few = RandomAllocation(10**6, 1.0, selected=2).epsilon(1e-6)
    assert few.sources[0] != SCORE_TEST and few.lower > 0.0
