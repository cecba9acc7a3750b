r"""Sums that exceed a threshold by many moderate steps and one large one: the number of large steps is conditioned on.

No single tilt suits both: between a step's bulk and its heaviest values the tilted law has next to nothing, and the
Chernoff bound, to which round-off is relative, is far above the value.  With q = q' + q'' the masses up to some point
and beyond, and v linear in each factor's measure,

.. math:: v(q^{*m}) = v(q'^{*m}) + m v(q'^{*(m-1)} * q'') + R, \quad
          0 \le R \le \tfrac{m^2}2 M''(t)^2 M(t)^{m-2} \frac{e^{-tK}}{et},

and q'' is cut further, each piece tilted for what it leaves to the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import exp, log, sqrt

import numpy as np

from ..kernels.increments import log_mgf
from ..laws import Array, LatticeLaw
from .lattice import Placed
from .plan import Plan, shortest
from .sums import Ends, TiltedSum, tilted_sum

# Where large begins: its exponent under the tilt that a normal law would have.  Pieces grow by this factor.
LARGE, GROWTH = 12.0, 1.4
# Tilts tried for each piece, over that of a normal law.
TILTS = np.geomspace(1e-3, 10.0, 160)
# Atoms of a law that is planned with.
COARSE = 400


@dataclass(frozen=True, eq=False)
class Conditioned:
    """v by the number of large steps: sums with how often each counts, and what bounds the rest."""

    sums: tuple[tuple[float, TiltedSum], ...]
    rest: tuple[float, float]

    def ends(self, start: float) -> Ends:
        """Both ends of E(start + sum)_+ of the measure."""
        found = [(often, one.ends(start)) for often, one in self.sums]
        log_height, t = self.rest
        rest = exp(min(log_height + t * start, 700.0))
        lower, upper, truncation, rounding = (
            sum(often * getattr(ends, name) for often, ends in found)
            for name in ("lower", "upper", "truncation", "rounding")
        )
        return Ends(lower * (1.0 - 1e-14), (upper + rest) * (1.0 + 1e-14), truncation + rest, rounding)


def conditioned(placed: Placed, count: int, threshold: float, variance: float) -> Conditioned | None:
    """None where nothing is large; ``variance`` is about that of one step."""
    law = placed.law
    start = count * placed.origin - threshold
    normal = -start / (count * variance)
    cut = int(np.searchsorted(law.atoms, LARGE / normal))
    if not 0 < cut < law.mass.size - 1:
        return None
    small = _part(law, 0, cut)
    sums = []
    for piece in _pieces(law, cut, LARGE / normal):
        scheme = _plan(small, piece, count - 1, start, normal)
        sums.append((float(count), tilted_sum([(small, count - 1), (piece, 1)], start, scheme)))
    sums.append((1.0, tilted_sum([(small, count)], start, _plan(small, None, count, start, normal))))
    return Conditioned(tuple(sums), _rest(law, _part(law, cut, law.mass.size), count, start, normal))


def _part(law: LatticeLaw, first: int, last: int) -> LatticeLaw:
    masses = law.mass[first:last]
    return LatticeLaw(law.step, law.first + first, masses, np.zeros(masses.size))


def _pieces(law: LatticeLaw, cut: int, at: float) -> Iterator[LatticeLaw]:
    first = cut
    while first < law.mass.size:
        at *= GROWTH
        last = max(int(np.searchsorted(law.atoms, at)), first + 1)
        piece = _part(law, first, min(last, law.mass.size))
        if piece.mass.any():
            yield piece
        first = last


def _plan(small: LatticeLaw, piece: LatticeLaw | None, count: int, start: float, normal: float) -> Plan:
    thetas = TILTS * normal
    height = count * _cumulants(small, thetas) + thetas * start - 1.0 - np.log(thetas)
    reach = float(small.atoms[-1])
    if piece is not None:
        height += _cumulants(piece, thetas)
        reach += float(piece.atoms[-1])
    best = int(np.argmin(height - np.log(thetas)))
    # About what such a bound exceeds the value by.
    theta, steeper, period = shortest(thetas, height, best, float(height[best]) - 5.0)
    deviation = sqrt(count * float(np.sum(small.mass * small.atoms**2)))
    return Plan(0.0, reach, theta, steeper, max(period, 1.01 * reach, 8.0 * deviation), float(thetas[best]))


def _cumulants(law: LatticeLaw, thetas: Array) -> Array:
    """Estimates: neighbouring atoms together."""
    every = max(law.mass.size // COARSE, 1)
    starts = np.arange(0, law.mass.size, every)
    masses = np.add.reduceat(law.mass, starts)
    atoms = law.atoms[np.minimum(starts + every // 2, law.mass.size - 1)]
    with np.errstate(divide="ignore"):
        return np.asarray(np.logaddexp.reduce(np.outer(thetas, atoms) + np.log(masses), axis=1), dtype=np.float64)


def _rest(law: LatticeLaw, large: LatticeLaw, count: int, start: float, normal: float) -> tuple[float, float]:
    """The least bound of two or more large steps, as its log at a sum of 0 and a tilt."""
    thetas = TILTS * normal
    goal = 2.0 * _cumulants(large, thetas) + (count - 2) * _cumulants(law, thetas) + thetas * start - np.log(thetas)
    t = float(thetas[int(np.argmin(goal))])
    (of_large, error), (of_all, more) = (log_mgf(one.mass, one.step, one.first, t) for one in (large, law))
    found = 2.0 * (of_large + error) + max(count - 2, 0) * (of_all + more) + 2.0 * log(count) - log(2.0) - 1.0 - log(t)
    return float(found) + 1e-12 * (1.0 + abs(found)), t
