"""Check-ins with (eps0, delta0)-DP randomizers: the cost of the factor 8 on eps0.

All bounds have the same total delta.  The second term of a theorem takes the least delta1 that its condition admits,
and the rest is for composition.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from ...core.errors import PldcheckError
from ...hidden_slot.approximate import approximate_slot as certified
from ...protocols import HiddenSlot
from ...theorems import REGISTRY
from ...theorems.balle20.shuffling_and_swaps import tolerated
from .comparison import Comparison, Progress, column, over

# Steps of the grid.
STEPS = (10**3, 10**5, 10**7)
# Budgets of the grid.
EPS0 = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0)
# The delta0 of the randomizer.
DELTA0 = 1e-15
# The total delta.
DELTA = 1e-6
# Most iterations for delta1 and for the delta of composition; both converge geometrically.
ROUNDS = 200
# Relative precision of both.
CLOSE = 1e-9


@dataclass(frozen=True)
class Approximate:
    """Epsilon of one epoch of check-ins at a total ``delta``; None where a theorem has no bound at that delta.

    ``thm_3_2_approx`` and ``main`` have delta1 and delta0 in their delta.  ``square`` compares d and d' each with the
    reference record.  A bound above ``eps0`` is vacuous.
    """

    steps: int = column("m")
    eps0: float = column("eps0")
    delta0: float = column("delta0")
    delta1: float | None = column("delta1")
    thm_3_2_approx: float | None = column("thm-3.2-approx")
    main: float | None = column("thm-3.2-approx-main")
    improved: float | None = column("thm-3.2-approx-improved")
    square: float = column("square")
    lower: float = column("truth lower")
    upper: float = column("truth upper")


def approximate(
    *,
    steps: Sequence[int] = STEPS,
    eps0: Sequence[float] = EPS0,
    delta0: float = DELTA0,
    delta: float = DELTA,
    progress: Progress | None = None,
) -> Comparison[Approximate]:
    """Return the bounds of Theorem 3.2 for approximate randomizers beside certified intervals; every client checks in.

    Raises ParameterError for a value that is not allowed.
    """
    rows = over(steps, eps0, row=partial(_row, delta0, delta), progress=progress)
    params = {"steps": list(steps), "eps0": list(eps0), "delta0": delta0, "delta": delta}
    return Comparison("approximate", "Epsilon after check-ins with (eps0, delta0)-DP randomizers", params, rows)


def _row(delta0: float, delta: float, m: int, eps0: float) -> Approximate:
    slot = HiddenSlot(m, eps0, delta0=delta0)
    truth = slot.epsilon(delta)
    at = {"steps": m, "eps0": eps0, "check_in_prob": 1.0, "delta0": delta0}
    delta1 = _least_delta1(eps0, delta0)
    return Approximate(
        steps=m,
        eps0=eps0,
        delta0=delta0,
        delta1=delta1,
        thm_3_2_approx=delta1 and _claim_at_total("thm-3.2-approx", delta, **at, delta1=delta1),
        main=delta1 and _claim_at_total("thm-3.2-approx-main", delta, **at, delta1=delta1),
        improved=_claim_at_total("thm-3.2-approx-improved", delta, **at),
        square=certified.square_epsilon(slot.problem.slot, delta0, delta),
        lower=truth.lower,
        upper=truth.upper,
    )


def _least_delta1(eps0: float, delta0: float) -> float | None:
    """Return the least delta1 that the condition admits; None if there is none below 1."""
    delta1 = 0.5
    for _ in range(ROUNDS):
        delta1 = delta0 * delta1 / tolerated(eps0, delta1) * (1 + CLOSE)
        if not 0 < delta1 < 1:
            return None
    return delta1


def _claim_at_total(name: str, delta: float, **at: float) -> float | None:
    """Return epsilon of a theorem at a total of ``delta``; None where its second term alone is larger."""
    own_delta = delta
    for _ in range(ROUNDS):
        try:
            bound = REGISTRY[name](**at, delta=own_delta)
        except PldcheckError:
            return None
        above = (bound.delta_total or 0.0) - delta
        if above <= CLOSE * delta:
            return bound.value
        own_delta -= above
        if own_delta <= 0:
            return None
    return None
