"""The verdict on a peer's claim, compared with a certified interval: inside, loose, unsound or undecided.

An upper end below the certified interval, or a lower end above it, is certainly unsound.  An upper end above the
interval, or a lower end below it, is loose.  An end inside a narrow interval agrees with it; an end inside a wide
interval is undecided.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal
from math import inf, isinf

from ...core.interval import Interval
from .peer_processes import ANSWERED, Claim

# The end agrees with the certified interval.
INSIDE = "inside"
# The end is true, and farther away than necessary.
LOOSE = "loose"
# The end is certainly false.
UNSOUND = "UNSOUND"
# The certified interval is too wide for a verdict.
UNDECIDED = "undecided"
# The claim is for another adjacency, or there is none.
NOT_JUDGED = "not judged"
# The relative width up to which an interval confirms an end that lies in it.
CLOSE = 1e-3
# The relative tolerance for ends of a peer: its parameters are functions of ours, and their rounding is not its fault.
ROUND_OFF = 1e-12
# The absolute tolerance for ends of epsilon, for the same reason.
LEAST = 1e-15


@dataclass(frozen=True)
class End:
    """One end of a claim: its ``side`` (upper or lower), and its ``place`` (inside, above or below the interval).

    ``by`` is a lower bound of its relative distance from the nearer certified end: the larger of the two over the
    smaller, less 1.  It is 0 inside.
    """

    side: str
    place: str
    verdict: str
    by: float = 0.0

    def __str__(self) -> str:
        return f"{self.side} end is {self.place} the true value by {_share(self.by)}"


@dataclass(frozen=True)
class Judgement:
    """The verdict on a claim, which is the worst one on its ends; ``why`` gives the reason in words."""

    verdict: str
    ends: tuple[End, ...] = ()
    why: str = ""

    @property
    def by(self) -> float:
        """The relative distance of the end that the verdict is about."""
        return max((end.by for end in self.ends if end.verdict == self.verdict), default=0.0)


def judge(claim: Claim, interval: Interval, adjacency: str) -> Judgement:
    """Return the verdict on a claim, given the certified interval of the same quantity and its adjacency.

    A claim for another adjacency, or a status without a number, is NOT_JUDGED.
    """
    if claim.status != ANSWERED:
        return Judgement(NOT_JUDGED, why=claim.status)
    if claim.adjacency != adjacency and "any" not in (claim.adjacency, adjacency):
        return Judgement(NOT_JUDGED, why=f"adjacency {claim.adjacency}, not {adjacency}")
    ends = tuple(
        _end(side, value, interval) for side in ("upper", "lower") if (value := getattr(claim, side)) is not None
    )
    verdicts = {end.verdict for end in ends}
    verdict = next(one for one in (UNSOUND, LOOSE, UNDECIDED, INSIDE) if one in verdicts)
    reasons = [str(end) for end in ends if end.verdict == verdict and verdict != INSIDE]
    if verdict == UNDECIDED:
        reasons = [f"the certified interval is wide, {_share(interval.relative_width)}"]
    return Judgement(verdict, ends, " and ".join(reasons))


def _end(side: str, value: float, interval: Interval) -> End:
    lower, upper = interval
    if value > upper * (1.0 + ROUND_OFF) + LEAST * (interval.quantity == "epsilon"):
        return End(side, "above", LOOSE if side == "upper" else UNSOUND, _relative_excess(value, upper))
    if value < lower * (1.0 - ROUND_OFF) - LEAST * (interval.quantity == "epsilon"):
        return End(side, "below", UNSOUND if side == "upper" else LOOSE, _relative_excess(lower, value))
    close = lower == upper or interval.relative_width <= CLOSE
    return End(side, "inside", INSIDE if close else UNDECIDED)


def _relative_excess(more: float, less: float) -> float:
    """Return ``more / less - 1``, or infinity if ``less`` is 0 or ``more`` is infinite."""
    return inf if isinf(more) or less <= 0.0 else more / less - 1.0


def _share(by: float) -> str:
    """Return a relative distance as text, rounded down."""
    if isinf(by):
        return "more than any factor"
    return f"a factor of {_down(by + 1.0)}" if by >= 1.0 else f"{_down(100.0 * by)} %"


def _down(value: float) -> str:
    return f"{float(Context(prec=3, rounding=ROUND_FLOOR).plus(Decimal(value))):g}"
