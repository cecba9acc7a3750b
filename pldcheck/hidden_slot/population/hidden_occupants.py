r"""Both ends of delta for few slots, where others' records hide which slots are occupied: an exact recursion.

The record's client and N others check in to m slots, and the randomizers see d (or d'), the others' records and the
dummy.  Let S be the slots that others occupy, and o(i) the one of them who answers in slot i of S unless the record's
client does.  Up to its place everything is symmetric in the others: given S, o is a uniform injection, and the chances
that the record is used depend on the size of S only (:mod:`pldcheck.hidden_slot.population.occupant_weights`).

**From below**, all others have one record, other than the dummy.  Outputs of slots then have four probabilities
(g, a, a', b), of the dummy, d, d' and that record, and delta(epsilon) is E over outputs of the positive part of

.. math:: -(\kappa - 1) \sum_S r_S \prod_{i \in S} b_i \prod_{i \notin S} g_i + \sum_i (a_i - \kappa a'_i)
          \sum_{S' \not\ni i} u_{S'} \prod_{j \in S'} b_j \prod_{j \notin S', j \ne i} g_j ,

r_S the probability that the record is nowhere and S is occupied, u_S' that it is used in slot i and the others fill S'
of the other slots.  All sums depend on the multiset of outputs only, and are linear in the outputs of each slot: the
value of what follows a slot is convex, homogeneous, and increasing in the gain a - kappa a'.  So the best adaptive
randomizers are found by backward recursion over multisets, with the outputs and laws of
:mod:`pldcheck.hidden_slot.population.occupant_outputs`.

**From above**, any records of the others.  Reveal a set U of M slots that holds S, and who would answer in each:

* N >= m: U is all slots, and o is extended to a uniform injection of all slots into the others.
* N = 1: U is all slots, and the other client would answer in each.
* Otherwise: M = N, U is uniform among the sets of N slots that hold S, and o is extended to a uniform bijection.

Given all that is revealed S is a uniform subset of U with its number of slots, whose law is unchanged; by joint
convexity delta is at most its average given U and o.  There each slot of U has *one* other record, so the above is the
payoff, and what is not in U is known to be empty, with the three laws of the hidden slot.  Let the randomizers of a
slot depend on what is revealed of the slots up to it, which only helps; of U that is no more than a randomizer of the
protocol, which knows nothing of it, needs.  After s slots of U and t others the next one is in U with probability
(M - s)/(m - s - t), whatever the outputs are, since U has the same law under d and d'.  In the first two cases
no slot is known to be empty, *both ends are one number* but for round-off, and alike others are the worst.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import comb, exp

import numpy as np

from ...core.arrays import Array
from ...core.differences import FUNCTION, one_minus_product, ratio_difference, ratio_minus_one
from ...core.directed import UNIT, Side, float_above, float_below, roundoff
from ...core.interval import UNDERFLOW
from ...kernels.occupant_recursion import add_empty_step, add_step_in_question, write_empty_sums, write_payoffs
from .occupant_outputs import EMPTY_OUTPUTS, OUTPUTS, likelihoods, multisets, place_of_gain, successors
from .occupant_weights import OccupantWeights
from .populated_upper import Population

# Number of states of one recursion, some 50 ns each, beyond which nothing is computed.
MOST_STATES = 10_000_000
# Number of slots beyond which nothing is computed: the tables of successors get large.
MOST_SLOTS = 12
# Number of other clients beyond which nothing is computed: the whole numbers behind the weights get long.
MOST_OTHERS = 200
# Relative error of one step, in units: of x and a quotient (FUNCTION + 2), four sums and a product; of a share, its
# product and a sum (3).  It is doubled.
STEP_ERROR = 2.0 * (FUNCTION + 10.0)
# Relative error of an end beside its steps, in units: of the two operations that charge for them, times eight.
END_ERROR = 16.0
# Error of a payoff, in units of the sizes of its terms, for each slot: of x (FUNCTION), three products and two sums;
# and for two slots more: of the coefficients, the last sums and the sizes.  It is doubled.
PAYOFF_ERROR = 2.0 * (FUNCTION + 5.0)
# The least positive number; a subnormal product loses at most half of it.
SMALLEST = 5e-324


def slots_in_question(population: Population) -> int:
    """Return M, the number of slots that an adversary of the upper end does not know to be empty."""
    others, m = population.clients - 1, population.steps
    return m if others == 1 else min(others, m)


def is_exact(population: Population) -> bool:
    """Return whether both ends are one number but for round-off."""
    return slots_in_question(population) == population.steps


def states(population: Population) -> int:
    """Return the number of states of the larger of the two recursions."""
    m, asked = population.steps, slots_in_question(population)
    return max(_states(m, 0), _states(asked, m - asked))


def _states(asked: int, empty: int) -> int:
    return multisets(len(OUTPUTS) + 1, asked) * multisets(len(EMPTY_OUTPUTS) + 1, empty)


def is_feasible(population: Population) -> bool:
    """Return whether slots and clients are few enough."""
    is_small = population.steps <= MOST_SLOTS and 1 < population.clients <= MOST_OTHERS + 1
    return is_small and states(population) <= MOST_STATES


def delta_lower(population: Population, epsilon: float) -> float:
    """Return a lower bound of delta(epsilon), epsilon below eps0: others alike, and the worst randomizers."""
    value = _value(population, epsilon, population.steps, Side.LOWER)
    units = STEP_ERROR * population.steps + END_ERROR
    # A step has fewer than eight products, and its laws are means: what was lost below the range is not enlarged later.
    lost = 8.0 * population.steps * SMALLEST
    return max((value - lost) * (1.0 - units * UNIT) - SMALLEST, 0.0)


def delta_upper(population: Population, epsilon: float) -> float:
    """Return an upper bound of delta(epsilon), epsilon below eps0, whatever the others' records are."""
    value = _value(population, epsilon, slots_in_question(population), Side.UPPER)
    units = STEP_ERROR * population.steps + END_ERROR
    return min(value * (1.0 + units * UNIT) + UNDERFLOW, 1.0)


