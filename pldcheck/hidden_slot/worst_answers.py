"""One hidden slot against the worst randomizers of a budget: pure or approximate ones, in one epoch or in several."""

from __future__ import annotations

from ..core.interval import Interval
from ..pld import PrivacyLossDistribution
from . import worst_epochs
from .approximate import approximate_epochs, approximate_slot
from .hidden_slot_problem import HiddenSlotProblem
from .worst import few_slot_recursion, worst_intervals

# Numbers of slots beyond which a narrower method ends: the walk state by state, and the walk in one block.
SWITCHES = (few_slot_recursion.MOST_STEPS, worst_intervals.ONE_BLOCK)


def epsilon(problem: HiddenSlotProblem, delta: float, width: float) -> Interval:
    """Return epsilon(delta) of the worst adaptive randomizers."""
    slot, delta0 = problem.slot, problem.delta0
    if delta0 > 0.0:
        if problem.epochs > 1:
            return approximate_epochs.epsilon(slot, delta0, problem.epochs, delta)
        return approximate_slot.epsilon(slot, problem.adjacency, delta0, delta, width)
    if problem.epochs > 1:
        return worst_epochs.epsilon(slot, problem.epochs, delta)
    return worst_intervals.epsilon(slot, problem.adjacency, delta, width)


def delta(problem: HiddenSlotProblem, epsilon: float, width: float) -> Interval:
    """Return delta(epsilon) of the worst adaptive randomizers."""
    slot, delta0 = problem.slot, problem.delta0
    if delta0 > 0.0:
        if problem.epochs > 1:
            return approximate_epochs.delta(slot, delta0, problem.epochs, epsilon)
        return approximate_slot.delta(slot, problem.adjacency, delta0, epsilon, width)
    if problem.epochs > 1:
        return worst_epochs.delta(slot, problem.epochs, epsilon)
    return worst_intervals.delta(slot, problem.adjacency, epsilon, width)


def losses(problem: HiddenSlotProblem, least: float) -> tuple[PrivacyLossDistribution, ...]:
    """Return privacy loss distributions of one epoch; below ``least`` the privacy profile is coarse."""
    if problem.delta0 > 0.0:
        return approximate_epochs.losses(problem.slot, problem.delta0, least, problem.adjacency)
    return worst_epochs.losses(problem.slot, least, problem.adjacency)
