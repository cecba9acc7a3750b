r"""Random check-ins: the effect of the check-in probability when the number of clients is known.

Balle et al. (2020) choose p0 = m/n, one expected check-in for each slot, because their bound of one run, which holds
for any number of clients, grows with p0.  A record is used with probability
:math:`\bar w = p_0 E \frac1{c+1} = \frac mn (1 - (1 - p_0/m)^n)`, at most m/n for every p0.  The cost of
a small p0 is the share of slots without a check-in, where the server applies a dummy gradient.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import exp, log1p

from ...protocols import CheckIn
from ...theorems import REGISTRY
from .comparison import Comparison, Progress, column, over

# Steps of the grid.
STEPS = (1_000,)
# Ratios n/m of the grid.
RATIOS = (1, 10, 100)
# Expected check-ins of a slot of the grid.
CHECK_INS_A_SLOT = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
# The budget of the randomizer.
EPS0 = 1.0
# The common delta.
DELTA = 1e-6


@dataclass(frozen=True)
class CheckInRow:
    """Epsilon of one run at one p0; ``dummies`` is the expected share of slots without a check-in.

    ``thm_3_2`` and ``alone`` hold for any number of clients, and ``alone`` is attained with one; ``lower`` and
    ``upper`` are for ``clients``.
    """

    steps: int = column("m")
    clients: int = column("n")
    check_in_prob: float = column("p0")
    dummies: float = column("dummies")
    thm_3_2: float = column("thm-3.2")
    alone_lower: float = column("any n lower")
    alone_upper: float = column("any n upper")
    lower: float = column("n known lower")
    upper: float = column("n known upper")


def population(
    *,
    steps: Sequence[int] = STEPS,
    ratios: Sequence[int] = RATIOS,
    expected: Sequence[float] = CHECK_INS_A_SLOT,
    eps0: float = EPS0,
    delta: float = DELTA,
    progress: Progress | None = None,
) -> Comparison[CheckInRow]:
    """Return epsilon for every n = ratio m and every p0 of at most 1 with ``expected`` check-ins for each slot.

    The p0 of the paper has one expected check-in.  Raises ParameterError for a value that is not allowed.
    """
    points = [(m, ratio * m, rate / ratio) for m in steps for ratio in ratios for rate in expected if rate <= ratio]
    rows = over(points, row=partial(_row, eps0, delta), progress=progress)
    params = {
        "steps": list(steps), "ratios": list(ratios), "expected": list(expected), "eps0": eps0, "delta": delta,
    }  # fmt: skip
    return Comparison("population", "Random check-ins with a known number of clients", params, rows)


def _row(eps0: float, delta: float, point: tuple[int, int, float]) -> CheckInRow:
    m, n, p0 = point
    claim = REGISTRY["thm-3.2"](steps=m, eps0=eps0, check_in_prob=p0, delta=delta).value
    alone, with_clients = CheckIn(m, eps0, p0).epsilon(delta), CheckIn(m, eps0, p0, clients=n).epsilon(delta)
    dummies = exp(n * log1p(-p0 / m)) if p0 < m else 0.0
    return CheckInRow(m, n, p0, dummies, claim, alone.lower, alone.upper, with_clients.lower, with_clients.upper)
