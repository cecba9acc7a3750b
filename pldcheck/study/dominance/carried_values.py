"""The bound that one theorem gives for the protocol of another: a chain of reductions, and a choice of its slack."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from functools import lru_cache
from itertools import product

from ...core.errors import PldcheckError
from ...theorems import GIVEN, REGISTRY, Bound, Theorem
from ...theorems.papers import reductions, scenes
from ...theorems.reduction import Params, Reduction

# Shares of the available delta that are tried for a slack that a theorem leaves free.  Every choice gives a true bound;
# more choices could only improve it.
SHARES = (1.0, 1 - 1e-6, 0.99, 0.5)
# Values that are tried for the distance delta1; again every choice gives a true bound.
DISTANCES = tuple(10.0**-k for k in range(4, 65, 4))
# Parameters that a theorem about epsilon leaves free.
SLACKS = ("delta", "delta1", "delta2")


def scene(theorem: Theorem) -> str:
    """Return the name of the setting for which a theorem is stated: its protocol, or a variant of it."""
    return scenes().get(theorem.id, theorem.protocol)


def chains_from(start: str) -> dict[str, tuple[Reduction, ...]]:
    """Return the settings whose bounds hold for this one, each with a shortest chain of reductions to it."""
    chains: dict[str, tuple[Reduction, ...]] = {start: ()}
    waiting = deque([start])
    while waiting:
        place = waiting.popleft()
        for reduction in reductions():
            if reduction.special == place and reduction.general not in chains:
                chains[reduction.general] = (*chains[place], reduction)
                waiting.append(reduction.general)
    return chains


def own_bound(theorem: Theorem, params: Params) -> Bound | None:
    """Return the bound of a theorem; None outside its conditions or the range of floats."""
    return _bound(theorem.id, tuple(params.items()))


def carried_bound(other: Theorem, chain: tuple[Reduction, ...], bound: Bound) -> Bound | None:
    """Return the bound of ``other`` on the subject of ``bound``, at its epsilon or order, or at most its delta.

    Returns None where the conditions of ``other`` fail or its parameters cannot describe the subject.  The slack that
    ``other`` leaves free is that of ``bound`` where it can be, and else the best of several choices.
    """
    params = _mapped_parameters(chain, bound.params)
    if params is None or not _describes(other, params):
        return None
    at = GIVEN[other.quantity]
    values = {name: _value(name, params) for name in other.parameters if name not in (*SLACKS, at)}
    if other.at is None:
        return _bound(other.id, tuple({**values, at: bound.at}.items()))
    best = None
    names = [name for name in SLACKS if name in other.parameters]
    if all(name in bound.params for name in names):
        best = _bound_at_most(other, values, {name: bound.params[name] for name in names}, bound.at)
    for slack in () if best else _slacks(names, bound.at):
        candidate = _bound_at_most(other, values, slack, bound.at)
        if candidate and (best is None or candidate.value < best.value):
            best = candidate
    return best


def _bound_at_most(other: Theorem, values: Params, slack: Params, most: float) -> Bound | None:
    """Return the bound of a theorem if its delta is at most ``most``: then it is the stronger claim."""
    bound = _bound(other.id, tuple({**values, **slack}.items()))
    return bound if bound and bound.at <= most else None


def _mapped_parameters(chain: tuple[Reduction, ...], params: Params) -> dict[str, float] | None:
    """Return the parameters at the end of a chain; None where a reduction does not hold for the randomizer."""
    values = dict(params)
    for reduction in chain:
        if reduction.pure and values.get("delta0", 0):
            return None
        common = {name: values[name] for name in ("delta0", "order", "epsilon", *SLACKS) if name in values}
        values = {**common, **reduction.map_parameters(values)}
    return values


def _describes(other: Theorem, params: Params) -> bool:
    """Return whether the parameters that the other theorem lacks have values at which they make no difference."""
    if "delta0" not in other.parameters and params.get("delta0", 0):
        return False
    if "steps" not in other.parameters and params.get("steps", 1) != 1:
        return False
    uneven = "eps0_last" in params and params["steps"] > 1 and params["eps0_last"] != params["eps0"]
    return "eps0_last" in other.parameters or not uneven


def _value(name: str, params: Params) -> float:
    """Return a parameter of the general theorem; by default pure randomizers, one step and equal budgets."""
    if name in params:
        return params[name]
    return {"delta0": 0.0, "steps": 1, "eps0_last": params.get("eps0", 0.0)}[name]


def _slacks(names: list[str], most: float) -> Iterator[dict[str, float]]:
    """Yield choices of the slack that a theorem leaves free."""
    shares = [share * most for share in SHARES]
    values = {"delta": shares, "delta1": DISTANCES, "delta2": shares}
    for choice in product(*(values[name] for name in names)):
        yield dict(zip(names, choice, strict=True))


@lru_cache(maxsize=10**6)
def _bound(theorem: str, params: tuple[tuple[str, float], ...]) -> Bound | None:
    try:
        return REGISTRY[theorem](**dict(params))
    except PldcheckError:
        return None
