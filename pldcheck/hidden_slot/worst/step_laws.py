r"""The three one-step laws that any adaptive eps0-DP adversary needs.

A slot's output is described by the likelihood ratios (a, a') of the records d and d' against the reference record g.
They lie in the hexagon with vertices A(1/x, 1/x) B(1, 1/x) C(x, 1) D(x, x) E(1, x) F(1/x, 1), x = e^eps0, and have mean
(1, 1).  A convex payoff is maximised by a law on opposite vertices or on a triangle around the centre; AD and BDF lie
inside the hull of BE and are never needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from ...core.arrays import Array

# Vertex -> (i, j) with a = x^i, a' = x^j.  The order is that of the kernels.
VERTICES: Mapping[str, tuple[int, int]] = MappingProxyType(
    {"A": (-1, -1), "B": (0, -1), "C": (1, 0), "E": (0, 1), "F": (-1, 0)}
)


@dataclass(frozen=True)
class StepLaw:
    """A randomizer on the inputs g, d, d', described by its outputs' likelihood ratios.

    ``powers[v]``: output v has probability x^powers[v] / (sum of them) under the reference record g.
    """

    name: str
    powers: tuple[int, ...]

    def probabilities(self, eps0: float) -> Array:
        """Return the probabilities of the outputs under the reference record, in the order of ``name``."""
        weights = np.exp(eps0 * np.array(self.powers))
        return weights / weights.sum()


# The three laws, in the order of the kernels.
LAWS = (StepLaw("BE", (1, 0)), StepLaw("CF", (0, 1)), StepLaw("ACE", (1, 0, 0)))
# The places of all laws in that order.
ALL_LAWS = (0, 1, 2)
# Those of binary randomized response: the reference record is d, with law BE, or d', with law CF.
BINARY_LAWS = (0, 1)


def increments(eps0: float, epsilon: float) -> Array:
    """Return the steps s = (a - 1) - e^epsilon (a' - 1) at the vertices A, B, C, E, F.

    Their relative error is a few round-offs.
    """
    above, below, kappa_1 = np.expm1(eps0), -np.expm1(-eps0), np.expm1(epsilon)  # x - 1, 1 - 1/x
    kappa = 1.0 + kappa_1
    return np.array([kappa_1 * below, kappa * below, above, -kappa * above, -below])


class OneStep(Protocol):
    """The laws of one step among which an adversary chooses, by their places in ``laws``."""

    @property
    def laws(self) -> tuple[int, ...]:
        """The places of the laws."""

    @property
    def values(self) -> Array:
        """The values of all outputs."""

    @property
    def deviation(self) -> float:
        """The largest standard deviation of one step."""

    def law(self, index: int) -> tuple[Array, Array]:
        """Return the values and the probabilities of one law."""

    def cumulant(self, theta: ArrayLike) -> Array:
        """Return the largest log E exp(theta s) of the laws."""


def largest_deviation(laws: Iterable[tuple[Array, Array]]) -> float:
    """Return the largest standard deviation of laws of mean 0, each its values and probabilities."""
    return max(float(np.sqrt(p @ s**2)) for s, p in laws)


def largest_cumulant(laws: Iterable[tuple[Array, Array]], theta: ArrayLike) -> Array:
    """Return the largest log E exp(theta s) of laws, each its values and probabilities."""
    tilts = np.asarray(theta, dtype=float)
    branches: list[Array] = []
    for s, p in laws:
        exponents = tilts[..., None] * s
        top = exponents.max(axis=-1)
        branches.append(top + np.log(np.exp(exponents - top[..., None]) @ p))
    return np.asarray(np.max(branches, axis=0), dtype=np.float64)


@dataclass(frozen=True)
class Steps:
    """The three laws at one (eps0, epsilon): the values s of their outputs and the probabilities.

    ``laws``: those that an adversary may choose from.  The probabilities of another one are 0 for the kernels, which
    then never find it best: an expectation under it is 0, and V is positive.
    """

    eps0: float
    epsilon: float
    laws: tuple[int, ...] = ALL_LAWS
    values: Array = field(init=False, repr=False)  # A, B, C, E, F
    probabilities: tuple[Array, Array, Array] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", increments(self.eps0, self.epsilon))
        probabilities = [law.probabilities(self.eps0) for law in LAWS]
        chosen = tuple(p if index in self.laws else np.zeros_like(p) for index, p in enumerate(probabilities))
        object.__setattr__(self, "probabilities", chosen)

    def law(self, index: int) -> tuple[Array, Array]:
        """Return the values and the probabilities of one law."""
        where = ["ABCEF".index(vertex) for vertex in LAWS[index].name]
        return self.values[where], self.probabilities[index]

    @property
    def deviation(self) -> float:
        """The largest standard deviation of one step."""
        return largest_deviation(map(self.law, self.laws))

    def cumulant(self, theta: ArrayLike) -> Array:
        """Return the largest log E exp(theta s) of the laws, which bounds any adaptive policy's growth in a step."""
        return largest_cumulant(map(self.law, self.laws), theta)
