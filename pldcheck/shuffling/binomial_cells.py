"""Cells that cover a binomial law, with upper bounds of their probabilities."""

from __future__ import annotations

from functools import lru_cache
from math import sqrt

from ..core.directed import enlarge, roundoff
from ..kernels.binomial_tails import upper_tail

# Edges of the cells, in deviations from their means.
EDGES = (-25.0, -16.0, -10.0, -7.0, -5.0, -3.5, -2.25, -1.25, -0.5, 0.25, 1.5, 3.5, 7.0, 13.0, 25.0)
# Edges of the cells where the mean is above MANY_MESSAGES.
FEW_EDGES = (-25.0, 0.0, 25.0)
# The mean beyond which a few deviations make no difference.
MANY_MESSAGES = 2e4


@lru_cache(maxsize=64)
def binomial_cells(n: int, p: float) -> list[tuple[int, int, float]]:
    """Return cells [low, high) of Bin(n, p) that cover all of it, with upper bounds of their probabilities."""
    mean, deviation = n * p, sqrt(n * p * (1.0 - p))
    places = (mean + z * deviation for z in (EDGES if mean < MANY_MESSAGES else FEW_EDGES))
    edges = sorted({min(max(int(place), 0), n + 1) for place in places} | {0, n + 1})
    # P(X >= edge) above the mean and P(X < edge) below it, each with its relative error.
    below, above = [], []
    for edge in edges:
        if edge <= mean:
            tail, _, error, remainder = _lower(n, p, edge)
            below.append((tail * (1.0 - error), enlarge(tail * (1.0 + error) + remainder, 4)))
            above.append((1.0 - below[-1][1], 1.0 - below[-1][0]))
        else:
            tail, _, error, remainder = (
                upper_tail(n, p, 1.0 - p, p / (1.0 - p), float(edge)) if edge <= n else (0, 0, 0, 0)
            )
            above.append((tail * (1.0 - error), enlarge(tail * (1.0 + error) + remainder, 4)))
            below.append((1.0 - above[-1][1], 1.0 - above[-1][0]))
    cells = []
    for i, (low, high) in enumerate(zip(edges, edges[1:], strict=False)):
        # The difference of the nearer tails.
        chance = min(below[i + 1][1] - below[i][0], above[i][1] - above[i + 1][0]) + roundoff(4)
        cells.append((low, high, min(chance, below[i + 1][1], above[i][1])))
    return cells


def _lower(n: int, p: float, edge: int) -> tuple[float, float, float, float]:
    """Return P(X < edge), computed as an upper tail of the number of failures."""
    if edge <= 0:
        return 0.0, 0.0, 0.0, 0.0
    return upper_tail(n, 1.0 - p, p, (1.0 - p) / p, float(n - edge + 1))
