"""The sides of steps of a proof that equal the formula of the theorem: a second, independent form of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from flint import arb, ctx

from ...core.errors import PldcheckError
from ...theorems import REGISTRY, Bound
from ...theorems.papers import chains
from ...theorems.proof_step import Step
from .comparison_points import Params, close, draw_points

# Bits of the balls in which a step is evaluated.
BITS = 128
# Relative difference below which a side equals the formula, which is evaluated in floats.
NEAR = 1e-11
# The side equals the value of the formula.
VALUE = "value"
# The side equals the delta, epsilon or order at which the bound is claimed.
AT = "at"


@cache
def formula_sides(theorem: str) -> tuple[tuple[str, str, tuple[tuple[Params, float], ...]], ...]:
    """Return the sides of steps that equal the theorem's formula, or its point of the claim, at all points drawn.

    Each entry has the step and the side, which of the two it equals, and its values.  The result is empty for a theorem
    without a chain.
    """
    if theorem not in chains():
        return ()
    bounds = list(_bounds(theorem))
    sides = []
    for step in chains()[theorem].steps:
        if not isinstance(step, Step):
            continue
        for name, side in (("left", step.left), ("right", step.right)):
            for part in (VALUE, AT) if REGISTRY[theorem].at else (VALUE,):
                values = _values(step, side, bounds, part)
                if bounds and len(values) == len(bounds):
                    sides.append((f"{step.id} {name}", part, tuple(values)))
    return tuple(sides)


def _bounds(theorem: str) -> Iterator[Bound]:
    for params in draw_points(REGISTRY[theorem], "chain"):
        try:
            yield REGISTRY[theorem](**params)
        except PldcheckError:
            continue


def _values(step: Step, side: Callable[..., Any], bounds: list[Bound], part: str) -> list[tuple[Params, float]]:
    """Return the values of a side, up to the first point at which they differ from the theorem."""
    values: list[tuple[Params, float]] = []
    with ctx.workprec(BITS):
        for bound in bounds:
            params = _step_parameters(bound)
            if not set(step.box) <= set(params):
                break
            value = float(side(**{name: params[name] for name in step.box}).mid())
            if not close(value, bound.value if part == VALUE else bound.at, NEAR):
                break
            values.append((bound.params, value))
    return values


def _step_parameters(bound: Bound) -> Mapping[str, Any]:
    """Return the parameters of a bound under the names that steps of proofs use."""
    params = {name: arb(value) for name, value in bound.params.items()}
    values = dict(params)
    # Sliding windows always use the record.
    values["weight"] = params.get("weight", params.get("check_in_prob", arb(1)))
    for steps, theirs in (("steps", "window"), ("trials", "steps")):
        if theirs in params:
            values.setdefault(steps, params[theirs])
    for name in ("delta", "delta2", "beta"):
        if name in params:
            values[f"log_inverse_{name}"] = -params[name].log()
    if REGISTRY[bound.theorem].quantity == "epsilon":
        values["epsilon"] = arb(bound.value)
    return values
