r"""The privacy profiles of random allocation and of Poisson sampling: a map of where they cross.

Each record is in one random step of m, or in every step with probability 1/m, with the same Gaussian noise; a record is
added or removed.  A Poisson sample may miss the record altogether, so that allocation has the larger delta at small
epsilon; at large epsilon it has the smaller one, since it never uses a record twice.  "Allocation is at least as
private as Poisson sampling" is therefore false as a statement about whole profiles, and where it fails is certified.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...protocols import RandomAllocation, SubsampledGaussian
from .comparison import Comparison, Progress, column, over

# Steps of the grid.
STEPS = (2, 10, 100, 1000)
# Noise multipliers of the grid.
SIGMA = (0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 4.0)
# Points of both profiles.
EPSILON = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0)
# Relative width asked of the delta of random allocation.
WIDTH = 1e-3
# Where Poisson sampling has a smaller delta than this, nobody asks, and the row says so.
LEAST_DELTA = 1e-12
# The words of a row: allocation certainly has the larger delta, the smaller one, or the intervals meet.
WORSE = "worse"
BETTER = "better"
OPEN = "open"


@dataclass(frozen=True)
class CrossingRow:
    """Delta of both at ``epsilon``, and ``order``: whether allocation is certainly worse or better.

    The ends of allocation and the order are None where the delta of Poisson sampling is below ``LEAST_DELTA``.
    """

    steps: int = column("m")
    sigma: float = column("sigma")
    epsilon: float = column("epsilon")
    lower: float | None = column("allocation lower")
    upper: float | None = column("allocation upper")
    poisson_lower: float = column("Poisson lower")
    poisson_upper: float = column("Poisson upper")
    order: str | None = column("order")


def crossing(
    *,
    steps: Sequence[int] = STEPS,
    sigma: Sequence[float] = SIGMA,
    epsilon: Sequence[float] = EPSILON,
    progress: Progress | None = None,
) -> Comparison[CrossingRow]:
    """Return delta of both over a product of grids; raises ParameterError for values not allowed."""
    rows = over(steps, sigma, epsilon, row=_row, progress=progress)
    params = {"steps": list(steps), "sigma": list(sigma), "epsilon": list(epsilon)}
    return Comparison("crossing", "The profiles of random allocation and of Poisson sampling", params, rows)


def _row(m: int, sigma: float, epsilon: float) -> CrossingRow:
    protocol = RandomAllocation(m, sigma)
    poisson = SubsampledGaussian(sigma, 1.0 / m, m).delta(epsilon)
    if poisson.upper < LEAST_DELTA:
        return CrossingRow(m, sigma, epsilon, None, None, poisson.lower, poisson.upper, None)
    allocation = protocol.delta(epsilon, WIDTH)
    order = WORSE if allocation.lower > poisson.upper else BETTER if allocation.upper < poisson.lower else OPEN
    return CrossingRow(m, sigma, epsilon, allocation.lower, allocation.upper, poisson.lower, poisson.upper, order)
