"""Upper certificates of shuffling: the search for a fineness with which a program verifies a claim.

There are two ways.  By stronger clones :mod:`~pldcheck.checkers.upper_shuffle` verifies it for the worst randomizers;
by one client fewer :mod:`~pldcheck.checkers.upper_slot` does for these and for known ones, as it bounds the hidden slot
of either.  Here the engine of hidden slots says how much of epsilon the slot needs; this chooses the fineness and
proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache
from math import ceil, expm1, floor, log, log2
from typing import Any

from ..checkers import client_cost, fixed_point, upper_shuffle, upper_slot
from ..core.errors import ParameterError
from ..protocols import Averaged, HiddenSlot, Shuffle
from ..randomizers import Randomizer, Worst
from ..shuffling import pair_excess
from .block_plans import text
from .certificate_checks import accepts
from .slot_certificates import SECONDS, likely, named
from .slot_questions import Question

# Clients run any randomizers of their budget, unless one is known.
WORST = Worst()
# The powers of two by which masses that are left out are smaller than delta.
CUT = 16
# Shares of delta that tau may take.
SHARES = (0.003, 0.03, 0.15, 0.5)
# The slot's epsilon over the engine's upper end, from easy to hard to verify.
MARGINS = (1.004, 1.003, 1.002, 1.001)
# Relative width asked of the engine for the slot.
WIDTH = 1e-3
# The factors of the likely nu that are tried.
NU_FACTORS = (0.0, 0.5, 0.7, 1.0, 1.4)
# The numbers of clients beside three, and of cells, that are tried for tau.
OTHERS = (10**6, 10**7, 10**8)
FEW_CELLS = (4, 8)
MANY_CELLS = (8, 16, 32, 64)
# The number of clients from which a few cells are enough.
MANY_CLIENTS = 3 * 10**5


def claim_of(protocol: Shuffle | Averaged) -> dict[str, Any]:
    """Return a claim about a protocol but for its epsilon and delta; raise ParameterError where there is none."""
    if isinstance(protocol, Averaged):
        numbers = {"clients": protocol.clients, "steps": protocol.steps}
        return {"mechanism": protocol.name, **numbers, "eps0": repr(protocol.eps0)}
    if protocol.rounds > 1:
        raise ParameterError("rounds", "1 for a certificate", protocol.rounds)
    claim = {"mechanism": protocol.name, "clients": protocol.clients}
    if not protocol.randomizer.known:
        return claim | {"eps0": repr(protocol.eps0)}
    known = named(protocol.randomizer, protocol.eps0)
    if known is None:
        allowed = "worst, a response or a small table for a certificate of shuffling"
        raise ParameterError("randomizer", allowed, str(protocol.randomizer))
    return claim | known


def search(claim: Mapping[str, Any], randomizer: Randomizer = WORST) -> dict[str, Any] | None:
    """Return a file whose program accepts a claim about clients who run a randomizer; None if none was found."""
    if Fraction(claim["delta"]) == 0:
        return None
    return (None if randomizer.known else by_clones(claim)) or by_one_client_fewer(claim, randomizer)


def by_clones(claim: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return a certificate by stronger clones."""
    question, _ = upper_shuffle.read_claim(claim)
    cut = _cut(claim, upper_shuffle.INTEGERS["cut"][1])
    try:
        delta = upper_shuffle.delta_upper(question, {"cut": cut})
    except ValueError:  # too much work
        return None
    if delta > question.delta:
        return None
    start = {"pldcheck_certificate": "upper_shuffle", "theorem": upper_shuffle.STATEMENT}
    return {**start, "claim": dict(claim), "fineness": {"cut": cut}}


def by_one_client_fewer(claim: Mapping[str, Any], randomizer: Randomizer = WORST) -> dict[str, Any] | None:
    """Return a certificate by a hidden slot of one client fewer."""
    if claim["clients"] < 3:
        return None
    slot = upper_slot.read_claim(claim)[0]
    for fineness in _costs(claim, randomizer):
        cost = fineness | {name: Fraction(fineness[name]) for name in client_cost.SHARES}
        question = Question.of_slot(client_cost.one_client_fewer(slot, cost))
        for plan in likely(question, SECONDS):
            facts = {
                "pldcheck_certificate": "upper_slot",
                "theorem": upper_slot.KNOWN_FEWER if randomizer.known else upper_slot.ONE_FEWER,
                "claim": dict(claim),
                "fineness": plan.written() | fineness,
            }
            if accepts(upper_slot, facts):
                return facts
    return None


def _costs(claim: Mapping[str, Any], randomizer: Randomizer) -> Iterator[dict[str, Any]]:
    """Yield finenesses of tau at which the slot is likely to be verified, from easy to hard; one for each margin."""
    epsilon, delta = float(claim["epsilon"]), float(claim["delta"])
    slot = HiddenSlot(claim["clients"] - 1, float(claim["eps0"]) if "eps0" in claim else None, randomizer=randomizer)
    slot_epsilon = cache(lambda share: slot.epsilon(delta * (1.0 - share), WIDTH).upper)
    for margin in MARGINS:
        for share in SHARES:
            zeta = expm1(epsilon) - expm1(slot_epsilon(share) * margin)
            fineness = _tau_fineness(claim, zeta, share) if zeta > 0.0 else None
            if fineness:
                yield fineness
                break


def _tau_fineness(claim: Mapping[str, Any], zeta: float, share: float) -> dict[str, Any] | None:
    """Return a fineness with which tau is at most a share of delta."""
    slot = upper_slot.read_claim(claim)[0]
    others = sorted({min(claim["clients"] - 3, most) for most in OTHERS})
    fineness: dict[str, Any] = {"zeta": text(zeta), "outside": _cut(claim, client_cost.SHUFFLED["outside"][1], share)}
    kappa = floor((slot.kappa - Fraction(fineness["zeta"])) * 2**fixed_point.PLACES)
    if kappa < 1 << fixed_point.PLACES:
        return None
    limit, x = share * float(claim["delta"]), ceil(slot.x * 2**fixed_point.PLACES)
    part = float(1 / slot.x if slot.part is None else slot.part)
    pairs = pair_excess.Pairs(part, float(slot.factor), 0.0, omega=float(client_cost.OF_RECORD))
    likely_nu = pair_excess.likely_kept(claim["clients"], log(slot.x), limit, pairs)

    def tau(trial: Mapping[str, Any]) -> float:
        exact = {name: Fraction(value) if isinstance(value, str) else value for name, value in trial.items()}
        return float(client_cost.tau_upper(x, kappa, exact, slot.part, slot.factor))

    for count in others:
        trials = [fineness | {"others": count, "nu": text(likely_nu * factor)} for factor in NU_FACTORS]
        for cells in FEW_CELLS if count > MANY_CLIENTS else MANY_CELLS:
            try:
                taus = [tau(trial | {"cells": cells}) for trial in trials]
            except ValueError:  # too much work
                break
            least = min(taus)
            trials = [trials[taus.index(least)]]  # more cells change little of which nu is best
            if least <= limit:
                return trials[0] | {"cells": cells}
            if count > MANY_CLIENTS and least > 2.0 * limit:
                break
    return None


def _cut(claim: Mapping[str, Any], most: int, share: float = 1.0) -> int:
    """Return the power of two by which what is left out, with its largest payoff, is far below a share of delta."""
    payoff = 0.0 if share == 1.0 else 2.0 * log2(1.0 + float(upper_slot.read_claim(claim)[0].x))
    return min(ceil(-log2(float(claim["delta"]) * share) + payoff) + CUT, most)
