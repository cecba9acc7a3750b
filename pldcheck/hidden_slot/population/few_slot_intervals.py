"""Intervals of epsilon(delta) and delta(epsilon) narrowed by the exact recursion, where slots and clients are few."""

from __future__ import annotations

from functools import cache

from ...core.interval import ErrorBudget, Interval
from ..worst.epsilon_bracket import crossing, first_below, last_above
from .hidden_occupants import delta_lower, delta_upper, is_exact, is_feasible
from .populated_upper import Population

# The source of lower ends.
ALIKE = "the worst randomizers where all other clients have one record, which may differ from the dummy record"
# The source of upper ends that are exact.
ANY_RECORDS = "the worst randomizers and records of the other clients"
# The source of upper ends where there are more slots than other clients.
EMPTY_SLOTS = "an adversary who also learns of some slots that the other clients do not occupy them"
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
    cap = population.slot.inner_cap * (1.0 - 1e-12)
    precision = max(SEARCH_SHARE * width, LEAST_PRECISION)

    @cache
    def above(epsilon_: float) -> float:
        return delta_upper(population, epsilon_)

    @cache
    def below(epsilon_: float) -> float:
        return delta_lower(population, epsilon_)

    trial = min(rough.lower * (1.0 + 0.5 * width), cap)
    high, near = rough.upper, None
    if trial < high and above(trial) <= delta:
        high = trial
    elif above(0.0) <= delta:
        high = 0.0
    else:
        near = crossing(above, delta, cap, max(trial, LEAST_GUESS * cap), precision)
        found = first_below(above, delta, near, cap, precision)
        high = found if found < cap else high  # the search failed at the cap, which is rounded down
    low = rough.lower
    if high > low * (1.0 + width):
        if near is None or not is_exact(population):
            near = crossing(below, delta, cap, max(low, LEAST_GUESS * cap), precision)
        low = max(low, last_above(below, delta, near, cap, precision))
    if high >= rough.upper:
        return _joined(population, rough, (low, rough.upper), rough.budget)
    budget = ErrorBudget(max(above(high) - below(high), 0.0), 0.0, 0.0)
    return _joined(population, rough, (low, high), budget)


def delta(population: Population, epsilon_: float, rough: Interval, width: float) -> Interval:
    """Return the interval of delta(epsilon), not wider than ``rough``, which other methods gave."""
    if not is_feasible(population) or rough.relative_width <= width or rough.upper == 0.0:
        return rough
    if epsilon_ >= population.slot.inner_cap * (1.0 - 1e-12):
        return rough
    high = min(rough.upper, delta_upper(population, epsilon_))
    low = rough.lower if high <= rough.lower * (1.0 + width) else max(rough.lower, delta_lower(population, epsilon_))
    budget = ErrorBudget(max(high - low, 0.0), 0.0, 0.0) if high < rough.upper else rough.budget
    return _joined(population, rough, (low, high), budget)


def upper_source(population: Population) -> str:
    """Return what an upper end of the recursion is from."""
    return ANY_RECORDS if is_exact(population) else EMPTY_SLOTS


def _joined(population: Population, rough: Interval, ends: tuple[float, float], budget: ErrorBudget | None) -> Interval:
    """Return the interval with new ends, each with its source; the witness is that of a lower end that is kept."""
    assert rough.sources is not None
    low, high = ends
    is_raised, is_lowered = low > rough.lower, high < rough.upper
    sources = (
        ALIKE if is_raised else rough.sources[0],
        upper_source(population) if is_lowered else rough.sources[1],
    )
    return Interval(low, high, rough.quantity, budget, None if is_raised else rough.witness, sources)
