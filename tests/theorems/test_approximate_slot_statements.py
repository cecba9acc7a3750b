"""Hidden slots behind randomizers that are not pure, by enumeration: what delta0 costs, and that it costs something."""

import random
from fractions import Fraction
from itertools import product
from math import comb

import pytest
from exact_curves import approximate_pair, budgeted, curve, random_law
from exact_slots import BUDGETS, HALF, KAPPAS, extreme, pure_laws, slots_by_enumeration, worst_slot, worst_sum

from pldcheck.theorems.statements import STATEMENTS


def triples(draw, x):
    """Return laws on the record, its replacement and the reference that are not pure, and their least delta0."""
    kind = draw.randrange(3)
    if kind == 0:
        rows = {key: random_law(draw, "uvw", 0.2, 12) for key in ("d", "e", "")}
    else:
        rows = pure_laws(draw, ("d", "e", ""), "uv", x)
        if kind == 1:  # the record or its replacement is revealed now and then
            share = Fraction(1, draw.randint(4, 30))
            for key in "de":
                rows[key] = {**{z: (1 - share) * mass for z, mass in rows[key].items()}, key: share}
        else:  # some mass of each row is elsewhere
            for key, row in rows.items():
                moved = min(row["u"], Fraction(draw.randint(0, 9), 100))
                rows[key] = {**row, "u": row["u"] - moved, "v": row["v"] + moved}
    return rows, budgeted(rows.values(), x)


def approximate_randomizers(draw, x, most):
    """Return an adaptive randomizer of two slots with outputs as in ``triples``, and its delta0, which is limited."""
    tables, largest = {}, Fraction(0)

    def table():
        while True:
            rows, delta0 = triples(draw, x)
            if delta0 <= most:
                return rows, delta0

    tables[()], largest = table()
    for z in set().union(*tables[()].values()):
        tables[z,], delta0 = table()
        largest = max(largest, delta0)
    return tables.__getitem__, largest


def replaced_slot(m, weight, randomizer):
    return [slots_by_enumeration(m, weight, randomizer, record, "") for record in "de"]


def clipped(x, delta0, m, weight, kappa):
    """Return the bound of clipped-slot."""
    share = max(Fraction(1), 3 / (1 + x)) * delta0
    return worst_slot(m, x * (1 + share) / (1 - share), kappa, weight) + weight * share * (kappa + 1)


def near_pure(x, delta0, m, weight, kappa):
    """Return the bound of near-pure-slot; 1 where it says nothing."""
    rho = 2 * delta0 / x
    sigma, wider = rho - delta0, x * (1 + rho) / (1 - delta0)
    v = weight * wider / (1 + weight * (wider - 1))
    k = 1 + (kappa - 1 - (sigma + kappa * delta0) * v) / (1 + sigma)
    if k < 1:
        return Fraction(1)
    g = kappa / (1 + min(sigma, Fraction(0))) + max(wider - 1, k * (1 - 1 / wider))
    total = Fraction(0)
    for jumps in range(m + 1):
        chance = comb(m, jumps) * rho**jumps * (1 - rho) ** (m - jumps)
        total += chance * worst_sum(m, wider, k, weight, 1 - k + weight / m * g * jumps)
    return weight * delta0 + (1 + sigma) * total


@pytest.mark.parametrize("m", [1, 2])
@pytest.mark.parametrize("bound", [clipped, near_pure])
def test_approximate_randomizers_in_hidden_slots(m, bound):
    spoiled = 0
    for seed in range(60 if m == 1 else 20):
        draw = random.Random(seed)
        x, weight = draw.choice((Fraction(11, 10), *BUDGETS)), Fraction(draw.randint(1, 3), 3)
        randomizer, delta0 = approximate_randomizers(draw, x, Fraction(1, 5))
        one, other = replaced_slot(m, weight, randomizer)
        for kappa in KAPPAS:
            delta = max(curve(one, other, kappa), curve(other, one, kappa))
            assert delta <= bound(x, delta0, m, weight, kappa)
            # Without what delta0 costs it would be violated.
            spoiled += delta > worst_slot(m, x, kappa, weight)
    assert spoiled > 0


def revealing(x, delta0, name):
    """Return the randomizer of a worst law that otherwise reveals the record or its replacement."""
    rows = extreme(x, name)(())
    told = {key: {z: (1 - delta0) * mass for z, mass in rows[key].items()} | {key: delta0} for key in "de"}
    return lambda past: {"": rows[""], **told}


@pytest.mark.parametrize("name", ["BE", "CF"])
def test_revealed_records_are_within_the_bounds_and_near_the_sharper_one(name):
    for x in (Fraction(11, 10), Fraction(3)):
        delta0 = Fraction(1, 1000)
        randomizer = revealing(x, delta0, name)
        assert budgeted(randomizer(()).values(), x) <= delta0
        for m, weight in ((1, Fraction(1)), (2, HALF)):
            laws = replaced_slot(m, weight, randomizer)
            for kappa in (*KAPPAS, 2 * x):
                delta = curve(*laws, kappa)
                sharper = near_pure(x, delta0, m, weight, kappa)
                assert delta <= min(sharper, clipped(x, delta0, m, weight, kappa))
                if kappa == 2 * x:  # only outputs that reveal the record count there
                    assert delta == weight * delta0


@pytest.mark.parametrize("m", [1, 2, 3])
def test_zero_out_behind_approximate_randomizers(m):
    for seed in range(12):
        draw = random.Random(seed)
        x, weight = draw.choice(BUDGETS), Fraction(draw.randint(1, 3), 3)
        if m < 3:
            randomizer, delta0 = approximate_randomizers(draw, x, Fraction(1, 3))
        else:
            delta0 = Fraction(1, draw.randint(3, 20))
            present, absent = approximate_pair(x, delta0)
            randomizer = lambda past, rows={"d": present, "": absent}: rows  # noqa: E731
        there = slots_by_enumeration(m, weight, randomizer, "d", "")
        absent = slots_by_enumeration(m, weight, randomizer, "", "")
        for kappa in (Fraction(1, 2), *KAPPAS):
            removal, addition = zero_out(m, x, delta0, weight, kappa)
            assert curve(there, absent, kappa) <= removal and curve(absent, there, kappa) <= addition
            if m == 3:
                assert curve(there, absent, kappa) == removal and curve(absent, there, kappa) == addition


def zero_out(m, x, delta0, weight, kappa):
    """Return the two bounds of zero-out-approximate-slot."""
    ratios = [(delta0, Fraction(0)), ((1 - delta0) * x / (1 + x), 1 / x), ((1 - delta0) / (1 + x), x)]
    removal = addition = Fraction(0)
    for choice in product(ratios, repeat=m):
        chance, mean_ratio = Fraction(1), sum(ratio for _, ratio in choice) / m
        for one, _ in choice:
            chance *= one
        removal += chance * max(1 - kappa + weight * (mean_ratio - 1), Fraction(0))
        addition += chance * max(1 - kappa + kappa * weight * (1 - mean_ratio), Fraction(0))
    return weight * delta0 + removal, addition


def test_what_is_here_is_registered():
    assert {"clipped-slot", "near-pure-slot", "zero-out-approximate-slot"} <= STATEMENTS.keys()
