r"""Noise on a record in [0, 1], Laplace or Gaussian, cut into cells whose masses are formed without cancellation.

**Neighbours at 0 and 1 are the worst under the privacy blanket.**  The blanket W is the smaller of R_0 and R_1, which
is the least of all R_o, o in [0, 1].  Let the record be at i and its replacement at j > i; i > j is the mirror image.
For kappa, t >= 0 and any set S let H be the half-line on the left with R_0(H) = R_i(S).  Then

1. R_1(H) <= R_j(S): a half-line has the least mass about j among sets of its mass about i (Neyman and Pearson; the
   noise is log-concave), and that mass falls as j - i grows to 1.
2. W(H) <= W(S): W/R_0 never falls from left to right, so that W(H) is the least W of a set whose mass about 0 is p,
   and convex in p; hence it is the largest :math:`s p - \int (s R_0 - W)_+` over s >= 0.  W(S) is at least
   :math:`s p - \int (s R_i - W)_+` for p = R_i(S), and by 3 that is no less.
3. :math:`\int (R_i - t W)_+ \le \int (R_0 - t W)_+`.  For t <= 1 both are 1 - t times the mass of W.  For t > 1 let
   i <= 1/2; otherwise mirror.  Where R_i > t W everywhere the integral is 1 - t times the mass of W again, at most that
   for R_0.  *Laplace noise*: R_i/W is constant left of i, falls to e^(eps0 i) at 1/2, and stays there.  So if it is not
   everything, {R_i > t W} is a half-line left of 1/2, where R_0 has at least the mass of R_i.  *Gaussian noise*:
   R_i/W falls to e^(i (1 - i)/(2 sigma^2)) at 1/2 and rises from there.  If t is at least that, the set is a half-line
   on either side of 1/2, and the integral is h(1 - i) + h(i), h(d) the hockey-stick divergence at t of the noise about
   two records d apart.  With phi the normal density, :math:`h'(d) = \phi(d/(2 \sigma) - \sigma \log(t)/d)/\sigma`.  For
   a <= i and b = 1 - a we have 2 sigma^2 log t >= i (1 - i) >= a b, so that h'(a) <= h'(b): with l = sigma^2 log t,
   l/a - a/2 is at least b/2 - l/b (since l (1/a + 1/b) >= 1/2) and at least l/b - b/2.  So h(i) <= h(1) - h(1 - i), and
   h(1) is the integral for R_0.

So :math:`R_i(S) - \kappa R_j(S) - t W(S) \le R_0(H) - \kappa R_1(H) - t W(H)`: to the right of 0 the stop-loss
transform of the gain (R_i - kappa R_j)/W is at most that of records 0 and 1.  To its left it is so by the same with j,
i, 1/kappa and t/kappa; and all gains have mean 1 - kappa.  So they are dominated in convex order by the gain of records
0 and 1, and by that of 1 and 0, its mirror image, which has the same law.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from ..core.directed import UNIT, enlarge
from ..pld.step_losses import Array
from .message_gains import EXPONENT, Messages, Spread
from .three_symbol_pair import MergedPair

# Name of the upper bound of a known randomizer.
BLANKET = "privacy blanket of the randomizer"
# Cells inside [0, 1], an even number.
CELLS = 200
# Cells of Gaussian noise outside on each side.
OUTER = 120
# The width of cells outside grows like this power of their number.
GROWTH = 1.7
# Number of clients up to which every cell is expensive.
FEW_CLIENTS = 30
# Cells inside [0, 1] for few clients.
FEW_CELLS = 60
# Cells outside on each side for few clients.
FEW_OUTER = 40
# An estimate of the relative width in delta that the cells cause.
CELL_WIDTH = 1e-3
# Half widths of Gaussian cells, in deviations, up to which the density is expanded around the middle, to s^4/8; the
# remainder s^6/48 is below 2.1e-14 of the density.
NARROW_CELL = 1e-2
# Up to (c t)^(2 j)/(2 j)! with abs(c t) <= 1/2: the first left out is below 1e-19.
TERMS = 8
# Relative error of ndtr at z <= 0 in round-offs: NDTR + NDTR_FAR z^2; swept in tests/ledger/test_ledger_noise.py.
NDTR = 16.0
# The part of that error that grows with z^2.
NDTR_FAR = 4.0
# Relative error of masses in closed form, in round-offs: an exponential, an expm1 and four products.
CLOSED_FORM_UNITS = 16.0
# Relative error of the mass of such a cell by that expansion, in round-offs, plus four times the square of its middle.
NARROW_CELL_UNITS = 320.0


@dataclass(frozen=True, eq=False)
class NoiseMessages:
    """The messages of the pair that dominates, those of the attained pairs, and the best merged pair of the latter."""

    above: Messages
    below: tuple[Messages, ...]
    best: MergedPair


def _cheap(n: int) -> bool:
    """Return whether many cells can be afforded.

    They can for one message, which is a plain sum, and for many messages, whose sum is nearly normal.
    """
    return n == 1 or n > FEW_CLIENTS


def _inside(n: int) -> Array:
    return np.linspace(0.0, 1.0, (CELLS if _cheap(n) else FEW_CELLS) + 1)


def laplace(eps0: float, n: int) -> NoiseMessages:
    """Return the messages of Laplace noise of scale 1/eps0.

    Outside [0, 1] all likelihood ratios are constant: there is one unbounded cell on each side.
    """
    edges = np.concatenate([[-np.inf], _inside(n), [np.inf]])
    left, right = edges[:-1], edges[1:]

    def masses(centre: float) -> Array:
        # No cell has the centre in its interior, so that the density is largest at the end nearer to the centre.
        near = np.where(left >= centre, left - centre, centre - right)
        with np.errstate(under="ignore"):
            return 0.5 * np.exp(-eps0 * near) * -np.expm1(-eps0 * (right - left))

    p, q, half = masses(0.0), masses(1.0), masses(0.5)
    # The mean of e^l over a cell is e^(its value in the middle); outside the ratio is that of the end.
    low, high = eps0 * (1.0 - 2.0 * np.minimum(right, 1.0)), eps0 * (1.0 - 2.0 * np.maximum(left, 0.0))
    low[0], high[-1] = eps0, -eps0
    on_q = right <= 0.5
    # The share is (e^m - e^(m - h))/(e^(m + h) - e^(m - h)), where h is half the fall of l in the cell.
    fall = eps0 * (right - left)
    share = np.where(on_q, 1.0 / (1.0 + np.exp(fall)), 1.0 / (1.0 + np.exp(-fall)))
    spread = Spread(low, high, np.minimum(enlarge(share, CLOSED_FORM_UNITS), 1.0), on_q)
    middle = eps0 * ((1.0 - np.maximum(left, 0.0)) - np.minimum(right, 1.0))
    middle[0], middle[-1] = eps0, -eps0
    units = CLOSED_FORM_UNITS + 2.0 * eps0
    blanket = Messages(
        BLANKET, p, q, np.where(on_q, q, p), middle, None, units, EXPONENT, spread,
        float(-np.expm1(-0.5 * eps0)), 0.0, CELL_WIDTH,
    )  # fmt: skip
    below = tuple(
        Messages(_others(other_record), p, q, w, middle, None, units, EXPONENT, width=CELL_WIDTH)
        for other_record, w in ((0.0, p), (0.5, half), (1.0, q))
    )
    return NoiseMessages(blanket, below, _best_merged_pair(p, q, half, edges, units))


def gaussian(sigma: float, n: int, least: float) -> NoiseMessages:
    """Return the messages of Gaussian noise of deviation ``sigma``.

    Rare outputs have very large gains: those with a mass of ``least`` count as certain privacy losses.
    """
    count = OUTER if _cheap(n) else FEW_OUTER
    outer = sigma * -ndtri(0.25 * least) * (np.arange(1, count + 1) / count) ** GROWTH
    edges = np.concatenate([-outer[::-1], _inside(n), 1.0 + outer])
    (p, q, half), units = _gaussian_masses(edges, sigma)
    with np.errstate(under="ignore"):
        log_ratio = (1.0 - 2.0 * edges) / (2.0 * sigma * sigma)
        low, high = log_ratio[1:], log_ratio[:-1]
        on_q = edges[1:] <= 0.5
        # The mean of e^l, or of e^-l, between its ends; the error of the masses is that of the mean.
        down, ratio = np.where(on_q, low, -high), np.where(on_q, p / q, q / p)
        fall = np.expm1(high - low)
        inside = (ratio * np.exp(-down) - 1.0) / fall
        doubt = (2.0 * units + 8.0 + 4.0 * EXPONENT * np.abs(down)) * UNIT * (ratio * np.exp(-down)) / fall
    share = np.where(on_q, inside, 1.0 - inside) + doubt * (1.0 + 1e-9) + 4.0 * CLOSED_FORM_UNITS * UNIT
    spread = Spread(low, high, np.clip(share, 0.0, 1.0), on_q)
    w = np.where(on_q, q, p)
    rest, outside = max(1.0 - float(w.sum()), 0.0), 4.0 * float(ndtr(-outer[-1] / sigma))
    blanket = Messages(BLANKET, p, q, w, None, None, units, 0.0, spread, rest, outside, CELL_WIDTH)
    all_edges = np.concatenate([[-np.inf], edges[1:-1], [np.inf]])
    (p, q, half), units = _gaussian_masses(all_edges, sigma)
    below = tuple(
        Messages(_others(other_record), p, q, w, None, None, units, width=CELL_WIDTH)
        for other_record, w in ((0.0, p), (0.5, half), (1.0, q))
    )
    return NoiseMessages(blanket, below, _best_merged_pair(p, q, half, edges, units))


def _gaussian_masses(edges: Array, sigma: float) -> tuple[list[Array], Array]:
    """Return the masses of the cells between the edges around 0, 1 and 1/2, and one relative error for all three.

    The relative error is in round-offs.
    """
    # Widths are formed from the edges themselves, where they are narrow: their rounding is relative.
    half = 0.5 * (edges[1:] - edges[:-1]) / sigma
    cells = [_cells((edges - centre) / sigma, half) for centre in (0.0, 1.0, 0.5)]
    return [masses for masses, _ in cells], np.max([units for _, units in cells], axis=0)


def _cells(z: Array, half: Array) -> tuple[Array, Array]:
    """Return standard normal masses between neighbours ``2 half`` apart, and their relative errors in round-offs."""
    left, right = z[:-1], z[1:]
    # The difference is taken of the nearer tails, so that little cancels.
    above = left + right >= 0.0
    near, far = np.where(above, -left, right), np.where(above, -right, left)
    with np.errstate(under="ignore", invalid="ignore", divide="ignore", over="ignore"):
        tail, rest = ndtr(near), ndtr(far)
        difference = tail - rest
        squares = [np.where(np.isfinite(end), end, 0.0) ** 2 for end in (near, far)]
        # The errors of the tails, and of the ends, whose roundings (2 units each) move a tail by its density.
        density = [np.exp(-0.5 * square) / np.sqrt(2.0 * np.pi) for square in squares]
        units = (NDTR + NDTR_FAR * squares[0]) * tail + (NDTR + NDTR_FAR * squares[1]) * rest
        units = units + 3.0 * (np.sqrt(squares[0]) * density[0] + np.sqrt(squares[1]) * density[1])
        units = units / difference + 4.0
        middle = 0.5 * (left + right)
        narrow = (half <= NARROW_CELL) & (np.abs(middle * half) <= 0.5)
        expansion, expansion_units = _expansion(np.where(narrow, middle, 0.0), np.where(narrow, half, NARROW_CELL))
    return np.where(narrow, expansion, difference), np.where(narrow, expansion_units, units)


def _expansion(middle: Array, half: Array) -> tuple[Array, Array]:
    r"""Return phi(c) times the integral of e^(-c s) (1 - s^2/2 + s^4/8) over [-t, t], as series of positive terms."""
    total, factor = np.zeros(middle.size), np.ones(middle.size)
    square, t2 = (middle * half) ** 2, half * half
    for j in range(TERMS):
        total += factor * (1.0 / (2 * j + 1) - 0.5 * t2 / (2 * j + 3) + 0.125 * t2 * t2 / (2 * j + 5))
        factor = factor * square / ((2 * j + 1) * (2 * j + 2))
    value = 2.0 * half * np.exp(-0.5 * middle * middle) / np.sqrt(2.0 * np.pi) * total
    return value, NARROW_CELL_UNITS + 4.0 * middle * middle


def _others(other_record: float) -> str:
    return f"records at 0 and 1, all other records at {other_record:g}"


def _best_merged_pair(p: Array, q: Array, half: Array, edges: Array, units: float | Array) -> MergedPair:
    """Return the pair whose outputs are merged to three at the threshold that separates the two inputs best.

    Up is the set of outputs below the threshold, down is its mirror image; the threshold need not be the middle.
    """
    size = int((edges <= 0.5).sum()) - 2
    tails = [np.cumsum(masses)[:size] for masses in (p, q, half)]
    gain = (tails[0] - tails[1]) ** 2 / np.maximum(tails[2], 1e-300)
    best = int(np.argmax(np.where(tails[2] > 0.0, gain, 0.0)))
    inner = slice(best + 1, p.size - best - 1)
    rest, none = float(np.sum(p[inner])), float(np.sum(half[inner]))
    # The masses are positive and are added one by one.
    error = float(np.max(units)) + p.size
    return MergedPair("", float(tails[0][best]), float(tails[1][best]), float(tails[2][best]), rest, none, error)
