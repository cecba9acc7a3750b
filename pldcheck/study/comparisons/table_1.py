r"""Table 1 of Balle et al. (2020): fitted exponents with which bounds grow with the budget and fall with n.

The table claims :math:`e^{c \epsilon_0} / \sqrt n` for :math:`\epsilon_0 > 1`, polylogarithms in n and 1/delta hidden
and :math:`e^{\epsilon_0}` written for :math:`e^{\epsilon_0} - 1`; for :math:`\epsilon_0 \le 1` the text claims
:math:`\epsilon_0 / \sqrt n` for all of them.  Here the exponents are least-squares fits on a grid,

.. math:: \log \epsilon = \text{const} + c \epsilon_0 + s \log n \quad (\epsilon_0 > 1), \qquad
          \log \epsilon = \text{const} + c \log \epsilon_0 + s \log n \quad (\epsilon_0 \le 1),

over the cells where the bound is below eps0; elsewhere it is vacuous.  They are estimates and depend on the grid,
on which the hidden logarithms and :math:`e^{\epsilon_0} - 1` bend the curves.  By default delta = 1e-12, much smaller
than 1/n as the paper asks; at larger delta the logarithm, of the order of log(1/(delta sqrt n)), moves with n.

A fitted exponent is a linear function of the values of log epsilon.  Where these are certified intervals, so is it: the
pair encloses the exponents of all curves between the ends, hence that of the truth on this grid.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from math import expm1, log1p
from typing import TYPE_CHECKING

import numpy as np

from ...core.outward_decimals import down, up
from ...protocols import HiddenSlot, Shuffle
from ...shuffling import three_symbol_pair
from ...theorems import REGISTRY
from .comparison import Comparison, Progress, column, over
from .figure_2 import theorem_epsilon

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Sizes of the grid.
CLIENTS = (10**6, 10**7, 10**8, 10**9)
# Budgets of at most 1.
SMALL = (0.01, 0.03, 0.1, 0.3, 1.0)
# Budgets above 1.
LARGE = (1.5, 2.0, 2.5, 3.0, 3.5, 4.0)
# The common delta, much smaller than 1/n.
DELTA = 1e-12
# Added to the ends of a fit for round-off: sums of dozens of terms below 100, with weights that are right to 1e-13.
ROUNDING = 1e-10

# Both ends of epsilon; None where a bound does not apply.
Ends = tuple[float, float] | None


@dataclass(frozen=True)
class Exponent:
    """One bound in one regime: fitted exponents as (lower, upper), equal up to round-off for a formula.

    ``growth`` is the exponent of e^eps0 for eps0 > 1, or of eps0 for eps0 <= 1, and ``power`` is the exponent of n.
    Fields with ``_table`` are the exponents of the paper, None if the bound is not in its table.  ``misfit`` is the
    largest residual of log epsilon, and ``cells`` the number of points of the fit.
    """

    bound: str = column("bound")
    regime: str = column("regime")
    growth_lower: float | None = column("of eps0 lower")
    growth_upper: float | None = column("of eps0 upper")
    growth_table: float | None = column("table")
    power_lower: float | None = column("of n lower")
    power_upper: float | None = column("of n upper")
    power_table: float | None = column("table")
    misfit: float | None = column("misfit")
    cells: int = column("cells")


def _subsampling(n: int, eps0: float, delta: float) -> Ends:
    """Return the advanced composition of n steps on a sample of one record, each log(1 + (x-1)/n)-DP."""
    step = log1p(expm1(eps0) / n)
    return _exactly(REGISTRY["adv-18"](steps=n, eps0=step, eps0_last=step, delta=delta).value)


def _check_in(n: int, eps0: float, delta: float) -> Ends:
    return _exactly(REGISTRY["thm-3.2"](steps=n, eps0=eps0, check_in_prob=1, delta=delta).value)


def _theorem(name: str) -> Callable[[int, float, float], Ends]:
    return lambda n, eps0, delta: _exactly(theorem_epsilon(name, n, eps0, delta))


def _exactly(value: float | None) -> Ends:
    return None if value is None else (value, value)


def _clones(n: int, eps0: float, delta: float) -> Ends:
    return three_symbol_pair.clones(n, eps0).epsilon(delta)[:2]


def _hidden_slot(n: int, eps0: float, delta: float) -> Ends:
    truth = HiddenSlot(n, eps0).epsilon(delta)
    return truth.lower, truth.upper


def _shuffle(n: int, eps0: float, delta: float) -> Ends:
    truth = Shuffle(n, eps0).epsilon(delta)
    return truth.lower, truth.upper


# By name, the function that computes epsilon, and the exponent of e^eps0 in the table.
BOUNDS: dict[str, tuple[Callable[[int, float, float], Ends], float | None]] = {
    "uniform subsampling": (_subsampling, 1.0),
    "efmrtt-7": (_theorem("efmrtt-7"), 3.0),
    "thm-5.1": (_theorem("thm-5.1"), 2.5),
    "fmt21-3.1": (_theorem("fmt21-3.1"), None),
    "fmt22-closed": (_theorem("fmt22-closed"), None),
    "clones, by number": (_clones, None),
    "shuffling, truth": (_shuffle, None),
    "thm-3.2": (_check_in, 1.5),
    "hidden slot, truth": (_hidden_slot, None),
}


# The difference of two powers of n below which they are called the same.
FLAT = 0.1
# The bounds that the conclusion speaks of, each with the truth that it bounds.
TRUTHS = (("thm-3.2", "hidden slot, truth"), ("thm-5.1", "shuffling, truth"))


def table_1(
    *,
    clients: Sequence[int] = CLIENTS,
    small: Sequence[float] = SMALL,
    large: Sequence[float] = LARGE,
    delta: float = DELTA,
    progress: Progress | None = None,
) -> Comparison[Exponent]:
    """Return fitted exponents of every bound, for eps0 in ``small``, at most 1, and ``large``, and n in ``clients``.

    Check-ins have as many steps as there are clients, each of whom checks in.  Raises ParameterError for a value that
    is not allowed.
    """
    budgets = (*small, *large)

    def at(n: int, eps0: float) -> list[Ends]:
        return [ends(n, eps0, delta) for ends, _ in BOUNDS.values()]

    ends_of = dict(zip(product(clients, budgets), over(clients, budgets, row=at, progress=progress), strict=True))
    rows = [
        _row(name, regime, budgets_of_regime, {point: ends[place] for point, ends in ends_of.items()}, table)
        for place, (name, (_, exponent)) in enumerate(BOUNDS.items())
        for regime, budgets_of_regime, table in (
            ("eps0 <= 1", small, None if exponent is None else 1.0),
            ("eps0 > 1", large, exponent),
        )
    ]
    params = {"clients": list(clients), "small": list(small), "large": list(large), "delta": delta}
    return Comparison("table-1", "Fitted exponents, for Table 1 of Balle et al. (2020)", params, tuple(rows))


def conclusion(comparison: Comparison[Exponent]) -> str:
    """Return in a sentence what the fits show; no text where too few cells are left for them.

    Printed exponents are rounded towards each other where they are compared, and outward where they are a range.
    """
    growths = {row.bound: (row.growth_lower, row.growth_upper) for row in comparison.rows if row.regime == "eps0 > 1"}
    parts, excess = [], True
    for bound, truth in TRUTHS:
        least, most = growths.get(bound, (None, None))[0], growths.get(truth, (None, None))[1]
        if least is None or most is None:
            return ""
        parts.append(
            f"{bound} grows at least as e^({down(least, 3)} eps0), the truth at most as e^({up(most, 3)} eps0)"
        )
        excess = excess and least > most
    powers = [(row.power_lower, row.power_upper) for row in comparison.rows]
    low = min(power for power, _ in powers if power is not None)
    high = max(power for _, power in powers if power is not None)
    fall = f"between n^{down(low, 2)} and n^{up(high, 2)}"
    lose = "the bounds lose with eps0, and not with n: " if excess and high - low < FLAT else ""
    return f"conclusion, for eps0 > 1: {lose}{'; '.join(parts)}; all bounds and both truths fall {fall}"


def _row(
    name: str, regime: str, budgets: Sequence[float], cells: dict[tuple[int, float], Ends], table: float | None
) -> Exponent:
    points = {at: ends for at, ends in cells.items() if at[1] in budgets and ends and 0.0 < ends[0] and ends[1] < at[1]}
    power = None if table is None else -0.5
    if min(len({n for n, _ in points}), len({eps0 for _, eps0 in points})) < 2:
        return Exponent(name, regime, None, None, table, None, None, power, None, len(points))
    sizes, eps0 = (np.array(values, dtype=float) for values in zip(*points, strict=True))
    lower, upper = (np.log(values) for values in zip(*(ends for ends in points.values() if ends), strict=True))
    design = np.column_stack([np.ones(eps0.size), np.log(eps0) if regime == "eps0 <= 1" else eps0, np.log(sizes)])
    weights = np.linalg.pinv(design)
    growth, powers = (_range(row, lower, upper) for row in weights[1:])
    middle = (lower + upper) / 2
    misfit = float(np.max(np.abs(middle - design @ (weights @ middle))))
    return Exponent(name, regime, *growth, table, *powers, power, misfit, len(points))


def _range(weights: NDArray, lower: NDArray, upper: NDArray) -> tuple[float, float]:
    """Return the range of a weighted sum over all values between the ends, with its round-off."""
    low = float(np.sum(np.where(weights > 0, weights * lower, weights * upper)))
    high = float(np.sum(np.where(weights > 0, weights * upper, weights * lower)))
    return low - ROUNDING, high + ROUNDING
