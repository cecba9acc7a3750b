r"""Chen, Cao, Ge (2024): shuffling of many clients as Gaussian noise.

n is ``clients``, x stands for :math:`e^{\epsilon_0}`.  What could not be read in the paper itself says so in its notes.
The formula is evaluated with a relative error below 5e-13.
"""

from __future__ import annotations

from math import exp, sqrt

from ..registry import Condition, Source, Theorem
from ..steinke22.gaussian_noise import CURVE, gaussian

CHEN = "Chen, Cao, Ge, Rényi Differential Privacy in the Shuffle Model: Enhanced Amplification Bounds, ICASSP 2024"


def gaussian_limit(*, clients: int, eps0: float, epsilon: float) -> float:
    r"""Return the curve of Gaussian noise at :math:`\mu = 2 e^{\epsilon_0/2} / \sqrt{n-1}`."""
    return gaussian(sigma=sqrt((clients - 1) * exp(-eps0)) / 2, epsilon=epsilon)


THEOREMS = (
    Theorem(
        id="chen-gdp",
        title="Shuffling as Gaussian noise, in the limit of many clients",
        statement=CURVE + r", \quad \mu = \frac{2 e^{\epsilon_0/2}}{\sqrt{n - 1}}",
        adjacency="replacement",
        protocol="shuffle",
        parameters=("clients", "eps0", "epsilon"),
        conditions=(Condition("clients >= 2", "clients", lambda params: 2 - params["clients"]),),
        source=Source("Chen24", CHEN, "Theorem 2", "https://arxiv.org/abs/2401.04306"),
        formula=gaussian_limit,
        notes=(
            'Stated as "approximately satisfies": a limit for many clients, which the paper does not call a bound. '
            "Held to it as if it were one, it is too small: at eps0 = 4, n = 100, epsilon = 2.8 it says 0.056, and "
            "binary randomized response has 0.114."
        ),
        quantity="delta",
    ),
)
