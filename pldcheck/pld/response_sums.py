r"""Sums of randomized responses, each with an eps0 of its own, computed from power sums of the eps0.

For one response with :math:`e` = eps0 and :math:`y = z + \tfrac12`

.. math:: \log E e^{zL} = \log\frac{\cosh(ey)}{\cosh(e/2)} = \sum_k a_k e^{2k} \big(y^{2k} - 4^{-k}\big),
          \quad \log\cosh w = \sum_k a_k w^{2k}, \quad k |a_k| \le 1.0147 (2/\pi)^{2k} \text{ for } k \ge 2.

So :math:`\sum_i c_i e_i^{2k}` for a few k replace any number of responses wherever :math:`\rho = 4 |ey|^2/\pi^2` is
small.  The bound of the coefficients is that of :math:`\log\cosh w = \sum_j \log(1 + 4w^2/((2j+1)^2 \pi^2))`.
Elsewhere every response is visited: tilted by theta its characteristic function is :math:`\cos(es) + i t \sin(es)`
with :math:`t = \tanh((\theta + \tfrac12) e)`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from math import fsum, pi

import numpy as np

from ..core.directed import UNIT, enlarge
from ..kernels import response_characteristics as kernels
from .step_losses import Array

# Responses of one rung of the ladder have eps0 within this factor, so that the largest does not decide for all.
SPREAD = 4.0
# Largest number of rungs: the last one has all smaller eps0.
MOST_RUNGS = 8
# The series is used up to this ratio rho of its terms.
RATIO = 0.125
# The series is cut where its terms are below 2^-CUT_EXPONENT of the first.
CUT_EXPONENT = 55.0
# Absolute error of log M in round-offs of |z (z + 1)| sum e^2/2 (of its change by is: |(is) (2 theta + 1 + is)| in
# place of |z (z + 1)|): sums of powers 64 + 4k (numpy adds pairwise), their coefficients 6k + 8, weighted with the
# ratios of the terms: 92, and one for those left out.
SERIES_ERROR = 128
# Numbers of terms; more are never needed: 2^-CUT_EXPONENT = RATIO^18.3.
TERMS = (12, 20)
# The first responses, this many, are tested for whether many are equal.
FIRST_RESPONSES = 2**10
# Up to this many responses, the log of |phi| is bounded by its harmonics.
FEW_RESPONSES = 256
# How many harmonics there are.
HARMONICS = 16
# Ratio of the harmonics up to which they are used.
LARGEST_RATIO = 0.6
# Values of a block of which powers are summed: it stays in the cache.
BLOCK = 2**14


@dataclass(frozen=True, eq=False)
class Rung:
    """Responses with eps0 up to ``top``, each ``counts`` times."""

    eps0: Array
    counts: Array
    top: float
    _sums: dict[int, list[float]] = field(default_factory=dict, repr=False)

    def sums(self, terms: int) -> list[float]:
        """Return the sums of counts (eps0/top)^2k, k = 1..terms."""
        if terms not in self._sums:
            starts = range(0, self.eps0.size, BLOCK)
            parts = np.empty((terms, len(starts)))
            for block, begin in enumerate(starts):
                square = (self.eps0[begin : begin + BLOCK] / self.top) ** 2
                power = self.counts[begin : begin + BLOCK] * square
                parts[0, block] = power.sum()
                for k in range(1, terms):
                    power *= square
                    parts[k, block] = power.sum()
            self._sums[terms] = parts.sum(axis=1).tolist()
        return self._sums[terms]

    @property
    def largest(self) -> float:
        """The largest value of the sum, rounded up."""
        blocks = [slice(begin, begin + BLOCK) for begin in range(0, self.eps0.size, BLOCK)]
        parts = [float(np.sum(self.counts[block] * self.eps0[block])) for block in blocks]
        return enlarge(fsum(parts), 64)

    def reach(self, theta: float) -> float:
        """Return the frequency up to which the series is used; negative where it is not even for the cumulant."""
        farthest = 0.5 * pi * RATIO**0.5 / self.top  # the largest |z + 1/2|, which is 1/2 in cosh(e/2)
        square = farthest * farthest - (theta + 0.5) ** 2
        return square**0.5 if farthest >= 0.5 and square >= 0.0 else -1.0

    def beyond(self, theta: float, frequencies: Array) -> int:
        """Return how many of these increasing frequencies are beyond the reach of the series."""
        return frequencies.size - int(np.searchsorted(frequencies, self.reach(theta), side="right"))

    def terms(self, size: float) -> int:
        """Return how many terms are needed where |z + 1/2| <= size."""
        ratio = (2.0 * max(size, 0.5) * self.top / pi) ** 2
        return next((terms for terms in TERMS if ratio < 2.0 ** (-CUT_EXPONENT / terms)), TERMS[-1])


def merge_equal(eps0: Array, counts: Array) -> tuple[Array, Array]:
    """Return the distinct eps0 with their counts if many of the first ones are equal, else the arguments."""
    if eps0.size < 2 or 2 * np.unique(eps0[:FIRST_RESPONSES]).size > min(eps0.size, FIRST_RESPONSES):
        return eps0, counts
    distinct, places = np.unique(eps0, return_inverse=True)
    return distinct, np.bincount(places, counts).astype(np.float64)


def ladder(eps0: Array, counts: Array) -> tuple[Rung, ...]:
    """Return the responses in rungs, from the largest eps0 down."""
    rungs: list[Rung] = []
    while eps0.size:
        top = float(eps0.max())
        if len(rungs) == MOST_RUNGS - 1 or float(eps0.min()) * SPREAD > top:
            return (*rungs, Rung(eps0, counts, top))
        large = eps0 * SPREAD > top
        rungs.append(Rung(eps0[large], counts[large], top))
        eps0, counts = eps0[~large], counts[~large]
    return tuple(rungs)


@cache
def coefficients(terms: int) -> tuple[float, ...]:
    """Return the a_k, k = 1..terms, computed from the coefficients b_n of tanh = (log cosh)'.

    These satisfy b_n (2n + 1) = -sum of b_i b_j over i + j = n - 1.
    """
    of_tanh = [Fraction(1)]
    for n in range(1, terms):
        products = (of_tanh[i] * of_tanh[n - 1 - i] for i in range(n))
        of_tanh.append(sum(products, Fraction(0)) / -(2 * n + 1))
    return tuple(float(b / (2 * k)) for k, b in enumerate(of_tanh, 1))


def response_cumulant(rung: Rung, theta: float) -> tuple[float, float, float, float]:
    """Return log M(theta) of the sum, its absolute error, and the mean and the variance of the tilted sum."""
    if rung.reach(theta) < 0.0:
        return _sum_one_by_one(rung, theta)
    terms = rung.terms(abs(theta + 0.5))
    square, first = rung.top**2, theta * (theta + 1.0)
    y, quarter = (theta + 0.5) ** 2 * square, 0.25 * square
    total, slope, bend = 0.0, 0.0, 0.0
    ratio, power, least = 1.0, 1.0, 1.0  # ratio = (y^k - quarter^k)/(y - quarter), power = y^(k - 1)
    before = 0.0
    sums = rung.sums(terms)
    for k, (a, s) in enumerate(zip(coefficients(terms), sums, strict=True), 1):
        total += a * s * ratio
        slope += k * a * s * power
        bend += k * (k - 1) * a * s * before
        least *= quarter
        ratio = ratio * y + least
        before, power = power, power * y
    # d/dtheta y = 2 (theta + 1/2) top^2
    steep = 2.0 * (theta + 0.5) * square
    error = SERIES_ERROR * UNIT * abs(first) * 0.5 * square * sums[0]
    return first * square * total, error, steep * slope, 2.0 * square * slope + steep * steep * bend


def log_ratio(rung: Rung, theta: float, frequencies: Array) -> tuple[np.ndarray, Array]:
    """Return log M(theta + is) - log M(theta), and the exponent of its error; frequencies increase."""
    near = frequencies.size - rung.beyond(theta, frequencies)
    values, doubts = np.empty(frequencies.size, dtype=complex), np.empty(frequencies.size)
    if near:
        values[:near], doubts[:near] = _series(rung, theta, frequencies[:near])
    if near < frequencies.size:
        tilts, rests = _tilts(rung.eps0, theta)
        real, imaginary, doubts[near:] = kernels.log_characteristic(
            rung.eps0, rung.counts, tilts, rests, frequencies[near:]
        )
        values[near:] = real + 1j * imaginary
    return values, doubts


def _series(rung: Rung, theta: float, s: Array) -> tuple[np.ndarray, Array]:
    # As in ``response_cumulant``, with y at theta in place of 1/4.
    terms = rung.terms(abs(complex(theta + 0.5, float(s[-1]))))
    square, base = rung.top**2, (theta + 0.5) ** 2 * rung.top**2
    first = 1j * s * (2.0 * theta + 1.0 + 1j * s)
    y, power = base + first * square, 1.0
    total, ratio = np.zeros(s.size, dtype=complex), np.ones(s.size, dtype=complex)
    sums = rung.sums(terms)
    for a, one in zip(coefficients(terms), sums, strict=True):
        total += (a * one) * ratio
        power *= base
        ratio = ratio * y + power
    return first * square * total, SERIES_ERROR * UNIT * 0.5 * square * sums[0] * np.abs(first)


def _tilts(eps0: Array, theta: float) -> tuple[Array, Array]:
    """Return tanh((theta + 1/2) eps0) and 1 minus its square."""
    arguments = (theta + 0.5) * eps0
    rests = np.exp(-2.0 * np.abs(arguments))
    return np.tanh(arguments), 4.0 * rests / (1.0 + rests) ** 2


def response_pairs(eps0: Array, counts: Array, theta: float) -> tuple[Array, Array, float]:
    r"""Return lags, weights and a number such that -log|phi| >= sum of weights (1 - cos(s lag)) - number.

    The lags are between the two losses of a response, the weights products of their masses.  For few responses
    they are, with :math:`r = (1 - t)/(1 + t)`, those of the series :math:`-\log|\varphi| = \sum_k (-1)^{k+1} r^k
    (1 - \cos(2ks e))/k`.
    """
    tilts, rests = _tilts(eps0, theta)
    if eps0.size > FEW_RESPONSES:
        return 2.0 * eps0, 0.25 * counts * rests, 0.0
    ratios = np.exp(-2.0 * (theta + 0.5) * eps0)
    steep = ratios <= LARGEST_RATIO
    k = np.arange(1, HARMONICS + 1)[:, None]
    e, r, c = eps0[steep], ratios[steep], counts[steep]
    lags, weights = 2.0 * k * e, -c * (-r) ** k / k
    deficit = 2.0 * float(np.sum(c * r ** (HARMONICS + 1) / (1.0 - r)))
    flat = 2.0 * eps0[~steep], 0.25 * (counts * rests)[~steep]
    return np.append(lags, flat[0]), np.append(weights, flat[1]), deficit


def _sum_one_by_one(rung: Rung, theta: float) -> tuple[float, float, float, float]:
    """Return the same as ``response_cumulant``, computed response by response."""
    eps0, counts = rung.eps0, rung.counts
    v, b = np.abs(theta + 0.5) * eps0, 0.5 * eps0
    near = (v < 30.0) & ((b < 1.0) | (theta >= 0.0))  # nothing cancels in 1 + change
    # cosh v/cosh b - 1 = 2 sinh((v + b)/2) sinh((v - b)/2)/cosh b, with (v + b)/2 and (v - b)/2 up to signs:
    up, down = np.where(near, 0.5 * (theta + 1.0) * eps0, 0.0), np.where(near, 0.5 * theta * eps0, 0.0)
    change = 2.0 * np.sinh(up) * np.sinh(down) / np.cosh(b)
    far = v - b + np.log1p(np.exp(-2.0 * v)) - np.log1p(np.exp(-2.0 * b))
    values = np.where(near, np.log1p(change), far)
    # Relative errors of change: arguments 2, of which sinh makes at most 1 + |.|, functions 2 each, products.
    errors = np.where(near, (16.0 + 4.0 * (v + b)) * np.abs(change) / (1.0 + change) + 4.0 * np.abs(values), 0.0)
    errors = np.where(near, errors, 8.0 * (v + b + 1.0))
    tilts, rests = _tilts(eps0, theta)
    parts = counts * values
    error = UNIT * (float(np.sum(counts * errors)) + 64.0 * float(np.sum(np.abs(parts))))
    return (
        float(np.sum(parts)),
        error,
        float(np.sum(counts * eps0 * tilts)),
        float(np.sum(counts * eps0**2 * rests)),
    )
