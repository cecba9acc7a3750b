r"""One step in closed form, and two by quadrature: where a Gaussian randomizer's values span too much for a lattice.

With :math:`g(x) = E(x + X - K)_+`, increasing and convex, v = E g(X) is bounded cell by cell: g at the cell's ends,
weighted so that the mean is kept, from above; g at the cell's mean, by Jensen's inequality, from below.  The cells are
small where the integrand is not.  Values are those of X less its constant: it cancels against that of K.
"""

from __future__ import annotations

import numpy as np

from ..interval import UNDERFLOW
from ..kernels.increments import gaussian_cells
from ..laws import Array
from .increments import UNIT, GaussianIncrement
from .sums import Ends

# Where cells are looked for, in deviations, and how many in all; how many more where it matters, and at most.
FARTHEST, ROUGHLY, CELLS, MOST = 38.4, 600, 400, 2**18
# Of the integrand's maximum, what does not matter.
LIGHT = 1e-14
# Values beyond are not numbers that can be squared.
LARGEST = 1e150


def one(increment: GaussianIncrement, threshold: float, doubt: float) -> Ends:
    """E(X - threshold)_+, X and the threshold (known up to ``doubt``) less the constant."""
    mass, more, value, error = (float(one[0]) for one in increment.beyond(np.array([threshold])))
    error += (mass + more) * doubt
    return Ends(max(value - error, 0.0), value + error + UNDERFLOW, 0.0, 2.0 * error)


def two(increment: GaussianIncrement, threshold: float, doubt: float, finer: float) -> Ends:
    """E(X + X' - threshold)_+, likewise."""
    points = _points(increment, threshold, min(int(CELLS / finer), MOST))
    edges = increment.values(points) - increment.constant if False else _values(increment, points)
    masses, rises, falls, errors = gaussian_cells(increment.up, increment.down, increment.s, points, edges)
    widths = np.diff(edges)
    kept = (widths > 0.0) & (masses > 0.0)
    masses, rises, falls, errors, widths = (part[kept] for part in (masses, rises, falls, errors, widths))
    left, right = edges[:-1][kept], edges[1:][kept]
    _, _, at_left, more_left = increment.beyond(threshold - left)
    slopes, more_slopes, at_right, more_right = increment.beyond(threshold - right)
    # Means are those of cells, but for their errors and for what edges are rounded by; g rises no faster than this.
    reach = np.maximum(np.abs(points[:-1]), np.abs(points[1:]))[kept]
    rounded = 32 * UNIT * (1.0 + increment.s * (increment.s + reach)) * (np.abs(left) + np.abs(right))
    steepest = slopes + more_slopes
    shift = steepest * masses * (doubt + rounded + 4 * UNIT * abs(threshold))
    upper = (falls + errors) / widths * (at_left + more_left) + (rises + errors) / widths * (at_right + more_right)
    means = left + np.clip(rises / masses, 0.0, widths)
    _, _, at_mean, more_mean = increment.beyond(threshold - means)
    lower = (masses - 2.0 * errors / widths) * np.maximum(at_mean - more_mean, 0.0) - steepest * errors
    # Beyond the last edge g rises by at most what X does; below the first one it is no larger than there.
    mass, more, excess, error = (float(one[0]) for one in increment.beyond(edges[-1:]))
    _, _, last, more_last = (float(one[0]) for one in increment.beyond(threshold - edges[-1:]))
    _, _, first, more_first = (float(one[0]) for one in increment.beyond(threshold - edges[:1]))
    low = -float(increment.places(edges[:1])[0])
    tails = (mass + more) * (last + more_last) + excess + error + _below(low) * (first + more_first)
    rounding = float(shift.sum()) + 64 * UNIT * float(upper.sum())
    high = float(upper.sum()) + rounding + tails + UNDERFLOW
    return Ends(max(float(lower.sum()) - rounding, 0.0), high, tails, 2.0 * rounding)
