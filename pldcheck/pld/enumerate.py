"""A sum with few enough values, value by value: no Fourier inversion, hence nothing but round-off."""

from __future__ import annotations

import numpy as np

from ..kernels.binomial import log_pmf_range
from .losses import UNIT, Array, Atoms
from .total import Total

# Values of the sum up to which it is written out.
MOST_VALUES = 2**17


def enumerated(total: Total) -> Atoms | None:
    """The law of the sum, if it has at most ``MOST_VALUES`` values (or is one law, once) and no continuous part."""
    if total.variance > 0.0 or total.laplace.size or not total.counts.size or total.log_kept:
        return None
    if total.counts.size == 1 and total.counts[0] == 1.0:
        errors = float(total.mass_errors[0]), float(total.loss_errors[0])
        return Atoms(total.losses, total.masses, total.infinity, *errors)
    sizes, values = np.diff(total.offsets), 1.0
    for size, count in zip(sizes, total.counts, strict=True):
        values *= 1.0 if size == 1 else count + 1.0 if size == 2 else float(size) ** min(count, 64.0)
        if values > MOST_VALUES:
            return None
    losses, masses, mass_error, loss_error = np.zeros(1), np.ones(1), 0.0, 0.0
    for i, count in enumerate(total.counts.astype(int)):
        part = slice(total.offsets[i], total.offsets[i + 1])
        more, weights, error = _repeated(total.losses[part], total.masses[part], int(count))
        losses, masses = np.add.outer(losses, more).ravel(), np.multiply.outer(masses, weights).ravel()
        mass_error += count * float(total.mass_errors[i]) + error + 2 * UNIT
        loss_error += count * float(total.loss_errors[i]) + 4 * UNIT * float(np.max(np.abs(more)))
        loss_error += UNIT * float(np.max(np.abs(losses)))
    return Atoms.of(
        losses, masses * (1.0 - total.infinity), total.infinity, mass_error=mass_error, loss_error=loss_error
    )


def _repeated(losses: Array, masses: Array, count: int) -> tuple[Array, Array, float]:
    """The ``count``-fold sum of one law with itself: losses, masses, relative error of the masses."""
    if losses.size == 2 and count > 1:
        logs, error = log_pmf_range(count, 0, count + 1, float(masses[1]), float(masses[0]))
        successes = np.arange(count + 1)
        return (count - successes) * losses[0] + successes * losses[1], np.exp(logs), error + 4 * UNIT
    if losses.size == 1:
        return count * losses, masses, UNIT
    sums, weights = losses, masses
    for _ in range(count - 1):
        sums, weights = np.add.outer(sums, losses).ravel(), np.multiply.outer(weights, masses).ravel()
    return sums, weights, 2 * count * UNIT
