"""The verdict on a theorem, from the position of its claim relative to a certified interval that contains the truth."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from math import inf, isinf
from typing import TYPE_CHECKING

from ..core.directed import enlarge
from ..core.interval import Interval

if TYPE_CHECKING:
    from ..theorems import Theorem

# The relative error granted to the value of a theorem's formula.  The formulas of the registry err by less than 5e-13,
# most by less than 1e-14; 2^-40 is more than that and still far below any width at which an interval decides.
FORMULA_SLACK = 2.0**-40
# The relative width above which an interval says too little about a claimed exact value that it contains.
EQUALITY_WIDTH = 1e-3
# A truth below this one is zero for every purpose: an interval below it is consistent with a claim of zero.
TINY = 1e-290
# The relative width up to which an interval counts as one number: the error of the formula on both sides.
ROUND_OFF = 2 * FORMULA_SLACK


class Verdict(StrEnum):
    """The verdict on a theorem at one choice of parameters.

    HOLDS: the claim is certainly true.  VIOLATED: it is certainly false.  UNDECIDED: the interval leaves it open, or
    its computation failed or was stopped.  UNJUDGEABLE: the claim has no number, or no protocol here is what the
    theorem is about; the row's ``reason`` says which.  CONSISTENT: the claimed exact value lies in the interval that
    contains the truth, whose width is in the ``reason``.  OUT_OF_CONDITIONS: the theorem claims nothing there.
    NOT_JUDGED: only the bound or only the truth was wanted.
    """

    HOLDS = "HOLDS"
    CONSISTENT = "CONSISTENT"
    VIOLATED = "VIOLATED"
    UNDECIDED = "UNDECIDED"
    UNJUDGEABLE = "UNJUDGEABLE"
    OUT_OF_CONDITIONS = "OUT-OF-CONDITIONS"
    NOT_JUDGED = "NOT-JUDGED"


# Verdicts that leave open whether a claim that was to be judged is true.
OPEN = (Verdict.UNDECIDED, Verdict.UNJUDGEABLE)
# Verdicts whose first cells are shown.
NOTABLE = (Verdict.VIOLATED, *OPEN)


def judge(claim: float, truth: Interval, relation: str = "<=") -> Verdict:
    """Return the verdict on the claim that the truth is at most, at least or equal to ``claim``.

    HOLDS and VIOLATED stay true if ``claim`` has a relative error of up to ``FORMULA_SLACK``.  No interval proves an
    equality: the verdict is CONSISTENT if the interval contains the claim and is at most ``EQUALITY_WIDTH`` wide, and
    HOLDS only if it is at most ``ROUND_OFF`` wide.

    Parameters
    ----------
    claim : float
        The value of the theorem's formula.
    truth : Interval
        A certified interval that contains the truth.
    relation : {"<=", ">=", "="}
        Whether the truth is claimed to be at most, at least or equal to ``claim``.

    Examples
    --------
    >>> from pldcheck import Interval
    >>> judge(1.0, Interval(0.4, 0.5)).value, judge(1.0, Interval(1.1, 1.2)).value, judge(1.0, Interval(0.9, 1.1)).value
    ('HOLDS', 'VIOLATED', 'UNDECIDED')

    """
    less, more = claim * (1 - FORMULA_SLACK), claim * (1 + FORMULA_SLACK)
    if relation == "=":
        if truth.lower > more or truth.upper < less:
            return Verdict.VIOLATED
        spread = relative_width(truth)
        if spread <= ROUND_OFF:
            return Verdict.HOLDS
        return Verdict.CONSISTENT if spread <= EQUALITY_WIDTH or truth.upper <= TINY else Verdict.UNDECIDED
    if relation == ">=":
        if truth.lower >= more:
            return Verdict.HOLDS
        return Verdict.VIOLATED if truth.upper < less else Verdict.UNDECIDED
    if truth.upper <= less or (truth.quantity == "delta" and claim >= 1.0):  # every delta is at most 1
        return Verdict.HOLDS
    return Verdict.VIOLATED if truth.lower > more else Verdict.UNDECIDED


def judge_theorem(theorem: Theorem, claim: float, truth: Interval) -> Verdict:
    """Return the verdict on a theorem's ``claim``, where ``truth`` is the interval of the protocol that is computed.

    If the protocol only dominates the mechanism that the theorem is stated for, no positive lower end is known for that
    mechanism, and an upper bound that fails for the protocol is UNDECIDED.
    """
    return judge(claim, replace(truth, lower=0.0) if theorem.dominated else truth, theorem.relation)


def relative_width(truth: Interval) -> float:
    """Return the width of an interval over its lower end, rounded up.

    It is 0 if both ends are equal, and infinite if the lower end is 0 and the upper one is not.
    """
    if truth.lower == truth.upper:
        return 0.0
    if not truth.lower > 0 or isinf(truth.upper):
        return inf
    # The difference and the quotient are rounded, each by at most 2^-53 relatively.
    return enlarge((truth.upper - truth.lower) / truth.lower, 4)
