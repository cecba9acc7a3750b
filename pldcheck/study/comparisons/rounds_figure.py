r"""Rounds of shuffling: the composition figure of Girgis et al. (2021), with privacy loss distributions.

At order l a Rényi bound r(l) of one round gives T rounds

.. math:: \epsilon = T r(l) + \frac{\log(1/\delta) + (l-1) \log(1-1/l) - \log l}{l-1}

(Canonne, Kamath, Steinke 2020), here for integers l, as their theorem has them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from math import e, log, log1p, sqrt, tanh

from ...protocols import Shuffle
from ...shuffling import three_symbol_pair
from ...shuffling.shuffled_losses import losses
from ...theorems import REGISTRY
from .comparison import Comparison, Progress, column, over

# Sizes of the grid.
CLIENTS = (1_000_000, 10_000_000)
# Numbers of rounds of the grid.
ROUNDS = (100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
# The budget of the figure.
EPS0 = 3.0
# The delta of the figure.
DELTA = 1e-8
# Shares of delta that are tried for the slack of the composition; the rest is for the rounds.  Every share is valid.
SHARES = tuple(i / 200 for i in range(1, 200))
# Largest order at which the bounds on the divergence are evaluated.
MOST_ORDER = 1000


@dataclass(frozen=True)
class RoundsRow:
    """Epsilon after T rounds.

    ``rdp_binary`` is the conversion of the divergence of binary randomized response, the "lower bound" of the paper.
    It bounds the result of any Rényi bound, and not the true epsilon, which may be smaller or larger.
    """

    clients: int = column("n")
    rounds: int = column("T")
    girgis_ub1: float = column("girgis-ub1")
    order: int = column("l")
    rdp_binary: float = column("girgis-lb")
    order_binary: int = column("l")
    fmt21_kov: float = column("fmt21-3.1+KOV")
    fmt21_lower: float = column("clones lower")
    fmt21_upper: float = column("clones upper")
    fmt22_lower: float = column("stronger lower")
    fmt22_upper: float = column("stronger upper")
    lower: float = column("truth lower")
    upper: float = column("truth upper")


def rounds(
    *,
    clients: Sequence[int] = CLIENTS,
    rounds: Sequence[int] = ROUNDS,
    eps0: float = EPS0,
    delta: float = DELTA,
    progress: Progress | None = None,
) -> Comparison[RoundsRow]:
    """Return converted Rényi bounds, the composed closed form of the clones, and loss distributions of both clones.

    Raises ParameterError for a value that is not allowed, and ConditionError where Theorem 3.1 of Feldman et al. does
    not apply.
    """
    once = {
        n: (losses(three_symbol_pair.clones(n, eps0)), losses(three_symbol_pair.stronger_clones(n, eps0)))
        for n in clients
    }
    above = {n: _divergence("girgis-ub1", n, eps0) for n in clients}
    below = {n: _divergence("girgis-lb", n, eps0) for n in clients}

    def row(n: int, count: int) -> RoundsRow:
        fmt21, fmt22 = (loss.compose(count).epsilon(delta) for loss in once[n])
        truth = Shuffle(n, eps0, rounds=count).epsilon(delta)
        upper, lower = (renyi_epsilon(divergence[n], count, delta) for divergence in (above, below))
        kov = _closed_composition(n, eps0, count, delta)
        return RoundsRow(n, count, *upper, *lower, kov, *fmt21, *fmt22, *truth)

    rows = over(clients, rounds, row=row, progress=progress)
    params = {"clients": list(clients), "rounds": list(rounds), "eps0": eps0, "delta": delta}
    return Comparison("rounds", "Rounds of shuffling: the composition figure of Girgis et al. (2021)", params, rows)


def _divergence(name: str, n: int, eps0: float) -> Callable[[int], float]:
    """Return the bound of a theorem on the Rényi divergence as a function of the order, with a cache."""
    return cache(lambda order: REGISTRY[name](clients=n, eps0=eps0, order=order).value)


def renyi_epsilon(divergence: Callable[[int], float], count: int, delta: float) -> tuple[float, int]:
    """Return the least epsilon after ``count`` rounds, and its order."""

    def epsilon(order: int) -> float:
        tail = -log(delta) + (order - 1) * log1p(-1 / order) - log(order)
        return count * divergence(order) + tail / (order - 1)

    order = _least(epsilon)
    return epsilon(order), order


def _least(value: Callable[[int], float]) -> int:
    """Return the minimizer among 2, 3, ..., MOST_ORDER of a function that falls and then rises."""
    low, high = 2, 4
    while high < MOST_ORDER and value(high) < value(high // 2):
        low, high = high // 2, min(2 * high, MOST_ORDER)
    while high - low > 2:
        first, second = low + (high - low) // 3, high - (high - low) // 3
        low, high = (low, second) if value(first) <= value(second) else (first, high)
    return min(range(low, high + 1), key=value)


def _closed_composition(n: int, eps0: float, count: int, delta: float) -> float:
    """Return Theorem 3.1 of Feldman et al. (2021) composed by Kairouz, Oh, Viswanath (2017), at the best split."""

    def total(share: float) -> float:
        step_delta = (1.0 - share) * delta / count
        return _advanced_composition(
            REGISTRY["fmt21-3.1"](clients=n, eps0=eps0, delta=step_delta).value, count, share * delta
        )

    return min(total(share) for share in SHARES)


def _advanced_composition(epsilon: float, count: int, slack: float) -> float:
    """Return the composition bound for equal steps, with a delta of 1 - (1 - delta of one)^count (1 - ``slack``)."""
    drift, spread = count * epsilon * tanh(epsilon / 2), epsilon * sqrt(2 * count)
    logs = (log(e + sqrt(count) * epsilon / slack), -log(slack))
    return min(count * epsilon, drift + spread * sqrt(min(logs)))
