"""Randomizers with a finite table of exact probabilities: their base class and their local budget."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from math import inf, log1p
from typing import ClassVar

from ..core.directed import enlarge, shrink
from .base import Randomizer

# The budget of a table may exceed the ``eps0`` of the user by so much, for the rounding of the numbers in its file.
BUDGET_SLACK = 1e-9
# Units granted to the logarithm of a ratio: log1p has 4 and its rounded argument 1, twice 4 in all.
LOGARITHM_UNITS = 8

# A law of outputs for each input.
Rows = list[list[Fraction]]


class Finite(Randomizer):
    """A randomizer with finitely many inputs and outputs; a subclass defines ``rows``, which all engines accept."""

    needs_eps0: ClassVar[bool] = False

    @abstractmethod
    def rows(self) -> Rows:
        """Return exact probabilities: one row of sum 1 for each input, in the order of the outputs.

        Outputs that have probability 0 for every input are left out.  Raises ParameterError where there is no table.
        """


def budget(rows: Rows) -> float:
    """Return the largest log ratio of two probabilities of one output, rounded up; infinite if just one is zero."""
    return budget_ends(rows)[1]


def budget_ends(rows: Rows) -> tuple[float, float]:
    """Return floats around the largest log ratio of two probabilities of one output; infinite if just one is zero."""
    spread = [(max(column), min(column)) for column in zip(*rows, strict=True)]
    if any(low == 0 for _, low in spread):
        return inf, inf
    rounded = log1p(float(max(high / low for high, low in spread) - 1))
    return shrink(rounded, LOGARITHM_UNITS), enlarge(rounded, LOGARITHM_UNITS)
