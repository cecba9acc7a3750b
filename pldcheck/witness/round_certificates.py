"""Upper certificates of rounds: points of the curve of one round, and a fineness with which ``upper_rounds`` verifies.

The program :mod:`~pldcheck.witness.upper_rounds` says what a certificate is and why it proves its claim.  Here the
engine's answers about one round say where points are wanted and how high; that proves nothing, and every point has a
certificate of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from functools import partial
from itertools import islice
from math import ceil, log, log10, pi, sqrt
from typing import Any

from ..core.errors import ParameterError
from ..protocols import CheckIn, HiddenSlot, Protocol, RandomAllocation, Shuffle
from . import (
    fewer_points,
    shuffle_certificates,
    slot_certificates,
    sum_certificates,
    upper_rounds,
    upper_shuffle,
    upper_slot,
    upper_sum,
)
from .loss_certificates import decimal_form
from .sum_certificates import two_digits

# By turns: the places in a deviation of the loss of one round, which are points where that loss matters most; and about
# the shares by which delta and epsilon of a point may be too high.
FINER = ((8, 4e-3, 2.5e-3), (12, 2e-3, 1e-3))
# The same for shuffling, whose points take so long that the first turn should do.
FINER_OF_SHUFFLES = ((7, 2e-3, 1.5e-3), (12, 1e-3, 1e-3))
# That loss matters most within so many deviations of its mean where all losses add up to the claim's epsilon; farther
# off the distance of points grows.
NEAR = 1.5
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
# The number "cells" of the composition in places of a deviation: a coarser lattice than twice these would be felt.
CELLS = 2
# The number "growth" of the composition in places of a deviation, so that points far from 0 are cells of a lattice.
GROWTH = 4
# Deviations of the loss of all rounds that the lattice holds.
REACH = 20.0

# Returns the text of a delta and a certificate, for the text of an epsilon, the two shares, and a delta that is small
# enough; None if it finds none.
PointSearch = Callable[[str, float, float, float], tuple[str, Mapping[str, Any]] | None]


@dataclass(frozen=True)
class Round:
    """One round: the claim about it without epsilon and delta, the search of its points, and the engine's answers.

    ``farthest`` returns an epsilon with at most a delta; ``middle`` returns delta at epsilon 0.  ``least``: about the
    least upper end of all rounds that such points lead to, where that may be above the engine's.  ``quick_point``: the
    search of points far away, which may be wider.  ``finer``: the turns of the search.
    """

    claim: Mapping[str, Any]
    point: PointSearch
    farthest: Callable[[float], float]
    middle: Callable[[], float]
    least: Callable[[str, float], float] | None = None
    quick_point: PointSearch | None = None
    finer: Sequence[tuple[int, float, float]] = FINER


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
        return _of(alone, None, claim, partial(point_by_sum, alone), None), protocol.epochs
    # What is verified of check-ins holds whatever the number of clients is.
    least = partial(_upper_end, protocol.alone, None) if isinstance(protocol, CheckIn) and protocol.clients else None
    claim, engine = slot_certificates.claim_of(alone), alone.alone if isinstance(alone, CheckIn) else alone
    return _of(engine, None, claim, partial(point_near_engine, claim, engine), least), protocol.epochs


def _shuffle(protocol: Shuffle) -> Round:
    if protocol.randomizer.known:
        raise ParameterError("randomizer", "worst for a certificate of several rounds", str(protocol.randomizer))
    alone = replace(protocol, rounds=1)
    claim = shuffle_certificates.claim_of(alone)
    one = _of(alone, ROUGH, claim, partial(point_of_shuffle, alone, claim), None)
    return replace(one, quick_point=partial(point_by_clones, claim), finer=FINER_OF_SHUFFLES)


def _of(
    engine: Protocol,
    width: float | None,
    claim: Mapping[str, Any],
    point: PointSearch,
    least: Callable[[str, float], float] | None,
) -> Round:
    ask = partial(_upper_end, engine, width)
    return Round(claim, point, partial(ask, "epsilon"), partial(ask, "delta", 0.0), least)


def _upper_end(protocol: Protocol, width: float | None, quantity: str, at: float) -> float:
    """Return the engine's upper end, of the usual relative width if that is None."""
    more = {} if width is None else {"width": width}
    return float(getattr(protocol, quantity)(at, **more).upper)


