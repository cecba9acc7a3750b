"""The program for upper ends of compositions: each rounding and each term against exact twins, and what it refuses."""

import json
import random
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from itertools import pairwise, product
from math import comb

import mpmath
import pytest
from adversarial_certificates import LOSS, certificates_examined
from mpmath import mpf
from rough_decimals import draws, normal_truth, nudges, real, roughen

from pldcheck.checkers import (
    claim_files,
    directed_decimals,
    discrete_weights,
    lattice_sums,
    loss_lattice,
    loss_laws,
    upper_loss,
)
from pldcheck.checkers.composition_rounds import laws as laws_of_rounds


@pytest.fixture
def rough(monkeypatch):
    """Rough decimals, so that a rounding in the wrong direction or a missing term shows."""
    with mpmath.workdps(60):
        roughen(monkeypatch, upper_loss)
        yield


# --- Laws -------------------------------------------------------------------------------------------------------------


def gaussian_truth(variance):
    root = mpmath.sqrt(variance)
    return lambda t: (normal_truth(t / root - root / 2), normal_truth(t / root + root / 2))


def finite_truth(losses, p, q, infinite=0):
    def tails(t):
        above = [i for i, loss in enumerate(losses) if loss > t]
        return infinite + sum((p[i] for i in above), mpf(0)), sum((q[i] for i in above), mpf(0))

    return tails


def response_truth(eps0, delta0=0):
    high = (1 - mpf(delta0)) / (1 + mpmath.exp(-eps0))
    low = 1 - mpf(delta0) - high
    return finite_truth([eps0, -eps0], [high, low], [low, high], mpf(delta0))


def krr_truth(eps0, outputs):
    x = mpmath.exp(eps0)
    p = [x / (x + outputs - 1), (outputs - 2) / (x + outputs - 1), 1 / (x + outputs - 1)]
    return finite_truth([eps0, mpf(0), -eps0], p, p[::-1])


def laplace_truth(scale):
    a = 1 / mpf(scale)

    def tails(t):
        if t >= a or t < -a:
            return (mpf(t < 0), mpf(t < 0))
        return 1 - mpmath.exp((t - a) / 2) / 2, mpmath.exp((-t - a) / 2) / 2

    return tails


def discrete_truth(sigma):
    reach = range(-int(14 * sigma) - 9, int(14 * sigma) + 10)
    weights = {k: mpmath.exp(-mpf(k * k) / (2 * mpf(sigma) ** 2)) for k in (*reach, reach[-1] + 1, reach[0] - 1)}
    total = sum(weights.values())
    losses = [(1 - 2 * mpf(k)) / (2 * mpf(sigma) ** 2) for k in reach]
    return finite_truth(losses, [weights[k] / total for k in reach], [weights[k - 1] / total for k in reach])


def sample_truth(base, rate, direction):
    """The tails of the mixture, by the loss of the base pair at which its loss is t."""
    rate = mpf(rate)

    def shifted(t):
        return mpmath.log((mpmath.exp(t) - 1 + rate) / rate)

    def removed(t):
        if mpmath.exp(t) < 1 - rate:  # where P has nothing, the loss is log(1 - rate)
            return mpf(1), mpf(1)
        p, q = base(shifted(t))
        return rate * p + (1 - rate) * q, q

    def added(t):
        # Both probabilities of a loss of the first pair below -t, by symmetry of the base.
        if mpmath.exp(-t) <= 1 - rate:
            return mpf(0), mpf(0)
        p, q = base(-shifted(-t))
        return p, rate * q + (1 - rate) * p

    return {"removed": removed, "added": added, "replaced": lambda t: removed(t) if t >= 0 else added(t)}[direction]


def replaced_truth(variance, rate):
    """The tails of ((1-r) N(0) + r N(1), (1-r) N(0) + r N(-1)), by a root finder on the loss of an output."""
    root, rate = mpmath.sqrt(variance), mpf(rate)

    def loss(z):
        likely, other = (mpmath.exp(sign * root * z - variance / 2) for sign in (1, -1))
        return mpmath.log((1 - rate + rate * likely) / (1 - rate + rate * other))

    def tails(t):
        reach = (abs(t) + variance - mpmath.log(rate) + 3) / root
        low, high = -reach, reach
        for _ in range(12):  # a start for the secants
            low, high = (low, (low + high) / 2) if loss((low + high) / 2) > t else ((low + high) / 2, high)
        z = mpmath.findroot(lambda z: loss(z) - t, (low, high), solver="anderson", verify=False, maxsteps=200)
        middle = (1 - rate) * normal_truth(z)
        return middle + rate * normal_truth(z - root), middle + rate * normal_truth(z + root)

    return tails


