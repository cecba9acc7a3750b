"""The laws of the privacy losses of mechanisms, enclosed.

A record changes a sum by at most 1 (a vector by a length of 1 for Gaussian noise, whole numbers for discrete noise); or
it is the input of a response.  Names in brackets are statements.
rr: dominates every (eps0, delta0)-DP mechanism (approximate-pair): L is infinite with P-probability delta0, eps0 with
(1 - delta0) / (1 + e^-eps0), else -eps0.  discrete-laplace: the same with eps0 = 1/scale (discrete-noise).
krr: the true one of ``outputs`` symbols is e^eps0 times as likely as each other one.
gaussian: L is normal with the mean v/2 and the variance v = 1/sigma^2; variances add up (gaussian-noise).
laplace: with a = 1/scale and -a <= t < a, P(L > t) = 1 - e^((t-a)/2) / 2 and Q(L > t) = e^((-t-a)/2) / 2
(laplace-noise).
discrete-gaussian: L = (1 - 2k) / (2 sigma^2) where k has P-probability proportional to e^(-k^2 / (2 sigma^2)).
In all of these, -L is under Q what L is under P.
``rate`` r < 1: each record is in a sample with probability r, drawn anew in each run, and one record is removed from
all runs or added to all: ((1-r) Q + r P, Q), or the reverse, dominates (poisson-sampling).  With s(t) = ln((e^t - 1 +
r) / r) the loss of the first pair is above t where L > s(t), that of the reverse where L < s(-t), which has the
Q-probability P(L > -s(-t)) and the P-probability Q(L > -s(-t)).  The worse of both counts.
fixed-size-gaussian: a share ``rate`` is sampled without replacement, and one record is replaced, by which a sampled sum
changes by at most 1; the curve is at most that of the first pair from epsilon = 0 on and that of the reverse below
(fixed-size-sampling).  The two agree at 0; what the two laws leave of P and Q has the loss 0.  As a record is replaced
here, and removed or added above, the two kinds of samples do not stand in one claim.
``releases`` k: one sample serves k runs with Gaussian noise, each free to depend on earlier outputs.  Given that the
record is in the sample they are k runs of Gaussian noise, v = k/sigma^2, whose pair is then that of a sample.
replaced-gaussian: ((1-r) N(0) + r N(1), (1-r) N(0) + r N(-1)) dominates if a record is replaced whose vectors have a
length of at most 1, with the deviation 1/sqrt(v) (poisson-replacement).  With s = sqrt(v) and y = e^(s z), the loss at
an output z / s is log of (1 - r + r D y) / (1 - r + r D / y), D = e^(-v/2).  It increases in z, and its sign is that
of z; it is t > 0 where r D y^2 - (1-r) (e^t - 1) y - r D e^t = 0, which has one positive root.
"""

from bisect import bisect_left
from collections.abc import Callable
from fractions import Fraction
from math import expm1, log1p
from typing import NamedTuple

from .directed_decimals import (
    EXACT,
    HALF,
    UNIT,
    UP,
    ZERO,
    Ends,
    between,
    ends,
    exp_of,
    log_ends,
    normal_tail,
    sqrt_ends,
)
from .discrete_weights import weights_of


class Law(NamedTuple):
    """The law of one loss L.

    ``tails`` returns Ends of P(L > t) and of Q(L > t) that hold for every t between two rational numbers; ``atoms``
    are losses at which it is better to cut, in any order.  ``attained``: its mechanism certainly attains the curve.
    """

    tails: Callable
    atoms: list
    attained: bool = True


def gaussian(variance):
    """Return the law of a normal loss with this rational variance and half of it as its mean."""
    deviation, half = sqrt_ends(ends(variance)), variance / 2

    def tails(low, high):
        return tuple(normal_tail(between(low + move, high + move) / deviation) for move in (-half, half))

    return Law(tails, [])


def replaced_gaussian(variance, rate):
    """Return the law of Gaussian noise of this v on samples of this rate, an exact decimal, for a record replaced."""
    s, share, rest = sqrt_ends(ends(variance)), exp_of(-variance / 2) * rate, EXACT.subtract(UNIT, rate)

    def place(t):
        """Return Ends of the z where the loss is t >= 0."""
        if t == 0:
            return Ends(ZERO, ZERO)
        x = exp_of(t)
        linear = (x - UNIT).at_least(ZERO) * rest
        y = (linear + sqrt_ends(linear * linear + x * share * share * 4)) / (share * 2)
        return log_ends(y.at_least(UNIT)).at_least(ZERO) / s

    def tails_at(t):
        z = place(abs(t)) if t >= 0 else -place(abs(t))
        middle = normal_tail(z)
        return tuple(normal_tail(moved) * rate + middle * rest for moved in (z - s, z + s))

    return Law(monotone(tails_at), [])


