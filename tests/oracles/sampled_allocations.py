"""Gaussian random allocation in many steps: importance sampling, with its own confidence interval."""

from collections.abc import Iterator

from ..slot_oracles import monte_carlo
from .enclosure import Enclosure, of_estimate
from .oracle import Oracle

# Direction, steps, sigma, probability, the delta in question, and an epsilon with about that delta.
CASES = (
    ("remove", 10, 1.0, 1.0, 1e-6, 2.65),
    ("remove", 10, 0.5, 1.0, 1e-10, 12.0),
    ("remove", 10, 1.0, 0.2, 1e-20, 5.43),
    ("remove", 100, 4.0, 1.0, 1e-6, 0.0918),
    ("remove", 100, 0.5, 1.0, 1e-12, 11.0),
    ("remove", 1000, 0.5, 1.0, 1e-10, 7.37),
    ("remove", 1000, 1.0, 1.0, 1e-6, 0.172),
    ("remove", 1000, 1.0, 1.0, 1e-20, 2.67),
    ("remove", 1000, 0.7, 0.1, 1e-30, 7.62),
    ("remove", 10**4, 0.5, 1.0, 1e-6, 1.94),
    ("remove", 10**4, 0.4, 1.0, 1e-12, 11.0),
    ("add", 10, 1.0, 1.0, 1e-6, 1.54),
    ("add", 10, 0.5, 1.0, 1e-10, 5.08),
    ("add", 100, 2.0, 0.5, 1e-6, 0.0908),
    ("add", 1000, 1.0, 1.0, 1e-10, 0.221),
    ("replace", 10, 1.0, 1.0, 1e-6, 3.28),
    ("replace", 10, 4.0, 1.0, 1e-6, 0.648),
    ("replace", 100, 0.8, 1.0, 1e-10, 3.91),
    ("replace", 1000, 1.0, 1.0, 1e-6, 0.267),
    ("replace", 1000, 1.0, 0.1, 1e-6, 0.0227),
)


def _questions() -> Iterator[dict]:
    for case in CASES:
        yield dict(zip(("direction", "steps", "sigma", "prob", "delta", "epsilon"), case, strict=True))


def _answer(direction: str, steps: int, sigma: float, prob: float, delta: float, epsilon: float) -> Enclosure:
    return of_estimate(*monte_carlo(direction, steps, sigma, epsilon, prob))


ORACLE = Oracle(
    "delta(epsilon) of Gaussian random allocation in many steps, with a probability of 99.9 %: not certain.",
    0.7,
    _questions,
    _answer,
    is_quick=lambda question: question["steps"] <= 100,
)