def pairs_of_laws():
    """Laws of the program, each with the tails that it must enclose; their masses of atoms are exact in binary."""
    for sigma in ("0.4", "1", "5"):
        yield loss_laws.gaussian(1 / Fraction(sigma) ** 2), gaussian_truth(1 / mpf(sigma) ** 2)
    for eps0, delta0 in (("0.125", "0"), ("1", "0.0078125"), ("6", "0")):
        law = loss_laws.response(Fraction(eps0), Decimal(delta0))
        yield law, response_truth(mpf(eps0), delta0)
    yield loss_laws.k_ary_response(Fraction(1), 2), krr_truth(mpf(1), 2)
    yield loss_laws.k_ary_response(Fraction("2.5"), 10), krr_truth(mpf("2.5"), 10)
    for scale in ("0.3", "1", "7"):
        yield loss_laws.laplace(Fraction(scale)), laplace_truth(scale)
    for sigma in ("0.4", "1.5"):
        yield loss_laws.discrete_gaussian(Fraction(sigma)), discrete_truth(mpf(sigma))
    for variance, rate in (("1", "0.015625"), ("0.25", "0.75"), ("9", "0.5"), ("2", "1")):
        yield loss_laws.replaced_gaussian(Fraction(variance), Decimal(rate)), replaced_truth(mpf(variance), rate)
    for direction in ("removed", "added", "replaced"):
        for rate in ("0.015625", "0.75"):
            law = loss_laws.sample(loss_laws.gaussian(Fraction(1)), Decimal(rate), direction)
            yield law, sample_truth(gaussian_truth(mpf(1)), rate, direction)
            law = loss_laws.sample(loss_laws.response(Fraction(2), Decimal("0.125")), Decimal(rate), direction)
            yield law, sample_truth(response_truth(mpf(2), "0.125"), rate, direction)
            law = loss_laws.sample(loss_laws.laplace(Fraction(1)), Decimal(rate), direction)
            yield law, sample_truth(laplace_truth(1), rate, direction)


def losses_to_try(seed, count=60):
    draw = random.Random(seed)
    sizes = [Fraction(draw.randrange(1, 10**6), 10 ** draw.randrange(5, 8)) for _ in range(count)]
    return [sign * size + Fraction(1, 10**9) for size in sizes for sign in (1, -1)]


def test_tails_of_all_laws_are_enclosed(rough):
    for number, (law, truth) in enumerate(pairs_of_laws()):
        for t in losses_to_try(number):
            for ends, exact in zip(law.tails(t, t), truth(real(t)), strict=True):
                assert real(ends[0]) <= exact <= real(ends[1]), (number, t)


@pytest.mark.nightly
def test_tails_of_all_laws_are_narrow():
    with mpmath.workdps(130):
        for number, (law, truth) in enumerate(pairs_of_laws()):
            for t in losses_to_try(number, 6):
                for ends, exact in zip(law.tails(t, t), truth(real(t)), strict=True):
                    low, high = map(real, ends)
                    # Where e^t - 1 + rate might be 0, all that is known is that a tail is from 0 to 1.
                    assert low - mpf("1e-90") <= exact <= high + mpf("1e-90") and high - low <= mpf("1e-85"), (
                        number,
                        t,
                    )


def test_tails_between_two_losses_hold_for_both(rough):
    for number, (law, truth) in enumerate(pairs_of_laws()):
        for t in losses_to_try(number, 6):
            u = t + Fraction(1, 7)
            for ends, high, low in zip(law.tails(t, u), truth(real(t)), truth(real(u)), strict=True):
                assert real(ends[0]) <= low and high <= real(ends[1]), (number, t)


def test_weights_that_a_discrete_gaussian_leaves_out_are_in_its_ends(monkeypatch):
    # With few digits few weights are computed.
    with mpmath.workdps(60):
        roughen(monkeypatch, upper_loss)
        monkeypatch.setattr(discrete_weights, "DIGITS", Fraction(1, 10))
        law, truth = loss_laws.discrete_gaussian(Fraction(2)), discrete_truth(2)
        for t in losses_to_try(3):
            for ends, exact in zip(law.tails(t, t), truth(real(t)), strict=True):
                assert real(ends[0]) <= exact <= real(ends[1]), t


def test_a_product_is_enclosed(rough):
    for draw in draws(100):
        x, y = (Decimal(draw.randrange(10**6, 10**7)) / 10**7 for _ in range(2))
        low, high = directed_decimals.Ends(x, x) * directed_decimals.Ends(y, y)
        assert Fraction(low) < Fraction(x) * Fraction(y) < Fraction(high)


@pytest.mark.long
def test_no_operation_of_a_law_may_be_rounded_the_other_way(monkeypatch):
    with mpmath.workdps(110):
        monkeypatch.setattr(directed_decimals, "NOTHING", Decimal("1e-5"))
        monkeypatch.setattr(directed_decimals, "DEPTH", 60)
        monkeypatch.setattr(discrete_weights, "DIGITS", Fraction(1, 20))

        def laws():
            yield loss_laws.gaussian(Fraction(1)), gaussian_truth(mpf(1)), ("-2", "-0.1", "1.25", "9")
            yield loss_laws.response(Fraction(1), Decimal("0.125")), response_truth(mpf(1), "0.125"), ("-2", "0", "3")
            yield loss_laws.k_ary_response(Fraction(1), 5), krr_truth(mpf(1), 5), ("-2", "-0.5", "0.5", "3")
            yield loss_laws.laplace(Fraction(2)), laplace_truth(2), ("-1", "-0.25", "0.25", "1")
            yield loss_laws.discrete_gaussian(Fraction(1)), discrete_truth(1), ("-9", "-0.25", "0.25", "9")
            # What is left out is nearly its bound.
            yield loss_laws.discrete_gaussian(Fraction("0.3")), discrete_truth(mpf("0.3")), ("-28", "0.25", "28")
            for direction in ("removed", "added", "replaced"):
                law = loss_laws.sample(loss_laws.laplace(Fraction(1)), Decimal("0.25"), direction)
                truth = sample_truth(laplace_truth(1), "0.25", direction)
                yield law, truth, ("-0.28", "-0.25", "-0.1", "0.1", "0.25", "0.28", "1")

        for number, (_, truth, losses) in enumerate([*laws()]):
            for text in losses:
                t = Fraction(text)

                def compute(number=number, t=t):
                    return [*laws()][number][0].tails(t, t) if number else loss_laws.gaussian(Fraction(1)).tails(t, t)

                for found in nudges(monkeypatch, upper_loss, compute):
                    for ends, exact in zip(found, truth(real(t)), strict=True):
                        assert real(ends[0]) - mpf("1e-95") <= exact <= real(ends[1]) + mpf("1e-95"), (number, text)


