"""Payoffs of few slots whose occupants are not seen, swept against balls over all multisets of outputs."""

import random
from collections import defaultdict
from fractions import Fraction
from itertools import chain, combinations, combinations_with_replacement, product
from math import comb, prod

import pytest
from flint import arb, ctx, fmpq

from pldcheck.core.directed import Side
from pldcheck.hidden_slot.population import as_many_clients, hidden_occupants
from pldcheck.hidden_slot.population.occupant_outputs import EMPTY_OUTPUTS, OUTPUTS
from pldcheck.hidden_slot.population.populated_upper import Population

RANDOM = random.Random(4205)


@pytest.fixture(autouse=True)
def digits():
    before, ctx.prec = ctx.prec, 300
    yield
    ctx.prec = before


def used_slots(m, others, p0):
    """Return the probability of each set of slots that the others fill and slot that uses the record, -1 if none."""
    law = defaultdict(Fraction)
    for own, *slots in product(range(m + 1), repeat=others + 1):
        chance = Fraction(1)
        for slot in (own, *slots):
            chance *= 1 - p0 if slot == m else p0 / m
        filled = frozenset(slots) - {m}
        use = chance / (slots.count(own) + 1) if own < m else Fraction(0)
        law[filled, own if own < m else -1] += use
        law[filled, -1] += chance - use
    return law


def gain(output, x, kappa):
    return (x if "C" in output else 1) - kappa * (x if "E" in output else 1)


def payoff(outputs, law, x, kappa):
    """Return the payoff of the outputs of all slots, those that the others may fill first."""
    total = arb(0)
    for (filled, own), chance in law.items():
        terms = [
            gain(output, x, kappa) if i == own else x if ("O" if i in filled else "G") in output else 1
            for i, output in enumerate(outputs)
        ]
        total += arb(fmpq(chance.numerator, chance.denominator)) * prod(terms, start=1 - kappa if own < 0 else arb(1))
    return total.max(arb(0))


def ranked(outputs, count):
    return sorted(combinations_with_replacement(range(len(outputs)), count), key=lambda places: places[::-1])


@pytest.mark.parametrize(
    ("m", "clients", "asked"), [(1, 2, 1), (2, 2, 2), (3, 2, 3), (2, 4, 2), (3, 3, 2), (4, 3, 2), (4, 4, 3)]
)
@pytest.mark.parametrize("share", [0.0, 1e-6, 0.4, 1.0 - 1e-9])
def test_payoffs_are_enclosed_everywhere(m, clients, asked, share):
    eps0, p0 = RANDOM.choice([1e-9, 0.3, 2.0, 15.0]), RANDOM.choice([1.0, 0.7, 1e-7])
    population = Population(m, eps0, p0, clients)
    epsilon = share * population.slot.inner_cap
    x, kappa = arb(eps0).exp(), arb(epsilon).exp()
    law = defaultdict(Fraction)
    inside = set(chain.from_iterable(combinations(range(asked), k) for k in range(asked + 1)))
    for (filled, own), chance in used_slots(m, clients - 1, Fraction(p0)).items():
        if tuple(sorted(filled)) in inside:
            law[filled, own] += chance * Fraction(comb(m, len(filled)), comb(asked, len(filled)))
    assert sum(law.values()) == 1
    low, high = (hidden_occupants._payoffs(population, epsilon, asked, side) for side in (Side.LOWER, Side.UPPER))
    for row, places in enumerate(ranked(OUTPUTS, asked)):
        for column, empty in enumerate(ranked(EMPTY_OUTPUTS, m - asked)):
            outputs = [*(OUTPUTS[i] for i in places), *(EMPTY_OUTPUTS[i] for i in empty)]
            truth = payoff(outputs, law, x, kappa)
            assert low[row, column] <= truth.upper() and truth.lower() <= high[row, column]
            assert low[row, column] >= 0.0
            size = float(x) ** m * max(1.0 - float((-arb(eps0)).exp()), float(kappa) - 1.0)
            assert high[row, column] - low[row, column] <= 1e-12 * size


@pytest.mark.parametrize("m", [3, 4])
@pytest.mark.parametrize("share", [0.0, 1e-6, 0.4, 1.0 - 1e-9])
def test_payoffs_of_paired_slots_are_enclosed_everywhere(m, share):
    eps0, p0 = RANDOM.choice([1e-9, 0.3, 2.0, 15.0]), RANDOM.choice([1.0, 0.7, 1e-7])
    population = Population(m, eps0, p0, m)
    epsilon = share * population.slot.inner_cap
    x, kappa = arb(eps0).exp(), arb(epsilon).exp()
    law = defaultdict(Fraction)
    for (filled, own), chance in used_slots(m, m - 1, Fraction(p0)).items():
        if not filled >= {m - 2, m - 1}:
            # Of all pairs of slots, so many are not both filled.
            law[filled, own] += chance * Fraction(comb(m, 2), comb(m, 2) - comb(len(filled), 2))
    assert sum(law.values()) == 1
    high = as_many_clients._payoffs(population, epsilon)
    for row, places in enumerate(ranked(OUTPUTS, m - 2)):
        for column, pair in enumerate(ranked(OUTPUTS, 2)):
            truth = payoff([OUTPUTS[i] for i in (*places, *pair)], law, x, kappa)
            size = float(x) ** m * max(1.0 - float((-arb(eps0)).exp()), float(kappa) - 1.0)
            assert truth.lower() <= high[row, column] <= float(truth) + 1e-12 * size
