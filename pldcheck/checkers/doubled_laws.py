"""Sums of independent copies of a measure by doublings, every rounding upward.

What is bounded is the mean of (u + z)_+ over the places z of the sum.  That payoff is not negative, increases and is
convex in z, and so is its mean when an independent copy is added.  So masses are rounded up, and a mass may be split
into halves at equal distances: where a law has more than ``atoms`` places, odd ones give half of their masses to each
neighbour, and the lattice is twice as coarse.  Sums preserve both.

**Tails.**  The tilted total of a measure is the integral of e^(theta z); that of a sum of independent ones is the
product.  Masses at both ends, each at most 2^-cut of the tilted total, are left out; of them only their tilted total R
is kept, and all tilted totals are rounded up.  With M, that of the other masses, two copies leave out 2 M R + R^2.  As
y_+ <= e^(theta y) / (e theta), what is left out adds at most e^(theta u) R / (e theta) in the end.  For a lattice of
the spacing h, g = e^(theta h) is given, and log g >= 1 - 1/g.
"""

from bisect import bisect
from fractions import Fraction
from itertools import accumulate, repeat
from math import ceil
from typing import NamedTuple

from .claim_files import NotVerified, require
from .fixed_point import BITS, ONE, PLACES, power, times

# The largest number of places of a law between doublings, each of which takes a fifth of a second then.
MOST_ATOMS = 8192
# The largest number of places of all laws before doublings, and those for which a core takes a second.
MOST_DOUBLED = 5_000_000
PLACES_DOUBLED = 40_000
# The largest logarithm of e^(theta z) at a place z of a law.
MOST_TILT = 1000


class Law(NamedTuple):
    """Masses times ONE at the places from ``low`` on, which are ``spacing`` grid apart, and what is left out.

    ``up`` and ``down`` are e^(theta z) and e^(-theta z) for z = ``spacing`` grid, times ONE; ``left_out`` is a tilted
    total times ONE.
    """

    masses: list
    low: int
    spacing: int
    up: int
    down: int
    left_out: int


def tilted(masses, low, up, down):
    """Return masses at the places from ``low`` times g^place; ``up`` and ``down`` are g and 1 / g, rounded up."""
    high = low + len(masses) - 1
    middle = min(max(low, 0), high)
    start = power(up, middle) if middle > 0 else power(down, -middle)
    above = accumulate(repeat(up, high - middle), times, initial=start)
    below = [*accumulate(repeat(down, middle - low), times, initial=start)][:0:-1]
    return [*map(times, masses, [*below, *above])]


def coarser(masses, low):
    """Return masses at even places only, and half of the first place; an odd place gives a half to each neighbour."""
    masses = [0] * (low % 2) + masses
    masses = masses + [0] * (1 - len(masses) % 2)
    halves = [(mass + 1) // 2 for mass in masses[1::2]]
    return [*map(sum, zip(masses[::2], [0, *halves], [*halves, 0], strict=True))], low // 2


def squared(masses):
    """Return the masses of a sum of two copies, rounded up; one product of two large integers computes all of them."""
    size = (2 * max(masses).bit_length() + len(masses).bit_length()) // 8 + 1
    packed = int.from_bytes(b"".join(mass.to_bytes(size, "little") for mass in masses), "little")
    product = (packed * packed).to_bytes(2 * len(masses) * size, "little")
    ends = range(0, (2 * len(masses) - 1) * size, size)
    return [-(-int.from_bytes(product[end : end + size], "little") >> BITS) for end in ends]


def require_tilt(law, place):
    """Raise NotVerified if e^(theta z) at a place z would have too many digits."""
    require((law.up - ONE) * place < MOST_TILT * ONE, "the tilt is too large", NotVerified)


def tilt_at(law, place):
    """Return e^(theta z) at a place z, times ONE, rounded up."""
    require_tilt(law, place)
    return power(law.up, place) if place > 0 else power(law.down, -place)


def shorter(law, fine, farthest):
    """Return a law without its tails and with at most ``atoms`` places, and the tilted total of its masses.

    ``farthest`` returns the place of a law at which its tilt is still computed.
    """
    while True:
        require_tilt(law, farthest(law))
        parts = tilted(law.masses, law.low, law.up, law.down)
        limit = sum(parts) >> fine["cut"]
        first, last = bisect([*accumulate(parts)], limit), len(parts) - bisect([*accumulate(parts[::-1])], limit)
        left_out = law.left_out + sum(parts[:first]) + sum(parts[last:])
        law = law._replace(masses=law.masses[first:last], low=law.low + first, left_out=left_out)
        if len(law.masses) <= fine["atoms"]:
            require(law.left_out < sum(parts[first:last]), "too much is left out", NotVerified)
            return law, sum(parts[first:last])
        masses, low = coarser(law.masses, law.low)
        twice = {"spacing": 2 * law.spacing, "up": times(law.up, law.up), "down": times(law.down, law.down)}
        law = law._replace(masses=masses, low=low, **twice)


def twofold(law, inside):
    """Return the law of the sum of two copies; ``inside`` is the tilted total of its masses."""
    left_out = 2 * times(inside, law.left_out) + times(law.left_out, law.left_out)
    return law._replace(masses=squared(law.masses), low=2 * law.low, left_out=left_out)


def mean_gain(law, start):
    """Return an upper bound of the mean of (start + z)_+ over the places z of a law; both are multiples of the grid."""
    origin = ceil(start / law.spacing * 2**PLACES)
    total = sum(mass * max(origin + (place << PLACES), 0) for place, mass in enumerate(law.masses, law.low))
    require(law.down < ONE, "the tilt is too small", NotVerified)
    tail = times(law.left_out, tilt_at(law, -(-origin >> PLACES))) / (Fraction(2718, 1000) * (ONE - law.down))
    return law.spacing * (Fraction(total, ONE << PLACES) + tail)
