"""Randomizers given by a finite table of exact probabilities: what a leaf has to say, and the budget it has."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from math import inf, log1p
from typing import ClassVar

from ..core.directed import UNIT
from .base import Randomizer

# A table's budget may be larger than the one given by round-off in its numbers.
HAIR = 1e-9

# A law of outputs for each input.
Rows = list[list[Fraction]]


class Finite(Randomizer):
    """Finitely many inputs and outputs; a new one states its ``rows`` and is served everywhere."""

    needs_eps0: ClassVar[bool] = False

    @abstractmethod
    def rows(self) -> Rows:
        """Return exact probabilities: one row of sum 1 for each input, in the order of the outputs.

        Outputs that no input has are left out.  Raises ParameterError where there is no such table.
        """


def budget(rows: Rows) -> float:
    """The largest log ratio of two probabilities of one output, rounded up; infinite if only one of them is zero."""
    spread = [(max(column), min(column)) for column in zip(*rows, strict=True)]
    if any(low == 0 for _, low in spread):
        return inf
    most = max(high / low for high, low in spread)
    # 4 round-offs of log1p, one of its argument; of a large ratio the logarithm moves less.
    return log1p(float(most - 1)) * (1.0 + 8 * UNIT)
