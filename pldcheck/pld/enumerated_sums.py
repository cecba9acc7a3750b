"""Sums with few values, written out value by value: without Fourier inversion the only error is round-off."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import expm1, log

import numpy as np

from ..core.directed import UNIT, Ends, enlarge, roundoff
from ..core.roots import halve_integers
from ..kernels.binomial_tails import log_pmf_range
from .loss_total import Total
from .step_losses import Array, Atoms, Responses

# Values of the sum up to which it is written out.
MOST_VALUES = 2**17
# Responses up to which their sum is written out: it has 2^17 values.
MOST_RESPONSES = 17
# The errors of a term that is no normal number: its mass is a product of at most 17 masses, each within the least
# positive float.  They are absolute, and only the lower end needs them: the upper one includes what underflows.
SUBNORMAL = 32 * 5e-324
# 3^ENOUGH > MOST_VALUES.
ENOUGH = 11


@dataclass(frozen=True, eq=False)
class EnumeratedSum:
    """A sum of losses with its law written out."""

    law: Atoms

    def ends(self, epsilon: float) -> Ends:
        """Return the ends of delta, by direct summation."""
        law = self.law
        gain = -np.expm1(np.minimum(epsilon - law.losses, 0.0))
        terms = (1.0 - law.infinity) * law.masses * gain
        # A loss off by e changes 1 - e^(epsilon - l) by at most e; the atoms just below epsilon may come in.  The
        # rounding of epsilon - l is relative, as it moves the gain: t e^-t <= 1 - e^-t.
        shift = law.loss_error
        inside = enlarge(float(np.sum(law.masses[law.losses > epsilon - 2.0 * shift])), 64)
        error = float(np.sum(terms)) * (expm1(law.mass_error) + roundoff(64)) + inside * shift * (
            1.0 + expm1(law.mass_error)
        )
        error += law.infinity * (law.infinity_error + roundoff(4))
        value = float(np.sum(terms)) + law.infinity
        least = value - error - law.masses.size * SUBNORMAL
        return Ends(max(least, 0.0), min(value + error, 1.0), 0.0, 2.0 * error)

    def crossing(self, target: float) -> tuple[float, float]:
        """Return an epsilon between the two losses where delta crosses the target, and the slope of log delta there."""
        law = self.law
        losses = np.unique(np.append(law.losses[law.losses > 0.0], 0.0))
        low, high = halve_integers(lambda k: self.ends(float(losses[k])).upper > target, 0, losses.size - 1)
        left, right = float(losses[low]), float(losses[high])
        # Between them delta is linear in e^epsilon.
        above, below = self.ends(left).upper, self.ends(right).upper
        share = (target - below) / (above - below) if above > below else 0.5
        width = -expm1(left - right)
        rest = 1.0 - min(max(share, 0.0), 1.0) * width  # this is e^(epsilon - right)
        start = right + log(max(rest, 1e-300)) if right > left else left
        slope = max(above - below, 0.0) * rest / (width * target) if width * target > 0.0 else 1.0
        return min(max(start, left), right), max(slope, 1.0)


def enumerated_sum(total: Total) -> EnumeratedSum | None:
    """Return the sum written out, if it has few values, else None; see :func:`enumerate_sum`."""
    law = enumerate_sum(total)
    return None if law is None else EnumeratedSum(law)


def enumerate_sum(total: Total) -> Atoms | None:
    """Return the law of the sum if it has at most ``MOST_VALUES`` values and no continuous part, else None.

    A single law that occurs once is returned however many values it has.
    """
    if total.variance > 0.0 or total.laplace.size or total.log_mass_share or total.nodes is not None:
        return None
    sizes = [*np.diff(total.offsets).tolist(), *[2] * min(total.responses.size, MOST_RESPONSES + 1)]
    counts, values = [*total.counts.tolist(), *total.response_counts[: MOST_RESPONSES + 1].tolist()], 1.0
    if not sizes:
        return None
    for size, count in zip(sizes, counts, strict=True):
        # ENOUGH copies of three values exceed MOST_VALUES; a higher power of many values could overflow.
        values *= 1.0 if size == 1 else count + 1.0 if size == 2 else float(size) ** min(count, ENOUGH)
        if values > MOST_VALUES and counts != [1.0]:
            return None
    losses, masses, mass_error, loss_error = np.zeros(1), np.ones(1), 0.0, 0.0
    laws = laws_of(total)
    if counts == [1.0]:
        single_law = next(laws)
        return replace(single_law, infinity=total.infinity, infinity_error=_infinity_error(total))
    for law, count in zip(laws, counts, strict=True):
        more, weights, error = _repeat(law.losses, law.masses, int(count))
        losses, masses = np.add.outer(losses, more).ravel(), np.multiply.outer(masses, weights).ravel()
        mass_error += count * law.mass_error + error + roundoff(2)
        loss_error += count * law.loss_error + roundoff(4, float(np.max(np.abs(more))))
        loss_error += UNIT * float(np.max(np.abs(losses)))
    law = Atoms.of(
        losses, masses * (1.0 - total.infinity), total.infinity, mass_error=mass_error, loss_error=loss_error
    )
    return replace(law, infinity_error=_infinity_error(total))


def _infinity_error(total: Total) -> float:
    """Return the relative error of P(infinite)."""
    down, up = total.infinity_ends
    return (up - down) / up if up > 0.0 else 0.0


def laws_of(total: Total) -> Iterator[Atoms]:
    """Yield the laws whose sum it is."""
    errors = zip(total.mass_errors.tolist(), total.loss_errors.tolist(), strict=True)
    for i, (mass_error, loss_error) in enumerate(errors):
        part = slice(total.offsets[i], total.offsets[i + 1])
        yield Atoms(total.losses[part], total.masses[part], mass_error=mass_error, loss_error=loss_error)
    for eps0 in total.responses.tolist():
        one, eps0_error = Responses(np.array([eps0])), UNIT * total.response_units * eps0
        yield Atoms(one.losses, one.masses, mass_error=roundoff(4) + eps0_error, loss_error=eps0_error)


def _repeat(losses: Array, masses: Array, count: int) -> tuple[Array, Array, float]:
    """Return the ``count``-fold sum of one law with itself: losses, masses, relative error of the masses."""
    if losses.size == 2 and count > 1:
        logs, error = log_pmf_range(count, 0, count + 1, float(masses[1]), float(masses[0]))
        successes = np.arange(count + 1)
        return (count - successes) * losses[0] + successes * losses[1], np.exp(logs), error + roundoff(4)
    if losses.size == 1:
        return count * losses, masses, UNIT
    sums, weights = losses, masses
    for _ in range(count - 1):
        sums, weights = np.add.outer(sums, losses).ravel(), np.multiply.outer(weights, masses).ravel()
    return sums, weights, 2 * count * UNIT
