"""Empty and occupied slots against all assignments of a few clients, in fractions."""

from fractions import Fraction
from itertools import product
from math import comb, log

import pytest
from mpmath import mp, mpf

from pldcheck.hidden_slot.population import slot_occupancy
from pldcheck.hidden_slot.population.slot_occupancy import Occupancy, mean_weight

HALF = Fraction(1, 2)
ALL = Fraction(1)


def enumerate_slots(m, others, p0):
    """Return {K: (P(K), E(1/(c_1 + 1) | slot 1 occupied, K))} by all assignments."""
    cases = {}
    for slots in product(range(m + 1), repeat=others):
        chance = Fraction(1)
        for slot in slots:
            chance *= 1 - p0 if slot == m else p0 / m
        counts = [slots.count(i) for i in range(m)]
        nonempty = [c for c in counts if c]
        total, use, certain = cases.get(len(nonempty), (0, 0, 0))
        cases[len(nonempty)] = (
            total + chance,
            use + chance * sum((Fraction(1, c + 1) for c in nonempty), Fraction(0)),
            certain + chance * len(nonempty),
        )
    return {k: (total, use / certain if certain else None) for k, (total, use, certain) in cases.items() if total}


CASES = [(2, 3, HALF), (3, 4, ALL), (4, 5, HALF), (5, 3, ALL), (4, 6, ALL), (1, 4, HALF)]


@pytest.mark.parametrize(("m", "others", "p0"), CASES)
def test_tails_and_weights_agree_with_enumeration(m, others, p0):
    exact, occupancy = enumerate_slots(m, others, p0), Occupancy(m, others, float(p0))
    for count in range(m + 1):
        above = sum(p for k, (p, _) in exact.items() if m - k >= count)
        below = sum(p for k, (p, _) in exact.items() if m - k <= count)
        assert above <= occupancy.at_least(count) <= above * (1 + Fraction(1, 10**12)) + Fraction(1, 10**299)
        assert below <= occupancy.at_most(count) <= below * (1 + Fraction(1, 10**12)) + Fraction(1, 10**299)
    uses = {k: use for k, (_, use) in exact.items() if k}
    assert sorted(uses.values()) == [uses[k] for k in sorted(uses)]
    for k, use in uses.items():
        assert use <= occupancy._exact_bound(k) <= use * (1 + Fraction(1, 10**10))
        assert use <= occupancy.use_probability(k) and use <= occupancy._poisson_bound(k)


@pytest.mark.parametrize(("m", "others", "p0"), CASES)
def test_bounds_for_many_clients_hold_for_few(m, others, p0, monkeypatch):
    exact = enumerate_slots(m, others, p0)
    monkeypatch.setattr(slot_occupancy, "MOST_OTHERS", 0)
    occupancy = Occupancy(m, others, float(p0))
    assert occupancy._table is None
    for count in range(m + 1):
        assert sum(p for k, (p, _) in exact.items() if m - k >= count) <= occupancy.at_least(count)
        assert sum(p for k, (p, _) in exact.items() if m - k <= count) <= occupancy.at_most(count)
    for k, (_, use) in exact.items():
        assert not k or use <= occupancy.use_probability(k)


@pytest.mark.parametrize(("m", "others", "p0"), [(1000, 1000, 1.0), (1000, 5000, 1.0), (3000, 15_000, 0.2)])
def test_bounds_for_many_clients_are_not_far_off(m, others, p0, monkeypatch):
    near = Occupancy(m, others, p0)
    mean = m * near.empty
    spread = (mean * (1 - near.empty)) ** 0.5
    slot_count = round(m - mean)
    exact = (
        near.use_probability(slot_count),
        near.at_least(round(mean + 4 * spread)),
        near.at_most(round(mean - 4 * spread)),
    )
    monkeypatch.setattr(slot_occupancy, "MOST_OTHERS", 0)
    far = Occupancy(m, others, p0)
    assert exact[0] <= far.use_probability(slot_count) <= 1.05 * exact[0]
    assert exact[1] <= far.at_least(round(mean + 4 * spread)) <= 5e-3
    assert exact[2] <= far.at_most(round(mean - 4 * spread)) <= 5e-3


