r"""The sum of independent privacy losses, and its cumulant generating function with error bounds.

Everything that the Fourier inversion needs of a composition is linear in the parts: :math:`K(z) = \sum_i c_i \log E
e^{z L_i}`.  Losses with finitely many values are held as ragged arrays, Gaussian ones as one variance, Laplace losses
and randomized responses as arrays of their eps0.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from math import fsum, inf, log1p, tanh
from typing import Any

import numpy as np

from ..kernels import losses as kernels
from .losses import UNIT, Array, Atoms, GaussianLoss, LaplaceLoss, Law, Responses
from .responses import Rung, ladder, log_ratio, merged, response_cumulant

# The least tilt searched; near enough to none for the mean and the variance.
LEAST_TILT = 1e-12
# Below this argument sinh(t)/t - sinh(u)/u is summed as a series, without cancellation.
_SERIES = 1.0
# Relative error of log M of a Laplace loss, in units of round-off; measured: below 40.
LAPLACE_ERROR = 256
# Parts with fewer values have no tails worth trimming.
FEWEST_TRIMMED = 64


@dataclass(frozen=True, eq=False)
class Total:
    """Independent losses added up; ``counts`` say how often each part occurs, ``log_finite`` is log P(all finite).

    ``log_kept`` is the log of the share of that which the masses stand for: less than 1 where tails were left out.
    """

    offsets: np.ndarray
    losses: Array
    masses: Array
    counts: Array
    mass_errors: Array
    loss_errors: Array
    variance: float
    laplace: Array
    laplace_counts: Array
    responses: Array
    response_counts: Array
    log_finite: float
    log_kept: float = 0.0

    @classmethod
    def of(cls, parts: Iterable[tuple[Law, int]]) -> Total:
        """From laws with counts; the same object given twice is one part with the sum of the counts."""
        counted: dict[int, tuple[Law, int]] = {}
        for law, count in parts:
            known = counted.get(id(law))
            counted[id(law)] = (law, count if known is None else count + known[1])
        kinds: dict[type, list[tuple[Any, int]]] = {kind: [] for kind in (Atoms, GaussianLoss, LaplaceLoss, Responses)}
        for one in counted.values():
            kinds[type(one[0])].append(one)
        atoms, spikes, pairs = kinds[Atoms], kinds[LaplaceLoss], kinds[Responses]
        often = np.array([float(count) for _, count in pairs]), np.array([law.eps0.size for law, _ in pairs], dtype=int)
        eps0, counts = merged(_joined([law.eps0 for law, _ in pairs]), np.repeat(*often))
        return cls(
            offsets=np.cumsum([0, *(law.losses.size for law, _ in atoms)], dtype=np.int64),
            losses=_joined([law.losses for law, _ in atoms]),
            masses=_joined([law.masses for law, _ in atoms]),
            counts=np.array([float(count) for _, count in atoms]),
            mass_errors=np.array([law.mass_error for law, _ in atoms]),
            loss_errors=np.array([law.loss_error for law, _ in atoms]),
            variance=fsum(law.variance * n for law, n in kinds[GaussianLoss]),
            laplace=np.array([law.eps0 for law, _ in spikes]),
            laplace_counts=np.array([float(count) for _, count in spikes]),
            responses=eps0,
            response_counts=counts,
            log_finite=fsum(count * _log_finite(law) for law, count in atoms),
        )

    def trimmed(self, mass: float, *, dropped: bool) -> Total:
        """Without upper tails of this mass in all, which are dropped (a lower bound) or made infinite (an upper one).

        A heavy tail, however unlikely, keeps the tilt low and the inversion long.
        """
        many = np.flatnonzero(np.diff(self.offsets) > FEWEST_TRIMMED)
        masses, losses, log_share = self.masses.copy(), self.losses.copy(), 0.0
        for i in many:
            part = slice(self.offsets[i], self.offsets[i + 1])
            order = np.argsort(losses[part])[::-1]
            tail = np.cumsum(masses[part][order])
            cut = int(np.searchsorted(tail, mass / (many.size * self.counts[i])))
            if cut == 0:
                continue
            # Atoms without mass stay in place; their losses must not matter either.
            chosen, share = self.offsets[i] + order[:cut], float(tail[cut - 1])
            losses[chosen], masses[chosen] = losses[self.offsets[i] + order[cut]], 0.0
            masses[part] /= 1.0 - share
            log_share += self.counts[i] * log1p(-share * (1.0 + 1e-9))  # far more than the tail's own error
        kept = replace(self, masses=masses, losses=losses, mass_errors=self.mass_errors + 4 * UNIT)
        if dropped:
            return replace(kept, log_kept=self.log_kept + log_share)
        return replace(kept, log_finite=self.log_finite + log_share)

    @cached_property
    def reach(self) -> Array:
        """The largest |loss| of each part."""
        return np.maximum.reduceat(np.abs(self.losses), self.offsets[:-1]) if self.losses.size else np.empty(0)

    @cached_property
    def rungs(self) -> tuple[Rung, ...]:
        """The randomized responses by size."""
        return ladder(self.responses, self.response_counts)

    @cached_property
    def plain(self) -> Tilted:
        """Itself, hardly tilted: the mean and the variance of the sum."""
        return tilt(self, LEAST_TILT)

    @property
    def size(self) -> int:
        """The number of values to be visited for one value of the characteristic function."""
        return self.losses.size + 2 * self.responses.size + 8 * self.laplace.size

    @property
    def infinity(self) -> float:
        """P(some loss is infinite)."""
        return float(-np.expm1(self.log_finite)) + 0.0

    @cached_property
    def largest(self) -> float:
        """The largest finite value of the sum, rounded up; infinite with a Gaussian part."""
        if self.variance > 0.0:
            return inf
        tops = np.maximum.reduceat(self.losses, self.offsets[:-1]) if self.losses.size else np.empty(0)
        each = np.concatenate([self.counts * tops, self.laplace_counts * self.laplace])
        found = float(np.sum(each) + 64 * UNIT * np.sum(np.abs(each)) + self.counts @ self.loss_errors)
        more = sum(rung.largest for rung in self.rungs)
        return found + more + 16 * UNIT * (abs(found) + more)


def _joined(arrays: list[Array]) -> Array:
    return arrays[0] if len(arrays) == 1 else np.concatenate([np.empty(0), *arrays])


def _log_finite(law: Atoms) -> float:
    return log1p(-law.infinity) if law.infinity < 1.0 else -inf


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
    means: Array
    variances: Array
    deviations: Array
    tilted: Array
    centred: Array

    def log_characteristic(self, frequencies: Array) -> tuple[np.ndarray, Array]:
        """K(theta + is) - K(theta), the mean of the atoms taken out, and its error exponent, without Gaussian parts.

        The frequencies increase from 0.
        """
        total = self.total
        values, doubt = np.zeros(frequencies.size, dtype=complex), np.zeros(frequencies.size)
        if total.counts.size:
            real, imaginary, doubt = kernels.log_characteristic(
                total.offsets,
                self.centred,
                self.tilted,
                total.counts,
                self.deviations,
                UNIT * (32.0 + 8.0 * abs(self.theta) * total.reach) + 2.0 * total.mass_errors,
                2.0 * total.loss_errors + 4.0 * UNIT * total.reach + 64 * UNIT * np.abs(self.means),
                frequencies,
            )
            values += real + 1j * imaginary
        for rung in total.rungs:
            more, errors = log_ratio(rung, self.theta, frequencies)
            values += more
            doubt += errors
        z = self.theta + 1j * frequencies
        among = LAPLACE_ERROR + total.laplace.size  # they are added up one after another
        for eps0, count in zip(total.laplace, total.laplace_counts, strict=True):
            base = laplace_log_mgf(eps0, self.theta)
            change = laplace_log_mgf(eps0, z) - base
            values += count * change
            error = among * UNIT * (np.abs(change) + np.abs(base))
            # Where M has come down from 1 its error is no longer relative to log M, but to M.
            far = np.abs(change) > 0.5
            size = (1.0 + np.abs(eps0 * z)) * np.exp(-np.minimum(change.real, 0.0))
            doubt += count * np.where(far, error + LAPLACE_ERROR * UNIT * np.minimum(size, 1e18), error)
        return values, doubt

    def visits(self, frequencies: Array) -> int:
        """How many values of losses ``log_characteristic`` visits."""
        total = self.total
        among = sum(rung.eps0.size * rung.beyond(self.theta, frequencies) for rung in total.rungs)
        return frequencies.size * (total.losses.size + 8 * total.laplace.size) + among


def tilt(total: Total, theta: float) -> Tilted:
    """The total under the measure exp(theta L) dP."""
    counts, cumulant, error, mean, variance = total.counts, 0.0, 0.0, 0.0, 0.0
    means = variances = deviations = tilted = centred = counts
    if counts.size:
        cumulants, errors, swings, means, variances, deviations, tilted, centred = kernels.tilt(
            total.offsets, total.losses, total.masses, theta
        )
        parts = counts * cumulants
        # Round-off, masses (their errors keep the total: what moves M is e^(theta L) - 1) and losses of each part; the
        # sum over the parts is pairwise.
        each = UNIT * errors + 2.0 * total.mass_errors * swings + 2.0 * abs(theta) * total.loss_errors
        error = float(counts @ each + 64 * UNIT * np.sum(np.abs(parts)))
        cumulant, mean, variance = float(np.sum(parts)), float(np.sum(counts * means)), float(counts @ variances)
    atoms_mean = mean
    for rung in total.rungs:
        value, doubt, first, second = response_cumulant(rung, theta)
        cumulant, mean, variance = cumulant + value, mean + first, variance + second
        error += doubt + 16 * UNIT * abs(value)
    for eps0, count in zip(total.laplace, total.laplace_counts, strict=True):
        value = float(laplace_log_mgf(eps0, theta).real)
        first, second = _laplace_moments(eps0, theta)
        cumulant, mean, variance = cumulant + count * value, mean + count * first, variance + count * second
        error += count * (LAPLACE_ERROR + total.laplace.size) * UNIT * abs(value)
    cumulant += 0.5 * total.variance * theta * (theta + 1.0) + total.log_finite + total.log_kept
    mean += total.variance * (theta + 0.5)
    error += 8 * UNIT * (total.variance * abs(theta * (theta + 1.0)) + abs(total.log_finite))
    return Tilted(
        total=total,
        theta=theta,
        cumulant=cumulant,
        error=error,
        mean=mean,
        variance=variance + total.variance,
        atoms_mean=atoms_mean,
        deviations=deviations,
        means=means,
        variances=variances,
        tilted=tilted,
        centred=centred,
    )


def laplace_log_mgf(eps0: float, z: np.ndarray | complex | float) -> np.ndarray:
    r"""Log of :math:`M(z) = e^{-e/2} (\cosh(ey) + \sinh(ey)/(2y))`, e = eps0, y = z + 1/2, for Re z >= 0.

    From the losses e with probability 1/2, -e with probability exp(-e)/2, and the density in between.  Near M = 1 the
    difference M - 1 is formed from small terms, so that the relative error of log M is ``LAPLACE_ERROR`` round-offs.
    """
    z = np.asarray(z, dtype=complex)
    y = z + 0.5
    series = np.abs(eps0 * y) < _SERIES
    if series.all():
        return _log1p(_series(eps0, z, y))
    with np.errstate(all="ignore"):  # each form is taken where it is finite
        # log M = ez + log((1 + E)/2 + (1 - E)/(4y)), E = exp(-2ey)
        fall = np.exp(-2.0 * eps0 * y)
        far = eps0 * z + np.log(0.5 * (1.0 + fall) + 0.25 * (1.0 - fall) / y)
        # Twice M - 1, term by term against its value at z = 0.
        rise, down, share = np.expm1(eps0 * z), np.expm1(-eps0 * z), np.exp(-eps0)
        small = 0.5 * (rise + share * down + (rise - 2.0 * z - share * (down - 2.0 * z)) / (1.0 + 2.0 * z))
        small = np.where(series, _series(eps0, z, y), small)
        return np.where(series | (np.abs(small) < 0.5), _log1p(small), far)


def _log1p(w: np.ndarray) -> np.ndarray:
    """log(1 + w); numpy's complex log1p loses the real part of a small w."""
    a, b = w.real, w.imag
    return 0.5 * np.log1p(2.0 * a + a * a + b * b) + 1j * np.arctan2(b, 1.0 + a)


