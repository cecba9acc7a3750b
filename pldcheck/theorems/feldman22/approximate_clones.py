r"""Feldman, McMillan, Talwar (2021, 2022): shuffling of approximately private randomizers, for Gaussian noise.

n is ``clients``, x stands for :math:`e^{\epsilon_0}`.  Every client adds noise of deviation ``sigma`` to a number in
[0, 1], which is :math:`(\epsilon_0, \delta_0)`-DP for every :math:`\epsilon_0`, with the :math:`\delta_0` of the curve
of Gaussian noise.  The relative error is below 1e-12.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp
from typing import Any

from ..feldman21.clones import CROWD, FMT21, clones
from ..recalled import AS_RECALLED
from ..steinke22.gaussian_noise import gaussian
from ..theorem import Condition, Source, Theorem
from .stronger_clones import FMT22, SMALL_BUDGET, stronger_clones


def of_noise(*, clients: int, sigma: float, eps0: float, delta: float) -> float:
    r"""Return the epsilon of ``fmt21-3.1``: the closed form for :math:`\epsilon_0`-DP randomizers."""
    return clones(clients=clients, eps0=eps0, delta=delta)


def stronger_of_noise(*, clients: int, sigma: float, eps0: float, delta: float) -> float:
    r"""Return the epsilon of ``fmt22-closed``: the closed form for :math:`\epsilon_0`-DP randomizers."""
    return stronger_clones(clients=clients, eps0=eps0, delta=delta)


def total_delta(epsilon: float, clients: int, sigma: float, eps0: float, delta: float) -> float:
    r"""Return :math:`\delta + (e^\epsilon + 1) (1 + e^{-\epsilon_0}/2) n \delta_0`."""
    return delta + (exp(epsilon) + 1) * (1 + exp(-eps0) / 2) * clients * gaussian(sigma=sigma, epsilon=eps0)


def delta_of_noise(*, clients: int, sigma: float, eps0: float, delta: float) -> float:
    """Return the total delta at the epsilon of ``fmt21-3.1``."""
    return total_delta(clones(clients=clients, eps0=eps0, delta=delta), clients, sigma, eps0, delta)


def stronger_delta_of_noise(*, clients: int, sigma: float, eps0: float, delta: float) -> float:
    """Return the total delta at the epsilon of ``fmt22-closed``."""
    return total_delta(stronger_clones(clients=clients, eps0=eps0, delta=delta), clients, sigma, eps0, delta)


def with_noise(*, clients: int, sigma: float, eps0: float, delta: float) -> dict[str, Any]:
    """Return the fields of shuffling with Gaussian noise on numbers in [0, 1]."""
    return {"clients": clients, "eps0": eps0, "randomizer": f"gaussian:{sigma!r}"}


def below_one(at: Callable[..., float]) -> Condition:
    """Return the condition that the total delta claims something."""
    return Condition("the total delta < 1", "sigma", lambda params: at(**params) - 1, strict=True)


TOTAL = (
    r" \text{ at } \delta + (e^\epsilon + 1) \left(1 + \frac{e^{-\epsilon_0}}2\right) n \delta_0,"
    r" \quad \delta_0 = G_\sigma(\epsilon_0)"
)
STATED = (
    "It is stated for all (eps0, delta0)-DP randomizers, each of which may depend on earlier messages; Gaussian noise "
    "is one of them, at every eps0."
)

THEOREMS = (
    Theorem(
        id="fmt21-3.8",
        title="Amplification by shuffling, by clones, approximate, for Gaussian noise",
        statement=(
            r"\epsilon = \log\left(1 + \frac{e^{\epsilon_0} - 1}{e^{\epsilon_0} + 1} \left("
            r"\frac{8 \sqrt{e^{\epsilon_0} \log(4/\delta)}}{\sqrt n} + \frac{8 e^{\epsilon_0}}{n}\right)\right)" + TOTAL
        ),
        adjacency="replace",
        protocol="shuffle",
        parameters=("clients", "sigma", "eps0", "delta"),
        conditions=(CROWD, below_one(delta_of_noise)),
        source=Source("FMT21", FMT21, "Theorem 3.8", "https://arxiv.org/abs/2012.12803"),
        formula=of_noise,
        notes=f"{AS_RECALLED} Two public programs have the same term of delta0. {STATED}",
        at=delta_of_noise,
        subject=with_noise,
        example={"clients": 10000, "sigma": 3, "eps0": 2},
    ),
    Theorem(
        id="fmt22-approximate",
        title="Amplification by shuffling, by stronger clones, approximate, for Gaussian noise",
        statement=(
            r"\epsilon = \log\left(1 + (e^{\epsilon_0} - 1) \left("
            r"\frac{4 \sqrt{2 \log(4/\delta)}}{\sqrt{(e^{\epsilon_0} + 1) n}} + \frac4n\right)\right)" + TOTAL
        ),
        adjacency="replace",
        protocol="shuffle",
        parameters=("clients", "sigma", "eps0", "delta"),
        conditions=(SMALL_BUDGET, below_one(stronger_delta_of_noise)),
        source=Source(
            "FMT22", FMT22, "approximate form of the general upper bound", "https://arxiv.org/abs/2208.04591"
        ),
        formula=stronger_of_noise,
        notes=(
            f"{AS_RECALLED} Two public programs pair this epsilon with that term of delta0. {STATED} The erratum "
            "keeps the general upper bounds for a restricted class of randomizers only."
        ),
        at=stronger_delta_of_noise,
        subject=with_noise,
        example={"clients": 10000, "sigma": 3, "eps0": 2},
    ),
)
