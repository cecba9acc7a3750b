r"""Feldman, Shenfeld (2025): random allocation beside Poisson sampling, for one of two steps.

The bounds are in terms of the curve :math:`P` of Poisson samples, for which two steps have a quadrature.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import expm1, log1p
from typing import Any

from ..recalled import AS_RECALLED
from ..theorem import Condition, Source, Theorem
from .allocation_divergences import FS, URL
from .two_poisson_steps import two_removed, two_steps

# The probability that a Poisson sample of rate 1/2 has the record in one of two steps at least.
SHARE = 0.75
# The noise between which the quadrature has its accuracy.
LEAST_SIGMA = 0.2
MOST_SIGMA = 5


def decomposition(*, sigma: float, epsilon: float) -> float:
    r"""Return :math:`\frac1\lambda P(\log(1 + \lambda (e^\epsilon - 1)))` with :math:`\lambda = 1 - (1-1/2)^2`."""
    return min(1.0, two_removed(log1p(SHARE * expm1(epsilon)), sigma, 0.5) / SHARE)


def poisson_curve(*, sigma: float, epsilon: float) -> float:
    r"""Return the curve of two Poisson samples of rate 1/2."""
    return two_steps(epsilon, sigma, 0.5)


def two_slots(*, sigma: float, epsilon: float) -> Mapping[str, Any]:
    """Return the fields of a record in one of two steps."""
    return {"steps": 2, "sigma": sigma}


NOISE_RANGE = (
    Condition(f"sigma >= {LEAST_SIGMA}, where it is evaluated", "sigma", lambda params: LEAST_SIGMA - params["sigma"]),
    Condition(f"sigma <= {MOST_SIGMA}, up to which it is evaluated", "sigma", lambda p: p["sigma"] - MOST_SIGMA),
)

THEOREMS = (
    Theorem(
        id="fs25-decomposition",
        title="Random allocation as Poisson samples that are not empty, for one of two steps",
        statement=(
            r"\delta = \frac1\lambda P\left(\log\left(1 + \lambda (e^\epsilon - 1)\right)\right),"
            r" \quad \lambda = 1 - \left(1 - \frac12\right)^2"
        ),
        adjacency="remove",
        protocol="random-allocation",
        parameters=("sigma", "epsilon"),
        conditions=NOISE_RANGE,
        source=Source("FS25", FS, "the decomposition", URL),
        formula=decomposition,
        notes=(
            f"{AS_RECALLED} P is the curve of Poisson samples of rate 1/t, of a record that is removed; given that the "
            "record is in a sample at all, it reveals at least as much as allocation to one of t steps. It is "
            "evaluated for t = 2."
        ),
        quantity="delta",
        subject=two_slots,
        example={"sigma": 1, "epsilon": 1},
    ),
    Theorem(
        id="poisson-allocation",
        title="Random allocation at least as private as Poisson sampling, for one of two steps (false)",
        misread=True,
        statement=r"\delta = P(\epsilon)",
        adjacency="add-remove",
        protocol="random-allocation",
        parameters=("sigma", "epsilon"),
        conditions=NOISE_RANGE,
        source=Source("FS25", FS, "a statement that is heard about whole profiles, and that is not claimed there", URL),
        formula=poisson_curve,
        notes=(
            f"{AS_RECALLED} P is the curve of Poisson samples of rate 1/t, evaluated for t = 2. A Poisson sample may "
            "miss the record altogether, so that allocation reveals more at small epsilon and less at large ones: the "
            "cells of the suite are a map of where the curves cross."
        ),
        quantity="delta",
        subject=two_slots,
        example={"sigma": 1, "epsilon": 1},
    ),
)
