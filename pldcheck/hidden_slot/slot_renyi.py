"""Renyi divergences of a hidden slot, in one epoch or in several.

From above the moment of the certified privacy profile, which covers every adaptive adversary at once
(:mod:`pldcheck.pld.renyi_of_profile`); from below the divergence of single adversaries: one law of the worst
randomizers in every slot, or slots that all hold one record.  Divergences of epochs add up: those of adaptive
compositions are at most the sum of the largest ones, and those of an adversary who does the same in every epoch are the
sum.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from math import inf
from threading import Lock

from .. import pld
from ..core.directed import Side, enlarge, shrink
from ..core.errors import ParameterError
from ..core.interval import Interval
from ..pld import renyi_of_profile
from ..pld.loss_sides import Attained
from ..pld.renyi_of_profile import Profile
from ..randomizers import DiscreteGaussian, Gaussian
from . import known_randomizer_slot, worst_epochs
from .hidden_slot_problem import HiddenSlotProblem
from .known import bounded_ratio_epochs, bounded_ratio_laws, curve_hulls, likelihood_epochs
from .known.neighbour_pairs import REPLACEMENT, Slots
from .known.pair_curve import Curve
from .worst import worst_intervals

# The log10 of the least delta that curves of single adversaries resolve.
DIGITS = -30.0
# Its change with the order, for losses without a largest value: large orders see small deltas.
DIGITS_OF_ORDER = -1.0
# The least one: finer curves take half a minute.
MOST_DIGITS = -60.0
# The fineness of a curve of noise in a ball, that of curves of epochs.
FINENESS = 0.2
# The first estimate of its delta, which is replaced by the first value.
FIRST_ESTIMATE = 0.1
# The share of the width that points of the profile may add; their choice has the rest.
SHARE_OF_POINTS = 0.4
# Randomizers that have an answer.
ALLOWED = "worst, rr, krr:K, table:FILE, laplace or gaussian:S for Renyi divergences"
# Names of the bounds.
ONE_LAW = "one law in every slot"
ONE_RECORD = "slots that all hold one record"
PROFILE = "the moment of the privacy profile of all adversaries"
LOCAL = "the divergence of the record's own slot, if it were known"


def renyi(
    problem: HiddenSlotProblem,
    order: float,
    width: float,
    least_weight: float | None = None,
    profile: Profile | None = None,
) -> Interval:
    """Return the Renyi divergence of this order, the worse of both directions.

    Parameters
    ----------
    problem : HiddenSlotProblem
        The slot, which is at least as revealing as what is asked about.
    order : float
        The order, above 1.
    width : float
        Relative width that computations may add to what the two sides are apart, about; noise in a ball adds more.
    least_weight : float, optional
        The weight of a slot that is at most as revealing, if it is another one.
    profile : function of epsilon, optional
        Upper bounds of delta, if there are better ones than those of the slot.

    Returns
    -------
    Interval
        Of all epochs; ``sources`` names both ends.

    Raises
    ------
    ParameterError
        If ``delta0`` is positive, as randomizers that reveal the record have an infinite divergence, or if the
        randomizer is discrete Gaussian noise, whose curves take minutes.

    """
    if problem.delta0 > 0.0:
        raise ParameterError("delta0", "0 for Renyi divergences, which are infinite otherwise", problem.delta0)
    if isinstance(problem.randomizer, DiscreteGaussian):
        raise ParameterError("randomizer", ALLOWED, str(problem.randomizer))
    one = replace(problem, epochs=1)
    lower, source = _below(one if least_weight is None else replace(one, weight=least_weight), order)
    largest, rho = _largest_loss(one), one.randomizer.renyi_growth
    profile = profile or _profile(one, SHARE_OF_POINTS * width)
    upper = renyi_of_profile.upper_end(profile, order, width, lower, largest, rho)
    upper, reason = min((upper, PROFILE), (largest, LOCAL), (enlarge(rho * order, 2), LOCAL))
    low, high = shrink(problem.epochs * lower, 2), enlarge(problem.epochs * upper, 2)
    return Interval(low, high, "renyi", None, None, (source, reason))


def _below(one: HiddenSlotProblem, order: float) -> tuple[float, str]:
    """Return the largest divergence of single adversaries, rounded down, and what they are."""
    if not one.randomizer.known:
        adversaries = worst_epochs.adversaries(one.slot, one.adjacency)
        return max(single.lower(lambda loss: loss.renyi(order)) for single in adversaries), ONE_LAW
    return max(single.lower(lambda loss: loss.renyi(order)) for single in _of_known(one, order)), ONE_RECORD


def _of_known(one: HiddenSlotProblem, order: float) -> Iterable[Attained]:
    """Return losses of single adversaries of a known randomizer, as fine as the order needs."""
    if isinstance(one.randomizer, Gaussian) and one.steps == 1 and one.weight == 1.0:
        return [Attained(pld.gaussian(one.randomizer.sigma))]
    noisy = known_randomizer_slot.noisy_slots(one.randomizer, one)
    if noisy is not None:
        least = 10.0 ** max(DIGITS + DIGITS_OF_ORDER * order, MOST_DIGITS)
        return [likelihood_epochs.attained_loss(replace(noisy, adjacency="add-remove"), 1, least)]
    laws = known_randomizer_slot.laws_in(one)
    return bounded_ratio_epochs.attained_losses(laws, one.steps, one.weight, 10.0**DIGITS)


def _profile(one: HiddenSlotProblem, width: float) -> Profile:
    """Return upper bounds of delta at any epsilon."""
    if one.randomizer.known:
        noisy = known_randomizer_slot.noisy_slots(one.randomizer, one)
        if noisy is not None and noisy.adjacency == "in-ball" and one.steps > 1:
            return _in_ball(noisy)
        return lambda epsilon: known_randomizer_slot.delta(one, epsilon, width).upper
    if one.adjacency == "replace":
        return lambda epsilon: worst_intervals.delta_above(one.slot, epsilon)
    return lambda epsilon: worst_intervals.delta(one.slot, one.adjacency, epsilon, width).upper


def _in_ball(slots: Slots) -> Profile:
    """Return upper bounds of delta whatever the slots hold, from the joined law of one step, without refinement."""
    curve, lock = Curve(slots.pair(REPLACEMENT), FINENESS, FIRST_ESTIMATE), Lock()

    def at(epsilon: float) -> float:
        with lock:  # the curve remembers its sums
            curve.estimate = FIRST_ESTIMATE
            rough = curve.value(epsilon, Side.UPPER)
            curve.estimate = max(rough, curve_hulls.LEAST_DELTA)
            return min(rough, curve.value(epsilon, Side.UPPER))

    return at


def _largest_loss(one: HiddenSlotProblem) -> float:
    """Return the largest loss of an epoch, infinite for noise whose losses have no bound."""
    if not one.randomizer.known:
        return one.slot.cap
    laws = bounded_ratio_laws.laws_of(one.randomizer, one.eps0, one.weight, one.adjacency)
    return inf if laws is None else laws.largest
