r"""One step in closed form, and two by quadrature: where a Gaussian randomizer's values span too much for a lattice.

With :math:`g(x) = E(x + X - K)_+`, increasing and convex, v = E g(X) is bounded cell by cell: g at the cell's ends,
weighted so that the mean is kept, from above; g at the cell's mean, by Jensen's inequality, from below.  The cells are
small where the integrand is not.  Values are those of X less its constant: it cancels against that of K.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from ...core.arrays import Array
from ...core.directed import Ends, roundoff
from ...core.interval import UNDERFLOW
from ...kernels.gaussian_cells import gaussian_cells
from .slot_increments import TAIL, GaussianIncrement

# The ends of the cells, in deviations: beyond them masses underflow.
FARTHEST = 37.4
# Number of cells everywhere.
COARSE_CELLS = 600
# Number of further cells where the integrand is large, over the fineness.
FINE_CELLS = 400
# Largest number of cells.
MOST_CELLS = 2**18
# Share of the integrand's maximum that is negligible.
NEGLIGIBLE_SHARE = 1e-14
# The largest value whose square is still finite.
LARGEST_VALUE = 1e150


def one(increment: GaussianIncrement, threshold: float, doubt: float) -> Ends:
    """Return E(X - threshold)_+, X and the threshold (known up to ``doubt``) less the constant."""
    _, _, values, errors = increment.beyond(np.array([threshold + doubt, threshold - doubt]))
    (low, high), (less, more) = values.tolist(), errors.tolist()
    return Ends(max(low - less, 0.0), high + more + UNDERFLOW, 0.0, min(high - low, high) + less + more)


def two(increment: GaussianIncrement, threshold: float, doubt: float, finer: float) -> Ends:
    """Return E(X + X' - threshold)_+, where X' is an independent copy of X."""
    points = _points(increment, threshold, min(int(FINE_CELLS / finer), MOST_CELLS))
    edges = _values(increment, points)
    rising = np.append(True, edges[1:] > np.maximum.accumulate(edges)[:-1])
    points, edges = points[rising], edges[rising]
    masses, rises, falls, errors = gaussian_cells(increment.up, increment.down, increment.s, points, edges)
    widths = np.diff(edges)
    nonempty = (widths > 0.0) & (masses > 0.0)
    masses, rises, falls, errors, widths = (part[nonempty] for part in (masses, rises, falls, errors, widths))
    left, right = edges[:-1][nonempty], edges[1:][nonempty]
    # The rounding of the edges is charged to the threshold.
    edge_errors = _rounding_of_values(increment, points)
    doubts = doubt + roundoff(4, abs(threshold)) + edge_errors[:-1][nonempty] + edge_errors[1:][nonempty]
    _, _, at_left, more_left = increment.beyond(threshold - doubts - left)
    slopes, more_slopes, at_right, more_right = increment.beyond(threshold - doubts - right)
    upper = (falls + errors) / widths * (at_left + more_left) + (rises + errors) / widths * (at_right + more_right)
    means = left + np.clip(rises / masses, 0.0, widths)
    _, _, at_mean, more_mean = increment.beyond(threshold + doubts - means)
    lower = (masses - 2.0 * errors / widths) * np.maximum(at_mean - more_mean, 0.0) - (slopes + more_slopes) * errors
    # Beyond the last edge g rises by at most what X does; below the first one it is no larger than there.
    ends, shift = edges[[0, -1]], edge_errors[[0, -1]] + roundoff(4, np.abs(edges[[0, -1]]))
    mass, more, excess, error = (float(one[1]) for one in increment.beyond(ends - shift))
    _, _, there, more_there = increment.beyond(threshold - doubt - roundoff(4, abs(threshold)) - ends - shift)
    first, last = (there + more_there).tolist()
    below = float(ndtr(increment.places(ends[:1] + shift[:1])[0])) * (1.0 + TAIL)
    tails = (mass + more) * last + excess + error + below * first
    total, rounding = float(upper.sum()), roundoff(64, float(upper.sum()))
    widening = 2.0 * float((errors / widths * (at_right + more_right) + (slopes + more_slopes) * doubts * masses).sum())
    return Ends(
        max(float(lower.sum()) - rounding, 0.0),
        total + rounding + tails + UNDERFLOW,
        tails,
        2.0 * (rounding + widening),
    )


def _values(increment: GaussianIncrement, points: Array) -> Array:
    half = 0.5 * increment.s * increment.s
    with np.errstate(over="ignore", under="ignore"):
        up = increment.up * np.exp(increment.s * points - half) if increment.up > 0.0 else 0.0
        down = increment.down * np.exp(-increment.s * points - half) if increment.down > 0.0 else 0.0
        return np.asarray(up - down, dtype=np.float64)


def _rounding_of_values(increment: GaussianIncrement, points: Array) -> Array:
    """Return a bound on the error of :func:`_values`, relative to the sizes of both terms, which may cancel.

    An exponent has 2 units of sz and of s^2/2, exp has 4, and there are a product, this sum, and its differences.
    """
    s, half = increment.s, 0.5 * increment.s * increment.s
    with np.errstate(over="ignore", under="ignore"):
        up = increment.up * np.exp(s * points - half) if increment.up > 0.0 else 0.0
        down = increment.down * np.exp(-s * points - half) if increment.down > 0.0 else 0.0
        return np.asarray(roundoff(16, 1.0 + s * (s + np.abs(points))) * (up + down), dtype=np.float64)


def _points(increment: GaussianIncrement, threshold: float, cells: int) -> Array:
    """Return the ends of cells: some everywhere, and many more where the integrand is large."""
    points = np.linspace(-FARTHEST, FARTHEST, COARSE_CELLS + 1)
    values = _values(increment, points)
    points, values = points[np.abs(values) < LARGEST_VALUE], values[np.abs(values) < LARGEST_VALUE]
    _, _, heights, _ = increment.beyond(threshold - values)
    with np.errstate(under="ignore", divide="ignore"):
        heights = np.log(heights) - 0.5 * points * points
    matters = (
        np.flatnonzero(heights > heights.max() + np.log(NEGLIGIBLE_SHARE))
        if np.isfinite(heights.max())
        else np.empty(0)
    )
    if not matters.size:
        return points
    first, last = max(int(matters[0]) - 1, 0), min(int(matters[-1]) + 1, points.size - 1)
    close = np.linspace(points[first], points[last], cells + 1)
    return np.concatenate([points[:first], close, points[last + 1 :]])
