"""The cost of shuffling with one client fewer, every rounding upward.

Let kappa + zeta be at most e^epsilon, and nu from 0 to 1.  By one-client-fewer, shuffling n clients is (epsilon,
delta)-DP if delta* + tau <= delta for a hidden slot of n - 1 slots and this kappa.  With c1 and c2 messages of two
kinds, which are multinomial of n - 3 with the chances 4/5 / (x + 1) and 3/5 p, p = 1/x, tau is the mean of

    sum over k and l of q_1(k) q_2(l) (rho_1(k) ((1 - nu) f rho_2(l) + nu) - zeta)_+,  f = 1.

Clients who all run one known randomizer have its delta* by known-client-fewer.  Then x is at least the largest ratio of
two probabilities of one output, f = 1 - 1/M for M inputs of different laws, and p may be the least, over outputs, of
the smallest probability over the mean of those of the two inputs on which it is largest; 2/(x + 1) for a response.  The
first chance may be 2/5 p, where that is more.

Let b be the masses of a binomial of as many trials as is said, with chance 1/2.  Then

    q_1(k) = 2 b(k) (k + x (c1 + 1 - k)) / ((x + 1) (c1 + 1)),  of c1 + 1 trials,
    rho_1(k) = ((x - kappa) k - (kappa x - 1) (c1 + 1 - k)) / (k + x (c1 + 1 - k)),
    q_2(l) = 2 b(l) w(l) / ((x + 1)^2 (c2 + 1) (c2 + 2)),  w(l) = (x^2 + 1) o(l) + 2 x t(l),  of c2 + 2 trials,
    rho_2(l) = (x - 1)^2 (o(l) - t(l)) / w(l),  o(l) = 2 l (c2 + 2 - l),  t(l) = l (l - 1) + (c2 + 2 - l) (c2 + 1 - l).

rho_1 is a quotient from 1/x to x minus kappa, so it is at most the larger of x and kappa; rho_2 and its mean with 1 are
at most x in size, and q_1 and q_2 at most twice b.  Only terms in which rho_1 and that mean have one sign are positive.
The sum rises with f: it is convex in f, and has no slope at 0, as the rho_2 q_2 add up to 0.  It falls as c1
or c2 grow: ``others`` of the n - 3 are enough, chances may be rounded down, and of a cell of numbers the smallest is
taken.  Given c1, c2 is binomial, with the fewer trials the larger c1 is; binomial_masses.py rounds masses up.
"""

from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, isqrt

from .binomial_masses import CHANCE, binomial
from .claim_files import NotVerified, require, spend
from .fixed_point import BITS, ONE, PLACES

# The largest number of places of one binomial.
MOST_PLACES = 1_000_000
# The largest product of the numbers of pairs of cells and of places in each.
MOST_PAIRS = 50_000_000
# The places of such a pair for which a core takes a second.
PAIRS = 1_000_000
# More places of messages of the second kind are not held; each takes 144 bytes, all 1.5 GB.
MOST_KEPT = 10_000_000
# The largest number of clients beside three.
MOST_OTHERS = 10**15
# The bits by which masses are shifted where their eighth roots are needed.
ROOT_BITS = 160
# The share of the blanket that is given to the densities of the record.
OF_RECORD = Fraction(2, 5)
# The keys of the fineness of what one client fewer costs, and the ranges of the integers among them.
SHUFFLED = {"others": (0, MOST_OTHERS), "cells": (1, 1000), "outside": (2, 150)}
# Its other keys, decimal texts from 0 to these numbers.
SHARES = {"zeta": 10**9, "nu": 1}


