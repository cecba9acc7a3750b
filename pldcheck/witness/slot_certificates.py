r"""Upper certificates of hidden slots: the search for a fineness with which ``upper_slot`` verifies a claim.

The program :mod:`~pldcheck.checkers.upper_slot` says what a certificate is and why it proves its claim.  Here its
computation is repeated in floating point (:mod:`~pldcheck.witness.certificate_estimates`), which proves nothing, to
find the cheapest fineness that will do.  Then the program itself checks the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import singledispatch
from itertools import zip_longest
from math import ceil, log
from time import process_time
from typing import Any

import numpy as np

from ..checkers import randomizer_table, upper_slot
from ..core.errors import PldcheckError
from ..hidden_slot.worst.worst_upper import tilt
from ..protocols import CheckIn, HiddenSlot, Protocol, SlidingWindow
from ..randomizers import Finite, Randomizer, Response
from .block_plans import Plan, plans
from .certificate_checks import accepts
from .certificate_estimates import estimate
from .slot_questions import Question, trivial

# Seconds of processor time for the search of one claim, and about the most that its program may take.
SECONDS = 60.0
# A plan is tried only if it takes this much longer than the last one that failed, unless it takes no time.
LONGER = 1.15
# Seconds in which a plan takes no time.
AT_ONCE = 0.3
# A claim's epsilon is lowered for the search while Chernoff's bound is below delta by e to this.
EASY = 2.0
# The relative width to which the lower epsilon is found.
NARROW = 1e-2
# The estimate must be below the claim by this share.
SURELY = 1e-7


def is_replaced_binary_response(protocol: Protocol) -> bool:
    """Return whether a protocol is a hidden slot of randomized response with two outputs, a record replaced."""
    if not isinstance(protocol, HiddenSlot) or not isinstance(protocol.randomizer, Response):
        return False
    return protocol.randomizer.categories == 2 and protocol.adjacency == "replace"


def named(randomizer: Randomizer, eps0: float | None) -> dict[str, Any] | None:
    """Return a known randomizer as the program reads it, with its budget where it is no table; None for others.

    A table with more rows or columns than the program takes is none.
    """
    if isinstance(randomizer, Response):
        return {"eps0": repr(eps0), "randomizer": str(randomizer)}
    if not isinstance(randomizer, Finite):
        return None
    rows = randomizer.rows()
    if len(rows) > randomizer_table.MOST_ROWS or len(rows[0]) > randomizer_table.MOST_COLUMNS:
        return None
    if any(not all(column) for column in zip(*rows, strict=True)):
        return None
    return {"randomizer": [[str(chance) for chance in row] for row in rows]}


def has_choices(protocol: Protocol) -> bool:
    """Return whether a protocol is a hidden slot of a known randomizer, replaced, whose records the program chooses."""
    if not isinstance(protocol, HiddenSlot) or protocol.adjacency != "replace":
        return False
    return named(protocol.randomizer, protocol.eps0) is not None


@singledispatch
def claim_of(protocol: Protocol) -> dict[str, Any]:
    """Return a claim about a protocol but for its epsilon and delta; raise PldcheckError where there is none."""
    raise PldcheckError(f"there are no upper certificates for {type(protocol).name}")


@claim_of.register
def _(protocol: HiddenSlot) -> dict[str, Any]:
    more = {"steps": protocol.steps, "weight": repr(protocol.weight), "adjacency": protocol.adjacency}
    claim = {"mechanism": "hidden-slot", **more}
    known = named(protocol.randomizer, protocol.eps0) if protocol.adjacency == "replace" else None
    return _worst(protocol, claim) if known is None else claim | known


@claim_of.register
def _(protocol: CheckIn) -> dict[str, Any]:
    more = {"steps": protocol.steps, "check_in_prob": repr(protocol.check_in_prob)}
    if protocol.clients is not None:  # the program rests on what holds whatever their number is
        more["clients"] = protocol.clients
    return _worst(protocol.alone, {"mechanism": "check-in", **more})


@claim_of.register
def _(protocol: SlidingWindow) -> dict[str, Any]:
    fewer = {"clients": protocol.clients} if protocol.visible < protocol.window else {}
    return _worst(protocol.slots[1], {"mechanism": "sliding-window", "window": protocol.window, **fewer})


def _worst(slot: HiddenSlot, claim: dict[str, Any]) -> dict[str, Any]:
    if slot.randomizer.known or (slot.delta0 and slot.adjacency != "replace"):
        raise PldcheckError("upper certificates are for the worst randomizers, with delta0 for a replaced record only")
    delta0 = {"delta0": repr(slot.delta0)} if slot.delta0 else {}
    return {**claim, "eps0": repr(slot.eps0), **delta0}


def search(claim: Mapping[str, Any], seconds: float = SECONDS) -> dict[str, Any] | None:
    """Return a file whose program accepts a claim; None if none was found in so much processor time."""
    slot = upper_slot.read_claim(claim)[0]
    question = Question.of_slot(slot)
    if upper_slot.follows_from_one_run(claim, slot.weight):
        tried: Iterable[Plan] = [least(question)]
    else:
        tried = likely(question, seconds) if question.delta > 0.0 else []
    for plan in tried:
        facts = {"pldcheck_certificate": "upper_slot", "claim": dict(claim), "fineness": plan.written()}
        if accepts(upper_slot, facts):
            return facts
    return None


def nearer(question: Question) -> Question:
    """Return the claim with the least epsilon that a Chernoff bound shows by a margin, or the same if it shows none.

    What verifies that claim is coarse, and often verifies the one that is farther from the truth as well.  There the
    tilt would be so steep that the roundings of masses, which carry it, may outweigh them.
    """
    if log_bound(question) > log(question.delta) - EASY:
        return question
    low, high = 0.0, question.epsilon
    while high - low > NARROW * high:
        middle = replace(question, epsilon=(low + high) / 2.0)
        if log_bound(middle) > log(question.delta) - EASY:
            low = middle.epsilon
        else:
            high = middle.epsilon
    return replace(question, epsilon=high)


def log_bound(question: Question) -> float:
    """Return about the logarithm of Chernoff's bound of delta."""
    steps = question.step_laws
    theta = tilt(steps, question.steps, question.start)
    exponent = theta * question.start - 1.0 + question.steps * float(steps.cumulant(np.array(theta)))
    return exponent - log(theta) + log(question.weight / question.steps)


def least(question: Question) -> Plan:
    """Return the plan of a claim for which the program computes no block."""
    doublings = max(question.steps.bit_length() - 10, 0)
    return Plan(ceil(question.steps / 2**doublings), doublings, 1.0, 1, 1, 1, 0.5, 60, 64, 0.0)


def likely(question: Question, seconds: float) -> Iterator[Plan]:
    """Yield plans that are likely to verify a claim, the cheapest first, those for a nearer claim in between."""
    easier = nearer(question)
    both = _likely(question, seconds), (_likely(easier, seconds) if easier is not question else ())
    yield from (plan for pair in zip_longest(*both) for plan in pair if plan is not None)


def _likely(question: Question, seconds: float) -> Iterator[Plan]:
    if trivial(question):
        yield least(question)
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
