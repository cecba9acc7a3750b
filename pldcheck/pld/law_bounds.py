"""The upper and the lower law of a step: given as such, or cut into cells when they are asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..core.directed import UNIT
from .quadrature_nodes import SampledGaussian
from .step_losses import Atoms, Law

# The loss that is always 0, which every loss dominates.
NOTHING = Atoms(np.zeros(1), np.ones(1))
# Infinite loss.  The engine takes log(1 - infinity); of this, its outward rounding makes delta <= 1, epsilon <= inf.
EVERYTHING = Atoms(np.zeros(1), np.ones(1), 1.0 - UNIT)


@dataclass(frozen=True, eq=False, slots=True)
class LawBounds:
    """One step: a loss that dominates it and one that it dominates, in every hockey-stick divergence.

    They are the same object where the loss is represented exactly.
    """

    upper: Law
    lower: Law

    @classmethod
    def exact(cls, law: Law) -> LawBounds:
        """Return both sides from one law."""
        return cls(law, law)


class CutBounds:
    """One step whose laws are cut into cells when they are asked for: fewer ones where many different steps add up.

    The work of an inversion grows with the number of cells of all steps.
    """

    def __init__(self, cut: Callable[[int | None], LawBounds], sample: SampledGaussian | None = None) -> None:
        """Take the function that cuts about so many cells, the finest ones for None.

        ``sample`` has nodes that stand for the law where many steps add up, if there are any.
        """
        self._cut, self.sample = cut, sample

    def cut(self, count: int | None) -> LawBounds:
        """Return both laws of about so many cells, of the finest ones for None."""
        return self._finest if count is None else self._cut(count)

    @cached_property
    def _finest(self) -> LawBounds:
        return self._cut(None)

    @property
    def upper(self) -> Law:
        """The loss that dominates the step, of the finest cells."""
        return self._finest.upper

    @property
    def lower(self) -> Law:
        """The loss that the step dominates, of the finest cells."""
        return self._finest.lower


# Steps, each with the number of its occurrences.
Parts = tuple[tuple[LawBounds | CutBounds, int], ...]
