"""Estimates of balls in bins: beside certified answers, and beside an integral over two outputs."""

from math import exp

import numpy as np
import pytest

from pldcheck import BallsInBins, MatrixMechanism
from pldcheck.core.errors import ParameterError
from pldcheck.hidden_slot.known.encoder_gram import bin_vectors, gram
from pldcheck.study.simulate import sampled_delta

BINS = "balls-in-bins"


@pytest.mark.parametrize("adjacency", ["remove", "add"])
@pytest.mark.parametrize(
    ("steps", "sigma", "epochs", "epsilon"), [(10, 2.0, 1, 0.8), (50, 1.0, 1, 0.3), (10, 3.0, 9, 2.0)]
)
def test_without_correlation_the_certified_answer_is_near_the_estimate(steps, sigma, epochs, epsilon, adjacency):
    truth = BallsInBins(steps, sigma, epochs, adjacency).delta(epsilon)
    protocol = MatrixMechanism(steps, sigma, "identity", epochs, BINS, adjacency)
    estimate = sampled_delta(protocol, epsilon, 40_000, seed=1)
    assert estimate.lower <= truth.upper and truth.lower <= estimate.upper
    # The interval of 99.9 % is some 3.3 deviations to either side.
    assert estimate.upper - estimate.lower < 2.5 * truth.upper and not estimate.proven


@pytest.mark.parametrize(("adjacency", "epsilon"), [("remove", 1.0), ("add", 0.4)])
def test_two_bins_with_correlation_are_near_their_integral(adjacency, epsilon):
    x = np.arange(-9.0, 13.0, 0.01)
    plane = np.meshgrid(x, x, indexing="ij")

    def density(mean):
        return np.exp(-0.5 * sum((axis - at) ** 2 for axis, at in zip(plane, mean, strict=True))) * 1e-4 / (2.0 * np.pi)

    # The columns of the encoder are (1, 0.5) and (0, 1), over a sigma of 0.8.
    with_record = 0.5 * density((1.25, 0.625)) + 0.5 * density((0.0, 1.25))
    one, other = (with_record, density((0.0, 0.0)))[:: 1 if adjacency == "remove" else -1]
    truth = float(np.sum(np.maximum(one - exp(epsilon) * other, 0.0)))
    estimate = sampled_delta(MatrixMechanism(2, 0.8, "toeplitz:1:0.5", 1, BINS, adjacency), epsilon, 100_000, seed=2)
    assert estimate.lower <= truth <= estimate.upper and estimate.upper - estimate.lower < 0.1 * truth


@pytest.mark.parametrize("encoder", ["identity", "toeplitz:1:0.5:0.2", "square-root:3", "square-root"])
@pytest.mark.parametrize(("bins", "epochs"), [(4, 1), (3, 3)])
def test_vectors_have_the_products_of_the_gram_matrix(encoder, bins, epochs):
    vectors, bounds = bin_vectors(encoder, bins, epochs), gram(encoder, bins, epochs)
    products = vectors @ vectors.T
    for d in range(bins):
        diagonal = np.diagonal(products, d)
        assert np.all(bounds.low[d] <= diagonal * (1.0 + 1e-12)) and np.all(diagonal <= bounds.high[d] * (1.0 + 1e-12))


def test_an_estimate_follows_from_its_seed_counts_draws_and_says_when_it_saw_nothing():
    protocol, counts = MatrixMechanism(4, 2.0, "toeplitz:1:0.5", 1, BINS), []
    first, other = (sampled_delta(protocol, 1.0, 3000, seed) for seed in (5, 6))
    assert first == sampled_delta(protocol, 1.0, 3000, 5, lambda *numbers: counts.append(numbers)) != other
    # A batch has at most 2,000 draws, there are two directions, and trials of a factor count as none.
    assert list(dict.fromkeys(counts)) == [(count, 6000) for count in (0, 2000, 3000, 5000, 6000)]
    nothing = sampled_delta(MatrixMechanism(4, 2.0, "identity", 1, BINS, "add"), 5.0, 3000)
    assert (nothing.value, nothing.lower, nothing.upper) == (0.0, 0.0, 1.0)


def test_what_cannot_be_sampled_gets_one_line():
    protocol = MatrixMechanism(4, 2.0)
    with pytest.raises(ParameterError, match="sampling must be balls-in-bins"):
        sampled_delta(protocol, 1.0)
    with pytest.raises(ParameterError, match="samples must be an integer above 1"):
        sampled_delta(MatrixMechanism(4, 2.0, sampling=BINS), 1.0, 1)
    with pytest.raises(ParameterError, match="steps must be so many"):
        sampled_delta(MatrixMechanism(20_000, 2.0, sampling=BINS), 1.0)
