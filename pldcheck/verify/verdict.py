"""The verdict: how a theorem's epsilon lies to the certified interval that contains the truth."""

from __future__ import annotations

from enum import StrEnum

from ..interval import Interval

# Relative error granted to a theorem's formula.  The registry's formulas err by less than 5e-13, most by less than
# 1e-14; 2^-40 is more than that and still far below any width at which an interval decides.
FORMULA_SLACK = 2.0**-40
# Relative width of an interval from which on containing a claimed exact value confirms it; what is smaller than TINY
# counts as zero.
EQUALITY_WIDTH = 1e-3
TINY = 1e-290


class Verdict(StrEnum):
    """What is known of a theorem at given parameters; NOT_JUDGED where only a bound or only the truth was asked for."""

    HOLDS = "HOLDS"
    VIOLATED = "VIOLATED"
    UNDECIDED = "UNDECIDED"
    OUT_OF_CONDITIONS = "OUT-OF-CONDITIONS"
    NOT_JUDGED = "NOT-JUDGED"


def judge(claim: float, truth: Interval, relation: str = "<=") -> Verdict:
    """The verdict on the claim that the truth is at most (``<=``), at least (``>=``) or equal to (``=``) ``claim``.

    A relative error of ``claim`` within ``FORMULA_SLACK`` cannot turn HOLDS into VIOLATED or back, nor can
    it make either of them wrong.  Equality holds where the interval contains the claim and is narrow.
    """
    less, more = claim * (1 - FORMULA_SLACK), claim * (1 + FORMULA_SLACK)
    if relation == "=":
        if truth.lower > more or truth.upper < less:
            return Verdict.VIOLATED
        narrow = truth.upper <= truth.lower * (1 + EQUALITY_WIDTH) or truth.upper <= TINY
        return Verdict.HOLDS if narrow else Verdict.UNDECIDED
    if relation == ">=":
        if truth.lower >= more:
            return Verdict.HOLDS
        return Verdict.VIOLATED if truth.upper < less else Verdict.UNDECIDED
    if truth.upper <= less or (truth.quantity == "delta" and claim >= 1.0):  # no delta exceeds 1
        return Verdict.HOLDS
    return Verdict.VIOLATED if truth.lower > more else Verdict.UNDECIDED
