"""The loss of one run of hidden slots, from the sum of its steps.

A record is in one of n slots, chosen uniformly, and is used there with probability w.

**1. One run.**  Under the law of the references the run has the likelihood ratio R = 1 + (w/n) sum_i (a_i - 1) of the
record to none.  With X = a - 1 for a record that is removed, X = 1 - a for one that is added, step_lattice.py
computes a measure of numbers y, of masses m(y), and an excess e such that, whatever the references are,

    E (u + sum_i X_i)_+  <=  sum of m(y) (u + y)_+  +  e   for every real u.

(kappa, which multiplies X = kappa (1 - a) there, is 1 here.)  Let c = w/n.  For every kappa > 0 the curves of the run
are, for a record that is removed and for one that is added,

    E (R - kappa)_+      =  E (1 - kappa + c sum_i X_i)_+            <=  sum of m(y) (1 + c y - kappa)_+  +  c e,
    E (1 - kappa R)_+  =  E (1 - kappa + kappa c sum_i X_i)_+  <=  sum of m(y) (1 - kappa (1 - c y))_+  +  kappa c e.

**2. A pair.**  The first sum is the curve of a P-mass p = m (1 + c y) and a Q-mass q = m at each y where 1 + c y > 0;
elsewhere it adds nothing.  The second one is that of p = m and q = m (1 - c y); where that is negative, y goes down to
1/c, so that q = 0, and m (y - 1/c) is added to e, as the second sum is then the same.  The loss of a mass is log(p/q),
which is infinite where q = 0.  At some losses z_0 < ... < z_n, multiples of ``width``:
(a) p is raised, or a mass goes to a larger loss or to infinity, p being kept: no curve falls;
(b) what is in [z_i, z_{i+1}] goes to its ends so that p and q are kept: loss_lattice.py says why, and by which shares.
What may be above z_i, as p > q r for a lower bound r of e^(z_i), is counted in the cell from z_i on.  If it is below
z_i by round-off, then the cell begins at log r: as shares are rounded up, they are no less than those of such a cell,
and what goes to its lower end goes on up to z_i.  What is below z_0 goes there; what may be above z_n becomes infinite.
The excess: c e of P-mass at infinity is all of it for a record that is removed.  For one that is added, K = e^(z_n):
at kappa <= K the excess is at most K c e, and at kappa > K the curve, which falls, is at most its value at K, where all
that is not yet infinite adds 0.  So K c e of P-mass at infinity is enough at every kappa.
"""

from fractions import Fraction
from itertools import pairwise
from math import ceil, log
from typing import NamedTuple

from . import loss_lattice
from .claim_files import require
from .directed_decimals import Ends, exp_of

# A place is surely above a loss that is so much smaller, over ``width``, in floating point.
BEYOND = 1e-6


class Masses(NamedTuple):
    """P-masses and Q-masses over ``whole``, in pairs, in the order of their losses, and the P-mass at infinity.

    The last one is ``infinite`` for a record that is removed, and e^(z_n) times that for one that is added.
    """

    pairs: list
    whole: int
    infinite: Fraction


def masses_of(law, share, change, fine):
    """Return the Masses of a run, from the law of its sum; ``share`` is w/n."""
    unit = share * fine.width * 2**law.level
    pairs, excess = [], 0
    for k, mass in enumerate(law.masses, law.first):
        ratio = unit.denominator + (k if change == "removed" else -k) * unit.numerator
        if change == "removed":
            p, q = max(0, ratio), unit.denominator
        else:
            p, q = unit.denominator, max(0, ratio)
            excess += mass * max(0, -ratio)
        if mass * p:
            pairs.append((mass * p, mass * q))
    whole = fine.one * unit.denominator
    return Masses(pairs, whole, share * fine.width * Fraction(law.excess, fine.one) + Fraction(excess, whole))


def places_of(masses, fine):
    """Return the whole numbers k at whose losses k ``width`` the masses are cut; any are allowed."""
    most = Fraction(fine.cut * masses.whole, fine.one)

    def place(pairs):
        """Return about the loss, over ``width``, of the first mass before which there is more than the cut."""
        total = 0
        for p, q in pairs:
            total += p
            if total > most and q > 0:
                return (log(p) - log(q)) / float(fine.width)
        return 0.0

    low, high = place(masses.pairs), place(masses.pairs[::-1])
    walk = loss_lattice.cuts([], fine.width, fine)
    inner = [k for k in walk if low < k < high]
    return sorted({*[k for k in walk if k <= low][-1:], *inner, *[k for k in walk if k >= max(low, high) + BEYOND][:1]})


def lattice_law(masses, change, fine):
    """Return a lattice law whose curve is nowhere below that of some Masses."""
    places = places_of(masses, fine)
    require(places, "no place of the lattice of losses is among the losses of a run")
    edges = [exp_of(k * fine.width) for k in places]
    edges = [Ends(Fraction(low), Fraction(high)) for low, high in edges]
    cells = [[0, 0] for _ in places]
    lowest = infinite = i = 0
    for p, q in masses.pairs:
        # The losses rise: the last place that this one may be above.
        while i < len(places) and p > edges[i].lower * q:
            i += 1
        if i == 0:
            lowest += p
        elif i == len(places):
            infinite += p
        else:
            cells[i - 1][0] += p
            cells[i - 1][1] += q
    scale = Fraction(fine.one, masses.whole)
    lattice = [0] * (places[-1] - places[0] + 1)
    lattice[0] = ceil(lowest * scale)
    for (a, b), (low, high), (p, q) in zip(pairwise(places), pairwise(edges), cells, strict=False):
        fall, rise = exp_of((a - b) * fine.width)[1], exp_of((b - a) * fine.width)[0]
        lattice[b - places[0]] += max(0, ceil((p - q * low.lower) / (1 - Fraction(fall)) * scale))
        lattice[a - places[0]] += max(0, ceil((q * high.upper - p) / (Fraction(rise) - 1) * scale))
    excess = masses.infinite * (1 if change == "removed" else edges[-1].upper)
    infinity = ceil(infinite * scale + excess * fine.one)
    return loss_lattice.trim(loss_lattice.Lattice(lattice, places[0], infinity, 0), fine)
