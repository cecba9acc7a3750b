import numpy as np
import pytest
from flint import arb, ctx

from pldcheck import pld
from pldcheck.pld import frequency_decay as module
from pldcheck.pld.frequency_decay import Decay
from pldcheck.pld.loss_total import Total
from pldcheck.pld.sampled_mechanisms import sampled_gaussian_cells
from pldcheck.pld.step_losses import Atoms
from pldcheck.pld.tilted_total import tilt


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


def _decay(state, frequencies):
    """Return -log|phi| as computed node after node, and what it is at most by the error of that (infinite where
    unknown).
    """
    logs, doubt = state.log_characteristic(frequencies)
    with np.errstate(over="ignore"):
        share = np.expm1(doubt)
    return -logs.real, np.where(share < 1.0, -logs.real - np.log1p(-np.minimum(share, 0.999)), np.inf)


@pytest.mark.parametrize("name", TOTALS)
@pytest.mark.parametrize("theta", [0.01, 1.0, 7.0])
@pytest.mark.parametrize("direct", [True, False])
def test_the_bound_is_below_the_decay(name, theta, direct, monkeypatch):
    """-log|phi| from the exact sums, one node after the other; both ways of summing the pairs."""
    monkeypatch.setattr(module, "DIRECT_WORK", 2e7 if direct else 0.0)
    monkeypatch.setattr(module, "FEW_LAGS", 16 if direct else 0)
    state = tilt(TOTALS[name], theta)
    spacing = 2.0 * np.pi / (40.0 * state.variance**0.5)
    nodes = spacing * np.arange(2049)
    bound = Decay.of(state).bounds(spacing, 2049, between=False)
    exact, most = _decay(state, nodes)
    assert np.all(bound <= most)
    assert np.all(bound >= 0.0)
    # It says something near the origin, where the exponent is half of s^2 times the variance.
    near = slice(1, 30)
    assert np.max(bound[near] / exact[near]) > (0.2 if name != "laplace" else 0.02)


@pytest.mark.parametrize("name", TOTALS)
@pytest.mark.parametrize("theta", [0.01, 1.0, 7.0])
@pytest.mark.parametrize("direct", [True, False])
def test_the_bound_holds_between_nodes(name, theta, direct, monkeypatch):
    """At seven places inside of every interval; it is of use, and nearly that at the ends."""
    monkeypatch.setattr(module, "DIRECT_WORK", 2e7 if direct else 0.0)
    monkeypatch.setattr(module, "FEW_LAGS", 16 if direct else 0)
    state = tilt(TOTALS[name], theta)
    decay = Decay.of(state)
    fine_step = 2.0 * np.pi / (400.0 * state.variance**0.5)
    stride = decay.stride(fine_step)
    if name in ("many atoms",):
        assert stride == 1
        return
    length, size = stride * fine_step, 60
    bound = decay.bounds(length, size, between=True)
    places = length * (np.arange(size)[:, None] + np.linspace(0.0, 1.0, 9))
    _, most = _decay(state, places.ravel())
    assert np.all(bound[:, None] <= most.reshape(places.shape))
    ends = Decay.of(state).bounds(length, size, between=False)
    assert stride > 1 and np.max(bound) >= 0.5 * np.max(ends[1:]) - 2.0


@pytest.mark.parametrize("theta", [0.01, 1.0, 3.0])
def test_a_few_responses_are_bounded_closely(theta):
    # The harmonics are those of log|phi|; half of 1 - |phi|^2 is a third less on average.
    rng = np.random.default_rng(1)
    state = tilt(Total.of([(pld.randomized_responses(rng.uniform(1.0, 2.0, 60)).forward[0][0].upper, 1)]), theta)
    bound = Decay.of(state).bounds(0.05, 400, between=False)
    exact, most = _decay(state, 0.05 * np.arange(400))
    assert np.all(bound <= most)
    assert np.mean(bound) > 0.85 * np.mean(exact)


