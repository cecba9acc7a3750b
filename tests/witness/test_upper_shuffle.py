"""The programs for upper ends of shuffling: each rounding and each term against exact twins, and what they refuse."""

import itertools
import json
import random
from fractions import Fraction
from math import comb, exp, factorial

import mpmath
import naive
import pytest
import shuffle_twins as twins
from adversarial_certificates import SHUFFLE, SHUFFLE_SLOT, certificates_examined
from tampering import change

from pldcheck.checkers import (
    attained_delta,
    binomial_masses,
    claim_files,
    client_cost,
    fixed_point,
    slot_laws,
    upper_shuffle,
    upper_slot,
)
from pldcheck.checkers.programs import CERTIFICATES
from pldcheck.protocols import Averaged, Shuffle
from pldcheck.theorems.statements import STATEMENTS
from pldcheck.witness.upper_certificates import EPSILON_MARGIN, certificate

ONE, PLACES = fixed_point.ONE, fixed_point.PLACES
MOST = upper_shuffle.MOST_PLACES


def exact(value):
    """The fraction that an integer stands for."""
    return Fraction(value, ONE)


def chance_of(count, k, p):
    """P(Bin(count, p) = k)."""
    return comb(count, k) * p**k * (1 - p) ** (count - k) if 0 <= k <= count else Fraction(0)


# --- Binomials --------------------------------------------------------------------------------------------------------


# With few bits every rounding shows; with many the masses are hardly above the truth.
@pytest.mark.parametrize("bits", [9, 14, 192])
@pytest.mark.parametrize("cut", [3, 6, 150])
def test_masses_of_binomials_and_of_what_is_left_out_are_rounded_up(bits, cut, monkeypatch):
    monkeypatch.setattr(binomial_masses, "ONE", 1 << bits)
    cut = min(cut, bits - 2) if bits < 192 else cut
    for trials in (0, 1, 2, 3, 5, 8, 13, 40):
        for share in (Fraction(1, 2), Fraction(1, 3), Fraction(1, 9), Fraction(9, 10), Fraction(1, 200)):
            chance = int(share * binomial_masses.CHANCE)
            p = Fraction(chance, binomial_masses.CHANCE)
            law = binomial_masses.binomial(trials, chance, cut, MOST)
            truth = [chance_of(trials, k, p) for k in range(trials + 1)]
            high = law.low + len(law.masses)
            for k, mass in enumerate(law.masses, law.low):
                assert truth[k] * 2**bits <= mass
                assert bits < 192 or mass <= truth[k] * 2**bits * (1 + Fraction(8, 2**cut)) + 10**6
            left_out = sum(truth[: law.low]) + sum(truth[high:])
            assert left_out * 2**bits <= law.rest
            assert bits < 192 or law.rest <= Fraction(9, 2**cut) * 2**bits * (1 + trials)
            if cut == 150 and trials < 9:
                assert law.low == 0 and high == trials + 1
            below = binomial_masses.from_below(trials, chance, cut, MOST)
            for least, exact_mass in zip(below, truth[law.low : high], strict=True):
                assert least <= exact_mass * 2**bits
                assert bits < 192 or least >= exact_mass * 2**bits * (1 - Fraction(8, 2**cut) * (1 + trials)) - 10**6


@pytest.mark.nightly
def test_a_geometric_rest_is_rounded_up(monkeypatch):
    monkeypatch.setattr(binomial_masses, "ONE", 512)
    count = (10**40, 10**40)  # the quotients hardly change
    for top, bottom in itertools.combinations(range(1, 60), 2):
        masses, rest = binomial_masses.outward(count, top, bottom, 200, MOST)
        least = 512 * Fraction(top, bottom) ** (len(masses) + 1) / (1 - Fraction(top, bottom))
        assert least * (1 - Fraction(1, 10**20)) <= rest


