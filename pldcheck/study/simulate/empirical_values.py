"""Measured values with confidence intervals, which are empirical and not certified."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import inf, log, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import ndtri, rel_entr, stdtrit

from ...core.outward_decimals import between
from ..attack.confidence_limits import proportion_lower, proportion_upper

# Confidence of intervals with proven coverage.
PROVEN = 1.0 - 1e-6
# Confidence of intervals that rest on the central limit theorem.
USUAL = 0.999


@dataclass(frozen=True)
class Empirical:
    """A value that was measured in independent runs, with a confidence interval.

    Parameters
    ----------
    value, quantity
        The measured value, and what it measures.
    lower, upper
        The ends of the confidence interval.
    samples
        The number of independent runs or trials.
    confidence
        The probability, over the runs, with which the interval contains the true value.
    method
        The name of the method of the interval.
    proven
        Whether the confidence is proved for every number of samples; else it holds in the limit of many samples.

    """

    value: float
    lower: float
    upper: float
    quantity: str
    samples: int
    confidence: float
    method: str
    proven: bool

    def __post_init__(self) -> None:
        for name in ("value", "lower", "upper"):
            object.__setattr__(self, name, float(getattr(self, name)))

    def __contains__(self, value: float) -> bool:
        return self.lower <= value <= self.upper

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings, ready for JSON; an end that is infinite is None."""
        ends = {name: None if abs(end) == inf else end for name, end in (("lower", self.lower), ("upper", self.upper))}
        return {"empirical": True, **asdict(self), **ends}

    def __str__(self) -> str:
        return f"{self.value:.6g} in {between(self.lower, self.upper, '.6g')} empirical"


def share(hits: int, trials: int, quantity: str, confidence: float = PROVEN) -> Empirical:
    """Return the probability of an event from independent trials (Clopper and Pearson 1934)."""
    tail = (1.0 - confidence) / 2.0
    ends = proportion_lower(hits, trials, tail), proportion_upper(hits, trials, tail)
    return Empirical(hits / trials, *ends, quantity, trials, confidence, "Clopper-Pearson", True)


def occupancy(counts: ArrayLike, trials: int, quantity: str, confidence: float = PROVEN) -> Empirical:
    r"""Return the mean number, of ``trials`` a run, of negatively associated events, from its counts in many runs.

    An example is that a slot is empty.  Chernoff's bound holds for their number as if they were independent,
    :math:`\Pr[\text{hits} \ge \hat p N] \le e^{-N\,\mathrm{kl}(\hat p, p)}` for :math:`\hat p \ge p` and likewise
    below (Joag-Dev and Proschan 1983; Hoeffding 1956 for unequal probabilities), and is solved for p.  Slots are
    negatively associated where each client picks its slot by itself.
    """
    runs = np.size(counts)
    rate, least = float(np.sum(counts)) / (trials * runs), log(2.0 / (1.0 - confidence)) / (trials * runs)

    def beyond(p: float) -> float:
        return float(rel_entr(rate, p) + rel_entr(1.0 - rate, 1.0 - p)) - least

    tiny = 1e-300
    lower = brentq(beyond, tiny, rate, xtol=1e-15) if rate > 0.0 and beyond(tiny) > 0.0 else 0.0
    upper = brentq(beyond, rate, 1.0 - 1e-16, xtol=1e-15) if rate < 1.0 and beyond(1.0 - 1e-16) > 0.0 else 1.0
    value, lower, upper = (trials * end for end in (rate, lower, upper))
    return Empirical(value, lower, upper, quantity, runs, confidence, "Chernoff, negatively associated", True)


def mean(values: ArrayLike, quantity: str, confidence: float = USUAL, deviation: float | None = None) -> Empirical:
    """Return the mean over independent runs, by Student's t, or by their standard deviation where it is known exactly.

    The interval of a single run is infinite unless the deviation is known.
    """
    sample = np.asarray(values, dtype=float)
    centre, half = float(sample.mean()), inf
    if deviation is not None:
        half = float(ndtri(0.5 + confidence / 2.0)) * deviation / sqrt(sample.size)
    elif sample.size > 1:
        half = float(stdtrit(sample.size - 1, 0.5 + confidence / 2.0) * sample.std(ddof=1)) / sqrt(sample.size)
    method = "Student's t" if deviation is None else "exact variance"
    return Empirical(centre, centre - half, centre + half, quantity, sample.size, confidence, method, False)


def slope(places: Sequence[float], values: Sequence[Empirical], quantity: str, confidence: float = USUAL) -> Empirical:
    """Return the exponent of a power law through measured means, by least squares in logarithms with their variances.

    The interval covers the randomness of the runs.  It does not cover a true curve that is not a power law.
    """
    quantiles = [stdtrit(each.samples - 1, 0.5 + each.confidence / 2.0) for each in values]
    errors = [(each.upper - each.value) / (q * each.value) for each, q in zip(values, quantiles, strict=True)]
    logs = np.log(places), np.log([each.value for each in values])
    (centre, _), covariance = np.polyfit(*logs, 1, w=1.0 / np.array(errors), cov="unscaled")
    half = float(ndtri(0.5 + confidence / 2.0)) * sqrt(covariance[0, 0])
    runs = sum(each.samples for each in values)
    return Empirical(centre, centre - half, centre + half, quantity, runs, confidence, "weighted least squares", False)
