"""Shuffled K-ary randomized response: the gain from a known randomizer, and a published bound that is false."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from ...core.errors import PldcheckError
from ...protocols import Shuffle
from ...randomizers import Krr
from ...shuffling import three_symbol_pair
from ...theorems import REGISTRY
from .comparison import Comparison, Progress, column, over

# Sizes of the grid.
CLIENTS = (1_000, 10_000)
# Budgets of the grid.
EPS0 = (1.0, 3.0)
# Numbers of categories of the grid.
CATEGORIES = (2, 3, 4, 6, 10, 20, 50, 100)
# The common delta.
DELTA = 1e-6
# Relative error that is granted to a formula, as in the verification.
SLACK = 2.0**-40


@dataclass(frozen=True)
class Response:
    """Epsilon of one shuffle of K-ary randomized response, beside the bounds for any randomizer.

    ``merged`` is the delta that krr-merged claims at the certified lower end, over the common delta, which the true
    delta there exceeds or equals.  A value below 1 shows that the claim is false.
    """

    clients: int = column("n")
    eps0: float = column("eps0")
    categories: int = column("K")
    fmt21_lower: float = column("clones lower")
    fmt21_upper: float = column("clones upper")
    fmt22_lower: float = column("stronger lower")
    fmt22_upper: float = column("stronger upper")
    lower: float = column("truth lower")
    upper: float = column("truth upper")
    merged: float | None = column("krr-merged / delta")
    merged_false: bool | None = column("false")


def krr(
    *,
    clients: Sequence[int] = CLIENTS,
    eps0: Sequence[float] = EPS0,
    categories: Sequence[int] = CATEGORIES,
    delta: float = DELTA,
    progress: Progress | None = None,
) -> Comparison[Response]:
    """Return epsilon for every K of a grid.  Raises ParameterError for a value that is not allowed."""
    rows = over(clients, eps0, categories, row=partial(_row, delta), progress=progress)
    params = {"clients": list(clients), "eps0": list(eps0), "categories": list(categories), "delta": delta}
    return Comparison("krr", "Shuffled K-ary randomized response", params, rows)


def _row(delta: float, n: int, eps0: float, k: int) -> Response:
    truth = Shuffle(n, eps0, Krr(k)).epsilon(delta)
    fmt21, fmt22 = (
        three_symbol_pair.clones(n, eps0).epsilon(delta),
        three_symbol_pair.stronger_clones(n, eps0).epsilon(delta),
    )
    ratio = _merged_ratio(n, eps0, k, truth.lower, delta)
    false = None if ratio is None else ratio < 1.0 - SLACK
    return Response(n, eps0, k, *fmt21[:2], *fmt22[:2], truth.lower, truth.upper, ratio, false)


def _merged_ratio(n: int, eps0: float, k: int, epsilon: float, delta: float) -> float | None:
    """Return the claim of krr-merged at ``epsilon`` over ``delta``; None where it makes none or cannot be evaluated."""
    try:
        return REGISTRY["krr-merged"](clients=n, eps0=eps0, categories=k, epsilon=epsilon).value / delta
    except PldcheckError:
        return None
