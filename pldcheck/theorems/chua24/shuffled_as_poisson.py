"""Chua et al. (2024): shuffled batches, and Poisson sampling in their place."""

from __future__ import annotations

from ..feldman25.poisson_beside_allocation import NOISE_RANGE, poisson_curve, two_slots
from ..recalled import AS_RECALLED
from ..theorem import Source, Theorem

CHUA = "Chua, Ghazi, Kamath, Kumar, Manurangsi, Sinha, Zhang, How Private are DP-SGD Implementations?, ICML 2024"
URL = "https://arxiv.org/abs/2403.17673"
THEOREMS = (
    Theorem(
        id="poisson-for-shuffled",
        title="Shuffled batches accounted for as Poisson samples, two batches (false)",
        misread=True,
        statement=r"\delta = P(\epsilon)",
        adjacency="zero-out",
        protocol="shuffled-batches",
        parameters=("sigma", "epsilon"),
        conditions=NOISE_RANGE,
        source=Source("Chua24", CHUA, "the practice that the paper warns of", URL),
        formula=poisson_curve,
        notes=(
            f"{AS_RECALLED} P is the curve of Poisson samples of rate 1/T in T steps, evaluated for T = 2. Training "
            "loops that shuffle and report Poisson accounting rest on it."
        ),
        quantity="delta",
        subject=two_slots,
        example={"sigma": 1, "epsilon": 1},
    ),
)
