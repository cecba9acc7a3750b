"""The chains of Propositions 3.4 and 4.4 and of Theorems 3.5 and 4.2."""

from fractions import Fraction
from itertools import product
from math import comb, exp, isclose, log, sqrt

import mpmath
import pytest
from chain_steps import holds, is_refuted, measured_of, outcomes, points_in, steps_of, value_at

from pldcheck.study.audit.box_proof import Refuted, prove
from pldcheck.study.audit.measured import CHECKS, exact_protocols
from pldcheck.study.audit.point_checks import check
from pldcheck.study.audit.premise_probe import premise_needs
from pldcheck.study.audit.smallest_counterexample import smallest
from pldcheck.theorems.balle20.proofs import averaged_utility, check_in_utility, dummy_updates

STEPS = steps_of(dummy_updates, check_in_utility, averaged_utility)
MEASUREMENTS = measured_of(dummy_updates, check_in_utility, averaged_utility)
# What the audit finds false.
FALSE = {"3.5-sharp/dummy", "4.2/second-moment", "4.2/poisson", "4.2/updates", "4.2/linear"}
ANY = "slots without an update counted as 0"


@pytest.mark.parametrize("name", [name for name in STEPS if name not in FALSE])
def test_elementary_steps_are_proved_or_equal(name):
    assert holds(STEPS[name])


@pytest.mark.parametrize("name", [name for name in MEASUREMENTS if name not in FALSE])
def test_measured_steps_hold(name):
    assert all(outcomes(MEASUREMENTS[name].check, MEASUREMENTS[name].points))


# The steps' right sides with one constant changed.
MUTANTS = {
    "3.4/client": lambda steps, check_in_prob: 1 - 2 * check_in_prob / steps,
    "3.4/exponential": lambda steps, **at: 99 * steps * dummy_updates.poisson_empty(steps=steps, **at) / 100,
    "3.5/empty": lambda **at: 99 * dummy_updates.poisson_empty(**at) / 100,
    "3.5/empty-sharp": lambda **at: 99 * dummy_updates.poisson_empty(**at) / 100,
    "3.5/second-moment": lambda noise, lipschitz, **at: 99 * (noise + lipschitz) / 100,
    "SZ/root": lambda position: 19 / (10 * (position.sqrt() + (position - 1).sqrt())),
    "SZ/last": lambda position, rest: 9 * position / (10 * (position + rest).sqrt()),
    "SZ/harmonic": lambda position: -99 * (-1 / position).log1p() / 100,
    "SZ/total": lambda diameter, rate, moment, steps: (
        (diameter**2 / (2 * rate) + rate * moment) * (1 + steps.log()) / steps.sqrt()
    ),
    "3.5/rate": lambda mean, diameter, moment: 2 * diameter * moment.sqrt() / (1 - 2 * (-mean).exp()),
    "3.5/final": lambda mean, diameter, moment: 2 * diameter * (moment / (1 - 2 * (-mean).exp())).sqrt(),
    "3.5/best-rate": lambda mean, diameter, moment: 199 * diameter * moment.sqrt() / 100,
    "4.2/inverse": lambda load: 19 / (10 * (load + 1)),
    "4.2/twice": lambda clients, steps: 19 * steps / (10 * clients),
    "4.2/updates-repaired": lambda clients, steps: 79 * averaged_utility._updates(clients, steps) / 100,
    "4.2/rate": lambda clients, steps, diameter, noise, lipschitz: (
        2 * diameter * (steps * noise + clients * lipschitz).sqrt()
    ),
    "4.2/information": lambda clients, steps: (2 + steps.log()) / (40 * steps.sqrt()),
    "4.4/exponential": lambda clients, steps: 9 * (clients - steps + 1) * (steps**0 * -1).exp() / 10,
}


@pytest.mark.parametrize("name", MUTANTS)
def test_changed_constants_are_refuted(name):
    assert is_refuted(STEPS[name], MUTANTS[name])


def test_an_empty_slot_goes_into_the_expected_number():
    for point in points_in(STEPS["3.4/exponential"], 1, inside={"clients": (1, 1e4), "steps": (1e3, 1e6)}):
        share = value_at(STEPS["3.4/client"].right, steps=point["steps"], check_in_prob=point["check_in_prob"])
        number = point["steps"] * share ** point["clients"]
        assert isclose(number, value_at(STEPS["3.4/exponential"].left, **point), rel_tol=1e-9)


def test_the_chain_of_theorem_3_5_connects():
    rate, final = STEPS["3.5/rate"], STEPS["3.5/final"]
    for point in points_in(rate, 2, inside={"mean": (0.7, 5.0)}):
        assert isclose(value_at(rate.right, **point), value_at(final.left, **point), rel_tol=1e-14)
        assert isclose(value_at(rate.right, **point), value_at(STEPS["3.5/best-rate"].right, **point), rel_tol=1e-14)
        # The second moment at p0 = 1 and that many clients a slot is what the bracket takes.
        size = point["moment"] / 2
        values = {"clients": point["mean"] * 1e6, "steps": 1e6, "check_in_prob": 1.0, "noise": size, "lipschitz": size}
        moment = value_at(STEPS["3.5/second-moment"].right, **values)
        share = 1 - 2 * exp(-point["mean"])
        step_size = point["diameter"] * share / sqrt(point["moment"])
        assert isclose(
            point["diameter"] ** 2 / step_size + step_size * moment, value_at(rate.left, **point), rel_tol=1e-9
        )


