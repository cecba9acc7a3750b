"""Points of the curve of one round of a hidden slot: how fine each computation should be, and what it finds.

The computation of ``upper_slot`` is repeated in floating point (:mod:`~pldcheck.witness.certificate_estimates`) at a
few epsilons with ever finer shapes; near each of these, the shape that found least in so many seconds serves every
point.  That proves nothing.  A point's delta is what the program itself finds with that fineness.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from math import exp, inf, log
from typing import Any, NamedTuple

from ..checkers import block_recursion, slot_laws, upper_slot
from . import slot_certificates
from .block_plans import GRIDS, JOINS, Plan, Planner
from .certificate_estimates import estimate
from .claim_decimals import decimal_form, decimal_text
from .slot_questions import Question, trivial

# The deltas of points have six digits.
UP = Context(prec=6, rounding=ROUND_CEILING)
# The share of the recursion's time that the sums of blocks may take, where finer joints are chosen.
OF_SUMS = 0.3
# A shape is tried if it takes this much longer than the last one.
LONGER = 1.2
# A finer shape is taken if it lowers delta by this share.
WORTH = 2e-4
# What Chernoff's bound exceeds the value by, about: windows are made for that value.
CHERNOFF = 10.0
# The program's delta is not the one that was expected if it is more than this times that.
SPOILT = 1.001
# The program's delta is likely to be at most so many times the one that was expected.
LIKELY = 1.00003
# Where it is spoilt, claims of so many times the expected delta are tried.
LOOSER = (1.05, 2.0)
# The least logarithm of a delta that is a float.
LEAST_LOG = -650.0
# The seconds of the program for delta at 0, which is the scale of everything.
AT_ONCE = 0.25
# No epsilon of a certificate is larger.
FARTHEST = 20.0
# Halvings by which the last epsilon is found.
BISECTIONS = 30


class Shape(NamedTuple):
    """The number of doublings, and the spacings of nodes and joined nodes in deviations, of a plan."""

    doublings: int
    grid: float
    joined: float


class Reference:
    """An epsilon at which shapes are tried, from quick to slow."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self.left = sorted(_shapes(Planner(question)), key=lambda one: one[0].seconds, reverse=True)
        self.better: list[tuple[float, float, Shape]] = []

    def shape(self, seconds: float) -> Shape | None:
        """Return the shape that found least among those of so many seconds, or the quickest of all; None for none."""
        while self.left and (self.left[-1][0].seconds <= seconds or not self.better):
            plan, shape = self.left.pop()
            tried, least = self.better[-1][:2] if self.better else (0.0, inf)
            if plan.seconds < LONGER * tried:
                continue
            delta = estimate(self.question, plan)
            if delta < least * (1.0 - WORTH):
                self.better.append((plan.seconds, delta, shape))
        quick = [shape for time, _, shape in self.better if time <= seconds]
        return quick[-1] if quick else self.better[0][2] if self.better else None


def _shapes(planner: Planner) -> Iterator[tuple[Plan, Shape]]:
    """Yield plans with their shapes: of each number of doublings and grid the finest joints that take little time."""
    for doublings in planner.sides:
        for grid in GRIDS:
            narrowest: tuple[Plan, Shape] | None = None
            coarse = planner.plan(doublings, grid, JOINS[0])
            for joined in JOINS if doublings else JOINS[:1]:
                plan = planner.plan(doublings, grid, joined)
                if plan is None or coarse is None or plan.seconds > (1.0 + OF_SUMS) * coarse.seconds:
                    break
                narrowest = plan, Shape(doublings, grid, joined)
            if narrowest is not None:
                yield narrowest


