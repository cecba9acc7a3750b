"""Figure 2 of Balle et al. (2020): epsilon after shuffling against the local budget, with later bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from ...core.errors import ConditionError
from ...protocols import Shuffle
from ...shuffling import three_symbol_pair
from ...theorems import REGISTRY
from .comparison import Comparison, Progress, column, over

# The three sizes of the paper.
CLIENTS = (1_000, 10_000, 100_000)
# The range of budgets of the paper.
EPS0 = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
# The delta of the paper.
DELTA = 1e-6


@dataclass(frozen=True)
class ShuffleRow:
    """Epsilon of one shuffle; None where a theorem does not apply.  A bound above ``eps0`` is vacuous."""

    clients: int = column("n")
    eps0: float = column("eps0")
    efmrtt_7: float | None = column("efmrtt-7")
    thm_5_1: float | None = column("thm-5.1")
    fmt21_3_1: float | None = column("fmt21-3.1")
    fmt22_closed: float | None = column("fmt22-closed")
    fmt21_lower: float = column("clones lower")
    fmt21_upper: float = column("clones upper")
    fmt22_lower: float = column("stronger lower")
    fmt22_upper: float = column("stronger upper")
    lower: float = column("truth lower")
    upper: float = column("truth upper")


def figure_2(
    *,
    clients: Sequence[int] = CLIENTS,
    eps0: Sequence[float] = EPS0,
    delta: float = DELTA,
    progress: Progress | None = None,
) -> Comparison[ShuffleRow]:
    """Return Theorem 5.1, Theorem 7 of Erlingsson et al., the bounds by clones, and the true epsilon.

    The true epsilon is the largest of all adaptive eps0-DP randomizers.  Raises ParameterError for a value that is not
    allowed.
    """
    rows = over(clients, eps0, row=partial(_row, delta), progress=progress)
    params = {"clients": list(clients), "eps0": list(eps0), "delta": delta}
    return Comparison("figure-2", "Epsilon after shuffling: Figure 2 of Balle et al. (2020)", params, rows)


def _row(delta: float, n: int, eps0: float) -> ShuffleRow:
    truth = Shuffle(n, eps0).epsilon(delta)
    fmt21, fmt22 = (
        three_symbol_pair.clones(n, eps0).epsilon(delta),
        three_symbol_pair.stronger_clones(n, eps0).epsilon(delta),
    )
    return ShuffleRow(
        clients=n,
        eps0=eps0,
        efmrtt_7=theorem_epsilon("efmrtt-7", n, eps0, delta),
        thm_5_1=theorem_epsilon("thm-5.1", n, eps0, delta),
        fmt21_3_1=theorem_epsilon("fmt21-3.1", n, eps0, delta),
        fmt22_closed=theorem_epsilon("fmt22-closed", n, eps0, delta),
        fmt21_lower=fmt21[0],
        fmt21_upper=fmt21[1],
        fmt22_lower=fmt22[0],
        fmt22_upper=fmt22[1],
        lower=truth.lower,
        upper=truth.upper,
    )


def theorem_epsilon(name: str, n: int, eps0: float, delta: float) -> float | None:
    """Return epsilon of a theorem on shuffling; None outside its conditions."""
    try:
        return REGISTRY[name](clients=n, eps0=eps0, delta=delta).value
    except ConditionError:
        return None
