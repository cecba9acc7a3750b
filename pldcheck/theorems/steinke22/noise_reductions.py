"""Reductions between releases of Laplace and Gaussian noise, sampled records, and randomized response."""

from __future__ import annotations

from collections.abc import Mapping
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

# Theorems whose parameters do not describe a protocol alone: an order beside an epsilon, or what stands for the noise.
SCENES: Mapping[str, str] = {
    "zcdp-14-order": "gaussian-at-order",
    "zcdp-14-markov": "gaussian-at-order",
    "zcdp-15": "gaussian-for-target",
    "zcdp-15-root": "gaussian-for-larger-target",
    "adv-18-noise": "laplace-for-target",
    "zcdp-19": "gaussian-and-response",
    "rdp-31": "gaussian-and-response",
    "zcdp-21": "sign-of-gaussian",
    "rdp-33-group": "gaussian-of-group",
    "rdp-33-delta": "response-at-order",
    "adv-22-unequal": "two-responses",
    "rr-24-approx": "gaussian-as-response",
    "sub-29-gaussian": "gaussian-on-sample",
    "sub-29-fixed": "gaussian-on-fixed-sample",
    "sgd-6.3": "gaussian-on-samples-by-tails",
    "rdp-6.7-replaced": "gaussian-on-replaced-sample",
}
