r"""The statements of Balle et al. (2020) on counts and on utility, as formulas in floating point.

They are expectations, tail bounds and rates, not privacy guarantees, so that they are not in :mod:`pldcheck.theorems`.
In Theorems 3.5 and 4.2 a gradient is at most ``lipschitz`` long, the noise adds ``noise_square``
(:math:`p\sigma^2`) to its expected square, and ``diameter`` is R.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp, expm1, inf, log, log1p, sqrt
from types import MappingProxyType

from .algorithms import Algorithm

# The source of all statements.
PAPER = "Balle, Kairouz, McMahan, Thakurta and Thakurta (2020), Privacy amplification via random check-ins"


@dataclass(frozen=True)
class Statement:
    """A statement of the paper: its id, its title, the statement in LaTeX, and its place in the paper."""

    id: str
    title: str
    statement: str
    where: str
    notes: str = ""


_ALL = (
    Statement(
        "prop-3.4",
        "Dummy updates of random check-ins with a fixed window",
        r"E[\text{dummy updates}] = m (1 - p_0/m)^n \le m e^{-n p_0/m}",
        "Proposition 3.4",
    ),
    Statement(
        "prop-4.4",
        "Dummy updates of random check-ins with a sliding window",
        r"E[\text{dummy updates}] = (n - m + 1)(1 - 1/m)^m \le (n - m + 1)/e",
        "Proposition 4.4",
        "The proof's index set, {m, ..., n - m + 1}, should be {m, ..., n}.",
    ),
    Statement(
        "lem-A.6",
        "Loads of the slots of averaged check-ins",
        r"\Pr[\|L\|_2 > \sqrt{n + n^2/m} + \sqrt{n \log(1/\delta)}] \le \delta",
        "Lemma A.6",
    ),
    Statement(
        "thm-3.5",
        "Excess risk of random check-ins with a fixed window",
        r"\Big(\frac{R^2}{c} + \frac{c (p\sigma^2 + L^2)}{1 - 2e^{-n p_0/m}}\Big) \frac{2 + \log m}{\sqrt m}"
        r",\quad \eta_i = c/\sqrt i,\ c = \frac{R (1 - 2e^{-n p_0/m})}{\sqrt{p\sigma^2 + L^2}}",
        "Theorem 3.5 and its proof",
        "The 2 in 2e^{-n p0/m} is not needed: a slot is empty with probability (1 - p0/m)^n <= e^{-n p0/m}.",
    ),
    Statement(
        "thm-4.2",
        "Excess risk of averaged check-ins",
        r"\Big(\frac{R^2}{c} + c \big(\frac{m p\sigma^2}{n} + L^2\big)\Big) \frac{2 + \log m}{\sqrt m}"
        r",\quad \eta_i = c/\sqrt i,\ c = \frac{R \sqrt n}{\sqrt{m p\sigma^2 + n L^2}}",
        "Theorem 4.2 and its proof",
    ),
    Statement(
        "thm-4.2-smooth",
        "Excess risk of averaged check-ins, smooth loss, averaged iterate",
        r"R \kappa \sqrt{2/m} + \beta R^2/m,\quad \kappa^2 = E[1/S \mid S > 0] (L^2 + p\sigma^2),"
        r"\ S \sim \mathrm{Bin}(n, 1/m)",
        "Theorem 4.2 and its proof",
    ),
)
STATEMENTS: Mapping[str, Statement] = MappingProxyType({statement.id: statement for statement in _ALL})


def empty_probability(algorithm: Algorithm) -> float:
    r"""Return the probability that a slot is empty, :math:`(1 - p_0/m)^n`; :math:`(1 - 1/m)^m` for sliding windows.

    See the proofs of Propositions 3.4 and 4.4.  The probability is 0 where every slot has a client.
    """
    if algorithm.placement == "ordered":
        return algorithm.sizes.count(0) / algorithm.slots
    if algorithm.placement not in ("fixed", "sliding"):
        return 0.0
    chance = algorithm.check_in_prob / algorithm.window
    balls = algorithm.window if algorithm.placement == "sliding" else algorithm.clients
    return exp(balls * log1p(-chance)) if chance < 1.0 else 0.0


def mean_empty_slots(algorithm: Algorithm) -> float:
    """Return the expected number of empty slots, and so of dummy updates (Propositions 3.4 and 4.4)."""
    return algorithm.slots * empty_probability(algorithm)


def empty_bound(algorithm: Algorithm) -> float:
    r"""Return the bound of the propositions on that number: :math:`m e^{-n p_0/m}` or :math:`(n - m + 1)/e`."""
    return algorithm.slots * exp(-1.0 if algorithm.placement == "sliding" else -algorithm.load)


def load_norm_bound(clients: int, steps: int, delta: float) -> float:
    """Return the bound of Lemma A.6, which the norm of the loads exceeds with probability at most ``delta``."""
    return sqrt(clients + clients**2 / steps) + sqrt(clients * log(1.0 / delta))


def mean_load_square(algorithm: Algorithm) -> float:
    r"""Return the expected sum of squared loads in a fixed window, :math:`n p_0 + n (n-1) p_0^2/m`."""
    n, p0 = algorithm.clients, algorithm.check_in_prob
    return n * p0 + n * (n - 1) * p0**2 / algorithm.slots


def thm_3_5_scale(none: float, noise_square: float, lipschitz: float, diameter: float) -> float:
    """Return c of the step sizes c/sqrt i of Theorem 3.5; ``none`` is its quantity 2 e^{-n p0/m}."""
    return diameter * (1.0 - none) / sqrt(noise_square + lipschitz**2)


def thm_3_5(
    steps: int, none: float, noise_square: float, lipschitz: float, diameter: float, scale: float | None = None
) -> float:
    """Return the bound of Theorem 3.5 with its explicit factor; infinite where ``none`` is 1 or more.

    ``scale`` is c of the step sizes c/sqrt i, by default that of the theorem.
    """
    if none >= 1.0:
        return inf
    c = thm_3_5_scale(none, noise_square, lipschitz, diameter) if scale is None else scale
    bracket = diameter**2 / c + c * (noise_square + lipschitz**2) / (1.0 - none)
    return bracket * (2.0 + log(steps)) / sqrt(steps)


def thm_4_2_scale(steps: int, clients: int, noise_square: float, lipschitz: float, diameter: float) -> float:
    """Return c of the step sizes c/sqrt i of Theorem 4.2."""
    return diameter / sqrt(steps * noise_square / clients + lipschitz**2)


def thm_4_2(steps: int, clients: int, noise_square: float, lipschitz: float, diameter: float) -> float:
    """Return the bound of Theorem 4.2 for convex losses, with its explicit factor."""
    c = thm_4_2_scale(steps, clients, noise_square, lipschitz, diameter)
    bracket = diameter**2 / c + c * (steps * noise_square / clients + lipschitz**2)
    return bracket * (2.0 + log(steps)) / sqrt(steps)


def kappa(steps: int, clients: int, noise_square: float, lipschitz: float) -> float:
    r"""Return the root of :math:`E[1/S \mid S > 0] (L^2 + p\sigma^2)`, S ~ Bin(n, 1/m): the error of an average."""
    return sqrt(inverse_load(clients, 1.0 / steps) * (lipschitz**2 + noise_square))


def inverse_load(clients: int, chance: float) -> float:
    r"""Return E[1/S | S > 0] of a binomial S.

    With q = 1 - chance, :math:`E[1/S; S > 0] = \sum_{k=1}^n (q^{n-k} - q^n)/k`, which is the expansion of
    :math:`\int_0^1 ((q + (1-q) t)^n - q^n)/t\,dt`.
    """
    if chance >= 1.0:
        return 1.0 / clients
    log_absence = log1p(-chance)
    # Terms below e^-45 of the largest are left out.
    first = max(1, clients - int(45.0 / -log_absence))
    total = sum(exp((clients - k) * log_absence) * -expm1(k * log_absence) / k for k in range(first, clients + 1))
    return total / -expm1(clients * log_absence)


def thm_4_2_smooth(steps: int, kappa: float, smooth: float, diameter: float) -> float:
    """Return the bound of Theorem 4.2 for smooth losses, on the averaged model."""
    return diameter * kappa * sqrt(2.0 / steps) + smooth * diameter**2 / steps