def monotone(tails_at):
    """Return what encloses tails between two losses, from what does so at one: tails fall."""

    def tails(low, high):
        if low == high:
            return tails_at(low)
        return tuple(Ends(b.lower, a.upper) for a, b in zip(tails_at(low), tails_at(high), strict=True))

    return tails


def steps(losses, p, q, infinite=(ZERO, ZERO), missing=ZERO):
    """Return the law of finitely many losses, which fall, with Ends of their masses under P and Q.

    ``infinite``: Ends of the P-mass at infinity.  ``missing``: an upper bound of what is left out of either law at
    losses below the last, and of Q at losses above the first.
    """
    sums = [Ends(*infinite)], [Ends(ZERO, missing)]
    for masses, rows in zip((p, q), sums, strict=True):
        for mass in masses:
            rows.append(rows[-1] + mass)
        rows[-1] += ZERO, missing
    negative = [-loss for loss in losses]

    def tails(low, high):
        # The number of losses above t is that of negative ones below -t.
        few, many = bisect_left(negative, -high), bisect_left(negative, -low)
        return tuple(Ends(rows[few][0], min(UNIT, rows[many][1])) for rows in sums)

    return Law(tails, losses)


def response(eps0, delta0=ZERO):
    """Return the law of (eps0, delta0)-randomized response."""
    rest = EXACT.subtract(UNIT, delta0)
    likely = rest / (exp_of(-eps0) + UNIT)
    other = (rest - likely).at_least(ZERO)
    return steps([eps0, -eps0], [likely, other], [other, likely], (delta0, delta0))


def k_ary_response(eps0, outputs):
    """Return the law of two inputs of K-ary randomized response."""
    x = exp_of(eps0)
    one, most = UNIT / (x + (outputs - 1)), x / (x + (outputs - 1))
    rest = one * (outputs - 2)
    return steps([eps0, Fraction(0), -eps0], [most, rest, one], [one, rest, most])


def laplace(scale):
    """Return the law of Laplace noise."""
    largest = 1 / scale

    def tails_at(t):
        if t >= largest:
            return Ends(ZERO, ZERO), Ends(ZERO, ZERO)
        if t < -largest:
            return Ends(UNIT, UNIT), Ends(UNIT, UNIT)
        return UNIT - exp_of((t - largest) / 2) * HALF, exp_of((-t - largest) / 2) * HALF

    return Law(monotone(tails_at), [largest, -largest])


def discrete_gaussian(sigma):
    """Return the law of discrete Gaussian noise; the losses of the integers from -last to last + 1 are its atoms."""
    weights, beyond = weights_of(sigma)
    last, double, more = len(weights) - 2, 2 * sigma**2, UP.add(weights[-1].upper, beyond)
    total = sum(weights[abs(k)] for k in range(-last, last + 1)) + (ZERO, UP.multiply(more, 2))
    masses = [weight / total for weight in weights]
    missing = UP.divide(more, total.lower)
    places = range(-last, last + 2)
    p, q = [masses[abs(k)] for k in places], [masses[abs(k - 1)] for k in places]
    return steps([(1 - 2 * k) / double for k in places], p, q, (ZERO, missing), missing)


def sample(law, rate, direction):
    """Return the law for a record that is in a sample with this probability, and is removed, added or replaced."""
    below = EXACT.subtract(UNIT, rate)

    def threshold(low, high):
        """Return Ends of e^t - 1 + rate and of s(t); s is missing if it might be minus infinity."""
        x = Ends(exp_of(low).lower, exp_of(high).upper) - below
        return x, log_ends(x / rate) if x.lower > 0 else None

    def removal(low, high):
        x, s = threshold(low, high)
        if s is None:
            certain = UNIT if x.upper < 0 else ZERO
            return Ends(certain, UNIT), Ends(certain, UNIT)
        p, q = law.tails(*map(Fraction, s))
        return p * rate + q * below, q

    def addition(low, high):
        x, s = threshold(-high, -low)
        if s is None:  # above the largest loss, or around it
            upper = UNIT if x.upper > 0 else ZERO
            return Ends(ZERO, upper), Ends(ZERO, upper)
        p, q = law.tails(*map(Fraction, -s))
        return p, q * rate + p * below

    def replacement(low, high):
        if low < 0 <= high:
            return tuple(Ends(b.lower, a.upper) for a, b in zip(addition(low, low), removal(high, high), strict=True))
        return removal(low, high) if low >= 0 else addition(low, high)

    losses = [log1p(float(rate) * expm1(min(700.0, float(loss)))) for loss in law.atoms]
    if direction == "removed":
        return Law(removal, [Fraction(loss) for loss in losses])
    return Law(addition if direction == "added" else replacement, [Fraction(-loss) for loss in losses])
