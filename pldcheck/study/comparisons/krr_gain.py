"""Shuffled K-ary randomized response: what is gained by knowing the randomizer, and a published bound that is false."""

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

CLIENTS = (1_000, 10_000)
EPS0 = (1.0, 3.0)
CATEGORIES = (2, 3, 4, 6, 10, 20, 50, 100)
DELTA = 1e-6
# Relative error granted to a formula, the verifier's.
SLACK = 2.0**-40


@dataclass(frozen=True)
class Response:
    """Epsilon of one shuffle of K-ary randomized response, next to the bounds for any randomizer.

    ``merged``: the delta that krr-merged claims at the certified lower end, over the true one there, which is at least
    the delta asked for.  Below 1 the claim is false.
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
    """Return epsilon against K.  Raises ParameterError for a value that is not allowed."""
    rows = over(clients, eps0, categories, row=partial(_row, delta), progress=progress)
    params = {"clients": list(clients), "eps0": list(eps0), "categories": list(categories), "delta": delta}
    return Comparison("krr", "Shuffled K-ary randomized response", params, rows)


def _row(delta: float, n: int, eps0: float, k: int) -> Response:
    truth = Shuffle(n, eps0, Krr(k)).epsilon(delta)
    fmt21, fmt22 = (
        three_symbol_pair.clones(n, eps0).epsilon(delta),
        three_symbol_pair.stronger_clones(n, eps0).epsilon(delta),
    )
    ratio = _merged(n, eps0, k, truth.lower, delta)
    false = None if ratio is None else ratio < 1.0 - SLACK
    return Response(n, eps0, k, *fmt21[:2], *fmt22[:2], truth.lower, truth.upper, ratio, false)


def _merged(n: int, eps0: float, k: int, epsilon: float, delta: float) -> float | None:
    """What krr-merged claims at ``epsilon``, over ``delta``; None where it claims nothing or cannot be evaluated."""
    try:
        return REGISTRY["krr-merged"](clients=n, eps0=eps0, categories=k, epsilon=epsilon).value / delta
    except PldcheckError:
        return None
