"""Stronger clones and one client fewer against adaptive mechanisms, by enumeration."""

import random
from fractions import Fraction
from itertools import combinations_with_replacement, permutations, product
from math import comb, log

import naive
import pytest
import shuffle_twins as twins

from pldcheck.theorems.statements import STATEMENTS

# What floats of three or four messages may be wrong by.
ROUND_OFF = 1e-12


def mass(count, k, p=0.5):
    """Return P(Bin(count, p) = k)."""
    return comb(count, k) * p**k * (1 - p) ** (count - k) if 0 <= k <= count else 0.0


def clones(c, x, kappa):
    """Return D(c) as the statement has it."""
    payoffs = (mass(c + 1, k) * max((x - kappa) * k - (kappa * x - 1) * (c + 1 - k), 0) for k in range(c + 2))
    return 2 / ((x + 1) * (c + 1)) * sum(payoffs)


def double_sum(c1, c2, x, kappa, zeta):
    """Return the sum over k and l as the statement has it."""
    total = 0.0
    for k, m in product(range(c1 + 2), range(c2 + 3)):
        before, here = mass(c1, k - 1), mass(c1, k)
        one, two = mass(c2, m - 1), (mass(c2, m - 2) + mass(c2, m)) / 2
        x_1, q_1 = ((x - kappa) * before + (1 - x * kappa) * here) / (x + 1), (before + x * here) / (x + 1)
        x_2, q_2 = ((x - 1) / (x + 1)) ** 2 * (one - two), ((x * x + 1) * one + 2 * x * two) / (x + 1) ** 2
        total += max(x_1 * x_2 - zeta * q_1 * q_2, 0.0)
    return total


def mechanisms(x, seeds):
    """Yield curves of random adaptive mechanisms of three and four messages."""
    for seed in range(seeds):
        draw = random.Random(seed)
        n = 3 if seed % 4 else 4
        randomizer = twins.Adaptive(draw, n + 1, 3, x)
        data = [0, *range(2, n + 1)], [1, *range(2, n + 1)]
        if seed % 3 == 0:  # all others alike is near the worst
            data = [0] + [2] * (n - 1), [1] + [2] * (n - 1)
        for kappa in (1.0, 1 + (x - 1) / 5, 1 + (x - 1) / 2):
            yield n, kappa, twins.sequence_delta(randomizer, *data, kappa, twins.orders_of_shuffling)


@pytest.mark.parametrize("x", [1.5, 4.0])
def test_stronger_clones_are_above_adaptive_mechanisms(x):
    assert "falls as c grows" in STATEMENTS["stronger-clones"].statement
    for n, kappa, delta in mechanisms(x, 8):
        values = [clones(c, x, kappa) for c in range(n)]
        assert all(b <= a + ROUND_OFF for a, b in zip(values, values[1:], strict=False))
        assert delta <= sum(mass(n - 1, c, 2 / (x + 1)) * value for c, value in enumerate(values)) + ROUND_OFF


def test_stronger_clones_are_attained_by_two_clients():
    x, kappa = Fraction(3), Fraction(5, 2)
    rows = [[x / (x + 1), 1 / (x + 1)], [1 / (x + 1), x / (x + 1)]]
    attained = twins.direct_delta(rows[0], rows[1], [rows[0]], kappa)
    pair = sum(mass(1, c, 0.5) * clones(c, 3.0, 2.5) for c in range(2))
    assert float(attained) == pytest.approx(pair, rel=1e-12)


@pytest.mark.parametrize("x", [1.5, 4.0])
def test_one_client_fewer_and_its_cost_are_above_adaptive_mechanisms(x):
    assert "multinomial of n - 3" in STATEMENTS["one-client-fewer"].statement
    for n, kappa, delta in mechanisms(x, 8):
        for share in (0.0, 0.1, 0.5):
            zeta = share * (kappa - 1)
            chances = {(0, 0): 1.0} if n == 3 else {(0, 0): 1 - 1 / x, (1, 0): 1 / (4 * x), (0, 1): 3 / (4 * x)}
            tau = sum(chance * double_sum(*c, x, kappa - zeta, zeta) for c, chance in chances.items())
            slot = float(naive.hidden_slot_delta(n - 1, log(x), log(kappa - zeta), 1.0))
            assert delta <= slot + tau + ROUND_OFF
    values = [double_sum(*c, x, 1.1, 0.02) for c in ((0, 0), (1, 0), (1, 1), (2, 1), (2, 3))]
    assert all(b <= a + ROUND_OFF for a, b in zip(values, values[1:], strict=False))


def slot_delta(record, other, own_rows, kappa):
    """Return delta of a record hidden in slots that hold these laws, from the law of the sum of gains."""
    sums = {Fraction(0): Fraction(1)}
    for own in own_rows:
        later = {}
        for total, chance in sums.items():
            for p, q, w in zip(record, other, own, strict=True):
                place = total + (p - kappa * q) / w
                later[place] = later.get(place, 0) + chance * w
        sums = later
    return sum(chance * max(total, 0) for total, chance in sums.items()) / len(own_rows)


TABLES = {
    "response": [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]],
    "rare": [[Fraction(1, 10), Fraction(9, 10)], [Fraction(1, 5), Fraction(4, 5)]],
    "three": [[Fraction(a, 9), Fraction(b, 9), Fraction(c, 9)] for a, b, c in ((4, 3, 2), (2, 3, 4), (3, 3, 3))],
}


@pytest.mark.parametrize("name", TABLES)
def test_known_client_fewer_is_above_all_data(name):
    assert "the factor 1 - 1/M" in STATEMENTS["known-client-fewer"].statement
    rows, excesses = TABLES[name], []  # of the truth over the curve of the slot
    x = max(max(column) / min(column) for column in zip(*rows, strict=True))
    part = float(min(2 * min(column) / sum(sorted(column)[-2:]) for column in zip(*rows, strict=True)))
    factor = 1 - 1 / len(rows)
    for n, kappa in product((3, 4), (Fraction(1), 1 + (x - 1) / 5)):
        chances = {(0, 0): 1.0} if n == 3 else {(0, 0): 1 - part, (1, 0): part / 4, (0, 1): 3 * part / 4}
        for zeta in (0.0, 0.05 * float(x - 1)):
            # (f a - zeta b)_+ is f times (a - zeta/f b)_+.
            sums = {c: double_sum(*c, float(x), float(kappa), zeta / factor) for c in chances}
            tau = factor * sum(chance * sums[c] for c, chance in chances.items())
            for record, other in permutations(rows, 2):
                for others in combinations_with_replacement(rows, n - 1):
                    truth = float(twins.direct_delta(record, other, others, kappa + Fraction(zeta)))
                    slot = float(slot_delta(record, other, others, kappa))
                    assert truth <= slot + tau + ROUND_OFF
                    excesses.append(truth - slot)
    assert name != "response" or max(excesses) > 0.0  # without tau it would be false
