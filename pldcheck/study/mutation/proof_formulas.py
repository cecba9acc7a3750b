"""Where the audit's chain of a theorem writes its formula down a second time, in other hands' code."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from flint import arb, ctx

from ...core.errors import PldcheckError
from ...theorems import REGISTRY, Bound
from ...theorems.papers import chains
from ...theorems.proof_step import Step
from .comparison_points import Params, close, drawn

# Of the arithmetic of a step, and how near it is to be to a formula in floats.
BITS = 128
NEAR = 1e-11
VALUE = "value"
AT = "at"


@cache
def written(theorem: str) -> tuple[tuple[str, str, tuple[tuple[Params, float], ...]], ...]:
    """Sides of steps that are the theorem's formula, or where it is claimed, at all points drawn inside its conditions.

    Each with the step, which of the two it is, and its values; empty for a theorem without a chain.
    """
    if theorem not in chains():
        return ()
    bounds = list(_bounds(theorem))
    found = []
    for step in chains()[theorem].steps:
        if not isinstance(step, Step):
            continue
        for name, side in (("left", step.left), ("right", step.right)):
            for part in (VALUE, AT) if REGISTRY[theorem].at else (VALUE,):
                values = _values(step, side, bounds, part)
                if bounds and len(values) == len(bounds):
                    found.append((f"{step.id} {name}", part, tuple(values)))
    return tuple(found)


def _bounds(theorem: str) -> Iterator[Bound]:
    for params in drawn(REGISTRY[theorem], "chain"):
        try:
            yield REGISTRY[theorem](**params)
        except PldcheckError:
            continue


def _values(step: Step, side: Callable[..., Any], bounds: list[Bound], part: str) -> list[tuple[Params, float]]:
    """Return the values of a side, as far as they are the theorem's."""
    values: list[tuple[Params, float]] = []
    with ctx.workprec(BITS):
        for bound in bounds:
            known = _named(bound)
            if not set(step.box) <= set(known):
                break
            value = float(side(**{name: known[name] for name in step.box}).mid())
            if not close(value, bound.value if part == VALUE else bound.at, NEAR):
                break
            values.append((bound.params, value))
    return values


def _named(bound: Bound) -> Mapping[str, Any]:
    """Return a theorem's parameters under the names that steps have for them."""
    params = {name: arb(value) for name, value in bound.params.items()}
    known = dict(params)
    # Sliding windows always use the record.
    known["weight"] = params.get("weight", params.get("check_in_prob", arb(1)))
    for steps, theirs in (("steps", "window"), ("trials", "steps")):
        if theirs in params:
            known.setdefault(steps, params[theirs])
    for name in ("delta", "delta2", "beta"):
        if name in params:
            known[f"log_inverse_{name}"] = -params[name].log()
    if REGISTRY[bound.theorem].quantity == "epsilon":
        known["epsilon"] = arb(bound.value)
    return known
