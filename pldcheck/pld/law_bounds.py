"""The upper and the lower law of each step, cut into fewer cells where many different steps add up, and their sums."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import fsum, sqrt

from .loss_total import Total
from .quadrature_nodes import SampledGaussian
from .step_losses import Law

# Relative width asked where the losses themselves are known less accurately: cells of a continuous mechanism.
WIDTH_OF_CELLS = 2e-5
# Different steps up to which each has the finest cells; more steps have so many in all, and each at least so many.
PARTS_OF_FINEST_CELLS = 8
CELLS_OF_ALL_PARTS = 200_000
FEWEST_CELLS = 400
MOST_CELLS = 1500
# Deviations of a normal law's characteristic function beyond which it is negligible.
DEVIATIONS_THAT_MATTER = 12.0
# The least delta for which few cells reach far enough: what is cut off from a million steps is 1e-32.
LEAST_OF_FEW_CELLS = 1e-26


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


Parts = tuple[tuple[LawBounds | CutBounds, int], ...]


def totals(parts: Parts, width: float, least: float = 0.0) -> tuple[Total, Total, float]:
    """Return the sum that dominates, the one that is dominated (the same if exact), and the width to ask of both.

    ``least``: the least delta that matters.
    """
    laws = _with_cells(parts, least)
    upper = Total.of((bounds.upper, count) for bounds, count in laws)
    if all(bounds.upper is bounds.lower for bounds, _ in laws):
        return upper, upper, width
    lower = Total.of((bounds.lower, count) for bounds, count in laws)
    return upper, lower, max(width, WIDTH_OF_CELLS)


def _with_cells(parts: Parts, least: float) -> tuple[tuple[LawBounds, int], ...]:
    """Return the parts with their laws: the more different ones there are, the fewer are the cells of each.

    Few cells do not reach far enough for a delta of ``least`` if that is small.
    """
    cuts = {id(bounds): bounds for bounds, _ in parts if isinstance(bounds, CutBounds)}
    count = None
    if len(cuts) > PARTS_OF_FINEST_CELLS and least >= LEAST_OF_FEW_CELLS:
        count = min(max(CELLS_OF_ALL_PARTS // len(cuts), FEWEST_CELLS), MOST_CELLS)
    laws = {key: bounds.cut(count) for key, bounds in cuts.items()}
    return tuple((bounds if isinstance(bounds, LawBounds) else laws[id(bounds)], n) for bounds, n in parts)


def on_nodes(parts: Parts) -> Parts | None:
    """Return the parts with nodes in place of cells, or None where there are many cells a part or no nodes.

    Nodes are as fine as the sum of all parts needs.
    """
    cuts = {id(bounds): bounds for bounds, _ in parts if isinstance(bounds, CutBounds)}
    samples = {key: bounds.sample for key, bounds in cuts.items() if bounds.sample is not None}
    if len(cuts) * MOST_CELLS <= CELLS_OF_ALL_PARTS or len(samples) < len(cuts):
        return None
    variance = fsum(count * samples[id(bounds)].variance for bounds, count in parts if id(bounds) in samples)
    if not variance > 0.0:
        return None
    laws = {key: sample.law(DEVIATIONS_THAT_MATTER / sqrt(variance)) for key, sample in samples.items()}
    nodes = {key: LawBounds.exact(law) for key, law in laws.items() if law is not None}
    new_parts = tuple((nodes.get(id(bounds), bounds), count) for bounds, count in parts)
    # A law without nodes, and any other law that is not exact, is left to cells.
    exact = all(isinstance(bounds, LawBounds) and bounds.upper is bounds.lower for bounds, _ in new_parts)
    return new_parts if exact else None
