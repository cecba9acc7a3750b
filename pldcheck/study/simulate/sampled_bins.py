r"""Estimates of delta of the matrix mechanism with balls in bins, by importance sampling: not certified.

With :math:`\mu_j` what a record of bin j adds to all rows, over sigma, and Z the rows, the likelihood ratio of the laws
with and without the record is :math:`S = \frac1m \sum_j e^{\mu_j \cdot Z - |\mu_j|^2/2}`, for vectors in one direction
of the largest lengths.  Then :math:`\delta = E_P(1 - e^\epsilon/S)_+` if the record is removed, and
:math:`E_Q(1 - e^\epsilon S)_+` if it is added.

Such events are rare.  So half of the draws of Z have the mean :math:`t \mu_j`, j uniform: for t = 1 that is P, and a
larger t makes the events common.  For a record that is added it is :math:`-t \bar\mu`, which makes all ratios small.
The other half are of P, or of Q, and all are weighted by its density over that of both halves together, which is at
most 2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import log

import numpy as np
from numpy.random import Generator
from scipy.special import logsumexp

from ...core.arrays import Array
from ...core.errors import ParameterError
from ...core.parameters import PARAMETERS
from ...hidden_slot.known.encoder_gram import bin_vectors
from ...protocols import MatrixMechanism
from ...protocols.matrix_samplings import RandomBins
from . import empirical_values
from .empirical_values import Empirical

# The number of draws that are held in memory at once.
BATCH = 2_000
# The draws with which the factor of the mean is chosen.
PILOT = 2_000
# The factors that are tried, and the share of the draws that must count.
FACTORS = (0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 8.0, 10.0, 12.0, 16.0, 20.0)
ENOUGH = 0.2
# What is estimated, by what becomes of the record.
QUANTITIES = {"remove": "delta of a record removed", "add": "delta of a record added"}


def sampled_delta(
    protocol: MatrixMechanism,
    epsilon: float,
    samples: int = 100_000,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Empirical:
    """Return an estimate of delta(epsilon) of balls in bins, with a confidence interval that holds for many samples.

    Parameters
    ----------
    protocol : MatrixMechanism
        One whose ``sampling`` is balls-in-bins.
    epsilon : float
    samples : int
        The number of independent draws of all rows, in each direction.
    seed : int
        The number from which all random numbers follow.
    progress : callable, optional
        Called with the number of finished draws and that of all draws, after each batch of them.  Draws with which the
        factor of the mean is chosen do not count.

    Raises
    ------
    ParameterError
        If the protocol draws samples otherwise, a number is out of its range, or there are too many steps.

    Examples
    --------
    >>> protocol = MatrixMechanism(10, 2.0, "toeplitz:1:0.5", sampling="balls-in-bins")
    >>> certified_interval, estimate = protocol.delta(0.8), sampled_delta(protocol, 0.8, samples=20_000)
    >>> certified_interval.lower < estimate.value < certified_interval.upper
    True

    """
    if protocol.sampling != RandomBins.name:
        raise ParameterError("sampling", RandomBins.name, protocol.sampling)
    epsilon = float(PARAMETERS["epsilon"].parse(epsilon))
    if not (type(samples) is int and samples > 1):
        raise ParameterError("samples", "an integer above 1", samples)
    vectors = bin_vectors(protocol.encoder, protocol.steps, protocol.epochs) / protocol.sigma
    draw = np.random.default_rng(seed)
    sizes = [BATCH] * (samples // BATCH) + [samples % BATCH] * (samples % BATCH > 0)
    names = [name for name in QUANTITIES if protocol.adjacency in (name, "both")]
    estimates, count = [], 0

    def report(size: int) -> None:
        nonlocal count
        count += size
        if progress:
            progress(count, samples * len(names))

    for name in names:
        factor = _factor(vectors, epsilon, name == "add", draw, report)
        values = []
        for size in sizes:
            values.append(_weighted(vectors, epsilon, name == "add", factor, size, draw))
            report(size)
        estimates.append(_probability(empirical_values.mean(np.concatenate(values), QUANTITIES[name])))
    return max(estimates, key=lambda one: one.value)


def _probability(estimate: Empirical) -> Empirical:
    """Return the estimate with ends from 0 to 1; draws none of which counted say nothing."""
    upper = min(estimate.upper, 1.0) if estimate.value > 0.0 else 1.0
    return replace(estimate, lower=max(estimate.lower, 0.0), upper=upper)


def _factor(vectors: Array, epsilon: float, added: bool, draw: Generator, report: Callable[[int], None]) -> float:
    """Return the least of the factors with which enough of a few draws count, or else the largest one.

    It is not that of the least deviation: draws that miss the region where the mass is deviate little.  ``report`` is
    called with 0 after each trial, as its draws do not count.
    """
    for factor in FACTORS:
        values = _weighted(vectors, epsilon, added, factor, PILOT, draw)
        report(0)
        if np.count_nonzero(values) >= ENOUGH * PILOT:
            return factor
    return FACTORS[-1]


def _weighted(vectors: Array, epsilon: float, added: bool, factor: float, size: int, draw: Generator) -> Array:
    """Return independent values whose mean is delta of one direction."""
    rows = draw.standard_normal((size, vectors.shape[1]))
    moved = draw.random(size) < 0.5
    if added:
        mean = -factor * vectors.mean(axis=0)
        rows[moved] += mean
        log_other = rows @ mean - 0.5 * float(mean @ mean)
        log_gain = epsilon + _log_ratio(vectors, rows, 1.0)
        log_own = np.zeros(size)
    else:
        rows += np.where(moved, factor, 1.0)[:, None] * vectors[draw.integers(vectors.shape[0], size=size)]
        log_other, log_own = _log_ratio(vectors, rows, factor), _log_ratio(vectors, rows, 1.0)
        log_gain = epsilon - log_own
    with np.errstate(over="ignore"):  # draws far out have no weight
        values: Array = 2.0 / (1.0 + np.exp(log_other - log_own)) * np.maximum(-np.expm1(log_gain), 0.0)
    return values


def _log_ratio(vectors: Array, rows: Array, factor: float) -> Array:
    """Return the log of the density of the mixture of means, times ``factor``, over that of the noise."""
    exponents = factor * rows @ vectors.T - 0.5 * factor * factor * np.sum(vectors * vectors, axis=1)
    logs: Array = logsumexp(exponents, axis=1) - log(vectors.shape[0])
    return logs
