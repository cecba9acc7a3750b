"""The chains of Theorems A.5 and 4.1 and of Lemma A.6."""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import exp, isclose, sqrt

import pytest
from chain_steps import holds, is_refuted, measured_of, outcomes, points_in, steps_of, value_at
from flint import arb, ctx

from pldcheck.study.audit.box_proof import Refuted, prove
from pldcheck.study.audit.measured import exact_protocols
from pldcheck.study.audit.point_checks import check
from pldcheck.study.audit.smallest_counterexample import smallest
from pldcheck.study.audit.spans import exactly
from pldcheck.theorems import REGISTRY
from pldcheck.theorems.balle20.proofs import averaged_updates, slot_loads, swap_bins
from pldcheck.theorems.proof_step import Premise

STEPS = steps_of(swap_bins, slot_loads, averaged_updates)
MEASUREMENTS = measured_of(swap_bins, slot_loads, averaged_updates)
# Answered by protocols in seconds each: one point of them.
SLOW = {"A.5/claim", "4.1/claim"}
# What the audit finds false.
FALSE = {"A.5/bins", "A.5-approx/printed", "4.1-approx/printed"}


@pytest.mark.parametrize("name", [name for name in STEPS if name not in FALSE])
def test_elementary_steps_are_proved_or_equal(name):
    assert holds(STEPS[name])


@pytest.mark.parametrize("name", [name for name in MEASUREMENTS if name not in FALSE])
def test_measured_steps_hold(name):
    step = MEASUREMENTS[name]
    assert all(outcomes(step.check, step.points[:1] if name in SLOW else step.points))


