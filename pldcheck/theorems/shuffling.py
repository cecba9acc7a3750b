r"""Bounds on shuffling from other papers, for comparison with Theorem 5.1 of Balle et al. (2020).

n is ``clients``, x stands for :math:`e^{\epsilon_0}`.  What could not be read in the paper itself says so in its notes.
Each formula is evaluated with a relative error below 1e-14, that of Chen et al. below 5e-13.
"""

from __future__ import annotations

from math import exp, expm1, inf, log, log1p, sqrt, tanh

from .registry import Condition, Source, Theorem
from .steinke22_gaussian import CURVE, gaussian

EFMRTT = (
    "Erlingsson, Feldman, Mironov, Raghunathan, Talwar, Thakurta, Amplification by Shuffling: From Local to Central "
    "Differential Privacy via Anonymity, SODA 2019"
)
FMT21 = (
    "Feldman, McMillan, Talwar, Hiding Among the Clones: A Simple and Nearly Optimal Analysis of Privacy Amplification "
    "by Shuffling, FOCS 2021"
)
FMT22 = (
    "Feldman, McMillan, Talwar, Stronger Privacy Amplification by Shuffling for Rényi and Approximate Differential "
    "Privacy, SODA 2023"
)
CHEN = "Chen, Cao, Ge, Rényi Differential Privacy in the Shuffle Model: Enhanced Amplification Bounds, ICASSP 2024"


def sequential(*, clients: int, eps0: float, delta: float) -> float:
    r""":math:`a (e^{a/n} - 1) + a \sqrt{2 \log(1/\delta) / n}`, :math:`a = 2 x^2 (x-1)`.

    Advanced composition of n steps, each a/n-DP.
    """
    a = 2 * exp(2 * eps0) * expm1(eps0)
    return a * expm1(a / clients) + a * sqrt(-2 * log(delta) / clients)


def clones(*, clients: int, eps0: float, delta: float) -> float:
    r""":math:`\log(1 + \frac{x-1}{x+1} (8 \sqrt{x \log(4/\delta) / n} + 8 x / n))`."""
    share = exp(eps0) / clients
    return log1p(tanh(eps0 / 2) * 8 * (sqrt(share * (log(4) - log(delta))) + share))


def stronger_clones(*, clients: int, eps0: float, delta: float) -> float:
    r""":math:`\log(1 + (x-1) (4 \sqrt{2 \log(4/\delta) / ((x+1) n)} + 4/n))`."""
    root = sqrt(2 * (log(4) - log(delta)) / ((exp(eps0) + 1) * clients))
    return log1p(expm1(eps0) * 4 * (root + 1 / clients))


def gaussian_limit(*, clients: int, eps0: float, epsilon: float) -> float:
    r"""The curve of Gaussian noise at :math:`\mu = 2 e^{\epsilon_0/2} / \sqrt{n-1}`."""
    return gaussian(sigma=sqrt((clients - 1) * exp(-eps0)) / 2, epsilon=epsilon)


def _log(value: float) -> float:
    return log(value) if value > 0 else -inf


def _crowd(clients: float, factor: float, delta: float) -> float:
    r""":math:`n / (c \log(2/\delta))`."""
    return clients / (factor * (log(2) - log(delta)))


THEOREMS = (
    Theorem(
        id="efmrtt-7",
        title="Amplification by shuffling, by composition of equal steps",
        statement=(
            r"\epsilon = a (e^{a/n} - 1) + a \sqrt{\frac{2 \log(1/\delta)}{n}},"
            r" \quad a = 2 e^{2\epsilon_0} (e^{\epsilon_0} - 1)"
        ),
        adjacency="replacement",
        protocol="shuffle",
        parameters=("clients", "eps0", "delta"),
        conditions=(),
        source=Source(
            "EFMRTT19",
            EFMRTT,
            "Theorem 7, as quoted after Theorem 5.1 of Balle et al. 2020",
            "https://arxiv.org/abs/1811.12469",
        ),
        formula=sequential,
        notes="For adaptive randomizers. The paper itself was not read.",
    ),
    Theorem(
        id="fmt21-3.1",
        title="Amplification by shuffling, by clones, in closed form",
        statement=(
            r"\epsilon = \log\left(1 + \frac{e^{\epsilon_0} - 1}{e^{\epsilon_0} + 1} \left("
            r"\frac{8 \sqrt{e^{\epsilon_0} \log(4/\delta)}}{\sqrt n} + \frac{8 e^{\epsilon_0}}{n}\right)\right)"
        ),
        adjacency="replacement",
        protocol="shuffle",
        parameters=("clients", "eps0", "delta"),
        conditions=(
            Condition(
                "eps0 <= log(clients / (16 log(2/delta)))",
                "eps0",
                lambda params: params["eps0"] - _log(_crowd(params["clients"], 16, params["delta"])),
            ),
        ),
        source=Source("FMT21", FMT21, "Theorem 3.1", "https://arxiv.org/abs/2012.12803"),
        formula=clones,
        notes=(
            "As recalled: the paper was not read in full. A public library has the same formula and condition under "
            "the theorem's number; the authors' own code has a slightly larger factor, and log(4/delta) in the "
            "condition. For adaptive randomizers."
        ),
    ),
    Theorem(
        id="fmt22-closed",
        title="Amplification by shuffling, by stronger clones, in closed form",
        statement=(
            r"\epsilon = \log\left(1 + (e^{\epsilon_0} - 1) \left("
            r"\frac{4 \sqrt{2 \log(4/\delta)}}{\sqrt{(e^{\epsilon_0} + 1) n}} + \frac4n\right)\right)"
        ),
        adjacency="replacement",
        protocol="shuffle",
        parameters=("clients", "eps0", "delta"),
        conditions=(
            Condition(
                "eps0 <= log(clients / (8 log(2/delta)) - 1)",
                "eps0",
                lambda params: params["eps0"] - _log(_crowd(params["clients"], 8, params["delta"]) - 1),
            ),
        ),
        source=Source("FMT22", FMT22, "closed form of the general upper bound", "https://arxiv.org/abs/2208.04591"),
        formula=stronger_clones,
        notes=(
            "As recalled: the paper was not read in full. The appendix of Wang et al. (2304.05007) derives the same "
            "with n - 1 under the root. An erratum withdraws the paper's proof for general randomizers."
        ),
    ),
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
            'Stated as "approximately satisfies": a limit for many clients. Taken at its word as a bound here, it is '
            "false: at eps0 = 4, n = 100, epsilon = 2.8 it says 0.056, and binary randomized response has 0.114."
        ),
        quantity="delta",
    ),
)