def test_no_operation_of_a_lattice_may_be_rounded_the_other_way(monkeypatch):
    with mpmath.workdps(60):
        at = fine(one=10**30, width=Fraction(1, 2), points=8, growth=1)
        law, truth = loss_laws.laplace(Fraction(1)), laplace_truth(1)
        tails = {(t, t): law.tails(t, t) for t in (k * at.width for k in range(-9, 10))}
        known = loss_laws.Law(lambda low, high: tails[low, high], [])
        monkeypatch.setattr(loss_lattice, "level_of", lambda *_: 0)  # any level is right
        for found in nudges(monkeypatch, upper_loss, lambda: loss_lattice.lattice_law(known, at)):
            for k in range(-3, 4):
                assert curve(found, at.width, at.one, mpf(k) / 2) >= exact_curve(truth, mpf(k) / 2) - mpf("1e-50")
        atom = loss_lattice.Lattice([0, 10**30], 0, 0, 0)
        low, high = loss_lattice.coarsen(atom, at).masses
        for found in nudges(monkeypatch, upper_loss, lambda: loss_lattice.coarsen(atom, at)):
            assert found.masses[0] >= low and found.masses[1] >= high


def test_no_operation_of_a_delta_may_be_rounded_the_other_way(monkeypatch):
    with mpmath.workdps(60):
        at = fine(one=10**30, width=Fraction(1, 2), points=3, growth=1)
        law, truth = loss_laws.laplace(Fraction(1)), laplace_truth(1)
        tails = {(t, t): law.tails(t, t) for t in (k * at.width / 2 for k in range(-9, 10))}
        known = loss_laws.Law(lambda low, high: tails[low, high], [])
        monkeypatch.setattr(loss_lattice, "level_of", lambda *_: 0)  # any level is right
        exact = exact_curve(truth, mpf("0.25"))
        for low, high in nudges(
            monkeypatch, upper_loss, lambda: upper_loss.delta_ends([(known, 1)], Fraction(1, 4), at)
        ):
            assert real(low) <= exact <= real(high)
        twice = loss_lattice.sum_law(*[loss_lattice.lattice_law(known, at)] * 2, at)
        lower = curve(twice, at.width, at.one, mpf("0.25"))
        for low, high in nudges(
            monkeypatch, upper_loss, lambda: upper_loss.delta_ends([(known, 2)], Fraction(1, 4), at)
        ):
            assert real(low) <= exact and lower <= real(high) * (1 + mpf("1e-28"))


# --- Lattices ---------------------------------------------------------------------------------------------------------


def fine(**changes):
    values = {
        "one": 10**5,
        "width": Fraction(1, 3),
        "points": 400,
        "cells": 4,
        "growth": 8,
        "cut": 0,
        "most": 20000,
    } | changes
    return lattice_sums.Fineness(**values)


def curve(law, width, one, epsilon):
    """Delta of a lattice law."""
    total = mpf(law.infinity)
    for k, mass in enumerate(law.masses, law.first):
        loss = real(k * width * 2**law.level)
        total += mass * max(1 - mpmath.exp(epsilon - loss), mpf(0))
    return total / one


EPSILONS = [mpf(n) / 8 for n in (-40, -17, -9, -8, -5, -3, -1, 0, 1, 2, 4, 7, 8, 11, 19, 31)]


def exact_curve(truth, epsilon):
    p, q = truth(epsilon)
    return p - mpmath.exp(epsilon) * q


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"one": 100, "width": Fraction(1, 2)},
        {"cut": 3000, "growth": 1},
        {"points": 5},
        {"one": 10**30, "width": Fraction(1, 7)},
    ],
)
def test_lattice_laws_are_nowhere_below(changes):
    with mpmath.workdps(60):
        at = fine(**changes)
        for number, (law, truth) in enumerate([*pairs_of_laws()][at.one % 4 :: 4]):
            found = loss_lattice.lattice_law(law, at)
            for epsilon in EPSILONS:
                assert curve(found, at.width, at.one, epsilon) >= exact_curve(truth, epsilon), (number, epsilon)


