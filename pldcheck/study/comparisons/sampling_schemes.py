r"""The same training run under seven samplings: Gaussian noise of one deviation, batches of one expected size.

E epochs of m steps; sigma is the noise's deviation over the largest norm of what a record adds.  Poisson sampling has
each record in each step with probability 1/m, fixed-size sampling draws a share 1/m of the records anew in each step,
random allocation puts each record into one random step of every epoch, balls in bins into the same one in all epochs,
and shuffled batches cut a new permutation of the records in each epoch.  Without sampling a record is in a known step
of every epoch.

Epsilon of Poisson sampling is what is usually reported of a training run with shuffled batches.  That is not a bound:
up to sigma 2 even the lower end of shuffled batches is far above it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from ...protocols import BallsInBins, Gaussian, RandomAllocation, ShuffledBatches, SubsampledGaussian
from .comparison import Comparison, Progress, column, over

# Noise multipliers of the grid.
SIGMA = (0.5, 0.6, 0.7, 0.8, 1.0, 1.2, 1.4, 1.7, 2.0, 2.8, 4.0)
# Epochs of the grid.
EPOCHS = (1, 10)
# Steps of an epoch.
STEPS = 1000
# The common delta.
DELTA = 1e-6
# Relative width asked of random allocation and balls in bins.
WIDTH = 0.01


@dataclass(frozen=True)
class SamplingRow:
    """Epsilon of ``epochs`` epochs of as many steps as the comparison says, at noise ``sigma``.

    ``lower`` and ``upper`` are the ends for shuffled batches, whose distance is what is not known of them.
    ``poisson``, ``allocation`` and ``bins`` are for a record that is added or removed, ``poisson_replaced`` and
    ``fixed_size`` for one that is replaced by an opposite one, shuffled batches and ``unamplified`` for one that adds
    nothing in one of the two laws.
    """

    sigma: float = column("sigma")
    epochs: int = column("E")
    poisson_lower: float = column("Poisson lower")
    poisson_upper: float = column("Poisson upper")
    allocation_lower: float = column("allocation lower")
    allocation_upper: float = column("allocation upper")
    bins_lower: float = column("bins lower")
    bins_upper: float = column("bins upper")
    lower: float = column("shuffled lower")
    upper: float = column("shuffled upper")
    unamplified_lower: float = column("no sampling lower")
    unamplified_upper: float = column("no sampling upper")
    poisson_replaced_lower: float = column("Poisson replaced lower")
    poisson_replaced_upper: float = column("Poisson replaced upper")
    fixed_size_lower: float = column("fixed size lower")
    fixed_size_upper: float = column("fixed size upper")


def samplings(
    *,
    sigma: Sequence[float] = SIGMA,
    epochs: Sequence[int] = EPOCHS,
    steps: int = STEPS,
    delta: float = DELTA,
    progress: Progress | None = None,
) -> Comparison[SamplingRow]:
    """Return epsilon under each sampling over a product of grids; raises ParameterError for values not allowed."""
    rows = over(epochs, sigma, row=partial(_row, steps, delta), progress=progress)
    params = {"sigma": list(sigma), "epochs": list(epochs), "steps": steps, "delta": delta}
    return Comparison("samplings", "The same noise and batches under seven samplings", params, rows)


def _row(steps: int, delta: float, epochs: int, sigma: float) -> SamplingRow:
    shuffled = ShuffledBatches(steps, sigma, epochs).epsilon(delta, WIDTH)
    rate, uses = 1.0 / steps, steps * epochs
    poisson = SubsampledGaussian(sigma, rate, uses).epsilon(delta)
    replaced = SubsampledGaussian(sigma, rate, uses, "poisson-replaced").epsilon(delta)
    # Replacing a record by an opposite one changes a step by twice its length.
    fixed_size = SubsampledGaussian(0.5 * sigma, rate, uses, "fixed-size").epsilon(delta)
    allocation = RandomAllocation(steps, sigma, epochs=epochs).epsilon(delta, WIDTH)
    bins = BallsInBins(steps, sigma, epochs).epsilon(delta, WIDTH)
    plain = Gaussian(sigma, epochs).epsilon(delta)
    return SamplingRow(sigma, epochs, *poisson, *allocation, *bins, *shuffled, *plain, *replaced, *fixed_size)
