"""Estimates of uses that are far apart: ratios by enumeration, an integral over two outputs, and certified ends."""

import itertools
from math import exp

import numpy as np
import pytest

from pldcheck import MatrixMechanism
from pldcheck.core.errors import ParameterError
from pldcheck.hidden_slot.known.encoder_gram import separated_vectors
from pldcheck.study.simulate import sampled_delta
from pldcheck.study.simulate.row_laws import Tilt
from pldcheck.study.simulate.sampled_separation import separated_rows

SEPARATED = "b-min-sep"


def sets_of_uses(steps, gap, rate):
    """Return all sets of steps that are at least ``gap`` apart, with their probabilities."""
    for size in range(steps + 1):
        for used in itertools.combinations(range(steps), size):
            if all(b - a >= gap for a, b in itertools.pairwise(used)):
                free = steps - sum(min(gap, steps - s) for s in used)
                yield used, rate**size * (1.0 - rate) ** free


@pytest.mark.parametrize(
    ("encoder", "gap", "epochs"),
    [("identity", 2, 3), ("toeplitz:1:0.5", 2, 4), ("square-root:2", 3, 2), ("file", 3, 2)],
)
def test_the_recursion_is_the_sum_over_all_sets_of_uses(encoder, gap, epochs, tmp_path):
    steps, rate, sigma, draw = gap * epochs, 0.3, 1.5, np.random.default_rng(3)
    matrix = np.eye(steps)
    for s in range(steps - 1):
        matrix[s + 1, s] = {"identity": 0.0, "file": 0.25 * (s % 3)}.get(encoder, 0.5)
    if encoder == "file":
        np.savetxt(tmp_path / "rows.csv", matrix)
        encoder = f"file:{tmp_path / 'rows.csv'}"
    law = separated_rows(MatrixMechanism(gap, sigma, encoder, epochs, SEPARATED, rate=rate))
    rows = 2.0 * draw.standard_normal((50, steps))
    sets = list(sets_of_uses(steps, gap, rate))
    assert abs(sum(chance for _, chance in sets) - 1.0) < 1e-12
    means = np.array([matrix[:, list(used)].sum(axis=1) / sigma for used, _ in sets])
    for tilt, often in ((law.own, rate), (Tilt(rate=0.6, shift=1.7), 0.6), (Tilt(2.5, 0.6), 0.6)):
        unit = sum(chance * mean for (_, chance), mean in zip(sets, means, strict=True))
        moved = tilt.shift * unit / np.linalg.norm(unit)
        chances = np.array([chance for _, chance in sets_of_uses(steps, gap, often)])
        tilted = tilt.factor * means + moved
        exponents = rows @ tilted.T - 0.5 * (tilted**2).sum(axis=1)
        assert np.allclose(law.log_ratio(rows, tilt), np.log(np.exp(exponents) @ chances), atol=1e-10)
        assert np.allclose(law.against(tilt), -moved, atol=1e-12)


@pytest.mark.nightly
def test_draws_have_the_law_of_uses():
    law = separated_rows(MatrixMechanism(2, 0.25, "toeplitz:1:0.4", 2, SEPARATED, rate=0.3))
    rows = np.zeros((40_000, 4))
    law.add(rows, np.zeros(40_000, dtype=bool), Tilt(rate=0.9, shift=3.0), np.random.default_rng(4))
    shares = {tuple(used): 0 for used, _ in sets_of_uses(4, 2, 0.3)}
    for row in rows:
        shares[tuple(np.flatnonzero(row > 3.9))] += 1
    for used, chance in sets_of_uses(4, 2, 0.3):
        assert abs(shares[used] / 40_000 - chance) < 5.0 * (chance / 40_000) ** 0.5


@pytest.mark.nightly
@pytest.mark.parametrize("epsilon", [0.2, 0.8])
def test_two_steps_with_correlation_are_near_their_integral(epsilon):
    x = np.arange(-9.0, 13.0, 0.01)
    plane = np.meshgrid(x, x, indexing="ij")

    def density(mean):
        return np.exp(-0.5 * sum((axis - at) ** 2 for axis, at in zip(plane, mean, strict=True))) * 1e-4 / (2.0 * np.pi)

    # The columns of the encoder are (1, 0.5) and (0, 1), over a sigma of 0.8.
    none = density((0.0, 0.0))
    uses = 0.36 * none + 0.4 * density((1.25, 0.625)) + 0.24 * density((0.0, 1.25))
    truth = max(
        float(np.sum(np.maximum(one - exp(epsilon) * other, 0.0))) for one, other in ((uses, none), (none, uses))
    )
    protocol = MatrixMechanism(2, 0.8, "toeplitz:1:0.5", 1, SEPARATED, rate=0.4)
    estimate = sampled_delta(protocol, epsilon, 60_000, seed=2)
    assert estimate.lower <= truth <= estimate.upper and estimate.upper - estimate.lower < 0.1 * truth
    certified = protocol.delta(epsilon)
    assert certified.lower <= truth <= certified.upper


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("gap", "sigma", "encoder", "epochs", "rate", "epsilon"),
    [
        (4, 2.0, "square-root:4", 10, 0.02, 0.5),
        (4, 1.0, "square-root:4", 10, 0.02, 1.0),
        (10, 2.0, "square-root:2", 8, 0.02, 0.4),
        (3, 2.0, "toeplitz:1:1:1", 10, 0.05, 1.0),
        (5, 4.0, "identity", 40, 0.05, 0.4),
    ],
)
def test_certified_ends_are_around_estimates(gap, sigma, encoder, epochs, rate, epsilon):
    protocol = MatrixMechanism(gap, sigma, encoder, epochs, SEPARATED, rate=rate)
    estimate, certified = sampled_delta(protocol, epsilon, 20_000, seed=1), protocol.delta(epsilon)
    # The interval of 99.9 % is some 3.3 deviations to either side: half of it more makes them 5.
    room = 0.3 * (estimate.upper - estimate.lower)
    assert certified.lower <= estimate.upper + room and estimate.lower - room <= certified.upper
    assert estimate.upper - estimate.lower < 0.5 * estimate.value


@pytest.mark.nightly
def test_extreme_deltas_are_estimated_too():
    protocol = MatrixMechanism(8, 4.0, "square-root:8", 25, SEPARATED, rate=0.01)
    near, far = (sampled_delta(protocol, epsilon, 10_000, seed=1) for epsilon in (0.5, 1.0))
    assert 0.0 < far.lower and far.upper < 1e-8 < near.lower
    assert all(one.upper - one.lower < 0.6 * one.value for one in (near, far))


@pytest.mark.nightly
def test_what_is_too_long_is_refused():
    with pytest.raises(ParameterError, match="steps times bands"):
        separated_vectors("square-root:1000", 10**6, 1000)
