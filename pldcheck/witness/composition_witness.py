"""Claim and mechanism of a composition, in the form that :mod:`pldcheck.checkers.lower_composed` verifies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, floor
from typing import Any

from ..checkers import lower_composed
from ..checkers.fixed_point import ONE, exp_ends
from .exact_rows import Rows, texts
from .outcome_scores import cell, scores, sums


@dataclass(frozen=True)
class Part:
    """A part of a composition: a record hidden among ``draws`` draws, repeated ``times`` times.

    ``weight`` is the probability that the record is used, and ``rows`` are (``eps0``, ``delta0``)-DP output
    probabilities: of the record, of its replacement, and of every other draw.
    """

    times: int
    draws: int
    weight: float
    eps0: float
    delta0: float
    rows: Rows

    def to_dict(self) -> dict[str, Any]:
        """Return the parameters of the class that the rows belong to, as a claim holds them."""
        return {name: getattr(self, name) for name in ("times", "draws", "weight", "eps0", "delta0")}


@dataclass(frozen=True)
class ComposedWitness:
    """A candidate for a witness file: parts whose outputs are all released.

    ``epsilon`` and ``delta`` are the claim, about which the scores and cells keep outcomes apart.  ``number`` is the
    checker's number, and ``behind`` the relative distance by which epsilon must be below the lower end.
    """

    parts: Sequence[Part]
    adjacency: str
    epsilon: float
    delta: float
    number = 2
    behind = 0.0

    @cached_property
    def claim(self) -> dict[str, Any]:
        """The part of the claim that states the class of mechanisms."""
        return {"parts": [part.to_dict() for part in self.parts], "adjacency": self.adjacency}

    @cached_property
    def mechanism(self) -> dict[str, Any]:
        """The mechanism: rows and scores of each part, and the width of cells."""
        each = self.epsilon / sum(part.times for part in self.parts)
        width = cell([(part.times, part.draws, part.weight, part.rows) for part in self.parts])
        entries = [
            texts(part.rows) | {"scores": scores(part.rows, part.draws, part.weight, each)} for part in self.parts
        ]
        return {"cell": width, "parts": entries}

    def attains(self, epsilon: Fraction, delta: Fraction) -> bool:
        """Return whether more than ``delta`` is attained at ``epsilon``, by the law that was computed for the claim."""
        if self._law is None:
            return False
        kappa = ceil(exp_ends(epsilon)[1] * ONE)
        return lower_composed.divergence(self._law, kappa) > delta

    @cached_property
    def _law(self) -> lower_composed.Law | None:
        """The law of all parts, or None if it is too large for the checker."""
        for part, entry in zip(self.parts, self.mechanism["parts"], strict=True):
            if part.draws > 1 and sums(part.rows, entry["scores"], part.draws) > lower_composed.MOST:
                return None
        kappa = ceil(exp_ends(Fraction(self.epsilon))[1] * ONE)
        limits = lower_composed.Limits(floor(Fraction(self.delta) * ONE**2 / kappa) >> 64)
        try:
            return lower_composed.composed_law(self.claim, self.mechanism, limits)
        except (ArithmeticError, ValueError):
            return None