def test_responses_that_bound_the_rest_are_in_step_with_no_period():
    # Every 488th of a million has hardly any loss: an even choice of 2048 would see those alone.
    eps0 = np.full(10**6, 1e-3)
    eps0[:: 10**6 // module.MOST_RESPONSES] = 1e-9
    state = tilt(Total.of([(pld.randomized_responses(eps0).forward[0][0].upper, 1)]), 1.0)
    assert np.max(Decay.of(state).bounds(10.0, 200, between=True)) > 100.0


def test_weights_are_within_their_share():
    """With hardly any decay half of 1 - |phi|^2 is all there is: the errors of masses decide.  In balls, no slack."""
    draw, largest = np.random.default_rng(3), 0.0
    for _ in range(150):
        size, theta, count = int(draw.integers(2, 7)), 10.0 ** draw.uniform(-2, 1), int(draw.integers(1, 50))
        losses, masses = draw.uniform(-1, 1, size), draw.dirichlet(np.ones(size))
        state = tilt(Total.of([(Atoms(losses, masses, mass_error=1e-6), count)]), theta)
        # A law within the errors of this one.
        masses = masses * (1.0 + draw.uniform(-1e-6, 1e-6, size))
        step = 1e-5 * draw.uniform(0.5, 1.0)
        bound = Decay.of(state).bounds(step, 3, between=False)
        with ctx.workprec(400):
            q = [arb(float(m)) * (arb(theta) * arb(float(x))).exp() for m, x in zip(masses, losses, strict=True)]
            total = sum(q, arb(0))
            for i in range(3):
                mass_apart = sum(
                    (
                        4
                        * q[j]
                        * q[k]
                        * (arb(i * step) * (arb(float(losses[j])) - arb(float(losses[k]))) / 2).sin() ** 2
                        for j in range(size)
                        for k in range(j)
                    ),
                    arb(0),
                )
                exact = -count * (-mass_apart / total**2).log1p() / 2
                assert arb(float(bound[i])) <= exact
                if i:
                    largest = max(largest, float(bound[i] / exact))
    assert largest > 1 - 1e-5


def test_lags_and_weights_are_those_of_all_pairs():
    losses, tilted_masses = np.array([0.0, 1.0, 5.0, -1.0, 1.0]), np.array([0.2, 0.3, 0.5, 0.25, 0.75])
    lags, weights = module.pairs_of(np.array([0, 3, 5]), losses, tilted_masses, np.array([2.0, 7.0]), 8)
    assert sorted(zip(lags, weights, strict=True)) == [
        (lag, pytest.approx(weight)) for lag, weight in ((1.0, 2 * 0.06), (2.0, 7 * 0.1875), (4.0, 0.3), (5.0, 0.2))
    ]
    assert module.pairs_of(np.array([0, 3, 5]), losses, tilted_masses, np.array([2.0, 7.0]), 2)[0].tolist() == [2.0]


@pytest.mark.parametrize("shift", [0.0, 1e3, -1e6])
def test_spreading_keeps_mass_and_mean(shift):
    rng = np.random.default_rng(1)
    points, weights = rng.random(50) * 3.0, rng.random(50)
    lattice = module.spread_on_circle(points + shift * 0.125 * 64, weights, 0.125, 64)
    assert lattice.sum() == pytest.approx(weights.sum(), rel=1e-14)
    assert lattice @ np.arange(64) * 0.125 == pytest.approx(points @ weights, rel=1e-8)


def test_cosine_sums_agree_with_sums_term_by_term():
    lags, weights, s = np.array([0.3, 2.0, 7.5]), np.array([1.0, 0.5, 4.0]), np.array([0.0, 1e-7, 0.4, 12.0])
    with ctx.workprec(200):
        for frequency, value in zip(s, module.pair_decay(lags, weights, s), strict=True):
            exact = sum(
                (
                    arb(float(w)) * (1 - (arb(float(frequency)) * arb(float(x))).cos())
                    for x, w in zip(lags, weights, strict=True)
                ),
                arb(0),
            )
            assert value == pytest.approx(float(exact), rel=1e-13)


@pytest.mark.parametrize("theta", [0.5, 9.0])
def test_bounds_of_a_schedule_are_below_its_decay(theta):
    """Forty different parts, some of which the tilt widens by much: the bounds hold between nodes, and are large."""
    parts = [(_few_cells(1.0 + 0.02 * i, 0.01), 1 + i % 3) for i in range(40)]
    state = tilt(Total.of(parts), theta)
    decay = Decay.of(state)
    spacing = 2.0 * np.pi / (40.0 * state.variance**0.5)
    stride = decay.stride(spacing)
    assert stride > 1
    size = 200
    bound = decay.bounds(stride * spacing, size, between=True, enough=40.0)
    fine = spacing * stride * np.linspace(0.0, size, 8 * size + 1)
    _, most = _decay(state, fine)
    inside = np.minimum.reduceat(np.minimum(most[:-1], most[1:]), np.arange(0, 8 * size, 8))
    assert np.all(bound <= inside)
    assert np.count_nonzero(bound < 40.0) < 0.9 * size


def _few_cells(sigma, rate):
    return sampled_gaussian_cells(sigma, rate, 200).law_bounds().upper
