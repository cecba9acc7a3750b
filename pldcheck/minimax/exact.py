"""Both ends from the exact recursion on multisets, for few slots."""

from __future__ import annotations

from math import comb

import numpy as np

from ..interval import UNDERFLOW
from ..kernels.multiset import backward, visited
from ..laws import Steps
from .policy import Policy
from .slot import Slot

UNIT = 2.0**-53
# C(64, 4) = 635,376 states at the last step, 8 million in all: about 25 ms an evaluation.
MOST_STEPS = 60
# The relative margin by which a law must win to be written down, as in the kernel.
MARGIN = 1e-13

_NO_CHOICES = np.zeros(0, np.int8)


def _ends(slot: Slot, epsilon: float):
    """(steps, start, uncertainty of u at the leaves), in units of s."""
    steps = Steps(slot.eps0, epsilon)
    start = -float(np.expm1(epsilon)) * slot.steps / slot.weight
    doubt = 8 * UNIT * (abs(start) + slot.steps * float(np.abs(steps.values).max()))
    return steps, start, doubt


def delta_lower(slot: Slot, epsilon: float) -> float:
    """Lower end of delta*(epsilon), apart from the upper one by round-off only.

    The sum at a leaf is known up to ``doubt``: the start is moved by it.  Every later operation is a sum of
    non-negative terms: 12 roundings a step, and the margin by which the policy written down may be worse.
    """
    steps, start, doubt = _ends(slot, epsilon)
    value = backward(slot.steps, start - doubt, steps.values, *steps.probabilities, _NO_CHOICES)
    return slot.weight / slot.steps * value * (1.0 - slot.steps * (12 * UNIT + MARGIN) - 16 * UNIT)


def delta_upper(slot: Slot, epsilon: float) -> float:
    """Upper end of delta*(epsilon)."""
    steps, start, doubt = _ends(slot, epsilon)
    value = backward(slot.steps, start + doubt, steps.values, *steps.probabilities, _NO_CHOICES)
    return slot.weight / slot.steps * value * (1.0 + slot.steps * (12 * UNIT + MARGIN) + 16 * UNIT) + UNDERFLOW


def optimal_policy(slot: Slot, epsilon: float) -> Policy:
    """The policy whose value is ``delta_lower``: the law at every state it can reach, as thresholds."""
    steps, start, doubt = _ends(slot, epsilon)
    choices = np.empty(comb(slot.steps + 4, 5), np.int8)
    backward(slot.steps, start - doubt, steps.values, *steps.probabilities, choices)
    room = 2**18
    while True:
        step, place, law = np.empty(room, np.int64), np.empty(room), np.empty(room, np.int8)
        found = visited(slot.steps, start - doubt, steps.values, choices, step, place, law)
        if found <= room:
            break
        room = found
    cuts = np.flatnonzero(np.diff(step[:found])) + 1
    groups = zip(np.split(place[:found], cuts), np.split(law[:found], cuts), strict=True)
    ordered = [(places[order], laws[order]) for places, laws in groups for order in [np.argsort(places)]]
    return Policy.from_choices(np.arange(1, slot.steps + 1), ordered[::-1])
