"""Gaussian random allocation in three steps and in four: trapezoids over all coordinates but the last."""

from collections.abc import Iterator
from math import exp, expm1

import numpy as np
from scipy.special import ndtr

from ..slot_oracles import quadrature
from .enclosure import Enclosure, of_estimate
from .oracle import Oracle

# Sigma, epsilon, probability, of a record that is there or not.
ZERO_OUT = ((0.7, 2.0, 1.0), (1.0, 0.5, 1.0), (2.0, 2.0, 1.0), (2.0, 0.3, 0.4))
# Steps, 1/sigma, epsilon, probability and the grid's step, of a record that is replaced and little noise.
REPLACED = (
    (3, 2.0, 10.0, 1.0, 0.02),
    (3, 2.0, 17.0, 1.0, 0.02),
    (3, 4.0, 36.0, 1.0, 0.015),
    (3, 2.8, 0.0, 1.0, 0.02),
    (3, 2.0, 8.0, 0.3, 0.02),
    (4, 1.5, 6.0, 1.0, 0.14),
    (4, 2.0, 8.0, 0.6, 0.1),
)


def _questions() -> Iterator[dict]:
    for direction in ("remove", "add"):
        for sigma, epsilon, prob in ZERO_OUT:
            yield {"direction": direction, "steps": 3, "s": 1 / sigma, "epsilon": epsilon, "prob": prob, "grid": 0.0}
    for steps, s, epsilon, prob, grid in REPLACED:
        yield {"direction": "replace", "steps": steps, "s": s, "epsilon": epsilon, "prob": prob, "grid": grid}


def _answer(direction: str, steps: int, s: float, epsilon: float, prob: float, grid: float) -> Enclosure:
    if direction != "replace":
        return of_estimate(*quadrature(direction, steps, 1 / s, epsilon, prob))
    value = _trapezoids(steps, s, epsilon, prob, grid)
    return of_estimate(value, 2 * abs(value - _trapezoids(steps, s, epsilon, prob, 1.3 * grid)) + 1e-10 * value)


def _trapezoids(m: int, s: float, epsilon: float, prob: float, step: float) -> float:
    """Return delta by trapezoids over m - 1 coordinates, the last one in closed form: analytic and falling like a
    Gaussian.
    """
    z = np.arange(-9.0, s + 11.0, step)
    weight = np.exp(-0.5 * z * z) * step / np.sqrt(2 * np.pi)
    c, half = exp(epsilon), exp(-0.5 * s * s)
    w = half * (np.exp(s * z) - c * np.exp(-s * z))
    sums, weights = w, weight
    for _ in range(m - 2):
        sums, weights = np.add.outer(sums, w).ravel(), np.multiply.outer(weights, weight).ravel()
    cut_point = (m * (1 - prob) / prob * expm1(epsilon) - sums) / half
    root = np.hypot(cut_point, 2 * np.sqrt(c))
    at = (
        np.log(np.where(cut_point > 0, (cut_point + root) / 2, 2 * c / np.where(cut_point > 0, 1.0, root - cut_point)))
        / s
    )
    inner = ndtr(s - at) - c * ndtr(-s - at) - cut_point * half * ndtr(-at)
    return prob / m * float(np.sum(weights * inner))


ORACLE = Oracle(
    "delta(epsilon) of Gaussian random allocation in three or four steps, as far as floating point can tell.",
    2e-3,
    _questions,
    _answer,
    is_quick=lambda question: question["steps"] == 3,
)