# The steps' right sides with one constant changed.
MUTANTS = {
    "A.5/envelope": lambda eps0, load, before, after: eps0.exp() * load / (load + before + after),
    "A.5/mixture": lambda eps0, weight, tilt: 1 + 999 * weight * eps0.expm1() / 1000,
    "A.5/drift": lambda growth: 49 * growth**2 / 100,
    "A.5/square": lambda growth: 99 * growth**2 / 100,
    "A.5/final": lambda eps0, clients, bin_norm, log_inverse_delta: swap_bins.swapped_into_bins(
        eps0, clients, bin_norm, 2 * log_inverse_delta
    ),
    "A.6/difference-sharp": lambda one, other, rest: 999 * one**0 / 1000,
    "A.6/rounded": lambda clients, steps: (99 * clients / 100 + clients**2 / steps).sqrt(),
    "4.1/tail": lambda clients, steps, log_inverse_delta2: (
        (clients + clients**2 / steps).sqrt() * 99 / (100 * clients) + (log_inverse_delta2 / clients).sqrt()
    ),
    "4.1/scaled": lambda clients, steps, log_inverse_delta2: averaged_updates.share(
        clients, steps, 2 * log_inverse_delta2
    ),
    "4.1/final": lambda eps0, clients, steps, log_inverse_delta, log_inverse_delta2: averaged_updates.averaging_epsilon(
        eps0, clients + 1, steps, log_inverse_delta, log_inverse_delta2
    ),
    "4.1/bad-loads": lambda delta, delta2: delta.max(delta2) if isinstance(delta, arb) else delta,
    "4.1/shuffling": lambda eps0, clients, steps, log_inverse_delta, log_inverse_delta2: (
        averaged_updates.averaging_epsilon(eps0 / 2, clients, steps, log_inverse_delta, log_inverse_delta2)
    ),
    "A.5-approx/pure": lambda eps0, clients, bin_norm, log_inverse_delta: swap_bins.swapped_into_bins(
        7 * eps0, clients, bin_norm, log_inverse_delta
    ),
    "4.1-approx/union": lambda clients, tv, steps: 9 * tv / 10,
    "4.1-approx/pure": lambda eps0, clients, steps, log_inverse_delta, log_inverse_delta2: (
        averaged_updates.averaging_epsilon(7 * eps0, clients, steps, log_inverse_delta, log_inverse_delta2)
    ),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_changed_constants_are_refuted(name):
    assert is_refuted(STEPS[name], MUTANTS[name])


def test_the_tail_goes_into_the_scaled_share():
    for point in points_in(STEPS["4.1/tail"], 1):
        right, left = value_at(STEPS["4.1/tail"].right, **point), value_at(STEPS["4.1/scaled"].left, **point)
        assert isclose(right, left, rel_tol=1e-14)


def test_the_lemma_on_loads_goes_into_the_tail():
    for point in points_in(STEPS["A.6/rounded"], 2):
        norm = value_at(STEPS["A.6/rounded"].right, **point)
        share = value_at(STEPS["4.1/tail"].left, **point, log_inverse_delta2=1.0)
        assert isclose(norm / point["clients"], share, rel_tol=1e-14)


@pytest.mark.parametrize(("clients", "steps"), [(2, 2), (5, 3), (12, 6)])
def test_the_moment_goes_into_what_is_rounded(clients, steps):
    moment = sum(sum(k * k for k in parts) * mass for parts, mass in exact_protocols.loads(clients, steps))
    assert isclose(value_at(STEPS["A.6/rounded"].left, clients=clients, steps=steps) ** 2, moment, rel_tol=1e-14)


def test_the_envelope_goes_into_the_squares():
    # The largest y = q (x - 1) of each of three bins, squared and summed, is S of the final form.
    sizes, eps0 = (2.0, 3.0, 5.0), 0.4
    total = 0.0
    for place, load in enumerate(sizes):
        before, after = sum(sizes[:place]), sum(sizes[place + 1 :])
        weight = value_at(STEPS["A.5/envelope"].right, eps0=eps0, load=load, before=before, after=after)
        total += (value_at(STEPS["A.5/mixture"].right, eps0=eps0, weight=weight, tilt=0.0) - 1) ** 2
    norm = float(f"{sqrt(sum(load**2 for load in sizes)):.15g}")
    value = value_at(STEPS["A.5/final"].left, eps0=eps0, clients=10.0, bin_norm=norm, log_inverse_delta=3.0)
    assert isclose(total / 2 + sqrt(6 * total), value, rel_tol=1e-12)


def test_the_share_goes_into_the_last_form():
    for point in points_in(STEPS["4.1/final"], 3, inside={"eps0": (0.1, 5.0)}):
        values = {name: point[name] for name in ("clients", "steps", "log_inverse_delta2")}
        norm = float(f"{point['clients'] * value_at(STEPS['4.1/scaled'].right, **values):.15g}")
        common = {name: point[name] for name in ("eps0", "clients", "log_inverse_delta")}
        right = value_at(STEPS["A.5/final"].right, bin_norm=norm, **common)
        assert isclose(right, value_at(STEPS["4.1/final"].left, **point), rel_tol=1e-12)


def test_the_last_right_sides_are_the_registered_theorems():
    with ctx.workprec(200):
        for n, m, eps0, delta, delta2 in ((100, 10, 0.1, 0.01, 0.3), (10**9, 10**6, 3.0, 1e-9, 1e-30)):
            one, two = -exactly(delta).log(), -exactly(delta2).log()
            right = float(STEPS["4.1/final"].right(exactly(eps0), exactly(n), exactly(m), one, two))
            bound = REGISTRY["thm-4.1"](clients=n, steps=m, eps0=eps0, delta=delta, delta2=delta2)
            assert isclose(right, bound.value, rel_tol=1e-12)
            total = value_at(STEPS["4.1/bad-loads"].right, delta=delta, delta2=delta2)
            assert isclose(total, bound.at, rel_tol=1e-12)
            norm = 10 * sqrt(n)
            right = float(STEPS["A.5/final"].right(exactly(eps0), exactly(n), exactly(norm), one))
            bound = REGISTRY["thm-A.5"](clients=n, bin_norm=norm, eps0=eps0, delta=delta)
            assert isclose(right, bound.value, rel_tol=1e-12)


def test_the_delta_as_printed_is_the_registered_one():
    arguments = {"clients": 10**6, "steps": 1000, "eps0": 0.01, "delta": 1e-8, "delta2": 1e-8}
    bound = REGISTRY["thm-4.1-approx"](**arguments, delta0=1e-30, delta1=1e-20)
    point = {"clients": 10**6, "delta1": 1e-20, "epsilon": bound.value, "delta": 2e-8}
    assert isclose(value_at(STEPS["4.1-approx/printed"].right, steps=1000, **point), bound.at, rel_tol=1e-12)
    total_delta = value_at(STEPS["4.1-approx/moved"].right, **point)
    assert isclose(value_at(STEPS["4.1-approx/printed"].left, steps=1000, **point), total_delta, rel_tol=1e-14)


@pytest.mark.nightly
@pytest.mark.parametrize("theorem", ["A.5-approx", "4.1-approx"])
def test_counting_slots_for_calls_is_refuted(theorem):
    step, reading = STEPS[f"{theorem}/union"], STEPS[f"{theorem}/union"].readings[swap_bins.SLOTS]
    assert is_refuted(step, reading)
    point = smallest(step, check(step, reading).failures[0], reading)
    assert (point["clients"], point["steps"]) == (2.0, 1.0)
    step = STEPS[f"{theorem}/printed"]
    assert isinstance(prove(step), Refuted)
    point = smallest(step, check(step).failures[0])
    assert (point["clients"], point["steps"]) == (2.0, 1.0)
    total = point["delta"] + 2 * (exp(point["epsilon"]) + 1) * point["delta1"]
    assert total <= 1.0
    # With as many slots as calls it is what the proof gives.
    enough = Premise("clients <= steps", lambda **values: values["clients"] - values["steps"])
    assert check(replace(step, premises=(*step.premises, enough))).failures == ()


def _sum_of(records):
    """Return the number of ones that bits answer at e^eps0 = 3, by convolution."""
    law = {0: Fraction(1)}
    for record in records:
        one = Fraction(3, 4) if record else Fraction(1, 4)
        law = {k: law.get(k, Fraction(0)) * (1 - one) + law.get(k - 1, Fraction(0)) * one for k in range(len(law) + 1)}
    return law


def _by_hand(a, b, c):
    """Return, for bins of 1 and 2 with records a; b, c, the distance of the proof's two bins from the truth's, the
    first right.
    """
    truth, law = {}, {}
    for s in (0, 1):
        # The first bin answers for a, b or c; the second for the other two.
        records = [_sum_of([record])[s] for record in (a, b, c)]
        seconds = [_sum_of(pair) for pair in ((b, c), (a, c), (b, a))]
        for t in range(3):
            truth[s, t] = sum(p * law[t] for p, law in zip(records, seconds, strict=True)) / 3
            inside = sum(records[1:])
            law[s, t] = (records[0] * seconds[0][t] + inside * (seconds[1][t] + seconds[2][t]) / 2) / 3
    return sum(abs(truth[key] - law[key]) for key in truth) / 2


@pytest.mark.nightly
def test_the_record_replaced_in_a_bin_is_not_uniform():
    step = MEASUREMENTS["A.5/bins"]
    assert not any(outcomes(step.check, step.points))
    worst = max(_by_hand(*records) for records in product((0, 1), repeat=3))
    left, right = step.readings["the first bin as swapped"](first=1, second=2, third=0)
    assert Fraction(left.lower) == worst == Fraction(1, 16) and right.upper == 0.0
    # By hand: one record a bin, 0 and 1. The first bin answers for either in truth, for the user alone in the proof.
    left, _ = step.check(first=1, second=1, third=0)
    assert left.lower == 0.25 == left.upper


def test_the_swapped_bin_is_right_if_it_is_drawn_from_its_posterior():
    step = MEASUREMENTS["A.5/bins"]
    name = "the first bin as swapped, the record replaced drawn from its posterior"
    assert all(outcomes(step.readings[name], step.points))


def test_one_client_moves_the_norm_by_less_than_one():
    def norm(*parts):
        return sqrt(sum(part * part for part in parts))

    def norm_change(a, b, c):
        return norm(a + 1, b, c) - norm(a, b + 1, c)

    largest = max(norm_change(a, b, c) for a, b, c in product(range(30), repeat=3))
    assert largest < 1 < sqrt(2)
    # 1 is the best constant: 1/(a + 1) and so on are left of it.
    assert norm_change(10_000, 0, 0) > 0.9999
    assert isclose(value_at(slot_loads._difference, one=7, other=3, rest=25), norm_change(7, 3, 5), rel_tol=1e-12)


@pytest.mark.parametrize(("clients", "steps"), [(1, 1), (4, 2), (5, 3)])
def test_loads_agree_with_every_choice_of_slots(clients, steps):
    truth = {}
    for slots in product(range(steps), repeat=clients):
        parts = tuple(sorted((slots.count(slot) for slot in range(steps)), reverse=True))
        truth[parts] = truth.get(parts, 0) + Fraction(1, steps**clients)
    assert dict(exact_protocols.loads(clients, steps)) == truth


def test_the_tail_of_the_norm_agrees_with_every_choice_of_slots():
    norms = [sqrt(sum(s.count(k) ** 2 for k in range(3))) for s in product(range(3), repeat=5)]
    mean = sum(norms) / len(norms)
    # delta = 0.9: sqrt(5 log(1/0.9)) is 0.726, half the variance 0.513.
    for name, reach in (("check", 0.7258), ("with differences of 1", 0.5132)):
        step = MEASUREMENTS["A.6/concentration"]
        interval, _ = (step.readings.get(name) or step.check)(clients=5, steps=3, delta=0.9)
        beyond = Fraction(sum(norm > mean + reach for norm in norms), len(norms))
        assert (
            Fraction(interval.lower) <= beyond <= Fraction(interval.upper) and interval.upper - interval.lower < 1e-15
        )


def test_delta2_costs_a_factor_on_the_share_of_each_record():
    # m >> n, delta2 = 1e-6: 1 + sqrt(log 1e6) = 4.717 times the share that Theorem A.7 has at bins of one.
    point = {"clients": 1e6, "steps": 1e12, "log_inverse_delta2": 13.815510557964274}
    ratio = value_at(STEPS["4.1/tail"].right, **point) / value_at(STEPS["4.1/tail"].left, **point)
    assert isclose(ratio, 1 + sqrt(13.815510557964274), rel_tol=1e-5)
