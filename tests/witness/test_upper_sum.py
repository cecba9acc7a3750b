"""The program for upper ends of a known slot: each rounding and term against exact twins, and what it refuses."""

import json
import random
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from itertools import product
from math import comb

import mpmath
import pytest
from adversarial_certificates import SUM, certificates_examined, slot_delta
from mpmath import mpf
from rough_decimals import draws, normal_truth, nudges, real, roughen

from pldcheck import RandomAllocation
from pldcheck.checkers import (
    claim_files,
    directed_decimals,
    lattice_sums,
    noise_steps,
    step_curves,
    step_lattice,
    upper_sum,
)

WAYS = ("replaced", "removed", "added")


@pytest.fixture
def rough(monkeypatch):
    """Rough decimals, so that a rounding in the wrong direction or a missing term shows."""
    with mpmath.workdps(60):
        roughen(monkeypatch, upper_sum)
        yield


# --- Steps ------------------------------------------------------------------------------------------------------------


def gaussian_truth(sigma, kappa, change):
    """C(x) by the point z at which X is x, by bisection."""
    s, up, down = 1 / mpf(sigma), int(change != "added"), kappa * (change != "removed")

    def gain(z):
        return up * (mpmath.exp(s * z - s * s / 2) - 1) - down * (mpmath.exp(-s * z - s * s / 2) - 1)

    def curve(x):
        low, high = mpf(-200), mpf(200)
        if gain(high) <= x or gain(low) >= x:
            return max(-x, mpf(0))
        for _ in range(220):
            middle = (low + high) / 2
            low, high = (middle, high) if gain(middle) < x else (low, middle)
        mass = normal_truth(low)
        rise = up * (normal_truth(low - s) - mass) - down * (normal_truth(low + s) - mass)
        return rise - x * mass

    return curve


def laplace_truth(eps0, kappa, change):
    """C(x) by parts: the density of A is e^(-eps0/2) a^(-3/2) / 4 between two atoms."""
    low, high = mpmath.exp(-eps0), mpmath.exp(eps0)

    def above(k):
        start = min(max(k, low), high)
        root = mpmath.exp(-eps0 / 2)
        middle = root / 4 * (2 * (mpmath.sqrt(high) - mpmath.sqrt(start)) - k * 2 * (start**-0.5 - high**-0.5))
        return max(low - k, 0) / 2 + max(high - k, 0) * low / 2 + middle

    if change == "removed":
        return lambda x: above(1 + x)
    return lambda x: kappa * (above(1 - x / kappa) - x / kappa)


def discrete_truth(sigma, kappa, change):
    """C(x) by the sum over all integers that matter; the record is at 1 and the reference at 0."""
    sigma = mpf(sigma)
    places = range(-int(30 * sigma) - 1, int(30 * sigma) + 3)
    weights = [mpmath.exp(-(mpf(j) ** 2) / (2 * sigma**2)) for j in places]
    total = mpmath.fsum(weights)
    law = [(mpmath.exp((2 * mpf(j) - 1) / (2 * sigma**2)) - 1, w / total) for j, w in zip(places, weights, strict=True)]
    gains = [(gain if change == "removed" else -kappa * gain, share) for gain, share in law]
    return lambda x: mpmath.fsum(share * (gain - x) for gain, share in gains if gain > x)


def larger_truth(one, other):
    return lambda x: max(one(x), other(x))


def outputs_truth(rows, kappa, change):
    def curve(x):
        best = mpf(0)
        for record, other, own in rows:
            total = mpf(0)
            for a, b, o in zip(record, other, own, strict=True):
                if o:
                    gain = (change != "added") * (a / o - 1) - (change != "removed") * kappa * (b / o - 1)
                    total += o * max(gain - x, mpf(0))
            best = max(best, total)
        return best

    return curve


def steps_and_truths():
    """Steps of the program, each with the curve that it must enclose."""
    for kappa in (Decimal(1), Decimal("1.25"), Decimal(40)):
        for change in ("removed", "added", "replaced"):
            for sigma in ("0.5", "1", "8"):
                step = noise_steps.gaussian(1 / Fraction(sigma) ** 2, kappa, change)
                yield step, gaussian_truth(sigma, real(kappa), change)
            if change != "replaced":
                step = noise_steps.laplace(Fraction("1.5"), kappa, change)
                yield step, laplace_truth(mpf("1.5"), real(kappa), change)
                for sigma in ("0.5", "1.25"):
                    step = noise_steps.discrete_gaussian(Fraction(sigma), kappa, change)
                    yield step, discrete_truth(sigma, real(kappa), change)
            else:
                both = [discrete_truth("0.75", real(kappa), way) for way in ("removed", "added")]
                steps = [noise_steps.discrete_gaussian(Fraction("0.75"), kappa, way) for way in ("removed", "added")]
                yield noise_steps.larger(steps), larger_truth(*both)
            rows = [
                tuple([Fraction(n, 8) for n in row] for row in columns)
                for columns in (((1, 3, 4), (4, 2, 2), (2, 2, 4)), ((1, 3, 4), (4, 2, 2), (4, 2, 2)))
            ]
            values = [tuple([real(mass) for mass in row] for row in columns) for columns in rows]
            yield step_curves.outputs(rows, kappa, change), outputs_truth(values, real(kappa), change)


