"""Points at which formulas are compared, inside the conditions of a theorem and beyond each of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from math import exp, inf, isnan, log, nextafter
from random import Random
from typing import Any

from ...core.errors import ConditionError, PldcheckError
from ...core.parameters import PARAMETERS
from ...theorems import Theorem
from .formula_edits import CLOCK, MOST_TURNS, Endless, mark_branches, take

Params = Mapping[str, float]

# Relative difference up to which two values are the same: equal formulas give equal bits, or nearly.
SAME = 1e-13
# Number of points inside the conditions.
INSIDE = 24
# Number of points at which one condition fails and all others hold, for each condition.
BEYOND = 2
# Most draws for one theorem: some conditions are rarely met.
DRAWS = 4_000
# Draws after which no branch is sought any more: two forms of one value may meet where there is no float.
SEARCH = 1_200
# Pairs of points at the limit of each condition.
EDGES = 2
# Values of a parameter that are tried in search of one beyond a condition.
TRIES = 12
# Two ranges for each parameter.  Draws are logarithmic, five in six from the first range and one in six from the
# second, which reaches to where a formula changes its form.
RANGES: Mapping[str, tuple[tuple[float, float], tuple[float, float]]] = {
    "steps": ((1, 3e3), (1, 12)),
    "window": ((1, 3e3), (1, 1e9)),
    "clients": ((2, 1e5), (1, 1e9)),
    "categories": ((2, 50), (2, 3)),
    "group": ((1, 10), (1, 3)),
    "releases": ((1, 60), (1, 3)),
    "records": ((1, 2e3), (1, 20)),
    "batch": ((1, 50), (1, 10)),
    "largest_batch": ((1, 100), (1, 10)),
    "eps0": ((0.02, 4), (1e-6, 15)),
    "eps0_last": ((0.02, 4), (1e-6, 15)),
    "delta0": ((1e-36, 1e-3), (1e-3, 0.9)),
    "delta0_last": ((1e-36, 1e-3), (1e-3, 0.9)),
    "delta1": ((1e-24, 0.1), (1e-3, 0.99)),
    "delta2": ((1e-12, 0.1), (0.1, 0.9)),
    "weight": ((0.005, 1), (1e-6, 1)),
    "check_in_prob": ((0.005, 1), (1e-6, 1)),
    "rate": ((1e-4, 1), (1e-12, 0.4)),
    "sigma": ((0.3, 60), (0.05, 1e4)),
    "scale": ((0.3, 60), (0.06, 1e4)),
    "dimension": ((1e2, 1e12), (1, 100)),
    "heads_p": ((0.02, 0.98), (1e-6, 0.999)),
    "heads_q": ((0.02, 0.98), (1e-6, 0.999)),
    "first": ((0.02, 20), (1e-6, 1e3)),
    "decay": ((0.02, 0.98), (1e-6, 0.9999)),
    "bin_norm": ((1, 1e5), (1, 1e3)),
    "tv": ((1e-3, 0.95), (1e-6, 0.99)),
    "beta": ((1e-12, 0.1), (0.5, 0.9999)),
    "order": ((1.01, 40), (1.001, 2.5e3)),
    "delta": ((1e-12, 0.3), (1e-280, 0.9)),
    "epsilon": ((0.01, 6), (1e-6, 60)),
}
# Most turns of loops at a point: every point is evaluated for hundreds of mutants.
FEW_TURNS = 3_000
# Most turns of loops at a point that takes a branch which no other point takes.
MORE_TURNS = 15_000

# The theorem has a value.
VALUE = "value"
# A condition of the theorem fails.
OUTSIDE = "outside"
# The formula has no value, or its evaluation is too long.
REFUSED = "refused"
# The outcome of a theorem at a point: one of the three words above, the value, and the point of the claim.
Outcome = tuple[str, float, float]


def outcome(theorem: Theorem, params: Params, most: int = MOST_TURNS) -> Outcome:
    """Return the outcome at a point; a formula that overflows, does not end, or exhausts the memory is refused."""
    CLOCK.start(most)
    try:
        bound = theorem(**params)
    except ConditionError:
        return OUTSIDE, 0.0, 0.0
    except (PldcheckError, Endless, RecursionError, MemoryError):
        return REFUSED, 0.0, 0.0
    return (REFUSED, 0.0, 0.0) if isnan(bound.at) else (VALUE, bound.value, bound.at)


@dataclass
class Outcomes:
    """The outcomes of a theorem; each point is evaluated once."""

    theorem: Theorem
    store: dict[tuple[Any, ...], Outcome] = field(default_factory=dict)

    def at(self, params: Params) -> Outcome:
        """Return the outcome at a point."""
        key = tuple(params.items())
        if key not in self.store:
            self.store[key] = outcome(self.theorem, params)
        return self.store[key]


def same(one: Outcome, other: Outcome, tolerance: float = SAME) -> bool:
    """Return whether two outcomes are the same up to rounding."""
    return one[0] == other[0] and all(close(a, b, tolerance) for a, b in zip(one[1:], other[1:], strict=True))


def close(one: float, other: float, tolerance: float) -> bool:
    """Return whether two numbers agree relatively; infinite ones only with themselves."""
    return one == other or abs(one - other) <= tolerance * min(abs(one), abs(other)) < inf


@cache
def draw_points(theorem: Theorem, purpose: str) -> tuple[Params, ...]:
    """Return points from a generator that the id of the theorem and the purpose seed: the same in every process.

    There are points inside the conditions, more of them where none takes a branch of the formula; points beyond each
    condition; and points on both sides of the limit of each.
    """
    source = Random(f"{theorem.id}, {purpose}")
    inside: list[Params] = []
    beyond: dict[str, list[Params]] = {condition.text: [] for condition in theorem.conditions}
    beyond_enough = len(beyond) * BEYOND
    branches = Branches(theorem)
    theorem = branches.theorem
    for draw in range(DRAWS):
        if draw == SEARCH:
            branches.missing.clear()
        # A branch that no point takes yet is sought at the ends of the ranges.
        params = (
            _draw_far_point(theorem, source)
            if len(inside) >= INSIDE and branches.missing
            else _draw_point(theorem, source)
        )
        failing = _failing_conditions(theorem, params)
        if failing is None:
            continue
        if not failing and (len(inside) < INSIDE or branches.missing):
            new = _has_value(theorem, params, MORE_TURNS) and branches.took_new_branch()
            branches.current.clear()
            if new or (len(inside) < INSIDE and _has_value(theorem, params)):
                branches.current.clear()
                inside.append(params)
        if len(failing) == 1 and len(beyond[failing[0]]) < BEYOND:
            beyond[failing[0]].append(params)
        if len(inside) >= INSIDE and not branches.missing and sum(map(len, beyond.values())) == beyond_enough:
            break
    ends = [point for text in beyond for point in _edges(theorem, text, inside, source)]
    points = (*inside, *(params for each in beyond.values() for params in each), *ends)
    return tuple(dict(entries) for entries in dict.fromkeys(tuple(params.items()) for params in points))


class Branches:
    """A theorem that records which branches of its formula and of its point of the claim were evaluated.

    ``missing`` are the branches that no point has taken yet, ``current`` those of the evaluations since the last point.
    """

    def __init__(self, theorem: Theorem) -> None:
        self.current: set[tuple[str, int]] = set()
        formula, count = mark_branches(theorem.formula, partial(self._mark, "formula"))
        self.missing = {("formula", number) for number in range(count)}
        self.theorem = replace(theorem, formula=formula)
        if theorem.at:
            at, count = mark_branches(theorem.at, partial(self._mark, "at"))
            self.missing |= {("at", number) for number in range(count)}
            self.theorem = replace(self.theorem, at=at)

    def _mark(self, part: str, number: int, *values: Any) -> Any:
        value, branches = take(number, *values)
        self.current |= {(part, each) for each in branches}
        return value

    def took_new_branch(self) -> bool:
        """Return whether the evaluations since the last call took a branch for the first time."""
        new = self.current & self.missing
        self.missing -= new
        self.current.clear()
        return bool(new)


def _edges(theorem: Theorem, text: str, inside: list[Params], source: Random) -> Iterator[Params]:
    """Yield pairs of neighbouring points; the first satisfies all conditions, the second fails only the one named."""
    condition = next(each for each in theorem.conditions if each.text == text)
    names = [condition.parameter, *(name for name in theorem.parameters if name != condition.parameter)]
    pairs = 0
    for params in inside:
        for name in names:
            outside = next(
                (each for each in _move(params, name, source) if _failing_conditions(theorem, each) == [text]), None
            )
            if outside is None:
                continue
            pair = _narrow(theorem, text, params, outside, name)
            if pair:
                yield from pair
                pairs += 1
                break
        if pairs == EDGES:
            return


def _move(params: Params, name: str, source: Random) -> Iterator[Params]:
    """Yield the point with other values of one parameter: its neighbours, then values drawn at random."""
    parameter, value = PARAMETERS[name], params[name]
    near = [value - 1, value + 1] if parameter.integer else [nextafter(value, 0), nextafter(value, inf)]
    for other in (*near, *(_value(name, source) for _ in range(TRIES))):
        if parameter.low <= other <= parameter.high:
            yield {**params, name: other}


def _narrow(theorem: Theorem, text: str, good: Params, bad: Params, name: str) -> tuple[Params, Params] | None:
    """Return points at neighbouring values of one parameter; the theorem has a value at the first of them."""
    low, high = good[name], bad[name]
    while True:
        middle = (low + high) // 2 if PARAMETERS[name].integer else (low + high) / 2
        if middle in (low, high):
            break
        failing = _failing_conditions(theorem, {**good, name: middle})
        if failing == []:
            low = middle
        elif failing == [text]:
            high = middle
        else:
            return None
    if PARAMETERS[name].integer and abs(high - low) > 1:  # the division rounded to the lower end
        return None
    pair = {**good, name: low}, {**good, name: high}
    return pair if _has_value(theorem, pair[0]) else None


def _has_value(theorem: Theorem, params: Params, most: int = FEW_TURNS) -> bool:
    """Return whether the theorem has a value at a point within a number of turns."""
    return outcome(theorem, params, most)[0] == VALUE


def _failing_conditions(theorem: Theorem, params: Params) -> list[str] | None:
    """Return the texts of the conditions that fail; None where one cannot be evaluated."""
    try:
        return [condition.text for condition in theorem.conditions if not condition.holds(params)]
    except (ArithmeticError, ValueError):
        return None


def _draw_point(theorem: Theorem, source: Random) -> dict[str, Any]:
    params = {name: _value(name, source) for name in theorem.parameters}
    if {"steps", "clients"} <= set(params) and source.random() < 0.5:  # the clients fill the steps evenly
        params["clients"] = params["steps"] * max(1, params["clients"] // params["steps"])
    if "order" in params and source.random() < 0.5:
        params["order"] = float(max(2, round(params["order"])))
    for name in ("epsilon", "delta0"):
        if name in params and source.random() < 0.05:
            params[name] = 0.0
    return params


def _draw_far_point(theorem: Theorem, source: Random) -> dict[str, Any]:
    """Return a point drawn uniformly from the ranges; probabilities are near an end, 0 or 1, more often."""
    params: dict[str, Any] = {}
    for name in theorem.parameters:
        low, high = RANGES[name][source.random() < 0.5]
        value = source.uniform(low, high)
        if PARAMETERS[name].integer or (name == "order" and source.random() < 0.5):
            value = max(round(value), int(low) + (name == "order"))
        elif high <= 1 and source.random() < 0.3:
            value = source.choice([1.0 if not PARAMETERS[name].high_open else high, 1e-20 * source.uniform(0.1, 1)])
        params[name] = value
    return params


def _value(name: str, source: Random) -> float:
    low, high = RANGES[name][source.random() < 1 / 6]
    value = exp(source.uniform(log(low), log(high)))
    return max(round(value), int(low)) if PARAMETERS[name].integer else float(f"{value:.4g}")


def pin(params: Params, result: Outcome) -> dict[str, Any]:
    """Return a point with its outcome, ready for JSON."""
    return {"params": dict(params), "outcome": result[0], "value": result[1], "at": result[2]}


def read_pin(values: Mapping[str, Any]) -> tuple[Params, Outcome]:
    """Return the point and the outcome that :func:`pin` has stored."""
    return values["params"], (values["outcome"], values["value"], values["at"])