def first_kind(c, x, kappa, cut):
    """Return pairs of |rho_1(k)| and q_1(k), those with positive rho_1 and the others, and what is left out."""
    coins, one = binomial(c + 1, CHANCE // 2, cut, MOST_PLACES), 1 << PLACES
    signs = [], []
    for k, mass in enumerate(coins.masses, coins.low):
        weight = k * one + (c + 1 - k) * x
        gain = (x - kappa) * one * k - (kappa * x - one * one) * (c + 1 - k)
        signs[gain < 0].append((-(-abs(gain) // weight), -(-2 * mass * weight // ((x + one) * (c + 1)))))
    return *signs, coins.rest


def second_kind(c, x, cut, nu, factor=Fraction(1)):
    """Return pairs of |(1 - nu) f rho_2(l) + nu| and q_2(l), those of a positive one first, and what is left out."""
    coins, one = binomial(c + 2, CHANCE // 2, cut, MOST_PLACES), 1 << PLACES
    signs = [], []
    for k, mass in enumerate(coins.masses, coins.low):
        different, same = 2 * k * (c + 2 - k), k * (k - 1) + (c + 2 - k) * (c + 1 - k)
        weight, gain = (x * x + one * one) * different + 2 * x * one * same, different - same
        share = -(-2 * mass * weight // ((x + one) ** 2 * (c + 1) * (c + 2)))
        whole = factor.denominator * weight
        mean = (one - nu) * factor.numerator * (x - one) ** 2 * gain + nu * whole
        signs[mean < 0].append((-(-abs(mean) // whole), share))
    return *signs, coins.rest


class SecondKinds:
    """Laws by ``second_kind`` for ever more numbers c; all are dropped when they have more than MOST_KEPT places."""

    def __init__(self, *shape):
        self.shape, self.laws, self.places = shape, {}, 0

    def law(self, c):
        """Return what ``second_kind`` returns for c."""
        if c not in self.laws:
            law = second_kind(c, *self.shape)
            places = sum(map(len, law[:2]))
            if self.places + places > MOST_KEPT:
                self.laws, self.places = {}, 0
            self.laws[c], self.places = law, self.places + places
        return self.laws[c]


@lru_cache(maxsize=1)
def second_kinds(x, cut, nu, factor):
    """Return the SecondKinds of these numbers, the same for all points of a curve with the same cut."""
    return SecondKinds(x, cut, nu, factor)


def positive_parts(first, second, zeta):
    """Return the sum of p q (r s - zeta)_+ over (r, p) of the first and (s, q) of the second, times ONE, rounded up."""
    second, taken, total, gains, shares = sorted(second, reverse=True), 0, 0, 0, 0
    for r, p in sorted(first):
        while taken < len(second) and r * second[taken][0] > zeta << PLACES:
            s, q = second[taken]
            taken, gains, shares = taken + 1, gains + q * s, shares + q
        total += p * (r * gains - (zeta * shares << PLACES))
    return -(-total >> BITS + 2 * PLACES)


def cells_of(law, count):
    """Yield the lowest and the highest place of at most ``count`` cells of a Binomial with their masses, from above.

    Any cells will do.  Those with equal sums of eighth roots of masses are narrow where most of the mass is, and not
    too wide in the tails, which matter where delta is small.
    """
    weights = [isqrt(isqrt(isqrt(mass << ROOT_BITS))) for mass in law.masses]
    end, weight = len(weights), 0
    share = -(-sum(weights) // count) if count < end else 0
    for start in range(len(weights))[::-1]:
        weight += weights[start]
        if weight >= share or start == 0:
            yield law.low + start, law.low + end - 1, sum(law.masses[start:end])
            weight, end = 0, start


def tau_upper(x, kappa, fine, part=None, factor=Fraction(1)):
    """Return an upper bound of tau; x and kappa are times 2^PLACES, ``part`` is p and ``factor`` f."""
    part = Fraction(1 << PLACES, x) if part is None else part
    others, cells, cut = fine["others"], fine["cells"], fine["outside"]
    zeta, nu = (floor(fine[name] * 2**PLACES) for name in SHARES)
    record = max(part, Fraction(2 << PLACES, x + (1 << PLACES)))
    of_first, of_second = floor(OF_RECORD * record * CHANCE), floor((1 - OF_RECORD) * part * CHANCE)
    first, second = {}, second_kinds(x, cut, nu, factor)
    law = binomial(others, of_first, cut, MOST_PLACES)
    # No term is more than this times its probability.
    total, most = 0, ceil(Fraction(max(x, kappa) * x, 1 << 2 * PLACES))
    left_out = law.rest * ONE
    for c1, highest, chance in cells_of(law, cells):
        # All messages may be of the two kinds; a chance may be rounded down.
        of_rest = min(of_second * CHANCE // (CHANCE - of_first), CHANCE - 1)
        rest = binomial(others - highest, of_rest, cut, MOST_PLACES)
        left_out += chance * rest.rest
        for c2, _, probability in cells_of(rest, cells):
            if c1 not in first:
                first[c1] = first_kind(c1, x, kappa, cut)
            (up, down, out), (near, far, outside) = first[c1], second.law(c2)
            pairs = (len(up) + len(down) + len(near) + len(far)) * min(cells, len(law.masses)) ** 2
            require(pairs <= MOST_PAIRS, "it takes more than the largest amount of work")
            spend((len(up) + len(down) + len(near) + len(far)) / PAIRS)
            total += chance * probability * (positive_parts(up, near, zeta) + positive_parts(down, far, zeta))
            left_out -= -chance * probability * 2 * (out + outside) // ONE
    return Fraction(total + most * left_out * ONE, ONE**3)


def one_client_fewer(slot, fine):
    """Return the claim about a hidden slot from which one about shuffling with as many clients as steps follows."""
    require(fine["others"] <= slot.steps - 3, "there must be 3 clients more than others")
    x, kappa = ceil(slot.x * 2**PLACES), floor((slot.kappa - fine["zeta"]) * 2**PLACES)
    require(kappa >= 1 << PLACES, "zeta is too large", NotVerified)
    tau = tau_upper(x, kappa, fine, slot.part, slot.factor)
    require(tau < slot.delta, "tau is not below delta", NotVerified)
    return slot._replace(
        steps=slot.steps - 1,
        x=Fraction(x, 1 << PLACES),
        kappa=Fraction(kappa, 1 << PLACES),
        delta=slot.delta - tau,
    )