@pytest.mark.parametrize("sigma", ["0.5", *(pytest.param(sigma, marks=pytest.mark.nightly) for sigma in ("0.1", "3"))])
def test_discrete_noise_is_enclosed_at_and_beyond_its_values(sigma):
    with mpmath.workdps(150):
        truths = {way: discrete_truth(sigma, mpf(1), way) for way in ("removed", "added")}
        for way, truth in truths.items():
            step = noise_steps.discrete_gaussian(Fraction(sigma), Decimal(1), way)
            for x in [Fraction(0), *step.atoms[::13], *(2 * atom for atom in step.atoms[::11])]:
                low, high = map(real, step.curve(x))
                exact = truth(real(x))
                # The sum that stands for the truth has 150 digits, and round-off of its own.
                slack = mpf("1e-145") * (1 + abs(real(x)))
                assert low <= exact + slack and exact <= high + slack, (way, x)
                assert high - low <= mpf("1e-90") * (1 + abs(real(x)))


def test_far_tails_of_discrete_noise_have_all_their_integers():
    # Weights are computed up to 13; at 14 begins what is bounded by a geometric series.
    step, losses = noise_steps.discrete_gaussian(Fraction("0.5"), Decimal(1), "removed"), (10, 12, 13, 14, 15, 20)
    with mpmath.workdps(700):
        shares = {j: mpmath.exp(-2 * mpf(j) ** 2) for j in range(-22, 26)}
        total = mpmath.fsum(shares.values())
        for j in losses:
            # Between two values of A: it is larger at the integers from j on.
            x = Fraction(int(mpmath.exp(4 * j - 4)))
            gains = [(mpmath.exp(4 * mpf(k) - 2) - 1 - real(x), share) for k, share in shares.items() if k >= j]
            exact = mpmath.fsum(gain * share for gain, share in gains) / total
            low, high = map(real, step.curve(x))
            assert 0 < exact <= high and low <= exact and (j > 12 or high <= exact * (1 + mpf("1e-6"))), j


@pytest.mark.nightly
def test_discrete_noise_is_enclosed_where_the_integer_is_not_certain(monkeypatch):
    exactly = noise_steps.log_ends
    monkeypatch.setattr(noise_steps, "log_ends", lambda x: directed_decimals.Ends(exactly(x)[0] - 2, exactly(x)[1] + 2))
    with mpmath.workdps(60):
        for way in ("removed", "added"):
            step, truth = noise_steps.discrete_gaussian(Fraction(1), Decimal(1), way), discrete_truth("1", mpf(1), way)
            for x in (Fraction(n, 8) for n in range(-24, 60, 3)):
                low, high = map(real, step.curve(x))
                assert low <= truth(real(x)) + mpf("1e-55") and truth(real(x)) <= high + mpf("1e-55"), (way, x)


@pytest.mark.nightly
def test_at_the_middle_of_discrete_noise_logarithms_next_to_nothing_are_no_work(rough):
    (step,) = step_curves.steps_of(DISCRETE, Decimal(1), "remove")
    low, high = step.curve(Fraction(0))
    with mpmath.workdps(60):
        assert real(low) <= discrete_truth("1.5", mpf(1), "removed")(mpf(0)) <= real(high)


def places_to_try(seed, count=24):
    draw = random.Random(seed)
    sizes = [Fraction(draw.randrange(1, 2**30), 2 ** draw.randrange(22, 32)) for _ in range(count)]
    return [Fraction(0), Fraction(-1), *(sign * size for size in sizes for sign in (1, -1))]


@pytest.mark.long
def test_curves_of_all_steps_are_enclosed(rough):
    for number, (step, truth) in enumerate(steps_and_truths()):
        for x in places_to_try(number):
            low, high = map(real, step.curve(x))
            exact = truth(real(x))
            assert low <= exact + mpf("1e-45") and exact <= high + mpf("1e-45"), (number, x)


@pytest.mark.nightly
def test_curves_of_all_steps_are_narrow():
    with mpmath.workdps(60):
        for number, (step, truth) in enumerate(steps_and_truths()):
            for x in places_to_try(number, 3):
                low, high = map(real, step.curve(x))
                assert abs(truth(real(x)) - high) <= mpf("1e-40") * (1 + abs(real(x)))
                assert high - low <= mpf("1e-80") * (1 + abs(real(x)))


@pytest.mark.nightly
def test_at_the_ends_of_laplace_ratios_the_curves_meet(rough):
    step = noise_steps.laplace(Fraction(1), Decimal(1), "removed")
    truth = laplace_truth(mpf(1), mpf(1), "removed")
    for text in ("-0.63212056", "-0.632", "-0.64", "-1", "-3", "1.7182818", "1.7182819", "1.8"):
        low, high = map(real, step.curve(Fraction(text)))
        assert low <= truth(mpf(text)) + mpf("1e-50") and truth(mpf(text)) <= high + mpf("1e-50"), text


