r"""Limits from transcripts drawn from a proposal under which the rare ones are common: any delta, however small.

The value of a transcript, :math:`(dP - e^\epsilon dP')_+` over the proposal, has mean delta(epsilon) and a bound known
beforehand (:mod:`pldcheck.study.attack.proposal_tilt`).  It falls with epsilon on every transcript, and so does the
wealth of a bet that its mean exceeds delta: where the bet is won at some epsilon, it is at every smaller one, and the
largest epsilon at which it is won is above epsilon(delta) with no more than the bet's own probability.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, inf, log, sqrt
from typing import NamedTuple

import numpy as np

from ...core.arrays import Array
from ...core.roots import halve
from . import confidence_limits
from .attacked_mechanism import Attacked, Drawn, Tilt
from .confidence_limits import Confidence, Stakes
from .proposal_tilt import guess_epsilon, largest
from .transcript_blocks import key

# Streams of random numbers for trials.
TRIALS = range(100, 140)
# The stream of random numbers of what is reported.
MAIN = 1
# A trial's share of the transcripts.
SHARE = 0.05
# A trial's least number of transcripts.
LEAST = 2_000
# A trial's largest number of transcripts.
MOST = 50_000
# How much larger delta is to be at the epsilon that the proposal is made for, in standard errors of trials and of the
# bet.  A proposal far below has a larger bound.
SAFE = 3.0
# From which to which part of that is near enough.
NEAR = (0.4, 2.5)
# Digits of an epsilon.
MOST_DIGITS = 17
# What is left of delta at least when an epsilon is rounded.
SIMILAR = 0.9
# How finely limits of epsilon are searched, relatively.
CLOSE = 1e-9
# Values may exceed their bound by round-off; it is added to the bound.
HAIR = 1e-7


class Plan(NamedTuple):
    """A proposal, the epsilon expected (in few digits), and stakes for epsilon and delta there."""

    tilt: Tilt
    at: float
    stakes: Stakes


def values(drawn: Drawn, proposal: Tilt, epsilon: float) -> Array:
    """Return the transcripts' values over their bound; in [0, 1], or else something is wrong."""
    found = np.maximum(drawn.gain(epsilon), 0.0) * np.exp(drawn.log_weight - proposal.log_bound - HAIR)
    if not float(found.max(initial=0.0)) <= 1.0:
        raise ArithmeticError("a transcript is worth more than its bound")
    return np.asarray(found, dtype=np.float64)


def plan(attacked: Attacked, delta: float, seed: int, count: int, failure: float) -> Plan:
    """From a few trials: the proposal for an epsilon a little below the one expected, so that this is among them."""
    few = int(min(max(SHARE * count, LEAST), MOST))
    cap = largest(attacked)
    # Where delta is too large, and too small.
    low, high = 0.0, cap
    base = min(guess_epsilon(attacked, delta), 0.999 * cap)
    for stream in TRIALS:
        proposal = attacked.proposal(base)
        drawn = attacked.tilted(proposal, key(seed, stream), few)
        scale = exp(proposal.log_bound + HAIR)
        value = values(drawn, proposal, base)
        mean = float(value.mean()) * scale
        above = log(mean / delta) if mean > 0.0 else -inf
        aim = _aim(value, count, failure) if mean > 0.0 else 0.0
        if NEAR[0] * aim <= above <= NEAR[1] * aim or base == 0.0 and above <= NEAR[1] * aim:
            break
        low, high = (base, high) if above > aim else (low, base)
        newton = base + (above - aim) / _slope(drawn, value, proposal) if mean > 0.0 else -inf
        if low < newton < high:
            base = newton
        else:  # below zero there is nothing, and of no transcript no slope is known
            base = 0.0 if low == 0.0 and mean > 0.0 else 0.5 * (low + high)
    expected = _last(lambda epsilon: float(values(drawn, proposal, epsilon).mean()) * scale > delta, base, cap)
    at = _rounded(drawn, proposal, expected)
    return Plan(proposal, at, confidence_limits.stakes(values(drawn, proposal, at), count, failure))


def _aim(value: Array, count: int, failure: float) -> float:
    """By how much log delta should be above what is asked: not so little that chance decides."""
    spread, needed = float(value.std()) / float(value.mean()), log(1.0 / failure) / count
    # Values that are all the same are still bet on with a limited stake.
    return min(
        max(SAFE * spread * (1.0 / sqrt(value.size) + sqrt(needed)), SAFE / confidence_limits.MOST_STAKE * needed), 1.0
    )


def _slope(drawn: Drawn, value: Array, proposal: Tilt) -> float:
    """-d log delta/d epsilon, as the transcripts have it."""
    weight = np.exp(drawn.log_weight - proposal.log_bound - HAIR)
    seen = (1.0 + drawn.replacement) * weight * (value > 0.0)
    return exp(proposal.epsilon) * float(seen.mean()) / float(value.mean())


def _rounded(drawn: Drawn, proposal: Tilt, epsilon: float) -> float:
    """In as few digits as leave delta about what it is, and not below what the proposal serves."""
    least = SIMILAR * float(values(drawn, proposal, epsilon).mean())
    for digits in range(3, MOST_DIGITS):
        at = float(f"{epsilon:.{digits}g}")
        if at >= proposal.epsilon and float(values(drawn, proposal, at).mean()) >= least:
            return at
    return epsilon


def epsilon_limits(drawn: Drawn, plan: Plan, delta: float, most: float, failure: float) -> Confidence:
    """Return what epsilon(delta) of the attack is between; each end fails with probability ``failure``."""
    goal = delta * exp(-plan.tilt.log_bound - HAIR)
    if goal >= 1.0:
        return Confidence(0.0, plan.tilt.epsilon, 2.0 * failure)
    base = plan.tilt.epsilon

    def above(epsilon: float) -> bool:
        return confidence_limits.exceeds(values(drawn, plan.tilt, epsilon), goal, plan.stakes, failure)

    def not_below(epsilon: float) -> bool:
        return not confidence_limits.falls_short(values(drawn, plan.tilt, epsilon), goal, plan.stakes, failure)

    lower = _last(above, base, most) if above(base) else 0.0
    if not not_below(base):
        return Confidence(lower, base, 2.0 * failure)
    # Beyond ``most`` no attack shows anything.
    upper = most if not_below(most) else min(_last(not_below, base, most) * (1.0 + 2.0 * CLOSE), most)
    return Confidence(lower, upper, 2.0 * failure)


def delta_limits(drawn: Drawn, plan: Plan, epsilon: float, failure: float) -> Confidence:
    """Return what delta(epsilon) of the attack is between, for an epsilon that the proposal serves."""
    scale = exp(plan.tilt.log_bound + HAIR)
    found = values(drawn, plan.tilt, epsilon)
    lower = confidence_limits.mean_lower(found, plan.stakes, failure) * scale
    upper = confidence_limits.mean_upper(found, plan.stakes, failure) * scale
    return Confidence(lower, min(upper, 1.0), 2.0 * failure)


def _last(holds: Callable[[float], bool], low: float, high: float) -> float:
    """The last epsilon at which it holds, by halving, or a little less; it holds at ``low`` and not from some on."""
    return halve(holds, low, high, relative=CLOSE)[0]
