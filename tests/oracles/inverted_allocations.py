"""Gaussian random allocation in many steps: delta by Fourier inversion in floating point."""

from collections.abc import Iterator

from ..slot_oracles import inversion
from .enclosure import Enclosure, of_estimate
from .oracle import Oracle
from .two_steps import DIRECTIONS

# Steps, sigma, probability, a delta, and an epsilon with about that delta in each direction.
CASES = (
    (10, 4.0, 1.0, 1e-6, (0.315, 0.313, 0.648)),
    (10, 4.0, 0.1, 1e-20, (0.0957, 0.0503, 0.144)),
    (30, 2.0, 1.0, 1e-30, (2.41, 1.05, 2.59)),
    (100, 4.0, 1.0, 1e-6, (0.0918, 0.0916, 0.189)),
    (100, 1.0, 1.0, 1e-6, (0.858, 0.486, 1.0)),
    (1000, 1.0, 1.0, 1e-6, (0.172, 0.149, 0.267)),
    (1000, 1.0, 1.0, 1e-20, (2.67, 0.339, 2.68)),
    (1000, 1.0, 0.05, 1e-8, (0.011, 0.00753, 0.015)),
    (1000, 4.0, 1.0, 1e-10, (0.0423, 0.0423, 0.0853)),
    (10**5, 1.0, 1.0, 1e-6, (0.013, 0.0129, 0.0224)),
    (10**5, 4.0, 1.0, 1e-6, (0.00213, 0.00213, 0.00452)),
    (10**6, 2.0, 0.3, 1e-12, (0.000862, 0.00086, 0.00166)),
)
# The steps, direction and delta of cases where round-off hides the value, or which would take too many exponentials.
OUT_OF_REACH = {(30, "replace", 1e-30), (1000, "replace", 1e-20)}


def _questions() -> Iterator[dict]:
    for steps, sigma, prob, delta, epsilons in CASES:
        for direction, epsilon in zip(DIRECTIONS, epsilons, strict=True):
            if (steps, direction, delta) not in OUT_OF_REACH:
                question = {"direction": direction, "steps": steps, "sigma": sigma, "prob": prob, "delta": delta}
                yield {**question, "epsilon": epsilon}


def _answer(direction: str, steps: int, sigma: float, prob: float, delta: float, epsilon: float) -> Enclosure:
    return of_estimate(*inversion(direction, steps, sigma, epsilon, prob))


ORACLE = Oracle(
    "delta(epsilon) of Gaussian random allocation in many steps, as far as floating point can tell: not certain.",
    0.1,
    _questions,
    _answer,
    is_quick=lambda question: question["steps"] == 100,
)
