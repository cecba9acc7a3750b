r"""Upper end of delta for as many clients as slots: less is revealed than a slot that is empty.

In :mod:`pldcheck.hidden_slot.population.hidden_occupants` the m - 1 others of m clients leave one slot that is revealed
to be empty.  Instead, reveal two slots that are not both occupied by others: given S and who answers, o, take a uniform
pair of slots of which one at least is not in S, and extend o to a uniform bijection from the pair, as one place, and
the m - 2 other slots to the others.  So each slot has one other record, and given all that is revealed S is a uniform
set with its number of slots, among those without both slots of the pair: a set of K slots has

.. math:: \binom mK \Big/ \Big(\binom{m - 2}K + 2 \binom{m - 2}{K - 1}\Big)

times its probability.  The pair itself is uniform, under d as under d', and let it be learnt when its second slot
comes: after t slots without it each of them is paired with the next one with probability
:math:`1/(\binom m2 - \binom t2)`.  The outputs and laws of a slot are those of
:mod:`pldcheck.hidden_slot.population.occupant_outputs`.  Neither bound is always the smaller one.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import comb, exp

import numpy as np

from ...core.arrays import Array
from ...core.differences import ratio_minus_one
from ...core.directed import UNIT, Side, float_above, float_below, roundoff
from ...core.interval import UNDERFLOW
from ...kernels.occupant_recursion import add_step_in_question
from ...kernels.paired_slots import add_pairing_step, write_pair_polynomials, write_paired_payoffs
from .hidden_occupants import END_ERROR, PAYOFF_ERROR, STEP_ERROR, gains
from .occupant_outputs import OUTPUTS, likelihoods, multisets, successors
from .occupant_weights import OccupantWeights
from .populated_upper import Population

# Number of slots beyond which nothing is computed: 3 million payoffs.
MOST_SLOTS = 10
# The number of outputs.
KINDS = len(OUTPUTS)
# The number of pairs of outputs, whose order does not matter.
PAIRS = multisets(KINDS, 2)


def is_feasible(population: Population) -> bool:
    """Return whether there are as many clients as slots, and few."""
    return 3 <= population.steps == population.clients <= MOST_SLOTS


def delta_upper(population: Population, epsilon: float) -> float:
    """Return an upper bound of delta(epsilon), epsilon below eps0, whatever the others' records are."""
    m, x = population.steps, exp(population.eps0)
    paired = _payoffs(population, epsilon)
    opened = np.zeros((multisets(KINDS, m), 1))
    binomials = np.array([[comb(n, k) for k in range(m + 1)] for n in range(KINDS + m)])
    for count in range(m - 1, -1, -1):
        # ``paired``: after the pair and count - 1 others; ``opened``: after count + 1 slots without the pair.
        before = np.zeros((multisets(KINDS, count), 1))
        left = comb(m, 2) - comb(count, 2)
        if count < m - 1:
            add_step_in_question(opened, successors(KINDS, count), x, (left - count) / left, before)
        if count:
            add_pairing_step(count, paired, binomials, x, 1.0 / left, before)
        opened = before
        if count > 1:
            earlier = np.zeros((multisets(KINDS, count - 2), PAIRS))
            add_step_in_question(paired, successors(KINDS, count - 2), x, 1.0, earlier)
            paired = earlier
    # Beside a step of one kind there are a share, its product, and a sum over open slots.
    units = (STEP_ERROR + 2.0 * (m + 3.0)) * m + END_ERROR
    return min(float(opened[0, 0]) * (1.0 + units * UNIT) + UNDERFLOW, 1.0)


@lru_cache(maxsize=16)
def _coefficients(population: Population) -> tuple[Array, Array, Array]:
    """Return the coefficients of the record that is nowhere, in a slot, and in one that others do not occupy.

    They are rounded so that the payoff is moved up.  Index k is the number of occupied slots beside.
    """
    m = population.steps
    weights = OccupantWeights(m, m - 1, population.check_in_prob)
    factors = [Fraction(comb(m, k), comb(m - 2, k) + 2 * (comb(m - 2, k - 1) if k else 0)) for k in range(m)]
    alone = [factors[k] * weights.used_alone(k) for k in range(m)]
    used = [alone[k] + factors[k + 1] * weights.used_among_others(k) for k in range(m - 1)]
    return (
        np.array([max(float_below(factors[k] * weights.not_used(k)), 0.0) for k in range(m)]),
        np.array([float_above(one) for one in used]),
        np.array([float_above(one) for one in alone]),
    )


def _payoffs(population: Population, epsilon: float) -> Array:
    """Return the payoffs after all slots, a column for each pair of outputs of the paired slots, rounded up."""
    m, x = population.steps, exp(population.eps0)
    dummy, other = likelihoods(OUTPUTS, "G", x), likelihoods(OUTPUTS, "O", x)
    signed = gains(OUTPUTS, population.eps0, epsilon, Side.UPPER)
    of_pairs = np.empty((3, 2, PAIRS))
    write_pair_polynomials(dummy, other, signed, *of_pairs)
    values = np.empty((multisets(KINDS, m - 2), PAIRS))
    write_paired_payoffs(
        m - 2,
        dummy,
        other,
        signed,
        max(float(ratio_minus_one(epsilon).lower), 0.0),
        *_coefficients(population),
        *of_pairs,
        roundoff(PAYOFF_ERROR * (m + 4.0)),
        values,
    )
    return values
