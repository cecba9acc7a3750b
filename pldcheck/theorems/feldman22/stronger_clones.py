r"""Feldman, McMillan, Talwar (2022): amplification by shuffling, by stronger clones.

n is ``clients``, x stands for :math:`e^{\epsilon_0}`.  The notes say what was not read in the paper itself.
The formula is evaluated with a relative error below 1e-14.
"""

from __future__ import annotations

from math import exp, expm1, log, log1p, sqrt

from ..feldman21.clones import crowd, log_of_positive
from ..theorem import Condition, Source, Theorem

FMT22 = (
    "Feldman, McMillan, Talwar, Stronger Privacy Amplification by Shuffling for Rényi and Approximate Differential "
    "Privacy, SODA 2023"
)


def stronger_clones(*, clients: int, eps0: float, delta: float) -> float:
    r"""Return :math:`\log(1 + (x-1) (4 \sqrt{2 \log(4/\delta) / ((x+1) n)} + 4/n))`."""
    root = sqrt(2 * (log(4) - log(delta)) / ((exp(eps0) + 1) * clients))
    return log1p(expm1(eps0) * 4 * (root + 1 / clients))


SMALL_BUDGET = Condition(
    "eps0 <= log(clients / (8 log(2/delta)) - 1)",
    "eps0",
    lambda params: params["eps0"] - log_of_positive(crowd(params["clients"], 8, params["delta"]) - 1),
)

THEOREMS = (
    Theorem(
        id="fmt22-closed",
        title="Amplification by shuffling, by stronger clones, in closed form",
        statement=(
            r"\epsilon = \log\left(1 + (e^{\epsilon_0} - 1) \left("
            r"\frac{4 \sqrt{2 \log(4/\delta)}}{\sqrt{(e^{\epsilon_0} + 1) n}} + \frac4n\right)\right)"
        ),
        adjacency="replace",
        protocol="shuffle",
        parameters=("clients", "eps0", "delta"),
        conditions=(SMALL_BUDGET,),
        source=Source("FMT22", FMT22, "closed form of the general upper bound", "https://arxiv.org/abs/2208.04591"),
        formula=stronger_clones,
        notes=(
            "The statement is recalled: the paper was not read in full. The appendix of Wang et al. (2304.05007) "
            "derives the same formula with n - 1 under the root. An erratum withdraws the paper's proof for general "
            "randomizers."
        ),
    ),
)