@pytest.mark.parametrize(("m", "others"), [(4, 5), (5, 5)])
def test_chances_of_crowded_blocks_agree_with_enumeration(m, others):
    occupancy = Occupancy(m, others, 1.0)
    for block, count in product(range(1, m + 1), range(m)):
        exact = Fraction(0)
        for slots in product(range(m), repeat=others):
            empty = [i not in slots for i in range(m)]
            exact += any(sum(empty[i : i + block]) > count for i in range(0, m, block))
        assert exact / m**others <= occupancy.crowding_probability(block, count)


@pytest.mark.parametrize("clients", [1, 2, 7, 10**3, 10**9, 10**15])
@pytest.mark.parametrize("steps", [1, 2, 1000, 10**12])
@pytest.mark.parametrize("p0", [1.0, 0.5, 1e-9])
def test_the_mean_weight_has_full_precision(clients, steps, p0):
    with mp.workdps(60):
        q = mpf(p0) / steps
        exact = mpf(p0) * (1 - (1 - q) ** clients) / (clients * q) if clients > 1 else mpf(p0)
        weight = mean_weight(clients, steps, p0)
        assert weight <= exact and weight >= exact * (1 - mpf(10) ** -14)


def test_mean_weight_is_that_of_all_counts():
    n, m, p0 = 6, 3, Fraction(3, 4)
    q = p0 / m
    exact = p0 * sum(comb(n - 1, c) * q**c * (1 - q) ** (n - 1 - c) / (c + 1) for c in range(n))
    assert exact * (1 - Fraction(1, 10**14)) <= mean_weight(n, m, 0.75) <= exact


def test_entropies_of_large_numbers_keep_their_digits():
    m = 10**12
    occupancy = Occupancy(m, m, 1.0)
    # e^(-t^2/2) at t = 6 deviations, and the third cumulant: (1 - 2 pi) t^3/(6 s) = 2e-5 relatively
    s = (m * occupancy.empty * (1 - occupancy.empty)) ** 0.5
    assert log(occupancy.at_least(round(m * occupancy.empty + 6 * s))) == pytest.approx(-18.0, abs=0.01)
    assert occupancy.use_probability(m - round(m * occupancy.empty)) == pytest.approx(0.41802329, rel=1e-5)


@pytest.mark.parametrize(("m", "others", "p0"), [(3, 4, 1.0), (12, 30, 1.0), (12, 30, 0.5), (40, 8, 0.25)])
def test_the_truncated_poisson_step_of_the_proof_holds(m, others, p0):
    """At any mu the bound is at least E 1/(c + 1) over P(sum <= M), summed term by term."""
    occupancy = Occupancy(m, others, p0)
    for slot_count in range(1, min(m, others) + 1, 3):
        mean, outside = others / slot_count, (1.0 - p0) / occupancy.share / slot_count
        for mu in (5e-4, 2e-3, 0.3 * mean, 0.8 * mean, 0.95 * mean):
            bound = occupancy._bound(mu, slot_count, mean, outside)
            if bound == float("inf"):
                continue
            with mp.workdps(40):
                x = mpf(mu)
                one = [mpf(0)] + [x**c / mp.factorial(c) / mp.expm1(x) for c in range(1, others + 1)]
                law = [mp.exp(-x * outside * slot_count) * (x * outside * slot_count) ** c / mp.factorial(c)
                       for c in range(others + 1)]  # fmt: skip
                for _ in range(slot_count):
                    law = [mp.fsum(law[i] * one[c - i] for i in range(c)) for c in range(others + 1)]
                exact = (1 / x - 1 / mp.expm1(x)) / mp.fsum(law)
                assert exact <= bound
