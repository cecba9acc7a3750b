r"""Liew, Takahashi (2022): shuffled Gaussian noise, read for other records that are not zero.

n is ``steps``, the number of records, each a batch of its own.  The relative error is below 1e-12.
"""

from __future__ import annotations

from ..feldman25.allocation_divergences import CONVERTED, MOMENTS, NOISE_LIMIT, mean_moments
from ..feldman25.moment_conversion import MOST_ORDER, least_delta
from ..recalled import AS_RECALLED
from ..theorem import Source, Theorem

LT = "Liew, Takahashi, Shuffle Gaussian Mechanism for Differential Privacy, 2022"


def zero_others_delta(*, steps: int, sigma: float, epsilon: float) -> float:
    """Return the delta that follows from the divergences for other records that are zero, whole orders up to 64."""
    return least_delta(mean_moments(steps, sigma), epsilon)


THEOREMS = (
    Theorem(
        id="lt22-opposite",
        title="Shuffled Gaussian noise by the divergence among zeros, read for any other records (false)",
        misread=True,
        statement=CONVERTED + r", \quad " + MOMENTS + r", t = n",
        adjacency="zero-out",
        protocol="shuffled-batches",
        parameters=("steps", "sigma", "epsilon"),
        conditions=(NOISE_LIMIT,),
        source=Source("LT22", LT, "the Rényi divergence of the mechanism", "https://arxiv.org/abs/2206.09569"),
        formula=zero_others_delta,
        notes=(
            f"{AS_RECALLED} The formula is the exact divergence where all other records are zero. Which neighbours the "
            "paper has in mind was not at hand: here all records are in a ball of radius 1, and one is there or is "
            "zero. Then others opposite to it are worse, its message stands out by twice its length, and the formula "
            f"is no bound. It is converted at whole orders up to {MOST_ORDER}."
        ),
        quantity="delta",
        example={"steps": 10, "sigma": 1, "epsilon": 1},
    ),
)
