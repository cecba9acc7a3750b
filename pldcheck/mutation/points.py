"""Points at which formulas are compared: drawn once, inside a theorem's conditions and beyond each of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from math import exp, inf, isnan, log
from random import Random
from typing import Any

from ..errors import ConditionError, PldcheckError
from ..parameters import PARAMETERS
from ..theorems import Theorem
from .source import CLOCK, MOST_TURNS, Endless, counted

Params = Mapping[str, float]

# Values are the same up to this relative difference: one formula evaluated twice by the same steps gives equal bits.
SAME = 1e-13
# How many are drawn inside the conditions, and beyond each condition alone; draws before giving up.
INSIDE, BEYOND, DRAWS = 24, 2, 4_000
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
    "order": ((1.01, 40), (1.001, 100)),
    "delta": ((1e-12, 0.3), (1e-280, 0.9)),
    "epsilon": ((0.01, 6), (1e-6, 60)),
}
# Points of sums that take more turns of their loops are left out: there are thousands of mutants.
FEW_TURNS = 3_000

VALUE, OUTSIDE, REFUSED = "value", "outside", "refused"
# What a theorem says at a point: one of the three words above, the value, and where it is claimed.
Outcome = tuple[str, float, float]


def outcome(theorem: Theorem, params: Params, most: int = MOST_TURNS) -> Outcome:
    """What comes of asking; a formula that never ends or takes all memory is refused like one that overflows."""
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
        """The outcome there."""
        key = tuple(params.items())
        if key not in self.known:
            self.known[key] = outcome(self.theorem, params)
        return self.known[key]


def same(one: Outcome, other: Outcome, tolerance: float = SAME) -> bool:
    """Whether two outcomes are one, rounding aside."""
    return one[0] == other[0] and all(close(a, b, tolerance) for a, b in zip(one[1:], other[1:], strict=True))


def close(one: float, other: float, tolerance: float) -> bool:
    """Whether two numbers agree relatively; infinite ones only with themselves."""
    return one == other or abs(one - other) <= tolerance * min(abs(one), abs(other)) < inf


@cache
def drawn(theorem: Theorem, purpose: str) -> tuple[Params, ...]:
    """Points by a generator that the theorem's id and the purpose seed: the same in every process."""
    source = Random(f"{theorem.id}, {purpose}")
    inside: list[Params] = []
    beyond: dict[str, list[Params]] = {condition.text: [] for condition in theorem.conditions}
    wanted = len(beyond) * BEYOND
    theorem = replace(theorem, formula=counted(theorem.formula))
    for _ in range(DRAWS):
        params = _drawn(theorem, source)
        failed = _failed(theorem, params)
        if failed is None:
            continue
        if not failed and len(inside) < INSIDE and _says(theorem, params):
            inside.append(params)
        if len(failed) == 1 and len(beyond[failed[0]]) < BEYOND:
            beyond[failed[0]].append(params)
        if len(inside) == INSIDE and sum(map(len, beyond.values())) == wanted:
            break
    return (*inside, *(params for found in beyond.values() for params in found))


def _says(theorem: Theorem, params: Params) -> bool:
    """Whether the theorem has a value there, soon."""
    return outcome(theorem, params, FEW_TURNS)[0] == VALUE


def _failed(theorem: Theorem, params: Params) -> list[str] | None:
    """The texts of the conditions that fail; None where one cannot be evaluated."""
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


def _value(name: str, source: Random) -> float:
    low, high = RANGES[name][source.random() < 1 / 6]
    value = exp(source.uniform(log(low), log(high)))
    return max(round(value), int(low)) if PARAMETERS[name].integer else float(f"{value:.4g}")


def pin(params: Params, found: Outcome) -> dict[str, Any]:
    """A point with what is said there, ready for JSON."""
    return {"params": dict(params), "outcome": found[0], "value": found[1], "at": found[2]}


def unpinned(values: Mapping[str, Any]) -> tuple[Params, Outcome]:
    """The inverse."""
    return values["params"], (values["outcome"], values["value"], values["at"])
