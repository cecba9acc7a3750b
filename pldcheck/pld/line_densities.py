r"""A pair of a user's densities on the line, certified under facts that the user states.

Stated are the direction in which the loss :math:`L(x) = \log p(x)/q(x)` is monotone, a relative error of all cdfs and
tails, and an absolute error of the loss.  The line is cut into cells: the mass of a cell is a difference of two cdfs or
of two tails, and the losses at its ends bound the losses inside.

*Upper law.*  In a cell of masses p, q and losses from l to h, P's mass goes to l and h so that the mean of
:math:`e^{-L}` is at most q/p less all errors; raising the losses to it dominates (:mod:`~pldcheck.pld.pair_cells`
has the dispersal).  Beyond the cells P's mass on the side of large losses is charged to infinity, that on the other
side to the loss at the end.  *Lower law.*  A cell, and what is beyond the cells on either side, is one output, with a
loss of log(p/q) less all errors.  As :math:`\delta = E_P (1 - e^{\epsilon - L})_+` grows with every loss, in
compositions as well, both laws are on their side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..core.directed import enlarge, roundoff
from ..core.errors import ParameterError
from ..core.parameters import Parameter, Words
from .density_checks import Density, Stated, check_cells, check_losses, check_masses
from .distribution import PrivacyLossDistribution
from .law_bounds import CutBounds, LawBounds
from .pair_cells import Cells
from .step_losses import Array

# Halvings that find the edge of a loss: all digits of a float.
HALVINGS = 60
# The largest relative error of a cell's masses; a cell of more, whose cdfs are almost equal, is joined to a neighbour.
LARGEST_ERROR = 1e-8
# That error over the stated one, where cdfs are less accurate.
ERROR_OVER_STATED = 1e3
# The range of the number of cells.
CELLS = Parameter("cells", "number of cells", 10, 10**6, integer=True)
# The range of the stated relative error of cdfs and tails.
CDF_ERROR = Parameter("cdf_error", "stated relative error of cdfs and tails", 0, 1e-4)
# The range of the stated absolute error of losses.
LOSS_ERROR = Parameter("loss_error", "stated absolute error of log p - log q", 0, 1e-2)
# The directions of a monotone loss.
RATIO = Words("ratio", "direction in which p/q is monotone", ("increasing", "decreasing"))


@dataclass(frozen=True, eq=False)
class LineCells:
    """A pair in cells, in the order of increasing losses, which are given at the edges; ``tails``: below and above.

    ``p_error`` and ``q_error`` are relative errors of all masses, ``loss_error`` is absolute.
    """

    p: Array
    q: Array
    losses: Array
    p_tails: tuple[float, float]
    q_tails: tuple[float, float]
    p_error: float
    q_error: float
    loss_error: float

    @property
    def reversed(self) -> LineCells:
        """The pair (Q, P)."""
        return LineCells(
            self.q[::-1],
            self.p[::-1],
            -self.losses[::-1],
            self.q_tails[::-1],
            self.p_tails[::-1],
            self.q_error,
            self.p_error,
            self.loss_error,
        )

    @property
    def margin(self) -> float:
        """The relative error of q/p, with that of e^loss and of what is computed from them.

        A loss and the exponential of it are rounded: 8 units of 1 and of the largest loss are more.
        """
        reach = float(np.max(np.abs(self.losses)))
        return 1.01 * (self.p_error + self.q_error) + 2.0 * self.loss_error + roundoff(16, 1.0 + reach)

    def law_bounds(self) -> LawBounds:
        """Return the law that dominates the loss under P, and the one that it dominates."""
        return LawBounds(self._upper(), self._lower())

    def _upper(self) -> Any:
        least, (below, above) = self.losses[:1], self.p_tails
        with np.errstate(over="ignore", under="ignore"):
            rise = np.maximum(self.p - np.exp(self.losses[:-1]) * self.q * (1.0 - self.margin), 0.0)
        return (
            Cells(
                p=np.append(below, self.p),
                q=np.append(below, self.q),
                low=np.append(least, self.losses[:-1]),
                high=np.append(least, self.losses[1:]),
                p_only=enlarge(above * (1.0 + 1.01 * self.p_error), 8),
                mass_error=2.01 * self.p_error + roundoff(8),
                loss_error=self.loss_error,
                rise=np.append(0.0, rise),
                fall=np.zeros(self.p.size + 1),
            )
            .law_bounds()
            .upper
        )

    def _lower(self) -> Any:
        (p_below, p_above), (q_below, q_above) = self.p_tails, self.q_tails
        p, q = np.concatenate([[p_below], self.p, [p_above]]), np.concatenate([[q_below], self.q, [q_above]])
        # No loss of a cell, nor one above all cells, is below its lower end.
        least = np.append(-np.inf, self.losses - self.loss_error)
        possible = p > 0.0
        p, q, least = p[possible], q[possible], least[possible]
        with np.errstate(divide="ignore"):
            ratio = np.log(p) - np.log(q)
        # Logarithms of numbers above 1e-300 are below 700.
        losses = np.where(q > 0.0, np.maximum(ratio - self.margin - roundoff(16, 700.0), least), least)
        return Cells(p, q, losses, losses, mass_error=2.01 * self.p_error + roundoff(8)).law_bounds().lower


def from_density(
    p: Density,
    q: Density,
    *,
    between: Sequence[float],
    ratio: str,
    cdf_error: float,
    loss_error: float,
    cells: int = 4000,
) -> PrivacyLossDistribution:
    r"""Return the privacy loss distribution of two densities on the line, certified if what is stated is true.

    Parameters
    ----------
    p, q : objects with ``logpdf``, ``cdf`` and ``sf``
        The two laws, as functions of arrays; frozen laws of ``scipy.stats`` are such objects.
    between : (float, float)
        The ends of the cells.  What P has beyond the end of large losses is charged to infinity from above, so that
        epsilon is infinite at a smaller delta; it counts as one output from below.  A pair of densities that are
        positive there only is possible.
    ratio : "increasing" or "decreasing"
        *Stated*: p/q is monotone in this direction, on the whole line.
    cdf_error : float up to 1e-4
        *Stated*: the relative error of every ``cdf`` and ``sf`` of at least 1e-290.
    loss_error : float up to 1e-2
        *Stated*: the absolute error of every ``p.logpdf(x) - q.logpdf(x)``.
    cells : int
        The number of cells, between which the losses at the edges are evenly spaced.

    Returns
    -------
    PrivacyLossDistribution
        Both directions.  Its name repeats what is stated: the certificate is no better than these statements.  Renyi
        divergences are infinite from above where a tail is charged to infinity.

    Raises
    ------
    ParameterError
        If a value is out of its range, or a spot check shows that what is stated is false.

    Examples
    --------
    >>> from scipy.stats import logistic
    >>> mechanism = from_density(
    ...     logistic(1.0), logistic(0.0), between=(-60, 61), ratio="increasing", cdf_error=1e-14, loss_error=1e-13
    ... )
    >>> mechanism.epsilon(delta=1e-6)
    Interval(lower=0.9984..., upper=0.9984..., quantity='epsilon')
    >>> mechanism
    <PrivacyLossDistribution: densities (p/q increasing, cdfs to 1e-14, losses to 1e-13, as stated by the user)>

    """
    stated = Stated(str(RATIO.parse(ratio)), float(CDF_ERROR.parse(cdf_error)), float(LOSS_ERROR.parse(loss_error)))
    ends, count = _ends(between), int(CELLS.parse(cells))
    check_losses(p, q, ends, stated)
    check_masses("p", p, ends, stated)
    check_masses("q", q, ends, stated)
    name = (
        f"densities (p/q {stated.ratio}, cdfs to {stated.cdf_error:g}, losses to {stated.loss_error:g}, "
        "as stated by the user)"
    )
    finest = line_cells(p, q, ends, stated, count)
    forward, backward = (CutBounds(partial(_cut, p, q, ends, stated, finest, back)) for back in (False, True))
    return PrivacyLossDistribution(name, ((forward, 1),), ((backward, 1),))


def _ends(between: Sequence[float]) -> tuple[float, float]:
    try:
        low, high = (float(end) for end in between)
    except (TypeError, ValueError):
        raise ParameterError("between", "two finite numbers, the smaller one first", between) from None
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise ParameterError("between", "two finite numbers, the smaller one first", between)
    return low, high


def _cut(
    p: Density,
    q: Density,
    ends: tuple[float, float],
    stated: Stated,
    finest: LineCells,
    backward: bool,
    count: int | None,
) -> LawBounds:
    cells = finest if count is None or count >= finest.p.size else line_cells(p, q, ends, stated, count)
    return (cells.reversed if backward else cells).law_bounds()


def line_cells(p: Density, q: Density, ends: tuple[float, float], stated: Stated, count: int) -> LineCells:
    """Return the pair in at most ``count`` cells; raises ParameterError if masses and losses contradict each other."""
    edges = _edges(p, q, ends, stated, count)
    edges, p_masses, q_masses = _known_cells(p, q, edges, stated)
    losses = _losses(p, q, edges) * stated.sign
    # Rounded losses of equal ones may fall by their error: the largest so far is as near to the truth.
    losses = np.maximum.accumulate(losses) * stated.sign
    p_tails, q_tails = ((float(law.cdf(edges[:1])[0]), float(law.sf(edges[-1:])[0])) for law in (p, q))
    cells = LineCells(p_masses[0], q_masses[0], losses, p_tails, q_tails, p_masses[1], q_masses[1], stated.loss_error)
    if stated.sign < 0.0:  # the order of increasing losses
        cells = LineCells(
            cells.p[::-1],
            cells.q[::-1],
            losses[::-1],
            p_tails[::-1],
            q_tails[::-1],
            cells.p_error,
            cells.q_error,
            cells.loss_error,
        )
    check_cells(cells.p, cells.q, cells.losses, cells.p_tails, cells.q_tails, cells.margin)
    return cells


def _losses(p: Density, q: Density, x: Array) -> Array:
    return np.asarray(p.logpdf(x), dtype=np.float64) - np.asarray(q.logpdf(x), dtype=np.float64)


def _edges(p: Density, q: Density, ends: tuple[float, float], stated: Stated, count: int) -> Array:
    """Return edges at which the losses are evenly spaced, by bisection; where they stay the same there is no edge."""
    first, last = _losses(p, q, np.array(ends))
    goals = np.linspace(first, last, count + 1)[1:-1]
    low, high = np.full(goals.size, ends[0]), np.full(goals.size, ends[1])
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        before = (_losses(p, q, middle) - goals) * stated.sign < 0.0
        low, high = np.where(before, middle, low), np.where(before, high, middle)
    return np.unique(np.concatenate([ends, low]))


def _known_cells(
    p: Density, q: Density, edges: Array, stated: Stated
) -> tuple[Array, tuple[Array, float], tuple[Array, float]]:
    """Return edges without those between cells whose masses are too uncertain, and the masses with their errors."""
    limit = max(LARGEST_ERROR, ERROR_OVER_STATED * stated.cdf_error)
    while True:
        (p_masses, p_errors), (q_masses, q_errors) = (_masses(law, edges, stated.cdf_error) for law in (p, q))
        wrong = np.flatnonzero(np.maximum(p_errors, q_errors) > limit)
        if not wrong.size:
            return edges, (p_masses, float(np.max(p_errors))), (q_masses, float(np.max(q_errors)))
        if edges.size == 2:
            raise ParameterError("cdf_error", "so small that the mass between the ends is known", stated.cdf_error)
        # Every other one of the uncertain cells loses an edge inside: its right one, the last cell its left one.
        drop = np.where(wrong + 1 < edges.size - 1, wrong + 1, wrong)
        edges = np.delete(edges, drop[::2])


def _masses(law: Density, edges: Array, error: float) -> tuple[Array, Array]:
    """Return the masses of cells, with a relative error of each; 0 of 0 is known."""
    below, above = np.asarray(law.cdf(edges), dtype=np.float64), np.asarray(law.sf(edges), dtype=np.float64)
    by_tails = below[1:] > above[:-1]
    masses = np.maximum(np.where(by_tails, above[:-1] - above[1:], below[1:] - below[:-1]), 0.0)
    sizes = np.where(by_tails, above[:-1] + above[1:], below[1:] + below[:-1])
    doubts = error * (1.0 + error) * sizes + roundoff(4) * masses
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = np.where(doubts < 0.5 * masses, doubts / (masses - doubts), np.inf)
    return masses, np.where(sizes == 0.0, 0.0, relative)