@pytest.mark.long
def test_no_operation_of_a_step_may_be_rounded_the_other_way(monkeypatch):
    with mpmath.workdps(60):
        monkeypatch.setattr(directed_decimals, "NOTHING", Decimal("1e-5"))
        monkeypatch.setattr(directed_decimals, "DEPTH", 60)
        kappa = Decimal("1.5")
        makers = {way: (lambda way=way: noise_steps.gaussian(Fraction(1), kappa, way)) for way in WAYS}
        truths = {way: gaussian_truth("1", mpf("1.5"), way) for way in WAYS}
        for way in ("removed", "added"):
            makers[f"Laplace, {way}"] = lambda way=way: noise_steps.laplace(Fraction(1), kappa, way)
            truths[f"Laplace, {way}"] = laplace_truth(mpf(1), mpf("1.5"), way)
            makers[f"discrete, {way}"] = lambda way=way: noise_steps.discrete_gaussian(Fraction("0.5"), kappa, way)
            truths[f"discrete, {way}"] = discrete_truth("0.5", mpf("1.5"), way)
        rows = [([Fraction(1, 3), Fraction(2, 3)], [Fraction(2, 3), Fraction(1, 3)], [Fraction(1, 2)] * 2)]
        makers["table"] = lambda: step_curves.outputs(rows, kappa, "replaced")
        values = [tuple([real(mass) for mass in row] for row in rows[0])]
        truths["table"] = outputs_truth(values, mpf("1.5"), "replaced")
        for name, make in makers.items():
            for text in ("-5", "-0.75", "-0.25", "0", "0.25", "0.625", "1.25", "8"):
                x = Fraction(text)
                exact = truths[name](mpf(text))
                for low, high in nudges(monkeypatch, upper_sum, lambda make=make, x=x: make().curve(x)):
                    assert real(low) - mpf("1e-45") <= exact <= real(high) + mpf("1e-45"), (name, text)


def test_no_operation_of_a_lattice_may_be_rounded_the_other_way(monkeypatch):
    with mpmath.workdps(60):
        at = fine(one=10**30, width=Fraction(1, 3), points=30, growth=1, top=4, bottom=4)
        step, truth = noise_steps.laplace(Fraction(1), Decimal(1), "removed"), laplace_truth(mpf(1), mpf(1), "removed")
        curves = {x: step.curve(x) for x in (k * at.width + Fraction(1, 10) for k in range(-9, 10))}
        known = noise_steps.Step(curves.__getitem__, [])
        for law in nudges(monkeypatch, upper_sum, lambda: step_lattice.lattice_law(known, Fraction(1, 10), at)):
            for k in range(-4, 5):
                u = k * at.width
                assert real(gain(law, at, u)) >= truth(real(Fraction(1, 10) - u)) - mpf("1e-45")


def test_no_operation_of_a_delta_may_be_rounded_the_other_way(monkeypatch):
    with mpmath.workdps(60):
        step, truth = noise_steps.laplace(Fraction(1), Decimal(1), "removed"), laplace_truth(mpf(1), mpf(1), "removed")
        known = noise_steps.Step({x: step.curve(x) for x in (Fraction(1, 3), Fraction(1))}.__getitem__, [])
        kappa, share = Decimal("1.25"), Fraction(3, 4)
        exact = truth(mpf(1) / 3) * 3 / 4
        for low, high in nudges(
            monkeypatch, upper_sum, lambda: upper_sum.delta_ends(known, 1, share, kappa, 1, fine())
        ):
            assert real(low) - mpf("1e-50") <= exact <= real(high) + mpf("1e-50")
        law = step_lattice.Lattice([0, 10**5], 0, 0, 0)
        monkeypatch.setattr(upper_sum, "sum_of_steps", lambda *_: law)
        for low, high in nudges(
            monkeypatch, upper_sum, lambda: upper_sum.delta_ends(known, 3, share, kappa, 1, fine())
        ):
            # The mass 1 at the place 1.
            assert Fraction(high) >= share / 3 * fine().width and real(low) <= truth(mpf(1)) / 4 + mpf("1e-50")


# --- Lattices ---------------------------------------------------------------------------------------------------------


def fine(**changes):
    values = {"one": 10**5, "width": Fraction(1, 4), "points": 300, "bottom": 300, "top": 60, "cells": 4}
    return lattice_sums.Fineness(**values | {"growth": 8, "cut": 0, "most": 20000} | changes)


def gain(law, at, u):
    """E (u + L)_+ and the excess, in fractions."""
    total = Fraction(law.excess)
    for k, mass in enumerate(law.masses, law.first):
        total += mass * max(Fraction(0), u / at.width + (k << law.level))
    return total * at.width / at.one


@pytest.mark.parametrize(
    "changes",
    [{}, {"one": 30, "growth": 2}, {"cut": 4000}, {"points": 6}, {"top": 3, "bottom": 2}, {"one": 10**30}],
)
@pytest.mark.parametrize("shift", [Fraction(0), Fraction(3, 7)])
def test_laws_of_steps_are_nowhere_below(changes, shift):
    with mpmath.workdps(60):
        at = fine(**changes)
        for number, (step, truth) in enumerate([*steps_and_truths()][at.one % 4 :: 4]):
            law = step_lattice.lattice_law(step, shift, at)
            for n in range(-40, 60, 7):
                u = Fraction(n, 8)
                # Without rounding, values of steps with two outputs are met exactly.
                assert real(gain(law, at, u)) >= truth(real(shift - u)) - mpf("1e-45"), (number, u)