@lru_cache(maxsize=64)
def _coefficients(population: Population, asked: int, side: Side) -> tuple[Array, Array, Array]:
    """Return the coefficients of the record that is nowhere, in a slot in question, and in an empty one.

    They are rounded so that the payoff is moved to one side.  Index k is the number of occupied slots beside.
    """
    m = population.steps
    weights = OccupantWeights(m, population.clients - 1, population.check_in_prob)
    # Given U its subsets have so many times the probability that they have as subsets of all slots.
    factors = [Fraction(comb(m, k), comb(asked, k)) for k in range(asked + 1)]
    nowhere = [factors[k] * weights.not_used(k) for k in range(asked + 1)]
    used = [factors[k] * weights.used_alone(k) + factors[k + 1] * weights.used_among_others(k) for k in range(asked)]
    beside = [factors[k] * weights.used_alone(k) for k in range(asked + 1)]
    toward, against = (float_above, float_below) if side is Side.UPPER else (float_below, float_above)
    return (
        np.array([max(against(one), 0.0) for one in nowhere]),
        np.array([toward(one) for one in used]),
        np.array([toward(one) for one in beside]),
    )


def gains(outputs: tuple[str, ...], eps0: float, epsilon: float, side: Side) -> Array:
    """Return a - kappa a' of outputs, rounded to one side."""
    three = (
        ratio_minus_one(epsilon).times(-1.0),  # 1 - kappa
        ratio_difference(eps0, epsilon),  # x - kappa
        one_minus_product(eps0, epsilon),  # 1 - kappa x
    )
    ends = [float(near.upper if side is Side.UPPER else near.lower) for near in three]
    return np.array([ends[place_of_gain(output)] for output in outputs])


def _payoffs(population: Population, epsilon: float, asked: int, side: Side) -> Array:
    """Return the payoffs after all slots, rounded to one side."""
    eps0, empty = population.eps0, population.steps - asked
    x, kappa_1 = exp(eps0), ratio_minus_one(epsilon)
    size = multisets(len(EMPTY_OUTPUTS), empty)
    products, sums, sizes = np.empty(size), np.empty(size), np.empty(size)
    write_empty_sums(
        empty, likelihoods(EMPTY_OUTPUTS, "G", x), gains(EMPTY_OUTPUTS, eps0, epsilon, side), products, sums, sizes
    )
    values = np.empty((multisets(len(OUTPUTS), asked), size))
    write_payoffs(
        asked,
        likelihoods(OUTPUTS, "G", x),
        likelihoods(OUTPUTS, "O", x),
        gains(OUTPUTS, eps0, epsilon, side),
        max(float(kappa_1.lower if side is Side.UPPER else kappa_1.upper), 0.0),
        *_coefficients(population, asked, side),
        products,
        sums,
        sizes,
        side.sign * roundoff(PAYOFF_ERROR * (population.steps + 2.0)),
        values,
    )
    return values


def _value(population: Population, epsilon: float, asked: int, side: Side) -> float:
    """Return the value of the best adaptive randomizers; after the payoffs only sums of non-negative terms follow."""
    x, empty = exp(population.eps0), population.steps - asked
    # By the number of empty slots behind, the values after the present number of slots in question.
    values = [_payoffs(population, epsilon, asked, side)] * (empty + 1)
    for behind in range(asked, -1, -1):
        for empty_behind in range(empty, -1, -1):
            left, empty_left = asked - behind, empty - empty_behind
            if left + empty_left == 0:
                continue
            mean = np.zeros((multisets(len(OUTPUTS), behind), multisets(len(EMPTY_OUTPUTS), empty_behind)))
            if left:
                share, next_ones = left / (left + empty_left), successors(len(OUTPUTS), behind)
                add_step_in_question(values[empty_behind], next_ones, x, share, mean)
            if empty_left:
                share, next_ones = empty_left / (left + empty_left), successors(len(EMPTY_OUTPUTS), empty_behind)
                add_empty_step(values[empty_behind + 1], next_ones, x, share, mean)
            values[empty_behind] = mean
    return float(values[0][0, 0])
