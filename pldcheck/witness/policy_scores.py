"""Adaptive policies of few slots, as limits on a sum of scores (see :mod:`pldcheck.checkers.lower_adaptive`)."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, expm1
from typing import Any

from ..hidden_slot.worst.step_laws import LAWS, Steps
from .exact_rows import DIGITS, below_exp, of_law, texts

# The largest number of slots of a policy in a file; the checker's work grows faster than that number.
MOST_SLOTS = 60
# The largest number of limits in a policy: more would fill a file that nobody can read.
MOST_LIMITS = 3000
# The number of sums of scores that the checker may follow.
SUMS = 4e5
# The number of standard deviations of the walk that these sums cover.
SPAN = 12.0
# The number of scores in a standard deviation for few slots: so fine that different sums have different scores.
FINEST = 2.0**30
# The number of slots up to which all sums can be kept apart.
FEW = 30
# The least relative loss of epsilon for more slots, in which some sums are taken as one.
MERGE_LOSS = 1e-4
# The binary digits of probabilities for more slots: exact sums have as many times that number as there are slots.
FEWER = 34


def mechanism(witness: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return the laws and limits of an engine's witness, or None if it is no policy or too long."""
    if not witness or witness["kind"] != "policy" or witness["steps"] > MOST_SLOTS:
        return None
    slots, pieces = witness["steps"], witness["policy"]
    if sum(len(piece["thresholds"]) for piece in pieces) > MOST_LIMITS:
        return None
    own_laws = [law for law in LAWS if law.name in witness["laws"]]
    steps, x = Steps(witness["eps0"], witness["epsilon"]), below_exp(witness["eps0"], DIGITS if slots <= FEW else FEWER)
    unit = (FINEST if slots <= FEW else SUMS / (SPAN * slots**1.5)) / steps.deviation
    laws = [
        texts(of_law(law, x)) | {"scores": [round(value * unit) for value in steps.law(LAWS.index(law))[0]]}
        for law in own_laws
    ]
    # The engine's thresholds are sums of steps that begin at ``start``; sums of scores begin at 0.
    start, names = -expm1(witness["epsilon"]) * slots / witness["weight"], [law.name for law in own_laws]
    policy = []
    for to_go in range(slots, 0, -1):
        piece = next(piece for piece in pieces if piece["to_go"] >= to_go)
        limits = [ceil(unit * (place - start)) for place in piece["thresholds"]]
        policy.append([limits, [names.index(name) for name in piece["laws"]]])
    return {"laws": laws, "policy": policy}
