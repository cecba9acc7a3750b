"""Reductions between releases of Laplace and Gaussian noise, sampled records, and randomized response."""

from __future__ import annotations

from math import sqrt

from ..reduction import Reduction

REDUCTIONS = (
    Reduction(
        "laplace",
        "randomized-response",
        lambda params: {"steps": params["steps"], "eps0": 1 / params["scale"]},
        "Laplace noise is 1/scale-DP, and randomized response of that budget dominates it",
        statement="approximate-pair",
    ),
    Reduction(
        "gaussian",
        "subsampled-gaussian",
        lambda params: {"sigma": params["sigma"] / sqrt(params.get("steps", 1)), "rate": 1.0},
        "k releases of Gaussian noise are one with sigma / sqrt(k)",
        statement="gaussian-noise",
    ),
    Reduction(
        "subsampled-gaussian",
        "gaussian",
        lambda params: {"sigma": params["sigma"], "steps": 1},
        "a sampled record reveals at most as much as a record that is always used",
    ),
)
