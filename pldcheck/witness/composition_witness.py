"""A composition as a file has it, for :mod:`pldcheck.witness.composed_checker` to verify."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, floor
from typing import Any

from . import composed_checker
from .exact_rows import Rows, texts
from .outcome_scores import cell, scores, sums


@dataclass(frozen=True)
class Part:
    """A record among so many ``draws`` from the last row, ``times`` over, through (``eps0``, ``delta0``)-DP rows."""

    times: int
    draws: int
    weight: float
    eps0: float
    delta0: float
    rows: Rows

    def to_dict(self) -> dict[str, Any]:
        """Return the class that the rows belong to."""
        return {name: getattr(self, name) for name in ("times", "draws", "weight", "eps0", "delta0")}


@dataclass(frozen=True)
class Composed:
    """Parts released together; ``epsilon`` and ``delta``: about where, for their outcomes to be told apart there."""

    parts: Sequence[Part]
    adjacency: str
    epsilon: float
    delta: float
    number = 2
    behind = 0.0

    @cached_property
    def claim(self) -> dict[str, Any]:
        """What the class depends on."""
        return {"parts": [part.to_dict() for part in self.parts], "adjacency": self.adjacency}

    @cached_property
    def mechanism(self) -> dict[str, Any]:
        """One of that class."""
        each = self.epsilon / sum(part.times for part in self.parts)
        made = [texts(part.rows) | {"scores": scores(part.rows, part.draws, part.weight, each)} for part in self.parts]
        return {"cell": cell([(part.times, part.draws, part.weight, part.rows) for part in self.parts]), "parts": made}

    def attains(self, epsilon: Fraction, delta: Fraction) -> bool:
        """Return whether more than ``delta`` is attained, as far as the law for another epsilon shows."""
        if self._law is None:
            return False
        sure, lost, p, q = self._law
        kappa = ceil(composed_checker._exp(epsilon, 1) * composed_checker.ONE)
        one = composed_checker.ONE
        found = one * (one - sure) - kappa * lost + sum(max(one * a - kappa * b, 0) for a, b in zip(p, q, strict=True))
        return Fraction(found, one**2) > delta

    @cached_property
    def _law(self) -> tuple[int, int, list[int], list[int]] | None:
        """That of all parts; None where it is too large."""
        for part, made in zip(self.parts, self.mechanism["parts"], strict=True):
            if part.draws > 1 and sums(part.rows, made["scores"], part.draws) > composed_checker.MOST:
                return None
        kappa = ceil(composed_checker._exp(Fraction(self.epsilon), 1) * composed_checker.ONE)
        cut = floor(Fraction(self.delta) * composed_checker.ONE**2 / kappa) >> 64
        try:
            composed_checker.SPENT[0] = 0.0
            return composed_checker._composed(self.claim, self.mechanism, cut)
        except (ArithmeticError, ValueError):
            return None
