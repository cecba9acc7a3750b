"""Upper certificates of rounds of a hidden slot: how fine all points should be, and the file.

First delta of all rounds is computed from estimates of the points (:mod:`~pldcheck.witness.round_slot_curve`), with
ever more seconds for each.  Where these would verify the claim, the points that take most of the time claim a
little more than their estimates, the others what the program computes, and the program checks the file.  If it does not
accept that, all points claim what it computes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from math import ceil, expm1, pi, sqrt
from typing import Any, NamedTuple

from ..checkers import upper_rounds
from .certificate_checks import accepts
from .round_places import fineness, places
from .round_slot_curve import SlotCurve
from .sum_certificates import two_digits

# By turns: the places in a deviation of the loss of one round, and seconds of a point that matters most.  Places stay
# while points take more time, as what is the same for all seconds is computed once.  A file of fewer ones is shorter.
TURNS = (
    *((8, seconds) for seconds in (0.03, 0.06, 0.12, 0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0)),
    (12, 0.5),
    (12, 1.0),
    (6, 0.7),
    (6, 1.4),
)
# Up to so many deviations off the loss that matters most a point may take all of the seconds.
NEAR = 2.5
# Up to so many it may take a middle share of them, beyond it a small one: what is there changes delta less.
FAR = 4.5
# The middle share.
MIDDLE_SHARE = 0.5
# The small share.
SMALL_SHARE = 0.25
# Epsilons at which shapes are tried, as shares of the largest.
REFERENCES = (0.0, 0.1, 0.2, 0.3, 0.45, 0.6, 0.8, 0.95)
# The delta from estimates must be below the claim's by this share.
SURELY = 1e-4
# A claim is given up if its delta is so many times too small: more seconds do not make up for that.
HOPELESS = 4
# The turn from which on it is given up: those before it are rough.
GIVING_UP = 5
# The share of delta that a tail of one round, times the number of rounds, may add.
TAIL = 1e-4
# The share of the largest loss from which on the last point is at that loss.
ALMOST = 0.97
# Widths have six digits.
UP = Context(prec=6, rounding=ROUND_CEILING)


def search(claim: Mapping[str, Any], curve: SlotCurve) -> Mapping[str, Any] | None:
    """Return a file whose program accepts a claim; None if none was found."""
    delta, largest = max(float(claim["delta"]), 1e-60), Decimal(claim["delta"])
    tail = TAIL * delta / claim["times"]
    certain = curve.farthest(0.0)
    farthest = curve.farthest(tail) if largest else certain
    if (
        farthest > ALMOST * certain
    ):  # there a point is coarse for its small delta, and at the largest loss needs no work
        farthest = certain
    # Of a normal loss, delta at 0 is its deviation over the root of 2 pi.
    deviation = min(sqrt(2.0 * pi) * curve.middle(), farthest)
    tilt = float(claim["epsilon"]) / claim["times"] / deviation
    for turn, (inside, seconds) in enumerate(TURNS):
        last = ceil(farthest / two_digits(deviation / inside))
        # The last place is hardly beyond the largest loss, where there is one.
        width = Fraction(UP.create_decimal(Decimal(farthest / last)))
        spots = [_spot(place, last, inside, tilt, width, seconds) for place in places(last, inside, tilt)]
        fine = fineness(width, last, inside, tail)
        estimates = {spot.place: Fraction(curve.estimate(*spot[1:])) for spot in spots}
        lowest = _below_all_chords(estimates, width)
        composed = _composed(lowest.items(), claim, fine)
        if turn >= GIVING_UP and HOPELESS * largest < composed < Decimal("inf"):
            return None
        if composed > largest * Decimal(1.0 - SURELY):
            continue
        wanted = [spot for spot in spots if spot.place in lowest]
        for exact in (SMALL_SHARE * seconds, seconds):
            entries = {spot.place: point for spot in wanted if (point := _entry(spot, curve, exact, tail)) is not None}
            points = _below_all_chords({place: Fraction(entry["delta"]) for place, entry in entries.items()}, width)
            if len(entries) < len(wanted) or _composed(points.items(), claim, fine) > largest:
                continue
            start = {"pldcheck_certificate": "upper_rounds", "claim": dict(claim)}
            facts = {**start, "curve": [entries[place] for place in points], "fineness": fine}
            if accepts(upper_rounds, facts):
                return facts
    return None


def _below_all_chords(points: Mapping[int, Fraction], width: Fraction) -> dict[int, Fraction]:
    """Return the points, by rising places, that lie below the chords of all others, and the two ends.

    The program bounds the curve by chords in e^epsilon, in which the curve is convex: what is above one would spoil it.
    """
    lowest: list[tuple[int, Fraction, Fraction]] = []
    for place, delta in points.items():
        kappa = Fraction(expm1(place * width))
        while len(lowest) > 1:
            (_, first, before), (_, middle, height) = lowest[-2:]
            if (height - before) * (kappa - first) < (delta - before) * (middle - first):
                break
            lowest.pop()
        lowest.append((place, kappa, delta))
    return {place: delta for place, _, delta in lowest}


class Spot(NamedTuple):
    """A point that is wanted: its place and epsilon, an epsilon near it whose shapes it takes, and seconds for it."""

    place: int
    epsilon: str
    near: str
    seconds: float


def _spot(place: int, last: int, inside: int, tilt: float, width: Fraction, seconds: float) -> Spot:
    near = min((round(share * last) for share in REFERENCES), key=lambda one: abs(one - place))
    away = abs(place / inside - tilt)
    share = 1.0 if away < NEAR else MIDDLE_SHARE if away < FAR else SMALL_SHARE
    epsilon, reference = (upper_rounds.decimal_of(one * width) for one in (place, near))
    return Spot(place, epsilon, reference, share * seconds)


def _composed(points: Iterable[tuple[int, Fraction]], claim: Mapping[str, Any], fine: dict[str, Any]) -> Decimal:
    """Return about the delta of all rounds; infinity where the points' deltas are so large that there is none."""
    curve, exact = [upper_rounds.Point(*one) for one in points], upper_rounds.fineness_of(fine, claim["times"])
    try:
        return upper_rounds.composed_delta(curve, claim["times"], Fraction(claim["epsilon"]), exact)
    except ValueError:
        return Decimal("inf")


def _entry(spot: Spot, curve: SlotCurve, exact: float, tail: float) -> dict[str, Any] | None:
    """Return the entry of a file; a point of more than ``exact`` seconds has a delta that is likely to be verified."""
    search = curve.point if spot.seconds <= exact else curve.likely_point
    point = search(*spot[1:], tail)
    return None if point is None else {"place": spot.place, "delta": point[0], "certificate": point[1]}
