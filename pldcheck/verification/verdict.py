"""The verdict: how a theorem's epsilon lies to the certified interval that contains the truth."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from math import inf, isinf
from typing import TYPE_CHECKING

from ..core.directed import enlarge
from ..core.interval import Interval

if TYPE_CHECKING:
    from ..theorems import Theorem

# Relative error granted to a theorem's formula.  The registry's formulas err by less than 5e-13, most by less than
# 1e-14; 2^-40 is more than that and still far below any width at which an interval decides.
FORMULA_SLACK = 2.0**-40
# Relative width of an interval above which containing a claimed exact value says next to nothing.
EQUALITY_WIDTH = 1e-3
# What is smaller has no size worth asking for: zero is consistent with an interval below it.
TINY = 1e-290
# Relative width up to which an interval is a number but for round-off: what a formula is granted on both sides.
ROUND_OFF = 2 * FORMULA_SLACK


class Verdict(StrEnum):
    """What is known of a theorem at given parameters.

    CONSISTENT: a claimed exact value lies in an interval that contains the truth; how wide it is tells how much that
    says.  NOT_JUDGED: only a bound or only the truth was asked for.
    """

    HOLDS = "HOLDS"
    CONSISTENT = "CONSISTENT"
    VIOLATED = "VIOLATED"
    UNDECIDED = "UNDECIDED"
    OUT_OF_CONDITIONS = "OUT-OF-CONDITIONS"
    NOT_JUDGED = "NOT-JUDGED"


def judge(claim: float, truth: Interval, relation: str = "<=") -> Verdict:
    """The verdict on the claim that the truth is at most (``<=``), at least (``>=``) or equal to (``=``) ``claim``.

    A relative error of ``claim`` within ``FORMULA_SLACK`` cannot turn HOLDS into VIOLATED or back, nor can
    it make either of them wrong.  No interval proves an equality: it is CONSISTENT with one that contains the claim and
    is narrower than ``EQUALITY_WIDTH``, and HOLDS only where that is no wider than ``ROUND_OFF``.
    """
    less, more = claim * (1 - FORMULA_SLACK), claim * (1 + FORMULA_SLACK)
    if relation == "=":
        if truth.lower > more or truth.upper < less:
            return Verdict.VIOLATED
        apart = relative_width(truth)
        if apart <= ROUND_OFF:
            return Verdict.HOLDS
        return Verdict.CONSISTENT if apart <= EQUALITY_WIDTH or truth.upper <= TINY else Verdict.UNDECIDED
    if relation == ">=":
        if truth.lower >= more:
            return Verdict.HOLDS
        return Verdict.VIOLATED if truth.upper < less else Verdict.UNDECIDED
    if truth.upper <= less or (truth.quantity == "delta" and claim >= 1.0):  # no delta exceeds 1
        return Verdict.HOLDS
    return Verdict.VIOLATED if truth.lower > more else Verdict.UNDECIDED


def judge_theorem(theorem: Theorem, claim: float, truth: Interval) -> Verdict:
    """Return the verdict on a theorem that claims ``claim``, where the protocol that is computed has ``truth``.

    Where the protocol dominates what the theorem is stated for, that may reveal nothing: no lower end is known of it,
    and a bound that fails for the protocol is UNDECIDED.
    """
    return judge(claim, replace(truth, lower=0.0) if theorem.dominated else truth, theorem.relation)


def relative_width(truth: Interval) -> float:
    """The width of an interval over its lower end, rounded up; infinite where the truth may be zero and need not be."""
    if truth.lower == truth.upper:
        return 0.0
    if not truth.lower > 0 or isinf(truth.upper):
        return inf
    # Two roundings, each of at most 2^-53.
    return enlarge((truth.upper - truth.lower) / truth.lower, 4)