@pytest.mark.nightly
def test_laws_of_rough_steps_are_nowhere_below(rough):
    at = fine(one=10**12)
    for number, (step, truth) in enumerate(steps_and_truths()):
        law = step_lattice.lattice_law(step, Fraction(0), at)
        for u in (Fraction(n, 4) for n in range(-20, 30, 3)):
            assert real(gain(law, at, u)) >= truth(real(-u)) - mpf("1e-45"), (number, u)


@pytest.mark.long
def test_at_its_places_a_law_is_exact():
    with mpmath.workdps(60):
        at = fine(one=10**40, growth=4000, cut=1, points=2000, bottom=400, top=1500)
        for number, (step, truth) in enumerate(steps_and_truths()):
            if number % 5 in (1, 3, 4) and number < 25:
                law = step_lattice.lattice_law(step, Fraction(0), at)
                for k in range(-4, 5):
                    assert abs(real(gain(law, at, k * at.width)) - truth(-mpf(k) / 4)) < mpf("1e-34"), number


def some_law(draw, size=9, largest=10**5, level=0):
    masses = [draw.randrange(largest) for _ in range(size)]
    return step_lattice.Lattice(masses, draw.randrange(-6, 3), draw.randrange(largest // 9 + 1), level)


def test_coarser_and_shorter_laws_are_nowhere_below():
    for draw in draws(300):
        law = some_law(draw, draw.randrange(1, 12), draw.choice([3, 9, 10**5]), draw.randrange(3))
        at = fine(one=1000, cut=draw.choice([0, 20, 10**5, 10**6]), points=draw.choice([1, 2, 5, 400]))
        at = at._replace(top=draw.choice([1, 4, 60]), bottom=draw.choice([1, 4, 60]))
        coarse, short = step_lattice.coarsen(law, at), step_lattice.trim(law, at)
        assert coarse.level == law.level + 1 and 0 <= sum(coarse.masses) - sum(law.masses) <= len(law.masses)
        assert len(short.masses) <= max(1, at.points) and sum(short.masses) == sum(law.masses)
        for u in (Fraction(n, 8) for n in range(-70, 70, 3)):
            assert gain(law, at, u) <= min(gain(coarse, at, u), gain(short, at, u))


def test_sums_are_above_exact_ones_by_roundings_only():
    at = fine(one=1000, cells=10**6, top=10**6, bottom=10**6)
    for draw in draws(200):
        one, other = (some_law(draw, draw.randrange(1, 7), draw.choice([2, 1000, 10**9])) for _ in range(2))
        found = step_lattice.sum_law(one, other, at)
        exact = {}
        for (i, a), (j, b) in product(enumerate(one.masses, one.first), enumerate(other.masses, other.first)):
            exact[i + j] = exact.get(i + j, 0) + Fraction(a * b, 1000)
        inside = range(found.first, found.first + len(found.masses))
        assert all(not mass for place, mass in exact.items() if place not in inside)
        for place, mass in zip(inside, found.masses, strict=True):
            assert 0 <= mass - exact.get(place, 0) < 1
        more = one.excess * max(sum(other.masses), 1000) + other.excess * max(sum(one.masses), 1000)
        assert 0 <= found.excess - Fraction(more, 1000) < 1


@pytest.mark.nightly
def test_sums_of_laws_on_different_lattices_are_on_the_coarser_one():
    at = fine(one=10**30, cells=10**6)
    draw = random.Random(5)
    one, other = some_law(draw), some_law(draw, level=2)
    found = step_lattice.sum_law(one, other, at)
    assert found.level == 2 and found == step_lattice.sum_law(step_lattice.at_level(one, 2, at), other, at)


@pytest.mark.parametrize("count", [1, 2, 3, 6, 11])
def test_powers_are_sums_of_so_many(count):
    at = fine(one=10**30, cells=10**6)
    law = step_lattice.Lattice([10**30 // 4, 0, 3 * 10**30 // 4], -1, 0, 0)
    found = step_lattice.power_law(law, count, at)
    for j in range(count + 1):
        exact = Fraction(comb(count, j) * 3**j, 4**count) * 10**30
        mass = dict(enumerate(found.masses, found.first)).get(2 * j - count, 0)
        assert 0 <= mass - exact <= 10 * count


# --- Claims -----------------------------------------------------------------------------------------------------------

GAUSSIAN = {"kind": "gaussian", "sigma": "1"}
KRR = {"kind": "krr", "eps0": "1", "outputs": "5"}
LAPLACE = {"kind": "laplace", "eps0": "1"}
DISCRETE = {"kind": "discrete-gaussian", "sigma": "1.5"}
RECORDS = {"kind": "gaussian-records", "sigma": "1"}
TABLE = {"kind": "table", "rows": [["1/3", "2/3", "0"], ["0.5", "0.5", "0"], ["0.6", "0.4", "0"]]}


def certificate(randomizer, steps, adjacency, epsilon, delta, weight="1", **changes):
    name = "random-allocation" if randomizer["kind"] == "gaussian" else "hidden-slot"
    claim = {"mechanism": name, "steps": steps, "weight": weight, "adjacency": adjacency, "randomizer": randomizer}
    fineness = {"digits": 40, "width": "0.02", "points": 9000, "cells": 64, "growth": 64, "cut": "1e-8"}
    fineness |= {"bottom": 10**6, "top": 4000} | changes
    claim |= {"epsilon": epsilon, "delta": delta}
    return {"pldcheck_certificate": "upper_sum", "claim": claim, "fineness": fineness}


def delta_upper(facts):
    return real(upper_sum.upper_delta(facts).upper)


@pytest.mark.nightly
@pytest.mark.parametrize("adjacency", step_curves.ADJACENCIES)
def test_the_same_slot_in_four_passes_is_one_pass_with_half_the_noise(adjacency):
    repeated = {"kind": "repeated-gaussian", "sigma": "2", "passes": "4"}
    facts = certificate(repeated, 30, adjacency, "0.2", "0.5")
    facts["claim"]["mechanism"] = "balls-in-bins"
    once = upper_sum.upper_delta(certificate(GAUSSIAN, 30, adjacency, "0.2", "0.5"))
    assert upper_sum.upper_delta(facts) == once
    sentence = upper_sum.verify(facts).sentence
    assert "in one slot, the same in each pass, of steps 30," in sentence and sentence.endswith("and same-slot")
    for changes, complaint in (
        ({"passes": "1.5"}, "passes must be an integer"),
        ({"passes": "1700"}, "sigma must be at least 0.05 times the root of passes"),
        ({"kind": "gaussian"}, "the randomizer must have the keys kind, sigma"),
    ):
        spoiled = {**facts, "claim": {**facts["claim"], "randomizer": repeated | changes}}
        assert upper_sum.verify(spoiled) == (2, f"refused: {complaint}")
    spoiled = {**facts, "claim": {**facts["claim"], "mechanism": "random-allocation"}}
    assert upper_sum.verify(spoiled) == (2, "refused: the mechanism must be balls-in-bins")


CASES = {
    "Gaussian, removed": (GAUSSIAN, 2, "remove", "0.9", "1"),
    "Gaussian, added": (GAUSSIAN, 2, "add", "0.5", "0.5"),
    "Gaussian, replaced": (GAUSSIAN, 2, "replace", "1", "1"),
    "response, replaced": (KRR, 3, "replace", "0.3", "1"),
    "response, removed": (KRR, 4, "remove", "0.2", "1"),
    "response, added": (KRR, 4, "add", "0.2", "0.7"),
    "binary response": (KRR | {"outputs": "2"}, 4, "replace", "0.3", "1"),
    "ternary response": (KRR | {"outputs": "3"}, 3, "replace", "0.3", "0.9"),
    "table, replaced": (TABLE, 3, "replace", "0.1", "1"),
    "table, zero-out": (TABLE, 3, "zero-out", "0.1", "0.9"),
    "one slot": (KRR, 1, "replace", "0.4", "0.8"),
    "one Gaussian slot": (GAUSSIAN, 1, "zero-out", "0.4", "0.8"),
    "no epsilon": (TABLE, 3, "zero-out", "0", "1"),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_claims_against_one_policy_by_all_outcomes(case):
    randomizer, steps, adjacency, epsilon, weight = case
    facts = certificate(randomizer, steps, adjacency, epsilon, "0", weight)
    with mpmath.workdps(60):
        truth, found = slot_delta(facts["claim"]), delta_upper(facts)
        # Several references, one after another, may be worse than one.
        wide = mpf("1.09") if adjacency == "replace" and randomizer is not GAUSSIAN else mpf("1.002")
        assert truth <= found <= truth * wide


def laplace_slots(steps, change, epsilon):
    """E (sum X - m K)_+ for a law below the true one: each cell of A - 1 is at its mean, which is a noisier version."""
    kappa, low, high = mpmath.exp(mpf(epsilon)), mpmath.exp(-1), mpmath.exp(1)
    ends = [mpmath.exp(-1 + mpf(i) / 20) for i in range(41)]
    law = [(low, mpf(1) / 2), (high, low / 2)]
    for a, b in zip(ends, ends[1:], strict=False):
        mass = mpmath.exp(mpf(-1) / 2) / 2 * (a**-0.5 - b**-0.5)
        law.append((mpmath.exp(mpf(-1) / 2) / 2 * (b**0.5 - a**0.5) / mass, mass))
    gains = [((a - 1) if change == "removed" else -kappa * (a - 1), mass) for a, mass in law]
    total = mpf(0)
    for outcomes in product(gains, repeat=steps):
        inside = sum(x for x, _ in outcomes) - steps * (kappa - 1)
        total += mpmath.fprod(mass for _, mass in outcomes) * max(inside, mpf(0))
    return total / steps


@pytest.mark.nightly
def test_laplace_noise_in_two_slots():
    with mpmath.workdps(30):
        for epsilon in ("0.1", "0.5"):
            lower = {way: laplace_slots(2, way, epsilon) for way in ("removed", "added")}
            for adjacency, truth in (
                ("remove", lower["removed"]),
                ("add", lower["added"]),
                ("zero-out", max(lower.values())),
            ):
                found = delta_upper(certificate(LAPLACE, 2, adjacency, epsilon, "0", width="0.005"))
                assert truth <= found <= truth * mpf("1.01")


def discrete_slots(sigma, ways, epsilon):
    """The largest delta of two slots with discrete Gaussian noise, without its farthest integers.

    In each slot one of some ways is chosen, in the second one by the first one's output.
    """
    kappa, reach = mpmath.exp(mpf(epsilon)), int(8 * float(sigma)) + 1
    weights = {j: mpmath.exp(-(mpf(j) ** 2) / (2 * mpf(sigma) ** 2)) for j in range(-3 * reach, 3 * reach + 1)}
    total = mpmath.fsum(weights.values())
    weights = {j: weights[j] for j in range(-reach, reach + 2)}
    law = [(mpmath.exp((2 * mpf(j) - 1) / (2 * mpf(sigma) ** 2)) - 1, w / total) for j, w in weights.items()]
    choices = [[(x if way == "removed" else -kappa * x, mass) for x, mass in law] for way in ways]

    def second(first):
        return max(sum(mass * max(first + x - 2 * (kappa - 1), mpf(0)) for x, mass in choice) for choice in choices)

    return max(sum(mass * second(x) for x, mass in choice) for choice in choices) / 2


@pytest.mark.nightly
def test_discrete_noise_in_two_slots():
    with mpmath.workdps(30):
        for epsilon in ("0.1", "0.9"):
            lower = {way: discrete_slots("1.5", [way], epsilon) for way in ("removed", "added")}
            for adjacency, truth, wide in (
                ("remove", lower["removed"], "1.005"),
                ("add", lower["added"], "1.005"),
                ("zero-out", max(lower.values()), "1.005"),
                ("replace", discrete_slots("1.5", ["removed", "added"], epsilon), "1.3"),
            ):
                found = delta_upper(certificate(DISCRETE, 2, adjacency, epsilon, "0", width="0.005"))
                assert truth <= found <= truth * mpf(wide), (adjacency, epsilon)


@pytest.mark.nightly
def test_gaussian_records_removed_or_added_are_vectors_and_replaced_ones_are_the_worse_of_both():
    deltas = {}
    for adjacency in step_curves.ADJACENCIES:
        deltas[adjacency] = delta_upper(certificate(RECORDS, 3, adjacency, "0.4", "0"))
        if adjacency != "replace":
            assert deltas[adjacency] == delta_upper(certificate(GAUSSIAN, 3, adjacency, "0.4", "0"))
    # Records that are a distance 1 apart reveal less than vectors of length 1, which may be opposite.
    assert deltas["zero-out"] < deltas["replace"] < 1.4 * deltas["zero-out"]
    assert deltas["replace"] < delta_upper(certificate(GAUSSIAN, 3, "replace", "0.4", "0")) * 0.6


@pytest.mark.parametrize(
    "randomizer",
    [LAPLACE, *(pytest.param(one, marks=pytest.mark.nightly) for one in (DISCRETE, RECORDS))],
    ids=lambda one: one["kind"],
)
def test_a_replaced_record_has_the_larger_curve_of_both_changes(randomizer):
    kappa = Decimal("1.5")
    (step,) = step_curves.steps_of(randomizer, kappa, "replace")
    removed, added = step_curves.steps_of(randomizer, kappa, "zero-out")
    larger = set()
    for x in (Fraction(n, 16) for n in range(-24, 40)):
        ways = [removed.curve(x), added.curve(x)]
        assert step.curve(x) == (max(low for low, _ in ways), max(high for _, high in ways))
        larger.add(ways[0] > ways[1])
    assert larger == {True, False} and step.atoms == removed.atoms + added.atoms


def claims_are_accepted_above_the_lower_end(sigma, steps, adjacency):
    """Assert that the lower end of the engine is refused as an upper one, and what is 0.5 % more accepted."""
    lower = RandomAllocation(steps, sigma, adjacency=adjacency).epsilon(1e-3).lower
    facts = certificate({"kind": "gaussian", "sigma": str(sigma)}, steps, adjacency, "0", "0.001")
    facts["claim"]["epsilon"] = f"{Decimal(lower):f}"[:20]
    assert upper_sum.verify(facts).status == 1
    facts["claim"]["epsilon"] = f"{Decimal(lower) * Decimal('1.005'):f}"[:20]
    assert upper_sum.verify(facts).status == 0


def test_accepted_claims_are_above_the_lower_ends_of_the_engine():
    claims_are_accepted_above_the_lower_end(1.0, 8, "remove")


@pytest.mark.long
def test_accepted_claims_of_more_steps_are_above_the_lower_ends_of_the_engine():
    claims_are_accepted_above_the_lower_end(1.0, 20, "remove")
    claims_are_accepted_above_the_lower_end(2.0, 50, "replace")
    claims_are_accepted_above_the_lower_end(1.0, 30, "add")


def test_the_excess_is_in_delta(monkeypatch):
    law = step_lattice.Lattice([0], 0, 10**5, 0)
    monkeypatch.setattr(upper_sum, "sum_of_steps", lambda *_: law)
    step = noise_steps.laplace(Fraction(1), Decimal(1), "removed")
    upper = upper_sum.delta_ends(step, 3, Fraction(3, 4), Decimal("1.25"), 1, fine()).upper
    assert Fraction(upper) == fine().width / 4


def test_kappa_is_rounded_down(monkeypatch):
    roughen(monkeypatch, upper_sum)
    kappas = []
    monkeypatch.setattr(upper_sum, "steps_of", lambda _, kappa, *__: kappas.append(kappa) or [])
    monkeypatch.setattr(upper_sum, "read_fineness", lambda *_: None)
    with pytest.raises(ValueError, match="empty"):
        upper_sum.upper_delta(certificate(KRR, 3, "replace", "0.3", "0.5"))
    assert real(kappas[0]) < mpmath.exp(mpf("0.3"))


def test_the_budget_of_a_response_is_rounded_up(monkeypatch):
    roughen(monkeypatch, upper_sum)
    (step,) = step_curves.steps_of(KRR | {"outputs": "2"}, Decimal(1), "remove")
    assert float(max(step.atoms)) > mpmath.exp(1) - 1


def test_a_lower_end_has_a_larger_kappa_and_a_smaller_budget(monkeypatch):
    roughen(monkeypatch, upper_sum)
    (step,) = step_curves.steps_of(KRR | {"outputs": "2"}, Decimal(1), "remove", 0)
    assert float(max(step.atoms)) < mpmath.exp(1) - 1
    calls = []
    monkeypatch.setattr(upper_sum, "steps_of", lambda _, *others: calls.append(others) or [])
    monkeypatch.setattr(upper_sum, "read_fineness", lambda *_: None)
    with pytest.raises(ValueError, match="empty"):
        upper_sum.upper_delta(certificate(KRR, 3, "replace", "0.3", "0.5"))
    (_, (kappa, _, end)) = calls
    assert real(kappa) > mpmath.exp(mpf("0.3")) and end == 0


def test_every_reference_of_a_response_counts():
    for outputs in ("3", "9"):
        (step,) = step_curves.steps_of(KRR | {"outputs": outputs}, Decimal(2), "replace")
        assert len(step.atoms) == 3 * (3 if outputs == "3" else 4)
        # Under a third reference the gain may be x - 1 - 2 (1 - 1) = x - 1, which no other one has.
        assert any(abs(float(atom) - 1.718281828) < 1e-6 for atom in step.atoms)


def test_every_pair_reference_and_direction_of_a_table_counts():
    replaced = step_curves.steps_of(TABLE, Decimal(2), "replace")
    assert [len(step.atoms) for step in replaced] == [6] * 6
    assert [len(step.atoms) for step in step_curves.steps_of(TABLE, Decimal(2), "zero-out")] == [6] * 6


def test_what_one_slot_shows_to_be_false_is_called_false():
    verdict = upper_sum.verify(certificate(GAUSSIAN, 2, "remove", "0.5", "1e-9"))
    assert verdict.status == 1 and verdict.sentence.startswith("false: delta is at least 0.")
    facts = certificate(GAUSSIAN, 1, "remove", "0.5", "0")
    (low, high) = upper_sum.upper_delta(facts)
    with mpmath.workdps(60):
        assert real(low) <= slot_delta(facts["claim"]) * (1 + mpf("1e-34")) and slot_delta(facts["claim"]) <= real(high)
    more, less = (f"{Context(prec=40, rounding=way).plus(high):f}" for way in (ROUND_CEILING, ROUND_FLOOR))
    for delta, status in ((more, 0), (less, 1)):
        facts["claim"]["delta"] = delta
        assert upper_sum.verify(facts).status == status


def test_a_lower_end_is_below_the_truth(rough):
    for count, share in ((1, 1), (3, Fraction(7, 10))):
        step = noise_steps.gaussian(Fraction(1), Decimal("1.5"), "removed")
        low, high = upper_sum.delta_ends(step, count, Fraction(share), Decimal("1.5"), 1, fine(one=10**9))
        shift = mpf("0.5") / real(Fraction(share))
        single = gaussian_truth("1", mpf("1.5"), "removed")(count * shift) * real(Fraction(share)) / count
        assert real(low) <= single <= real(high)


def test_a_true_claim_is_not_called_false_where_nearly_all_of_delta_cancels():
    # Here epsilon is so near the largest loss that delta is about 1e-89, and the last digit of kappa is 1e-10 of it.
    for randomizer in (TABLE | {"rows": [["3/4", "1/4"], ["1/4", "3/4"]]}, KRR | {"outputs": "2"}):
        with mpmath.workdps(200):
            largest = mpmath.log(3) if randomizer["kind"] == "table" else mpf(1)
            digits = str(int(largest * mpf(10) ** 89) - 1)
            epsilon = f"{digits[:30]}.{digits[30:]}e{len(digits) - 30 - 89}"
            kappa, x = mpmath.exp(real(Fraction(epsilon))), mpmath.exp(largest)
            delta = mpmath.nstr((x - kappa) / (x + 1) * (1 + mpf("1e-20")), 30).replace("+", "")
        verdict = upper_sum.verify(certificate(randomizer, 1, "replace", epsilon, delta))
        assert verdict.status == 1 and verdict.sentence.startswith("not verified")


@pytest.mark.nightly
def test_a_delta_without_any_digit_to_speak_of_is_compared_at_once():
    facts = certificate(GAUSSIAN | {"sigma": "1000000000"}, 1, "remove", "100", "1e-300")
    assert upper_sum.verify(facts).status == 0


# --- Files ------------------------------------------------------------------------------------------------------------

GOOD = certificate(KRR, 3, "replace", "0.3", "0.5")
TEXT = json.dumps(GOOD)


def with_rows(rows):
    return json.dumps(certificate({"kind": "table", "rows": rows}, 3, "replace", "0.3", "0.5"))


REFUSED = {
    "empty": "",
    "trailing": TEXT + "x",
    "twice": TEXT.replace('"steps": 3', '"steps": 3, "steps": 3'),
    "NaN": TEXT.replace('"steps": 3', '"steps": NaN'),
    "a float": TEXT.replace('"steps": 3', '"steps": 3.0'),
    "a truth": TEXT.replace('"steps": 3', '"steps": true'),
    "no steps": TEXT.replace('"steps": 3', '"steps": 0'),
    "a number": TEXT.replace('"epsilon": "0.3"', '"epsilon": 0.3'),
    "other digits": TEXT.replace('"epsilon": "0.3"', '"epsilon": "0.\\u0663"'),
    "a newline": TEXT.replace('"epsilon": "0.3"', '"epsilon": "0.3\\n"'),
    "no weight": TEXT.replace('"weight": "1"', '"weight": "0"'),
    "too much weight": TEXT.replace('"weight": "1"', '"weight": "1.1"'),
    "unknown adjacency": TEXT.replace('"replace"', '"swap"'),
    "unknown randomizer": TEXT.replace('"krr"', '"rr"'),
    "a list for a randomizer": TEXT.replace(json.dumps(KRR), "[]"),
    "a kind that is a list": TEXT.replace('"krr"', "[]"),
    "half an output": TEXT.replace('"outputs": "5"', '"outputs": "4.5"'),
    "unknown key": TEXT.replace('"steps": 3', '"steps": 3, "note": 1'),
    "missing key": TEXT.replace('"steps": 3, ', ""),
    "another program": TEXT.replace("upper_sum", "upper_loss"),
    "another mechanism": TEXT.replace("hidden-slot", "random-allocation"),
    "Gaussian noise on records in allocation": TEXT.replace(json.dumps(KRR), json.dumps(RECORDS)).replace(
        "hidden-slot", "random-allocation"
    ),
    "discrete noise of a large deviation": TEXT.replace(json.dumps(KRR), json.dumps(DISCRETE | {"sigma": "1001"})),
    "much work": TEXT.replace('"points": 9000', '"points": 1048576'),
    "much work in all": TEXT.replace('"steps": 3', '"steps": 999999999999')
    .replace("9000", "200000")
    .replace('"replace"', '"zero-out"'),
    "no width": TEXT.replace('"width": "0.02"', '"width": "0"'),
    "one row": with_rows([["1"]]),
    "a sum of more": with_rows([["0.5", "0.6"], ["0.5", "0.5"]]),
    "a negative entry": with_rows([["1.5", "-0.5"], ["0.5", "0.5"]]),
    "an output of one input": with_rows([["0", "1"], ["0.5", "0.5"]]),
    "rows of two lengths": with_rows([["0.5", "0.5"], ["1"]]),
    "an entry that is a number": with_rows([[0.5, 0.5], ["0.5", "0.5"]]),
    "a row that is a text": with_rows(["01", "10"]),
    "long": TEXT + " " * 20_000,
}


@pytest.mark.parametrize(
    ("randomizer", "epsilon", "weight", "changes"),
    [
        (LAPLACE | {"eps0": "20"}, "100", "1e-30", {"width": "1e-30", "points": 130_000, "growth": 100}),
        pytest.param(RECORDS, "0.001", "1", {"width": "1e-3", "points": 20_000}, marks=pytest.mark.nightly),
    ],
    ids=["Laplace", "Gaussian"],
)
def test_masses_that_grow_by_rounding_are_refused_before_their_products_are_long(randomizer, epsilon, weight, changes):
    # The first of these took 157 s and 2.4 GB.
    more = {"digits": 10, "cells": 4096, "cut": "0", "bottom": 10**18, "top": 10**18}
    facts = certificate(randomizer, 10**12, "replace", epsilon, "1", weight, **changes | more)
    verdict = upper_sum.verify(facts)
    assert verdict == (2, "refused: the digits are too few: masses, rounded up, add up to more than 2")


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
def test_spoiled_files_are_refused_in_one_line(text, tmp_path):
    path = tmp_path / "file.json"
    path.write_text(text, encoding="utf-8")
    verdict = claim_files.examine(path, upper_sum.verify)
    assert verdict.status == 2 and verdict.sentence.startswith("refused: ") and "\n" not in verdict.sentence


@pytest.mark.long
def test_no_file_with_changes_is_accepted_if_it_is_false():
    tried, accepted, wrong = certificates_examined(SUM, seed=1, count=150)
    assert tried == 150 and accepted > 20 and wrong == []