def _series(eps0: float, z: np.ndarray, y: np.ndarray) -> np.ndarray:
    """M - 1 from cosh a - cosh b and sinh(a)/a - sinh(b)/b, a = ey, b = e/2, as series in a^2 - b^2 = e^2 z (z + 1)."""
    square, half = (eps0 * y) ** 2, (0.5 * eps0) ** 2
    in_cosh, in_sinh = np.zeros_like(y), np.zeros_like(y)
    ratio, power, factor = np.ones_like(y), 1.0, 1.0  # ratio = (a^2j - b^2j) / (a^2 - b^2)
    for j in range(1, 13):
        factor /= (2 * j - 1) * (2 * j)
        in_cosh += ratio * factor
        in_sinh += ratio * factor / (2 * j + 1)
        power *= half
        ratio = ratio * square + power
    return np.exp(-0.5 * eps0) * eps0 * eps0 * z * (z + 1.0) * (in_cosh + 0.5 * eps0 * in_sinh)


def _laplace_moments(eps0: float, theta: float) -> tuple[float, float]:
    """Mean and variance of the tilted loss; they steer the search only."""
    y = theta + 0.5
    t = tanh(eps0 * y)  # M, M' and M'' over exp(-e/2) cosh(ey)
    zeroth, first = 1.0 + 0.5 * t / y, eps0 * t + 0.5 * eps0 / y - 0.5 * t / y**2
    second = eps0**2 * zeroth - eps0 / y**2 + t / y**3
    mean = first / zeroth
    return mean, max(second / zeroth - mean * mean, 1e-300)
