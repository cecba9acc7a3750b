"""The sums of all steps' upper and lower laws, in as many cells or nodes a step as its number of steps needs."""

from __future__ import annotations

from math import fsum, sqrt

from .folded_steps import two_halves
from .law_bounds import CutBounds, LawBounds, Parts
from .loss_total import Total

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


def totals(parts: Parts, width: float, least: float = 0.0) -> tuple[Total, Total, float]:
    """Return the sum that dominates, the one that is dominated (the same if exact), and the width to ask of both.

    ``least``: the least delta that matters.
    """
    laws = two_halves(parts, least < LEAST_OF_FEW_CELLS) or _with_cells(parts, least)
    upper = Total.of((bounds.upper, count) for bounds, count in laws)
    if all(bounds.upper is bounds.lower for bounds, _ in laws):
        return upper, upper, width
    lower = Total.of((bounds.lower, count) for bounds, count in laws)
    return upper, lower, max(width, WIDTH_OF_CELLS)


def _with_cells(parts: Parts, least: float) -> Parts:
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
