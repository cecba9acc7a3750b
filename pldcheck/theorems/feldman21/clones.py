r"""Feldman, McMillan, Talwar (2021): amplification by shuffling, by clones.

n is ``clients``, x stands for :math:`e^{\epsilon_0}`.  The notes say what was not read in the paper itself.
The formula is evaluated with a relative error below 1e-14.
"""

from __future__ import annotations

from math import exp, inf, log, log1p, sqrt, tanh

from ..recalled import AS_RECALLED
from ..theorem import Condition, Source, Theorem

FMT21 = (
    "Feldman, McMillan, Talwar, Hiding Among the Clones: A Simple and Nearly Optimal Analysis of Privacy Amplification "
    "by Shuffling, FOCS 2021"
)


def clones(*, clients: int, eps0: float, delta: float) -> float:
    r"""Return :math:`\log(1 + \frac{x-1}{x+1} (8 \sqrt{x \log(4/\delta) / n} + 8 x / n))`."""
    share = exp(eps0) / clients
    return log1p(tanh(eps0 / 2) * 8 * (sqrt(share * (log(4) - log(delta))) + share))


def smaller_log(*, clients: int, eps0: float, delta: float) -> float:
    r"""Return the same with :math:`\log(2/\delta)` in the place of :math:`\log(4/\delta)`."""
    share = exp(eps0) / clients
    return log1p(tanh(eps0 / 2) * 8 * (sqrt(share * (log(2) - log(delta))) + share))


def log_of_positive(value: float) -> float:
    """Return the logarithm of a number, or minus infinity where the number is not positive."""
    return log(value) if value > 0 else -inf


def crowd(clients: float, factor: float, delta: float) -> float:
    r"""Return the size of the crowd that the condition needs: :math:`n / (c \log(2/\delta))`."""
    return clients / (factor * (log(2) - log(delta)))


CROWD = Condition(
    "eps0 <= log(clients / (16 log(2/delta)))",
    "eps0",
    lambda params: params["eps0"] - log_of_positive(crowd(params["clients"], 16, params["delta"])),
)

THEOREMS = (
    Theorem(
        id="fmt21-3.1",
        title="Amplification by shuffling, by clones, in closed form",
        statement=(
            r"\epsilon = \log\left(1 + \frac{e^{\epsilon_0} - 1}{e^{\epsilon_0} + 1} \left("
            r"\frac{8 \sqrt{e^{\epsilon_0} \log(4/\delta)}}{\sqrt n} + \frac{8 e^{\epsilon_0}}{n}\right)\right)"
        ),
        adjacency="replace",
        protocol="shuffle",
        parameters=("clients", "eps0", "delta"),
        conditions=(CROWD,),
        source=Source("FMT21", FMT21, "Theorem 3.1", "https://arxiv.org/abs/2012.12803"),
        formula=clones,
        notes=(
            "The statement is recalled: the paper was not read in full. A public library has the same formula and "
            "condition under the theorem's number; the authors' own code has a slightly larger factor, and "
            "log(4/delta) in the condition. The theorem holds for adaptive randomizers."
        ),
    ),
    Theorem(
        id="fmt21-smaller-log",
        title="Amplification by shuffling, by clones, in closed form with log(2/delta)",
        statement=(
            r"\epsilon = \log\left(1 + \frac{e^{\epsilon_0} - 1}{e^{\epsilon_0} + 1} \left("
            r"\frac{8 \sqrt{e^{\epsilon_0} \log(2/\delta)}}{\sqrt n} + \frac{8 e^{\epsilon_0}}{n}\right)\right)"
        ),
        adjacency="replace",
        protocol="shuffle",
        parameters=("clients", "eps0", "delta"),
        conditions=(CROWD,),
        source=Source(
            "FMT21", FMT21, "Theorem 3.1, in another reading of its logarithm", "https://arxiv.org/abs/2012.12803"
        ),
        formula=smaller_log,
        notes=(
            f"{AS_RECALLED} Copies differ in whether the root has log(4/delta) or log(2/delta), and which is printed "
            "was not at hand. This one is the stronger claim; if it holds at a point, so does fmt21-3.1."
        ),
    ),
)
