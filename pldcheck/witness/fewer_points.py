"""Points of a round of shuffling by one client fewer: the search for zeta, for cells of tau and for a slot's fineness.

Here the engine's bounds say how large zeta should be; that proves nothing, and :mod:`~pldcheck.witness.upper_slot`
verifies the point that is found.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from math import ceil, exp, expm1, inf, log, log1p, log2
from typing import Any

from ..hidden_slot.worst import worst_intervals
from ..hidden_slot.worst.slot_problem import Slot
from ..shuffling import three_symbol_pair
from ..shuffling.one_client_fewer import FEWEST_CLIENTS, LARGEST_EPS0, Bound
from . import block_recursion, client_cost, slot_laws, upper_slot
from .certificate_estimates import Plan, Question, estimate, plans, text
from .certificate_file import TooCoarse

# Deviations of the loss at which zeta is sought; elsewhere it is about proportional to the third power of epsilon.
FAR = 6.0
# The share of delta that tau may take there.
SHARE = 0.01
# The factors of that zeta of which the best is taken.
FACTORS = (0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8)
# The relative distance of epsilons from which the slope of a curve is found.
APART = 1e-3
# The largest power of e by which delta may grow with zeta: no more matters.
MOST_POWER = 100.0
# The numbers of cells of tau that are tried.
CELLS = (4, 8, 16, 32)
# More cells are not tried where they lowered delta by less than this times the share by which it may be too high.
WORTH = 0.25
# The relative width asked of the engine about a slot.
WIDTH = 0.002
# A fineness is tried if it takes this much longer than the last one that failed.
LONGER = 1.1
# About the most seconds of processor time of the program for one point.
SECONDS = 3.0
# The powers of two by which what is left out is smaller than delta.
CUT = 16


@lru_cache(maxsize=4)
def cubic(clients: int, eps0: float) -> float:
    """Return zeta over the third power of epsilon far from 0; infinity where the engine has no such bound."""
    if clients < FEWEST_CLIENTS or eps0 > LARGEST_EPS0:
        return inf
    clones = three_symbol_pair.stronger_clones(clients, eps0)
    far = min(FAR * clones.deviation, 0.5 * eps0)
    return Bound(clients, eps0).zeta(exp(far), SHARE * clones.delta(far).upper, 0.5 * expm1(far)) / far**3


def best_zeta(clients: int, eps0: float, epsilon: float) -> float:
    """Return about the zeta at which the bound of delta is least."""
    usual = cubic(clients, eps0) * epsilon**3
    clones, bound = three_symbol_pair.stronger_clones(clients, eps0), Bound(clients, eps0)
    deltas = [clones.delta(epsilon * (1.0 - share)).upper for share in (0.0, APART)]
    if min(deltas) <= 0.0 or usual == 0.0:
        return 0.0
    steepness = log(deltas[1] / deltas[0]) / (APART * epsilon)

    def height(zeta: float) -> float:
        kappa = exp(epsilon) - zeta
        if kappa < 1.0:
            return inf
        slot = deltas[0] * exp(min(steepness * (epsilon - log(kappa)), MOST_POWER))
        return slot + bound.tau(kappa, zeta, APART * deltas[0])

    return min((factor * usual for factor in FACTORS), key=height)


def point(
    claim: Mapping[str, Any], clients: int, eps0: float, epsilon: str, of_delta: float, of_epsilon: float
) -> tuple[Fraction, dict[str, Any]] | None:
    """Return a delta of one round at an epsilon with the fineness that verifies it; None if there is none."""
    at = float(epsilon)
    if cubic(clients, eps0) == inf or at >= eps0:
        return None
    zeta = best_zeta(clients, eps0, at) if at > 0.0 else 0.0
    room = expm1(at) - zeta
    if room < 0.0:
        return None
    higher = worst_intervals.delta(Slot(clients - 1, eps0, 1.0), "replace", log1p(room) * (1.0 - of_epsilon), WIDTH)
    if higher.upper == 0.0:
        return None
    target = higher.upper * (1.0 + of_delta)
    slot = upper_slot.read_claim({**claim, "epsilon": epsilon, "delta": "1"})[0]
    try:
        fewer, cost = _cheapest_cost(slot, zeta, target, WORTH * of_delta * target)
        plan = _cheapest_plan(Question.of_slot(fewer._replace(delta=Fraction(target))))
        if plan is None:
            return None
        facts = plan.written() | cost
        fine = upper_slot.read_fineness(facts, fewer.steps, shuffled=True)
        return 1 - fewer.delta + block_recursion.delta_upper(fewer._replace(delta=Fraction(0)), fine), facts
    except (ValueError, TooCoarse):  # too much work, or zeta is too large
        return None


def _cheapest_plan(question: Question) -> Plan | None:
    """Return the quickest fineness at which the slot is likely to be verified, or the best of those that are quick."""
    failed, least, best = 0.0, inf, None
    for plan in sorted(plans(question), key=lambda plan: plan.seconds):
        if plan.seconds > SECONDS:
            break
        if plan.seconds >= LONGER * failed:
            delta = estimate(question, plan)
            if delta <= question.delta:
                return plan
            if delta < least:
                least, best = delta, plan
            failed = plan.seconds
    return best


def _cheapest_cost(
    slot: slot_laws.Slot, zeta: float, delta: float, worth: float
) -> tuple[slot_laws.Slot, dict[str, Any]]:
    """Return the hidden slot of one client fewer, for a delta of 1, and the fineness of what it costs.

    More cells are tried while they lower delta by ``worth``.
    """
    cut = ceil(-log2(delta) + 2.0 * log2(1.0 + float(slot.x))) + CUT
    cost: dict[str, Any] = {
        "others": slot.steps - 3,
        "outside": min(cut, client_cost.SHUFFLED["outside"][1]),
        "zeta": text(zeta),
        "nu": "0",
    }
    before: tuple[slot_laws.Slot, dict[str, Any]] | None = None
    for cells in CELLS:
        trial = cost | {"cells": cells}
        fewer = client_cost.one_client_fewer(slot, trial | {name: Fraction(trial[name]) for name in client_cost.SHARES})
        if before is not None and fewer.delta - before[0].delta < worth:
            break
        before = fewer, trial
    assert before is not None
    return before
