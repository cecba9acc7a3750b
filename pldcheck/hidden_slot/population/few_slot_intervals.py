"""Intervals of epsilon(delta) and delta(epsilon) narrowed by the exact recursion, where slots and clients are few."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import inf

from ...core.interval import ErrorBudget, Interval
from ..worst.epsilon_bracket import crossing, first_below, last_above
from . import as_many_clients
from .hidden_occupants import delta_lower, delta_upper, is_exact, is_feasible
from .populated_upper import Population

# The source of lower ends.
ALIKE = "the worst randomizers where all other clients have one record, which may differ from the dummy record"
# The source of upper ends that are exact.
ANY_RECORDS = "the worst randomizers and records of the other clients"
# The source of upper ends where there are more slots than other clients.
EMPTY_SLOTS = "an adversary who also learns of some slots that the other clients do not occupy them"
# The source of upper ends where there are as many clients as slots.
NOT_BOTH = "an adversary who also learns of two slots that the other clients do not occupy both"
# Share of the width asked for at which an epsilon is searched.
SEARCH_SHARE = 0.05
# The least precision of the search.
LEAST_PRECISION = 1e-9
# Share of the largest loss at which a search starts at least.
LEAST_GUESS = 1e-3


def epsilon(population: Population, delta: float, rough: Interval, width: float) -> Interval:
    """Return the interval of epsilon(delta), not wider than ``rough``, which other methods gave.

    Where one recursion just above its lower end suffices, that end and its witness are kept.
    """
    if not is_feasible(population) or rough.relative_width <= width or rough.upper == 0.0:
        return rough
    assert rough.sources is not None
    cap = population.slot.inner_cap * (1.0 - 1e-12)
    precision = max(SEARCH_SHARE * width, LEAST_PRECISION)

    @cache
    def above(epsilon_: float) -> float:
        return delta_upper(population, epsilon_)

    def above_by_pair(epsilon_: float) -> float:
        return as_many_clients.delta_upper(population, epsilon_)

    def below(epsilon_: float) -> float:
        return delta_lower(population, epsilon_)

    def guess(place: float) -> float:
        return max(place, LEAST_GUESS * cap)

    low, high, source = rough.lower, rough.upper, rough.sources[1]
    trial = min(low * (1.0 + 0.5 * width), cap)
    least = trial if above(trial) <= delta else _least(above, delta, cap, guess(trial), precision)
    if least < high:
        high, source = least, upper_source(population)
    if high > low * (1.0 + width):
        near = high if is_exact(population) and high < cap else crossing(below, delta, cap, guess(low), precision)
        low = max(low, last_above(below, delta, near, cap, precision))
    if high > low * (1.0 + width) and as_many_clients.is_feasible(population):
        least = _least(above_by_pair, delta, cap, guess(low), precision)
        if least < high:
            high, source = least, NOT_BOTH
    budget = ErrorBudget.between(below(high), delta) if high < rough.upper else rough.budget
    return _joined(rough, (low, high), source, budget)


def _least(curve: Callable[[float], float], delta: float, cap: float, guess: float, precision: float) -> float:
    """Return an epsilon at which the curve is at most delta, next to the least one; infinite where none is there."""
    if curve(0.0) <= delta:
        return 0.0
    least = first_below(curve, delta, crossing(curve, delta, cap, guess, precision), cap, precision)
    return least if least < cap else inf  # at the cap, which is rounded down, nothing was evaluated


def delta(population: Population, epsilon_: float, rough: Interval, width: float) -> Interval:
    """Return the interval of delta(epsilon), not wider than ``rough``, which other methods gave."""
    if not is_feasible(population) or rough.relative_width <= width or rough.upper == 0.0:
        return rough
    if epsilon_ >= population.slot.inner_cap * (1.0 - 1e-12):
        return rough
    assert rough.sources is not None
    bounds = [(rough.upper, rough.sources[1]), (delta_upper(population, epsilon_), upper_source(population))]
    if as_many_clients.is_feasible(population):
        bounds.append((as_many_clients.delta_upper(population, epsilon_), NOT_BOTH))
    high, source = min(bounds, key=lambda bound: bound[0])
    low = rough.lower if high <= rough.lower * (1.0 + width) else max(rough.lower, delta_lower(population, epsilon_))
    budget = ErrorBudget.between(low, high) if high < rough.upper else rough.budget
    return _joined(rough, (low, high), source, budget)


def upper_source(population: Population) -> str:
    """Return what an upper end of the recursion is from."""
    return ANY_RECORDS if is_exact(population) else EMPTY_SLOTS


def _joined(rough: Interval, ends: tuple[float, float], source: str, budget: ErrorBudget | None) -> Interval:
    """Return the interval with new ends; the witness and the source of a lower end that is kept are kept."""
    return rough.meet(Interval(*ends, rough.quantity, budget, None, (ALIKE, source)))
