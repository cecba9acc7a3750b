"""Upper certificates of rounds: points of the curve of one round, and a fineness with which ``upper_rounds`` verifies.

The program :mod:`~pldcheck.checkers.upper_rounds` says what a certificate is and why it proves its claim.  Here the
engine's answers about one round say where points are wanted and how high; that proves nothing, and every point has a
certificate of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from functools import partial
from itertools import islice
from math import ceil, pi, sqrt
from typing import Any

from ..checkers import upper_rounds, upper_sum
from ..core.errors import ParameterError
from ..protocols import CheckIn, HiddenSlot, Protocol, RandomAllocation, Shuffle
from . import shuffle_certificates, slot_certificates, slot_rounds, sum_certificates
from .claim_decimals import decimal_form
from .round_places import fineness, places
from .round_slot_curve import SlotCurve
from .shuffle_points import ShuffleCurve
from .sum_certificates import two_digits

# By turns: the places in a deviation of the loss of one round, which are points where that loss matters most; and about
# the shares by which delta and epsilon of a point may be too high.
FINER = ((8, 4e-3, 2.5e-3), (12, 2e-3, 1e-3))
# So many deviations above that mean a point may be wider, and both shares are this factor larger.
FAR = 4.0
WIDER = 5.0
# Where a point is not verified, both shares grow by this factor, so many times.
LOOSER = 3.0
TIMES = 5
# The relative width asked of the engine about a shuffle, for which it takes stronger clones.
ROUGH = 0.9
# A claim whose delta is so many times too small is not verified by finer points.
HOPELESS = 4
# The fineness of a sum that is within some thousandths of delta, by its place in the list of the search.
COARSE = 2
# The share of delta that a tail of one round, times the number of rounds, may add.
TAIL = 1e-4
# The deltas of points have six digits.
UP = Context(prec=6, rounding=ROUND_CEILING)
# Returns the text of a delta and a certificate, for the text of an epsilon, the two shares, and a delta that is small
# enough; None if it finds none.
PointSearch = Callable[[str, float, float, float], tuple[str, Mapping[str, Any]] | None]


@dataclass(frozen=True)
class Round:
    """One round: the claim about it without epsilon and delta, and the search of a file that proves a claim about all.

    ``least``: about the least upper end of all rounds that the statements lead to, where that may be above the
    engine's.
    """

    claim: Mapping[str, Any]
    search: Callable[[Mapping[str, Any]], Mapping[str, Any] | None]
    least: Callable[[str, float], float] | None = None


@dataclass(frozen=True)
class Curve:
    """The search of points of one round, and the engine's answers about it.

    ``farthest`` returns an epsilon with at most a delta; ``middle`` returns delta at epsilon 0.
    """

    point: PointSearch
    farthest: Callable[[float], float]
    middle: Callable[[], float]


def one_round(protocol: Shuffle | HiddenSlot | CheckIn | RandomAllocation) -> tuple[Round, int]:
    """Return one round of a protocol, and how often it runs; raise PldcheckError where it has no certificates."""
    if isinstance(protocol, Shuffle):
        return _shuffle(protocol), protocol.rounds
    alone = replace(protocol, epochs=1)
    by_choice = slot_certificates.has_choices(alone)
    if isinstance(alone, RandomAllocation) or (
        isinstance(alone, HiddenSlot) and alone.randomizer.known and not by_choice
    ):
        claim = sum_certificates.claim_of(alone)
        curve = _curve(alone, None, partial(point_by_sum, alone))
        return Round(claim, partial(search, one=curve)), protocol.epochs
    # What is verified of check-ins holds whatever the number of clients is.
    least = partial(_upper_end, protocol.alone, None) if isinstance(protocol, CheckIn) and protocol.clients else None
    claim = slot_certificates.claim_of(alone)
    return Round(claim, partial(slot_rounds.search, curve=SlotCurve(claim)), least), protocol.epochs


def _shuffle(protocol: Shuffle) -> Round:
    if protocol.randomizer.known:
        raise ParameterError("randomizer", "worst for a certificate of several rounds", str(protocol.randomizer))
    alone = replace(protocol, rounds=1)
    claim = shuffle_certificates.claim_of(alone)
    curve = ShuffleCurve(claim, alone, partial(_upper_end, alone, ROUGH, "epsilon"))
    return Round(claim, partial(slot_rounds.search, curve=curve))


def _curve(engine: Protocol, width: float | None, point: PointSearch) -> Curve:
    ask = partial(_upper_end, engine, width)
    return Curve(point, partial(ask, "epsilon"), partial(ask, "delta", 0.0))


def _upper_end(protocol: Protocol, width: float | None, quantity: str, at: float) -> float:
    """Return the engine's upper end, of the usual relative width if that is None."""
    more = {} if width is None else {"width": width}
    return float(getattr(protocol, quantity)(at, **more).upper)


