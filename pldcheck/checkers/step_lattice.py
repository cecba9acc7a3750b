"""The lattice of sums of steps, every rounding upward.

A record is in one of m slots, chosen uniformly, and is used there with probability w.  For the X of a step
(step_curves.py says what it is) and K = (kappa - 1) / w,

    delta* = (w/m) E (sum_i (X_i - K))_+,    where X has the mean 0 given the past.

**1. One step.**  C(x) is the largest E (X - x)_+ of a step, over all references.  It is convex, its slope is from -1
to 0, and C(x) >= -x.  At some nodes x_0 < ... < x_n, multiples of ``width``, C is enclosed.  The polygon through
C(x_i), with the slope -1 on the left of x_0 and the slope 0 on the right of x_n, is nowhere below C.  So C(x) <= E (L
- x)_+ + e for all x, where e = C(x_n) and where the measure L has at each node the mass by which the slope rises
there.  A mass is rounded up: (L - x)_+ is not negative.

**2. Many steps.**  T f(u) is the largest E f(u + X - K) of a step; V_0(u) = u_+, V_t = T V_{t-1}; so delta* is at most
(w/m) V_m(0), and V_1(u) <= E (u + L - K)_+ + e, also where references depend on earlier outputs. If V_s(u) <= E (u +
Y)_+ + d and V_t(u) <= E (u + Z)_+ + e for all u, then, as T is monotone and sublinear, commutes with shifts, and T (f
+ d) = T f + d,

    V_{s+t}(u) = T^t V_s(u) <= E V_t(u + Y) + d <= E (u + Y + Z)_+ + e |Y| + d,   |Y| being the mass of Y.

So independent measures are added, and their excesses d and e, each times the mass of the other or 1, whichever is more.
What may be done with a measure Y:
(a) a mass is raised, or goes up: u_+ is not negative, and increases;
(b) a mass at y is split into two halves at equal distances from y: u_+ is convex;
(c) what is above a place t goes down to t, and E (Y - t)_+ is added to the excess: (u + y)_+ <= (u + t)_+ + (y - t)_+.
One slot needs no lattice: delta* = w C(K).  With more, it is at least (w/m) C(m K), by Jensen's inequality: as if there
were one slot, used with probability w/m.

**3. Lattice.**  Masses are integers, multiples of 1 / one, at the places k ``width`` 2^level; excesses are multiples of
``width`` / one.  ``sum_law`` multiplies two laws (lattice_sums.py says how).  ``trim`` applies (a) at the lower end and
(c) at the upper one, ``coarsen`` applies (b) to odd k.
"""

from fractions import Fraction
from itertools import pairwise
from math import ceil, floor
from typing import NamedTuple

from . import lattice_sums
from .claim_files import require, spend
from .directed_decimals import UNIT, ZERO, Ends, ends
from .lattice_sums import CELLS, summed, whole, wide_enough


class Lattice(NamedTuple):
    """Masses over ``one`` at the places (first + i) * width * 2^level, and an excess over ``one`` in widths."""

    masses: list
    first: int
    excess: int
    level: int


def read_fineness(facts, products, laws):
    """Return the Fineness of a file; refuse one with too much work for so many products, and for so many laws."""
    return lattice_sums.read_fineness(facts, ("bottom", "top"), products, laws, 20, "1e30")


def cuts(step, shift, fine):
    """Return the whole numbers k, in order, at which a step may be cut; their spaces widen from 0 and from X = 0 on."""
    offset = floor(shift / fine.width)
    walk, k = {0, -1}, 0
    while k <= fine.points:
        k += 1 + k // fine.growth
        walk |= {k, -k, k - offset, -k - offset}
    for atom in step.atoms:
        place = (atom - shift) / fine.width
        walk |= {floor(place), ceil(place)}
    walk = sorted(k for k in walk if abs(k) <= fine.points)
    require(len(walk) <= fine.most, f"more than {fine.most} cells of a law")
    spend(len(walk) / CELLS)
    return walk


