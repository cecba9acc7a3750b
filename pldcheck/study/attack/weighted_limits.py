r"""Limits from transcripts of a proposal law under which rare ones are common, which serve any delta.

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
from .confidence_limits import Confidence, Stakes
from .hidden_records import Target, Tilt, Transcripts
from .proposal_tilt import largest, tilt

# Streams of random numbers for trials.
TRIALS = range(100, 140)
# The stream of random numbers of the reported limits.
MAIN = 1
# A trial's share of the transcripts.
SHARE = 0.05
# A trial's least and largest number of transcripts.
FEW, MANY = 2_000, 50_000
# Standard errors, of trials and of the bet, by which delta at the epsilon of the proposal should exceed the target.
# A proposal for a much smaller epsilon has a larger bound.
SAFE = 3.0
# The range, as parts of that margin, within which the search ends.
NEAR = (0.4, 2.5)
# Least ratio of delta after and before an epsilon is rounded.
SIMILAR = 0.9
# Relative accuracy of the search for limits of epsilon.
CLOSE = 1e-9
# Amount added to the log of a bound, since values may exceed the bound by round-off.
HAIR = 1e-7


class Plan(NamedTuple):
    """A proposal law, the expected epsilon (in few digits), and the stakes for bets there."""

    tilt: Tilt
    at: float
    stakes: Stakes


def key(seed: int, stream: int) -> int:
    """Return the key of one stream of random numbers."""
    return int(np.random.SeedSequence([seed, stream]).generate_state(1, np.uint64)[0])


def limits(
    target: Target, delta: float, start: float, seed: int, count: int, failure: float
) -> tuple[Confidence, Confidence, float]:
    """Return limits of epsilon(delta), limits of delta at a nearby epsilon, and that epsilon."""
    # The plan comes from separate trials, so that it does not depend on the transcripts of the limits.
    planned = plan(target, delta, start, seed, count, failure)
    transcripts = target.draw_tilted(planned.tilt, key(seed, MAIN), count)
    epsilons = epsilon_limits(transcripts, planned, delta, largest(target), failure)
    return epsilons, delta_limits(transcripts, planned, planned.at, failure), planned.at


def values(transcripts: Transcripts, proposal: Tilt, epsilon: float) -> Array:
    """Return the values of transcripts over their bound, in [0, 1]; raises ArithmeticError if one exceeds it."""
    shares = np.maximum(transcripts.gain(epsilon), 0.0) * np.exp(transcripts.log_weight - proposal.log_bound - HAIR)
    if not float(shares.max(initial=0.0)) <= 1.0:
        raise ArithmeticError("the value of a transcript exceeds its bound")
    return np.asarray(shares, dtype=np.float64)


def plan(target: Target, delta: float, start: float, seed: int, count: int, failure: float) -> Plan:
    """Return a plan from a few trials: a proposal for an epsilon a little below the expected one, about ``start``."""
    few = int(min(max(SHARE * count, FEW), MANY))
    # At the lower end delta is too large, at the upper end too small.
    low, high = 0.0, largest(target)
    most, base = high, min(start, 0.999 * high)
    for stream in TRIALS:
        proposal = tilt(target, base)
        transcripts = target.draw_tilted(proposal, key(seed, stream), few)
        scale = exp(proposal.log_bound + HAIR)
        value = values(transcripts, proposal, base)
        mean = float(value.mean()) * scale
        above = log(mean / delta) if mean > 0.0 else -inf
        aim = _aim(value, count, failure) if mean > 0.0 else 0.0
        if NEAR[0] * aim <= above <= NEAR[1] * aim or base == 0.0 and above <= NEAR[1] * aim:
            break
        low, high = (base, high) if above > aim else (low, base)
        newton = base + (above - aim) / _slope(transcripts, value, proposal) if mean > 0.0 else -inf
        if low < newton < high:
            base = newton
        else:  # epsilon is not negative, and without a transcript the slope is unknown
            base = 0.0 if low == 0.0 and mean > 0.0 else 0.5 * (low + high)
    estimate = _last(lambda epsilon: float(values(transcripts, proposal, epsilon).mean()) * scale > delta, base, most)
    at = _round_epsilon(transcripts, proposal, estimate)
    return Plan(proposal, at, confidence_limits.stakes(values(transcripts, proposal, at), count, failure))


def _aim(value: Array, count: int, failure: float) -> float:
    """Return the margin by which log delta should exceed the target, so large that chance does not decide."""
    spread, evidence = float(value.std()) / float(value.mean()), log(1.0 / failure) / count
    # If all values are equal, the stake of the bet is still limited.
    return min(
        max(SAFE * spread * (1.0 / sqrt(value.size) + sqrt(evidence)), SAFE / confidence_limits.MOST_STAKE * evidence),
        1.0,
    )


def _slope(transcripts: Transcripts, value: Array, proposal: Tilt) -> float:
    """Return an estimate of -d log delta/d epsilon from transcripts."""
    weight = np.exp(transcripts.log_weight - proposal.log_bound - HAIR)
    derivative = (1.0 + transcripts.replacement) * weight * (value > 0.0)
    return exp(proposal.epsilon) * float(derivative.mean()) / float(value.mean())


def _round_epsilon(transcripts: Transcripts, proposal: Tilt, epsilon: float) -> float:
    """Return epsilon with as few digits as change delta little, at least the epsilon of the proposal."""
    least = SIMILAR * float(values(transcripts, proposal, epsilon).mean())
    for digits in range(3, 17):
        at = float(f"{epsilon:.{digits}g}")
        if at >= proposal.epsilon and float(values(transcripts, proposal, at).mean()) >= least:
            return at
    return epsilon


def epsilon_limits(transcripts: Transcripts, plan: Plan, delta: float, most: float, failure: float) -> Confidence:
    """Return an interval of epsilon(delta) of the attack; each end fails with probability ``failure``."""
    goal = delta * exp(-plan.tilt.log_bound - HAIR)
    if goal >= 1.0:
        return Confidence(0.0, plan.tilt.epsilon, 2.0 * failure)
    base = plan.tilt.epsilon

    def above(epsilon: float) -> bool:
        return confidence_limits.exceeds(values(transcripts, plan.tilt, epsilon), goal, plan.stakes, failure)

    def not_below(epsilon: float) -> bool:
        return not confidence_limits.falls_short(values(transcripts, plan.tilt, epsilon), goal, plan.stakes, failure)

    lower = _last(above, base, most) if above(base) else 0.0
    if not not_below(base):
        return Confidence(lower, base, 2.0 * failure)
    # Beyond ``most`` the delta of every attack is 0.
    upper = most if not_below(most) else min(_last(not_below, base, most) * (1.0 + 2.0 * CLOSE), most)
    return Confidence(lower, upper, 2.0 * failure)


def delta_limits(transcripts: Transcripts, plan: Plan, epsilon: float, failure: float) -> Confidence:
    """Return an interval of delta(epsilon) of the attack, for an epsilon of at least that of the proposal."""
    scale = exp(plan.tilt.log_bound + HAIR)
    shares = values(transcripts, plan.tilt, epsilon)
    lower = confidence_limits.mean_lower(shares, plan.stakes, failure) * scale
    upper = confidence_limits.mean_upper(shares, plan.stakes, failure) * scale
    return Confidence(lower, min(upper, 1.0), 2.0 * failure)


def _last(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Return the last epsilon at which a property holds, or a little less; it holds at ``low``."""
    return halve(holds, low, high, relative=CLOSE)[0]
