r"""Upper certificates of hidden slots: the search for a fineness with which ``upper_slot`` verifies a claim.

The program :mod:`~pldcheck.witness.upper_slot` says what a certificate is and why it proves its claim.  Here its
computation is repeated in floating point (:mod:`~pldcheck.witness.certificate_estimates`), which proves nothing, to
find the cheapest fineness that will do.  Then the program itself checks the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context
from functools import singledispatch
from math import ceil
from time import process_time
from typing import Any

from ..core.errors import PldcheckError
from ..protocols import CheckIn, HiddenSlot, Protocol, SlidingWindow
from . import upper_slot
from .certificate_estimates import Plan, Question, estimate, plans, trivial

# The epsilon of a claim relative to the engine's upper end.
EPSILON_MARGIN = 1.005
# The delta of a claim relative to the engine's upper end: delta moves by several percent where epsilon moves by 0.5 %.
DELTA_MARGIN = 1.05
# Where a claim cannot be verified, the relative excess of its margin grows by this factor.
LOOSER = 2.0
# The least excess that is made larger.
LEAST_EXCESS = 1e-3
# The largest margin that is tried.
LOOSEST = 4.0
# The digits of the number that is claimed.
DIGITS = 10
# A plan is tried only if it takes this much longer than the last one that failed, unless it takes no time.
LONGER = 1.15
# Seconds in which a plan takes no time.
AT_ONCE = 0.3
# The estimate must be below the claim by this share.
SURELY = 1e-7


@dataclass(frozen=True)
class Certificate:
    """The content of a file that its program accepts.

    ``reached`` is the margin of the claim above the engine's upper end, and ``asked`` the one that was asked for.
    ``seconds`` are those of the program.
    """

    facts: Mapping[str, Any]
    sentence: str
    seconds: float
    asked: float
    reached: float


def certificate(
    protocol: Protocol,
    *,
    delta: float | None = None,
    epsilon: float | None = None,
    margin: float | None = None,
    seconds: float = 60.0,
) -> Certificate:
    """Return a certificate for the upper end of epsilon at ``delta``, or of delta at ``epsilon``, times ``margin``.

    Parameters
    ----------
    protocol : HiddenSlot, CheckIn or SlidingWindow
        One epoch against the worst randomizers of a budget.
    delta, epsilon : float
        One of the two.
    margin : float, at least 1
        By default 1.005 for epsilon and 1.05 for delta.
    seconds : float
        Seconds of processor time for the search of one margin, and about the most that the program may take.

    Raises
    ------
    PldcheckError
        If there is no certificate for such a question, or if none was found for any margin.

    """
    known = claim_of(protocol)
    if delta is not None and epsilon is None:
        end, asked, at = protocol.epsilon(delta).upper, EPSILON_MARGIN, ("delta", delta, "epsilon")
    elif epsilon is not None and delta is None:
        end, asked, at = protocol.delta(epsilon).upper, DELTA_MARGIN, ("epsilon", epsilon, "delta")
    else:
        raise PldcheckError("a certificate is about one of delta and epsilon")
    given, value, claimed = at
    asked = reached = asked if margin is None else margin
    while reached <= LOOSEST:
        found = verified({**known, given: repr(value), claimed: _text(end * reached)}, seconds)
        if found is not None:
            return Certificate(*found, asked, reached)
        if end == 0.0:  # no margin makes the claim another one
            break
        reached = 1.0 + LOOSER * max(reached - 1.0, LEAST_EXCESS)
    raise PldcheckError(f"no certificate was found for {protocol}")


@singledispatch
def claim_of(protocol: Protocol) -> dict[str, Any]:
    """Return a claim about a protocol but for its epsilon and delta; raise PldcheckError where there is none."""
    raise PldcheckError(f"there are no upper certificates for {type(protocol).name}")


@claim_of.register
def _(protocol: HiddenSlot) -> dict[str, Any]:
    more = {"steps": protocol.steps, "weight": repr(protocol.weight), "adjacency": protocol.adjacency}
    return _worst(protocol, {"mechanism": "hidden-slot", **more})


@claim_of.register
def _(protocol: CheckIn) -> dict[str, Any]:
    if protocol.clients is not None:
        raise PldcheckError("there are no upper certificates for a known number of clients")
    more = {"steps": protocol.steps, "check_in_prob": repr(protocol.check_in_prob)}
    return _worst(protocol.alone, {"mechanism": "check-in", **more})


@claim_of.register
def _(protocol: SlidingWindow) -> dict[str, Any]:
    return _worst(protocol.slots[1], {"mechanism": "sliding-window", "window": protocol.window})


def _worst(slot: HiddenSlot, claim: dict[str, Any]) -> dict[str, Any]:
    if slot.randomizer.known or slot.epochs > 1 or (slot.delta0 and slot.adjacency != "replace"):
        raise PldcheckError("upper certificates are for one epoch of the worst randomizers")
    delta0 = {"delta0": repr(slot.delta0)} if slot.delta0 else {}
    return {**claim, "eps0": repr(slot.eps0), **delta0}


def verified(claim: Mapping[str, Any], seconds: float = 60.0) -> tuple[dict[str, Any], str, float] | None:
    """Return a file whose program accepts a claim, its sentence and its seconds; None if none was found in time."""
    question = Question.of_slot(upper_slot.read_claim(claim)[0])
    if question.delta <= 0.0:
        return None
    for plan in _likely(question, seconds):
        facts = {"pldcheck_certificate": "upper_slot", "claim": dict(claim), "fineness": plan.written()}
        began = process_time()
        verdict = upper_slot.verify(facts)
        if verdict.status == 0:
            return facts, verdict.sentence, process_time() - began
    return None


def _likely(question: Question, seconds: float) -> Iterator[Plan]:
    """Yield plans that are likely to verify a claim, the cheapest first."""
    if trivial(question):
        block = ceil(question.steps / 2 ** max(question.steps.bit_length() - 10, 0))
        yield Plan(block, max(question.steps.bit_length() - 10, 0), 1.0, 1, 1, 1, 0.5, 60, 64, 0.0)
        return
    began, failed = process_time(), 0.0
    for plan in sorted(plans(question), key=lambda plan: plan.seconds):
        if AT_ONCE < plan.seconds < LONGER * failed:
            continue
        if plan.seconds > seconds or process_time() - began > seconds:
            return
        if estimate(question, plan) <= question.delta * (1.0 - SURELY):
            yield plan
        failed = plan.seconds


def _text(value: float) -> str:
    """Return a number as a decimal text, rounded up."""
    return f"{Context(prec=DIGITS, rounding=ROUND_CEILING).create_decimal(repr(value)):e}".replace("e+", "e")
