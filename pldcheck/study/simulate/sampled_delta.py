r"""Estimates of delta of the matrix mechanism by importance sampling: not certified.

Let S be the likelihood ratio of all rows with the record to those without it, for vectors in one direction of the
largest lengths.  Then :math:`\delta = E_P(1 - e^\epsilon/S)_+` if the record is removed, and
:math:`E_Q(1 - e^\epsilon S)_+` if it is added.

Such events are rare.  So half of the draws are of a tilted law, in which the record adds more or is used more often,
or the noise has a mean along what it adds; for a record that is added, the noise has a mean the other way, which makes
all ratios small.  The other half are of P, or of Q, and all are weighted by its density over that of both halves
together, which is at most 2.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import replace
from math import inf

import numpy as np
from numpy.random import Generator

from ...core.arrays import Array
from ...core.errors import ParameterError
from ...core.parameters import PARAMETERS
from ...protocols import MatrixMechanism
from ...protocols.matrix_samplings import RandomBins, SeparatedSamples
from . import empirical_values
from .empirical_values import Empirical
from .row_laws import RowLaw, Tilt
from .sampled_bins import bin_rows
from .sampled_separation import separated_rows

# The most draws that are held in memory at once, and the most numbers of their rows.
BATCH = 2_000
MOST_NUMBERS = 2_000_000
# The draws with which a tilt is chosen.
PILOT = 2_000
# The share of the draws of a tilt that must count.
ENOUGH = 0.2
# What is estimated, by what becomes of the record.
QUANTITIES = {"remove": "delta of a record removed", "add": "delta of a record added"}
# The laws that are drawn, by the sampling of the mechanism.
LAWS: dict[str, Callable[[MatrixMechanism], RowLaw]] = {
    RandomBins.name: bin_rows,
    SeparatedSamples.name: separated_rows,
}


def sampled_delta(
    protocol: MatrixMechanism,
    epsilon: float,
    samples: int = 100_000,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Empirical:
    """Return an estimate of delta(epsilon), with a confidence interval that holds for many samples.

    Parameters
    ----------
    protocol : MatrixMechanism
        One whose ``sampling`` is balls-in-bins or b-min-sep.
    epsilon : float
    samples : int
        The number of independent draws of all rows, in each direction.
    seed : int
        The number from which all random numbers follow.
    progress : callable, optional
        Called with the number of finished draws and that of all draws, after each batch of them.  Draws with which the
        tilt is chosen do not count.

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
    if protocol.sampling not in LAWS:
        raise ParameterError("sampling", " or ".join(LAWS), protocol.sampling)
    epsilon = float(PARAMETERS["epsilon"].parse(epsilon))
    if not (type(samples) is int and samples > 1):
        raise ParameterError("samples", "an integer above 1", samples)
    law, draw = LAWS[protocol.sampling](protocol), np.random.default_rng(seed)
    batch = max(min(BATCH, MOST_NUMBERS // law.rows), 1)
    sizes = [batch] * (samples // batch) + [samples % batch] * (samples % batch > 0)
    names = [name for name in QUANTITIES if protocol.adjacency in (name, "add-remove")]
    estimates, count = [], 0

    def report(size: int) -> None:
        nonlocal count
        count += size
        if progress:
            progress(count, samples * len(names))

    for name in names:
        tilt = _tilt(law, epsilon, name == "add", min(PILOT, batch), draw, report)
        values = []
        for size in sizes:
            values.append(_weighted(law, epsilon, name == "add", tilt, size, draw))
            report(size)
        estimates.append(_probability(empirical_values.mean(np.concatenate(values), QUANTITIES[name])))
    return max(estimates, key=lambda one: one.value)


def _probability(estimate: Empirical) -> Empirical:
    """Return the estimate with ends from 0 to 1; draws none of which counted say nothing."""
    upper = min(estimate.upper, 1.0) if estimate.value > 0.0 else 1.0
    return replace(estimate, lower=max(estimate.lower, 0.0), upper=upper)


def _tilt(law: RowLaw, epsilon: float, added: bool, size: int, draw: Generator, report: Callable[[int], None]) -> Tilt:
    """Return the best of the first tilts, of each series, with which enough of a few draws count.

    Within a series it is not that of the least deviation: draws that miss the region where the mass is deviate little.
    ``report`` is called with 0 after each trial, as its draws do not count.
    """
    deviations: dict[Tilt, float] = {}

    def enough(tilt: Tilt) -> bool:
        """Return whether enough draws count, and note how far they deviate."""
        values = _weighted(law, epsilon, added, tilt, size, draw)
        report(0)
        deviations[tilt] = float(values.std() / values.mean()) if values.any() else inf
        return bool(np.count_nonzero(values) >= ENOUGH * size)

    firsts = []
    for series in law.tilts[:1] if added else law.tilts:
        place = bisect_left(series, True, key=enough)
        if place < len(series):
            firsts.append(series[place])
    return min(firsts, key=deviations.__getitem__) if firsts else law.tilts[0][-1]


def _weighted(law: RowLaw, epsilon: float, added: bool, tilt: Tilt, size: int, draw: Generator) -> Array:
    """Return independent values whose mean is delta of one direction."""
    rows = draw.standard_normal((size, law.rows))
    moved = draw.random(size) < 0.5
    if added:
        mean = law.against(tilt)
        rows[moved] += mean
        log_other = rows @ mean - 0.5 * float(mean @ mean)
        log_gain = epsilon + law.log_ratio(rows, law.own)
        log_own = np.zeros(size)
    else:
        law.add(rows, moved, tilt, draw)
        log_other, log_own = law.log_ratio(rows, tilt), law.log_ratio(rows, law.own)
        log_gain = epsilon - log_own
    with np.errstate(over="ignore"):  # draws far out have no weight
        values: Array = 2.0 / (1.0 + np.exp(log_other - log_own)) * np.maximum(-np.expm1(log_gain), 0.0)
    return values
