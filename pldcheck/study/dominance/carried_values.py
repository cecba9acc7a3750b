"""What one theorem says of another's protocol: its parameters brought over, and its slack chosen."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import product

from ...core.errors import PldcheckError
from ...theorems import GIVEN, REGISTRY, Bound, Theorem
from ...theorems.reduction import Params, Reduction

# What a theorem may choose freely, with the values tried where another is to be matched: shares of the delta at hand,
# and distances delta1.  Any choice is a true bound, so more of them could only make it better.
SHARES = (1.0, 1 - 1e-6, 0.99, 0.5)
DISTANCES = tuple(10.0**-k for k in range(4, 65, 4))
SLACKS = ("delta", "delta1", "delta2")


def own(theorem: Theorem, params: Params) -> Bound | None:
    """Return its bound; None outside its conditions or the range of floats."""
    return _bound(theorem.id, tuple(params.items()))


def brought(other: Theorem, chain: tuple[Reduction, ...], bound: Bound) -> Bound | None:
    """What ``other`` says of what ``bound`` is about, at the same delta, epsilon or order, or at a smaller delta.

    None where its conditions do not hold or its parameters cannot say it.  What it leaves free is chosen as in
    ``bound`` where that will do, and else as the best of some.
    """
    params = _mapped(chain, bound.params)
    if params is None or not _says(other, params):
        return None
    given = GIVEN[other.quantity]
    known = {name: _value(name, params) for name in other.parameters if name not in (*SLACKS, given)}
    if other.at is None:
        return _bound(other.id, tuple({**known, given: bound.at}.items()))
    best = None
    names = [name for name in SLACKS if name in other.parameters]
    if all(name in bound.params for name in names):
        best = _within(other, known, {name: bound.params[name] for name in names}, bound.at)
    for slack in () if best else _slacks(names, bound.at):
        found = _within(other, known, slack, bound.at)
        if found and (best is None or found.value < best.value):
            best = found
    return best


def _within(other: Theorem, known: Params, slack: Params, most: float) -> Bound | None:
    """Return its bound, if that is claimed at a delta of at most so much: then it is the stronger claim."""
    found = _bound(other.id, tuple({**known, **slack}.items()))
    return found if found and found.at <= most else None


def _mapped(chain: tuple[Reduction, ...], params: Params) -> dict[str, float] | None:
    """Return the parameters at the end of the chain; None where a reduction is for other randomizers."""
    values = dict(params)
    for reduction in chain:
        if reduction.pure and values.get("delta0", 0):
            return None
        kept = {name: values[name] for name in ("delta0", "order", "epsilon", *SLACKS) if name in values}
        values = {**kept, **reduction.mapped(values)}
    return values


def _says(other: Theorem, params: Params) -> bool:
    """Return whether parameters that the other theorem does not have are such as to make no difference."""
    if "delta0" not in other.parameters and params.get("delta0", 0):
        return False
    if "steps" not in other.parameters and params.get("steps", 1) != 1:
        return False
    uneven = "eps0_last" in params and params["steps"] > 1 and params["eps0_last"] != params["eps0"]
    return "eps0_last" in other.parameters or not uneven


def _value(name: str, params: Params) -> float:
    """A parameter of the general theorem; pure randomizers, one step and equal budgets where nothing else is said."""
    if name in params:
        return params[name]
    return {"delta0": 0.0, "steps": 1, "eps0_last": params.get("eps0", 0.0)}[name]


def _slacks(names: list[str], most: float) -> Iterator[dict[str, float]]:
    """Choices of what a theorem leaves free."""
    shares = [share * most for share in SHARES]
    tried = {"delta": shares, "delta1": DISTANCES, "delta2": shares}
    for choice in product(*(tried[name] for name in names)):
        yield dict(zip(names, choice, strict=True))


@lru_cache(maxsize=10**6)
def _bound(theorem: str, params: tuple[tuple[str, float], ...]) -> Bound | None:
    try:
        return REGISTRY[theorem](**dict(params))
    except PldcheckError:
        return None
