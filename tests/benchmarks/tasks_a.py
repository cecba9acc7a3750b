"""(a) The hidden slot over the number of steps; nobody else has it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from . import limits
from .case import Case

GROUP = "hidden slot"
SIZES = (1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9)
# Other budgets, weights and deltas: (steps, eps0, weight, delta).
OTHERS = ((1e4, 4.0, 1.0, 1e-6), (1e6, 1.0, 0.1, 1e-12), (1e9, 1.0, 1.0, 1e-100), (1e12, 1.0, 1.0, 1e-12))
# Relative width asked for.
WIDTH = 0.005


def cases(quick: bool) -> list[Case]:
    """Return one case for each number of steps."""
    choice = [(steps, 1.0, 1.0, 1e-6) for steps in SIZES] + list(OTHERS)
    return [case(*one) for one in (choice[1:8:6] if quick else choice)]


def case(steps: float, eps0: float, weight: float, delta: float) -> Case:
    """Return the case of one point."""
    params = {"steps": int(steps), "eps0": eps0, "weight": weight, "delta": delta}
    return Case("a", GROUP, f"m={steps:.0e} eps0={eps0:g} w={weight:g} delta={delta:g}", params)


def ours(params: Mapping[str, Any]) -> tuple[Callable[[], Any], Callable[[Any], limits.Limit | None]]:
    """Return what is run, and its limit."""
    from pldcheck import HiddenSlot

    slot = HiddenSlot(params["steps"], params["eps0"], params["weight"])
    width = params.get("width", WIDTH)
    return lambda: slot.epsilon(params["delta"], width), lambda answer: limit(params, answer.upper, width)


def limit(params: Mapping[str, Any], epsilon: float, width: float) -> limits.Limit | None:
    """Return the limit: one recursion of the first plan's block at the answer, with the windows already known."""
    import numpy as np

    from pldcheck.hidden_slot.worst import few_slot_recursion, worst_intervals, worst_upper
    from pldcheck.hidden_slot.worst.step_laws import Steps
    from pldcheck.kernels.slot_recursion import potential

    steps = params["steps"]
    if steps <= few_slot_recursion.MOST_STEPS:  # enumerated
        return None
    plan = next(worst_intervals._plans(steps, width))
    block = steps if plan.block >= steps else worst_upper.blocks(steps, plan.block)[0]
    laws = Steps(params["eps0"], epsilon)
    shifts, fractions = worst_upper.moves(laws.values, plan.grid * laws.deviation)
    edge = (6.0 * np.sqrt(np.arange(block + 1)) / plan.grid).astype(np.int64) + 2
    none = np.zeros(0, np.int64)
    arguments = (shifts, fractions, *laws.probabilities, -edge, edge, none, none, 0, 1)
    return limits.node_steps(potential, arguments)