def test_the_chain_of_theorem_4_2_connects():
    for point in points_in(STEPS["4.2/inverse"], 3):
        assert isclose(value_at(STEPS["4.2/inverse"].right, **point), 2 / (point["load"] + 1), rel_tol=1e-14)
    # Twice the mean of 1/(S + 1) is the left side of the next step.
    for clients, steps in ((3, 2), (30, 10)):
        mean = sum(
            Fraction(comb(clients, k) * (steps - 1) ** (clients - k), (k + 1) * steps**clients)
            for k in range(clients + 1)
        )
        assert isclose(2 * mean, value_at(STEPS["4.2/twice"].left, clients=clients, steps=steps), rel_tol=1e-14)
    # At its best the bracket is 2 R sqrt V; with sigma = 0, R = L = 1, that is what the claim is held against.
    point = {"clients": 7.0, "steps": 900.0}
    best = value_at(STEPS["4.2/rate"].right, **point, diameter=1.0, noise=0.0, lipschitz=1.0)
    assert isclose(best * (2 + log(900)) / 30, value_at(STEPS["4.2/linear"].right, **point), rel_tol=1e-14)
    total = STEPS["SZ/total"].right
    assert isclose(
        value_at(total, diameter=1.0, rate=1.0, moment=1.0, steps=900.0), best * (2 + log(900)) / 30, rel_tol=1e-14
    )


def test_the_noise_of_an_average_has_its_smallest_counterexample_at_three_clients():
    def inverse(n, m):
        counts = [s.count(0) for s in product(range(m), repeat=n)]
        return sum((Fraction(1, k) for k in counts if k), Fraction(0)) / m**n, Fraction(sum(map(bool, counts)), m**n)

    for is_conditional, clients, steps in (True, 3, 2), (False, 4, 2):
        bad = []
        for n, m in product(range(1, 5), range(1, 6)):
            mean, chance_of_some = inverse(n, m)
            if mean / (chance_of_some if is_conditional else 1) > Fraction(m, n):
                bad.append((n, m))
        assert bad[0] == (clients, steps)
        step = MEASUREMENTS["4.2/second-moment"]
        function = step.check if is_conditional else step.readings[ANY]
        points = [(at["clients"], at["steps"]) for at in step.points if outcomes(function, [at]) == [False]]
        assert min(points) == (clients, steps)


def test_the_inverse_load_agrees_with_every_choice_of_slots():
    for n, m in ((1, 1), (3, 2), (5, 3)):
        loads = [slots.count(0) for slots in product(range(m), repeat=n)]
        assert exact_protocols.inverse_load(n, m) == sum(Fraction(1, k) for k in loads if k) / m**n


# mpmath 1.3: e^-t (Ei(t) - gamma - log t) is E[1/S; S > 0] for Poisson loads of mean t; over 1 - e^-t, given S > 0.
# t E[1/S | S > 0] at t = 3 is 1.298, and 1.3202 at most, near t = 3.77; t E[1/S; S > 0] at t = 3 is 1.2334.
@pytest.mark.parametrize(
    ("mean", "is_conditional", "times_mean"), [(3.0, True, 1.29805), (3.75, True, 1.32026), (3.0, False, 1.23343)]
)
def test_the_noise_of_an_average_of_poisson_many_records_exceeds_the_claim(mean, is_conditional, times_mean):
    t = mpmath.mpf(mean)
    truth = mpmath.exp(-t) * (mpmath.ei(t) - mpmath.euler - mpmath.log(t))
    truth = truth / (1 - mpmath.exp(-t)) if is_conditional else truth
    step = MEASUREMENTS["4.2/poisson"]
    left, right = (step.check if is_conditional else step.readings[ANY])(mean=mean)
    assert isclose(left.lower, truth, rel_tol=1e-13) and left.upper - left.lower < 1e-15
    assert isclose(left.lower * mean, times_mean, rel_tol=1e-5)
    assert left.lower > right.upper


def test_many_clients_are_poisson():
    # n = 300, m = 100: by the same sum the ratio is that of mean 3 within a hundredth.
    left, right = MEASUREMENTS["4.2/second-moment"].check(clients=300, steps=100)
    assert isclose(left.lower / right.upper, 1.29805, rel_tol=0.01)


@pytest.mark.parametrize("name", ["4.2/second-moment", "4.2/poisson"])
def test_twice_the_claimed_noise_is_enough(name):
    step = MEASUREMENTS[name]
    assert all(outcomes(step.readings["twice as much"], step.points))


