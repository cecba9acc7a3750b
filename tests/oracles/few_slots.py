"""One hidden slot of few: the recursion over all extreme laws after every history, in balls."""

import random
from collections.abc import Iterator
from math import expm1, log1p

from ..naive import hidden_slot_delta
from .enclosure import Enclosure, of_ball
from .oracle import Oracle


def _questions() -> Iterator[dict]:
    """Yield 220 slots of at most twelve steps, small and large budgets, weights and shares of the largest epsilon."""
    draw = random.Random(20201)
    for _ in range(220):
        m = draw.randint(1, 12)
        eps0 = draw.choice([draw.uniform(0.02, 1.0), draw.uniform(1.0, 6.0)])
        weight, share = draw.choice([1.0, draw.uniform(0.01, 1.0)]), draw.choice([0.0, draw.uniform(0.0, 1.0) ** 2])
        yield {
            "steps": m,
            "eps0": eps0,
            "weight": weight,
            "share": share,
            "epsilon": share * log1p(weight * expm1(eps0)) * (1 - 1e-9),
        }


def _answer(steps: int, eps0: float, weight: float, share: float, epsilon: float) -> Enclosure:
    return of_ball(hidden_slot_delta(steps, eps0, epsilon, weight))


ORACLE = Oracle(
    "delta(epsilon) of one hidden slot of few steps, of any randomizers that may depend on all earlier outputs.",
    1e-28,
    _questions,
    _answer,
    is_quick=lambda question: question["steps"] <= 8,
)