def lattice_law(step, shift, fine):
    """Return the law L of X - shift for a step X, with its excess."""
    places = cuts(step, shift, fine)
    start = places.index(0)
    width, rows = ends(fine.width), {}

    def height(k):
        return step.curve(k * fine.width + shift) / width

    for k in places[start:]:
        rows[k] = height(k)
        if rows[k][1] * fine.one <= fine.cut or k >= fine.top:
            break
    for k in reversed(places[:start]):
        rows[k] = height(k)
        below = rows[k][1] + ends(k + shift / fine.width)[1]
        if below * fine.one <= fine.cut or -k >= fine.bottom:
            break
    places = sorted(rows)
    # The slopes on the left and on the right of each node, where they are enclosed.
    slopes = [Ends(-UNIT, -UNIT)]
    slopes += [(rows[b] - rows[a]) / (b - a) for a, b in pairwise(places)] + [Ends(ZERO, ZERO)]
    masses = [0] * (places[-1] - places[0] + 1)
    for k, (left, right) in zip(places, pairwise(slopes), strict=True):
        masses[k - places[0]] = whole((right - left).upper, fine)
    return trim(Lattice(masses, places[0], whole(rows[places[-1]][1], fine), 0), fine)


def trim(law, fine):
    """Return a law without negligible tails, with at most ``points`` places, all from ``bottom`` to ``top``."""
    masses, excess, low, high = [*law.masses], law.excess, 0, len(law.masses)
    loss, bottom = 0, 0
    while high > 1:
        cost = masses[high - 1] << law.level
        if loss + cost > fine.cut and (law.first + high - 1) << law.level <= fine.top:
            break
        loss += cost
        high -= 1
        masses[high - 1] += masses[high]
    while low < high - 1 and (
        bottom + masses[low] <= fine.cut or high - low > fine.points or -(law.first + low) << law.level > fine.bottom
    ):
        bottom += masses[low]
        low += 1
    return Lattice([bottom + masses[low], *masses[low + 1 : high]], law.first + low, excess + loss, law.level)


def coarsen(law, fine):
    """Return a law on the lattice that is twice as wide."""
    first = law.first // 2
    masses = [0] * ((law.first + len(law.masses)) // 2 - first + 1)
    for k, mass in enumerate(law.masses, law.first):
        if k % 2:
            masses[k // 2 - first] += (mass + 1) // 2
            masses[k // 2 + 1 - first] += (mass + 1) // 2
        else:
            masses[k // 2 - first] += mass
    return Lattice(masses, first, law.excess, law.level + 1)


def coarser(law, fine):
    """Return a law on the lattice that is twice as wide, without its tails."""
    return trim(coarsen(law, fine), fine)


def at_level(law, level, fine):
    """Return a law on a lattice of this level, which is not below its own."""
    while law.level < level:
        law = coarser(law, fine)
    return law


def sum_law(one, other, fine):
    """Return the law of the sum of two independent measures, on the coarser lattice of both or a coarser one."""
    level = max(one.level, other.level)
    one, other = at_level(one, level, fine), at_level(other, level, fine)
    total = [max(sum(law.masses), fine.one) for law in (one, other)]
    excess = -(-(one.excess * total[1] + other.excess * total[0]) // fine.one)
    law = trim(Lattice(summed(one, other, fine), one.first + other.first, excess, level), fine)
    while wide_enough(law, fine):
        law = coarser(law, fine)
    return law


def power_law(law, count, fine):
    """Return the law of the sum of so many independent copies."""
    return lattice_sums.power(law, count, at_level, sum_law, fine)


def single_ends(step, share, threshold):
    """Return Ends of ``share`` times C at a threshold: delta for a step in one slot, used with that probability."""
    return step.curve(threshold) * ends(share)


def delta_of(law, share, fine):
    """Return an upper bound of delta for the law of the sum of all steps, each with the probability ``share``."""
    total = law.excess + sum(mass * max(0, k << law.level) for k, mass in enumerate(law.masses, law.first))
    return ends(share * fine.width * Fraction(total, fine.one))[1]
