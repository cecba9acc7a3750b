"""One client fewer at points of a round of shuffling: the search for zeta, nu and cells of tau.

Here the engine's bounds say how large zeta and nu should be; that proves nothing: a point is what
:mod:`~pldcheck.checkers.upper_slot` verifies.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from math import ceil, exp, expm1, inf, log, log2
from typing import Any, NamedTuple

from ..checkers import client_cost, slot_laws
from ..hidden_slot.worst import worst_intervals
from ..hidden_slot.worst.slot_problem import Slot
from ..shuffling import three_symbol_pair
from ..shuffling.one_client_fewer import FEWEST_CLIENTS, LARGEST_EPS0, Bound
from .block_plans import text

# Deviations of the loss at which zeta is sought; elsewhere it is about proportional to the third power of epsilon.
FAR = 6.0
# The share of delta that tau may take there.
SHARE = 0.01
# The factors of that zeta, which a nu suits, of which the best is taken; the large ones are for a nu of 0.
FACTORS = (0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 5.6, 8.0, 11.0)
# The factors of the likely nu of which the best is taken.
NU_FACTORS = (0.0, 0.5, 0.75, 1.0, 1.4)
# The relative distance of epsilons from which the slope of a curve is found.
APART = 1e-3
# The largest power of e by which delta may grow with zeta: no more matters.
MOST_POWER = 100.0
# The numbers of cells of tau that are tried.
CELLS = (4, 8, 16, 32)
# The powers of two by which what is left out is smaller than delta.
CUT = 16
# Powers of two are rounded up to multiples of this, so that points that follow each other share laws.
SHARED = 16


@lru_cache(maxsize=4)
def cubic(clients: int, eps0: float) -> float:
    """Return zeta over the third power of epsilon far from 0; infinity where the engine has no such bound."""
    if clients < FEWEST_CLIENTS or eps0 > LARGEST_EPS0:
        return inf
    clones = three_symbol_pair.stronger_clones(clients, eps0)
    far = min(FAR * clones.deviation, 0.5 * eps0)
    return Bound(clients, eps0).sparing(exp(far), SHARE * clones.delta(far).upper, 0.5 * expm1(far))[1] / far**3


def short(share: float) -> str:
    """Return about a zeta or a nu as a text of few digits: any numbers will do."""
    return text(float(f"{share:.2e}")).replace("0000000e", "e") if share else "0"


class Shares(NamedTuple):
    """The zeta and the nu of one client fewer at a point."""

    zeta: float
    nu: float


# Those at epsilon 0, where zeta must be 0, and elsewhere where there is nothing to gain.
NO_SHARES = Shares(0.0, 0.0)


def best_shares(clients: int, eps0: float, epsilon: float) -> Shares:
    """Return about the zeta and the nu, of some of each, at which the bound of delta is least."""
    usual = cubic(clients, eps0) * epsilon**3
    slot, bound = Slot(clients - 1, eps0, 1.0), Bound(clients, eps0)
    deltas = [worst_intervals.delta_above(slot, epsilon * (1.0 - share)) for share in (0.0, APART)]
    if min(deltas) <= 0.0 or usual == 0.0:
        return NO_SHARES
    steepness = log(deltas[1] / deltas[0]) / (APART * epsilon)

    def height(shares: Shares) -> float:
        kappa = exp(epsilon) - shares.zeta
        if kappa < 1.0:
            return inf
        of_slot = deltas[0] * exp(min(steepness * (epsilon - log(kappa)), MOST_POWER))
        return of_slot + replace(bound, kept=shares.nu).tau(kappa, shares.zeta, APART * deltas[0])

    likely = bound.keeping(SHARE * deltas[0]).kept
    zetas, nus = [factor * usual for factor in FACTORS], [factor * likely for factor in NU_FACTORS]
    return min((Shares(zeta, nu) for nu in nus for zeta in zetas), key=height)


def cheapest_cost(
    slot: slot_laws.Slot, shares: Shares, delta: float, worth: float
) -> tuple[slot_laws.Slot, dict[str, Any]]:
    """Return the hidden slot of one client fewer, for a delta of 1, and the fineness of what it costs.

    More cells are tried while they are likely to lower delta by ``worth``: twice as many gain about half as much.
    """
    cut = ceil(-log2(delta) + 2.0 * log2(1.0 + float(slot.x))) + CUT
    cut = SHARED * ceil(cut / SHARED)
    cost: dict[str, Any] = {
        "others": slot.steps - 3,
        "outside": min(cut, client_cost.SHUFFLED["outside"][1]),
        "zeta": short(shares.zeta),
        "nu": short(shares.nu),
    }
    before: tuple[slot_laws.Slot, dict[str, Any]] | None = None
    for cells in CELLS:
        trial = cost | {"cells": cells}
        fewer = client_cost.one_client_fewer(slot, trial | {name: Fraction(trial[name]) for name in client_cost.SHARES})
        gain = inf if before is None else float(fewer.delta - before[0].delta)
        before = fewer, trial
        if gain < 2.0 * worth:
            break
    assert before is not None
    return before
