"""The lattice of sums of privacy losses, every rounding upward.

For two laws P and Q of an output, L = log dP/dQ is the loss (it may be infinite), and the least delta at epsilon, the
curve, is D(epsilon) = E_P (1 - e^(epsilon - L))_+.  The curve of a sum of independent losses is a mean of shifted
curves of either summand.  So each law may be replaced by a measure whose curve is nowhere lower, before and after any
sum:
(a) A mass is raised: (1 - e^(epsilon - L))_+ is not negative.
(b) A mass goes to a larger loss, or to infinity: that function increases in L.
(c) What has losses in [y, z], P-mass p and Q-mass q = E e^-L goes to y and z so that p and q are kept: that function is
convex in e^-L.  Then z has (p - q e^y)/(1 - e^(y-z)) and y has (q e^z - p)/(e^(z-y) - 1); both are not negative.
(d) As a case of (c), a mass m at a loss half-way between two at a distance 2h leaves m/(1 + e^-h) above, m/(1 + e^h)
below.

A law is a list of masses at losses k ``width`` 2^level, and a mass at infinity; masses are integers, multiples of
1 / one, rounded up (a).  ``lattice_law`` cuts a law at some losses k ``width`` 2^level, where ``level_of`` chooses the
level, so that laws with far losses have no more places than others: masses of a cell are differences of
P(L > t) and of Q(L > t), which are enclosed, so that (c) is rounded up.  What is not above the last cut goes up to it,
what is above the first becomes infinite (b).  ``sum_law`` multiplies two laws (lattice_sums.py says how).  ``trim``
applies (b) at both ends, ``coarsen`` applies (d) to odd k.  In the end delta is the mean of (1 - e^(epsilon - L))_+.
"""

from fractions import Fraction
from itertools import pairwise
from math import ceil, floor, isqrt, log2
from typing import NamedTuple

from . import lattice_sums
from .claim_files import require, spend
from .directed_decimals import UNIT, UP, ZERO, exp_of
from .lattice_sums import CELLS, summed, whole, wide_enough

# The digits of a place of a product beyond twice those of a mass.
SPARE = 8
# A loss far above all epsilons of claims.
FARTHEST = Fraction(2**30)
# Bisections of a factor of 16: they leave one of 16^(1/32), which is 1.09.
HALVINGS = 5


class Lattice(NamedTuple):
    """Masses over ``one`` at the losses (first + i) * width * 2^level, and the mass at infinity."""

    masses: list
    first: int
    infinity: int
    level: int


def read_fineness(facts, products, laws):
    """Return the Fineness of a file; refuse one with too much work for so many products, and for so many laws."""
    return lattice_sums.read_fineness(facts, (), products, laws, SPARE, "1000")


def cuts(atoms, width, fine):
    """Return the whole numbers k, in order, at which a law with some atoms may be cut at k ``width``.

    Their spaces widen from 0 on.
    """
    walk, k = {0}, 0
    while k <= fine.points:
        k += 1 + k // fine.growth
        walk |= {k, -k}
    beside = set()
    for loss in atoms:
        place = loss / width
        if abs(place) <= fine.points:
            beside |= {floor(place), ceil(place)}
    if len(walk | beside) <= fine.most:  # atoms that are nearer to each other than places need no cuts
        walk |= beside
    require(len(walk) <= fine.most, f"more than {fine.most} cells of a law")
    spend(len(walk) / CELLS)
    return sorted(walk)


def level_of(law, fine):
    """Return about the least level at which a law has at most ``points`` places, but for its tails; any is right."""
    infinite = law.tails(FARTHEST, FARTHEST)[0][0]

    def above(t):
        return law.tails(t, t)[0][1] - infinite

    def below(t):
        return 1 - law.tails(-t, -t)[0][1]

    places = reach_of(above, fine) + reach_of(below, fine)
    return max(0, ceil(log2(places / fine.points)))


def reach_of(beyond, fine):
    """Return about the least number of places beyond which there is no more than the cut, or one unit of a mass."""

    def is_reached(places):
        t = places * fine.width
        return t >= FARTHEST or beyond(t) * fine.one <= max(fine.cut, 1)

    low, high = 1, 1
    while not is_reached(high):
        low, high = high, 16 * high
    for _ in range(HALVINGS if high > 1 else 0):
        middle = isqrt(low * high)
        low, high = (low, middle) if is_reached(middle) else (middle, high)
    return high


