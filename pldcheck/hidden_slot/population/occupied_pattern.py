r"""A pattern of independently occupied slots that bounds the occupied slots of one run, at the price of a factor.

Reveal the slots S that others occupy, and who would answer in each: then the record is taken from an empty slot with
probability p_0/m, from an occupied one with (p_0/m) v(K) (:mod:`pldcheck.hidden_slot.population.slot_occupancy`).  By
joint convexity

.. math:: \delta \le E_S\, h(S), \quad h(S) = \sup E\Big(1 - \kappa
          + \tfrac{p_0}m \big(\sum_{i \notin S} s_i + v(K) \sum_{i \in S} s_i\big)\Big)_+ ,

also if the adversary learns only, at first, how many slots of each block are empty, and the rest slot by slot.

* Let K_1 be so large that K > K_1 hardly happens; v(K) <= v(K_1) otherwise.  With v fixed h increases with every slot
  that is emptied: the adversary can pick one of the empty slots at random, and there take a step shrunk by v, which
  is that of another eps0-DP randomizer.  The same holds if empty slots beyond some number in a block, or altogether,
  are counted as occupied.
* Given E = m - K, S is uniform.  So E h(S) = sum over e of (h(e) - h(e-1)) P(E >= e) <= R E h(E'), E' ~ Bin(m, pi'),
  R = max over e of P(E >= e)/P(E' >= e), at least 1: the slots are empty independently, with probability pi'.
* The case K > K_1, which hardly happens, adds its probability times the answer for n = 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, floor, sqrt

from ...core.directed import enlarge, roundoff
from ...core.roots import halve
from ...kernels.binomial_tails import upper_tail
from .slot_occupancy import Occupancy

# Deviations, and shares of the mean, by which pi' exceeds pi: every choice is sound.
EXCESSES = (0.3, 0.6, 1.0, 1.4, 2.0)
# Spacing, in deviations, of the numbers of empty slots at which tails are compared.
SPACING = 0.1
# Number of empty slots up to which tails are compared at each number.
MOST_FINE = 40


@dataclass(frozen=True)
class Pattern:
    """Slots that are empty independently with probability ``empty``, at the price of a factor ``price``, which is R.

    The other slots are used with ``weight``, which is v.
    """

    empty: float
    price: float


@dataclass(frozen=True)
class LikelyRange:
    """A range of E that holds but for a probability ``outside``; v(K) <= ``weight`` within it."""

    least: int
    most: int
    weight: float
    outside: float


def likely_range(occupancy: Occupancy, tolerance: float) -> LikelyRange:
    """Return numbers of empty slots outside which E lies with a probability of about ``tolerance`` at most."""
    m, pi = occupancy.steps, occupancy.empty
    least, most = floor(m * pi), ceil(m * pi)
    deviation = max(sqrt(m * pi * (1.0 - pi)), 0.05)
    below = _fewest_deviations(lambda t: occupancy.at_most(max(least - ceil(t * deviation), 0) - 1), 0.5 * tolerance)
    above = _fewest_deviations(lambda t: occupancy.at_least(min(most + ceil(t * deviation), m) + 1), 0.5 * tolerance)
    least, most = max(least - ceil(below * deviation), 0), min(most + ceil(above * deviation), m)
    outside = occupancy.at_most(least - 1) + (occupancy.at_least(most + 1) if most < m else 0.0)
    most_occupied = m - least
    weight = occupancy.use_probability(min(most_occupied, occupancy.others)) if most_occupied else 0.5
    return LikelyRange(least, most, weight, min(outside, 1.0))


def _fewest_deviations(chance, goal: float) -> float:
    """Return the deviations, to a tenth, from which on a decreasing probability is at most the goal."""
    if chance(0.0) <= goal:
        return 0.0
    low, high = 0.0, 1.0
    while chance(high) > goal and high < 1e9:
        low, high = high, 2.0 * high
    return halve(lambda deviations: chance(deviations) > goal, low, high, relative=0.05, absolute=0.02)[1]


def patterns(occupancy: Occupancy, empty_range: LikelyRange) -> Iterator[Pattern]:
    """Yield independent patterns with their prices; none is best for every question."""
    m, pi = occupancy.steps, occupancy.empty
    if empty_range.most == 0:
        yield Pattern(0.0, 1.0)
        return
    if empty_range.least == m:
        yield Pattern(1.0, 1.0)
        return
    for excess in EXCESSES:
        empty = min(pi + excess * sqrt(pi * (1.0 - pi) / m) + excess * excess / m, 1.0 - 1e-9)
        yield Pattern(empty, _price(occupancy, empty, empty_range.most))


def _price(occupancy: Occupancy, empty: float, most: int) -> float:
    """Return R: the largest ratio of tails, each number compared with the next larger one of a list."""
    m = occupancy.steps
    mean, step = m * occupancy.empty, max(SPACING * sqrt(m * empty * (1.0 - empty)), 1.0)
    # Chernoff's bound says nothing below the mean; up to there P(E >= e) is taken as 1.
    start = min(max(floor(mean if mean > MOST_FINE**2 else mean - 6.0 * sqrt(mean)), 1), most)
    places = list(range(start, min(start + (1 if mean > MOST_FINE**2 else MOST_FINE), most + 1)))
    while places[-1] < most:
        places.append(min(ceil(places[-1] + step), most))
    price, before = 1.0, 1
    for place in places:
        chance = at_least(m, empty, place)
        tail = occupancy.at_least(before)
        if chance <= 0.0:
            return float("inf")
        price, before = max(price, enlarge(tail / chance, 4)), place + 1
    return price


def at_least(trials: int, p: float, count: int) -> float:
    """Return a lower bound of P(Bin(trials, p) >= count)."""
    q = 1.0 - p
    if count <= 0:
        return 1.0
    if count >= trials * p:
        tail, _, relative, _ = upper_tail(trials, p, q, p / q, float(count))
        return tail * (1.0 - relative - roundoff(16)) if tail > 0.0 else 0.0
    other = trials - count + 1
    tail, _, relative, remainder = upper_tail(trials, q, p, q / p, float(other))
    return max(1.0 - (tail * (1.0 + relative) + remainder) - roundoff(8), 0.0)
