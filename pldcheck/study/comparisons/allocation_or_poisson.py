r"""Random allocation next to Poisson sampling with the same noise and the same expected number of uses.

A pass over the data of m steps, each record in one of them chosen at random, E times; or each record in each of the
m E steps with probability 1/m.  For a record added or removed, as Poisson sampling is analysed; what it costs that a
record may be replaced by an opposite one; and what is known without any randomness of the schedule.

At every point of the default grid allocation is certified to be below Poisson sampling, by 19 % (sigma = 0.5,
m = 100, one pass) down to 0.03 %.  That is no law: at sigma = 1, m = 10, delta = 0.1 it is certified to be 8 % above.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import exp, inf, nextafter, sqrt

from ...protocols import Gaussian, RandomAllocation, SubsampledGaussian
from ...theorems import REGISTRY
from ...theorems.balle20.check_ins import fixed_window
from ...theorems.balle20.shuffling_and_swaps import tolerated
from .comparison import Comparison, Progress, column, over

SIGMA = (0.5, 1.0, 2.0, 4.0)
STEPS = (100, 1_000, 10_000)
EPOCHS = (1, 10, 100)
DELTA = 1e-6
# The least eps0 at which Theorem 3.2's is sought.
LEAST_EPS0 = 1e-9
# The largest eps0 at which Theorem 3.2's is sought.
LARGEST_EPS0 = 80.0
# How closely Theorem 3.2's eps0 is sought.
CLOSE = 1e-9
# Noise from which on replacement is asked for, the least of the default grid: below, several epochs take longer still.
REPLACED_FROM = 0.5


@dataclass(frozen=True)
class Allocated:
    """Epsilon of ``epochs`` passes of ``steps`` steps each, at noise ``sigma`` over the largest contribution.

    ``lower`` and ``upper`` are those of random allocation, ``ratio`` is theirs over Poisson sampling's, None where that
    may be 0.  ``replaced``: allocation, the record replaced by an opposite one, which moves a step by twice as much;
    None where no upper end was sought or found.  ``unamplified``: the record in a known step of every pass.
    ``thm_3_2_approx``: of one pass, for a record replaced by one that contributes nothing; None for more passes, and
    where it is not below ``unamplified``, as nowhere on the default grid.
    """

    sigma: float = column("sigma")
    steps: int = column("m")
    epochs: int = column("E")
    lower: float = column("allocation lower")
    upper: float = column("allocation upper")
    poisson_lower: float = column("Poisson lower")
    poisson_upper: float = column("Poisson upper")
    ratio_lower: float | None = column("ratio lower")
    ratio_upper: float | None = column("ratio upper")
    replaced_lower: float | None = column("replaced lower")
    replaced_upper: float | None = column("replaced upper")
    unamplified_lower: float = column("no amplification lower")
    unamplified_upper: float = column("no amplification upper")
    thm_3_2_approx: float | None = column("thm-3.2-approx")


def allocation(
    *,
    sigma: Sequence[float] = SIGMA,
    steps: Sequence[int] = STEPS,
    epochs: Sequence[int] = EPOCHS,
    delta: float = DELTA,
    progress: Progress | None = None,
) -> Comparison[Allocated]:
    """Return random allocation, Poisson sampling, replacement and no amplification, over the product of the grids.

    Raises ParameterError for a value that is not allowed.
    """
    rows = over(sigma, steps, epochs, row=partial(_row, delta), progress=progress)
    params = {"sigma": list(sigma), "steps": list(steps), "epochs": list(epochs), "delta": delta}
    return Comparison("allocation", "Random allocation and Poisson sampling of Gaussian noise", params, rows)


def _row(delta: float, sigma: float, m: int, epochs: int) -> Allocated:
    allocated = RandomAllocation(m, sigma, epochs=epochs).epsilon(delta)
    poisson = SubsampledGaussian(sigma, 1.0 / m, m * epochs).epsilon(delta)
    replaced_lower, replaced_upper = _replaced(delta, sigma, m, epochs)
    unamplified = Gaussian(sigma, epochs).epsilon(delta)
    known = poisson.lower > 0.0
    return Allocated(
        sigma=sigma,
        steps=m,
        epochs=epochs,
        lower=allocated.lower,
        upper=allocated.upper,
        poisson_lower=poisson.lower,
        poisson_upper=poisson.upper,
        ratio_lower=max(nextafter(allocated.lower / poisson.upper, -inf), 0.0) if known else None,
        ratio_upper=nextafter(allocated.upper / poisson.lower, inf) if known else None,
        replaced_lower=replaced_lower,
        replaced_upper=replaced_upper,
        unamplified_lower=unamplified.lower,
        unamplified_upper=unamplified.upper,
        thm_3_2_approx=_thm_3_2_approx(m, sigma, delta, unamplified.lower) if epochs == 1 else None,
    )


def _replaced(delta: float, sigma: float, m: int, epochs: int) -> tuple[float, float] | tuple[None, None]:
    if sigma < REPLACED_FROM:
        return None, None
    found = RandomAllocation(m, sigma, epochs=epochs, adjacency="replace").epsilon(delta)
    return (found.lower, found.upper) if found.upper < inf else (None, None)


def _thm_3_2_approx(m: int, sigma: float, delta: float, most: float) -> float | None:
    """Theorem 3.2 at its best eps0, half of ``delta`` for either of its terms; None where it is not below ``most``."""
    noise, half = Gaussian(sigma), 0.5 * delta

    def claimed(eps0: float) -> float:
        return fixed_window(steps=m, eps0=8 * eps0, check_in_prob=1.0, delta=half)

    def left(eps0: float) -> float:
        rest = exp(-claimed(eps0))
        return half / m * rest / (1.0 + rest)

    def holds(eps0: float) -> bool:
        delta1 = left(eps0)
        return delta1 > 0.0 and noise.delta(eps0).upper <= tolerated(eps0, delta1)

    # The claim grows with eps0, so the least eps0 for which the condition holds is best.  Up to the limit delta0 falls
    # with eps0 much faster than what is tolerated: from there on it holds.
    limit = _first(lambda eps0: claimed(eps0) >= most, LARGEST_EPS0)
    if not holds(limit):
        return None
    eps0 = _first(holds, limit)
    at = {"steps": m, "eps0": eps0, "check_in_prob": 1.0, "delta0": noise.delta(eps0).upper, "delta1": left(eps0)}
    found = REGISTRY["thm-3.2-approx"](**at, delta=half).value
    return found if found < most else None


def _first(holds: Callable[[float], bool], high: float) -> float:
    """Return the least number from which on it ``holds``, as it does at ``high``."""
    low = LEAST_EPS0
    while high > low * (1.0 + CLOSE):
        middle = sqrt(low * high)
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