def point_of_shuffle(
    protocol: Shuffle, claim: Mapping[str, Any], epsilon: str, of_delta: float, of_epsilon: float, *_: float
) -> tuple[str, Mapping[str, Any]] | None:
    """Return a delta and its certificate by stronger clones or by one client fewer, whichever is less."""
    clones = point_by_clones(claim, epsilon)
    fewer = fewer_points.point(claim, protocol.clients, protocol.eps0, epsilon, of_delta, of_epsilon)
    if fewer is None:
        return clones
    delta, fineness = fewer
    if clones is not None and Fraction(clones[0]) <= delta:
        return clones
    facts = {"pldcheck_certificate": "upper_slot", "theorem": upper_slot.ONE_FEWER, "fineness": fineness}
    return _text_of(delta), facts


def _text_of(delta: Fraction) -> str:
    return decimal_form(UP.divide(*map(Decimal, delta.as_integer_ratio())))


def point_by_clones(claim: Mapping[str, Any], epsilon: str, *_: float) -> tuple[str, Mapping[str, Any]] | None:
    """Return the delta of stronger clones and its certificate, or None if that is too much work."""
    fineness = {"cut": upper_shuffle.INTEGERS["cut"][1]}
    try:
        question = upper_shuffle.read_claim({**claim, "epsilon": epsilon, "delta": "1"})[0]
        delta = upper_shuffle.delta_upper(question, fineness)
    except ValueError:
        return None
    start = {"pldcheck_certificate": "upper_shuffle", "theorem": upper_shuffle.STATEMENT}
    return _text_of(delta), {**start, "fineness": fineness}


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


def point_near_engine(
    claim: Mapping[str, Any],
    protocol: Protocol,
    epsilon: str,
    of_delta: float,
    of_epsilon: float,
    enough: float,
) -> tuple[str, Mapping[str, Any]] | None:
    """Return a delta near the engine's upper end and its certificate, or None if that is not verified.

    It is at least ``enough``: beyond the largest loss the engine has 0, of which no computation in integers is sure.
    """
    higher = protocol.delta(float(epsilon) * (1.0 - of_epsilon)).upper * (1.0 + of_delta)
    delta = decimal_form(UP.create_decimal(Decimal(min(max(higher, enough), 1.0))))
    facts = slot_certificates.search({**claim, "epsilon": epsilon, "delta": delta})
    return None if facts is None else (delta, facts)


def claim_of(one: Mapping[str, Any], times: int) -> dict[str, Any]:
    """Return a claim in the form that the program reads, but for its epsilon and delta, from that about one round."""
    if one.get("adjacency") in upper_rounds.ONE_SIDED:
        raise ParameterError("adjacency", "one whose neighbours are symmetric", one["adjacency"])
    return {"mechanism": "rounds", "round": dict(one), "times": times}


def search(claim: Mapping[str, Any], one: Round) -> Mapping[str, Any] | None:
    """Return a file whose program accepts a claim; None if none was found."""
    tail = TAIL * max(float(claim["delta"]), 1e-60) / claim["times"]
    farthest = one.farthest(tail)
    # Of a normal loss, delta at 0 is its deviation over the root of 2 pi.
    deviation = min(sqrt(2.0 * pi) * one.middle(), farthest)
    tilt = sqrt(-2.0 * log(max(float(claim["delta"]), 1e-60)) / claim["times"])
    for inside, *shares in one.finer:
        last = ceil(farthest / two_digits(deviation / inside))
        # The last place is hardly beyond the largest loss, where there is one.
        width = Fraction(UP.create_decimal(Decimal(farthest / last)))
        points = []
        for place in places(last, inside, tilt):
            far = place > (tilt + FAR) * inside
            # The last delta, of a tail, may be twice as large; near the largest loss no larger epsilon would do.
            looser = (1.0, 0.0) if place == last else tuple(share * (WIDER if far else 1.0) for share in shares)
            point = point_at(place, width, (one.quick_point or one.point) if far else one.point, tail, looser)
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


def places(last: int, inside: int, tilt: float) -> Iterator[int]:
    """Yield places from 0 to the last, whose distance grows away from ``tilt`` deviations of ``inside`` places each."""
    place = 0
    while place < last:
        yield place
        away = max(abs(place / inside - tilt) - NEAR, 0.0)
        place += max(1, int(inside * away / (2.0 + tilt)))
    yield last


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


def fineness(width: Fraction, last: int, inside: int, tail: float) -> dict[str, Any]:
    """Return the fineness of the composition of rounds whose points end at the place ``last``."""
    return {
        "digits": min(max(ceil(-log10(tail)) + 10, 12), 90),
        "width": upper_rounds.decimal_of(width),
        "points": ceil(max(2.2 * last, 2.0 * CELLS * inside * REACH)) + 64,
        "cells": CELLS * inside,
        "growth": GROWTH * inside,
        "cut": f"{tail:.0e}",
    }
