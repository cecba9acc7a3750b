"""Random check-ins with a known number of clients: one epoch, and epochs composed from its curve."""

from __future__ import annotations

from ...core.interval import Interval
from ...pld import PrivacyLossDistribution, from_curve
from .. import worst_answers
from ..hidden_slot_problem import HiddenSlotProblem
from ..worst_epochs import LEAST_DELTA, TAIL, lower_delta, lower_epsilon
from . import hidden_occupants, populated_intervals, slot_occupancy
from .populated_upper import Population

# How the source of upper ends by composition begins; what one epoch is from follows.
COMPOSITION = "composition over epochs: "


def switches(problem: HiddenSlotProblem) -> tuple[int, ...]:
    """Return the numbers of clients beyond which a narrower method ends."""
    if problem.delta0 > 0.0:  # the upper end does not use the number
        return ()
    is_followed = problem.steps <= hidden_occupants.MOST_SLOTS
    others = [*([hidden_occupants.MOST_OTHERS] if is_followed else []), slot_occupancy.MOST_OTHERS]
    return tuple(number + 1 for number in others)


def epsilon(problem: HiddenSlotProblem, clients: int, delta: float, width: float) -> Interval:
    """Return epsilon(delta); see :mod:`pldcheck.hidden_slot.population.populated_intervals`."""
    population, is_composed = _population(problem, clients), _is_composed(problem, clients)
    if not is_composed:
        return populated_intervals.epsilon(population, delta, width)
    alone = worst_answers.epsilon(problem, delta, width)
    if clients == 1 or alone.upper == 0.0:
        return _narrow(alone, alone.lower, None)
    if problem.delta0 > 0.0:
        return _narrow(alone, worst_answers.epsilon(_dummy_slot(problem, population), delta, width).lower, None)
    low = lower_epsilon(populated_intervals.below(population), problem.epochs, delta)
    high = _composition(problem, population, delta).epsilon(delta).upper
    return _narrow(alone, low, high, populated_intervals.curve_source(population))


def delta(problem: HiddenSlotProblem, clients: int, epsilon: float, width: float) -> Interval:
    """Return delta(epsilon); see :mod:`pldcheck.hidden_slot.population.populated_intervals`."""
    population, is_composed = _population(problem, clients), _is_composed(problem, clients)
    if not is_composed:
        return populated_intervals.delta(population, epsilon, width)
    alone = worst_answers.delta(problem, epsilon, width)
    if clients == 1 or alone.upper == 0.0:
        return _narrow(alone, alone.lower, None)
    if problem.delta0 > 0.0:
        return _narrow(alone, worst_answers.delta(_dummy_slot(problem, population), epsilon, width).lower, None)
    low = lower_delta(populated_intervals.below(population), problem.epochs, epsilon)
    high = _composition(problem, population, max(low, 1e-200)).delta(epsilon).upper
    return _narrow(alone, low, high, populated_intervals.curve_source(population))


def _population(problem: HiddenSlotProblem, clients: int) -> Population:
    assert problem.eps0 is not None  # the number of clients is used with worst-case randomizers only
    return Population(problem.steps, problem.eps0, problem.weight, clients)


def _is_composed(problem: HiddenSlotProblem, clients: int) -> bool:
    """Return whether epochs must be composed, or the randomizer has a delta0."""
    return problem.epochs > 1 or problem.delta0 > 0.0


def _dummy_slot(problem: HiddenSlotProblem, population: Population) -> HiddenSlotProblem:
    """Return the hidden slot that applies when all other records are dummies."""
    slot = populated_intervals.below(population)
    return HiddenSlotProblem(slot.steps, slot.eps0, slot.weight, epochs=problem.epochs, delta0=problem.delta0)


def _composition(problem: HiddenSlotProblem, population: Population, delta: float) -> PrivacyLossDistribution:
    """Return a loss that dominates all epochs: the polygon through certified points of one epoch, composed."""
    points, deltas = populated_intervals.curve(population, max(min(TAIL * delta / problem.epochs, 0.01), LEAST_DELTA))
    return from_curve(points, deltas, symmetric=True).compose(problem.epochs)


def _narrow(alone: Interval, low: float, high: float | None, source: str = "") -> Interval:
    """Return one client's interval with its ends replaced, the upper one where that is lower.

    ``source`` is what one epoch of the upper end is from.  The lower end must not exceed the upper one.
    """
    is_lower = high is not None and high < alone.upper
    upper = high if high is not None and is_lower else alone.upper
    sources = (populated_intervals.ALL_DUMMIES, COMPOSITION + source if is_lower else populated_intervals.ONE_CLIENT)
    budget = None if is_lower else alone.budget
    return Interval(low, upper, alone.quantity, budget, None, sources)
