"""Answers for one hidden slot, whatever its randomizer: the functions here choose the engine, and only it is loaded."""

from __future__ import annotations

from .. import hidden_slot
from ..core.interval import Interval
from ..pld import PrivacyLossDistribution
from .hidden_slot_problem import HiddenSlotProblem


def epsilon(problem: HiddenSlotProblem, delta: float, width: float) -> Interval:
    """Return epsilon(delta), of relative width ``width`` where that can be reached."""
    engine = hidden_slot.known_randomizer_slot if problem.randomizer.known else hidden_slot.worst_answers
    return engine.epsilon(problem, delta, width)


def delta(problem: HiddenSlotProblem, epsilon: float, width: float) -> Interval:
    """Return delta(epsilon), of relative width ``width`` where that can be reached."""
    engine = hidden_slot.known_randomizer_slot if problem.randomizer.known else hidden_slot.worst_answers
    return engine.delta(problem, epsilon, width)


def renyi(problem: HiddenSlotProblem, order: float, width: float) -> Interval:
    """Return the Renyi divergence of this order, to which computations add a relative width of at most ``width``."""
    return hidden_slot.slot_renyi.renyi(problem, order, width)


def losses(problem: HiddenSlotProblem, least: float) -> tuple[PrivacyLossDistribution, ...]:
    """Return privacy loss distributions of one epoch, to be composed; below ``least`` the privacy profile is coarse."""
    engine = hidden_slot.known_randomizer_slot if problem.randomizer.known else hidden_slot.worst_answers
    return engine.losses(problem, least)
