"""Slots' closed forms swept against balls: ends enclose the truth everywhere, and what is charged is not far more."""

import math
import random
from fractions import Fraction
from itertools import product
from math import comb

import pytest
from flint import arb, ctx

from pldcheck.core.differences import FUNCTION
from pldcheck.core.directed import UNIT, Side
from pldcheck.hidden_slot.approximate import zero_out_exact
from pldcheck.hidden_slot.population import occupied_pattern
from pldcheck.hidden_slot.population.slot_occupancy import Occupancy
from pldcheck.hidden_slot.worst import few_slot_recursion, worst_lower
from pldcheck.hidden_slot.worst.slot_problem import Slot, one_slot

RANDOM = random.Random(6110)


@pytest.fixture(autouse=True)
def digits():
    before, ctx.prec = ctx.prec, 300
    yield
    ctx.prec = before


def any_slot(steps):
    eps0 = RANDOM.choice([10.0 ** RANDOM.uniform(-14, 0), RANDOM.uniform(0.1, 20.0)])
    weight = RANDOM.choice([RANDOM.random(), 10.0 ** RANDOM.uniform(-12, 0), 1.0 - 10.0 ** RANDOM.uniform(-15, -1)])
    return Slot(steps, eps0, weight)


def test_caps_enclose_the_largest_loss_everywhere():
    for _ in range(3000):
        slot = any_slot(1)
        truth = (arb(slot.weight) * arb(slot.eps0).expm1()).log1p()
        assert arb(slot.inner_cap) <= truth <= arb(slot.cap)
        assert slot.cap - slot.inner_cap <= 8 * (FUNCTION + 4) * UNIT * slot.cap


def test_one_slot_encloses_its_delta_everywhere():
    for _ in range(2000):
        slot = any_slot(1)
        epsilon = slot.inner_cap * RANDOM.choice([0.0, RANDOM.random(), 1.0 - 10.0 ** RANDOM.uniform(-16, -1)])
        low, high = one_slot(slot, epsilon)
        x, kappa = arb(slot.eps0).exp(), arb(epsilon).exp()
        truth = (1 - kappa + arb(slot.weight) * (x - 1)).max(arb(0)) / (x + 1)
        assert arb(low) <= truth <= arb(high)


def two_symbols(slot, epsilon, law):
    """Return delta where each slot uses BE or CF, in balls: the mean over the counts, their ratios subtracted as they
    are.
    """
    m, w = slot.steps, arb(slot.weight)
    x, kappa = arb(slot.eps0).exp(), arb(epsilon).exp()
    total = arb(0)
    # BE: the record answers as the reference does, its replacement does not; CF the other way round.
    for k in range(m + 1):
        p = x / (1 + x) if law == worst_lower.BE else 1 / (1 + x)
        # k of B (ratio of the replacement 1/x, else x), or of C (ratio of the record x, else 1/x)
        mean = (k / x + (m - k) * x) / m if law == worst_lower.BE else (k * x + (m - k) / x) / m
        ratio = 1 - w + w * mean
        gain = 1 - kappa * ratio if law == worst_lower.BE else ratio - kappa
        total += comb(m, k) * p**k * (1 - p) ** (m - k) * gain.max(arb(0))
    return total


def test_two_symbols_enclose_their_binomial_sum_everywhere():
    for _ in range(500):
        slot = any_slot(RANDOM.choice([1, 2, 3, 7, 12]))
        epsilon = slot.inner_cap * RANDOM.choice([0.0, RANDOM.random(), 1.0 - 10.0 ** RANDOM.uniform(-16, -1)])
        law = RANDOM.choice([worst_lower.BE, worst_lower.CF])
        low, high = worst_lower.two_point(slot, epsilon, law)
        truth = two_symbols(slot, epsilon, law)
        assert arb(low) <= truth.upper() and truth.lower() <= arb(high)
        assert arb(worst_lower.two_point_lower(slot, epsilon, law)) <= truth.upper()


@pytest.mark.parametrize(("m", "delta0"), [(400, 0.02), (60, 0.4), (1000, 1e-6)])
def test_what_is_left_out_of_the_zeros_has_the_chance_granted(m, delta0):
    window = zero_out_exact.window(Slot(m, 1.0, 1.0), delta0, 0.1)
    assert window is not None
    first, last, chance = window
    p = arb(delta0)
    outside = sum((comb(m, j) * p**j * (1 - p) ** (m - j) for j in range(m + 1) if not first <= j <= last), arb(0))
    assert outside <= arb(chance) and chance <= 1e-12 * delta0


@pytest.mark.parametrize("tolerance", [0.3, 0.05, 1e-3])
@pytest.mark.parametrize(("m", "others"), [(12, 15), (6, 9), (9, 5)])
def test_what_is_missed_of_empty_slots_has_the_chance_granted(m, others, tolerance):
    occupancy = Occupancy(m, others, 1.0)
    pattern = occupied_pattern.likely_range(occupancy, tolerance)
    # Occupied slots client by client, in fractions.
    law = {0: Fraction(1)}
    for _ in range(others):
        after = {}
        for k, chance in law.items():
            after[k] = after.get(k, 0) + chance * Fraction(k, m)
            after[k + 1] = after.get(k + 1, 0) + chance * Fraction(m - k, m)
        law = {k: chance for k, chance in after.items() if chance}
    outside = sum(chance for k, chance in law.items() if not pattern.least <= m - k <= pattern.most)
    assert outside <= Fraction(pattern.outside) and pattern.outside <= tolerance + 1e-12
    assert not outside or pattern.outside >= outside * (1 - Fraction(1, 10**9))


