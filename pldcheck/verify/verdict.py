"""The verdict: how a theorem's epsilon lies to the certified interval that contains the truth."""

from __future__ import annotations

from enum import StrEnum

from ..interval import Interval

# Relative error granted to a theorem's formula.  The registry's formulas err by less than 1e-14; 2^-40 is
# ninety times that and still far below any width at which an interval decides.
FORMULA_SLACK = 2.0**-40


class Verdict(StrEnum):
    """What is known of a theorem at given parameters."""

    HOLDS = "HOLDS"
    VIOLATED = "VIOLATED"
    UNDECIDED = "UNDECIDED"
    OUT_OF_CONDITIONS = "OUT-OF-CONDITIONS"


def judge(epsilon: float, truth: Interval) -> Verdict:
    """The verdict on the claim that the true epsilon is at most ``epsilon``.

    A relative error of ``epsilon`` within ``FORMULA_SLACK`` cannot turn HOLDS into VIOLATED or back, nor can
    it make either of them wrong.
    """
    if truth.upper <= epsilon * (1 - FORMULA_SLACK):
        return Verdict.HOLDS
    if truth.lower > epsilon * (1 + FORMULA_SLACK):
        return Verdict.VIOLATED
    return Verdict.UNDECIDED
