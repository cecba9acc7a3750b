"""A claim against a certified interval: inside, loose or unsound.

An upper end may not lie below the certified interval, nor a lower end above it: that is unsound for certain.  The other
way round it is loose.  An end inside a narrow interval agrees with it; inside a wide one nothing follows.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal
from math import inf, isinf

from ...core.interval import Interval
from .peer_processes import ANSWERED, Claim

INSIDE = "inside"
LOOSE = "loose"
UNSOUND = "UNSOUND"
UNDECIDED = "undecided"
NOT_JUDGED = "not judged"
# An interval at most so wide, relatively, says something of what lies in it.
CLOSE = 1e-3
# Parameters of a peer's own are functions of ours, and their rounding is not its fault: ends this near, relatively,
# agree.
ROUND_OFF = 1e-12
# The same of epsilon, absolutely.
LEAST = 1e-15


@dataclass(frozen=True)
class End:
    """One end of a claim: ``side`` (upper or lower), ``place`` (inside, above or below), and ``by`` how much at least.

    ``by`` is the larger over the smaller, less 1, of it and the nearer certified end; 0 inside.
    """

    side: str
    place: str
    verdict: str
    by: float = 0.0

    def __str__(self) -> str:
        return f"{self.side} end {self.place} by {_share(self.by)}"


@dataclass(frozen=True)
class Judgement:
    """``verdict`` on all of the claim, its worst; ``why`` in words."""

    verdict: str
    ends: tuple[End, ...] = ()
    why: str = ""

    @property
    def by(self) -> float:
        """Of the end that the verdict is about."""
        return max((end.by for end in self.ends if end.verdict == self.verdict), default=0.0)


def judge(claim: Claim, interval: Interval, adjacency: str) -> Judgement:
    """Return the verdict; a claim for another adjacency is not judged, nor one that is none."""
    if claim.status != ANSWERED:
        return Judgement(NOT_JUDGED, why=claim.status)
    if claim.adjacency != adjacency and "any" not in (claim.adjacency, adjacency):
        return Judgement(NOT_JUDGED, why=f"adjacency {claim.adjacency}, not {adjacency}")
    ends = tuple(
        _placed(side, value, interval) for side in ("upper", "lower") if (value := getattr(claim, side)) is not None
    )
    found = {end.verdict for end in ends}
    verdict = next(one for one in (UNSOUND, LOOSE, UNDECIDED, INSIDE) if one in found)
    said = [str(end) for end in ends if end.verdict == verdict and verdict != INSIDE]
    if verdict == UNDECIDED:
        said = [f"the certified interval is wide, {_share(interval.relative_width)}"]
    return Judgement(verdict, ends, " and ".join(said))


def _placed(side: str, value: float, interval: Interval) -> End:
    lower, upper = interval
    if value > upper * (1.0 + ROUND_OFF) + LEAST * (interval.quantity == "epsilon"):
        return End(side, "above", LOOSE if side == "upper" else UNSOUND, _apart(value, upper))
    if value < lower * (1.0 - ROUND_OFF) - LEAST * (interval.quantity == "epsilon"):
        return End(side, "below", UNSOUND if side == "upper" else LOOSE, _apart(lower, value))
    close = lower == upper or interval.relative_width <= CLOSE
    return End(side, "inside", INSIDE if close else UNDECIDED)


def _apart(more: float, less: float) -> float:
    """``more``/``less`` - 1."""
    return inf if isinf(more) or less <= 0.0 else more / less - 1.0


def _share(by: float) -> str:
    """Return the value rounded down: at least so much."""
    if isinf(by):
        return "more than any factor"
    return f"a factor of {_down(by + 1.0)}" if by >= 1.0 else f"{_down(100.0 * by)} %"


def _down(value: float) -> str:
    return f"{float(Context(prec=3, rounding=ROUND_FLOOR).plus(Decimal(value))):g}"