@pytest.mark.nightly
def test_the_factor_2_pays_for_the_noise_of_dummy_updates():
    step = STEPS["3.5/dummy"]
    reading = step.readings["without the factor 2"]
    assert isinstance(prove(step, reading), Refuted)
    point = smallest(step, check(step, reading).failures[0], reading)
    # By hand: an empty slot has probability p = (1 - 1/m)^n; noise 1, Lipschitz constant 1.
    n, m, prob, noise, lipschitz = (point[name] for name in ("clients", "steps", "check_in_prob", "noise", "lipschitz"))
    p, poisson = (1 - prob / m) ** n, exp(-n * prob / m)
    assert (noise + lipschitz) / (1 - p) + p * noise > (noise + lipschitz) / (1 - poisson)


def test_the_factor_2_is_not_needed_for_an_empty_slot():
    # (1 - p0/m)^n <= e^(-n p0/m): proved; and nothing smaller will do, by the mutant 0.99 above.
    assert holds(STEPS["3.5/empty-sharp"])
    assert check(STEPS["3.5/empty"]).smallest >= 1.999999


@pytest.mark.nightly
def test_the_step_size_of_theorem_3_5_is_not_the_best():
    # p' = 2/3, mean log 3: 1 + 3 against 2 sqrt 3, the sides over R sqrt V.
    point = {"mean": 1.0986122886681098, "diameter": 1.0, "moment": 1.0}
    assert isclose(value_at(STEPS["3.5/best-rate"].right, **point), 4, rel_tol=1e-12)
    assert isclose(value_at(STEPS["3.5/best-rate"].left, **point), 2 * sqrt(3), rel_tol=1e-12)


@pytest.mark.nightly
def test_dropping_the_condition_of_theorem_3_5_fails():
    needs = premise_needs(STEPS["3.5/second-moment"])
    (point,) = needs.essential.values()
    assert 2 * exp(-point["clients"] * point["check_in_prob"] / point["steps"]) > 1


@pytest.mark.nightly
def test_theorem_4_2_is_false_for_many_more_slots_than_clients():
    step = STEPS["4.2/linear"]
    point = smallest(step, check(step).failures[0])
    n, m = int(point["clients"]), int(point["steps"])
    assert (n, m) == (1, 400)
    # The algorithm itself: one client in a uniform slot i, loss 1 - theta on [0, 1] from 0, one step of 1/sqrt i.
    risk = sum(1 - 1 / sqrt(i) for i in range(1, m + 1)) / m
    assert risk >= value_at(step.left, **point)
    assert risk > 2 * (2 + log(m)) / sqrt(m)


@pytest.mark.nightly
def test_no_algorithm_does_what_theorem_4_2_claims():
    needs = premise_needs(STEPS["4.2/information"])
    assert needs.sufficient == (("steps <= clients",),)
    point = needs.essential["steps <= clients"]
    assert value_at(STEPS["4.2/information"].left, **point) > 2 * (2 + log(point["steps"])) / sqrt(point["steps"])


@pytest.mark.parametrize("n", [1, 2, 5, 40])
def test_the_least_risk_is_below_that_of_the_best_test(n):
    # Half of t (1 - TV) is the Bayes risk of two binomials, uniform prior; TV summed exactly.
    t = 1 / (2 * sqrt(n))
    p, q = (1 + t) / 2, (1 - t) / 2
    tv = sum(comb(n, k) * abs(p**k * q ** (n - k) - q**k * p ** (n - k)) for k in range(n + 1)) / 2
    risk = value_at(STEPS["4.2/information"].left, clients=n, steps=1)
    assert 0.7 * t / 2 * (1 - tv) < risk <= t / 2 * (1 - tv)


@pytest.mark.nightly
def test_fewer_clients_than_slots_cannot_make_every_update():
    step = STEPS["4.2/updates"]
    assert isinstance(prove(step), Refuted)
    assert smallest(step, check(step).failures[0]) == {"clients": 1.0, "steps": 2.0}
    # Proved with its premise above; not without.
    point = premise_needs(STEPS["4.2/updates-repaired"]).essential["steps <= clients"]
    n, m = point["clients"], point["steps"]
    assert m / 2 > m * (1 - (1 - 1 / m) ** n)


@pytest.mark.nightly
def test_the_printed_index_set_of_proposition_4_4_is_refuted():
    step = MEASUREMENTS["4.4/expected"]
    (name,) = step.readings
    truths = outcomes(step.readings[name], step.points)
    # Where windows have one slot the two sets are the same.
    assert truths == [at["steps"] == 1 for at in step.points]


@pytest.mark.nightly
def test_dummy_updates_agree_with_a_sum_over_choices():
    # Two clients, two slots, p0 = 1/2: 2 (3/4)^2 = 9/8 slots are empty.
    chance = {None: Fraction(1, 2), 0: Fraction(1, 4), 1: Fraction(1, 4)}
    empty = sum(chance[a] * chance[b] * (2 - len({a, b} - {None})) for a, b in product(chance, repeat=2))
    assert empty == Fraction(9, 8)
    left, right = CHECKS["3.4/expected"](clients=2, steps=2, quarters=2)
    assert (left.lower, left.upper, right.upper) == (0.0, 0.0, 0.0)
