"""The sum of independent privacy losses, and its largest value.

Losses with finitely many values are held as ragged arrays, Gaussian ones as one variance, Laplace losses and randomized
responses as arrays of their eps0.  :mod:`pldcheck.pld.tilted_total` has its cumulant generating function.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import fsum, inf, isfinite, log1p
from typing import Any

import numpy as np

from ..core.directed import enlarge, roundoff
from .closed_form_curves import Curve, GaussianCurve, LaplaceCurve, floats_around
from .quadrature_nodes import NodeErrors
from .response_sums import Rung, ladder, merge_equal
from .step_losses import Array, Atoms, GaussianLoss, LaplaceLoss, Law, Responses

# Number of losses up to which their largest sum is computed in fractions.
MOST_EXACT = 1000
# Round-offs of a sum of fewer than 2^40 numbers by numpy, relative to the sum of their absolute values: log2(n) + 20.
PAIRWISE = 60.0
# Parts with fewer values have no tails worth trimming.
FEWEST_FOR_TRIMMING = 64


@dataclass(frozen=True, eq=False)
class Total:
    """Independent losses added up; ``counts`` say how often each part occurs, ``log_finite`` is log P(all finite).

    ``log_mass_share`` is the log of the share of that which the masses stand for: below 0 where tails were left out.
    ``cut``: at least the probability of what was cut off when the laws were made, which the upper end of a delta gets.
    ``infinity_once``: P(infinite) and its relative error where one law with a mass there occurs once.
    ``response_units``: relative error of ``responses`` in round-offs.  ``exact_laplace``: the eps0 of ``laplace``.
    ``nodes``: how far the moments of parts are off whose losses are nodes of a quadrature; None where there are none.
    Of a sum with such parts the moments are known, and neither single losses nor their probabilities.
    ``bend`` b: the payoff of a sum s above a threshold is (1 - exp(-b s))/b: 1 for losses; 0, where it is s itself, for
    gains.
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
    log_mass_share: float = 0.0
    cut: float = 0.0
    infinity_once: tuple[float, float] | None = None
    response_units: float = 0.0
    exact_laplace: tuple[Fraction, ...] = ()
    nodes: NodeErrors | None = None
    bend: float = 1.0

    @classmethod
    def of(cls, parts: Iterable[tuple[Law, int]]) -> Total:
        """Return the sum of laws with counts; the same object given twice is one part with the sum of the counts."""
        parts_by_id: dict[int, tuple[Law, int]] = {}
        for law, count in parts:
            earlier = parts_by_id.get(id(law))
            parts_by_id[id(law)] = (law, count if earlier is None else count + earlier[1])
        kinds: dict[type, list[tuple[Any, int]]] = {kind: [] for kind in (Atoms, GaussianLoss, LaplaceLoss, Responses)}
        for one in parts_by_id.values():
            kinds[type(one[0])].append(one)
        atoms, spikes, pairs = kinds[Atoms], kinds[LaplaceLoss], kinds[Responses]
        repeats = (
            np.array([float(count) for _, count in pairs]),
            np.array([law.eps0.size for law, _ in pairs], dtype=int),
        )
        infinite = [(law, count) for law, count in atoms if law.infinity > 0.0]
        single_infinite = infinite[0][0] if len(infinite) == 1 and infinite[0][1] == 1 else None
        eps0, counts = merge_equal(_concatenate([law.eps0 for law, _ in pairs]), np.repeat(*repeats))
        return cls(
            offsets=np.cumsum([0, *(law.losses.size for law, _ in atoms)], dtype=np.int64),
            losses=_concatenate([law.losses for law, _ in atoms]),
            masses=_concatenate([law.masses for law, _ in atoms]),
            counts=np.array([float(count) for _, count in atoms]),
            mass_errors=np.array([law.mass_error for law, _ in atoms]),
            loss_errors=np.array([law.loss_error for law, _ in atoms]),
            variance=fsum(law.variance * n for law, n in kinds[GaussianLoss]),
            laplace=np.array([law.eps0 for law, _ in spikes]),
            laplace_counts=np.array([float(count) for _, count in spikes]),
            responses=eps0,
            response_counts=counts,
            log_finite=fsum(count * _log_finite(law) for law, count in atoms),
            cut=enlarge(fsum(count * law.cut for law, count in atoms), 4),
            infinity_once=None
            if single_infinite is None
            else (single_infinite.infinity, single_infinite.infinity_error),
            response_units=max((law.units for law, _ in pairs), default=0.0),
            exact_laplace=tuple(law.exact_eps0 for law, _ in spikes),
            nodes=_node_errors([law for law, _ in atoms]),
        )

    def trim(self, mass: float, *, drop: bool) -> Total:
        """Return the total without upper tails of this mass in all.

        The tails are dropped (a lower bound) or made infinite (an upper one).  A heavy tail, however
        unlikely, keeps the tilt low and the inversion long.  The total itself where nodes stand for losses.
        """
        if self.nodes is not None:
            return self
        large_parts = np.flatnonzero(np.diff(self.offsets) > FEWEST_FOR_TRIMMING)
        masses, log_share = self.masses.copy(), 0.0
        kept = np.ones(masses.size, dtype=bool)
        for i in large_parts:
            part = slice(self.offsets[i], self.offsets[i + 1])
            order = np.argsort(self.losses[part])[::-1]
            tail = np.cumsum(masses[part][order])
            count = int(np.searchsorted(tail, mass / (large_parts.size * self.counts[i])))
            if count == 0:
                continue
            share = float(tail[count - 1])
            kept[self.offsets[i] + order[:count]] = False
            masses[part] /= 1.0 - share
            log_share += self.counts[i] * log1p(-share * (1.0 + 1e-9))  # 1e-9 is far more than the tail's error
        rest = replace(
            self,
            offsets=np.append(0, np.cumsum(kept))[self.offsets],
            losses=self.losses[kept],
            masses=masses[kept],
            mass_errors=self.mass_errors + roundoff(4),
            infinity_once=None,
        )
        if drop:
            return replace(rest, log_mass_share=self.log_mass_share + log_share)
        return replace(rest, log_finite=self.log_finite + log_share)

    @cached_property
    def reach(self) -> Array:
        """The largest |loss| of each part."""
        return np.maximum.reduceat(np.abs(self.losses), self.offsets[:-1]) if self.losses.size else np.empty(0)

    @cached_property
    def rungs(self) -> tuple[Rung, ...]:
        """The randomized responses in rungs by the size of their eps0."""
        return ladder(self.responses, self.response_counts)

    @cached_property
    def closed_form(self) -> Curve | None:
        """The curve of the sum, if it has a closed form: Gaussian steps alone, or one Laplace step."""
        if self.losses.size or self.responses.size:
            return None
        if self.variance > 0.0:
            return None if self.laplace.size else GaussianCurve(self.variance)
        if self.laplace.size == 1 and self.laplace_counts[0] == 1.0:
            return LaplaceCurve(self.exact_laplace[0])
        return None

    @property
    def size(self) -> int:
        """The number of values to be visited for one value of the characteristic function."""
        return self.losses.size + 2 * self.responses.size + 8 * self.laplace.size

    @property
    def infinity(self) -> float:
        """The probability that some loss is infinite."""
        if self.infinity_once is not None and self.log_mass_share == 0.0:
            return self.infinity_once[0]
        return float(-np.expm1(self.log_finite)) + 0.0

    @cached_property
    def infinity_ends(self) -> tuple[float, float]:
        """The probability that some loss is infinite, rounded down and up."""
        infinity, error = self.infinity, roundoff(64)
        if self.infinity_once is not None and self.log_mass_share == 0.0:
            error = self.infinity_once[1]
        return max(infinity * (1.0 - error), 0.0), min(infinity * (1.0 + error), 1.0)

    @property
    def response_factor(self) -> float:
        """The factor by which errors of responses grow where their eps0 are off by ``response_units`` round-offs.

        The errors granted contain at least 4 round-offs of eps0 itself: those of its multiple by a frequency, and of
        the change of log M, which by eps0 times its derivative is relatively at most 2.
        """
        return 1.0 + 0.5 * self.response_units

    @property
    def largest(self) -> float:
        """The largest finite value of the sum, rounded up; infinite with a Gaussian part, and where it is not known."""
        return self.cap[1]

    @cached_property
    def cap(self) -> tuple[float, float]:
        """The largest finite value of the sum, rounded down and up: at most a float where all losses are exact."""
        return (inf, inf) if self.variance > 0.0 or self.nodes is not None else self._cap_of_bounded

    @cached_property
    def gaussian_part(self) -> tuple[float, GaussianCurve] | None:
        """The largest sum of the losses that are not Gaussian, rounded up, and the curve of those that are."""
        if self.variance == 0.0 or self.nodes is not None:
            return None
        return self._cap_of_bounded[1], GaussianCurve(self.variance)

    @cached_property
    def _cap_of_bounded(self) -> tuple[float, float]:
        tops = np.maximum.reduceat(self.losses, self.offsets[:-1]) if self.losses.size else np.empty(0)
        values = [*tops.tolist(), *self.exact_laplace]
        counts = [*self.counts.tolist(), *self.laplace_counts.tolist()]
        doubt = fsum(self.counts * self.loss_errors)
        if self.responses.size > MOST_EXACT or len(values) > MOST_EXACT:
            with np.errstate(over="ignore"):
                largest_values = np.multiply(values, counts, dtype=np.float64)
                parts = np.concatenate([largest_values, self.responses * self.response_counts])
                size = float(np.sum(np.abs(parts)))
            if not isfinite(size):
                return 0.0, inf
            total = Fraction(float(np.sum(parts)))
            doubt += roundoff(PAIRWISE + 4.0, size)
        else:
            values, counts = [*values, *self.responses.tolist()], [*counts, *self.response_counts.tolist()]
            pairs = zip(values, counts, strict=True)
            total = sum((Fraction(value) * int(count) for value, count in pairs), Fraction(0))
        if not isfinite(doubt):
            return 0.0, inf
        doubt += roundoff(2, self.response_units) * float(np.sum(np.abs(self.responses * self.response_counts)))
        if doubt == 0.0:
            return floats_around(max(total, Fraction(0)))
        slack = Fraction(doubt) * (1 + Fraction(1, 2**40))
        return floats_around(max(total - slack, Fraction(0)))[0], floats_around(max(total + slack, Fraction(0)))[1]


def _node_errors(laws: list[Atoms]) -> NodeErrors | None:
    """Return the errors of the laws that are nodes, if there are any."""
    rules = [(place, law.rule, law.losses.size) for place, law in enumerate(laws) if law.rule is not None]
    if not rules:
        return None
    places, sizes = np.array([place for place, _, _ in rules]), np.array([size for _, _, size in rules])
    return NodeErrors(tuple(rule for _, rule, _ in rules), places, sizes)


def _concatenate(arrays: list[Array]) -> Array:
    return arrays[0] if len(arrays) == 1 else np.concatenate([np.empty(0), *arrays])


def _log_finite(law: Atoms) -> float:
    return log1p(-law.infinity) if law.infinity < 1.0 else -inf
