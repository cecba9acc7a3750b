"""Points of the curve of one round of shuffling: by stronger clones or by one client fewer, whichever is less.

The second way has a hidden slot, whose shapes are sought as :mod:`~pldcheck.witness.round_slot_curve` does, with about
the best zeta and nu (:mod:`~pldcheck.witness.fewer_points`).  That proves nothing; the programs compute the points.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from math import expm1, inf
from typing import Any

from ..checkers import slot_laws, upper_shuffle, upper_slot
from ..protocols import Shuffle
from . import fewer_points
from .round_slot_curve import SlotCurve, around, likely, text_of
from .slot_questions import Question

# More cells of tau are not tried where they lower delta by less than this share.
WORTH = 5e-4
# The share by which a point by one client fewer must be below that by stronger clones, to be computed.
GAIN = 1e-3


class ShuffleCurve(SlotCurve):
    """The curve of one round of shuffling; ``farthest_end`` returns the engine's epsilon at a delta."""

    def __init__(self, claim: Mapping[str, Any], protocol: Shuffle, farthest_end: Callable[[float], float]) -> None:
        super().__init__(claim)
        self.clients, self.eps0, self.farthest_end = protocol.clients, protocol.eps0, farthest_end
        self.clones = lru_cache(maxsize=512)(self._clones)
        self.fewer = lru_cache(maxsize=512)(self._fewer)

    def farthest(self, delta: float) -> float:
        """Return about an epsilon with at most this delta; the budget if it is 0."""
        return self.farthest_end(delta) if delta else self.eps0

    def _clones(self, epsilon: str) -> tuple[Fraction, dict[str, Any]] | None:
        """Return the delta of stronger clones and its certificate, or None if that is too much work."""
        fineness = {"cut": upper_shuffle.INTEGERS["cut"][1]}
        try:
            question = upper_shuffle.read_claim(self._at(epsilon))[0]
            delta = Fraction(text_of(Fraction(upper_shuffle.delta_upper(question, fineness))))
        except ValueError:
            return None
        start = {"pldcheck_certificate": "upper_shuffle", "theorem": upper_shuffle.STATEMENT}
        return delta, {**start, "fineness": fineness}

    def _fewer(self, epsilon: str) -> tuple[slot_laws.Slot, dict[str, Any]] | None:
        """Return the hidden slot of one client fewer, for a delta of 1, and what it costs; None if there is none."""
        at = float(epsilon)
        if fewer_points.cubic(self.clients, self.eps0) == inf or at >= self.eps0:
            return None
        shares = fewer_points.best_shares(self.clients, self.eps0, at) if at > 0.0 else fewer_points.NO_SHARES
        if expm1(at) < shares.zeta:
            return None
        slot = upper_slot.read_claim(self._at(epsilon))[0]
        near = slot._replace(
            steps=slot.steps - 1, kappa=max(slot.kappa - Fraction(fewer_points.short(shares.zeta)), Fraction(1))
        )
        delta = around(near).delta
        try:
            return fewer_points.cheapest_cost(slot, shares, delta, WORTH * delta)
        except ValueError:  # too much work, or zeta is too large
            return None

    def _question(self, epsilon: str) -> Question | None:
        fewer = self.fewer(epsilon)
        return None if fewer is None else around(fewer[0])

    def estimate(self, epsilon: str, near: str, seconds: float) -> float:
        """Return about the delta that a program will find at a point in about so many seconds."""
        clones, fewer = self.clones(epsilon), self.fewer(epsilon)
        by_clones = 1.0 if clones is None else float(clones[0])
        return by_clones if fewer is None else min(by_clones, self._expected(epsilon, near, seconds))

    def _expected(self, epsilon: str, near: str, seconds: float) -> float:
        fewer = self.fewer(epsilon)
        assert fewer is not None
        return float(1 - fewer[0].delta) + self.plan(epsilon, near, seconds)[1]

    def _is_less_by_fewer(self, epsilon: str, near: str, seconds: float) -> bool:
        """Return whether one client fewer is likely to have a smaller delta than stronger clones."""
        clones = self.clones(epsilon)
        if self.fewer(epsilon) is None or self.plan(epsilon, near, seconds)[0] is None:
            return False
        return clones is None or self._expected(epsilon, near, seconds) < (1.0 - GAIN) * float(clones[0])

    def point(self, epsilon: str, near: str, seconds: float, enough: float) -> tuple[str, Mapping[str, Any]] | None:
        """Return the least delta that a program finds at a point, and its certificate; None if there is none."""
        clones, fewer = self.clones(epsilon), self.fewer(epsilon)
        if fewer is not None and self._is_less_by_fewer(epsilon, near, seconds):
            facts = self._by_fewer(epsilon, near, seconds)
            delta = self.computed(fewer[0], facts["fineness"], shuffled=True)
            if delta is not None and (clones is None or delta < clones[0]):
                return text_of(delta), facts
        return None if clones is None else (text_of(clones[0]), clones[1])

    def likely_point(
        self, epsilon: str, near: str, seconds: float, enough: float
    ) -> tuple[str, Mapping[str, Any]] | None:
        """Return a delta that a program is likely to find at a point, and its certificate, without its computation."""
        fewer = self.fewer(epsilon)
        if fewer is None or not self._is_less_by_fewer(epsilon, near, seconds):
            return self.point(epsilon, near, seconds, enough)
        delta = 1 - fewer[0].delta + likely(self.plan(epsilon, near, seconds)[1])
        return text_of(delta), self._by_fewer(epsilon, near, seconds)

    def _by_fewer(self, epsilon: str, near: str, seconds: float) -> dict[str, Any]:
        """Return the certificate by one client fewer with the plan of a point."""
        plan, fewer = self.plan(epsilon, near, seconds)[0], self.fewer(epsilon)
        assert plan is not None and fewer is not None
        start = {"pldcheck_certificate": "upper_slot", "theorem": upper_slot.ONE_FEWER}
        return {**start, "fineness": plan.written() | fewer[1]}