def test_a_law_with_far_losses_is_on_a_wider_lattice_with_all_of_them():
    with mpmath.workdps(60):
        at = fine(one=10**30, width=Fraction(1, 64), points=200, growth=4000, cut=10**12)
        law, truth = loss_laws.gaussian(Fraction(9)), gaussian_truth(mpf(9))
        found = loss_lattice.lattice_law(law, at)
        # But for 1e-18 at either end its losses are from -22 to 31: 200 places of 1/2 hold them, but not of 1/4.
        assert found.level == 5 and len(found.masses) <= at.points and found.infinity <= 2 * at.cut
        for epsilon in EPSILONS:
            delta = exact_curve(truth, epsilon)
            assert delta <= curve(found, at.width, at.one, epsilon) <= delta * mpf("1.01") + mpf("1e-15")
        assert loss_lattice.lattice_law(loss_laws.response(Fraction(1)), at).level == 0
        # Losses so far away are infinite for any claim: no level holds them.
        assert loss_lattice.level_of(loss_laws.gaussian(Fraction(10) ** 30), at) < 64


def test_sums_are_coarser_before_their_lower_tail_is_raised():
    """The sum has more places than are allowed until it is on a coarser lattice, which holds them all."""
    at = fine(one=10**30, points=41, cells=4)
    law = loss_lattice.Lattice([10**30 // 2, *[0] * 39, 10**30 // 2], -20, 0, 0)
    found = loss_lattice.sum_law(law, law, at)
    width = 2**found.level
    mean = sum(mass * (found.first + i) * width for i, mass in enumerate(found.masses)) / 10**30
    assert found.level > 0 and abs(mean) < 1.0  # raised first, the lower tail would make it 10


@pytest.mark.nightly
def test_atoms_that_are_too_many_are_no_places_of_their_own():
    at = fine(width=Fraction(1, 8), points=400, growth=8, most=200)
    many = [Fraction(n, 10) + Fraction(1, 1000) for n in range(-400, 400)]
    assert loss_lattice.cuts(many, at.width, at) == loss_lattice.cuts([], at.width, at)
    assert {8, 9} <= {*loss_lattice.cuts([Fraction(17, 16)], at.width, at)}


@pytest.mark.nightly
def test_lattice_laws_of_rough_tails_are_nowhere_below(rough, monkeypatch):
    monkeypatch.setattr(loss_lattice, "level_of", lambda *_: 0)  # rough tails are nowhere small enough
    at = fine(one=10**12, width=Fraction(1, 5))
    for number, (law, truth) in enumerate(pairs_of_laws()):
        found = loss_lattice.lattice_law(law, at)
        for epsilon in EPSILONS:
            assert curve(found, at.width, at.one, epsilon) >= exact_curve(truth, epsilon), (number, epsilon)


@pytest.mark.nightly
def test_at_its_places_a_lattice_law_is_exact():
    with mpmath.workdps(60):
        at = fine(one=10**40, growth=4000, cut=1)
        for law, truth in pairs_of_laws():
            found = loss_lattice.lattice_law(law, at)
            for k in range(-5, 6):
                epsilon = mpf(k) / 3
                assert abs(curve(found, at.width, at.one, epsilon) - exact_curve(truth, epsilon)) < mpf("1e-36")


def some_law(draw, size=9, largest=10**5):
    masses = [draw.randrange(largest) for _ in range(size)]
    return loss_lattice.Lattice(masses, draw.randrange(-6, 3), draw.randrange(largest // 9 + 1), 0)


@pytest.mark.nightly
def test_a_coarser_law_is_nowhere_below():
    with mpmath.workdps(60):
        for draw in draws(150):
            at, law = fine(one=1000), some_law(draw, draw.randrange(1, 10), draw.choice([3, 10**5]))
            coarse = loss_lattice.coarsen(law, at)
            assert coarse.level == 1 and coarse.infinity == law.infinity
            for epsilon in EPSILONS:
                before, after = (curve(one, at.width, at.one, epsilon) for one in (law, coarse))
                assert before <= after
            kept = loss_lattice.coarsen(law, fine(one=10**40))
            # Both masses are kept, but for units.
            assert 0 <= sum(kept.masses) - sum(law.masses) <= 2 * len(law.masses)


@pytest.mark.nightly
def test_a_law_that_is_coarser_again_is_nowhere_below():
    with mpmath.workdps(60):
        at = fine(one=10**30, width=Fraction(1, 2))
        law = loss_lattice.Lattice([10**30, 0, 3 * 10**30, 10**30], -1, 0, 1)
        again = loss_lattice.coarsen(law, at)
        for epsilon in EPSILONS:
            assert curve(law, at.width, at.one, epsilon) <= curve(again, at.width, at.one, epsilon)


@pytest.mark.nightly
def test_shares_of_a_coarser_law_are_rounded_up(rough):
    at = fine(one=10**12)
    assert loss_lattice.coarsen(loss_lattice.Lattice([0, 1], 0, 0, 0), at).masses == [1, 1]
    for draw in draws(50):
        width = Fraction(draw.randrange(1, 1000), 300)
        law = loss_lattice.Lattice([0, 10**12], 0, 0, 0)
        low, high = loss_lattice.coarsen(law, at._replace(width=width)).masses
        exact = 10**12 / (1 + mpmath.exp(-real(width)))
        assert exact <= high <= exact * (1 + mpf("1e-5")) and 10**12 - exact <= low


def test_a_law_without_tails_is_nowhere_below():
    with mpmath.workdps(60):
        for draw in draws(150):
            law = some_law(draw, draw.randrange(1, 12), draw.choice([9, 10**5]))
            at = fine(cut=draw.choice([0, 20, 10**5, 10**6]), points=draw.choice([1, 2, 5, 400]))
            short = loss_lattice.trim(law, at)
            assert len(short.masses) <= max(1, at.points)
            assert sum(short.masses) + short.infinity == sum(law.masses) + law.infinity
            assert short.infinity - law.infinity <= at.cut
            for epsilon in EPSILONS:
                before, after = (curve(one, at.width, at.one, epsilon) for one in (law, short))
                assert before <= after


def test_sums_are_above_exact_ones_by_roundings_only():
    at = fine(one=1000, cells=10**6)
    for draw in draws(200):
        one, other = (some_law(draw, draw.randrange(1, 7), draw.choice([2, 1000, 10**9])) for _ in range(2))
        found = loss_lattice.sum_law(one, other, at)
        exact = {}
        for (i, a), (j, b) in product(enumerate(one.masses, one.first), enumerate(other.masses, other.first)):
            exact[i + j] = exact.get(i + j, 0) + Fraction(a * b, 1000)
        inside = range(found.first, found.first + len(found.masses))
        assert all(not mass for place, mass in exact.items() if place not in inside)
        for place, mass in zip(inside, found.masses, strict=True):
            assert 0 <= mass - exact.get(place, 0) < 1
        all_one, all_other = sum(one.masses) + one.infinity, sum(other.masses) + other.infinity
        infinite = Fraction(all_one * all_other - sum(one.masses) * sum(other.masses), 1000)
        assert 0 <= found.infinity - infinite < 1


@pytest.mark.nightly
def test_sums_of_laws_on_different_lattices_are_on_the_coarser_one():
    at = fine(one=10**30, cells=10**6)
    draw = random.Random(5)
    one, other = some_law(draw), some_law(draw)._replace(level=2)
    found = loss_lattice.sum_law(one, other, at)
    assert found.level == 2
    same = loss_lattice.sum_law(loss_lattice.at_level(one, 2, at), other, at)
    assert found == same


@pytest.mark.parametrize("count", [1, 2, 3, 6, 11])
def test_powers_are_sums_of_so_many(count):
    at = fine(one=10**30, cells=10**6)
    law = loss_lattice.Lattice([10**30 // 4, 0, 3 * 10**30 // 4], -1, 0, 0)
    found = loss_lattice.power_law(law, count, at)
    for j in range(count + 1):
        exact = Fraction(comb(count, j) * 3**j, 4**count) * 10**30
        mass = dict(enumerate(found.masses, found.first)).get(2 * j - count, 0)
        assert 0 <= mass - exact <= 10 * count


# --- Claims -----------------------------------------------------------------------------------------------------------


def certificate(rounds, epsilon, delta, times=1, **changes):
    fineness = {"digits": 40, "width": "0.1", "points": 4096, "cells": 32, "growth": 64, "cut": "1e-30"} | changes
    claim = {"mechanism": "composition", "rounds": rounds, "times": times, "epsilon": epsilon, "delta": delta}
    return {"pldcheck_certificate": "upper_loss", "claim": claim, "fineness": fineness}


def mechanism(name, count=1, rate="1", **numbers):
    return {"mechanism": name, "count": count, "rate": rate, **numbers}


def delta_upper(rounds, epsilon, times=1, **changes):
    (_, upper), _ = upper_loss.upper_delta(certificate(rounds, epsilon, "0", times, **changes))
    return real(upper)


def composed_truth(pairs, epsilon):
    """Delta of finite laws, by all outcomes: each is a list of (loss, P-mass), infinite losses among them."""
    total = mpf(0)
    for outcomes in product(*pairs):
        loss, mass = sum((loss for loss, _ in outcomes), mpf(0)), mpmath.fprod(mass for _, mass in outcomes)
        if loss > epsilon:
            total += mass * (1 if loss == mpmath.inf else 1 - mpmath.exp(epsilon - loss))
    return total


def response_atoms(eps0, delta0=0):
    high = (1 - mpf(delta0)) / (1 + mpmath.exp(-mpf(eps0)))
    return [(mpf(eps0), high), (-mpf(eps0), 1 - mpf(delta0) - high), (mpmath.inf, mpf(delta0))]


def test_samples_of_responses_by_all_outcomes():
    with mpmath.workdps(60):
        rate, x = mpf("0.25"), mpmath.exp(mpf(1))
        p, q = [x / (1 + x), 1 / (1 + x)], [1 / (1 + x), x / (1 + x)]
        mixed = [rate * a + (1 - rate) * b for a, b in zip(p, q, strict=True)]
        both = [[(mpmath.log(a / b), a) for a, b in zip(*pair, strict=True)] for pair in ((mixed, q), (q, mixed))]
        larger = set()
        for epsilon in ("0.1", "0.4", "0.9", "1.3"):
            truths = [composed_truth([atoms] * 5, mpf(epsilon)) for atoms in both]
            larger.add(truths[0] > truths[1])
            rounds = [mechanism("rr", 5, "0.25", eps0="1", delta0="0")]
            assert max(truths) <= delta_upper(rounds, epsilon, width="0.002") <= max(truths) * mpf("1.003")
        assert larger == {True, False}


def test_compositions_of_different_rounds_by_all_outcomes():
    with mpmath.workdps(60):
        rounds = [
            mechanism("rr", 2, eps0="0.3", delta0="0.001"),
            mechanism("rr", 1, eps0="0.7", delta0="0"),
            mechanism("krr", 1, eps0="0.5", outputs="4"),
        ]
        p = [real(x) for x in (mpmath.exp(0.5), 2, 1)]
        krr = [(loss, mass / sum(p)) for loss, mass in zip((mpf("0.5"), mpf(0), -mpf("0.5")), p, strict=True)]
        once = [response_atoms("0.3", "0.001"), response_atoms("0.3", "0.001"), response_atoms("0.7"), krr]
        for times in (1, 2):
            for epsilon in ("0", "0.35", "1", "2.05"):
                truth = composed_truth(once * times, mpf(epsilon))
                found = delta_upper(rounds, epsilon, times)
                assert truth <= found <= truth * mpf("1.0000001")


@pytest.mark.nightly
@pytest.mark.parametrize("delta0", ["0", "0.0001"])
@pytest.mark.parametrize("count", [1, 7, 64, 1000])
def test_responses_are_nearly_exact(count, delta0):
    with mpmath.workdps(120):
        x, none = mpmath.exp(mpf("0.1")), (1 - mpf(delta0)) ** count
        for epsilon in ("0", "0.25", "4"):
            kappa, total = mpmath.exp(mpf(epsilon)), mpf(0)
            for i in range(count + 1):
                gap = x ** (count - i) - kappa * x**i
                total += mpmath.binomial(count, i) * max(gap, 0) / (1 + x) ** count
            truth = 1 - none * (1 - total)
            found = delta_upper([mechanism("rr", count, eps0="0.1", delta0=delta0)], epsilon)
            wide = mpf("1e-9") if count < 1000 else mpf("0.002")
            assert truth <= found <= truth * (1 + wide) + mpf("1e-24")


@pytest.mark.nightly
def test_gaussian_noise_of_all_rounds_is_one_normal_loss():
    with mpmath.workdps(60):
        rounds = [mechanism("gaussian", 3, sigma="2"), mechanism("gaussian", 5, sigma="0.7")]
        truth = exact_curve(gaussian_truth(2 * (mpf(3) / 4 + 5 / mpf("0.49"))), mpf("9.5"))
        assert truth <= delta_upper(rounds, "9.5", 2) <= truth * (1 + mpf("1e-30"))


@pytest.mark.nightly
def test_gaussian_noise_with_a_response_is_a_mean_of_two_curves():
    with mpmath.workdps(60):
        rounds = [mechanism("gaussian", 3, sigma="2"), mechanism("rr", 1, eps0="0.4", delta0="0.01")]
        normal = gaussian_truth(mpf(3) / 4)
        for epsilon in ("0", "1", "3"):
            truth = mpf("0.01")
            for loss, mass in response_atoms("0.4", "0.01")[:2]:
                truth += mass * exact_curve(normal, mpf(epsilon) - loss)
            assert truth <= delta_upper(rounds, epsilon, width="0.02") <= truth * mpf("1.001")


@pytest.mark.nightly
def test_two_laplace_steps_by_quadrature():
    with mpmath.workdps(30):
        rate, base = mpf("0.3"), laplace_truth(1)
        reach = sorted(mpmath.log(1 + rate * mpmath.expm1(sign)) for sign in (-1, 1))
        for epsilon in ("0.05", "0.3"):
            lower = []
            for direction in ("removed", "added"):
                tails = sample_truth(base, rate, direction)
                low, high = reach if direction == "removed" else (-reach[1], -reach[0])
                cells = [low + (high - low) * mpf(i) / 300 for i in range(300)]
                masses = [1 - tails(low)[0]]
                masses += [tails(a)[0] - tails(b)[0] for a, b in pairwise(cells)]
                masses.append(tails(cells[-1])[0])
                # A loss is at least the lower edge of its cell, and the curve falls.
                losses = [low, *cells]
                curves = (exact_curve(tails, mpf(epsilon) - loss) for loss in losses)
                lower.append(sum(mass * at for mass, at in zip(masses, curves, strict=True)))
            found = delta_upper([mechanism("laplace", 2, "0.3", scale="1")], epsilon, width="0.002")
            assert max(lower) <= found <= max(lower) * mpf("1.03")


@pytest.mark.nightly
def test_equal_rounds_are_counted_together():
    twice = [mechanism("rr", 2, eps0="0.1", delta0="0"), mechanism("rr", 5, eps0="0.10", delta0="0")]
    once = [mechanism("rr", 7, eps0="0.1", delta0="0")]
    assert delta_upper(twice, "0.3") == delta_upper(once, "0.3")


@pytest.mark.nightly
def test_the_order_of_rounds_does_not_change_their_laws():
    replaced = ("fixed-size-gaussian", (Fraction(2),), Fraction(1, 10), 1)
    sampled = ("gaussian", (Fraction(1),), Fraction(3, 10), 1)
    for direction in ("removed", "added"):
        orders = [laws_of_rounds(rounds, 1, direction, 0) for rounds in ((replaced, sampled), (sampled, replaced))]
        (last, _), (first, _) = orders[0][1], orders[1][0]
        for t in (Fraction(-1, 5), Fraction(1, 5)):
            assert last.tails(t, t) == first.tails(t, t)


@pytest.mark.nightly
def test_a_delta_without_any_digit_to_speak_of_is_compared_at_once():
    rounds = [mechanism("gaussian", 1, sigma="1000000000")]
    assert upper_loss.verify(certificate(rounds, "1e7", "1e-300")).status == 0


def test_masses_that_rounding_has_doubled_are_refused_at_once():
    rounds = [mechanism("rr", 10**12, eps0="100", delta0="0")]
    verdict = upper_loss.verify(certificate(rounds, "1", "0.5", 10**12, digits=10))
    assert verdict.status == 2 and "the digits are too few" in verdict.sentence


@pytest.mark.nightly
def test_a_coarser_lattice_has_no_smaller_delta():
    rounds = [mechanism("rr", 1000, eps0="0.1", delta0="0")]
    deltas = [delta_upper(rounds, "14", cells=cells) for cells in (2, 4, 64)]
    assert deltas[0] > deltas[1] > deltas[2] > mpf("0.0009")


@pytest.mark.parametrize("rate", ["1", "0.25"])
@pytest.mark.parametrize("name", ["gaussian", "fixed-size-gaussian"])
def test_a_sample_that_serves_four_releases_is_one_with_half_the_noise(name, rate):
    reused = [mechanism(f"reused-{name}", 3, rate, sigma="2", releases="4")]
    assert delta_upper(reused, "0.5") == delta_upper([mechanism(name, 3, rate, sigma="1")], "0.5")
    twice, once = (
        [mechanism("replaced-gaussian", 3, rate, sigma=sigma, releases=releases)]
        for sigma, releases in (("2", "4"), ("1", "1"))
    )
    assert delta_upper(twice, "0.5") == delta_upper(once, "0.5")
    # A replaced record of the rate 1 is Gaussian noise on two numbers that are 2 apart.
    if rate == "1":
        truth = exact_curve(gaussian_truth(mpf(12)), mpf("0.5"))
        assert truth <= delta_upper(once, "0.5", width="0.02") <= truth * mpf("1.001")


@pytest.mark.nightly
def test_several_releases_of_one_sample_rest_on_composition():
    for name in ("reused-gaussian", "reused-fixed-size-gaussian"):
        for releases, composed in (("1", False), ("2", True)):
            rounds = [mechanism(name, 1, "0.5", sigma="3", releases=releases)]
            sentence = upper_loss.verify(certificate(rounds, "3", "0.5")).sentence
            assert sentence.startswith("accepted") and ("composed-pairs" in sentence) is composed


@pytest.mark.nightly
def test_a_replaced_record_that_is_hardly_ever_sampled_costs_next_to_nothing():
    rounds = [mechanism("replaced-gaussian", 1, "1e-30", sigma="0.1", releases="3")]
    assert delta_upper(rounds, "0") <= mpf("1.000001e-30")


@pytest.mark.nightly
def test_releases_are_whole():
    for name in ("reused-gaussian", "reused-fixed-size-gaussian", "replaced-gaussian"):
        verdict = upper_loss.verify(certificate([mechanism(name, 1, "0.5", sigma="2", releases="1.5")], "1", "0.9"))
        assert verdict == (2, "refused: releases must be a whole number")


@pytest.mark.nightly
def test_what_one_round_shows_to_be_false_is_called_false():
    rounds = [mechanism("gaussian", 4, "0.5", sigma="1")]
    verdict = upper_loss.verify(certificate(rounds, "0.1", "0.001"))
    assert verdict.status == 1 and verdict.sentence.startswith("false: delta is at least 0.")
    closed = [mechanism("gaussian", 4, sigma="1")]
    with mpmath.workdps(60):
        truth = exact_curve(gaussian_truth(mpf(4)), mpf(1))
        for factor, status in (("1.00000001", 0), ("0.99999999", 1)):
            text = mpmath.nstr(truth * mpf(factor), 20)
            verdict = upper_loss.verify(certificate(closed, "1", text))
            assert verdict.status == status and ("false" in verdict.sentence) == bool(status)


def test_a_lower_end_is_below_the_truth(rough):
    for sigma in ("0.4", "1", "3"):
        truth = exact_curve(gaussian_truth(1 / mpf(sigma) ** 2), mpf("0.5"))
        at = upper_loss.delta_ends([(loss_laws.gaussian(1 / Fraction(sigma) ** 2), 1)], Fraction(1, 2), fine())
        assert real(at.lower) <= truth <= real(at.upper)


def test_the_verdict_is_at_the_claimed_delta_exactly():
    rounds = [mechanism("rr", 10, eps0="0.1", delta0="0")]
    (_, high), _ = upper_loss.upper_delta(certificate(rounds, "0.5", "0"))
    more, less = (f"{Context(prec=40, rounding=way).plus(high):f}" for way in (ROUND_CEILING, ROUND_FLOOR))
    assert upper_loss.verify(certificate(rounds, "0.5", more)).status == 0
    assert upper_loss.verify(certificate(rounds, "0.5", less)).status == 1


def test_the_statements_that_an_acceptance_rests_on_are_named():
    accepted = upper_loss.verify(certificate([mechanism("rr", 2, eps0="1", delta0="0")], "2", "1e-6"))
    sentence = "accepted: 2 x rr (eps0 1, delta0 0) is (2, 1e-6)-DP; this rests on composed-pairs and approximate-pair"
    assert accepted == (0, sentence)
    for rate, samples in (("1", False), ("0.5", True)):
        rounds = [mechanism("rr", 2, rate, eps0="1", delta0="0")]
        assert ("poisson-sampling" in upper_loss.verify(certificate(rounds, "2", "1e-6")).sentence) is samples
    alone = upper_loss.verify(certificate([mechanism("krr", 1, eps0="1", outputs="3")], "1", "1e-6"))
    assert alone.sentence.endswith("; this rests on curves")


@pytest.mark.nightly
def test_samples_of_two_kinds_are_not_composed():
    poisson, fixed = mechanism("gaussian", 1, "0.5", sigma="2"), mechanism("fixed-size-gaussian", 1, "0.5", sigma="2")
    reused = mechanism("reused-gaussian", 1, "0.5", sigma="2", releases="3")
    more = mechanism("reused-fixed-size-gaussian", 1, "0.5", sigma="2", releases="3")
    replaced = mechanism("replaced-gaussian", 1, "0.5", sigma="2", releases="1")
    for rounds in ([poisson, replaced], [reused, {**replaced, "rate": "1"}], [reused, more], [fixed, reused]):
        assert "do not go together" in upper_loss.verify(certificate(rounds, "1", "0.9")).sentence
    for rounds in ([replaced, fixed, more], [poisson, reused]):
        assert upper_loss.verify(certificate(rounds, "9", "0.9")).status == 0
    for rounds in ([poisson, fixed], [fixed, mechanism("rr", 1, "0.1", eps0="1", delta0="0")]):
        verdict = upper_loss.verify(certificate(rounds, "1", "0.9"))
        assert verdict.status == 2 and "do not go together" in verdict.sentence
    for rounds in ([fixed, mechanism("gaussian", 1, sigma="2")], [poisson, {**fixed, "rate": "1"}]):
        assert upper_loss.verify(certificate(rounds, "1", "0.9")).status == 0


# --- Files ------------------------------------------------------------------------------------------------------------

GOOD = certificate([mechanism("rr", 3, eps0="1", delta0="0")], "2", "0.5")
TEXT = json.dumps(GOOD)
REFUSED = {
    "empty": "",
    "trailing": TEXT + "x",
    "a second object": TEXT + TEXT,
    "twice": TEXT.replace('"times": 1', '"times": 1, "times": 1'),
    "NaN": TEXT.replace('"times": 1', '"times": NaN'),
    "infinite": TEXT.replace('"times": 1', '"times": Infinity'),
    "a float": TEXT.replace('"times": 1', '"times": 1.0'),
    "1e400": TEXT.replace('"times": 1', '"times": 1e400'),
    "a truth": TEXT.replace('"times": 1', '"times": true'),
    "zero": TEXT.replace('"times": 1', '"times": 0'),
    "negative": TEXT.replace('"times": 1', '"times": -1'),
    "a text": TEXT.replace('"times": 1', '"times": "1"'),
    "a number": TEXT.replace('"epsilon": "2"', '"epsilon": 2'),
    "other digits": TEXT.replace('"epsilon": "2"', '"epsilon": "\u0662"'),
    "other digits, escaped": TEXT.replace('"epsilon": "2"', '"epsilon": "\\u0662"'),
    "a newline": TEXT.replace('"epsilon": "2"', '"epsilon": "2\\n"'),
    "a sign": TEXT.replace('"epsilon": "2"', '"epsilon": "-2"'),
    "a large exponent": TEXT.replace('"epsilon": "2"', '"epsilon": "2e9999"'),
    "out of range": TEXT.replace('"epsilon": "2"', '"epsilon": "2e400"'),
    "delta above 1": TEXT.replace('"delta": "0.5"', '"delta": "1.2"'),
    "unknown key": TEXT.replace('"times": 1', '"times": 1, "note": 1'),
    "missing key": TEXT.replace('"times": 1, ', ""),
    "unknown mechanism": TEXT.replace('"rr"', '"rs"'),
    "a list": "[]",
    "a list of lists": "[" * 9000,
    "another program": TEXT.replace("upper_loss", "upper_slot"),
    "no rounds": TEXT.replace(json.dumps(GOOD["claim"]["rounds"]), "[]"),
    "many rounds": json.dumps(GOOD | {"claim": GOOD["claim"] | {"rounds": GOOD["claim"]["rounds"] * 101}}),
    "much work": TEXT.replace('"points": 4096', '"points": 1048576'),
    "much work in all": json.dumps(GOOD | {"claim": GOOD["claim"] | {"times": 10**12}})
    .replace("4096", "250000")
    .replace('"count": 3', '"count": 999999999999'),
    "no width": TEXT.replace('"width": "0.1"', '"width": "0"'),
    "divided by zero": TEXT.replace('"width": "0.1"', '"width": "1/0"'),
    "many cells": TEXT.replace('"growth": 64', '"growth": 4096').replace('"points": 4096', '"points": 100000'),
    "long": TEXT + " " * 20_000,
    "nothing": "null",
    "a byte order mark": "\ufeff" + TEXT,
}


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
def test_spoiled_files_are_refused_in_one_line(text, tmp_path):
    path = tmp_path / "file.json"
    path.write_text(text, encoding="utf-8")
    verdict = claim_files.examine(path, upper_loss.verify)
    assert verdict.status == 2 and verdict.sentence.startswith("refused: ") and "\n" not in verdict.sentence


@pytest.mark.long
def test_no_file_with_changes_is_accepted_if_it_is_false():
    tried, accepted, wrong = certificates_examined(LOSS, seed=1, count=250)
    assert tried == 250 and accepted > 20 and wrong == []