@pytest.mark.nightly
def test_what_is_left_out_of_a_binomial_is_hardly_overestimated():
    law = binomial_masses.binomial(4000, binomial_masses.CHANCE // 2, 20, MOST)
    truth = 2 * sum(chance_of(4000, k, Fraction(1, 2)) for k in range(law.low))
    assert law.low > 0 and truth <= exact(law.rest) <= 2 * truth
    with pytest.raises(ValueError, match="amount of work"):
        binomial_masses.binomial(4000, binomial_masses.CHANCE // 2, 20, 100)


# --- Stronger clones --------------------------------------------------------------------------------------------------


def claim(n, x, kappa, delta=0):
    return upper_shuffle.Claim(n, int(x * ONE), int(kappa * ONE), Fraction(delta))


def clones(c, x, kappa):
    """D_c from the laws of the counts."""
    p, q = ([a / (x + 1), b / (x + 1)] for a, b in ((x, Fraction(1)), (Fraction(1), x)))
    half = [Fraction(1, 2)] * 2
    return twins.direct_delta(p, q, [half] * c, kappa)


POINTS = [(Fraction(2), Fraction(1)), (Fraction(3), Fraction(5, 4)), (Fraction(13, 2), Fraction(2)), (2, 2), (2, 3)]


def beyond(c, k):
    """P(Bin(c, 1/2) >= k)."""
    return sum(chance_of(c, j, Fraction(1, 2)) for j in range(k, c + 1))


@pytest.mark.parametrize("bits", [10, 192])
def test_numbers_of_clones_are_above_the_counts(bits, monkeypatch):
    for module in (upper_shuffle, binomial_masses):
        monkeypatch.setattr(module, "ONE", 1 << bits)
    for x, kappa in [point for point in POINTS if point[1] < point[0]]:
        truth = [clones(c, x, kappa) for c in range(10)]
        assert truth == sorted(truth, reverse=True)
        point = upper_shuffle.Claim(1, int(x * 2**bits), int(kappa * 2**bits), Fraction(0))
        for cut, low in itertools.product((2, 5, 150), (0, 1, 4, 7)):
            found = list(upper_shuffle.clones_deltas(point, low, 10 - low, cut))
            for delta, value in zip(truth[low:], found, strict=True):
                assert delta * 2**bits <= value
                assert bits < 192 or cut < 150 or value <= delta * 2**bits + 2**100


@pytest.mark.nightly
def test_the_walk_of_tails_encloses_them():
    draw = random.Random(3)
    for _ in range(300):
        c = draw.randrange(12)
        place = draw.randrange(c + 1)
        least, more, tail = draw.randrange(1000), draw.randrange(40), draw.randrange(3000)
        start = upper_shuffle.Tail(c, place, least, least + more, tail)
        after = upper_shuffle.with_a_trial(start)
        quotient = half(c + 1, place) / half(c, place)
        assert after[:2] == (c + 1, place)
        assert 0 <= least * quotient - after.least < 1 and 0 <= after.most - (least + more) * quotient < 1
        before = least * (half(c, place - 1) / half(c, place))
        assert 0 <= tail + before / 2 - after.beyond < 2
        after = upper_shuffle.with_a_place(start)
        quotient = half(c, place + 1) / half(c, place)
        assert after[:2] == (c, place + 1) and after.beyond == max(tail - least - more, 0)
        assert 0 <= least * quotient - after.least < 1 and 0 <= after.most - (least + more) * quotient < 1


@pytest.mark.parametrize("cut", [2, 6, 150])
def test_a_walk_begins_with_an_enclosure(cut):
    for c in (0, 1, 2, 5, 30):
        for place in range((c + 1) // 2, c + 1):
            tail = upper_shuffle.tail_at(c, place, cut)
            assert tail[:2] == (c, place)
            assert tail.least <= half(c, place) * ONE <= tail.most and tail.beyond <= beyond(c, place) * ONE
            if cut == 150:
                assert tail.most - tail.least < 2**60 and beyond(c, place) * ONE - tail.beyond < 2**60


@pytest.mark.nightly
def test_tails_satisfy_what_the_page_says():
    for c in range(12):
        for place in range((c + 1) // 2, c + 1):
            assert beyond(c + 1, place) == beyond(c, place) + half(c, place - 1) / 2
            assert beyond(c + 1, place + 1) == beyond(c, place) - half(c, place) / 2
            assert beyond(c, place + 1) == beyond(c, place) - half(c, place)
            for x, kappa in POINTS[:3]:
                last = (kappa * x - 1) * (c + 1) // ((x - 1) * (kappa + 1))
                if last == place:
                    found = (kappa * x - 1) / (x + 1) * half(c, place) - (kappa - 1) * beyond(c, place)
                    assert found == clones(c, x, kappa)


@pytest.mark.parametrize(("x", "kappa"), POINTS[:3])
def test_claims_are_computed_above_the_pair_and_above_adaptive_mechanisms(x, kappa):
    draw = random.Random(7)
    for n in (1, 2, 3, 5, 7):
        r = 1 / (Fraction(x) + 1)
        rows = [x * r, r, 0 * r], [r, x * r, 0 * r], [r, r, 1 - 2 * r]
        truth = twins.direct_delta(rows[0], rows[1], [rows[2]] * (n - 1), kappa)
        for cut in (2, 3, 150):
            found = upper_shuffle.delta_upper(claim(n, x, kappa), {"cut": cut})
            assert truth <= found
        assert found <= truth + Fraction(1, 2**60)
        for _ in range(4 if n < 4 else 0):
            randomizer = twins.Adaptive(draw, n + 1, 3, float(x) * (1 - 1e-12))
            data = [0, *range(2, n + 1)], [1, *range(2, n + 1)]
            assert twins.sequence_delta(randomizer, *data, float(kappa), twins.orders_of_shuffling) <= found + 1e-12


@pytest.mark.nightly
def test_delta_of_exact_tails_is_rounded_up(monkeypatch):
    for x, kappa in POINTS[:3]:
        for c in range(8):

            def tail_at(trials, place, cut):
                mass, more = half(trials, place) * ONE, beyond(trials, place) * ONE
                assert mass.denominator == more.denominator == 1 and cut == 99
                return upper_shuffle.Tail(trials, place, int(mass), int(mass), int(more))

            monkeypatch.setattr(upper_shuffle, "tail_at", tail_at)
            (found,) = upper_shuffle.clones_deltas(claim(1, x, kappa), c, 1, 99)
            assert 0 <= found - clones(c, x, kappa) * ONE < 3


@pytest.mark.nightly
def test_the_number_of_clones_that_is_left_out_counts(monkeypatch):
    plain, point = binomial_masses.binomial, claim(30, 3, 2)
    least = upper_shuffle.delta_upper(point, {"cut": 150})

    def binomial(trials, chance, *more):
        law = plain(trials, chance, *more)
        return law._replace(rest=ONE // 100) if trials == 29 and chance != binomial_masses.CHANCE // 2 else law

    # With x = 3 the chance of a clone is 1/2, a little less where it is rounded down.
    point = point._replace(x=point.x + 1)
    monkeypatch.setattr(upper_shuffle, "binomial", binomial)
    assert upper_shuffle.delta_upper(point, {"cut": 150}) >= least + Fraction(99, 10**4)


def test_what_is_left_out_of_clones_counts():
    # Nearly all of delta is in the tails that a cut of 2^-2 leaves out.
    for n, x, kappa in ((40, Fraction(2), Fraction(19, 10)), (60, Fraction(2), Fraction(1))):
        fine = upper_shuffle.delta_upper(claim(n, x, kappa), {"cut": 150})
        for cut in (2, 4, 8):
            assert upper_shuffle.delta_upper(claim(n, x, kappa), {"cut": cut}) >= fine


def test_work_is_bounded(monkeypatch):
    monkeypatch.setattr(upper_shuffle, "MOST_PLACES", 50)
    with pytest.raises(ValueError, match="amount of work"):
        upper_shuffle.tail_at(1000, 500, 30)
    monkeypatch.setattr(upper_shuffle, "clones_deltas", lambda *_: itertools.repeat(0))
    with pytest.raises(ValueError, match="amount of work"):
        upper_shuffle.delta_upper(claim(1000, 2, Fraction(11, 10)), {"cut": 30})


@pytest.mark.nightly
def test_the_difference_of_mass_and_tail_is_rounded_up(monkeypatch):
    draw = random.Random(11)
    monkeypatch.setattr(upper_shuffle, "ONE", 64)
    for _ in range(300):
        x = draw.randrange(80, 400)
        point = upper_shuffle.Claim(1, x, draw.randrange(64, x), Fraction(0))
        tail = upper_shuffle.Tail(9, 10**9, 0, draw.randrange(10**5), draw.randrange(10**5))
        monkeypatch.setattr(upper_shuffle, "tail_at", lambda *_, tail=tail: tail)
        (found,) = upper_shuffle.clones_deltas(point, 9, 1, 99)
        x, kappa = Fraction(point.x, 64), Fraction(point.kappa, 64)
        truth = (kappa * x - 1) / (x + 1) * tail.most - (kappa - 1) * tail.beyond
        assert max(truth, 0) <= found < max(truth, 0) + Fraction(tail.most, 64) + 2


# --- One client fewer -------------------------------------------------------------------------------------------------


def half(c, k):
    return chance_of(c, k, Fraction(1, 2))


def kinds(c1, c2, x, kappa):
    """x_1, q_1, x_2, q_2 as the statement has them."""
    first, second = [], []
    for k in range(c1 + 2):
        before, here = half(c1, k - 1), half(c1, k)
        first.append((((x - kappa) * before + (1 - x * kappa) * here) / (x + 1), (before + x * here) / (x + 1)))
    for k in range(c2 + 3):
        one, two = half(c2, k - 1), (half(c2, k - 2) + half(c2, k)) / 2
        share = ((x - 1) / (x + 1)) ** 2
        second.append((share * (one - two), ((x * x + 1) * one + 2 * x * two) / (x + 1) ** 2))
    return first, second


def double_sum(c1, c2, x, kappa, zeta, nu):
    pairs = itertools.product(*kinds(c1, c2, x, kappa))
    return sum(max(a * ((1 - nu) * b + nu * r) - zeta * q * r, Fraction(0)) for (a, q), (b, r) in pairs)


def true_tau(others, x, kappa, zeta, nu):
    total, first, second = Fraction(0), Fraction(4, 5) / (x + 1), Fraction(3, 5) / x
    for c1 in range(others + 1):
        for c2 in range(others + 1 - c1):
            ways = factorial(others) // (factorial(c1) * factorial(c2) * factorial(others - c1 - c2))
            mass = ways * first**c1 * second**c2 * (1 - first - second) ** (others - c1 - c2)
            total += mass * double_sum(c1, c2, x, kappa, zeta, nu)
    return total


def scaled(value):
    return int(value * 2**PLACES)


TAU_POINTS = [
    (Fraction(3, 2), Fraction(1), Fraction(0), Fraction(0)),
    (Fraction(2), Fraction(9, 8), Fraction(1, 64), Fraction(1, 32)),
    (Fraction(4), Fraction(3, 2), Fraction(1, 16), Fraction(0)),
    (Fraction(4), Fraction(5), Fraction(1, 16), Fraction(1, 4)),
    (Fraction(4), Fraction(9, 8), Fraction(1, 64), Fraction(7, 8)),
    (Fraction(2), Fraction(5, 4), Fraction(1, 8), Fraction(1)),
]


@pytest.mark.parametrize(("x", "kappa", "zeta", "nu"), TAU_POINTS)
@pytest.mark.parametrize("c", [0, 1, 2, 5, 8])
def test_terms_of_tau_are_rounded_up(x, kappa, zeta, nu, c):
    first, second = kinds(c, c, x, kappa)
    up, down, rest = client_cost.first_kind(c, scaled(x), scaled(kappa), 150)
    near, far, more = client_cost.second_kind(c, scaled(x), 150, scaled(nu))
    assert rest + more <= 2
    for found, truth in ((sorted([*up, *((-r, q) for r, q in down)]), first), ((near, far), second)):
        if truth is second:
            found = sorted([*near, *((-r, q) for r, q in far)])
            truth = [((1 - nu) * b + nu * r, r) for b, r in second]
        truth = sorted((a / q, q) for a, q in truth)
        for (r, q), (ratio, mass) in zip(found, truth, strict=True):
            assert 0 <= abs(Fraction(r, 2**PLACES)) - abs(ratio) < Fraction(1, 2**PLACES)
            assert 0 <= exact(q) - mass < Fraction(1, 2**150)
            assert abs(ratio) <= max(x, kappa)
    total = client_cost.positive_parts(up, near, scaled(zeta)) + client_cost.positive_parts(down, far, scaled(zeta))
    least = double_sum(c, c, x, kappa, zeta, nu)
    assert least <= exact(total) <= least + Fraction(1, 2**60)


@pytest.mark.nightly
def test_terms_of_tau_with_exact_masses_are_rounded_up(monkeypatch):
    def binomial(trials, *_):
        return binomial_masses.Binomial(0, [comb(trials, k) * ONE >> trials for k in range(trials + 1)], 0)

    monkeypatch.setattr(client_cost, "binomial", binomial)
    for x, kappa, _, nu in TAU_POINTS:
        for c in range(6):
            first, second = kinds(c, c, x, kappa)
            ends = client_cost.second_kind(c, scaled(x), 150, scaled(nu))
            laws = client_cost.first_kind(c, scaled(x), scaled(kappa), 150), ends
            for law, truth in zip(laws, (first, second), strict=True):
                masses = sorted(q for sign in law[:2] for _, q in sign)
                for mass, q in zip(masses, sorted(q for _, q in truth), strict=True):
                    assert 0 <= mass - q * ONE < 1


def test_positive_parts_are_those_of_all_pairs_and_rounded_up():
    draw, one = random.Random(3), 1 << PLACES
    for _ in range(200):
        first = [(draw.randrange(9 * one), draw.randrange(9)) for _ in range(draw.randrange(6))]
        second = [(draw.randrange(9 * one), draw.randrange(1, 9)) for _ in range(draw.randrange(6))]
        zeta = draw.choice([0, draw.randrange(40 * one)])
        truth = sum(
            Fraction(p * q, ONE) * max(Fraction(r * s, one * one) - Fraction(zeta, one), 0)
            for (r, p), (s, q) in itertools.product(first, second)
        )
        assert 0 <= client_cost.positive_parts(first, second, zeta) - truth < 1


@pytest.mark.parametrize(("x", "kappa", "zeta", "nu"), TAU_POINTS)
@pytest.mark.parametrize("others", [0, 1, 4, 9])
def test_tau_is_above_the_sum_over_everything(x, kappa, zeta, nu, others):
    truth = true_tau(others, x, kappa, zeta, nu)
    for cells, cut in ((1, 150), (3, 150), (3, 4), (20, 2), (20, 150)):
        fine = {"others": others, "cells": cells, "outside": cut, "zeta": zeta, "nu": nu}
        found = client_cost.tau_upper(scaled(x), scaled(kappa), fine)
        assert truth <= found
    assert found <= truth + Fraction(1, 2**50)


def test_what_is_left_out_of_tau_counts():
    # Where zeta leaves little of tau, the mass that is left out is most of the bound, and not less than it.
    x, kappa, zeta = Fraction(3), Fraction(5, 4), Fraction(1, 2)
    fine = {"others": 200, "cells": 1000, "outside": 100, "zeta": zeta, "nu": 0}
    least = client_cost.tau_upper(scaled(x), scaled(kappa), fine)
    for cut in (3, 6, 12):
        rough = client_cost.tau_upper(scaled(x), scaled(kappa), fine | {"outside": cut})
        laws = [binomial_masses.binomial(c, binomial_masses.CHANCE // 2, cut, MOST) for c in (20, 40)]
        assert rough >= least and rough >= 9 * exact(min(law.rest for law in laws)) / 10
    firsts = binomial_masses.binomial(200, binomial_masses.CHANCE // 5, 3, MOST)
    rough = client_cost.tau_upper(scaled(x), scaled(kappa), fine | {"outside": 3})
    assert rough >= 9 * exact(firsts.rest)


@pytest.mark.nightly
def test_what_is_left_out_of_one_law_counts_by_itself(monkeypatch):
    # Each of the laws in turn leaves out a mass that none of the others does; no term is more than x^2 = 9 times that.
    x, kappa, zeta, plain = scaled(3), scaled(Fraction(5, 4)), Fraction(5), binomial_masses.binomial
    fine = {"others": 6, "cells": 20, "outside": 150, "zeta": zeta, "nu": 0}
    of_first = binomial_masses.CHANCE // 5
    assert client_cost.tau_upper(x, kappa, fine) < Fraction(1, 2**60)

    def left_out(which):
        def binomial(trials, chance, *more):
            law = plain(trials, chance, *more)
            return law._replace(rest=ONE // 100) if which(chance) else law

        with monkeypatch.context() as patch:
            patch.setattr(client_cost, "binomial", binomial)
            client_cost.second_kinds.cache_clear()
            return client_cost.tau_upper(x, kappa, fine)

    assert left_out(lambda chance: chance == of_first) >= Fraction(89, 1000)
    assert left_out(lambda chance: chance not in (of_first, binomial_masses.CHANCE // 2)) >= Fraction(89, 1000)
    first, second = client_cost.first_kind, client_cost.second_kind
    for name, kind in (("first_kind", first), ("second_kind", second)):
        with monkeypatch.context() as patch:
            patch.setattr(client_cost, name, lambda *given, kind=kind: (*kind(*given)[:2], ONE // 100))
            client_cost.second_kinds.cache_clear()
            assert client_cost.tau_upper(x, kappa, fine) >= Fraction(179, 1000)


@pytest.mark.nightly
@pytest.mark.parametrize("count", [1, 2, 7, 100, 1000])
def test_cells_of_numbers_hold_every_number_once(count):
    law = binomial_masses.binomial(300, binomial_masses.CHANCE // 3, 40, MOST)
    cells = [*client_cost.cells_of(law, count)]
    assert len(cells) == len(law.masses) if count >= len(law.masses) else 0 < len(cells) <= count
    places = [place for low, high, _ in cells for place in range(high, low - 1, -1)]
    assert places == [*range(law.low, law.low + len(law.masses))][::-1]
    for low, high, mass in cells:
        assert mass == sum(law.masses[low - law.low : high + 1 - law.low])
    widths = [high - low for low, high, _ in cells]
    # Cells are the wider the farther they are from the middle; the last one is what is left.
    middle = widths.index(min(widths[:-1] or widths))
    assert widths[: middle + 1] == sorted(widths[: middle + 1], reverse=True)


@pytest.mark.nightly
def test_messages_of_the_second_kind_are_as_few_as_the_cell_of_the_first_allows(monkeypatch):
    plain, x, seen = binomial_masses.binomial, scaled(3), []

    def binomial(trials, chance, *more):
        seen.append((trials, chance))
        return plain(trials, chance, *more)

    monkeypatch.setattr(client_cost, "binomial", binomial)
    client_cost.second_kinds.cache_clear()
    client_cost.tau_upper(x, x, {"others": 9, "cells": 3, "outside": 150, "zeta": 1, "nu": 0})
    (others, of_first), *more = seen
    of_second = max(chance for _, chance in more if chance != binomial_masses.CHANCE // 2)
    assert others == 9 and [trials for trials, chance in more if chance == of_second] == [0, 6, 9]
    assert 0 <= Fraction(1, 5) - Fraction(of_first, binomial_masses.CHANCE) < Fraction(1, 2**60)
    assert 0 <= Fraction(1, 4) - Fraction(of_second, binomial_masses.CHANCE) < Fraction(1, 2**60)


def test_the_cost_of_one_client_fewer():
    slot = slot_laws.Slot(9, Fraction(1), [("BE", "CF", "ACE")], Fraction(7, 3), Fraction(10, 7), Fraction(1, 2))
    fine = {"others": 6, "cells": 9, "outside": 150, "zeta": Fraction(1, 5), "nu": Fraction(1, 16)}
    fewer = client_cost.one_client_fewer(slot, fine)
    unit = Fraction(1, 2**PLACES)
    assert fewer.steps == 8 and 0 <= fewer.x - slot.x < unit
    assert 0 <= slot.kappa - fine["zeta"] - fewer.kappa < unit
    tau = true_tau(6, slot.x, slot.kappa - fine["zeta"], fine["zeta"], fine["nu"])
    assert 0 < tau <= slot.delta - fewer.delta <= tau * Fraction(101, 100)
    with pytest.raises(claim_files.NotVerified, match="zeta is too large"):
        client_cost.one_client_fewer(slot, fine | {"zeta": Fraction(3, 7) + unit})
    with pytest.raises(claim_files.NotVerified, match="tau is not below"):
        client_cost.one_client_fewer(slot._replace(delta=tau), fine)
    with pytest.raises(ValueError, match="3 clients more"):
        client_cost.one_client_fewer(slot, fine | {"others": 7})


# --- Whole claims -----------------------------------------------------------------------------------------------------


def file(n=8, eps0="1", epsilon="0.3", delta="0.5", **fineness):
    numbers = {"mechanism": "shuffle", "clients": n, "eps0": eps0, "epsilon": epsilon, "delta": delta}
    fineness = {"cut": 150} | fineness
    return {
        "pldcheck_certificate": "upper_shuffle",
        "theorem": "stronger-clones",
        "claim": numbers,
        "fineness": fineness,
    }


def slot_file(n=8, eps0="1", epsilon="0.9", delta="0.5", **fineness):
    usual = {"block": n - 1, "doublings": 0, "grid": "0.02", "left": 400, "right": 400, "join": 1, "cut": 60}
    usual |= {"atoms": 800, "tilt": "1.05", "zeta": "0.3", "nu": "0", "others": n - 3}
    usual |= {"cells": 20, "outside": 150} | fineness
    claimed = file(n, eps0, epsilon, delta)["claim"]
    return {
        "pldcheck_certificate": "upper_slot",
        "theorem": "one-client-fewer",
        "claim": claimed,
        "fineness": usual,
    }


def pair_delta(numbers):
    """Delta of stronger clones in 60 digits."""
    n, (x, kappa) = numbers["clients"], (mpmath.exp(mpmath.mpf(numbers[name])) for name in ("eps0", "epsilon"))
    total, p = mpmath.mpf(0), 2 / (x + 1)
    for c in range(n):
        terms = (comb(c + 1, k) * max((x - kappa) * k - (kappa * x - 1) * (c + 1 - k), 0) for k in range(c + 2))
        total += comb(n - 1, c) * p**c * (1 - p) ** (n - 1 - c) * p * sum(terms) / 2 ** (c + 1) / (c + 1)
    return total


def as_text(value):
    return mpmath.nstr(value, 45, min_fixed=-100, max_fixed=100)


CLAIMS = [{"n": 1}, {"n": 2, "epsilon": "0.9"}, {"n": 9, "eps0": "3", "epsilon": "1"}, {"n": 60, "epsilon": "0"}]


@pytest.mark.parametrize("point", CLAIMS, ids=range(len(CLAIMS)))
def test_claims_below_the_pair_are_not_accepted_and_claims_above_it_are(point):
    with mpmath.workdps(60):
        facts = file(**point)
        worst = pair_delta(facts["claim"])
        for power in (3, 10, 20, 30):
            false = change(facts, ("claim", "delta"), as_text(worst * (1 - mpmath.mpf(10) ** -power)))
            assert upper_shuffle.verify(false).status == 1
            true = change(facts, ("claim", "delta"), as_text(worst * (1 + mpmath.mpf(10) ** -min(power, 15))))
            assert upper_shuffle.verify(true).status == 0


@pytest.mark.parametrize("program", [upper_shuffle, upper_slot])
def test_claims_below_an_adaptive_mechanism_are_not_accepted(program):
    with mpmath.workdps(60):
        for n, eps0, epsilon in ((3, "1", "0.4"), (5, "0.5", "0.1"), (6, "2", "1.2")):
            worst = naive.hidden_slot_delta(n, eps0, epsilon, "1")
            delta = as_text(mpmath.mpf(worst.mid().str(50, radius=False)) * (1 - mpmath.mpf(10) ** -30))
            for zeta, nu in itertools.product(("0", "0.01", "0.1"), ("0", "0.02", "0.3", "1")):
                facts = (
                    slot_file(n, eps0, epsilon, delta, zeta=zeta, nu=nu)
                    if program is upper_slot
                    else file(n, eps0, epsilon, delta)
                )
                assert program.verify(facts).status == 1


def test_shuffling_is_accepted_by_one_client_fewer_where_slot_and_cost_are_below_delta():
    facts = slot_file(epsilon="0.9")
    fine = {"others": 5, "cells": 9, "outside": 150, "zeta": Fraction("0.3"), "nu": 0}
    kappa = Fraction(exp(0.9)) - fine["zeta"]
    tau = client_cost.tau_upper(scaled(Fraction(exp(1.0))), scaled(kappa), fine)
    slot = naive.hidden_slot_delta(7, "1", repr(float(mpmath.log(float(kappa)))), "1")
    least = float(tau) + float(slot)
    assert 0 < float(tau) < least < 0.5
    verdict = upper_slot.verify(change(facts, ("claim", "delta"), f"{1.06 * least:.9f}"))
    assert verdict.status == 0 and verdict.sentence.endswith("this rests on one-client-fewer")
    assert upper_slot.verify(change(facts, ("claim", "delta"), f"{0.99 * least:.9f}")).status == 1


@pytest.mark.parametrize("power", [1, 10, 30, 50])
def test_premises_are_rounded_to_the_safe_side(power):
    # At epsilon = eps0 delta is 0, and just below it is not.
    with mpmath.workdps(90):
        text = mpmath.nstr(mpmath.mpf("1.3") * (1 - mpmath.mpf(10) ** -power), 60)
        used, refutable = upper_shuffle.read_claim(file(1, "1.3", text)["claim"])
        for value, of, sign in (
            (exact(used.x), "1.3", 1),
            (exact(used.kappa), text, -1),
            (refutable.x, "1.3", -1),
            (refutable.kappa, text, 1),
        ):
            away = mpmath.mpf(value.numerator) / value.denominator - mpmath.exp(mpmath.mpf(of))
            assert 0 < sign * away < mpmath.mpf(10) ** -50
    assert upper_shuffle.verify(file(1, "1.3", text, "0")).status == 1


def test_what_two_responses_attain_is_below_the_pair():
    for n, x, kappa in ((1, 2, Fraction(3, 2)), (4, 3, Fraction(5, 4)), (6, Fraction(5, 2), Fraction(1))):
        lower = attained_delta.delta_attained(slot_laws.Slot(n, Fraction(1), [["BE", "CF"]], x, kappa, Fraction(0)))
        rows = [[x / Fraction(x + 1), 1 / Fraction(x + 1)], [1 / Fraction(x + 1), x / Fraction(x + 1)]]
        truth = [
            twins.direct_delta(rows[i], rows[1 - i], [rows[j]] * (n - 1), kappa)
            for i, j in itertools.product((0, 1), (0, 1))
        ]
        assert lower == max(truth)
        assert lower <= upper_shuffle.delta_upper(claim(n, x, kappa), {"cut": 150})


def test_false_claims_are_told_from_coarse_computations():
    assert "the claim is false" in upper_shuffle.verify(file(delta="0.001")).sentence
    coarse = upper_shuffle.verify(file(60, epsilon="0.4", delta="0.012", cut=2))
    assert coarse.status == 1 and "too coarse" in coarse.sentence
    assert upper_shuffle.verify(file(60, epsilon="0.4", delta="0.012")).status == 0


@pytest.mark.parametrize(
    ("target", "count"),
    [
        (SHUFFLE, 150),
        (SHUFFLE_SLOT, 40),
        pytest.param(SHUFFLE, 3000, marks=pytest.mark.nightly),
        pytest.param(SHUFFLE_SLOT, 3000, marks=pytest.mark.nightly),
    ],
)
def test_spoiled_certificates_are_not_accepted_below_what_is_known(target, count):
    examined, accepted, wrong = certificates_examined(target, seed=count, count=count)
    assert wrong == [] and examined == count and accepted >= count / 20


# --- The search -------------------------------------------------------------------------------------------------------


QUESTIONS = [
    (Shuffle(1, 1.0), 1e-6, "upper_shuffle"),
    (Shuffle(10, 1.0), 1e-3, "upper_shuffle"),
    (Shuffle(1000, 3.0), 1e-30, "upper_shuffle"),
    (Shuffle(10**6, 6.0), 1e-12, "upper_shuffle"),
    (Shuffle(100, 0.5), 1e-3, "upper_slot"),
    (Shuffle(1000, 1.0), 1e-6, "upper_slot"),
    (Averaged(10, 3, 1.0), 1e-3, "upper_shuffle"),
    (Averaged(100, 7, 0.5), 1e-3, "upper_slot"),
    (Shuffle(10**5, 2.0), 1e-30, "upper_slot"),
    (Shuffle(10**9, 1.0), 1e-6, "upper_slot"),
]


@pytest.mark.parametrize(("protocol", "delta", "program"), QUESTIONS)
def test_what_is_written_is_accepted_half_a_percent_above_the_upper_end(protocol, delta, program):
    record = certificate(protocol, delta=delta)
    assert record.reached == EPSILON_MARGIN and record.facts["pldcheck_certificate"] == program
    assert record.sentence.startswith("accepted: ") and len(record.dumps()) < 1000
    facts, lower = json.loads(record.dumps()), protocol.epsilon(delta).lower
    for factor in (1 - 1e-9, 0.99, 0.8):
        facts["claim"]["epsilon"] = f"{lower * factor:.18f}"
        assert CERTIFICATES[program].verify(facts).status == 1


def test_a_claim_about_delta_of_shuffling():
    record = certificate(Shuffle(50, 1.0), epsilon=0.4)
    upper = Shuffle(50, 1.0).delta(0.4).upper
    assert float(record.facts["claim"]["delta"]) == pytest.approx(1.05 * upper, rel=1e-8)


# --- Files ------------------------------------------------------------------------------------------------------------


def test_statements_are_registered_and_named():
    assert upper_shuffle.verify(file()).sentence.endswith("this rests on stronger-clones")
    for program, key in ((upper_shuffle, upper_shuffle.STATEMENT), (upper_slot, upper_slot.ONE_FEWER)):
        assert program.STATEMENTS[key] == STATEMENTS[key].sentence


@pytest.mark.nightly
def test_averages_of_any_number_of_slots_are_shuffling():
    for facts, program, statement in (
        (file(), upper_shuffle, upper_shuffle.STATEMENT),
        (slot_file(), upper_slot, upper_slot.ONE_FEWER),
    ):
        for steps in (1, 8, 10**15):
            averaged = {**facts, "claim": facts["claim"] | {"mechanism": "averaged", "steps": steps}}
            assert program.read_claim(averaged["claim"])[:2] == program.read_claim(facts["claim"])[:2]
            verdict = program.verify(averaged)
            assert verdict.status == 0 and "averaged with " in verdict.sentence and f"steps {steps}" in verdict.sentence
            assert verdict.sentence.endswith(f"this rests on averaged-shuffle and {statement}")
        for steps in (0, -1, 1.0, True, "3", None, 10**15 + 1):
            spoiled = {**facts, "claim": facts["claim"] | {"mechanism": "averaged", "steps": steps}}
            assert program.verify(spoiled).status == 2
        for claim in (facts["claim"] | {"steps": 3}, facts["claim"] | {"mechanism": "averaged"}):
            assert program.verify({**facts, "claim": claim}).status == 2
        assert "averaged-shuffle" not in program.verify(facts).sentence


SPOILED = {
    "no clients": (("claim", "clients"), 0),
    "a truth value": (("claim", "clients"), True),
    "too many clients": (("claim", "clients"), 10**15 + 1),
    "digits of another script": (("claim", "delta"), "0.\u0663"),
    "a number for a text": (("claim", "delta"), 0.3),
    "not a number": (("claim", "epsilon"), "nan"),
    "a delta above 1": (("claim", "delta"), "1.01"),
    "no budget": (("claim", "eps0"), "0"),
    "another mechanism": (("claim", "mechanism"), "hidden-slot"),
    "another theorem": (("theorem",), "fmt22-closed"),
    "another program": (("pldcheck_certificate",), "upper_sum"),
    "no cells": (("fineness", "cells"), 0),
    "a cut too small": (("fineness", "cut"), 1),
    "a cut too large": (("fineness", "cut"), 151),
    "a claim that is none": (("claim",), []),
    "a fineness that is none": (("fineness",), None),
}


@pytest.mark.parametrize(("path", "value"), SPOILED.values(), ids=SPOILED)
def test_spoiled_files_are_refused_in_one_line(path, value):
    verdict = upper_shuffle.verify(change(file(), path, value))
    assert verdict.status == 2 and "\n" not in verdict.sentence
    for other in (None, [], 3, {}, {"claim": {}}):
        assert upper_shuffle.verify(other).status == 2


@pytest.mark.parametrize(
    "text", ["", "{", "NaN", "[" * 19_000, json.dumps(file()) + " 1", json.dumps(file()) + " " * 20_001]
)
def test_malformed_files_are_refused_in_one_line(text, tmp_path):
    (tmp_path / "file.json").write_text(text)
    verdict = claim_files.examine(tmp_path / "file.json", upper_shuffle.verify)
    assert verdict.status == 2 and "\n" not in verdict.sentence
    (tmp_path / "file.json").write_text(json.dumps(file()).replace('"clients"', '"clients": 9, "clients"'))
    assert "twice" in claim_files.examine(tmp_path / "file.json", upper_shuffle.verify).sentence


@pytest.mark.nightly
def test_what_the_slot_program_refuses_of_shuffling():
    facts = slot_file()
    assert upper_slot.verify(facts).status == 0
    for spoiled in (
        {name: value for name, value in facts.items() if name != "theorem"},
        change(facts, ("theorem",), "stronger-clones"),
        change(facts, ("claim", "clients"), 2),
        change(facts, ("fineness", "others"), 6),
        change(facts, ("fineness", "others"), -1),
        change(facts, ("fineness", "zeta"), "-0.1"),
        change(facts, ("fineness", "nu"), "-0.1"),
        change(facts, ("fineness", "nu"), "1.1"),
        change(facts, ("fineness", "cells"), 0),
        change(facts, ("fineness", "outside"), 151),
        {**facts, "claim": facts["claim"] | {"delta0": "1e-9"}},
    ):
        assert upper_slot.verify(spoiled).status == 2
    assert "zeta is too large" in upper_slot.verify(change(facts, ("fineness", "zeta"), "2")).sentence
    plain = {**facts["claim"], "mechanism": "sliding-window", "window": 7}
    del plain["clients"]
    assert upper_slot.verify({**facts, "claim": plain}).status == 2


@pytest.mark.nightly
def test_the_slot_program_takes_no_options_of_averages():
    averages = {**slot_file()["claim"], "mechanism": "averaged", "steps": 4}
    assert upper_slot.verify({**slot_file(), "claim": averages}).status == 0
    for option in ({"delta0": "0"}, {"randomizer": "rr"}):
        assert upper_slot.verify({**slot_file(), "claim": averages | option}).status == 2
