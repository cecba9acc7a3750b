"""The question of ``upper_slot`` in floating point: the laws of a step, and the claim about many."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import expm1, log1p

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checkers import slot_laws
from ..hidden_slot.worst.step_laws import largest_cumulant, largest_deviation

Array = NDArray[np.float64]

# The products of a node in a step with the three laws of the worst randomizers.
PRODUCTS = 14


@dataclass(frozen=True, eq=False)
class Law:
    """A law of (a, a') in floating point: a - a', a' - 1 and the probabilities of its outputs."""

    difference: Array
    other: Array
    probabilities: Array

    @classmethod
    def of_outputs(cls, outputs: Sequence[tuple[Fraction, Fraction, Fraction]]) -> Law:
        """Return the law of exact outputs."""
        rows = [(a - b, b - 1, share) for a, b, share in outputs]
        return cls(*(np.array([float(row[k]) for row in rows]) for k in range(3)))

    def step(self, kappa_1: float) -> tuple[Array, Array]:
        """Return the values s = a - 1 - kappa (a' - 1) at kappa - 1, and their probabilities."""
        return self.difference - kappa_1 * self.other, self.probabilities


@dataclass(frozen=True, eq=False)
class StepLaws:
    """The laws of one step in floating point, each its values and their probabilities."""

    each: tuple[tuple[Array, Array], ...]

    @property
    def laws(self) -> tuple[int, ...]:
        """The places of the laws."""
        return tuple(range(len(self.each)))

    @property
    def values(self) -> Array:
        """The values of all outputs, each once."""
        return np.unique(np.concatenate([values for values, _ in self.each]))

    @property
    def deviation(self) -> float:
        """The largest standard deviation of one step."""
        return largest_deviation(self.each)

    def law(self, index: int) -> tuple[Array, Array]:
        """Return the values and the probabilities of one law."""
        return self.each[index]

    def cumulant(self, theta: ArrayLike) -> Array:
        """Return the largest log E exp(theta s) of the laws."""
        return largest_cumulant(self.each, theta)


@dataclass(frozen=True, eq=False)
class Question:
    """The claim that m hidden slots are (epsilon, delta)-DP, in floating point; ``choices`` are sets of laws."""

    steps: int
    weight: float
    choices: tuple[tuple[Law, ...], ...]
    epsilon: float
    delta: float

    @classmethod
    def of_slot(cls, slot: slot_laws.Slot) -> Question:
        """Return the claim that the program reads from a file."""
        choices = tuple(
            tuple(Law.of_outputs(slot_laws.outputs_of(law, slot.x)) for law in laws) for laws in slot.choices
        )
        return cls(slot.steps, float(slot.weight), choices, log1p(float(slot.kappa - 1)), float(slot.delta))

    def steps_of(self, laws: Iterable[Law]) -> StepLaws:
        """Return some laws at the claim's epsilon."""
        return StepLaws(tuple(law.step(expm1(self.epsilon)) for law in laws))

    @property
    def step_laws(self) -> StepLaws:
        """The laws of a step that some choice has."""
        return self.steps_of(law for laws in self.choices for law in laws)

    @property
    def size(self) -> float:
        """The products of a node in a step, over those of the three laws of the worst randomizers."""
        return sum(2 * law.probabilities.size for laws in self.choices for law in laws) / PRODUCTS

    @property
    def start(self) -> float:
        """The sum at which the walk begins."""
        return -expm1(self.epsilon) * self.steps / self.weight

    @property
    def target(self) -> float:
        """The value that V may have at the start."""
        return self.delta * self.steps / self.weight


def trivial(question: Question) -> bool:
    """Return whether the claim follows from the largest step alone."""
    values = question.step_laws.values
    largest = question.weight * float(values.max()) - expm1(question.epsilon)
    size = max(float(np.abs(law.difference).max()) for laws in question.choices for law in laws)
    return largest <= question.delta * (1.0 - 1e-12) - 1e-15 * size
