r"""Dwork, Roth (2014): one release with Gaussian noise, and advanced composition.

k is ``steps``, :math:`\sigma` is ``sigma``.  The formulas are evaluated with a relative error below 1e-14.
"""

from __future__ import annotations

from math import expm1, log, sqrt

from ..recalled import AS_RECALLED
from ..theorem import Condition, Source, Theorem

BOOK = "Dwork, Roth, The Algorithmic Foundations of Differential Privacy, 2014"
URL = "https://doi.org/10.1561/0400000042"


def classic_gaussian(*, sigma: float, delta: float) -> float:
    r"""Return :math:`\sqrt{2 \log(1.25/\delta)} / \sigma`."""
    return sqrt(2 * (log(1.25) - log(delta))) / sigma


def advanced_composition(*, steps: int, eps0: float, delta: float) -> float:
    r"""Return :math:`\sqrt{2 k \log(1/\delta)} \epsilon_0 + k \epsilon_0 (e^{\epsilon_0} - 1)`."""
    return sqrt(-2 * steps * log(delta)) * eps0 + steps * eps0 * expm1(eps0)


THEOREMS = (
    Theorem(
        id="dr14-A.1",
        title="Gaussian noise, classic calibration",
        statement=r"\epsilon = \frac{\sqrt{2 \log(1.25/\delta)}}{\sigma}, \quad \epsilon < 1",
        adjacency="any",
        protocol="gaussian",
        parameters=("sigma", "delta"),
        conditions=(Condition("epsilon < 1", "sigma", lambda params: classic_gaussian(**params) - 1, strict=True),),
        source=Source("DR14", BOOK, "Theorem A.1", URL),
        formula=classic_gaussian,
        notes=f"{AS_RECALLED} Dwork and Roth state it with the noise above its limit.",
        example={"sigma": 10, "delta": 1e-6},
    ),
    Theorem(
        id="dr14-any-epsilon",
        title="Gaussian noise, classic calibration without its condition (false)",
        misread=True,
        statement=r"\epsilon = \frac{\sqrt{2 \log(1.25/\delta)}}{\sigma}",
        adjacency="any",
        protocol="gaussian",
        parameters=("sigma", "delta"),
        conditions=(),
        source=Source("DR14", BOOK, "Theorem A.1 without its condition, which the authors do not claim", URL),
        formula=classic_gaussian,
        notes=(
            f"{AS_RECALLED} It is what a program does that calibrates without asking whether epsilon is below 1. It "
            "still holds for some epsilon above 1, as the cells of the suite show, and fails for larger ones."
        ),
        example={"sigma": 10, "delta": 1e-6},
    ),
    Theorem(
        id="dr14-3.20",
        title="Advanced composition",
        statement=r"\epsilon = \sqrt{2 k \log(1/\delta)} \epsilon_0 + k \epsilon_0 (e^{\epsilon_0} - 1)",
        adjacency="any",
        protocol="randomized-response",
        parameters=("steps", "eps0", "delta"),
        conditions=(),
        source=Source("DR14", BOOK, "Theorem 3.20", URL),
        formula=advanced_composition,
        notes=f"{AS_RECALLED} It is computed for steps without a delta of their own.",
    ),
)
