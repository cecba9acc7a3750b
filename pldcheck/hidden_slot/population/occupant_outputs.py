r"""The outputs and laws of a slot that another client may occupy unseen: eleven outputs and fourteen laws suffice.

The randomizer of such a slot meets four records: the dummy, the record d, its replacement d', and the record of the
client who answers if others are in the slot.  An output is described by its four probabilities (g, a, a', b), any two
of which are within a factor x = e^eps0; over all outputs each of them sums to 1.  What the slot adds to the payoff
depends on g, b and the gain a - kappa a' only, and the value of what follows is a convex function f of these three,
homogeneous, non-negative and increasing in the gain (:mod:`pldcheck.hidden_slot.population.hidden_occupants`).

**Extreme laws.**  The cone of (g, a, a', b) within factors x has the extreme rays {1, x}^4 without the two constant
ones: a law on these fourteen outputs is best.  Write such an output as its letters with value x, among G, C (of d),
E (of d') and O; "1" is (1, 1, 1, 1).  Masses w_S sum to 1 for each record if and only if w = y/(x - 1 + sum of y) with
y a fractional partition of the four letters: the y_S of all S with a letter add to 1.  The extreme ones of these
are the minimal balanced collections of four players, 41 in number, whatever x is.

**Outputs with C and E together are not needed**, for 1 <= kappa <= x; beyond, delta = 0.  Their gain is -x(kappa - 1).
Let w be their mass in an extreme law, and n that of the outputs with neither C nor E.

1. *w <= n.*  (g, x, x, b) is (g, 1, x, b) with chance (kappa - 1)/kappa, or (g, 1, 1, b), up to directions in which g,
   b and the gain stay the same: f rises, and the sums of a and a' fall by w(x - 1)(1, 1/kappa).  Now there is a mass
   n + w/kappa of outputs with neither.  Turn shares kappa t of it into (g, x, 1, b) and t into (g, 1, x, b): the gain
   stays on average, f rises, and the sums rise by t(x - 1)(n + w/kappa)(kappa, 1).  With
   t = w/(kappa n + w), which is at most 1/(kappa + 1) as w <= n, the four sums are 1 again.
2. *g = b = 1 at no output.*  On the rays (g, b) = (1, x), (x, 1) every gain from 1 - kappa x to x - kappa is a mean of
   the two ends.  (g, b) is a sum s(1, x) + t(x, 1), s + t = (g + b)/(x + 1), and the gain lies between
   (s + t)(1 - kappa x) and (s + t)(x - kappa): for s + t = 1 by its range, for g = b = x as s + t >= 1 and the gain is
   1 - kappa, x - kappa or 1 - kappa x.  So f is at most that of the four ends, with masses s and t that add to
   1/(x + 1) on each ray and gains that add to 1 - kappa: a mixture of the laws {EO, GC} and {CO, GE}.
3. *The three others* have CE with g = b = 1.  On outputs with g = b let positions be gain/g: E at 1 - kappa x, then CE
   at x - kappa x, and GCO at 1 - kappa/x, C at x - kappa; GEO is at 1/x - kappa, GO at (1 - kappa)/x.  Between two
   ends, the law on these ends with the same mean is best.

   * {CE, GEO, GCO} lies between E and GCO: {E, GCO}.
   * {CE, EO, GE, GCO, GCO}/(3x + 2): let EO and GE be, and for CE and 1/(x + 1) of the mass of one GCO, which
     lie between E and C, put C and x/(x + 1) of E.  The result is a mixture of {EO, C, GE, GCO} and {E, GCO}.
   * {CE, CO, GC, GEO, GEO}/(3x + 2): let CO and GC be, and for CE and 2 GEO put 2 E, GO and (x - 1)/(x + 1) of E and
     GCO: the same sums, nothing between the positions of CE and GEO, since GO and GCO are beyond both and E before.
     A stop-loss with such a law is a line between the two, and is at least theirs at both.  The result is a
     mixture of {E, E, CO, GO, GC} and {E, GCO}.

The constant output "1", which step 1 may leave, is at most any law, as f(1, 1, 1, 1) is then f of a sum.  The extreme
laws without C and E together are the fourteen of ``LAWS``.
"""

from __future__ import annotations

from functools import lru_cache
from math import comb

import numpy as np

from ...core.arrays import Array
from ...kernels.occupant_recursion import write_successors

# The outputs by their letters: those of the records with the larger of two probabilities.  The order is the kernels'.
OUTPUTS = ("O", "E", "EO", "C", "CO", "G", "GO", "GE", "GEO", "GC", "GCO")
# The laws, each by its outputs; an output that stands twice has twice the mass.  The order is the kernels'.
LAWS = (
    *(("E", "GCO"), ("EO", "GC"), ("C", "GEO"), ("CO", "GE")),
    *(("O", "E", "GC"), ("O", "C", "GE"), ("E", "C", "GO"), ("E", "CO", "G"), ("EO", "C", "G")),
    ("O", "E", "C", "G"),
    *(("E", "CO", "GEO", "GC"), ("EO", "C", "GE", "GCO")),
    *(("E", "E", "CO", "GO", "GC"), ("EO", "C", "C", "GO", "GE")),
)
# The outputs of a slot known to be empty, in the same letters: A, B, C, E, F of the hidden slot.
EMPTY_OUTPUTS = ("G", "GC", "C", "E", "GE")


def likelihoods(outputs: tuple[str, ...], letter: str, x: float) -> Array:
    """Return the probability, up to the factor of its law, of each output given the record of that letter."""
    return np.array([x if letter in output else 1.0 for output in outputs])


def place_of_gain(output: str) -> int:
    """Return 0 for an output whose gain is 1 - kappa, 1 for x - kappa, 2 for 1 - kappa x."""
    return 1 if "C" in output else 2 if "E" in output else 0


def multisets(kinds: int, count: int) -> int:
    """Return the number of multisets of ``count`` outputs of so many kinds."""
    return comb(kinds + count - 1, count)


@lru_cache(maxsize=64)
def successors(kinds: int, count: int) -> np.ndarray:
    """Return the ranks of all multisets of ``count`` outputs with one more, a column for each kind."""
    size = kinds + count + 1
    binomials = np.array([[comb(n, k) for k in range(count + 2)] for n in range(size)])
    ranks = np.empty((multisets(kinds, count), kinds), np.int32)
    write_successors(count, binomials, ranks)
    ranks.setflags(write=False)
    return ranks