def point_by_sum(
    protocol: RandomAllocation | HiddenSlot, epsilon: str, of_delta: float, *_: float
) -> tuple[str, Mapping[str, Any]] | None:
    """Return the delta of a sum of known laws and its certificate, or None if that is too much work."""
    engine = protocol.delta(float(epsilon)).upper
    delta = decimal_form(UP.create_decimal(Decimal(engine)))
    claim = {**sum_certificates.claim_of(protocol), "epsilon": epsilon, "delta": delta}
    level = COARSE if of_delta >= FINER[0][1] else COARSE + 1
    fineness = next(islice(sum_certificates.fineness_to_try(claim), level, None))
    facts = {"pldcheck_certificate": "upper_sum", "fineness": fineness}
    try:
        verified = upper_sum.upper_delta({**facts, "claim": claim}).upper
    except ValueError:
        return None
    return decimal_form(UP.create_decimal(verified)), facts


def claim_of(one: Mapping[str, Any], times: int) -> dict[str, Any]:
    """Return a claim in the form that the program reads, but for its epsilon and delta, from that about one round."""
    if one.get("adjacency") in upper_rounds.ONE_SIDED:
        raise ParameterError("adjacency", "one whose neighbours are symmetric", one["adjacency"])
    return {"mechanism": "rounds", "round": dict(one), "times": times}


def search(claim: Mapping[str, Any], one: Curve) -> Mapping[str, Any] | None:
    """Return a file whose program accepts a claim; None if none was found."""
    tail = TAIL * max(float(claim["delta"]), 1e-60) / claim["times"]
    farthest = one.farthest(tail)
    # Of a normal loss, delta at 0 is its deviation over the root of 2 pi.
    deviation = min(sqrt(2.0 * pi) * one.middle(), farthest)
    tilt = float(claim["epsilon"]) / claim["times"] / deviation
    for inside, *shares in FINER:
        last = ceil(farthest / two_digits(deviation / inside))
        # The last place is hardly beyond the largest loss, where there is one.
        width = Fraction(UP.create_decimal(Decimal(farthest / last)))
        points = []
        for place in places(last, inside, tilt):
            far = place > (tilt + FAR) * inside
            # The last delta, of a tail, may be twice as large; near the largest loss no larger epsilon would do.
            looser = (1.0, 0.0) if place == last else tuple(share * (WIDER if far else 1.0) for share in shares)
            point = point_at(place, width, one.point, tail, looser)
            if point is None:
                return None
            points.append(point)
        facts = {
            "pldcheck_certificate": "upper_rounds",
            "claim": dict(claim),
            "curve": points,
            "fineness": fineness(width, last, inside, tail),
        }
        # What the program will find, but that it verifies every point once more.
        curve = [upper_rounds.Point(point["place"], Fraction(point["delta"])) for point in points]
        fine = upper_rounds.fineness_of(facts["fineness"], claim["times"])
        delta = upper_rounds.composed_delta(curve, claim["times"], Fraction(claim["epsilon"]), fine)
        largest = Decimal(claim["delta"])
        if delta <= largest:
            return facts
        if delta > HOPELESS * largest:
            return None
    return None


def point_at(
    place: int, width: Fraction, search: PointSearch, enough: float, shares: Sequence[float]
) -> dict[str, Any] | None:
    """Return a point in the form that the program reads, or None if none was verified."""
    epsilon = upper_rounds.decimal_of(place * width)
    for turn in range(TIMES):
        of_delta, of_epsilon = (share * LOOSER**turn for share in shares)
        point = search(epsilon, of_delta, of_epsilon, enough)
        if point is not None:
            delta, facts = point
            kept = {key: value for key, value in facts.items() if key != "claim"}
            return {"place": place, "delta": delta, "certificate": kept}
    return None
