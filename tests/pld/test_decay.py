import numpy as np
import pytest

from pldcheck import pld
from pldcheck.pld import decay as module
from pldcheck.pld.decay import Decay
from pldcheck.pld.total import Total, tilt


def totals():
    rng = np.random.default_rng(5)
    response = [(pld.randomized_response(e), k) for e, k in ((0.3, 50), (1.0, 7), (2.5, 3))]
    pairs = [(pld.from_pmf(p / p.sum(), q / q.sum()), 5) for p, q in rng.random((3, 2, 4)) ** 3]
    laplace = [(pld.laplace(b), k) for b, k in ((0.4, 3), (2.0, 40), (30.0, 900))]
    many = [(pld.subsampled_gaussian(1.0, 0.1), 4), (pld.subsampled_gaussian(0.4, 0.5), 2)]
    often = [(pld.subsampled_gaussian(1.0, 0.1), 50), (pld.subsampled_gaussian(0.4, 0.5), 300)]
    kinds = {
        "responses": response,
        "one response": [(pld.randomized_response(1e-3), 10**6)],
        "many responses": [(pld.randomized_responses(rng.uniform(0.01, 0.2, 5000)), 1)],
        "pairs": pairs,
        "laplace": laplace,
        "many atoms": many,
        "many atoms, often": often,
        "all": response + pairs + laplace + often,
    }
    return {name: Total.of([(loss.forward[0][0].upper, k) for loss, k in losses]) for name, losses in kinds.items()}


TOTALS = totals()


@pytest.mark.parametrize("name", TOTALS)
@pytest.mark.parametrize("theta", [0.01, 1.0, 7.0])
@pytest.mark.parametrize("direct", [True, False])
def test_bound_is_below_the_decay(name, theta, direct, monkeypatch):
    """-log|phi| from the exact sums, one node after the other; both ways of summing the pairs."""
    monkeypatch.setattr(module, "DIRECT", 2e7 if direct else 0.0)
    monkeypatch.setattr(module, "FEW_LAGS", 16 if direct else 0)
    state = tilt(TOTALS[name], theta)
    spacing = 2.0 * np.pi / (40.0 * state.variance**0.5)
    nodes = spacing * np.arange(2049)
    bound = Decay.of(state).bounds(spacing, 2049, between=False)
    exact = -state.log_characteristic(nodes)[0].real
    assert np.all(bound <= exact * (1 + 1e-9) + 1e-9)
    assert np.all(bound >= 0.0)
    # It says something near the origin, where the exponent is half of s^2 times the variance.
    near = slice(1, 30)
    assert np.max(bound[near] / exact[near]) > (0.2 if name != "laplace" else 0.02)


@pytest.mark.parametrize("name", TOTALS)
@pytest.mark.parametrize("theta", [0.01, 1.0, 7.0])
@pytest.mark.parametrize("direct", [True, False])
def test_bound_between_nodes(name, theta, direct, monkeypatch):
    """At seven places inside of every interval; it is of use, and nearly that at the ends."""
    monkeypatch.setattr(module, "DIRECT", 2e7 if direct else 0.0)
    monkeypatch.setattr(module, "FEW_LAGS", 16 if direct else 0)
    state = tilt(TOTALS[name], theta)
    decay = Decay.of(state)
    fine = 2.0 * np.pi / (400.0 * state.variance**0.5)
    together = decay.stride(fine)
    if name in ("many atoms",):
        assert together == 1
        return
    length, size = together * fine, 60
    bound = decay.bounds(length, size, between=True)
    places = length * (np.arange(size)[:, None] + np.linspace(0.0, 1.0, 9))
    exact = -state.log_characteristic(places.ravel())[0].real.reshape(places.shape)
    assert np.all(bound[:, None] <= exact * (1 + 1e-9) + 1e-9)
    ends = Decay.of(state).bounds(length, size, between=False)
    assert together > 1 and np.max(bound) >= 0.5 * np.max(ends[1:]) - 2.0


@pytest.mark.parametrize("theta", [0.01, 1.0, 3.0])
def test_a_few_responses_are_bounded_closely(theta):
    # The harmonics are those of log|phi|; half of 1 - |phi|^2 is a third less on average.
    rng = np.random.default_rng(1)
    state = tilt(Total.of([(pld.randomized_responses(rng.uniform(1.0, 2.0, 60)).forward[0][0].upper, 1)]), theta)
    bound = Decay.of(state).bounds(0.05, 400, between=False)
    exact = -state.log_characteristic(0.05 * np.arange(400))[0].real
    assert np.all(bound <= exact + 1e-9)
    assert np.mean(bound) > 0.85 * np.mean(exact)


def test_responses_that_bound_the_rest_are_in_step_with_no_period():
    # Every 488th of a million has hardly any loss: an even choice of 2048 would see those alone.
    eps0 = np.full(10**6, 1e-3)
    eps0[:: 10**6 // module.MOST_RESPONSES] = 1e-9
    state = tilt(Total.of([(pld.randomized_responses(eps0).forward[0][0].upper, 1)]), 1.0)
    assert np.max(Decay.of(state).bounds(10.0, 200, between=True)) > 100.0
