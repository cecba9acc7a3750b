r"""Chen, Cao, Ge (2024): shuffling of many clients as Gaussian noise.

n is ``clients``, x stands for :math:`e^{\epsilon_0}`.  The notes say what was not read in the paper itself.
The formula is evaluated with a relative error below 5e-13.
"""

from __future__ import annotations

from math import exp, sqrt

from ..steinke22.gaussian_noise import CURVE, gaussian
from ..theorem import Condition, Source, Theorem

CHEN = "Chen, Cao, Ge, Rényi Differential Privacy in the Shuffle Model: Enhanced Amplification Bounds, ICASSP 2024"


def gaussian_limit(*, clients: int, eps0: float, epsilon: float) -> float:
    r"""Return the delta of Gaussian noise at :math:`\mu = 2 e^{\epsilon_0/2} / \sqrt{n-1}`."""
    return gaussian(sigma=sqrt((clients - 1) * exp(-eps0)) / 2, epsilon=epsilon)


THEOREMS = (
    Theorem(
        id="chen-gdp",
        title="Shuffling as Gaussian noise, in the limit of many clients",
        statement=CURVE + r", \quad \mu = \frac{2 e^{\epsilon_0/2}}{\sqrt{n - 1}}",
        adjacency="replace",
        protocol="shuffle",
        parameters=("clients", "eps0", "epsilon"),
        conditions=(Condition("clients >= 2", "clients", lambda params: 2 - params["clients"]),),
        source=Source("Chen24", CHEN, "Theorem 2", "https://arxiv.org/abs/2401.04306"),
        formula=gaussian_limit,
        notes=(
            'The paper says "approximately satisfies": this is a limit for many clients, not a bound. Taken as a '
            "bound, it is too small: at eps0 = 4, n = 100, epsilon = 2.8 it gives delta = 0.056, while binary "
            "randomized response has delta = 0.114."
        ),
        quantity="delta",
        approximation=(
            'The paper says that shuffling "approximately satisfies" this, in the limit of many clients; it claims no '
            "bound at a finite number of clients. Here it is judged as if it did."
        ),
    ),
)