def lattice_law(law, fine):
    """Return a lattice law whose curve is nowhere below that of a law."""
    level = level_of(law, fine)
    width = fine.width * 2**level
    places = cuts(law.atoms, width, fine)
    start = places.index(0)
    rows = {}
    for k in places[start:]:
        rows[k] = law.tails(k * width, k * width)
        if rows[k][0][1] * fine.one <= fine.cut or rows[k][1][1] == 0:
            break
    for k in reversed(places[:start]):
        rows[k] = law.tails(k * width, k * width)
        if (UNIT - rows[k][0][0]) * fine.one <= fine.cut:
            break
    low, high = min(rows), max(rows)
    masses = [0] * (high - low + 1)
    masses[0] = whole((UNIT - rows[low][0]).upper, fine)
    for a, b in pairwise(sorted(rows)):
        p, q = (above - beyond for above, beyond in zip(rows[a], rows[b], strict=True))
        above = p - q.at_least(ZERO) * exp_of(a * width)
        below = q.at_least(ZERO) * exp_of(b * width) - p
        masses[b - low] += whole((above / (UNIT - exp_of((a - b) * width))).upper, fine)
        masses[a - low] += whole((below / (exp_of((b - a) * width) - UNIT)).upper, fine)
    return trim(Lattice(masses, low, whole(rows[high][0][1], fine), level), fine)


def trim(law, fine):
    """Return a law without the tails up to ``cut``, and with at most ``points`` losses."""
    masses, infinity, low = law.masses, law.infinity, 0
    high, bottom, top = len(masses), 0, 0
    while high > 1 and top + masses[high - 1] <= fine.cut:
        high -= 1
        top += masses[high]
    while low < high - 1 and (bottom + masses[low] <= fine.cut or high - low > fine.points):
        bottom += masses[low]
        low += 1
    return Lattice([bottom + masses[low], *masses[low + 1 : high]], law.first + low, infinity + top, law.level)


def coarsen(law, fine):
    """Return a law on the lattice that is twice as wide."""
    x = exp_of(fine.width * 2**law.level)
    share = [whole((UNIT / (one + UNIT)).upper, fine) for one in (UNIT / x, x)]
    first = law.first // 2
    masses = [0] * ((law.first + len(law.masses)) // 2 - first + 1)
    for k, mass in enumerate(law.masses, law.first):
        if k % 2:
            masses[k // 2 - first] -= -mass * share[1] // fine.one
            masses[k // 2 + 1 - first] -= -mass * share[0] // fine.one
        else:
            masses[k // 2 - first] += mass
    return Lattice(masses, first, law.infinity, law.level + 1)


def coarser(law, fine):
    """Return a law on the lattice that is twice as wide, without its tails."""
    return trim(coarsen(law, fine), fine)


def at_level(law, level, fine):
    """Return a law on a lattice of this level, which is not below its own."""
    while law.level < level:
        law = coarser(law, fine)
    return law


def sum_law(one, other, fine):
    """Return the law of the sum of two independent losses, on the coarser lattice of both, or on one coarser still."""
    level = max(one.level, other.level)
    one, other = at_level(one, level, fine), at_level(other, level, fine)
    all_one, finite = sum(one.masses) + one.infinity, sum(other.masses)
    infinity = -(-(all_one * other.infinity + one.infinity * finite) // fine.one)
    law = Lattice(summed(one, other, fine), one.first + other.first, infinity, level)
    while wide_enough(law, fine):  # before its lower tail is raised to fit it into ``points``
        law = coarsen(law, fine)
    return trim(law, fine)


def power_law(law, count, fine):
    """Return the law of the sum of so many independent losses of one law."""
    return lattice_sums.power(law, count, at_level, sum_law, fine)


def delta_of(law, epsilon, fine):
    """Return an upper bound of the mean of (1 - e^(epsilon - L))_+ for a lattice law of losses L."""
    total, width = law.infinity * fine.one, fine.width * 2**law.level
    for k, mass in enumerate(law.masses, law.first):
        if k * width > epsilon:
            total += mass * whole(UP.subtract(UNIT, exp_of(epsilon - k * width)[0]), fine)
    return UP.divide(total, fine.one**2)