class SlotCurve:
    """The curve of one round that is a hidden slot, from the claim about it without epsilon and delta."""

    def __init__(self, claim: Mapping[str, Any]) -> None:
        self.claim = claim
        self.reference = lru_cache(maxsize=64)(self._reference)
        self.question = lru_cache(maxsize=512)(self._question)
        self.planner = lru_cache(maxsize=512)(self._planner)
        self.plan = lru_cache(maxsize=4096)(self._plan)

    def _at(self, epsilon: str) -> dict[str, Any]:
        """Return the claim with an epsilon, and a delta of 1."""
        return {**self.claim, "epsilon": epsilon, "delta": "1"}

    def _question(self, epsilon: str) -> Question | None:
        """Return the question with about the delta there; None where it needs no computation."""
        slot = upper_slot.read_claim(self._at(epsilon))[0]
        if upper_slot.follows_from_one_run(self._at(epsilon), slot.weight):
            return None
        question = around(slot)
        return None if trivial(replace(question, delta=0.0)) else question

    def _reference(self, epsilon: str) -> Reference | None:
        question = self.question(epsilon)
        return None if question is None else Reference(question)

    def _planner(self, epsilon: str) -> Planner:
        question = self.question(epsilon)
        assert question is not None
        return Planner(question)

    def middle(self) -> float:
        """Return about delta at epsilon 0."""
        return self.estimate("0", "0", AT_ONCE)

    def farthest(self, delta: float) -> float:
        """Return about an epsilon with at most this delta, or the least that needs no computation if it is 0."""
        low, high = 0.0, float(self.claim["eps0"]) if "eps0" in self.claim else FARTHEST
        for _ in range(BISECTIONS):
            middle = (low + high) / 2.0
            question = self.question(decimal_text(middle))
            if question is not None and (not delta or slot_certificates.log_bound(question) > log(delta)):
                low = middle
            else:
                high = middle
        return high

    def _plan(self, epsilon: str, near: str, seconds: float) -> tuple[Plan | None, float]:
        """Return the plan of a point by the shape of a reference, an epsilon near, and about the delta it finds.

        Where that is more than Chernoff's bound, the point is a reference of its own.
        """
        question = self.question(epsilon)
        assert question is not None
        least: tuple[Plan | None, float] = None, inf
        for place in (near, epsilon):
            reference, planner = self.reference(place), self.planner(epsilon)
            shape = None if reference is None else reference.shape(seconds)
            plan = planner.plan(*shape) if shape is not None and shape.doublings in planner.sides else None
            if plan is not None:
                least = min(least, (plan, estimate(question, plan)), key=lambda one: one[1])
            if least[1] <= CHERNOFF * question.delta:
                break
        return least

    def estimate(self, epsilon: str, near: str, seconds: float) -> float:
        """Return about the delta that the program will find at a point in about so many seconds."""
        if self.question(epsilon) is None:
            return 0.0
        cost = float(1 - upper_slot.read_claim(self._at(epsilon))[0].delta) if "delta0" in self.claim else 0.0
        return min(cost + self.plan(epsilon, near, seconds)[1], 1.0)

    def point(self, epsilon: str, near: str, seconds: float, enough: float) -> tuple[str, Mapping[str, Any]] | None:
        """Return the delta that the program finds at a point, and its certificate; None if it finds none.

        Where the program's roundings spoil what was expected, it is one that is verified, and may be ``enough``.
        """
        slot, question = upper_slot.read_claim(self._at(epsilon))[0], self.question(epsilon)
        if question is None:
            delta = slot.weight * Fraction(self.claim.get("delta0", "0"))
            return text_of(delta), _facts(slot_certificates.least(Question.of_slot(slot)))
        plan, expected = self.plan(epsilon, near, seconds)
        if plan is not None:
            delta = self.computed(slot, plan.written())
            if delta is not None and delta <= 1 - slot.delta + Fraction(SPOILT * expected):
                return text_of(delta), _facts(plan)
        for factor in LOOSER:
            text = text_of(min(1 - slot.delta + Fraction(max(factor * min(expected, 1.0), enough)), Fraction(1)))
            facts = slot_certificates.search({**self.claim, "epsilon": epsilon, "delta": text})
            if facts is not None:
                return text, {key: value for key, value in facts.items() if key != "claim"}
        return None

    def likely_point(
        self, epsilon: str, near: str, seconds: float, enough: float
    ) -> tuple[str, Mapping[str, Any]] | None:
        """Return a delta that the program is likely to find at a point, and a certificate, without computing it."""
        plan, expected = self.plan(epsilon, near, seconds) if self.question(epsilon) is not None else (None, 0.0)
        if plan is None:
            return self.point(epsilon, near, seconds, enough)
        cost = 1 - upper_slot.read_claim(self._at(epsilon))[0].delta
        return text_of(min(cost + likely(expected), Fraction(1))), _facts(plan)

    @staticmethod
    def computed(slot: slot_laws.Slot, facts: dict[str, Any], shuffled: bool = False) -> Fraction | None:
        """Return the delta that the program finds for a slot whose delta is 1 without its costs; None if too coarse."""
        try:
            fine = upper_slot.read_fineness(facts, slot.steps, shuffled)
            return 1 - slot.delta + block_recursion.delta_upper(slot._replace(delta=Fraction(0)), fine)
        except ValueError:
            return None


def likely(expected: float) -> Fraction:
    """Return a delta that a program finds where the estimate is this, unless its roundings spoil it."""
    return Fraction(expected * LIKELY)


def around(slot: slot_laws.Slot) -> Question:
    """Return the question about a slot with about its delta."""
    question = Question.of_slot(slot._replace(delta=Fraction(0)))
    delta = exp(max(min(slot_certificates.log_bound(question), 0.0), LEAST_LOG)) / CHERNOFF
    return replace(question, delta=delta)


def _facts(plan: Plan) -> dict[str, Any]:
    return {"pldcheck_certificate": "upper_slot", "fineness": plan.written()}


def text_of(delta: Fraction) -> str:
    """Return a delta rounded up, as the program reads it."""
    return decimal_form(UP.divide(*map(Decimal, delta.as_integer_ratio()))) if delta else "0"
