r"""Sums that exceed a threshold by many moderate steps and one large one: the number of large steps is conditioned on.

No single tilt suits both: between a step's bulk and its heaviest values the tilted law has next to nothing, and the
Chernoff bound, to which round-off is relative, is far above the value.  With q = q' + q'' the masses up to some point
and beyond, and v linear in each factor's measure,

.. math:: v(q^{*m}) = v(q'^{*m}) + m v(q'^{*(m-1)} * q'') + R, \quad
          0 \le R \le \tfrac{m^2}2 M''(t)^2 M(t)^{m-2} \frac{e^{-tK}}{et},

and q'' is cut further, and each piece is tilted for the threshold that it leaves to the other steps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import log, sqrt

import numpy as np

from ...core.arrays import Array
from ...core.directed import UNIT, Ends, exp_upper, roundoff
from ...kernels.gaussian_cells import log_mgf
from ...kernels.tilt_planning import Plan, shortest_period
from ...pld.lattice_contour import Contour
from ...pld.lattice_fourier import contour
from ...pld.lattice_law import LatticeLaw
from .increment_lattice import PlacedLaw

# Deviations of a step beyond which large steps are searched.
BULK = 3.0
# Pieces grow by this factor.
GROWTH = 1.4
# Logarithm of the factor by which a bound exceeds a value, approximately.
EXCESS = 5.0
# Steepest tilt, relative to the inverse of a step.
STEEPEST = 30.0
# Largest number of nodes of one sum.
MOST_NODES = 2**21
# Tilts tried for each piece, relative to that of a normal law.
TILTS = np.geomspace(0.02, 3.0, 72)
# Number of points of a law that is used for planning.
POINTS = 512


@dataclass(frozen=True, eq=False)
class SumByLargeSteps:
    """The value v by the number of large steps: sums with their multiplicities, and a bound of the remainder."""

    sums: tuple[tuple[float, Contour], ...]
    rest: tuple[float, float]

    def at(self, start: float) -> Ends:
        """Return both ends of E(start + sum)_+ of the measure."""
        terms = [(multiplicity, one.at(start)) for multiplicity, one in self.sums]
        log_height, t = self.rest
        rest = exp_upper(log_height + t * start, abs(log_height) + abs(t * start))
        lower, upper, truncation, rounding = (
            sum(multiplicity * getattr(ends, name) for multiplicity, ends in terms)
            for name in ("lower", "upper", "truncation", "rounding")
        )
        # Products, and a sum of as many terms that are not negative.
        error = 2.0 * (len(terms) + 8) * UNIT
        return Ends(lower * (1.0 - error), (upper + rest) * (1.0 + error), truncation + rest, rounding)


def condition_on_large_steps(
    placed_law: PlacedLaw, count: int, threshold: float, variance: float, tilt: float
) -> SumByLargeSteps | None:
    """Return the sum by the number of large steps.

    It returns None where no atom is large, or where that is too much work.  ``variance`` is about that of one step,
    ``tilt`` a good tilt.
    """
    law = placed_law.law
    if count < 3 or threshold <= 0.0:
        return None
    start = count * placed_law.origin - threshold
    first_large = _lightest(law, BULK * sqrt(variance), tilt)
    if not 0 < first_large < law.mass.size - 1:
        return None
    normal = threshold / (count * variance)
    small = _part(law, 0, first_large)
    thetas = TILTS * normal
    pieces = list(_pieces(law, first_large))
    of_small, *of_pieces = [_cumulants(one, thetas) for one in (small, *pieces)]
    plans = [(1.0, [(small, count)], _plan(small, None, thetas, count * of_small, start))]
    for piece, cumulants in zip(pieces, of_pieces, strict=True):
        scheme = _plan(small, piece, thetas, (count - 1) * of_small + cumulants, start)
        plans.append((float(count), [(small, count - 1), (piece, 1)], scheme))
    if any(not scheme.period <= MOST_NODES * law.step or scheme.theta * law.step > STEEPEST for _, _, scheme in plans):
        return None
    sums = tuple(
        (multiplicity, contour(parts, scheme.theta, scheme.steeper, scheme.period))
        for multiplicity, parts, scheme in plans
    )
    of_large = np.logaddexp.reduce(of_pieces)
    log_bounds = 2.0 * of_large + (count - 2) * np.logaddexp(of_small, of_large) + thetas * start - np.log(thetas)
    return SumByLargeSteps(
        sums, _rest(law, _part(law, first_large, law.mass.size), count, float(thetas[np.argmin(log_bounds)]))
    )


def _lightest(law: LatticeLaw, bulk: float, tilt: float) -> int:
    """Return the atom beyond the bulk whose tilted mass is least.

    It separates many moderate steps from a large one.
    """
    first = int(np.searchsorted(law.atoms, bulk))
    if first >= law.mass.size - 2:
        return 0
    with np.errstate(divide="ignore"):
        weights = np.log(law.mass[first:-1]) + tilt * law.atoms[first:-1]
    return first + int(np.argmin(weights))


def _part(law: LatticeLaw, first: int, last: int) -> LatticeLaw:
    masses = law.mass[first:last]
    return LatticeLaw(law.step, law.first + first, masses, np.zeros(masses.size))


def _pieces(law: LatticeLaw, first_large: int) -> Iterator[LatticeLaw]:
    first, edge = first_large, float(law.atoms[first_large])
    while first < law.mass.size:
        edge *= GROWTH
        last = max(int(np.searchsorted(law.atoms, edge)), first + 1)
        piece = _part(law, first, min(last, law.mass.size))
        if piece.mass.any():
            yield piece
        first = last


def _plan(small: LatticeLaw, piece: LatticeLaw | None, thetas: Array, cumulants: Array, start: float) -> Plan:
    height = cumulants + thetas * start - 1.0 - np.log(thetas)
    reach = float(small.atoms[-1] + (0.0 if piece is None else piece.atoms[-1]))
    best = int(np.argmin(height - np.log(thetas)))
    # The factor by which such a bound exceeds the value, approximately.
    theta, steeper, period = shortest_period(thetas, height, best, float(height[best]) - EXCESS)
    return Plan(0.0, reach, theta, steeper, max(period, 1.01 * reach), float(thetas[best]), EXCESS, 0.0, 0.0)


def _cumulants(law: LatticeLaw, thetas: Array) -> Array:
    """Return estimates of log M at these tilts, by a coarser law."""
    firsts = np.arange(0, law.mass.size, -(-law.mass.size // POINTS))
    masses = np.add.reduceat(law.mass, firsts)
    nonempty = masses > 0.0
    means = np.add.reduceat(law.mass * law.atoms, firsts)[nonempty] / masses[nonempty]
    exponents = np.outer(thetas, means)
    top = exponents.max(axis=1)
    return np.asarray(top + np.log(np.exp(exponents - top[:, None]) @ masses[nonempty]), dtype=np.float64)


def _rest(law: LatticeLaw, large: LatticeLaw, count: int, t: float) -> tuple[float, float]:
    """Return a bound of the case of two or more large steps, as its log at a sum of 0, and its tilt."""
    terms = [2.0 * log(count) - log(2.0) - 1.0, -log(t)]
    for one, multiplicity in ((large, 2), (law, count - 2)):
        value, error = log_mgf(one.mass, one.step, one.first, t)
        terms.append(multiplicity * (value + error))
    return sum(terms) + roundoff(8, sum(map(abs, terms))), t