def leaf(slot, epsilon, index):
    """Return what one slot with output A, B, C, E or F adds, in balls, all formed at once."""
    x, kappa, w = arb(slot.eps0).exp(), arb(epsilon).exp(), arb(slot.weight)
    gain = (1 / x - kappa / x, 1 - kappa / x, x - kappa, 1 - kappa * x, 1 / x - kappa)[index]
    return w * gain - (1 - w) * (kappa - 1)


def test_leaves_are_rounded_outward_and_nothing_cancels_in_them():
    for _ in range(1000):
        slot = any_slot(RANDOM.choice([1, 5]))
        # relative and absolute distances from the largest loss, and from nothing
        share = RANDOM.choice(
            [0.0, RANDOM.random(), 1.0 - 10.0 ** RANDOM.uniform(-15, -1), 10.0 ** RANDOM.uniform(-9, 0)]
        )
        epsilon = slot.inner_cap * share
        low, high = (few_slot_recursion.leaves(slot, epsilon, side) for side in (Side.LOWER, Side.UPPER))
        idle = float(((1 - arb(slot.weight)) * arb(epsilon).expm1()).upper())
        for index in range(5):
            truth = leaf(slot, epsilon, index)
            assert arb(float(low[index])) <= truth.upper() and truth.lower() <= arb(float(high[index]))
            # Only what the slot gives where it is not used is subtracted: the gain itself keeps its digits.
            size = float(abs(truth).upper()) + 2.0 * idle
            assert high[index] - low[index] <= (200.0 + 4.0 * slot.eps0) * UNIT * size + 1e-290


@pytest.mark.parametrize("law", [worst_lower.BE, worst_lower.CF])
def test_the_best_output_alone_is_all_there_is_near_the_largest_loss(law):
    certainties = 0
    for _ in range(1500):
        slot = any_slot(RANDOM.choice([1, 2, 5, 9]))
        x, index = arb(slot.eps0).exp(), 1 if law == worst_lower.BE else 2
        # From where all slots but one with the best output add nothing any more; BE ends below the cap.
        end = (
            slot.inner_cap
            if law == worst_lower.CF
            else float(-(arb(slot.weight) * (arb(-slot.eps0).expm1())).log1p().upper())
        )
        epsilon = min(end * (1.0 - 10.0 ** RANDOM.uniform(-15, -3)), slot.inner_cap)
        chance = (x / (1 + x) if law == worst_lower.BE else 1 / (1 + x)) ** slot.steps
        truth = (leaf(slot, epsilon, index) * chance).max(arb(0))
        p, q = worst_lower._binomial(slot, epsilon, law)[:2]
        best = worst_lower._best_output(slot, epsilon, law, p, q)
        assert arb(best) <= truth
        low, high = worst_lower.two_point(slot, epsilon, law)
        assert best <= low and arb(low) <= two_symbols(slot, epsilon, law).upper()
        if truth > 1e-250 and float(truth.lower()) > 1e4 * UNIT * slot.eps0 * float(chance.lower()):
            assert low >= float(truth.lower()) * 0.5
            certainties += 1
    assert certainties > 300


@pytest.mark.parametrize("m", [1, 2, 4])
def test_zeros_that_cancel_what_they_must_exceed(m):
    """If J is next to m (kappa - 1)/(kappa w), a record added has what round-off leaves of their difference."""
    for _ in range(400):
        eps0 = RANDOM.choice([10.0 ** RANDOM.uniform(-9, 0), RANDOM.uniform(0.1, 8.0)])
        slot = Slot(m, eps0, RANDOM.choice([1.0, RANDOM.uniform(0.3, 1.0)]))
        delta0 = RANDOM.uniform(0.2, 0.9)
        # 1 - 1/kappa = w j/m, nearly
        at = float(arb(slot.weight)) * RANDOM.randrange(1, m + 1) / m * (1.0 - 10.0 ** RANDOM.uniform(-14, -2))
        epsilon = -math.log1p(-at) if at < 1.0 else 40.0
        x, kappa, w, d = arb(eps0).exp(), arb(epsilon).exp(), arb(slot.weight), arb(delta0)
        chances = {0: d, 1: (1 - d) * x / (1 + x), 2: (1 - d) / (1 + x)}
        values = {0: arb(0), 1: 1 / x, 2: x}
        removal = new = arb(0)
        for outcome in product(range(3), repeat=m):
            chance, total = arb(1), arb(0)
            for one in outcome:
                chance, total = chance * chances[one], total + values[one] / m
            removal += chance * (1 - kappa + w * (total - 1)).max(arb(0))
            new += chance * (1 - kappa + kappa * w * (1 - total)).max(arb(0))
        among = zero_out_exact.window(slot, delta0, epsilon)
        for (low, high), truth in (
            (zero_out_exact.addition(slot, delta0, epsilon, among), new),
            (zero_out_exact.removal(slot, delta0, epsilon, among), removal),
        ):
            assert arb(low) <= truth.upper() and truth.lower() <= arb(high)
