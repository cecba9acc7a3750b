r"""The sum of independent privacy losses, and its cumulant generating function with error bounds.

Everything that the Fourier inversion needs of a composition is linear in the parts: :math:`K(z) = \sum_i c_i \log E
e^{z L_i}`.  Losses with finitely many values are held as ragged arrays, Gaussian ones as one variance, Laplace ones as
an array of their eps0.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import log1p

import numpy as np

from ..kernels import losses as kernels
from .losses import UNIT, Array, Atoms, GaussianLoss, LaplaceLoss, Law

# Below this argument sinh(t)/t - sinh(u)/u is summed as a series, without cancellation.
_SERIES = 1.0


@dataclass(frozen=True, eq=False)
class Total:
    """Independent losses added up; ``counts`` say how often each part occurs, ``log_finite`` is log P(all finite)."""

    offsets: np.ndarray
    losses: Array
    masses: Array
    counts: Array
    mass_errors: Array
    loss_errors: Array
    variance: float
    laplace: Array
    laplace_counts: Array
    log_finite: float

    @classmethod
    def of(cls, parts: Iterable[tuple[Law, int]]) -> Total:
        """From laws with counts; the same object given twice is one part with the sum of the counts."""
        counted: dict[int, tuple[Law, int]] = {}
        for law, count in parts:
            counted[id(law)] = (law, count + counted.get(id(law), (law, 0))[1])
        atoms = [(law, count) for law, count in counted.values() if isinstance(law, Atoms)]
        spikes = [(law, count) for law, count in counted.values() if isinstance(law, LaplaceLoss)]
        sizes = [law.losses.size for law, _ in atoms]
        empty = np.empty(0)
        return cls(
            offsets=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            losses=np.concatenate([empty, *(law.losses for law, _ in atoms)]),
            masses=np.concatenate([empty, *(law.masses for law, _ in atoms)]),
            counts=np.array([float(count) for _, count in atoms]),
            mass_errors=np.array([law.mass_error for law, _ in atoms]),
            loss_errors=np.array([law.loss_error for law, _ in atoms]),
            variance=float(sum(law.variance * n for law, n in counted.values() if isinstance(law, GaussianLoss))),
            laplace=np.array([law.eps0 for law, _ in spikes]),
            laplace_counts=np.array([float(count) for _, count in spikes]),
            log_finite=float(sum(count * log1p(-law.infinity) for law, count in atoms if law.infinity > 0.0)),
        )

    @property
    def size(self) -> int:
        """The number of values to be visited for one value of the characteristic function."""
        return self.losses.size + 8 * self.laplace.size

    @property
    def infinity(self) -> float:
        """P(some loss is infinite)."""
        return float(-np.expm1(self.log_finite))

    @property
    def largest(self) -> float:
        """The largest finite value of the sum; infinite with a Gaussian part."""
        if self.variance > 0.0:
            return float("inf")
        tops = np.maximum.reduceat(self.losses, self.offsets[:-1]) if self.losses.size else np.empty(0)
        return float(self.counts @ tops + self.laplace_counts @ self.laplace)


@dataclass(frozen=True, eq=False)
class Tilted:
    """A total tilted by exp(theta L): K(theta) with its absolute error, mean and variance of the tilted sum."""

    total: Total
    theta: float
    cumulant: float
    error: float
    mean: float
    variance: float
    atoms_mean: float
    deviations: Array
    noise: Array
    shifts: Array
    tilted: Array
    centred: Array

    def log_characteristic(self, frequencies: Array) -> tuple[np.ndarray, Array]:
        """K(theta + is) - K(theta), the mean of the atoms taken out, and its error exponent, without Gaussian parts."""
        total = self.total
        values, doubt = np.zeros(frequencies.size, dtype=complex), np.zeros(frequencies.size)
        if total.counts.size:
            real, imaginary, doubt = kernels.log_characteristic(
                total.offsets,
                self.centred,
                self.tilted,
                total.counts,
                self.deviations,
                self.noise,
                self.shifts,
                frequencies,
            )
            values += real + 1j * imaginary
        for eps0, count in zip(total.laplace, total.laplace_counts, strict=True):
            change = laplace_log_mgf(eps0, self.theta + 1j * frequencies) - laplace_log_mgf(eps0, self.theta)
            values += count * change
            doubt += count * 64 * UNIT * (np.abs(change) + np.abs(laplace_log_mgf(eps0, self.theta)))
        return values, doubt


def tilt(total: Total, theta: float) -> Tilted:
    """The total under the measure exp(theta L) dP."""
    cumulants, errors, swings, means, variances, deviations, tilted, centred = kernels.tilt(
        total.offsets, total.losses, total.masses, theta
    )
    counts = total.counts
    parts = counts * cumulants
    reach = np.maximum.reduceat(np.abs(total.losses), total.offsets[:-1]) if total.losses.size else np.empty(0)
    # Round-off, masses (their errors keep the total: what moves M is e^(theta L) - 1) and losses of each part; the sum
    # over the parts is pairwise.
    each = UNIT * errors + 2.0 * total.mass_errors * swings + 2.0 * theta * total.loss_errors
    error = float(counts @ each + 64 * UNIT * np.sum(np.abs(parts)))
    cumulant, mean, variance = float(np.sum(parts)), float(np.sum(counts * means)), float(counts @ variances)
    atoms_mean = mean
    for eps0, count in zip(total.laplace, total.laplace_counts, strict=True):
        value = float(laplace_log_mgf(eps0, theta).real)
        first, second = _laplace_moments(eps0, theta)
        cumulant, mean, variance = cumulant + count * value, mean + count * first, variance + count * second
        error += count * 64 * UNIT * abs(value)
    cumulant += 0.5 * total.variance * theta * (theta + 1.0) + total.log_finite
    mean += total.variance * (theta + 0.5)
    error += 8 * UNIT * (total.variance * theta * (theta + 1.0) + abs(total.log_finite))
    return Tilted(
        total=total,
        theta=theta,
        cumulant=cumulant,
        error=error,
        mean=mean,
        variance=variance + total.variance,
        atoms_mean=atoms_mean,
        deviations=deviations,
        noise=UNIT * (32.0 + 8.0 * theta * reach) + 2.0 * total.mass_errors,
        shifts=2.0 * total.loss_errors + 2.0 * UNIT * reach + 64 * UNIT * np.abs(means),
        tilted=tilted,
        centred=centred,
    )


def laplace_log_mgf(eps0: float, z: np.ndarray | complex | float) -> np.ndarray:
    r"""Log of :math:`M(z) = e^{-e/2}(\cosh(ey) + \sinh(ey)/(2y))`, e = eps0, y = z + 1/2, for Re z >= 0.

    From the losses e with probability 1/2, -e with probability exp(-e)/2, and the density in between.  For small
    :math:`e|y|` the difference M - 1 is summed from small terms; the relative error of log M is a few round-offs.
    """
    y = np.asarray(z, dtype=complex) + 0.5
    near = np.abs(eps0 * y) < _SERIES
    with np.errstate(all="ignore"):
        # log M = e (y - 1/2) + log((1 + E)/2 + (1 - E)/(4y)), E = exp(-2ey): no overflow
        fall = np.exp(-2.0 * eps0 * y)
        far = eps0 * (y - 0.5) + np.log(0.5 * (1.0 + fall) + 0.25 * (1.0 - fall) / y)
    square, half = (eps0 * y) ** 2, (0.5 * eps0) ** 2
    if not np.any(near):
        return far
    # cosh a - cosh b and sinh(a)/a - sinh(b)/b, b = e/2, as series in a^2 - b^2 = e^2 z (z + 1)
    gap = eps0 * eps0 * (y - 0.5) * (y + 0.5)
    difference, ratio, power = np.zeros_like(y), np.ones_like(y), 1.0
    total_cosh, total_sinh = np.zeros_like(y), np.zeros_like(y)
    factor = 1.0
    for j in range(1, 13):
        # ratio = (a^2j - b^2j) / (a^2 - b^2)
        factor /= (2 * j - 1) * (2 * j)
        total_cosh += ratio * factor
        total_sinh += ratio * factor / (2 * j + 1)
        power *= half
        ratio = ratio * square + power
    difference = np.exp(-0.5 * eps0) * gap * (total_cosh + 0.5 * eps0 * total_sinh)
    return np.where(near, np.log1p(difference), far)


def _laplace_moments(eps0: float, theta: float) -> tuple[float, float]:
    """Mean and variance of the tilted loss; they steer the search only."""
    step = 1e-4 * max(1.0, theta)
    points = np.array([max(theta - step, 0.0), theta, theta + step])
    low, middle, high = laplace_log_mgf(eps0, points).real
    left, right = points[1] - points[0], step
    if left == 0.0:
        further = float(laplace_log_mgf(eps0, theta + 2 * step).real)
        return float((high - middle) / step), max(float((further - 2 * high + middle) / step**2), 1e-300)
    return float((high - low) / (left + right)), max(
        float(2 * ((high - middle) / right - (middle - low) / left) / (left + right)), 1e-300
    )
