"""Points at which formulas are compared: drawn once, inside a theorem's conditions and beyond each of them."""

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
from .formula_edits import CLOCK, MOST_TURNS, Endless, branching, taken

Params = Mapping[str, float]

# Values are the same up to this relative difference: one formula evaluated twice by the same steps gives equal bits.
SAME = 1e-13
# How many points are drawn inside the conditions.
INSIDE = 24
# How many points are drawn beyond each condition alone.
BEYOND = 2
# Draws before giving up.
DRAWS = 4_000
# Draws after which a branch that none of them takes is given up: two forms of one value may meet where no float lies.
SEARCH = 1_200
# Pairs of points at the limit of each condition.
EDGES = 2
# Values of a parameter tried to find one beyond a condition.
TRIES = 12
# Draws are logarithmic, from the first range; one in six from the second, where forms of a formula change.
RANGES: Mapping[str, tuple[tuple[float, float], tuple[float, float]]] = {
    "steps": ((1, 3e3), (1, 12)),
    "window": ((1, 3e3), (1, 1e9)),
    "clients": ((2, 1e5), (1, 1e9)),
    "categories": ((2, 50), (2, 3)),
    "eps0": ((0.02, 4), (1e-6, 15)),
    "eps0_last": ((0.02, 4), (1e-6, 15)),
    "delta0": ((1e-36, 1e-3), (1e-3, 0.9)),
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
# Points of sums that take more turns of their loops are left out: there are thousands of mutants.
FEW_TURNS = 3_000
# The same where a branch is looked for that no other point takes.
MORE_TURNS = 15_000

VALUE = "value"
OUTSIDE = "outside"
REFUSED = "refused"
# What a theorem says at a point: one of the three words above, the value, and where it is claimed.
Outcome = tuple[str, float, float]


def outcome(theorem: Theorem, params: Params, most: int = MOST_TURNS) -> Outcome:
    """Return what comes of asking; a formula that never ends or takes all memory is refused like one that overflows."""
    CLOCK.start(most)
    try:
        bound = theorem(**params)
    except ConditionError:
        return OUTSIDE, 0.0, 0.0
    except (PldcheckError, Endless, RecursionError, MemoryError):
        return REFUSED, 0.0, 0.0
    return (REFUSED, 0.0, 0.0) if isnan(bound.at) else (VALUE, bound.value, bound.at)


@dataclass
class Said:
    """What a theorem says, each point evaluated once."""

    theorem: Theorem
    known: dict[tuple[Any, ...], Outcome] = field(default_factory=dict)

    def at(self, params: Params) -> Outcome:
        """Return the outcome there."""
        key = tuple(params.items())
        if key not in self.known:
            self.known[key] = outcome(self.theorem, params)
        return self.known[key]


def same(one: Outcome, other: Outcome, tolerance: float = SAME) -> bool:
    """Return whether two outcomes are one, rounding aside."""
    return one[0] == other[0] and all(close(a, b, tolerance) for a, b in zip(one[1:], other[1:], strict=True))


def close(one: float, other: float, tolerance: float) -> bool:
    """Return whether two numbers agree relatively; infinite ones only with themselves."""
    return one == other or abs(one - other) <= tolerance * min(abs(one), abs(other)) < inf


@cache
def drawn(theorem: Theorem, purpose: str) -> tuple[Params, ...]:
    """Return points by a generator that the theorem's id and the purpose seed: the same in every process.

    Inside the conditions, more where a branch of the formula is taken by none of them; beyond each condition; and next
    to the limit of each, on both sides.
    """
    source = Random(f"{theorem.id}, {purpose}")
    inside: list[Params] = []
    beyond: dict[str, list[Params]] = {condition.text: [] for condition in theorem.conditions}
    wanted = len(beyond) * BEYOND
    branches = Branches(theorem)
    theorem = branches.theorem
    for draw in range(DRAWS):
        if draw == SEARCH:
            branches.left.clear()
        # A branch that is not taken yet is looked for at the ends of the ranges.
        params = _far(theorem, source) if len(inside) >= INSIDE and branches.left else _drawn(theorem, source)
        failed = _failed(theorem, params)
        if failed is None:
            continue
        if not failed and (len(inside) < INSIDE or branches.left):
            new = _says(theorem, params, MORE_TURNS) and branches.met()
            branches.now.clear()
            if new or (len(inside) < INSIDE and _says(theorem, params)):
                branches.now.clear()
                inside.append(params)
        if len(failed) == 1 and len(beyond[failed[0]]) < BEYOND:
            beyond[failed[0]].append(params)
        if len(inside) >= INSIDE and not branches.left and sum(map(len, beyond.values())) == wanted:
            break
    ends = [point for text in beyond for point in _edges(theorem, text, inside, source)]
    found = (*inside, *(params for each in beyond.values() for params in each), *ends)
    return tuple(dict(entries) for entries in dict.fromkeys(tuple(params.items()) for params in found))


class Branches:
    """A theorem that remembers which branches of its formula, and of where it is claimed, its values have come by."""

    def __init__(self, theorem: Theorem) -> None:
        self.now: set[tuple[str, int]] = set()
        formula, count = branching(theorem.formula, partial(self._mark, "formula"))
        self.left = {("formula", number) for number in range(count)}
        self.theorem = replace(theorem, formula=formula)
        if theorem.at:
            at, count = branching(theorem.at, partial(self._mark, "at"))
            self.left |= {("at", number) for number in range(count)}
            self.theorem = replace(self.theorem, at=at)

    def _mark(self, part: str, number: int, *values: Any) -> Any:
        found, branches = taken(number, *values)
        self.now |= {(part, each) for each in branches}
        return found

    def met(self) -> bool:
        """Return whether what was evaluated since took a branch for the first time."""
        new = self.now & self.left
        self.left -= new
        self.now.clear()
        return bool(new)


def _edges(theorem: Theorem, text: str, inside: list[Params], source: Random) -> Iterator[Params]:
    """Yield pairs of neighbouring points of which only the second fails the condition, and no other."""
    condition = next(each for each in theorem.conditions if each.text == text)
    names = [condition.parameter, *(name for name in theorem.parameters if name != condition.parameter)]
    found = 0
    for params in inside:
        for name in names:
            outside = next((each for each in _moved(params, name, source) if _failed(theorem, each) == [text]), None)
            if outside is None:
                continue
            pair = _narrowed(theorem, text, params, outside, name)
            if pair:
                yield from pair
                found += 1
                break
        if found == EDGES:
            return


def _moved(params: Params, name: str, source: Random) -> Iterator[Params]:
    """Yield the point with another value of one parameter: any, and its neighbours."""
    parameter, value = PARAMETERS[name], params[name]
    near = [value - 1, value + 1] if parameter.integer else [nextafter(value, 0), nextafter(value, inf)]
    for other in (*near, *(_value(name, source) for _ in range(TRIES))):
        if parameter.low <= other <= parameter.high:
            yield {**params, name: other}


def _narrowed(theorem: Theorem, text: str, good: Params, bad: Params, name: str) -> tuple[Params, Params] | None:
    """Return neighbouring values of one parameter, at the first of which the theorem says something."""
    low, high = good[name], bad[name]
    while True:
        middle = (low + high) // 2 if PARAMETERS[name].integer else (low + high) / 2
        if middle in (low, high):
            break
        failed = _failed(theorem, {**good, name: middle})
        if failed == []:
            low = middle
        elif failed == [text]:
            high = middle
        else:
            return None
    if PARAMETERS[name].integer and abs(high - low) > 1:  # rounded down to the lower of the two
        return None
    pair = {**good, name: low}, {**good, name: high}
    return pair if _says(theorem, pair[0]) else None


def _says(theorem: Theorem, params: Params, most: int = FEW_TURNS) -> bool:
    """Return whether the theorem has a value there, soon."""
    return outcome(theorem, params, most)[0] == VALUE


def _failed(theorem: Theorem, params: Params) -> list[str] | None:
    """Return the texts of the conditions that fail; None where one cannot be evaluated."""
    try:
        return [condition.text for condition in theorem.conditions if not condition.holds(params)]
    except (ArithmeticError, ValueError):
        return None


def _drawn(theorem: Theorem, source: Random) -> dict[str, Any]:
    params = {name: _value(name, source) for name in theorem.parameters}
    if {"steps", "clients"} <= set(params) and source.random() < 0.5:  # whole repetitions
        params["clients"] = params["steps"] * max(1, params["clients"] // params["steps"])
    if "order" in params and source.random() < 0.5:
        params["order"] = float(max(2, round(params["order"])))
    for name in ("epsilon", "delta0"):
        if name in params and source.random() < 0.05:
            params[name] = 0.0
    return params


def _far(theorem: Theorem, source: Random) -> dict[str, Any]:
    """A point whose values are spread evenly over their ranges, or are at an end: 1 of a probability, or nearly 0."""
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


def pin(params: Params, found: Outcome) -> dict[str, Any]:
    """Return a point with what is said there, ready for JSON."""
    return {"params": dict(params), "outcome": found[0], "value": found[1], "at": found[2]}


def unpinned(values: Mapping[str, Any]) -> tuple[Params, Outcome]:
    """Return the inverse."""
    return values["params"], (values["outcome"], values["value"], values["at"])
