"""The curves of a step with noise, enclosed.

A step has the likelihood ratios a and b of its output on the record and on its replacement against the reference, and
X = (a - 1) - kappa (b - 1).  A record that is removed has b = 1, one that is added has a = 1.  C(x), the curve, is the
largest E (X - x)_+ over all references.

**Vectors of length at most 1, with Gaussian noise** (gaussian-vectors, same-slot; s = 1/sigma, or sqrt(passes)/sigma).
A shorter one has a conditional expectation of the ratio A = e^(s Z - s^2/2) of the longest; one that is replaced has
the ratios A and B = e^(-s Z - s^2/2) of opposite vectors, as (a - 1) - kappa (b - 1) is largest in convex order for
countermonotone ratios (Tchen 1980).  X increases in Z: with the z where X = x, and 1 for a or b where it is constant,
C(x) = P(Z > z - s) - kappa P(Z > z + s) - (x - constant) P(Z > z).

**A pair (P, Q) that dominates the laws of every two records** (slot-pair).  For a record that is removed C is that of
X = A - 1, for one that is added that of X = kappa (1 - A), with the density A of P with respect to Q; for one that is
replaced it is the larger of both.  With h(k) = E (A - k)_+, C(x) is h(1 + x), and kappa (h(k) + k - 1) with k = 1 -
x/kappa, as E (k - A)_+ = h(k) + k - 1.  For k <= 0 h(k) = 1 - k.
Gaussian noise (gaussian-noise), records at most a distance 1 apart: the two C are those of vectors.
Laplace noise of scale 1/eps0 on [0, 1] (laplace-noise): h(k) is 1 - sqrt(k) e^(-eps0/2) for e^-eps0 <= k <= e^eps0, 1
- k below and 0 above, which is the largest of the three for every k >= 0.
Discrete Gaussian noise on 0 and 1: A = e^((2j - 1) / (2 sigma^2)) at the integer j, of which Q has a share proportional
to e^(-j^2 / (2 sigma^2)), and P has that of j - 1.  Let S(t) be the Q-probability of all j >= t.  h(k) is the largest
S(t - 1) - k S(t) over integers t: the one with A > k from t on, so t is the least integer above sigma^2 ln(k) + 1/2.
With a record replaced, the laws of X with it removed and with it added are all choices of a step (chosen-slots).
"""

from collections.abc import Callable
from fractions import Fraction
from math import floor
from typing import NamedTuple

from .directed_decimals import HALF, UNIT, ZERO, Ends, ends, exp_of, log_ends, normal_tail, sqrt_ends
from .discrete_weights import weights_of

# Integers at most so far from the middle are places of discrete Gaussian noise at which it is better to cut.
MOST_ATOMS = 40


class Step(NamedTuple):
    """The law of one step.

    ``curve`` returns Ends of C(x), ``atoms`` are places at which it is better to cut.  ``choices`` are steps of one
    reference each that dominate those of all references in convex order; there are none where these are not known.
    """

    curve: Callable
    atoms: list
    choices: tuple = ()


def gaussian(variance, kappa, change):
    """Return the step of Gaussian noise, whose ``variance`` is s^2.

    X = up e^(s z - s^2/2) - down e^(-s z - s^2/2) + constant increases in z.
    """
    s, half = sqrt_ends(ends(variance)), ends(variance / 2)
    up, down = int(change != "added"), kappa if change != "removed" else 0
    constant = Fraction(down) - up
    four = exp_of(-variance) * down * 4

    def logarithm_at(w):
        """Return Ends of s z - s^2/2 where X - constant is w; None where X is above it for all z."""
        exact = ends(w)
        if not down:
            return log_ends(exact) if w > 0 else None
        root = sqrt_ends(exact * exact + four)
        if w >= 0:  # e^(s z - s^2/2) is the larger root of a^2 - w a = kappa e^(-s^2)
            return log_ends((root + exact) * HALF)
        return log_ends(four * HALF / (root - exact))

    def place(w):
        """Return Ends of the z where X - constant is w; None where X is above it for all z."""
        if not up:
            return -((log_ends(ends(-w / Fraction(down))) + half) / s)
        logarithm = logarithm_at(w)
        return None if logarithm is None else (logarithm + half) / s

    def curve(x):
        w = x - constant
        if not up and w >= 0:
            return Ends(ZERO, ZERO)
        z = place(w)
        if z is None:
            return ends(-x)
        total = normal_tail(z) * ends(-w)
        total += normal_tail(z - s) if up else ZERO
        total -= normal_tail(z + s) * down if down else ZERO
        return total.at_least(ZERO)

    return Step(curve, [])


def of_pair(above, places, kappa, change):
    """Return the step of a pair; ``above`` returns Ends of h(k) for k > 0, ``places`` are some values of A."""

    def curve(x):
        if change == "removed":
            return tail(1 + x)
        k = 1 - x / Fraction(kappa)
        return (tail(k) + ends(k - 1)).at_least(ZERO) * kappa

    def tail(k):
        return ends(1 - k) if k <= 0 else above(k)

    if change == "removed":
        return Step(curve, [place - 1 for place in places])
    return Step(curve, [Fraction(kappa) * (1 - place) for place in places])


def laplace(eps0, kappa, change):
    """Return the step of Laplace noise for a record that is removed or added."""
    root = exp_of(-eps0 / 2)

    def above(k):
        return Ends(*map(max, ends(1 - k), UNIT - sqrt_ends(ends(k)) * root)).at_least(ZERO)

    return of_pair(above, [Fraction(exp_of(loss)[0]) for loss in (eps0, -eps0)], kappa, change)


def discrete_gaussian(sigma, kappa, change):
    """Return the step of discrete Gaussian noise for a record that is removed or added."""
    weights, more = weights_of(sigma)
    double, last = 2 * sigma**2, len(weights) - 1
    sums = [Ends(ZERO, more)]  # of the weights from last + 1 on, from last on, ...
    for weight in reversed(weights):
        sums.append(sums[-1] + weight)
    whole = sums[-1] + sums[-2]

    def share(t):
        """Return Ends of S(t)."""
        if t <= 0:
            return UNIT - share(1 - t)
        return sums[max(0, last + 1 - t)] / whole

    def above(k):
        exact = ends(k)
        # With 1 added, a logarithm next to 0 has no more digits than another one.
        least, most = (floor(sigma**2 * (Fraction(log) - 1) + Fraction(1, 2)) for log in log_ends(exact) + UNIT)
        found = [share(t - 1) - exact * share(t) for t in range(least + 1, most + 2)]
        return Ends(*map(max, zip(*found, strict=True))).at_least(ZERO)

    places = [Fraction(exp_of((2 * j - 1) / double)[0]) for j in range(1 - MOST_ATOMS, MOST_ATOMS + 1)]
    return of_pair(above, places, kappa, change)


def larger(steps):
    """Return the step whose curve is at each place the larger one of those of some steps."""

    def curve(x):
        return Ends(*map(max, zip(*(step.curve(x) for step in steps), strict=True)))

    return Step(curve, [atom for step in steps for atom in step.atoms])


def worst_of(choices):
    """Return the step of any reference, where these are the steps that dominate those of all references."""
    return larger(choices)._replace(choices=tuple(choices))
