r"""The cumulant generating function of a sum of privacy losses, and the sum under a tilt, with error bounds.

Everything that the Fourier inversion needs of a composition is linear in the parts: :math:`K(z) = \sum_i c_i \log E
e^{z L_i}`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import inf

import numpy as np

from ..core.directed import UNIT, roundoff
from ..kernels import loss_cumulants as kernels
from .laplace_mgf import laplace_cumulant, laplace_moments, laplace_ratio
from .loss_total import Total
from .response_sums import log_ratio, response_cumulant
from .step_losses import Array

# The least tilt that is searched; it hardly changes the mean and the variance.
LEAST_TILT = 1e-12
# The time that a value of a part of many takes, in that of others: sines are rotated from node to node there.
SHARE_OF_MANY = 0.25


@dataclass(frozen=True, eq=False)
class TiltedTotal:
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
    tilted_masses: Array
    centred_losses: Array
    cumulants: Array

    def node_errors(self, frequencies: Array) -> Array:
        """Return how far E exp(isL) is off: a row a part, a column a frequency; 0 where losses are no nodes.

        The frequencies rise; between two of them the errors of the larger one hold.
        """
        errors, nodes = np.zeros((self.total.counts.size, frequencies.size)), self.total.nodes
        if nodes is not None:
            errors[nodes.parts] = nodes.ratio_errors(self.theta, *self._of_nodes, frequencies)
        return errors

    @property
    def high_frequencies(self) -> Array:
        """Numbers V, one a part: the modulus of E exp(isL) is at most V/s; infinite but where losses are nodes."""
        bounds, nodes = np.full(self.total.counts.size, inf), self.total.nodes
        if nodes is not None:
            bounds[nodes.parts] = nodes.turning_points(self.theta, *self._of_nodes)
        return bounds

    @property
    def _of_nodes(self) -> tuple[Array, Array]:
        """The cumulants of the parts that are nodes, and all their tilted masses."""
        nodes, offsets = self.total.nodes, self.total.offsets
        assert nodes is not None
        chosen = np.zeros(self.cumulants.size, dtype=bool)
        chosen[nodes.parts] = True
        return self.cumulants[nodes.parts], self.tilted_masses[np.repeat(chosen, np.diff(offsets))]

    def log_characteristic(self, frequencies: Array) -> tuple[np.ndarray, Array]:
        """Return K(theta + is) - K(theta) without Gaussian parts and the mean of the atoms, and its error exponent.

        The frequencies increase from 0.
        """
        total = self.total
        values, doubt = np.zeros(frequencies.size, dtype=complex), np.zeros(frequencies.size)
        if total.counts.size:
            for block, shifts in self._blocks(frequencies):
                real, imaginary, doubt[block] = kernels.log_characteristic(
                    total.offsets,
                    self.centred_losses,
                    self.tilted_masses,
                    total.counts,
                    self.deviations,
                    UNIT * (32.0 + 8.0 * abs(self.theta) * total.reach) + 2.0 * total.mass_errors,
                    2.0 * total.loss_errors + roundoff(4.0, total.reach) + roundoff(64, np.abs(self.means)) + shifts,
                    frequencies[block],
                )
                values[block] += real + 1j * imaginary
        for rung in total.rungs:
            more, errors = log_ratio(rung, self.theta, frequencies)
            values += more
            doubt += total.response_factor * errors
        laplace_terms = total.laplace.size + 2  # for the products and the sums, which are formed one after another
        for eps0, count in zip(total.laplace, total.laplace_counts, strict=True):
            change, error = laplace_ratio(eps0, self.theta, frequencies)
            values += count * change
            doubt += count * (error + laplace_terms * UNIT * (np.abs(change.real) + np.abs(change.imag)))
        return values, doubt

    def _blocks(self, frequencies: Array) -> Iterable[tuple[slice, Array]]:
        """Yield blocks of frequencies and, a number a part, an error of E exp(isL) divided by s there.

        Blocks end where frequencies are twice as large, since errors of nodes are steep in them.
        """
        if self.total.nodes is None or frequencies.size < 2:
            yield slice(0, frequencies.size), np.zeros(self.total.counts.size)
            return
        least = frequencies[1]
        ends, last = [], least
        while last < frequencies[-1]:
            ends.append(int(np.searchsorted(frequencies, last, side="right")))
            last *= 2.0
        ends = sorted({*ends, frequencies.size})
        errors = self.node_errors(frequencies[np.array(ends) - 1])
        for column, (begin, end) in enumerate(zip([0, *ends], ends, strict=False)):
            # At s = 0 there is no error.
            yield slice(begin, end), errors[:, column] / max(frequencies[begin], least)

    def visits(self, frequencies: Array) -> int:
        """Return how many values of losses ``log_characteristic`` visits; those of parts of many count less."""
        total = self.total
        sizes = np.diff(total.offsets)
        many = float(np.sum(sizes[sizes >= kernels.MANY_ATOMS]))
        atoms = total.losses.size - (1.0 - SHARE_OF_MANY) * many
        visits_of_rungs = sum(rung.eps0.size * rung.beyond(self.theta, frequencies) for rung in total.rungs)
        return int(frequencies.size * (atoms + 8 * total.laplace.size)) + visits_of_rungs


def tilt(total: Total, theta: float) -> TiltedTotal:
    """Return the total under the measure exp(theta L) dP."""
    counts, cumulant, error, mean, variance = total.counts, 0.0, 0.0, 0.0, 0.0
    means = variances = deviations = tilted_masses = centred_losses = cumulants = counts
    if counts.size:
        atoms = kernels.tilt(total.offsets, total.losses, total.masses, theta)
        means, variances, deviations = atoms.means, atoms.variances, atoms.deviations
        tilted_masses, centred_losses, cumulants = atoms.masses, atoms.centred_losses, atoms.cumulants
        parts = counts * atoms.cumulants
        # Round-off, masses and losses of each part; the sum over the parts is pairwise.  Errors of masses keep their
        # total, so that M moves as e^(theta L) - c does, whatever c is: 1 in ``swings``; with c = M it is at most 2M.
        swings = np.minimum(atoms.swings, 2.0)
        each = UNIT * atoms.errors + 2.0 * total.mass_errors * swings + 2.0 * abs(theta) * total.loss_errors
        error = float(counts @ each + roundoff(64, np.sum(np.abs(parts))))
        if total.nodes is not None:
            error += float(counts[total.nodes.parts] @ total.nodes.moment_errors(theta, cumulants[total.nodes.parts]))
        cumulant, mean, variance = float(np.sum(parts)), float(np.sum(counts * means)), float(counts @ variances)
    atoms_mean = mean
    for rung in total.rungs:
        value, doubt, first, second = response_cumulant(rung, theta)
        cumulant, mean, variance = cumulant + value, mean + first, variance + second
        # abs(d log M/d log eps0) <= 2 abs(log M), as (w tanh w)' <= 2 (log cosh w)'.
        error += doubt + (16 + 4 * total.response_units) * UNIT * abs(value)
    for eps0, count in zip(total.laplace, total.laplace_counts, strict=True):
        value, doubt = laplace_cumulant(eps0, theta)
        first, second = laplace_moments(eps0, theta)
        cumulant, mean, variance = cumulant + count * value, mean + count * first, variance + count * second
        error += count * (doubt + (total.laplace.size + 2) * UNIT * abs(value))
    cumulant += 0.5 * total.variance * theta * (theta + 1.0) + total.log_finite + total.log_mass_share
    mean += total.variance * (theta + 0.5)
    error += roundoff(8, total.variance * abs(theta * (theta + 1.0)) + abs(total.log_finite))
    return TiltedTotal(
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
        tilted_masses=tilted_masses,
        centred_losses=centred_losses,
        cumulants=cumulants,
    )


@lru_cache(maxsize=4)
def least_tilted(total: Total) -> TiltedTotal:
    """Return the sum under the least tilt, for its mean and its variance; the last few are kept."""
    return tilt(total, LEAST_TILT)
