"""Adaptive policies of few slots, written as limits on a sum of integer scores (:mod:`pldcheck.witness.adaptive`)."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, expm1
from typing import Any

from ..hidden_slot.worst.step_laws import LAWS, Steps
from .exact_rows import DIGITS, below_exp, of_law, texts

# Slots up to which a policy is written.
MOST_SLOTS = 60
# Limits in all of a policy: more fill a file that nobody reads.
MOST_LIMITS = 3000
# Sums of scores that the checker is to go through.
SUMS = 4e5
# Deviations of the walk that these sums cover.
SPAN = 12.0
# Scores of one deviation: beyond, no two sums of few slots are confused.
FINEST = 2.0**30
# Slots so few that all sums can be told apart.
FEW = 30
# What it costs at least otherwise, relatively, to take some sums as one.
MERGED = 1e-4
# Binary digits of probabilities where slots are more: exact sums over all of them have so many times their number.
FEWER = 34


def mechanism(witness: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return the laws and limits of an engine's witness; None if it is no policy, or too long a one."""
    if not witness or witness["kind"] != "policy" or witness["steps"] > MOST_SLOTS:
        return None
    slots, pieces = witness["steps"], witness["policy"]
    if sum(len(piece["thresholds"]) for piece in pieces) > MOST_LIMITS:
        return None
    used = [law for law in LAWS if law.name in witness["laws"]]
    steps, x = Steps(witness["eps0"], witness["epsilon"]), below_exp(witness["eps0"], DIGITS if slots <= FEW else FEWER)
    unit = (FINEST if slots <= FEW else SUMS / (SPAN * slots**1.5)) / steps.deviation
    laws = [
        texts(of_law(law, x)) | {"scores": [round(value * unit) for value in steps.law(LAWS.index(law))[0]]}
        for law in used
    ]
    # Places are sums of the steps s, from here on.
    start, names = -expm1(witness["epsilon"]) * slots / witness["weight"], [law.name for law in used]
    policy = []
    for to_go in range(slots, 0, -1):
        piece = next(piece for piece in pieces if piece["to_go"] >= to_go)
        limits = [ceil(unit * (place - start)) for place in piece["thresholds"]]
        policy.append([limits, [names.index(name) for name in piece["laws"]]])
    return {"laws": laws, "policy": policy}
